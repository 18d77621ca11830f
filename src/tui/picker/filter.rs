//! Filters rows by what was typed, best first; rows that fit alike stay in their order.
//!
//! A step looks at so many rows that it takes a few milliseconds, and the list can be drawn after each: 100,000 rows hold
//! up neither a key nor a frame. A query that was made longer looks only at what matched before. A row can be found for
//! other reasons than its own words; such rows come last.

use std::collections::HashMap;

use super::row::Row;
use crate::text::fuzzy::{Matcher, Query};

/// Rows that one step looks at.
const STEP: usize = 8192;

#[derive(Debug, Default)]
pub(super) struct Filter {
    text: String,
    query: Query,
    matcher: Matcher,
    /// Scores and rows that match, in the order they are shown in. Unused while everything matches.
    found: Vec<(u32, usize)>,
    /// Rows that match by what somebody else found in them, with what that is.
    inside: HashMap<usize, String>,
    /// Rows that are still to be looked at.
    left: UnmatchedRows,
}

#[derive(Debug)]
enum UnmatchedRows {
    /// From this row to the last one.
    From(usize),
    /// Those that a shorter query had found, from a place on.
    Among(Vec<usize>, usize),
}

impl Default for UnmatchedRows {
    fn default() -> Self {
        Self::From(0)
    }
}

impl Filter {
    pub(super) fn query(&self) -> &Query {
        &self.query
    }

    pub(super) fn matcher(&mut self) -> (&mut Matcher, &Query) {
        (&mut self.matcher, &self.query)
    }

    /// Looks for something else from now on; says whether it is something else.
    pub(super) fn set(&mut self, text: &str, rows: &[Row]) -> bool {
        let query = Query::new(text);
        if query == self.query {
            text.clone_into(&mut self.text);
            return false;
        }
        let narrows = text.starts_with(&self.text) && !self.query.is_empty() && self.is_done(rows);
        self.left = if narrows {
            let mut among: Vec<usize> = self.found.iter().map(|(_, row)| *row).collect();
            among.sort_unstable();
            UnmatchedRows::Among(among, 0)
        } else {
            UnmatchedRows::From(0)
        };
        self.found.clear();
        self.inside.clear();
        self.query = query;
        text.clone_into(&mut self.text);
        true
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Begins anew, perhaps over other rows: with the same text, and with these, which hold what is looked for as well.
    pub(super) fn add_inside(&mut self, inside: HashMap<usize, String>) {
        self.left = UnmatchedRows::From(0);
        self.found.clear();
        self.inside = inside;
    }

    pub(super) fn take_inside(&mut self) -> HashMap<usize, String> {
        std::mem::take(&mut self.inside)
    }

    /// Returns why a row is there whose own words do not match.
    pub(super) fn inside(&self, row: usize) -> Option<&str> {
        self.inside.get(&row).map(String::as_str)
    }

    /// Looks at some more rows.
    pub(super) fn step(&mut self, rows: &[Row]) {
        if self.is_done(rows) {
            return;
        }
        let known = self.found.len();
        match &mut self.left {
            UnmatchedRows::From(from) => {
                let end = rows.len().min(*from + STEP);
                let fresh = *from..end;
                *from = end;
                for row in fresh {
                    let score = self.matcher.score(&self.query, &rows[row].searched());
                    let score = score.or_else(|| self.inside.contains_key(&row).then_some(0));
                    self.found.extend(score.map(|score| (score, row)));
                }
            }
            UnmatchedRows::Among(among, from) => {
                let end = among.len().min(*from + STEP);
                for row in &among[*from..end] {
                    let score = self.matcher.score(&self.query, &rows[*row].searched());
                    self.found.extend(score.map(|score| (score, *row)));
                }
                *from = end;
            }
        }
        if self.found.len() > known {
            // What was in order is one run to the sort, which makes this cheap.
            self.found
                .sort_by_key(|(score, row)| (std::cmp::Reverse(*score), *row));
        }
    }

    pub(super) fn finish(&mut self, rows: &[Row]) {
        while !self.is_done(rows) {
            self.step(rows);
        }
    }

    pub(super) fn is_done(&self, rows: &[Row]) -> bool {
        match &self.left {
            _ if self.query.is_empty() => true,
            UnmatchedRows::From(from) => *from >= rows.len(),
            UnmatchedRows::Among(among, from) => *from >= among.len(),
        }
    }

    /// How many match, as far as it is known.
    pub(super) fn len(&self, rows: &[Row]) -> usize {
        if self.query.is_empty() {
            rows.len()
        } else {
            self.found.len()
        }
    }

    /// Returns the row at a place of the list.
    pub(super) fn row(&self, place: usize, rows: &[Row]) -> Option<usize> {
        if self.query.is_empty() {
            (place < rows.len()).then_some(place)
        } else {
            self.found.get(place).map(|(_, row)| *row)
        }
    }

    /// Returns where a row stands in the list.
    pub(super) fn place(&self, row: usize, rows: &[Row]) -> Option<usize> {
        if self.query.is_empty() {
            (row < rows.len()).then_some(row)
        } else {
            self.found.iter().position(|(_, found)| *found == row)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(titles: &[&str]) -> Vec<Row> {
        titles.iter().map(|title| Row::new(title)).collect()
    }

    fn listed(filter: &Filter, rows: &[Row]) -> Vec<usize> {
        (0..filter.len(rows))
            .filter_map(|place| filter.row(place, rows))
            .collect()
    }

    fn found(text: &str, rows: &[Row]) -> Vec<usize> {
        let mut filter = Filter::default();
        filter.set(text, rows);
        filter.finish(rows);
        listed(&filter, rows)
    }

    #[test]
    fn without_a_query_every_row_is_there_in_its_order() {
        let rows = rows(&["b", "a"]);
        assert_eq!(found("", &rows), [0, 1]);
        assert_eq!(found(" ", &rows), [0, 1]);
    }

    #[test]
    fn the_best_comes_first_and_equals_keep_their_order() {
        let rows = rows(&["x plane", "two plan", "xpxlxaxnx", "one plan", "nothing"]);
        assert_eq!(found("plan", &rows), [0, 1, 3, 2]);
    }

    #[test]
    fn a_row_is_found_by_what_is_said_about_it() {
        let rows = [Row::new("one").detail("reads only"), Row::new("two")];
        assert_eq!(found("only", &rows), [0]);
    }

    #[test]
    fn a_hundred_thousand_rows_are_looked_at_step_by_step() {
        let rows: Vec<Row> = (0..100_000)
            .map(|number| Row::new(&format!("src/part{}/file{number}.rs", number % 7)))
            .collect();
        let mut filter = Filter::default();
        filter.set("file99", &rows);
        let mut steps = 0;
        while !filter.is_done(&rows) {
            filter.step(&rows);
            steps += 1;
        }
        assert_eq!(steps, 100_000_usize.div_ceil(STEP));
        let all = filter.len(&rows);
        assert!(all > 1000, "{all}");
        filter.set("file9999", &rows);
        filter.step(&rows);
        assert!(filter.is_done(&rows), "only what was found is looked at again");
        assert_eq!(listed(&filter, &rows), found("file9999", &rows));
    }

    proptest! {
        #[test]
        fn however_it_was_typed_the_list_is_the_same(
            titles in proptest::collection::vec("[aAb世 ]{0,6}", 0..20),
            typed in "[aAb世 ]{0,5}",
        ) {
            let rows: Vec<Row> = titles.iter().map(|title| Row::new(title)).collect();
            let mut filter = Filter::default();
            for (end, c) in typed.char_indices() {
                filter.set(&typed[..end + c.len_utf8()], &rows);
                filter.finish(&rows);
            }
            prop_assert_eq!(listed(&filter, &rows), found(&typed, &rows));
        }
    }
}
