//! Git asked about itself: which directories it uses, how it is set, which files a command would show.
//!
//! It is asked disarmed and for a limited time, and what it prints is read up to a limit. Nothing that the repository or
//! the user has set runs for it.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use crate::regular_file::{MAX_BYTES as MAX_LINK_BYTES, RegularFile};

/// One answer takes no longer.
const TIME: Duration = Duration::from_secs(2);
/// More is not read of an answer.
const MAX_BYTES: u64 = 8 << 20;

/// Settings under which git runs nothing but itself.
const DISARMED: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.alternateRefsCommand", ""),
    ("core.sshCommand", "false"),
    ("diff.external", ""),
    ("diff.ignoreSubmodules", "all"),
    ("diff.submodule", "short"),
    ("log.showSignature", "false"),
    ("log.diffMerges", "off"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
];

/// Git in a directory.
pub(super) struct GitQuery {
    program: PathBuf,
    directory: PathBuf,
    environment: Vec<(OsString, OsString)>,
    settings: Vec<(String, String)>,
}

/// The directories that git uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repository {
    /// `None` for a repository without a work tree.
    pub(super) top: Option<PathBuf>,
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
}

/// Git gave no answer in time, or one that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoAnswer;

/// What git printed, and whether it ended well.
struct Answer {
    text: Vec<u8>,
    is_success: bool,
}

impl GitQuery {
    pub(super) fn new(program: PathBuf, directory: PathBuf, environment: &[(OsString, OsString)]) -> Self {
        let is_kept = |(name, _): &&(OsString, OsString)| !name.to_string_lossy().starts_with("GIT_");
        let settings = DISARMED
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self {
            program,
            directory,
            environment: environment.iter().filter(is_kept).cloned().collect(),
            settings: settings.collect(),
        }
    }

    /// The directories that git uses here; `None` when it finds no repository.
    pub(super) fn repository(&self) -> Result<Option<Repository>, NoAnswer> {
        let answer = self.ask(&[
            "rev-parse",
            "--path-format=absolute",
            "--git-dir",
            "--git-common-dir",
            "--show-toplevel",
        ])?;
        let text = String::from_utf8(answer.text).map_err(|_| NoAnswer)?;
        let mut lines = text.lines().map(PathBuf::from);
        Ok(match (lines.next(), lines.next()) {
            (Some(git_dir), Some(common_dir)) => Some(Repository {
                top: lines.next().filter(|_| answer.is_success),
                git_dir,
                common_dir,
            }),
            _ => None,
        })
    }

    /// Every setting with its value, from wherever it comes, but for those given here.
    pub(super) fn settings(&self) -> Result<Vec<(String, String)>, NoAnswer> {
        let answer = self.ask(&["config", "--list", "-z", "--show-scope"])?;
        if !answer.is_success {
            return Err(NoAnswer);
        }
        let text = String::from_utf8_lossy(&answer.text).into_owned();
        let mut fields = text.split('\0');
        let mut settings = Vec::new();
        while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
            let (name, value) = setting.split_once('\n').unwrap_or((setting, "true"));
            if scope != "command" {
                settings.push((name.to_owned(), value.to_owned()));
            }
        }
        Ok(settings)
    }

    /// Leaves out the filters that these settings name.
    pub(super) fn without_filters(&mut self, settings: &[(String, String)]) {
        for (name, _) in settings {
            let is_program = [
                ".clean",
                ".smudge",
                ".process",
                ".textconv",
                ".command",
                ".driver",
            ]
            .iter()
            .any(|end| name.ends_with(end));
            let of = ["filter.", "diff.", "merge."];
            if is_program && of.iter().any(|section| name.starts_with(section)) {
                self.settings.push((name.clone(), String::new()));
            }
            if name.starts_with("filter.") && name.ends_with(".required") {
                self.settings.push((name.clone(), "false".to_owned()));
            }
        }
    }

    /// What git prints for these words, cut at NUL. That it fails is no answer.
    pub(super) fn names(&self, words: &[&str]) -> Result<Vec<String>, NoAnswer> {
        let answer = self.ask(words)?;
        if !answer.is_success {
            return Err(NoAnswer);
        }
        let names = answer.text.split(|byte| *byte == 0 || *byte == b'\n');
        let names = names.filter(|name| !name.is_empty());
        Ok(names
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect())
    }

    /// Returns true if git ends well with these words.
    pub(super) fn holds(&self, words: &[&str]) -> Result<bool, NoAnswer> {
        Ok(self.ask(words)?.is_success)
    }

    /// The first line that git prints.
    pub(super) fn line(&self, words: &[&str]) -> Result<Option<String>, NoAnswer> {
        let answer = self.ask(words)?;
        let text = String::from_utf8_lossy(&answer.text);
        let line = text.lines().next().map(str::to_owned);
        Ok(line.filter(|_| answer.is_success))
    }

    fn ask(&self, words: &[&str]) -> Result<Answer, NoAnswer> {
        let mut command = Command::new(&self.program);
        command
            .arg("--no-pager")
            .args(words)
            .current_dir(&self.directory)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .envs([
                ("GIT_OPTIONAL_LOCKS", "0"),
                ("GIT_NO_LAZY_FETCH", "1"),
                ("GIT_TERMINAL_PROMPT", "0"),
                ("GIT_PAGER", "cat"),
                ("LC_ALL", "C"),
            ])
            .env("GIT_CONFIG_COUNT", self.settings.len().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        for (at, (name, value)) in self.settings.iter().enumerate() {
            command
                .env(format!("GIT_CONFIG_KEY_{at}"), name)
                .env(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        let mut child = command.spawn().map_err(|_| NoAnswer)?;
        let stdout = child.stdout.take().ok_or(NoAnswer)?;
        let (send, receive) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = Vec::new();
            let read = stdout.take(MAX_BYTES + 1).read_to_end(&mut text);
            drop(send.send(read.map(|_| text)));
        });
        let read = receive.recv_timeout(TIME);
        let text = match read {
            Ok(Ok(text)) if text.len() as u64 <= MAX_BYTES => text,
            _ => {
                // It may have ended by itself meanwhile.
                let _ = child.kill();
                let _ = child.wait();
                return Err(NoAnswer);
            }
        };
        let status = child.wait().map_err(|_| NoAnswer)?;
        Ok(Answer {
            text,
            is_success: status.success(),
        })
    }
}

/// Returns true if a repository's directories belong to a place: they lie in it, or know it as theirs.
pub(super) fn belongs_to(repository: &Repository, project: &Path) -> bool {
    let is_inside = |path: &Path| {
        let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        real.starts_with(project)
    };
    let top_fits = repository
        .top
        .as_deref()
        .is_none_or(|top| is_inside(top) || project.starts_with(top));
    if !top_fits {
        return false;
    }
    let near = repository.top.as_deref().unwrap_or(project);
    let is_near = |path: &Path| is_inside(path) || path.starts_with(near);
    if is_near(&repository.git_dir) && is_near(&repository.common_dir) {
        return true;
    }
    // A linked work tree is listed in the repository that it belongs to; whoever made the work tree alone cannot write there.
    let Some(top) = &repository.top else { return false };
    let listed = RegularFile::open(&repository.git_dir.join("gitdir"));
    let listed = listed
        .and_then(|file| file.read_text(MAX_LINK_BYTES))
        .unwrap_or_default();
    let is_listed = !listed.is_empty() && Path::new(listed.trim()) == top.join(".git");
    let is_of_it = repository.git_dir.parent().and_then(Path::parent) == Some(&repository.common_dir);
    is_listed && is_of_it && !is_near(&repository.git_dir)
}
