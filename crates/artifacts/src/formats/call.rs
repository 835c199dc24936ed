//! The two files of a call: the brief, written before it (the intent), and the raw reply under its receipt, written
//! after it. If the process dies between the two, the call is "possibly paid", and the next run says so.

use super::money::{BY_NOBODY, dollars, microdollars};
use super::{FrontMatter, believed, scalar};
use crate::document::{Document, Front};
use crate::stamp::Stamp;
use forge_debate::digest::Digest;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Why a brief was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The first ask.
    Ask,
    /// The repair of a reply that missed its form.
    Repair,
    /// The first ask again, after a run that ended before the reply.
    Again,
}

impl Purpose {
    /// The word used in files.
    pub fn word(self) -> &'static str {
        match self {
            Purpose::Ask => "ask",
            Purpose::Repair => "repair",
            Purpose::Again => "again",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Purpose::Ask, Purpose::Repair, Purpose::Again].into_iter().find(|p| p.word() == word)
    }
}

/// What stands above a brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The debate.
    pub debate: String,
    /// The attempt, from 1.
    pub attempt: u32,
    /// Why.
    pub purpose: Purpose,
    /// Who is asked.
    pub agent: String,
    /// When.
    pub asked_at: Stamp,
    /// Tokens set aside for this call.
    pub reserved_tokens: u64,
    /// Money set aside for this call, in millionths of a US dollar; none where it has no price.
    pub reserved_cost: Option<u64>,
    /// The digest of the brief's text.
    pub brief: Digest,
    /// What wrote the brief: a forge with the same words for it must write the same brief again.
    pub wording: Digest,
}

/// Writes a brief under its intent; `turn` is the turn's slug.
pub fn write_brief(intent: &Intent, turn: &str, text: &str) -> String {
    let front = FrontMatter::default()
        .text("debate", &intent.debate)
        .text("turn", turn)
        .number("attempt", intent.attempt)
        .text("purpose", intent.purpose.word())
        .text("agent", &intent.agent)
        .text("asked_at", &intent.asked_at.to_string())
        .number("reserved_tokens", intent.reserved_tokens);
    let front = match intent.reserved_cost {
        Some(cost) => front.number("reserved_cost", dollars(cost)),
        None => front,
    };
    front.text("brief", &intent.brief.to_string()).text("wording", &intent.wording.to_string()).finish(text)
}

/// Reads the intent above a brief.
pub fn read_intent(bytes: &[u8]) -> Option<Intent> {
    read_brief(bytes).map(|(intent, _)| intent)
}

/// Reads a brief's file: the intent, and the bytes that were sent.
pub fn read_brief(bytes: &[u8]) -> Option<(Intent, Vec<u8>)> {
    let (map, text) = header(bytes)?;
    let intent = Intent {
        debate: scalar(&map, "debate")?,
        attempt: scalar(&map, "attempt")?.parse().ok()?,
        purpose: Purpose::parse(&scalar(&map, "purpose")?)?,
        agent: scalar(&map, "agent")?,
        asked_at: Stamp::parse(&scalar(&map, "asked_at")?)?,
        reserved_tokens: scalar(&map, "reserved_tokens")?.parse().ok()?,
        reserved_cost: scalar(&map, "reserved_cost").and_then(|text| microdollars(&text)),
        brief: Digest::parse(&scalar(&map, "brief")?)?,
        wording: Digest::parse(&scalar(&map, "wording")?)?,
    };
    Some((intent, text))
}

/// What a call was and cost, as it stands above the raw reply.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReceiptOnFile {
    /// The attempt, from 1.
    pub attempt: u32,
    /// Who was asked.
    pub agent: String,
    /// What was run or called.
    pub program: String,
    /// Its version.
    pub version: Option<String>,
    /// The arguments that a program was started with, on one line, without secrets.
    pub arguments: Option<String>,
    /// What a program was held in.
    pub sandbox: Option<String>,
    /// The model asked for.
    pub model_asked: Option<String>,
    /// The model that served.
    pub model_served: Option<String>,
    /// When it was asked.
    pub asked_at: String,
    /// When it answered.
    pub answered_at: String,
    /// How long it took.
    pub milliseconds: u64,
    /// Tokens read.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// Of the tokens read, those that the provider had kept from an earlier call.
    pub cached_tokens: Option<u64>,
    /// What it cost, in millionths of a US dollar.
    pub cost_microdollars: Option<u64>,
    /// Who says so: `agent`, `free`, `configured`, or `list` with its day; none where there is no cost.
    pub cost_by: Option<String>,
    /// What its tokens were multiplied with, where nobody told the cost.
    pub cost_rates: Option<String>,
    /// HTTP status or exit code.
    pub exit: Option<i64>,
    /// Tries within the call.
    pub tries: u32,
    /// Of those, the ones that may have been paid and that nobody said the usage of.
    pub untold_tries: u32,
    /// Bytes of the reply.
    pub bytes: u64,
    /// The failure's word, where the call failed.
    pub failure: Option<String>,
    /// What happened, where the call failed.
    pub detail: Option<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Writes a raw reply under its receipt. The bytes after the header are the reply, exactly.
pub fn write_reply(receipt: &ReceiptOnFile, raw: &[u8]) -> Vec<u8> {
    let notes: Vec<Vec<(&str, String)>> = receipt.notes.iter().map(|note| vec![("note", note.clone())]).collect();
    let mut header = FrontMatter::default()
        .number("attempt", receipt.attempt)
        .text("agent", &receipt.agent)
        .text("program", &receipt.program)
        .maybe("version", receipt.version.as_deref());
    // Said of programs only: what is asked over a wire has neither.
    for (key, said) in [("arguments", &receipt.arguments), ("sandbox", &receipt.sandbox)] {
        if let Some(said) = said {
            header = header.text(key, said);
        }
    }
    header = header
        .maybe("model_asked", receipt.model_asked.as_deref())
        .maybe("model_served", receipt.model_served.as_deref())
        .text("asked_at", &receipt.asked_at)
        .text("answered_at", &receipt.answered_at)
        .number("milliseconds", receipt.milliseconds)
        .maybe_number("input_tokens", believed(receipt.input_tokens))
        .maybe_number("output_tokens", believed(receipt.output_tokens));
    if let Some(cached) = believed(receipt.cached_tokens) {
        header = header.number("cached_tokens", cached);
    }
    if let Some(cost) = receipt.cost_microdollars {
        header = header.number("cost", dollars(cost));
    }
    for (key, said) in [("cost_by", &receipt.cost_by), ("cost_rates", &receipt.cost_rates)] {
        if let Some(said) = said {
            header = header.text(key, said);
        }
    }
    header = header.maybe_number("exit", receipt.exit).number("tries", receipt.tries);
    if receipt.untold_tries > 0 {
        header = header.number("untold_tries", receipt.untold_tries);
    }
    let header = header
        .number("bytes", receipt.bytes)
        .maybe("failure", receipt.failure.as_deref())
        .maybe("detail", receipt.detail.as_deref())
        .text("reply", &Digest::of(raw).to_string())
        .records("notes", &notes)
        .finish("");
    let mut file = header.into_bytes();
    file.extend_from_slice(raw);
    file
}

/// Reads a reply file: the receipt, and the raw bytes.
pub fn read_reply(bytes: &[u8]) -> Option<(ReceiptOnFile, Vec<u8>)> {
    let (map, raw) = header(bytes)?;
    let number = |key: &str| scalar(&map, key).and_then(|text| text.parse::<u64>().ok());
    let receipt = ReceiptOnFile {
        attempt: scalar(&map, "attempt")?.parse().ok()?,
        agent: scalar(&map, "agent")?,
        program: scalar(&map, "program").unwrap_or_default(),
        version: scalar(&map, "version"),
        arguments: scalar(&map, "arguments"),
        sandbox: scalar(&map, "sandbox"),
        model_asked: scalar(&map, "model_asked"),
        model_served: scalar(&map, "model_served"),
        asked_at: scalar(&map, "asked_at").unwrap_or_default(),
        answered_at: scalar(&map, "answered_at").unwrap_or_default(),
        milliseconds: number("milliseconds").unwrap_or(0),
        input_tokens: believed(number("input_tokens")),
        output_tokens: believed(number("output_tokens")),
        cached_tokens: believed(number("cached_tokens")),
        cost_microdollars: scalar(&map, "cost").and_then(|text| microdollars(&text)),
        cost_by: scalar(&map, "cost_by"),
        cost_rates: scalar(&map, "cost_rates"),
        exit: scalar(&map, "exit").and_then(|text| text.parse().ok()),
        tries: scalar(&map, "tries").and_then(|text| text.parse().ok()).unwrap_or(1),
        untold_tries: scalar(&map, "untold_tries").and_then(|text| text.parse().ok()).unwrap_or(0),
        bytes: number("bytes").unwrap_or(0),
        failure: scalar(&map, "failure"),
        detail: scalar(&map, "detail"),
        notes: match map.get("notes") {
            Some(Value::Array(notes)) => {
                notes.iter().filter_map(|note| note.get("note")?.as_str()).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        },
    };
    // A reply whose bytes are not those the receipt names was cut or edited: it is not there.
    let whole = scalar(&map, "reply").and_then(|text| Digest::parse(&text)) == Some(Digest::of(&raw));
    whole.then_some((receipt, raw))
}

/// What counts against a cap of what a call used: what was told, and for every try that may have been paid and told nothing
/// what was set aside for the call. A call that told nothing at all counts as one such try at least.
pub fn charged(told: Option<u64>, set_aside: u64, untold_tries: u32) -> u64 {
    let tries = if told.is_none() { untold_tries.max(1) } else { untold_tries };
    told.unwrap_or(0).saturating_add(set_aside.saturating_mul(u64::from(tries)))
}

/// How many of the calls and tries behind a cost may have been paid while nobody says how much; none where there is no cost at
/// all, and none that was refused before anything was computed.
pub fn without_cost<'r>(receipts: impl IntoIterator<Item = &'r ReceiptOnFile>) -> u32 {
    let (mut is_priced, mut count) = (false, 0u32);
    for receipt in receipts {
        let is_refused = receipt.failure.as_deref().is_some_and(|word| REFUSED.contains(&word));
        let untold = match receipt.cost_microdollars {
            Some(_) if receipt.cost_by.as_deref() == Some(BY_NOBODY) => 0,
            Some(_) => receipt.untold_tries,
            None if is_refused => receipt.untold_tries,
            None => receipt.untold_tries.max(1),
        };
        is_priced |= receipt.cost_microdollars.is_some();
        count = count.saturating_add(untold);
    }
    if is_priced { count } else { 0 }
}

/// Failures of calls that nobody is paid for.
const REFUSED: &[&str] = &["no_auth", "rate_limited", "unreachable"];

/// Who says what these calls cost, each once: what stands above their turn.
pub fn cost_by<'r>(receipts: impl IntoIterator<Item = &'r ReceiptOnFile>) -> Option<String> {
    let said: BTreeSet<&str> = receipts.into_iter().filter_map(|receipt| receipt.cost_by.as_deref()).collect();
    (!said.is_empty()).then(|| said.into_iter().collect::<Vec<_>>().join(", "))
}

/// Splits our own header from the bytes after it. The header is ours and ASCII-safe, so a byte search is exact.
pub(super) fn header(bytes: &[u8]) -> Option<(Map<String, Value>, Vec<u8>)> {
    const END: &[u8] = b"\n---\n";
    let end = bytes.windows(END.len()).position(|window| window == END)? + END.len();
    let head = std::str::from_utf8(bytes.get(..end)?).ok()?;
    match Document::parse(head).front {
        Front::Fields(map) => Some((map, bytes.get(end..)?.to_vec())),
        _ => None,
    }
}
