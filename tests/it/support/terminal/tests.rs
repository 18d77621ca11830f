use super::*;

fn bash(project: &Project, script: &str) -> Terminal {
    Start::new("bash", project)
        .args(&["--norc", "-c", script])
        .size(40, 6)
        .spawn()
}

#[test]
fn what_is_typed_comes_back_on_the_screen() {
    let project = Project::new();
    let terminal = Start::new("cat", &project).size(30, 5).spawn();
    terminal.keys("hello");
    terminal.key(Key::Enter);
    assert_eq!(
        terminal.wait_for(|screen| screen.lines().count() == 2),
        "hello\nhello"
    );
    assert_eq!(terminal.find("hello"), Some((0, 0)));
    assert_eq!(terminal.cursor(), Some((0, 2)));
    terminal.key(Key::Ctrl('d'));
    assert!(terminal.wait_exit().success());
    terminal.assert_restored();
}

#[test]
fn colours_are_told_by_cell() {
    let project = Project::new();
    let terminal = bash(&project, r"printf '\e[1;31mred\e[0m plain'; read");
    terminal.wait_text("red plain");
    let red = terminal.cell(0, 0);
    assert_eq!(
        (&*red.text, red.foreground, red.bold),
        ("r", vt100::Color::Idx(1), true)
    );
    assert_eq!(terminal.cell(4, 0).foreground, vt100::Color::Default);
}

#[test]
fn the_size_is_told_and_changed() {
    let project = Project::new();
    let script = "trap 'stty size' WINCH; stty size; while :; do read -t 0.05; done";
    let terminal = bash(&project, script);
    terminal.wait_text("6 40");
    terminal.resize(50, 10);
    terminal.wait_text("10 50");
}

#[test]
fn queries_are_answered_or_not() {
    let project = Project::new();
    let script = r"stty -echo -icanon min 0 time 3; printf '\e[c\e[6n\e]11;?\a'; cat -v; echo end";
    for (queries, expected) in [
        (Queries::Answered, "^[[?62;22c^[[1;1R^[]11;rgb:1616/1616/"),
        (Queries::Unanswered, "end"),
    ] {
        let start = Start::new("bash", &project)
            .args(&["--norc", "-c", script])
            .size(60, 6);
        let terminal = start.queries(queries).spawn();
        let screen = terminal.wait_text("end");
        assert!(screen.starts_with(expected), "{queries:?}: {screen}");
    }
}

#[test]
fn a_terminal_that_is_left_changed_is_noticed() {
    let project = Project::new();
    for script in [
        "stty raw -echo",
        r"printf '\e[?1049h'",
        r"printf '\e[?25l'",
        r"printf '\e[?2004h'",
    ] {
        let terminal = bash(&project, script);
        terminal.wait_exit();
        let restored = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| terminal.assert_restored()));
        assert!(restored.is_err(), "{script} was not noticed");
    }
}

#[test]
fn raw_output_shows_clears_and_frames() {
    let project = Project::new();
    let terminal = bash(
        &project,
        r"printf 'a\e[2Jb\e[?2026hc\e[?2026l'; read; printf 'd\e[2Jend'; read",
    );
    terminal.wait_text("c");
    assert_eq!((terminal.clears_since(0), terminal.frames_since(0)), (1, 1));
    let mark = terminal.mark();
    terminal.key(Key::Enter);
    terminal.wait_text("end");
    assert_eq!((terminal.clears_since(mark), terminal.frames_since(mark)), (1, 0));
}

#[test]
fn a_paste_is_bracketed_when_asked_for() {
    let project = Project::new();
    let terminal = bash(
        &project,
        r"stty -echo; printf '\e[?2004hready\r\n'; head -n 1 | cat -v",
    );
    terminal.wait_text("ready");
    terminal.paste("two words");
    terminal.key(Key::Enter);
    terminal.wait_text("^[[200~two words^[[201~");
}

#[test]
fn signals_end_the_program() {
    let project = Project::new();
    let terminal = bash(&project, "echo ready; exec sleep 60");
    terminal.wait_text("ready");
    terminal.signal(Signal::TERM);
    assert_eq!(terminal.wait_exit().signal(), Some("Terminated"));
}

#[test]
#[should_panic(expected = "bye now")]
fn a_wait_for_what_never_comes_shows_the_screen() {
    let project = Project::new();
    bash(&project, "echo bye now").wait_text("never");
}
