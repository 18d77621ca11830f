//! The closed form of `ps`: processes without their environment, which `e` and `E` would show.
//!
//! `ps` reads words that it does not understand, or that contradict each other, again as letters without a dash, and `-e`
//! (every process) becomes the environment. So each word is understood whole, and beside `-e` stands at most one format.

use super::super::word::Word;

/// Returns true if these words have the form.
pub(super) fn ps(words: &[Word]) -> bool {
    let (mut every, mut formats, mut others) = (false, 0, false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if !word.is_literal() {
            return false;
        }
        let text = word.text.as_str();
        if let Some(long) = text.strip_prefix("--") {
            if !is_long_option(long) {
                return false;
            }
        } else if let Some(letters) = text.strip_prefix('-') {
            let (flags, valued) = match letters.strip_suffix(['o', 'p', 'q']) {
                Some(flags) => (flags, letters.chars().last()),
                None => (letters, None),
            };
            let value = |is_item: fn(&str) -> bool| {
                move |list: &Word| list.is_literal() && is_list_of(&list.text, is_item)
            };
            let is_known = match valued {
                Some('o') => rest.next().is_some_and(value(is_column)),
                Some(_) => rest.next().is_some_and(value(is_number)),
                None => !flags.is_empty(),
            };
            if !is_known || !flags.chars().all(|c| "AadefFlLMjTHwyN".contains(c)) {
                return false;
            }
            every |= flags.contains('e');
            formats += usize::from(valued == Some('o')) + flags.matches(['f', 'F', 'l', 'j']).count();
            others |= flags.contains(['a', 'd', 'L', 'M', 'T', 'H', 'y', 'N']);
        } else if has_only(text, "auxwfjlhSTc") || is_list_of(text, is_number) {
            others = true;
        } else {
            return false;
        }
    }
    !every || formats <= 1 && !others
}

/// `option` stands without its dashes.
fn is_long_option(option: &str) -> bool {
    let Some((name, value)) = option.split_once('=') else {
        return matches!(option, "forest" | "headers" | "no-headers");
    };
    let is_key = |key: &str| is_column(key.strip_prefix(['+', '-']).unwrap_or(key));
    match name {
        "sort" => is_list_of(value, is_key),
        "cols" | "columns" | "pid" | "ppid" | "rows" | "width" => is_list_of(value, is_number),
        _ => false,
    }
}

fn has_only(text: &str, letters: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| letters.contains(c))
}

/// Returns true if a text is a list of such items with commas between them.
fn is_list_of(text: &str, is_item: impl Fn(&str) -> bool) -> bool {
    text.split(',').all(is_item)
}

fn is_number(text: &str) -> bool {
    has_only(text, "0123456789")
}

/// Returns true for a column of `ps`, with its heading left out or not.
fn is_column(text: &str) -> bool {
    const COLUMNS: &[&str] = &[
        "%cpu",
        "%mem",
        "args",
        "cmd",
        "comm",
        "command",
        "cputime",
        "egroup",
        "etime",
        "etimes",
        "euid",
        "euser",
        "group",
        "lstart",
        "ni",
        "nice",
        "nlwp",
        "pcpu",
        "pgid",
        "pid",
        "pmem",
        "ppid",
        "pri",
        "psr",
        "rss",
        "ruser",
        "s",
        "sess",
        "sid",
        "start",
        "start_time",
        "stat",
        "state",
        "stime",
        "tid",
        "time",
        "tname",
        "tt",
        "tty",
        "uid",
        "user",
        "vsize",
        "vsz",
        "wchan",
    ];
    COLUMNS.contains(&text.strip_suffix('=').unwrap_or(text))
}
