//! The way to a provider: its address, its key, the lane to it. Made once per roster and shared by all its models.
//!
//! Making one waits for nothing. A key that a command prints is asked for by the first call.

use super::providers::{self, Wire};
use crate::cli::secrets::Secrets;
use crate::key::{self, Keys, Source};
use crate::lane::Lane;
use crate::settings::{AgentSettings, RosterSettings};
use forge_debate::digest::Digest;
use reqwest::header::HeaderValue;
use reqwest::{Client, Url};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a connection may take to come about.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// Calls under way at once to a provider elsewhere, where the configuration does not say.
const PARALLEL_ELSEWHERE: usize = 8;
/// Calls under way at once to a server on this machine, where the configuration does not say: it computes one at a time.
pub(super) const PARALLEL_HERE: usize = 1;
/// The providers who make the models that they serve, and whose dialect is therefore known.
const MAKERS: [&str; 3] = ["anthropic", "openai", "google"];
/// Where Ollama listens when its address names no port.
const OLLAMA_PORT: u16 = 11434;

/// Connections and lanes of one roster.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    made: Mutex<BTreeMap<String, Result<Arc<Connection>, String>>>,
    lanes: Mutex<BTreeMap<Account, Arc<Lane>>>,
}

/// An address, and the key that is used there, or the command that prints it.
type Account = (String, Option<Digest>);

/// What a key is known to be before anybody is asked.
#[derive(Clone)]
enum Held {
    Nothing,
    Known(String),
    Printed(Vec<String>),
}

impl Held {
    fn digest(&self) -> Option<Digest> {
        match self {
            Held::Nothing => None,
            Held::Known(key) => Some(Digest::of_parts([b"key".as_slice(), key.as_bytes()])),
            Held::Printed(command) => {
                let words = command.iter().map(String::as_bytes);
                Some(Digest::of_parts(std::iter::once(b"command".as_slice()).chain(words)))
            }
        }
    }
}

/// What a call carries.
pub(super) struct Credentials {
    /// The key, where there is one.
    pub(super) key: Option<String>,
    /// What must not be repeated.
    pub(super) secrets: Arc<Secrets>,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

impl Connections {
    /// The connection to the provider of that name, always the same one, or what is wrong with its settings.
    pub(super) fn to(
        &self,
        name: &str,
        settings: &RosterSettings,
        keys: &Arc<Keys>,
    ) -> Result<Arc<Connection>, String> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.entry(name.to_owned()).or_insert_with(|| self.make(name, settings, keys).map(Arc::new)).clone()
    }

    fn make(&self, name: &str, settings: &RosterSettings, printed: &Arc<Keys>) -> Result<Connection, String> {
        let empty = AgentSettings::default();
        let own = settings.agents.get(name).unwrap_or(&empty);
        let provider = providers::ALL.iter().find(|provider| provider.name == name);
        let wire = match (&own.api, provider) {
            (Some(api), _) => Wire::named(api).ok_or_else(|| {
                format!("agents.{name}.api is {api:?}; it may be {}", Wire::NAMES.map(|(name, _)| name).join(", "))
            })?,
            (None, Some(provider)) => provider.wire,
            (None, None) => return Err(format!("agents.{name}.api must say which wire it speaks")),
        };
        let variable = provider.and_then(|provider| provider.base_url_variable);
        let is_local = provider.is_some_and(|provider| provider.is_local);
        let (said, source) = match (&own.base_url, variable.and_then(|variable| settings.variable(variable))) {
            (Some(base), _) => (base.as_str(), format!("agents.{name}.base_url")),
            (None, Some(base)) => (base, variable.unwrap_or_default().to_owned()),
            (None, None) => match provider {
                Some(provider) => (provider.base_url, variable.unwrap_or("base_url").to_owned()),
                None => return Err(format!("agents.{name}.base_url must say where it is asked")),
            },
        };
        let base = if is_local { local_address(said, name) } else { address(said, wire) }.map_err(|problem| {
            let example = provider.map_or("https://host/v1", |provider| provider.base_url);
            format!("{source} {problem}; expected something like {example}")
        })?;
        let is_official = official_host(wire, &base);
        let wants_key =
            is_official || provider.is_some_and(|known| !known.is_local && same_host(known.base_url, &base));
        let keys = provider.map_or(&[][..], |provider| provider.keys);
        let key = key(name, own, keys, settings)?;
        if matches!(key, Held::Nothing) && wants_key {
            let set = keys.first().map_or_else(|| format!("agents.{name}.key_env"), |&key| key.to_owned());
            let or = variable.map(|it| format!(", or {it} for a server that needs none")).unwrap_or_default();
            return Err(format!("there is no key: set {set} (or agents.{name}.key_command){or}"));
        }
        let parallel = own.parallel.unwrap_or(if is_local { PARALLEL_HERE } else { PARALLEL_ELSEWHERE });
        let lane = self.lane(&base, &key, parallel);
        Ok(Connection {
            client: client(base.scheme())?,
            wire,
            base,
            name: name.to_owned(),
            key,
            keys: Arc::clone(printed),
            settings: settings.clone(),
            lane,
            is_official,
            is_local,
            is_structured: own.structured.unwrap_or(is_official),
            default_model: own.model.clone().or_else(|| crate::recipes::default_model(name).map(str::to_owned)),
            address_source: source,
            told: Mutex::default(),
        })
    }

    /// The lane to an address with a key: whoever shares both shares it. The first to come says how wide it is.
    fn lane(&self, base: &Url, key: &Held, parallel: usize) -> Arc<Lane> {
        let place = (shown(base), key.digest());
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(lanes.entry(place).or_insert_with(|| Arc::new(Lane::new(parallel))))
    }
}

/// The way to a provider.
pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) wire: Wire,
    pub(super) base: Url,
    name: String,
    key: Held,
    keys: Arc<Keys>,
    settings: RosterSettings,
    pub(super) lane: Arc<Lane>,
    /// Whether it is the maker's own address, whose dialect is known.
    pub(super) is_official: bool,
    is_local: bool,
    /// Whether the form is sent as a schema.
    pub(super) is_structured: bool,
    /// The model where the seat names none.
    pub(super) default_model: Option<String>,
    /// What says where it is: a variable, or a key of the configuration.
    pub(super) address_source: String,
    /// The key of the last call, and what must not be repeated of it.
    told: Mutex<Option<(Option<String>, Arc<Secrets>)>>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("base", &shown(&self.base)).finish_non_exhaustive()
    }
}

impl Connection {
    /// A connection to a server that forge itself has started on this machine.
    pub(super) fn here(base: &str, key: &str, lane: Arc<Lane>) -> Result<Self, String> {
        let base = Url::parse(base).map_err(|problem| problem.to_string())?;
        Ok(Self {
            client: client(base.scheme())?,
            wire: Wire::OpenAi,
            base,
            name: "local".to_owned(),
            key: Held::Known(key.to_owned()),
            keys: Arc::default(),
            settings: RosterSettings::default(),
            lane,
            is_official: false,
            is_local: true,
            is_structured: false,
            default_model: None,
            address_source: "base_url".to_owned(),
            told: Mutex::default(),
        })
    }

    /// Whether its own list of models says which one to take where none is named.
    pub(super) fn offers_models(&self) -> bool {
        self.is_local && self.wire == Wire::OpenAi
    }

    /// The address below the base.
    pub(super) fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path().trim_end_matches('/')));
        url
    }

    /// What a call carries, or why there is no key. May wait for the command that prints it.
    pub(super) async fn credentials(&self) -> Result<Credentials, String> {
        let key = match &self.key {
            Held::Nothing => None,
            Held::Known(key) => Some(key.clone()),
            Held::Printed(command) => {
                let printed = self.keys.printed_by(command, &self.settings).await;
                Some(printed.map_err(|problem| format!("agents.{}.{problem}", self.name))?)
            }
        };
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        // What is looked for is made ready once for all calls with the same key.
        if let Some((_, secrets)) = told.as_ref().filter(|(of, _)| *of == key) {
            return Ok(Credentials { key, secrets: Arc::clone(secrets) });
        }
        let mut secrets = Secrets::default();
        key.iter().for_each(|key| secrets.add(key));
        self.base.password().into_iter().for_each(|password| secrets.add(password));
        self.base.query_pairs().for_each(|(name, value)| secrets.add_variable(&name, &value));
        let secrets = Arc::new(secrets);
        *told = Some((key.clone(), Arc::clone(&secrets)));
        Ok(Credentials { key, secrets })
    }
}

/// An address for people: without user, password and query.
pub(super) fn shown(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or_default(), url.path())
}

/// A client that goes where it is told and nowhere else.
pub(super) fn client(scheme: &str) -> Result<Client, String> {
    // Refused when somebody was first, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .no_proxy()
        .no_gzip()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .user_agent(concat!("forge/", env!("CARGO_PKG_VERSION")));
    if scheme == "http" {
        // No TLS, so the system's certificates need not be there, nor be read.
        builder = builder.tls_certs_only(std::iter::empty());
    }
    builder.build().map_err(|error| format!("no HTTP client: {}", super::setback::chain(&error)))
}

/// A base address, with the version that the wire's paths start with where it is left out.
fn address(said: &str, wire: Wire) -> Result<Url, String> {
    let mut url = Url::parse(said.trim()).map_err(|problem| format!("is not an address ({problem})"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("must start with http:// or https://".to_owned());
    }
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    let last = path.rsplit('/').next().unwrap_or("");
    let has_version = last.starts_with('v') && last[1..].starts_with(|digit: char| digit.is_ascii_digit());
    // The variables of these two name a host, by their makers' custom; OPENAI_BASE_URL names a whole base.
    let version = match wire {
        Wire::Anthropic => "/v1",
        Wire::Gemini => "/v1beta",
        Wire::OpenAi | Wire::OpenAiResponses => "",
    };
    url.set_path(&if has_version { path } else { path + version });
    Ok(url)
}

/// The address of a server on this machine, in the short spellings that such servers use for themselves.
pub(crate) fn local_address(said: &str, name: &str) -> Result<Url, String> {
    let said = said.trim();
    let whole = if said.contains("://") { said.to_owned() } else { format!("http://{said}") };
    let mut url = address(&whole, Wire::OpenAi)?;
    if url.host_str() == Some("0.0.0.0") {
        // Where it listens, not where it is found.
        url.set_host(Some("127.0.0.1")).map_err(|problem| format!("is not an address ({problem})"))?;
    }
    if name == "ollama" && url.port().is_none() && url.scheme() == "http" && !said.contains("://") {
        let _ = url.set_port(Some(OLLAMA_PORT));
    }
    if url.path().trim_end_matches('/').is_empty() {
        url.set_path("/v1");
    }
    Ok(url)
}

/// Whether two addresses are on one host.
pub(crate) fn is_same_host(one: &str, other: &str) -> bool {
    Url::parse(one).is_ok_and(|one| same_host(other, &one))
}

fn same_host(known: &str, base: &Url) -> bool {
    Url::parse(known).is_ok_and(|known| known.host_str() == base.host_str())
}

fn official_host(wire: Wire, base: &Url) -> bool {
    let makers = providers::ALL.iter().filter(|provider| MAKERS.contains(&provider.name));
    let same = |known: Wire| known == wire || (known == Wire::OpenAi && wire == Wire::OpenAiResponses);
    makers.filter(|provider| same(provider.wire)).any(|provider| same_host(provider.base_url, base))
}

/// What a key is known to be when its agent is seated.
fn key(name: &str, own: &AgentSettings, keys: &[&str], settings: &RosterSettings) -> Result<Held, String> {
    match key::source(settings, own, keys) {
        Source::Command(command) => Ok(Held::Printed(command)),
        Source::Variable(variable, value) if HeaderValue::try_from(value.as_str()).is_err() => {
            Err(format!("{variable} has characters that no key has; set it again"))
        }
        Source::Variable(_, value) => Ok(Held::Known(value)),
        Source::Unset(variable) => {
            Err(format!("there is no key: agents.{name}.key_env says {variable}, and that variable is not set"))
        }
        Source::Nowhere => Ok(Held::Nothing),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_in_their_makers_spellings() {
        let table = [
            (Wire::Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1"),
            (Wire::Anthropic, "http://127.0.0.1:9/", "http://127.0.0.1:9/v1"),
            (Wire::Anthropic, "http://host/gate/v1/", "http://host/gate/v1"),
            (Wire::Gemini, "http://host", "http://host/v1beta"),
            (Wire::Gemini, "http://host/v1beta", "http://host/v1beta"),
            (Wire::OpenAi, "http://host/v1?a=b", "http://host/v1?a=b"),
            (Wire::OpenAi, "http://host/deployments/x", "http://host/deployments/x"),
        ];
        for (wire, said, read) in table {
            assert_eq!(address(said, wire).unwrap().as_str(), read, "{said}");
        }
        let table = [
            ("127.0.0.1:9", "http://127.0.0.1:9/v1"),
            ("localhost", "http://localhost:11434/v1"),
            ("0.0.0.0:5", "http://127.0.0.1:5/v1"),
            ("https://far.example", "https://far.example/v1"),
            ("http://[::1]:7/v1", "http://[::1]:7/v1"),
        ];
        for (said, read) in table {
            assert_eq!(local_address(said, "ollama").unwrap().as_str(), read, "{said}");
        }
        assert!(local_address("ftp://host", "ollama").is_err());
    }

    #[test]
    fn makers_are_known_by_their_hosts() {
        let is_official = |wire, base: &str| official_host(wire, &Url::parse(base).unwrap());
        assert!(is_official(Wire::OpenAiResponses, "https://api.openai.com/v1"));
        assert!(is_official(Wire::Gemini, "https://generativelanguage.googleapis.com/v1beta"));
        assert!(!is_official(Wire::OpenAi, "http://127.0.0.1:11434/v1"));
        assert!(!is_official(Wire::OpenAi, "https://api.openai.com.example/v1"));
        assert!(!is_official(Wire::OpenAi, "https://openrouter.ai/api/v1"));
    }
}
