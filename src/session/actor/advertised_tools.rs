//! The tools that are advertised to the model: those of its agent, those that it called by name, and `look_at` where the
//! conversation has an image and the model takes none.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::agent::estimate;
use crate::conversation::{Attachment, Message, PartBody, Role};
use crate::permission::Permissions;
use crate::provider::ToolSpec;
use crate::tool::{CallSettings, ToolSettings};

pub(super) struct AdvertisedTools {
    tools: Arc<[ToolSpec]>,
    /// Their estimated tokens.
    tokens: u64,
    /// By their own names.
    called: BTreeSet<String>,
    /// Messages in which images were looked for.
    searched: usize,
    has_image: bool,
}

/// Settings and rules of an agent whose tools the list has.
pub(super) type ToolRules = (Arc<ToolSettings>, Permissions);

/// The tool that has an image described by a model that takes it.
const LOOK_AT: &str = "look_at";

fn is_image(mime: &str) -> bool {
    mime.starts_with("image/")
}

fn has_image(message: &Message) -> bool {
    let is_attached = |attached: &Attachment| is_image(&attached.mime);
    message.parts.iter().any(|part| match &part.body {
        PartBody::File(file) => is_image(&file.mime),
        PartBody::Tool(tool) => {
            let result = tool.result();
            result.is_some_and(|result| result.attachments.iter().any(is_attached))
        }
        _ => false,
    })
}

impl AdvertisedTools {
    /// A session that goes on keeps what it called before.
    pub(super) fn new(messages: &[Arc<Message>], calls: &CallSettings, sharing: &[ToolRules]) -> Self {
        let replies = messages.iter().filter(|message| message.role == Role::Assistant);
        let outer = replies.flat_map(|message| message.calls());
        let all = outer.flat_map(|call| std::iter::once(call).chain(&call.inner));
        let called = all.map(|call| calls.registry.advertised_name_of(call)).collect();
        let mut advertised = Self {
            tools: Arc::default(),
            tokens: 0,
            called,
            searched: 0,
            has_image: false,
        };
        advertised.refresh(calls, sharing);
        advertised
    }

    pub(super) fn tools(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.tools)
    }

    pub(super) fn has(&self, tool: &str) -> bool {
        self.tools.iter().any(|advertised| advertised.name == tool)
    }

    /// A tool was called; from the next request on its schema is there. Says whether it joined the others with that.
    pub(super) fn note(
        &mut self,
        tool: &str,
        calls: &CallSettings,
        sharing: impl FnOnce() -> Vec<ToolRules>,
    ) -> bool {
        let is_new = self.called.insert(tool.to_owned());
        if is_new && !self.has(tool) {
            self.refresh(calls, &sharing());
            return self.has(tool);
        }
        false
    }

    /// Looks for images in what came since the last request. Says whether `look_at` joined the others with that.
    pub(super) fn note_images(
        &mut self,
        messages: &[Arc<Message>],
        calls: &CallSettings,
        sharing: impl FnOnce() -> Vec<ToolRules>,
    ) -> bool {
        let new = messages.get(self.searched..).unwrap_or_default();
        self.has_image = self.has_image || new.iter().any(|message| has_image(message));
        self.searched = messages.len();
        self.has_image && !calls.abilities.images && self.note(LOOK_AT, calls, sharing)
    }

    /// Returns the estimated tokens of the list.
    pub(super) fn estimate(&self) -> u64 {
        self.tokens
    }

    /// Makes the list anew: of the agent as its settings and rules are, or of all those that share a prefix, whichever of
    /// them goes on. Of a tool that several have, the first has its description.
    pub(super) fn refresh(&mut self, calls: &CallSettings, sharing: &[ToolRules]) {
        self.tools = self.list(calls, sharing);
        self.tokens = estimate::prefix("", &self.tools);
    }

    fn list(&self, calls: &CallSettings, sharing: &[ToolRules]) -> Arc<[ToolSpec]> {
        let registry = &calls.registry;
        if sharing.is_empty() {
            let permissions = calls.services.gate.permissions();
            return registry
                .advertised(&calls.settings, &permissions, &self.called)
                .into();
        }
        let mut tools = BTreeMap::new();
        for (settings, permissions) in sharing {
            for tool in registry.advertised(settings, permissions, &self.called) {
                tools.entry(tool.name.clone()).or_insert(tool);
            }
        }
        tools.into_values().collect()
    }
}
