//! Matches the tools that a hook is for.

use regex::{Regex, RegexBuilder};

use super::event::claude_name;

/// Longest pattern in bytes.
const MAX_BYTES: usize = 4096;

/// The value of `matcher`, compiled.
#[derive(Debug, Clone)]
pub enum Matcher {
    All,
    /// Matches the whole of a name, ignoring case.
    Names(Regex),
}

/// Not a regular expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a regular expression: {why}")]
pub struct BadMatcher {
    pattern: String,
    why: String,
}

impl Matcher {
    /// Absent, empty and `*` mean all.
    pub fn new(pattern: Option<&str>) -> Result<Self, BadMatcher> {
        let pattern = match pattern.map(str::trim) {
            None | Some("" | "*") => return Ok(Self::All),
            Some(pattern) => pattern,
        };
        let bad = |error: &regex::Error| BadMatcher {
            pattern: pattern.to_owned(),
            why: reason(error),
        };
        if pattern.len() > MAX_BYTES {
            return Err(BadMatcher {
                pattern: pattern.chars().take(40).collect::<String>() + "…",
                why: format!("it has more than {MAX_BYTES} bytes"),
            });
        }
        // By itself first: what closes a group of ours is no pattern.
        Regex::new(pattern).map_err(|error| bad(&error))?;
        let whole = format!(r"\A(?:{pattern})\z");
        RegexBuilder::new(&whole)
            .case_insensitive(true)
            .build()
            .map(Self::Names)
            .map_err(|error| bad(&error))
    }

    /// Returns true if it names a tool, by lathe's name or by the one in other agents' settings.
    pub(super) fn matches_tool(&self, tool: &str) -> bool {
        self.matches(tool) || self.matches(&claude_name(tool))
    }

    pub(super) fn matches(&self, word: &str) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.is_match(word),
        }
    }
}

/// The last line of the library's drawing says what is wrong.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    let last = text.lines().last().unwrap_or_default();
    last.trim().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, tool: &str) -> bool {
        Matcher::new(Some(pattern)).unwrap().matches_tool(tool)
    }

    #[test]
    fn nothing_and_a_star_mean_all() {
        assert!(Matcher::new(None).unwrap().matches_tool("bash"));
        assert!(matches("", "bash") && matches("*", "bash") && matches(" ", "bash"));
    }

    #[test]
    fn the_whole_name_is_meant_in_any_case() {
        assert!(matches("bash", "bash") && matches("Bash", "bash") && matches("BASH", "bash"));
        assert!(!matches("bas", "bash") && !matches("ash", "bash") && !matches("edit", "multiedit"));
        assert!(matches(".*edit", "multiedit") && matches("Notebook.*|ba.*", "bash"));
    }

    #[test]
    fn either_name_counts_and_several_may_be_named() {
        assert!(matches("LS", "list") && matches("list", "list"));
        assert!(matches("Write|Edit", "edit") && matches("Write|Edit", "write"));
        assert!(!matches("Write|Edit", "read"));
        assert!(matches("mcp__memory__.*", "mcp__memory__store"));
        assert!(matches("apply_patch", "apply_patch") && matches("ApplyPatch", "apply_patch"));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for bad in ["(", "a)(b", "[", "(?x) a # ", "a{99999}{99999}", "**"] {
            assert!(Matcher::new(Some(bad)).is_err(), "{bad}");
        }
        let error = Matcher::new(Some("(")).unwrap_err().to_string();
        assert_eq!(error, "`(` is not a regular expression: unclosed group");
    }

    proptest! {
        #[test]
        fn no_pattern_panics(pattern in "\\PC{0,20}", tool in "[a-z_]{0,10}") {
            if let Ok(matcher) = Matcher::new(Some(&pattern)) {
                matcher.matches_tool(&tool);
            }
        }
    }
}
