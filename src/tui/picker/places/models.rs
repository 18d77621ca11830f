//! Models that the session can ask.

use super::{Place, Row, Wish};
use crate::session::ModelChoice;

pub(crate) struct ModelRows {
    models: Vec<ModelChoice>,
    /// The one that the next step asks, as `provider/model`.
    current: String,
}

impl ModelRows {
    pub(crate) fn new(models: Vec<ModelChoice>, current: String) -> Self {
        Self { models, current }
    }
}

impl Place for ModelRows {
    fn title(&self) -> &'static str {
        "Models"
    }

    fn verb(&self) -> &'static str {
        "ask it"
    }

    fn rows(&self) -> Vec<Row> {
        let row = |choice: &ModelChoice| {
            let name = choice.model.to_string();
            Row::new(&name)
                .detail(&abilities(choice))
                .fact(&figures(choice))
                .current_if(name == self.current)
        };
        self.models.iter().map(row).collect()
    }

    fn nothing(&self) -> &'static str {
        "No session is open."
    }

    fn pick(&mut self, row: usize) -> Option<Wish> {
        let choice = self.models.get(row)?;
        Some(Wish::Ask(choice.model.clone()))
    }
}

fn abilities(choice: &ModelChoice) -> String {
    let all = [(choice.reasoning, "reasoning"), (choice.images, "images")];
    let has = all.iter().filter(|(has, _)| *has).map(|(_, name)| *name);
    has.collect::<Vec<_>>().join(", ")
}

/// The prices of a million tokens in and out where they are known, and the context window.
fn figures(choice: &ModelChoice) -> String {
    let context = match choice.context {
        tokens @ 0..1_000_000 => format!("{}k", tokens / 1000),
        tokens => format!("{:.1}M", tokens as f64 / 1e6),
    };
    match choice.price {
        Some(price) => format!("${}/${}  {context:>5}", price.input, price.output),
        None => format!("{context:>5}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Price;

    #[test]
    fn figures_are_the_window_and_the_price_where_it_is_known() {
        let mut choice = ModelChoice {
            model: "a/b".parse().unwrap(),
            context: 1_048_576,
            images: true,
            pdf: true,
            reasoning: true,
            price: None,
        };
        assert_eq!(figures(&choice).trim(), "1.0M");
        choice.context = 200_000;
        choice.price = Some(Price {
            input: 3.0,
            output: 15.5,
            ..Price::default()
        });
        assert_eq!(figures(&choice), "$3/$15.5   200k");
        assert_eq!(abilities(&choice), "reasoning, images");
    }
}
