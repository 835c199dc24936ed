//! The sealed words of an open wave: who has committed, what may be revealed, and what is not what it was.

use super::Unsealed;
use super::withdrawing::{how_to_take_back, is_taken_back, take_back_for_good};
use crate::run::mover;
use crate::survey::{OpenAsk, Survey};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::{Created, Disk};
use forge_artifacts::formats::commitment::{self, Commitment, Kept, Revealed};
use forge_artifacts::store::{DebateFiles, Found};
use forge_debate::digest::Digest;
use forge_debate::framing::FRAMING;
use forge_debate::plan::{Hand, SeatId};
use forge_debate::record::Reads;
use forge_debate::turn::TurnKey;

/// The votes of people in an open wave in which nobody may read anybody, and what outside seats of any wave handed in.
pub(crate) struct BlindVotes<'s> {
    votes: Vec<BlindVote<'s>>,
    /// Whether every seat of the wave has spoken, sealed or not.
    is_spoken: bool,
    /// Whether every outside seat of it has: until then whatever lies in the folder can be read by one that has not.
    has_outside_spoken: bool,
}

struct BlindVote<'s> {
    open: &'s OpenAsk,
    hand: Hand,
    sealed: Option<Commitment>,
    revealed: Option<Revealed>,
}

impl BlindVote<'_> {
    fn is_person_s(&self) -> bool {
        self.hand == Hand::Human
    }

    /// Whether the very words that were committed to are at their place, and anybody can check it.
    fn lies_open(&self) -> bool {
        match (&self.sealed, &self.revealed, &self.open.found) {
            (Some(sealed), Some(revealed), Found::HandedIn { bytes }) => {
                commitment::matches(sealed, &revealed.salt, bytes)
            }
            _ => false,
        }
    }
}

impl<'s> BlindVotes<'s> {
    /// Reads the commitments of the open wave. Empty where no person is asked, or where there is nothing left to hide:
    /// once an agent of the wave was asked, whoever has not committed speaks in the open.
    pub(crate) fn of(files: &DebateFiles, survey: &'s Survey) -> Result<Self, EngineError> {
        let mut votes = Vec::new();
        let is_person_s = |open: &OpenAsk| mover(files, &open.ask.key) == Hand::Human;
        let is_too_late = survey.open.iter().any(is_person_s) && was_any_agent_asked(files, survey)?;
        let is_blind = survey.open.iter().all(|open| open.ask.reads == Reads::Blind);
        for open in &survey.open {
            let hand = mover(files, &open.ask.key);
            if hand.is_agent() || (hand == Hand::Human && !is_blind) {
                continue;
            }
            let (sealed, revealed) = sealed(files, &open.ask.key)?;
            if sealed.is_some() || (hand == Hand::Human && !is_too_late) {
                votes.push(BlindVote { open, hand, sealed, revealed });
            }
        }
        let has_sealed = |key: &TurnKey| votes.iter().any(|vote| vote.open.ask.key == *key && vote.sealed.is_some());
        let has_spoken = |open: &OpenAsk| matches!(open.found, Found::HandedIn { .. }) || has_sealed(&open.ask.key);
        let is_spoken = survey.open.iter().all(has_spoken);
        let is_outside = |open: &&OpenAsk| mover(files, &open.ask.key) == Hand::Outside;
        let has_outside_spoken = survey.open.iter().filter(is_outside).all(has_spoken);
        let votes = Self { votes, is_spoken, has_outside_spoken };
        if votes.is_any_sealed() {
            // What was sealed answers the plan as it was laid out, not as it was edited since.
            files.check_laid_out()?;
        }
        Ok(votes)
    }

    /// People who have neither committed nor left their turn: nobody else of the wave may speak before them.
    pub(crate) fn awaited(&self) -> Vec<SeatId> {
        let awaited = |vote: &&BlindVote<'_>| {
            let has_spoken = vote.sealed.is_some() || matches!(vote.open.found, Found::HandedIn { .. });
            vote.is_person_s() && !has_spoken
        };
        self.votes.iter().filter(awaited).map(|vote| vote.open.ask.key.seat.clone()).collect()
    }

    /// Whether this turn is one of them.
    pub(super) fn has(&self, key: &TurnKey) -> bool {
        self.votes.iter().any(|vote| vote.is_person_s() && vote.open.ask.key == *key)
    }

    /// Whether anybody of the wave has committed.
    pub(super) fn is_any_sealed(&self) -> bool {
        self.votes.iter().any(|vote| vote.sealed.is_some())
    }

    /// What this seat committed to, if it did.
    pub(super) fn commitment(&self, key: &TurnKey) -> Option<&Commitment> {
        self.votes.iter().find(|vote| vote.open.ask.key == *key)?.sealed.as_ref()
    }

    /// The open turn of a seat whose vote is sealed, with what it committed to, and whether its words lie open.
    pub(super) fn sealed_of(&self, seat: &str) -> Option<(&TurnKey, &Commitment, bool)> {
        let vote = self.votes.iter().find(|vote| vote.open.ask.key.seat.as_str() == seat)?;
        Some((&vote.open.ask.key, vote.sealed.as_ref()?, vote.lies_open()))
    }

    /// Whether the words of this turn lie at their place as they were committed to.
    pub(super) fn lies_open(&self, key: &TurnKey) -> bool {
        self.votes.iter().any(|vote| vote.open.ask.key == *key && vote.lies_open())
    }

    /// Since when this seat's vote is sealed, if it is.
    pub(crate) fn sealed_since(&self, key: &TurnKey) -> Option<&str> {
        self.commitment(key).map(|sealed| sealed.committed_at.as_str())
    }

    /// Refuses words at a committed place that are not those that were committed to.
    pub(crate) fn check(&self, files: &DebateFiles) -> Result<(), EngineError> {
        for vote in &self.votes {
            let (Some(_), Found::HandedIn { .. }) = (&vote.sealed, &vote.open.found) else { continue };
            let key = &vote.open.ask.key;
            let (file, seal) = (files.turn_path(key), commitment::path(&files.layout, key));
            match &vote.revealed {
                // Others have yet to speak: what lies beside it is looked at when they have.
                None if !vote.is_person_s() && !self.is_spoken => {}
                None if !vote.is_person_s() => {
                    return Err(EngineError::Usage(format!(
                        "{file} stands beside words that were handed in for {} by command, and is not the same; move it away, or let it take their place: forge turn submit {} {} --replace --file FILE",
                        key.seat, files.plan.id, key.seat
                    )));
                }
                Some(_) if vote.lies_open() => {}
                Some(_) => {
                    return Err(EngineError::Usage(format!(
                        "{file} is not what {} committed to in {seal}; it is not taken in. Put the words back that were sealed: nobody votes twice",
                        key.seat
                    )));
                }
                None => {
                    return Err(EngineError::Usage(format!(
                        "{file} stands at the place of a vote that is sealed in {seal} and not revealed yet; it is not taken in. Move it away; {} reveals the vote with `forge debate vote {} --reveal`",
                        key.seat, files.plan.id
                    )));
                }
            }
        }
        Ok(())
    }

    /// Lets words that an outside writer changed in their file, after they were published there, stand as they are now: until
    /// its wave is closed a file is its writer's.
    pub(crate) fn let_changes_stand(&self, files: &DebateFiles, now: &str) -> Result<Vec<String>, EngineError> {
        let mut told = Vec::new();
        for vote in self.votes.iter().filter(|vote| !vote.is_person_s()) {
            let (Some(sealed), Some(_), Found::HandedIn { .. }) = (&vote.sealed, &vote.revealed, &vote.open.found)
            else {
                continue;
            };
            if !vote.lies_open() {
                let key = &vote.open.ask.key;
                take_back_for_good(files, key, sealed, now, "its writer changed the file after it was published")?;
                told.push(format!("{}: changed after it was handed in; it stands as it is now", files.turn_path(key)));
            }
        }
        Ok(told)
    }

    /// Publishes every sealed vote whose words are here. Only for waves in which everybody has committed; what outside seats
    /// handed in waits until the whole wave has spoken.
    ///
    /// A commitment can be copied into any folder, so only words that were sealed for this very debate are published.
    pub(crate) fn reveal(
        &self,
        workspace: &Workspace,
        files: &DebateFiles,
        vault: &dyn Disk,
    ) -> Result<Unsealed, EngineError> {
        let now = &(workspace.clock)().to_string();
        let kept = |vault, sealed: &Commitment, key: &TurnKey| -> Result<Option<Kept>, EngineError> {
            match kept(vault, sealed)? {
                Some(kept) if workspace.has_spoken_here(files, key, &kept.words)? => Ok(Some(kept)),
                _ => Ok(None),
            }
        };
        let mut unsealed = Unsealed::default();
        for (vote, sealed) in self.sealed_outside().filter(|_| self.is_spoken) {
            let key = &vote.open.ask.key;
            if !vote.lies_open() && kept(vault, sealed, key)?.is_none() {
                unsealed.elsewhere.push(key.clone());
            }
        }
        let may_open = self.is_spoken && unsealed.elsewhere.is_empty();
        let is_due = |vote: &&BlindVote<'_>| if vote.is_person_s() { self.has_outside_spoken } else { may_open };
        for vote in self.votes.iter().filter(is_due) {
            let Some(sealed) = &vote.sealed else { continue };
            let key = &vote.open.ask.key;
            let kept_path = commitment::kept_path(sealed.commitment);
            let lies_there = vote.lies_open();
            match kept(vault, sealed, key)? {
                // Dying after the words were published leaves them here too.
                Some(_) if lies_there => vault.remove(&kept_path)?,
                None if lies_there => {}
                None => unsealed.elsewhere.push(key.clone()),
                Some(kept) => {
                    publish(files, vote, sealed, &kept, self.beside(key), now)?;
                    vault.remove(&kept_path)?;
                    unsealed.revealed.push((key.clone(), files.turn_path(key)));
                }
            }
        }
        Ok(unsealed)
    }

    fn sealed_outside(&self) -> impl Iterator<Item = (&BlindVote<'s>, &Commitment)> {
        let outside = self.votes.iter().filter(|vote| !vote.is_person_s());
        outside.filter_map(|vote| Some((vote, vote.sealed.as_ref()?)))
    }

    fn beside(&self, key: &TurnKey) -> Vec<(String, Digest)> {
        let others = self.votes.iter().filter(|vote| vote.open.ask.key != *key);
        others.filter_map(|vote| vote.sealed.as_ref()).map(|other| (other.turn.clone(), other.commitment)).collect()
    }

    /// What a reader must know of words that a person left in the open while others had yet to vote.
    pub(crate) fn note_on_unsealed(&self, files: &DebateFiles, survey: &Survey, key: &TurnKey) -> Option<String> {
        let own = self.votes.iter().find(|vote| vote.open.ask.key == *key)?;
        let same_wave =
            |other: &TurnKey| other.stage == key.stage && other.round == key.round && other.seat != key.seat;
        let spoken = survey.turns.keys().any(|other| same_wave(other) && mover(files, other) == Hand::Human);
        let people = self.votes.iter().filter(|vote| vote.is_person_s()).count();
        if own.sealed.is_some() || (people < 2 && !spoken) {
            return None;
        }
        let awaited: Vec<String> =
            self.awaited().iter().filter(|seat| **seat != key.seat).map(ToString::to_string).collect();
        let while_open = match awaited.as_slice() {
            [] => "before all people of the round had voted".to_owned(),
            names => format!("while {} had not voted", names.join(", ")),
        };
        Some(format!("the vote of {key} was not sealed: it lay open {while_open}"))
    }
}

/// Whether an agent of the open wave was asked already, now or before its turn was withdrawn.
fn was_any_agent_asked(files: &DebateFiles, survey: &Survey) -> Result<bool, EngineError> {
    let wave = survey.waves.last().map(|wave| &**wave).unwrap_or_default();
    for ask in wave.iter().filter(|ask| mover(files, &ask.key).is_agent()) {
        if files.disk().read(&files.layout.brief(&ask.key, 1))?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The commitment to a turn that nobody took back, and its salt where it is revealed.
fn sealed(files: &DebateFiles, key: &TurnKey) -> Result<(Option<Commitment>, Option<Revealed>), EngineError> {
    let broken = |path: &str| {
        EngineError::Usage(format!(
            "{path} is not what forge wrote there; restore it, or the vote of {key} counts for nothing"
        ))
    };
    let path = commitment::path(&files.layout, key);
    let Some(bytes) = files.disk().read(&path)? else { return Ok((None, None)) };
    let own = |debate: &str, turn: &str| debate == files.plan.id && turn == key.slug();
    let sealed = commitment::read(&bytes).filter(|one| own(&one.debate, &one.turn)).ok_or_else(|| broken(&path))?;
    if is_taken_back(files, key, sealed.commitment)? {
        return Ok((None, None));
    }
    // The framer speaks before there is a whole plan.
    if sealed.plan != files.plan_digest && key.stage != FRAMING {
        // Where the plan was edited since, that is what is wrong.
        files.check_laid_out()?;
        return Err(EngineError::Usage(format!(
            "{path} answers another plan than this debate's, so it is no vote of {key}; restore it, or move it away"
        )));
    }
    let path = commitment::revealed_path(&files.layout, key);
    let revealed = match files.disk().read(&path)? {
        None => None,
        Some(bytes) => {
            let read = commitment::read_revealed(&bytes).filter(|one| own(&one.debate, &one.turn));
            Some(read.ok_or_else(|| broken(&path))?)
        }
    };
    Ok((Some(sealed), revealed))
}

/// The words that wait for this commitment, if they wait here.
pub(crate) fn kept(vault: &dyn Disk, sealed: &Commitment) -> Result<Option<Kept>, EngineError> {
    let path = commitment::kept_path(sealed.commitment);
    let Some(bytes) = vault.read(&path)? else { return Ok(None) };
    match commitment::read_kept(&bytes).filter(|kept| commitment::matches(sealed, &kept.salt, &kept.words)) {
        Some(kept) => Ok(Some(kept)),
        None => Err(EngineError::Usage(format!(
            "{path}, where the sealed words of {} wait, was changed; restore it, or the vote cannot be revealed. If it is lost: {}",
            sealed.seat,
            how_to_take_back(&sealed.debate, &sealed.seat)
        ))),
    }
}

/// The salt first: whatever stands at the turn's place from then on can be checked by anybody.
fn publish(
    files: &DebateFiles,
    vote: &BlindVote<'_>,
    sealed: &Commitment,
    kept: &Kept,
    beside: Vec<(String, Digest)>,
    now: &str,
) -> Result<(), EngineError> {
    let key = &vote.open.ask.key;
    let file = files.turn_path(key);
    let salt_path = commitment::revealed_path(&files.layout, key);
    if vote.revealed.as_ref().is_some_and(|there| there.salt != kept.salt) {
        return Err(EngineError::Usage(format!(
            "{salt_path} has a salt that does not open {}; move it away, and the vote is revealed",
            commitment::path(&files.layout, key)
        )));
    }
    let revealed = Revealed {
        debate: files.plan.id.clone(),
        turn: key.slug(),
        revealed_at: now.to_owned(),
        commitment: sealed.commitment,
        salt: kept.salt.clone(),
        beside,
    };
    let text = commitment::write_revealed(&revealed, &file);
    // Already there: an earlier reveal came this far.
    let _ = files.disk().create_new(&salt_path, text.as_bytes())?;
    if files.hand_in(key, &kept.words)? == Created::AlreadyThere
        && files.disk().read(&file)?.as_deref() != Some(kept.words.as_slice())
    {
        return Err(EngineError::Usage(format!(
            "{file} is not what {} committed to in {}; move it away, and the sealed words take its place",
            key.seat,
            commitment::path(&files.layout, key)
        )));
    }
    Ok(())
}

/// What a turn's seat committed to, if it did and nobody took it back.
pub(crate) fn commitment_to(files: &DebateFiles, key: &TurnKey) -> Result<Option<Commitment>, EngineError> {
    Ok(sealed(files, key)?.0)
}

/// Whether words may stand at a turn's place: nobody committed to others.
pub(crate) fn is_what_was_sealed(files: &DebateFiles, key: &TurnKey, bytes: &[u8]) -> Result<bool, EngineError> {
    Ok(match sealed(files, key)? {
        (None, _) => true,
        (Some(_), Some(_)) if mover(files, key) == Hand::Outside => true,
        (Some(sealed), revealed) => {
            revealed.is_some_and(|revealed| commitment::matches(&sealed, &revealed.salt, bytes))
        }
    })
}

/// Whether anybody has ever committed to a vote in this debate.
pub(crate) fn is_any_sealed(files: &DebateFiles) -> Result<bool, EngineError> {
    let folders = [files.layout.trail("sealed"), commitment::withdrawals(&files.layout)];
    for folder in folders {
        if !files.disk().list(&folder)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}
