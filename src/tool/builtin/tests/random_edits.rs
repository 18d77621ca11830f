//! Random edits of files in several encodings, with every tool that edits: no byte outside of a replaced span changes.

use std::fs;

use serde_json::{Value, json};

use super::encodings::{CRLF, LF, MIXED, open};
use crate::text::encoding::Encoding;
use crate::text::hashline::Hash;
use crate::tool::harness::Harness;

const LINES: usize = 40;
const EDITS: usize = 40;

/// Numbers that look random, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }
}

#[derive(Clone, Copy)]
struct Sample {
    encoding: Encoding,
    mark: &'static [u8],
    /// The endings of the lines, in turn.
    endings: [&'static str; 2],
    /// The characters of its lines.
    characters: &'static str,
    /// The bytes of a last line, which no edit touches.
    tail: &'static [u8],
}

fn samples() -> [Sample; 4] {
    [
        Sample {
            encoding: Encoding::Legacy(encoding_rs::WINDOWS_1252),
            mark: b"",
            endings: CRLF,
            characters: "Größe für Müller: älter, über, Straße, schön, hören, Länge",
            tail: b"the last line\r\n",
        },
        Sample {
            encoding: Encoding::Legacy(encoding_rs::GBK),
            mark: b"",
            endings: LF,
            characters: "数据文件世界的新在人有我他这中大来上国个到说们为子和你地出道也时年",
            // A second spelling of the euro sign.
            tail: b"\xa2\xe3 100\n",
        },
        Sample {
            encoding: Encoding::Utf16Le,
            mark: b"\xff\xfe",
            endings: CRLF,
            characters: "Größe世界🦀plain",
            // One half of a character.
            tail: b"\x00\xd8x\x00\r\x00\n\x00",
        },
        Sample {
            encoding: Encoding::Utf8,
            mark: b"",
            endings: MIXED,
            characters: "Größe世界🦀plain",
            tail: b"the last line\r\n",
        },
    ]
}

/// A file as it has to be after the edits so far.
struct Model {
    sample: Sample,
    random: Random,
    /// Each with its ending; every line begins with a number of its own.
    lines: Vec<(String, &'static str)>,
    next_number: usize,
}

impl Model {
    fn new(sample: Sample, seed: u64) -> Self {
        let mut model = Self {
            sample,
            random: Random(seed),
            lines: Vec::new(),
            next_number: 0,
        };
        for line in 0..LINES {
            let text = model.line();
            model.lines.push((text, sample.endings[line % 2]));
        }
        model
    }

    /// Makes a line that is nowhere in the file.
    fn line(&mut self) -> String {
        let all: Vec<char> = self.sample.characters.chars().collect();
        let length = 4 + self.random.below(12);
        let text: String = (0..length).map(|_| all[self.random.below(all.len())]).collect();
        self.next_number += 1;
        format!("N{:04} {}.", self.next_number, text.trim())
    }

    fn some_lines(&mut self) -> Vec<String> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.line()).collect()
    }

    fn bytes(&self) -> Vec<u8> {
        let text: String = self
            .lines
            .iter()
            .flat_map(|(line, ending)| [line.as_str(), ending])
            .collect();
        let text = self.sample.encoding.encode(&text).unwrap();
        [self.sample.mark, &text, self.sample.tail].concat()
    }

    /// Replaces one whole line by others; returns its number, from 1, its text and the new lines.
    fn replace_line(&mut self) -> (usize, String, Vec<String>) {
        let at = self.random.below(self.lines.len());
        let new = self.some_lines();
        let (old, ending) = self.lines[at].clone();
        let placed = new.iter().map(|line| (line.clone(), ending));
        self.lines.splice(at..=at, placed);
        (at + 1, old, new)
    }

    /// Replaces text from the beginning of a line up to somewhere in the same or a later line; returns the old and the new
    /// text.
    fn replace_text(&mut self) -> (String, String) {
        let first = self.random.below(self.lines.len());
        let last = (first + self.random.below(3)).min(self.lines.len() - 1);
        let (last_line, last_ending) = self.lines[last].clone();
        // Not before the number, which makes the old text unique.
        let cuts: Vec<usize> = last_line.char_indices().map(|(at, _)| at).skip(6).collect();
        let (head, rest) = last_line.split_at(cuts[self.random.below(cuts.len())]);
        let mut old: String = self.lines[first..last]
            .iter()
            .flat_map(|(line, _)| [line.as_str(), "\n"])
            .collect();
        old.push_str(head);
        let new = self.some_lines();
        let ending = self.lines[first].1;
        let mut placed: Vec<(String, &'static str)> = new.iter().map(|line| (line.clone(), ending)).collect();
        let end = placed.last_mut().unwrap();
        end.0.push_str(rest);
        end.1 = last_ending;
        self.lines.splice(first..=last, placed);
        (old, new.join("\n"))
    }
}

/// Makes random edits, each by the call that `edit` works out with the model, and looks at all bytes each time.
async fn check(tool: &str, mut edit: impl FnMut(&mut Model) -> Value) {
    for (seed, sample) in samples().into_iter().enumerate() {
        let project: Harness = open();
        let mut model = Model::new(sample, seed as u64);
        project.write("f", model.bytes());
        // Nothing is said in these texts, so nothing could be guessed of them.
        let named = json!({"file_path": "f", "encoding": sample.encoding.name()});
        let read = project.run("read", named).await;
        assert_eq!(
            read.details["encoding"],
            sample.encoding.name(),
            "{}",
            read.output
        );
        for turn in 0..EDITS {
            project.new_turn();
            let args = edit(&mut model);
            project.ok(tool, args.clone()).await;
            let bytes = fs::read(project.path("f")).unwrap();
            assert!(
                bytes == model.bytes(),
                "{tool} in {}, edit {turn} by {args}:\n{}",
                sample.encoding.name(),
                sample.encoding.decode(&bytes).text
            );
        }
    }
}

#[tokio::test]
async fn random_edits_change_nothing_outside_of_their_spans() {
    check("edit", |model| {
        let (old, new) = model.replace_text();
        json!({"file_path": "f", "old_string": old, "new_string": new})
    })
    .await;
}

#[tokio::test]
async fn random_edits_in_one_call_change_nothing_outside_of_their_spans() {
    check("multiedit", |model| {
        let edit = |(old, new)| json!({"old_string": old, "new_string": new});
        let edits: Vec<Value> = (0..3).map(|_| edit(model.replace_text())).collect();
        json!({"file_path": "f", "edits": edits})
    })
    .await;
}

#[tokio::test]
async fn random_patches_change_nothing_outside_of_their_lines() {
    check("apply_patch", |model| {
        let (_, old, new) = model.replace_line();
        let body = format!("*** Update File: f\n@@\n-{old}\n+{}\n", new.join("\n+"));
        json!({"patch_text": format!("*** Begin Patch\n{body}*** End Patch\n")})
    })
    .await;
}

#[tokio::test]
async fn random_edits_by_tags_change_nothing_outside_of_their_lines() {
    check("hashline_edit", |model| {
        let (number, old, new) = model.replace_line();
        let line = format!("{number}:{}", Hash::of(&old));
        let edit = json!({"type": "set_line", "line": line, "text": new.join("\n")});
        json!({"file_path": "f", "edits": [edit]})
    })
    .await;
}
