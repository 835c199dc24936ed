//! Commitments that count no longer: with a turn that is taken off the record, or because the words are lost.
//!
//! If the process dies here: that a commitment is taken back is on record before anything is removed, and counts from the
//! moment its turn is gone. Until then the turn stands with everything that vouches for it; from then on whoever looks
//! clears the rest away.

use super::sealing::{BlindVotes, kept};
use crate::run::mover;
use crate::seat::no_such_seat;
use crate::survey::Survey;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::{Created, Disk};
use forge_artifacts::formats::commitment::{self, Commitment, Withdrawal};
use forge_artifacts::store::{ATTEMPTS_LIMIT, DebateFiles, OnRecord, Since};
use forge_debate::digest::Digest;
use forge_debate::plan::SeatId;
use forge_debate::turn::TurnKey;
use forge_prose::secrets::redacted;

/// A sealed vote that was taken back.
#[derive(Debug)]
pub struct TakenBack {
    /// Which turn.
    pub key: TurnKey,
    /// The file that says so.
    pub file: String,
}

impl Workspace {
    /// Takes back a sealed vote whose words are lost, so that its seat can vote again. It stays on record that it was, and
    /// why. What is revealed, or can be revealed here, stands.
    pub fn take_back_vote(
        &self,
        name: &str,
        seat: &str,
        because: &str,
        vault: Option<&dyn Disk>,
    ) -> Result<TakenBack, EngineError> {
        let files = self.open(name)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let id = &files.plan.id;
        if because.trim().is_empty() {
            return Err(EngineError::Usage("--because is empty; say why, for those who read it later".to_owned()));
        }
        if files.plan.seat(&SeatId::from(seat)).is_none() {
            return Err(no_such_seat(id, seat, files.plan.seats.iter().map(|seat| seat.id.as_str())));
        }
        let survey = Survey::of(&files)?;
        clear_taken_back(&files, &survey)?;
        let votes = BlindVotes::of(&files, &survey)?;
        let Some((key, sealed, lies_open)) = votes.sealed_of(seat) else {
            return Err(EngineError::Usage(format!(
                "{seat} has no sealed vote in {id} that could be taken back: only one that is not revealed yet can"
            )));
        };
        if lies_open {
            return Err(EngineError::Usage(format!(
                "the vote of {key} is revealed in {}; what is revealed stands",
                files.turn_path(key)
            )));
        }
        // Words that were changed are lost too.
        if let Some(vault) = vault
            && let Ok(Some(_)) = kept(vault, sealed)
        {
            return Err(EngineError::Usage(format!(
                "the words of {key} wait on this machine, so nothing is lost, and a sealed vote may not be changed; `forge debate vote {id} --reveal` publishes them once everybody has voted"
            )));
        }
        let file = take_back(&files, key, sealed, &(self.clock)().to_string(), &redacted(because.trim()))?;
        clear_away(&files, key)?;
        Ok(TakenBack { key: key.clone(), file })
    }
}

/// The command that takes back a vote whose words are lost.
pub(crate) fn how_to_take_back(debate: &str, seat: &str) -> String {
    format!("`forge debate vote {debate} --withdraw --seat {seat} --because WHY`")
}

/// Takes a turn off the record with the commitment to it, so that its seat can speak again. The file that it was taken in
/// from is kept elsewhere, unless its writer has changed it meanwhile.
pub(crate) fn withdraw(files: &DebateFiles, one: &OnRecord, now: &str) -> Result<(), EngineError> {
    let key = &one.turn.key;
    let path = commitment::path(&files.layout, key);
    let bytes = files.disk().read(&path)?;
    let sealed = bytes.as_deref().and_then(commitment::read);
    if let Some(sealed) = &sealed {
        take_back(files, key, sealed, now, "its turn was taken off the record, to be asked for again")?;
    }
    files.withdraw(key, &one.line.file)?;
    let place = files.turn_path(key);
    let is_mended = one.since == Some(Since::Changed) && bytes.is_none();
    if one.turn.speech().is_some() && place != one.line.file && !is_mended {
        files.set_aside(key, &place)?;
    }
    if bytes.is_some() && sealed.is_none() {
        // Nobody can tell what it committed to; it is kept as it is.
        files.set_aside(key, &commitment::revealed_path(&files.layout, key))?;
        files.set_aside(key, &path)?;
    }
    clear_away(files, key)
}

/// Puts on record that a commitment counts no longer, and clears it away, so that its seat can commit to other words.
pub(crate) fn take_back_for_good(
    files: &DebateFiles,
    key: &TurnKey,
    sealed: &Commitment,
    now: &str,
    because: &str,
) -> Result<(), EngineError> {
    take_back(files, key, sealed, now, because)?;
    clear_away(files, key)
}

/// Puts on record that a commitment counts no longer, and tells where.
fn take_back(
    files: &DebateFiles,
    key: &TurnKey,
    sealed: &Commitment,
    now: &str,
    because: &str,
) -> Result<String, EngineError> {
    let withdrawal =
        Withdrawal { commitment: sealed.clone(), withdrawn_at: now.to_owned(), because: because.to_owned() };
    let text = commitment::write_withdrawal(&withdrawal);
    for number in 1..=ATTEMPTS_LIMIT {
        let path = commitment::withdrawal_path(&files.layout, key, number);
        let there = files.disk().read(&path)?;
        if there.as_deref().and_then(commitment::read_withdrawal).is_some_and(|there| there.commitment == *sealed) {
            return Ok(path);
        }
        if there.is_none() && files.disk().create_new(&path, text.as_bytes())? == Created::New {
            return Ok(path);
        }
    }
    Err(EngineError::Usage(format!("{key}: {ATTEMPTS_LIMIT} votes were taken back already")))
}

/// Whether it is on record that this commitment counts no longer.
pub(crate) fn is_taken_back(files: &DebateFiles, key: &TurnKey, commitment: Digest) -> Result<bool, EngineError> {
    for number in 1..=ATTEMPTS_LIMIT {
        let Some(bytes) = files.disk().read(&commitment::withdrawal_path(&files.layout, key, number))? else { break };
        if commitment::read_withdrawal(&bytes).is_some_and(|one| one.commitment.commitment == commitment) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Clears away what is left of commitments that were taken back, where a run died over it.
pub(crate) fn clear_taken_back(files: &DebateFiles, survey: &Survey) -> Result<(), EngineError> {
    let mut seats = survey.open.iter().filter(|open| !mover(files, &open.ask.key).is_agent());
    seats.try_for_each(|open| clear_away(files, &open.ask.key))
}

/// The salt first: a commitment that was taken back is known as such, a salt alone is not.
fn clear_away(files: &DebateFiles, key: &TurnKey) -> Result<(), EngineError> {
    let path = commitment::path(&files.layout, key);
    let Some(sealed) = files.disk().read(&path)?.as_deref().and_then(commitment::read) else { return Ok(()) };
    if is_taken_back(files, key, sealed.commitment)? {
        files.set_aside(key, &commitment::revealed_path(&files.layout, key))?;
        files.disk().remove(&path)?;
    }
    Ok(())
}
