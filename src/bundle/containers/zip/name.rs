//! Names of entries: UTF-8 if valid, else code page 437 as in zip.

use std::borrow::Cow;

/// Characters for the bytes from 0x80.
const HIGH: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// Decodes the name; the same bytes always give the same text.
pub(super) fn text(raw: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(raw) {
        Ok(text) => text.into(),
        Err(_) => raw.iter().map(|byte| character(*byte)).collect(),
    }
}

/// Returns true for the entry of a folder, which has no content; a file may have a damaged name that ends like one.
pub(super) fn is_folder(name: &str, size: u64) -> bool {
    size == 0 && name.ends_with(['/', '\\'])
}

fn character(byte: u8) -> char {
    let high = byte.checked_sub(0x80).map(|high| HIGH.chars().nth(usize::from(high)));
    high.map_or(char::from(byte), |high| high.unwrap_or(char::REPLACEMENT_CHARACTER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_utf8_or_code_page_437() {
        assert_eq!(HIGH.chars().count(), 128);
        assert_eq!(text("bücher.log".as_bytes()), "bücher.log");
        assert_eq!(text(b"b\x81cher\xff.log"), "bücher\u{a0}.log");
    }
}
