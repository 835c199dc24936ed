//! Seats that somebody outside moves: who is asked now, with what, and who does not come.
//!
//! [`Workspace::next_turns`] closes the wave that is complete, opens the next and gives its seats out. It never asks an agent. That
//! a seat was given out is a mark in the user's state folder: advice, so that nobody starts the same seat twice. It lapses.

use crate::event::Silent;
use crate::hand_in::{HandIn, asked, on_record};
use crate::run::{Calls, Run, RunEnd, RunSettings, mover};
use crate::survey::{OpenAsk, Survey};
use crate::vote;
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::catalog;
use forge_artifacts::formats::turn::{TurnBody, TurnHeader};
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::stamp::Stamp;
use forge_artifacts::store::{DebateFiles, Found};
use forge_debate::cost::StageCost;
use forge_debate::plan::{Hand, SeatId};
use forge_debate::turn::{Absence, AbsenceKind, TurnKey};
use forge_prose::secrets::redacted;
use futures_util::FutureExt as _;

/// How many open debates are looked at for one that waits.
const LOOKS_LIMIT: usize = 64;

/// What comes next in a debate.
#[derive(Debug)]
pub enum Next {
    /// Seats are open.
    Open(Wave),
    /// It is over.
    Over(Box<Account>),
    /// Everybody has spoken, and its gate is shut: what blocks is mended where it lies.
    Held(Box<Account>),
    /// It has no options, and nobody outside is there to propose some.
    NeedsOptions {
        /// The debate.
        debate: String,
        /// Its plan's file.
        plan_file: String,
    },
}

/// An open wave, as it is given out.
#[derive(Debug)]
pub struct Wave {
    /// The debate.
    pub debate: String,
    /// Which stage and round.
    pub turn: String,
    /// The round.
    pub round: u16,
    /// Seats for somebody outside.
    pub seats: Vec<OpenSeat>,
    /// Outside seats that have spoken.
    pub handed_in: Vec<SeatId>,
    /// Open seats that forge asks itself.
    pub agents: Vec<SeatId>,
    /// Open seats of people.
    pub people: Vec<SeatId>,
    /// How many turns outside seats may be asked for in all.
    pub turns_limit: u32,
}

/// A seat that waits for somebody outside.
#[derive(Debug)]
pub struct OpenSeat {
    /// The seat.
    pub seat: SeatId,
    /// Its role.
    pub role: String,
    /// The turn, as commands name it.
    pub turn: String,
    /// The file with what is asked.
    pub ask: String,
    /// Its parts, where it is too long to be read at once.
    pub parts: Vec<String>,
    /// What keeps what was left there from being a turn.
    pub problems: Vec<String>,
    /// To whom it was given out before, unless that has lapsed.
    pub taken: Option<Taken>,
}

impl OpenSeat {
    /// What a subagent is told, and nothing else.
    pub fn prompt(&self, debate: &str) -> String {
        format!("forge-seat {debate} {} {}", self.seat, self.ask)
    }

    /// The command that hands its turn in.
    pub fn submit(&self, debate: &str) -> String {
        submit_command(debate, &self.seat, &self.turn)
    }
}

/// The command that hands a turn in, from standard input.
pub(crate) fn submit_command(debate: &str, seat: &SeatId, turn: &str) -> String {
    format!("forge turn submit {debate} {seat} --turn {turn} --file -")
}

/// That a seat was given out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// When.
    pub at: String,
    /// To whom.
    pub by: String,
}

/// Whether seats that were given out are given out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivingOut {
    /// Only those that nobody has, or had for too long.
    Free,
    /// All of them.
    Again,
}

impl Workspace {
    /// The debate that waits for somebody outside, and was made last.
    pub fn waiting_debate(&self) -> Result<Option<String>, EngineError> {
        let is_there = |path: &str| matches!(self.locks.names(path), Ok(Some(_)));
        let mut open = Vec::new();
        for plan_file in catalog::unfinished(self.disk.as_ref(), is_there)? {
            let made = catalog::created_at(self.disk.as_ref(), &plan_file)?;
            open.extend(made.map(|made| (made, plan_file)));
        }
        open.sort_by(|(a, _), (b, _)| b.cmp(a));
        for (_, plan_file) in open.iter().take(LOOKS_LIMIT) {
            let Ok(files) = self.open_file(plan_file) else { continue };
            // A stranger's debate is gone on with where it is named.
            if self.is_found(&files)? {
                continue;
            }
            let Ok(survey) = Survey::of(&files) else { continue };
            if survey.open.iter().any(|open| mover(&files, &open.ask.key) == Hand::Outside) {
                return Ok(Some(files.plan.id));
            }
        }
        Ok(None)
    }

    /// Closes the wave if it is complete, opens the next, and gives its outside seats out to `by`. Asks nobody.
    pub fn next_turns(&self, name: &str, giving: GivingOut, by: &str) -> Result<Next, EngineError> {
        let files = self.open(name)?;
        self.hold_plan(&files)?;
        let settings = RunSettings { calls: Calls::None, tidies_up: true, ..RunSettings::default() };
        let run = Run::new(self, settings, &Silent).revealing(self.vault.as_deref());
        let end = run.opened(self.open(&files.layout.plan())?).now_or_never();
        let end = end.ok_or_else(|| EngineError::Bug("opening a wave waited for somebody".to_owned()))??;
        match end {
            RunEnd::Concluded(account) => return Ok(Next::Over(account)),
            RunEnd::Held(account) => return Ok(Next::Held(account)),
            RunEnd::NeedsOptions { plan_file, .. } => {
                return Ok(Next::NeedsOptions { debate: files.plan.id, plan_file });
            }
            RunEnd::Waiting { .. } => {}
        }
        let _held = self.hold(&files)?;
        // Another one may have gone on meanwhile.
        let files = self.open(&files.layout.plan())?;
        let (here, open): (Vec<OpenAsk>, Vec<OpenAsk>) =
            Survey::of(&files)?.open.into_iter().partition(|open| matches!(open.found, Found::HandedIn { .. }));
        let of = |is: fn(&Hand) -> bool| {
            let theirs = open.iter().filter(|open| is(&mover(&files, &open.ask.key)));
            theirs.map(|open| open.ask.key.seat.clone()).collect::<Vec<_>>()
        };
        let first = open.first().map(|open| &open.ask.key);
        let mut wave = Wave {
            debate: files.plan.id.clone(),
            turn: first.map(|key| format!("{}, round {}", key.stage, key.round)).unwrap_or_default(),
            round: first.map(|key| key.round).unwrap_or_default(),
            seats: Vec::new(),
            handed_in: here.into_iter().map(|open| open.ask.key.seat).collect(),
            agents: of(Hand::is_agent),
            people: of(|hand| *hand == Hand::Human),
            turns_limit: turns_limit(&files),
        };
        for open in open.iter().filter(|open| mover(&files, &open.ask.key) == Hand::Outside) {
            if self.has_spoken(&files, open)? {
                wave.handed_in.push(open.ask.key.seat.clone());
            } else {
                wave.seats.push(self.give_out(&files, open, giving, by)?);
            }
        }
        Ok(Next::Open(wave))
    }

    /// Whether an open turn has its words: at its place, or sealed and waiting on this machine. Words that wait elsewhere are
    /// asked for again.
    pub fn has_spoken(&self, files: &DebateFiles, open: &OpenAsk) -> Result<bool, EngineError> {
        Ok(matches!(open.found, Found::HandedIn { .. }) || self.waits_sealed(files, &open.ask.key)?)
    }

    /// Whether the words of a turn wait on this machine.
    fn waits_sealed(&self, files: &DebateFiles, key: &TurnKey) -> Result<bool, EngineError> {
        let (Some(vault), Some(sealed)) = (&self.vault, vote::commitment_to(files, key)?) else { return Ok(false) };
        Ok(vote::kept(vault.as_ref(), &sealed)?.is_some())
    }

    fn give_out(
        &self,
        files: &DebateFiles,
        open: &OpenAsk,
        giving: GivingOut,
        by: &str,
    ) -> Result<OpenSeat, EngineError> {
        let key = &open.ask.key;
        let taken = self.taken(files, key)?.filter(|_| giving == GivingOut::Free);
        if taken.is_none() {
            self.take(files, key, by)?;
        }
        let role = files.plan.seat(&key.seat).map_or_else(|| key.seat.to_string(), |seat| seat.role.clone());
        let problems = match &open.found {
            Found::NotYet { problems, has_words: true, .. } => problems.clone(),
            _ => Vec::new(),
        };
        let ask = files.outside_brief_path(key);
        let parts = files.outside_brief_parts(key)?;
        Ok(OpenSeat { seat: key.seat.clone(), role, turn: key.slug(), ask, parts, problems, taken })
    }

    /// To whom a seat was given out, unless that was longer ago than the seat may take.
    fn taken(&self, files: &DebateFiles, key: &TurnKey) -> Result<Option<Taken>, EngineError> {
        let Some(made) = &self.made else { return Ok(None) };
        let Some(bytes) = made.read(&self.taken_file(files, key))? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        let Some((at, by)) = text.trim_end().split_once(' ') else { return Ok(None) };
        let lapses = Stamp::parse(at).map(|at| at.0.saturating_add(i64::from(files.plan.limits.timeout_seconds)));
        let is_fresh = lapses.is_some_and(|lapses| (self.clock)().0 < lapses);
        Ok(is_fresh.then(|| Taken { at: at.to_owned(), by: by.to_owned() }))
    }

    fn take(&self, files: &DebateFiles, key: &TurnKey, by: &str) -> Result<(), EngineError> {
        let Some(made) = &self.made else { return Ok(()) };
        let text = format!("{} {by}\n", (self.clock)());
        // Advice: where it cannot be kept nothing is lost.
        let _ = made.replace(&self.taken_file(files, key), text.as_bytes());
        Ok(())
    }

    fn taken_file(&self, files: &DebateFiles, key: &TurnKey) -> String {
        let what = format!("taken-{}", forge_debate::digest::Digest::of(key.slug().as_bytes()).short(16));
        self.kept_file(&files.layout.plan(), &files.plan, &what)
    }

    /// Puts on record that an outside seat does not come, and goes on without it.
    pub fn absent(&self, name: &str, seat: &str, turn: Option<&str>, because: &str) -> Result<String, EngineError> {
        let because = redacted(because.trim());
        if because.is_empty() {
            return Err(EngineError::Usage("--because is empty; say why, for those who read it later".to_owned()));
        }
        let files = self.open(name)?;
        let told = self.put_absent(&files.layout.plan(), seat, turn, &because)?;
        self.close_waves_after(self.open(&files.layout.plan())?)?;
        Ok(told)
    }

    fn put_absent(
        &self,
        plan_file: &str,
        seat: &str,
        turn: Option<&str>,
        because: &str,
    ) -> Result<String, EngineError> {
        let files = self.open(plan_file)?;
        let _held = self.hold(&files)?;
        let files = self.open(plan_file)?;
        let survey = Survey::of(&files)?;
        let handed = HandIn { turn, ..HandIn::new(seat, b"", "") };
        let Some(open) = asked(&files, &survey, &handed)? else {
            let is_meant = |key: &TurnKey| key.seat.as_str() == seat && turn.is_none_or(|turn| key.slug() == turn);
            let absent = survey.heard.iter().rev().find(|one| one.turn.absence().is_some() && is_meant(&one.turn.key));
            return match absent {
                Some(one) => Ok(one.turn.key.to_string()),
                None => on_record(&files, &survey, &handed).map(|done| done.turn),
            };
        };
        let key = &open.ask.key;
        let hand = mover(&files, key);
        if hand != Hand::Outside {
            return Err(EngineError::Usage(format!(
                "{seat} is moved by {hand}; only outside seats are given up by hand"
            )));
        }
        if self.has_spoken(&files, open)? {
            return Err(EngineError::Usage(format!(
                "{key} was handed in already; it counts once its wave is complete"
            )));
        }
        if let Found::NotYet { path, .. } | Found::Damaged { path, .. } = &open.found {
            files.set_aside(key, path)?;
        }
        if let Some(elsewhere) = vote::commitment_to(&files, key)? {
            let now = (self.clock)().to_string();
            vote::take_back_for_good(&files, key, &elsewhere, &now, "its words were not on this machine")?;
        }
        if !forge_debate::framing::is_needed(&files.plan) {
            files.seal()?;
        }
        let role = files.plan.seat(&key.seat).map(|seat| seat.role.clone()).unwrap_or_default();
        let (now, agent) = ((self.clock)().to_string(), hand.to_string());
        let header = TurnHeader::uncalled(&files.plan.id, &role, &agent, &now, files.plan_digest, survey.chain);
        let absence = Absence { kind: AbsenceKind::GivenUp, detail: because.to_owned() };
        let _ = files.put_turn(key, &header, &TurnBody::Absence(absence))?;
        files.settle()?;
        Ok(key.to_string())
    }
}

/// How many turns outside seats may be asked for.
fn turns_limit(files: &DebateFiles) -> u32 {
    let is_outside = |seat: &SeatId| crate::run::mover_of(&files.plan, seat) == Hand::Outside;
    let mut stages = forge_debate::protocols::cost(&files.plan);
    if forge_debate::framing::is_needed(&files.plan) && !stages.contains(&StageCost::framing()) {
        stages.push(StageCost::framing());
    }
    stages
        .iter()
        .map(|stage| {
            let all = u32::try_from(stage.seats.len()).unwrap_or(u32::MAX).max(1);
            let outside = u32::try_from(stage.seats.iter().filter(|seat| is_outside(seat)).count()).unwrap_or(u32::MAX);
            stage.max_calls / all * outside
        })
        .sum()
}
