//! The arguments from which a call is drawn, whether they are whole or still coming in.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ParamAlias, args};
use crate::text::partial_json::PartialJson;
use crate::view::card::{Card, FileTarget};

/// Arguments that were parsed once, by whoever keeps them. Parameters go by their own names here, and are found under
/// every other name that a model may give them.
#[derive(Clone, Copy)]
pub struct DrawnArgs<'a> {
    given: &'a Value,
    /// The arguments so far, where they are not whole.
    partial: Option<&'a PartialJson>,
    aliases: &'static [ParamAlias],
}

impl<'a> DrawnArgs<'a> {
    /// Takes arguments as far as they have come, as the model writes them. They stay so if they are not JSON.
    pub fn partial(args: &'a PartialJson) -> Self {
        Self {
            partial: Some(args),
            ..Self::whole(args.value())
        }
    }

    /// Takes arguments by the names and types of the tool's schema.
    pub fn whole(args: &'a Value) -> Self {
        Self {
            given: args,
            partial: None,
            aliases: &[],
        }
    }

    /// Finds parameters under the tool's own aliases too.
    pub(super) fn with_aliases(self, aliases: &'static [ParamAlias]) -> Self {
        Self { aliases, ..self }
    }

    pub fn value(self) -> &'a Value {
        self.given
    }

    /// Returns what the tool itself takes; `None` if they are not whole or do not fit.
    pub fn typed<A: DeserializeOwned>(self) -> Option<A> {
        let is_whole = self.partial.is_none();
        is_whole.then(|| A::deserialize(self.given).ok()).flatten()
    }

    pub fn get(self, name: &str) -> Option<&'a Value> {
        self.find(name).map(|(_, value)| value)
    }

    /// Returns a text as far as it has come; empty without one.
    pub fn text(self, name: &str) -> &'a str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns one text or several, with blanks between them.
    pub fn texts(self, name: &str) -> String {
        let items = self.items(name).filter_map(|item| item.given.as_str());
        let texts: Vec<_> = self
            .get(name)
            .and_then(Value::as_str)
            .into_iter()
            .chain(items)
            .collect();
        texts.join(" ")
    }

    /// Returns the items of an array as far as they have come, with the tool's aliases for their members too.
    pub fn items(self, name: &str) -> impl ExactSizeIterator<Item = Self> {
        let items = self.get(name).and_then(Value::as_array);
        let items = items.map(Vec::as_slice).unwrap_or_default();
        items.iter().map(move |given| Self { given, ..self })
    }

    /// Begins the card of a call that names a file, which is what the card is about once the name is whole.
    pub fn file_card(self, title: &str, name: &str) -> Card {
        let path = self.text(name);
        let is_open = self
            .partial
            .zip(self.find(name))
            .is_some_and(|(args, (key, _))| args.is_open(key));
        if is_open || path.is_empty() {
            Card::new(title, path)
        } else {
            Card::of_file(title, FileTarget::given(path))
        }
    }

    fn find(self, name: &str) -> Option<(&'a str, &'a Value)> {
        args::find(self.given.as_object()?, name, self.aliases)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::tool::harness::Harness;

    #[test]
    fn a_call_streams_in_under_every_name_that_its_parameters_have() {
        let project = Harness::new();
        for (tool, streamed, name) in [
            ("write", r#"{"FilePath": "a.rs", "Cont"#, "a.rs"),
            ("write", r#"{"filename": "a.rs", "text": "x"#, "a.rs"),
            ("list", r#"{"filePath": "src", "limit": "#, "src"),
            ("bash", r#"{"Cmd": "make te"#, "make te"),
            ("grep", r#"{"Pattern": "a.b", "file-pattern"#, "a.b"),
            ("glob", r#"{"patterns": ["a", "b"#, "a b"),
            ("edit", r#"{"file": "a.rs", "edits": {"old_string": "#, "a.rs"),
        ] {
            assert_eq!(project.draw_call(tool, streamed).argument, name, "{streamed}");
        }
    }

    #[test]
    fn what_streams_in_as_several_edits_is_drawn_as_such() {
        let card = Harness::new().draw_call("edit", r#"{"file": "a.rs", "Edits": [{"oldString": "b"#);
        assert_eq!(card.meta, ["1 edit"]);
        assert_eq!(card.body.len(), 1);
    }

    #[test]
    fn a_parameters_own_name_comes_before_the_others() {
        let args = json!({ "path": "src", "paths": "other", "filePath": "lib" });
        let card = Harness::new().draw_call("list", &args.to_string());
        assert_eq!(card.argument, "src");
    }

    #[test]
    fn the_card_is_about_a_file_once_its_name_is_whole() {
        let project = Harness::new();
        let target = |streamed| project.draw_call("read", streamed).target;
        assert_eq!(target(r#"{"file_path": "a.r"#), None);
        assert_eq!(target(r#"{"filePath": "a.rs", "#).unwrap().path, "a.rs");
    }
}
