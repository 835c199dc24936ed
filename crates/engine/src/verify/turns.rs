//! Every turn against its calls, its times, its place in the record, and the list of turns in the verdict on file.
//!
//! Times decide nothing in a debate: the chain gives the order. They are the clocks' of the machines that ran it, which are
//! set back now and then and differ from each other. So a time is held to be wrong (`backdated`) only where no clock
//! explains it: a turn's times are not those of its receipts, a call was answered before it was asked by more than a minute,
//! or something comes before what it follows by more than a day. What is out of order by less is told as a note.

mod withdrawn;

use self::withdrawn::Withdrawals;
use super::calls::{self, Call, Due};
use super::verdict::OnFile;
use super::{Kind, Verification};
use crate::attempts::{self, Asked};
use crate::gate::has_later_turns;
use crate::run::mover;
use crate::survey::{OpenAsk, Survey};
use crate::workspace::EngineError;
use forge_artifacts::document;
use forge_artifacts::formats::call::{Intent, cost_by, without_cost};
use forge_artifacts::formats::turn::{self, Read};
use forge_artifacts::stamp::Stamp;
use forge_artifacts::store::{Damage, DebateFiles, Found, OnRecord, Since, digest_of_turn, writer};
use forge_debate::brief::{self, Briefs};
use forge_debate::digest::Digest;
use forge_debate::form::Writer;
use forge_debate::framing::FRAMING;
use forge_debate::plan::Hand;
use forge_debate::protocols;
use forge_debate::record::{Ask, Reads, Wave};
use forge_debate::turn::{Absence, AbsenceKind};
use std::collections::BTreeMap;

/// Within one call, which one process makes, a clock may be set back by this much.
const STEP_WITHIN_A_CALL_SECONDS: i64 = 60;
/// Clocks of machines that work on one debate differ by no more than this, and none is set back by more.
const CLOCKS_DIFFER_SECONDS: i64 = 24 * 60 * 60;
/// What is earlier by no more than this is not worth a word.
const CLOCK_SLACK_SECONDS: i64 = 5;

/// Checks all turns.
pub(super) fn check(
    files: &DebateFiles,
    survey: &Survey,
    on_file: &OnFile,
    report: &mut Verification,
) -> Result<(), EngineError> {
    let heard: BTreeMap<_, &OnRecord> = survey.heard.iter().map(|one| (&one.turn.key, &**one)).collect();
    let mut tally = Tally::default();
    let withdrawals = withdrawn::check(files, survey, report)?;
    let made = Stamp::parse(&files.plan.created_at);
    let briefs = Briefs::of(&files.plan, &survey.turns, &files.texts);
    let one = |ask, one, earlier, not_before| Turn {
        files,
        briefs: &briefs,
        withdrawals: &withdrawals,
        ask,
        one,
        earlier,
        not_before,
    };
    let framing_ask = forge_debate::framing::ask();
    if let Some(framing) = &survey.framing {
        one(&framing_ask, framing, &[], made).check(&mut tally, report)?;
    }
    let mut ended = made;
    for (n, wave) in survey.waves.iter().enumerate() {
        let earlier = survey.waves.get(..n).unwrap_or_default();
        let turns: Vec<(&Ask, &OnRecord)> = wave.iter().filter_map(|ask| Some((ask, *heard.get(&ask.key)?))).collect();
        for (ask, turn) in &turns {
            one(ask, turn, earlier, ended).check(&mut tally, report)?;
        }
        ended = turns.iter().filter_map(|(_, one)| Stamp::parse(&one.header.answered_at)).chain(ended).max();
    }
    for key in &survey.broken {
        if let Some(one) = heard.get(key) {
            let text = "it was made after another record than the one before it here: an earlier turn was changed, dropped or added";
            report.found(Kind::Chain, &one.line.file, text);
        }
    }
    open(files, survey, on_file, report)?;
    listed(files, survey, on_file, report)?;
    tally.tell(report);
    Ok(())
}

/// Whether a brief was written with the words that this forge has for it.
fn is_of_these_words(intent: &Intent) -> bool {
    intent.wording == brief::wording()
}

/// What is told once for all turns.
#[derive(Default)]
struct Tally {
    other_briefs: usize,
    asked_anew: usize,
    asked_otherwise: usize,
    disordered: Vec<String>,
}

impl Tally {
    fn tell(&self, report: &mut Verification) {
        if self.other_briefs > 0 {
            report.note(format!("{} briefs are not as this version of forge would write them", self.other_briefs));
        }
        if self.asked_anew > 0 {
            report.note(format!(
                "{} calls were answered and made again with another brief, after what came before them changed",
                self.asked_anew
            ));
        }
        if self.asked_otherwise > 0 {
            report.note(format!(
                "{} calls ended without a reply in form and were made again with another brief",
                self.asked_otherwise
            ));
        }
        for text in &self.disordered {
            report.note(format!("{text}; clocks differ, or it was backdated"));
        }
    }
}

/// One turn on record, with what was asked.
struct Turn<'a> {
    files: &'a DebateFiles,
    briefs: &'a Briefs<'a>,
    withdrawals: &'a Withdrawals,
    ask: &'a Ask,
    one: &'a OnRecord,
    /// The waves before its own.
    earlier: &'a [Wave],
    /// When the wave before it ended, or the plan was made.
    not_before: Option<Stamp>,
}

impl Turn<'_> {
    fn check(&self, tally: &mut Tally, report: &mut Verification) -> Result<(), EngineError> {
        let (files, key, header) = (self.files, &self.ask.key, &self.one.header);
        let file = self.one.line.file.as_str();
        if !self.is_spelled_as_written()? {
            report.found(Kind::Edited, file, "it is not as forge writes a turn");
        }
        match self.one.since {
            Some(Since::Changed) => {
                let text = format!("it was changed after it was taken in; what counts is {file}");
                report.found(Kind::Edited, files.turn_path(key), text);
            }
            Some(Since::Gone) => {
                let text = format!("it is gone since it was taken in; what counts is {file}");
                report.found(Kind::Dropped, files.turn_path(key), text);
            }
            None => {}
        }
        let slug = key.slug();
        let calls = calls::read(files, &slug, header.attempts)?;
        let withdrawn = files.withdrawn_attempts(key, Some(self.one.line.digest))?;
        // Somebody's file counts no calls: those of a turn that was withdrawn before it are that turn's.
        let own = if header.attempts == 0 { calls.get(withdrawn as usize..).unwrap_or_default() } else { &calls };
        calls::check_files(files, &slug, header, file, own, report);
        let counted = calls.get(..header.attempts as usize).unwrap_or(&calls);
        let asked = attempts::asked_last(counted.iter().map(|call| &call.attempt), withdrawn);
        self.header(counted, report);
        self.reply(&asked, report);
        self.other_briefs(counted, withdrawn, &asked, tally, report);
        self.times(&asked, tally, report);
        if let Some(sent) = asked.brief.or(header.brief)
            && self.briefs.render(self.ask).is_ok_and(|brief| Digest::of(brief.text().as_bytes()) != sent)
            && key.stage != FRAMING
        {
            let ours = asked.attempts.iter().find(|attempt| attempt.intent.as_ref().is_some_and(is_of_these_words));
            match ours {
                Some(attempt) => {
                    let text = "it does not follow from the record: what the seat was shown is not what the turns say";
                    report.found(Kind::Receipt, files.layout.brief(key, attempt.number), text);
                }
                None => tally.other_briefs += 1,
            }
        }
        Ok(())
    }

    /// Answers to other briefs than the one that went out last. A brief changes where what its reader may read has changed,
    /// and that is so only after a turn before it was withdrawn: in a blind wave never. The framer alone is asked while the
    /// plan may still change. A debate that a newer forge goes on with may have another brief, too; then a call that was
    /// lost is made again, and one that was answered in form must not be.
    fn other_briefs(
        &self,
        calls: &[Call],
        withdrawn: u32,
        asked: &Asked<'_>,
        tally: &mut Tally,
        report: &mut Verification,
    ) {
        let counts = |number: u32| asked.attempts.iter().any(|attempt| attempt.number == number);
        let others = calls.iter().map(|call| &call.attempt).filter(|one| one.number > withdrawn && !counts(one.number));
        let answered: Vec<_> = others.filter(|one| one.intent.is_some() && one.reply.is_some()).collect();
        let read = |raw: &[u8]| self.files.hold_against_form(self.ask, raw, Writer::Agent);
        let may_change =
            self.ask.key.stage == FRAMING || (self.ask.reads != Reads::Blind && self.withdrawals.explain(self.earlier));
        match answered.iter().find(|one| attempts::is_in_form(one, read)) {
            Some(one) if !may_change => {
                let text = "this reply is in form, and the seat was asked again with another brief, though nothing before it had changed";
                report.found(Kind::ReAsked, self.files.layout.reply(&self.ask.key, one.number), text);
            }
            Some(_) => tally.asked_anew += 1,
            None => tally.asked_otherwise += answered.len(),
        }
    }

    fn is_spelled_as_written(&self) -> Result<bool, EngineError> {
        let Some(bytes) = self.files.disk().read(&self.one.line.file)? else { return Ok(true) };
        Ok(match turn::read(&document::decode(&bytes).text) {
            Read::Ours(file) => turn::write(&self.ask.key, &file.header, &file.body) == document::decode(&bytes).text,
            _ => false,
        })
    }

    /// The header against the plan and the receipts.
    fn header(&self, calls: &[Call], report: &mut Verification) {
        let header = &self.one.header;
        let file = self.one.line.file.as_str();
        let is_decision = self.ask.key == protocols::decision_ask().key;
        let hand = if is_decision { Hand::Human } else { mover(self.files, &self.ask.key) };
        let was_left = header.attempts == 0 && self.one.turn.speech().is_some();
        let agent = if was_left && hand.is_agent() { Hand::Outside } else { hand.clone() };
        if header.agent != agent.to_string() {
            let text = format!("it says that {} spoke, and the plan says {agent}", header.agent);
            report.found(Kind::Edited, file, text);
        }
        if header.attempts == 0 {
            return;
        }
        let receipts: Vec<_> =
            calls.iter().filter_map(|call| call.attempt.reply.as_ref().map(|(receipt, _)| receipt)).collect();
        let sum = |figures: Vec<Option<u64>>| figures.into_iter().flatten().reduce(u64::saturating_add);
        let asked_at =
            calls.first().and_then(|call| call.attempt.intent.as_ref()).map(|intent| intent.asked_at.to_string());
        let last = receipts.last();
        let brief_is_known = header.brief.is_none()
            || calls.iter().any(|call| call.attempt.intent.as_ref().map(|intent| intent.brief) == header.brief);
        let differing = [
            ("rehearsal", header.rehearsal != hand.is_rehearsal()),
            ("asked_at", asked_at.is_some_and(|at| at != header.asked_at)),
            ("answered_at", last.is_some_and(|receipt| receipt.answered_at != header.answered_at)),
            ("model_asked", last.is_some_and(|receipt| receipt.model_asked != header.model_asked)),
            ("model_served", last.is_some_and(|receipt| receipt.model_served != header.model_served)),
            ("input_tokens", sum(receipts.iter().map(|r| r.input_tokens).collect()) != header.input_tokens),
            ("output_tokens", sum(receipts.iter().map(|r| r.output_tokens).collect()) != header.output_tokens),
            ("cost", sum(receipts.iter().map(|r| r.cost_microdollars).collect()) != header.cost_microdollars),
            ("cost_by", cost_by(receipts.iter().copied()) != header.cost_by),
            ("calls_without_cost", without_cost(receipts.iter().copied()) != header.calls_without_cost),
            ("brief", !brief_is_known),
        ];
        let names: Vec<&str> = differing.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
        if !names.is_empty() {
            let text = format!("its header and the receipts of its calls differ in {}", names.join(", "));
            report.found(Kind::Receipt, file, text);
        }
    }

    /// Whether the reply on record is the one that the rules take.
    fn reply(&self, asked: &Asked<'_>, report: &mut Verification) {
        let header = &self.one.header;
        let file = self.one.line.file.as_str();
        if header.attempts == 0 {
            let is_outside = writer(&header.agent).is_outside();
            let may_be_unasked = |absence: &Absence| match absence.kind {
                AbsenceKind::Budget | AbsenceKind::NoContextFile => true,
                AbsenceKind::GivenUp => is_outside,
                _ => false,
            };
            if self.one.turn.absence().is_some_and(|absence| !may_be_unasked(absence)) {
                report.found(Kind::Edited, file, "it says that a seat did not answer that was never asked");
            }
            return;
        }
        let (due, needless) = calls::due(self.files, self.ask, asked);
        if let Some(number) = needless {
            let text = "the seat had answered this brief already, and was asked again";
            report.found(Kind::ReAsked, self.files.layout.reply(&self.ask.key, number), text);
        }
        match (self.one.turn.absence(), due) {
            (None, Due::Speech(reply, votes)) if header.reply == Some(reply) => {
                if header.kept_votes != votes {
                    report.found(Kind::Edited, file, "its kept_votes are not those of the reply before its repair");
                }
            }
            (None, Due::Speech(..)) => {
                report.found(Kind::ReAsked, file, "another reply was due than the one it was made from")
            }
            (None, Due::Absence(kind)) => {
                let text =
                    format!("words stand here, and the call that counts ended otherwise: the seat {}", kind.phrase());
                report.found(Kind::ReAsked, file, text);
            }
            (None, Due::Silence) => {
                report.found(Kind::Edited, file, "words stand here, and no reply that counts is on record")
            }
            (Some(_), Due::Speech(..)) => {
                report.found(
                    Kind::Edited,
                    file,
                    "it says that the seat did not speak, and a reply in form is on record",
                );
            }
            (Some(absence), Due::Absence(kind)) if absence.kind != kind => {
                let text = format!(
                    "it says that the seat {}, and its receipt says that it {}",
                    absence.kind.phrase(),
                    kind.phrase()
                );
                report.found(Kind::Edited, file, text);
            }
            (Some(absence), Due::Silence) if !matches!(absence.kind, AbsenceKind::Budget | AbsenceKind::Crashed) => {
                let text = format!("it says that the seat {}, and no receipt says so", absence.kind.phrase());
                report.found(Kind::Edited, file, text);
            }
            (Some(_), _) => {}
        }
    }

    /// Whether the times can be.
    fn times(&self, asked: &Asked<'_>, tally: &mut Tally, report: &mut Verification) {
        let header = &self.one.header;
        let file = self.one.line.file.as_str();
        let (Some(first), Some(answered)) = (Stamp::parse(&header.asked_at), Stamp::parse(&header.answered_at)) else {
            report.found(Kind::Backdated, file, "asked_at or answered_at is no time");
            return;
        };
        if header.attempts == 0 && first != answered {
            let text = format!("nobody was called for it, and it was asked at {first} and answered at {answered}");
            report.found(Kind::Backdated, file, text);
        }
        for (receipt, _) in asked.attempts.iter().filter_map(|attempt| attempt.reply.as_ref()) {
            if let (Some(asked), Some(answered)) = (Stamp::parse(&receipt.asked_at), Stamp::parse(&receipt.answered_at))
                && is_earlier_by(STEP_WITHIN_A_CALL_SECONDS, answered, asked)
            {
                let text = format!("a call for it was answered at {answered}, and asked only at {asked}");
                report.found(Kind::Backdated, file, text);
            }
        }
        // A seat that was asked again keeps the time at which it was first asked; what counts is when this brief went out.
        let sent = asked.attempts.first().and_then(|attempt| attempt.intent.as_ref());
        let sent = sent.map_or(first, |intent| intent.asked_at);
        let mut follows = |what: &str, after: Stamp, before: Stamp| match Order::of(before, after) {
            Order::Fits => {}
            Order::ClocksDiffer => tally.disordered.push(format!("{file}: {what} only at {before}")),
            Order::Impossible => report.found(Kind::Backdated, file, format!("{what} only at {before}")),
        };
        follows(&format!("answered at {answered}, and asked"), answered, sent);
        if let Some(before) = self.not_before {
            follows(&format!("asked at {sent}, and what came before it ended"), sent, before);
        }
    }
}

/// Whether two times can be in the order in which things happened.
pub(super) enum Order {
    /// They are in order, or nearly.
    Fits,
    /// They are not; clocks that differ explain it.
    ClocksDiffer,
    /// They are not, and no clock explains it.
    Impossible,
}

impl Order {
    /// The order of something that happened, by its time, and of something that happened after it.
    pub(super) fn of(before: Stamp, after: Stamp) -> Self {
        if is_earlier_by(CLOCKS_DIFFER_SECONDS, after, before) {
            Order::Impossible
        } else if is_earlier_by(CLOCK_SLACK_SECONDS, after, before) {
            Order::ClocksDiffer
        } else {
            Order::Fits
        }
    }
}

fn is_earlier_by(seconds: i64, this: Stamp, that: Stamp) -> bool {
    this.0.saturating_add(seconds) < that.0
}

/// What stands in the places of turns that are not on record.
fn open(files: &DebateFiles, survey: &Survey, on_file: &OnFile, report: &mut Verification) -> Result<(), EngineError> {
    let is_other_plan = |open: &OpenAsk| matches!(open.found, Found::Damaged { cause: Damage::OtherPlan, .. });
    if survey.heard.is_empty() && survey.open.len() > 1 && survey.open.iter().all(is_other_plan) {
        let text = "the turns were made under another plan than the one here and its seal";
        report.found(Kind::Plan, files.layout.plan(), text);
        report.found(Kind::Plan, files.layout.sealed_plan(), text);
        return Ok(());
    }
    for open in &survey.open {
        let place = files.turn_path(&open.ask.key);
        match &open.found {
            Found::Damaged { path, problems, cause } => {
                let kind = match cause {
                    Damage::OtherTurn | Damage::OtherPlan => Kind::Swapped,
                    Damage::Changed => Kind::Edited,
                };
                report.found(kind, path, without_path(path, problems));
                damaged_calls(files, open, path, report)?;
            }
            Found::NotYet { path, problems, .. } if on_file.is_there() => {
                report.found(Kind::Edited, path, problems.join("; "));
            }
            Found::HandedIn { .. } if on_file.is_there() => {
                report.found(Kind::Added, place, "somebody's words stand here that were never taken in");
            }
            _ if files.disk().read(&files.layout.withdrawn(&open.ask.key, 1))?.is_some() => {
                report.note(format!("{} was taken off the record and is asked for again", open.ask.key));
            }
            Found::Nothing if on_file.is_there() => {
                report.found(
                    Kind::Dropped,
                    place,
                    format!("there is a verdict, and the turn of {} is gone", open.ask.key),
                );
            }
            Found::Nothing if has_later_turns(files, survey)? => {
                report.found(
                    Kind::Dropped,
                    place,
                    format!("later turns were asked for, and that of {} is gone", open.ask.key),
                );
            }
            _ => {}
        }
    }
    // A decision that was made and can no longer be read leaves the seats' own outcome.
    let ask = protocols::decision_ask();
    if survey.verdict.as_ref().is_some_and(|verdict| verdict.decision.is_none())
        && let Found::Damaged { path, problems, .. } | Found::NotYet { path, problems, .. } = files.find(&ask)?
    {
        report.found(Kind::Edited, &path, without_path(&path, &problems));
    }
    // The framer's turn is no part of the record: the options stand in the plan.
    if files.file.framed && survey.framing.is_none() {
        let ask = forge_debate::framing::ask();
        match files.find(&ask)? {
            Found::Damaged { path, problems, .. } | Found::NotYet { path, problems, .. } => {
                report.found(Kind::Edited, &path, without_path(&path, &problems));
                damaged_calls(files, &OpenAsk { ask, found: Found::Nothing }, &path, report)?;
            }
            _ => report.found(
                Kind::Dropped,
                files.turn_path(&ask.key),
                "the options were proposed by a framer whose turn is gone",
            ),
        }
    }
    Ok(())
}

/// Messages about a file without its name in front.
pub(crate) fn without_path(path: &str, problems: &[String]) -> String {
    let bare = |problem: &String| {
        problem.strip_prefix(path).map_or(problem.as_str(), |rest| rest.trim_start_matches(':').trim()).to_owned()
    };
    problems.iter().map(bare).collect::<Vec<_>>().join("; ")
}

/// A damaged turn may still tell which file of its calls was changed.
fn damaged_calls(
    files: &DebateFiles,
    open: &OpenAsk,
    path: &str,
    report: &mut Verification,
) -> Result<(), EngineError> {
    let Some(bytes) = files.disk().read(path)? else { return Ok(()) };
    if let Read::Ours(file) = turn::read(&document::decode(&bytes).text)
        && file.written_key == open.ask.key.slug()
    {
        let calls = calls::read(files, &file.written_key, file.header.attempts)?;
        calls::check_files(files, &file.written_key, &file.header, path, &calls, report);
    }
    Ok(())
}

/// The turn in a file's name `<slug>.<number>.md`.
pub(crate) fn slug_of(name: &str) -> Option<String> {
    let (slug, number) = name.strip_suffix(".md")?.rsplit_once('.')?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| slug.to_owned())
}

/// The turns on file against the list in the verdict on file.
fn listed(
    files: &DebateFiles,
    survey: &Survey,
    on_file: &OnFile,
    report: &mut Verification,
) -> Result<(), EngineError> {
    // The same record: if the list differs, it is the list that was changed.
    if on_file.text("record_digest") == Some(&survey.chain.to_string()) && survey.verdict.is_some() {
        return Ok(());
    }
    for row in on_file.turns() {
        let Some(bytes) = files.disk().read(row.file)? else {
            report.found(Kind::Dropped, row.file, "the verdict on file lists this turn, and it is gone");
            continue;
        };
        let ours = match turn::read(&document::decode(&bytes).text) {
            Read::Ours(file) => Some(file),
            _ => None,
        };
        // The protocol stops at the first turn that cannot be believed; the calls of those after it are still on file.
        let is_heard = survey.heard.iter().any(|one| one.turn.key.slug() == row.slug);
        if let Some(file) =
            ours.as_ref().filter(|file| !is_heard && file.written_key == row.slug && is_plain_name(&row.slug))
        {
            let calls = calls::read(files, &row.slug, file.header.attempts)?;
            calls::check_files(files, &row.slug, &file.header, row.file, &calls, report);
        }
        if digest_of_turn(&bytes).to_string() == row.digest {
            continue;
        }
        let swapped = ours.is_some_and(|file| file.written_key != row.slug || file.header.debate != files.plan.id);
        let kind = if swapped { Kind::Swapped } else { Kind::Edited };
        report.found(kind, row.file, "it is not the turn that the verdict on file lists");
    }
    Ok(())
}

/// Whether a turn's name, as a file says it, can be part of a path.
fn is_plain_name(slug: &str) -> bool {
    !slug.contains(['/', '\\', '\0'])
}
