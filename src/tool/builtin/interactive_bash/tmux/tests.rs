use proptest::prelude::*;

use super::*;
use crate::process::pty::PtySize;

fn started(start: StartRequest) -> Operation {
    Operation::Start(start)
}

fn start_of(session: &str) -> StartRequest {
    StartRequest::new(session.to_owned(), None, None, None)
}

#[expect(clippy::unnecessary_wraps, reason = "the fields are optional")]
fn named(name: &str) -> Option<String> {
    Some(name.to_owned())
}

fn words(session: Option<&str>, words: &[&str]) -> Operation {
    Operation::Send {
        session: session.unwrap_or(DEFAULT_SESSION).to_owned(),
        input: words
            .iter()
            .map(|word| TypedInput::Word((*word).to_owned()))
            .collect(),
    }
}

fn literal(text: &str) -> Operation {
    Operation::Send {
        session: DEFAULT_SESSION.to_owned(),
        input: vec![TypedInput::Text(text.to_owned())],
    }
}

fn one(line: &str) -> Operation {
    let mut commands = parse(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    assert_eq!(commands.len(), 1, "{line}");
    commands.remove(0)
}

#[test]
fn every_subcommand_is_understood_by_both_names() {
    let stop = |session: Option<&str>| Operation::Stop {
        session: session.unwrap_or(DEFAULT_SESSION).to_owned(),
    };
    let has = |session: Option<&str>| Operation::Has {
        session: session.unwrap_or(DEFAULT_SESSION).to_owned(),
    };
    let table = [
        ("new-session", started(start_of(DEFAULT_SESSION))),
        ("new -d -s omo-dev", started(start_of("omo-dev"))),
        (
            "new-session -Ads omo-dev -x100 -y 30 -c /tmp -n window -e A=b -eC=d=e 'vim x; ls'",
            started(StartRequest {
                session: "omo-dev".into(),
                command: named("vim x; ls"),
                workdir: named("/tmp"),
                environment: vec![("A".into(), "b".into()), ("C".into(), "d=e".into())],
                size: PtySize { cols: 100, rows: 30 },
                reads_existing: true,
            }),
        ),
        (
            "new-session -d -x - vim 'a b' -R \"it's\"",
            started(StartRequest {
                command: named(r"vim 'a b' -R 'it'\''s'"),
                ..start_of(DEFAULT_SESSION)
            }),
        ),
        (
            "send-keys -t omo-dev ls Enter",
            words(Some("omo-dev"), &["ls", "Enter"]),
        ),
        ("send -t omo-dev:0.1 C-c", words(Some("omo-dev"), &["C-c"])),
        ("send-keys -t =omo-dev: q", words(Some("omo-dev"), &["q"])),
        ("send-keys -R", words(None, &[])),
        ("send-keys -- -l", words(None, &["-l"])),
        ("send-keys -l Enter", literal("Enter")),
        (
            "send-keys -H 1b 0x41 e9",
            Operation::Send {
                session: DEFAULT_SESSION.into(),
                input: ['\x1b', 'A', 'é'].map(|c| TypedInput::Text(c.into())).into(),
            },
        ),
        ("kill-session -t omo-dev", stop(Some("omo-dev"))),
        ("kill-session", stop(None)),
        ("has-session -t x", has(Some("x"))),
        ("has -tx", has(Some("x"))),
        ("list-sessions", Operation::List),
        ("ls", Operation::List),
        (
            "resize-window -t x -x 80 -y 24",
            Operation::Resize {
                session: "x".into(),
                cols: Some(80),
                rows: Some(24),
            },
        ),
        (
            "resizew -y 50",
            Operation::Resize {
                session: DEFAULT_SESSION.into(),
                cols: None,
                rows: Some(50),
            },
        ),
        ("kill-server", Operation::StopAll),
    ];
    for (line, expected) in table {
        assert_eq!(one(line), expected, "{line}");
    }
}

#[test]
fn tmux_and_its_own_options_are_skipped() {
    for line in [
        "tmux ls",
        "tmux -L name ls",
        "tmux -Lname -S /tmp/x -f /dev/null -c sh -T 256 ls",
        "-2uvClqN ls",
        "tmux -2 -L name -- ls",
        "tmux -uL name ls",
    ] {
        assert_eq!(one(line), Operation::List, "{line}");
    }
}

#[test]
fn words_are_split_as_by_a_shell_and_nothing_is_expanded() {
    let table = [
        (r#"send-keys 'a  b' "c d" e\ f"#, &["a  b", "c d", "e f"][..]),
        (
            r#"send-keys "say \"hi\" \\ \n $HOME `x`""#,
            &[r#"say "hi" \ \n $HOME `x`"#],
        ),
        (
            r"send-keys 'it'\''s' $HOME *.rs ~",
            &["it's", "$HOME", "*.rs", "~"],
        ),
        ("send-keys '' \"\"", &["", ""]),
        ("send-keys a\\\nb\tc", &["ab", "c"]),
        ("send-keys 'cd /tmp; ls' Enter", &["cd /tmp; ls", "Enter"]),
        (r"send-keys a\;b", &["a;b"]),
        (r"send-keys a\", &[r"a\"]),
        ("send-keys 漢字 é", &["漢字", "é"]),
    ];
    for (line, expected) in table {
        assert_eq!(one(line), words(None, expected), "{line}");
    }
}

#[test]
fn commands_are_chained() {
    for line in [
        "kill-session -t a ; ls",
        "kill-session -t a; ls",
        "kill-session -t a;ls;",
        r"tmux kill-session -t a \; ls",
        r"tmux kill-session -t a\; ls",
        "tmux kill-session -t a; tmux ls",
        "kill-session -t a\nls\n",
        ";; kill-session -t a ;; ls",
    ] {
        let expected = [Operation::Stop { session: "a".into() }, Operation::List];
        assert_eq!(parse(line).unwrap(), expected, "{line:?}");
    }
}

#[test]
fn what_shows_a_screen_is_refused_wherever_it_stands() {
    for name in REFUSED {
        for line in [
            name.to_owned(),
            format!("tmux {name} -p -t omo-dev"),
            format!("tmux -L x -2 {name}"),
            format!("new-session -d ; {name} -p"),
            format!(r"send-keys -t x ls Enter \; {name}"),
            format!("no-such-command ; ls extra ; tmux {name}"),
            format!("'{name}'"),
        ] {
            assert_eq!(parse(&line), Err(TmuxError::Refused(name.to_owned())), "{line}");
        }
    }
    assert!(
        TmuxError::Refused("capturep".into())
            .to_string()
            .contains("every answer already shows the screen")
    );
    // Typed as text they are nothing but text.
    assert_eq!(
        one("send-keys 'tmux capture-pane' Enter"),
        words(None, &["tmux capture-pane", "Enter"])
    );
}

#[test]
fn everything_else_is_an_error_that_says_what_to_change() {
    let table = [
        ("", "the command is empty; supported are new-session"),
        (" ; ", "the command is empty"),
        (
            "tmux",
            "`tmux` alone does nothing here; supported are new-session",
        ),
        (
            "split-window -h",
            "`split-window` is not supported; supported are new-session, send-keys",
        ),
        ("tmux -Z ls", "`-Z` is not supported"),
        ("tmux -L", "`tmux` alone does nothing here"),
        ("send-keys 'open", "a quote ' is not closed"),
        ("send-keys \"open", "a quote \" is not closed"),
        ("send-keys -Z x", "`send-keys` has no option `-Z` here"),
        ("send-keys -t", "`send-keys -t` needs a value"),
        (
            "send-keys -H zz",
            "`zz` is not the hexadecimal number of a character",
        ),
        ("send-keys -H d800", "`d800` is not the hexadecimal number"),
        (
            "kill-session -t 'a b'",
            "`a b` is no name of a session; use up to 64 letters",
        ),
        ("kill-session -t :1", "`` is no name of a session"),
        ("kill-session a", "`kill-session` takes no `a`"),
        ("ls -F x", "`ls` has no option `-F` here"),
        ("new -x 19", "`-x 19` is not a number from 20 to 500"),
        ("new -y 201", "`-y 201` is not a number from 5 to 200"),
        ("new -x many", "`-x many` is not a number"),
        ("new -e A", "`-e A` is not NAME=VALUE"),
        (
            "resize-window -t a",
            "`resize-window` needs `-x COLS`, `-y ROWS` or both",
        ),
        ("ls ; split-window", "`split-window` is not supported"),
    ];
    for (line, expected) in table {
        match parse(line) {
            Err(TmuxError::InvalidArgs(text)) => assert!(text.starts_with(expected), "{line}: {text}"),
            other => panic!("{line}: {other:?}"),
        }
    }
    let name = "x".repeat(65);
    assert!(parse(&format!("has -t {name}")).is_err());
    assert!(parse(&format!("has -t {}", &name[1..])).is_ok());
}

proptest! {
    #[test]
    fn any_line_is_read_or_refused(line in r#"[a-z \t\n;'"\\-]{0,40}|\PC{0,40}"#) {
        let first = line.split([' ', ';']).next().unwrap_or_default();
        let refused = REFUSED.contains(&first);
        prop_assert!(!refused || parse(&line).is_err());
    }

    #[test]
    fn a_quoted_word_is_read_as_it_was(word in "\\PC{1,20}") {
        let line = format!("send-keys -- {}", quoted(&word));
        prop_assert_eq!(one(&line), words(None, &[&word]));
    }
}
