use proptest::prelude::*;

use super::*;

fn legacy(encoding: &'static encoding_rs::Encoding, text: &str) -> Vec<u8> {
    Encoding::Legacy(encoding).encode(text).unwrap()
}

#[test]
fn an_encoding_is_detected() {
    let wide = |text: &str| Encoding::Utf16Le.encode(text).unwrap();
    let chinese = "// 这是一个用来测试的文件\nint 数据 = 1; // 你好，世界\n";
    for (bytes, name) in [
        (Vec::new(), "utf-8"),
        (b"plain\n".to_vec(), "utf-8"),
        ("é".as_bytes().to_vec(), "utf-8"),
        (b"\xef\xbb\xbfa\xff".to_vec(), "utf-8"),
        (b"\xff\xfea\0".to_vec(), "utf-16le"),
        (b"\xfe\xff\0a".to_vec(), "utf-16be"),
        (wide("fn main() {}\n"), "utf-16le"),
        (wide("a 世界\n"), "utf-16le"),
        (Encoding::Utf16Be.encode("one\ntwo\n").unwrap(), "utf-16be"),
        (b"first\ncaf\xe9 \x99\n".to_vec(), "windows-1252"),
        (legacy(encoding_rs::GBK, chinese), "GBK"),
        (
            legacy(encoding_rs::SHIFT_JIS, "こんにちは世界、テスト\n"),
            "Shift_JIS",
        ),
        (legacy(encoding_rs::WINDOWS_1251, "привет мир\n"), "windows-1251"),
    ] {
        assert_eq!(Encoding::of(&bytes).name(), name, "{bytes:?}");
    }
}

#[test]
fn binary_data_is_not_taken_for_utf_16() {
    for bytes in [
        &b"a\0b"[..],
        b"a\0\0\0b\0\0\0",
        b"\x01\0\x02\0\x03\0",
        b"aaaaaaaaaaaaaaa\0",
        b"\0\0\0\0",
    ] {
        assert_eq!(Encoding::utf16_of(bytes), None, "{bytes:?}");
    }
}

#[test]
fn the_first_bytes_of_utf_16_may_end_within_a_character() {
    let bytes = Encoding::Utf16Le.encode("crab: 🦀").unwrap();
    assert_eq!(
        Encoding::utf16_of(&bytes[..bytes.len() - 2]),
        Some(Encoding::Utf16Le)
    );
}

#[test]
fn utf_8_with_a_broken_byte_stays_utf_8() {
    let bytes = [b"\xff".as_slice(), "größer, kürzer, weißer".as_bytes()].concat();
    assert_eq!(Encoding::of(&bytes), Encoding::Utf8);
    let decoded = Encoding::Utf8.decode(&bytes);
    assert_eq!(decoded.text, "\u{fffd}größer, kürzer, weißer");
    assert!(decoded.has_loss);
    let end = decoded.text.len();
    assert_eq!(
        (decoded.offsets.byte_of(3), decoded.offsets.byte_of(end)),
        (1, bytes.len())
    );
}

#[test]
fn a_character_that_would_come_back_as_another_is_refused() {
    // Encoders write a yen sign as a backslash.
    for (encoding, text, missing) in [
        (encoding_rs::SHIFT_JIS, "ok ¥", '¥'),
        (encoding_rs::WINDOWS_1252, "a世b", '世'),
        (encoding_rs::GBK, "你😀", '😀'),
    ] {
        let encoding = Encoding::Legacy(encoding);
        let error = encoding.encode(text).unwrap_err();
        assert_eq!((error.character, error.encoding), (missing, encoding));
    }
    let error = Encoding::Legacy(encoding_rs::ISO_8859_2)
        .encode("5 €")
        .unwrap_err();
    assert_eq!(error.to_string(), "`€` (U+20AC) cannot be written in ISO-8859-2");
}

proptest! {
    #[test]
    fn decoded_positions_are_where_the_characters_are(text in "(a|é|世|😀|\r\n){0,30}") {
        for encoding in [
            Encoding::Utf8,
            Encoding::Utf16Le,
            Encoding::Utf16Be,
            Encoding::Legacy(encoding_rs::GB18030),
        ] {
            let bytes = encoding.encode(&text).unwrap();
            let decoded = encoding.decode(&bytes);
            prop_assert_eq!(&decoded.text, &text);
            prop_assert!(!decoded.has_loss);
            for (at, _) in text.char_indices() {
                let before = encoding.encode(&text[..at]).unwrap().len();
                prop_assert_eq!(decoded.offsets.byte_of(at), before);
            }
            prop_assert_eq!(decoded.offsets.byte_of(text.len()), bytes.len());
        }
    }

    #[test]
    fn any_bytes_are_decoded_to_their_end(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        for encoding in [
            Encoding::of(&bytes),
            Encoding::Utf16Le,
            Encoding::Legacy(encoding_rs::GB18030),
            Encoding::Legacy(encoding_rs::SHIFT_JIS),
            Encoding::Legacy(encoding_rs::BIG5),
            Encoding::Legacy(encoding_rs::EUC_JP),
        ] {
            let decoded = encoding.decode(&bytes);
            prop_assert_eq!(decoded.offsets.byte_of(decoded.text.len()), bytes.len());
        }
    }
}
