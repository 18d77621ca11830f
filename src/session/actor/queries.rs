//! Questions of a front end: what an answer is made of is gathered here, and the work is done elsewhere.

use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::Actor;
use crate::conversation::CallId;
use crate::session::query::{
    Answer, ChangesQuery, ContextFacts, CostQuery, ExportJob, MissCause, Query, StatusGroup, bare_url,
    history, next_screen, process_group, put_back,
};
use crate::session::undo::UndoDirection;
use crate::session::{SessionInfo, is_plan};
use crate::store::{SessionRow, StoreError};
use crate::tool::{DrawnArgs, RenderCx, ResultSource};
use crate::view::card::Card;

/// Agent and mode; `plan` is both and is named once.
fn working_as(info: &SessionInfo) -> Vec<(&'static str, String)> {
    if is_plan(&info.agent, info.mode) {
        return vec![("agent, mode", info.agent.clone())];
    }
    vec![
        ("agent", info.agent.clone()),
        ("mode", info.mode.name().to_owned()),
    ]
}

impl Actor {
    pub(super) fn answer(&self, query: Query, sender: oneshot::Sender<Answer>) {
        let services = || Arc::clone(&self.parts.calls.services);
        match query {
            Query::Context => {
                let facts = self.context_facts();
                answer_aside(sender, move || Answer::Context(facts.weigh()));
            }
            Query::Costs => {
                let ledger = self.ledger();
                answer_aside(sender, move || ledger.read());
            }
            Query::Status => {
                let mut groups = self.status();
                answer_aside(sender, move || {
                    groups.push(process_group());
                    Answer::Status(groups)
                });
            }
            Query::Changes(scope) => {
                let changing = ChangesQuery {
                    scope,
                    messages: self.parts.messages.clone(),
                    turn: self.turn_began,
                    services: services(),
                };
                tokio::spawn(async move { drop(sender.send(changing.find().await)) });
            }
            Query::Revert(revert) => {
                let services = services();
                tokio::spawn(async move { drop(sender.send(put_back(revert, services).await)) });
            }
            Query::Fit { question, args } => {
                let services = services();
                answer_aside(sender, move || {
                    let fit = services.gate.fit(question, args);
                    fit.map_or_else(Answer::Unfit, Answer::Fits)
                });
            }
            // At once, so that the answers come in the order of what they tell.
            Query::Card { call, expanded } => {
                let card = self.card(&call, RenderCx::new(expanded));
                drop(sender.send(Answer::Card(card.map(Box::new))));
            }
            Query::Terminal { name, seen } => {
                let services = services();
                tokio::spawn(async move {
                    let mut sender = sender;
                    // Nobody may wait for it any more, and the screen may stay as it is for ever.
                    let screen = tokio::select! {
                        screen = next_screen(&services.tree.terminals, &name, seen) => screen,
                        () = sender.closed() => return,
                    };
                    drop(sender.send(Answer::Terminal(screen)));
                });
            }
            Query::TerminalHistory(name) => {
                let services = services();
                answer_aside(sender, move || {
                    Answer::TerminalHistory(history(&services.tree.terminals, &name))
                });
            }
            Query::AtWork => {
                let is_at_work = self.is_busy() || self.parts.tasks.is_at_work();
                let seq = self.outbox.seq();
                drop(sender.send(Answer::AtWork { is_at_work, seq }));
            }
            Query::UndoList(to) => self.list_undo(UndoDirection::Undo, to, sender),
            Query::RedoList => self.list_undo(UndoDirection::Redo, None, sender),
            // They change the session, so the loop waits for them.
            Query::Undo(_) | Query::Redo { .. } => {}
            Query::Export(format) => self.keep(sender, move |keeping| Answer::Export(keeping.text(format))),
            Query::Keep(keep) => {
                let (path, services) = (self.place(&keep.path), services());
                self.keep(sender, move |keeping| {
                    let (records, project) = (&services.tree.records_dir, services.roots.project_root());
                    keeping.write(&keep, &path, records, project)
                });
            }
        }
    }

    /// A tool was called; where it joins the others for that, what was cached is read anew.
    pub(super) fn note_called(&mut self, tool: &str) {
        let parts = &self.parts;
        if self
            .advertised
            .note(tool, &parts.calls, || parts.sharing_prefix())
        {
            self.tell_miss(MissCause::Joined(tool.to_owned()));
        }
    }

    /// Has `look_at` join the others where the conversation has an image and the model takes none.
    pub(super) fn note_images(&mut self) {
        let parts = &self.parts;
        if self
            .advertised
            .note_images(&parts.messages, &parts.calls, || parts.sharing_prefix())
        {
            self.tell_miss(MissCause::Joined("look_at".to_owned()));
        }
    }

    /// Draws a call of the conversation, or one inside another.
    fn card(&self, call: &CallId, cx: RenderCx) -> Option<Card> {
        let outer = call.outer();
        let top = outer.as_ref().unwrap_or(call);
        let calls = self
            .parts
            .messages
            .iter()
            .rev()
            .flat_map(|message| message.calls());
        let part = calls.into_iter().find(|part| part.call == *top)?;
        let part = match outer {
            None => part,
            Some(_) => part.inner.iter().find(|inner| inner.call == *call)?,
        };
        let revised = self.revised.args_of(call);
        let args = revised.or_else(|| Some(part.args.as_ref()?.value().into_owned()))?;
        let args = DrawnArgs::whole(&args);
        let registry = &self.parts.calls.registry;
        Some(match part.result() {
            Some(result) => registry.render_result(&part.tool, args, ResultSource::Ended(&result), cx),
            None => registry.render_call(&part.tool, args, cx),
        })
    }

    fn context_facts(&self) -> ContextFacts {
        let info = &self.parts.info;
        ContextFacts {
            system: self.parts.system.clone(),
            agent: info.agent.clone(),
            model: info.model.clone(),
            tools: self.advertised.tools(),
            messages: self.parts.messages.clone(),
            reported: Some(info.context_used).filter(|used| *used > 0 && self.context.is_reported()),
            limit: info.context_limit,
            misses: self.misses.clone(),
            outputs: self.parts.calls.services.tree.outputs.dir().to_owned(),
            keep_turns: self.parts.compaction.keep_turns,
        }
    }

    fn ledger(&self) -> CostQuery {
        let services = &self.parts.calls.services;
        CostQuery {
            store: services.tree.store.clone(),
            session: self.parts.info.id.clone(),
            project: services.roots.project_root().to_owned(),
            turn: self.turn_began,
        }
    }

    fn status(&self) -> Vec<StatusGroup> {
        let info = &self.parts.info;
        let services = &self.parts.calls.services;
        let waiting = match self.waiting.len() {
            0 => "nothing waits to be sent".to_owned(),
            count => format!("{count} waiting to be sent"),
        };
        let asks = services.tree.questions.waiting().len();
        let state = if self.is_busy() { "a turn runs" } else { "idle" };
        let mode = services.settings.sandbox.mode.name();
        let network = if services.settings.sandbox.network {
            "with the network"
        } else {
            "without the network"
        };
        let sandbox = match mode {
            "off" => mode.to_owned(),
            mode => format!("{mode}, {network}"),
        };
        let address = if info.demo {
            "none: the answers are scripted".to_owned()
        } else {
            bare_url(&self.parts.profiles.base_url(&info.model))
        };
        let mut groups = vec![
            StatusGroup::new(
                "Session",
                vec![
                    ("id", info.id.to_string()),
                    ("directory", info.directory.display().to_string()),
                    ("project", services.roots.project_root().display().to_string()),
                ]
                .into_iter()
                .chain(working_as(info))
                .chain([
                    ("sandbox", sandbox),
                    ("state", format!("{state}, {waiting}, {asks} open questions")),
                ])
                .collect(),
            ),
            StatusGroup::new(
                "Model",
                vec![
                    ("model", info.model.to_string()),
                    ("address", address),
                    (
                        "window",
                        info.context_limit
                            .map_or_else(|| "not known".to_owned(), |limit| format!("{limit} tokens")),
                    ),
                ],
            ),
        ];
        let files = info.surroundings.instructions.iter();
        let files: Vec<_> = files
            .map(|file| (file.path.clone().into(), format!("about {} tokens", file.tokens)))
            .collect();
        if !files.is_empty() {
            groups.push(StatusGroup {
                title: "Instructions".into(),
                rows: files,
            });
        }
        groups.extend(self.parts.about.iter().cloned());
        groups
    }

    /// Gathers the session and has its text made.
    fn keep(
        &self,
        sender: oneshot::Sender<Answer>,
        work: impl FnOnce(&ExportJob) -> Answer + Send + 'static,
    ) {
        let store = self.parts.calls.services.tree.store.clone();
        let id = self.parts.info.id.clone();
        let messages = self.parts.messages.clone();
        answer_aside(sender, move || {
            let row: Result<Option<SessionRow>, StoreError> = store.get(&id);
            match row {
                Ok(Some(session)) => work(&ExportJob { session, messages }),
                Ok(None) => Answer::Failed("There is nothing to export yet.".to_owned()),
                Err(error) => Answer::Failed(format!("The session could not be read: {error}.")),
            }
        });
    }

    /// Returns the absolute path of a path that a person typed.
    fn place(&self, path: &str) -> PathBuf {
        let roots = &self.parts.calls.services.roots;
        roots
            .resolve(path)
            .map_or_else(|_| roots.session_dir().join(path), |resolved| resolved.real)
    }
}

/// Does the work on a thread where it may take its time. Who asked may be gone by then.
pub(super) fn answer_aside(sender: oneshot::Sender<Answer>, work: impl FnOnce() -> Answer + Send + 'static) {
    tokio::task::spawn_blocking(move || drop(sender.send(work())));
}
