//! Fuzzy matching, as lists are filtered by: the letters of each word have to be there, in their order.
//!
//! A query is split into words, and every word must be found. A word with a capital minds the case, one without does not
//! (each word for itself); letters without accents find those with them. A text may have several fields, such as a title
//! and a description: a word belongs to the field where it fits best. The first field counts double, and the third,
//! which holds other names, nearly so where it begins one of them.
//!
//! The score says how well a text fits: letters that stand together and at the beginnings of words count more. It
//! compares texts for one query and means nothing by itself. Who lists matches keeps the order of texts that score alike.
//!
//! `nucleo-matcher` finds and scores one word; it never sees control of its special signs, so `^`, `!` and `$` are letters.

use std::ops::Range;

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher as Nucleo, Utf32Str};
use unicode_segmentation::UnicodeSegmentation;

/// The text that is looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    words: Vec<Atom>,
}

impl Query {
    pub fn new(text: &str) -> Self {
        let word = |word| {
            Atom::new(
                word,
                CaseMatching::Smart,
                Normalization::Smart,
                AtomKind::Fuzzy,
                false,
            )
        };
        Self {
            words: text.split_whitespace().map(word).collect(),
        }
    }

    /// Returns true if everything matches.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// Finds; it holds 135 kB of scratch memory, so one serves many texts.
#[derive(Debug)]
pub struct Matcher {
    nucleo: Nucleo,
    letters: Vec<char>,
    places: Vec<u32>,
}

impl Default for Matcher {
    fn default() -> Self {
        Self {
            nucleo: Nucleo::new(Config::DEFAULT),
            letters: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl Matcher {
    /// Returns how well the fields fit, if every word is in one of them.
    pub fn score(&mut self, query: &Query, fields: &[&str]) -> Option<u32> {
        let scores = query.words.iter().map(|word| self.best(word, fields));
        scores.map(|best| best.map(|(_, score)| score)).sum()
    }

    /// Returns for each field the byte ranges that match, in order and apart from each other. All are empty where the
    /// fields do not match.
    pub fn ranges(&mut self, query: &Query, fields: &[&str]) -> Vec<Vec<Range<usize>>> {
        let mut found = vec![Vec::new(); fields.len()];
        for word in &query.words {
            let Some((field, _)) = self.best(word, fields) else {
                return vec![Vec::new(); fields.len()];
            };
            self.places.clear();
            let letters = letters(fields[field], &mut self.letters);
            word.indices(letters, &mut self.nucleo, &mut self.places);
            found[field].append(&mut self.places);
        }
        let fields = fields.iter().zip(found);
        fields.map(|(text, places)| ranges(text, places)).collect()
    }

    /// Returns the field where the word fits best, the first of equals, and its score there.
    fn best(&mut self, word: &Atom, fields: &[&str]) -> Option<(usize, u32)> {
        let mut best: Option<(usize, u32)> = None;
        for (field, text) in fields.iter().enumerate() {
            let letters = letters(text, &mut self.letters);
            let is_whole = letters.len() == word.needle_text().len();
            let Some(score) = word.score(letters, &mut self.nucleo) else {
                continue;
            };
            // A text that is the word and nothing else comes before those that only begin with it.
            let score = u32::from(score) * 2 + u32::from(is_whole);
            let score = match field {
                0 => score * 2,
                2.. if begins_a_word(word.needle_text(), letters) => score * 7 / 4,
                _ => score,
            };
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((field, score));
            }
        }
        best
    }
}

/// Returns true if a word of the text begins with these letters; in ASCII alone.
fn begins_a_word(letters: Utf32Str<'_>, text: Utf32Str<'_>) -> bool {
    let (Utf32Str::Ascii(letters), Utf32Str::Ascii(text)) = (letters, text) else {
        return false;
    };
    let mut words = text.split(|byte| !byte.is_ascii_alphanumeric());
    let begins = |word: &[u8]| {
        let beginning = word.get(..letters.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(letters))
    };
    words.any(begins)
}

/// The text as the matcher reads it: the first character of each grapheme cluster.
///
/// Not `Utf32Str::new`, which takes a text for ASCII when only its combining characters are not, and then counts bytes.
fn letters<'a>(text: &'a str, buffer: &'a mut Vec<char>) -> Utf32Str<'a> {
    if text.is_ascii() {
        return Utf32Str::Ascii(text.as_bytes());
    }
    buffer.clear();
    let clusters = text.graphemes(true);
    buffer.extend(clusters.filter_map(|cluster| cluster.chars().next()));
    Utf32Str::Unicode(buffer)
}

/// Turns places among the letters into byte ranges of the text; neighbours become one.
fn ranges(text: &str, mut places: Vec<u32>) -> Vec<Range<usize>> {
    places.sort_unstable();
    places.dedup();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let mut push = |range: Range<usize>| match ranges.last_mut() {
        Some(last) if last.end == range.start => last.end = range.end,
        _ => ranges.push(range),
    };
    if text.is_ascii() {
        places
            .into_iter()
            .map(|place| place as usize)
            .for_each(|place| push(place..place + 1));
        return ranges;
    }
    let mut wanted = places.into_iter().peekable();
    for (place, (start, cluster)) in (0..).zip(text.grapheme_indices(true)) {
        if wanted.next_if_eq(&place).is_some() {
            push(start..start + cluster.len());
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn score(query: &str, fields: &[&str]) -> Option<u32> {
        Matcher::default().score(&Query::new(query), fields)
    }

    /// The text with what matches in brackets.
    fn marked(query: &str, text: &str) -> String {
        all_marked(query, &[text]).concat()
    }

    fn all_marked(query: &str, fields: &[&str]) -> Vec<String> {
        let ranges = Matcher::default().ranges(&Query::new(query), fields);
        let marked = |(text, ranges): (&&str, Vec<Range<usize>>)| {
            let mut marked = (*text).to_owned();
            for range in ranges.iter().rev() {
                marked.insert(range.end, ']');
                marked.insert(range.start, '[');
            }
            marked
        };
        fields.iter().zip(ranges).map(marked).collect()
    }

    #[track_caller]
    fn assert_before(query: &str, first: &str, second: &str) {
        let (first, second) = (score(query, &[first]), score(query, &[second]));
        assert!(first > second && second.is_some(), "{first:?} {second:?}");
    }

    #[test]
    fn letters_are_found_in_their_order_and_nothing_else_is() {
        assert_eq!(marked("ldk", "lathe-dark"), "[l]athe-[d]ar[k]");
        assert_eq!(marked("dark", "lathe-dark"), "lathe-[dark]");
        assert_eq!(score("kd", &["lathe-dark"]), None);
        assert_eq!(marked("kd", "lathe-dark"), "lathe-dark");
    }

    #[test]
    fn without_a_query_everything_matches_and_nothing_is_marked() {
        assert!(Query::new(" \t ").is_empty());
        assert_eq!(score("", &["anything"]), Some(0));
        assert_eq!(marked("", "anything"), "anything");
    }

    #[test]
    fn a_capital_makes_its_word_mind_the_case() {
        assert!(score("readme", &["README.md"]).is_some());
        assert!(score("README", &["README.md"]).is_some());
        assert_eq!(score("README", &["readme.md"]), None);
        assert!(score("read MD", &["README.MD"]).is_some());
    }

    #[test]
    fn every_word_must_be_there_in_any_order() {
        assert_eq!(marked("dark lathe", "lathe-dark"), "[lathe]-[dark]");
        assert_eq!(score("dark ember", &["lathe-dark"]), None);
    }

    #[test]
    fn wide_and_combined_letters_are_marked_whole() {
        assert_eq!(marked("世人", "世界の人々"), "[世]界の[人]々");
        assert_eq!(marked("cafe", "le cafe\u{301} noir"), "le [cafe\u{301}] noir");
        assert_eq!(marked("cafe", "le café noir"), "le [café] noir");
        assert_eq!(marked("n", "e\u{301}e\u{301}n"), "e\u{301}e\u{301}[n]");
        assert_eq!(marked("é", "cafe"), "cafe");
    }

    #[test]
    fn signs_that_mean_something_elsewhere_are_letters() {
        assert_eq!(marked("^a!", "x^a!b"), "x[^a!]b");
        assert_eq!(score("!a", &["b"]), None);
        assert_eq!(marked(r"a\b", r"a\b"), r"[a\b]");
    }

    #[test]
    fn what_stands_together_and_at_the_beginning_of_words_comes_first() {
        assert_before("set", "settings", "s-e-t");
        assert_before("pp", "permission plan", "happen");
        assert_before("plan", "plan", "planner");
    }

    #[test]
    fn a_word_belongs_to_the_field_where_it_fits_best_and_the_first_counts_more() {
        let fields = ["plan", "reads and plans"];
        assert_eq!(all_marked("reads plan", &fields), ["[plan]", "[reads] and plans"]);
        assert!(score("plan", &["plan", "x"]) > score("plan", &["x", "plan"]));
        assert_eq!(score("build", &fields), None);
    }

    proptest! {
        #[test]
        fn a_text_finds_itself_and_all_its_subsequences(
            text in "[a-zA-Z世界éß /._-]{1,30}",
            keep in proptest::collection::vec(any::<bool>(), 30),
        ) {
            let kept: String = text.chars().zip(&keep).filter(|(_, keep)| **keep).map(|(c, _)| c).collect();
            prop_assert!(score(&text, &[&text]).is_some());
            let word: String = kept.split_whitespace().collect();
            let without_blanks: String = text.split_whitespace().collect();
            prop_assert!(score(&word, &[&without_blanks]).is_some(), "{:?} in {:?}", word, text);
        }

        #[test]
        fn ranges_lie_on_clusters_in_order_and_are_there_exactly_with_a_score(
            query in "(\\PC){0,6}",
            text in "(\\PC|[e\u{301}👩\u{200D}💻世]){0,30}",
        ) {
            let fields = [text.as_str()];
            let query = Query::new(&query);
            let mut matcher = Matcher::default();
            let ranges = matcher.ranges(&query, &fields).remove(0);
            let is_found = matcher.score(&query, &fields).is_some();
            prop_assert_eq!(!ranges.is_empty(), is_found && !query.is_empty());
            let mut end = None;
            let starts: Vec<usize> = text.grapheme_indices(true).map(|(start, _)| start).chain([text.len()]).collect();
            for range in ranges {
                prop_assert!(range.start < range.end && end.is_none_or(|end| range.start > end));
                prop_assert!(starts.contains(&range.start) && starts.contains(&range.end));
                end = Some(range.end);
            }
        }

        #[test]
        fn a_longer_query_finds_no_more(
            query in "(\\PC|[aA e\u{301}]){0,6}",
            more in "(\\PC|[aA e\u{301}]){0,3}",
            text in "(\\PC|[aA e\u{301}]){0,20}",
        ) {
            if score(&format!("{query}{more}"), &[&text]).is_some() {
                prop_assert!(score(&query, &[&text]).is_some());
            }
        }
    }
}
