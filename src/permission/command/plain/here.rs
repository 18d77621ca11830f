//! Here-documents and here-strings of a literal text, behind programs that take it for data.

use super::{Scan, quoted_text};

/// Programs that never take a text for commands, names of files or values of variables, or that ask before they run.
const TAKES_TEXT: &[&str] = &[
    "cat",
    "column",
    "cut",
    "fold",
    "gh",
    "git",
    "grep",
    "head",
    "hexdump",
    "jq",
    "md5sum",
    "nl",
    "node",
    "od",
    "python3",
    "rev",
    "sed",
    "sha1sum",
    "sha256sum",
    "sort",
    "tac",
    "tail",
    "tee",
    "tr",
    "uniq",
    "wc",
    "xxd",
];

/// True if the shell may be a bash before version 4, which looks for the end of a substitution without regard to the
/// here-documents in it.
const MAY_BE_OLD_BASH: bool = cfg!(target_os = "macos");

/// A here-document whose text begins on the next line.
pub(super) struct PendingText<'a> {
    delimiter: &'a str,
    expands: bool,
    strips_tabs: bool,
}

impl Scan<'_> {
    /// Reads what stands behind `<<`: one here-document a line, or a here-string.
    pub(super) fn here(&mut self, close: Option<char>) -> Option<()> {
        if self.pending.is_some() || !TAKES_TEXT.contains(&self.program.as_str()) {
            return None;
        }
        if self.take("<") {
            return self.here_string(close);
        }
        let strips_tabs = self.take("-");
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let end = self.rest.find([' ', '\t', '\n', ';', '|', '&'])?;
        let (word, rest) = self.rest.split_at(end);
        let (delimiter, expands) = unquoted(word)?;
        self.rest = rest;
        self.pending = Some(PendingText {
            delimiter,
            expands,
            strips_tabs,
        });
        Some(())
    }

    fn here_string(&mut self, close: Option<char>) -> Option<()> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        let before = self.rest;
        self.word(close)?;
        let written = &before[..before.len() - self.rest.len()];
        let is_literal = !written.is_empty() && !written.contains(['$', '*', '?', '{', '~', '\n']);
        is_literal.then_some(())
    }

    /// Reads the text that belongs to the line before, with its delimiter.
    pub(super) fn here_text(&mut self) -> Option<()> {
        let Some(pending) = self.pending.take() else {
            return Some(());
        };
        let start = self.rest;
        loop {
            let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
            let is_last = line.len() == self.rest.len();
            let content = if pending.strips_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if content == pending.delimiter {
                let text = &start[..start.len() - self.rest.len()];
                self.rest = rest;
                return self.has_clear_end(text).then_some(());
            }
            // Nearly the delimiter: shells differ in these.
            let is_odd = content.trim_start().starts_with(pending.delimiter);
            let may_expand = pending.expands && content.contains(['$', '`', '\\']);
            if is_last || is_odd || may_expand {
                return None;
            }
            quoted_text(content)?;
            self.rest = rest;
        }
    }

    /// Returns true if every shell finds the end of the substitution around a text behind it.
    fn has_clear_end(&self, text: &str) -> bool {
        self.depth == 0 || !MAY_BE_OLD_BASH || closes_nothing(text)
    }
}

/// The delimiter that a word names, and true if the text is expanded.
fn unquoted(word: &str) -> Option<(&str, bool)> {
    let quotes = [("'", "'"), ("\"", "\""), ("\\", "")];
    let inner = quotes
        .iter()
        .find_map(|(open, close)| word.strip_prefix(open)?.strip_suffix(close));
    let (name, expands) = inner.map_or((word, true), |inner| (inner, false));
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (is_plain && !name.is_empty()).then_some((name, expands))
}

/// Returns true if no parenthesis of a text closes what was opened before it, whatever its quotes mean.
fn closes_nothing(text: &str) -> bool {
    text.split(['\'', '"', '`', '\\']).all(|part| {
        let mut depth = 0_i32;
        part.chars().all(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth >= 0
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::is_plain;
    use super::*;

    #[test]
    fn literal_texts_behind_programs_that_read_have_the_form() {
        for text in [
            "cat <<'EOF'\na $b `c` \\d\nEOF",
            "cat <<EOF\na 'b' \"c\" (d)\nEOF\nls",
            "cat <<\"EOF\" | wc -l\na\nEOF",
            "cat <<\\EOF\n$a\nEOF",
            "cat <<-'EOF'\n\ta\n\tEOF",
            "cat <<'EOF' && ls\na\nEOF\npwd",
            "cat > out <<'EOF'\na\nEOF",
            "cat <<'EOF'\nEOF",
            "git commit -m \"$(cat <<'EOF'\nfix(x): don't \"stop\"\n\n- a; rm b\nEOF\n)\"",
            "git add -A && git commit -m \"$(cat <<'EOF'\na\nEOF\n)\" && git status",
            "git commit -F - <<'EOF'\na\nEOF",
            "if [ -f a ]; then cat <<'E'\na\nE\nfi",
            "wc -l <<< 'a b'",
            "grep x <<< \"a b\"",
            "cat <<< a",
            "N=$(wc -l <<< a); echo \"$N\"",
        ] {
            assert!(is_plain(text), "{text}");
        }
    }

    #[test]
    fn other_texts_have_not() {
        for text in [
            "cat <<EOF\n$a\nEOF",
            "cat <<EOF\n`a`\nEOF",
            "cat <<EOF\na\\\nEOF\nEOF",
            "cat <<'E'OF\na\nEOF",
            "cat <<E\"O\"F\na\nEOF",
            "cat <<$'EOF'\na\nEOF",
            "cat <<'E F'\na\nE F",
            "cat <<''\na\n\n",
            "cat <<'EOF'\na\nEOF ",
            "cat <<'EOF'\na\n EOF\nEOF",
            "cat <<'EOF'\na\nEOF)\nEOF",
            "cat <<'EOF'\na\nEOFx\nEOF",
            "cat <<'EOF'\na",
            "cat <<'EOF'",
            "cat <<'A' <<'B'\na\nA\nb\nB",
            "cat <<'EOF' 'x\nEOF\n'\nEOF",
            "cat <<'EOF' \"x\ny\"\nEOF",
            "cat <<'EOF' \\\n-n\na\nEOF",
            "cat <<'EOF' $(ls\n)\na\nEOF",
            "echo $(cat <<'EOF')\na\nEOF",
            "(cat <<'EOF')\na\nEOF",
            "cat <<'EOF'\na\u{202e}b\nEOF",
            "cat <<'EOF'\na\rb\nEOF",
            "cat <<'EOF'\na\0b\nEOF",
            "<<'EOF' cat\na\nEOF",
            "bash <<'EOF'\nls\nEOF",
            "sh -s <<'EOF'\nls\nEOF",
            "xargs ls <<< a",
            "read x <<< a",
            "mapfile x <<< a",
            "source /dev/stdin <<'EOF'\nls\nEOF",
            "while read x; do ls; done <<'EOF'\na\nEOF",
            "(cat) <<< a",
            "cat <<< $a",
            "cat <<< \"$(ls)\"",
            "cat <<< *",
            "cat <<< ~",
            "cat <<<",
        ] {
            assert!(!is_plain(text), "{text}");
        }
    }

    #[test]
    fn a_parenthesis_that_an_old_bash_takes_for_the_end_is_found() {
        for (text, expected) in [
            ("fix(x): don't (really) stop", true),
            ("nothing to close", true),
            ("a) b", false),
            ("'(' ) ; rm x", false),
            ("(see \"b\")", false),
            (") \" ; rm x ; \"", false),
        ] {
            assert_eq!(closes_nothing(text), expected, "{text}");
        }
    }
}
