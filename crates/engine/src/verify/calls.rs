//! The calls behind a turn: every brief and every reply with its receipt, held against the turn and against the rule by
//! which one reply is taken (`attempts`).

use super::{Kind, Verification};
use crate::attempts::{self, Asked, Ruling};
use crate::workspace::EngineError;
use forge_agents::prices::{Rates, Usage};
use forge_artifacts::formats::call::{self, ReceiptOnFile};
use forge_artifacts::formats::money;
use forge_artifacts::formats::turn::{CallFiles, TurnHeader};
use forge_artifacts::store::{ATTEMPTS_LIMIT, Attempt, DebateFiles};
use forge_debate::digest::Digest;
use forge_debate::form::Writer;
use forge_debate::record::Ask;
use forge_debate::turn::AbsenceKind;

/// One call as its files tell it.
pub(super) struct Call {
    brief: Option<Vec<u8>>,
    reply: Option<Vec<u8>>,
    /// The text that was sent, where the brief can be read.
    text: Option<Vec<u8>>,
    /// What the rule goes by.
    pub(super) attempt: Attempt,
}

/// What must be on record, given the calls.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// The reply with this digest, with votes of the one before it that stand.
    Speech(Digest, Vec<(String, String)>),
    /// An absence of this kind.
    Absence(AbsenceKind),
    /// An absence, or nothing yet: nobody answered, or there was no budget for a repair.
    Silence,
}

/// Every call for a turn that is on file, and at least as many as the turn says.
pub(super) fn read(files: &DebateFiles, slug: &str, said: u32) -> Result<Vec<Call>, EngineError> {
    let mut calls = Vec::new();
    for number in 1..=ATTEMPTS_LIMIT {
        let brief = files.disk().read(&path(files, "briefs", slug, number))?;
        let reply = files.disk().read(&path(files, "replies", slug, number))?;
        if number > said && brief.is_none() && reply.is_none() {
            break;
        }
        let (intent, text) = brief.as_deref().and_then(call::read_brief).unzip();
        let answer = reply.as_deref().and_then(call::read_reply);
        let digests = CallFiles {
            brief: Digest::of(brief.as_deref().unwrap_or_default()),
            reply: reply.as_deref().map(Digest::of),
        };
        calls.push(Call { brief, reply, text, attempt: Attempt { number, intent, reply: answer, files: digests } });
    }
    Ok(calls)
}

/// The file of a call.
fn path(files: &DebateFiles, folder: &str, slug: &str, number: u32) -> String {
    files.layout.trail(&format!("{folder}/{slug}.{number}.md"))
}

/// Holds each call's files against the digests that the turn names and against themselves.
pub(super) fn check_files(
    files: &DebateFiles,
    slug: &str,
    header: &TurnHeader,
    turn_file: &str,
    calls: &[Call],
    report: &mut Verification,
) {
    for call in calls.iter().take(header.attempts as usize) {
        let number = call.attempt.number;
        let pinned = header.calls.get(number as usize - 1);
        let brief_file = path(files, "briefs", slug, number);
        let reply_file = path(files, "replies", slug, number);
        match (&call.brief, pinned) {
            (None, _) => report.found(Kind::Dropped, &brief_file, format!("a brief that {turn_file} counts is gone")),
            (Some(bytes), Some(pinned)) if Digest::of(bytes) != pinned.brief => {
                report.found(Kind::Receipt, &brief_file, format!("it is not the file that {turn_file} names"));
            }
            (Some(bytes), Some(_)) if is_torn(bytes) => report.note(torn(&brief_file)),
            (Some(bytes), _) => {
                if let Some(problem) = brief_problem(files, slug, call, bytes, header) {
                    report.found(Kind::Receipt, &brief_file, problem);
                }
            }
        }
        match (&call.reply, pinned.map(|pinned| pinned.reply)) {
            (None, Some(Some(_))) => {
                report.found(Kind::Dropped, &reply_file, format!("a reply that {turn_file} names is gone"));
            }
            (None, _) => {}
            (Some(_), Some(None)) => {
                report.found(Kind::Added, &reply_file, format!("{turn_file} says that this call had no reply"));
            }
            (Some(bytes), Some(Some(pinned))) if Digest::of(bytes) != pinned => {
                report.found(Kind::Receipt, &reply_file, format!("it is not the file that {turn_file} names"));
            }
            (Some(bytes), _) if is_torn(bytes) => report.note(torn(&reply_file)),
            (Some(bytes), _) => {
                if let Some(problem) = reply_problem(call, bytes) {
                    report.found(Kind::Receipt, &reply_file, problem);
                }
            }
        }
    }
    for call in calls.iter().skip(header.attempts as usize) {
        let file = path(files, if call.brief.is_some() { "briefs" } else { "replies" }, slug, call.attempt.number);
        let text = format!("a call that {turn_file} does not count: it says {} of them", header.attempts);
        match (&call.attempt.reply, header.attempts) {
            // Somebody left the words while a call was lost: it is on file, and nothing came of it.
            (None, 0) => report.note(format!("{file}: {text}")),
            _ => report.found(Kind::ReAsked, file, text),
        }
    }
    if header.calls.len() != header.attempts as usize {
        report.found(Kind::Edited, turn_file, "it counts other calls than it names");
    }
}

/// Whether nothing of a file came onto the medium: the machine lost its power before it was settled. Its turn, which was made
/// later, names it as it is.
fn is_torn(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

fn torn(file: &str) -> String {
    format!("{file}: it is empty: the machine stopped while it was written, and the seat was asked again")
}

fn brief_problem(files: &DebateFiles, slug: &str, call: &Call, bytes: &[u8], header: &TurnHeader) -> Option<String> {
    let (Some(intent), Some(text)) = (&call.attempt.intent, &call.text) else {
        return Some("its header cannot be read".to_owned());
    };
    let spelled = std::str::from_utf8(text).is_ok_and(|text| call::write_brief(intent, slug, text).as_bytes() == bytes);
    if intent.debate != files.plan.id || intent.attempt != call.attempt.number {
        Some(format!("it says that it is call {} of {}", intent.attempt, intent.debate))
    } else if Digest::of(text) != intent.brief {
        Some("its text is not the one that its header names".to_owned())
    } else if intent.agent != header.agent {
        Some(format!("it says that {} was asked, and the turn says {}", intent.agent, header.agent))
    } else if !spelled {
        Some("its header is not as forge writes it, or names another turn".to_owned())
    } else {
        None
    }
}

fn reply_problem(call: &Call, bytes: &[u8]) -> Option<String> {
    let Some((receipt, raw)) = &call.attempt.reply else {
        return Some("its receipt cannot be read, or names another reply than the one below it".to_owned());
    };
    let intent = call.attempt.intent.as_ref();
    if receipt.attempt != call.attempt.number {
        Some(format!("its receipt is that of call {}", receipt.attempt))
    } else if intent.is_some_and(|intent| intent.agent != receipt.agent) {
        Some(format!("its receipt says that {} answered, and another was asked", receipt.agent))
    } else if intent.is_some_and(|intent| intent.asked_at.to_string() != receipt.asked_at) {
        Some(format!("its receipt says that it was asked at {}, and its brief says another time", receipt.asked_at))
    } else if receipt.bytes != raw.len() as u64 {
        Some(format!("its receipt says {} bytes, and {} are there", receipt.bytes, raw.len()))
    } else if !adds_up(receipt) {
        Some("what it says that the call cost is not what its tokens come to at the rates that it names".to_owned())
    } else if call::write_reply(receipt, raw) != bytes {
        Some("its receipt is not as forge writes it".to_owned())
    } else {
        None
    }
}

/// What the rules make of the calls at the brief that went out last. Also the call that should never have been made, if
/// there is one.
pub(super) fn due(files: &DebateFiles, ask: &Ask, asked: &Asked<'_>) -> (Due, Option<u32>) {
    let (ruling, needless) =
        attempts::rule(&asked.attempts, &ask.form, |raw| files.hold_against_form(ask, raw, Writer::Agent));
    let due = match ruling {
        Ruling::Take(held) => Due::Speech(Digest::of(&held.raw), held.kept_votes),
        // There was no budget for the repair: what is there must do, if it can.
        Ruling::Repair(held) if held.reading.speech.is_some() => Due::Speech(Digest::of(&held.raw), Vec::new()),
        Ruling::Miss(absence) => Due::Absence(absence.kind),
        Ruling::Ask(_) | Ruling::Repair(_) => Due::Silence,
    };
    (due, needless)
}

/// Whether a cost that was computed is the product that its receipt says. What an agent told is its own word.
fn adds_up(receipt: &ReceiptOnFile) -> bool {
    match (receipt.cost_by.as_deref(), &receipt.cost_rates) {
        (None, None) => receipt.cost_microdollars.is_none(),
        (Some(money::BY_AGENT), None) => true,
        (Some(money::BY_NOBODY), None) => receipt.cost_microdollars == Some(0),
        (Some(_), Some(rates)) => {
            let (Ok(rates), Some(input), Some(output)) =
                (rates.parse::<Rates>(), receipt.input_tokens, receipt.output_tokens)
            else {
                return false;
            };
            let cached = receipt.cached_tokens.unwrap_or(0);
            receipt.cost_microdollars == Some(rates.cost(Usage { input, output, cached }))
        }
        _ => false,
    }
}
