//! Measures the cost of permission rules for commands. `cargo bench --bench rules`.
//!
//! The same rules are once a list that is indexed, and once one that is tried rule by rule, as short lists are: each of
//! its rules was added by itself. Half of the commands are about one of the rules, half about none.

// What is sound in a test is sound here.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use lathe::permission::{
    Action, Ask, Decision, Mode, PermissionKey, Permissions, Rule, RuleList, Source, Subject, decide,
};

const COMMANDS: usize = 500;

fn main() {
    for count in [40, 400, 4_000, 40_000] {
        let rules = rules(count);
        let mut one_by_one = RuleList::default();
        for rule in &rules {
            one_by_one.extend([rule.clone()]);
        }
        let (indexed, one_by_one) = (permissions(rules.into()), permissions(one_by_one));
        // Once to make the index.
        let first = milliseconds(&indexed, count, 1);
        println!(
            "{count:>6} rules, {COMMANDS} commands: {:>8.2} ms indexed ({first:.2} ms for the first), {:>8.2} ms one by one",
            milliseconds(&indexed, count, COMMANDS),
            milliseconds(&one_by_one, count, COMMANDS),
        );
    }
}

fn rules(count: usize) -> Vec<Rule> {
    let rule = |number: usize| {
        let action = if number.is_multiple_of(2) {
            Action::Allow
        } else {
            Action::Deny
        };
        let pattern = format!("tool-{number} run *");
        Rule::new("bash", &pattern, action, Source::Default, None)
    };
    (0..count).map(rule).collect()
}

fn permissions(user: RuleList) -> Permissions {
    Permissions {
        user,
        ..Permissions::default()
    }
}

fn milliseconds(permissions: &Permissions, rules: usize, commands: usize) -> f64 {
    let started = Instant::now();
    for number in 0..commands {
        let program = if number.is_multiple_of(2) { "tool" } else { "other" };
        let text = format!("{program}-{} run it", number * 79 % rules);
        let ask = Ask::new(PermissionKey::BASH, Subject::new(text));
        let decision = decide(permissions, &[ask], "bash", Mode::Ask);
        assert!(program == "tool" || matches!(decision, Decision::Ask(_)));
    }
    started.elapsed().as_secs_f64() * 1000.0
}
