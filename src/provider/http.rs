//! Sending a request: the HTTP clients, made on first need, and what their failures mean to the user.
//!
//! Reading the platform's certificates costs milliseconds that a server on this machine should not pay, so there is one
//! client for each way out. Redirects are not followed: they would carry the key to another host, and a redirected POST
//! arrives as a GET. Answers are asked for uncompressed, because a compressor holds deltas back.

use std::error::Error as _;
use std::io;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, RequestBuilder, Response, Url};
use serde_json::Value;

use super::error::{ReportedError, base_url_hint, one_line};
use super::{ProviderError, ProviderErrorKind, ProviderSettings};
use crate::conversation::ModelRef;
use crate::regular_file::RegularFile;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// An error's body is read for this long and this far.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);
const ERROR_BODY_SIZE: usize = 64 * 1024;
/// Bytes of a short answer. Descriptions of models hold their templates and licences.
const SHORT_ANSWER_SIZE: usize = 4 * 1024 * 1024;
/// Bytes of the file of further certificates.
const MOST_CERTIFICATES: u64 = 4 * 1024 * 1024;

/// A connection that cannot come about is tried once more, in case the server is just starting.
const RETRIES_OF_SETUP: u32 = 1;

/// The ways out, each with its own client.
#[derive(Debug, Default)]
pub(crate) struct Http {
    loopback: OnceLock<Client>,
    plain: OnceLock<Client>,
    secure: OnceLock<Client>,
}

/// A request that is ready to be sent.
pub(crate) struct OutgoingRequest<'a> {
    pub(crate) model: &'a ModelRef,
    pub(crate) settings: &'a ProviderSettings,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Http {
    /// Sends the request and returns the answer once its status says that a stream follows.
    pub(crate) async fn send(&self, mut outgoing: OutgoingRequest<'_>) -> Result<Response, ProviderError> {
        let body = std::mem::take(&mut outgoing.body);
        let patience = outgoing.settings.idle_timeout;
        let sent = async {
            let post = |client: &Client, url| client.post(url).body(body);
            let response = self.exchange(&outgoing, patience, post).await?;
            read_status(response, outgoing.model).await
        };
        sent.await
            .map_err(|error| error.without(&outgoing.settings.hidden()))
    }

    async fn exchange(
        &self,
        outgoing: &OutgoingRequest<'_>,
        patience: Duration,
        ask: impl FnOnce(&Client, Url) -> RequestBuilder,
    ) -> Result<Response, ProviderError> {
        let url = url(outgoing)?;
        let headers = headers(outgoing)?;
        let client = self.client(&url).map_err(|error| unmade(&error))?;
        let request = ask(client, url.clone()).headers(headers).send();
        match tokio::time::timeout(patience, request).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(unsent(&error, outgoing, &url)),
            Err(_) => Err(silent(outgoing.model, patience)),
        }
    }

    /// Asks for the list of models, which costs no tokens, and returns the status of the answer.
    pub(crate) async fn probe(
        &self,
        outgoing: OutgoingRequest<'_>,
        patience: Duration,
    ) -> Result<u16, ProviderError> {
        match self.exchange(&outgoing, patience, Client::get).await {
            Ok(response) => Ok(response.status().as_u16()),
            Err(error) => Err(error.without(&outgoing.settings.hidden())),
        }
    }

    /// Asks for a short answer: posts the body, if there is one. Returns null for an answer that is an error or no JSON,
    /// and nothing where none came in time.
    pub(crate) async fn json(&self, mut outgoing: OutgoingRequest<'_>, patience: Duration) -> Option<Value> {
        let body = std::mem::take(&mut outgoing.body);
        let ask = |client: &Client, url| match body.len() {
            0 => client.get(url),
            _ => client.post(url).body(body),
        };
        let answer = async {
            let mut response = self.exchange(&outgoing, patience, ask).await.ok()?;
            let is_success = response.status().is_success();
            let mut body = Vec::new();
            read_into(&mut response, &mut body, SHORT_ANSWER_SIZE).await;
            let read = serde_json::from_slice(&body).ok().filter(|_| is_success);
            Some(read.unwrap_or_default())
        };
        tokio::time::timeout(patience, answer).await.ok().flatten()
    }

    fn client(&self, url: &Url) -> Result<&Client, reqwest::Error> {
        let (lock, build): (_, fn() -> reqwest::Result<Client>) = match url.scheme() {
            "http" if is_loopback(url) => {
                (&self.loopback, || builder().tls_certs_only([]).no_proxy().build())
            }
            "http" => (&self.plain, || builder().tls_certs_only([]).build()),
            _ => (&self.secure, || {
                builder().tls_certs_merge(extra_certificates()).build()
            }),
        };
        if let Some(client) = lock.get() {
            return Ok(client);
        }
        // Refused only where somebody else installed one before; either serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = build()?;
        Ok(lock.get_or_init(|| client))
    }
}

/// Returns the certificates of the file that `NODE_EXTRA_CA_CERTS` names, which other agents read as well. A file that
/// cannot be read adds none.
fn extra_certificates() -> Vec<Certificate> {
    let Some(path) = std::env::var_os("NODE_EXTRA_CA_CERTS").filter(|path| !path.is_empty()) else {
        return Vec::new();
    };
    let read = RegularFile::open(std::path::Path::new(&path)).and_then(|file| file.read(MOST_CERTIFICATES));
    match read.map(|pem| Certificate::from_pem_bundle(&pem)) {
        Ok(Ok(certificates)) => certificates,
        Ok(Err(error)) => {
            tracing::warn!(%error, "the certificates of NODE_EXTRA_CA_CERTS cannot be used");
            Vec::new()
        }
        Err(error) => {
            tracing::warn!(%error, "the file of NODE_EXTRA_CA_CERTS cannot be read");
            Vec::new()
        }
    }
}

fn unmade(error: &reqwest::Error) -> ProviderError {
    let message = format!("the HTTP client cannot be made: {}", cause(error));
    ProviderError::new(ProviderErrorKind::Network, message)
}

fn builder() -> reqwest::ClientBuilder {
    Client::builder()
        .user_agent(concat!("lathe/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .tcp_keepalive(Duration::from_secs(30))
        .redirect(reqwest::redirect::Policy::none())
        .no_gzip()
        .no_brotli()
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost"
        || host
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn url(outgoing: &OutgoingRequest<'_>) -> Result<Url, ProviderError> {
    let base = outgoing.settings.base_url.trim_end_matches('/');
    let provider = &outgoing.model.provider;
    let config = |message: String| ProviderError::new(ProviderErrorKind::Config, message);
    let hint = "write it as `http://HOST:PORT/v1` or `https://HOST/v1`";
    let url = Url::parse(&format!("{base}{}", outgoing.path)).map_err(|error| {
        config(format!("`providers.{provider}.base_url` is not a URL: {error}")).hinted(hint)
    })?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => {
            let problem = format!("begins with `{other}:` instead of `http:` or `https:`");
            Err(config(format!("`providers.{provider}.base_url` {problem}")).hinted(hint))
        }
    }
}

fn headers(outgoing: &OutgoingRequest<'_>) -> Result<HeaderMap, ProviderError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(
        reqwest::header::ACCEPT,
        HeaderValue::from_static("text/event-stream"),
    );
    let own = outgoing
        .headers
        .iter()
        .map(|(name, value)| (*name, value.as_str(), "api_key".to_owned()));
    let configured = outgoing.settings.headers.iter();
    let configured =
        configured.map(|(name, value)| (name.as_str(), value.as_str(), format!("headers.{name}")));
    for (name, value, key) in own.chain(configured) {
        let header = HeaderName::try_from(name)
            .ok()
            .zip(HeaderValue::try_from(value).ok());
        let Some((name, mut value)) = header else {
            let provider = &outgoing.model.provider;
            let message = format!(
                "`providers.{provider}.{}` cannot be sent as a header",
                one_line(&key)
            );
            return Err(ProviderError::new(ProviderErrorKind::Config, message)
                .hinted("look for a line break or a character that is not ASCII in it"));
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// The part of a URL that can be shown: path, query and user may hold secrets.
fn server(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}", url.scheme(), url.host_str().unwrap_or_default())
}

fn unsent(error: &reqwest::Error, outgoing: &OutgoingRequest<'_>, url: &Url) -> ProviderError {
    let provider = &outgoing.model.provider;
    let server = server(url);
    let base_url = format!("`providers.{provider}.base_url`");
    let network = |message| ProviderError::new(ProviderErrorKind::Network, message);
    let setup = |why: &str, hint: String| {
        let message = format!("`{provider}` cannot be reached at `{server}`: {why}");
        network(message).hinted(hint).with_most_retries(RETRIES_OF_SETUP)
    };
    match obstacle(error, url) {
        Some(ConnectObstacle::NobodyListens) => setup(
            "nothing listens there (connection refused)",
            format!("start the server, or check the port in {base_url}"),
        ),
        Some(ConnectObstacle::UnknownHost) => {
            let host = url.host_str().unwrap_or_default();
            setup(
                &format!("the host `{host}` was not found"),
                format!("check the spelling in {base_url}, and the network"),
            )
        }
        Some(ConnectObstacle::PlainPort) => {
            let plain = server.replacen("https:", "http:", 1);
            setup(
                "the server there does not use TLS",
                format!("write `{plain}` in {base_url} if the server is meant to be used without TLS"),
            )
        }
        Some(ConnectObstacle::UnknownIssuer) => setup(
            "this machine does not know the authority that issued its certificate (`SSL_CERT_FILE` and \
             `NODE_EXTRA_CA_CERTS` name files with further ones)",
            "if it is your company's, write its certificate to a PEM file; `SSL_CERT_FILE` replaces the system's \
             certificates by it, `NODE_EXTRA_CA_CERTS` adds it to them"
                .to_owned(),
        ),
        None => {
            let cause = cause(error);
            let message = if error.is_connect() || error.is_timeout() {
                format!("`{provider}` cannot be reached at `{server}`: {cause}")
            } else {
                format!("the connection to `{provider}` was lost: {cause}")
            };
            network(message).hinted(format!("check that the server runs, the network, and {base_url}"))
        }
    }
}

/// Why no connection can come about, where waiting is not likely to help.
#[derive(Debug, PartialEq, Eq)]
enum ConnectObstacle {
    /// On this machine: elsewhere a server may be on its way back.
    NobodyListens,
    UnknownHost,
    PlainPort,
    /// No authority that the machine trusts has issued the server's certificate.
    UnknownIssuer,
}

fn obstacle(error: &reqwest::Error, url: &Url) -> Option<ConnectObstacle> {
    if !error.is_connect() {
        return None;
    }
    let mut next = error.source();
    while let Some(error) = next {
        // The resolver's own error is no type that could be asked for.
        if error.to_string().starts_with("dns error") {
            return Some(ConnectObstacle::UnknownHost);
        }
        if error.downcast_ref().is_some_and(is_no_tls) {
            return Some(ConnectObstacle::PlainPort);
        }
        if error.downcast_ref().is_some_and(is_unknown_issuer) {
            return Some(ConnectObstacle::UnknownIssuer);
        }
        next = match error.downcast_ref::<io::Error>() {
            Some(io) if is_loopback(url) => match io.kind() {
                io::ErrorKind::ConnectionRefused => return Some(ConnectObstacle::NobodyListens),
                // A plain server that gives up at the first bytes of a handshake.
                io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset if url.scheme() == "https" => {
                    return Some(ConnectObstacle::PlainPort);
                }
                _ => wrapped(io),
            },
            Some(io) => wrapped(io),
            None => error.source(),
        };
    }
    None
}

/// Returns the error that an IO error was made of. It is not its source, which is that error's own.
fn wrapped(error: &io::Error) -> Option<&(dyn std::error::Error + 'static)> {
    error.get_ref().map(|inner| inner as _)
}

/// Returns true if what came in place of the server's part of the handshake is no TLS at all.
fn is_unknown_issuer(error: &rustls::Error) -> bool {
    use rustls::CertificateError::{BadSignature, Other, UnknownIssuer};
    // A certificate that signed itself is told as another error.
    matches!(
        error,
        rustls::Error::InvalidCertificate(UnknownIssuer | BadSignature | Other(_))
    )
}

fn is_no_tls(error: &rustls::Error) -> bool {
    matches!(
        error,
        rustls::Error::InvalidMessage(
            rustls::InvalidMessage::InvalidContentType | rustls::InvalidMessage::UnknownProtocolVersion
        )
    )
}

/// Makes the error of a reply that stopped coming in.
pub(crate) fn connection_lost(error: &reqwest::Error, model: &ModelRef) -> ProviderError {
    let message = format!(
        "the connection to `{}` was lost in mid-reply: {}",
        model.provider,
        cause(error)
    );
    ProviderError::new(ProviderErrorKind::Network, message)
}

/// Makes the error of a server that says nothing.
pub(crate) fn silent(model: &ModelRef, idle_timeout: Duration) -> ProviderError {
    let provider = &model.provider;
    let message = format!("`{provider}` was silent for {idle_timeout:?}");
    ProviderError::new(ProviderErrorKind::Network, message).hinted(format!(
        "a slow server may need a larger `providers.{provider}.idle_timeout_ms`"
    ))
}

/// The innermost reason: the outer ones repeat the URL.
fn cause(error: &reqwest::Error) -> String {
    let mut source = error.source();
    let mut innermost = None;
    while let Some(inner) = source {
        innermost = Some(inner.to_string());
        source = inner.source();
    }
    let mut text = one_line(&innermost.unwrap_or_else(|| "no reason given".to_owned()));
    if text
        .get(1..2)
        .is_some_and(|second| second.chars().all(char::is_lowercase))
    {
        text[..1].make_ascii_lowercase();
    }
    text
}

async fn read_status(response: Response, model: &ModelRef) -> Result<Response, ProviderError> {
    let status = response.status();
    if !status.is_success() {
        let retry_after = retry_after(response.headers(), SystemTime::now());
        let reported = ReportedError::from_body(&error_body(response).await);
        let error = reported.with_status(model, status.as_u16());
        let retry_after = retry_after.or(error.retry_after);
        return Err(error.after(retry_after));
    }
    let kind = response
        .headers()
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .unwrap_or_default();
    let is_document = ["application/json", "text/html"]
        .iter()
        .any(|document| kind.starts_with(document));
    if !is_document {
        return Ok(response);
    }
    let kind = one_line(kind);
    let reported = ReportedError::from_body(&error_body(response).await);
    let mut message = format!(
        "`{}` answered with `{kind}` where a stream of events was asked for",
        model.provider
    );
    if !reported.message.is_empty() {
        message = format!("{message}: {}", reported.message);
    }
    Err(ProviderError::new(ProviderErrorKind::BadRequest, message).hinted(base_url_hint(&model.provider)))
}

async fn error_body(mut response: Response) -> String {
    let mut body = Vec::new();
    let read = read_into(&mut response, &mut body, ERROR_BODY_SIZE);
    // What came in time is good enough.
    let _ = tokio::time::timeout(ERROR_BODY_TIME, read).await;
    String::from_utf8_lossy(&body).into_owned()
}

/// Reads a body until it is longer than `most` bytes.
async fn read_into(response: &mut Response, body: &mut Vec<u8>, most: usize) {
    while let Ok(Some(piece)) = response.chunk().await {
        body.extend_from_slice(&piece);
        if body.len() > most {
            break;
        }
    }
}

/// Reads `retry-after-ms`, and `Retry-After` in seconds or as a date.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .map(str::trim)
    };
    let number = |text: &str| {
        text.parse::<f64>()
            .ok()
            .filter(|number| (0.0..1e9).contains(number))
    };
    if let Some(millis) = text("retry-after-ms").and_then(number) {
        return Some(Duration::from_secs_f64(millis / 1000.0));
    }
    let text = text("retry-after")?;
    if let Some(seconds) = number(text) {
        return Some(Duration::from_secs_f64(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?;
    let date = SystemTime::from(date.timestamp());
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::Protocol;

    #[test]
    fn a_wait_is_read_in_milliseconds_in_seconds_and_as_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let read = |pairs: &[(&'static str, &str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in pairs {
                headers.insert(*name, HeaderValue::try_from(*value).unwrap());
            }
            retry_after(&headers, now)
        };
        assert_eq!(read(&[]), None);
        assert_eq!(read(&[("retry-after", "2")]), Some(Duration::from_secs(2)));
        assert_eq!(read(&[("retry-after", "0.5")]), Some(Duration::from_millis(500)));
        assert_eq!(
            read(&[("retry-after", "9"), ("retry-after-ms", "20")]),
            Some(Duration::from_millis(20))
        );
        assert_eq!(
            read(&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")]),
            Some(Duration::from_mins(1))
        );
        assert_eq!(
            read(&[("retry-after", "Sat, 06 Nov 1993 08:49:37 GMT")]),
            Some(Duration::ZERO)
        );
        assert_eq!(read(&[("retry-after", "soon")]), None);
        assert_eq!(read(&[("retry-after", "-5")]), None);
    }

    fn outgoing<'a>(model: &'a ModelRef, settings: &'a ProviderSettings) -> OutgoingRequest<'a> {
        OutgoingRequest {
            model,
            settings,
            path: "/x".to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    #[test]
    fn settings_that_cannot_be_sent_are_named_without_their_value() {
        let model: ModelRef = "local/m".parse().unwrap();
        let mut settings = ProviderSettings::new(Protocol::OpenAiChat, "ftp://u:pw@h");
        let error = url(&outgoing(&model, &settings)).unwrap_err();
        assert_eq!(error.kind, ProviderErrorKind::Config);
        assert!(!error.message.contains("pw"), "{error}");
        settings.headers = vec![("x-key".to_owned(), "a\nb".to_owned())];
        let error = headers(&outgoing(&model, &settings)).unwrap_err();
        assert_eq!(
            error.message,
            "`providers.local.headers.x-key` cannot be sent as a header"
        );
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for (text, expected) in [
            ("http://localhost:1/", true),
            ("http://127.9.9.9/", true),
            ("http://[::1]:8/", true),
            ("http://localhost.evil/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn a_client_without_certificates_is_made_quickly() {
        let http = Http::default();
        let url = Url::parse("http://127.0.0.1:1/").unwrap();
        let started = std::time::Instant::now();
        http.client(&url).unwrap();
        println!("loopback client: {:?}", started.elapsed());
        let started = std::time::Instant::now();
        http.client(&Url::parse("https://h/").unwrap()).unwrap();
        println!("secure client: {:?}", started.elapsed());
    }
}
