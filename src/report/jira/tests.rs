//! Tests of the markup, its escapes and its size limit.

use super::*;
use crate::model::Finding;
use crate::report::specimen;
use proptest::prelude::*;

fn page(analysis: &Analysis) -> String {
    let mut out = Vec::new();
    write(analysis, Audience::Support, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// Undoes the escapes, as Jira does when it shows the text.
fn shown(markup: &str) -> String {
    let plain = markup.replace("&#58;", ":").replace("&amp;", "&");
    let mut out = String::new();
    let mut chars = plain.chars().filter(|c| *c != '\u{200b}').peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next()),
            c => out.push(c),
        }
    }
    out.replace("&#92;", "\\")
}

#[test]
fn blocks_of_markdown_become_blocks_of_jira() {
    let markdown = "## Verdict \\[1\\]\n\n- first **bold** `a|b`\n  - inner\n\n1. Do it\n\n   ```sh\n   kubectl get x\n   ```\n2. \
                    Then\n\n   **Caution:** late\n\n---\n\n<https://example.org/a>\n\n```text\n> 1 {noformat}\n```\n";
    let jira = [
        "h2. Verdict \\[1\\]",
        "",
        "* first *bold* {{a\\|b}}",
        "** inner",
        "",
        "# Do it",
        "{code:bash}",
        "kubectl get x",
        "{code}",
        "# Then",
        "*Caution:* late",
        "",
        "----",
        "",
        "[https://example.org/a]",
        "",
        "{noformat}",
        "> 1 {\u{200b}noformat}",
        "{noformat}",
        "",
    ];
    assert_eq!(from_markdown(markdown).join("\n"), jira.join("\n"));
}

#[test]
fn text_that_looks_like_markup_is_escaped() {
    for (text, expected) in [
        ("node-1 has 3 pods", "node-1 has 3 pods"),
        ("kubectl get --all", "kubectl get \\-\\-all"),
        ("*bold* _i_ a_b", "\\*bold* \\_i_ a_b"),
        (r"C:\dir\{x}", r"C:&#92;dir&#92;\{x\}"),
        ("http://x [~bob] {code}", "http&#58;//x \\[\\~bob\\] \\{code\\}"),
        ("h2. x (x) :D &lt;", "h2\\. x \\(x) \\:D &amp;lt;"),
        ("# 1", "\\# 1"),
    ] {
        assert_eq!(escape::text(text, true), expected);
    }
}

#[test]
fn a_page_says_what_the_markdown_page_says_and_fits_into_a_comment() {
    let small = page(&specimen::small());
    for part in
        ["h2. 2 causes found: 1 critical, 1 low\n", "{{status.phase = Lost}}", "# Delete the claim\n*Caution:* "]
    {
        assert!(small.contains(part), "{small}");
    }
    let mut many = specimen::hostile();
    let finding = many.findings.first().cloned().unwrap();
    many.findings = std::iter::repeat_n(finding, 3_000)
        .enumerate()
        .map(|(n, f)| Finding { rule: format!("rule-{n}"), ..f })
        .collect();
    for analysis in [specimen::hostile(), many] {
        let page = page(&analysis);
        assert!(page.encode_utf16().count() <= COMMENT, "{}", page.len());
        assert!(page.lines().filter(|line| *line == "{noformat}").count() % 2 == 0, "{page}");
    }
}

#[test]
fn a_page_is_cut_between_blocks() {
    let block = format!("{}\n", "x".repeat(10_000));
    let cut = fitting(&vec![block.clone(); 9], Lexicon::of(crate::model::Lang::En));
    assert_eq!(cut, format!("{block}\n{block}\n{block}\nand 6 more in the report\n"));
}

proptest! {
    #[test]
    fn any_text_is_shown_literally(text in r"[ -~]{0,40}|[\\{}\[\]|*_:/&#;()!D h2.-]{0,20}") {
        let escaped = escape::text(&text, true);
        prop_assert_eq!(shown(&escaped), text);
        // Every brace, bracket and bar has its own backslash.
        let mut slash = false;
        for c in escaped.chars() {
            prop_assert!(slash || !matches!(c, '{' | '}' | '[' | ']' | '|'), "{}", escaped);
            slash = c == '\\' && !slash;
        }
    }
}
