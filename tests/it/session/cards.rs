//! Cards of calls, as the session draws them for a front end that does not know their tools.

use lathe::conversation::{CallId, CallState, ToolPart};
use lathe::permission::Mode;
use lathe::session::query::{Answer, Query};
use lathe::session::wire::SessionChoice;
use lathe::tool::{BuiltinCards, DrawnArgs, RenderCx, ResultSource};
use lathe::view::card::{Card, CardPart};
use serde_json::json;

use super::{Live, over_both};
use crate::support::{Project, Protocol, Server, Turn};

over_both! {
    a_call_is_drawn_by_the_session_as_by_the_tool_itself,
    a_call_of_a_tool_that_a_front_end_does_not_know_is_drawn_by_the_session,
}

impl Live {
    async fn card(&self, call: &CallId, expanded: bool) -> Option<Card> {
        let call = call.clone();
        match self.handle.ask(Query::Card { call, expanded }).await {
            Ok(Answer::Card(card)) => card.map(|card| *card),
            answer => panic!("{answer:?}"),
        }
    }

    async fn calls(&self) -> Vec<ToolPart> {
        let messages = self.snapshot().await.messages;
        let calls = messages.iter().flat_map(|message| message.calls());
        calls.cloned().collect()
    }
}

async fn a_call_is_drawn_by_the_session_as_by_the_tool_itself() {
    let turns = [
        Turn::tool("read", json!({"file_path": "a.txt"})),
        Turn::text("Done."),
    ];
    let server = Server::with(turns);
    let project = Project::new()
        .model(&server, Protocol::OpenAiChat)
        .file("a.txt", "one\ntwo\n");
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("go");
    live.until_turn_ended().await;
    let [call] = &*live.calls().await else {
        panic!("one call was made")
    };
    assert_eq!(call.state, CallState::Done);
    let cards = BuiltinCards::new();
    let args = call.args.as_ref().unwrap().value();
    for expanded in [false, true] {
        let result = call.result();
        let result = result.as_deref().map(ResultSource::Ended);
        let own = cards.card(
            &call.tool,
            DrawnArgs::whole(&args),
            result,
            RenderCx::new(expanded),
        );
        assert_eq!(live.card(&call.call, expanded).await, Some(own));
    }
    assert_eq!(live.card(&CallId::new(), false).await, None);
    live.close().await;
}

async fn a_call_of_a_tool_that_a_front_end_does_not_know_is_drawn_by_the_session() {
    let turns = [
        Turn::tool("weather", json!({"city": "Oslo"})),
        Turn::text("Done."),
    ];
    let server = Server::with(turns);
    let project = Project::new().model(&server, Protocol::OpenAiChat);
    let mut live = Live::open(&project, SessionChoice::New, Mode::Ask).await;
    live.submit("go");
    live.until_turn_ended().await;
    let [call] = &*live.calls().await else {
        panic!("one call was made")
    };
    assert!(!BuiltinCards::new().draws(&call.tool, &json!({"city": "Oslo"})));
    let card = live
        .card(&call.call, true)
        .await
        .expect("the session has the call");
    assert_eq!(card.title, "weather");
    let [CardPart::Text(text)] = &*card.body else {
        panic!("{card:?}")
    };
    assert!(text.contains("weather"), "{text}");
    live.close().await;
}
