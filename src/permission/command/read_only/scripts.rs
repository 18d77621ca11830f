//! Programs whose words are a language of their own: `awk`, `jq`, `find`, and others with unusual options.

use super::super::hazards::counts_characters;
use super::super::word::Word;
use super::table::{ParsedOptions, Table, parse};

/// Programs that `find` and `xargs` may run on what they find: they show names, never content.
pub(super) const OF_NAMES: &[&str] = &["ls", "stat", "basename", "dirname"];

/// `date`, perhaps of another time and in another format. Another operand would set the clock.
pub(super) fn date(words: &[Word]) -> bool {
    const FORMATS: &[&str] = &[
        "-R",
        "--rfc-email",
        "-I",
        "-Idate",
        "-Ihours",
        "-Iminutes",
        "-Iseconds",
        "-Ins",
        "--iso-8601",
        "--iso-8601=date",
        "--iso-8601=hours",
        "--iso-8601=minutes",
        "--iso-8601=seconds",
        "--iso-8601=ns",
        "--rfc-3339=date",
        "--rfc-3339=seconds",
        "--rfc-3339=ns",
    ];
    let mut has_format = false;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.text.as_str() {
            "-u" | "--utc" | "--universal" => {}
            "-d" => {
                rest.next();
            }
            text if text.starts_with("--date=") => {}
            text if text.starts_with('+') && !has_format => has_format = true,
            text if FORMATS.contains(&text) => {}
            _ => return false,
        }
    }
    words.iter().all(|word| word.glob_at.is_none())
}

/// Not `-v`, which sets a variable.
pub(super) fn printf(words: &[Word]) -> bool {
    match words {
        [dashes, format, values @ ..] if dashes.text == "--" => {
            dashes.is_literal() && is_fixed(format) && sets_nothing(format, values)
        }
        [format, values @ ..] => {
            is_fixed(format) && !format.text.starts_with('-') && sets_nothing(format, values)
        }
        [] => false,
    }
}

/// `%n` sets the variable in its place.
fn sets_nothing(format: &Word, values: &[Word]) -> bool {
    values.is_empty() || !format.is_dynamic() && !counts_characters(&format.text)
}

/// Returns true if a word begins as it is written.
fn is_fixed(word: &Word) -> bool {
    word.glob_at.is_none() && word.dynamic_at.is_none_or(|at| at > 0)
}

pub(super) fn sleep(words: &[Word]) -> bool {
    let is_time = |word: &Word| {
        let digits = word.text.trim_end_matches(['s', 'm', 'h', 'd']);
        digits.starts_with(|c: char| c.is_ascii_digit())
            && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    !words.is_empty() && words.iter().all(is_time)
}

/// A dump of one file: a second operand would be written.
pub(super) fn xxd(words: &[Word]) -> bool {
    let mut operands = 0;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word.glob_at.is_some() {
            return false;
        }
        // After the first operand nothing is an option any more.
        if operands > 0 && word.text.starts_with('-') {
            return false;
        }
        match word.text.as_str() {
            "-a" | "-b" | "-C" | "-E" | "-d" | "-e" | "-i" | "-p" | "-ps" | "-u" => {}
            "-c" | "-g" | "-l" | "-s" | "-o" | "-n" => {
                if rest.next().is_none_or(|value| value.glob_at.is_some()) {
                    return false;
                }
            }
            text if text.starts_with(['-', '+']) && text.len() > 1 => {
                let is_number = text.len() > 2
                    && text[2..].bytes().all(|byte| byte.is_ascii_alphanumeric())
                    && text.as_bytes()[2].is_ascii_digit();
                if !(is_number
                    && ["-c", "-g", "-l", "-s"]
                        .iter()
                        .any(|option| text.starts_with(option)))
                {
                    return false;
                }
            }
            _ => operands += 1,
        }
    }
    operands <= 1
}

/// Functions of awk that compute.
const AWK_FUNCTIONS: &[&str] = &[
    "length", "substr", "index", "tolower", "toupper", "int", "sprintf", "match", "sub", "gsub", "split",
    "if", "for", "while", "print", "printf", "return", "sqrt", "log", "exp", "sin", "cos", "in",
];

/// Words that run, read or show something besides the input, wherever they stand.
const AWK_REFUSED: &[&str] = &[
    "getline",
    "system",
    "close",
    "fflush",
    "func",
    "ENVIRON",
    "PROCINFO",
    "SYMTAB",
    "FUNCTAB",
    "ARG",
    "@",
    "\\\n",
    "srand",
    "include",
    "load",
    "BEGINFILE",
    "ENDFILE",
];

/// `awk` with patterns, fields and `print`.
pub(super) fn awk(words: &[Word]) -> bool {
    const TABLE: Table = Table {
        valued: "Fv",
        ..Table::NONE
    };
    // Options end where the program begins.
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word.text.as_str() {
            "-F" | "-v" => at += 2,
            text if text.len() > 2 && (text.starts_with("-F") || text.starts_with("-v")) => at += 1,
            _ => break,
        }
    }
    let (options, rest) = words.split_at(at.min(words.len()));
    let Some(ParsedOptions { options, .. }) = parse(options, &[&TABLE]) else {
        return false;
    };
    let rest = match rest {
        [dashes, rest @ ..] if dashes.text == "--" => rest,
        rest => rest,
    };
    let [program, files @ ..] = rest else { return false };
    let is_plain_value = |value: &str| !AWK_REFUSED.iter().any(|word| value.contains(word));
    let values_are_plain = options
        .iter()
        .filter_map(|(_, value)| value.as_deref())
        .all(is_plain_value);
    let is_file = |word: &Word| !word.text.starts_with('-') && word.glob_at != Some(0);
    program.is_literal()
        && !program.text.starts_with('-')
        && values_are_plain
        && files.iter().all(is_file)
        && is_program_of_awk(&program.text)
}

/// Looks at the text alone, so that no way to read it hides anything: strings and patterns count like code.
fn is_program_of_awk(program: &str) -> bool {
    if AWK_REFUSED.iter().any(|word| program.contains(word)) {
        return false;
    }
    // A pipe; `||` is not.
    if program.replace("||", "").contains('|') {
        return false;
    }
    // In an action `>` may write, outside of one it compares.
    let action = program.find('{').unwrap_or(program.len());
    if program[action..].contains('>') {
        return false;
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    program.match_indices('(').all(|(at, _)| {
        let before = program[..at].trim_end_matches([' ', '\t']);
        let start = before.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
        let name = &before[start..];
        // Whatever ends in a blank is no call of a function that somebody defined.
        name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || AWK_FUNCTIONS.contains(&name)
    })
}

/// `jq` with a filter that reads nothing but its input.
pub(super) fn jq(words: &[Word]) -> bool {
    const FLAGS: &[&str] = &[
        "--null-input",
        "--compact-output",
        "--raw-output",
        "--raw-output0",
        "--join-output",
        "--ascii-output",
        "--slurp",
        "--sort-keys",
        "--color-output",
        "--monochrome-output",
        "--raw-input",
        "--exit-status",
        "--tab",
        "--stream",
        "--seq",
        "--unbuffered",
    ];
    let mut filter: Option<&Word> = None;
    let mut is_plain = true;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        match text {
            "--arg" | "--argjson" => {
                rest.next();
                rest.next();
            }
            "--indent" => {
                rest.next();
            }
            _ if FLAGS.contains(&text) => {}
            _ if text.starts_with('-') && text.len() > 1 => {
                let is_known = text[1..].chars().all(|c| "ncrjasSCMRe".contains(c));
                is_plain &= is_known;
            }
            _ if filter.is_none() => filter = Some(word),
            _ => is_plain &= word.glob_at != Some(0),
        }
    }
    is_plain && filter.is_some_and(|filter| filter.is_literal() && is_filter_of_jq(&filter.text))
}

fn is_filter_of_jq(filter: &str) -> bool {
    const REFUSED: &[&str] = &[
        "env",
        "import",
        "include",
        "input_filename",
        "modulemeta",
        "get_search_list",
        "debug",
        "input_line_number",
    ];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut start = 0;
    for (at, c) in filter.char_indices().chain([(filter.len(), ' ')]) {
        if is_part(c) {
            continue;
        }
        let name = &filter[start..at];
        let is_field = filter[..start].ends_with('.');
        if name.contains("ENV") || (REFUSED.contains(&name) && !is_field) {
            return false;
        }
        start = at + c.len_utf8();
    }
    true
}

/// Tests and actions of `find` that print, with how many words each takes.
const FIND: &[(&str, usize)] = &[
    ("-print", 0),
    ("-print0", 0),
    ("-ls", 0),
    ("-prune", 0),
    ("-quit", 0),
    ("-depth", 0),
    ("-d", 0),
    ("-daystart", 0),
    ("-mount", 0),
    ("-xdev", 0),
    ("-noleaf", 0),
    ("-warn", 0),
    ("-nowarn", 0),
    ("-ignore_readdir_race", 0),
    ("-noignore_readdir_race", 0),
    ("-empty", 0),
    ("-executable", 0),
    ("-readable", 0),
    ("-writable", 0),
    ("-nouser", 0),
    ("-nogroup", 0),
    ("-true", 0),
    ("-false", 0),
    ("-not", 0),
    ("-a", 0),
    ("-and", 0),
    ("-o", 0),
    ("-or", 0),
    ("!", 0),
    ("(", 0),
    (")", 0),
    (",", 0),
    ("-H", 0),
    ("-L", 0),
    ("-P", 0),
    ("-follow", 0),
    ("-name", 1),
    ("-iname", 1),
    ("-path", 1),
    ("-ipath", 1),
    ("-wholename", 1),
    ("-iwholename", 1),
    ("-regex", 1),
    ("-iregex", 1),
    ("-regextype", 1),
    ("-lname", 1),
    ("-ilname", 1),
    ("-type", 1),
    ("-xtype", 1),
    ("-size", 1),
    ("-mtime", 1),
    ("-mmin", 1),
    ("-atime", 1),
    ("-amin", 1),
    ("-ctime", 1),
    ("-cmin", 1),
    ("-newer", 1),
    ("-anewer", 1),
    ("-cnewer", 1),
    ("-user", 1),
    ("-group", 1),
    ("-uid", 1),
    ("-gid", 1),
    ("-perm", 1),
    ("-links", 1),
    ("-inum", 1),
    ("-samefile", 1),
    ("-maxdepth", 1),
    ("-mindepth", 1),
    ("-printf", 1),
    ("-used", 1),
    ("-fstype", 1),
    ("-context", 1),
];

/// The number of words that a test or an action of `find` takes that prints; `None` for any other.
pub(in crate::permission::command) fn values_of_find(word: &str) -> Option<usize> {
    let known = FIND.iter().find(|(name, _)| *name == word);
    known.map(|(_, values)| *values)
}

/// Actions of `find`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FindActions {
    Prints,
    /// It runs a program that shows names.
    RunsOfNames,
    More,
}

pub(super) fn find(words: &[Word]) -> FindActions {
    // A wildcard after a literal beginning stays an operand.
    let is_plain = |word: &Word| {
        word.glob_at
            .is_none_or(|at| at > 0 && !word.text.starts_with(['-', '(', '!']))
    };
    if !words.iter().all(is_plain) {
        return FindActions::More;
    }
    let mut found = FindActions::Prints;
    let mut at = 0;
    let is_expression = |text: &str| text.starts_with('-') || matches!(text, "(" | ")" | "!" | ",");
    while let Some(word) = words.get(at) {
        let text = word.text.as_str();
        at += 1;
        if !is_expression(text) {
            continue;
        }
        if text == "-exec" {
            let Some(program) = words
                .get(at)
                .filter(|word| OF_NAMES.contains(&word.text.as_str()))
            else {
                return FindActions::More;
            };
            let length = words[at..]
                .iter()
                .position(|word| matches!(word.text.as_str(), ";" | "+"));
            let Some(length) = length.filter(|_| program.is_literal()) else {
                return FindActions::More;
            };
            at += length + 1;
            found = FindActions::RunsOfNames;
            continue;
        }
        let is_newer = text.len() == 8 && text.starts_with("-newer");
        let is_level = matches!(text, "-O0" | "-O1" | "-O2" | "-O3");
        match values_of_find(text) {
            Some(values) => at += values,
            None if is_newer => at += 1,
            None if is_level => {}
            None => return FindActions::More,
        }
    }
    found
}

/// `xargs` with a literal `--` and a program that shows names.
pub(super) fn xargs(words: &[Word]) -> bool {
    let mut at = 0;
    let mut is_ended = false;
    while let Some(word) = words.get(at) {
        if !word.is_literal() {
            return false;
        }
        at += 1;
        match word.text.as_str() {
            "--" => {
                is_ended = true;
                break;
            }
            "-0" | "-r" | "-x" | "-t" | "--null" | "--no-run-if-empty" | "--verbose" | "--exit" => {}
            "-n" | "-P" | "-L" | "-s" | "-d" | "-I" => at += 1,
            text if text.starts_with("-n") || text.starts_with("-P") || text.starts_with("-L") => {}
            text if text.starts_with("-d") || text.starts_with("-I") => {}
            text if text.starts_with("--max-args=") || text.starts_with("--max-procs=") => {}
            text if text.starts_with("--delimiter=") || text.starts_with("--max-lines=") => {}
            _ => {
                at -= 1;
                break;
            }
        }
    }
    let Some(program) = words.get(at) else {
        return false;
    };
    let ends_options = is_ended || words[at + 1..].iter().any(|word| word.text == "--");
    ends_options && OF_NAMES.contains(&program.text.as_str())
}
