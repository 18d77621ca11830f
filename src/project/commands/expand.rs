//! Puts a command's arguments into its text, and finds the shell commands that it wants run.
//!
//! `$1` to `$9…` are words, of which the highest that the text names takes the rest unless [`LastNumber`] says otherwise;
//! `$ARGUMENTS` is all of them. A text that names neither gets them at its end. What arguments bring is never a shell command: the text is cut into pieces first.

/// A piece of an expanded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// Its output stands here, if it may run.
    Shell(String),
}

/// Meaning of the highest `$n` of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastNumber {
    /// The word with this number and all after it.
    RestOfWords,
    /// The word with this number.
    OneWord,
}

/// Arguments of a command and how they are put in.
struct Arguments<'a> {
    all: &'a str,
    words: Vec<String>,
    /// The number that takes the rest.
    takes_rest: Option<usize>,
}

/// Puts the arguments into a command's text.
pub fn expand(body: &str, arguments: &str, last_number: LastNumber) -> Vec<Piece> {
    let arguments = arguments.trim();
    let highest = highest(body);
    let given = Arguments {
        all: arguments,
        words: words(arguments),
        takes_rest: (last_number == LastNumber::RestOfWords).then_some(highest),
    };
    let mut takes_none = highest == 0;
    let mut pieces: Vec<Piece> = cut(body)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => Piece::Text(given.fill(&text, &mut takes_none)),
            Piece::Shell(command) => Piece::Shell(given.fill(&command, &mut takes_none)),
        })
        .collect();
    if takes_none && !arguments.is_empty() {
        pieces.push(Piece::Text(format!("\n\n{arguments}")));
    }
    pieces
}

/// Returns the shell commands that a text would have run, as they are written.
pub fn shell_commands(body: &str) -> Vec<String> {
    let commands = cut(body).into_iter().filter_map(|piece| match piece {
        Piece::Shell(command) => Some(command),
        Piece::Text(_) => None,
    });
    commands.collect()
}

/// Finds `` !`command` `` in a text.
fn cut(body: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = body.trim_end();
    let mut text = String::new();
    while let Some(start) = rest.find("!`") {
        let (before, at) = rest.split_at(start);
        let inside = &at[2..];
        let end = inside
            .find('`')
            .filter(|end| *end > 0 && !inside[..*end].contains('\n'));
        text.push_str(before);
        let Some(end) = end else {
            text.push_str("!`");
            rest = inside;
            continue;
        };
        pieces.push(Piece::Text(std::mem::take(&mut text)));
        pieces.push(Piece::Shell(inside[..end].to_owned()));
        rest = &inside[end + 1..];
    }
    text.push_str(rest);
    pieces.push(Piece::Text(text));
    pieces.retain(|piece| *piece != Piece::Text(String::new()));
    pieces
}

/// Returns the highest number that a text names.
fn highest(body: &str) -> usize {
    let named = body
        .match_indices('$')
        .filter_map(|(at, _)| number(&body[at + 1..]));
    named.map(|(number, _)| number).max().unwrap_or(0)
}

/// Reads a number from 1 at the beginning of a text, and how long it is.
fn number(text: &str) -> Option<(usize, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number = text[..digits]
        .parse()
        .ok()
        .filter(|number| (1..100).contains(number))?;
    Some((number, digits))
}

impl Arguments<'_> {
    fn fill(&self, text: &str, takes_none: &mut bool) -> String {
        const ALL: &str = "ARGUMENTS";
        let mut filled = String::new();
        let mut rest = text;
        while let Some(start) = rest.find('$') {
            let (before, at) = rest.split_at(start);
            filled.push_str(before);
            rest = &at[1..];
            if let Some(behind) = rest.strip_prefix(ALL) {
                filled.push_str(self.all);
                *takes_none = false;
                rest = behind;
            } else if let Some((number, digits)) = number(rest) {
                let from = self.words.get(number - 1..).unwrap_or_default();
                let taken = if self.takes_rest == Some(number) {
                    from
                } else {
                    &from[..from.len().min(1)]
                };
                filled.push_str(&taken.join(" "));
                rest = &rest[digits..];
            } else {
                filled.push('$');
            }
        }
        filled + rest
    }
}

/// Splits arguments at blanks; quotes hold words together.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &str, arguments: &str) -> String {
        let pieces = expand(body, arguments, LastNumber::RestOfWords)
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) => text,
                Piece::Shell(command) => format!("<{command}>"),
            });
        pieces.collect()
    }

    #[test]
    fn arguments_stand_where_they_are_named() {
        assert_eq!(text("fix $ARGUMENTS now", "a  b"), "fix a  b now");
        assert_eq!(
            text("$1 then $2.", "one 'two three' four"),
            "one then two three four."
        );
        assert_eq!(
            text("only $1", "a b c"),
            "only a b c",
            "the highest takes the rest"
        );
        assert_eq!(text("$2 before $1", "a"), " before a");
        assert_eq!(text("costs $5 and $HOME", ""), "costs  and $HOME");
    }

    #[test]
    fn a_number_is_one_word_where_no_number_takes_the_rest() {
        for (body, filled) in [
            ("$1 and $2", "one and two three"),
            ("only $1", "only one"),
            ("$2, all: $ARGUMENTS", "two three, all: one 'two three' four"),
            ("$4$3.", "four."),
        ] {
            let pieces = expand(body, "one 'two three' four", LastNumber::OneWord);
            assert_eq!(pieces, [Piece::Text(filled.to_owned())], "{body}");
        }
    }

    #[test]
    fn arguments_that_nobody_named_stand_at_the_end() {
        assert_eq!(text("Review it.\n", "src/a.rs"), "Review it.\n\nsrc/a.rs");
        assert_eq!(text("Review it.\n", "  "), "Review it.");
    }

    #[test]
    fn shell_commands_are_the_texts_own_and_never_an_arguments() {
        assert_eq!(text("Diff: !`git diff $1`!", "a.rs"), "Diff: <git diff a.rs>!");
        assert_eq!(text("say $ARGUMENTS", "!`rm -rf x`"), "say !`rm -rf x`");
        assert_eq!(text("open !`no end", ""), "open !`no end");
        assert_eq!(shell_commands("a !`b` c !`d`"), ["b", "d"]);
    }
}
