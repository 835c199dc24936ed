//! Running a debate: survey, ask what is open, start over, until there is a verdict or nobody left that forge may ask.

mod mending;

use crate::allowed::Allowed;
use crate::answer::Asking;
use crate::budget::{Budget, MAX_OUTPUT_TOKENS, check_prices};
use crate::event::{Event, Watch};
use crate::report;
use crate::survey::{OpenAsk, Survey};
use crate::turns::submit_command;
use crate::vote::{self, BlindVotes};
use crate::workspace::{EngineError, Workspace};
use forge_agents::{Agent, Answering, Call, Failure, Receipt};
use forge_artifacts::disk::Disk;
use forge_artifacts::formats::turn::{TurnBody, TurnHeader};
use forge_artifacts::formats::verdict::{Account, Spent};
use forge_artifacts::store::{DebateFiles, Found};
use forge_debate::brief::{self, Briefs};
use forge_debate::control::CONTROL;
use forge_debate::digest::Digest;
use forge_debate::framing;
use forge_debate::plan::{Duty, Hand, Limits, Plan, SeatId};
use forge_debate::record::{Ask, Reads};
use forge_debate::turn::{Absence, AbsenceKind, TurnKey};
use futures_util::stream::{self, StreamExt as _};
use std::sync::Arc;
use std::time::Duration;

/// A run makes at most this many passes; more means that something on disk keeps changing under it.
const PASSES_LIMIT: usize = 1000;

/// The most characters of a turn that is handed in by a command: hosts refuse longer commands.
const TURN_CHARS: usize = 7_500;

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
    /// The most tokens that one answer may have, where the agent can be told.
    pub max_output_tokens: u32,
    /// What the user allows, whatever the plan says; without it the plan alone holds.
    pub allowed: Option<Allowed>,
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
        Self {
            parallel: 16,
            retry_absent: false,
            tidies_up: false,
            calls: Calls::Made,
            max_output_tokens: MAX_OUTPUT_TOKENS,
            allowed: None,
        }
    }
}

/// How a run ended.
#[derive(Debug)]
pub enum RunEnd {
    /// There is a verdict.
    Concluded(Box<Account>),
    /// Everything is there, and the gate would block if it were taken in now: the files are left to their writers.
    Held(Box<Account>),
    /// Only seats are open that forge does not ask.
    Waiting {
        /// What is open and not forge's to ask, and what stands there.
        open: Vec<OpenAsk>,
        /// Whose files are complete, and are taken in once all are.
        handed_in: Vec<SeatId>,
        /// Agents that are asked once the people of their round have voted.
        held_back: Vec<SeatId>,
        /// People whose votes are sealed and not revealed yet, and since when.
        sealed: Vec<(SeatId, String)>,
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
    vault: Option<&'w dyn Disk>,
}

impl<'w> Run<'w> {
    /// A run in a workspace.
    pub fn new(workspace: &'w Workspace, settings: RunSettings, watch: &'w dyn Watch) -> Self {
        Self { workspace, settings, watch, vault: None }
    }

    /// The same run, which reveals sealed votes whose words wait in this folder, once everybody has voted.
    pub fn revealing(self, vault: Option<&'w dyn Disk>) -> Self {
        Self { vault, ..self }
    }

    /// Opens the debate whose plan is at `plan_file` and runs it.
    pub async fn debate(&self, plan_file: &str) -> Result<RunEnd, EngineError> {
        self.opened(self.workspace.open_file(plan_file)?).await
    }

    /// Runs a debate as far as it goes. Holds its lock.
    pub async fn opened(&self, mut files: DebateFiles) -> Result<RunEnd, EngineError> {
        let _held = self.workspace.hold(&files)?;
        self.watch.see(Event::Began { debate: files.plan.id.clone(), plan_file: files.layout.plan() });
        if self.settings.tidies_up {
            self.sweep(&files);
        }
        if self.settings.retry_absent {
            // Nothing is taken off the record for asks that may not be made.
            self.limits(&files)?;
            self.hold_plan(&files)?;
            self.put_absences_aside(&files)?;
        }
        for pass in 0..PASSES_LIMIT {
            // The plan and the personas are read and checked anew in every pass: "verified unchanged before every round".
            files = files.refresh()?;
            let survey = Survey::of(&files)?;
            // As long as the debate is held nobody else changes its record, so turns that were read are not read again, until
            // the run ends: then their files are looked at once more.
            let is_read_anew = !files.believe_readings(true);
            if pass == 0 {
                self.refuse_lost_files(&files, &survey)?;
                self.workspace.note_empty(&files, &survey)?;
                let Spent { input_tokens, output_tokens, cost_microdollars, .. } = survey.spent_on_record();
                let calls = survey.heard.iter().chain(&survey.framing).map(|one| one.header.attempts).sum();
                if calls > 0 {
                    let tokens = input_tokens.saturating_add(output_tokens);
                    self.watch.see(Event::Resumed { calls, tokens, cost: cost_microdollars });
                }
            }
            if survey.verdict.is_none() {
                self.hold_plan(&files)?;
                if self.settings.allowed.is_none() {
                    self.workspace.hold_rules(&files)?;
                }
            }
            if framing::is_needed(&files.plan) && !is_framed_outside(&files, &survey) {
                if let Some(end) = self.frame(&files, &survey).await? {
                    return Ok(end);
                }
                continue;
            }
            if let Some(verdict) = &survey.verdict {
                if !is_read_anew && !files.is_as_read() {
                    files.believe_readings(false);
                    continue;
                }
                if verdict.decision.is_some() {
                    self.workspace.refuse_found_decision(&files)?;
                }
                let told = |note| self.watch.see(Event::Note(note));
                return Ok(RunEnd::Concluded(Box::new(report::publish_telling(&files, &survey, &told)?)));
            }
            match self.wave(&files, &survey).await? {
                Passed::GoesOn => {}
                Passed::Waits | Passed::Held(_) if !is_read_anew && !files.is_as_read() => {
                    files.believe_readings(false);
                }
                Passed::Waits => return self.waiting(&files, survey),
                Passed::Held(ahead) => {
                    report::publish_open(&files, &survey)?;
                    return Ok(RunEnd::Held(Box::new(ahead.account(&files)?)));
                }
            }
        }
        Err(EngineError::Bug(format!("{}: no end after {PASSES_LIMIT} passes", files.plan.id)))
    }

    fn hold_plan(&self, files: &DebateFiles) -> Result<(), EngineError> {
        match self.settings.calls {
            Calls::Made => self.workspace.hold_plan(files),
            Calls::None => self.workspace.hold_plan_to_take_in(files),
        }
    }

    /// Refuses to go on over a file of a closed wave that is gone or changed, and over a record that is gone while others
    /// know the debate as closed: whoever changed the files would have their changes believed.
    fn refuse_lost_files(&self, files: &DebateFiles, survey: &Survey) -> Result<(), EngineError> {
        let mut found: Vec<String> =
            survey.changed_files(files).map(|(file, text)| format!("{file}: {text}")).collect();
        if survey.heard.is_empty()
            && let Some(file) = self.workspace.known_as_closed(&files.plan.id)?
        {
            found.push(format!("{file} knows this debate as closed, and its record is gone; take it from where it was kept (git), or hold the debate anew"));
        }
        if found.is_empty() { Ok(()) } else { Err(report::contradicted(files, &found)) }
    }

    /// Ends a run in which nobody is left that forge may ask.
    fn waiting(&self, files: &DebateFiles, survey: Survey) -> Result<RunEnd, EngineError> {
        let account = report::publish_open(files, &survey)?;
        let votes = BlindVotes::of(files, &survey)?;
        // What an outside seat handed in by command waits for the others.
        let mut here: Vec<TurnKey> = Vec::new();
        for open in &survey.open {
            let key = &open.ask.key;
            let is_there = match self.hand(files, key) {
                Hand::Outside => self.workspace.has_spoken(files, open)?,
                _ => matches!(open.found, Found::HandedIn { .. }),
            };
            here.extend(is_there.then(|| key.clone()));
        }
        let is_handed_in = |open: &OpenAsk| here.contains(&open.ask.key);
        let sealed = survey.open.iter().filter(|open| !is_handed_in(open)).filter_map(|open| {
            let key = &open.ask.key;
            Some((key.seat.clone(), votes.sealed_since(key)?.to_owned()))
        });
        let sealed = sealed.collect::<Vec<_>>();
        let is_held_back = |open: &OpenAsk| {
            let is_asked = self.settings.calls == Calls::Made && self.hand(files, &open.ask.key).is_agent();
            is_asked && !is_handed_in(open)
        };
        let (held_back, open): (Vec<OpenAsk>, Vec<OpenAsk>) = survey.open.into_iter().partition(is_held_back);
        let held_back = held_back.into_iter().map(|open| open.ask.key.seat).collect();
        let (handed_in, open): (Vec<OpenAsk>, Vec<OpenAsk>) = open.into_iter().partition(is_handed_in);
        let handed_in = handed_in.into_iter().map(|open| open.ask.key.seat).collect();
        Ok(RunEnd::Waiting { open, handed_in, held_back, sealed, account: Box::new(account) })
    }

    /// Removes what dead runs left half-written. Harmless if it fails: such files are never read.
    fn sweep(&self, files: &DebateFiles) {
        let folders = ["", "briefs", "replies", "turns", "roles", "sealed", "revealed", "withdrawn-votes"]
            .map(|folder| files.layout.trail(folder));
        let homes = ["", "positions", "rounds", "polls", "reviews", "control"].map(|folder| files.layout.path(folder));
        // A folder that many debates share is left alone: listing it would cost more the more there are.
        let own = homes.iter().filter(|_| files.layout.has_own_folder());
        for folder in folders.iter().chain(own) {
            let _ = self.workspace.locks.sweep(folder.trim_end_matches('/'));
        }
    }

    /// Asks everything that is open, or takes all of it in once every seat is complete.
    async fn wave(&self, files: &DebateFiles, survey: &Survey) -> Result<Passed, EngineError> {
        // The status word follows when the run ends or has to wait: whoever looks meanwhile asks `forge debate status`.
        if survey.open.iter().any(|open| !matches!(open.found, Found::Nothing)) {
            // What was written answers the plan as it was laid out, not as it was edited since.
            files.check_laid_out()?;
        }
        self.workspace.refuse_found_words(files, survey)?;
        vote::clear_taken_back(files, survey)?;
        // Before the plan is sealed as it is now: what people committed to is held against the plan that they read.
        let votes = BlindVotes::of(files, survey)?;
        // Who proposes the options speaks before there is a plan to hold on to.
        if !framing::is_needed(&files.plan) {
            files.seal()?;
        }
        let changed = votes.let_changes_stand(files, &(self.workspace.clock)().to_string())?;
        if !changed.is_empty() {
            changed.into_iter().for_each(|note| self.watch.see(Event::Note(note)));
            return Ok(Passed::GoesOn);
        }
        let awaited = votes.awaited();
        if let Some(vault) = self.vault.filter(|_| awaited.is_empty()) {
            let unsealed = votes.reveal(self.workspace, files, vault)?;
            for (key, file) in &unsealed.revealed {
                let what = if mover(files, key) == Hand::Human { "the vote of" } else { "what was handed in for" };
                self.watch.see(Event::Note(format!("{what} {key} is revealed in {file}")));
            }
            for key in unsealed.elsewhere.iter().filter(|key| mover(files, key) == Hand::Outside) {
                self.watch.see(Event::Note(format!(
                    "what was handed in for {key} waits on another machine; let that one go on, or hand it in again here"
                )));
            }
            if !unsealed.revealed.is_empty() {
                return Ok(Passed::GoesOn);
            }
        }
        votes.check(files)?;
        for open in survey.open.iter().filter(|open| matches!(open.found, Found::HandedIn { .. })) {
            if let Some(note) = votes.note_on_unsealed(files, survey, &open.ask.key) {
                self.watch.see(Event::Note(note));
            }
        }
        if survey.is_complete() {
            return self.close(files, survey);
        }
        // What counted stays where it lies, whatever was made of it: whoever edited it sees it named. A run that asks makes it
        // anew from its reply.
        let counted = if self.settings.calls == Calls::None { report::listed(files)? } else { Vec::new() };
        for open in &survey.open {
            if let Found::Damaged { path, problems, .. } = &open.found
                && counted.iter().any(|turn| turn.file == *path)
            {
                return Err(report::contradicted(files, problems));
            }
        }
        let mut did_something = false;
        let mut asks = Vec::new();
        for open in &survey.open {
            let key = &open.ask.key;
            let hand = self.hand(files, key);
            match (&open.found, &hand) {
                (Found::Nothing, hand) if files.lost_persona(&key.seat).is_some() => {
                    self.put_lost(files, survey, &open.ask, hand)?;
                    did_something = true;
                }
                // It is its writer's until everybody else is complete.
                (Found::HandedIn { .. }, _) => {}
                (Found::Nothing, Hand::Outside) if self.workspace.has_spoken(files, open)? => {}
                (Found::Damaged { path, problems, .. }, _) => {
                    let aside = files.set_aside(key, path)?;
                    self.watch.see(Event::Note(format!("{}; moved to {aside}", problems.join("; "))));
                    did_something = true;
                }
                // People vote first: nothing may be there that they could be led by.
                (Found::Nothing | Found::NotYet { .. }, Hand::Agent(_))
                    if self.settings.calls == Calls::Made && !awaited.is_empty() => {}
                (Found::NotYet { path, problems, .. }, Hand::Agent(_)) if self.settings.calls == Calls::Made => {
                    let aside = files.set_aside(key, path)?;
                    let why = format!(
                        "{path} stood in the way of {key} and is not in form ({}); moved to {aside}",
                        problems.join("; ")
                    );
                    self.watch.see(Event::Note(why));
                    did_something = true;
                }
                (Found::NotYet { path, problems, noted, .. }, _) => {
                    lay_out(files, survey, &open.ask)?;
                    let (file, problems, noted) = (path.clone(), problems.clone(), noted.clone());
                    self.watch.see(Event::NotYet { key: key.clone(), file, problems, noted });
                }
                (_, Hand::Agent(_)) if self.settings.calls == Calls::None => {}
                (_, Hand::Agent(_)) => asks.push(&open.ask),
                (_, _) => {
                    let brief = lay_out(files, survey, &open.ask)?;
                    self.watch.see(Event::Waiting { key: key.clone(), file: files.turn_path(key), brief });
                }
            }
        }
        if asks.is_empty() && !did_something {
            return Ok(Passed::Waits);
        }
        if !did_something {
            self.ask_all(files, survey, asks).await?;
        }
        Ok(Passed::GoesOn)
    }

    /// Takes in a wave of which every seat is complete, all of it. One that would end the debate as blocked is left to its
    /// writers: what blocks is mended where it lies.
    ///
    /// If the process dies here, what is in the trail of a wave that is not all there counts only while its file says the
    /// same; the next run takes in the rest.
    fn close(&self, files: &DebateFiles, survey: &Survey) -> Result<Passed, EngineError> {
        let ahead = Survey::as_if_closed(files)?;
        let ends = ahead.waves.len() == survey.waves.len();
        if ends && ahead.is_blocked() {
            return Ok(Passed::Held(Box::new(ahead)));
        }
        for open in &survey.open {
            if let Found::HandedIn { bytes } = &open.found {
                self.take_in(files, survey, &open.ask, bytes)?;
            }
        }
        Ok(Passed::GoesOn)
    }

    /// The limits that hold: the plan's, or the user's where they are smaller.
    fn limits(&self, files: &DebateFiles) -> Result<Limits, EngineError> {
        match &self.settings.allowed {
            Some(allowed) => Ok(allowed.bounds(self.workspace, files)?.limits),
            None => Ok(files.plan.limits.clone()),
        }
    }

    async fn ask_all(&self, files: &DebateFiles, survey: &Survey, asks: Vec<&Ask>) -> Result<(), EngineError> {
        // Nobody is asked on the strength of a record that is not the one of the verdict on file.
        let settled = report::listed(files)?;
        report::refuse_changed_turns(&settled, files, survey)?;
        let limits = self.limits(files)?;
        check_prices(&self.workspace.roster, &files.plan, limits.max_cost)?;
        self.watch.see(Event::Wave { keys: asks.iter().map(|ask| ask.key.clone()).collect() });
        let budget = Budget::of(self.workspace, files, &limits, self.settings.max_output_tokens)?;
        let briefs = Briefs::of(&files.plan, &survey.turns, &files.texts);
        let mut ready = Vec::new();
        for ask in asks {
            let hand = self.hand(files, &ask.key);
            let name = hand.to_string();
            let agent = match self.workspace.roster.find(&name) {
                Ok(agent) => agent,
                // What one seat alone would say never keeps a debate from its end.
                Err(unknown) if ask.key.stage == CONTROL => Arc::new(Unseated { name, why: unknown.to_string() }),
                Err(unknown) => return Err(EngineError::Usage(unknown.to_string())),
            };
            let brief = briefs.render(ask)?;
            ready.push(Asking {
                roster: &self.workspace.roster,
                files,
                ask,
                asked: Digest::of(brief.text().as_bytes()),
                brief,
                hand,
                agent,
                chain: survey.chain,
                budget: &budget,
                clock: &self.workspace.clock,
                watch: self.watch,
                deadline: Duration::from_secs(u64::from(limits.timeout_seconds)),
                is_settled: settled.iter().any(|turn| turn.file == files.turn_path(&ask.key)),
            });
        }
        drop(briefs);
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
                let why = turn.turn.absence().map(|a| format!("the framer {}: {}", a.kind.told(), a.detail));
                return Ok(needs(why.unwrap_or_default()));
            };
            let options = framing::options(speech);
            let fewest = files.plan.protocol.fewest_options;
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
        self.workspace.refuse_found_words(files, survey)?;
        if let Found::HandedIn { bytes } = &open.found {
            self.take_in(files, survey, &open.ask, bytes)?;
            return Ok(None);
        }
        if self.settings.calls == Calls::None || !self.hand(files, &open.ask.key).is_agent() {
            return Ok(Some(RunEnd::NeedsOptions { plan_file: files.layout.plan(), why: None }));
        }
        if let Found::Damaged { path, problems, .. } | Found::NotYet { path, problems, .. } = &open.found {
            let aside = files.set_aside(&open.ask.key, path)?;
            self.watch.see(Event::Note(format!("{}; moved to {aside}", problems.join("; "))));
            return Ok(None);
        }
        self.ask_all(files, survey, vec![&open.ask]).await?;
        Ok(None)
    }

    /// Puts on record that a challenger was not asked, because the file with its persona is gone.
    fn put_lost(&self, files: &DebateFiles, survey: &Survey, ask: &Ask, hand: &Hand) -> Result<(), EngineError> {
        let key = &ask.key;
        let file = files.lost_persona(&key.seat).unwrap_or_default();
        let role = files.plan.seat(&key.seat).map(|seat| seat.role.clone()).unwrap_or_default();
        let now = (self.workspace.clock)().to_string();
        let (agent, plan) = (hand.to_string(), files.plan_digest);
        let header = TurnHeader {
            rehearsal: hand.is_rehearsal(),
            ..TurnHeader::uncalled(&files.plan.id, &role, &agent, &now, plan, survey.chain)
        };
        let id = &files.plan.id;
        let detail = format!(
            "{file} is missing; `forge debate restore {id}` puts it back, and `forge debate run {id} --retry-absent` asks again"
        );
        let absence = Absence { kind: AbsenceKind::NoContextFile, detail };
        let _ = files.put_turn(key, &header, &TurnBody::Absence(absence.clone()))?;
        self.watch.see(Event::Absent {
            key: key.clone(),
            kind: absence.kind,
            detail: absence.detail,
            tokens: None,
            cost: None,
        });
        Ok(())
    }

    fn hand(&self, files: &DebateFiles, key: &TurnKey) -> Hand {
        mover(files, key)
    }

    fn take_in(&self, files: &DebateFiles, survey: &Survey, ask: &Ask, bytes: &[u8]) -> Result<(), EngineError> {
        let brief = brief::render(&files.plan, ask, &survey.turns, &files.texts)?;
        let now = (self.workspace.clock)().to_string();
        let header = TurnHeader {
            brief: Some(Digest::of(brief.text().as_bytes())),
            ..header_of_left(files, ask, &brief.role, survey.chain, &now)?
        };
        let removed = files.take_in(&ask.key, &header, bytes)?;
        let file = files.turn_path(&ask.key);
        self.watch.see(Event::TakenIn { key: ask.key.clone(), file: file.clone() });
        if removed > 0 {
            self.watch.see(Event::Note(keys_in(&file)));
        }
        Ok(())
    }
}

/// What a pass over an open wave came to.
enum Passed {
    /// Something was done, and the next pass looks again.
    GoesOn,
    /// Nothing could be done: only people and outsiders are left.
    Waits,
    /// Every seat is complete, and the verdict would be blocked.
    Held(Box<Survey>),
}

/// The header of a turn that is made from a file that somebody left.
pub(crate) fn header_of_left(
    files: &DebateFiles,
    ask: &Ask,
    role: &str,
    previous: Digest,
    at: &str,
) -> Result<TurnHeader, EngineError> {
    let hand = mover(files, &ask.key);
    let hand = if hand.is_agent() { Hand::Outside } else { hand };
    let host = vote::commitment_to(files, &ask.key)?.and_then(|sealed| sealed.host);
    let header = TurnHeader::uncalled(&files.plan.id, role, &hand.to_string(), at, files.plan_digest, previous);
    Ok(TurnHeader { host, ..header })
}

/// What is said of a file that somebody left with a key in it.
fn keys_in(file: &str) -> String {
    format!(
        "{file} holds what looks like a key; it was removed from what is recorded, shown and sent. Take it out of the file too, and renew the key"
    )
}

/// An agent that there is not: whoever asks it is told why.
pub(crate) struct Unseated {
    pub(crate) name: String,
    pub(crate) why: String,
}

impl Agent for Unseated {
    fn name(&self) -> &str {
        &self.name
    }

    fn answer<'a>(&'a self, _: &'a Call) -> Answering<'a> {
        let detail = self.why.clone();
        Box::pin(async { Err(Failure { kind: AbsenceKind::Unreachable, detail, receipt: Receipt::default() }) })
    }
}

/// Writes the brief of a seat that forge does not ask itself, and tells where.
pub(crate) fn lay_out(files: &DebateFiles, survey: &Survey, ask: &Ask) -> Result<String, EngineError> {
    let brief = brief::render(&files.plan, ask, &survey.turns, &files.texts)?;
    let (id, seat, file) = (&files.plan.id, &ask.key.seat, files.turn_path(&ask.key));
    let how = if mover(files, &ask.key) == Hand::Human {
        let seals = if ask.reads == Reads::Blind { ", which seals your vote until all people have voted" } else { "" };
        format!(
            "Vote with `forge debate vote {id} <option> --because WHY --seat {seat}`{seals}. Or write the turn yourself: pass it with `--file FILE`, or leave it in `{file}`.\n\n"
        )
    } else {
        let command = submit_command(id, seat, &ask.key.slug());
        format!(
            "You hold the seat `{seat}` in the debate `{id}`. Read this text and the parts that it names, if it names any; open no other file, and run no command but this one. Write your turn in the form that stands at the end, in at most {TURN_CHARS} characters, and hand it in:\n\n```\n{command} <<'END_OF_TURN'\n(your turn)\nEND_OF_TURN\n```\n\nExit 0: it is in, and you are done. Exit 2: it names everything that is missing; mend that and run the same command again, at most 3 times. Anything else: stop, and say what it printed. Who cannot run a command leaves the turn in `{file}`.\n\n"
        )
    };
    Ok(files.put_outside_brief(&ask.key, &how, &brief.text())?)
}

/// Whether the options are proposed by somebody outside, as the seats are moved, who has not spoken yet.
fn is_framed_outside(files: &DebateFiles, survey: &Survey) -> bool {
    let has_outside = files.plan.seats.iter().any(|seat| seat.hand == Hand::Outside);
    let asked = survey.open.first().map(|open| mover(files, &open.ask.key));
    has_outside && asked == Some(Hand::Outside) && survey.heard.is_empty()
}

/// Who moves a seat. The framer and other officers without a seat are moved by the first agent of the plan.
pub(crate) fn mover(files: &DebateFiles, key: &TurnKey) -> Hand {
    mover_of(&files.plan, &key.seat)
}

/// The same for a plan that is no debate yet.
pub(crate) fn mover_of(plan: &Plan, seat: &SeatId) -> Hand {
    let own = plan.seat(seat).map(|seat| seat.hand.clone());
    let framer = || plan.with_duty(Duty::Framer).next().map(|seat| seat.hand.clone());
    let first_agent = || plan.seats.iter().map(|seat| seat.hand.clone()).find(Hand::is_agent);
    let all_agents = plan.seats.iter().all(|seat| seat.hand.is_agent());
    own.or_else(framer).or_else(|| if all_agents { first_agent() } else { None }).unwrap_or(Hand::Outside)
}
