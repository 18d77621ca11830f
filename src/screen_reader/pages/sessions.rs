//! `/sessions`: the stored sessions, by number; found by their titles and by what was said in them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::conversation::SessionId;
use crate::session::ErrorReport;
use crate::session::host::{Host, HostAnswer, HostQuery, ListedSession, in_order};
use crate::text::count::plural;
use crate::text::fuzzy::{Matcher, Query};

/// Sessions that are told at once.
const MOST: usize = 20;

/// Filter of the listed sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::screen_reader) struct SessionSearch {
    /// Empty for all of them.
    pub(in crate::screen_reader) text: String,
    /// Those of other projects as well.
    pub(in crate::screen_reader) everywhere: bool,
}

impl SessionSearch {
    /// Reads what stands behind the command: `all`, words, or both.
    pub(in crate::screen_reader) fn read(given: &str) -> Self {
        let (first, rest) = given.split_once(' ').unwrap_or((given, ""));
        let everywhere = first == "all";
        Self {
            text: if everywhere { rest } else { given }.trim().to_owned(),
            everywhere,
        }
    }
}

#[derive(Debug, Clone)]
pub(in crate::screen_reader) struct SessionMatch {
    pub(in crate::screen_reader) session: ListedSession,
    /// The project, where it is another one.
    elsewhere: Option<PathBuf>,
    /// The text that matched, where its title is not what was looked for.
    said: Option<String>,
}

/// Asks the host; `None` where it is gone.
pub(in crate::screen_reader) async fn find(
    host: &Host,
    sought: &SessionSearch,
) -> Option<Result<Vec<SessionMatch>, ErrorReport>> {
    let HostAnswer::Listed { project, sessions } = host.ask(HostQuery::List).await? else {
        return None;
    };
    let inside = if sought.text.is_empty() {
        Ok(Vec::new())
    } else {
        match host.ask(HostQuery::Search(sought.text.clone())).await? {
            HostAnswer::Found { sessions, .. } => sessions,
            _ => return None,
        }
    };
    Some(sessions.and_then(|listed| Ok(choose(&listed, &inside?, &project, sought))))
}

/// Those whose titles fit, best first, and then those in which it was said.
fn choose(
    listed: &[ListedSession],
    inside: &[(SessionId, String)],
    project: &Path,
    sought: &SessionSearch,
) -> Vec<SessionMatch> {
    let order = in_order(listed, project, sought.everywhere);
    let query = Query::new(&sought.text);
    let mut matcher = Matcher::default();
    let said_in = |session: &ListedSession| {
        let said = inside.iter().find(|(id, _)| *id == session.row.id);
        said.map(|(_, said)| said.clone())
    };
    let mut found: Vec<(u32, SessionMatch)> = Vec::new();
    for place in order {
        let session = &listed[place];
        let score = matcher.score(&query, &[session.title()]);
        let said = if score.is_none() { said_in(session) } else { None };
        if score.is_none() && said.is_none() {
            continue;
        }
        let elsewhere = Some(session.row.project.clone()).filter(|other| other != project);
        let session = session.clone();
        // What was only said inside comes behind every title.
        let rank = score.map_or(0, |score| score + 1);
        found.push((
            rank,
            SessionMatch {
                session,
                elsewhere,
                said,
            },
        ));
    }
    // Those that fit alike stay in their order.
    found.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    found.into_iter().map(|(_, found)| found).collect()
}

/// The sessions with their numbers.
pub(in crate::screen_reader) fn lines(
    found: &[SessionMatch],
    sought: &SessionSearch,
    here: &SessionId,
) -> Vec<String> {
    if found.is_empty() {
        return vec![nothing(sought)];
    }
    let numbered = (1..).zip(found.iter().take(MOST));
    let mut lines: Vec<String> = numbered
        .map(|(number, found)| format!("{number} {}", describe(found, here)))
        .collect();
    if let Some(more) = found.len().checked_sub(MOST).filter(|more| *more > 0) {
        lines.push(format!("{more} more; /sessions with words from one finds it."));
    }
    lines.push("/sessions with a number opens one.".to_owned());
    lines
}

fn nothing(sought: &SessionSearch) -> String {
    match (sought.text.as_str(), sought.everywhere) {
        ("", true) => "No session is stored yet.".to_owned(),
        ("", false) => {
            "No session of this project is stored yet; /sessions all lists those of other projects."
                .to_owned()
        }
        (text, true) => format!("No session matches \"{text}\"."),
        (text, false) => {
            format!(
                "No session of this project matches \"{text}\"; /sessions all {text} searches all projects."
            )
        }
    }
}

/// `fix the test, 12 messages, 3 hours ago, open in process 7`
fn describe(found: &SessionMatch, here: &SessionId) -> String {
    let session = &found.session;
    let count = usize::try_from(session.row.messages).unwrap_or(usize::MAX);
    let mut facts = vec![
        session.title().to_owned(),
        plural(count, "message"),
        age(session.idle),
    ];
    if session.row.id == *here {
        facts.push("you are in it".to_owned());
    }
    facts.extend(session.held.as_ref().map(|held| format!("open in {held}")));
    facts.extend(
        found
            .elsewhere
            .as_ref()
            .map(|project| format!("in {}", project.display())),
    );
    facts.extend(found.said.as_ref().map(|said| format!("match: {said}")));
    facts.join(", ")
}

/// In the largest unit that says something.
fn age(idle: Duration) -> String {
    let minutes = idle.as_secs() / 60;
    let (count, unit) = match minutes {
        0 => return "just now".to_owned(),
        1..60 => (minutes, "minute"),
        60..1_440 => (minutes / 60, "hour"),
        1_440..20_160 => (minutes / 1_440, "day"),
        20_160..524_160 => (minutes / 10_080, "week"),
        _ => (minutes / 525_600, "year"),
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    format!("{} ago", plural(count, unit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Usage;
    use crate::session::host::SessionRow;

    fn listed(id: &str, project: &str, title: &str, minutes: u64) -> ListedSession {
        ListedSession {
            row: SessionRow {
                id: id.parse().unwrap(),
                title: title.to_owned(),
                project: project.into(),
                directory: project.into(),
                agent: "build".to_owned(),
                model: None,
                parent: None,
                created: 0,
                updated: 0,
                messages: minutes,
                cost: None,
                usage: Usage::default(),
                marks: crate::session::host::SessionMarks::default(),
            },
            idle: Duration::from_secs(minutes * 60),
            held: None,
            removed_in: None,
        }
    }

    fn all() -> Vec<ListedSession> {
        vec![
            listed("ses_a", "/p", "fix the retry test", 1),
            listed("ses_b", "/q", "retry elsewhere", 90),
            listed("ses_c", "/p", "", 3_000),
        ]
    }

    fn told(given: &str, inside: &[(&str, &str)]) -> Vec<String> {
        let sought = SessionSearch::read(given);
        let inside: Vec<_> = inside
            .iter()
            .map(|(id, said)| (id.parse().unwrap(), (*said).to_owned()))
            .collect();
        let found = choose(&all(), &inside, Path::new("/p"), &sought);
        lines(&found, &sought, &"ses_c".parse().unwrap())
    }

    const GOES: &str = "/sessions with a number opens one.";

    #[test]
    fn the_sessions_of_the_project_have_numbers() {
        assert_eq!(
            told("", &[]),
            [
                "1 fix the retry test, 1 message, 1 minute ago",
                "2 untitled, 3000 messages, 2 days ago, you are in it",
                GOES
            ]
        );
        assert_eq!(
            told("all", &[])[2],
            "3 retry elsewhere, 90 messages, 1 hour ago, in /q"
        );
    }

    #[test]
    fn titles_are_found_by_letters_and_sessions_by_what_was_said() {
        let said = [("ses_c", "we should retry")];
        assert_eq!(
            told("rtry", &said),
            [
                "1 fix the retry test, 1 message, 1 minute ago",
                "2 untitled, 3000 messages, 2 days ago, you are in it, match: we should retry",
                GOES
            ]
        );
        assert_eq!(
            told("all elsewhere", &[])[0],
            "1 retry elsewhere, 90 messages, 1 hour ago, in /q"
        );
        assert_eq!(
            told("zzz", &[]),
            ["No session of this project matches \"zzz\"; /sessions all zzz searches all projects."]
        );
    }

    #[test]
    fn more_than_can_be_listened_to_is_counted() {
        let many: Vec<_> = (0..25)
            .map(|number| listed(&format!("ses_{number}"), "/p", "x", 1))
            .collect();
        let sought = SessionSearch::default();
        let found = choose(&many, &[], Path::new("/p"), &sought);
        let lines = lines(&found, &sought, &"ses_x".parse().unwrap());
        assert_eq!(lines[20], "5 more; /sessions with words from one finds it.");
    }
}
