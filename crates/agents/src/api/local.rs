//! Servers on this machine, found at their usual ports. Nothing is sent to them but the question which models they have.

use super::connection::client;
use super::providers::{self, Provider};
use super::setback::chain;
use futures_util::future::join_all;
use reqwest::header::AUTHORIZATION;
use reqwest::{Client, Url};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// The most bytes of a list of models.
const LIST_LIMIT_BYTES: usize = 1024 * 1024;
/// The most models of a server that are named.
const MODELS_LIMIT: usize = 500;

/// A server that answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// The provider's name, such as `ollama`.
    pub provider: &'static str,
    /// Where it answers.
    pub base_url: String,
    /// The models that it offers, in its own order.
    pub models: Vec<String>,
}

/// The servers that answer at their usual ports within the limit, all asked at once.
pub async fn found(limit: Duration) -> Vec<LocalServer> {
    let usual =
        providers::ALL.iter().filter(|provider| provider.is_local).map(|provider| (provider, provider.base_url));
    found_at(usual, limit).await
}

/// Those of these servers that answer within the limit.
pub async fn found_at(
    places: impl IntoIterator<Item = (&'static Provider, &str)>,
    limit: Duration,
) -> Vec<LocalServer> {
    let Ok(client) = client("http") else { return Vec::new() };
    let asked = places.into_iter().map(|(provider, base)| {
        let client = &client;
        async move {
            let url = Url::parse(&format!("{}/models", base.trim_end_matches('/'))).ok()?;
            // Nobody listens at most of these ports; that is no error.
            let models = timeout(limit, models(client, url, None)).await.ok()?.ok()?;
            Some(LocalServer { provider: provider.name, base_url: base.to_owned(), models })
        }
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// The models that a server offers, or why they cannot be told.
pub(super) async fn models(client: &Client, url: Url, key: Option<&str>) -> Result<Vec<String>, String> {
    let shown = super::connection::shown(&url);
    let mut request = client.get(url);
    if let Some(authorization) = key.and_then(super::chat::bearer) {
        request = request.header(AUTHORIZATION, authorization);
    }
    let failed = |how: String| format!("{shown} does not say which models there are: {how}");
    let mut response = request.send().await.map_err(|error| failed(chain(&error.without_url())))?;
    if !response.status().is_success() {
        return Err(failed(format!("HTTP {}", response.status().as_u16())));
    }
    let mut body = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| failed(chain(&error.without_url())))? {
        body.extend_from_slice(&piece);
        if body.len() > LIST_LIMIT_BYTES {
            return Err(failed(format!("more than {LIST_LIMIT_BYTES} bytes came")));
        }
    }
    let list: Value = serde_json::from_slice(&body).map_err(|_| failed("what came is no JSON".to_owned()))?;
    let entries = list.get("data").or_else(|| list.get("models")).and_then(Value::as_array);
    let entries = entries.ok_or_else(|| failed("what came is no list of models".to_owned()))?;
    let name = |entry: &Value| entry.get("id").or_else(|| entry.get("name")).and_then(Value::as_str).map(str::to_owned);
    Ok(entries.iter().filter_map(name).take(MODELS_LIMIT).collect())
}
