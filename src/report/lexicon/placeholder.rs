//! Texts with placeholders: names in braces.

/// Piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    Text(&'t str),
    /// Name in braces.
    Name(&'t str),
}

/// Splits a text into its pieces. An unmatched brace is text.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let open = rest.find('{').filter(|open| rest.get(*open..).is_some_and(|from| from.contains('}')));
        let piece = match open {
            Some(0) => {
                let (name, behind) = rest.strip_prefix('{')?.split_once('}')?;
                rest = behind;
                Piece::Name(name)
            }
            Some(open) => {
                let (before, from) = rest.split_at_checked(open)?;
                rest = from;
                Piece::Text(before)
            }
            None => Piece::Text(std::mem::take(&mut rest)),
        };
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fall_into_pieces() {
        let all = |text| pieces(text).collect::<Vec<_>>();
        assert_eq!(all("{n} of {all}."), [Piece::Name("n"), Piece::Text(" of "), Piece::Name("all"), Piece::Text(".")]);
        assert_eq!(all("a } b { c"), [Piece::Text("a } b { c")]);
        assert_eq!(all(""), []);
    }
}
