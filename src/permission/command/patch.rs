//! Commands that apply patches, and the files that a patch names.

use super::operand::{PathOperand, literal, operand};
use super::word::Word;
use super::{Simple, base_name};

/// Sources of a command's patches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// Files that may be patches; not all of them are.
    pub files: Vec<PathOperand>,
    /// True if it is what comes in.
    pub from_input: bool,
    /// The directory in which it is applied.
    pub directory: Option<PathOperand>,
}

/// Returns where a command has its patches, if it applies any.
pub fn patch(command: &Simple) -> Option<Patch> {
    let words = &command.words[1..];
    match base_name(command.program()) {
        "patch" => Some(of_patch(words)),
        "git" => of_git(words),
        _ => None,
    }
}

fn of_patch(words: &[Word]) -> Patch {
    let mut named = Vec::new();
    let mut directory = None;
    for (at, word) in words.iter().enumerate() {
        let next = || words.get(at + 1).map(operand);
        let text = word.text.as_str();
        match text {
            "-i" | "--input" => named.extend(next()),
            "-d" | "--directory" => directory = next(),
            _ => {}
        }
        let attached = text.strip_prefix("--input=").or_else(|| text.strip_prefix("-i"));
        named.extend(attached.filter(|value| !value.is_empty()).map(literal));
        let attached = text
            .strip_prefix("--directory=")
            .or_else(|| text.strip_prefix("-d"));
        directory = attached
            .filter(|value| !value.is_empty())
            .map(literal)
            .or(directory);
    }
    // `patch ORIGINAL PATCH`.
    let operands: Vec<&Word> = words.iter().filter(|word| !word.text.starts_with('-')).collect();
    let has_input = !named.is_empty();
    if operands.len() > 1 {
        named.extend(operands.iter().map(|word| operand(word)));
    }
    Patch {
        from_input: !has_input && operands.len() < 2,
        files: named,
        directory,
    }
}

fn of_git(words: &[Word]) -> Option<Patch> {
    let mut rest = words;
    let mut directory: Option<String> = None;
    loop {
        rest = match rest {
            [option, value, after @ ..] if option.text == "-C" => {
                directory = Some(match directory {
                    Some(above) if !value.text.starts_with('/') => format!("{above}/{}", value.text),
                    _ => value.text.clone(),
                });
                after
            }
            [option, _, after @ ..]
                if matches!(
                    option.text.as_str(),
                    "-c" | "--git-dir" | "--work-tree" | "--namespace"
                ) =>
            {
                after
            }
            [option, after @ ..] if option.text.starts_with('-') => after,
            _ => break,
        };
    }
    let (subcommand, rest) = rest.split_first()?;
    if !matches!(subcommand.text.as_str(), "apply" | "am") {
        return None;
    }
    let only_tells = ["--stat", "--numstat", "--summary", "--check"];
    let tells = rest.iter().any(|word| only_tells.contains(&word.text.as_str()));
    let applies = rest.iter().any(|word| word.text == "--apply");
    if tells && !applies
        || rest
            .iter()
            .any(|word| matches!(word.text.as_str(), "--abort" | "--continue" | "--skip"))
    {
        return None;
    }
    let files: Vec<PathOperand> = rest
        .iter()
        .filter(|word| !word.text.starts_with('-'))
        .map(operand)
        .collect();
    Some(Patch {
        from_input: files.is_empty(),
        files,
        directory: directory.as_deref().map(literal),
    })
}

/// Beginnings of the lines of a patch that name files.
const NAMING: &[&str] = &[
    "--- ",
    "+++ ",
    "*** ",
    "Index: ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
];
/// Directories that are taken away from a name at most.
const MAX_STRIPPED: usize = 8;
/// Names of one patch that are looked at.
const MAX_FILES: usize = 5000;

/// Returns the files that a patch names, each also without the directories at its beginning that an option may take away;
/// `None` when there are too many.
pub fn patched_files(text: &str) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for line in text.split(['\n', '\r']) {
        // It may be indented as a whole, or quoted in a mail.
        let line = line.trim_start_matches([' ', '\t', '>']);
        if let Some(both) = line.strip_prefix("diff --git ") {
            for name in both.split(' ') {
                add(name, &mut found);
            }
        }
        for name in NAMING.iter().filter_map(|naming| line.strip_prefix(naming)) {
            add(name.split('\t').next().unwrap_or(name), &mut found);
            // A time may stand behind a blank.
            add(name.split(' ').next().unwrap_or(name), &mut found);
        }
        if found.len() > MAX_FILES {
            return None;
        }
    }
    Some(found)
}

fn add(name: &str, found: &mut Vec<String>) {
    let name = unquoted(name.trim());
    let mut rest = name.as_str();
    for _ in 0..MAX_STRIPPED {
        if rest.is_empty() || rest == "/dev/null" {
            return;
        }
        if !found.iter().any(|known| known == rest) {
            found.push(rest.to_owned());
        }
        match rest.split_once('/') {
            Some((_, below)) => rest = below.trim_start_matches('/'),
            None => return,
        }
    }
}

/// `"a/\056git/x"`: a name in quotes has its special bytes by number.
fn unquoted(name: &str) -> String {
    let Some(inner) = name.strip_prefix('"') else {
        return name.to_owned();
    };
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut bytes = Vec::new();
    let mut rest = inner.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let mut code = 0_u32;
        let mut digits = 0;
        while let Some(digit) = rest.peek().filter(|digit| (b'0'..=b'7').contains(digit)) {
            if digits == 3 {
                break;
            }
            code = code * 8 + u32::from(digit - b'0');
            digits += 1;
            rest.next();
        }
        match u8::try_from(code) {
            Ok(code) if digits > 0 => bytes.push(code),
            _ => bytes.extend(rest.next()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_that_names_a_file_counts() {
        let text = "diff --git a/x b/lathe.jsonc\nrename from x\nrename to y/z\n--- a/q\t2020-01-01\n+++ \"b/\\056git/x\"\n";
        let found = patched_files(text).unwrap();
        for name in ["a/x", "x", "lathe.jsonc", "y/z", "z", "q", "b/.git/x", ".git/x"] {
            assert!(found.iter().any(|known| known == name), "{name}: {found:?}");
        }
        assert_eq!(patched_files("+++ /dev/null\n+x\n").unwrap(), [""; 0]);
        let many: String = (0..=MAX_FILES)
            .map(|at| at.to_string())
            .fold(String::new(), |text, name| text + "+++ " + &name + "\n");
        assert_eq!(patched_files(&many), None);
    }
}
