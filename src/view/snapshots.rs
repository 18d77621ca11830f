//! Pictures of what is drawn, at three widths, kept in `snapshots/`.

use std::fmt::Write;
use std::time::Duration;

use ratatui::text::Line;

use super::card::{Card, CardLook, CardPart, CardStatus, Code, DiffBody, Tone, ToneSpan, TreeRow, lay_out};
use super::test_look::{TestLook, picture, styled_picture};
use super::{diff, markdown};

const WIDTHS: [usize; 3] = [40, 80, 120];

/// Compares the picture at each width with `snapshots/view__<what>__<width>.snap`.
fn check(what: &str, draw: impl Fn(usize) -> Vec<Line<'static>>) {
    for width in WIDTHS {
        let name = format!("view__{what}__{width}");
        let text: String = picture(&draw(width))
            .lines()
            .map(|line| line.trim_end().to_owned() + "\n")
            .collect();
        check_text(&name, &text);
    }
}

fn check_text(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name.to_owned(), text));
}

const ANSWER: &str = "\
## Making the retry test deterministic

The test sleeps on the *wall clock*; I will inject a **clock** (`Arc<dyn Clock>`), as [tokio does](https://docs.rs/tokio).
It stays ~~slow~~ fast.

1. Find the sleeping call
   - in `src/retry.rs`
   - and in the tests
2. Replace it:

   ```rust
   self.clock.sleep(delay).await;
   ```

> [!WARNING]
> Times are mocked from here on,
> also in the tests of others.

| file | change | why |
|:-----|-------:|-----|
| `src/retry.rs` | +6 −2 | the clock is a field now, so that a test can bring its own |
| `tests/retry.rs` | +12 −2 | 世界 |

- [x] inject
- [ ] pause

```python
def backoff(attempt: int) -> float:
    \"\"\"Seconds to wait.\"\"\"
    return min(2 ** attempt, 30) * 1.5  # capped
```

---
Done. ![a picture](x.png)
";

const CHANGE: &str = "\
--- a/src/retry.rs
+++ b/src/retry.rs
@@ -38,9 +38,10 @@ impl Retry
     pub async fn run(&mut self) -> Result<()> {
         for attempt in 0..self.max {
             let delay = self.backoff(attempt);
-            tokio::time::sleep(delay).await;
+            self.clock.sleep(delay).await;
+            tracing::debug!(attempt, ?delay, \"slept before the next attempt, as the policy of the caller says\");
             if self.try_once().await.is_ok() {
                 return Ok(());
             }
@@ -88,3 +89,3 @@ fn default() -> Self
     Self {
-        max: 3,
+        max: 5,
     }
";

#[test]
fn markdown_is_drawn() {
    let test = TestLook::default();
    check("markdown", |width| markdown::render(ANSWER, width, test.look()));
}

#[test]
fn markdown_has_its_styles() {
    let test = TestLook::default();
    let lines = markdown::render(ANSWER, 80, test.look());
    check_text("view__markdown_styles__80", &styled_picture(&lines, &test.theme));
}

#[test]
fn a_diff_is_drawn() {
    let test = TestLook::default();
    check("diff", |width| diff::lines(&change(0), width, test.look()));
    let lines = diff::lines(&change(6), 80, test.look());
    check_text("view__diff_styles__80", &styled_picture(&lines, &test.theme));
}

#[test]
fn a_diff_with_much_room_is_drawn_on_two_sides() {
    let test = TestLook::default();
    assert!(diff::on_two_sides(&change(0), 120, test.look()).is_none());
    assert!(diff::on_two_sides(&change(40), 160, test.look()).is_none());
    let begun = DiffBody {
        unified: "@@ -0,0 +1,2 @@\n+a\n+b\n".to_owned(),
        ..change(0)
    };
    assert!(
        diff::on_two_sides(&begun, 160, test.look()).is_none(),
        "one side is empty"
    );
    let rows = diff::on_two_sides(&change(0), 140, test.look()).unwrap();
    let lines: Vec<_> = rows.into_iter().map(|row| row.line).collect();
    check_text("view__diff_on_two_sides__140", &picture(&lines));
    check_text(
        "view__diff_on_two_sides_styles__140",
        &styled_picture(&lines, &test.theme),
    );
}

fn change(max_lines: usize) -> DiffBody {
    DiffBody {
        path: "src/retry.rs".into(),
        unified: CHANGE.into(),
        max_lines,
        is_unplaced: false,
    }
}

fn cards() -> Vec<(CardStatus, Card)> {
    let edit = change(10);
    let toned = |parts: &[(Tone, &str)]| {
        parts
            .iter()
            .map(|(tone, text)| ToneSpan::new(*tone, *text))
            .collect::<Vec<_>>()
            .into()
    };
    let failed = Card {
        look: true,
        ..Card::new("Bash", "cargo test --workspace")
    };
    vec![
        (
            CardStatus::Waiting,
            Card::new("Read", "src/tool/builtin/interactive_bash/screen.rs:1-2000"),
        ),
        (
            CardStatus::Done,
            Card::new("Read", "src/retry.rs:40-42")
                .meta("3 lines")
                .part(CardPart::Code(Code {
                    text: "let a = 1;\n\nlet b = \"2\";\n".into(),
                    language: "src/retry.rs".into(),
                    first_line: Some(40),
                    wraps: false,
                })),
        ),
        (
            CardStatus::Done,
            Card::new("Grep", "sleep\\(")
                .meta("4 matches in 2 files")
                .part(CardPart::Lines(vec![
                    toned(&[(Tone::Strong, "src/retry.rs")]),
                    toned(&[
                        (Tone::Muted, "41: "),
                        (Tone::Normal, "tokio::time::"),
                        (Tone::Match, "sleep("),
                        (Tone::Normal, "delay)"),
                    ]),
                ])),
        ),
        (
            CardStatus::Running,
            Card::new("Bash", "cargo test -p retry")
                .part(CardPart::Omitted("23 lines above".into()))
                .part(CardPart::Text(
                    "running 12 tests\ntest retry::gives_up_after_max ... ok".into(),
                )),
        ),
        (CardStatus::Asking, Card::new("Bash", "rm -rf target/tmp")),
        (
            CardStatus::Done,
            failed
                .meta("exit 101")
                .meta("3,012 lines")
                .meta("the model saw the last 2,000"),
        ),
        (
            CardStatus::Done,
            Card::new("Edit", "src/retry.rs:41")
                .meta("+3 −2")
                .part(CardPart::Diff(edit)),
        ),
        (
            CardStatus::Failed,
            Card::new("Write", "/etc/passwd").part(CardPart::Text(
                "Error: `/etc/passwd` is outside the project".into(),
            )),
        ),
        (CardStatus::Denied, Card::new("Fetch", "example.com/a")),
        (
            CardStatus::Interrupted,
            Card::new("List", "src").meta("4 files").part(CardPart::Tree(vec![
                TreeRow {
                    depth: 0,
                    text: "src/".into(),
                },
                TreeRow {
                    depth: 1,
                    text: "main.rs".into(),
                },
            ])),
        ),
    ]
}

#[test]
fn cards_are_drawn_in_every_state() {
    let test = TestLook::default();
    let cards = cards();
    check("cards", |width| {
        let draw = |(status, card): &(CardStatus, Card)| {
            let elapsed = match status {
                CardStatus::Waiting | CardStatus::Asking => None,
                CardStatus::Running => Some(Duration::from_millis(4_200)),
                _ => Some(Duration::from_secs(102)),
            };
            let cx = CardLook {
                look: test.look(),
                width,
                frame: 0,
                elapsed,
                badge: None,
                expands: "o",
                opens: "",
            };
            lay_out(card, *status, cx)
        };
        cards.iter().flat_map(draw).collect()
    });
}

#[test]
fn cards_are_readable_without_a_screen() {
    let mut text = String::new();
    for (_, card) in cards() {
        write!(text, "{}", super::card::plain(&card)).unwrap();
    }
    check_text("view__cards_plain", &text);
}
