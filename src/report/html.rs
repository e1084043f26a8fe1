//! One self-contained page: templates from `templates/`, style and script inlined, all else forbidden by its
//! Content-Security-Policy. Text from the bundle is cleaned and escaped where it is printed, by the formatter, so that no
//! template can forget to.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Kwargs, Serde, Value};
use minijinja::{
    AutoEscape, Environment, Error, ErrorKind, HtmlEscape, Output, State, UndefinedBehavior, context, escape_formatter,
};
use sha2::{Digest, Sha256};

use crate::model::Analysis;

use super::lexicon::Lexicon;
use super::view::Page;
use super::{RenderError, clean, lexicon, markdown};

const TEMPLATES: [(&str, &str); 14] = [
    ("report.html", include_str!("../../templates/report.html")),
    ("_bundle.html", include_str!("../../templates/_bundle.html")),
    ("_filters.html", include_str!("../../templates/_filters.html")),
    ("_finding.html", include_str!("../../templates/_finding.html")),
    ("_evidence.html", include_str!("../../templates/_evidence.html")),
    ("_rules.html", include_str!("../../templates/_rules.html")),
    ("_issues.html", include_str!("../../templates/_issues.html")),
    ("_run.html", include_str!("../../templates/_run.html")),
    ("_timeline.html", include_str!("../../templates/_timeline.html")),
    ("_pictures.html", include_str!("../../templates/_pictures.html")),
    ("_map.html", include_str!("../../templates/_map.html")),
    ("_stories.html", include_str!("../../templates/_stories.html")),
    ("_histogram.html", include_str!("../../templates/_histogram.html")),
    ("_state.html", include_str!("../../templates/_state.html")),
];
const STYLE: &str = concat!(include_str!("../../templates/report.css"), include_str!("../../templates/cluster.css"));
const SCRIPT: &str = concat!(
    include_str!("../../templates/report.js"),
    include_str!("../../templates/filters.js"),
    include_str!("../../templates/cluster.js")
);

/// Writes the page.
///
/// # Errors
/// Those of the writer; a fault in a template.
pub fn write(analysis: &Analysis, out: &mut dyn Write) -> Result<(), RenderError> {
    let t = Lexicon::of(analysis.lang);
    let environment = environment(t).map_err(template_error)?;
    let template = environment.get_template("report.html").map_err(template_error)?;
    let page = context! {
        page => Value::from(Serde(Page::of(analysis, t))),
        // Cleaned and escaped for Markdown already; what is put between its words must not show.
        ticket => Value::from_safe_string(HtmlEscape(&markdown::header(&analysis.bundle, t)).to_string()),
        lang => t.tag(),
        policy => policy(),
        style => Value::from_safe_string(STYLE.to_owned()),
        script => Value::from_safe_string(SCRIPT.to_owned()),
    };
    let mut out = Recording { out, failure: None };
    match template.render_captured_to(page, &mut out) {
        Ok(_) => Ok(()),
        Err(error) => Err(out.failure.take().map_or_else(|| template_error(error), RenderError::Write)),
    }
}

fn environment(t: Lexicon) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_formatter(print_clean);
    environment.add_function("t", move |phrase: &str, parts: Kwargs| filled(t.say(phrase), &parts));
    environment.add_function("count", move |n: u64, one: &str, many: &str| t.count(n, one, many));
    environment.add_function("foreign", move |text: &str| t.foreign(text));
    environment.add_function("term", move |english: &str| t.term(english).to_owned());
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    Ok(environment)
}

/// A phrase with its parts.
fn filled(phrase: &str, parts: &Kwargs) -> Result<String, Error> {
    let parts: Vec<(&str, Value)> =
        parts.args().map(|name| Ok((name, parts.get(name)?))).collect::<Result<_, Error>>()?;
    let parts: Vec<(&str, &dyn Display)> = parts.iter().map(|(name, part)| (*name, part as &dyn Display)).collect();
    Ok(lexicon::fill(phrase, &parts))
}

/// Prints a value: text that is not ours is freed of what one cannot see, then escaped.
fn print_clean(out: &mut Output, state: &mut State, value: &Value) -> Result<(), Error> {
    if value.is_none() {
        return Err(Error::new(ErrorKind::InvalidOperation, "a template prints a value that is absent"));
    }
    match value.as_str() {
        Some(text) if !value.is_safe() => match clean::visible(text) {
            Cow::Borrowed(_) => escape_formatter(out, state, value),
            Cow::Owned(text) => escape_formatter(out, state, &Value::from(text)),
        },
        _ => escape_formatter(out, state, value),
    }
}

/// Nothing may load, run or be sent, but the style and the script that this program wrote.
fn policy() -> String {
    format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; img-src data:; base-uri 'none'; \
         form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
}

fn digest(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

fn template_error(error: Error) -> RenderError {
    RenderError::Template(format!("{error:#}"))
}

/// Keeps the writer's own error, which callers need to tell a closed pipe from a full disk.
struct Recording<'a> {
    out: &'a mut dyn Write,
    failure: Option<std::io::Error>,
}

impl Write for Recording<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.write(bytes).inspect_err(|error| {
            if error.kind() != std::io::ErrorKind::Interrupted {
                self.failure = Some(error.kind().into());
            }
        })
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::specimen;
    use regex::Regex;

    fn page(analysis: &Analysis) -> String {
        let mut out = Vec::new();
        write(analysis, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The page without style and script, where tags and attributes are those of the templates only.
    fn markup(analysis: &Analysis) -> String {
        page(analysis).replace(STYLE, "").replace(SCRIPT, "")
    }

    /// Every tag with its attributes, texts left out.
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
        for text in
            [&finding.title, &finding.message, &finding.impact, &finding.cause, &finding.rule, &finding.fingerprint]
        {
            assert!(html.contains(text.as_str()), "{text}");
        }
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
        assert!(html.contains("None of the 2 rules that could be checked fired"));
    }
}
