use std::fs::File;

use proptest::prelude::*;

use super::*;
use crate::conversation::ErrorKind;

fn file(bytes: &str) -> TextFile {
    TextFile::from_bytes(bytes.as_bytes().to_vec()).unwrap()
}

#[track_caller]
fn check(before: &str, old: &str, new: &str, after: &str) {
    let file = file(before);
    let at = file.text().find(old).unwrap();
    let bytes = file.splice(&[(at..at + old.len(), new.to_owned())]).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), after);
}

#[test]
fn a_new_break_takes_the_ending_of_the_replaced_span() {
    check("a\r\nb\nc\n", "a\n", "x\ny\n", "x\r\ny\r\nb\nc\n");
    check("a\r\nb\nc\n", "b\n", "x\ny\n", "a\r\nx\ny\nc\n");
    check("a\nb\r\nc\nd\n", "a\nb\n", "x\ny\n", "x\ny\nc\nd\n");
}

#[test]
fn a_new_break_takes_the_ending_after_the_replaced_span() {
    check("a\r\nb\nc\n", "a", "x\ny", "x\r\ny\r\nb\nc\n");
    check("a\nfoo bar\r\nc\n", "foo", "x\ny", "a\nx\r\ny bar\r\nc\n");
}

#[test]
fn at_the_end_a_new_break_takes_the_most_frequent_ending() {
    check("a\r\nb\r\nc\nlast", "last", "x\ny", "a\r\nb\r\nc\nx\r\ny");
    check("a\r\nb\nlast", "last", "x\ny", "a\r\nb\nx\ny");
    check("last", "last", "x\ny", "x\ny");
}

#[test]
fn crlf_from_the_model_is_taken_as_lf() {
    check("a\nb\n", "a", "x\r\ny", "x\ny\nb\n");
    check("a\r\nb\r\n", "a\nb", "x\r\ny", "x\r\ny\r\n");
}

#[test]
fn the_byte_order_mark_is_hidden_and_kept() {
    let file = file("\u{feff}a\r\nb");
    assert!(file.has_bom());
    assert_eq!(file.text(), "a\nb");
    assert_eq!(file.splice(&[(0..1, "x")]).unwrap(), "\u{feff}x\r\nb".as_bytes());
    assert_eq!(file.rewrite("1\n2\n").unwrap(), "\u{feff}1\r\n2\r\n".as_bytes());
    assert_eq!(file.rewrite("\u{feff}1").unwrap(), "\u{feff}1".as_bytes());
}

#[test]
fn a_crlf_file_is_rewritten_with_crlf_unless_the_content_has_some() {
    assert_eq!(file("a\r\n").rewrite("x\ny\n").unwrap(), b"x\r\ny\r\n");
    assert_eq!(file("a\r\n").rewrite("x\r\ny\n").unwrap(), b"x\r\ny\n");
    assert_eq!(file("a\n").rewrite("x\ny\r\n").unwrap(), b"x\ny\r\n");
    assert_eq!(file("a\r\nb\n").rewrite("x\n").unwrap(), b"x\n");
}

#[test]
fn the_line_endings_have_a_name() {
    let eol = |text| file(text).eol();
    assert_eq!(
        (eol(""), eol("a"), eol("a\n"), eol("a\rb")),
        (Eol::Lf, Eol::Lf, Eol::Lf, Eol::Lf)
    );
    assert_eq!((eol("a\r\n"), eol("a\r\nb\n")), (Eol::Crlf, Eol::Mixed));
}

#[test]
fn nul_bytes_outside_of_utf_16_are_no_text() {
    let problem = |bytes: &[u8]| TextFile::from_bytes(bytes.to_vec()).unwrap_err();
    assert!(matches!(problem(b"a\0b"), FileProblem::Binary));
    assert!(matches!(problem(b"a\0\0\0b\0\0\0"), FileProblem::Binary));
    assert!(matches!(problem(b"a\xff\0"), FileProblem::Binary));
}

#[test]
fn utf_16_is_decoded_and_edited() {
    let little = TextFile::decode(b"\xff\xfeh\0\xe9\0\r\0\n\0".to_vec());
    assert_eq!(
        (little.text(), little.encoding(), little.eol()),
        ("hé\n", Encoding::Utf16Le, Eol::Crlf)
    );
    assert_eq!(
        little.splice(&[(1..3, "\n")]).unwrap(),
        b"\xff\xfeh\0\r\0\n\0\r\0\n\0"
    );
    assert_eq!(little.rewrite("x\n").unwrap(), b"\xff\xfex\0\r\0\n\0");
    let big = TextFile::decode(b"\xfe\xff\xd8\x3d\xde\x00\0".to_vec());
    assert_eq!((big.text(), big.encoding()), ("😀\u{fffd}", Encoding::Utf16Be));
    assert!(big.has_loss());
    assert_eq!(
        big.splice(&[(0..4, "a")]).unwrap(),
        b"\xfe\xff\0a\0",
        "half a unit at the end stays"
    );
    assert!(!looks_binary(b"\xff\xfeh\0"));
    assert!(!looks_binary(b"h\0i\0\n\0"));
}

#[test]
fn an_edit_of_a_legacy_file_leaves_every_other_byte() {
    let file = TextFile::from_bytes(b"first\r\ncaf\xe9 \x99\r\n".to_vec()).unwrap();
    assert_eq!(
        (file.text(), file.encoding().name()),
        ("first\ncafé ™\n", "windows-1252")
    );
    let at = file.text().find("é").unwrap();
    assert_eq!(
        file.splice(&[(0..5, "1st"), (at..at + 2, "è\n€")]).unwrap(),
        b"1st\r\ncaf\xe8\r\n\x80 \x99\r\n"
    );
    assert_eq!(file.rewrite("é\n").unwrap(), b"\xe9\r\n");
}

#[test]
fn a_character_that_the_encoding_lacks_is_named() {
    let file = TextFile::from_bytes(b"caf\xe9\n".to_vec()).unwrap();
    let error = file.splice(&[(0..3, "ok 世")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`世` (U+4E16) cannot be written in windows-1252"
    );
    assert_eq!(file.rewrite("世"), Err(error));
}

#[test]
fn broken_bytes_stay_unless_they_would_be_replaced() {
    let bytes = "één Größe\n".bytes().chain(*b"a \xff b\n").collect();
    let file = TextFile::from_bytes(bytes).unwrap();
    assert_eq!(
        (file.text(), file.encoding()),
        ("één Größe\na \u{fffd} b\n", Encoding::Utf8)
    );
    let line = file.text().find('a').unwrap()..file.text().len() - 1;
    let spliced = |new: &str| file.splice(&[(line.clone(), new)]);
    assert!(spliced("A \u{fffd} b").unwrap().ends_with(b"\nA \xff b\n"));
    assert_eq!(spliced("A b"), Err(SpliceError::Undecodable(Encoding::Utf8)));
}

#[test]
fn an_edit_does_not_join_with_broken_bytes_beside_it() {
    let gbk = Encoding::Legacy(encoding_rs::GBK);
    // A lead byte without its second byte, at the end of a line.
    let file = TextFile::decoded(b"\xc4\xe3\xba\xc3\xc4\nab\n".to_vec(), gbk);
    assert_eq!(file.text(), "你好\u{fffd}\nab\n");
    let end = file.text().find('\n').unwrap();
    assert_eq!(file.splice(&[(end..end, "好")]), Err(SpliceError::Merged(gbk)));
    assert_eq!(
        file.splice(&[(end + 1..end + 2, "好")]).unwrap(),
        b"\xc4\xe3\xba\xc3\xc4\n\xba\xc3b\n"
    );
}

#[test]
fn edits_that_do_not_fit_are_refused() {
    let file = file("aé\nb");
    let splice = |spans: &[(usize, usize)]| {
        let edits: Vec<_> = spans
            .iter()
            .map(|&(start, end)| (start..end, String::new()))
            .collect();
        file.splice(&edits)
    };
    assert_eq!(splice(&[(0, 2)]), Err(SpliceError::Outside));
    assert_eq!(splice(&[(4, 9)]), Err(SpliceError::Outside));
    assert_eq!(splice(&[(1, 4), (0, 3)]), Err(SpliceError::Overlap));
    assert_eq!(splice(&[(3, 4), (0, 1)]).unwrap(), "éb".as_bytes());
}

#[test]
fn binary_is_told_from_the_first_bytes() {
    assert!(looks_binary(b"ab\0"));
    assert!(looks_binary(b"\x01\x02ab"));
    assert!(!looks_binary(b"\x1b[31mred text here\n"));
    assert!(!looks_binary(b""));
    let mut late = vec![b'a'; 5000];
    late.push(0);
    assert!(!looks_binary(&late));
    // A NUL counts in the first 4096 bytes, and control bytes count where they are more than 30 % of them.
    for (bytes, is_binary) in [
        ([&[b'a'; 4095][..], b"\0"].concat(), true),
        ([&[b'a'; 4096][..], b"\0"].concat(), false),
        ([[1; 30].as_slice(), &[b'a'; 70]].concat(), false),
        ([[1; 31].as_slice(), &[b'a'; 69]].concat(), true),
    ] {
        assert_eq!(looks_binary(&bytes), is_binary, "{bytes:?}");
    }
    for byte in 1..32 {
        let bytes = [[byte; 31].as_slice(), &[b'a'; 69]].concat();
        assert_eq!(looks_binary(&bytes), !(9..=13).contains(&byte), "{byte}");
    }
}

#[test]
fn what_is_no_file_or_too_large_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let kind = |path: &Path| TextFile::open(path).unwrap_err().kind();
    assert_eq!(kind(dir.path()), ErrorKind::IsDirectory);
    assert_eq!(kind(&dir.path().join("none")), ErrorKind::NotFound);
    let large = dir.path().join("large");
    File::create(&large).unwrap().set_len(WRITE_LIMIT + 1).unwrap();
    assert_eq!(kind(&large), ErrorKind::TooLarge);
    assert_eq!(kind(&large.join("x")), ErrorKind::NotDirectory);
    if cfg!(unix) {
        assert_eq!(kind(Path::new("/dev/zero")), ErrorKind::Io);
    }
}

/// Characters of the tests, which each of these encodings has: a text, and what is put into it.
const SAMPLES: [(&str, &str, &str); 4] = [
    (
        "windows-1252",
        "(é|ß|™|a|b c|\n|\r\n){1,30}",
        "(ü|€|x|\n|\r\n){0,6}",
    ),
    ("gbk", "(你|好|，|a|b c|\n|\r\n){1,30}", "(世|界|x|\n|\r\n){0,6}"),
    (
        "utf-16le",
        "(é|世|😀|a|b c|\n|\r\n){1,30}",
        "(ü|界|🦀|x|\n|\r\n){0,6}",
    ),
    (
        "utf-8",
        "(é|世|😀|a|b c|\n|\r\n){1,30}",
        "(ü|界|🦀|x|\n|\r\n){0,6}",
    ),
];

/// Two places and what is put between them.
type RandomEdit = (prop::sample::Index, prop::sample::Index, String);

fn sample() -> impl Strategy<Value = (Encoding, String, Vec<RandomEdit>)> {
    prop::sample::select(SAMPLES.to_vec()).prop_flat_map(|(name, text, new)| {
        let encoding = match name {
            "windows-1252" => Encoding::Legacy(encoding_rs::WINDOWS_1252),
            "gbk" => Encoding::Legacy(encoding_rs::GBK),
            "utf-16le" => Encoding::Utf16Le,
            _ => Encoding::Utf8,
        };
        let index = any::<prop::sample::Index>;
        let edits = proptest::collection::vec((index(), index(), new), 1..6);
        (Just(encoding), text, edits)
    })
}

proptest! {
    #[test]
    fn edits_in_every_encoding_change_nothing_outside_of_their_spans((encoding, text, edits) in sample()) {
        let mut file = TextFile::decoded(encoding.encode(&text).unwrap(), encoding);
        for (one, two, new) in edits {
            let mut model = file.text().to_owned();
            let places: Vec<usize> = (0..=model.len()).filter(|&at| model.is_char_boundary(at)).collect();
            let (one, two) = (*one.get(&places), *two.get(&places));
            let span = one.min(two)..one.max(two);
            model.replace_range(span.clone(), &new.replace("\r\n", "\n"));
            let bytes = file.splice(&[(span.clone(), new)]).unwrap();
            let (head, tail) = (file.raw_offset(span.start), file.bytes.len() - file.raw_offset(span.end));
            prop_assert_eq!(&bytes[..head], &file.bytes[..head]);
            prop_assert_eq!(&bytes[bytes.len() - tail..], &file.bytes[file.bytes.len() - tail..]);
            file = file.with_bytes(bytes);
            prop_assert_eq!(file.text(), model);
        }
    }

    #[test]
    fn splicing_nothing_gives_the_same_bytes(bytes in "\u{feff}?(a|é|\r|\n|\r\n|b){0,20}") {
        prop_assert_eq!(file(&bytes).splice::<String>(&[]).unwrap(), bytes.into_bytes());
    }

    #[test]
    fn any_bytes_can_be_shown(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let shown = TextFile::decode(bytes.clone());
        prop_assert_eq!(shown.bytes(), &bytes[..]);
        prop_assert!(!shown.text().contains("\r\n") || bytes.windows(3).any(|w| w == b"\r\r\n")
            || shown.encoding() != Encoding::Utf8);
    }

    #[test]
    fn edits_equal_the_same_edits_on_the_text(
        bytes in "\u{feff}?(a|é|b c|\n|\r\n){0,20}",
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), "(x|ü|\n|\r\n){0,4}"), 1..6),
    ) {
        let mut bytes = bytes.into_bytes();
        for (one, two, new) in edits {
            let file = TextFile::from_bytes(bytes).unwrap();
            let mut model = file.text().to_owned();
            let places: Vec<usize> = (0..=model.len()).filter(|&at| model.is_char_boundary(at)).collect();
            let (one, two) = (*one.get(&places), *two.get(&places));
            let span = one.min(two)..one.max(two);
            model.replace_range(span.clone(), &new.replace("\r\n", "\n"));
            bytes = file.splice(&[(span.clone(), new)]).unwrap();
            let (head, tail) = (file.raw_offset(span.start), file.bytes.len() - file.raw_offset(span.end));
            prop_assert_eq!(&bytes[..head], &file.bytes[..head]);
            prop_assert_eq!(&bytes[bytes.len() - tail..], &file.bytes[file.bytes.len() - tail..]);
            let again = TextFile::from_bytes(bytes.clone()).unwrap();
            prop_assert_eq!(again.text(), model);
            prop_assert_eq!(again.has_bom(), file.has_bom());
        }
    }
}
