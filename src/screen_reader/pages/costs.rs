//! `/cost`: what was spent.

use crate::session::query::{Costs, SpendingSum, spender};
use crate::text::size::short_count;

pub(in crate::screen_reader) fn lines(costs: &Costs) -> Vec<String> {
    let sums = costs.sums();
    let mut lines: Vec<String> = sums.iter().map(|(of, sum)| line(of.description(), sum)).collect();
    if costs.session.is_empty() {
        lines.push("No requests yet in this session.".to_owned());
    } else {
        lines.push("This session, by model and agent:".to_owned());
    }
    for spending in &costs.session {
        let sum = SpendingSum::of(std::slice::from_ref(spending));
        lines.push(line(&spender(spending).join(", "), &sum));
    }
    lines.extend(costs.remarks());
    lines
}

/// `this session: 12.3k tokens in, 1.2k out, 10.0k from the cache, $0.0123`
fn line(name: &str, sum: &SpendingSum) -> String {
    if sum.is_empty() {
        return format!("{name}: nothing");
    }
    let usage = sum.usage;
    let mut facts = vec![
        format!("{} tokens in", short_count(usage.input)),
        format!("{} out", short_count(usage.output)),
    ];
    if usage.cache_read > 0 {
        facts.push(format!("{} from the cache", short_count(usage.cache_read)));
    }
    if usage.cache_write > 0 {
        facts.push(format!("{} to the cache", short_count(usage.cache_write)));
    }
    facts.push(sum.dollars());
    format!("{name}: {}", facts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Usage;
    use crate::session::query::Spending;

    #[test]
    fn sums_are_told_in_one_line_each() {
        let spent = Spending {
            model: "local/x".to_owned(),
            agent: "build".to_owned(),
            requests: 2,
            usage: Usage {
                input: 12_300,
                output: 40,
                cache_read: 1_000,
                ..Usage::default()
            },
            cost: 0.5,
            unpriced: 0,
        };
        let costs = Costs {
            session: vec![spent.clone()],
            today: vec![spent],
            ..Costs::default()
        };
        let figures = "12.3k tokens in, 40 out, 1.0k from the cache, $0.5000";
        assert_eq!(
            lines(&costs),
            [
                format!("this session: {figures}"),
                "project today: nothing".to_owned(),
                format!("total today: {figures}"),
                "This session, by model and agent:".to_owned(),
                format!("local/x, build, 2 requests: {figures}"),
            ]
        );
    }
}
