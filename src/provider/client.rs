//! The provider that speaks to the network.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::conversation::ModelRef;

use super::adapter::Ask;
use super::encoding::RequestEncoder;
use super::http::{Http, OutgoingRequest};
use super::pictures::PictureRecoder;
use super::reply::{self, Reply};
use super::{Catalog, Provider, ProviderError, ProviderErrorKind, ReplyStream, Request};

/// Sends each request with the protocol of its model's provider. Connections are kept and shared.
#[derive(Debug)]
pub struct Client {
    catalog: Arc<Catalog>,
    http: Http,
    pictures: PictureRecoder,
    encoder: RequestEncoder,
}

impl Client {
    /// Does nothing yet: the HTTP client and its certificates come with the first request.
    pub fn new(catalog: Arc<Catalog>) -> Self {
        Self {
            catalog,
            http: Http::default(),
            pictures: PictureRecoder::default(),
            encoder: RequestEncoder::default(),
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
        let ask = Ask {
            request: &request,
            model: &model,
            settings,
        };
        let body = self.encoder.body(&ask).map_err(|error| {
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
        let response = self.http.send(outgoing).await?;
        let decoder = settings.protocol.decoder(&request.model);
        Ok(reply::stream(Reply::new(
            response,
            decoder,
            request.model,
            settings,
        )))
    }
}

impl Provider for Client {
    fn stream(&self, request: Request) -> BoxFuture<'_, Result<ReplyStream, ProviderError>> {
        self.ask(request).boxed()
    }
}
