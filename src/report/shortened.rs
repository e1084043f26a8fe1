//! Long names with their middle marked as what a page may leave out. The whole text stays on the page: it is found, copied and read aloud.

use serde::Serialize;

/// Length of a UUID, and of what is shown of each of its ends, in bytes.
const UUID: usize = 36;
const UUID_END: usize = 4;
/// Longest name that is shown whole, and what is shown of each end of a longer one, in characters.
const NAME: usize = 48;
const NAME_END: usize = 20;

/// Part of a text.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Piece<'a> {
    pub text: &'a str,
    /// True for a middle that may be left out.
    pub cut: bool,
}

/// Returns a text in pieces: of each UUID, all but the ends may be left out.
pub fn uuids(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = uuid_at(rest) {
        let (before, behind) = rest.split_at(at + UUID_END);
        let (middle, after) = behind.split_at(UUID - 2 * UUID_END);
        pieces.extend([Piece { text: before, cut: false }, Piece { text: middle, cut: true }]);
        rest = after;
    }
    pieces.push(Piece { text: rest, cut: false });
    pieces
}

/// Returns a name in pieces: of a UUID in it, or else of a long name, all but the ends may be left out.
pub fn name(text: &str) -> Vec<Piece<'_>> {
    let pieces = uuids(text);
    if pieces.len() > 1 || text.chars().count() <= NAME {
        return pieces;
    }
    let place = |number: usize| text.char_indices().nth(number).map_or(text.len(), |(at, _)| at);
    let (start, rest) = text.split_at(place(NAME_END));
    let (middle, end) = rest.split_at(place(text.chars().count() - NAME_END) - start.len());
    vec![Piece { text: start, cut: false }, Piece { text: middle, cut: true }, Piece { text: end, cut: false }]
}

/// Returns where the first UUID of a text begins.
pub fn uuid_at(text: &str) -> Option<usize> {
    text.as_bytes().windows(UUID).position(is_uuid)
}

fn is_uuid(bytes: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    bytes.iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(pieces: &[Piece<'_>]) -> String {
        pieces.iter().map(|piece| if piece.cut { "…" } else { piece.text }).collect()
    }

    #[test]
    fn ids_keep_their_ends() {
        let text = "PersistentVolume pvc-ce3fa571-6642-4018-b7fd-9eb2c1e56191 of ü and pvc-232180f3-6740-4682-ba5c-f4b57a75512b";
        let pieces = uuids(text);
        assert_eq!(shown(&pieces), "PersistentVolume pvc-ce3f…6191 of ü and pvc-2321…512b");
        assert_eq!(pieces.iter().map(|piece| piece.text).collect::<String>(), text);
        for whole in ["", "pvc-ce3fa571-6642-4018-b7fd", "ce3fa571_6642_4018_b7fd_9eb2c1e56191"] {
            assert_eq!(shown(&uuids(whole)), whole);
        }
    }

    #[test]
    fn long_names_lose_their_middle() {
        let long = "prometheus-rancher-monitoring-prometheus-db-prometheus-rancher-monitoring-prometheus-0";
        assert_eq!(shown(&name(long)), "prometheus-rancher-m…itoring-prometheus-0");
        let pieces = name(long);
        assert_eq!(pieces.iter().map(|piece| piece.text).collect::<String>(), long);
        assert_eq!(shown(&name("rancher-monitoring-grafana")), "rancher-monitoring-grafana");
        let wide = "ü".repeat(NAME + 1);
        assert_eq!(shown(&name(&wide)).chars().count(), 2 * NAME_END + 1);
    }
}
