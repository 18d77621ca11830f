//! The values read so far, and the views that lend them.

use serde_json::{Map, Number, Value};

/// A string as far as it has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartialStr<'a> {
    pub text: &'a str,
    /// True if the closing quote was read.
    pub complete: bool,
}

/// A value as far as it has come.
#[derive(Debug, Clone, Copy)]
pub struct PartialValue<'a> {
    arena: &'a Arena,
    id: NodeId,
}

pub(super) type NodeId = usize;

/// All values, in the order in which they began; the first one is the top.
#[derive(Debug, Clone, Default)]
pub(super) struct Arena {
    pub(super) nodes: Vec<Node>,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) complete: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    String(String),
    Array(Vec<NodeId>),
    Object(Vec<(String, NodeId)>),
}

impl Arena {
    pub(super) fn root(&self) -> Option<PartialValue<'_>> {
        (!self.nodes.is_empty()).then_some(PartialValue { arena: self, id: 0 })
    }

    pub(super) fn add(&mut self, kind: Kind) -> NodeId {
        let complete = matches!(kind, Kind::Null | Kind::Bool(_));
        self.nodes.push(Node { kind, complete });
        self.nodes.len() - 1
    }
}

impl<'a> PartialValue<'a> {
    fn node(self) -> &'a Node {
        &self.arena.nodes[self.id]
    }

    fn at(self, id: NodeId) -> Self {
        Self {
            arena: self.arena,
            id,
        }
    }

    /// Tells whether the value's last byte was read.
    pub fn is_complete(self) -> bool {
        self.node().complete
    }

    /// Returns a member of an object; of equal keys the last.
    pub fn get(self, key: &str) -> Option<Self> {
        match &self.node().kind {
            Kind::Object(members) => members
                .iter()
                .rev()
                .find(|(name, _)| name == key)
                .map(|(_, id)| self.at(*id)),
            _ => None,
        }
    }

    /// Returns the items of an array; of other values none.
    pub fn items(self) -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        let items: &[NodeId] = match &self.node().kind {
            Kind::Array(items) => items,
            _ => &[],
        };
        items.iter().map(move |id| self.at(*id))
    }

    /// Returns the members of an object in the order in which they came; of other values none.
    pub fn members(self) -> impl DoubleEndedIterator<Item = (&'a str, Self)> + ExactSizeIterator {
        let members: &[(String, NodeId)] = match &self.node().kind {
            Kind::Object(members) => members,
            _ => &[],
        };
        members
            .iter()
            .map(move |(name, id)| (name.as_str(), self.at(*id)))
    }

    pub fn as_string(self) -> Option<PartialStr<'a>> {
        match &self.node().kind {
            Kind::String(text) => Some(PartialStr {
                text,
                complete: self.is_complete(),
            }),
            _ => None,
        }
    }

    pub fn as_bool(self) -> Option<bool> {
        match self.node().kind {
            Kind::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns a number as far as its digits make one.
    pub fn as_number(self) -> Option<Number> {
        match &self.node().kind {
            Kind::Number(written) => written.parse().ok(),
            _ => None,
        }
    }

    pub fn is_array(self) -> bool {
        matches!(self.node().kind, Kind::Array(_))
    }

    /// Copies the value; a number that is none yet becomes `null`. Recursion is bounded by the depth limit.
    pub fn to_value(self) -> Value {
        match &self.node().kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(_) => self.as_number().map_or(Value::Null, Value::Number),
            Kind::String(text) => Value::String(text.clone()),
            Kind::Array(_) => Value::Array(self.items().map(Self::to_value).collect()),
            Kind::Object(_) => {
                let mut object = Map::new();
                for (name, member) in self.members() {
                    object.insert(name.to_owned(), member.to_value());
                }
                Value::Object(object)
            }
        }
    }
}
