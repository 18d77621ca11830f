//! `/permissions`: what was allowed for good, by number.

use jiff::tz::TimeZone;

use crate::conversation::SessionId;
use crate::permission::too_wide;
use crate::session::Grant;
use crate::session::query::moment;

/// The rules with their numbers, in the order they are given in.
pub(in crate::screen_reader) fn lines(grants: &[Grant], session: &SessionId, zone: &TimeZone) -> Vec<String> {
    if grants.is_empty() {
        return vec!["No permissions are stored. Answer 2 to a permission question stores one.".to_owned()];
    }
    let mut lines = vec!["Stored permissions:".to_owned()];
    for (number, grant) in (1..).zip(grants) {
        let place = grant
            .scope
            .description(Some(session), |path| path.display().to_string());
        let when = moment(grant.created, zone);
        lines.push(format!(
            "{number} {}, {place}, from {}, {when}{}",
            named(grant),
            grant.origin,
            too_wide(grant.key.as_str(), &grant.pattern)
                .map(|note| format!(", {note}"))
                .unwrap_or_default()
        ));
    }
    lines.push("/revoke with a number revokes one.".to_owned());
    lines
}

/// `bash cargo test *`
pub(in crate::screen_reader) fn named(grant: &Grant) -> String {
    format!("{} {}", grant.key, grant.pattern)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::PermissionKey;
    use crate::session::{GrantOrigin, GrantScope};

    #[test]
    fn a_rule_says_where_it_counts_and_where_it_came_from() {
        let session: SessionId = "ses_1".parse().unwrap();
        let grant = |id, scope| Grant {
            id,
            key: PermissionKey::BASH,
            pattern: "cargo test *".to_owned(),
            scope,
            origin: GrantOrigin {
                session: None,
                title: Some("fix it".to_owned()),
            },
            created: 1_763_900_000_000,
        };
        let grants = [
            grant(7, GrantScope::Session(session.clone())),
            grant(3, GrantScope::Project("/p".into())),
        ];
        assert_eq!(
            lines(&grants, &session, &TimeZone::UTC),
            [
                "Stored permissions:",
                "1 bash cargo test *, this session, from \"fix it\", 2025-11-23 12:13",
                "2 bash cargo test *, project /p, from \"fix it\", 2025-11-23 12:13",
                "/revoke with a number revokes one.",
            ]
        );
    }
}
