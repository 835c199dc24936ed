//! One seat's turn: asked, repaired at most once, put on record. Every step is on disk before the next begins:
//! brief (the intent), raw reply with its receipt, turn. If the process dies in between, the next run reads how far it
//! got and goes on from there; a reply that is on disk is never asked for again.

use crate::attempts::{self, Held, Ruling, too_many};
use crate::budget::{Budget, is_stand_in};
use crate::event::{Event, Watch};
use crate::report;
use crate::workspace::{Clock, EngineError};
use forge_agents::prices::{By, Price, Usage};
use forge_agents::{Agent, Call, Failure, Receipt, Reply, Roster};
use forge_artifacts::disk::Created;
use forge_artifacts::formats::call::{self, Intent, Purpose, ReceiptOnFile};
use forge_artifacts::formats::turn::{CallFiles, TurnBody, TurnHeader};
use forge_artifacts::formats::{believed, money};
use forge_artifacts::store::{ATTEMPTS_LIMIT, Attempt, DebateFiles, words_of_reply};
use forge_debate::brief::{self, Brief};
use forge_debate::digest::Digest;
use forge_debate::form::{REPLY_LIMIT_BYTES, Writer};
use forge_debate::personas::persona;
use forge_debate::plan::Hand;
use forge_debate::record::Ask;
use forge_debate::turn::{Absence, AbsenceKind};
use forge_prose::secrets::redacted;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tokio::time::Instant;

/// An agent keeps its deadline itself, and then its receipt tells how far it came; a program has to be ended first. This much
/// later it is cut off.
const DEADLINE_GRACE: Duration = Duration::from_secs(6);

/// Everything one seat's turn needs.
pub(crate) struct Asking<'a> {
    pub(crate) roster: &'a Roster,
    pub(crate) files: &'a DebateFiles,
    pub(crate) ask: &'a Ask,
    pub(crate) brief: Brief,
    /// The digest of the brief's text.
    pub(crate) asked: Digest,
    pub(crate) hand: Hand,
    pub(crate) agent: Arc<dyn Agent>,
    pub(crate) chain: Digest,
    pub(crate) budget: &'a Budget,
    pub(crate) clock: &'a Clock,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) deadline: Duration,
    /// Whether the verdict on file was derived from this turn: then it may come back from its reply, and nobody is asked.
    pub(crate) is_settled: bool,
}

/// What a call cost, and who says so.
struct Cost {
    microdollars: u64,
    by: String,
    /// What its tokens were multiplied with, where they were.
    rates: Option<String>,
}

impl Asking<'_> {
    /// Brings the seat's turn onto the record.
    pub(crate) async fn run(self) -> Result<(), EngineError> {
        let began = Instant::now();
        let key = &self.ask.key;
        let mut attempts = self.files.attempts(key)?;
        let withdrawn = if attempts.is_empty() { 0 } else { self.files.withdrawn_attempts(key, None)? };
        for lost in attempts.iter().filter(|attempt| attempt.reply.is_none() && attempt.number > withdrawn) {
            self.watch.see(Event::PossiblyPaid { key: key.clone(), attempt: lost.number });
        }
        let body = loop {
            match self.next(&attempts, withdrawn) {
                Ruling::Ask(purpose) => match self.call(&mut attempts, purpose, &self.brief).await? {
                    Ok(()) => {}
                    Err(absence) => break Err(absence),
                },
                Ruling::Repair(held) => {
                    let problems = held.reading.lines();
                    self.watch.see(Event::Repairing { key: key.clone(), problems: problems.clone() });
                    let brief = self.repair_brief(&held)?;
                    match self.call(&mut attempts, Purpose::Repair, &brief).await? {
                        Ok(()) => {}
                        // No budget for a repair: what is there must do, if it can.
                        Err(_) if held.reading.speech.is_some() => break Ok(held),
                        Err(absence) => break Err(absence),
                    }
                }
                Ruling::Take(held) => break Ok(held),
                Ruling::Miss(absence) => break Err(absence),
            }
        };
        self.put(&attempts, body, began)
    }

    /// What comes next, by the attempts at this very brief. Others were made before something changed (absences put aside,
    /// say): they count as spent, and no longer as answers.
    fn next(&self, attempts: &[Attempt], withdrawn: u32) -> Ruling {
        let asked = attempts::asked_last(attempts, withdrawn);
        let is_this = asked.brief.is_some_and(|brief| brief == self.asked);
        let at_this = if is_this { asked.attempts } else { Vec::new() };
        attempts::rule(&at_this, &self.ask.form, |raw| self.files.hold_against_form(self.ask, raw, Writer::Agent)).0
    }

    fn repair_brief(&self, held: &Held) -> Result<Brief, EngineError> {
        let said = words_of_reply(&held.raw).0;
        Ok(self.brief.repair(&self.files.texts, &held.reading.lines(), &said, &self.files.plan.nonce())?)
    }

    /// Makes one call: reservation, brief, call, raw reply. An `Err` inside is a call that the budget forbids.
    async fn call(
        &self,
        attempts: &mut Vec<Attempt>,
        purpose: Purpose,
        brief: &Brief,
    ) -> Result<Result<(), Absence>, EngineError> {
        let key = &self.ask.key;
        if self.is_settled {
            let file = self.files.turn_path(key);
            let found = format!("{file} is gone with its reply, and the verdict on file was derived from it");
            return Err(report::contradicted(self.files, &[found]));
        }
        let number = u32::try_from(attempts.len() + 1).unwrap_or(u32::MAX);
        if number > ATTEMPTS_LIMIT {
            return Ok(Err(too_many()));
        }
        // Before anything is written: what waits in a lane was not asked yet.
        let lane = self.agent.lane();
        let _pass = match &lane {
            Some(lane) => Some(lane.enter().await),
            None => None,
        };
        let text = brief.text();
        let price = self.roster.price(self.agent.name(), None);
        let persona = self.persona();
        let beside = self.agent.added_bytes(brief) + persona.as_ref().map_or(0, String::len);
        let reservation = match self.budget.reserve(text.len() + beside, &price) {
            Ok(reservation) => reservation,
            Err(detail) => return Ok(Err(Absence { kind: AbsenceKind::Budget, detail })),
        };
        let asked_at = (self.clock)();
        let intent = Intent {
            debate: self.files.plan.id.clone(),
            attempt: number,
            purpose,
            agent: self.agent.name().to_owned(),
            asked_at,
            reserved_tokens: reservation.tokens,
            reserved_cost: reservation.cost,
            brief: if purpose == Purpose::Repair { Digest::of(text.as_bytes()) } else { self.asked },
            wording: brief::wording(),
        };
        let (created, brief_file) = self.files.put_brief(key, &intent, &text)?;
        if created == Created::AlreadyThere {
            return Err(EngineError::Busy {
                what: format!("{key}"),
                holder: "someone wrote its brief meanwhile".to_owned(),
            });
        }
        self.budget.keep(reservation);
        self.watch.see(Event::Asking { key: key.clone(), agent: self.agent.name().to_owned(), attempt: number });
        // The others of the wave put their briefs on record meanwhile, and all wait for the medium once, before the first is asked.
        after_the_others().await;
        self.files.settle()?;
        after_the_others().await;
        let call = Call {
            brief: brief.clone(),
            attempt: number,
            is_repair: purpose == Purpose::Repair,
            deadline: self.deadline,
            reply_limit_bytes: REPLY_LIMIT_BYTES,
            max_output_tokens: self.budget.max_output_tokens(),
            persona,
        };
        let began = Instant::now();
        let answer = match tokio::time::timeout(self.deadline + DEADLINE_GRACE, self.agent.answer(&call)).await {
            Ok(answer) => answer,
            Err(_) => Err(Failure {
                kind: AbsenceKind::TimedOut,
                detail: format!("no answer within {} s", self.deadline.as_secs()),
                receipt: Receipt { program: self.agent.name().to_owned(), tries: 1, ..Receipt::default() },
            }),
        };
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let answer = answer.map(|reply| self.without_keys(reply));
        let receipt = self.receipt(&answer, number, asked_at.to_string(), milliseconds);
        let raw = answer.map(|reply| reply.bytes).unwrap_or_default();
        let reply_file = self.files.put_reply(key, &receipt, &raw)?;
        let tokens = receipt.input_tokens.zip(receipt.output_tokens).map(|(i, o)| i.saturating_add(o));
        self.budget.settle(reservation, tokens, receipt.cost_microdollars, receipt.untold_tries);
        let files = CallFiles { brief: brief_file, reply: Some(reply_file) };
        attempts.push(Attempt { number, intent: Some(intent), reply: Some((receipt, raw)), files });
        Ok(Ok(()))
    }

    /// What an agent that reads a context file finds there: the persona of a challenge's seat, which its brief then leaves out.
    fn persona(&self) -> Option<String> {
        let seat = self.files.plan.seat(&self.ask.key.seat)?;
        seat.context_file.as_ref()?;
        Some(persona(&self.files.plan, &seat.id, &self.files.texts.role(&self.files.plan, seat)))
    }

    /// The reply without what looks like a key: no file of a debate holds one, whoever wrote it.
    fn without_keys(&self, mut reply: Reply) -> Reply {
        if let Some(clean) = self.files.without_keys(self.ask, &reply.bytes) {
            reply.bytes = clean;
            reply.receipt.notes.push("what looks like a key was removed from the reply".to_owned());
        }
        reply
    }

    fn receipt(
        &self,
        answer: &Result<Reply, Failure>,
        attempt: u32,
        asked_at: String,
        milliseconds: u64,
    ) -> ReceiptOnFile {
        let (receipt, failure, bytes) = match answer {
            Ok(reply) => (&reply.receipt, None, reply.bytes.len()),
            Err(failure) => (&failure.receipt, Some(failure), 0),
        };
        let cost = self.cost(receipt);
        ReceiptOnFile {
            attempt,
            agent: self.agent.name().to_owned(),
            program: receipt.program.clone(),
            version: receipt.version.as_deref().map(redacted),
            arguments: (!receipt.arguments.is_empty()).then(|| redacted(&on_one_line(&receipt.arguments))),
            sandbox: receipt.sandbox.clone(),
            model_asked: receipt.model_asked.clone(),
            model_served: receipt.served.model.as_deref().map(redacted),
            asked_at,
            answered_at: (self.clock)().to_string(),
            milliseconds,
            input_tokens: receipt.served.input_tokens,
            output_tokens: receipt.served.output_tokens,
            cached_tokens: receipt.served.cached_tokens,
            cost_microdollars: cost.as_ref().map(|cost| cost.microdollars),
            cost_by: cost.as_ref().map(|cost| cost.by.clone()),
            cost_rates: cost.and_then(|cost| cost.rates),
            exit: receipt.exit,
            tries: receipt.tries,
            untold_tries: receipt.untold_tries,
            bytes: bytes as u64,
            failure: failure.map(|failure| failure.kind.word().to_owned()),
            // Providers quote keys back at us; they go no further.
            detail: failure.map(|failure| redacted(&failure.detail)),
            notes: receipt.notes.iter().map(|note| redacted(note)).collect(),
        }
    }

    /// What a call cost: by the user's own prices; else as the agent itself says; else by the list price of its tokens.
    fn cost(&self, receipt: &Receipt) -> Option<Cost> {
        let served = &receipt.served;
        let by = |by: &str, microdollars| Some(Cost { microdollars, by: by.to_owned(), rates: None });
        let price = self.roster.price(self.agent.name(), served.model.as_deref());
        let is_said = matches!(&price, Price::Priced(priced) if priced.by == By::Configuration);
        let is_counted = served.input_tokens.is_some() && served.output_tokens.is_some();
        if let Some(told) = served.cost_microdollars
            && !(is_said && is_counted)
        {
            return by(money::BY_AGENT, told);
        }
        match price {
            Price::Free if is_stand_in(self.agent.name()) => None,
            Price::Free => by(money::BY_NOBODY, 0),
            Price::Unknown => None,
            Price::Priced(priced) => {
                let (input, output) = (believed(served.input_tokens)?, believed(served.output_tokens)?);
                let rates = priced.rates(input);
                let cached = believed(served.cached_tokens).unwrap_or(0);
                let microdollars = rates.cost(Usage { input, output, cached });
                let rates = Some(rates.to_string());
                let is_sane = microdollars <= money::COST_LIMIT;
                is_sane.then(|| Cost { microdollars, by: priced.by.to_string(), rates })
            }
        }
    }

    fn put(&self, attempts: &[Attempt], body: Result<Held, Absence>, began: Instant) -> Result<(), EngineError> {
        let key = &self.ask.key;
        let receipts: Vec<&ReceiptOnFile> =
            attempts.iter().filter_map(|attempt| attempt.reply.as_ref().map(|(receipt, _)| receipt)).collect();
        let sum = |figure: fn(&ReceiptOnFile) -> Option<u64>| {
            receipts.iter().filter_map(|receipt| figure(receipt)).reduce(u64::saturating_add)
        };
        let last = receipts.last();
        let final_attempt = attempts.last();
        let now = (self.clock)().to_string();
        let header = TurnHeader {
            debate: self.files.plan.id.clone(),
            role: self.brief.role.clone(),
            agent: self.hand.to_string(),
            rehearsal: self.hand.is_rehearsal(),
            model_asked: last.and_then(|receipt| receipt.model_asked.clone()),
            model_served: last.and_then(|receipt| receipt.model_served.clone()),
            asked_at: attempts
                .first()
                .and_then(|a| a.intent.as_ref())
                .map_or_else(|| now.clone(), |i| i.asked_at.to_string()),
            answered_at: last.map_or(now, |receipt| receipt.answered_at.clone()),
            attempts: u32::try_from(attempts.len()).unwrap_or(u32::MAX),
            input_tokens: sum(|receipt| receipt.input_tokens),
            output_tokens: sum(|receipt| receipt.output_tokens),
            cost_microdollars: sum(|receipt| receipt.cost_microdollars),
            cost_by: call::cost_by(receipts.iter().copied()),
            calls_without_cost: call::without_cost(receipts.iter().copied()),
            brief: body
                .as_ref()
                .map_or_else(|_| final_attempt.and_then(|a| a.intent.as_ref()).map(|i| i.brief), |held| held.brief),
            reply: body.as_ref().map_or_else(
                |_| final_attempt.and_then(|a| a.reply.as_ref()).map(|(_, raw)| Digest::of(raw)),
                |held| Some(Digest::of(&held.raw)),
            ),
            calls: attempts.iter().map(|attempt| attempt.files).collect(),
            keys_removed: 0,
            host: None,
            kept_votes: body.as_ref().map(|held| held.kept_votes.clone()).unwrap_or_default(),
            plan: self.files.plan_digest,
            previous: self.chain,
        };
        let tokens = header.input_tokens.zip(header.output_tokens).map(|(i, o)| i.saturating_add(o));
        let milliseconds =
            last.map_or_else(|| u64::try_from(began.elapsed().as_millis()).unwrap_or(0), |r| r.milliseconds);
        match body {
            Ok(held) => {
                let put = self.files.put_reply_as_turn(self.ask, &header, words_of_reply(&held.raw).0)?;
                if put == Created::AlreadyThere {
                    let file = self.files.turn_path(key);
                    self.watch.see(Event::Note(format!("{file} appeared meanwhile; what stands there counts")));
                    return Ok(());
                }
                self.watch.see(Event::Spoke {
                    key: key.clone(),
                    file: self.files.turn_path(key),
                    milliseconds,
                    tokens,
                    cost: header.cost_microdollars,
                });
            }
            Err(absence) => {
                let _ = self.files.put_turn(key, &header, &TurnBody::Absence(absence.clone()))?;
                self.watch.see(Event::Absent {
                    key: key.clone(),
                    kind: absence.kind,
                    detail: absence.detail,
                    tokens,
                    cost: header.cost_microdollars,
                });
            }
        }
        Ok(())
    }
}

/// Lets every other call of the wave come as far as this one.
async fn after_the_others() {
    let mut has_waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Arguments as a shell would take them.
fn on_one_line(arguments: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    let quoted = |argument: &String| match argument.chars().all(is_plain) && !argument.is_empty() {
        true => argument.clone(),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}
