//! Parses the keys that were typed in normal or visual mode. They are read from the start with each key: a command has
//! a few.

use super::motion::Find;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Motion {
    Left,
    Right,
    Up,
    Down,
    Word {
        is_big: bool,
    },
    Back {
        is_big: bool,
    },
    End {
        is_big: bool,
    },
    LineStart,
    FirstWord,
    LineEnd,
    Top,
    Bottom,
    Find(Find),
    /// The last search again, or the other way.
    FindAgain {
        is_reversed: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Delete,
    Change,
    Yank,
    Indent,
    Outdent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Lines,
    Motion(Motion),
    Object { name: char, is_inner: bool },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    Move(Motion),
    Operate(Operator, Target),
    Replace(char),
    /// A single key with a meaning of its own.
    Key(char),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Command {
    pub(super) count: Option<usize>,
    pub(super) verb: Verb,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParsedCommand {
    /// More keys belong to it.
    Open,
    Whole(Command),
    /// It means nothing.
    Nothing,
}

/// Counts beyond this do what this one does.
const COUNT_LIMIT: usize = 9999;
/// Keys that are a command on their own in normal mode.
const KEYS: &str = "xXsSCDYpPiIaAoOJu.vV~";

pub(super) fn parse(keys: &[char]) -> ParsedCommand {
    let (count, rest) = split_count(keys);
    let Some((first, rest)) = rest.split_first() else {
        return ParsedCommand::Open;
    };
    let whole = |verb| ParsedCommand::Whole(Command { count, verb });
    if let Some(operator) = operator(*first) {
        return operation(count, operator, *first, rest);
    }
    match (first, rest) {
        ('r', []) => ParsedCommand::Open,
        ('r', [c]) => whole(Verb::Replace(*c)),
        (key, []) if KEYS.contains(*key) => whole(Verb::Key(*key)),
        (_, _) => match motion(*first, rest) {
            Ok(motion) => whole(Verb::Move(motion)),
            Err(parsed) => parsed,
        },
    }
}

/// Reads what was typed over a selection: an object there is, where no operator stands before it.
pub(super) fn parse_visual(keys: &[char]) -> ParsedCommand {
    let (count, rest) = split_count(keys);
    let whole = |verb| ParsedCommand::Whole(Command { count, verb });
    match rest {
        [] | ['i' | 'a'] => ParsedCommand::Open,
        ['i' | 'a', name] => whole(Verb::Operate(Operator::Yank, object(rest[0], *name))),
        [key] if "dxcsyvVp~J<>DCYXS".contains(*key) => whole(Verb::Key(*key)),
        [first, rest @ ..] => match motion(*first, rest) {
            Ok(motion) => whole(Verb::Move(motion)),
            Err(parsed) => parsed,
        },
    }
}

fn operation(count: Option<usize>, operator: Operator, key: char, rest: &[char]) -> ParsedCommand {
    let (second, rest) = split_count(rest);
    let count = match (count, second) {
        (None, None) => None,
        (one, other) => Some((one.unwrap_or(1) * other.unwrap_or(1)).min(COUNT_LIMIT)),
    };
    let whole = |target| {
        let verb = Verb::Operate(operator, target);
        ParsedCommand::Whole(Command { count, verb })
    };
    match rest {
        [] | ['i' | 'a'] => ParsedCommand::Open,
        [again] if *again == key => whole(Target::Lines),
        [kind @ ('i' | 'a'), name] => whole(object(*kind, *name)),
        [first, rest @ ..] => match motion(*first, rest) {
            Ok(motion) => whole(Target::Motion(motion)),
            Err(parsed) => parsed,
        },
    }
}

fn object(kind: char, name: char) -> Target {
    Target::Object {
        name,
        is_inner: kind == 'i',
    }
}

fn operator(key: char) -> Option<Operator> {
    Some(match key {
        'd' => Operator::Delete,
        'c' => Operator::Change,
        'y' => Operator::Yank,
        '>' => Operator::Indent,
        '<' => Operator::Outdent,
        _ => return None,
    })
}

fn motion(first: char, rest: &[char]) -> Result<Motion, ParsedCommand> {
    if let ('f' | 'F' | 't' | 'T', rest) = (first, rest) {
        let [target] = rest else {
            return Err(ParsedCommand::Open);
        };
        return Ok(Motion::Find(Find {
            target: *target,
            is_forward: first.is_lowercase(),
            is_till: first.eq_ignore_ascii_case(&'t'),
        }));
    }
    match (first, rest) {
        ('g', []) => return Err(ParsedCommand::Open),
        ('g', ['g']) => return Ok(Motion::Top),
        (_, []) => {}
        _ => return Err(ParsedCommand::Nothing),
    }
    Ok(match first {
        'h' => Motion::Left,
        'l' | ' ' => Motion::Right,
        'k' => Motion::Up,
        'j' => Motion::Down,
        'w' | 'W' => Motion::Word { is_big: first == 'W' },
        'b' | 'B' => Motion::Back { is_big: first == 'B' },
        'e' | 'E' => Motion::End { is_big: first == 'E' },
        '0' => Motion::LineStart,
        '^' => Motion::FirstWord,
        '$' => Motion::LineEnd,
        'G' => Motion::Bottom,
        ';' => Motion::FindAgain { is_reversed: false },
        ',' => Motion::FindAgain { is_reversed: true },
        _ => return Err(ParsedCommand::Nothing),
    })
}

fn split_count(keys: &[char]) -> (Option<usize>, &[char]) {
    // A zero that begins is a motion.
    if keys.first().is_none_or(|c| !matches!(c, '1'..='9')) {
        return (None, keys);
    }
    let end = keys
        .iter()
        .position(|c| !c.is_ascii_digit())
        .unwrap_or(keys.len());
    let digits: String = keys[..end].iter().collect();
    let count = digits.parse().unwrap_or(COUNT_LIMIT).min(COUNT_LIMIT);
    (Some(count), &keys[end..])
}
