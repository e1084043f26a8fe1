//! Texts with names in braces: filled in, or known again by what stands between the names.

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    Text(&'t str),
    /// The name in braces.
    Name(&'t str),
}

/// The pieces of a text. A brace without its other half is text.
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

/// The translation of the frame that fits with the most text of its own, and what stands for its names.
pub fn fitting<'t>(
    frames: &'static [(&'static str, &'static str)],
    text: &'t str,
) -> Option<(&'static str, Vec<(&'static str, &'t str)>)> {
    let fits = frames.iter().filter_map(|(frame, translation)| Some((own(frame), *translation, parts(frame, text)?)));
    fits.max_by_key(|(own, ..)| *own).map(|(_, translation, parts)| (translation, parts))
}

/// Bytes of a frame that are not for names.
fn own(frame: &str) -> usize {
    pieces(frame).map(|piece| if let Piece::Text(text) = piece { text.len() } else { 0 }).sum()
}

/// What stands for the names of a frame; none where the text does not fit, or a name would stand for nothing.
fn parts<'f, 't>(frame: &'f str, text: &'t str) -> Option<Vec<(&'f str, &'t str)>> {
    let mut rest = text;
    let mut parts = Vec::new();
    let mut open: Option<&str> = None;
    for piece in pieces(frame) {
        match (piece, open.take()) {
            (Piece::Name(name), _) => open = Some(name),
            (Piece::Text(own), None) => rest = rest.strip_prefix(own)?,
            (Piece::Text(own), Some(name)) => {
                // What ends the frame must end the text, so the last of its kind is meant.
                let at = if frame.ends_with(own) { rest.rfind(own) } else { rest.find(own) }?;
                parts.push((name, rest.get(..at)?));
                rest = rest.get(at + own.len()..)?;
            }
        }
    }
    match open {
        Some(name) => parts.push((name, rest)),
        None if !rest.is_empty() => return None,
        None => {}
    }
    parts.iter().all(|(_, part)| !part.is_empty()).then_some(parts)
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

    #[test]
    fn the_closest_frame_fits() {
        const FRAMES: &[(&str, &str)] =
            &[("no {a}", "1"), ("{what} of {place} is gone", "2"), ("{what} is gone", "3"), ("{a}: {b}", "4")];
        let found = |text| fitting(FRAMES, text);
        assert_eq!(found("log of n1 is gone"), Some(("2", vec![("what", "log"), ("place", "n1")])));
        assert_eq!(found("x is gone is gone"), Some(("3", vec![("what", "x is gone")])));
        assert_eq!(found("no log"), Some(("1", vec![("a", "log")])));
        assert_eq!(found("a: b: c"), Some(("4", vec![("a", "a"), ("b", "b: c")])));
        assert_eq!(found("no "), None, "nothing stands for its name");
        assert_eq!(found("else"), None);
    }
}
