//! People's sealed votes: what was revealed is what was committed to, and nobody was asked before.

use super::turns::{Order, slug_of};
use super::{Kind, Verification};
use crate::survey::Survey;
use crate::workspace::EngineError;
use forge_artifacts::formats::commitment::{self, Commitment, Withdrawal};
use forge_artifacts::stamp::Stamp;
use forge_artifacts::store::{DebateFiles, OnRecord};
use forge_debate::plan::Hand;
use forge_debate::record::{Ask, Reads};

/// Checks every commitment of turns that are on record.
pub(super) fn check(files: &DebateFiles, survey: &Survey, report: &mut Verification) -> Result<(), EngineError> {
    let taken_back = taken_back(files, report)?;
    for wave in &survey.waves {
        for ask in wave.iter() {
            if let Some(one) = on_record(survey, ask) {
                vote(files, survey, (wave, &taken_back), ask, one, report)?;
            }
        }
    }
    Ok(())
}

/// Commitments that count no longer: with their turns, or because their words were lost.
fn taken_back(files: &DebateFiles, report: &mut Verification) -> Result<Vec<Withdrawal>, EngineError> {
    let folder = commitment::withdrawals(&files.layout);
    let mut all = Vec::new();
    for entry in files.disk().list(&folder)? {
        let path = format!("{folder}/{}", entry.name);
        let Some(bytes) = files.disk().read(&path)? else { continue };
        let one = commitment::read_withdrawal(&bytes).filter(|one| {
            one.commitment.debate == files.plan.id && slug_of(&entry.name).as_ref() == Some(&one.commitment.turn)
        });
        let Some(one) = one else {
            report.found(Kind::Edited, path, "it is no vote of this debate that was taken back");
            continue;
        };
        let (seat, because) = (&one.commitment.seat, &one.because);
        report.note(format!("{path}: a sealed vote of {seat} was taken back at {}: {because}", one.withdrawn_at));
        all.push(one);
    }
    Ok(all)
}

fn on_record<'s>(survey: &'s Survey, ask: &Ask) -> Option<&'s OnRecord> {
    survey.heard.iter().map(|one| &**one).find(|one| one.turn.key == ask.key)
}

fn vote(
    files: &DebateFiles,
    survey: &Survey,
    (wave, taken_back): (&[Ask], &[Withdrawal]),
    ask: &Ask,
    one: &OnRecord,
    report: &mut Verification,
) -> Result<(), EngineError> {
    let key = &ask.key;
    let (sealed_file, revealed_file) =
        (commitment::path(&files.layout, key), commitment::revealed_path(&files.layout, key));
    let (sealed, revealed) = (files.disk().read(&sealed_file)?, files.disk().read(&revealed_file)?);
    let own = |debate: &str, turn: &str| debate == files.plan.id && turn == key.slug();
    let sealed = match (sealed, revealed.is_some()) {
        (None, false) => {
            if is_person_s_blind(files, wave, ask) && one.turn.speech().is_some() {
                report.note(format!("{}'s first vote was not sealed: it was written openly", key.seat));
            }
            return Ok(());
        }
        (None, true) => {
            report.found(Kind::Dropped, sealed_file, "the vote was revealed, and its commitment is gone");
            return Ok(());
        }
        (Some(bytes), _) => commitment::read(&bytes).filter(|sealed| own(&sealed.debate, &sealed.turn)),
    };
    let Some(sealed) = sealed else {
        report.found(Kind::Edited, sealed_file, "it is no commitment to this vote");
        return Ok(());
    };
    if sealed.plan != files.plan_digest {
        report.found(Kind::Edited, &sealed_file, "it answers another plan");
    }
    let Some(revealed) = revealed else {
        report.found(Kind::Dropped, revealed_file, "the vote is on record, and what opens its commitment is gone");
        return Ok(());
    };
    let Some(revealed) = commitment::read_revealed(&revealed).filter(|one| own(&one.debate, &one.turn)) else {
        report.found(Kind::Edited, revealed_file, "it does not open this vote's commitment");
        return Ok(());
    };
    if revealed.commitment != sealed.commitment {
        report.found(Kind::Edited, &revealed_file, format!("it opens another commitment than {sealed_file}"));
    }
    // A file that was changed since is told already, and its words are no longer here.
    let words = files.disk().read(&files.turn_path(key))?.filter(|_| one.since.is_none());
    if words.is_some_and(|words| !commitment::matches(&sealed, &revealed.salt, &words)) {
        let text = "what is on record is not what was committed to";
        report.found(Kind::Edited, &sealed_file, text);
        report.found(Kind::Edited, files.turn_path(key), text);
    }
    for (turn, digest) in &revealed.beside {
        let other = wave
            .iter()
            .find(|other| other.key.slug() == *turn)
            .map(|other| commitment::path(&files.layout, &other.key));
        let Some(path) = other else { continue };
        let there = files.disk().read(&path)?.as_deref().and_then(commitment::read);
        let is_gone = there.is_none_or(|there| there.commitment != *digest);
        if is_gone && !taken_back.iter().any(|one| one.commitment.turn == *turn && one.commitment.commitment == *digest)
        {
            report.found(Kind::Edited, path, format!("it is not the commitment that {revealed_file} saw"));
        }
    }
    // Outside seats speak while agents are asked.
    if files.plan.seat(&key.seat).is_some_and(|seat| seat.hand == Hand::Human) {
        times(survey, wave, &sealed, &sealed_file, report);
    }
    Ok(())
}

/// Whether a person was asked in a wave in which nobody may read anybody: such a vote can be sealed.
fn is_person_s_blind(files: &DebateFiles, wave: &[Ask], ask: &Ask) -> bool {
    let is_person = files.plan.seat(&ask.key.seat).is_some_and(|seat| seat.hand == Hand::Human);
    is_person && wave.iter().all(|ask| ask.reads == Reads::Blind)
}

/// Nobody who is not a person is asked before the people of a wave have committed.
fn times(survey: &Survey, wave: &[Ask], sealed: &Commitment, file: &str, report: &mut Verification) {
    let Some(committed) = Stamp::parse(&sealed.committed_at) else {
        report.found(Kind::Backdated, file, "committed_at is no time");
        return;
    };
    for other in wave.iter().filter_map(|ask| on_record(survey, ask)).filter(|other| other.header.attempts > 0) {
        let Some(asked) = Stamp::parse(&other.header.asked_at) else { continue };
        let text = format!("sealed at {committed}, and {} was asked before that", other.turn.key);
        match Order::of(committed, asked) {
            Order::Fits => {}
            Order::ClocksDiffer => report.note(format!("{file}: {text}; clocks differ, or it was backdated")),
            Order::Impossible => report.found(Kind::Backdated, file, text),
        }
    }
}
