//! Rules in their order, found by what they are about.
//!
//! A verdict is made by the last rule that matches, so every rule would have to be tried on every subject. A long list is
//! therefore indexed once: by its keys, and below each by the text that a pattern begins with, or ends with where it
//! begins with `*`. A lookup gives the rules that could match, last first; the caller tries them as it would try all.
//!
//! Lists grow at their end alone. What is added is a segment of its own, so the copies of a list that the agents of a
//! session have share the rules of the files that they come from.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use super::pattern::Anchor;
use super::rule::Rule;
use super::subject::Subject;

/// Rules of a segment that are tried one by one: for so few it is cheaper.
const FEW: usize = 48;

/// Rules in their order. A copy shares them.
#[derive(Debug, Clone, Default)]
pub struct RuleList {
    segments: Vec<Arc<Segment>>,
}

#[derive(Debug, Default)]
struct Segment {
    rules: Vec<Rule>,
    /// Made when it is first used; never for a few.
    index: OnceLock<RuleIndex>,
}

/// Places of rules by their keys.
#[derive(Debug, Default)]
struct RuleIndex {
    by_key: HashMap<String, KeyRules>,
    /// Rules whose key is a wildcard.
    by_wildcard: KeyRules,
}

/// Places of rules, in their order, and how their patterns are found.
#[derive(Debug, Default)]
struct KeyRules {
    all: Vec<usize>,
    beginnings: AnchoredRules,
    endings: AnchoredRules,
    /// Those that may match any text.
    anywhere: Vec<usize>,
}

/// Places of rules by a text that what they match begins or ends with.
#[derive(Debug, Default)]
struct AnchoredRules {
    by_text: HashMap<String, Vec<usize>>,
    lengths: BTreeSet<usize>,
}

impl RuleList {
    pub fn extend(&mut self, rules: impl IntoIterator<Item = Rule>) {
        let rules: Vec<Rule> = rules.into_iter().collect();
        if !rules.is_empty() {
            let index = OnceLock::new();
            self.segments.push(Arc::new(Segment { rules, index }));
        }
    }

    /// Takes rules out.
    pub fn remove(&mut self, is_gone: impl Fn(&Rule) -> bool) {
        let mut kept = Self::default();
        for segment in &self.segments {
            if segment.rules.iter().any(&is_gone) {
                kept.extend(segment.rules.iter().filter(|rule| !is_gone(rule)).cloned());
            } else {
                kept.segments.push(Arc::clone(segment));
            }
        }
        *self = kept;
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Rule> {
        self.segments.iter().flat_map(|segment| &segment.rules)
    }

    pub fn len(&self) -> usize {
        self.segments.iter().map(|segment| segment.rules.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The rules about one of the keys of which one could match or restrict the subject, last first: all that do, and some
    /// that do not.
    pub(super) fn possible<'a>(
        &'a self,
        keys: &[&str],
        subject: &Subject,
    ) -> impl Iterator<Item = &'a Rule> + use<'a> {
        let segments = self.segments.iter().rev();
        let found: Vec<&Rule> = segments
            .flat_map(|segment| segment.possible(keys, subject))
            .map(|(_, rule)| rule)
            .collect();
        found.into_iter()
    }

    /// The last rule about a key of which this holds, whatever its pattern.
    pub(super) fn last_about(&self, key: &str, holds: impl Fn(&Rule) -> bool) -> Option<&Rule> {
        let segments = self.segments.iter().rev();
        let mut rules = segments.flat_map(|segment| segment.about(key).map(|(_, rule)| rule));
        rules.find(|rule| holds(rule))
    }

    /// Returns true if this holds of a rule about a key that stands behind the last one that matches.
    pub(super) fn any_behind_match(
        &self,
        key: &str,
        subject: &Subject,
        holds: impl Fn(&Rule) -> bool,
    ) -> bool {
        for segment in self.segments.iter().rev() {
            let mut possible = segment.possible(&[key], subject);
            let last = possible.find(|(_, rule)| rule.matches(subject)).map(|(at, _)| at);
            let behind = segment
                .about(key)
                .take_while(|(at, _)| last.is_none_or(|last| *at > last));
            if behind.into_iter().any(|(_, rule)| holds(rule)) {
                return true;
            }
            if last.is_some() {
                return false;
            }
        }
        false
    }
}

impl From<Vec<Rule>> for RuleList {
    fn from(rules: Vec<Rule>) -> Self {
        let mut list = Self::default();
        list.extend(rules);
        list
    }
}

impl PartialEq<Vec<Rule>> for RuleList {
    fn eq(&self, other: &Vec<Rule>) -> bool {
        self.iter().eq(other)
    }
}

impl Segment {
    fn index(&self) -> Option<&RuleIndex> {
        (self.rules.len() > FEW).then(|| self.index.get_or_init(|| RuleIndex::of(&self.rules)))
    }

    /// Rules with their places, last first.
    fn possible<'a>(
        &'a self,
        keys: &[&str],
        subject: &Subject,
    ) -> impl Iterator<Item = (usize, &'a Rule)> + use<'a> {
        let is_about = |rule: &Rule| keys.iter().any(|key| rule.is_about(key));
        let places: Vec<usize> = match self.index() {
            None => (0..self.rules.len())
                .rev()
                .filter(|at| is_about(&self.rules[*at]))
                .collect(),
            Some(index) => {
                let mut places = Vec::new();
                for rules in index.of_keys(keys) {
                    rules.find(subject, &mut places);
                }
                places.retain(|at| is_about(&self.rules[*at]));
                places.sort_unstable_by(|one, other| other.cmp(one));
                places.dedup();
                places
            }
        };
        places.into_iter().map(|at| (at, &self.rules[at]))
    }

    /// All rules about a key with their places, last first.
    fn about<'a>(&'a self, key: &str) -> impl Iterator<Item = (usize, &'a Rule)> + use<'a> {
        let mut places: Vec<usize> = match self.index() {
            None => (0..self.rules.len()).collect(),
            Some(index) => {
                let rules = index.of_keys(&[key]);
                rules.flat_map(|rules| &rules.all).copied().collect()
            }
        };
        places.retain(|at| self.rules[*at].is_about(key));
        places.sort_unstable();
        places.into_iter().rev().map(|at| (at, &self.rules[at]))
    }
}

impl RuleIndex {
    fn of(rules: &[Rule]) -> Self {
        let mut index = Self::default();
        for (at, rule) in rules.iter().enumerate() {
            let is_wildcard = rule.key.contains(['*', '?']);
            let rules = if is_wildcard {
                &mut index.by_wildcard
            } else {
                index.by_key.entry(rule.key.clone()).or_default()
            };
            rules.add(at, rule);
        }
        index
    }

    /// Every rule that is about one of the keys is among these.
    fn of_keys<'a>(&'a self, keys: &[&str]) -> impl Iterator<Item = &'a KeyRules> + use<'a> {
        let named: Vec<&KeyRules> = keys.iter().filter_map(|key| self.by_key.get(*key)).collect();
        named.into_iter().chain([&self.by_wildcard])
    }
}

impl KeyRules {
    fn add(&mut self, at: usize, rule: &Rule) {
        self.all.push(at);
        if rule.pattern.is_read_only_class() {
            self.anywhere.push(at);
        }
        for anchor in rule.pattern.anchors() {
            match anchor {
                Anchor::Beginning(text) => self.beginnings.add(at, text),
                Anchor::Ending(text) => self.endings.add(at, text),
                Anchor::None => self.anywhere.push(at),
            }
        }
    }

    fn find(&self, subject: &Subject, places: &mut Vec<usize>) {
        places.extend(&self.anywhere);
        let forms = std::iter::once(&subject.text)
            .chain(&subject.also)
            .chain(&subject.restrict_also);
        for form in forms {
            for length in self.beginnings.lengths.range(..=form.len()) {
                let beginning = form.get(..*length);
                places.extend(beginning.into_iter().flat_map(|text| self.beginnings.of(text)));
            }
            for length in self.endings.lengths.range(..=form.len()) {
                let ending = form.get(form.len() - length..);
                places.extend(ending.into_iter().flat_map(|text| self.endings.of(text)));
            }
        }
    }
}

impl AnchoredRules {
    fn add(&mut self, at: usize, text: &str) {
        self.lengths.insert(text.len());
        self.by_text.entry(text.to_owned()).or_default().push(at);
    }

    fn of(&self, text: &str) -> &[usize] {
        self.by_text.get(text).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::rule::{Action, Source};
    use super::*;

    fn rule(key: &str, pattern: &str) -> Rule {
        let home = std::path::Path::new("/home/u");
        Rule::new(key, pattern, Action::Deny, Source::Default, Some(home))
    }

    fn numbered(count: usize) -> Vec<Rule> {
        let rule = |number: usize| rule("bash", &format!("tool-{number} run *"));
        (0..count).map(rule).collect()
    }

    #[test]
    fn few_of_many_rules_are_tried() {
        let list = RuleList::from(numbered(40_000));
        let subject = Subject::new("tool-123 run it");
        let tried: Vec<&str> = list
            .possible(&["bash"], &subject)
            .map(|rule| rule.pattern.as_str())
            .collect();
        assert_eq!(tried, ["tool-123 run *"]);
        assert_eq!(list.possible(&["bash"], &Subject::new("ls")).count(), 0);
        assert_eq!(list.possible(&["read"], &subject).count(), 0);
    }

    #[test]
    fn copies_share_their_rules_and_grow_apart() {
        let list = RuleList::from(numbered(3));
        let mut longer = list.clone();
        longer.extend([rule("bash", "ls")]);
        assert_eq!((list.len(), longer.len()), (3, 4));
        assert!(Arc::ptr_eq(&list.segments[0], &longer.segments[0]));
        longer.remove(|known| *known == rule("bash", "ls"));
        assert_eq!(longer, numbered(3));
    }

    #[test]
    fn the_last_rule_about_a_key_and_those_behind_a_match_are_found() {
        for count in [2, 100] {
            let mut rules = numbered(count);
            rules.extend([rule("b*", "git *"), rule("read", "a"), rule("bash", "git push")]);
            let list = RuleList::from(rules);
            assert_eq!(
                list.last_about("bash", |_| true).unwrap().pattern.as_str(),
                "git push"
            );
            assert_eq!(
                list.last_about("bush", |_| true).unwrap().pattern.as_str(),
                "git *"
            );
            assert!(list.last_about("edit", |_| true).is_none());
            let is_push = |rule: &Rule| rule.pattern.as_str() == "git push";
            assert!(list.any_behind_match("bash", &Subject::new("git $x"), is_push));
            assert!(!list.any_behind_match("bash", &Subject::new("git push"), |_| true));
            assert!(!list.any_behind_match("bash", &Subject::new("git $x"), |rule| !is_push(rule)));
        }
    }

    proptest! {
        /// Every rule that matches or restricts is found, in the same order as by trying all.
        #[test]
        fn no_rule_that_counts_is_passed_over(
            rules in proptest::collection::vec(("bash|b\\*|read|\\*", "[ab*? ~/.]{0,5}|@read-only"), 0..120),
            cuts in proptest::collection::vec(0_usize..120, 0..3),
            text in "[ab /.é]{0,6}",
            also in proptest::option::of("[ab /.]{0,6}"),
            restrict_also in proptest::collection::vec("[ab /.]{0,6}", 0..3),
            read_only in any::<bool>(),
        ) {
            let all: Vec<Rule> = rules.iter().map(|(key, pattern)| rule(key, pattern)).collect();
            let subject = Subject { also: also.into_iter().collect(), restrict_also, read_only, ..Subject::new(text) };
            let mut cuts = cuts;
            cuts.sort_unstable();
            let (mut list, mut rest) = (RuleList::default(), all.as_slice());
            for cut in cuts {
                let (segment, behind) = rest.split_at(cut.min(rest.len()));
                list.extend(segment.iter().cloned());
                rest = behind;
            }
            list.extend(rest.iter().cloned());
            for keys in [&["bash"][..], &["read"], &["read", "bash"], &["protected"]] {
                let counts = |rule: &&Rule| rule.matches(&subject) || rule.restricts_a_spelling(&subject);
                let about = |rule: &&Rule| keys.iter().any(|key| rule.is_about(key));
                let found: Vec<&Rule> = list.possible(keys, &subject).filter(counts).collect();
                let expected: Vec<&Rule> = all.iter().rev().filter(about).filter(counts).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }
}
