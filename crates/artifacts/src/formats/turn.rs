//! Turn files: a seat's contribution under a header that ties it to its brief, its raw reply, the plan and the record
//! before it.
//!
//! The body is the reply, cleaned. What counts is read from the body every time; the header repeats no ballot, so
//! there are no two truths.

use super::commitment::{self, Host};
use super::money::{dollars, microdollars};
use super::{FrontMatter, believed, scalar};
use crate::document::{Document, Front};
use forge_debate::digest::Digest;
use forge_debate::turn::{Absence, AbsenceKind, TurnKey, slug};
use serde_json::{Map, Value};

/// The most attempts at one turn. A header that counts more was not written by forge.
pub const ATTEMPTS_LIMIT: u32 = 100;

/// Marks a file as a turn that forge wrote, and its format's version.
const MARK: &str = "forge_turn";
const VERSION: &str = "1";

/// What stands above a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnHeader {
    /// The debate.
    pub debate: String,
    /// The seat's role text.
    pub role: String,
    /// Who moved the seat: an agent's name, `human`, `outside`.
    pub agent: String,
    /// Whether the rehearsal agent spoke.
    pub rehearsal: bool,
    /// The model asked for.
    pub model_asked: Option<String>,
    /// The model that served.
    pub model_served: Option<String>,
    /// When the seat was first asked.
    pub asked_at: String,
    /// When it answered.
    pub answered_at: String,
    /// Calls made for this turn.
    pub attempts: u32,
    /// Tokens read, over all attempts.
    pub input_tokens: Option<u64>,
    /// Tokens written, over all attempts.
    pub output_tokens: Option<u64>,
    /// What it cost over all attempts, in millionths of a US dollar.
    pub cost_microdollars: Option<u64>,
    /// Who says so, as its receipts do; none where there is no cost.
    pub cost_by: Option<String>,
    /// Calls and tries that may have been paid and are not in that cost.
    pub calls_without_cost: u32,
    /// The digest of the brief that was answered.
    pub brief: Option<Digest>,
    /// The digest of the raw reply, or of the text that somebody left.
    pub reply: Option<Digest>,
    /// The files of every call that was made for this turn, in order.
    pub calls: Vec<CallFiles>,
    /// How many words that look like keys were removed from what was left outside; the file itself may still have them.
    pub keys_removed: u32,
    /// The host whose shell handed the words in, if one did.
    pub host: Option<Host>,
    /// Votes of an earlier reply that stand although the repair says otherwise, by field.
    pub kept_votes: Vec<(String, String)>,
    /// The digest of the sealed plan.
    pub plan: Digest,
    /// The digest of the record before this turn's wave: the chain.
    pub previous: Digest,
}

/// The two files of a call, by the digests of all their bytes: receipts cannot be changed unnoticed either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallFiles {
    /// The brief.
    pub brief: Digest,
    /// The reply under its receipt, where one came.
    pub reply: Option<Digest>,
}

impl TurnHeader {
    /// The header of a turn for which forge called nobody.
    pub fn uncalled(debate: &str, role: &str, agent: &str, at: &str, plan: Digest, previous: Digest) -> Self {
        Self {
            debate: debate.to_owned(),
            role: role.to_owned(),
            agent: agent.to_owned(),
            rehearsal: false,
            model_asked: None,
            model_served: None,
            asked_at: at.to_owned(),
            answered_at: at.to_owned(),
            attempts: 0,
            input_tokens: None,
            output_tokens: None,
            cost_microdollars: None,
            cost_by: None,
            calls_without_cost: 0,
            brief: None,
            reply: None,
            calls: Vec::new(),
            keys_removed: 0,
            host: None,
            kept_votes: Vec::new(),
            plan,
            previous,
        }
    }
}

/// What a turn file holds before its body is held against a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnBody {
    /// Words.
    Speech(String),
    /// The whole text of a file that somebody left, its own front matter included.
    Left(String),
    /// None.
    Absence(Absence),
}

/// Writes a turn.
pub fn write(key: &TurnKey, header: &TurnHeader, body: &TurnBody) -> String {
    let (kind, absence) = match body {
        TurnBody::Speech(_) => ("speech", None),
        TurnBody::Left(_) => ("left", None),
        TurnBody::Absence(absence) => ("absence", Some(absence)),
    };
    let digest = |digest: &Option<Digest>| digest.map(|digest| digest.to_string());
    let mut front = FrontMatter::default()
        .raw(MARK, VERSION)
        .text("debate", &header.debate)
        .text("seat", key.seat.as_str())
        .text("role", &header.role)
        .text("stage", key.stage.0)
        .number("round", key.round)
        .text("kind", kind)
        .text("agent", &header.agent)
        .raw("rehearsal", if header.rehearsal { "true" } else { "false" })
        .maybe("model_asked", header.model_asked.as_deref())
        .maybe("model_served", header.model_served.as_deref())
        .text("asked_at", &header.asked_at)
        .text("answered_at", &header.answered_at)
        .number("attempts", header.attempts)
        .maybe_number("input_tokens", believed(header.input_tokens))
        .maybe_number("output_tokens", believed(header.output_tokens))
        .maybe_number("cost", header.cost_microdollars.map(dollars));
    if let Some(said) = &header.cost_by {
        front = front.text("cost_by", said);
    }
    if header.calls_without_cost > 0 {
        front = front.number("calls_without_cost", header.calls_without_cost);
    }
    front = front
        .maybe("brief", digest(&header.brief).as_deref())
        .maybe("reply", digest(&header.reply).as_deref())
        .text("calls", &header.calls.iter().map(call_text).collect::<Vec<_>>().join(", "));
    if header.keys_removed > 0 {
        front = front.number("keys_removed", header.keys_removed);
    }
    front = commitment::of_host(front, header.host.as_ref());
    if !header.kept_votes.is_empty() {
        let votes: Vec<String> = header.kept_votes.iter().map(|(field, vote)| format!("{field}={vote}")).collect();
        front = front.text("kept_votes", &votes.join(", "));
    }
    front = front.text("plan", &header.plan.to_string()).text("previous", &header.previous.to_string());
    if let Some(absence) = absence {
        front = front.text("absence", absence.kind.word()).text("detail", &absence.detail);
    }
    let text = match body {
        TurnBody::Speech(text) => format!("\n{}\n", text.trim()),
        TurnBody::Left(text) => format!("\n{text}"),
        TurnBody::Absence(absence) => {
            format!("\n*{} did not speak: it {}. {}*\n", key.seat, absence.kind.phrase(), absence.detail)
        }
    };
    front.finish(&text)
}

/// A call on one line: a header is as long after one call as after ten, and findings keep their lines.
fn call_text(call: &CallFiles) -> String {
    let reply = call.reply.map_or_else(|| "none".to_owned(), |digest| digest.to_string());
    format!("{} {reply}", call.brief)
}

/// A turn file that forge wrote, read back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnFile {
    /// The header.
    pub header: TurnHeader,
    /// The stage, round and seat as written, to be held against the ask.
    pub written_key: String,
    /// The body.
    pub body: TurnBody,
    /// The line on which the body begins.
    pub body_line: usize,
}

/// What a file at a turn's place is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Read {
    /// A turn that forge wrote.
    Ours(Box<TurnFile>),
    /// A file that somebody else wrote: its words, if they are in form, are the turn.
    Plain,
    /// A turn that forge wrote and that is damaged.
    Damaged {
        /// Where.
        line: usize,
        /// How.
        text: String,
    },
}

/// Reads a file at a turn's place.
pub fn read(text: &str) -> Read {
    let document = Document::parse(text);
    let map = match &document.front {
        Front::Fields(map) if map.contains_key(MARK) => map,
        Front::Broken { line, text: problem } if text.starts_with(&format!("---\n{MARK}:")) => {
            return Read::Damaged { line: *line, text: problem.clone() };
        }
        _ => return Read::Plain,
    };
    let header = match header(map) {
        Ok(header) => header,
        Err(key) => return Read::Damaged { line: 1, text: format!("{key:?} is missing or damaged in the header") },
    };
    let written = |key: &str| scalar(map, key).unwrap_or_default();
    let body = match written("kind").as_str() {
        "absence" => match AbsenceKind::parse(&written("absence")) {
            Some(kind) => TurnBody::Absence(Absence { kind, detail: written("detail") }),
            None => return Read::Damaged { line: 1, text: "an absence of no known kind".to_owned() },
        },
        "left" => TurnBody::Left(document.body.strip_prefix('\n').unwrap_or(&document.body).to_owned()),
        _ => TurnBody::Speech(document.body.trim().to_owned()),
    };
    let written_key = slug(&written("stage"), &written("round"), &written("seat"));
    Read::Ours(Box::new(TurnFile { header, written_key, body, body_line: document.body_line }))
}

fn header(map: &Map<String, Value>) -> Result<TurnHeader, &'static str> {
    let text = |key: &'static str| scalar(map, key).ok_or(key);
    let digest = |key: &'static str| scalar(map, key).and_then(|text| Digest::parse(&text));
    Ok(TurnHeader {
        debate: text("debate")?,
        role: text("role")?,
        agent: text("agent")?,
        rehearsal: scalar(map, "rehearsal").as_deref() == Some("true"),
        model_asked: scalar(map, "model_asked"),
        model_served: scalar(map, "model_served"),
        asked_at: text("asked_at")?,
        answered_at: text("answered_at")?,
        attempts: text("attempts")?.parse().ok().filter(|attempts| *attempts <= ATTEMPTS_LIMIT).ok_or("attempts")?,
        input_tokens: believed(scalar(map, "input_tokens").and_then(|text| text.parse().ok())),
        output_tokens: believed(scalar(map, "output_tokens").and_then(|text| text.parse().ok())),
        cost_microdollars: scalar(map, "cost").and_then(|text| microdollars(&text)),
        cost_by: scalar(map, "cost_by"),
        calls_without_cost: scalar(map, "calls_without_cost").and_then(|text| text.parse().ok()).unwrap_or(0),
        brief: digest("brief"),
        reply: digest("reply"),
        calls: calls(map)?,
        keys_removed: scalar(map, "keys_removed").and_then(|text| text.parse().ok()).unwrap_or(0),
        host: commitment::host_in(map),
        kept_votes: kept_votes(&scalar(map, "kept_votes").unwrap_or_default()),
        plan: digest("plan").ok_or("plan")?,
        previous: digest("previous").ok_or("previous")?,
    })
}

fn kept_votes(text: &str) -> Vec<(String, String)> {
    let votes = text.split(", ").filter_map(|vote| vote.split_once('='));
    votes.map(|(field, vote)| (field.to_owned(), vote.to_owned())).collect()
}

fn calls(map: &Map<String, Value>) -> Result<Vec<CallFiles>, &'static str> {
    let text = scalar(map, "calls").ok_or("calls")?;
    let call = |text: &str| {
        let (brief, reply) = text.split_once(' ')?;
        let reply = if reply == "none" { None } else { Some(Digest::parse(reply)?) };
        Some(CallFiles { brief: Digest::parse(brief)?, reply })
    };
    let parts = text.split(", ").filter(|part| !part.is_empty());
    parts.map(call).collect::<Option<Vec<_>>>().ok_or("calls")
}
