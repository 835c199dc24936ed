//! People's votes. In a blind wave a person commits first: the digest of the vote goes into the debate's folder, the words
//! wait elsewhere, and no agent of the wave is asked, until every person of the wave has committed. Nothing is there that
//! anybody could peek at.
//!
//! If the process dies here: words are kept before they are committed to, and the salt is published before the words. So a
//! commitment always has words, words at a committed place can always be checked, and whatever is left undone is done by the
//! next vote, reveal or run on that machine.

mod compose;
mod sealing;
mod withdrawing;

pub use compose::Vote;
pub(crate) use sealing::{BlindVotes, commitment_to, is_any_sealed, is_what_was_sealed, kept};
pub use withdrawing::TakenBack;
pub(crate) use withdrawing::{clear_taken_back, is_taken_back, take_back_for_good, withdraw};

use crate::decide::KEY_REMOVED;
use crate::made::not_kept;
use crate::run::{lay_out, mover};
use crate::seat::no_such_seat;
use crate::survey::{OpenAsk, Survey};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::{Created, Disk};
use forge_artifacts::formats::commitment::{self, Commitment, Host, Kept};
use forge_artifacts::store::{DebateFiles, Found, without_keys};
use forge_debate::form::Writer;
use forge_debate::plan::{Hand, OptionId, SeatId};
use forge_debate::turn::TurnKey;

/// What a person hands in.
#[derive(Debug)]
pub enum Words<'a> {
    /// A vote that is put into form.
    Vote(&'a Vote),
    /// A turn that is in form.
    Turn(&'a [u8]),
}

/// Where words wait, and what keeps their digest from being guessed.
pub struct Vault<'a> {
    /// A folder outside of the debate, which only this person can read.
    pub disk: &'a dyn Disk,
    /// 64 random hex digits, used once.
    pub salt: &'a str,
}

/// How far a vote has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VoteState {
    /// It lies at the turn's place; there was nothing to hide from anybody.
    Cast,
    /// It is committed to; its words wait.
    Sealed,
    /// It was committed to, and its words lie at the turn's place.
    Revealed,
}

impl VoteState {
    /// The word used in output.
    pub fn word(self) -> &'static str {
        match self {
            VoteState::Cast => "cast",
            VoteState::Sealed => "sealed",
            VoteState::Revealed => "revealed",
        }
    }
}

/// A vote that was taken.
#[derive(Debug)]
pub struct Voted {
    /// Which turn.
    pub key: TurnKey,
    /// How far it has come.
    pub state: VoteState,
    /// Where its words are, or will be.
    pub file: String,
    /// The commitment and its file, where it was sealed.
    pub commitment: Option<(Commitment, String)>,
    /// Who has yet to vote before anything is revealed.
    pub waiting_for: Vec<SeatId>,
    /// Where it falls short of its form without leaving it.
    pub shortcomings: Vec<String>,
    /// What else a reader must know.
    pub notes: Vec<String>,
}

/// What a reveal brought to light.
#[derive(Debug, Default)]
pub struct Unsealed {
    /// Turns whose words now lie at their places, with their files.
    pub revealed: Vec<(TurnKey, String)>,
    /// Sealed votes whose words are not on this machine.
    pub elsewhere: Vec<TurnKey>,
    /// Who has yet to vote before anything is revealed.
    pub waiting_for: Vec<SeatId>,
}

/// A person who is asked now.
#[derive(Debug)]
pub struct OpenVote {
    /// Which turn.
    pub key: TurnKey,
    /// What to read first.
    pub brief: String,
    /// Where the turn goes.
    pub file: String,
    /// Since when the vote is sealed, if it is.
    pub sealed_since: Option<String>,
    /// What is asked for.
    pub asks_for: Wanted,
}

/// What a person is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// An option, which can be said on the command line.
    Vote,
    /// A turn that has to be written.
    Turn,
}

impl Workspace {
    /// Takes a person's vote: seals it in a blind wave, and puts it at its place anywhere else. Where its wave is complete
    /// with it, all of it is taken in.
    pub fn vote(
        &self,
        name: &str,
        seat: Option<&str>,
        words: &Words<'_>,
        vault: &Vault<'_>,
    ) -> Result<Voted, EngineError> {
        let files = self.open(name)?;
        let survey = Survey::of(&files)?;
        let is_open = |seat: &str| survey.open.iter().any(|open| open.ask.key.seat.as_str() == seat);
        if survey.is_complete() && !seat.is_some_and(is_open) {
            self.close_waves(self.open(&files.layout.plan())?)?;
        }
        let mut voted = self.put_vote(&files.layout.plan(), seat, words, vault)?;
        voted.notes.extend(self.close_waves_after(self.open(&files.layout.plan())?)?);
        Ok(voted)
    }

    fn put_vote(
        &self,
        plan_file: &str,
        seat: Option<&str>,
        words: &Words<'_>,
        vault: &Vault<'_>,
    ) -> Result<Voted, EngineError> {
        let files = self.open(plan_file)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        clear_taken_back(&files, &survey)?;
        let votes = BlindVotes::of(&files, &survey)?;
        let open = voter(&files, &survey, &votes, seat)?;
        let (bytes, shortcomings) = match words {
            Words::Turn(bytes) => (bytes.to_vec(), self.checked(&files, open, bytes)?),
            Words::Vote(vote) => self.put_into_form(&files, open, vote)?,
        };
        // Before anything is committed to: what is sealed can be published as it is.
        let clean = without_keys(&bytes);
        let mut notes: Vec<String> = clean.iter().map(|_| KEY_REMOVED.to_owned()).collect();
        let bytes = clean.unwrap_or(bytes);
        let key = open.ask.key.clone();
        notes.extend(not_kept(self.keep_spoken(&files, &key, &bytes)));
        let mut voted = Voted {
            state: VoteState::Cast,
            file: files.turn_path(&key),
            commitment: None,
            waiting_for: Vec::new(),
            shortcomings,
            notes,
            key,
        };
        let is_blind = votes.has(&voted.key);
        let lies_there = matches!(open.found, Found::HandedIn { .. }) && votes.sealed_since(&voted.key).is_none();
        if !is_blind || lies_there {
            self.put_in_place(&files, open, &bytes)?;
            return Ok(voted);
        }
        self.commit(&files, open, &votes, &bytes, vault)?;
        // From the files again: what counts is what is there now.
        let survey = Survey::of(&files)?;
        let votes = BlindVotes::of(&files, &survey)?;
        voted.waiting_for = votes.awaited();
        voted.state = VoteState::Sealed;
        if voted.waiting_for.is_empty() {
            let unsealed = votes.reveal(self, &files, vault.disk)?;
            if votes.lies_open(&voted.key) || unsealed.revealed.iter().any(|(key, _)| *key == voted.key) {
                voted.state = VoteState::Revealed;
            }
        }
        voted.commitment =
            votes.commitment(&voted.key).map(|one| (one.clone(), commitment::path(&files.layout, &voted.key)));
        Ok(voted)
    }

    /// The words of a vote, and where they fall short. Nothing of what was said may get lost: a sealed vote cannot be mended.
    fn put_into_form(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        vote: &Vote,
    ) -> Result<(Vec<u8>, Vec<String>), EngineError> {
        if vote.because.trim().is_empty() {
            return Err(EngineError::Usage("--because is empty; say why, for those who read it later".to_owned()));
        }
        let option: OptionId = self.option_for(files, &vote.option)?;
        let mut vote = vote.clone();
        for approved in &mut vote.approves {
            *approved = self.option_for(files, approved)?.to_string();
        }
        if !vote.approves.is_empty() && !vote.approves.iter().any(|approved| approved == option.as_str()) {
            vote.approves.insert(0, option.to_string());
        }
        let (bytes, said) = compose::compose(&files.plan, &open.ask, &option, &vote)?;
        let shortcomings = self.checked(files, open, &bytes)?;
        let reading = files.hold_against_form(&open.ask, &bytes, Writer::Outside);
        let kept = reading.speech.map(|speech| speech.ballot).unwrap_or_default();
        match said.iter().find(|(field, _)| kept.get(field).is_none()) {
            None => Ok((bytes, shortcomings)),
            Some(_) => Err(EngineError::Usage(format!(
                "this is not a vote of {} yet:\n  - {}",
                open.ask.key,
                shortcomings.join("\n  - ")
            ))),
        }
    }

    /// Keeps the words, then commits to them. A vote that is sealed already stands.
    fn commit(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        votes: &BlindVotes<'_>,
        bytes: &[u8],
        vault: &Vault<'_>,
    ) -> Result<(), EngineError> {
        let key = &open.ask.key;
        let path = commitment::path(&files.layout, key);
        if let Some(before) = votes.commitment(key) {
            // The same command again, after a run that ended before it was done: it is done now.
            let same = match &open.found {
                Found::HandedIn { bytes: there } => there.as_slice() == bytes,
                _ => kept(vault.disk, before)?.is_some_and(|kept| kept.words == bytes),
            };
            return if same {
                Ok(())
            } else {
                Err(EngineError::Usage(format!(
                    "{} has voted: sealed since {} in {path}; a sealed vote may not be changed. If its words are lost: {}",
                    key.seat,
                    before.committed_at,
                    withdrawing::how_to_take_back(&files.plan.id, key.seat.as_str())
                )))
            };
        }
        self.seal(files, open, bytes, vault, None)
    }

    /// Keeps the words of a turn elsewhere, and commits to them in the debate's folder.
    pub(crate) fn seal(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        bytes: &[u8],
        vault: &Vault<'_>,
        host: Option<&Host>,
    ) -> Result<(), EngineError> {
        let key = &open.ask.key;
        let path = commitment::path(&files.layout, key);
        if !commitment::is_salt(vault.salt) {
            return Err(EngineError::Bug(format!("a salt of {} characters", vault.salt.len())));
        }
        if let Found::NotYet { .. } | Found::Damaged { .. } = open.found {
            files.set_aside(key, &files.turn_path(key))?;
        }
        if !forge_debate::framing::is_needed(&files.plan) {
            files.seal()?;
        }
        let digest = commitment::digest(vault.salt, bytes);
        let kept = Kept {
            debate: files.plan.id.clone(),
            turn: key.slug(),
            salt: vault.salt.to_owned(),
            words: bytes.to_vec(),
        };
        let _ = vault.disk.create_new(&commitment::kept_path(digest), &commitment::write_kept(&kept))?;
        let sealed = Commitment {
            debate: files.plan.id.clone(),
            turn: key.slug(),
            seat: key.seat.to_string(),
            stage: key.stage.to_string(),
            round: key.round,
            committed_at: (self.clock)().to_string(),
            plan: files.plan_digest,
            commitment: digest,
            host: host.cloned(),
        };
        match files.disk().create_new(&path, commitment::write(&sealed).as_bytes())? {
            Created::New => Ok(()),
            Created::AlreadyThere => Err(EngineError::Usage(format!("{path} is there already; nobody speaks twice"))),
        }
    }

    /// Publishes the sealed votes whose words are here, if every person of the wave has committed.
    pub fn reveal(&self, name: &str, vault: &dyn Disk) -> Result<Unsealed, EngineError> {
        let files = self.open(name)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        let votes = BlindVotes::of(&files, &survey)?;
        if !votes.is_any_sealed() {
            return Err(EngineError::Usage(format!("{} has no sealed vote to reveal", files.plan.id)));
        }
        let waiting_for = votes.awaited();
        if !waiting_for.is_empty() {
            return Ok(Unsealed { waiting_for, ..Unsealed::default() });
        }
        votes.reveal(self, &files, vault)
    }

    /// The people who are asked now, with their briefs laid out.
    pub fn open_votes(&self, name: &str) -> Result<Vec<OpenVote>, EngineError> {
        let files = self.open(name)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        let votes = BlindVotes::of(&files, &survey)?;
        let people: Vec<&OpenAsk> = people(&files, &survey);
        if people.is_empty() {
            return Err(nobody_votes(&files, &survey));
        }
        files.seal()?;
        people
            .into_iter()
            .map(|open| {
                let key = open.ask.key.clone();
                let votes_for_option = open.ask.form.has_field("option") || open.ask.form.has_field("options");
                Ok(OpenVote {
                    brief: lay_out(&files, &survey, &open.ask)?,
                    file: files.turn_path(&key),
                    sealed_since: votes.sealed_since(&key).map(str::to_owned),
                    asks_for: if votes_for_option { Wanted::Vote } else { Wanted::Turn },
                    key,
                })
            })
            .collect()
    }
}

fn people<'s>(files: &DebateFiles, survey: &'s Survey) -> Vec<&'s OpenAsk> {
    survey.open.iter().filter(|open| mover(files, &open.ask.key) == Hand::Human).collect()
}

/// The open ask of the seat that votes: the one that was named, or the only one that can be meant.
fn voter<'s>(
    files: &DebateFiles,
    survey: &'s Survey,
    votes: &BlindVotes<'_>,
    seat: Option<&str>,
) -> Result<&'s OpenAsk, EngineError> {
    let people = people(files, survey);
    let names = |asks: &[&OpenAsk]| asks.iter().map(|open| open.ask.key.seat.to_string()).collect::<Vec<_>>();
    if let Some(seat) = seat {
        if let Some(open) = people.iter().find(|open| open.ask.key.seat.as_str() == seat) {
            return Ok(open);
        }
        let hand = files.plan.seat(&SeatId::from(seat)).map(|seat| seat.hand.clone());
        return Err(match hand {
            Some(Hand::Human) if people.is_empty() => nobody_votes(files, survey),
            Some(Hand::Human) => {
                EngineError::Usage(format!("{seat} is not asked now; open: {}", names(&people).join(", ")))
            }
            Some(hand) => EngineError::Usage(format!(
                "{seat} is moved by {hand}, not by a person; hand in its turn with `forge turn submit {} {seat} --file FILE`",
                files.plan.id
            )),
            None => no_such_seat(&files.plan.id, seat, files.plan.seats.iter().map(|seat| seat.id.as_str())),
        });
    }
    let yet_to_vote: Vec<&OpenAsk> =
        people.iter().copied().filter(|open| votes.sealed_since(&open.ask.key).is_none()).collect();
    match (yet_to_vote.as_slice(), people.as_slice()) {
        ([one], _) | ([], [one]) => Ok(one),
        ([], []) => Err(nobody_votes(files, survey)),
        ([], _) => Err(EngineError::Usage(format!(
            "everybody has voted: {}; a sealed vote may not be changed",
            names(&people).join(", ")
        ))),
        (several, _) => {
            Err(EngineError::Usage(format!("whose vote is it? pass --seat {}", names(several).join(" or --seat "))))
        }
    }
}

fn nobody_votes(files: &DebateFiles, survey: &Survey) -> EngineError {
    let id = &files.plan.id;
    let has_person = files.plan.seats.iter().any(|seat| seat.hand == Hand::Human);
    EngineError::Usage(match &survey.verdict {
        Some(verdict) if verdict.outcome().needs_a_person() => format!(
            "{id} is {}: its seats have voted, and a person decides with `forge debate decide {id} <option> --because WHY`",
            verdict.outcome().word()
        ),
        Some(verdict) => format!("{id} is over ({}); nobody votes any more", verdict.outcome().word()),
        None if !has_person => {
            format!("no seat of {id} is moved by a person; seat one with --seat SEAT=human when it is made")
        }
        None if survey.open.iter().any(|open| mover(files, &open.ask.key).is_agent()) => {
            format!("no person is asked now; `forge debate run {id}` goes on with the others")
        }
        None => format!("no person is asked now; `forge debate status {id}` says who is"),
    })
}
