//! Git disarmed: an environment in which no configuration of it starts a program.
//!
//! A repository, the user and the system can each name programs that git starts while it only reads: a monitor of files,
//! hooks, filters, drivers, pagers, signers, helpers of transports. What a variable says stands above every file, so each
//! setting is said anew there. Drivers and filters have names of their own; git is asked once for a command which there
//! are ([`Drivers::of`]). The variables do not reach what git runs in a submodule; there the kernel holds, which lets git
//! start nothing but itself, and where it does not, submodules are not looked into.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::sandbox::Confinement;
use super::start::Start;

type Variables = Vec<(OsString, OsString)>;

/// Variables of git that name no program, no file to write to and no other repository.
const KEPT: &[&str] = &[
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_ATTR_NOSYSTEM",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
];

/// Set whatever they were.
const VARIABLES: &[(&str, &str)] = &[
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PROTOCOL_FROM_USER", "0"),
    // Stands above what a protocol's own setting allows.
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_PAGER", "cat"),
    ("GIT_TRACE2", "0"),
    ("GIT_TRACE2_PERF", "0"),
    ("GIT_TRACE2_EVENT", "0"),
];

/// Settings given to git anew, whatever a configuration says.
const SETTINGS: &[(&str, &str)] = &[
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.pager", "cat"),
    ("core.sshCommand", "false"),
    ("core.askPass", ""),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", "false"),
    ("credential.helper", ""),
    ("gpg.program", ""),
    ("gpg.openpgp.program", ""),
    ("gpg.x509.program", ""),
    ("gpg.ssh.program", ""),
    ("gpg.ssh.defaultKeyCommand", ""),
    ("log.showSignature", "false"),
    ("log.diffMerges", "separate"),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
];

/// Settings that name a program under a name of their own; what is before and after the name.
const NAMED: &str = r"^(filter\..*\.(clean|smudge|process|required)|diff\.external|diff\..*\.(command|textconv|cachetextconv)|merge\..*\.driver|remote\..*\.(uploadpack|receivepack|vcs|proxy))$";
/// Git answers at once, unless its configuration cannot be read.
const PATIENCE: Duration = Duration::from_secs(2);
/// More settings than that are nobody's.
const MAX_ANSWER: usize = 256 * 1024;

/// The settings under names of their own that the configuration of a repository has in all its scopes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drivers {
    keys: BTreeSet<String>,
}

impl Drivers {
    /// Asks git, disarmed and confined, about the repository of this directory. What does not answer has none.
    pub async fn of(program: &Path, cwd: &Path, environment: &[(OsString, OsString)]) -> Self {
        let start = Start {
            program: program.to_owned(),
            arguments: ["config", "-z", "--name-only", "--get-regexp", NAMED]
                .map(OsString::from)
                .into(),
            cwd: cwd.to_owned(),
            environment: disarmed(environment.to_vec(), &Self::default(), Submodules::Read),
            confinement: super::Support::of_kernel()
                .can_confine_reading()
                .then(|| Confinement::reading(&[program.to_owned()], None, None)),
        };
        let answer = super::spawn::output_of(start, PATIENCE, MAX_ANSWER).await;
        Self::parse(&answer.unwrap_or_default())
    }

    fn parse(answer: &[u8]) -> Self {
        let names = answer.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Self {
            keys: names
                .filter_map(|name| Some(std::str::from_utf8(name).ok()?.to_owned()))
                .collect(),
        }
    }

    /// The names of the filters that are configured.
    pub fn filters(&self) -> BTreeSet<&str> {
        let named = self.keys.iter().filter_map(|key| key.strip_prefix("filter."));
        named.filter_map(|rest| Some(rest.rsplit_once('.')?.0)).collect()
    }

    /// Returns true if differences would be shown by another program.
    fn show_differences(&self) -> bool {
        self.keys.iter().any(|key| key.starts_with("diff."))
    }

    fn settings(&self) -> impl Iterator<Item = (String, &'static str)> {
        let filters = self.filters();
        let off = filters.into_iter().flat_map(|name| {
            [
                ("clean", ""),
                ("smudge", ""),
                ("process", ""),
                ("required", "false"),
            ]
            .map(|(last, value)| (format!("filter.{name}.{last}"), value))
        });
        let others = self.keys.iter().filter(|key| !key.starts_with("filter."));
        off.chain(others.map(|key| {
            let value = match key.rsplit('.').next() {
                Some("vcs" | "proxy") => "",
                // As a program it does nothing, and what is confined cannot even start it.
                _ => "false",
            };
            (key.clone(), value)
        }))
    }
}

/// Treatment of submodules, in which the settings of the environment do not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Submodules {
    Read,
    Skip,
}

/// The environment with git disarmed.
pub fn disarmed(mut environment: Variables, drivers: &Drivers, submodules: Submodules) -> Variables {
    environment.retain(|(name, _)| !is_dropped(name));
    let mut set = |name: &str, value: &str| environment.push((name.into(), value.into()));
    for (name, value) in VARIABLES {
        set(name, value);
    }
    let mut settings: Vec<(String, &str)> = SETTINGS
        .iter()
        .map(|(key, value)| ((*key).to_owned(), *value))
        .collect();
    if submodules == Submodules::Skip {
        settings.push(("diff.ignoreSubmodules".to_owned(), "dirty"));
    }
    settings.extend(drivers.settings());
    set("GIT_CONFIG_COUNT", &settings.len().to_string());
    for (index, (key, value)) in settings.iter().enumerate() {
        set(&format!("GIT_CONFIG_KEY_{index}"), key);
        set(&format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    if drivers.show_differences() {
        // No setting takes a program for differences back, only an option does. bash takes this for a function.
        set("BASH_FUNC_git%%", PLAIN_DIFFERENCES);
    }
    environment
}

/// Git with the options that show differences as they are.
const PLAIN_DIFFERENCES: &str = r#"() {
    local -a global=()
    while [[ $1 == -* ]]; do
        global+=("$1")
        if [[ $1 == -C ]]; then
            global+=("$2")
            shift
        fi
        shift
    done
    local name=$1
    [[ $# -gt 0 ]] && shift
    case $name in
        diff) command git "${global[@]}" diff --no-ext-diff --no-textconv "$@" ;;
        log | show | blame) command git "${global[@]}" "$name" --no-textconv "$@" ;;
        "") command git "${global[@]}" ;;
        *) command git "${global[@]}" "$name" "$@" ;;
    esac
}"#;

fn is_dropped(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let is_set = || VARIABLES.iter().any(|(set, _)| name == *set);
    name.starts_with("GIT_") && (is_set() || !KEPT.contains(&&*name))
        || matches!(&*name, "SSH_ASKPASS" | "BASH_FUNC_git%%")
}

/// Returns git's own programs beside git; it starts itself from there.
pub fn own_programs(program: &Path) -> Vec<PathBuf> {
    let Some(prefix) = program.parent().and_then(Path::parent) else {
        return Vec::new();
    };
    ["lib/git-core/git", "libexec/git-core/git", "lib64/git-core/git"]
        .into_iter()
        .map(|path| prefix.join(path))
        .filter(|path| path.is_file())
        .collect()
}

#[cfg(test)]
mod tests;
