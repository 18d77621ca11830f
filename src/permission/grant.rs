//! The answer "always": patterns that become allow rules.

use crate::permission::PermissionKey;
use std::path::Path;

use super::floor::{FloorError, floor};
use super::reply::Scope;
use super::rule::{Action, Rule, Source};

/// Turns the ticked patterns of an answer into rules, all or none.
pub fn grants(
    patterns: &[(PermissionKey, String)],
    scope: Scope,
    home: Option<&Path>,
) -> Result<Vec<Rule>, FloorError> {
    patterns
        .iter()
        .map(|(key, pattern)| {
            floor(key.as_str(), pattern)?;
            Ok(Rule::new(
                key.as_str(),
                pattern,
                Action::Allow,
                Source::Grant(scope),
                home,
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pattern_below_the_floor_keeps_all_from_being_stored() {
        let patterns = [
            (PermissionKey::BASH, "ls *".to_owned()),
            (PermissionKey::BASH, "*".to_owned()),
        ];
        assert!(grants(&patterns, Scope::Session, None).is_err());
        assert_eq!(grants(&patterns[..1], Scope::Session, None).unwrap().len(), 1);
    }
}
