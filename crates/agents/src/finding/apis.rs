//! Model APIs that forge knows by name, and servers on this machine.

use super::{Access, Found, Kind, Obstacle, ObstacleKind, Redirection, disabled, family_of, host, redirection};
use crate::api::providers::{self, Provider};
use crate::api::{local, local_address};
use crate::key::{self, Source};
use crate::recipes;
use crate::settings::RosterSettings;
use reqwest::Url;
use std::net::IpAddr;
use std::time::Duration;

/// Marks in the names of models that answer no questions.
const NO_CONVERSATION: &[&str] = &["embed", "rerank", "whisper", "bge-"];

/// Variables that name the model of an API, as other programs use them too.
const MODEL_VARIABLES: &[(&str, &str)] = &[("openai", "OPENAI_MODEL")];

/// Whether the environment names a model of this API.
pub(super) fn is_model_named(settings: &RosterSettings, name: &str) -> bool {
    let mut variables = MODEL_VARIABLES.iter().filter(|(known, _)| *known == name);
    variables.any(|(_, variable)| settings.variable(variable).is_some())
}

/// How each server on this machine is started, and how it gets a model.
const STARTS: &[(&str, &str, &str)] = &[
    ("ollama", "ollama serve", "ollama pull qwen3:8b"),
    ("llamacpp", "llama-server -m MODEL.gguf --port 8080", "llama-server -m MODEL.gguf --port 8080"),
    ("lmstudio", "lms server start", "lms get"),
];

/// What can be told about APIs elsewhere.
pub(super) fn look(settings: &RosterSettings) -> Vec<Found> {
    providers::ALL.iter().filter(|provider| !provider.is_local).map(|provider| remote(settings, provider)).collect()
}

fn remote(settings: &RosterSettings, provider: &Provider) -> Found {
    let said = settings.agents.get(provider.name);
    let redirected = redirection(settings, provider.name, provider.base_url_variable)
        .filter(|there| there.host != host(provider.base_url));
    let access = access(settings, provider, redirected.is_some());
    let named = said.and_then(|agent| agent.model.clone()).or_else(|| {
        let (_, variable) = MODEL_VARIABLES.iter().find(|(name, _)| *name == provider.name)?;
        settings.variable(variable).map(str::to_owned)
    });
    // Another server need not have the vendor's models.
    let default = recipes::default_model(provider.name).filter(|_| redirected.is_none()).map(str::to_owned);
    let model = named.or(default);
    let obstacle = disabled(settings, provider.name)
        .or_else(|| {
            (access == Access::Missing).then(|| Obstacle {
                kind: ObstacleKind::NoAccess,
                why: "no key".to_owned(),
                fix: format!("export {}=...", provider.keys.first().unwrap_or(&"KEY")),
            })
        })
        .or_else(|| {
            model.is_none().then(|| Obstacle {
                kind: ObstacleKind::Ambiguous,
                why: match &redirected {
                    Some(there) => {
                        format!("{} leads to {}; which model to ask there is not said", there.by, there.host)
                    }
                    None => "which model to ask is not said".to_owned(),
                },
                fix: format!("--agent {0}:MODEL, or set agents.{0}.model", provider.name),
            })
        });
    Found {
        name: provider.name.to_owned(),
        kind: Kind::Api,
        program: None,
        version: None,
        family: family_of(settings, provider.name, model.as_deref(), None),
        access,
        model,
        vendor: provider.vendor.to_owned(),
        redirected,
        obstacle,
    }
}

fn access(settings: &RosterSettings, provider: &Provider, is_redirected: bool) -> Access {
    let said = settings.agents.get(provider.name);
    match key::source(settings, &said.cloned().unwrap_or_default(), provider.keys) {
        Source::Command(_) => Access::KeyCommand,
        Source::Variable(variable, _) => Access::Key(variable),
        Source::Unset(_) => Access::Missing,
        Source::Nowhere if provider.keys.is_empty() || is_redirected => Access::NotNeeded,
        Source::Nowhere => Access::Missing,
    }
}

/// Servers on this machine: those that answer, and how the others are started. Nobody on another machine is asked.
pub(super) async fn listening(settings: &RosterSettings, limit: Duration) -> Vec<Found> {
    let places: Vec<(&'static Provider, Option<Url>)> = providers::ALL
        .iter()
        .filter(|provider| provider.is_local)
        .map(|provider| (provider, place(settings, provider)))
        .collect();
    let asked = places.iter().filter_map(|(provider, url)| {
        let url = url.as_ref().filter(|url| is_here(url) && disabled(settings, provider.name).is_none())?;
        Some((*provider, url.as_str()))
    });
    let servers = local::found_at(asked, limit).await;
    let models = |provider: &Provider| {
        servers.iter().find(|server| server.provider == provider.name).map(|server| server.models.as_slice())
    };
    places.iter().map(|(provider, url)| local(settings, provider, url.as_ref(), models(provider))).collect()
}

/// Where a server on this machine is looked for, as its agent would.
fn place(settings: &RosterSettings, provider: &Provider) -> Option<Url> {
    let configured = settings.agents.get(provider.name).and_then(|agent| agent.base_url.as_deref());
    let variable = || provider.base_url_variable.and_then(|variable| settings.variable(variable));
    local_address(configured.or_else(variable).unwrap_or(provider.base_url), provider.name).ok()
}

/// Whether that agent is a server that is asked on this machine itself.
pub(crate) fn is_asked_here(settings: &RosterSettings, agent: &str) -> bool {
    let provider = providers::ALL.iter().find(|provider| provider.is_local && provider.name == agent);
    provider.and_then(|provider| place(settings, provider)).is_some_and(|url| is_here(&url))
}

pub(super) fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// A server on this machine, and the models that it says it has, if it answers.
fn local(settings: &RosterSettings, provider: &Provider, url: Option<&Url>, models: Option<&[String]>) -> Found {
    let said = settings.agents.get(provider.name).and_then(|agent| agent.model.clone());
    let converses = |model: &&String| !NO_CONVERSATION.iter().any(|mark| model.to_lowercase().contains(mark));
    let model = said.or_else(|| models.and_then(|models| models.iter().find(converses).cloned()));
    let redirected = redirection(settings, provider.name, provider.base_url_variable);
    let elsewhere = redirected.as_ref().filter(|_| !url.is_some_and(is_here));
    let obstacle = disabled(settings, provider.name).or_else(|| missing(provider, elsewhere, models, model.as_deref()));
    Found {
        name: provider.name.to_owned(),
        kind: Kind::Local,
        program: None,
        version: None,
        access: Access::NotNeeded,
        family: family_of(settings, provider.name, model.as_deref(), None),
        model,
        vendor: elsewhere.map_or_else(|| provider.vendor.to_owned(), |there| there.host.clone()),
        redirected,
        obstacle,
    }
}

/// What a server lacks to be asked.
fn missing(
    provider: &Provider,
    elsewhere: Option<&Redirection>,
    models: Option<&[String]>,
    model: Option<&str>,
) -> Option<Obstacle> {
    let (start, get) = STARTS
        .iter()
        .find(|(name, _, _)| *name == provider.name)
        .map_or(("start it", "give it a model"), |(_, start, get)| (start, get));
    let (kind, why, fix) = match (elsewhere, models, model) {
        (Some(_), _, Some(_)) | (None, Some(_), Some(_)) => return None,
        (Some(there), _, None) => (
            ObstacleKind::Ambiguous,
            format!("{} leads to {}, which is another machine and is not looked at", there.by, there.host),
            format!("--agent {0}:MODEL, or set agents.{0}.model", provider.name),
        ),
        (None, None, _) => (ObstacleKind::NotInstalled, "nothing answers at its port".to_owned(), start.to_owned()),
        (None, Some(_), None) => (ObstacleKind::Ambiguous, "it has no model to talk with".to_owned(), get.to_owned()),
    };
    Some(Obstacle { kind, why, fix })
}
