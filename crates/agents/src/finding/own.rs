//! Agents of the user's own configuration.

use super::apis::is_here;
use super::{Access, Found, Kind, Obstacle, ObstacleKind, disabled, redirection};
use crate::cli;
use crate::key::{self, Source};
use crate::roster::is_kind;
use crate::settings::{AgentSettings, RosterSettings};
use forge_debate::family;
use futures_util::future::join_all;
use reqwest::Url;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The agents that only the configuration knows. Those at an address of this machine are tried for so long; nobody elsewhere is.
pub(super) async fn look(settings: &RosterSettings, limit: Duration) -> Vec<Found> {
    let known = settings.agents.iter().filter(|(name, _)| !is_kind(name));
    let looked = known.map(|(name, said)| async move {
        let mut found = own(settings, name, said);
        if found.is_usable() {
            found.obstacle = silent(name, said, limit).await;
        }
        found
    });
    join_all(looked).await
}

/// What is in the way where nothing takes a connection at an address of this machine. Nothing is sent there.
async fn silent(name: &str, said: &AgentSettings, limit: Duration) -> Option<Obstacle> {
    said.api.as_ref()?;
    let url = Url::parse(said.base_url.as_deref()?.trim()).ok().filter(is_here)?;
    let (host, port) = (url.host_str()?.trim_matches(['[', ']']), url.port_or_known_default()?);
    if matches!(timeout(limit, TcpStream::connect((host, port))).await, Ok(Ok(_))) {
        return None;
    }
    Some(Obstacle {
        kind: ObstacleKind::NotInstalled,
        why: format!("nothing answers at {}:{port}", url.host_str()?),
        fix: format!("start what answers there, or correct agents.{name}.base_url"),
    })
}

fn own(settings: &RosterSettings, name: &str, said: &AgentSettings) -> Found {
    let program = said.command.as_ref().and_then(|_| cli::program_of(settings, name));
    let access = access(settings, said);
    let redirected = redirection(settings, name, None);
    let vendor = match (&said.api, &redirected, &said.command) {
        (Some(_), Some(there), _) => there.host.clone(),
        (Some(wire), None, _) => format!("whoever speaks {wire}"),
        (None, _, Some(command)) => format!("whoever {command} asks"),
        (None, _, None) => "nobody".to_owned(),
    };
    let obstacle = disabled(settings, name)
        .or_else(|| misconfigured(name, said))
        .or_else(|| {
            let command = said.command.as_ref().filter(|_| program.is_none())?;
            Some(Obstacle {
                kind: ObstacleKind::NotInstalled,
                why: format!("no program {command} on PATH"),
                fix: format!("install it, or correct agents.{name}.command"),
            })
        })
        .or_else(|| {
            let variable = said.key_env.as_deref().unwrap_or("KEY");
            (access == Access::Missing).then(|| Obstacle {
                kind: ObstacleKind::NoAccess,
                why: format!("{variable} is not set"),
                fix: format!("export {variable}=..."),
            })
        });
    Found {
        name: name.to_owned(),
        kind: Kind::Own,
        version: program.as_deref().and_then(cli::packaged_version),
        program,
        // Its name is the user's word and tells nothing about weights; a model's name does, if it is a known one.
        family: match &said.family {
            Some(family) => Some(family.to_lowercase()),
            None => said.model.as_deref().and_then(family::known).map(str::to_owned),
        },
        access,
        model: said.model.clone(),
        vendor,
        redirected,
        obstacle,
    }
}

fn access(settings: &RosterSettings, said: &AgentSettings) -> Access {
    match key::source(settings, said, &[]) {
        Source::Command(_) => Access::KeyCommand,
        Source::Variable(variable, _) => Access::Key(variable),
        Source::Unset(_) => Access::Missing,
        Source::Nowhere => Access::NotNeeded,
    }
}

fn misconfigured(name: &str, said: &AgentSettings) -> Option<Obstacle> {
    let (why, fix) = match (&said.command, &said.api) {
        (None, None) => {
            ("it has neither a command nor an api", format!("set agents.{name}.command or agents.{name}.api"))
        }
        (None, Some(_)) if said.base_url.is_none() => {
            ("it has an api and no address", format!("set agents.{name}.base_url"))
        }
        (None, Some(_)) if said.model.is_none() => ("it has an api and no model", format!("set agents.{name}.model")),
        _ => return None,
    };
    Some(Obstacle { kind: ObstacleKind::Misconfigured, why: why.to_owned(), fix })
}
