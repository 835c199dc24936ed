//! Where a debate stands: disk to values to decision, with no effects.

use crate::budget::is_stand_in;
use crate::report;
use crate::workspace::EngineError;
use crate::{run, vote};
use forge_artifacts::formats::turn::TurnHeader;
use forge_artifacts::formats::verdict::{Account, Spent};
use forge_artifacts::store::{DebateFiles, Found, OnRecord, Since};
use forge_debate::control::CONTROL;
use forge_debate::digest::{Digest, Parts};
use forge_debate::family::{self, Served};
use forge_debate::framing::{self, FRAMING};
use forge_debate::plan::{Duty, Plan, SeatId};
use forge_debate::protocols::{self, DECISION};
use forge_debate::record::{Ask, Record, Wave};
use forge_debate::turn::{AbsenceKind, Turn, TurnKey};
use forge_debate::verdict::{Outcome, Ruling, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A debate has no more waves than this; more means that a protocol does not end.
const WAVES_LIMIT: usize = 500;

/// An ask that nobody has answered, and what stands in its place.
#[derive(Debug, Clone)]
pub struct OpenAsk {
    /// The ask.
    pub ask: Ask,
    /// What stands at the turn's place: nothing, a handed-in file, a half-written one, a damaged one.
    pub found: Found,
}

impl OpenAsk {
    /// Whether somebody has written something at the turn's place.
    fn has_words(&self) -> bool {
        match &self.found {
            Found::Nothing => false,
            Found::NotYet { has_words, .. } => *has_words,
            Found::Turn(_) | Found::HandedIn { .. } | Found::Damaged { .. } => true,
        }
    }
}

/// Where a debate stands.
#[derive(Debug)]
pub struct Survey {
    /// The verdict, if there is one.
    pub verdict: Option<Verdict>,
    /// The open asks otherwise.
    pub open: Vec<OpenAsk>,
    /// All turns on record.
    pub turns: BTreeMap<TurnKey, Turn>,
    /// What was asked, wave by wave.
    pub waves: Vec<Wave>,
    /// The turns in the order in which they were heard, with their files.
    pub heard: Vec<Arc<OnRecord>>,
    /// The framer's turn, where the options were proposed: no part of the record, but it was paid.
    pub framing: Option<Arc<OnRecord>>,
    /// The digest of the record before the open wave (or of the whole record): what the next turns chain to.
    pub chain: Digest,
    /// Turns that were made after another record than the one that is here.
    pub broken: Vec<TurnKey>,
    /// Turns that are not on record and were counted all the same, as if their waves had been closed now.
    pub provisional: Vec<TurnKey>,
}

/// What counts of an open wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// What is on record.
    OnRecord,
    /// The files of a wave in which nothing else is open, too.
    AsIfClosed,
    /// The same, but for a person's decision.
    AsIfUndecided,
}

impl Survey {
    /// Reads the debate and runs its protocol as far as the record goes.
    pub fn of(files: &DebateFiles) -> Result<Self, EngineError> {
        Self::look(files, Look::OnRecord)
    }

    /// The same as if every wave that is complete were closed now: what whoever only looks is shown. Writes nothing.
    pub fn as_if_closed(files: &DebateFiles) -> Result<Self, EngineError> {
        Self::look(files, Look::AsIfClosed)
    }

    /// The same without a person's decision: what the seats came to.
    pub(crate) fn as_if_undecided(files: &DebateFiles) -> Result<Self, EngineError> {
        Self::look(files, Look::AsIfUndecided)
    }

    fn look(files: &DebateFiles, look: Look) -> Result<Self, EngineError> {
        let Ahead { mut asked, found } = Ahead::of(files)?;
        let mut turns: BTreeMap<TurnKey, Turn> = BTreeMap::new();
        let mut on_record: BTreeMap<TurnKey, Arc<OnRecord>> = BTreeMap::new();
        for one in found {
            turns.insert(one.turn.key.clone(), one.turn.clone());
            on_record.insert(one.turn.key.clone(), one);
        }
        let mut reopened: BTreeSet<TurnKey> = BTreeSet::new();
        let mut provisional: Vec<TurnKey> = Vec::new();
        for _ in 0..WAVES_LIMIT {
            let mut record = Record::after(&asked, &turns);
            let result = if framing::is_needed(&files.plan) {
                record.hear_one(framing::ask).map(|_| None)
            } else {
                forge_debate::conclude(files.protocol, &files.plan, &mut record).map(Some)
            };
            let waves = record.waves().to_vec();
            // Below, turns come and go that answer the last of these waves, and nothing that was asked before rests on them.
            asked = waves.iter().take_while(|wave| wave.iter().all(is_of_protocol)).cloned().collect();
            let (verdict, open) = match result {
                Ok(verdict) => (verdict, Vec::new()),
                Err(pending) => (None, pending.asks),
            };
            let mut wanted = open.clone();
            // A person may decide before one seat alone has answered: nothing of the debate is open then.
            let only_control = !open.is_empty() && open.iter().all(|ask| ask.key.stage == CONTROL);
            let decision = protocols::decision_ask();
            let outcome = verdict.as_ref().map(|verdict| verdict.outcome());
            let may_decide = only_control || outcome.is_some_and(|one| one.needs_a_person() || one.is_settled());
            if may_decide && look != Look::AsIfUndecided && !turns.contains_key(&decision.key) {
                wanted.push(decision.clone());
            }
            let mut found = Vec::new();
            let mut more = false;
            for ask in wanted {
                let there = if reopened.contains(&ask.key) { files.find_left(&ask)? } else { files.find(&ask)? };
                match there {
                    Found::Turn(one) if outcome.is_some_and(|outcome| !forge_debate::decides(outcome, &one.turn)) => {}
                    Found::Turn(one) => {
                        turns.insert(ask.key.clone(), one.turn.clone());
                        on_record.insert(ask.key, one);
                        more = true;
                    }
                    _ if ask.key == decision.key => {}
                    other => found.push(OpenAsk { ask, found: other }),
                }
            }
            if more {
                continue;
            }
            let open = if verdict.is_some() { Vec::new() } else { found };
            // A run that died while it closed a wave left some of it in the trail. Until all of it is there, the files count.
            let last = waves.last().filter(|_| !open.is_empty()).map(|wave| &**wave).unwrap_or_default();
            let is_left = |ask: &&Ask| on_record.get(&ask.key).is_some_and(|one| one.since.is_some());
            let changed: Vec<TurnKey> = last.iter().filter(is_left).map(|ask| ask.key.clone()).collect();
            if !changed.is_empty() {
                for key in changed {
                    turns.remove(&key);
                    on_record.remove(&key);
                    reopened.insert(key);
                }
                continue;
            }
            let before = if open.is_empty() { waves.len() } else { waves.len().saturating_sub(1) };
            let (chain, broken) = chained(files, &waves, before, &on_record);
            if look != Look::OnRecord
                && !framing::is_needed(&files.plan)
                && let Some(closed) = as_if_taken_in(files, &open, chain)?
            {
                for one in closed {
                    provisional.push(one.turn.key.clone());
                    turns.insert(one.turn.key.clone(), one.turn.clone());
                    on_record.insert(one.turn.key.clone(), one);
                }
                continue;
            }
            let asks = waves.iter().flat_map(|wave| wave.iter());
            let heard: Vec<Arc<OnRecord>> = asks.filter_map(|ask| on_record.get(&ask.key).cloned()).collect();
            files.keep_asked(asked, &heard);
            let framing = match files.file.framed.then(|| files.find(&framing::ask())).transpose()? {
                Some(Found::Turn(one)) => Some(one),
                _ => None,
            };
            return Ok(Self { verdict, open, turns, waves, heard, framing, chain, broken, provisional });
        }
        Err(EngineError::Bug(format!("{} does not end after {WAVES_LIMIT} waves", files.plan.protocol.name)))
    }

    /// What reports are made from. An open debate has no verdict; its account says `insufficient` and is used for
    /// progress only.
    pub fn account(&self, files: &DebateFiles) -> Result<Account, EngineError> {
        let contradictions = self.contradictions(files)?;
        Ok(Account { contradictions, ..self.account_and_texts(files)?.0 })
    }

    /// What is no longer as it was when the verdict on file was derived, or when a later turn was made.
    pub fn contradictions(&self, files: &DebateFiles) -> Result<Vec<String>, EngineError> {
        let mut found = report::contradictions(files, self)?;
        found.extend(self.warnings(files));
        Ok(found)
    }

    /// The account, and the reports that it names.
    pub(crate) fn account_and_texts(&self, files: &DebateFiles) -> Result<(Account, Vec<report::Text>), EngineError> {
        let mut spent: Spent = files.calls()?;
        // Figures come from files that anybody may have written: a sum that is too large is no reason to stop.
        for one in self.heard.iter().chain(&self.framing) {
            add(&mut spent, &one.header);
            if one.header.input_tokens.is_none() && !matches!(one.header.agent.as_str(), "human" | "outside") {
                spent.calls_without_usage = spent.calls_without_usage.saturating_add(one.header.attempts);
            }
        }
        let heard: Vec<TurnKey> = self.heard.iter().map(|one| one.turn.key.clone()).collect();
        files.withdrawn_for_good(&heard)?.iter().for_each(|header| add(&mut spent, header));
        let verdict = self.verdict.clone().unwrap_or_else(|| Verdict::from(Ruling::new(Outcome::Insufficient)));
        let mut account = Account {
            plan: files.plan.clone(),
            verdict,
            turns: self.heard.iter().map(|one| one.line.clone()).collect(),
            spent,
            served: served(&files.plan, &self.heard),
            kept: Vec::new(),
            reports: Vec::new(),
            contradictions: self.broken_chain().collect(),
            not_on_record: self.provisional.clone(),
            plan_digest: files.plan_digest,
            record: self.chain,
            replaced: files.file.replaced(&files.texts),
            asks_for_name: false,
            framing: self.framing.as_ref().map(|one| one.line.clone()),
            plan_file: files.layout.plan(),
            dir: files.layout.dir().to_owned(),
        };
        if self.verdict.is_none() {
            return Ok((account, Vec::new()));
        }
        account.kept = self.kept(files)?;
        let texts = report::texts(files, &account);
        account.reports = texts.iter().map(|(path, text)| (path.clone(), Digest::of(text.as_bytes()))).collect();
        Ok((account, texts))
    }

    /// What the turns on record used.
    pub(crate) fn spent_on_record(&self) -> Spent {
        let mut spent = Spent::default();
        self.heard.iter().chain(&self.framing).for_each(|one| add(&mut spent, &one.header));
        spent
    }

    /// Recorded files that are not in the chain: what no turn names, and the framer's turn.
    fn kept(&self, files: &DebateFiles) -> Result<Vec<(String, Digest)>, EngineError> {
        let turns: Vec<(String, &TurnHeader)> =
            self.heard.iter().chain(&self.framing).map(|one| (one.turn.key.slug(), &one.header)).collect();
        let mut kept = files.kept(&turns)?;
        kept.extend(self.framing.iter().map(|one| (one.line.file.clone(), one.line.digest)));
        kept.sort();
        Ok(kept)
    }

    /// What a decision chains to: every turn that is on record, those of a wave that is not whole among them.
    pub(crate) fn chain_of_all(&self, files: &DebateFiles) -> Digest {
        chain(files, self.heard.iter().map(|one| &**one))
    }

    /// The open seats whose files have words.
    pub(crate) fn writers(&self) -> Vec<SeatId> {
        self.open.iter().filter(|open| open.has_words()).map(|open| open.ask.key.seat.clone()).collect()
    }

    /// S0's status word: `pending` while no role's file has any words, `complete` once nothing is missing and nothing blocks.
    pub fn status(&self) -> &'static str {
        let is_whole = self.heard.iter().all(|one| one.since.is_none());
        let is_over = |verdict: &Verdict| !matches!(verdict.outcome(), Outcome::Blocked | Outcome::Insufficient);
        if is_whole && self.verdict.as_ref().is_some_and(is_over) {
            "complete"
        } else if self.heard.iter().any(|one| one.turn.speech().is_some()) || self.open.iter().any(OpenAsk::has_words) {
            "running"
        } else {
            "pending"
        }
    }

    /// Whether the verdict is that something blocks.
    pub(crate) fn is_blocked(&self) -> bool {
        self.verdict.as_ref().is_some_and(|verdict| verdict.outcome() == Outcome::Blocked)
    }

    /// Whether every seat of the open wave is complete: it can be closed.
    pub(crate) fn is_complete(&self) -> bool {
        let is_handed_in = |open: &OpenAsk| matches!(open.found, Found::HandedIn { .. });
        !self.open.is_empty() && self.open.iter().all(is_handed_in)
    }

    /// Turns whose files are gone or changed since their waves were closed, with what is said of them.
    pub fn changed_files<'s>(&'s self, files: &'s DebateFiles) -> impl Iterator<Item = (String, String)> + 's {
        self.heard.iter().filter_map(|one| {
            let what = match one.since? {
                Since::Gone => "is gone",
                Since::Changed => "was changed",
            };
            let id = &files.plan.id;
            let text = format!(
                "it {what} since it was taken in; what was said is in {}, and `forge debate restore {id}` puts it back",
                one.line.file
            );
            Some((files.turn_path(&one.turn.key), text))
        })
    }

    /// Whether a challenger was not asked because its persona's file was missing.
    pub(crate) fn has_no_context_file(&self, seat: &SeatId) -> bool {
        let is_such =
            |one: &OnRecord| one.turn.absence().is_some_and(|absence| absence.kind == AbsenceKind::NoContextFile);
        self.heard.iter().any(|one| one.turn.seat() == seat && is_such(one))
    }

    /// What is odd about the files of turns that stand.
    pub fn warnings(&self, files: &DebateFiles) -> Vec<String> {
        let changed = self.changed_files(files).map(|(file, text)| format!("{file}: {text}"));
        let lost = files.lost_personas().into_iter().filter(|(seat, _)| {
            let is_over = self.verdict.is_some();
            is_over && !self.has_no_context_file(seat)
        });
        let lost =
            lost.map(|(_, file)| format!("{file}: it is gone; `forge debate restore {}` puts it back", files.plan.id));
        self.broken_chain().chain(changed).chain(lost).collect()
    }

    pub(crate) fn broken_chain(&self) -> impl Iterator<Item = String> {
        self.broken.iter().map(|key| {
            format!("{key} was made after another record than the one before it here: an earlier turn was changed, dropped or added")
        })
    }
}

/// What an earlier pass asked for and heard, looked up before the protocol is run: it then is run once, and makes only asks that
/// are new.
struct Ahead {
    /// The waves that the protocol asks for, since all turns before them are those that were heard then.
    asked: Vec<Wave>,
    /// The turns that answer them.
    found: Vec<Arc<OnRecord>>,
}

impl Ahead {
    fn of(files: &DebateFiles) -> Result<Self, EngineError> {
        let mut ahead = Self { asked: Vec::new(), found: Vec::new() };
        if framing::is_needed(&files.plan) {
            return Ok(ahead);
        }
        let (waves, heard) = files.asked_before();
        let mut heard = heard.iter().peekable();
        for wave in waves {
            let mut is_as_heard = true;
            for ask in wave.iter() {
                let before = heard.next_if(|one| one.turn.key == ask.key);
                match files.find(ask)? {
                    Found::Turn(one) if one.since.is_none() => {
                        is_as_heard &= before.is_some_and(|before| Arc::ptr_eq(before, &one));
                        ahead.found.push(one);
                    }
                    _ => is_as_heard = false,
                }
            }
            ahead.asked.push(wave);
            if !is_as_heard {
                break;
            }
        }
        Ok(ahead)
    }
}

/// Whether the protocol itself asks this, before anything is made of what the seats came to.
fn is_of_protocol(ask: &Ask) -> bool {
    ![CONTROL, FRAMING, DECISION].contains(&ask.key.stage)
}

/// The turns that the files of an open wave become when it is closed now; none where something is still open.
fn as_if_taken_in(
    files: &DebateFiles,
    open: &[OpenAsk],
    chain: Digest,
) -> Result<Option<Vec<Arc<OnRecord>>>, EngineError> {
    let mut closed = Vec::new();
    for OpenAsk { ask, found } in open {
        let Found::HandedIn { bytes } = found else { return Ok(None) };
        if !vote::is_what_was_sealed(files, &ask.key, bytes)? {
            return Ok(None);
        }
        // When it will be taken in, nobody knows yet; nothing that counts depends on it.
        let header = run::header_of_left(files, ask, "", chain, &files.plan.created_at)?;
        let Some(one) = files.as_if_taken_in(ask, &header, bytes)? else { return Ok(None) };
        closed.push(Arc::new(one));
    }
    Ok(Some(closed).filter(|closed| !closed.is_empty()))
}

/// Adds what a turn used.
fn add(spent: &mut Spent, turn: &TurnHeader) {
    spent.input_tokens = spent.input_tokens.saturating_add(turn.input_tokens.unwrap_or(0));
    spent.output_tokens = spent.output_tokens.saturating_add(turn.output_tokens.unwrap_or(0));
    if let Some(cost) = turn.cost_microdollars {
        spent.cost_microdollars = Some(spent.cost_microdollars.unwrap_or(0).saturating_add(cost));
    }
    spent.calls_without_cost = spent.calls_without_cost.saturating_add(turn.calls_without_cost);
    let said = turn.cost_by.iter().flat_map(|by| by.split(", "));
    spent.cost_by.extend(said.map(str::to_owned));
    if turn.attempts > 0 && turn.cost_microdollars.is_none() && !is_stand_in(&turn.agent) {
        spent.turns_without_price = spent.turns_without_price.saturating_add(1);
    }
}

/// Which model family served each seat, by its last receipt that names a model.
fn served(plan: &Plan, heard: &[Arc<OnRecord>]) -> Vec<Served> {
    // Of officers only the one that decides: a gate's synthesizer.
    let seats = plan.seats.iter().filter(|seat| matches!(seat.duty, Duty::Debater | Duty::Lead | Duty::Synthesizer));
    seats
        .filter(|seat| heard.iter().any(|one| *one.turn.seat() == seat.id && one.turn.speech().is_some()))
        .map(|seat| {
            let mut turns = heard.iter().rev().filter(|one| *one.turn.seat() == seat.id);
            let model = turns.find_map(|one| one.header.model_served.clone());
            let family = match &model {
                Some(model) => family::of_served(seat, model),
                None => family::of_seat(seat),
            };
            Served { seat: seat.id.clone(), model, family }
        })
        .collect()
}

/// The digest of the record before and without what was asked after so many waves, and the turns whose headers name another
/// record before them than the files tell.
fn chained(
    files: &DebateFiles,
    waves: &[Wave],
    before: usize,
    on_record: &BTreeMap<TurnKey, Arc<OnRecord>>,
) -> (Digest, Vec<TurnKey>) {
    let mut record = beginning(files);
    let (mut chain, mut broken) = (record.digest(), Vec::new());
    for (number, wave) in waves.iter().enumerate() {
        let expected = record.digest();
        for one in wave.iter().filter_map(|ask| on_record.get(&ask.key)) {
            if one.header.previous != expected {
                broken.push(one.turn.key.clone());
            }
            record.add(one.line.digest.to_string());
        }
        if number < before {
            chain = record.digest();
        }
    }
    (chain, broken)
}

/// The digest of a record: the plan, then every turn's file in the order in which the protocol heard them.
fn chain<'r>(files: &DebateFiles, turns: impl Iterator<Item = &'r OnRecord>) -> Digest {
    chain_of(files, turns.map(|one| one.line.digest))
}

/// The same from the digests of the turns' files.
pub(crate) fn chain_of(files: &DebateFiles, turns: impl Iterator<Item = Digest>) -> Digest {
    let mut record = beginning(files);
    turns.for_each(|digest| record.add(digest.to_string()));
    record.digest()
}

fn beginning(files: &DebateFiles) -> Parts {
    let mut record = Parts::default();
    record.add("record");
    record.add(files.plan_digest.to_string());
    record
}
