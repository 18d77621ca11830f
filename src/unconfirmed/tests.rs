use std::fs;
use std::path::{Path, PathBuf};

use super::*;

struct Place {
    _held: tempfile::TempDir,
    root: PathBuf,
    records: UnconfirmedRecords,
}

impl Place {
    fn new() -> Self {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        let root = base.join("p");
        fs::create_dir(&root).unwrap();
        Self {
            _held: held,
            root,
            records: UnconfirmedRecords::new(&base.join("data")),
        }
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Does something as a command, which is followed to its end or not.
    fn command(&self, is_followed: bool, command: impl FnOnce()) {
        let mut digests = Digests::default();
        let watch = self.records.watch(&self.root, &self.root, &mut digests);
        command();
        if is_followed {
            watch.end(&[], &mut digests, |_| true).unwrap();
        }
    }

    fn unconfirmed(&self) -> UnconfirmedFiles {
        self.records.unconfirmed(&self.root, &self.root).unwrap()
    }

    fn files(&self) -> Vec<String> {
        let unconfirmed = self.unconfirmed();
        let names = unconfirmed.files().iter().map(|file| {
            let relative = file.path.strip_prefix(&self.root).unwrap();
            relative.display().to_string()
        });
        names.collect()
    }
}

#[test]
fn names_that_lead_to_what_is_read_are_known() {
    for (name, is) in [
        ("lathe.jsonc", true),
        ("a/LATHE.jsonc", true),
        (".lathe", true),
        (".claude", true),
        (".claude/agents", true),
        ("a/.claude/agents/x.md", true),
        (".opencode/commands/a/b.md", true),
        (".lathe/plans/x.md", false),
        (".claude/skills/x.md", false),
        ("agents/x.md", false),
        (".envrc", false),
        (".git/hooks/x", false),
    ] {
        assert_eq!(is_read(Path::new(name)), is, "{name}");
    }
}

#[test]
fn what_differs_after_a_command_is_held_whether_it_was_followed_or_not() {
    for is_followed in [true, false] {
        let place = Place::new();
        place.write("lathe.jsonc", "old");
        place.write(".claude/agents/a.md", "old");
        place.command(is_followed, || {
            place.write("lathe.jsonc", "new");
            place.write(".lathe/commands/a/b.md", "new");
        });
        let held = ["lathe.jsonc", ".lathe/commands/a/b.md"];
        let mut files = place.files();
        files.sort_unstable_by_key(|name| name.starts_with('.'));
        assert_eq!(files, held, "{is_followed}");
        let unconfirmed = place.unconfirmed();
        assert!(unconfirmed.holds(&place.root.join("LATHE.JSONC")));
        assert!(!unconfirmed.holds(&place.root.join(".claude/agents/a.md")));
        // As it was, and gone.
        place.write("lathe.jsonc", "old");
        fs::remove_dir_all(place.root.join(".lathe")).unwrap();
        assert_eq!(place.files(), [""; 0]);
    }
}

#[test]
fn what_was_there_before_the_first_command_is_what_counts_as_before() {
    let place = Place::new();
    place.command(true, || place.write("lathe.jsonc", "one"));
    place.command(true, || place.write("lathe.jsonc", "two"));
    place.write("lathe.jsonc", "one");
    assert_eq!(place.files(), ["lathe.jsonc"]);
}

#[test]
fn a_yes_is_to_what_was_shown_and_nothing_else() {
    let place = Place::new();
    place.command(true, || {
        place.write("lathe.jsonc", "{}");
        place.write(".claude/settings.json", "{}");
        fs::write(place.root.join(".claude/settings.local.json"), b"\xff").unwrap();
    });
    let shown = place.unconfirmed();
    assert!(shown.is_current());
    let confirmed = shown.confirmed();
    assert!(!confirmed.holds(&place.root.join("lathe.jsonc")));
    assert!(confirmed.holds(&place.root.join(".claude/settings.local.json")));
    place.write(".claude/settings.json", "other");
    assert!(!shown.is_current());
    place.records.confirm(&shown).unwrap();
    assert_eq!(
        place.files(),
        [".claude/settings.json", ".claude/settings.local.json"]
    );
}

#[test]
fn a_text_that_is_another_than_the_one_that_was_judged_is_known() {
    let place = Place::new();
    let path = place.root.join("lathe.jsonc");
    assert!(place.unconfirmed().is_as_seen(&path, "no command was ever run"));
    place.write("lathe.jsonc", "\u{feff}old");
    place.command(false, || ());
    let judged = place.unconfirmed();
    assert!(judged.is_as_seen(&path, "old"));
    assert!(!judged.is_as_seen(&path, "new"));
    assert!(!judged.is_as_seen(&place.root.join(".lathe/lathe.jsonc"), "new"));
}

#[test]
fn a_directory_with_too_many_files_is_held_as_a_whole() {
    let place = Place::new();
    place.command(true, || {
        for number in 0..2100 {
            place.write(&format!(".lathe/agents/{number}.md"), "");
        }
    });
    let unconfirmed = place.unconfirmed();
    assert!(unconfirmed.holds(&place.root.join(".lathe/agents/x.md")));
    let directory = unconfirmed
        .files()
        .iter()
        .find(|file| file.path.ends_with(".lathe/agents"));
    assert_eq!(directory.unwrap().text, None);
}

/// Writes a file as a transaction does.
fn lathe_writes(place: &Place, file: &str, text: &str) {
    let path = place.root.join(file);
    let before = fs::read(&path).ok().map(|bytes| digest_of(&bytes));
    let noted = place
        .records
        .note(&[WrittenFile { path: &path, before }])
        .unwrap();
    place.write(file, text);
    place.records.note_again(&noted).unwrap();
}

#[test]
fn what_lathe_wrote_is_held_wherever_a_link_makes_configuration_of_it() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    let at = |name: &str| place.root.join(name);
    lathe_writes(&place, "docs/agents/x.md", "new");
    lathe_writes(&place, "other.jsonc", "{}");
    assert_eq!(place.files(), [""; 0], "ordinary files are no configuration");
    symlink("conf", at(".lathe")).unwrap();
    symlink("docs", at("conf")).unwrap();
    symlink("x.md", at("docs/agents/y.md")).unwrap();
    symlink("other.jsonc", at("lathe.jsonc")).unwrap();
    assert_eq!(
        place.files(),
        [".lathe/agents/x.md", ".lathe/agents/y.md", "lathe.jsonc"]
    );
    // What the person wrote there is read.
    place.write("docs/agents/own.md", "mine");
    assert!(!place.unconfirmed().holds(&at(".lathe/agents/own.md")));
    // Each of its names is confirmed.
    place.records.confirm(&place.unconfirmed()).unwrap();
    assert_eq!(place.files(), [""; 0]);
    place.write("other.jsonc", "{} // mine");
    assert_eq!(place.files(), [""; 0]);
    lathe_writes(&place, "other.jsonc", "{} // theirs");
    assert_eq!(place.files(), ["lathe.jsonc"]);
    lathe_writes(&place, "other.jsonc", "{} // mine");
    assert_eq!(place.files(), [""; 0], "it is as it was before");
}

#[test]
fn a_note_that_a_reader_forgot_before_the_write_is_made_again() {
    let place = Place::new();
    let path = place.root.join("lathe.jsonc");
    let noted = place
        .records
        .note(&[WrittenFile {
            path: &path,
            before: None,
        }])
        .unwrap();
    assert_eq!(place.files(), [""; 0], "nothing is there");
    place.write("lathe.jsonc", "{}");
    place.records.note_again(&noted).unwrap();
    assert_eq!(place.files(), ["lathe.jsonc"]);
}

#[test]
fn a_file_that_settings_name_is_held_like_them() {
    let place = Place::new();
    place.write(
        "lathe.jsonc",
        r#"{"agents": {"build": {"prompt": "{file:p.md}"}}}"#,
    );
    place.write("p.md", "mine");
    let path = place.root.join("p.md");
    place.command(true, || place.write("p.md", "theirs"));
    assert_eq!(place.files(), ["p.md"]);
    assert!(!place.unconfirmed().lets_read_named(&path, "theirs"));
    place.records.confirm(&place.unconfirmed()).unwrap();
    assert!(place.unconfirmed().lets_read_named(&path, "theirs"));
    // One that the text does not show is judged when it is read.
    lathe_writes(&place, "q.md", "theirs");
    let path = place.root.join("q.md");
    assert!(!place.unconfirmed().lets_read_named(&path, "theirs"));
    assert!(
        place
            .unconfirmed()
            .lets_read_named(&place.root.join("r.md"), "mine")
    );
}

#[test]
fn records_that_cannot_be_read_are_an_error() {
    let place = Place::new();
    place.command(true, || place.write("lathe.jsonc", "{}"));
    fs::write(place.records.files(), "half\n").unwrap();
    assert!(place.records.unconfirmed(&place.root, &place.root).is_err());
}
