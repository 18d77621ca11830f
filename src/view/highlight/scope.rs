//! Names of grammars for pieces of source, in our words.
//!
//! Grammars follow one naming scheme, so that prefixes suffice: the innermost scope that is known decides.

use std::collections::HashMap;
use std::sync::LazyLock;

use syntect::parsing::Scope;

use super::Meaning;

/// The longest prefix that fits a scope counts.
const SCOPES: &[(&str, Meaning)] = &[
    ("source", Meaning::Code),
    ("text", Meaning::Code),
    ("meta.interpolation", Meaning::Code),
    ("meta.template.expression", Meaning::Code),
    ("comment", Meaning::CodeComment),
    ("punctuation.definition.comment", Meaning::CodeComment),
    ("string", Meaning::CodeString),
    ("punctuation.definition.string", Meaning::CodeString),
    ("constant", Meaning::CodeConstant),
    ("constant.numeric", Meaning::CodeNumber),
    ("constant.character.escape", Meaning::CodeEscape),
    ("constant.other.placeholder", Meaning::CodeEscape),
    ("support.constant", Meaning::CodeConstant),
    ("keyword", Meaning::CodeKeyword),
    ("keyword.operator", Meaning::CodeOperator),
    ("storage", Meaning::CodeKeyword),
    ("entity.name.function", Meaning::CodeFunction),
    ("entity.name.macro", Meaning::CodeFunction),
    ("support.function", Meaning::CodeFunction),
    ("support.macro", Meaning::CodeFunction),
    ("variable.function", Meaning::CodeFunction),
    ("entity.name.type", Meaning::CodeType),
    ("entity.name.class", Meaning::CodeType),
    ("entity.name.struct", Meaning::CodeType),
    ("entity.name.enum", Meaning::CodeType),
    ("entity.name.union", Meaning::CodeType),
    ("entity.name.trait", Meaning::CodeType),
    ("entity.name.interface", Meaning::CodeType),
    ("entity.name.impl", Meaning::CodeType),
    ("entity.name.namespace", Meaning::CodeType),
    ("entity.name.module", Meaning::CodeType),
    ("entity.other.inherited-class", Meaning::CodeType),
    ("support.type", Meaning::CodeType),
    ("support.class", Meaning::CodeType),
    ("entity.name.constant", Meaning::CodeConstant),
    ("entity.name.label", Meaning::CodeConstant),
    ("entity.name.tag", Meaning::CodeTag),
    ("entity.other.attribute-name", Meaning::CodeAttribute),
    ("variable.annotation", Meaning::CodeAttribute),
    ("meta.annotation", Meaning::CodeAttribute),
    ("variable", Meaning::CodeVariable),
    ("variable.language", Meaning::CodeConstant),
    ("punctuation", Meaning::CodePunctuation),
    ("markup.heading", Meaning::MarkdownHeadingMinor),
    ("entity.name.section", Meaning::MarkdownHeadingMinor),
    ("markup.bold", Meaning::TextStrong),
    ("markup.raw", Meaning::MarkdownCode),
    ("markup.underline.link", Meaning::MarkdownUrl),
    ("markup.inserted", Meaning::DiffAdded),
    ("markup.deleted", Meaning::DiffRemoved),
    ("meta.diff.header", Meaning::TextStrong),
    ("meta.diff.range", Meaning::CodeFunction),
];

struct Selectors {
    scopes: Vec<(Scope, Meaning)>,
    /// The key of a mapping is a string in most grammars; it reads better apart from the values.
    keys: Vec<Scope>,
}

static SELECTORS: LazyLock<Selectors> = LazyLock::new(|| {
    let scope = |name: &str| Scope::new(name).expect("the names above are short");
    Selectors {
        scopes: SCOPES
            .iter()
            .map(|(name, meaning)| (scope(name), *meaning))
            .collect(),
        keys: vec![scope("meta.mapping.key"), scope("meta.structure.dictionary.key")],
    }
});

/// Remembers what each scope means.
#[derive(Debug, Default)]
pub(super) struct Meanings {
    known: HashMap<Scope, Option<Meaning>>,
}

impl Meanings {
    pub(super) fn of(&mut self, stack: &[Scope]) -> Meaning {
        let found = stack.iter().rev().find_map(|scope| self.of_scope(*scope));
        match found.unwrap_or(Meaning::Code) {
            Meaning::CodeString if is_key(stack) => Meaning::CodeAttribute,
            meaning => meaning,
        }
    }

    fn of_scope(&mut self, scope: Scope) -> Option<Meaning> {
        *self.known.entry(scope).or_insert_with(|| {
            let fitting = SELECTORS
                .scopes
                .iter()
                .filter(|(prefix, _)| prefix.is_prefix_of(scope));
            let longest = fitting.max_by_key(|(prefix, _)| prefix.len());
            longest.map(|(_, meaning)| *meaning)
        })
    }
}

fn is_key(stack: &[Scope]) -> bool {
    let is_key = |scope: &Scope| SELECTORS.keys.iter().any(|key| key.is_prefix_of(*scope));
    stack.iter().rev().take(3).any(is_key)
}
