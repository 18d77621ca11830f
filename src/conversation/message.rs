//! One user input or one model reply.

use serde::{Deserialize, Serialize};

use super::{FilePart, MessageId, ModelRef, Part, PartBody, Stop, ToolPart, Usage};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    Assistant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageState {
    /// A reply that is still coming in.
    Streaming,
    Complete,
    /// Interrupted by the user; what had arrived stays.
    Cut,
    /// Replaced by a retry: kept, shown as such, never sent.
    Void,
}

/// A turn has many messages; a retry is a new one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub id: MessageId,
    pub role: Role,
    pub state: MessageState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRef>,
    /// Milliseconds since the Unix epoch.
    pub created: i64,
    pub parts: Vec<Part>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Message {
    /// Makes a whole message that names no agent and no model.
    pub fn new(role: Role, created: i64, parts: Vec<Part>) -> Self {
        Self {
            id: MessageId::new(),
            role,
            state: MessageState::Complete,
            agent: None,
            model: None,
            created,
            parts,
            stop: None,
            usage: None,
        }
    }

    /// Makes the message of a request that belongs to no conversation.
    pub fn prompt(text: String) -> Self {
        let body = PartBody::text(text);
        Self::new(Role::User, 0, vec![Part { seq: 0, body }])
    }

    /// Returns the text parts, joined.
    pub fn text(&self) -> String {
        self.texts().collect::<Vec<_>>().join("\n")
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match &part.body {
            PartBody::Text(text) => Some(text.text.as_str()),
            _ => None,
        })
    }

    /// How a text begins that a command of the person's own was made to.
    pub const COMMAND: &str = "<command name=\"";

    /// Returns the text as the person wrote it: without what a command of theirs was made to.
    pub fn typed(&self) -> String {
        let typed = self.texts().filter(|text| !text.starts_with(Self::COMMAND));
        typed.collect::<Vec<_>>().join("\n")
    }

    /// Returns the same without what lathe tells the model behind it, as the conversation shows it.
    pub fn shown(&self) -> String {
        let mut text = self.typed();
        while let Some(start) = reminder_behind(&text) {
            text.truncate(start);
        }
        text
    }

    /// Returns what commands of the person's own were made to.
    pub fn made_of_commands(&self) -> impl Iterator<Item = &str> {
        self.texts().filter_map(|text| {
            let (_, inside) = text.strip_prefix(Self::COMMAND)?.split_once('\n')?;
            inside.strip_suffix("\n</command>")
        })
    }

    /// How a message begins that lathe and not the person wrote.
    pub const REMINDER: &str = "<system-reminder>\n";

    /// Returns true if it is lathe that speaks here, to the model.
    pub fn is_reminder(&self) -> bool {
        let first = self.parts.first().map(|part| &part.body);
        self.role == Role::User
            && matches!(first, Some(PartBody::Text(text)) if text.text.starts_with(Self::REMINDER))
    }

    /// Returns the command that the person ran themselves, if that is what this message is.
    pub fn own_command(&self) -> Option<(&str, &ToolPart)> {
        let call = self.calls().next().filter(|_| self.role == Role::User)?;
        let command = call.args.as_ref()?.get("command")?.as_str()?;
        Some((command, call))
    }

    /// Returns the attached files.
    pub fn files(&self) -> impl Iterator<Item = &FilePart> {
        self.parts.iter().filter_map(|part| match &part.body {
            PartBody::File(file) => Some(file),
            _ => None,
        })
    }

    pub fn calls(&self) -> impl Iterator<Item = &ToolPart> {
        self.parts.iter().filter_map(|part| match &part.body {
            PartBody::Tool(tool) => Some(tool),
            _ => None,
        })
    }

    pub fn calls_mut(&mut self) -> impl Iterator<Item = &mut ToolPart> {
        self.parts.iter_mut().filter_map(|part| match &mut part.body {
            PartBody::Tool(tool) => Some(tool),
            _ => None,
        })
    }
}

/// Returns where the reminder begins that a text ends with, behind words of its own.
fn reminder_behind(text: &str) -> Option<usize> {
    let text = text.trim_end().strip_suffix("</system-reminder>")?;
    let start = text.rfind(Message::REMINDER)?;
    text[..start]
        .ends_with("\n\n")
        .then(|| text[..start].trim_end().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lathe_tells_the_model_behind_a_prompt_is_not_shown() {
        let shown = |text: &str| Message::prompt(text.to_owned()).shown();
        let note = "<system-reminder>\nYou work in `/t`.\n</system-reminder>";
        assert_eq!(shown(&format!("do it\n\n{note}")), "do it");
        assert_eq!(shown(&format!("do it\n\n{note}\n\n{note}")), "do it");
        for own in [
            "do it",
            "say </system-reminder>",
            "why <system-reminder>\nx\n</system-reminder>?",
        ] {
            assert_eq!(shown(own), own);
        }
    }
}
