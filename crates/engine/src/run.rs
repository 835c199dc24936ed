//! Running a debate: survey, ask what is open, start over, until there is a verdict or nobody left that forge may ask.

use crate::answer::Asking;
use crate::budget::Budget;
use crate::event::{Event, Watch};
use crate::report;
use crate::survey::{OpenAsk, Survey};
use crate::workspace::{EngineError, Workspace};
use forge_artifacts::formats::turn::TurnHeader;
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::store::{DebateFiles, Found, OnRecord, Since};
use forge_debate::brief;
use forge_debate::digest::Digest;
use forge_debate::framing;
use forge_debate::plan::{Duty, Hand};
use forge_debate::record::Ask;
use forge_debate::turn::TurnKey;
use forge_debate::verdict::Outcome;
use futures_util::stream::{self, StreamExt as _};
use std::time::Duration;

/// A run makes at most this many passes; more means that something on disk keeps changing under it.
const PASSES_LIMIT: usize = 1000;

/// How a run goes about it.
#[derive(Debug, Clone)]
pub struct RunSettings {
    /// Seats asked at the same time.
    pub parallel: usize,
    /// Whether absences on record are put aside and their seats asked again.
    pub retry_absent: bool,
    /// Whether what dead runs left half-written is removed first. A debate made just now has nothing to tidy.
    pub tidies_up: bool,
    /// Whether agents are asked, or only what was handed in is taken in.
    pub calls: Calls,
}

/// Whether a run asks agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Calls {
    /// It does.
    Made,
    /// It only takes in what others left.
    None,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self { parallel: 16, retry_absent: false, tidies_up: false, calls: Calls::Made }
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum RunEnd {
    /// There is a verdict.
    Concluded(Box<Account>),
    /// Only seats are open that forge does not ask.
    Waiting {
        /// What is open, and what stands there.
        open: Vec<OpenAsk>,
        /// The account so far.
        account: Box<Account>,
    },
    /// The plan has no options, and nobody may propose any.
    NeedsOptions {
        /// The plan's file.
        plan_file: String,
        /// Why the framer gave none, where it was asked.
        why: Option<String>,
    },
}

/// A debate being run.
pub struct Run<'w> {
    workspace: &'w Workspace,
    settings: RunSettings,
    watch: &'w dyn Watch,
}

impl<'w> Run<'w> {
    /// A run in a workspace.
    pub fn new(workspace: &'w Workspace, settings: RunSettings, watch: &'w dyn Watch) -> Self {
        Self { workspace, settings, watch }
    }

    /// Opens the debate whose plan is at `plan_file` and runs it.
    pub async fn debate(&self, plan_file: &str) -> Result<RunEnd, EngineError> {
        self.opened(DebateFiles::open(&self.workspace.disk, plan_file)?).await
    }

    /// Runs a debate as far as it goes. Holds its lock.
    pub async fn opened(&self, mut files: DebateFiles) -> Result<RunEnd, EngineError> {
        let _held = self.workspace.hold(&files)?;
        self.watch.see(Event::Began { debate: files.plan.id.clone(), plan_file: files.layout.plan() });
        if self.settings.tidies_up {
            self.sweep(&files);
        }
        if self.settings.retry_absent {
            self.put_absences_aside(&files)?;
        }
        for _ in 0..PASSES_LIMIT {
            // The plan and the personas are read and checked anew in every pass: "verified unchanged before every round".
            files = files.refresh()?;
            let survey = Survey::of(&files)?;
            if framing::is_needed(&files.plan) {
                if let Some(end) = self.frame(&files, &survey).await? {
                    return Ok(end);
                }
                continue;
            }
            if self.take_mended_anew(&files, &survey)? {
                continue;
            }
            if survey.verdict.is_some() {
                for warning in survey.warnings() {
                    self.watch.see(Event::Note(warning));
                }
                return Ok(RunEnd::Concluded(Box::new(report::publish(&files, &survey)?)));
            }
            if !self.wave(&files, &survey).await? {
                let account = report::publish_open(&files, &survey)?;
                return Ok(RunEnd::Waiting { open: survey.open, account: Box::new(account) });
            }
        }
        Err(EngineError::Bug(format!("{}: no end after {PASSES_LIMIT} passes", files.plan.id)))
    }

    /// Removes what dead runs left half-written. Harmless if it fails: such files are never read.
    fn sweep(&self, files: &DebateFiles) {
        let folders = ["", "briefs", "replies", "turns", "roles"].map(|folder| files.layout.trail(folder));
        let homes = ["", "positions", "rounds", "polls", "reviews"].map(|folder| files.layout.path(folder));
        // A folder that many debates share is left alone: listing it would cost more the more there are.
        let own = homes.iter().filter(|_| files.layout.has_own_folder());
        for folder in folders.iter().chain(own) {
            let _ = self.workspace.locks.sweep(folder.trim_end_matches('/'));
        }
    }

    /// While the gate blocks, a file that was mended since it was taken in is taken in anew. Once a debate is decided,
    /// what was taken in stands.
    fn take_mended_anew(&self, files: &DebateFiles, survey: &Survey) -> Result<bool, EngineError> {
        if survey.verdict.as_ref().is_none_or(|verdict| verdict.outcome != Outcome::Blocked) {
            return Ok(false);
        }
        let changed = |one: &OnRecord| one.since == Some(Since::Changed);
        let Some(first) = survey.heard.iter().position(changed) else { return Ok(false) };
        let wave = survey.heard.get(first).map(|one| one.header.previous);
        // Whatever was said after a mended turn was said about other words.
        let later = |i: usize, one: &OnRecord| i > first && Some(one.header.previous) != wave;
        for (_, one) in survey.heard.iter().enumerate().filter(|(i, one)| changed(one) || later(*i, one)) {
            files.withdraw(&one.turn.key, &one.line.file)?;
            self.watch.see(Event::Note(format!("{} is taken in or asked for anew", files.turn_path(&one.turn.key))));
        }
        Ok(true)
    }

    /// Asks everything that is open. False if nothing could be done: only people and outsiders are left.
    async fn wave(&self, files: &DebateFiles, survey: &Survey) -> Result<bool, EngineError> {
        // The status word follows when the run ends or has to wait: whoever looks meanwhile asks `forge debate status`.
        if survey.open.iter().any(|open| !matches!(open.found, Found::Nothing)) {
            // What was written answers the plan as it was laid out, not as it was edited since.
            files.check_laid_out()?;
        }
        files.seal()?;
        let mut did_something = false;
        let mut asks = Vec::new();
        for open in &survey.open {
            let key = &open.ask.key;
            let hand = self.hand(files, key);
            match (&open.found, &hand) {
                (Found::HandedIn { bytes }, _) => {
                    self.take_in(files, survey, &open.ask, bytes, &hand)?;
                    did_something = true;
                }
                (Found::Damaged { path, problems }, _) => {
                    let aside = files.set_aside(key, path)?;
                    self.watch.see(Event::Note(format!("{}; moved to {aside}", problems.join("; "))));
                    did_something = true;
                }
                (Found::NotYet { path, problems }, Hand::Agent(_)) if self.settings.calls == Calls::Made => {
                    let aside = files.set_aside(key, path)?;
                    let why = format!(
                        "{path} stood in the way of {key} and is not in form ({}); moved to {aside}",
                        problems.join("; ")
                    );
                    self.watch.see(Event::Note(why));
                    did_something = true;
                }
                (Found::NotYet { path, problems }, _) => {
                    self.put_outside_brief(files, survey, &open.ask)?;
                    self.watch.see(Event::NotYet { key: key.clone(), file: path.clone(), problems: problems.clone() });
                }
                (_, Hand::Agent(_)) if self.settings.calls == Calls::None => {}
                (_, Hand::Agent(_)) => asks.push(&open.ask),
                (_, _) => {
                    let brief = self.put_outside_brief(files, survey, &open.ask)?;
                    self.watch.see(Event::Waiting { key: key.clone(), file: files.turn_path(key), brief });
                }
            }
        }
        if did_something || asks.is_empty() {
            return Ok(did_something);
        }
        self.ask_all(files, survey, asks).await?;
        Ok(true)
    }

    async fn ask_all(&self, files: &DebateFiles, survey: &Survey, asks: Vec<&Ask>) -> Result<(), EngineError> {
        self.watch.see(Event::Wave { keys: asks.iter().map(|ask| ask.key.clone()).collect() });
        let budget = Budget::of(files, &files.plan.limits)?;
        let mut ready = Vec::new();
        for ask in asks {
            let hand = self.hand(files, &ask.key);
            let name = hand.to_string();
            let agent = self.workspace.roster.find(&name).map_err(|unknown| EngineError::Usage(unknown.to_string()))?;
            ready.push(Asking {
                files,
                ask,
                brief: brief::render(&files.plan, ask, &survey.turns, &files.texts)?,
                hand,
                agent,
                chain: survey.chain,
                budget: &budget,
                clock: &self.workspace.clock,
                watch: self.watch,
                deadline: Duration::from_secs(u64::from(files.plan.limits.timeout_seconds)),
            });
        }
        // Every seat is given its chance even if another one's files fail: a paid reply is never thrown away.
        let results: Vec<Result<(), EngineError>> = stream::iter(ready.into_iter().map(Asking::run))
            .buffer_unordered(self.settings.parallel.max(1))
            .collect()
            .await;
        results.into_iter().collect()
    }

    /// Gets options for a plan that has none. `Some` if that is not to be had now.
    async fn frame(&self, files: &DebateFiles, survey: &Survey) -> Result<Option<RunEnd>, EngineError> {
        if let Some(turn) = survey.heard.first() {
            let needs = |why: String| Some(RunEnd::NeedsOptions { plan_file: files.layout.plan(), why: Some(why) });
            let Some(speech) = turn.turn.speech() else {
                let why = turn.turn.absence().map(|a| format!("the framer {}: {}", a.kind.phrase(), a.detail));
                return Ok(needs(why.unwrap_or_default()));
            };
            let options = framing::options(speech);
            let fewest = files.protocol.fewest_options();
            if options.len() < fewest {
                return Ok(needs(format!(
                    "the framer proposed {} different options; {fewest} are needed",
                    options.len()
                )));
            }
            self.watch
                .see(Event::Framed { options: options.iter().map(|o| format!("{}: {}", o.id, o.label)).collect() });
            files.put_options(options)?;
            return Ok(None);
        }
        let Some(open) = survey.open.first() else {
            return Ok(Some(RunEnd::NeedsOptions { plan_file: files.layout.plan(), why: None }));
        };
        if self.settings.calls == Calls::None || !self.hand(files, &open.ask.key).is_agent() {
            return Ok(Some(RunEnd::NeedsOptions { plan_file: files.layout.plan(), why: None }));
        }
        if let Found::Damaged { path, problems } | Found::NotYet { path, problems } = &open.found {
            let aside = files.set_aside(&open.ask.key, path)?;
            self.watch.see(Event::Note(format!("{}; moved to {aside}", problems.join("; "))));
            return Ok(None);
        }
        self.ask_all(files, survey, vec![&open.ask]).await?;
        Ok(None)
    }

    fn hand(&self, files: &DebateFiles, key: &TurnKey) -> Hand {
        mover(files, key)
    }

    fn put_outside_brief(&self, files: &DebateFiles, survey: &Survey, ask: &Ask) -> Result<String, EngineError> {
        let brief = brief::render(&files.plan, ask, &survey.turns, &files.texts)?;
        let how = format!(
            "Write your turn to `{}`, or hand it in with `forge turn submit {} {} --file FILE`.\n\n",
            files.turn_path(&ask.key),
            files.plan.id,
            ask.key.seat
        );
        Ok(files.put_outside_brief(&ask.key, &format!("{how}{}", brief.text()))?)
    }

    fn take_in(
        &self,
        files: &DebateFiles,
        survey: &Survey,
        ask: &Ask,
        bytes: &[u8],
        hand: &Hand,
    ) -> Result<(), EngineError> {
        let brief = brief::render(&files.plan, ask, &survey.turns, &files.texts)?;
        let now = (self.workspace.clock)().to_string();
        let agent = if hand.is_agent() { Hand::Outside } else { hand.clone() };
        let header = TurnHeader {
            brief: Some(Digest::of(brief.text().as_bytes())),
            reply: Some(Digest::of(bytes)),
            ..TurnHeader::uncalled(
                &files.plan.id,
                &brief.role,
                &agent.to_string(),
                &now,
                files.plan_digest,
                survey.chain,
            )
        };
        files.take_in(&ask.key, &header, bytes)?;
        self.watch.see(Event::TakenIn { key: ask.key.clone(), file: files.turn_path(&ask.key) });
        Ok(())
    }

    /// Puts absences aside, with everything said after them: they were said under other circumstances.
    fn put_absences_aside(&self, files: &DebateFiles) -> Result<(), EngineError> {
        let survey = Survey::of(files)?;
        let blocked = survey.verdict.as_ref().is_some_and(|verdict| verdict.outcome == Outcome::Blocked);
        // A gate that blocks is mended by whoever wrote the last turn: its synthesis is asked for again too.
        let last = survey.heard.len().saturating_sub(1);
        let again = |i: usize, one: &OnRecord| one.turn.absence().is_some() || (blocked && i == last);
        let Some(first) = survey.heard.iter().enumerate().position(|(i, one)| again(i, one)) else { return Ok(()) };
        report::retract(files)?;
        let wave = survey.heard.get(first).map(|one| one.header.previous);
        for (i, one) in survey.heard.iter().enumerate().rev() {
            let later = i >= first && Some(one.header.previous) != wave;
            if later || again(i, one) {
                files.withdraw(&one.turn.key, &one.line.file)?;
                // Words that somebody left were written for another record; they are kept, and asked for again.
                let left = files.turn_path(&one.turn.key);
                if left != one.line.file {
                    files.set_aside(&one.turn.key, &left)?;
                }
                self.watch.see(Event::Note(format!("{} is put aside and will be asked again", one.turn.key)));
            }
        }
        Ok(())
    }
}

/// Who moves a seat. The framer and other officers without a seat are moved by the first agent of the plan.
pub(crate) fn mover(files: &DebateFiles, key: &TurnKey) -> Hand {
    let own = files.plan.seat(&key.seat).map(|seat| seat.hand.clone());
    let framer = || files.plan.with_duty(Duty::Framer).next().map(|seat| seat.hand.clone());
    let first_agent = || files.plan.seats.iter().map(|seat| seat.hand.clone()).find(Hand::is_agent);
    let all_agents = files.plan.seats.iter().all(|seat| seat.hand.is_agent());
    own.or_else(framer).or_else(|| if all_agents { first_agent() } else { None }).unwrap_or(Hand::Outside)
}
