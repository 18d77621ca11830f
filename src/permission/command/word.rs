//! Words of a command as the shell passes them on.

use std::ops::Range;

/// One word with its quotes and escapes resolved. What only the shell can know stands in it as it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    /// Byte offset of the first unquoted wildcard, which the shell replaces by file names.
    pub glob_at: Option<usize>,
    /// True if it begins with an unquoted `~`.
    pub tilde: bool,
    /// True if braces in it make several words of it, which only the shell knows.
    pub has_braces: bool,
    /// Byte offset of the first expansion.
    pub dynamic_at: Option<usize>,
    /// The variable, where that expansion is the whole beginning and names a directory that is known.
    pub variable: Option<Variable>,
    /// Byte offset of the end of that directory's name.
    pub(super) variable_end: usize,
    /// True if an expansion stands outside of quotes, where the shell may make several words of its value.
    pub(super) splits: bool,
    /// True if any part was quoted, so that it is no reserved word and no assignment.
    pub(super) quoted: bool,
    /// Byte range in the source text.
    pub(super) at: Range<usize>,
    /// The expansions in it.
    pub(super) expansions: Vec<Expansion>,
    /// True if the shell splits the names that its wildcard stands for.
    pub may_split: bool,
}

/// An expansion in a word's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expansion {
    pub(super) range: Range<usize>,
    /// The variable, for `$x` and `${x}`.
    pub(super) name: Option<String>,
    pub(super) is_quoted: bool,
}

/// A directory that commands name by a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    Home,
    WorkingDirectory,
    Temporary,
}

impl Variable {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "HOME" => Some(Self::Home),
            "PWD" => Some(Self::WorkingDirectory),
            "TMPDIR" => Some(Self::Temporary),
            _ => None,
        }
    }
}

impl Word {
    /// Returns true if the program gets exactly this text.
    pub fn is_literal(&self) -> bool {
        self.dynamic_at.is_none() && self.glob_at.is_none() && !self.tilde
    }

    /// Returns true if an expansion decides what it is; a variable that names a known directory does not count.
    pub fn is_dynamic(&self) -> bool {
        self.dynamic_at.is_some() && self.variable.is_none()
    }

    /// Returns true if the program gets one word that begins as it is written, or several where a wildcard stands behind that
    /// beginning.
    pub(super) fn begins_as_written(&self) -> bool {
        let is_option = self.text.starts_with('-');
        let is_known = match self.dynamic_at {
            None => true,
            Some(at) => (at > 0 || self.variable.is_some()) && !self.splits,
        };
        is_known
            && !self.has_braces
            && self
                .glob_at
                .is_none_or(|at| at > 0 && !is_option && !self.may_split)
    }

    /// The text with another in the place of each expansion.
    pub(super) fn with_expansions(&self, value: &str) -> String {
        let mut made = String::new();
        let mut at = 0;
        for expansion in &self.expansions {
            made.push_str(&self.text[at..expansion.range.start]);
            made.push_str(value);
            at = expansion.range.end;
        }
        made.push_str(&self.text[at..]);
        made
    }

    pub(super) fn is_integer(&self) -> bool {
        let digits = self.text.strip_prefix('-').unwrap_or(&self.text);
        self.is_literal() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// Joins words as rules see them.
pub(super) fn joined(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    texts.join(" ")
}

/// The name of an option, and the value that is attached to it.
pub(super) fn name_and_value(option: &str) -> (&str, Option<&str>) {
    match option.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (option, None),
    }
}

/// `x` for `{x}`, as it stands behind a `$`.
pub(super) fn without_braces(name: &str) -> &str {
    let inner = name.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
    inner.unwrap_or(name)
}

/// Returns true if a text can be a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Braces of one word may not make more words than this.
const MAX_WORDS: usize = 256;

/// Returns true if a text is one arithmetic expansion and nothing else: `$((i + 1))`.
pub(super) fn is_computed(text: &str) -> bool {
    let inner = text.strip_prefix("$((").and_then(|rest| rest.strip_suffix("))"));
    let Some(inner) = inner else { return false };
    let is_known = |c: char| c.is_ascii_alphanumeric() || "_ \t+-*/%<>=!&|^~?:,()$#{}".contains(c);
    if inner.contains("$(") || !inner.chars().all(is_known) {
        return false;
    }
    let mut depth = 0_i32;
    let is_inside = inner.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    });
    is_inside && depth == 0
}

/// Returns the words that `a{b,c}` and `{1..3}` stand for. `text` is a word without quotes and expansions; `None` when
/// there are too many, or when it has braces of another form, whose rules in bash depend on what stands behind them.
///
/// The forms are: pairs of braces, each around a list with a comma or around a sequence, in which every item may have such
/// pairs again; and a single pair without a comma or `..` in the whole word (`{}`, `HEAD@{1}`), which stays as it is.
pub(super) fn braces(text: &str) -> Option<Vec<String>> {
    if !text.contains(['{', '}']) || is_single_pair(text) {
        return Some(vec![text.to_owned()]);
    }
    let (words, rest) = expanded(text, false, 0)?;
    rest.is_empty().then_some(words)
}

fn is_single_pair(text: &str) -> bool {
    let braces = text.matches(['{', '}']);
    braces.eq(["{", "}"]) && !text.contains(',') && !text.contains("..")
}

/// Reads the words of a text up to its end, or, inside of braces, up to a `,` or `}`, and gives the rest.
fn expanded(text: &str, is_inside: bool, depth: usize) -> Option<(Vec<String>, &str)> {
    const MAX_DEPTH: usize = 8;
    let mut words = vec![String::new()];
    let mut rest = text;
    loop {
        let end = rest.find(['{', '}', ',']).unwrap_or(rest.len());
        let (literal, behind) = rest.split_at(end);
        for word in &mut words {
            word.push_str(literal);
        }
        rest = behind;
        match rest.chars().next() {
            Some('{') if depth < MAX_DEPTH => {
                let (items, behind) = pair(&rest[1..], depth + 1)?;
                if words.len() * items.len() > MAX_WORDS {
                    return None;
                }
                let with = |word: &String| {
                    items
                        .iter()
                        .map(|item| format!("{word}{item}"))
                        .collect::<Vec<_>>()
                };
                words = words.iter().flat_map(with).collect();
                rest = behind;
            }
            Some(',') if !is_inside => {
                for word in &mut words {
                    word.push(',');
                }
                rest = &rest[1..];
            }
            Some('{') => return None,
            Some('}') if !is_inside => return None,
            _ => return Some((words, rest)),
        }
    }
}

/// Reads what stands behind a `{`, up to and with its `}`.
fn pair(text: &str, depth: usize) -> Option<(Vec<String>, &str)> {
    if let Some((inner, behind)) = text.split_once('}')
        && !inner.contains(['{', ','])
    {
        return Some((sequence(inner)?, behind));
    }
    let (mut items, mut rest, mut has_comma) = (Vec::new(), text, false);
    loop {
        let (words, behind) = expanded(rest, true, depth)?;
        items.extend(words);
        if items.len() > MAX_WORDS {
            return None;
        }
        match behind.strip_prefix(',') {
            Some(behind) => (rest, has_comma) = (behind, true),
            None if has_comma => return Some((items, behind.strip_prefix('}')?)),
            None => return None,
        }
    }
}

/// `1..5`, `c..a`.
fn sequence(inner: &str) -> Option<Vec<String>> {
    let (from, to) = inner.split_once("..")?;
    if let ([from], [to]) = (from.as_bytes(), to.as_bytes())
        && from.is_ascii_lowercase()
        && to.is_ascii_lowercase()
    {
        let letters = |from: u8, to: u8| (from..=to).map(|letter| char::from(letter).to_string());
        return Some(if from <= to {
            letters(*from, *to).collect()
        } else {
            letters(*to, *from).rev().collect()
        });
    }
    // With a zero in front bash makes all of them as long.
    let is_plain = |text: &str| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        text == "0"
            || !digits.is_empty()
                && !digits.starts_with('0')
                && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let number = |text: &str| text.parse::<i32>().ok().filter(|_| is_plain(text));
    let (from, to) = (number(from)?, number(to)?);
    if from.abs_diff(to) as usize >= MAX_WORDS {
        return None;
    }
    Some(if from <= to {
        (from..=to).map(|number| number.to_string()).collect()
    } else {
        (to..=from).rev().map(|number| number.to_string()).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_expand_as_in_bash() {
        for (text, expected) in [
            ("a", "a"),
            ("a{b,c}d", "abd acd"),
            ("{a,b}{c,d}", "ac ad bc bd"),
            ("{a,{b,c}}", "a b c"),
            ("{a,{b,c}d,{1..2}}x,", "ax, bdx, cdx, 1x, 2x,"),
            ("x{a..c}", "xa xb xc"),
            ("{c..a}", "c b a"),
            ("{-1..1}", "-1 0 1"),
            ("{,x}y", "y xy"),
            ("{1..3}", "1 2 3"),
            ("{3..1}", "3 2 1"),
            ("{}", "{}"),
            ("{a}", "{a}"),
            ("HEAD@{1}", "HEAD@{1}"),
        ] {
            assert_eq!(braces(text).unwrap().join(" "), expected, "{text}");
        }
        for text in [
            "{a,b",
            "}{",
            "{a}{b,c}",
            "{{a,b}",
            "{1..1000}",
            "{01..03}",
            "{-01..1}",
            "{1..-00}",
            "{-1..-01}",
            "{a..C}",
            "{1..3..2}",
            "{a,{b}}",
            "{{a}b,c}",
            "{a},.env}",
            "{a}b,-o,x}",
            "{}{a,b}",
            "{},{a}",
            "{a}{b}",
            "a,{b}",
            "{a,b}}",
            "{a,b}{",
        ] {
            assert_eq!(braces(text), None, "{text}");
        }
    }

    /// All words of up to five of these characters, and what bash makes of each.
    #[test]
    fn no_word_with_braces_expands_in_another_way_than_in_bash() {
        const CHARACTERS: &[char] = &['{', '}', ',', '.', '-', '0', '1', 'a'];
        let mut texts = vec![String::new()];
        let mut last = texts.clone();
        for _ in 0..5 {
            last = last
                .iter()
                .flat_map(|text| CHARACTERS.iter().map(move |c| format!("{text}{c}")))
                .collect();
            texts.extend(last.iter().cloned());
        }
        texts.retain(|text| text.contains('{') && text.contains('}'));
        let longer = [
            "{-01..1}",
            "{1..-00}",
            "{a},b}",
            "{a,{1,0}}",
            "{a,{1}}",
            "x{0..2}{,a}",
            "{a..c}",
            "{1..3..2}",
        ];
        texts.extend(longer.map(str::to_owned));
        let lines = texts.iter().map(|text| format!("printf '[%s]' {text}; echo\n"));
        let mut bash = std::process::Command::new("bash")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let (mut stdin, script) = (bash.stdin.take().unwrap(), lines.collect::<String>());
        let writer = std::thread::spawn(move || std::io::Write::write_all(&mut stdin, script.as_bytes()));
        let output = bash.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.lines().count(), texts.len());
        let mut understood = 0;
        for (text, expected) in texts.iter().zip(output.lines()) {
            let Some(words) = braces(text) else { continue };
            understood += 1;
            let words: Vec<&str> = words
                .iter()
                .map(String::as_str)
                .filter(|word| !word.is_empty())
                .collect();
            assert_eq!(format!("[{}]", words.join("][")), expected, "{text}");
        }
        assert!(understood > 500, "{understood}");
    }
}
