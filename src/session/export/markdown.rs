//! A session as Markdown: who said what, what was done, and the diffs. Reasoning and outputs are left to the JSON.

use std::fmt::Write as _;

use jiff::tz::TimeZone;

use crate::conversation::{CallState, Message, MessageState, Part, PartBody, Role, ToolPart};
use crate::session::moment::moment;
use crate::store::SessionRow;
use crate::text::sanitize::{sanitize_line, strip_controls};

pub(super) fn text(session: &SessionRow, messages: &[Message]) -> String {
    let mut text = head(session);
    let mut last = None;
    let valid = messages
        .iter()
        .filter(|message| message.state != MessageState::Void);
    for message in valid {
        let parts: Vec<String> = message.parts.iter().filter_map(part).collect();
        if parts.is_empty() {
            continue;
        }
        let who = match message.role {
            Role::User => "You",
            Role::Assistant => message.agent.as_deref().unwrap_or("Assistant"),
        };
        // Replies of one turn stand together.
        if message.role == Role::User || last != Some(who) {
            let _ = write!(
                text,
                "\n## {} · {}\n",
                sanitize_line(who),
                local_moment(message.created)
            );
        }
        last = Some(who);
        for part in parts {
            let _ = write!(text, "\n{}\n", strip_controls(part.trim_end()));
        }
    }
    text
}

fn head(session: &SessionRow) -> String {
    let title = match session.title.as_str() {
        "" => "Session",
        title => title,
    };
    let model = session.model.as_ref().map(ToString::to_string);
    let facts = format!(
        "`{}` · {} · {} · `{}` · {}",
        session.id,
        model.as_deref().unwrap_or("no model"),
        session.agent,
        session.directory.display(),
        local_moment(session.created)
    );
    format!("# {}\n\n{}\n", sanitize_line(title), sanitize_line(&facts))
}

fn part(part: &Part) -> Option<String> {
    match &part.body {
        PartBody::Text(text) if text.text.trim().is_empty() => None,
        PartBody::Text(text) => Some(text.text.clone()),
        PartBody::Reasoning(_) | PartBody::Unknown(_) => None,
        PartBody::Tool(call) => Some(tool(call, "")),
        PartBody::File(file) => Some(format!("- attached `{}` ({})", file.path, file.mime)),
        PartBody::Notice(notice) => Some(format!("> {}", notice.text.replace('\n', "\n> "))),
        PartBody::Context(change) => Some(format!("> {}", change.text().replace('\n', "\n> "))),
    }
}

fn tool(call: &ToolPart, indent: &str) -> String {
    let outcome = match call.state {
        CallState::Done => "",
        CallState::Pending | CallState::Running => " (under way)",
        CallState::Failed => " (failed)",
        CallState::Denied => " (denied)",
        CallState::Cancelled => " (cancelled)",
        CallState::Interrupted => " (interrupted)",
    };
    let result = call.result();
    let title = result.as_ref().map_or("", |result| &result.title);
    let mut text = format!("{indent}- **{}** {title}{outcome}", call.tool);
    let ended = result.as_ref().filter(|result| result.ok);
    let details = ended.map(|result| result.details.value());
    let diff = details.as_ref().and_then(|details| details["diff"].as_str());
    if let Some(diff) = diff.filter(|diff| !diff.is_empty()) {
        let fence = fence(diff);
        let _ = write!(text, "\n\n{fence}diff\n{}\n{fence}", diff.trim_end());
    }
    for inner in &call.inner {
        text.push('\n');
        text.push_str(&tool(inner, "  "));
    }
    text
}

/// Longer than any row of backticks within.
fn fence(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or(0).max(2) + 1)
}

fn local_moment(milliseconds: i64) -> String {
    moment(milliseconds, &TimeZone::system())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fixture;
    use super::*;
    use crate::conversation::CallResult;

    #[test]
    fn markdown_says_who_said_what_and_what_was_done() {
        let text = text(&fixture::row(), &fixture::messages());
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], "# fix it");
        assert!(
            lines[2].starts_with("`ses_1` · local/x · build · `/p` · "),
            "{text}"
        );
        assert!(lines[4].starts_with("## You · "), "{text}");
        assert_eq!(lines[6], "do it");
        assert!(lines[8].starts_with("## Assistant · "), "{text}");
        assert_eq!(
            lines[10..],
            ["done", "", "- **no_such_tool** not allowed (denied)"]
        );
    }

    #[test]
    fn a_diff_is_fenced_by_more_than_it_holds() {
        let result = CallResult {
            ok: true,
            title: "src/a.rs".to_owned(),
            output: String::new(),
            details: json!({ "diff": "@@ -1 +1 @@\n-```\n+````\n" }).into(),
            truncated: false,
            output_path: None,
            duration_ms: 0,
            attachments: Vec::new(),
        };
        let text = tool(&fixture::call("{}", Some(result)), "");
        assert!(
            text.ends_with("src/a.rs\n\n`````diff\n@@ -1 +1 @@\n-```\n+````\n`````"),
            "{text}"
        );
    }
}
