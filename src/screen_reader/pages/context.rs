//! `/context`: what fills the context window, by source.

use crate::session::query::{ContextGroup, ContextItem, ContextUse};
use crate::text::size::short_count;

/// One line a source; with `each` what the sources are made of as well.
pub(in crate::screen_reader) fn lines(used: &ContextUse, each: bool) -> Vec<String> {
    let mut lines = vec![summary(used)];
    for group in &used.groups {
        let share = share(group, used).unwrap_or_default();
        let tokens = short_count(group.tokens());
        lines.push(format!("{}: {tokens} tokens{share}", group.label()));
        if each {
            lines.extend(group.items.iter().map(item));
        }
    }
    lines.push(format!(
        "estimated total: {} tokens",
        short_count(used.estimated())
    ));
    lines.extend(used.remarks());
    if !each {
        lines.push("/context all shows the parts of each.".to_owned());
    }
    lines
}

/// `48.1k of 200.0k tokens are used, 24 per cent; 151.9k are free.`
fn summary(used: &ContextUse) -> String {
    let tokens = short_count(used.used());
    match (used.limit.filter(|limit| *limit > 0), used.free()) {
        (Some(limit), Some(free)) => format!(
            "{tokens} of {} tokens are used, {} per cent; {} are free.",
            short_count(limit),
            (used.used() * 100 / limit).min(100),
            short_count(free)
        ),
        _ => format!("{tokens} tokens are used; the window size is unknown."),
    }
}

fn share(group: &ContextGroup, used: &ContextUse) -> Option<String> {
    let limit = used.limit.filter(|limit| *limit > 0)?;
    let percent = group.tokens() as f64 * 100.0 / limit as f64;
    Some(format!(", {percent:.1} per cent"))
}

fn item(item: &ContextItem) -> String {
    let times = match item.count {
        1 => String::new(),
        count => format!(", {count} times"),
    };
    format!("of that {}{times}: {}", item.name, short_count(item.tokens))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::query::ContextSource;

    #[test]
    fn every_source_is_a_line_and_its_items_when_they_are_wanted() {
        let used = ContextUse {
            groups: vec![ContextGroup {
                source: ContextSource::Results,
                items: vec![ContextItem {
                    name: "read".to_owned(),
                    count: 2,
                    tokens: 3_100,
                }],
            }],
            reported: Some(5_000),
            limit: Some(10_000),
            maskable: 0,
            compactable: 0,
            misses: Vec::new(),
        };
        assert_eq!(
            lines(&used, true)[..4],
            [
                "5.0k of 10.0k tokens are used, 50 per cent; 5.0k are free.",
                "2 tool results: 3.1k tokens, 31.0 per cent",
                "of that read, 2 times: 3.1k",
                "estimated total: 3.1k tokens",
            ]
        );
        let short = lines(&used, false);
        assert_eq!(short[2], "estimated total: 3.1k tokens");
        assert_eq!(short.last().unwrap(), "/context all shows the parts of each.");
    }

    #[test]
    fn a_window_of_unknown_size_is_said_to_be_so() {
        let told = lines(&ContextUse::default(), false);
        assert_eq!(told[0], "0 tokens are used; the window size is unknown.");
    }
}
