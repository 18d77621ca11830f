//! Specifiers of `Read(…)` and `Edit(…)`, which have the form of lines in a `.gitignore`, as patterns of paths.
//!
//! There `*` stays within a name and `**` goes through directories; here `*` does both. Where a rule restricts, the wider
//! pattern is taken; where it allows, only what comes out the same.

use std::path::Path;

use super::UntranslatedReason;
use crate::text::path::without_dots;

/// Variants that one specifier may have before a wider pattern is taken.
const MAX_FORMS: usize = 8;
/// Characters that mean something in one of the two kinds of pattern and not the same in the other.
const SPECIAL: &[char] = &['[', ']', '{', '}', '\\', '?', '!', '$'];

/// The directory that relative paths count from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Base<'a> {
    pub(super) root: &'a Path,
    /// True for rules of the user's own file: the directory is another one in each session.
    pub(super) is_users: bool,
}

/// The beginning of a specifier, and what it counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    /// `//x`.
    System,
    /// `~/x`.
    Home,
    /// `/x`: where the settings file belongs to.
    Settings,
    /// `./x` and `x`.
    Here,
}

/// Returns the patterns that cover what a specifier names.
pub(super) fn patterns(
    given: &str,
    restricts: bool,
    base: Base<'_>,
) -> Result<Vec<String>, UntranslatedReason> {
    let (anchor, rest) = anchored(given);
    if given.starts_with('!') || (!restricts && rest.contains(SPECIAL)) {
        return Err(UntranslatedReason::NoForm);
    }
    let rest = if restricts { widened(rest) } else { rest.to_owned() };
    let mut segments: Vec<&str> = rest
        .split('/')
        .filter(|name| !matches!(*name, "" | "."))
        .collect();
    if segments.contains(&"..") {
        return above(&rest, anchor, restricts, base);
    }
    if segments.is_empty() {
        segments.push("**");
    }
    let is_name = segments.len() == 1;
    let forms = forms(&segments, restricts)?;
    let mut patterns = Vec::new();
    for form in forms {
        let is_open = form.starts_with('*');
        match anchor {
            Anchor::System => patterns.push(format!("/{form}")),
            Anchor::Home => patterns.push(format!("~/{form}")),
            Anchor::Settings if restricts => {
                patterns.extend([form.clone(), format!("/{form}")]);
                if base.is_users {
                    patterns.push(format!("~/.claude/{form}"));
                }
            }
            // It could be the directory of the file or that of the project.
            Anchor::Settings if base.is_users => return Err(UntranslatedReason::NoForm),
            Anchor::Settings | Anchor::Here if restricts => {
                let floats = !is_open && (is_name || base.is_users);
                patterns.extend(floats.then(|| format!("*/{form}")));
                patterns.push(form);
            }
            // Tried on an absolute path as well, it would match outside of the project.
            Anchor::Settings | Anchor::Here if is_open => patterns.push(below_root(base.root, &form)?),
            Anchor::Settings | Anchor::Here => patterns.push(form),
        }
    }
    // A directory stands for everything in it.
    let is_fixed = |pattern: &&String| !pattern.ends_with('*') && (restricts || !pattern.contains('*'));
    let below: Vec<String> = patterns
        .iter()
        .filter(is_fixed)
        .map(|pattern| format!("{pattern}/*"))
        .collect();
    patterns.extend(below);
    Ok(patterns)
}

fn anchored(given: &str) -> (Anchor, &str) {
    if given == "~" {
        return (Anchor::Home, "");
    }
    let anchors = [
        ("//", Anchor::System),
        ("~/", Anchor::Home),
        ("/", Anchor::Settings),
    ];
    let found = anchors
        .iter()
        .find_map(|(start, anchor)| Some((*anchor, given.strip_prefix(start)?)));
    found.unwrap_or((Anchor::Here, given))
}

/// A path that leads above the directory it counts from.
fn above(
    rest: &str,
    anchor: Anchor,
    restricts: bool,
    base: Base<'_>,
) -> Result<Vec<String>, UntranslatedReason> {
    if !restricts || base.is_users || anchor != Anchor::Here {
        return Err(UntranslatedReason::NoForm);
    }
    let path = without_dots(&base.root.join(rest.replace("**", "*")));
    let path = path.to_str().ok_or(UntranslatedReason::NoForm)?;
    Ok(vec![path.to_owned(), format!("{path}/*")])
}

fn below_root(root: &Path, form: &str) -> Result<String, UntranslatedReason> {
    let root = root.to_str().filter(|root| !root.contains(['*', '?']));
    let root = root.ok_or(UntranslatedReason::NoForm)?.trim_end_matches('/');
    Ok(format!("{root}/{form}"))
}

/// The same with a wildcard for everything that has no form of its own.
fn widened(text: &str) -> String {
    let mut wide = String::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        let closing = match character {
            '[' => ']',
            '{' => '}',
            '\\' => {
                let escaped = rest.next().unwrap_or('\\');
                wide.push(if matches!(escaped, '*' | '?') {
                    '?'
                } else {
                    escaped
                });
                continue;
            }
            other => {
                wide.push(other);
                continue;
            }
        };
        let after = rest.as_str();
        match after.find(closing) {
            Some(end) => {
                rest = after[end + closing.len_utf8()..].chars();
                wide.push(if character == '[' { '?' } else { '*' });
            }
            None => wide.push('?'),
        }
    }
    wide
}

fn forms(segments: &[&str], restricts: bool) -> Result<Vec<String>, UntranslatedReason> {
    let mut forms = vec![String::new()];
    let mut comes_after_any = false;
    for (index, segment) in segments.iter().enumerate() {
        let next = segments.get(index + 1);
        let append =
            |forms: &mut Vec<String>, text: &str| forms.iter_mut().for_each(|form| form.push_str(text));
        if *segment == "**" {
            match next {
                None => append(&mut forms, "*"),
                // That star goes through directories as well.
                Some(next) if next.starts_with('*') => {}
                Some(_) if forms.len() < MAX_FORMS => {
                    let deeper: Vec<String> = forms.iter().map(|form| format!("{form}*/")).collect();
                    forms.extend(deeper);
                }
                Some(_) if restricts => append(&mut forms, "*"),
                Some(_) => return Err(UntranslatedReason::NoForm),
            }
        } else {
            if !restricts && !means_the_same(segment, comes_after_any, next.is_none()) {
                return Err(UntranslatedReason::NoForm);
            }
            append(&mut forms, segment);
            if next.is_some() {
                append(&mut forms, "/");
            }
        }
        comes_after_any = *segment == "**";
    }
    Ok(forms)
}

/// Returns true if the stars in a name come out the same where they go through directories.
fn means_the_same(segment: &str, comes_after_any: bool, is_last: bool) -> bool {
    let rest = if comes_after_any {
        segment.strip_prefix('*').unwrap_or(segment)
    } else {
        segment
    };
    let rest = if is_last { rest.trim_end_matches('*') } else { rest };
    !rest.contains('*')
}
