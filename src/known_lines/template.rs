//! The template of a known line, and where it stands in that of a log.

use crate::log::{VARIES, line_template};
use crate::model::unexplained::Level;

/// Most words for which one `<*>` of a known line stands.
const GAP: usize = 8;
/// Words that are compared; lines have at most 64.
const WORDS: usize = 127;
/// Keys before a message, which say nothing.
const KEYS: [&str; 2] = ["msg", "message"];

/// The words of a known line that stand in a row in the lines it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// None if the line reports no trouble.
    pub level: Option<Level>,
    /// Words joined by blanks: thousands of texts take half the time and memory of a text for each word.
    text: String,
}

impl Template {
    /// Makes the template of a line as it is printed; `<*>` in it is a word that varies. What varies at its beginning and its end is
    /// left out.
    pub fn of(line: &str) -> Self {
        let (level, template) = line_template(&line.replace(VARIES, "x0"), has_host(line));
        let words: Vec<&str> = template.split(' ').collect();
        let says = |word: &&str| !word.is_empty() && *word != VARIES && !KEYS.contains(word);
        let end = words.iter().rposition(|word| *word != VARIES).map_or(0, |last| last + 1);
        let start = words.iter().position(says).unwrap_or(end);
        Self { level, text: words.get(start..end).unwrap_or_default().join(" ") }
    }

    /// Takes the text of a template that was made before.
    pub fn known(text: &str) -> Self {
        Self { level: None, text: text.to_owned() }
    }

    fn words(&self) -> impl Iterator<Item = &str> {
        self.text.split(' ').filter(|word| !word.is_empty())
    }

    /// Returns the words, joined by blanks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of words that do not vary.
    pub fn fixed(&self) -> usize {
        self.words().filter(|word| *word != VARIES).count()
    }

    /// Number of all words, each `<*>` among them.
    pub fn len(&self) -> usize {
        self.words().count()
    }

    /// Words that follow each other; none if `<*>` stands between any two.
    pub fn pairs(&self) -> impl Iterator<Item = [&str; 2]> {
        let pairs = self.words().zip(self.words().skip(1)).map(|(first, second)| [first, second]);
        pairs.filter(|pair| !pair.contains(&VARIES))
    }

    /// The longest word.
    pub fn longest(&self) -> &str {
        let words = self.words().filter(|word| *word != VARIES);
        words.max_by_key(|word| word.len()).unwrap_or_default()
    }

    /// Returns whether the words stand in a row among those of a log's template.
    ///
    /// Each bit is a place in it that the words read so far may end before: no order of equal words takes longer than another.
    pub fn is_in(&self, words: &[&str]) -> bool {
        let words = words.get(..WORDS).unwrap_or(words);
        let all = (1_u128 << words.len()) - 1;
        self.words().fold(all, |ends, word| match word {
            VARIES => (1..=GAP).fold(0, |gap, length| gap | ends << length) & (all << 1 | 1),
            word => (ends & places(words, word)) << 1,
        }) != 0
    }
}

/// Bits of the places at which a word stands.
fn places(words: &[&str], wanted: &str) -> u128 {
    let here = words.iter().enumerate().filter(|(_, word)| **word == wanted);
    here.fold(0, |places, (at, _)| places | 1 << at)
}

/// Returns true for a line of a journal, where a host and a program follow the stamp: `Jan 02 15:04:05 n1 kernel: ...`.
fn has_host(line: &str) -> bool {
    let (name, rest) = line.split_at_checked(3).unwrap_or_default();
    name.bytes().all(|byte| byte.is_ascii_alphabetic()) && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_in(line: &str, template: &str) -> bool {
        Template::of(line).is_in(&template.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn a_line_gives_the_words_that_stay() {
        for (line, want) in [
            (
                "E0102 15:04:05.000000       1 leaderelection.go:332] error retrieving resource lock kube-system/vip: Get \"https://a/b?c=5s\": late",
                "error error retrieving resource lock <*> Get <*> late",
            ),
            (
                r#"time="2025-01-02T15:04:05Z" level=error msg="lost <*> of node" error="no disk" node=n1"#,
                "error lost <*> of node error no disk node",
            ),
            (r#"{"level":"error","ts":"2025-01-02T15:04:05Z","msg":"lost peer","error":"EOF"}"#, "error lost peer EOF"),
            ("Jan 02 15:04:05 n1 kernel: I/O error, dev sda, sector 12", "error I/O error dev sda sector"),
            (
                "MountVolume.SetUp failed for volume \"pvc-1\" : rpc error",
                "error MountVolume.SetUp failed for volume <*> rpc error",
            ),
            ("<*> is deprecated in v1.21", "- is deprecated in"),
            ("12 34", "- "),
        ] {
            let template = Template::of(line);
            assert_eq!(format!("{} {}", template.level.map_or("-", Level::as_str), template.text()), want, "{line}");
        }
    }

    #[test]
    fn words_stand_in_a_row() {
        let line = "lost <*> of node n1 for ever";
        for (template, want) in [
            ("lost <*> of node <*> for ever", true),
            ("msg lost disk of node <*> for ever error <*>", true),
            ("lost a b c d e f g h of node one for ever", true),
            ("lost a b c d e f g h i of node one for ever", false),
            ("lost of node <*> for ever", false),
            ("lost disk of nodes <*> for ever", false),
            ("lost lost of node of node x for for ever", true),
            ("lost <*> of node <*> for", false),
            ("", false),
        ] {
            assert_eq!(is_in(line, template), want, "{template}");
        }
        assert!(is_in("a b c", &format!("{}a b c", "x ".repeat(60))));
        assert!(!is_in("a b c", &format!("{}a b c", "x ".repeat(1000))));
    }
}
