//! Whatever happens, in any order, at any size: no panic, nothing outside, the reader stays.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::scene::{Scene, result, tool_part};
use crate::conversation::{CallId, CallResult, ErrorKind, MessageState, PartBody, ReasoningPart};
use crate::session::{Event, Retry, TurnEndReason};
use crate::tui::caret::CaretMove;
use crate::tui::transcript::Unit;

const MOVES: [CaretMove; 10] = [
    CaretMove::Left,
    CaretMove::Right,
    CaretMove::Up,
    CaretMove::Down,
    CaretMove::WordLeft,
    CaretMove::WordRight,
    CaretMove::LineStart,
    CaretMove::LineEnd,
    CaretMove::Top,
    CaretMove::Bottom,
];

#[derive(Debug, Clone)]
enum Step {
    Says(String),
    Text(String),
    Reasons(String),
    Call { tool: bool, args: String },
    Prints(String),
    Ends(bool),
    Drops,
    Retry,
    TurnEnds,
    Key(u8),
    Scroll(i8),
    Draw(u16, u16),
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z \\n`*#|>-]{0,60}",
        2 => ".{0,40}",
        1 => "(世界|e\u{301}|\u{202e}|\u{1b}\\[2J|👩‍💻|שלום|\\t|\\r|\\n){0,12}",
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => text().prop_map(Step::Says),
        4 => text().prop_map(Step::Text),
        1 => text().prop_map(Step::Reasons),
        2 => (any::<bool>(), text()).prop_map(|(tool, args)| Step::Call { tool, args }),
        2 => text().prop_map(Step::Prints),
        2 => any::<bool>().prop_map(Step::Ends),
        1 => Just(Step::Drops),
        1 => Just(Step::Retry),
        1 => Just(Step::TurnEnds),
        3 => any::<u8>().prop_map(Step::Key),
        2 => any::<i8>().prop_map(Step::Scroll),
        3 => (1_u16..200, 1_u16..60).prop_map(|(width, height)| Step::Draw(width, height)),
    ]
}

#[derive(Default)]
struct Actor {
    scene: Scene,
    open: Vec<(CallId, &'static str)>,
    text: Option<u64>,
}

impl Actor {
    fn play(&mut self, step: &Step) {
        let scene = &mut self.scene;
        scene.wait(70);
        match step {
            Step::Says(text) => {
                self.text = None;
                scene.says(text);
            }
            Step::Text(text) => {
                let part = *self.text.get_or_insert_with(|| scene.text_part());
                scene.delta(part, text);
            }
            Step::Reasons(text) => scene.reasons(text, 50),
            Step::Call { tool, args } => self.call(*tool, args),
            Step::Prints(text) => {
                if let Some((call, _)) = self.open.last() {
                    scene.runs(call);
                    scene.prints(call, text);
                }
            }
            Step::Ends(well) => {
                if let Some((call, tool)) = self.open.pop() {
                    let failed = CallResult::error(ErrorKind::NotFound, "no\u{1b}[2J", None);
                    let ended = if *well {
                        result("out\nput", json!({}))
                    } else {
                        failed
                    };
                    scene.ends(&call, tool, ended);
                }
            }
            Step::Drops => scene.reply_ends(MessageState::Cut, None),
            Step::Retry => self.retry(),
            Step::TurnEnds => scene.turn_ends(TurnEndReason::Stop),
            Step::Key(key) => self.key(*key),
            Step::Scroll(rows) => scene.transcript.scroll_by(isize::from(*rows)),
            Step::Draw(width, height) => {
                scene.draw(*width, *height);
            }
        }
    }

    fn call(&mut self, reads: bool, args: &str) {
        let tool = if reads { "read" } else { "bash" };
        let call = CallId::new();
        let part = self.scene.part(PartBody::Tool(tool_part(&call, tool)));
        let args = json!({ "file_path": args }).to_string();
        let half = (0..=args.len() / 2)
            .rev()
            .find(|at| args.is_char_boundary(*at))
            .unwrap_or(0);
        self.scene.delta(part, &args[..half]);
        self.scene.delta(part, &args[half..]);
        self.open.push((call, tool));
    }

    fn retry(&mut self) {
        self.text = None;
        let voided = Some(self.scene.reply());
        self.scene.part(PartBody::Reasoning(ReasoningPart::default()));
        let retry = Retry {
            attempt: 1,
            most: 5,
            delay_ms: 90,
            reason: "busy".to_owned(),
            voided,
        };
        self.scene.apply(&Event::Retry(retry));
    }

    fn key(&mut self, key: u8) {
        let transcript = &mut self.scene.transcript;
        match key % 22 {
            0 => transcript.focus_move(1),
            1 => transcript.focus_move(-1),
            2 => transcript.focus_first(),
            3 => transcript.focus_last(),
            4 => transcript.toggle_fold(),
            5 => transcript.fold_all(),
            6 => transcript.toggle_reasoning(),
            7 => transcript.page(1),
            8 => transcript.page(-1),
            9 => transcript.to_start(),
            10 => transcript.to_end(),
            11 => drop(transcript.next_failure(1)),
            12 => drop(transcript.copy_focused()),
            13 => drop(transcript.next_failure(-1)),
            14 => transcript.search(),
            15 => transcript.search_for(["e", "a b", "世", "line 1"][usize::from(key) / 22 % 4]),
            16 => drop(transcript.search_step(if key > 100 { 1 } else { -1 })),
            17 => transcript.end_search(),
            18 => drop(transcript.press(u16::from(key) / 3, u16::from(key) / 22, Unit::Cluster)),
            19 => transcript.drag(u16::from(key) / 4, u16::from(key) / 30),
            20 => transcript.select(),
            _ => {
                transcript.select_to(MOVES[usize::from(key) / 22 % MOVES.len()]);
                drop(transcript.selected_text());
            }
        }
    }
}

/// The row of the screen on which each block begins that begins on it.
fn places(scene: &mut Scene) -> BTreeMap<usize, usize> {
    scene.draw(60, 14);
    let transcript = &scene.transcript;
    let blocks = transcript.blocks.list.len();
    let starts = transcript.shown.starts.iter();
    let begins = starts.filter(|(row, index)| *index < blocks && (*row > 0 || transcript.shown.top.row == 0));
    begins.map(|(row, index)| (*index, *row)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        // A case that is kept would fail a second try, too, which is to tell if a failure comes again.
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_events_at_any_size_are_drawn(steps in prop::collection::vec(step(), 0..60)) {
        let mut actor = Actor::default();
        for step in &steps {
            actor.play(step);
        }
        actor.scene.draw(80, 24);
    }

    #[test]
    fn what_streams_moves_nothing_down(steps in prop::collection::vec(step(), 0..60)) {
        let mut actor = Actor::default();
        for turn in 0..6 {
            actor.scene.says(&format!("question {turn}"));
            actor.scene.answers("an answer\n\nin two paragraphs");
            actor.scene.turn_ends(TurnEndReason::Stop);
        }
        actor.scene.says("go");
        let mut before = places(&mut actor.scene);
        for step in &steps {
            if matches!(step, Step::Key(_) | Step::Scroll(_) | Step::Draw(..) | Step::Says(_)) {
                continue;
            }
            if !matches!(step, Step::Text(_)) {
                // A text ends where the next part begins.
                actor.text = None;
            }
            actor.play(step);
            let after = places(&mut actor.scene);
            for (block, row) in &before {
                let now = after.get(block);
                prop_assert!(now.is_none_or(|now| now <= row), "{step:?} moves block {block} from row {row} to {now:?}");
            }
            before = after;
        }
    }

    #[test]
    fn a_reader_who_scrolled_up_is_never_moved(steps in prop::collection::vec(step(), 0..30), up in 1_isize..40) {
        let mut actor = Actor::default();
        for turn in 0..20 {
            actor.scene.says(&format!("question {turn}"));
            actor.scene.answers("an answer\n\nin two paragraphs");
            actor.scene.turn_ends(TurnEndReason::Stop);
        }
        actor.scene.draw(60, 12);
        actor.scene.transcript.scroll_by(-up - 12);
        let before = actor.scene.rows(60, 12);
        for step in &steps {
            if !matches!(step, Step::Key(_) | Step::Scroll(_) | Step::Draw(..)) {
                actor.play(step);
            }
        }
        prop_assert_eq!(actor.scene.rows(60, 12), before);
    }
}
