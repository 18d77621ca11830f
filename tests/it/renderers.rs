//! Whatever a model writes and a tool answers: every renderer, at every width, stays within it and lets no control pass.

use std::time::Duration;

use lathe::conversation::{CallResult, ErrorKind};
use lathe::text::partial_json::PartialJson;
use lathe::text::sanitize::{OutputDecoder, StyledOutput};
use lathe::text::sgr::SgrRun;
use lathe::text::width::str_width;
use lathe::tool::{DrawnArgs, Registry, RenderCx, ResultSource};
use lathe::view::card::{Card, CardLook, CardPart, CardStatus, Tone, ToneSpan, lay_out, plain, source};
use lathe::view::highlight::Highlighter;
use lathe::view::markdown;
use lathe::view::theme::Theme;
use lathe::view::{Look, Symbols};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Keys that details and arguments have somewhere, beside those of the schema.
const KEYS: [&str; 14] = [
    "diff",
    "exit",
    "path",
    "file_path",
    "files",
    "matches",
    "lines",
    "count",
    "todos",
    "content",
    "calls",
    "status",
    "pending",
    "styles",
];

/// Any bytes, as they come out of a decoder that replaces what is no UTF-8.
fn bytes() -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u8>(), 0..120).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Texts that are meant to break a line, a column or a terminal.
fn hostile() -> impl Strategy<Value = String> {
    "(世界|e\u{301}|👩\u{200d}💻|שלום|\u{202e}|\u{1b}\\[2J|\u{1b}\\]52;c;eA==\u{7}|\u{9b}1m|\u{85}|\u{2028}|\\r|\\n|\\t|[ a-z0-9`*|#@+-]){0,40}"
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        bytes(),
        hostile(),
        Just("@@ -1,2 +1,2 @@\n a\n-b\u{1b}[2J\n+c\n".to_owned())
    ]
}

/// The parameters of a style sequence, or what is none.
fn sgr() -> impl Strategy<Value = String> {
    prop_oneof![
        "[0-9]{1,3}([;:][0-9]{0,3}){0,6}",
        "(38|48)[;:](5|2)([;:][0-9]{1,3}){0,4}",
        hostile()
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        text().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(&KEYS[..]), inner), 0..4).prop_map(object),
        ]
    })
}

fn object(pairs: Vec<(&str, Value)>) -> Value {
    Value::Object(
        pairs
            .into_iter()
            .map(|(key, value)| (key.to_owned(), value))
            .collect(),
    )
}

/// Puts values where the tool expects its own.
fn args(registry: &Registry, tool: &str, values: &[Value]) -> Value {
    let names = registry
        .schema(tool)
        .and_then(|schema| schema.get("properties")?.as_object().cloned());
    let names = names.unwrap_or_default();
    let pairs = names.keys().zip(values.iter().cycle());
    Value::Object(
        pairs
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect::<Map<_, _>>(),
    )
}

fn assert_fits(card: &Card, status: CardStatus, width: usize, what: &str) -> Result<(), TestCaseError> {
    let theme = Theme::default();
    let highlighter = Highlighter::plain();
    for symbols in [Symbols::Unicode, Symbols::Ascii] {
        let look = CardLook {
            look: Look {
                theme: &theme,
                symbols,
                highlighter: &highlighter,
            },
            width,
            frame: 3,
            elapsed: Some(Duration::from_millis(4200)),
            badge: None,
            expands: "o",
            opens: "",
        };
        for line in lay_out(card, status, look) {
            let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
            prop_assert!(str_width(&text) <= width, "{what} at {width}: {text:?}");
            prop_assert!(!text.contains(char::is_control), "{what} at {width}: {text:?}");
        }
    }
    let is_control = |c: char| c.is_control() && c != '\n' && c != '\t';
    prop_assert!(!plain(card).contains(is_control), "{what}");
    prop_assert!(!source(card).contains(is_control), "{what}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_tool_draws_anything_within_any_width(
        values in prop::collection::vec(value(), 1..5),
        details in prop_oneof![value(), prop::collection::vec((prop::sample::select(&KEYS[..]), value()), 0..8).prop_map(object)],
        (raw, output) in (text(), text()),
        width in 1_usize..=200,
        expanded in any::<bool>(),
    ) {
        let registry = Registry::builtin();
        let cx = RenderCx::new(expanded);
        let names: Vec<String> = registry.tools().map(|tool| tool.name().to_owned()).collect();
        for tool in names.iter().map(String::as_str).chain(["no_such\u{1b}[2Jtool"]) {
            let args = args(&registry, tool, &values);
            let mut ended = CallResult::error(ErrorKind::NotFound, &output, None);
            let failed = ended.clone();
            ended.ok = true;
            ended.details = details.clone().into();
            for raw in [raw.clone(), args.to_string(), json!({"a": raw}).to_string()] {
                let partial = PartialJson::of(&raw);
                let (partial, whole) = (DrawnArgs::partial(&partial), DrawnArgs::whole(&args));
                let what = format!("{tool} {raw:?} {output:?} {details}");
                let running = ResultSource::Running { text: &output, details: &details };
                let cards = [
                    registry.render_call(tool, partial, cx),
                    registry.render_call(tool, whole, cx),
                    registry.render_result(tool, whole, running, cx),
                    registry.render_result(tool, whole, ResultSource::Ended(&ended), cx),
                    registry.render_result(tool, partial, ResultSource::Ended(&failed), cx),
                ];
                for card in &cards {
                    assert_fits(card, CardStatus::Running, width, &what)?;
                }
            }
        }
    }

    #[test]
    fn a_command_draws_any_output_in_any_colours(
        (output, pending) in (text(), text()),
        runs in prop::collection::vec((0_u64..6, 0_usize..30, 0_usize..30, sgr()), 0..12),
        (lines, exit) in (0_u64..8, 0..2),
        width in 1_usize..=200,
        expanded in any::<bool>(),
    ) {
        let mut runs = runs;
        runs.sort_by_key(|run| (run.0, run.1));
        let details = json!({
            "command": "make", "exit": exit, "duration_ms": 1, "timed_out": false, "workdir": ".",
            "bytes": output.len(), "lines": lines, "pid": 7, "pending": pending, "styles": runs,
        });
        let registry = Registry::builtin();
        let mut ended = CallResult::error(ErrorKind::NotFound, &output, None);
        ended.ok = true;
        ended.details = details.clone().into();
        let running = ResultSource::Running { text: &output, details: &details };
        for source in [running, ResultSource::Ended(&ended)] {
            let cx = RenderCx::new(expanded);
            let card = registry.render_result("bash", DrawnArgs::whole(&Value::Null), source, cx);
            assert_fits(&card, CardStatus::Running, width, &format!("{output:?} {details}"))?;
        }
    }

    /// Text that the decoder makes of the bytes is drawn whole, whatever colours there are between them.
    #[test]
    fn bytes_with_colours_draw_the_text_without_them(
        pieces in prop::collection::vec(prop_oneof![
            sgr().prop_map(|sgr| format!("\u{1b}[{sgr}m").into_bytes()),
            prop::collection::vec(any::<u8>(), 1..20),
            hostile().prop_map(String::into_bytes),
        ], 0..12),
        width in 1_usize..=200,
    ) {
        let mut decoder = OutputDecoder::new();
        let mut decoded = vec![decoder.push(&pieces.concat())];
        decoded.push(decoder.finish());
        for StyledOutput { text, runs } in decoded {
            let mut spans = Vec::new();
            let mut seen = 0;
            for SgrRun { range, sgr } in runs {
                spans.push(ToneSpan::new(Tone::Normal, &text[seen..range.start]));
                spans.push(ToneSpan::new(Tone::Printed(sgr), &text[range.clone()]));
                seen = range.end;
            }
            spans.push(ToneSpan::new(Tone::Normal, &text[seen..]));
            for part in [CardPart::Printed(vec![spans.clone().into()]), CardPart::Lines(vec![spans.into()])] {
                let card = Card::new("Bash", "make").part(part);
                assert_fits(&card, CardStatus::Running, width, &format!("{text:?}"))?;
            }
        }
    }

    #[test]
    fn markdown_of_anything_stays_within_any_width(text in text(), width in 1_usize..=200) {
        let theme = Theme::default();
        let highlighter = Highlighter::plain();
        let look = Look { theme: &theme, symbols: Symbols::Unicode, highlighter: &highlighter };
        for line in markdown::render(&text, width, look) {
            let text: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
            prop_assert!(str_width(&text) <= width, "at {width}: {text:?}");
            prop_assert!(!text.contains(char::is_control), "at {width}: {text:?}");
        }
    }
}
