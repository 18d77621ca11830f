//! The environment in which no configuration of git starts a program.
//!
//! A variable stands above every file, so each setting is given anew there. Drivers and filters have names of
//! their own, which git is asked for ([`Drivers`]). The variables do not reach what git runs in a submodule; there the
//! kernel holds, which lets git start nothing but itself, and where it does not, submodules are not looked into.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::regular_file::RegularFile;

/// Names and values of an environment.
pub type Variables = Vec<(OsString, OsString)>;

/// Variables of git that name no program and no file to write to. Those that name a repository are the user's own; git
/// says which directories it uses with them.
const KEPT: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
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
    // A replacement shows the lines of one file under the name of another.
    ("GIT_NO_REPLACE_OBJECTS", "1"),
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
    ("core.editor", "true"),
    ("core.gitProxy", ""),
    ("core.alternateRefsCommand", "false"),
    ("credential.helper", ""),
    ("gpg.program", ""),
    ("gpg.openpgp.program", ""),
    ("gpg.x509.program", ""),
    ("gpg.ssh.program", ""),
    ("gpg.ssh.defaultKeyCommand", ""),
    // What is shown of a submodule is told by git within it.
    ("diff.submodule", "short"),
    // Names would count from the directory of the command.
    ("diff.relative", "false"),
    ("stash.showPatch", "false"),
    ("status.submoduleSummary", "false"),
    ("log.showSignature", "false"),
    ("log.diffMerges", "separate"),
    // One path would stand for the names that the file had before, too.
    ("log.follow", "false"),
    // Their lines would be read as names and addresses.
    ("mailmap.blob", ""),
    ("mailmap.file", ""),
    ("protocol.allow", "never"),
    ("submodule.recurse", "false"),
];

/// Files of attributes that name filters are shorter, and a longer one is not looked at.
const MAX_ATTRIBUTES: u64 = 256 * 1024;

/// Returns true if a key names a program under a name of its own, which no setting of [`SETTINGS`] reaches.
fn names_a_program(key: &str) -> bool {
    let Some((section, rest)) = key.split_once('.') else {
        return false;
    };
    let (has_name, last) = match rest.rsplit_once('.') {
        Some((_, last)) => (true, last),
        None => (false, rest),
    };
    match (section, has_name) {
        ("filter", true) => matches!(last, "clean" | "smudge" | "process" | "required"),
        ("diff", false) => last == "external",
        ("diff", true) => matches!(last, "command" | "textconv" | "cachetextconv"),
        ("merge", true) => last == "driver",
        ("remote", true) => matches!(last, "uploadpack" | "receivepack" | "vcs" | "proxy"),
        ("credential", true) => last == "helper",
        ("trailer", true) => matches!(last, "command" | "cmd"),
        _ => false,
    }
}

/// The settings under names of their own that the configuration of a repository has in all its scopes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drivers {
    keys: BTreeSet<String>,
}

impl Drivers {
    /// The drivers among settings as git lists them: section and last part of a key in small letters.
    pub fn among(settings: &[(String, String)]) -> Self {
        let keys = settings.iter().map(|(key, _)| key.as_str());
        Self {
            keys: keys
                .filter(|key| names_a_program(key))
                .map(str::to_owned)
                .collect(),
        }
    }

    /// Adds those of another repository.
    pub fn add(&mut self, others: &Self) {
        self.keys.extend(others.keys.iter().cloned());
    }

    /// The names of the filters that are configured.
    pub fn filters(&self) -> BTreeSet<&str> {
        let named = self.keys.iter().filter_map(|key| key.strip_prefix("filter."));
        named.filter_map(|rest| Some(rest.rsplit_once('.')?.0)).collect()
    }

    /// The filters among those that are configured which the attributes of the repository around a directory name, as
    /// far as its files at the top do.
    pub fn filters_used_in(&self, directory: &Path) -> BTreeSet<String> {
        let configured = self.filters();
        let mut found = BTreeSet::new();
        if configured.is_empty() {
            return found;
        }
        for above in directory.ancestors() {
            for file in [".gitattributes", ".git/info/attributes"] {
                let text =
                    RegularFile::open(&above.join(file)).and_then(|file| file.read_text(MAX_ATTRIBUTES));
                let text = text.unwrap_or_default();
                let words = text.split_ascii_whitespace();
                let filters = words.filter_map(|word| word.strip_prefix("filter="));
                found.extend(
                    filters
                        .filter(|name| configured.contains(name))
                        .map(str::to_owned),
                );
            }
            if above.join(".git").exists() {
                break;
            }
        }
        found
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
                Some("vcs" | "proxy" | "helper") => "",
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
