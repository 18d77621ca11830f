//! Requests to models and their costs, one row a request: the sums of [`super::SessionRow`] taken apart by model, agent
//! and time.
//!
//! A row outlives its session: what was spent stays spent. Requests that were made before there was this table are in the
//! sums of their sessions alone.

use std::path::Path;

use rusqlite::{Connection, Row, params};

use serde::{Deserialize, Serialize};

use super::statement::{execute, rows};
use super::{Store, StoreError, column, now, path_text};
use crate::conversation::{ModelRef, SessionId, Usage};

/// One model request.
#[derive(Debug, Clone, PartialEq)]
pub struct PaidRequest {
    pub model: ModelRef,
    pub agent: String,
    pub usage: Usage,
    /// US dollars; `None` when the price is not known.
    pub cost: Option<f64>,
}

/// Scope of the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spender<'a> {
    /// Of a session and all below it.
    Session(&'a SessionId),
    /// Of all sessions of a project.
    Project(&'a Path),
    Everybody,
}

/// Requests of one agent to one model, summed up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spending {
    pub model: String,
    pub agent: String,
    pub requests: u64,
    pub usage: Usage,
    /// US dollars of those whose price is known.
    pub cost: f64,
    /// Requests whose price is not.
    pub unpriced: u64,
}

impl Store {
    /// Returns what was spent since a moment, in milliseconds since the Unix epoch: by model and agent, those that were
    /// asked most first.
    pub fn spending(&self, spender: Spender<'_>, since: i64) -> Result<Vec<Spending>, StoreError> {
        let (whose, value) = match spender {
            Spender::Session(session) => (
                "session IN (WITH RECURSIVE tree (id) AS (
                     SELECT ?2 UNION SELECT sessions.id FROM sessions JOIN tree ON sessions.parent = tree.id
                 ) SELECT id FROM tree)",
                session.to_string(),
            ),
            Spender::Project(project) => ("project = ?2", path_text(project)),
            Spender::Everybody => ("?2 = ''", String::new()),
        };
        let sql = format!(
            "SELECT model, agent, count(*), sum(input), sum(output), sum(reasoning), sum(cache_read),
                 sum(cache_write), total(cost), sum(cost IS NULL)
             FROM requests WHERE time >= ?1 AND {whose} GROUP BY model, agent ORDER BY count(*) DESC, model, agent"
        );
        rows(&self.connection(), &sql, params![since, value], spending)
    }
}

pub(super) fn add(
    connection: &Connection,
    session: &SessionId,
    request: &PaidRequest,
) -> Result<(), StoreError> {
    let usage = &request.usage;
    execute(
        connection,
        "INSERT INTO requests
             (session, project, time, model, agent, input, output, reasoning, cache_read, cache_write, cost)
         SELECT id, project, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM sessions WHERE id = ?1",
        params![
            session.as_str(),
            now(),
            request.model.to_string(),
            request.agent,
            usage.input as i64,
            usage.output as i64,
            usage.reasoning as i64,
            usage.cache_read as i64,
            usage.cache_write as i64,
            request.cost,
        ],
    )?;
    Ok(())
}

fn spending(row: &Row<'_>) -> Result<Spending, rusqlite::Error> {
    Ok(Spending {
        model: row.get(0)?,
        agent: row.get(1)?,
        requests: column::count(row, 2)?,
        usage: column::usage(row, 3)?,
        cost: row.get(8)?,
        unpriced: column::count(row, 9)?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{new_session, store_with};
    use super::super::{MessageChange, NewSession};
    use super::*;

    fn request(model: &str, agent: &str, cost: Option<f64>) -> MessageChange {
        MessageChange::Request(PaidRequest {
            model: model.parse().unwrap(),
            agent: agent.to_owned(),
            usage: Usage {
                input: 100,
                output: 10,
                ..Usage::default()
            },
            cost,
        })
    }

    #[test]
    fn requests_are_summed_up_by_model_and_agent() {
        let (store, root) = store_with("/p");
        let child = NewSession {
            parent: Some(root.clone()),
            ..new_session("/p")
        };
        store.create(&child).unwrap();
        let paid = [
            request("a/big", "build", Some(0.5)),
            request("a/big", "build", Some(0.25)),
            request("b/free", "plan", None),
        ];
        store.write(&root, &paid).unwrap();
        store
            .write(&child.id, &[request("a/big", "explore", Some(1.0))])
            .unwrap();
        let spent = store.spending(Spender::Session(&root), 0).unwrap();
        let rows: Vec<_> = spent
            .iter()
            .map(|row| {
                (
                    row.model.as_str(),
                    row.agent.as_str(),
                    row.requests,
                    row.cost,
                    row.unpriced,
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("a/big", "build", 2, 0.75, 0),
                ("a/big", "explore", 1, 1.0, 0),
                ("b/free", "plan", 1, 0.0, 1),
            ]
        );
        assert_eq!(spent[0].usage.input, 200);
        assert_eq!(store.get(&root).unwrap().unwrap().cost, Some(0.75));
        assert_eq!(store.spending(Spender::Session(&child.id), 0).unwrap().len(), 1);
    }

    #[test]
    fn what_was_spent_in_a_project_outlives_its_sessions() {
        let (store, session) = store_with("/p");
        let other = new_session("/q");
        store.create(&other).unwrap();
        for id in [&session, &other.id] {
            store.write(id, &[request("a/big", "build", Some(0.5))]).unwrap();
        }
        store.delete(&session).unwrap();
        let count = |spender, since| -> u64 {
            let spent = store.spending(spender, since).unwrap();
            spent.iter().map(|row| row.requests).sum()
        };
        assert_eq!(count(Spender::Project(Path::new("/p")), 0), 1);
        assert_eq!(count(Spender::Everybody, 0), 2);
        assert_eq!(count(Spender::Everybody, now() + 60_000), 0);
    }
}
