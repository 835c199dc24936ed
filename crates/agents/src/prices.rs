//! What a call costs: free, priced, or nobody knows. Pure: a dated file that is part of the program, what the user's
//! configuration says, and whole numbers.
//!
//! Promises: no price is made up. A model that is not listed, or that is asked at another address than its maker's, has none
//! unless the user gives one. Amounts are millionths of a US dollar, rounded up, so that no sum is ever too small.
//!
//! Must never: read a clock, ask anybody, or say more than a list price can say. Whoever has a subscription is not billed by
//! the call at all.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

static FILE: &str = include_str!("../data/prices.json");

/// Tokens in the unit that prices are given for.
const UNIT_TOKENS: u128 = 1_000_000;
/// Millionths in a dollar.
const MICRO: u64 = 1_000_000;
/// The most dollars that a million tokens may cost; more is a slip.
pub const RATE_LIMIT_DOLLARS: u64 = 1_000_000;

/// Agents that nobody is paid for, whatever the settings say: they ask nobody, or run a file on this machine. Servers are free
/// where they are asked on this machine.
const FREE: &[&str] = &["rehearsal", "scripted", "local"];
/// How the names of models end that a server of this machine's passes on to somebody else.
const PASSED_ON: &[&str] = &["-cloud", ":cloud"];

/// Agents that ask a maker's own models, and whose list they go by. Others may ask anybody.
const MAKERS: &[(&str, &str)] = &[
    ("anthropic", "anthropic"),
    ("claude", "anthropic"),
    ("openai", "openai"),
    ("codex", "openai"),
    ("google", "google"),
    ("gemini", "google"),
];

/// What tokens cost, in millionths of a US dollar per million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Tokens that are read, and perhaps kept by the provider for later calls.
    pub input: u64,
    /// Tokens that are written.
    pub output: u64,
    /// Tokens that are read and that the provider had kept from an earlier call.
    pub cached_input: u64,
}

/// Tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Read, the kept ones among them.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Of those read, the kept ones.
    pub cached: u64,
}

impl Rates {
    /// What a call cost, rounded up to a millionth of a dollar.
    pub fn cost(&self, used: Usage) -> u64 {
        let cached = used.cached.min(used.input);
        let part = |tokens: u64, rate: u64| u128::from(tokens) * u128::from(rate);
        let sum = part(used.input - cached, self.input)
            .saturating_add(part(cached, self.cached_input))
            .saturating_add(part(used.output, self.output));
        u64::try_from(sum.div_ceil(UNIT_TOKENS)).unwrap_or(u64::MAX)
    }
}

/// As a receipt says it, in US dollars per million tokens.
impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [input, output, cached] = [self.input, self.output, self.cached_input].map(dollars);
        write!(f, "input {input}, output {output}, cached_input {cached}")
    }
}

impl FromStr for Rates {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split(", ");
        let mut rate = |name: &str| {
            let amount = parts.next()?.strip_prefix(name)?.strip_prefix(' ')?;
            micro(amount.parse().ok()?)
        };
        let rates = (rate("input"), rate("output"), rate("cached_input"));
        match (rates, parts.next()) {
            ((Some(input), Some(output), Some(cached_input)), None) => Ok(Rates { input, output, cached_input }),
            _ => Err(()),
        }
    }
}

fn dollars(micro: u64) -> String {
    let text = format!("{}.{:06}", micro / MICRO, micro % MICRO);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Dollars as JSON has them, in millionths; none where it can be no price.
pub fn micro(dollars: f64) -> Option<u64> {
    let is_price = dollars.is_finite() && (0.0..=RATE_LIMIT_DOLLARS as f64).contains(&dollars);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    is_price.then(|| (dollars * MICRO as f64).round() as u64)
}

/// What an agent and its model cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Price {
    /// Nothing: no model is asked, or one on this machine.
    Free,
    /// So much.
    Priced(Priced),
    /// Nobody knows: tokens only.
    Unknown,
}

/// A price, and who says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priced {
    /// Who says so.
    pub by: By,
    rates: Rates,
    long: Option<(u64, Rates)>,
}

/// Who says what something costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum By {
    /// The maker's list, as it was on this day.
    List(String),
    /// The user's own configuration.
    Configuration,
}

/// As receipts say it.
impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            By::List(day) => write!(f, "list {day}"),
            By::Configuration => f.write_str("configured"),
        }
    }
}

impl Priced {
    /// The rates of a call that reads so many tokens.
    pub fn rates(&self, input_tokens: u64) -> Rates {
        match self.long {
            Some((above, rates)) if input_tokens > above => rates,
            _ => self.rates,
        }
    }

    /// What a call cost.
    pub fn cost(&self, used: Usage) -> u64 {
        self.rates(used.input).cost(used)
    }
}

/// Who is asked for what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The whole name, such as `openai:gpt-5`.
    pub(crate) agent: &'a str,
    /// The model, where one is known.
    pub(crate) model: Option<&'a str>,
    /// Whether it is asked at its maker's own address.
    pub(crate) is_at_maker: bool,
    /// Whether it is a server on this machine.
    pub(crate) is_here: bool,
}

/// What is known about the price of whom. What the user says goes before the list, and what is said about a model before what
/// is said about an agent.
pub(crate) fn price(asked: Asked<'_>, configured: &BTreeMap<String, Rates>) -> Price {
    let kind = kind(asked.agent);
    let is_passed_on = asked.model.is_some_and(|model| PASSED_ON.iter().any(|ending| model.ends_with(ending)));
    let is_free = FREE.contains(&kind) || (asked.is_here && !is_passed_on);
    let model = asked.model.map(bare);
    let own = |rates: &Rates| Price::Priced(Priced { by: By::Configuration, rates: *rates, long: None });
    // Where models are free, what a model of that name costs elsewhere says nothing.
    let of_model = || model.filter(|_| !is_free).and_then(|model| best(configured, model));
    if let Some(rates) = configured.get(asked.agent).or_else(of_model).or_else(|| configured.get(kind)) {
        return own(rates);
    }
    if is_free {
        return Price::Free;
    }
    let listed = || {
        let list = list().makers.get(maker(asked.agent, asked.model)?).filter(|_| asked.is_at_maker)?;
        let line = best(&list.models, model?)?;
        Some(Priced {
            by: By::List(list.as_of.clone()),
            rates: line.rates.rates()?,
            long: match &line.long {
                Some(long) => Some((long.above, long.rates.rates()?)),
                None => None,
            },
        })
    };
    listed().map_or(Price::Unknown, Price::Priced)
}

/// The agent's name without its model.
pub(crate) fn kind(agent: &str) -> &str {
    agent.split_once(':').map_or(agent, |(kind, _)| kind).trim()
}

/// Whose list an agent goes by.
pub(crate) fn maker(agent: &str, model: Option<&str>) -> Option<&'static str> {
    let kind = kind(agent);
    // opencode names the provider before the model.
    let named = match kind {
        "opencode" => model?.split_once('/')?.0,
        kind => kind,
    };
    MAKERS.iter().find(|(name, _)| *name == named).map(|(_, maker)| *maker)
}

/// A model's name without who serves it: `models/gemini-2.5-pro`, `anthropic/claude-opus-5`.
fn bare(model: &str) -> &str {
    let served_by =
        |(prefix, rest)| (prefix == "models" || MAKERS.iter().any(|(_, maker)| *maker == prefix)).then_some(rest);
    model.split_once('/').and_then(served_by).unwrap_or(model)
}

/// The line that says most exactly what this model is.
fn best<'t, T>(lines: &'t BTreeMap<String, T>, model: &str) -> Option<&'t T> {
    let fits = |name: &str| match name.strip_suffix('*') {
        Some(prefix) => model.starts_with(prefix),
        None => model.strip_prefix(name).is_some_and(is_snapshot),
    };
    let exact = |name: &str| !name.ends_with('*');
    let fitting = lines.iter().filter(|(name, _)| fits(name));
    fitting.max_by_key(|(name, _)| (exact(name), name.len())).map(|(_, line)| line)
}

/// What may follow a model's name without making it another model: nothing, or a day.
fn is_snapshot(rest: &str) -> bool {
    let Some(day) = rest.strip_prefix(['-', '@']) else { return rest.is_empty() };
    let digits = day.chars().filter(char::is_ascii_digit).count();
    digits == 8 && (day.len() == 8 || (day.len() == 10 && day.split('-').map(str::len).eq([4, 2, 2])))
}

#[derive(Debug, Default, Deserialize)]
struct List {
    as_of: String,
    makers: BTreeMap<String, Maker>,
}

#[derive(Debug, Deserialize)]
struct Maker {
    as_of: String,
    models: BTreeMap<String, Line>,
}

#[derive(Debug, Deserialize)]
struct Line {
    #[serde(flatten)]
    rates: Dollars,
    long: Option<Long>,
}

#[derive(Debug, Deserialize)]
struct Long {
    above: u64,
    #[serde(flatten)]
    rates: Dollars,
}

#[derive(Debug, Deserialize)]
struct Dollars {
    input: f64,
    output: f64,
    cached_input: Option<f64>,
    cache_write: Option<f64>,
}

impl Dollars {
    /// What a token that is read costs is not known before: it may be kept for later, which is dearer. Errs on that side.
    fn rates(&self) -> Option<Rates> {
        Some(Rates {
            input: micro(self.input.max(self.cache_write.unwrap_or(0.0)))?,
            output: micro(self.output)?,
            cached_input: micro(self.cached_input.unwrap_or(self.input))?,
        })
    }
}

fn list() -> &'static List {
    static READ: OnceLock<List> = OnceLock::new();
    // The file is part of the program, and a test reads it: a broken one means no prices, not no program.
    READ.get_or_init(|| serde_json::from_str(FILE).unwrap_or_default())
}

/// The day of the list of prices.
pub fn prices_as_of() -> &'static str {
    &list().as_of
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(agent: &str, model: Option<&str>) -> Price {
        price(Asked { agent, model, is_at_maker: true, is_here: false }, &BTreeMap::new())
    }

    fn rates(input: u64, output: u64, cached_input: u64) -> Rates {
        Rates { input, output, cached_input }
    }

    fn listed(agent: &str, model: &str) -> Priced {
        match of(agent, Some(model)) {
            Price::Priced(priced) => priced,
            other => panic!("{agent} {model}: {other:?}"),
        }
    }

    #[test]
    fn the_list_is_read_whole() {
        let list = list();
        assert_eq!(list.makers.len(), 3);
        let is_day = |day: &str| is_snapshot(&format!("-{day}"));
        assert!(is_day(&list.as_of));
        for maker in list.makers.values() {
            assert!(is_day(&maker.as_of) && maker.as_of <= list.as_of);
            for (model, line) in &maker.models {
                let rates = line.rates.rates().unwrap_or_else(|| panic!("{model}"));
                assert!(0 < rates.cached_input && rates.cached_input <= rates.input, "{model}");
                assert!(rates.input < rates.output, "{model}");
                if let Some(long) = &line.long {
                    assert!(long.rates.rates().unwrap().input > rates.input, "{model}");
                }
            }
        }
    }

    /// The models that forge asks for by itself have a price.
    #[test]
    fn default_models_are_listed() {
        for agent in ["anthropic", "openai", "google", "gemini"] {
            let model = crate::recipes::default_model(agent);
            assert!(matches!(of(agent, model), Price::Priced(_)), "{agent}: {model:?}");
        }
    }

    #[test]
    fn a_snapshot_costs_what_its_model_costs_and_another_model_is_another() {
        let sol = listed("openai", "gpt-6.1-sol");
        assert_eq!(sol.rates(1), rates(2_500_000, 10_000_000, 100_000));
        assert_eq!(sol.by.to_string(), "list 2026-10-16");
        for same in ["gpt-6.1-sol-2026-09-29", "gpt-6.1-sol-20260929", "gpt-6.1-sol@20260929", "openai/gpt-6.1-sol"] {
            assert_eq!(listed("codex", same), sol, "{same}");
        }
        for other in ["gpt-6.1-sol-pro", "gpt-6.1-so", "gpt-6.1", "gpt-6.1-sol-2026", "gpt-6.1-sol-2026-9-29", ""] {
            assert_eq!(of("openai", Some(other)), Price::Unknown, "{other}");
        }
        assert_ne!(listed("anthropic", "claude-opus-5-5"), listed("anthropic", "claude-opus-5"));
        assert_eq!(listed("google", "models/gemini-2.5-pro"), listed("gemini", "gemini-2.5-pro"));
    }

    #[test]
    fn a_list_is_its_makers_own() {
        assert_eq!(of("claude", Some("gpt-6.1-sol")), Price::Unknown);
        assert_eq!(of("openrouter", Some("openai/gpt-6.1-sol")), Price::Unknown, "a reseller has its own prices");
        assert_eq!(of("acme", Some("gpt-6.1-sol")), Price::Unknown);
        assert_eq!(of("claude", None), Price::Unknown);
        assert_eq!(of("opencode", Some("acme/gpt-6.1-sol")), Price::Unknown);
        assert_eq!(listed("opencode", "openai/gpt-6.1-sol"), listed("openai", "gpt-6.1-sol"));
        let elsewhere = Asked { agent: "openai", model: Some("gpt-6.1-sol"), is_at_maker: false, is_here: false };
        assert_eq!(price(elsewhere, &BTreeMap::new()), Price::Unknown);
    }

    #[test]
    fn what_runs_here_is_free() {
        for agent in ["rehearsal", "scripted:a.yaml", "local:/m.gguf"] {
            assert_eq!(of(agent, None), Price::Free, "{agent}");
        }
        let ollama = |model, is_here| {
            let asked = Asked { agent: "ollama", model: Some(model), is_at_maker: false, is_here };
            price(asked, &BTreeMap::new())
        };
        assert_eq!(ollama("gpt-6.1-sol", true), Price::Free);
        assert_eq!(ollama("gpt-6.1-sol", false), Price::Unknown);
        for elsewhere in ["gpt-oss:120b-cloud", "glm-4.6:cloud"] {
            assert_eq!(ollama(elsewhere, true), Price::Unknown, "{elsewhere}");
        }
    }

    #[test]
    fn what_the_user_says_goes_first_and_the_most_exact_of_it() {
        let said: BTreeMap<String, Rates> =
            [("gpt-*", 1), ("gpt-6*", 2), ("gpt-6.1-sol", 3), ("openai", 4), ("openai:gpt-6-luna", 5), ("ollama", 6)]
                .map(|(name, input)| (name.to_owned(), rates(input, 0, 0)))
                .into();
        let input = |agent: &str, model: Option<&str>| match price(
            Asked { agent, model, is_at_maker: true, is_here: agent.starts_with("ollama") },
            &said,
        ) {
            Price::Priced(priced) if priced.by == By::Configuration => priced.rates(1).input,
            other => panic!("{agent} {model:?}: {other:?}"),
        };
        assert_eq!(input("openai:gpt-5.5", Some("gpt-5.5")), 1);
        assert_eq!(input("openai:gpt-6-sol", Some("gpt-6-sol")), 2);
        assert_eq!(input("openai:gpt-6.1-sol", Some("gpt-6.1-sol-2026-09-29")), 3);
        assert_eq!(input("openai:x", Some("x")), 4);
        assert_eq!(input("openai:gpt-6-luna", Some("gpt-6-luna")), 5);
        assert_eq!(input("ollama:gpt-6.1-sol", Some("gpt-6.1-sol")), 6, "of this agent, whatever the model");
        let lmstudio = Asked { agent: "lmstudio:gpt-6", model: Some("gpt-6"), is_at_maker: true, is_here: true };
        assert_eq!(price(lmstudio, &said), Price::Free);
    }

    #[test]
    fn costs_are_rounded_up_and_never_wrap() {
        let cheap = rates(100_000, 500_000, 10_000);
        let cost = |input, output, cached| cheap.cost(Usage { input, output, cached });
        assert_eq!(cost(0, 0, 0), 0);
        assert_eq!(cost(1, 0, 0), 1, "a tenth of a millionth is one");
        assert_eq!(cost(10, 0, 0), 1);
        assert_eq!(cost(11, 0, 0), 2);
        assert_eq!(cost(1_000_000, 1_000_000, 0), 600_000);
        assert_eq!(cost(1_000_000, 0, 1_000_000), 10_000);
        assert_eq!(cost(10, 0, 1_000_000), 1, "no more was kept than was read");
        let dear = rates(u64::MAX, u64::MAX, u64::MAX);
        assert_eq!(dear.cost(Usage { input: u64::MAX, output: u64::MAX, cached: 0 }), u64::MAX);
        assert_eq!(rates(0, 0, 0).cost(Usage { input: 5, output: 5, cached: 0 }), 0);
    }

    #[test]
    fn a_long_call_costs_more_in_whole() {
        let haiku = listed("anthropic", "claude-haiku-5-5");
        let cost = |input| haiku.cost(Usage { input, output: 0, cached: 0 });
        assert_eq!(cost(100_000), 12_500);
        assert_eq!(cost(100_001), 62_501);
    }

    #[test]
    fn rates_are_read_as_they_are_written() {
        for rates in [rates(2_500_000, 10_000_000, 100_000), rates(0, 1, 999_999), rates(15_000_000, 0, 1_000_001)] {
            assert_eq!(rates.to_string().parse(), Ok(rates), "{rates}");
        }
        assert_eq!(rates(2_500_000, 10_000_000, 100_000).to_string(), "input 2.5, output 10, cached_input 0.1");
        for text in ["", "input 2", "input 2, output 10, cached_input -1", "input 2, output 10, cached_input NaN, x 1"]
        {
            assert_eq!(text.parse::<Rates>(), Err(()), "{text}");
        }
    }
}
