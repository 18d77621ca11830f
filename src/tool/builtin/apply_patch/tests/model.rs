//! Any sequence of patches does what the same does to a map of names to texts; a refused one does nothing.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::{open, patch};

type Files = BTreeMap<String, String>;

/// Few names, some of them below others, so that patches get in each other's way.
const NAMES: [&str; 6] = ["a", "b", "d/a", "d/e/f", "d", "b/x"];

#[derive(Debug, Clone)]
enum Act {
    Add(usize, Vec<u8>),
    Delete(usize),
    /// Replaces the line at a place by others.
    Update(usize, usize, Vec<u8>, Option<usize>),
}

fn act() -> impl Strategy<Value = Act> {
    let name = 0..NAMES.len();
    let lines = prop::collection::vec(0u8..4, 0..4);
    prop_oneof![
        3 => (name.clone(), lines.clone()).prop_map(|(name, lines)| Act::Add(name, lines)),
        1 => name.clone().prop_map(Act::Delete),
        4 => (name.clone(), 0usize..6, lines, prop::option::weighted(0.3, name))
            .prop_map(|(name, at, lines, target)| Act::Update(name, at, lines, target)),
    ]
}

fn line(number: u8) -> String {
    format!("line {number}")
}

fn is_below(name: &str, other: &str) -> bool {
    name.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'))
}

/// The contents of the project: files, and the directories that were made for them and stay.
#[derive(Debug, Clone, Default)]
struct Model {
    files: Files,
    directories: Vec<String>,
    /// Files on disk when the patch began: a place below one is no place, even if the patch deletes it.
    on_disk: Files,
}

impl Model {
    fn can_be_put(&self, name: &str) -> bool {
        !self
            .files
            .keys()
            .any(|other| is_below(name, other) || is_below(other, name))
            && !self.on_disk.keys().any(|other| is_below(name, other))
            && !self.directories.iter().any(|directory| directory == name)
    }

    /// Carries one act out and adds its section; `None` when it cannot be.
    fn carry_out(&mut self, act: &Act, body: &mut String) -> Option<()> {
        match act {
            Act::Add(name, lines) => {
                let name = NAMES[*name];
                writeln!(body, "*** Add File: {name}").unwrap();
                let text: String = lines.iter().map(|number| line(*number) + "\n").collect();
                text.lines().for_each(|line| writeln!(body, "+{line}").unwrap());
                self.can_be_put(name)
                    .then(|| self.files.insert(name.to_owned(), text))?;
            }
            Act::Delete(name) => {
                writeln!(body, "*** Delete File: {}", NAMES[*name]).unwrap();
                self.files.remove(NAMES[*name])?;
            }
            Act::Update(name, at, new, target) => {
                let name = NAMES[*name];
                writeln!(body, "*** Update File: {name}").unwrap();
                if let Some(target) = target {
                    writeln!(body, "*** Move to: {}", NAMES[*target]).unwrap();
                }
                let old = self.files.get(name).cloned().unwrap_or_default();
                let mut lines: Vec<String> = old.lines().map(str::to_owned).collect();
                let at = at.checked_rem(lines.len()).unwrap_or(0);
                body.push_str("@@\n");
                // All that stands before is quoted, so that the place is the only one.
                lines
                    .iter()
                    .take(at)
                    .for_each(|line| writeln!(body, " {line}").unwrap());
                let mut added: Vec<String> = new.iter().map(|number| line(*number)).collect();
                if lines.is_empty() {
                    added.push("end".to_owned());
                } else {
                    writeln!(body, "-{}", lines.remove(at)).unwrap();
                }
                for line in &added {
                    writeln!(body, "+{line}").unwrap();
                }
                lines.splice(at..at, added);
                self.files.remove(name)?;
                let text = lines.iter().flat_map(|line| [line, "\n"]).collect();
                let target = target.map_or(name, |target| NAMES[target]);
                // A file comes to stand neither below itself nor in place of its own directory.
                let is_nested = is_below(target, name) || is_below(name, target);
                (target == name || (!is_nested && self.can_be_put(target)))
                    .then(|| self.files.insert(target.to_owned(), text))?;
            }
        }
        Some(())
    }

    /// The patch is through: what it made is on disk now.
    fn settle(&mut self) {
        for name in self.files.keys() {
            let above = Path::new(name).ancestors().skip(1);
            for directory in above
                .filter_map(Path::to_str)
                .filter(|directory| !directory.is_empty())
            {
                self.directories.push(directory.to_owned());
            }
        }
        self.on_disk = self.files.clone();
    }
}

fn collect(directory: &Path, prefix: &str, found: &mut Files) {
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if name == ".git" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            collect(&entry.path(), &format!("{name}/"), found);
        } else {
            found.insert(name, fs::read_to_string(entry.path()).unwrap());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn patches_do_what_they_do_to_a_model(
        patches in prop::collection::vec(prop::collection::vec(act(), 1..5), 1..6)
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let project = open();
        let mut model = Model::default();
        for acts in &patches {
            let mut after = model.clone();
            let mut body = String::new();
            let fits = acts.iter().map(|act| after.carry_out(act, &mut body)).all(|done| done.is_some());
            project.new_turn();
            let result = runtime.block_on(project.run("apply_patch", patch(&body)));
            prop_assert_eq!(result.ok, fits, "{}\n{}", body, result.output);
            if fits {
                after.settle();
                model = after;
            }
            let mut found = Files::new();
            collect(&project.path(""), "", &mut found);
            prop_assert_eq!(&found, &model.files, "{}\n{}", body, result.output);
        }
    }

    #[test]
    fn no_text_panics_and_a_refused_one_leaves_every_byte(
        text in "((\\*\\*\\* (Begin Patch|End Patch|(Add|Update|Delete) File: (a|b|d/c|\\.\\./o|)|Move to: b|End of File)|@@( l)?|[ +-]?(l|m|\u{201c}|)) ?\r?\n){0,14}"
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let project = open();
        let original = b"\xef\xbb\xbfl\r\nm\nl\n\"".to_vec();
        project.write("a", &original);
        for wrapped in [text.clone(), format!("*** Begin Patch\n{text}*** End Patch\n")] {
            project.new_turn();
            let result = runtime.block_on(project.run("apply_patch", serde_json::json!({ "patch_text": wrapped })));
            if result.ok {
                break;
            }
            prop_assert!(result.output.starts_with("Error: "));
            prop_assert_eq!(fs::read(project.path("a")).unwrap(), original.clone());
            let entries = fs::read_dir(project.path("")).unwrap().count();
            prop_assert_eq!(entries, 2, "{}", wrapped);
        }
    }
}
