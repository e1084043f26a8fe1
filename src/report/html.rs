//! Self-contained HTML page: templates from `templates/`, style and script inlined, everything else forbidden by its
//! Content-Security-Policy.

use std::io::Write;

use minijinja::HtmlEscape;
use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::model::{Analysis, uri};

use super::lexicon::Lexicon;
use super::view::Page;
use super::{RenderError, jira, markdown, rank, template};

/// Templates of the report; other pages use some of them.
pub(super) const TEMPLATES: [template::Source; 20] = [
    ("report.html", include_str!("../../templates/report.html")),
    ("_bundle.html", include_str!("../../templates/_bundle.html")),
    ("_first.html", include_str!("../../templates/_first.html")),
    ("_instead.html", include_str!("../../templates/_instead.html")),
    ("_collect.html", include_str!("../../templates/_collect.html")),
    ("_filters.html", include_str!("../../templates/_filters.html")),
    ("_finding.html", include_str!("../../templates/_finding.html")),
    ("_evidence.html", include_str!("../../templates/_evidence.html")),
    ("_unexplained.html", include_str!("../../templates/_unexplained.html")),
    ("_unhealthy.html", include_str!("../../templates/_unhealthy.html")),
    ("_upgrade.html", include_str!("../../templates/_upgrade.html")),
    ("_rules.html", include_str!("../../templates/_rules.html")),
    ("_issues.html", include_str!("../../templates/_issues.html")),
    ("_run.html", include_str!("../../templates/_run.html")),
    ("_timeline.html", include_str!("../../templates/_timeline.html")),
    ("_pictures.html", include_str!("../../templates/_pictures.html")),
    ("_map.html", include_str!("../../templates/_map.html")),
    ("_histories.html", include_str!("../../templates/_histories.html")),
    ("_histogram.html", include_str!("../../templates/_histogram.html")),
    ("_state.html", include_str!("../../templates/_state.html")),
];
const STYLE: &str = concat!(include_str!("../../templates/report.css"), include_str!("../../templates/cluster.css"));
const SCRIPT: &str = concat!(
    include_str!("../../templates/report.js"),
    include_str!("../../templates/filters.js"),
    include_str!("../../templates/cluster.js")
);

/// Writes the page; with an address below which pages of entries are, evidence leads to them.
///
/// # Errors
/// Errors of the writer, or a fault in a template.
pub fn write(analysis: &Analysis, entries: Option<&str>, out: &mut dyn Write) -> Result<(), RenderError> {
    let t = Lexicon::of(analysis.lang).about(&analysis.bundle);
    let mut environment = template::environment(t, &TEMPLATES)?;
    if let Some(entries) = entries.map(str::to_owned) {
        environment.add_function("place_url", move |entry: &str, line: Option<u64>| place_url(&entries, entry, line));
    }
    let groups = rank::groups(&analysis.findings);
    let escaped = |text: &str| Value::from_safe_string(HtmlEscape(text).to_string());
    let ticket = |markdown: String| {
        let jira = jira::from_markdown(&markdown).join("\n");
        context! { markdown => escaped(&markdown), jira => escaped(&jira) }
    };
    let page = context! {
        page => Value::from(Serde(Page::of(analysis, t))),
        // Cleaned and escaped for Markdown already; the escape characters between its words must not be shown.
        ticket => ticket(markdown::ticket(analysis, t)),
        // In the order of the cards.
        tickets => groups.iter().map(|group| ticket(markdown::card(group, &analysis.rules, t))).collect::<Vec<_>>(),
        lang => t.tag(),
        policy => template::policy(STYLE, Some(SCRIPT)),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
    };
    template::render(&environment, "report.html", page, out)
}

/// Returns the address of a line on the page of its entry; it holds no character that markup would read.
fn place_url(entries: &str, entry: &str, line: Option<u64>) -> Value {
    let line = line.map_or_else(String::new, |line| format!("?line={line}#L{line}"));
    Value::from_safe_string(format!("{entries}{}{line}", uri::entry_uri(entry)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use regex::Regex;
    use sha2::{Digest, Sha256};

    fn page(analysis: &Analysis) -> String {
        let mut out = Vec::new();
        write(analysis, None, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Returns the page without style and script, so that all tags and attributes left are those of the templates.
    fn markup(analysis: &Analysis) -> String {
        page(analysis).replace(STYLE, "").replace(SCRIPT, "")
    }

    /// Returns every tag with its attributes, without texts.
    fn tags(html: &str) -> Vec<String> {
        Regex::new("<[^>]*>").unwrap().find_iter(html).map(|m| m.as_str().to_owned()).collect()
    }

    #[test]
    fn hostile_text_adds_no_markup() {
        let names = |analysis: &Analysis| -> std::collections::BTreeSet<String> {
            let name = Regex::new("^</?([a-zA-Z!-]+)").unwrap();
            tags(&markup(analysis)).iter().map(|t| name.captures(t).unwrap()[1].to_owned()).collect()
        };
        let html = markup(&specimen::hostile());
        let (hostile, honest) = (names(&specimen::hostile()), names(&specimen::small()));
        assert!(hostile.is_subset(&honest), "{hostile:?} against {honest:?}");
        assert!(!hostile.contains("img"));
        assert!(html.contains("&lt;script&gt;alert(1)"));
        assert!(html.contains("{{ 7*7 }}{% raw %}"), "text of a bundle is no template");
    }

    #[test]
    fn no_hidden_character_reaches_the_page() {
        let html = page(&specimen::hostile());
        assert!(!html.contains(['\u{1b}', '\u{202e}', '\u{0}', '\u{7}', '\r']));
        assert!(html.contains("&lt;U+202E&gt;gpj red "));
    }

    #[test]
    fn the_policy_names_the_hashes_of_what_is_inlined() {
        let html = page(&specimen::small());
        let policy = Regex::new("http-equiv=\"Content-Security-Policy\" content=\"([^\"]+)\"").unwrap();
        let policy = policy.captures(&html).unwrap()[1].replace("&#x27;", "'").replace("&#x2f;", "/");
        for (element, directive) in [("style", "style-src"), ("script", "script-src")] {
            let inlined = Regex::new(&format!("(?s)<{element}>(.*?)</{element}>")).unwrap();
            let bodies: Vec<_> = inlined.captures_iter(&html).map(|c| c[1].to_owned()).collect();
            assert_eq!(bodies.len(), 1, "{element}");
            let hash = STANDARD.encode(Sha256::digest(bodies[0].as_bytes()));
            assert!(policy.contains(&format!("{directive} 'sha256-{hash}'")), "{policy}");
        }
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
    }

    #[test]
    fn nothing_is_loaded_from_elsewhere() {
        for tag in tags(&markup(&specimen::small())) {
            assert!(!tag.contains(" src=") && !tag.contains("srcset") && !tag.contains("@import"), "{tag}");
            if tag.contains("http://") || tag.contains("https://") || tag.contains("https:&#x2f;") {
                assert!(tag.starts_with("<a "), "{tag}");
                assert!(tag.contains("rel=\"noreferrer"), "{tag}");
            }
        }
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
        assert!(!SCRIPT.contains("fetch(") && !SCRIPT.contains("XMLHttpRequest") && !SCRIPT.contains("</"));
    }

    #[test]
    fn no_handler_and_no_style_stands_in_an_attribute() {
        let handler = Regex::new(r"\s(on[a-z]+|style)=").unwrap();
        for analysis in [specimen::small(), specimen::empty()] {
            for tag in tags(&markup(&analysis)) {
                assert!(!handler.is_match(&tag), "{tag}");
                assert!(!tag.contains("javascript:"), "{tag}");
            }
        }
        assert!(!page(&specimen::hostile()).contains("href=\"javascript"));
    }

    #[test]
    fn opened_elements_are_closed() {
        const VOID: [&str; 5] = ["meta", "link", "input", "br", "!doctype"];
        let name = Regex::new("^<(/?)([a-zA-Z0-9!]+)").unwrap();
        for analysis in [specimen::small(), specimen::empty(), specimen::hostile()] {
            let mut open: Vec<String> = Vec::new();
            for tag in tags(&markup(&analysis)) {
                let parts = name.captures(&tag).unwrap();
                let element = parts[2].to_ascii_lowercase();
                match &parts[1] {
                    "/" => assert_eq!(open.pop(), Some(element), "{tag}"),
                    _ if VOID.contains(&element.as_str()) => {}
                    _ => open.push(element),
                }
            }
            assert!(open.is_empty(), "{open:?}");
        }
    }

    #[test]
    fn everything_of_a_finding_is_on_the_page() {
        let html = page(&specimen::small()).replace("&#x2f;", "/");
        let finding = specimen::finding();
        for text in [&finding.title, &finding.message, &finding.impact, &finding.cause] {
            assert!(html.contains(text.as_str()), "{text}");
        }
        assert!(html.contains(&finding.rule) && html.contains(&finding.fingerprint));
        for text in [
            "Look for a backup",
            "kubectl -n longhorn-system get backups",
            "what is not backed up is gone",
            "The claim is Bound.",
            "claims.yaml",
            "status.phase",
            "Lost",
            "phase: <b>Lost</b>",
            "fixed in 1.4.0",
            "cart-0",
            "mount failed",
            "never collected by this program",
            "no kernel log of node beta",
            "not a mapping",
        ] {
            assert!(html.contains(text), "{text}");
        }
    }

    #[test]
    fn an_empty_result_has_a_page_too() {
        let html = page(&specimen::empty());
        assert!(html.contains("None of the 3 rules that could be checked fired"));
    }
}
