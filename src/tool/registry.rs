//! The tools there are, by name.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::dynamic::{ResultSource, generic_card};
use super::{DynTool, InitCx, RenderCx, ToolSettings, builtin};
use crate::permission::Permissions;
use crate::provider::ToolSpec;
use crate::text::partial_json::PartialJson;
use crate::view::card::Card;

/// Whether a model is told of a tool before it asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    Core,
    /// Named in the system prompt, told of in full when switched on or once called.
    Extended,
    /// Never advertised by itself.
    Hidden,
}

impl Set {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Extended => "extended",
            Self::Hidden => "hidden",
        }
    }
}

/// A tool with what is worked out about it once.
struct Entry {
    tool: Arc<dyn DynTool>,
    schema: OnceLock<Value>,
}

/// All registered tools.
pub struct Registry {
    /// Sorted by name, so that the list a model sees never changes its order.
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
    by_loose_name: HashMap<String, usize>,
}

/// What a name stands for.
#[derive(Clone)]
pub enum Resolution {
    Tool(Arc<dyn DynTool>),
    /// The closest names, at most three.
    Unknown {
        suggestions: Vec<String>,
    },
}

impl Registry {
    /// Makes the registry of everything that is built in.
    pub fn builtin() -> Self {
        Self::new(builtin::all())
    }

    fn new(mut tools: Vec<Arc<dyn DynTool>>) -> Self {
        tools.sort_by(|a, b| a.name().cmp(b.name()));
        let mut registry = Self {
            entries: Vec::with_capacity(tools.len()),
            by_name: HashMap::new(),
            by_loose_name: HashMap::new(),
        };
        for (index, tool) in tools.into_iter().enumerate() {
            registry.by_name.insert(tool.name().to_owned(), index);
            registry.by_loose_name.insert(loose(tool.name()), index);
            for alias in tool.aliases() {
                registry.by_loose_name.entry(loose(alias)).or_insert(index);
            }
            registry.entries.push(Entry {
                tool,
                schema: OnceLock::new(),
            });
        }
        registry
    }

    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn DynTool>> {
        self.entries.iter().map(|entry| &entry.tool)
    }

    /// Returns the tool of exactly this name.
    pub fn get(&self, name: &str) -> Option<&Arc<dyn DynTool>> {
        self.by_name.get(name).map(|index| &self.entries[*index].tool)
    }

    /// Returns the schema of a registered tool.
    pub fn schema(&self, name: &str) -> Option<&Value> {
        let entry = &self.entries[*self.by_name.get(name)?];
        Some(entry.schema.get_or_init(|| entry.tool.schema()))
    }

    /// Finds the tool that a model means: exactly, in another case, without `_`, `-` and blanks, by alias.
    pub fn resolve(&self, name: &str) -> Resolution {
        let found = self
            .by_name
            .get(name)
            .or_else(|| self.by_name.get(&name.to_lowercase()));
        match found.or_else(|| self.by_loose_name.get(&loose(name))) {
            Some(index) => Resolution::Tool(Arc::clone(&self.entries[*index].tool)),
            None => Resolution::Unknown {
                suggestions: self.suggest(name),
            },
        }
    }

    /// Names at most three edits away or with the same first four letters, nearest first.
    fn suggest(&self, name: &str) -> Vec<String> {
        let wanted = loose(name);
        let prefix: String = wanted.chars().take(4).collect();
        let mut near: Vec<(usize, &str)> = Vec::new();
        for tool in self.tools().filter(|tool| tool.set() != Set::Hidden) {
            let own = loose(tool.name());
            let distance = strsim::levenshtein(&wanted, &own);
            if distance <= 3 || (prefix.chars().count() == 4 && own.starts_with(&prefix)) {
                near.push((distance, tool.name()));
            }
        }
        near.sort_unstable();
        near.into_iter()
            .take(3)
            .map(|(_, name)| name.to_owned())
            .collect()
    }

    /// Returns what a model is told of, sorted by name.
    pub fn advertised(&self, settings: &ToolSettings, permissions: &Permissions) -> Vec<ToolSpec> {
        let cx = InitCx { settings };
        let shown = self
            .entries
            .iter()
            .filter(|entry| is_advertised(&*entry.tool, settings, permissions));
        let specs = shown.map(|entry| ToolSpec {
            name: entry.tool.name().to_owned(),
            description: entry.tool.description(cx),
            schema: entry.schema.get_or_init(|| entry.tool.schema()).clone(),
        });
        specs.collect()
    }

    /// Draws a call that has no result yet.
    pub fn render_call(&self, tool: &str, partial: &PartialJson, args: Option<&Value>, cx: RenderCx) -> Card {
        let Resolution::Tool(found) = self.resolve(tool) else {
            return Card::new(tool, "");
        };
        catch(tool, || found.render_call(partial, args, cx)).unwrap_or_else(|| broken_card(tool))
    }

    /// Draws a call that runs or has run.
    pub fn render_result(
        &self,
        tool: &str,
        partial: &PartialJson,
        args: Option<&Value>,
        result: ResultSource<'_>,
        cx: RenderCx,
    ) -> Card {
        let text = match &result {
            ResultSource::Running { text, .. } => (*text).to_owned(),
            ResultSource::Ended(result) => result.output.clone(),
        };
        if let Resolution::Tool(found) = self.resolve(tool) {
            match catch(tool, || found.render_result(args, result, cx)) {
                Some(Some(card)) => return card,
                Some(None) => {}
                None => return generic_card(broken_card(tool), &text, cx),
            }
        }
        generic_card(self.render_call(tool, partial, args, cx), &text, cx)
    }
}

/// Whether a switch, or its absence, shows the tool; a denied family never is.
fn is_advertised(tool: &dyn DynTool, settings: &ToolSettings, permissions: &Permissions) -> bool {
    let by_default = tool.set() == Set::Core;
    let is_on = tool.set() != Set::Hidden && switched(tool.name(), settings).unwrap_or(by_default);
    is_on && !permissions.tool_is_denied(tool.family(), tool.name())
}

/// Returns what the user said of a tool.
pub(super) fn switched(name: &str, settings: &ToolSettings) -> Option<bool> {
    settings.switches.get(name).copied()
}

fn loose(name: &str) -> String {
    let kept = name
        .chars()
        .filter(|c| !matches!(c, '_' | '-') && !c.is_whitespace());
    kept.flat_map(char::to_lowercase).collect()
}

/// Runs a renderer; a panic in it is logged and costs its own card alone.
fn catch<T>(tool: &str, draw: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(draw))
        .inspect_err(|_| tracing::error!(tool, "a renderer failed"))
        .ok()
}

fn broken_card(tool: &str) -> Card {
    Card::new(tool, "").meta("!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn resolved(name: &str) -> String {
        match Registry::builtin().resolve(name) {
            Resolution::Tool(tool) => tool.name().to_owned(),
            Resolution::Unknown { suggestions } => format!("? {}", suggestions.join(" ")),
        }
    }

    #[test]
    fn a_tool_is_found_by_its_name_in_any_spelling() {
        for name in ["read", "Read", "READ", "re_ad", "r-e a d"] {
            assert_eq!(resolved(name), "read", "{name}");
        }
        for name in ["todowrite", "TodoWrite", "todo-write", "Todo Write"] {
            assert_eq!(resolved(name), "todowrite", "{name}");
        }
    }

    #[test]
    fn a_tool_is_found_by_its_aliases() {
        for (alias, tool) in [
            ("read_file", "read"),
            ("view", "read"),
            ("write_file", "write"),
            ("create_file", "write"),
            ("str_replace", "edit"),
            ("replace", "edit"),
            ("shell", "bash"),
            ("run_command", "bash"),
            ("execute_command", "bash"),
            ("find", "glob"),
            ("find_files", "glob"),
            ("search", "grep"),
            ("ripgrep", "grep"),
            ("ls", "list"),
            ("todo_write", "todowrite"),
            ("todo_read", "todoread"),
            ("ReadFile", "read"),
            ("LS", "list"),
        ] {
            assert_eq!(resolved(alias), tool, "{alias}");
        }
    }

    #[test]
    fn no_alias_hides_a_tool() {
        let registry = Registry::builtin();
        for tool in registry.tools() {
            assert_eq!(resolved(tool.name()), tool.name());
            for alias in tool.aliases() {
                assert_eq!(resolved(alias), tool.name(), "{alias}");
            }
        }
    }

    #[test]
    fn near_names_are_suggested_nearest_first() {
        assert_eq!(resolved("reed"), "? read grep");
        assert_eq!(resolved("globbing"), "? glob");
        assert_eq!(resolved("zzzzzzzzzz"), "? ");
        assert_eq!(resolved(""), "? ");
    }

    #[test]
    fn hidden_tools_are_not_suggested() {
        assert_eq!(resolved("invalidd"), "? ");
    }

    #[test]
    fn schemas_are_plain_and_every_parameter_is_documented() {
        let registry = Registry::builtin();
        for tool in registry.tools() {
            let schema = registry.schema(tool.name()).unwrap();
            let text = schema.to_string();
            for banned in ["\"$ref\"", "\"format\"", "\"$schema\"", "\"$defs\""] {
                assert!(!text.contains(banned), "{}: {text}", tool.name());
            }
            for (name, parameter) in schema["properties"].as_object().unwrap() {
                assert!(
                    parameter["description"].is_string(),
                    "`{name}` of `{}` is not documented",
                    tool.name()
                );
            }
        }
    }
}
