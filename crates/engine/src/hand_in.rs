//! Turns that somebody hands in with a command, for a seat that forge does not ask itself.
//!
//! What an outside seat hands in waits in the user's state folder, with a salted digest of it in the debate's folder, until every
//! seat of its wave has spoken: nobody of the wave can read it before that. It is the way of people's sealed votes, and the
//! same code reveals both.
//!
//! If the process dies here: see [`crate::vote`]; the same command again is always right.

use crate::decide::KEY_REMOVED;
use crate::made::not_kept;
use crate::run::mover;
use crate::survey::{OpenAsk, Survey};
use crate::vote::{self, BlindVotes};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::disk::Created;
use forge_artifacts::document;
use forge_artifacts::formats::commitment::{self, Host};
use forge_artifacts::formats::turn;
use forge_artifacts::store::{DebateFiles, Found, marked_as_is, without_keys};
use forge_debate::form::Writer;
use forge_debate::plan::{Hand, nearest};
use forge_debate::reading::Reading;
use forge_debate::verdict::Outcome;
use std::path::Path;

/// Where a seat leaves its words whose host cannot put them into a command.
const DRAFTS: &str = "docs/forge/turns/";

/// What somebody hands in.
#[derive(Debug, Clone, Copy)]
pub struct HandIn<'a> {
    /// For which seat.
    pub seat: &'a str,
    /// The words.
    pub words: &'a [u8],
    /// What they must be.
    pub strictness: Strictness,
    /// The very turn that they answer, as its ask names it; without it whatever the seat is asked now.
    pub turn: Option<&'a str>,
    /// Whether they take the place of other words of the same turn.
    pub replaces: bool,
    /// 64 random hex digits, used once.
    pub salt: &'a str,
    /// The host whose shell this is, if it is one's.
    pub host: Option<&'a Host>,
}

impl<'a> HandIn<'a> {
    /// Words in form, sealed with this salt.
    pub fn new(seat: &'a str, words: &'a [u8], salt: &'a str) -> Self {
        Self { seat, words, strictness: Strictness::InForm, turn: None, replaces: false, salt, host: None }
    }
}

/// What a turn that is handed in must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// In form, as an agent's reply would have to be.
    InForm,
    /// Whatever can be a turn; what is missing is told.
    AsIs,
}

/// A turn that was handed in.
#[derive(Debug)]
pub struct Submitted {
    /// The file that holds it, or will once its wave is complete.
    pub file: String,
    /// Which turn it is, in words.
    pub turn: String,
    /// Whether it waits, sealed, for the other seats of its wave.
    pub is_sealed: bool,
    /// Where it falls short of its form, and was taken as it is.
    pub shortcomings: Vec<String>,
    /// What else a reader must know.
    pub notes: Vec<String>,
    /// What was taken in with it, where its wave was complete.
    pub taken_in: Vec<String>,
}

/// Why words were not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// They miss their form.
    FormMissed {
        /// Which turn.
        turn: String,
        /// Its file.
        file: String,
        /// What keeps them from being a turn.
        required: Vec<String>,
        /// What would be noted.
        noted: Vec<String>,
        /// What helps.
        then: String,
    },
    /// There is no such seat.
    UnknownSeat {
        /// The debate.
        debate: String,
        /// The seat.
        seat: String,
        /// Its seats.
        seats: Vec<String>,
    },
    /// The turn is not asked for now.
    NotOpen {
        /// The debate.
        debate: String,
        /// The seat, or the turn.
        seat: String,
        /// Turns that are.
        open: Vec<String>,
        /// How the debate ended, if it did.
        outcome: Option<Outcome>,
    },
    /// Other words of the same turn are there.
    OtherText {
        /// Which turn.
        turn: String,
        /// Since when, where it is sealed.
        since: Option<String>,
        /// Whether they can still be replaced.
        is_open: bool,
    },
}

impl Refused {
    /// The word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Refused::FormMissed { .. } => "form_missed",
            Refused::UnknownSeat { .. } => "unknown_seat",
            Refused::NotOpen { .. } => "wave_closed",
            Refused::OtherText { .. } => "other_text",
        }
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::FormMissed { turn, file, required, noted, then } => {
                let lines: Vec<String> = marked(required, noted).collect();
                write!(f, "this is not a turn of {turn} yet ({file}):\n  - {}\n{then}", lines.join("\n  - "))
            }
            Refused::UnknownSeat { debate, seat, seats } => {
                let hint = nearest(seat, seats.iter().map(String::as_str));
                let hint = hint.map(|near| format!("; did you mean {near:?}?")).unwrap_or_default();
                write!(f, "{debate} has no seat {seat:?}; its seats are {}{hint}", seats.join(", "))
            }
            Refused::NotOpen { debate, outcome: Some(outcome), .. } => {
                write!(f, "{debate} is over ({}); nobody is asked any more", outcome.word())
            }
            Refused::NotOpen { debate, open, .. } if open.is_empty() => {
                write!(f, "{debate} has no options yet; nobody is asked")
            }
            Refused::NotOpen { seat, open, .. } => write!(f, "{seat} is not asked now; open: {}", open.join(", ")),
            Refused::OtherText { turn, since, is_open } => {
                let since = since.as_ref().map(|since| format!(" since {since}")).unwrap_or_default();
                let then = if *is_open { "; if these are to take its place: --replace" } else { "" };
                write!(f, "{turn}: other words were handed in{since}, and they stand{then}")
            }
        }
    }
}

impl Workspace {
    /// Checks a turn that somebody hands in and takes it, whole or not at all. Where its wave is complete with it, all of it is
    /// taken in.
    pub fn submit(&self, name: &str, handed: &HandIn<'_>) -> Result<Submitted, EngineError> {
        let files = self.open(name)?;
        let survey = Survey::of(&files)?;
        if !survey.open.iter().any(|open| open.ask.key.seat.as_str() == handed.seat) {
            self.close_waves(self.open(&files.layout.plan())?)?;
        }
        let mut submitted = self.hand_in_turn(&files.layout.plan(), handed)?;
        let files = self.open(&files.layout.plan())?;
        submitted.taken_in = self.close_waves_after(files)?;
        Ok(submitted)
    }

    /// Takes away the file that words were handed in from, if it is one of those that are left for that: the others of the wave
    /// are not to read it.
    pub fn take_away_draft(&self, file: &Path) -> Result<(), EngineError> {
        let root = self.locks.root().canonicalize().ok();
        let below = root.and_then(|root| Some(file.canonicalize().ok()?.strip_prefix(root).ok()?.to_str()?.to_owned()));
        match below.filter(|below| below.starts_with(DRAFTS)) {
            Some(draft) => Ok(self.disk.remove(&draft)?),
            None => Ok(()),
        }
    }

    /// Tells where words would fall short if they were handed in now, and writes nothing.
    pub fn check_turn(&self, name: &str, handed: &HandIn<'_>) -> Result<Submitted, EngineError> {
        let files = self.open(name)?;
        let survey = Survey::of(&files)?;
        let Some(open) = asked(&files, &survey, handed)? else { return on_record(&files, &survey, handed) };
        let clean = without_keys(handed.words);
        let words = clean.as_deref().unwrap_or(handed.words);
        let (_, shortcomings) = self.fitted(&files, open, &HandIn { words, ..*handed })?;
        Ok(Submitted {
            file: files.turn_path(&open.ask.key),
            turn: open.ask.key.to_string(),
            is_sealed: false,
            shortcomings,
            notes: clean.iter().map(|_| KEY_REMOVED.to_owned()).collect(),
            taken_in: Vec::new(),
        })
    }

    fn hand_in_turn(&self, plan_file: &str, handed: &HandIn<'_>) -> Result<Submitted, EngineError> {
        let clean = without_keys(handed.words);
        let handed = &HandIn { words: clean.as_deref().unwrap_or(handed.words), ..*handed };
        let files = self.open(plan_file)?;
        let _held = self.hold(&files)?;
        let files = self.open(&files.layout.plan())?;
        let survey = Survey::of(&files)?;
        let Some(open) = asked(&files, &survey, handed)? else { return on_record(&files, &survey, handed) };
        let key = &open.ask.key;
        let (bytes, shortcomings) = self.fitted(&files, open, handed)?;
        let votes = BlindVotes::of(&files, &survey)?;
        if let Some(since) = votes.sealed_since(key).filter(|_| mover(&files, key) == Hand::Human) {
            return Err(EngineError::Usage(format!(
                "{} has voted: sealed since {since}; reveal it with `forge debate vote {} --reveal`",
                key.seat, files.plan.id
            )));
        }
        let mut notes: Vec<String> = votes.note_on_unsealed(&files, &survey, key).into_iter().collect();
        notes.extend(not_kept(self.keep_spoken(&files, key, &bytes)));
        notes.extend(clean.is_some().then(|| KEY_REMOVED.to_owned()));
        // While a gate is held shut by words that are all there, whoever wrote them mends them.
        let may_replace = handed.replaces || survey.is_complete();
        let is_sealed = match &self.vault {
            Some(vault) if mover(&files, key) == Hand::Outside && commitment::is_salt(handed.salt) => {
                let vault = vote::Vault { disk: vault.as_ref(), salt: handed.salt };
                notes.extend(self.seal_words(&files, open, &bytes, &vault, handed.host, may_replace)?);
                true
            }
            _ => {
                if let Found::HandedIn { bytes: there } = &open.found
                    && *there != bytes
                    && !may_replace
                    && mover(&files, key) == Hand::Outside
                {
                    return Err(other_text(open, None));
                }
                self.put_in_place(&files, open, &bytes)?;
                false
            }
        };
        Ok(Submitted {
            file: files.turn_path(key),
            turn: key.to_string(),
            is_sealed,
            shortcomings,
            notes,
            taken_in: Vec::new(),
        })
    }

    /// Keeps an outside seat's words until its wave is complete. The first words stand, unless they may be replaced, or are
    /// not on this machine. Tells where words are that were replaced.
    fn seal_words(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        bytes: &[u8],
        vault: &vote::Vault<'_>,
        host: Option<&Host>,
        may_replace: bool,
    ) -> Result<Option<String>, EngineError> {
        let key = &open.ask.key;
        let before = vote::commitment_to(files, key)?;
        let kept = before.as_ref().map(|one| vote::kept(vault.disk, one)).transpose()?.flatten();
        let there = match &open.found {
            Found::HandedIn { bytes } => Some(bytes),
            _ => kept.as_ref().map(|kept| &kept.words),
        };
        match there {
            Some(there) if there == bytes => return Ok(None),
            Some(_) if !may_replace => return Err(other_text(open, before.map(|one| one.committed_at))),
            _ => {}
        }
        let mut note = None;
        if let Some(before) = &before {
            let why = if there.is_some() { "its writer replaced it" } else { "its words were not on this machine" };
            vote::take_back_for_good(files, key, before, &(self.clock)().to_string(), why)?;
            // Nobody may read it before the wave is closed, so it stays where it is.
            note = kept.map(|_| {
                let file = commitment::kept_path(before.commitment);
                format!("what was handed in before is kept in your state folder: forge/sealed/{file}")
            });
        }
        if matches!(open.found, Found::HandedIn { .. }) {
            files.set_aside(key, &files.turn_path(key))?;
        }
        self.seal(files, open, bytes, vault, host)?;
        Ok(note)
    }

    /// The words of a turn as they are handed in, and where they fall short. What misses the form is refused, with all that
    /// it misses; as it is it is taken with a mark, unless it can be no turn at all.
    fn fitted(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        handed: &HandIn<'_>,
    ) -> Result<(Vec<u8>, Vec<String>), EngineError> {
        let (bytes, strictness) = (handed.words, handed.strictness);
        // A model in a host's seat was given the form, as an agent is in its brief.
        let as_agent = files.hold_against_form(&open.ask, bytes, Writer::Agent);
        if handed.host.is_some() && strictness == Strictness::InForm && !as_agent.is_whole() {
            return Err(not_yet(files, open, &as_agent, "Mend it, or hand it in as it is: --as-is"));
        }
        let read = |bytes: &[u8]| files.hold_against_form(&open.ask, bytes, Writer::Outside);
        let reading = read(bytes);
        if reading.is_whole() {
            return Ok((bytes.to_vec(), self.checked(files, open, bytes)?));
        }
        let marked = match reading.speech {
            Some(_) => bytes.to_vec(),
            None => marked_as_is(&document::decode(bytes).text).into_bytes(),
        };
        let is_turn = read(&marked).speech.is_some();
        if strictness == Strictness::AsIs || !is_turn {
            let shortcomings = self.checked(files, open, if is_turn { &marked } else { bytes })?;
            return Ok((marked, shortcomings));
        }
        Err(not_yet(files, open, &reading, "Mend it, or hand it in as it is: --as-is"))
    }

    /// Holds words against the form of what is asked, and tells where they fall short of it without leaving it.
    pub(crate) fn checked(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        bytes: &[u8],
    ) -> Result<Vec<String>, EngineError> {
        let seat = &open.ask.key.seat;
        // Words from outside must not say of themselves that forge took them down.
        if !matches!(turn::read(&document::decode(bytes).text), turn::Read::Plain) {
            return Err(EngineError::Usage(format!(
                "this has the header of a turn that forge wrote; hand in {seat}'s own words, without it"
            )));
        }
        let reading = files.hold_against_form(&open.ask, bytes, Writer::Outside);
        match reading.speech {
            Some(_) => Ok(reading.lines()),
            None => {
                let ask = files.outside_brief_path(&open.ask.key);
                Err(not_yet(
                    files,
                    open,
                    &reading,
                    &format!("{ask} says what is wanted; `forge turn next {}` writes it", files.plan.id),
                ))
            }
        }
    }

    /// Leaves words at the place of the turn that they answer, whole or not at all, and tells where that is.
    pub(crate) fn put_in_place(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        bytes: &[u8],
    ) -> Result<String, EngineError> {
        let path = files.turn_path(&open.ask.key);
        if let Found::HandedIn { bytes: there } = &open.found
            && there.as_slice() == bytes
        {
            return Ok(path);
        }
        // Until its wave is closed a turn may be handed in again; nothing that somebody wrote is lost.
        if let Found::NotYet { .. } | Found::Damaged { .. } | Found::HandedIn { .. } = open.found {
            files.set_aside(&open.ask.key, &path)?;
        }
        if !forge_debate::framing::is_needed(&files.plan) {
            files.seal()?;
        }
        match files.hand_in(&open.ask.key, bytes)? {
            Created::New => Ok(path),
            Created::AlreadyThere => Err(EngineError::Usage(format!("{path} was written by somebody else meanwhile"))),
        }
    }
}

/// The open ask that words are handed in for; none where it is not open now.
pub(crate) fn asked<'s>(
    files: &DebateFiles,
    survey: &'s Survey,
    handed: &HandIn<'_>,
) -> Result<Option<&'s OpenAsk>, EngineError> {
    let is_meant = |open: &&OpenAsk| open.ask.key.seat.as_str() == handed.seat;
    let open = survey.open.iter().find(is_meant);
    let is_known = open.is_some() || files.plan.seats.iter().any(|seat| seat.id.as_str() == handed.seat);
    if !is_known {
        let seats = files.plan.seats.iter().map(|seat| seat.id.to_string()).collect();
        let (debate, seat) = (files.plan.id.clone(), handed.seat.to_owned());
        return Err(Refused::UnknownSeat { debate, seat, seats }.into());
    }
    Ok(open.filter(|open| handed.turn.is_none_or(|turn| open.ask.key.slug() == turn)))
}

/// The same command again, after a run that ended before it was done: it is done now. Anything else comes too late, or too
/// early.
pub(crate) fn on_record(files: &DebateFiles, survey: &Survey, handed: &HandIn<'_>) -> Result<Submitted, EngineError> {
    let is_meant = |key: &forge_debate::turn::TurnKey| {
        key.seat.as_str() == handed.seat && handed.turn.is_none_or(|turn| key.slug() == turn)
    };
    let spoken = survey.heard.iter().chain(&survey.framing).rev();
    let spoken = spoken.filter(|one| one.header.attempts == 0).map(|one| &one.turn.key).find(|key| is_meant(key));
    if let Some(key) = spoken {
        let text = files.text_taken_in(key)?;
        if text.is_some_and(|text| text == document::decode(handed.words).text) {
            return Ok(Submitted {
                file: files.turn_path(key),
                turn: key.to_string(),
                is_sealed: false,
                shortcomings: Vec::new(),
                notes: vec!["it is on record already".to_owned()],
                taken_in: Vec::new(),
            });
        }
        if handed.turn.is_some() {
            return Err(Refused::OtherText { turn: key.to_string(), since: None, is_open: false }.into());
        }
    }
    Err(Refused::NotOpen {
        debate: files.plan.id.clone(),
        seat: handed.turn.unwrap_or(handed.seat).to_owned(),
        open: survey.open.iter().map(|open| open.ask.key.to_string()).collect(),
        outcome: survey.verdict.as_ref().map(|verdict| verdict.outcome()),
    }
    .into())
}

fn other_text(open: &OpenAsk, since: Option<String>) -> EngineError {
    Refused::OtherText { turn: open.ask.key.to_string(), since, is_open: true }.into()
}

/// What keeps words from being a turn, and what is only noted, each line with its mark.
pub fn marked<'l>(required: &'l [String], noted: &'l [String]) -> impl Iterator<Item = String> + 'l {
    let required = required.iter().map(|line| format!("required: {line}"));
    required.chain(noted.iter().map(|line| format!("noted: {line}")))
}

/// What is said of words that are no turn yet: everything that they miss.
fn not_yet(files: &DebateFiles, open: &OpenAsk, reading: &Reading, then: &str) -> EngineError {
    Refused::FormMissed {
        turn: open.ask.key.to_string(),
        file: files.turn_path(&open.ask.key),
        required: reading.required(),
        noted: reading.noted(),
        then: then.to_owned(),
    }
    .into()
}
