//! Line reader for front matter that is no YAML.
//!
//! Users of Claude Code write `argument-hint: [pr-number] [priority]` and `description: Examples: <example>Context: …`.
//! Their program reads such a file, so lathe does too: each line `key: value` at the left margin begins an entry, and the
//! lines up to the next one belong to it. An entry that is YAML by itself has its YAML value.
//!
//! An entry that is no YAML is text, unless its key is one of [`STRUCTURED`]: those restrict an agent, and text in their
//! place would lose the restriction. Such an entry is an error, as is one that is given twice and one that hides in the
//! indented lines of a text.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Field, FrontMatterError, SourcePosition, broken, yaml_fields};

/// Keys whose values are no text. Most of them restrict an agent.
const STRUCTURED: &[&str] = &[
    "tools",
    "disallowedTools",
    "permission",
    "mode",
    "temperature",
    "steps",
    "maxSteps",
    "isolation",
    "hidden",
    "disable",
    "subtask",
];

/// Keys of names that commas separate.
const NAME_LISTS: &[&str] = &["tools", "disallowedTools"];

/// Keys whose values are text and are used.
const TEXTS: &[&str] = &[
    "name",
    "description",
    "argument-hint",
    "model",
    "agent",
    "variant",
];

/// A line `key: value` at the left margin and the lines that belong to it.
struct Entry<'a> {
    key: &'a str,
    /// Index of its first line, from 0.
    line: usize,
    /// The text behind the colon.
    first: &'a str,
    more: Vec<&'a str>,
}

/// Reads the fields of front matter line by line.
pub(super) fn fields(yaml: &str) -> Result<BTreeMap<String, Field>, FrontMatterError> {
    let mut fields = BTreeMap::new();
    for entry in entries(yaml)? {
        let is_structured = STRUCTURED.contains(&entry.key);
        if fields.contains_key(entry.key) {
            if is_structured {
                return Err(entry.error(format!("`{}` is there twice", entry.key)));
            }
            continue;
        }
        let value = if is_structured {
            entry.structured()?
        } else {
            entry.text()?
        };
        let at = entry.position();
        fields.insert(entry.key.to_owned(), Field { value, at });
    }
    Ok(fields)
}

/// Replaces values of text keys that YAML reads as something else: `[file]`, `2024`, `true`.
pub(super) fn restore_texts(yaml: &str, fields: &mut BTreeMap<String, Field>) {
    let is_other = |field: &Field| !matches!(field.value, Value::String(_) | Value::Null);
    if !TEXTS.iter().any(|key| fields.get(*key).is_some_and(is_other)) {
        return;
    }
    for entry in entries(yaml).unwrap_or_default() {
        let field = fields.get_mut(entry.key);
        if let Some(field) = field.filter(|field| TEXTS.contains(&entry.key) && is_other(field))
            && entry.more.iter().all(|line| is_empty(line))
        {
            let text = entry.first.split(" #").next().unwrap_or(entry.first);
            field.value = Value::from(text.trim());
        }
    }
}

fn entries(yaml: &str) -> Result<Vec<Entry<'_>>, FrontMatterError> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for (line, text) in yaml.lines().enumerate() {
        if text.contains('\r') {
            let message = "a carriage return must stand at the end of a line".to_owned();
            return Err(broken(position(line), message));
        }
        if let Some((key, first)) = key_line(text) {
            entries.push(Entry {
                key,
                line,
                first,
                more: Vec::new(),
            });
        } else if let Some(entry) = entries.last_mut() {
            entry.more.push(text);
        } else if !is_empty(text) {
            let message = "the front matter must begin with a line `key: value`".to_owned();
            return Err(broken(position(line), message));
        }
    }
    Ok(entries)
}

/// Takes a line `key: value` apart that begins at the left margin.
fn key_line(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic()) && key.chars().all(is_plain);
    let is_pair = value.is_empty() || value.starts_with(char::is_whitespace);
    (is_key && is_pair).then_some((key, value.trim()))
}

fn is_empty(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// The front matter begins on the file's second line.
fn position(line: usize) -> SourcePosition {
    SourcePosition {
        line: line + 2,
        column: 1,
    }
}

impl Entry<'_> {
    fn position(&self) -> SourcePosition {
        position(self.line)
    }

    fn error(&self, message: String) -> FrontMatterError {
        broken(self.position(), message)
    }

    /// Returns the value of the entry as YAML of its own.
    fn yaml(&self) -> Result<Value, FrontMatterError> {
        let mut yaml = format!("{}: {}\n", self.key, self.first);
        for line in &self.more {
            yaml.push_str(line);
            yaml.push('\n');
        }
        let mut fields = yaml_fields(&yaml).map_err(|error| self.error(error.message))?;
        let field = fields.remove(self.key).filter(|_| fields.is_empty());
        let field = field.ok_or_else(|| self.error(format!("`{}` is not valid YAML", self.key)))?;
        Ok(field.value)
    }

    fn structured(&self) -> Result<Value, FrontMatterError> {
        // `tools: *` would be an alias.
        let is_list = NAME_LISTS.contains(&self.key) && is_name_list(self.first);
        if is_list && self.more.iter().all(|line| is_empty(line)) {
            return Ok(Value::from(self.first));
        }
        self.yaml()
    }

    /// Returns the value of a text, written as YAML or not.
    fn text(&self) -> Result<Value, FrontMatterError> {
        // The value of another key is not used.
        if TEXTS.contains(&self.key)
            && let Ok(value @ (Value::String(_) | Value::Null)) = self.yaml()
        {
            return Ok(value);
        }
        if let Some((key, line)) = self.hidden_key() {
            let message = format!("`{key}` must begin at the left margin");
            return Err(broken(position(line), message));
        }
        let is_block = self.first.starts_with(['|', '>']) && self.first.len() <= 3;
        let first = if is_block { "" } else { self.first };
        let mut text = first.to_owned();
        for line in &self.more {
            text.push('\n');
            text.push_str(line.trim());
        }
        Ok(Value::from(text.trim()))
    }

    /// Finds a structured key in the lines that would become text, with the index of its line.
    fn hidden_key(&self) -> Option<(&'static str, usize)> {
        let hidden = |line: &str| {
            // `? tools` begins a pair whose value stands on the next line.
            let is_key_alone = line.trim_start().starts_with('?');
            let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
            let key = match line.split_once(':') {
                Some((key, _)) => key,
                None if is_key_alone => line,
                None => return None,
            };
            let key = key.trim_end_matches(|c: char| !c.is_alphanumeric());
            STRUCTURED.iter().find(|known| **known == key)
        };
        let mut lines = self.more.iter().zip(self.line + 1..);
        lines.find_map(|(line, index)| Some((*hidden(line)?, index)))
    }
}

/// Returns true for names with commas between them: `Read, Bash(git log:*), mcp__*`.
fn is_name_list(text: &str) -> bool {
    let is_name = |name: &str| {
        let (name, behind) = name.split_once('(').unwrap_or((name, ")"));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*');
        let is_closed = behind.find(')') == Some(behind.len() - 1) && !behind.contains('(');
        !name.is_empty() && name.chars().all(is_plain) && is_closed
    };
    !text.contains(['\'', '"', '#']) && text.split(',').all(|name| is_name(name.trim()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::parse_lenient;
    use super::*;

    fn value(yaml: &str, key: &str) -> Value {
        let front = parse_lenient(&format!("---\n{yaml}\n---\nBody\n")).unwrap_or_else(|error| {
            panic!("{yaml}: {error:?}");
        });
        assert_eq!(front.body, "Body\n");
        front
            .fields
            .get(key)
            .map_or(Value::Null, |field| field.value.clone())
    }

    #[test]
    fn values_that_are_no_yaml_are_text() {
        for (line, key, text) in [
            (
                "argument-hint: [pr-number] [priority]",
                "argument-hint",
                "[pr-number] [priority]",
            ),
            ("argument-hint: [file", "argument-hint", "[file"),
            ("argument-hint: <a> | [b]: c", "argument-hint", "<a> | [b]: c"),
            (
                "description: Use it. Examples: <example>Context: a\\nuser: \"b\"</example>",
                "description",
                "Use it. Examples: <example>Context: a\\nuser: \"b\"</example>",
            ),
            (
                "description: *important* and `more`",
                "description",
                "*important* and `more`",
            ),
            (
                "description: \"quoted\" and more",
                "description",
                "\"quoted\" and more",
            ),
            ("description: it's: a \"half", "description", "it's: a \"half"),
            (
                "description: @team, 100%: done",
                "description",
                "@team, 100%: done",
            ),
        ] {
            assert_eq!(value(line, key), json!(text), "{line}");
            let beside = format!("model: sonnet\r\n{line}\r\ntools: Read, Grep");
            assert_eq!(value(&beside, key), json!(text), "{beside}");
            assert_eq!(value(&beside, "tools"), json!("Read, Grep"), "{beside}");
        }
    }

    #[test]
    fn text_keys_are_text_whatever_yaml_makes_of_them() {
        for (line, text) in [
            ("description: [file]", "[file]"),
            ("description: 2024", "2024"),
            ("description: true # never", "true"),
            ("description: {a: b}", "{a: b}"),
        ] {
            assert_eq!(value(line, "description"), json!(text), "{line}");
        }
        assert_eq!(value("description:\nmodel: a", "description"), Value::Null);
    }

    #[test]
    fn lines_up_to_the_next_key_belong_to_a_text() {
        let yaml = "description: Examples: one\n  Context: two\n\n- three\ntools:\n  - Read\n  - Grep";
        assert_eq!(
            value(yaml, "description"),
            json!("Examples: one\nContext: two\n\n- three")
        );
        assert_eq!(value(yaml, "tools"), json!(["Read", "Grep"]));
        let block = "argument-hint: [a] [b]\ndescription: |\n  tools: are\n  text here";
        assert_eq!(value(block, "description"), json!("tools: are\ntext here\n"));
    }

    #[test]
    fn keys_that_restrict_are_read_or_refused() {
        let broken = "description: a: b";
        assert_eq!(value(&format!("{broken}\ntools: *"), "tools"), json!("*"));
        assert_eq!(
            value(
                &format!("{broken}\ndisallowedTools: Bash(rm: x), Write"),
                "disallowedTools"
            ),
            json!("Bash(rm: x), Write")
        );
        let rules = format!("{broken}\npermission:\n  bash:\n    \"*\": deny");
        assert_eq!(value(&rules, "permission"), json!({"bash": {"*": "deny"}}));
        for restricted in [
            "tools: [Read",
            "tools: [Read] [Grep]",
            "tools: \"Read\", \"Grep\"",
            "disallowedTools: Write: all",
            "permission: edit: deny",
            "tools: Read\ntools: Write",
            "steps: 3: 4",
            "disable: true: x",
            "mode: subagent: x",
        ] {
            let text = format!("---\n{broken}\n{restricted}\n---\n");
            assert!(parse_lenient(&text).is_err(), "{text}");
        }
        for hidden in [
            "  tools: Read",
            "\ttools : Read",
            "  \"tools\": Read",
            "- tools: Read",
            "{tools: Read}",
            "? tools\n: Read",
            "  ? \"tools\"\n  : Read",
        ] {
            let text = format!("---\n{broken}\n{hidden}\n---\n");
            let error = parse_lenient(&text).unwrap_err();
            assert_eq!(error.at, SourcePosition { line: 3, column: 1 }, "{text}");
        }
        assert!(parse_lenient("---\n{tools: Read}: [\ndescription: a\n---\n").is_err());
        assert!(parse_lenient(&format!("---\n{broken}\rtools: Read\n---\n")).is_err());
    }

    #[test]
    fn what_is_yaml_is_read_as_before() {
        for text in [
            "---\nname: a\ntools:\n  Write: false\n---\nx",
            "---\n---\nx",
            "no front matter",
        ] {
            assert_eq!(parse_lenient(text), super::super::parse(text), "{text}");
        }
        assert!(parse_lenient("---\na: b\n").is_err(), "without an end");
        assert!(parse_lenient("---\njust words\n---\n").is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_lines_make_it_panic(yaml in "((tools|description|permission|a)?:? ?[a-z&*!|>?:,{}\\[\\]()#'\" \n-]{0,12}){0,8}") {
            let _ = parse_lenient(&format!("---\n{yaml}\n---\n"));
        }
    }
}
