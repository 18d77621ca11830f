//! Models that the session can ask.

use ratatui::layout::Size;
use ratatui::text::Line;

use super::{AGENTS, List, OpeningKey};
use crate::conversation::Price;
use crate::session::ModelChoice;
use crate::tui::commands::LayerCommand;
use crate::tui::keymap::{Action, Context, KeyRow};
use crate::tui::layer::LayerRequest;
use crate::tui::picker::{ListContent, Preview, Row};
use crate::view::Look;
use crate::view::theme::Meaning;

pub(crate) static LIST: List = List {
    action: "open-models",
    keys: &[OpeningKey {
        context: Context::Leader,
        row: KeyRow::new(&["m"], Action::OpenList(&LIST), "choose the model").brief("models"),
        after: Some(Action::OpenList(&AGENTS)),
    }],
    command: Some(LayerCommand {
        name: "model",
        also: &["models"],
        about: "Picks the model to use from the next step on. Text after the name filters the list.",
        after: "",
    }),
    verb: "use it",
    is_offered: |app| app.views.front.models.len() > 1 || app.views.front.lacks_model,
    content: |app| {
        let current = app.views.front.wanted_model.as_ref().map(ToString::to_string);
        Box::new(ModelRows {
            models: app.views.front.models.clone(),
            current: current.unwrap_or_else(|| app.views.front.facts.model.clone()),
            lacks_model: app.views.front.lacks_model,
        })
    },
};

struct ModelRows {
    models: Vec<ModelChoice>,
    /// The one that the next step asks, as `provider/model`.
    current: String,
    /// The session is open, and its model cannot be asked.
    lacks_model: bool,
}

impl ListContent for ModelRows {
    fn title(&self) -> &'static str {
        "Models"
    }

    fn rows(&self) -> Vec<Row> {
        let row = |choice: &ModelChoice| {
            let name = choice.model.to_string();
            let row = Row::new(&name)
                .detail(&abilities(choice))
                .fact(&figures(choice))
                .current_if(name == self.current);
            match &choice.missing_key {
                Some(_) => row.detail("no key"),
                None => row,
            }
        };
        self.models.iter().map(row).collect()
    }

    fn nothing(&self) -> &'static str {
        if self.lacks_model {
            "No provider is configured; `lathe doctor` says what lathe reads."
        } else {
            "No session is open."
        }
    }

    fn pick(&mut self, row: usize) -> Option<LayerRequest> {
        let choice = self.models.get(row)?;
        Some(LayerRequest::GoOnWith(choice.model.clone()))
    }

    fn preview(&self, row: usize, size: Size, look: Look<'_>) -> Vec<Line<'static>> {
        let Some(choice) = self.models.get(row) else {
            return Vec::new();
        };
        let provider = &choice.model.provider;
        let key = choice.missing_key.as_ref().map(|variable| {
            format!("No key: set `{variable}`, or `providers.{provider}.api_key` in the configuration.")
        });
        let dot = look.symbols.dot();
        Preview::new(size.width, look)
            .heading(&choice.model.model)
            .words(&key.unwrap_or_default(), Meaning::Warning)
            .gap()
            .fact("context", &format!("{} tokens", tokens(choice.context)))
            .fact("reply", &format!("up to {} tokens", tokens(choice.output)))
            .fact("price", &price(choice.price))
            .fact("takes", &takes(choice))
            .fact("reasoning", if choice.reasoning { "yes" } else { "no" })
            .fact("provider", &format!("{provider} {dot} {}", choice.protocol))
            .fact("address", &choice.address)
            .lines()
    }
}

fn abilities(choice: &ModelChoice) -> String {
    let all = [(choice.reasoning, "reasoning"), (choice.images, "images")];
    let has = all.iter().filter(|(has, _)| *has).map(|(_, name)| *name);
    has.collect::<Vec<_>>().join(", ")
}

fn takes(choice: &ModelChoice) -> String {
    let all = [(true, "text"), (choice.images, "images"), (choice.pdf, "PDFs")];
    let has = all.iter().filter(|(has, _)| *has).map(|(_, name)| *name);
    has.collect::<Vec<_>>().join(", ")
}

/// The prices of a million tokens in and out where they are known, and the context window.
fn figures(choice: &ModelChoice) -> String {
    let context = tokens(choice.context);
    match choice.price {
        Some(price) => format!("${}/${}  {context:>5}", price.input, price.output),
        None => format!("{context:>5}"),
    }
}

fn tokens(count: u64) -> String {
    match count {
        0..1_000_000 => format!("{}k", count / 1000),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

/// Of a million tokens. What costs nothing of its own is left out.
fn price(price: Option<Price>) -> String {
    let Some(price) = price else {
        return "not known".to_owned();
    };
    if price == Price::default() {
        return "free".to_owned();
    }
    let cached = [(price.cache_read, "cached"), (price.cache_write, "to cache")];
    let cached = cached.into_iter().filter(|(price, _)| *price > 0.0);
    let all = [(price.input, "in"), (price.output, "out")]
        .into_iter()
        .chain(cached);
    let words: Vec<String> = all.map(|(price, what)| format!("${price} {what}")).collect();
    format!("{} (a million tokens)", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_the_window_and_the_price_where_it_is_known() {
        let mut choice = ModelChoice {
            model: "a/b".parse().unwrap(),
            protocol: "openai-chat".into(),
            address: "http://127.0.0.1:8080/v1".to_owned(),
            missing_key: None,
            context: 1_048_576,
            output: 32_000,
            images: true,
            pdf: true,
            reasoning: true,
            price: None,
        };
        assert_eq!(figures(&choice).trim(), "1.0M");
        assert_eq!(price(choice.price), "not known");
        choice.context = 200_000;
        choice.price = Some(Price {
            input: 3.0,
            output: 15.5,
            cache_read: 0.3,
            ..Price::default()
        });
        assert_eq!(figures(&choice), "$3/$15.5   200k");
        assert_eq!(abilities(&choice), "reasoning, images");
        assert_eq!(
            price(choice.price),
            "$3 in, $15.5 out, $0.3 cached (a million tokens)"
        );
    }
}
