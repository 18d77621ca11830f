//! The gallery: every built-in tool's card in every state, at three widths.
//!
//! A snapshot holds all states of a tool at a width. The results are those of the real tools in a project of its own;
//! what only an accident gives (a failure, a refusal, an interruption) is the result that the session would store.

mod sessions;
mod tasks;
mod terminals;

use std::fmt::Write;
use std::time::Duration;

use lathe::conversation::{CallResult, ErrorKind};
use lathe::permission::Mode;
use lathe::session::wire::{SessionChoice, run_tool};
use lathe::text::hashline::Hash;
use lathe::text::partial_json::PartialJson;
use lathe::tool::{DrawnArgs, Registry, RenderCx, ResultSource};
use lathe::view::card::{Card, CardLook, CardStatus, lay_out};
use lathe::view::highlight::Highlighter;
use lathe::view::theme::Theme;
use lathe::view::{Look, Symbols};
use serde_json::{Value, json};

use crate::session::request;
use crate::support::{Project, Server};

const WIDTHS: [usize; 3] = [40, 80, 120];

/// A tool, and what it is asked to do.
struct Exhibit {
    tool: &'static str,
    args: Value,
    /// Arguments of a call whose end has something to look at, where there is such a call.
    look: Option<Value>,
    /// Arguments of a call that gives more than a card shows, where there is such a call.
    long: Option<Value>,
    /// Its output while it runs.
    live: &'static str,
    /// Results in place of those that the tool gives, where it needs more than a project.
    stored: Option<Stored>,
    /// Items that are put on the task board before; `$1` stands for the id of the first.
    items: Vec<Value>,
}

struct Stored {
    /// Details of the call while it runs.
    live: Value,
    ends: Vec<(&'static str, CallResult)>,
}

impl Exhibit {
    fn new(tool: &'static str, args: Value) -> Self {
        Self {
            tool,
            args,
            look: None,
            long: None,
            live: "",
            stored: None,
            items: Vec::new(),
        }
    }
}

fn exhibits() -> Vec<Exhibit> {
    let todos = json!({"todos": [
        {"content": "find the sleeping call", "status": "completed"},
        {"content": "inject a clock", "status": "in_progress"},
        {"content": "pause time in the test", "status": "pending"},
    ]});
    let plan = json!({
        "title": "Inject a clock",
        "plan": "# Inject a clock\n\n1. `src/retry.rs:4`: take a `Clock`\n2. pause it in the **test**\n\nCheck: `cargo test -p retry`\n",
    });
    let questions = json!({"questions": [
        {"question": "Which clock should the tests use?", "options": [
            {"label": "tokio's, paused"},
            {"label": "one of our own"},
        ], "default": "tokio's, paused"},
        {"question": "Shall the jitter have bounds?", "options": [{"label": "yes"}, {"label": "no"}]},
    ]});
    let edit = json!({
        "file_path": "src/retry.rs",
        "old_string": "        tokio::time::sleep(delay).await;",
        "new_string": "        self.clock.sleep(delay).await;",
    });
    let tag = |number: usize, line: &str| format!("{number}:{}", Hash::of(line));
    let hashline = json!({"file_path": "src/retry.rs", "edits": [
        {
            "type": "set_line",
            "line": tag(4, "        tokio::time::sleep(delay).await;"),
            "text": "        self.clock.sleep(delay).await;",
        },
        {"type": "insert_before", "line": tag(1, "impl Retry {"), "text": "/// Waits, and tries again."},
    ]});
    let multiedit = json!({"file_path": "src/retry.rs", "edits": [
        {"old_string": "        tokio::time::sleep(delay).await;", "new_string": "        self.clock.sleep(delay).await;"},
        {"old_string": "delay", "new_string": "pause", "replace_all": true},
    ]});
    let written = "pub trait Clock {\n    async fn sleep(&self, delay: Duration);\n}\n";
    let bash = Exhibit {
        look: Some(json!({"command": "seq 30; echo 'error: it does not compile' >&2; seq 4; exit 101"})),
        live: "running 12 tests\n\u{1b}[32mtest a ... ok\u{1b}[0m\ntest b ... ok\n",
        ..Exhibit::new("bash", json!({"command": "seq 12", "description": "Counts"}))
    };
    let one_call = |tool: &str, path: &str| json!({"tool": tool, "parameters": {"file_path": path}});
    let calls =
        |second: &str| json!({"tool_calls": [one_call("read", "src/retry.rs"), one_call("read", second)]});
    let batch = Exhibit {
        look: Some(calls("src/no.rs")),
        ..Exhibit::new("batch", calls("src/lib.rs"))
    };
    let patch = "*** Begin Patch\n*** Update File: src/retry.rs\n@@ impl Retry {\n         let delay = \
                 self.jitter(delay);\n-        tokio::time::sleep(delay).await;\n+        \
                 self.clock.sleep(delay).await;\n*** Add File: src/clock.rs\n+pub trait Clock {\n+    async fn \
                 sleep(&self, delay: Duration);\n+}\n*** Update File: src/lib.rs\n*** Move to: src/main.rs\n@@\n pub \
                 mod retry;\n+pub mod clock;\n*** Delete File: README.md\n*** End Patch\n";
    let mut exhibits = vec![
        Exhibit::new("apply_patch", json!({"patch_text": patch})),
        bash,
        batch,
        long(
            Exhibit::new("edit", edit),
            json!({"file_path": "build/long.txt", "old_string": "mark", "new_string": "sign", "replace_all": true}),
        ),
        long(
            Exhibit::new("glob", json!({"pattern": "**/*.rs"})),
            json!({"pattern": "*", "path": "build"}),
        ),
        long(
            Exhibit::new(
                "grep",
                json!({"pattern": "delay", "path": "src", "output_mode": "content"}),
            ),
            json!({"pattern": "mar.", "path": "build", "include": "*.txt"}),
        ),
        Exhibit::new("hashline_edit", hashline),
        Exhibit::new(
            "invalid",
            json!({"tool": "raed", "error": "there is no tool `raed`"}),
        ),
        long(
            Exhibit::new("list", json!({"path": "."})),
            json!({"path": "build"}),
        ),
        Exhibit::new("multiedit", multiedit),
        Exhibit::new("plan_enter", json!({})),
        Exhibit::new("plan_exit", plan),
        Exhibit::new("question", questions),
        long(
            Exhibit::new("read", json!({"file_path": "src/retry.rs"})),
            json!({"file_path": "build/long.txt", "offset": 98, "limit": 4}),
        ),
        Exhibit::new("todoread", json!({})),
        Exhibit::new("todowrite", todos),
        long(
            Exhibit::new("write", json!({"file_path": "src/clock.rs", "content": written})),
            json!({"file_path": "build/new.txt", "content": "mark\n".repeat(60)}),
        ),
    ];
    exhibits.push(terminals::exhibit());
    exhibits.extend(sessions::exhibits());
    exhibits.extend(tasks::exhibits());
    exhibits.sort_by_key(|exhibit| exhibit.tool);
    exhibits
}

fn long(exhibit: Exhibit, args: Value) -> Exhibit {
    Exhibit {
        long: Some(args),
        ..exhibit
    }
}

fn project(server: &Server) -> Project {
    let retry = "impl Retry {\n    async fn wait(&self, delay: Duration) {\n        let delay = self.jitter(delay);\n        \
                 tokio::time::sleep(delay).await;\n    }\n}\n";
    // Every fortieth line is to be found.
    let lines = (1..=400).map(|line| {
        if line % 40 == 0 {
            format!("{line} mark\n")
        } else {
            format!("{line}\n")
        }
    });
    let project = crate::screen::project(server)
        .file("src/retry.rs", retry)
        .file("src/lib.rs", "pub mod retry;\n")
        .file("README.md", "# Retry\n")
        .file("build/long.txt", &lines.collect::<String>());
    // The newest comes first, and of the same age the first by name.
    (1..=8).rev().fold(project, |project, file| {
        project.file(format!("build/f{file}.txt"), "mark\n")
    })
}

/// Returns the result of the tool, in a project of its own.
fn run(server: &Server, exhibit: &Exhibit, args: &Value) -> CallResult {
    let project = project(server);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let run = |tool: &str, args: String| {
        let request = request(&project, SessionChoice::New, Mode::Yolo);
        let ran = runtime.block_on(run_tool(request, tool, &args));
        ran.expect("the tool can be run").result
    };
    let mut ids: Vec<String> = Vec::new();
    let with_ids = |args: &Value, ids: &[String]| {
        let numbered = ids.iter().enumerate();
        numbered.fold(args.to_string(), |args, (place, id)| {
            args.replace(&format!("${}", place + 1), id)
        })
    };
    for item in &exhibit.items {
        let created = run("task_create", with_ids(item, &ids));
        let answer: Value = serde_json::from_str(&created.output).expect("it answers with JSON");
        ids.push(answer["task"]["id"].as_str().expect("it has an id").to_owned());
    }
    let result = run(exhibit.tool, with_ids(args, &ids));
    // The path of the project is another one each time, and so are the ids of items.
    let text = serde_json::to_string(&result).unwrap();
    let text = text.replace(project.root().to_str().unwrap(), "/project");
    let text = with_plain_ids(&text, &ids);
    serde_json::from_str(&text).unwrap()
}

/// Numbers the ids of items on the task board in the order in which they came.
fn with_plain_ids(text: &str, ids: &[String]) -> String {
    let id = regex::Regex::new("T-[0-9a-f]{8}").unwrap();
    let mut known = ids.to_vec();
    let plain = id.replace_all(text, |found: &regex::Captures<'_>| {
        let place = known
            .iter()
            .position(|known| *known == found[0])
            .unwrap_or_else(|| {
                known.push(found[0].to_owned());
                known.len() - 1
            });
        format!("T-0000000{}", place + 1)
    });
    plain.into_owned()
}

/// How the calls of one tool are drawn.
struct Wall<'a> {
    registry: Registry,
    theme: Theme,
    highlighter: Highlighter,
    exhibit: &'a Exhibit,
}

impl Wall<'_> {
    fn call(&self, args: DrawnArgs<'_>) -> Card {
        let cx = RenderCx::FOLDED;
        self.registry.render_call(self.exhibit.tool, args, cx)
    }

    fn result(&self, args: &Value, source: ResultSource<'_>, expanded: bool) -> Card {
        let cx = RenderCx::new(expanded);
        self.registry
            .render_result(self.exhibit.tool, DrawnArgs::whole(args), source, cx)
    }

    /// Adds a card to the picture.
    fn hang(&self, picture: &mut String, label: &str, card: &Card, status: CardStatus, width: usize) {
        let elapsed = matches!(status, CardStatus::Running | CardStatus::Done | CardStatus::Look)
            .then(|| Duration::from_millis(4200));
        let look = CardLook {
            look: Look {
                theme: &self.theme,
                symbols: Symbols::Unicode,
                highlighter: &self.highlighter,
            },
            width,
            frame: 0,
            elapsed,
            badge: None,
            expands: if label.ends_with("expanded") { "" } else { "o" },
            opens: "",
        };
        writeln!(picture, "-- {label}").unwrap();
        for line in lay_out(card, status, look) {
            let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
            let columns = lathe::text::width::str_width(&text);
            assert!(
                columns <= width,
                "{} {label}: {columns} columns of {width}",
                self.exhibit.tool
            );
            writeln!(picture, "{}", text.trim_end()).unwrap();
        }
    }
}

/// The arguments as far as so many eighths of them.
fn cut(raw: &str, eighths: usize) -> &str {
    let mut end = raw.len() * eighths / 8;
    while !raw.is_char_boundary(end) {
        end -= 1;
    }
    &raw[..end]
}

/// How a call of the exhibit ended.
struct End<'a> {
    label: &'static str,
    args: &'a Value,
    result: CallResult,
}

impl<'a> End<'a> {
    fn stored((label, result): &(&'static str, CallResult), args: &'a Value) -> Self {
        Self {
            label,
            args,
            result: result.clone(),
        }
    }
}

fn status_of(result: &CallResult, card: &Card) -> CardStatus {
    match (result.error_kind(), card.look) {
        (Some(_), _) => CardStatus::Failed,
        (None, true) => CardStatus::Look,
        (None, false) => CardStatus::Done,
    }
}

fn picture(wall: &Wall<'_>, ends: &[End<'_>], width: usize) -> String {
    let args = &wall.exhibit.args;
    let raw = args.to_string();
    let mut picture = String::new();
    for eighths in [0, 2, 4, 7] {
        let partial = PartialJson::of(cut(&raw, eighths));
        let card = wall.call(DrawnArgs::partial(&partial));
        let label = format!("streaming, {eighths} of 8");
        wall.hang(&mut picture, &label, &card, CardStatus::Waiting, width);
    }
    let whole = wall.call(DrawnArgs::whole(args));
    for (label, status) in [
        ("waiting", CardStatus::Waiting),
        ("asking", CardStatus::Asking),
        ("running", CardStatus::Running),
    ] {
        wall.hang(&mut picture, label, &whole, status, width);
    }
    let live = wall.exhibit.stored.as_ref().map(|stored| &stored.live);
    if !wall.exhibit.live.is_empty() || live.is_some() {
        let running = ResultSource::Running {
            text: wall.exhibit.live,
            details: live.unwrap_or(&Value::Null),
        };
        let card = wall.result(args, running, false);
        wall.hang(
            &mut picture,
            "running, with output",
            &card,
            CardStatus::Running,
            width,
        );
    }
    for End { label, args, result } in ends {
        for (suffix, expanded) in [("", false), (", expanded", true)] {
            let card = wall.result(args, ResultSource::Ended(result), expanded);
            let status = status_of(result, &card);
            wall.hang(&mut picture, &format!("{label}{suffix}"), &card, status, width);
        }
    }
    for (label, kind, message, status) in [
        (
            "failed",
            ErrorKind::Internal,
            "the disk is full",
            CardStatus::Failed,
        ),
        (
            "denied",
            ErrorKind::Rejected,
            "the user refused this call",
            CardStatus::Denied,
        ),
        (
            "interrupted",
            ErrorKind::Interrupted,
            "interrupted by the user",
            CardStatus::Interrupted,
        ),
    ] {
        let result = CallResult::error(kind, message, None);
        let card = wall.result(args, ResultSource::Ended(&result), false);
        wall.hang(&mut picture, label, &card, status, width);
    }
    picture
}

#[test]
fn every_tool_has_a_card_for_every_state() {
    let exhibits = exhibits();
    let registry = Registry::builtin();
    let names: Vec<_> = registry.tools().map(|tool| tool.name()).collect();
    let shown: Vec<_> = exhibits.iter().map(|exhibit| exhibit.tool).collect();
    assert_eq!(shown, names, "a tool has no place in the gallery");

    let server = Server::start();
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for exhibit in &exhibits {
        let ends = [
            ("done", Some(&exhibit.args)),
            ("look", exhibit.look.as_ref()),
            ("long", exhibit.long.as_ref()),
        ];
        let ends = ends.into_iter().filter_map(|(label, args)| {
            let result = run(&server, exhibit, args?);
            args.map(|args| End { label, args, result })
        });
        let ends: Vec<End<'_>> = match &exhibit.stored {
            Some(stored) => stored
                .ends
                .iter()
                .map(|end| End::stored(end, &exhibit.args))
                .collect(),
            None => ends.collect(),
        };
        let wall = Wall {
            registry: Registry::builtin(),
            theme: Theme::builtin("lathe-dark").unwrap(),
            highlighter: Highlighter::plain(),
            exhibit,
        };
        for width in WIDTHS {
            let picture = picture(&wall, &ends, width);
            settings.bind(|| insta::assert_snapshot!(format!("gallery__{}__{width}", exhibit.tool), picture));
        }
    }
}
