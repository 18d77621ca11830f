//! `lathe permissions`: the rules that were stored by answering "always", and the projects that are trusted.

use std::path::Path;

use super::args::{PermissionsCommand, Revocable};
use super::failure::Failure;
use super::output::{clean, moment, print, titled_table};
use crate::config::Dirs;
use crate::permission::too_wide;
use crate::session::Grant;
use crate::session::host::{StoredRules, TrustedPlace};
use crate::session::wire::trusted_names;

pub(super) fn permissions(command: PermissionsCommand) -> Result<(), Failure> {
    let rules = StoredRules::open(&Dirs::from_env()?.data)?;
    match command {
        PermissionsCommand::List => {
            let mut text = list(&rules.grants()?);
            text.push_str(&trusted(&rules.trusted_places()?));
            print(&text)
        }
        PermissionsCommand::Revoke {
            id: Revocable::Trust(place),
        } => distrust(&rules, &place),
        PermissionsCommand::Revoke {
            id: Revocable::Rule(id),
        } => {
            if rules.revoke(id)? {
                return print(&format!("revoked rule {id}\n"));
            }
            let failure = Failure::missing(format!("there is no stored rule {id}"));
            Err(failure.hinted("`lathe permissions list` shows the rules with their ids."))
        }
    }
}

fn list(grants: &[Grant]) -> String {
    if grants.is_empty() {
        return "no stored rules\n".to_owned();
    }
    titled_table(
        ["ID", "KEY", "ACTION", "CREATED", "SCOPE", "FROM", "PATTERN"],
        grants.iter().map(row),
    )
}

fn trusted(places: &[TrustedPlace]) -> String {
    if places.is_empty() {
        return String::new();
    }
    let row = |trusted: &TrustedPlace| {
        [
            clean(&trusted.place.to_string_lossy()),
            moment(trusted.created),
            clean(&trusted_names(trusted)),
        ]
    };
    let rows = places.iter().map(row);
    format!(
        "\n{}",
        titled_table(["TRUSTED PLACE", "SINCE", "WHAT IT BRINGS"], rows)
    )
}

/// The directory may be gone, or be named by a link.
fn distrust(rules: &StoredRules, given: &Path) -> Result<(), Failure> {
    let absolute = std::path::absolute(given).unwrap_or_else(|_| given.to_owned());
    let place = absolute.canonicalize().unwrap_or(absolute);
    let shown = clean(&place.to_string_lossy());
    if rules.distrust(&place)? {
        return print(&format!("`{shown}` is no longer trusted\n"));
    }
    let failure = Failure::missing(format!("no stored answer trusts `{shown}`"));
    Err(failure.hinted("`lathe permissions list` shows the directories that are trusted."))
}

fn row(grant: &Grant) -> [String; 7] {
    let scope = clean(
        &grant
            .scope
            .description(None, |project| project.display().to_string()),
    );
    let id = grant.id.to_string();
    [
        id,
        clean(grant.key.as_str()),
        "allow".to_owned(),
        moment(grant.created),
        scope,
        clean(&grant.origin.to_string()),
        match too_wide(grant.key.as_str(), &grant.pattern) {
            Some(note) => format!("{} ({note})", clean(&grant.pattern)),
            None => clean(&grant.pattern),
        },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::PermissionKey;
    use crate::session::{GrantOrigin, GrantScope};

    #[test]
    fn every_rule_says_where_it_counts() {
        let grant = |id, scope| Grant {
            id,
            key: PermissionKey::BASH,
            pattern: "git \x1b[2Jlog *".into(),
            scope,
            origin: GrantOrigin {
                session: None,
                title: Some("fix\tit".into()),
            },
            created: 0,
        };
        let session = "ses_1".parse().unwrap();
        let grants = [
            grant(1, GrantScope::Global),
            grant(2, GrantScope::Project("/p".into())),
            grant(30, GrantScope::Session(session)),
        ];
        let text = list(&grants);
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].starts_with("ID  KEY   ACTION"), "{text}");
        assert!(
            lines[1].contains("everywhere") && lines[2].contains("project /p"),
            "{text}"
        );
        assert!(
            lines[3].starts_with("30  bash  allow") && lines[3].contains("session ses_1"),
            "{text}"
        );
        assert!(lines[3].ends_with("\"fix it\"  git log *"), "{text}");
    }

    #[test]
    fn no_rules_are_said_to_be_none() {
        assert_eq!(list(&[]), "no stored rules\n");
    }
}
