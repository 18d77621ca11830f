//! The provider that speaks to the network.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::conversation::ModelRef;

use super::adapter::Ask;
use super::adjustment::{Adjustments, LearnedAdjustments, MOST_TRIES, SentMembers};
use super::encoding::RequestEncoder;
use super::http::{Http, OutgoingRequest};
use super::pictures::PictureRecoder;
use super::reply::{self, Reply};
use super::{Catalog, Provider, ProviderError, ProviderErrorKind, ReplyStream, Request, window};

/// Sends each request with the protocol of its model's provider. Connections are kept and shared.
#[derive(Debug)]
pub struct Client {
    catalog: Arc<Catalog>,
    http: Arc<Http>,
    pictures: PictureRecoder,
    encoder: RequestEncoder,
    adjustments: LearnedAdjustments,
}

impl Client {
    /// Does nothing yet: the HTTP client and its certificates come with the first request.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self {
            catalog,
            http: Arc::default(),
            pictures: PictureRecoder::default(),
            encoder: RequestEncoder::default(),
            adjustments: LearnedAdjustments::default(),
        }
    }

    /// Tries whether the server of a model answers and takes the key. It asks for the list of models, so it costs no tokens;
    /// returns the HTTP status of the answer.
    pub async fn probe(&self, model: &ModelRef, patience: Duration) -> Result<u16, ProviderError> {
        let settings = self.catalog.usable(&model.provider)?;
        let key = settings.api_key.as_deref().filter(|key| !key.is_empty());
        let outgoing = OutgoingRequest {
            model,
            settings,
            path: "/models".to_owned(),
            headers: (settings.protocol.adapter().headers)(key),
            body: Vec::new(),
        };
        self.http.probe(outgoing, patience).await
    }

    async fn ask(&self, request: Request) -> Result<ReplyStream, ProviderError> {
        let settings = self.catalog.usable(&request.model.provider)?;
        let model = self.catalog.model(&request.model)?;
        let adapter = settings.protocol.adapter();
        // One that takes none is told so of each.
        let request = if model.images {
            self.pictures.fit(request, settings.protocol).await?
        } else {
            request
        };
        let mut tries = 0;
        let response = loop {
            let adjustments = self.adjustments.of(&request.model);
            let ask = Ask {
                request: &request,
                model: &model,
                settings,
                adjustments: &adjustments,
            };
            let (body, parameters) = self.encoder.body(&ask).map_err(|error| {
                ProviderError::new(
                    ProviderErrorKind::BadRequest,
                    format!("the request cannot be written: {error}"),
                )
            })?;
            let outgoing = OutgoingRequest {
                model: &request.model,
                settings,
                path: (adapter.path)(&request.model.model),
                headers: (adapter.headers)(settings.api_key.as_deref().filter(|key| !key.is_empty())),
                body,
            };
            let error = match self.http.send(outgoing).await {
                Ok(response) => break response,
                Err(error) => error,
            };
            tries += 1;
            let learned = learned(&error, &parameters, &request, &adjustments).filter(|_| tries < MOST_TRIES);
            let Some(learned) = learned else {
                return Err(error);
            };
            self.adjustments.keep(&request.model, Arc::new(learned));
        };
        let names = request.tools.iter().map(|tool| tool.name.clone());
        let decoder = settings.protocol.decoder_of(&request.model, names.collect());
        Ok(reply::stream(Reply::new(
            response,
            decoder,
            request.model,
            settings,
        )))
    }
}

/// Returns the adjustments with which a refused request may be taken.
fn learned(
    error: &ProviderError,
    parameters: &Value,
    request: &Request,
    adjustments: &Adjustments,
) -> Option<Adjustments> {
    let refusal = error.refusal.as_deref()?;
    let is_refused = error.kind == ProviderErrorKind::BadRequest && matches!(refusal.status, 400 | 422);
    if !is_refused {
        return None;
    }
    adjustments.after(refusal, parameters, &SentMembers::of(request, adjustments))
}

impl Provider for Client {
    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ReplyStream, ProviderError>> {
        self.ask(request).boxed()
    }

    fn window(&self, model: &ModelRef) -> Option<BoxFuture<'static, Option<u64>>> {
        if !self.catalog.begin_asking_window(model) {
            return None;
        }
        let (catalog, http, model) = (Arc::clone(&self.catalog), Arc::clone(&self.http), model.clone());
        let asking = async move {
            let settings = catalog.usable(&model.provider).ok()?;
            let tokens = window::ask(&http, &model, settings).await?;
            catalog.learn_window(&model, tokens);
            Some(tokens)
        };
        Some(asking.boxed())
    }
}
