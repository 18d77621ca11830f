//! Files, directories and pictures read through the tool.

mod hashline;
mod media;
mod paths;
mod swaps;

use std::io::Cursor;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::window::Window;
use crate::conversation::ErrorKind;
use crate::tool::harness::Harness;
use crate::view::card::{CardPart, Fact};

async fn read(project: &Harness, args: Value) -> String {
    project.ok("read", args).await
}

fn lines(count: usize) -> String {
    (1..=count).fold(String::new(), |text, number| text + &format!("line {number}\n"))
}

fn picture(width: u32, height: u32, format: image::ImageFormat) -> Vec<u8> {
    let picture = image::DynamicImage::ImageRgb8(image::RgbImage::from_fn(width, height, |x, y| {
        image::Rgb([x as u8, y as u8, (x ^ y) as u8])
    }));
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

#[tokio::test]
async fn a_file_is_shown_with_line_numbers_and_its_end() {
    let project = Harness::new();
    project.write("src/main.rs", "fn main() {\n}\n");
    let result = project.run("read", json!({"file_path": "src/main.rs"})).await;
    assert_eq!(
        result.output,
        "<path>src/main.rs</path>\n<type>file</type>\n<content>\n1: fn main() {\n2: }\n\n\
         (end of file, 2 lines)\n</content>"
    );
    let hash = "7ab1c0a2b4c5";
    let mut details = result.details.clone();
    assert_eq!(details["hash"].as_str().unwrap().len(), 64, "{hash}");
    details["hash"] = json!("");
    assert_eq!(
        details,
        json!({
            "path": "src/main.rs", "kind": "file", "line_start": 1, "line_end": 2, "total_lines": 2, "hash": "",
            "eol": "lf", "bom": false, "encoding": "utf-8", "hashline": false, "loaded": []
        })
    );
}

#[tokio::test]
async fn every_name_of_a_parameter_is_taken() {
    let project = Harness::new();
    let path = project.write("a.txt", lines(9));
    let url = format!("file://{}", path.display());
    for args in [
        json!({"file_path": "a.txt", "offset": 3, "limit": 2}),
        json!({"path": "a.txt", "start_line": "3", "lines": "2.0"}),
        json!({"filePath": "./a.txt", "startLine": 3.0, "limit_lines": 2}),
        json!({"file": path, "offset": 3, "limit": 2, "colour": "red"}),
        json!({"filename": ["a.txt"], "Offset": 3, "LIMIT": 2}),
        json!({"filepath": url, "offset": 3, "limit": 2}),
    ] {
        let result = project.run("view", args.clone()).await;
        assert_eq!(
            result.output,
            "<path>a.txt</path>\n<type>file</type>\n<content>\n3: line 3\n4: line 4\n\n\
             (lines 3-4 of 9; continue with offset=5)\n</content>",
            "{args}"
        );
        if args.get("colour").is_some() {
            assert_eq!(result.details["ignored_params"], json!(["colour"]));
        }
    }
}

#[tokio::test]
async fn offsets_and_limits_that_make_no_sense_mean_the_default() {
    let project = Harness::new();
    project.write("a", lines(3));
    for args in [
        json!({"file_path": "a", "offset": 0}),
        json!({"file_path": "a", "offset": -5}),
        json!({"file_path": "a", "offset": null, "limit": "null"}),
        json!({"file_path": "a", "offset": "", "limit": 0}),
        json!({"file_path": "a", "limit": i64::MAX}),
    ] {
        assert!(
            read(&project, args)
                .await
                .contains("1: line 1\n2: line 2\n3: line 3\n\n(end of file, 3 lines)")
        );
    }
    let (kind, text) = project
        .error("read", json!({"file_path": "a", "offset": 4}))
        .await;
    assert_eq!(kind, ErrorKind::InvalidArgs);
    assert!(text.contains("`a` has 3 lines"), "{text}");
    let (kind, _) = project
        .error("read", json!({"file_path": "a", "offset": i64::MAX}))
        .await;
    assert_eq!(kind, ErrorKind::InvalidArgs);
}

#[tokio::test]
async fn two_thousand_lines_are_shown_whole_and_the_rest_is_told() {
    let project = Harness::new();
    project.write("long", lines(3000));
    let result = project.run("read", json!({"file_path": "long"})).await;
    assert!(!result.truncated);
    assert!(
        result
            .output
            .contains("\n2000: line 2000\n\n(lines 1-2000 of 3000; continue with offset=2001)\n</content>")
    );
    let text = read(&project, json!({"file_path": "long", "offset": 2001})).await;
    assert!(text.contains("\n3000: line 3000\n\n(end of file, 3000 lines)"));
}

#[tokio::test]
async fn own_limits_above_the_generic_rule_meet_it() {
    let project = Harness::new();
    project.write("long", lines(3000));
    let result = project
        .run("read", json!({"file_path": "long", "limit": 3000}))
        .await;
    assert!(result.truncated && result.output_path.is_some());
    let project = Harness::with_settings(|settings| settings.truncate.max_lines = 10);
    project.write("long", lines(30));
    assert!(project.run("read", json!({"file_path": "long"})).await.truncated);
    assert!(
        !project
            .run("read", json!({"file_path": "long", "limit": 10}))
            .await
            .truncated
    );
}

#[tokio::test]
async fn fifty_kilobytes_are_shown_at_once() {
    let project = Harness::new();
    project.write("wide", format!("{}\n", "x".repeat(99)).repeat(1000));
    let result = project.run("read", json!({"file_path": "wide"})).await;
    assert!(!result.truncated);
    assert!(
        result
            .output
            .ends_with("\n\n(50 KB limit reached after line 512; continue with offset=513)\n</content>"),
        "{}",
        &result.output[result.output.len() - 200..]
    );
    assert_eq!(result.details["line_end"], 512);
    assert_eq!(result.details["total_lines"], 1000);
}

#[tokio::test]
async fn long_lines_are_cut_and_say_by_how_much() {
    let project = Harness::new();
    project.write(
        "a",
        format!(
            "{}\r\n{}\n{}",
            "é".repeat(2345),
            "x".repeat(2000),
            "y".repeat(300_000)
        ),
    );
    let text = read(&project, json!({"file_path": "a"})).await;
    assert!(text.contains(&format!("1: {}… [+345 characters]\n", "é".repeat(2000))));
    assert!(text.contains(&format!("2: {}\n", "x".repeat(2000))));
    assert!(text.contains("y… [+298000 characters]\n"));
}

#[tokio::test]
async fn an_empty_file_says_so() {
    let project = Harness::new();
    project.write("a", "");
    assert_eq!(
        read(&project, json!({"file_path": "a"})).await,
        "<path>a</path>\n<type>file</type>\n<content>\n(empty file)\n</content>"
    );
    project.write("b", "\n");
    assert!(
        read(&project, json!({"file_path": "b"}))
            .await
            .contains("\n1: \n\n(end of file, 1 line)")
    );
}

#[tokio::test]
async fn line_endings_and_encodings_are_told_apart() {
    let project = Harness::new();
    for (content, eol, bom, encoding) in [
        (&b"a\nb"[..], "lf", false, "utf-8"),
        (b"a\r\nb\r\n", "crlf", false, "utf-8"),
        (b"a\r\nb\n", "mixed", false, "utf-8"),
        (b"\xef\xbb\xbfa\nb\n", "lf", true, "utf-8"),
        (b"\xff\xfea\0\r\0\n\0b\0", "crlf", true, "utf-16le"),
        (b"\xfe\xff\0a\0\n\0b", "lf", true, "utf-16be"),
    ] {
        project.new_turn();
        project.write("f", content);
        let result = project.run("read", json!({"file_path": "f"})).await;
        assert!(
            result
                .output
                .contains("<content>\n1: a\n2: b\n\n(end of file, 2 lines)"),
            "{}",
            result.output
        );
        let found = [
            &result.details["eol"],
            &result.details["bom"],
            &result.details["encoding"],
        ];
        assert_eq!(found, [&json!(eol), &json!(bom), &json!(encoding)]);
    }
    project.new_turn();
    project.write("f", b"caf\xe9\n");
    let result = project.run("read", json!({"file_path": "f"})).await;
    assert!(
        result.output.starts_with(
            "<path>f</path>\n<encoding>windows-1252</encoding>\n<type>file</type>\n<content>\n1: caf\u{e9}\n"
        ),
        "{}",
        result.output
    );
    assert_eq!(result.title, "f · windows-1252 · 1 line");
    assert_eq!(result.details["encoding"], "windows-1252");
    // Without a byte order mark, UTF-16 shows in its bytes.
    project.new_turn();
    project.write("f", b"h\0i\0\n\0");
    let result = project.run("read", json!({"file_path": "f"})).await;
    assert!(result.output.contains("1: hi\n"), "{}", result.output);
    assert_eq!(result.title, "f · utf-16le · 1 line");
    let broken = ["gr\u{f6}\u{df}er, k\u{fc}hl, h\u{f6}her ".as_bytes(), b"\xff\n"].concat();
    project.new_turn();
    project.write("f", broken);
    let result = project.run("read", json!({"file_path": "f"})).await;
    assert_eq!(result.title, "f · utf-8 with broken bytes · 1 line");
}

#[tokio::test]
async fn output_is_plain_text() {
    let project = Harness::new();
    let mut content = "x".repeat(5000).into_bytes();
    content.extend_from_slice(b"\ntab\there \x1b[31mred\x1b[0m \x07\x1b]0;open\nnext\0line\r\n");
    project.write("a\nb\x1b[1m", content);
    let text = read(&project, json!({"file_path": "a\nb\x1b[1m"})).await;
    assert!(text.starts_with("<path>a\\nb\\u{1b}[1m</path>\n"), "{text}");
    assert!(text.contains("\n2: tab\there red "), "{text}");
    assert!(text.contains("\n3: nextline\n"), "{text}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
}

#[tokio::test]
async fn binary_files_are_refused_by_content_and_by_extension() {
    let project = Harness::new();
    project.write("nul", b"text\0text");
    project.write("controls", [1_u8, 2, 3, b'a', b'b'].repeat(10));
    for extension in [
        "zip", "tar", "gz", "7z", "exe", "dll", "so", "dylib", "a", "o", "lib", "class", "jar", "war", "pyc",
        "pyo", "wasm", "bin", "dat", "obj", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "ODP",
    ] {
        project.write(format!("x.{extension}"), "text");
        let (kind, _) = project
            .error("read", json!({"file_path": format!("x.{extension}")}))
            .await;
        assert_eq!(kind, ErrorKind::Binary, "{extension}");
    }
    for path in ["nul", "controls"] {
        let (kind, text) = project.error("read", json!({"file_path": path})).await;
        assert_eq!(kind, ErrorKind::Binary);
        assert!(
            text.starts_with(&format!("Error: `{path}` is a binary file")),
            "{text}"
        );
    }
    project.write("logo.svg", "<svg/>");
    assert!(
        read(&project, json!({"file_path": "logo.svg"}))
            .await
            .contains("1: <svg/>")
    );
}

#[tokio::test]
async fn what_was_read_is_recorded_with_its_hash() {
    let project = Harness::new();
    let path = project.write("a", lines(100));
    let result = project.run("read", json!({"file_path": "a", "limit": 1})).await;
    let record = project
        .services
        .tree
        .store
        .file_read(&project.services.session, &path)
        .unwrap()
        .unwrap();
    assert_eq!(json!(record.hash), result.details["hash"]);
    assert_eq!(
        record.hash,
        crate::files::ContentHash::of(lines(100).as_bytes()).as_str()
    );
}

#[tokio::test]
async fn instructions_on_the_way_come_once() {
    let project = Harness::new();
    project.write("AGENTS.md", "root");
    project.write("a/AGENTS.md", "of a\n");
    project.write("a/CLAUDE.md", "not shown");
    project.write("a/b/CONTEXT.md", "of b\n");
    project.write("a/b/x.rs", "x\n");
    project.write("a/y.rs", "y\n");
    let result = project.run("read", json!({"file_path": "a/b/x.rs"})).await;
    assert!(
        result.output.ends_with(
            "</content>\n\n<system-reminder>\nInstructions from a/b/CONTEXT.md:\nof b\n</system-reminder>\n\n\
             <system-reminder>\nInstructions from a/AGENTS.md:\nof a\n</system-reminder>"
        ),
        "{}",
        result.output
    );
    assert_eq!(result.details["loaded"], json!(["a/b/CONTEXT.md", "a/AGENTS.md"]));
    for path in ["a/b/x.rs", "a/y.rs"] {
        assert!(
            !read(&project, json!({"file_path": path}))
                .await
                .contains("<system-reminder>")
        );
    }
}

#[tokio::test]
async fn an_instruction_file_that_was_read_is_not_shown_again() {
    let project = Harness::new();
    project.write("a/AGENTS.md", "of a\n");
    project.write("a/x", "x\n");
    for path in ["a/AGENTS.md", "a/x"] {
        assert!(
            !read(&project, json!({"file_path": path}))
                .await
                .contains("<system-reminder>")
        );
    }
}

#[tokio::test]
async fn cards_show_the_path_as_it_comes_and_the_range() {
    let project = Harness::new();
    project.write("src/a.rs", lines(10));
    for (partial, argument) in [
        ("", ""),
        (r#"{"file_pa"#, ""),
        (r#"{"file_path": "src/"#, "src/"),
        (r#"{"filePath": "src/a"#, "src/a"),
        (r#"{"file_path": "src/a.rs"}"#, "src/a.rs"),
        (
            r#"{"file_path": "src/a.rs", "offset": 3, "limit": 2}"#,
            "src/a.rs:3-4",
        ),
        (r#"{"file_path": "src/a.rs", "offset": 3}"#, "src/a.rs:3-"),
        (r#"{"path": "src/a.rs", "limit": 5}"#, "src/a.rs:1-5"),
    ] {
        let card = project.draw_call("read", partial);
        assert_eq!(
            (card.title.as_str(), card.argument.as_str()),
            ("Read", argument),
            "{partial}"
        );
    }
    let args = json!({"file_path": "src/a.rs", "offset": 3, "limit": 2});
    let result = project.run("read", args.clone()).await;
    let card = project.draw_result("read", &args, &result, false);
    assert_eq!(
        (card.argument.as_str(), card.meta),
        ("src/a.rs:3-4", vec![Fact::count(2, "line")])
    );
    assert!(card.body.is_empty());
    let card = project.draw_result("read", &args, &result, true);
    let [CardPart::Code(code)] = card.body.as_slice() else {
        panic!("{:?}", card.body)
    };
    assert_eq!((code.text.as_str(), code.first_line), ("line 3\nline 4", Some(3)));
    let args = json!({"file_path": "src"});
    let result = project.run("read", args.clone()).await;
    assert_eq!(
        project.draw_result("read", &args, &result, false).meta,
        ["1 entry"]
    );
    project.write("a.png", picture(3, 2, image::ImageFormat::Png));
    let args = json!({"file_path": "a.png"});
    let result = project.run("read", args.clone()).await;
    assert_eq!(project.draw_result("read", &args, &result, false).meta, ["3x2"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_in_any_window_are_read_or_refused(
        content in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'a'), any::<u8>()], 0..200),
        offset in -2_i64..20,
        limit in -2_i64..20,
    ) {
        let project = Harness::new();
        project.write("f", &content);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let result = runtime.block_on(project.run("read", json!({"file_path": "f", "offset": offset, "limit": limit})));
        prop_assert_ne!(result.error_kind(), Some(ErrorKind::Internal));
        prop_assert!(!result.output.contains(|c: char| c.is_control() && c != '\n' && c != '\t'));
        if result.ok && result.details["kind"] == "file" {
            let window = Window::new(Some(offset), Some(limit));
            let shown = result.output.lines().filter(|line| line.split_once(": ").is_some_and(|(number, _)| {
                number.parse::<usize>().is_ok_and(|number| window.contains(number))
            })).count();
            let total = usize::try_from(result.details["total_lines"].as_u64().unwrap()).unwrap();
            let wanted = total.saturating_sub(window.offset - 1).min(window.limit);
            prop_assert_eq!(shown, wanted);
        }
    }
}

#[tokio::test]
async fn limits_of_its_own_below_those_of_reading_cut_what_is_read() {
    let mut settings = crate::tool::ToolSettings::default();
    let limits = crate::tool::TruncateLimits {
        max_lines: Some(4),
        ..crate::tool::TruncateLimits::default()
    };
    settings.truncate.per_tool.insert("read".to_owned(), limits);
    let project = Harness::with(crate::tool::harness::HarnessOptions {
        settings,
        ..crate::tool::harness::HarnessOptions::default()
    });
    project.write("a.txt", "one\ntwo\nthree\n");
    let result = project.run("read", json!({"file_path": "a.txt"})).await;
    assert!(
        result.truncated && !result.output.contains("two"),
        "{}",
        result.output
    );
}
