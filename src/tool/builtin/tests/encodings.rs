//! Files in other encodings and with other line endings than those of this project, through every tool that writes.

use std::fs;

use serde_json::{Value, json};

use crate::conversation::ErrorKind;
use crate::permission::Mode;
use crate::text::encoding::Encoding;
use crate::text::hashline::Hash;
use crate::tool::ToolSettings;
use crate::tool::harness::{Harness, HarnessOptions};

const LINES: usize = 40;

/// Every ask is answered, and no file has to be read first.
pub(super) fn open() -> Harness {
    Harness::with(HarnessOptions {
        mode: Mode::Yolo,
        settings: ToolSettings::default(),
        ..HarnessOptions::default()
    })
}

/// A file of a project that has its own way with bytes.
struct Sample {
    encoding: Encoding,
    has_mark: bool,
    /// The endings of the lines, in turn.
    endings: [&'static str; 2],
    /// In every line.
    word: &'static str,
    /// Put into every line.
    new: &'static str,
}

pub(super) const CRLF: [&str; 2] = ["\r\n", "\r\n"];
pub(super) const LF: [&str; 2] = ["\n", "\n"];
pub(super) const MIXED: [&str; 2] = ["\r\n", "\n"];

fn samples() -> [Sample; 4] {
    [
        Sample {
            encoding: Encoding::Legacy(encoding_rs::WINDOWS_1252),
            has_mark: false,
            endings: CRLF,
            word: "Größe für 5 €",
            new: "Länge",
        },
        Sample {
            encoding: Encoding::Legacy(encoding_rs::GBK),
            has_mark: false,
            endings: LF,
            word: "数据，文件",
            new: "新的世界",
        },
        Sample {
            encoding: Encoding::Utf16Le,
            has_mark: true,
            endings: CRLF,
            word: "Größe 世界",
            new: "Länge 🦀",
        },
        Sample {
            encoding: Encoding::Utf8,
            has_mark: true,
            endings: MIXED,
            word: "Größe 世界",
            new: "Länge 🦀",
        },
    ]
}

impl Sample {
    /// Returns a line, from 1, before or after its edit.
    fn line(&self, number: usize, is_edited: bool) -> String {
        let last = if is_edited { self.new } else { "old" };
        format!("line {number:02} {} {last}", self.word)
    }

    fn lines(&self, edited: usize) -> impl Iterator<Item = String> {
        (1..=LINES).map(move |number| self.line(number, number <= edited))
    }

    /// Returns the bytes of the file when so many of its lines are edited.
    fn bytes(&self, edited: usize) -> Vec<u8> {
        let lines = self.lines(edited).zip(self.endings.into_iter().cycle());
        let text: String = lines
            .flat_map(|(line, ending)| [line, ending.to_owned()])
            .collect();
        let mark = if self.has_mark { self.encoding.mark() } else { b"" };
        [mark, &self.encoding.encode(&text).unwrap()].concat()
    }

    /// Edits one line after the other, each by the call that `edit` makes of its number, and looks at all bytes each time.
    async fn check(&self, tool: &str, edit: impl Fn(usize) -> Value) {
        let project = open();
        project.write("f", self.bytes(0));
        for number in 1..=LINES {
            project.new_turn();
            project.ok(tool, edit(number)).await;
            let bytes = fs::read(project.path("f")).unwrap();
            assert!(
                bytes == self.bytes(number),
                "{tool} in {}, line {number}: {}",
                self.encoding.name(),
                self.encoding.decode(&bytes).text
            );
        }
    }
}

#[tokio::test]
async fn forty_edits_change_nothing_outside_of_their_spans() {
    for sample in samples() {
        let edit = |number: usize| {
            let old = format!("{number:02} {} old", sample.word);
            let new = format!("{number:02} {} {}", sample.word, sample.new);
            json!({"file_path": "f", "old_string": old, "new_string": new})
        };
        sample.check("edit", edit).await;
    }
}

#[tokio::test]
async fn forty_edits_in_one_call_change_nothing_outside_of_their_spans() {
    for sample in samples() {
        let project = open();
        project.write("f", sample.bytes(0));
        let edit = |number: usize| {
            let (old, new) = (sample.line(number, false), sample.line(number, true));
            json!({"old_string": old, "new_string": new})
        };
        let edits: Vec<Value> = (1..=LINES).map(edit).collect();
        project
            .ok("multiedit", json!({"file_path": "f", "edits": edits}))
            .await;
        assert_eq!(fs::read(project.path("f")).unwrap(), sample.bytes(LINES));
    }
}

#[tokio::test]
async fn forty_patches_change_nothing_outside_of_their_lines() {
    for sample in samples() {
        let patch = |number: usize| {
            let (old, new) = (sample.line(number, false), sample.line(number, true));
            let body = format!("*** Update File: f\n@@\n-{old}\n+{new}\n");
            json!({"patch_text": format!("*** Begin Patch\n{body}*** End Patch\n")})
        };
        sample.check("apply_patch", patch).await;
    }
}

#[tokio::test]
async fn forty_edits_by_tags_change_nothing_outside_of_their_lines() {
    for sample in samples() {
        let edit = |number: usize| {
            let line = format!("{number}:{}", Hash::of(&sample.line(number, false)));
            let edit = json!({"type": "set_line", "line": line, "text": sample.line(number, true)});
            json!({"file_path": "f", "edits": [edit]})
        };
        sample.check("hashline_edit", edit).await;
    }
}

#[tokio::test]
async fn a_file_that_is_written_anew_keeps_encoding_mark_and_line_endings() {
    // Mixed endings are not guessed for new content.
    for sample in samples().into_iter().filter(|sample| sample.endings != MIXED) {
        let write = |number: usize| {
            let lines: Vec<String> = sample.lines(number).collect();
            json!({"file_path": "f", "content": lines.join("\n") + "\n"})
        };
        sample.check("write", write).await;
    }
}

#[tokio::test]
async fn the_result_of_write_names_what_the_file_keeps() {
    let project = open();
    project.write("f", b"caf\xe9\r\n");
    let args = |content: &str| json!({"file_path": "f", "content": content});
    assert_eq!(
        project.ok("write", args("th\u{e9}\n")).await,
        "Wrote f (1 line, +1 -1)\nThe file keeps its CRLF line endings and its encoding windows-1252."
    );
    assert_eq!(fs::read(project.path("f")).unwrap(), b"th\xe9\r\n");
}

#[tokio::test]
async fn a_character_that_the_encoding_lacks_is_named_and_nothing_is_written() {
    let project = open();
    let before = b"caf\xe9\nplain\n";
    project.write("f", before);
    let patch = "*** Begin Patch\n*** Update File: f\n@@\n-plain\n+世\n*** End Patch\n";
    let tag = format!("2:{}", Hash::of("plain"));
    for (tool, args) in [
        (
            "edit",
            json!({"file_path": "f", "old_string": "plain", "new_string": "世"}),
        ),
        (
            "multiedit",
            json!({"file_path": "f", "edits": [{"old_string": "plain", "new_string": "世"}]}),
        ),
        ("apply_patch", json!({"patch_text": patch})),
        (
            "hashline_edit",
            json!({"file_path": "f", "edits": [{"type": "set_line", "line": tag, "text": "世"}]}),
        ),
        ("write", json!({"file_path": "f", "content": "世\n"})),
    ] {
        let (kind, text) = project.error(tool, args).await;
        assert_eq!(kind, ErrorKind::InvalidArgs, "{tool}: {text}");
        let expected = "`世` (U+4E16) cannot be written in windows-1252, which `f` is in";
        assert!(text.contains(expected), "{tool}: {text}");
        assert_eq!(fs::read(project.path("f")).unwrap(), before);
    }
}
