//! The tools that are advertised to the model: those of its agent, and those that it called by name.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::conversation::{Message, Role};
use crate::provider::ToolSpec;
use crate::tool::CallSettings;

pub(super) struct AdvertisedTools {
    tools: Arc<[ToolSpec]>,
    /// By their own names.
    called: BTreeSet<String>,
}

impl AdvertisedTools {
    /// A session that goes on keeps what it called before.
    pub(super) fn new(messages: &[Arc<Message>], calls: &CallSettings) -> Self {
        let replies = messages.iter().filter(|message| message.role == Role::Assistant);
        let outer = replies.flat_map(|message| message.calls());
        let all = outer.flat_map(|call| std::iter::once(call).chain(&call.inner));
        let called = all.map(|call| calls.registry.advertised_name_of(call)).collect();
        let mut advertised = Self {
            tools: Arc::default(),
            called,
        };
        advertised.refresh(calls);
        advertised
    }

    pub(super) fn tools(&self) -> Arc<[ToolSpec]> {
        Arc::clone(&self.tools)
    }

    pub(super) fn has(&self, tool: &str) -> bool {
        self.tools.iter().any(|advertised| advertised.name == tool)
    }

    /// A tool was called; from the next request on its schema is there. Says whether it joined the others with that.
    pub(super) fn note(&mut self, tool: &str, calls: &CallSettings) -> bool {
        let is_new = self.called.insert(tool.to_owned());
        if is_new && !self.has(tool) {
            self.refresh(calls);
            return self.has(tool);
        }
        false
    }

    /// Makes the list anew, by the settings and rules as they are.
    pub(super) fn refresh(&mut self, calls: &CallSettings) {
        let permissions = calls.services.gate.permissions();
        let tools = calls
            .registry
            .advertised(&calls.settings, &permissions, &self.called);
        self.tools = tools.into();
    }
}
