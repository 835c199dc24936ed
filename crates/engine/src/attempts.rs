//! Which reply a turn is made from, given the calls that are on record for it. One rule: the run that asks goes by it, and so
//! does whoever checks the debate afterwards.
//!
//! A reply without defects is taken, and nobody is asked again. One with defects may be repaired once; the repair is taken
//! if it is no worse, but the first vote that could be read stands. A call that failed is an absence. Pure: reads nothing, writes nothing, knows no time.

use forge_artifacts::formats::call::Purpose;
use forge_artifacts::store::{ATTEMPTS_LIMIT, Attempt};
use forge_debate::digest::Digest;
use forge_debate::form::{Form, Need};
use forge_debate::reading::Reading;
use forge_debate::turn::{Absence, AbsenceKind};

/// The attempts that count: those that answer one brief, with their repairs.
pub(crate) struct Asked<'a> {
    /// The brief; none where nobody was asked.
    pub(crate) brief: Option<Digest>,
    /// The attempts, in order.
    pub(crate) attempts: Vec<&'a Attempt>,
}

/// A reply held against its form.
pub(crate) struct Held {
    /// The reply's own bytes.
    pub(crate) raw: Vec<u8>,
    /// What the form makes of them.
    pub(crate) reading: Reading,
    /// The brief that it answers.
    pub(crate) brief: Option<Digest>,
    /// Votes of the reply before it, which a repair may not change.
    pub(crate) kept_votes: Vec<(String, String)>,
}

/// What the attempts come to.
pub(crate) enum Ruling {
    /// Nobody has answered: the seat is asked, for the first time or again.
    Ask(Purpose),
    /// This reply has defects and was not repaired yet.
    Repair(Held),
    /// This reply is the turn.
    Take(Held),
    /// The seat is absent.
    Miss(Absence),
}

/// The attempts at the brief that went out last. Earlier ones answered other briefs, or belong to turns that were withdrawn
/// (the first `withdrawn` of them): they count as spent and no longer as answers.
pub(crate) fn asked_last<'a>(attempts: impl IntoIterator<Item = &'a Attempt>, withdrawn: u32) -> Asked<'a> {
    let mut asked = Asked { brief: None, attempts: Vec::new() };
    for attempt in attempts.into_iter().filter(|attempt| attempt.number > withdrawn) {
        let Some(intent) = &attempt.intent else { continue };
        if intent.purpose != Purpose::Repair && asked.brief != Some(intent.brief) {
            asked.attempts.clear();
            asked.brief = Some(intent.brief);
        }
        if asked.brief.is_some() {
            asked.attempts.push(attempt);
        }
    }
    asked
}

/// What the attempts at one brief come to, and the first answered one that should never have been made.
pub(crate) fn rule(attempts: &[&Attempt], form: &Form, read: impl Fn(&[u8]) -> Reading) -> (Ruling, Option<u32>) {
    let answered: Vec<&Attempt> = attempts.iter().copied().filter(|attempt| attempt.reply.is_some()).collect();
    let needless = |index: usize| answered.get(index).map(|attempt| attempt.number);
    let Some(first) = answered.first() else { return (unanswered(attempts.len()), None) };
    let first = match hold(first, &read) {
        Ok(held) => held,
        Err(absence) => return (Ruling::Miss(absence), needless(1)),
    };
    if first.reading.is_whole() {
        return (Ruling::Take(first), needless(1));
    }
    let Some(second) = answered.get(1) else { return (Ruling::Repair(first), None) };
    let ruling = match hold(second, &read) {
        Ok(second) if second.reading.speech.is_some() && is_no_worse(&second, &first) => {
            // The first readable vote stands: a repair mends the form.
            let mut kept_votes = form.votes(&first.reading.ballot);
            let now = form.votes(&second.reading.ballot);
            kept_votes.retain(|vote| !now.contains(vote));
            Ruling::Take(Held { kept_votes, ..second })
        }
        _ if first.reading.speech.is_some() => Ruling::Take(first),
        Ok(second) => {
            let what: Vec<String> = second.reading.lines().into_iter().take(3).collect();
            let detail = format!("two replies missed their form: {}", what.join("; "));
            Ruling::Miss(Absence { kind: AbsenceKind::Unparsable, detail })
        }
        Err(absence) => Ruling::Miss(absence),
    };
    (ruling, needless(2))
}

fn unanswered(attempts: usize) -> Ruling {
    match attempts {
        0 => Ruling::Ask(Purpose::Ask),
        many if many >= ATTEMPTS_LIMIT as usize => Ruling::Miss(too_many()),
        _ => Ruling::Ask(Purpose::Again),
    }
}

/// The absence of a seat that was asked as often as it may be.
pub(crate) fn too_many() -> Absence {
    let detail = format!("{ATTEMPTS_LIMIT} attempts ended without a reply on record");
    Absence { kind: AbsenceKind::Crashed, detail }
}

/// Holds an answered attempt against the form; a failed call is an absence.
fn hold(attempt: &Attempt, read: impl Fn(&[u8]) -> Reading) -> Result<Held, Absence> {
    let Some((receipt, raw)) = &attempt.reply else {
        return Err(Absence { kind: AbsenceKind::Crashed, detail: "no reply is on record".to_owned() });
    };
    if let Some(word) = &receipt.failure {
        let kind = AbsenceKind::parse(word).unwrap_or(AbsenceKind::Crashed);
        return Err(Absence { kind, detail: receipt.detail.clone().unwrap_or_default() });
    }
    let brief = attempt.intent.as_ref().map(|intent| intent.brief);
    Ok(Held { raw: raw.clone(), reading: read(raw), brief, kept_votes: Vec::new() })
}

/// Whether an answered attempt is a reply in form: what nobody may ask for again.
pub(crate) fn is_in_form(attempt: &Attempt, read: impl Fn(&[u8]) -> Reading) -> bool {
    hold(attempt, read).is_ok_and(|held| held.reading.speech.is_some())
}

fn is_no_worse(second: &Held, first: &Held) -> bool {
    let debts = |held: &Held| held.reading.defects.iter().filter(|defect| defect.need != Need::Optional).count();
    first.reading.speech.is_none() || debts(second) <= debts(first)
}
