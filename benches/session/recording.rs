//! A long session as it was recorded: the same one each time, made here so that no file has to hold it.
//!
//! 500 turns of 20 blocks: what was asked, reasoning, prose with lists, tables and source, and calls of seven tools with
//! about 4 KB of results.

use std::fmt::Write;

use lathe::conversation::{
    CallId, CallResult, CallState, Message, MessageId, MessageState, ModelRef, Part, PartBody, ReasoningPart,
    Role, Stop, TextPart, ToolPart, Usage,
};
use lathe::swap::Swappable;
use lathe::text::diff::unified;
use serde_json::{Value, json};

pub(crate) const TURNS: usize = 500;
pub(crate) const BLOCKS: usize = TURNS * 20;
/// Stands at the very end.
pub(crate) const END: &str = "END-OF-THE-SESSION";

const WORDS: &[&str] = &[
    "clock",
    "retry",
    "backoff",
    "jitter",
    "the",
    "a",
    "test",
    "sleeps",
    "on",
    "until",
    "deadline",
    "which",
    "handler",
    "returns",
    "before",
    "socket",
    "closes",
    "and",
    "therefore",
    "buffer",
    "grows",
    "without",
    "bound",
    "every",
    "caller",
    "waits",
    "for",
    "its",
    "own",
    "answer",
    "größer",
    "世界",
    "naïve",
    "queue",
];

/// All messages of the session, in order.
pub(crate) fn messages() -> Vec<Message> {
    let mut recorder = Recorder::default();
    for turn in 0..TURNS {
        recorder.turn(turn);
    }
    recorder.messages
}

/// Counts blocks, bytes of results and code blocks, so that the figures say what they were measured on.
pub(crate) fn census(messages: &[Message]) -> (usize, usize, usize) {
    let (mut blocks, mut bytes, mut sources) = (0, 0, 0);
    for message in messages {
        blocks += message.parts.len();
        bytes += message
            .calls()
            .filter_map(ToolPart::result)
            .map(|result| result.output.len())
            .sum::<usize>();
        sources += message.text().matches("```").count() / 2;
    }
    (blocks, bytes, sources)
}

#[derive(Default)]
struct Recorder {
    messages: Vec<Message>,
    seq: u64,
    /// Of the generator, which is all the chance there is.
    state: u64,
}

impl Recorder {
    fn turn(&mut self, turn: usize) {
        let asked = self.sentence(12);
        self.message(Role::User, vec![text(&format!("{turn}: {asked}"))]);

        let thought = self.prose(60);
        let said = self.sentence(20);
        let reads: Vec<PartBody> = (0..3).map(|file| self.read(turn, file)).collect();
        let grep = self.grep();
        let mut parts = vec![reasoning(&thought), text(&said)];
        parts.extend(reads);
        parts.push(grep);
        self.message(Role::Assistant, parts);

        let said = self.sentence(30);
        let parts = vec![text(&said), self.edit(turn, 1), self.bash(turn, 24, 0)];
        self.message(Role::Assistant, parts);

        let thought = self.prose(40);
        let parts = vec![
            reasoning(&thought),
            glob(turn),
            self.edit(turn, 6),
            self.bash(turn, 14, i32::from(turn.is_multiple_of(5)) * 101),
        ];
        self.message(Role::Assistant, parts);

        let said = self.sentence(16);
        let todos = todos(turn);
        let parts = vec![text(&said), self.write(turn), todos, self.bash(turn, 3, 0)];
        self.message(Role::Assistant, parts);

        let thought = self.prose(25);
        let mut answer = self.answer(turn);
        if turn + 1 == TURNS {
            write!(answer, "\n{END}\n").expect("a string takes everything");
        }
        self.message(Role::Assistant, vec![reasoning(&thought), text(&answer)]);
    }

    fn message(&mut self, role: Role, bodies: Vec<PartBody>) {
        let parts: Vec<Part> = bodies
            .into_iter()
            .map(|body| {
                self.seq += 1;
                Part { seq: self.seq, body }
            })
            .collect();
        let calls = parts.iter().any(|part| matches!(part.body, PartBody::Tool(_)));
        let is_reply = role == Role::Assistant;
        self.messages.push(Message {
            id: MessageId::new(),
            role,
            state: MessageState::Complete,
            agent: is_reply.then(|| "build".to_owned()),
            model: is_reply.then(|| "local/test-model".parse::<ModelRef>().expect("a name")),
            created: 1_700_000_000_000 + self.seq as i64,
            parts,
            stop: is_reply.then_some(if calls { Stop::ToolCalls } else { Stop::End }),
            usage: is_reply.then(|| Usage {
                input: 1_000,
                output: 200,
                ..Usage::default()
            }),
        });
    }

    /// The next number below `limit`.
    fn chance(&mut self, limit: usize) -> usize {
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % limit
    }

    fn sentence(&mut self, words: usize) -> String {
        let mut text = String::new();
        for word in 0..words {
            let chosen = WORDS[self.chance(WORDS.len())];
            if word > 0 {
                text.push(' ');
            }
            match self.chance(12) {
                0 => write!(text, "`{chosen}`"),
                1 => write!(text, "**{chosen}**"),
                _ => write!(text, "{chosen}"),
            }
            .expect("a string takes everything");
        }
        text.push('.');
        text
    }

    fn prose(&mut self, words: usize) -> String {
        let lines: Vec<String> = (0..=words / 15).map(|_| self.sentence(15)).collect();
        lines.join(" ")
    }

    fn source(&mut self, name: &str, lines: usize) -> String {
        let mut text = format!(
            "/// {}\npub fn {name}(items: &[&str], limit: usize) -> usize {{\n",
            self.sentence(8)
        );
        for line in 0..lines {
            let (a, b) = (WORDS[self.chance(19)], self.chance(1_000));
            match line % 4 {
                0 => writeln!(
                    text,
                    "    let {a}_{line} = items.iter().filter(|item| item.len() > {b}).count();"
                ),
                1 => writeln!(text, "    if {a}_{} > limit {{ return {b}; }} // {a}", line - 1),
                2 => writeln!(text, "    let name = format!(\"{a}-{{limit}}-{b}\");"),
                _ => writeln!(text, "    self.{a}.push(Entry {{ name, at: Instant::now() }});"),
            }
            .expect("a string takes everything");
        }
        text.push_str("    limit\n}\n");
        text
    }

    fn answer(&mut self, turn: usize) -> String {
        let (first, second, third) = (self.prose(40), self.sentence(14), self.sentence(22));
        let source = self.source(&format!("step{turn}"), 16);
        format!(
            "## Step {turn}\n\n{first}\n\n- {second}\n- {third}\n  1. nested, with a [link](https://example.invalid/{turn})\n  2. \
             and *another*\n\n```rust\n{source}```\n\n| file | lines | state |\n| --- | ---: | :-: |\n\
             | `src/step{turn}.rs` | {turn} | **done** |\n| `src/clock.rs` | 12 | open |\n\n> {second}\n"
        )
    }

    fn read(&mut self, turn: usize, file: usize) -> PartBody {
        let path = format!("src/step{turn}/part{file}.rs");
        let source = self.source("part", 6);
        let mut output = String::new();
        for (line, text) in source.lines().enumerate() {
            writeln!(output, "{}: {text}", line + 1).expect("a string takes everything");
        }
        let lines = source.lines().count();
        let details = json!({
            "path": path, "kind": "file", "line_start": 1, "line_end": lines, "total_lines": lines, "bom": false,
            "hashline": false, "loaded": []
        });
        call("read", &json!({ "file_path": path }), output, details)
    }

    fn grep(&mut self) -> PartBody {
        let items: Vec<Value> = (0..8)
            .map(|item| {
                let text = self.sentence(9);
                json!({"path": format!("src/file{}.rs", item / 3), "line": item * 17 + 1, "column": 4, "text": text})
            })
            .collect();
        let output = lines(&items, |item| {
            format!("{}:{}: {}", item["path"], item["line"], item["text"])
        });
        let details = json!({
            "matches": 8, "files": 3, "truncated": false, "timed_out": false, "skipped_unreadable": 0, "items": items
        });
        call(
            "grep",
            &json!({"pattern": "clock", "path": "src"}),
            output,
            details,
        )
    }

    fn edit(&mut self, turn: usize, changed: usize) -> PartBody {
        let before = self.source("edited", 20);
        let after: String = before
            .lines()
            .enumerate()
            .map(|(line, text)| match line {
                line if line % 3 == 0 && line / 3 < changed => {
                    format!("{} // {turn}\n", text.replace("items", "entries"))
                }
                _ => format!("{text}\n"),
            })
            .collect();
        let path = format!("src/step{turn}.rs");
        let diff = unified(&path, &before, &after);
        let details = json!({
            "path": path, "strategy": "simple", "replacements": 1, "positions": [], "additions": diff.additions,
            "deletions": diff.deletions, "diff": diff.text, "created": false, "diagnostics": []
        });
        let args = json!({"file_path": path, "old_string": "items", "new_string": "entries"});
        call("edit", &args, format!("Edited {path}."), details)
    }

    fn write(&mut self, turn: usize) -> PartBody {
        let path = format!("tests/step{turn}.rs");
        let source = self.source("written", 5);
        let diff = unified(&path, "", &source);
        let lines = source.lines().count();
        let details = json!({
            "path": path, "created": true, "bytes": source.len(), "lines": lines, "additions": lines, "deletions": 0,
            "diff": diff.text, "diagnostics": []
        });
        let args = json!({"file_path": path, "content": source});
        call("write", &args, format!("Wrote {path}."), details)
    }

    fn bash(&mut self, turn: usize, lines: usize, exit: i32) -> PartBody {
        let command = format!("cargo test -p step{turn} --lib -- --nocapture");
        let mut output = String::new();
        for line in 0..lines {
            let said = self.sentence(7);
            match line % 3 {
                0 => writeln!(output, "\u{1b}[32mtest\u{1b}[0m step{turn}::case{line} ... ok"),
                1 => writeln!(output, "  {said}"),
                _ => writeln!(output, "warning: {said} at src/step{turn}.rs:{line}"),
            }
            .expect("a string takes everything");
        }
        if exit != 0 {
            output.push_str("error: could not compile `step` due to 1 previous error\n");
        }
        let details = json!({
            "command": command, "exit": exit, "duration_ms": 1_234, "timed_out": false, "workdir": "/work",
            "bytes": output.len(), "lines": output.lines().count(), "pid": 4_242
        });
        call("bash", &json!({ "command": command }), output, details)
    }
}

fn glob(turn: usize) -> PartBody {
    let files: Vec<Value> = (0..12)
        .map(|file| json!({"path": format!("src/step{turn}/part{file}.rs"), "mtime": 1_700_000_000_000_u64}))
        .collect();
    let output = lines(&files, |file| {
        file["path"].as_str().unwrap_or_default().to_owned()
    });
    let details = json!({"count": 12, "total": 12, "truncated": false, "timed_out": false, "files": files});
    call("glob", &json!({"pattern": "src/**/*.rs"}), output, details)
}

fn lines(items: &[Value], line: impl Fn(&Value) -> String) -> String {
    items.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn todos(turn: usize) -> PartBody {
    let todo = |content: String, status: &str| json!({"content": content, "status": status});
    let todos = vec![
        todo(format!("find the call of step {turn}"), "completed"),
        todo("inject a clock".to_owned(), "in_progress"),
        todo("pause time in the test".to_owned(), "pending"),
    ];
    let details = json!({"todos": todos, "open": 2, "completed": 1, "changed": []});
    call(
        "todowrite",
        &json!({ "todos": todos }),
        "2 open, 1 completed".to_owned(),
        details,
    )
}

fn text(text: &str) -> PartBody {
    PartBody::Text(TextPart {
        text: text.to_owned(),
        native: None,
    })
}

fn reasoning(text: &str) -> PartBody {
    PartBody::Reasoning(ReasoningPart {
        text: text.to_owned(),
        native: None,
    })
}

fn call(tool: &str, args: &Value, output: String, details: Value) -> PartBody {
    PartBody::Tool(ToolPart {
        call: CallId::new(),
        provider_id: None,
        tool: tool.to_owned(),
        raw_args: args.to_string(),
        args: Some(args.clone().into()),
        state: CallState::Done,
        result: Some(Swappable::new(CallResult {
            ok: true,
            title: tool.to_owned(),
            output,
            details: details.into(),
            truncated: false,
            output_path: None,
            duration_ms: 120,
            attachments: Vec::new(),
        })),
        native: None,
        inner: Vec::new(),
    })
}
