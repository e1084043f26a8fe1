//! Reports in Chinese: no text around the findings remains in English, and only texts differ.

use std::collections::BTreeSet;
use std::path::Path;

use regex::Regex;

use gleaner::internals::report::{Audience, Format};
use gleaner::model::Lang;

use crate::harness::{gleaner_in, sample};
use crate::inventory;

/// Words that Chinese texts keep: products, kinds of objects and what programs call themselves.
const NAMES: &[&str] = &[
    "CPU",
    "CSI",
    "Fleet",
    "GB",
    "Harvester",
    "Helm",
    "JSON",
    "Kubernetes",
    "Longhorn",
    "MB",
    "Markdown",
    "PVC",
    "Pod",
    "Rancher",
    "SHA",
    "Secret",
    "UID",
    "UTC",
    "Webhook",
    "etcd",
    "gleaner",
    "journal",
    "kubectl",
];
/// Classes of elements with texts of rules, which quote output of programs.
const OF_RULES: &[&str] = &["title", "message", "why", "step", "steps", "verify", "more-findings"];
/// Classes of elements with names and words of the cluster.
const OF_THE_CLUSTER: &[&str] = &[
    "object",
    "objects",
    "path",
    "place",
    "name",
    "state",
    "kind",
    "facts",
    "value",
    "related",
    "user",
    "from-object",
];

fn report(bundle: &Path, lang: &str, format: &str) -> String {
    let bundle = bundle.to_str().unwrap();
    let args = ["analyze", bundle, "--lang", lang, "--format", format, "-o", "-", "--quiet"];
    let answer = gleaner_in(Path::new("."), args);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    answer.stdout
}

/// Returns the texts of a page, between tags and in attributes, except code, quotes, names and text marked as English.
/// Titles of marks on the time axis are findings and quoted events.
fn said(html: &str) -> Vec<String> {
    let tag = Regex::new(r"(?s)<(/?)([a-zA-Z!][a-zA-Z0-9]*)([^>]*)>([^<]*)").unwrap();
    let attribute =
        Regex::new(r#"\b(?:aria-label|placeholder|data-says|data-shown|data-copied|data-selected)="([^"]*)""#).unwrap();
    let class = Regex::new(r#"class="([^"]*)""#).unwrap();
    let mut open: Vec<(String, bool)> = Vec::new();
    let mut said = Vec::new();
    for found in tag.captures_iter(html) {
        let (name, attributes) = (found[2].to_ascii_lowercase(), &found[3]);
        if &found[1] == "/" {
            assert_eq!(open.pop().map(|(name, _)| name), Some(name));
        } else if !matches!(name.as_str(), "meta" | "link" | "input" | "br" | "doctype" | "!doctype") {
            let named = class
                .captures(attributes)
                .is_some_and(|c| c[1].split(' ').any(|c| OF_THE_CLUSTER.contains(&c) || OF_RULES.contains(&c)));
            // The names of findings.
            let named = named || name == "a" && attributes.contains("href=\"#f-");
            let foreign = attributes.contains("lang=\"en\"");
            let code = matches!(name.as_str(), "code" | "pre" | "q" | "script" | "style" | "title");
            let skipped = open.last().is_some_and(|(_, skipped)| *skipped) || named || foreign || code;
            open.push((name, skipped));
        }
        if open.last().is_some_and(|(_, skipped)| *skipped) {
            continue;
        }
        said.extend(attribute.captures_iter(attributes).map(|c| c[1].to_owned()));
        said.push(found[4].to_owned());
    }
    assert!(open.is_empty(), "{open:?}");
    said
}

/// Runs of two words or more in a text, the names that Chinese keeps left out.
fn english(text: &str) -> Vec<String> {
    let text = text.replace("&#x27;", "'").replace("&quot;", "\"").replace("&#x2f;", "/").replace("&amp;", "&");
    // A word next to a digit or special character is a part of a name.
    let run =
        Regex::new(r"(?:^|[\s，。：；、（）()])([A-Za-z]{2,}(?:[ ,:;]+[A-Za-z]{2,})+)(?:$|[\s，。：；、（）(),.])")
            .unwrap();
    let runs = run.captures_iter(&text).map(|c| c[1].to_owned());
    runs.filter(|run| {
        run.split([' ', ',', ':', ';']).filter(|word| !word.is_empty() && !NAMES.contains(word)).count() >= 2
    })
    .collect()
}

fn assert_chinese(bundle: &Path) {
    assert_page_is_chinese(&report(bundle, "zh", "html"), &bundle.display().to_string());
}

fn assert_page_is_chinese(page: &str, name: &str) {
    assert!(page.contains("<html lang=\"zh-CN\">"));
    let left: BTreeSet<String> = said(page).iter().flat_map(|text| english(text)).collect();
    assert!(left.is_empty(), "{name}: {left:#?}");
}

#[test]
fn machines_volumes_and_upgrades_say_nothing_in_english() {
    let mut page = Vec::new();
    gleaner::internals::report::render(
        &inventory::analysis(Lang::Zh),
        Format::Html,
        Audience::Support,
        None,
        &mut page,
    )
    .unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("虚拟机与卷") && page.contains("正在等待："));
    assert_page_is_chinese(&page, "inventory");
}

#[test]
fn samples_say_nothing_in_english() {
    for name in [
        "busy-healthy",
        "healthy",
        "hook-deleted-configmap",
        "orphans-behind-webhook",
        "stale-managed-chart",
        "tiller-failed-upgrade",
    ] {
        assert_chinese(&sample(name));
    }
}

#[test]
fn english_words_would_be_found() {
    let page = report(&sample("stale-managed-chart"), "en", "html").replace("<html lang=\"en\">", "<html>");
    let left: BTreeSet<String> = said(&page).iter().flat_map(|text| english(text)).collect();
    for words in ["Cluster at", "What to do", "Issues while reading"] {
        assert!(left.iter().any(|run| run.contains(words)), "{words}: {left:#?}");
    }
}

#[test]
fn real_bundles_say_nothing_in_english() {
    let Some(corpus) = std::env::var_os("GLEANER_CORPUS") else { return };
    for entry in std::fs::read_dir(corpus).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.extension().is_some_and(|e| e == "zip" || e == "gz") {
            assert_chinese(&path);
        }
    }
}

#[test]
fn only_texts_differ() {
    // Places, filters and order are what people send each other.
    let skeleton = |lang: &str| {
        let page = report(&sample("stale-managed-chart"), lang, "html");
        let kept = Regex::new(r#"\b(?:id|href|data-in|data-rule|data-token|value|name|class)="[^"]*""#).unwrap();
        let body = page.split("<body").nth(1).unwrap().split("<script").next().unwrap().to_owned();
        kept.find_iter(&body).map(|found| found.as_str().to_owned()).collect::<Vec<_>>()
    };
    let (english, chinese) = (skeleton("en"), skeleton("zh"));
    assert!(english.len() > 300);
    assert_eq!(english, chinese);
    let fingerprints = |lang: &str| {
        let json: serde_json::Value =
            serde_json::from_str(&report(&sample("stale-managed-chart"), lang, "json")).unwrap();
        json["findings"].as_array().unwrap().iter().map(|f| f["fingerprint"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(fingerprints("en"), fingerprints("zh"));
}

#[test]
fn tickets_are_chinese_too() {
    let ticket = report(&sample("stale-managed-chart"), "zh", "markdown");
    for words in ["发现 3 个根因", "**处理步骤：**", "**证据：**"] {
        assert!(ticket.contains(words), "{words}: {ticket}");
    }
    for words in ["What to do", "Evidence", "Impact", "causes found", "not evaluated", "while reading"] {
        assert!(!ticket.contains(words), "{words}");
    }
}
