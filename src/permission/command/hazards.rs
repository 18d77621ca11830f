//! Commands that change the shell itself, so that later words mean something else than they say.

use super::facts::{Facts, Refusal};
use super::word::{Word, is_computed, is_name, without_braces};

/// Variables that decide which programs run, where they start or what the shell does besides.
const VARIABLES: &[&str] = &[
    "PATH",
    "IFS",
    "PROMPT_COMMAND",
    "ENV",
    "HOME",
    "CDPATH",
    "PWD",
    "OLDPWD",
    "TMPDIR",
    "PS4",
    "SHELLOPTS",
    "GLOBIGNORE",
    "EXECIGNORE",
    "POSIXLY_CORRECT",
    "OPTERR",
    "OPTIND",
    "COLUMNS",
    "LINES",
    "HISTCMD",
    "EPOCHREALTIME",
    "GROUPS",
    "DIRSTACK",
    "FIGNORE",
    "LANG",
    "TEXTDOMAIN",
    "TEXTDOMAINDIR",
];

const PREFIXES: &[&str] = &["LD_", "DYLD_", "BASH", "LC_"];

/// Variables that change how a program speaks and not what it does.
const HARMLESS: &[&str] = &[
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TZ",
    "CI",
    "NO_COLOR",
    "FORCE_COLOR",
    "NODE_ENV",
    "PYTHONDONTWRITEBYTECODE",
];

/// Returns true if an assignment makes no command special: `RUST_BACKTRACE=1`.
pub(super) fn is_harmless(assignment: &str) -> bool {
    let Some((name, value)) = assignment.split_once('=') else {
        return false;
    };
    let is_plain = value
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "_.,:=+@/-".contains(c))
        && !value.starts_with(['/', ':'])
        && !value.contains("..");
    let is_locale = name == "LANG" || name.strip_prefix("LC_").is_some_and(|rest| !rest.is_empty());
    (HARMLESS.contains(&name) && is_plain)
        || (is_locale && is_known_locale(value))
        || assignment == "GIT_PAGER=cat"
}

/// Returns true if characters beyond ASCII are, for a shell in this locale, what they are for lathe: in others a byte of one
/// can be a letter of a name, or a backslash.
pub fn is_known_locale(locale: &str) -> bool {
    let (name, encoding) = locale.split_once('.').unwrap_or((locale, ""));
    let is_plain = name.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    let is_utf8 = encoding.eq_ignore_ascii_case("utf-8") || encoding.eq_ignore_ascii_case("utf8");
    matches!(locale, "" | "C" | "POSIX") || is_plain && is_utf8
}

/// `export` of harmless assignments alone.
pub(super) fn exports_harmless(words: &[Word]) -> bool {
    let [program, assignments @ ..] = words else {
        return false;
    };
    let is_harmless = |word: &Word| word.is_literal() && is_harmless(&word.text);
    program.text == "export" && !assignments.is_empty() && assignments.iter().all(is_harmless)
}

/// Variables that the shell sets by itself, besides those that are numbers.
pub(super) const OF_SHELL: &[&str] = &[
    "_",
    "GROUPS",
    "FUNCNAME",
    "DIRSTACK",
    "HISTCMD",
    "REPLY",
    "OPTARG",
    "OPTIND",
    "COLUMNS",
    "LINES",
    "PIPESTATUS",
    "SHLVL",
    "HOSTTYPE",
    "MACHTYPE",
    "OSTYPE",
    "HOSTNAME",
    "MAPFILE",
    "COPROC",
    "SHELL",
    "PPID",
];

/// Variables that the shell computes by itself.
pub(super) const NUMBERS: &[&str] = &[
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "EPOCHSECONDS",
    "BASHPID",
    "UID",
    "EUID",
    "PPID",
];

pub(super) fn check_variable(name: &str, facts: &mut Facts) {
    // The shell computes with what is given to its numbers.
    if VARIABLES.contains(&name)
        || NUMBERS.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    {
        facts.refuse("it changes a variable that decides what runs");
    }
}

/// Builtins that load code, keep code for later or change the grammar.
const UNKNOWABLE: &[&str] = &[
    "source", ".", "trap", "alias", "unalias", "enable", "hash", "bind", "complete", "compgen", "compopt",
    "fc", "history", "shopt", "let", "suspend", "coproc",
];

/// Builtins that set variables.
pub(super) const DECLARATIONS: &[&str] = &[
    "export",
    "declare",
    "typeset",
    "local",
    "readonly",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "getopts",
];

/// Returns true if a program of this name changes what later words mean, or where they are looked for.
pub(super) fn changes_later_commands(program: &str) -> bool {
    const OTHERS: &[&str] = &[
        "cd", "chdir", "pushd", "popd", "eval", "exec", "shift", "wait", "printf", "command", "builtin",
    ];
    changes_the_shell(program) || OTHERS.contains(&program)
}

/// Builtins whose "always" would say nothing about what they are used for.
pub(super) fn changes_the_shell(program: &str) -> bool {
    UNKNOWABLE.contains(&program) || DECLARATIONS.contains(&program) || program == "set"
}

/// Looks at one command, before it is judged by its words.
pub(super) fn check(words: &[Word], facts: &mut Facts) {
    let Some((program, arguments)) = words.split_first() else {
        return;
    };
    let program = program.text.as_str();
    match program {
        _ if UNKNOWABLE.contains(&program) => facts.refuse("it changes the shell"),
        _ if exports_harmless(words) => {}
        _ if DECLARATIONS.contains(&program) => declaration(program, arguments, facts),
        "set" if !arguments_of_set_are_harmless(arguments) => facts.refuse("it changes the shell"),
        "test" | "[" => test(arguments, facts),
        "printf" if arguments.first().is_some_and(|word| word.text.starts_with("-v")) => {
            let name = &arguments[0].text[2..];
            let next = arguments.get(1).cloned().unwrap_or_default();
            let name = Some(name).filter(|name| !name.is_empty()).unwrap_or(&next.text);
            set(name, &next, facts);
        }
        "printf" if may_set_by_format(arguments) => facts.refuse(EVALUATES),
        "wait" => wait(arguments, facts),
        _ => {}
    }
}

/// `%n` gives the variable in its place a value. A format that is not known may have it.
fn may_set_by_format(arguments: &[Word]) -> bool {
    let mut words = arguments.iter().skip_while(|word| word.text == "--");
    let Some(format) = words.next() else { return false };
    let is_known = !format.is_dynamic() && format.glob_at.is_none();
    let has_values = words.next().is_some();
    has_values && (!is_known || counts_characters(&format.text))
}

/// Returns true if a format may have a `%n`, with whatever stands between its two signs.
pub(super) fn counts_characters(format: &str) -> bool {
    if format.contains("%(") {
        // A format for times, or none: bash then reads on behind the parenthesis.
        return true;
    }
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let conversion = rest[at + 1..].trim_start_matches(|c: char| !c.is_ascii_alphabetic() && c != '%');
        let conversion = conversion.trim_start_matches(['h', 'l', 'j', 'z', 't', 'L']);
        if conversion.starts_with('n') {
            return true;
        }
        let mut behind = conversion.chars();
        behind.next();
        rest = behind.as_str();
    }
    false
}

const EVALUATES: Refusal = "it sets a variable whose name may be more than a name";

/// `-v` and `-R` compute the subscript in what follows, so no value may become one of them.
fn test(arguments: &[Word], facts: &mut Facts) {
    const COMPARES: &[&str] = &[
        "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
    ];
    let operands = match arguments {
        [all @ .., last] if last.text == "]" => all,
        all => all,
    };
    let operands = match operands {
        [first, rest @ ..] if first.text == "!" => rest,
        all => all,
    };
    let compares = |at: Option<usize>| {
        at.and_then(|at| operands.get(at))
            .is_some_and(|word| word.is_literal() && COMPARES.contains(&word.text.as_str()))
    };
    let asks_of_one = |at: Option<usize>| {
        let text = at.and_then(|at| operands.get(at)).map_or("", |word| &word.text);
        text.len() == 2 && text.starts_with('-') && !matches!(text, "-a" | "-o")
    };
    for (at, word) in operands.iter().enumerate() {
        // A file may be called `-v`.
        let may_be_option = word.glob_at == Some(0) || word.glob_at.is_some() && word.text.starts_with('-');
        if word.text == "-v" || word.text == "-R" || may_be_option {
            facts.refuse(EVALUATES);
        }
        // Where it splits, the name of a directory may be several words, too.
        let is_open = word.is_dynamic() || word.splits && word.dynamic_at.is_some();
        if !is_open || is_number(word, facts) {
            continue;
        }
        let before = at.checked_sub(1);
        let has_its_place =
            operands.len() == 1 || compares(before) || compares(Some(at + 1)) || asks_of_one(before);
        if !has_its_place || is_several(word) {
            facts.refuse(EVALUATES);
        }
    }
}

fn wait(arguments: &[Word], facts: &mut Facts) {
    for word in arguments {
        let is_open = word.is_dynamic() && !is_number(word, facts);
        // `-np x` sets a variable, and so may a file's name in the place of a wildcard.
        let sets = word.text.starts_with('-') && word.text.contains('p') || word.glob_at.is_some();
        if sets || is_open {
            facts.refuse(EVALUATES);
        }
    }
}

/// Returns true if the shell may make more than one word of it.
fn is_several(word: &Word) -> bool {
    word.splits || word.text.contains('@')
}

/// Returns true if an unquoted expansion gives a number. A variable is taken for one and noted, to be looked at in the
/// end.
fn is_number(word: &Word, facts: &mut Facts) -> bool {
    let text = word.text.as_str();
    if is_computed(text) || matches!(text, "$?" | "$#" | "$!" | "$$") {
        return true;
    }
    let name = without_braces(text.strip_prefix('$').unwrap_or_default());
    if !word.splits || !is_name(name) {
        return false;
    }
    facts.computed.insert(name.to_owned());
    true
}

fn declaration(program: &str, arguments: &[Word], facts: &mut Facts) {
    for word in arguments {
        let text = word.text.as_str();
        if word.glob_at.is_some() || !text.is_ascii() {
            // The name of a file may have a subscript, which is computed. In some locales, letters beyond ASCII are
            // parts of names.
            facts.refuse(EVALUATES);
        }
        if let Some(letters) = text.strip_prefix(['-', '+']) {
            // Names of names, computed values, functions and callbacks.
            // A name may stand in the same word: `-aPATH`.
            let is_refused = match program {
                "mapfile" | "readarray" => !letters.chars().all(|c| "td".contains(c)),
                "read" => !is_option_of_read(letters),
                "getopts" => !letters.is_empty(),
                _ => letters.contains(['n', 'i', 'f']),
            };
            if is_refused || word.is_dynamic() {
                facts.refuse(EVALUATES);
            }
            continue;
        }
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name.strip_suffix('+').unwrap_or(name), Some(value)),
            None => (text, None),
        };
        // `read -p 'Name: ' x` has words that are no names.
        let takes_texts = matches!(program, "read" | "mapfile" | "readarray" | "getopts");
        let is_certain = word.dynamic_at.is_none_or(|at| at > name.len());
        if !is_certain || name.contains('[') || (!is_name(name) && !takes_texts) {
            facts.refuse(EVALUATES);
        }
        check_variable(name, facts);
        if program != "unset" && (value.is_some() || takes_texts) {
            let is_number = value.is_some_and(|value| value.parse::<i64>().is_ok());
            facts.assign(name, is_number && word.dynamic_at.is_none());
        }
        facts.lasting.insert(name.to_owned());
    }
    facts.exports |=
        matches!(program, "export" | "declare" | "typeset" | "readonly") && !arguments.is_empty();
}

/// Options whose value is a number or stands in a word of its own.
fn is_option_of_read(letters: &str) -> bool {
    let flags = letters.trim_start_matches(['r', 's', 'e']);
    let mut rest = flags.chars();
    match rest.next() {
        None => true,
        Some('n' | 'N' | 't' | 'u') => rest.all(|c| c.is_ascii_digit() || c == '.'),
        Some('p' | 'd' | 'a') => rest.next().is_none(),
        Some(_) => false,
    }
}

fn set(name: &str, word: &Word, facts: &mut Facts) {
    if !is_name(name) || word.is_dynamic() {
        facts.refuse(EVALUATES);
    }
    check_variable(name, facts);
    facts.assign(name, false);
    facts.lasting.insert(name.to_owned());
}

/// Options that stop a script, print it, or leave wildcards alone.
fn arguments_of_set_are_harmless(arguments: &[Word]) -> bool {
    const OPTIONS: &[&str] = &[
        "pipefail",
        "errexit",
        "nounset",
        "xtrace",
        "verbose",
        "noclobber",
        "noglob",
        "errtrace",
    ];
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if !word.is_literal() {
            return false;
        }
        if word.text == "--" {
            return true;
        }
        let Some(letters) = word.text.strip_prefix(['-', '+']) else {
            return false;
        };
        if !letters.chars().all(|c| "euxvfCEo".contains(c)) {
            return false;
        }
        if letters.contains('o')
            && !rest
                .next()
                .is_some_and(|name| OPTIONS.contains(&name.text.as_str()))
        {
            return false;
        }
    }
    true
}

/// Looks at the variables of the whole, once every command was looked at.
pub(super) fn check_numbers(facts: &mut Facts) {
    let is_number = |name: &&String| {
        let is_assigned = facts.variables.get(*name) == Some(&true) && !OF_SHELL.contains(&name.as_str());
        is_assigned || NUMBERS.contains(&name.as_str())
    };
    if !facts.computed.iter().all(|name| is_number(&name)) {
        facts.refuse("it does arithmetic with a variable that may not be a number");
    }
}
