//! Adjacent calls that share a row: `Read 4 files`.
//!
//! A call joins the row of those before it when it begins, not when it ends, so that rows never close up later. One that
//! fails, asks or is stopped gets a row of its own, which only ever adds rows.

use super::block::{Block, Body};
use super::call::{CallBlock, Group};
use super::cards::CardSource;
use crate::tool::RenderCx;
use crate::view::Symbols;
use crate::view::card::{Card, CardStatus};

/// The tool whose calls do so.
const SHARING: &str = "read";
/// Calls that are named in the row; more do not fit.
const NAMED: usize = 12;

/// Returns true if a call may stand in a row with others.
pub(super) fn may_share(call: &CallBlock) -> bool {
    call.tool == SHARING && call.is_plain()
}

/// Notes that a block has to be drawn anew, and with it the row it stands in.
pub(super) fn touch(list: &mut [Block], index: usize) {
    list[index].changed();
    if let Body::Call(call) = &list[index].body
        && let Group::Follows(leader) = call.group
    {
        list[leader].changed();
    }
}

/// Puts a call into the row of the calls right before it.
pub(super) fn join(list: &mut [Block], index: usize) {
    let Some(before) = index.checked_sub(1) else {
        return;
    };
    let Body::Call(call) = &list[before].body else {
        return;
    };
    let leader = match call.group {
        Group::Follows(leader) => leader,
        Group::Alone | Group::Leads(_) if may_share(call) => before,
        _ => return,
    };
    if list[leader].unfolded == Some(true) {
        return;
    }
    if let Body::Call(call) = &mut list[leader].body {
        match &mut call.group {
            Group::Leads(members) => members.push(index),
            group => *group = Group::Leads(vec![index]),
        }
    }
    if let Body::Call(call) = &mut list[index].body {
        call.group = Group::Follows(leader);
    }
    list[leader].changed();
}

/// Gives a call a row of its own.
pub(super) fn leave(list: &mut [Block], index: usize) {
    let Body::Call(call) = &mut list[index].body else {
        return;
    };
    match std::mem::replace(&mut call.group, Group::Apart) {
        Group::Alone | Group::Apart => {}
        Group::Follows(leader) => {
            if let Body::Call(call) = &mut list[leader].body
                && let Group::Leads(members) = &mut call.group
            {
                members.retain(|member| *member != index);
                if members.is_empty() {
                    call.group = Group::Alone;
                }
            }
            list[leader].changed();
        }
        Group::Leads(members) => hand_over(list, &members),
    }
    list[index].changed();
}

/// Makes the first of these calls lead the others.
fn hand_over(list: &mut [Block], members: &[usize]) {
    let Some((&leader, rest)) = members.split_first() else {
        return;
    };
    for member in members {
        if let Body::Call(call) = &mut list[*member].body {
            let leads = if rest.is_empty() {
                Group::Alone
            } else {
                Group::Leads(rest.to_vec())
            };
            call.group = if *member == leader {
                leads
            } else {
                Group::Follows(leader)
            };
        }
    }
    list[leader].changed();
}

/// Returns the calls that share the row of `leader`, in order.
pub(super) fn calls<'a>(list: &'a [Block], leader: &'a CallBlock) -> impl Iterator<Item = &'a CallBlock> {
    let members = leader.group.members().iter();
    std::iter::once(leader).chain(members.filter_map(|member| list[*member].call()))
}

/// Returns the cards of calls that share a row. Folded, only the first ones are asked, so that a long run stays cheap.
pub(super) fn cards<'a>(
    calls: impl Iterator<Item = &'a CallBlock>,
    is_unfolded: bool,
    cards: &dyn CardSource,
) -> Vec<Card> {
    let wanted = if is_unfolded { usize::MAX } else { NAMED };
    let cx = RenderCx::new(is_unfolded);
    calls.take(wanted).map(|call| call.card(cards, cx)).collect()
}

/// Returns what the shared row says: how many there are, and the names of the first.
pub(super) fn title(cards: &[Card], count: usize, symbols: Symbols) -> Card {
    let names: Vec<&str> = cards.iter().map(|card| card.argument.as_str()).collect();
    let more = if count > cards.len() {
        symbols.ellipsis()
    } else {
        ""
    };
    let dot = symbols.dot();
    let argument = format!("{count} files {dot} {}{more}", names.join(", "));
    let title = cards.first().map(|card| card.title.clone());
    Card::new(title.unwrap_or_default(), argument)
}

/// Returns how calls stand together: what runs first, then what waits.
pub(super) fn status<'a>(calls: impl Iterator<Item = &'a CallBlock>) -> CardStatus {
    let mut all = CardStatus::Done;
    for call in calls {
        match call.status(false) {
            CardStatus::Running => return CardStatus::Running,
            CardStatus::Waiting => all = CardStatus::Waiting,
            _ => {}
        }
    }
    all
}
