//! Cards, as questions and forms have them.

use std::time::Duration;

use lathe::conversation::SessionId;
use lathe::text::sgr::SgrStyle;
use lathe::view::card::{
    Card, CardPart, Code, DiffBody, Fact, FileTarget, Tone, ToneLine, ToneSpan, TreeRow,
};

use super::{every, round_trip};

fn line(tone: Tone) -> ToneLine {
    ToneLine::from(ToneSpan {
        tone,
        text: "12: ".into(),
        is_aside: true,
        spoken: "done: ".into(),
    })
}

pub(super) fn card() -> Card {
    Card {
        title: "Bash".into(),
        argument: "ls\u{1b}[2J".into(),
        language: "bash".into(),
        target: Some(FileTarget::given("a b.rs").at(Some(4))),
        session: Some(SessionId::new()),
        keeps_argument: true,
        meta: vec![Fact::Exit(1)],
        limit: Some(Duration::from_mins(2)),
        look: true,
        body: vec![
            CardPart::Text("one".into()),
            CardPart::Lines(vec![line(Tone::Match).about(FileTarget::shown("a.rs"))]),
        ],
    }
}

#[test]
fn every_part_of_a_card_is_data() {
    round_trip(&card());
    every!(CardPart {
        CardPart::Text(_) => CardPart::Text("a\tb".into());
        CardPart::Code(_) => CardPart::Code(Code {
            text: "fn a() {}".into(),
            language: "rs".into(),
            first_line: Some(4),
            wraps: true,
        });
        CardPart::Diff(_) => CardPart::Diff(DiffBody {
            path: "a.rs".into(),
            unified: "@@ -1 +1 @@\n-a\n+b\n".into(),
            max_lines: 2,
            is_unplaced: true,
        });
        CardPart::Markdown(_) => CardPart::Markdown("# a".into());
        CardPart::Table { .. } => CardPart::Table {
            head: vec!["a".into()],
            rows: vec![vec!["b".into()]],
        };
        CardPart::Tree(_) => CardPart::Tree(vec![TreeRow { depth: 2, text: "src".into() }]);
        CardPart::Lines(_) => CardPart::Lines(vec![line(Tone::Muted), ToneLine::default()]);
        CardPart::Printed(_) => CardPart::Printed(vec![line(Tone::Normal)]);
        CardPart::Omitted(_) => CardPart::Omitted("2 lines above".into());
    });
    every!(Fact {
        Fact::Changed { .. } => Fact::changed(6, 2);
        Fact::Count { .. } => Fact::Count { number: 4, noun: "match".into(), is_least: true };
        Fact::Printed(_) => Fact::Printed(3012);
        Fact::Seen(_) => Fact::Seen(2000);
        Fact::Exit(_) => Fact::Exit(101);
        Fact::Signal(_) => Fact::Signal(9);
        Fact::TimedOut => Fact::TimedOut;
        Fact::Took(_) => Fact::Took(Duration::from_millis(63_500));
        Fact::Text(_) => Fact::Text("created".into());
    });
    every!(Tone {
        Tone::Normal => Tone::Normal;
        Tone::Muted => Tone::Muted;
        Tone::Strong => Tone::Strong;
        Tone::Accent => Tone::Accent;
        Tone::Match => Tone::Match;
        Tone::Success => Tone::Success;
        Tone::Warning => Tone::Warning;
        Tone::Danger => Tone::Danger;
        Tone::Printed(_) => Tone::Printed(SgrStyle::from("1;4;38;2;1;2;3;48;5;208".to_owned()));
    });
}
