//! Tracebacks of Python in an output: the frames, which say little by themselves, and the exception below them.

use std::ops::Range;

/// How a traceback begins, in small letters or not.
const HEADING: &str = "Traceback (most recent call last)";
/// What stands between two exceptions of which the second was raised because of the first.
const LINKS: [&str; 2] = [
    "During handling of the above exception",
    "The above exception was the direct cause",
];

/// Returns the lines of each traceback, from its heading to the one before its exception.
pub(super) fn frames(lines: &[&str]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if !line.trim_start().starts_with(HEADING) {
            continue;
        }
        let is_below = |other: &&str| other.trim().is_empty() || indentation(other) > indentation(line);
        let inside = lines[at + 1..].iter().take_while(|other| is_below(other));
        found.push(at..at + 1 + inside.count());
    }
    found
}

/// Returns the lines of the exceptions below these frames; of exceptions that led to each other, the last.
pub(super) fn exceptions(lines: &[&str], frames: &[Range<usize>]) -> Vec<usize> {
    let is_last = |at: &usize| {
        let mut below = lines[*at + 1..].iter().filter(|line| !line.trim().is_empty());
        below
            .next()
            .is_none_or(|line| !LINKS.iter().any(|link| line.trim_start().starts_with(link)))
    };
    let ends = frames.iter().map(|frames| frames.end);
    ends.filter(|at| *at < lines.len()).filter(is_last).collect()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(output: &'a str) -> Vec<&'a str> {
        let lines: Vec<&'a str> = output.lines().collect();
        let at = exceptions(&lines, &frames(&lines)).into_iter();
        at.map(|at| lines[at]).collect()
    }

    #[test]
    fn the_exception_stands_below_the_frames() {
        let plain = "x\nTraceback (most recent call last):\n  File \"errors.py\", line 3, in f\n    g()\n    ~^^\n\n  \
                     File \"b.py\", line 9, in g\n    raise ValueError(\"no\")\nValueError: no\n";
        assert_eq!(found(plain), ["ValueError: no"]);
        let indented =
            "  Traceback (most recent call last):\n    File \"a.py\", line 1\n  AssertionError\nmore";
        assert_eq!(found(indented), ["  AssertionError"]);
        assert_eq!(
            found("Traceback (most recent call last):\n  File \"a.py\""),
            [""; 0]
        );
        assert_eq!(found("a traceback\n  b\nc"), [""; 0]);
    }

    #[test]
    fn of_exceptions_that_led_to_each_other_the_last_counts() {
        let one = |error: &str| format!("Traceback (most recent call last):\n  File \"a.py\"\n{error}\n");
        let link = "\nDuring handling of the above exception, another exception occurred:\n\n";
        let chained = format!("{}{link}{}", one("KeyError: 'a'"), one("ValueError: b"));
        assert_eq!(found(&chained), ["ValueError: b"]);
        let apart = format!("{}\nFAIL: next\n{}", one("KeyError: 'a'"), one("ValueError: b"));
        assert_eq!(found(&apart), ["KeyError: 'a'", "ValueError: b"]);
    }
}
