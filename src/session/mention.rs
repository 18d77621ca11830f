//! Files that a text names with `@`: `@src/a.rs`, `@src/a.rs:10-40`, `@"a name with blanks.md"`.
//!
//! A mention stands at the beginning of a word. What has a slash, lines or quotes is surely meant; another word, such as
//! `@dataclass`, is one only if there is such a file.

use super::Mention;

/// Ends a sentence or a bracket, and no name.
const CLOSING: &[char] = &[',', ';', ':', '!', '?', '.', ')', ']', '}', '\'', '"', '`'];
/// In none of the names that are written without quotes.
const FOREIGN: &[char] = &['{', '<', '>', '"', '`', '\\', '|', '*', '?', '@', '='];
/// Brackets that names of files may have: `src/app/[id]/(shop)/page.tsx`.
const BRACKETS: [(char, char); 2] = [('(', ')'), ('[', ']')];

/// Finds what a text mentions, each once.
pub(crate) fn mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let mut before = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mention = if c == '@' && starts_word(before) {
            read(rest)
        } else {
            None
        };
        let taken = match mention {
            Some((mention, taken)) => {
                if !found.contains(&mention) {
                    found.push(mention);
                }
                taken
            }
            None => c.len_utf8(),
        };
        before = rest[..taken].chars().next_back();
        rest = &rest[taken..];
    }
    found
}

/// Returns true if a sign behind this character begins a word.
pub(crate) fn starts_word(before: Option<char>) -> bool {
    before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '{' | '"' | '\'' | '`'))
}

/// Returns true if a path can be written as a mention: one has no way to write a quotation mark or a control character.
pub(crate) fn can_be_mentioned(path: &str) -> bool {
    !path.contains(|c: char| c == '"' || c.is_control())
}

/// Returns true if a path can stand in a message as it is, without being taken for a mention.
pub(crate) fn is_plain_text(path: &str) -> bool {
    !path.contains(char::is_control) && mentions(path).is_empty()
}

/// Writes a path as a mention, if [it can be](can_be_mentioned).
pub(crate) fn mention(path: &str) -> String {
    let is_plain = !path.contains(char::is_whitespace) && !path.contains(FOREIGN) && !path.ends_with(CLOSING);
    if is_plain {
        format!("@{path}")
    } else {
        format!("@\"{path}\"")
    }
}

/// Splits `a.rs:10-40` into its path and its lines.
pub(crate) fn with_lines(text: &str) -> (&str, Option<(u64, u64)>) {
    let lines = |range: &str| {
        let (from, to) = range.split_once('-').unwrap_or((range, range));
        let from = from.parse().ok().filter(|from| *from > 0)?;
        let to = to.parse().ok().filter(|to| *to >= from)?;
        Some((from, to))
    };
    match text.rsplit_once(':').map(|(path, range)| (path, lines(range))) {
        Some((path, Some(lines))) if !path.is_empty() => (path, Some(lines)),
        _ => (text, None),
    }
}

/// Reads the mention at the beginning of a text, and how long it is there.
fn read(text: &str) -> Option<(Mention, usize)> {
    if let Some(quoted) = text.strip_prefix("@\"") {
        let line = quoted.lines().next().unwrap_or_default();
        let end = line.find('"').filter(|end| *end > 0)?;
        let behind = &quoted[end + 1..];
        let word = behind.split(char::is_whitespace).next().unwrap_or_default();
        let word = word.trim_end_matches(CLOSING);
        let lines = with_lines(&format!("x{word}")).1;
        let taken = 3 + end + lines.map_or(0, |_| word.len());
        return Some((
            Mention {
                path: quoted[..end].to_owned(),
                lines,
                is_sure: true,
                label: None,
            },
            taken,
        ));
    }
    let word = text[1..].split(char::is_whitespace).next().unwrap_or_default();
    let word = trim_end(word);
    if word.is_empty() || word.contains(FOREIGN) {
        return None;
    }
    let (path, lines) = with_lines(word);
    let has_slash = path.contains('/') && BRACKETS.iter().all(|pair| excess(path, *pair) == 0);
    let mention = Mention {
        path: path.to_owned(),
        lines,
        is_sure: lines.is_some() || has_slash,
        label: None,
    };
    Some((mention, 1 + word.len()))
}

/// Returns a word without what ends the sentence or the bracket around it.
fn trim_end(word: &str) -> &str {
    let mut word = word;
    while let Some(last) = word.chars().next_back().filter(|last| CLOSING.contains(last)) {
        let pair = BRACKETS.iter().find(|(_, close)| *close == last);
        if pair.is_some_and(|pair| excess(word, *pair) <= 0) {
            break;
        }
        word = &word[..word.len() - last.len_utf8()];
    }
    word
}

/// Returns how many more brackets a text closes than it opens.
fn excess(text: &str, (open, close): (char, char)) -> isize {
    let count = |sign| text.matches(sign).count().cast_signed();
    count(close) - count(open)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = (String, Option<(u64, u64)>, bool);

    fn found(text: &str) -> Vec<Found> {
        let all = mentions(text).into_iter();
        all.map(|mention| (mention.path, mention.lines, mention.is_sure))
            .collect()
    }

    #[test]
    fn a_mention_stands_at_the_beginning_of_a_word() {
        let sure = |path: &str| (path.to_owned(), None, true);
        assert_eq!(found("look at @src/a.rs, please"), [sure("src/a.rs")]);
        assert_eq!(found("(@src/a.rs) and\n@./b/"), [sure("src/a.rs"), sure("./b/")]);
        assert_eq!(found("@a.md"), [("a.md".to_owned(), None, false)]);
        assert_eq!(
            found("(@src/app/[id]/page.tsx), @src/(shop) @src/[...all]."),
            [
                sure("src/app/[id]/page.tsx"),
                sure("src/(shop)"),
                sure("src/[...all]")
            ]
        );
        assert_eq!(found("@test(a/b"), [("test(a/b".to_owned(), None, false)]);
        for text in [
            "me@example.com/x",
            "a @ b",
            "@",
            "@app.get(\"/x\")",
            "x=@",
            "@@/a",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn lines_and_quotes_are_read() {
        let lines = |path: &str, lines| (path.to_owned(), lines, true);
        assert_eq!(found("@src/a.rs:10-40."), [lines("src/a.rs", Some((10, 40)))]);
        assert_eq!(found("@a.rs:7"), [lines("a.rs", Some((7, 7)))]);
        assert_eq!(
            found("@\"my file.md\":2-3, then"),
            [lines("my file.md", Some((2, 3)))]
        );
        assert_eq!(
            found("@\"my file.md\" twice @\"my file.md\""),
            [lines("my file.md", None)]
        );
        assert_eq!(found("@a/b:40-10"), [lines("a/b:40-10", None)]);
        assert_eq!(found("@\"open"), []);
    }

    #[test]
    fn what_is_written_is_found_again() {
        for path in ["src/a.rs", "a b.rs", "x.", "we(ird).rs", "é/ü.txt", "q?/a"] {
            let text = format!("see {} now", mention(path));
            assert_eq!(mentions(&text)[0].path, path, "{text}");
        }
    }
}
