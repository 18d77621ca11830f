//! The tools there are, by name.

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::dynamic::{ResultSource, generic_card};
use super::{DrawnArgs, DynTool, InitCx, RenderCx, Route, ToolSettings, WrittenFile, builtin, routing};
use crate::conversation::{CallResult, Json, TaskRow, ToolPart};
use crate::permission::Permissions;
use crate::provider::ToolSpec;
use crate::swap::Swappable;
use crate::view::card::Card;

/// The condition under which a model is told of a tool before it asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolSet {
    Core,
    /// Core for the agent of this name, never advertised by itself for others.
    CoreFor(&'static str),
    /// Named in the system prompt, told of in full when switched on or once called.
    Extended,
    /// Never advertised by itself.
    Hidden,
}

impl ToolSet {
    /// Returns true if a model is told of it as this agent.
    pub fn is_core_for(self, agent: &str) -> bool {
        match self {
            Self::Core => true,
            Self::CoreFor(name) => name == agent,
            Self::Extended | Self::Hidden => false,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core | Self::CoreFor(_) => "core",
            Self::Extended => "extended",
            Self::Hidden => "hidden",
        }
    }
}

/// A tool with what is worked out about it once.
struct RegisteredTool {
    tool: Arc<dyn DynTool>,
    schema: OnceLock<Value>,
}

/// All registered tools.
pub struct Registry {
    /// Sorted by name, so that the list a model sees never changes its order.
    entries: Vec<RegisteredTool>,
    by_name: HashMap<String, usize>,
    by_loose_name: HashMap<String, usize>,
}

/// The tool that a name stands for.
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
            registry.entries.push(RegisteredTool {
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

    /// Finds the tool that a call is for: some arguments are another tool's than the one that is named.
    pub fn resolve_call(&self, name: &str, args: &Value) -> Resolution {
        self.route(self.resolve(name), |route| routing::is_for(route, args))
    }

    /// Returns the name under which a call is told: that of the tool that is meant, or what the model wrote when there is
    /// no such tool.
    pub fn advertised_name(&self, given: &str, args: &Value) -> String {
        self.route_list(given, |route| routing::is_for(route, args))
    }

    /// The same of a call of the conversation, whose arguments are read where the name alone does not say it.
    pub fn advertised_name_of(&self, call: &ToolPart) -> String {
        let args = || call.args.as_ref().map(Json::value).unwrap_or_default();
        self.route_list(&call.tool, |route| routing::is_for(route, &args()))
    }

    /// Returns the files that a call of this tool has written, as its result tells.
    pub fn written(&self, tool: &str, result: &Swappable<CallResult>) -> Vec<WrittenFile> {
        let Some(tool) = self.get(tool).filter(|tool| tool.tells_written()) else {
            return Vec::new();
        };
        let result = result.get();
        let written = result.ok.then(|| tool.written(&result.details));
        written.unwrap_or_default()
    }

    /// Returns true if calls of this tool start tasks, whose state their cards show.
    pub fn starts_tasks(&self, tool: &str) -> bool {
        self.get(tool).is_some_and(|tool| tool.starts_tasks())
    }

    /// Returns the details of a call with how a task stands now, if the call has started that.
    pub fn follow_task(&self, tool: &str, details: &Json, row: &TaskRow) -> Option<Value> {
        self.get(tool)?.follow_task(details, row)
    }

    fn route_list(&self, given: &str, is_for: impl Fn(&Route) -> bool) -> String {
        match self.route(self.resolve(given), is_for) {
            Resolution::Tool(tool) => tool.name().to_owned(),
            Resolution::Unknown { .. } => given.to_owned(),
        }
    }

    fn route(&self, named: Resolution, is_for: impl Fn(&Route) -> bool) -> Resolution {
        let Resolution::Tool(tool) = &named else {
            return named;
        };
        let other = tool.routes().iter().find(|route| is_for(route));
        match other.and_then(|route| self.get(route.tool)) {
            Some(other) => Resolution::Tool(Arc::clone(other)),
            None => named,
        }
    }

    /// Names at most three edits away or with the same first four letters, nearest first.
    fn suggest(&self, name: &str) -> Vec<String> {
        let wanted = loose(name);
        let prefix: String = wanted.chars().take(4).collect();
        let mut near: Vec<(usize, &str)> = Vec::new();
        for tool in self.tools().filter(|tool| tool.set() != ToolSet::Hidden) {
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

    /// Returns what a model is told of, sorted by name. `called` are the tools that it found by itself.
    pub fn advertised(
        &self,
        settings: &ToolSettings,
        permissions: &Permissions,
        called: &BTreeSet<String>,
    ) -> Vec<ToolSpec> {
        let cx = InitCx { settings };
        let shown = self.entries.iter().filter(|entry| {
            let is_called = called.contains(entry.tool.name());
            is_advertised(&*entry.tool, settings, permissions, is_called)
        });
        let specs = shown.map(|entry| ToolSpec {
            name: entry.tool.name().to_owned(),
            description: entry.tool.description(cx),
            schema: entry.schema.get_or_init(|| entry.tool.schema()).clone(),
        });
        specs.collect()
    }

    /// Draws a call that has no result yet.
    pub fn render_call(&self, tool: &str, args: DrawnArgs<'_>, cx: RenderCx) -> Card {
        let Resolution::Tool(found) = self.resolve_call(tool, args.value()) else {
            return Card::new(tool, "");
        };
        catch(tool, || found.render_call(args, cx)).unwrap_or_else(|| broken_card(tool))
    }

    /// Draws a call that runs or has run.
    pub fn render_result(
        &self,
        tool: &str,
        args: DrawnArgs<'_>,
        result: ResultSource<'_>,
        cx: RenderCx,
    ) -> Card {
        let text = match &result {
            ResultSource::Running { text, .. } => (*text).to_owned(),
            // The sign of the card says that it failed; the word is for the model.
            ResultSource::Ended(result) if !result.ok => {
                let output = &result.output;
                output.strip_prefix("Error: ").unwrap_or(output).to_owned()
            }
            ResultSource::Ended(result) => result.output.clone(),
        };
        if let Resolution::Tool(found) = self.resolve_call(tool, args.value()) {
            match catch(tool, || found.render_result(args, result, cx)) {
                Some(Some(card)) => return card,
                Some(None) => {}
                None => return generic_card(broken_card(tool), &text, cx),
            }
        }
        generic_card(self.render_call(tool, args, cx), &text, cx)
    }
}

/// Returns true if a switch, or its absence, shows the tool; a tool of another edit mode is never shown, nor one of a
/// denied family.
fn is_advertised(
    tool: &dyn DynTool,
    settings: &ToolSettings,
    permissions: &Permissions,
    is_called: bool,
) -> bool {
    let by_default = tool.set().is_core_for(&settings.access.agent)
        || settings.access.shown.contains(&tool.name())
        || tool.set() == ToolSet::Extended && is_called;
    if !tool.edit_modes().contains(&settings.edit_mode) {
        return false;
    }
    let is_on = tool.set() != ToolSet::Hidden && switched(tool.name(), settings).unwrap_or(by_default);
    is_on && !permissions.tool_is_denied(tool.family(), tool.name())
}

/// Returns what the user and the agent said of a tool.
pub(super) fn switched(name: &str, settings: &ToolSettings) -> Option<bool> {
    settings.switched(name)
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
    use serde_json::json;

    use super::*;
    use crate::provider::EditMode;

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
            ("multi_edit", "multiedit"),
            ("MultiEdit", "multiedit"),
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
    fn a_call_is_routed_by_its_arguments() {
        let registry = Registry::builtin();
        for (name, args, tool) in [
            ("edit", json!({"edits": [{"old_string": "a"}]}), "multiedit"),
            ("str_replace", json!({"Edits": {"oldString": "a"}}), "multiedit"),
            ("edit", json!({"edits": "[{\"old_text\": \"a\"}]"}), "multiedit"),
            (
                "edit",
                json!({"edits": [{"type": "append", "old_string": "a"}]}),
                "hashline_edit",
            ),
            ("Edit", json!({"edits": "{\"Op\": \"append\"}"}), "hashline_edit"),
            ("edit", json!({"edits": []}), "edit"),
            ("edit", json!({"old_string": "a"}), "edit"),
            ("edit", json!({"edits": "old_string"}), "edit"),
            ("read", json!({"edits": [{"old_string": "a"}]}), "read"),
        ] {
            let Resolution::Tool(found) = registry.resolve_call(name, &args) else {
                panic!("{name}");
            };
            assert_eq!(found.name(), tool, "{name} {args}");
        }
    }

    /// Returns the advertised tools that change files.
    fn writers(settings: &ToolSettings) -> Vec<String> {
        let specs = Registry::builtin().advertised(settings, &Permissions::default(), &BTreeSet::new());
        let names = specs.into_iter().map(|spec| spec.name);
        let is_writer = |name: &String| {
            ["apply_patch", "edit", "hashline_edit", "multiedit", "write"].contains(&name.as_str())
        };
        names.filter(is_writer).collect()
    }

    #[test]
    fn the_edit_mode_decides_which_editing_tools_are_told_of() {
        for (edit_mode, shown) in [
            (EditMode::Replace, &["edit", "write"][..]),
            (EditMode::Hashline, &["hashline_edit", "write"]),
            (EditMode::Patch, &["apply_patch"]),
        ] {
            let mut settings = ToolSettings {
                edit_mode,
                ..ToolSettings::default()
            };
            assert_eq!(writers(&settings), shown, "{edit_mode:?}");
            for name in ["edit", "hashline_edit", "apply_patch", "write"] {
                settings.switches.insert(name.to_owned(), true);
            }
            assert_eq!(
                writers(&settings),
                shown,
                "a switch brings back no other mode's tool"
            );
            settings.switches.insert(shown[0].to_owned(), false);
            assert_eq!(writers(&settings), shown[1..], "{edit_mode:?}");
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
