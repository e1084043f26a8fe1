//! Tests with whole, truncated and damaged archives; those without a directory are written byte by byte, like
//! streaming writers do.

use std::io::{Cursor, Write};

use super::header::{DESCRIPTOR, LOCAL};
use super::*;
use crate::bundle::containers::listing::BufferPool;
use crate::bundle::limits::{Limits, Refusal};
use crate::bundle::tests::samples;
use crate::model::message::{ArchiveFault, ZipMethod};

/// Form of a data descriptor.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    /// None: the header has the sizes.
    Header,
    Signed,
    Unsigned,
    SignedLong,
    UnsignedLong,
}

const FORMS: [Form; 5] = [Form::Header, Form::Signed, Form::Unsigned, Form::SignedLong, Form::UnsignedLong];

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Writes an entry as in an archive, without a directory.
fn entry(name: &str, bytes: &[u8], method: u16, form: Form) -> Vec<u8> {
    let data = if method == 8 { deflated(bytes) } else { bytes.to_vec() };
    let crc = crc32fast::hash(bytes);
    let streamed = form != Form::Header;
    let mut out = LOCAL.to_vec();
    for value in [20, if streamed { 8 } else { 0 }, method, 0, 0] {
        out.extend(u16::to_le_bytes(value));
    }
    let known = if streamed { [0; 3] } else { [crc, data.len() as u32, bytes.len() as u32] };
    out.extend(known.iter().flat_map(|value| value.to_le_bytes()));
    out.extend((name.len() as u16).to_le_bytes());
    out.extend([0, 0]);
    out.extend(name.as_bytes());
    out.extend(&data);
    if matches!(form, Form::Signed | Form::SignedLong) {
        out.extend(DESCRIPTOR);
    }
    if streamed {
        out.extend(crc.to_le_bytes());
    }
    match form {
        Form::Header => {}
        Form::Signed | Form::Unsigned => {
            out.extend([data.len() as u32, bytes.len() as u32].iter().flat_map(|size| size.to_le_bytes()));
        }
        Form::SignedLong | Form::UnsignedLong => {
            out.extend([data.len() as u64, bytes.len() as u64].iter().flat_map(|size| size.to_le_bytes()));
        }
    }
    out
}

fn noise(length: usize) -> Vec<u8> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 25) as u8
    };
    (0..length).map(|_| next()).collect()
}

fn listed_within(bytes: &[u8], limits: Limits, entries: u64) -> Result<Listing, ArchiveFault> {
    let shelf = BufferPool::default();
    let scope = ListContext { limits: &limits, entries, bytes: limits.max_bytes, shelf: &shelf };
    list(Cursor::new(bytes), bytes.len() as u64, &scope)
}

fn listed(bytes: &[u8]) -> Listing {
    listed_within(bytes, Limits::default(), 1000).unwrap()
}

fn trouble(listing: &Listing) -> String {
    listing.trouble.first().map(|(_, problem)| problem.to_string()).unwrap_or_default()
}

/// Reads name, bytes and error of each entry through the listing.
fn read_all(bytes: &[u8], listing: &Listing) -> Vec<(String, Vec<u8>, Option<String>)> {
    let Store::Zip(records) = &listing.store else { panic!("not a zip") };
    let one = |(member, record): (&Member, &Record)| {
        let (mut out, mut wrong) = (Vec::new(), None);
        read(record, &mut Cursor::new(bytes), &mut |reader| {
            wrong = reader.read_to_end(&mut out).err().map(|error| error.to_string());
        })
        .unwrap();
        assert_eq!(out.len() as u64, member.size, "{}", member.name);
        (member.name.clone(), out, wrong)
    };
    listing.members.iter().zip(records).map(one).collect()
}

#[test]
fn members_have_size_and_checksum() {
    let listing = listed(&samples::zip(&[("a/x.yaml", b"abc"), ("b", b"")]));
    let seen: Vec<_> = listing.members.iter().map(|m| (m.name.as_str(), m.size, m.crc)).collect();
    assert_eq!(seen, [("a/x.yaml", 3, Some(0x352441c2)), ("b", 0, Some(0))]);
    assert!(listing.trouble.is_empty() && listing.remarks.is_empty());
}

#[test]
fn the_number_of_members_is_bounded() {
    let names: Vec<String> = (0..1030).map(|n| format!("{n}.log")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let whole = samples::zip(&files);
    for bytes in [&whole[..], &whole[..whole.len() - 10]] {
        let listing = listed_within(bytes, Limits::default(), 1).unwrap();
        assert_eq!(listing.members.len(), 1026);
        assert!(trouble(&listing).contains("more than 1026 members"), "{}", trouble(&listing));
    }
}

#[test]
fn a_damaged_member_gives_an_error_while_it_is_read() {
    let mut bytes = samples::stored_zip(&[("a.log", &b"hello world"[..])]);
    let at = bytes.windows(5).position(|window| window == b"hello").unwrap();
    bytes[at] = b'j';
    let seen = read_all(&bytes, &listed(&bytes));
    assert_eq!(seen, [("a.log".into(), b"jello world".to_vec(), Some("Invalid checksum".into()))]);
}

#[test]
fn entries_are_found_by_their_headers_in_every_form() {
    for (form, method) in FORMS.into_iter().flat_map(|form| [(form, 0), (form, 8)]) {
        if method == 0 && matches!(form, Form::Unsigned | Form::UnsignedLong) {
            continue;
        }
        // An archive inside stored data must not be listed as entries.
        let inner = [entry("inner.log", b"inner", 0, Form::Signed), noise(5000)].concat();
        let files = [("a/x.yaml", noise(70_000)), ("a/", vec![]), ("e.log", vec![]), ("n.zip", inner)];
        let bytes: Vec<u8> = files.iter().flat_map(|(name, bytes)| entry(name, bytes, method, form)).collect();
        let listing = listed(&bytes);
        let expected: Vec<_> = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.clone(), None)).collect();
        assert!(read_all(&bytes, &listing) == expected, "{method} {}", trouble(&listing));
        assert!(matches!(listing.members[1].what, MemberKind::Folder));
        let told = "the zip archive is cut off: the directory at its end is missing or damaged; 4 entries were read from their own headers";
        assert_eq!(trouble(&listing), told);
    }
}

#[test]
fn a_cut_archive_gives_all_that_is_left_at_any_length() {
    for (form, method) in
        [(Form::Header, 8), (Form::Signed, 8), (Form::Signed, 0), (Form::Header, 0), (Form::Unsigned, 8)]
    {
        let (first, second) = (entry("a.log", &noise(900), method, form), entry("b.log", &noise(2000), method, form));
        let whole = [first.clone(), second.clone(), samples::zip(&[("c", b"")])].concat();
        for length in (60..first.len() + second.len()).filter(|n| n % 17 == 0 || n.abs_diff(first.len()) < 20) {
            let bytes = &whole[..length];
            let listing = listed(bytes);
            assert!(!listing.trouble.is_empty(), "{length}");
            let seen = read_all(bytes, &listing);
            let expected = noise(900);
            // The truncated descriptor cannot be separated from stored data without a length.
            let data = &seen[0].1[..seen[0].1.len().min(900)];
            assert!(expected.starts_with(data), "{length}");
            assert!(data.len() == 900 || seen[0].2.is_some(), "{method} {length}");
            let whole = length >= first.len();
            assert!(!whole || seen[0].1.len() == 900 && seen[0].2.is_none(), "{method} {length}: {:?}", seen[0].2);
        }
    }
    assert!(listed_within(&entry("a.log", b"x", 0, Form::Header)[..34], Limits::default(), 9).is_err());
}

#[test]
fn after_damage_the_next_entry_is_found() {
    let parts = [
        entry("a.log", &noise(9000), 8, Form::Signed),
        entry("b.log", &noise(9000), 8, Form::Signed),
        entry("c.log", b"last", 8, Form::Signed),
    ];
    let mut bytes = parts.concat();
    let at = parts[0].len() + 4000;
    bytes[at..at + 40].fill(0xff);
    let listing = listed(&bytes);
    let seen = read_all(&bytes, &listing);
    let names: Vec<&str> = seen.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["a.log", "b.log", "c.log"]);
    assert!(seen[1].1.len() > 2000 && noise(9000).starts_with(&seen[1].1[..2000]));
    assert_eq!((seen[1].2.is_some(), seen[2].1.as_slice()), (true, &b"last"[..]));
    assert!(
        trouble(&listing).contains("3 entries were read from their own headers, 1 of them only in part: `b.log`"),
        "{}",
        trouble(&listing)
    );
    // A hole across the end of one entry and the header of the next.
    let mut bytes = parts.concat();
    let at = parts[0].len();
    bytes[at - 30..at + 10].fill(0);
    let seen = read_all(&bytes, &listed(&bytes));
    assert_eq!((seen[0].0.as_str(), seen[1].0.as_str(), seen.len()), ("a.log", "c.log", 2));
}

#[test]
fn stored_data_without_a_length_ends_at_the_next_header_and_is_reported() {
    let mut first = entry("a.log", b"some text", 0, Form::Signed);
    first.truncate(first.len() - 16);
    let bytes = [first, entry("b.log", b"more", 8, Form::Signed)].concat();
    let listing = listed(&bytes);
    let seen = read_all(&bytes, &listing);
    assert_eq!((seen[0].1.as_slice(), seen[1].1.as_slice()), (&b"some text"[..], &b"more"[..]));
    assert_eq!(seen[0].2.as_deref(), Some("where it ends had to be guessed"));
    assert!(trouble(&listing).contains("only in part: `a.log`"));
}

#[test]
fn a_damaged_directory_is_completed_by_headers() {
    let whole = samples::zip(&[("a.log", b"1"), ("b.log", b"22"), ("c.log", b"333")]);
    let records: Vec<usize> =
        whole.windows(4).enumerate().filter(|(_, w)| w == b"PK\x01\x02").map(|(at, _)| at).collect();
    let read = |bytes: &[u8]| {
        let listing = listed(bytes);
        let mut seen = read_all(bytes, &listing);
        seen.sort();
        (seen, trouble(&listing))
    };
    let (expected, _) = read(&whole);
    let mut broken = whole.clone();
    broken[records[1]] = b'x';
    let (seen, told) = read(&broken);
    assert_eq!(seen, expected);
    assert!(told.contains("damaged after 1 entries; 2 more entries were read from their own headers"), "{told}");
    let mut broken = whole.clone();
    broken[records[1] + 20..records[1] + 24].fill(0x7f);
    let (seen, told) = read(&broken);
    assert_eq!(seen, expected);
    assert!(told.contains("a directory in which 1 entries are damaged; 1 more entries"), "{told}");
    let mut short = whole.clone();
    let end = short.len() - 22;
    short[end + 8] = 2;
    short[end + 10] = 2;
    let (seen, told) = read(&short);
    assert_eq!(seen, expected);
    assert!(told.contains("more entries than the 2 that its end record counts; 1 more entries"), "{told}");
}

#[test]
fn an_end_record_cannot_claim_what_is_not_there() {
    let mut bytes = samples::zip(&[("a.log", b"1")]);
    let end = bytes.len() - 22;
    bytes[end + 8..end + 12].fill(0xff);
    assert_eq!(read_all(&bytes, &listed(&bytes)).len(), 1);
    // Zip64: 2^32 entries in a directory of 2^40 bytes.
    let mut long = b"PK\x06\x06".to_vec();
    long.extend(44u64.to_le_bytes());
    long.extend([45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    long.extend([1u64 << 32, 1 << 32, 1 << 40, 0].iter().flat_map(|value| value.to_le_bytes()));
    let start = bytes.len() as u64;
    let mut bytes =
        [bytes, long, b"PK\x06\x07\0\0\0\0".to_vec(), start.to_le_bytes().to_vec(), vec![1, 0, 0, 0]].concat();
    bytes.extend(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\0\0");
    let listing = listed(&bytes);
    assert_eq!((read_all(&bytes, &listing).len(), listing.trouble.len()), (1, 1));
}

#[test]
fn entries_that_expand_without_end_are_skipped() {
    let bomb = entry("bomb.log", &vec![b'a'; 20 << 20], 8, Form::Signed);
    let bytes = [entry("a.log", b"fine", 8, Form::Signed), bomb, entry("b.log", b"fine", 8, Form::Header)].concat();
    let listing = listed(&bytes);
    let kinds: Vec<_> = listing
        .members
        .iter()
        .map(|m| (m.name.as_str(), matches!(m.what, MemberKind::Refused(Refusal::Ratio))))
        .collect();
    assert_eq!(kinds, [("a.log", false), ("bomb.log", true), ("b.log", false)]);
    assert!(trouble(&listing).contains("expands too far (--max-bytes, --max-ratio)"), "{}", trouble(&listing));
}

#[test]
fn an_archive_of_headers_alone_ends() {
    let mut header = entry("x", b"", 8, Form::Signed);
    header.truncate(31);
    let bytes = header.repeat(40_000);
    let listing = listed_within(&bytes, Limits::default(), 1_000_000).unwrap();
    assert!(listing.members.len() > 1000);
}

#[test]
fn parts_of_a_split_archive_are_reported() {
    let whole = samples::zip(&[("a.log", &noise(3000)), ("b.log", &noise(3000))]);
    let first = [&DESCRIPTOR[..], &whole[..whole.len() / 2]].concat();
    assert!(trouble(&listed(&first)).contains("one part of a split archive: join all parts"));
    let mut last = whole[10..].to_vec();
    let end = last.len() - 22;
    last[end + 4] = 1;
    last[end + 6] = 1;
    let listing = listed(&last);
    assert!(trouble(&listing).contains("one part of a split archive"), "{}", trouble(&listing));
    assert_eq!(listing.members[0].name, "b.log");
}

#[test]
fn overlaps_and_false_names_are_remarked() {
    let mut bytes = samples::zip(&[("a.log", b"1"), ("b.log", b"22")]);
    let second = bytes.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    bytes[second + 42..second + 46].fill(0);
    bytes[second + 9] |= 8;
    bytes[second + 46] = 0xff;
    let listing = listed(&bytes);
    let remarks = [ArchiveProblem::ZipOverlap { count: 1 }, ArchiveProblem::ZipNamesNotUtf8 { count: 1 }];
    assert!(remarks.iter().all(|remark| listing.remarks.contains(remark)), "{:?}", listing.remarks);
    let names: Vec<&str> = listing.members.iter().map(|member| member.name.as_str()).collect();
    assert_eq!(names, ["a.log", "\u{a0}.log"]);
}

#[test]
fn of_two_names_the_one_that_fits_the_others_is_taken() {
    let whole = samples::zip(&[("sb/a/1.log", b"1"), ("sb/a/2.log", b"2"), ("sb/b/3.log", b"3")]);
    let at = |text: &[u8], last: bool| {
        let mut places = whole.windows(text.len()).enumerate().filter(|(_, window)| *window == text);
        let place = if last { places.next_back() } else { places.next() };
        place.unwrap().0
    };
    for (text, last, byte, taken, is_sure) in [
        (&b"sb/a/2.log"[..], true, 0, "sb/a/2.log", true),
        (b"sb/a/2.log", false, 0, "sb/a/2.log", true),
        (b"sb/b/3.log", true, 1, "sb/b/3.log", true),
        (b"sb/a/2.log", true, 5, "sb/a/3.log", false),
        (b"sb/a/2.log", false, 5, "sb/a/2.log", false),
        (b"sb/b/3.log", true, 3, "sb/c/3.log", false),
    ] {
        let mut bytes = whole.clone();
        bytes[at(text, last) + byte] ^= 1;
        let listing = listed(&bytes);
        assert!(listing.members.iter().any(|member| member.name == taken), "{text:?} {last} {byte}");
        assert_eq!((listing.remarks.len(), listing.trouble.len()), if is_sure { (1, 0) } else { (0, 1) }, "{taken}");
    }
}

#[test]
fn entries_that_the_directory_does_not_list_are_found() {
    let inner = samples::stored_zip(&[("n1/a.log", b"1")]);
    let outer = samples::stored_zip(&[("t/b.log", &[b'b'; 200]), ("t/n1.zip", &inner), ("t/c.log", &[b'c'; 200])]);
    let behind = outer.windows(4).rposition(|window| window == LOCAL).unwrap();
    for cut in [behind, behind + 3, behind + 20] {
        let listing = listed(&outer[..cut]);
        let names: Vec<&str> = listing.members.iter().map(|member| member.name.as_str()).collect();
        assert_eq!(names, ["t/b.log", "t/n1.zip"], "the directory of the inner archive is not the one of this archive");
        assert!(trouble(&listing).contains("the directory at its end is missing"), "{}", trouble(&listing));
    }
}

#[test]
fn an_entry_with_content_is_no_folder() {
    let bytes = samples::zip(&[("a/b.yaml/", b"x: 1"), ("a/", b"")]);
    for bytes in [&bytes[..], &bytes[..bytes.len() - 30]] {
        let listing = listed(bytes);
        assert!(matches!(listing.members[0].what, MemberKind::File));
        assert!(matches!(listing.members[1].what, MemberKind::Folder));
    }
}

#[test]
fn encrypted_and_unknown_entries_are_passed_over() {
    let mut secret = entry("s.log", b"secret", 0, Form::Header);
    secret[6] |= 1;
    let odd = entry("o.log", b"0123456789", 14, Form::Signed);
    let bytes = [secret, odd, entry("b.log", b"fine", 8, Form::Signed)].concat();
    let listing = listed(&bytes);
    assert!(matches!(listing.members[0].what, MemberKind::Encrypted));
    assert!(matches!(&listing.members[1].what, MemberKind::Method(ZipMethod::Named { name: "lzma" })));
    assert!(matches!(listing.members[2].what, MemberKind::File));
}

/// Writes a zip of one entry whose data is already compressed.
fn with_directory(name: &str, packed: &[u8], method: u16, text: &[u8]) -> Vec<u8> {
    let mut bytes = entry(name, packed, method, Form::Header);
    bytes[14..18].copy_from_slice(&crc32fast::hash(text).to_le_bytes());
    bytes[22..26].copy_from_slice(&(text.len() as u32).to_le_bytes());
    let start = bytes.len() as u32;
    let header = bytes[4..30].to_vec();
    bytes.extend([b"PK\x01\x02\x14\0".as_slice(), &header, &[0; 14], name.as_bytes()].concat());
    let length = bytes.len() as u32 - start;
    bytes.extend(
        [b"PK\x05\x06\0\0\0\0\x01\0\x01\0".as_slice(), &length.to_le_bytes(), &start.to_le_bytes(), &[0, 0]].concat(),
    );
    bytes
}

#[test]
fn uncommon_methods_are_read() {
    let lzma = |bytes: &[u8]| {
        let options = liblzma::stream::LzmaOptions::new_preset(6).unwrap();
        let stream = liblzma::stream::Stream::new_lzma_encoder(&options).unwrap();
        let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
        encoder.write_all(bytes).unwrap();
        // Properties and data of a `.lzma` file, with the zip's header instead of its own.
        let file = encoder.finish().unwrap();
        [&[9, 4, 5, 0], &file[..5], &file[13..]].concat()
    };
    // Noise has no repetitions, so Deflate64 and Deflate encode it identically.
    for (method, packed) in [(9, deflated(&noise(3000))), (14, lzma(&noise(3000)))] {
        let text = noise(3000);
        let bytes = with_directory("a.log", &packed, method, &text);
        assert!(read_all(&bytes, &listed(&bytes)) == [("a.log".into(), text, None)], "{method}");
    }
    for (method, (_, pack)) in [(12, samples::PACKERS[2]), (93, samples::PACKERS[3]), (95, samples::PACKERS[1])] {
        let (text, packed) = (noise(3000), pack(&noise(3000)));
        let mut bytes = entry("a.log", &packed, method, Form::Header);
        bytes[14..18].copy_from_slice(&crc32fast::hash(&text).to_le_bytes());
        bytes[22..26].copy_from_slice(&(text.len() as u32).to_le_bytes());
        let seen = read_all(&bytes, &listed(&bytes));
        assert!(seen == [("a.log".into(), text, None)], "{method}");
    }
}

/// Writer of a Deflate64 block with fixed codes, bit by bit.
#[derive(Default)]
struct Deflate64 {
    bits: Vec<bool>,
}

impl Deflate64 {
    /// Writes a number, lowest bit first; codes are written highest bit first.
    fn number(&mut self, value: usize, count: u32) {
        self.bits.extend((0..count).map(|bit| value >> bit & 1 == 1));
    }

    fn code(&mut self, value: usize, count: u32) {
        self.bits.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
    }

    /// Writes a byte below 144.
    fn literal(&mut self, byte: u8) {
        self.code(0x30 + usize::from(byte), 8);
    }

    /// Writes a repetition with the length code that has extra bits only in Deflate64, and a distance code with its
    /// extra bits.
    fn repeat(&mut self, length: usize, (distance, extra, bits): (usize, usize, u32)) {
        self.code(0xc0 + 285 - 280, 8);
        self.number(length - 3, 16);
        self.code(distance, 5);
        self.number(extra, bits);
    }

    fn finish(mut self) -> Vec<u8> {
        self.code(0, 7);
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        self.bits.chunks(8).map(byte).collect()
    }
}

/// Appends a repetition of the text `distance` bytes before the end.
fn repeated(text: &mut Vec<u8>, length: usize, distance: usize) {
    for _ in 0..length {
        text.push(text[text.len() - distance]);
    }
}

#[test]
fn repetitions_that_only_deflate64_has_are_read() {
    let line = b"Jan 02 03:04:05 n1 kernel: a line that comes again and again, unlike others\n";
    let mut packed = Deflate64::default();
    // Last block, with fixed codes.
    packed.number(1, 1);
    packed.number(1, 2);
    line.iter().for_each(|byte| packed.literal(*byte));
    // Distance code 12 begins at 65, code 31 at 49,153, beyond the range of Deflate.
    packed.repeat(65_538, (12, line.len() - 65, 5));
    packed.literal(b'Z');
    packed.repeat(300, (31, 10, 14));
    let mut text = line.to_vec();
    repeated(&mut text, 65_538, line.len());
    text.push(b'Z');
    repeated(&mut text, 300, 49_163);
    let bytes = with_directory("a.log", &packed.finish(), 9, &text);
    assert!(read_all(&bytes, &listed(&bytes)) == [("a.log".into(), text, None)]);
}
