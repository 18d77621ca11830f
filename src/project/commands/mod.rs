//! Commands of the user's own: Markdown files whose text is sent when somebody writes `/name`.
//!
//! They lie in `.lathe/commands`, `.claude/commands`, `.opencode/command` and `.opencode/commands` of the project, from the
//! working directory up to the root, then in lathe's configuration directory and in `~/.claude/commands`; the first of a
//! name wins. A directory below makes a name `sub/name`. Front matter may say `description`, `argument-hint`, `model`,
//! `agent` and `subtask`; in files of Claude Code it need not be YAML. Nothing is run here: [`mod@expand`] returns the shell
//! commands in a text, and the caller runs them.

mod expand;

pub use expand::{LastNumber, Piece, expand, shell_commands};

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::frontmatter::{self, FrontMatter, FrontMatterError, SourceProblem};
use super::markdown_file::ReadBudget;
use crate::project_root::directories;
use crate::regular_file::FileGate;
use crate::unconfirmed::{PlaceFormat, PlaceKind, UnconfirmedFiles, places_of};

/// Keys of the front matter that are read, or only name the command.
const KEYS: &[&str] = &[
    "name",
    "description",
    "argument-hint",
    "model",
    "agent",
    "subtask",
];
const MAX_DEPTH: usize = 8;
const MAX_NAME: usize = 64;

/// Directories that are searched for commands.
#[derive(Clone, Copy)]
pub struct CommandPlaces<'a> {
    /// Lathe's configuration directory.
    pub config: &'a Path,
    pub home: Option<&'a Path>,
    pub root: &'a Path,
    pub cwd: &'a Path,
    /// Decides which files may be read.
    pub gate: &'a dyn FileGate,
    /// Files of the project that are left out.
    pub unconfirmed: &'a UnconfirmedFiles,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCommand {
    /// `review`, or `git/commit` from a directory below.
    pub name: String,
    pub file: PathBuf,
    pub owner: CommandOwner,
    /// Empty where nobody described it.
    pub description: String,
    /// The arguments to write behind the name.
    pub argument_hint: String,
    pub model: Option<String>,
    pub agent: Option<String>,
    /// It wants to run as a task of its own.
    pub is_subtask: bool,
    /// Arguments that the highest `$n` in its text is replaced by: one word, or all that are left.
    pub last_number: LastNumber,
    /// Keys of its front matter that mean nothing here.
    pub unused: Vec<String>,
    /// The text, as it is written.
    pub body: String,
}

impl UserCommand {
    /// Puts arguments into its text.
    pub fn expand(&self, arguments: &str) -> Vec<Piece> {
        expand(&self.body, arguments, self.last_number)
    }

    /// Returns what of it counts from a project that is not trusted. Its shell commands stay in the text, and whoever
    /// expands it does not run them.
    #[must_use]
    pub fn text(&self) -> Self {
        Self {
            model: None,
            agent: None,
            is_subtask: false,
            ..self.clone()
        }
    }
}

/// Owner of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandOwner {
    Project,
    User,
}

/// Finds all commands, sorted by name, and what could not be read. Reads files and blocks.
pub fn commands(places: &CommandPlaces<'_>) -> (Vec<UserCommand>, Vec<SourceProblem>) {
    let mut found = CommandCollector {
        gate: places.gate,
        unconfirmed: places.unconfirmed,
        allowance: ReadBudget::default(),
        commands: Vec::new(),
        problems: Vec::new(),
    };
    let own = places.cwd.starts_with(places.root);
    for dir in directories(places.root, places.cwd).into_iter().rev() {
        for place in places_of(PlaceKind::Commands) {
            let held = CommandDirectory {
                owner: CommandOwner::Project,
                format: place.format,
                confined_to: Some(if own { places.root } else { places.cwd }),
            };
            found.directory(&dir.join(place.name), held);
        }
    }
    // What a project has used up is not taken from the user.
    found.allowance = ReadBudget::default();
    let user = |format| CommandDirectory {
        owner: CommandOwner::User,
        format,
        confined_to: None,
    };
    found.directory(&places.config.join("commands"), user(PlaceFormat::Lathe));
    if let Some(home) = places.home {
        found.directory(&home.join(".claude/commands"), user(PlaceFormat::Claude));
    }
    found.commands.sort_by(|one, other| one.name.cmp(&other.name));
    (found.commands, found.problems)
}

/// Directory of command files with its owner and format.
#[derive(Clone, Copy)]
struct CommandDirectory<'a> {
    owner: CommandOwner,
    format: PlaceFormat,
    /// The directory that every file must lie in, if one is given.
    confined_to: Option<&'a Path>,
}

struct CommandCollector<'a> {
    gate: &'a dyn FileGate,
    unconfirmed: &'a UnconfirmedFiles,
    allowance: ReadBudget,
    commands: Vec<UserCommand>,
    problems: Vec<SourceProblem>,
}

impl CommandCollector<'_> {
    fn directory(&mut self, dir: &Path, held: CommandDirectory<'_>) {
        let listed = self.allowance.list(dir, MAX_DEPTH, held.confined_to);
        let left_out = listed.left_out.into_iter();
        self.problems
            .extend(left_out.map(|(file, message)| SourceProblem::new(file, message)));
        let judged = (held.owner == CommandOwner::Project).then_some(self.unconfirmed);
        for file in listed.files {
            if judged.is_some_and(|judged| judged.holds(&file)) {
                continue;
            }
            let Some(name) = name_of(dir, &file) else {
                let message = format!(
                    "the file's name cannot be a command's; use at most {MAX_NAME} letters, digits, `-`, `_` and `.`"
                );
                self.problems.push(SourceProblem::new(file, message));
                continue;
            };
            if self.commands.iter().any(|command| command.name == name) {
                continue;
            }
            let text = self.allowance.read(&file, held.confined_to, self.gate, judged);
            let read = text
                .map_err(|message| SourceProblem::new(file.as_path(), message))
                .and_then(|text| {
                    parse(&text, held.format).map_err(|error| SourceProblem::placed(&file, error))
                })
                .map(|front| command(name, &file, held, front));
            match read {
                Ok(command) => self.commands.push(command),
                Err(problem) => self.problems.push(problem),
            }
        }
    }
}

fn name_of(dir: &Path, file: &Path) -> Option<String> {
    let name = file.strip_prefix(dir).ok()?.to_str()?.strip_suffix(".md")?;
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let begins_well = name.starts_with(char::is_alphanumeric);
    (begins_well && name.len() <= MAX_NAME && name.chars().all(is_plain)).then(|| name.to_owned())
}

fn parse(text: &str, format: PlaceFormat) -> Result<FrontMatter, FrontMatterError> {
    match format {
        PlaceFormat::Claude => frontmatter::parse_lenient(text),
        PlaceFormat::Lathe | PlaceFormat::OpenCode => frontmatter::parse(text),
    }
}

fn command(name: String, file: &Path, held: CommandDirectory<'_>, front: FrontMatter) -> UserCommand {
    UserCommand {
        name,
        file: file.to_owned(),
        owner: held.owner,
        description: joined_words(&front, "description"),
        argument_hint: joined_words(&front, "argument-hint"),
        model: Some(joined_words(&front, "model")).filter(|model| !model.is_empty()),
        agent: Some(joined_words(&front, "agent")).filter(|agent| !agent.is_empty()),
        is_subtask: front
            .fields
            .get("subtask")
            .is_some_and(|field| field.value == Value::Bool(true)),
        last_number: match held.format {
            PlaceFormat::Claude => LastNumber::OneWord,
            PlaceFormat::Lathe | PlaceFormat::OpenCode => LastNumber::RestOfWords,
        },
        unused: unused(&front),
        body: front.body,
    }
}

fn unused(front: &FrontMatter) -> Vec<String> {
    let others = front.fields.keys().filter(|key| !KEYS.contains(&key.as_str()));
    others.cloned().collect()
}

/// Returns a value in one line. `argument-hint: [file]` is a list for YAML, and brackets for whoever wrote it.
fn joined_words(front: &FrontMatter, key: &str) -> String {
    let text = match front.fields.get(key).map(|field| &field.value) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => {
            let items = items
                .iter()
                .map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        std::fs::create_dir_all(dir.path().join("p/sub")).unwrap();
        dir
    }

    fn all(dir: &Path) -> (Vec<UserCommand>, Vec<SourceProblem>) {
        commands(&CommandPlaces {
            config: &dir.join("config"),
            home: Some(&dir.join("home")),
            root: &dir.join("p"),
            cwd: &dir.join("p/sub"),
            gate: &|real: &Path| !real.ends_with(".env"),
            unconfirmed: &UnconfirmedFiles::default(),
        })
    }

    #[test]
    fn the_nearest_of_a_name_wins_and_directories_are_part_of_it() {
        let dir = place(&[
            ("home/.claude/commands/a.md", "home"),
            ("config/commands/a.md", "config"),
            ("config/commands/b.md", "config"),
            ("p/.opencode/command/c.md", "opencode"),
            ("p/.claude/commands/c.md", "claude"),
            ("p/.lathe/commands/a.md", "root"),
            ("p/sub/.claude/commands/a.md", "nearest"),
            ("p/.lathe/commands/git/commit.md", "deeper"),
            ("p/.lathe/commands/notes.txt", "none"),
        ]);
        let (commands, problems) = all(dir.path());
        let bodies: Vec<_> = commands
            .iter()
            .map(|command| (&*command.name, &*command.body))
            .collect();
        assert_eq!(
            bodies,
            [
                ("a", "nearest"),
                ("b", "config"),
                ("c", "claude"),
                ("git/commit", "deeper")
            ]
        );
        assert_eq!(problems, []);
    }

    #[test]
    fn front_matter_says_what_a_command_is() {
        let text = "---\ndescription: Reviews\nargument-hint: [file]\nmodel: a/b\nagent: plan\nsubtask: true\n---\nReview $1.\n";
        let dir = place(&[("p/.lathe/commands/review.md", text)]);
        let (commands, _) = all(dir.path());
        let review = &commands[0];
        assert_eq!(
            (&*review.description, &*review.argument_hint),
            ("Reviews", "[file]")
        );
        assert_eq!(
            (review.model.as_deref(), review.agent.as_deref()),
            (Some("a/b"), Some("plan"))
        );
        assert!(review.is_subtask);
        assert_eq!(review.body, "Review $1.\n");
    }

    #[test]
    fn files_of_claude_need_no_yaml_and_their_numbers_are_words() {
        let text = "---\nargument-hint: [pr-number] [priority]\ndescription: Review: \"all\" of it\nallowed-tools: *\n---\n\
                    Review $1 with $2.\n";
        let dir = place(&[
            ("p/.claude/commands/review.md", text),
            ("home/.claude/commands/own.md", text),
            ("p/.lathe/commands/strict.md", text),
            ("p/.lathe/commands/words.md", "Review $1 with $2.\n"),
        ]);
        let (commands, problems) = all(dir.path());
        let expanded = |command: &UserCommand| match &command.expand("123 high care")[..] {
            [Piece::Text(text)] => text.clone(),
            other => panic!("{other:?}"),
        };
        let found: Vec<_> = commands
            .iter()
            .map(|command| (&*command.name, &*command.argument_hint, expanded(command)))
            .collect();
        let hint = "[pr-number] [priority]";
        let one_word = "Review 123 with high.".to_owned();
        assert_eq!(
            found,
            [
                ("own", hint, one_word.clone()),
                ("review", hint, one_word),
                ("words", "", "Review 123 with high care.".to_owned()),
            ]
        );
        assert_eq!(commands[1].description, "Review: \"all\" of it");
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].file.ends_with("strict.md"));
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_place() {
        let dir = place(&[
            ("p/.lathe/commands/broken.md", "---\na: [\n---\n"),
            ("p/.lathe/commands/a b.md", "x"),
            ("outside.md", "secret"),
            ("p/.env", "S=1"),
        ]);
        for (link, target) in [("out.md", "outside.md"), ("secret.md", "p/.env")] {
            let link = dir.path().join("p/.lathe/commands").join(link);
            std::os::unix::fs::symlink(dir.path().join(target), link).unwrap();
        }
        let (commands, problems) = all(dir.path());
        assert_eq!(commands, []);
        let told: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert!(told[0].contains("a b.md: the file's name cannot be"), "{told:?}");
        assert!(told[1].contains("broken.md:"), "{told:?}");
        assert!(
            told[2].contains("out.md: the file points outside the project"),
            "{told:?}"
        );
        assert!(told[3].contains("secret.md: the file was left out"), "{told:?}");
    }
}
