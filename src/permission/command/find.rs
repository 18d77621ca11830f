//! `find` as it is run: which entries its expression lets an action have.
//!
//! A test is true, false or not known for an entry; what is not known may hold, so an action is left out only where it
//! certainly is not reached. A test whose value only the shell knows holds for nothing: who allows such a command allows what it
//! finds.

use super::operand::{PathOperand, operand};
use super::word::Word;
use super::{Simple, base_name};
use crate::permission::Pattern;

/// A `find` with what it does to the entries below its starting points.
#[derive(Debug)]
pub struct FindCommand<'a> {
    /// None for the directory in which it runs.
    pub starts: Vec<PathOperand>,
    pub follows_links: bool,
    pub min_depth: usize,
    pub max_depth: usize,
    /// True if what is below a directory comes before it, so that nothing is pruned.
    depth_first: bool,
    /// True if it prints the names for which the expression holds.
    prints: bool,
    expression: Expression<'a>,
}

/// Something that is done to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindAction<'a> {
    Delete,
    /// The name is written.
    Print,
    Run {
        words: &'a [Word],
        /// True if it runs in the entry's directory.
        in_directory: bool,
    },
}

/// An entry that a `find` meets.
pub struct FoundEntry<'a> {
    /// As `find` names it.
    pub path: &'a str,
    pub name: &'a str,
    pub is_directory: bool,
    pub is_link: bool,
    pub is_empty: &'a dyn Fn() -> bool,
}

#[derive(Debug)]
enum Expression<'a> {
    /// True, false or not known for every entry.
    Always(Truth),
    Name(Glob),
    Path(Glob),
    /// Letters of `-type`.
    Kind(String),
    Empty,
    Prune,
    Action(FindAction<'a>),
    Not(Box<Self>),
    And(Vec<Self>),
    Or(Vec<Self>),
    /// One after the other; the last one counts.
    List(Vec<Self>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    No,
    Unknown,
    Yes,
}

impl Truth {
    fn of(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

#[derive(Debug)]
struct Glob {
    pattern: Pattern,
    ignores_case: bool,
    /// True if it has sets or escapes, which are taken for any text.
    is_wider: bool,
}

impl Glob {
    fn new(text: &str, ignores_case: bool) -> Self {
        let text = if ignores_case {
            text.to_lowercase()
        } else {
            text.to_owned()
        };
        let end = text.find(['[', '\\']);
        let pattern = match end {
            Some(end) => format!("{}*", &text[..end]),
            None => text,
        };
        Self {
            pattern: Pattern::new(&pattern, None),
            ignores_case,
            is_wider: end.is_some(),
        }
    }

    fn holds(&self, text: &str) -> Truth {
        let matches = if self.ignores_case {
            self.pattern.matches(&text.to_lowercase())
        } else {
            self.pattern.matches(text)
        };
        match (matches, self.is_wider) {
            (false, _) => Truth::No,
            (true, true) => Truth::Unknown,
            (true, false) => Truth::Yes,
        }
    }
}

impl<'a> FindCommand<'a> {
    pub fn of(command: &'a Simple) -> Option<Self> {
        if base_name(command.program()) != "find" {
            return None;
        }
        let words = &command.words[1..];
        let is_option = |word: &&Word| {
            matches!(word.text.as_str(), "-H" | "-L" | "-P" | "--") || word.text.starts_with("-O")
        };
        let options = words.iter().take_while(is_option).count();
        let (options, rest) = words.split_at(options);
        let begins_a_test = |word: &Word| {
            word.text.starts_with('-') && word.text.len() > 1
                || matches!(word.text.as_str(), "(" | "!" | ")" | ",")
        };
        let starts = rest.iter().position(begins_a_test).unwrap_or(rest.len());
        let (starts, expression) = rest.split_at(starts);
        let mut parser = Parser {
            words: expression,
            at: 0,
            depth: 0,
            depth_first: false,
            limits: (0, usize::MAX),
            follows: options.iter().any(|word| word.text == "-L"),
            has_action: false,
        };
        let expression = parser.list();
        Some(Self {
            starts: starts.iter().map(operand).collect(),
            follows_links: parser.follows,
            min_depth: parser.limits.0,
            max_depth: parser.limits.1,
            depth_first: parser.depth_first,
            prints: !parser.has_action,
            expression,
        })
    }

    /// Returns the actions that an entry may get, and whether nothing below it is met.
    pub fn visit(&self, entry: &FoundEntry<'_>) -> (Vec<FindAction<'a>>, bool) {
        let mut visit = Visit {
            entry,
            actions: Vec::new(),
            prunes: false,
        };
        let truth = visit.judge(&self.expression, true);
        if self.prints && truth != Truth::No {
            visit.actions.push(FindAction::Print);
        }
        (visit.actions, visit.prunes && !self.depth_first)
    }
}

struct Visit<'v, 'a> {
    entry: &'v FoundEntry<'v>,
    actions: Vec<FindAction<'a>>,
    prunes: bool,
}

impl<'a> Visit<'_, 'a> {
    /// `is_certain` says whether this part is certainly reached.
    fn judge(&mut self, expression: &Expression<'a>, is_certain: bool) -> Truth {
        match expression {
            Expression::Always(truth) => *truth,
            Expression::Name(glob) => glob.holds(self.entry.name),
            Expression::Path(glob) => glob.holds(self.entry.path),
            Expression::Kind(letters) => self.kind(letters),
            Expression::Empty => Truth::of((self.entry.is_empty)()),
            Expression::Prune => {
                self.prunes |= is_certain;
                Truth::Yes
            }
            Expression::Action(action) => {
                self.actions.push(*action);
                if matches!(action, FindAction::Print) {
                    Truth::Yes
                } else {
                    Truth::Unknown
                }
            }
            Expression::Not(inner) => match self.judge(inner, is_certain) {
                Truth::No => Truth::Yes,
                Truth::Unknown => Truth::Unknown,
                Truth::Yes => Truth::No,
            },
            Expression::And(parts) => self.chain(parts, is_certain, Truth::No),
            Expression::Or(parts) => self.chain(parts, is_certain, Truth::Yes),
            Expression::List(parts) => {
                let mut last = Truth::Yes;
                for part in parts {
                    last = self.judge(part, is_certain);
                }
                last
            }
        }
    }

    /// Parts one after the other until one is `end`.
    fn chain(&mut self, parts: &[Expression<'a>], mut is_certain: bool, end: Truth) -> Truth {
        let mut is_known = true;
        for part in parts {
            match self.judge(part, is_certain) {
                truth if truth == end => return if is_known { end } else { Truth::Unknown },
                Truth::Unknown => (is_known, is_certain) = (false, false),
                _ => {}
            }
        }
        match (is_known, end) {
            (false, _) => Truth::Unknown,
            (true, Truth::No) => Truth::Yes,
            (true, _) => Truth::No,
        }
    }

    fn kind(&self, letters: &str) -> Truth {
        let is_one = |letter: char| match letter {
            'd' => self.entry.is_directory,
            'l' => self.entry.is_link,
            'f' => !self.entry.is_directory && !self.entry.is_link,
            _ => false,
        };
        Truth::of(letters.chars().any(is_one))
    }
}

struct Parser<'a> {
    words: &'a [Word],
    at: usize,
    depth: usize,
    depth_first: bool,
    limits: (usize, usize),
    follows: bool,
    has_action: bool,
}

/// Parentheses and negations in each other.
const MAX_DEPTH: usize = 50;
/// Tests without a value whose result is not looked up.
const WITHOUT_VALUE: &[&str] = &["-executable", "-nogroup", "-nouser", "-readable", "-writable"];
/// Tests that change nothing and always hold.
const NEUTRAL: &[&str] = &[
    "-daystart",
    "-ignore_readdir_race",
    "-mount",
    "-noignore_readdir_race",
    "-noleaf",
    "-nowarn",
    "-true",
    "-warn",
    "-xdev",
];

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.words.get(self.at).map_or("", |word| word.text.as_str())
    }

    fn next(&mut self) -> Option<&'a Word> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        Some(word)
    }

    fn list(&mut self) -> Expression<'a> {
        let mut parts = vec![self.or()];
        while self.peek() == "," {
            self.at += 1;
            parts.push(self.or());
        }
        Expression::List(parts)
    }

    fn or(&mut self) -> Expression<'a> {
        let mut parts = vec![self.and()];
        while matches!(self.peek(), "-o" | "-or") {
            self.at += 1;
            parts.push(self.and());
        }
        Expression::Or(parts)
    }

    fn and(&mut self) -> Expression<'a> {
        let mut parts = Vec::new();
        while self.at < self.words.len() && !matches!(self.peek(), "-o" | "-or" | "," | ")") {
            if matches!(self.peek(), "-a" | "-and") {
                self.at += 1;
                continue;
            }
            parts.push(self.primary());
        }
        if self.depth == 0 && self.peek() == ")" {
            // It closes nothing; the rest counts all the same.
            self.at += 1;
            parts.push(Expression::Always(Truth::Unknown));
            parts.push(self.and());
        }
        Expression::And(parts)
    }

    fn primary(&mut self) -> Expression<'a> {
        let Some(word) = self.next() else {
            return Expression::Always(Truth::Yes);
        };
        self.has_action |= ["-delete", "-print", "-ls", "-exec", "-ok", "-fprint", "-fls"]
            .iter()
            .any(|action| word.text.starts_with(action));
        match word.text.as_str() {
            "!" | "-not" if self.depth < MAX_DEPTH => {
                self.depth += 1;
                let inner = self.primary();
                self.depth -= 1;
                Expression::Not(Box::new(inner))
            }
            "(" if self.depth < MAX_DEPTH => {
                self.depth += 1;
                let inner = self.list();
                self.depth -= 1;
                if self.peek() == ")" {
                    self.at += 1;
                }
                inner
            }
            text if self.takes_option(text) => Expression::Always(Truth::Yes),
            text => match self.action(text) {
                Some(action) => Expression::Action(action),
                None => self.test(word),
            },
        }
    }

    /// Takes an option, or what writes to a file and always holds; returns false for anything else.
    fn takes_option(&mut self, text: &str) -> bool {
        match text {
            "-maxdepth" => self.limits.1 = self.number().unwrap_or(usize::MAX),
            "-mindepth" => self.limits.0 = self.number().unwrap_or(0),
            "-depth" | "-d" => self.depth_first = true,
            "-follow" => self.follows = true,
            "-fprintf" => self.at += 2,
            "-fprint" | "-fprint0" | "-fls" => self.at += 1,
            _ => return NEUTRAL.contains(&text),
        }
        true
    }

    fn action(&mut self, text: &str) -> Option<FindAction<'a>> {
        match text {
            "-delete" => {
                self.depth_first = true;
                Some(FindAction::Delete)
            }
            "-print" | "-print0" | "-ls" => Some(FindAction::Print),
            "-printf" => {
                self.at += 1;
                Some(FindAction::Print)
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => Some(FindAction::Run {
                words: self.run(),
                in_directory: text.ends_with("dir"),
            }),
            _ => None,
        }
    }

    fn test(&mut self, word: &Word) -> Expression<'a> {
        use Truth::{No, Unknown};
        match word.text.as_str() {
            "-name" => self.glob(false, Expression::Name),
            "-iname" => self.glob(true, Expression::Name),
            "-path" | "-wholename" => self.glob(false, Expression::Path),
            "-ipath" | "-iwholename" => self.glob(true, Expression::Path),
            "-type" => match self.next() {
                Some(value) if value.is_literal() => Expression::Kind(value.text.replace(',', "")),
                _ => Expression::Always(No),
            },
            "-empty" => Expression::Empty,
            "-prune" => Expression::Prune,
            "-false" => Expression::Always(No),
            "-quit" => Expression::Always(Unknown),
            text if WITHOUT_VALUE.contains(&text) => Expression::Always(Unknown),
            text if text.starts_with('-') && text.len() > 1 => {
                let value = self.next();
                let is_unknown = value.is_some_and(Word::is_dynamic) || word.is_dynamic();
                Expression::Always(if is_unknown { No } else { Unknown })
            }
            _ => Expression::Always(if word.is_dynamic() { No } else { Unknown }),
        }
    }

    fn number(&mut self) -> Option<usize> {
        self.next().and_then(|word| word.text.parse().ok())
    }

    fn glob(&mut self, ignores_case: bool, make: fn(Glob) -> Expression<'a>) -> Expression<'a> {
        match self.next() {
            Some(value) if value.is_dynamic() => Expression::Always(Truth::No),
            // The shell may make something else of it.
            Some(value) if value.glob_at.is_some() => Expression::And(vec![
                make(Glob::new(&value.text, ignores_case)),
                Expression::Always(Truth::Unknown),
            ]),
            Some(value) => make(Glob::new(&value.text, ignores_case)),
            None => Expression::Always(Truth::Unknown),
        }
    }

    /// The words of an action.
    fn run(&mut self) -> &'a [Word] {
        let (run, length) = action_words(&self.words[self.at..]);
        self.at += length;
        run
    }
}

/// The words that an action runs, by those behind it, and how many words they are with their end.
pub(super) fn action_words(rest: &[Word]) -> (&[Word], usize) {
    let is_end = |at: &usize| match rest[*at].text.as_str() {
        ";" => true,
        "+" => *at > 0 && rest[at - 1].text == "{}",
        _ => false,
    };
    let end = (0..rest.len()).find(is_end).unwrap_or(rest.len());
    (&rest[..end], (end + 1).min(rest.len()))
}

#[cfg(test)]
mod tests {
    use super::super::analyse;
    use super::*;

    #[test]
    fn actions_are_reached_where_tests_may_hold() {
        let reached = |command: &str, path: &str| {
            let analysis = analyse(command);
            let find = FindCommand::of(&analysis.commands[0]).unwrap();
            let entry = FoundEntry {
                path,
                name: path.rsplit('/').next().unwrap(),
                is_directory: path.ends_with("_d"),
                is_link: false,
                is_empty: &|| false,
            };
            let (actions, prunes) = find.visit(&entry);
            (!actions.is_empty(), prunes)
        };
        for (command, path, expected) in [
            ("find . -delete", "./a", (true, false)),
            ("find . -name b -delete", "./a", (false, false)),
            ("find . -name b -o -delete", "./a", (true, false)),
            ("find . ! -name a -delete", "./a", (false, false)),
            (
                "find . -not \\( -name a -o -name b \\) -delete",
                "./a",
                (false, false),
            ),
            (
                "find . -not \\( -name a -o -name b \\) -delete",
                "./c",
                (true, false),
            ),
            ("find . -mtime 3 -delete", "./a", (true, false)),
            ("find . -unknown x -delete", "./a", (true, false)),
            ("find . -name \"$x\" -delete", "./a", (false, false)),
            (
                "find . -path './.git*' -prune -o -exec rm {} +",
                "./.git",
                (false, true),
            ),
            (
                "find . -path './.git*' -prune -o -exec rm {} +",
                "./a",
                (true, false),
            ),
            ("find . -size 3 -prune -o -exec rm {} +", "./a", (true, false)),
            ("find . -name a -prune -o -delete", "./a", (false, false)),
            ("find . -type d -delete", "./a", (false, false)),
            ("find . -type f,d -delete", "./a_d", (true, false)),
            (
                "find . -type d -exec rm -r {} \\; -name x",
                "./a_d",
                (true, false),
            ),
            ("find . -name '[ab]' -delete", "./a", (true, false)),
            ("find . -not -name '[ab]' -delete", "./a", (true, false)),
            ("find . -iname A -delete", "./a", (true, false)),
            ("find . -name x , -delete", "./a", (true, false)),
            ("find . -false -delete", "./a", (false, false)),
            ("find . -empty -delete", "./a", (false, false)),
        ] {
            assert_eq!(reached(command, path), expected, "{command} {path}");
        }
    }
}
