//! Model APIs that speak OpenAI's chat completions: OpenAI itself, and every server that talks like it.
//!
//! One POST per try, streamed. Rate limits, failing servers and cut streams are tried again within the call's deadline;
//! everything else ends the call with its failure kind. The key goes into one header and nowhere else: it is taken out
//! of whatever a provider says before that is repeated, and addresses are shown without user, password and query.

mod reading;
mod retry;

use crate::agent::{Agent, Answering, Call, Failure, FailureKind, Receipt, Reply};
use reading::{MESSAGE_CHARS, ProviderError, Reading, Setback};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, StatusCode, Url};
use serde_json::{Value, json};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tokio::time::{Instant, sleep, timeout};

/// Where OpenAI itself answers.
pub const DEFAULT_BASE_URL: &str = "https://api.openai.com/v1";
/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// How long the end of a body is waited for after the answer is complete, so that the connection can be used again.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);
/// The most bytes of an error's body that are read.
const ERROR_BODY_LIMIT: usize = 64 * 1024;
/// The most parameters that are changed because a provider does not know them.
const DIALECT_CHANGES: u32 = 4;

/// A server, the way to it and the key for it; shared by all its models.
pub(crate) struct Provider {
    client: Client,
    url: Url,
    shown: String,
    authorization: Option<HeaderValue>,
    secrets: Vec<String>,
    dialect: Dialect,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provider").field("url", &self.shown).finish_non_exhaustive()
    }
}

impl Provider {
    /// The provider at `base` (OpenAI where there is none), or what is wrong with the settings.
    pub(crate) fn new(base: Option<&str>, key: Option<&str>) -> Result<Self, String> {
        let base = base.map(str::trim).filter(|base| !base.is_empty());
        let key = key.map(str::trim).filter(|key| !key.is_empty());
        let mut url = Url::parse(base.unwrap_or(DEFAULT_BASE_URL)).map_err(|problem| {
            format!("OPENAI_BASE_URL is not an address ({problem}); expected something like {DEFAULT_BASE_URL}")
        })?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(format!("OPENAI_BASE_URL must start with http:// or https://, such as {DEFAULT_BASE_URL}"));
        }
        let official = url.host_str() == Some("api.openai.com");
        if official && key.is_none() {
            return Err(
                "there is no key: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server that needs none".to_owned()
            );
        }
        let authorization = key.map(bearer).transpose()?;
        let path = format!("{}/chat/completions", url.path().trim_end_matches('/'));
        url.set_path(&path);
        url.set_fragment(None);
        let secrets = key.map(str::to_owned).into_iter().chain(url.password().map(str::to_owned)).collect();
        let dialect = Dialect {
            length: Some(if official { Length::Completion } else { Length::Plain }),
            usage: true,
            stream: true,
        };
        Ok(Self { client: client(url.scheme())?, shown: shown(&url), url, authorization, secrets, dialect })
    }

    /// A text without the key, whoever put it there.
    fn hide(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, secret| text.replace(secret.as_str(), "[key]"))
    }
}

fn bearer(key: &str) -> Result<HeaderValue, String> {
    let mut value = HeaderValue::try_from(format!("Bearer {key}"))
        .map_err(|_| "OPENAI_API_KEY has characters that no key has; set it again".to_owned())?;
    value.set_sensitive(true);
    Ok(value)
}

fn client(scheme: &str) -> Result<Client, String> {
    // Refused when somebody was first, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("forge/", env!("CARGO_PKG_VERSION")));
    if scheme == "http" {
        // No TLS, so the system's certificates need not be there, nor be read.
        builder = builder.tls_certs_only(std::iter::empty());
    }
    builder.build().map_err(|error| format!("no HTTP client: {}", chain(&error)))
}

/// An address for people: without user, password and query.
fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

/// What a provider calls things; learnt from its own complaints, and kept for the model's next call.
#[derive(Debug, Clone, Copy)]
struct Dialect {
    length: Option<Length>,
    usage: bool,
    stream: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// `max_tokens`, which every server but OpenAI's newest models knows.
    Plain,
    /// `max_completion_tokens`.
    Completion,
}

impl Dialect {
    /// Says it differently, if there is another way.
    fn without(&mut self, parameter: &str) -> bool {
        match (parameter, self.length) {
            ("max_tokens", Some(Length::Plain)) => self.length = Some(Length::Completion),
            ("max_completion_tokens" | "max_tokens", Some(_)) => self.length = None,
            ("stream_options" | "stream_options.include_usage", _) if self.usage => self.usage = false,
            ("stream", _) if self.stream => self.stream = false,
            _ => return false,
        }
        true
    }

    fn body(self, model: &str, call: &Call) -> Value {
        let mut body = json!({
            "model": model,
            "messages": [
                { "role": "system", "content": call.brief.case },
                { "role": "user", "content": call.brief.task },
            ],
        });
        if self.stream {
            body["stream"] = json!(true);
        }
        if self.stream && self.usage {
            body["stream_options"] = json!({ "include_usage": true });
        }
        match self.length {
            Some(Length::Plain) => body["max_tokens"] = json!(call.max_output_tokens),
            Some(Length::Completion) => body["max_completion_tokens"] = json!(call.max_output_tokens),
            None => {}
        }
        body
    }
}

/// One model of a provider.
#[derive(Debug)]
pub(crate) struct OpenAi {
    name: String,
    model: String,
    provider: Arc<Provider>,
    dialect: Mutex<Dialect>,
}

impl OpenAi {
    /// The agent `name` that asks `model`.
    pub(crate) fn new(name: &str, model: &str, provider: Arc<Provider>) -> Self {
        let dialect = Mutex::new(provider.dialect);
        Self { name: name.to_owned(), model: model.to_owned(), provider, dialect }
    }

    async fn converse(&self, call: &Call, receipt: &mut Receipt) -> Result<String, (FailureKind, String)> {
        let until = Instant::now() + call.deadline;
        let turn = call.brief.key.slug();
        let mut dialect = *self.dialect.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut refused, mut broken, mut unconnected, mut changed) = (0, 0, 0, 0);
        loop {
            receipt.tries += 1;
            let setback = match self.ask(call, dialect, receipt).await {
                Ok(text) => return Ok(text),
                Err(setback) => setback,
            };
            let (wait, gives_up, kind, detail) = match setback {
                Setback::Final(kind, detail) => return Err((kind, detail)),
                Setback::Parameter(name, detail) => {
                    changed += 1;
                    if changed > DIALECT_CHANGES || !dialect.without(&name) {
                        return Err((FailureKind::Crashed, format!("the provider refused the request: {detail}")));
                    }
                    *self.dialect.lock().unwrap_or_else(PoisonError::into_inner) = dialect;
                    (Duration::ZERO, false, FailureKind::Crashed, format!("the provider does not know {name:?}"))
                }
                Setback::RateLimited(asked, detail) => {
                    refused += 1;
                    (
                        self.wait(asked, &turn, call, refused),
                        refused >= retry::RATE_LIMIT_TRIES,
                        FailureKind::RateLimited,
                        detail,
                    )
                }
                Setback::Broken(asked, detail) => {
                    broken += 1;
                    (self.wait(asked, &turn, call, broken), broken >= retry::BROKEN_TRIES, FailureKind::Crashed, detail)
                }
                Setback::Unconnected(detail) => {
                    unconnected += 1;
                    let gives_up = unconnected >= retry::CONNECT_TRIES;
                    (self.wait(None, &turn, call, unconnected), gives_up, FailureKind::Unreachable, detail)
                }
            };
            if gives_up {
                return Err((kind, detail));
            }
            if wait >= until.saturating_duration_since(Instant::now()) {
                return Err((kind, format!("{detail}; the next try in {} would be past the deadline", seconds(wait))));
            }
            receipt.notes.push(self.provider.hide(format!("{detail}; tried again after {}", seconds(wait))));
            sleep(wait).await;
        }
    }

    fn wait(&self, asked: Option<Duration>, turn: &str, call: &Call, tries: u32) -> Duration {
        match asked {
            Some(asked) => retry::spread(asked, turn, call.attempt, tries),
            None => retry::backoff(turn, call.attempt, tries),
        }
    }

    async fn ask(&self, call: &Call, dialect: Dialect, receipt: &mut Receipt) -> Result<String, Setback> {
        let provider = &self.provider;
        let mut request = provider.client.post(provider.url.clone()).json(&dialect.body(&self.model, call));
        if let Some(authorization) = &provider.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let mut response = request.send().await.map_err(unsent)?;
        receipt.exit = Some(i64::from(response.status().as_u16()));
        if !response.status().is_success() {
            let (status, headers) = (response.status(), response.headers().clone());
            let mut body = Vec::new();
            while let Ok(Some(piece)) = response.chunk().await {
                body.extend_from_slice(&piece);
                if body.len() > ERROR_BODY_LIMIT {
                    break;
                }
            }
            return Err(refusal(status, &headers, &body));
        }
        // An earlier try may have been answered and cut off; it was paid all the same.
        let paid = receipt.served.clone();
        let mut reading = Reading::new(call.reply_limit_bytes);
        let mut broken = None;
        while !reading.is_over() {
            match response.chunk().await {
                Ok(Some(bytes)) => reading.take(&bytes)?,
                Ok(None) => break,
                Err(error) => {
                    broken = Some(chain(&error.without_url()));
                    break;
                }
            }
            // Known now, in case the deadline ends this before the answer does.
            receipt.served = paid.clone().and(&reading.served);
        }
        if reading.is_over() {
            let _ = timeout(DRAIN_TIMEOUT, response.chunk()).await;
        }
        let outcome = reading.finish(broken);
        receipt.served = paid.and(&reading.served);
        receipt.notes.extend(reading.notes);
        outcome
    }
}

impl Agent for OpenAi {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, call: &'a Call) -> Answering<'a> {
        Box::pin(async move {
            let mut receipt = Receipt {
                program: format!("POST {}", self.provider.shown),
                model_asked: Some(self.model.clone()),
                ..Receipt::default()
            };
            let outcome = timeout(call.deadline, self.converse(call, &mut receipt)).await;
            if let Some(served) = receipt.served.model.as_ref().filter(|served| !served.starts_with(&self.model)) {
                receipt.notes.push(format!("asked for {}, served by {served}", self.model));
            }
            match outcome {
                Ok(Ok(text)) => Ok(Reply { bytes: text.into_bytes(), receipt }),
                Ok(Err((kind, detail))) => Err(Failure { kind, detail: self.provider.hide(detail), receipt }),
                Err(_) => {
                    let detail = format!("no answer within {}", seconds(call.deadline));
                    Err(Failure { kind: FailureKind::TimedOut, detail, receipt })
                }
            }
        })
    }
}

/// A request that never got a response.
fn unsent(error: reqwest::Error) -> Setback {
    let error = error.without_url();
    if error.is_connect() { Setback::Unconnected(chain(&error)) } else { Setback::Broken(None, chain(&error)) }
}

/// What a response other than 2xx means.
fn refusal(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Setback {
    let error = ProviderError::read(body);
    let said = if error.message.is_empty() { String::new() } else { format!(": {}", error.message) };
    let detail = format!("HTTP {}{said}", status.as_u16());
    let asked = retry::asked_wait(headers, SystemTime::now());
    match (status.as_u16(), error.meaning()) {
        (429, Some(known @ Setback::Final(FailureKind::RateLimited, _))) => known,
        (429, _) => Setback::RateLimited(asked, detail),
        (408 | 409 | 425 | 500..=599, _) => Setback::Broken(asked, detail),
        (401..=403, _) => Setback::Final(FailureKind::NoAuth, format!("the key is refused, {detail}")),
        (400..=499, Some(known)) => known,
        (404, None) => Setback::Final(FailureKind::Unreachable, format!("there is no such model or address, {detail}")),
        (413, None) => Setback::Final(FailureKind::TooLong, format!("the brief is too long, {detail}")),
        (300..=399, _) => Setback::Final(
            FailureKind::Unreachable,
            format!("{detail}: the address has moved; set OPENAI_BASE_URL to where it is now"),
        ),
        _ => Setback::Final(FailureKind::Crashed, format!("the provider refused the request, {detail}")),
    }
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    crate::voice::one_line(&text, MESSAGE_CHARS)
}

fn seconds(wait: Duration) -> String {
    format!("{:.1} s", wait.as_secs_f64())
}
