//! The verdict for machines (`trail/verdict.json`, and what `--json` prints), and the account that every report is made
//! from. Derived: rewritten when wrong or missing, never read back as truth.

use super::commitment::Host;
use super::money::dollars;
use super::plan::Replaced;
use forge_debate::blind::BlindVote;
use forge_debate::control::Comparison;
use forge_debate::course::Conformity;
use forge_debate::datum::{Datum, Fields};
use forge_debate::digest::Digest;
use forge_debate::fact::Fact;
use forge_debate::family::{self, Served};
use forge_debate::grounding::Grounding;
use forge_debate::plan::{Duty, OptionId, Plan, SeatId};
use forge_debate::profile::Evidence;
use forge_debate::robustness::Robustness;
use forge_debate::tally;
use forge_debate::turn::TurnKey;
use forge_debate::verdict::{Cause, Contest, Gravity, Position, Verdict};
use forge_debate::voting::Merit;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The version of the format.
pub const VERSION: u32 = 1;

/// One turn as a line of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnLine {
    /// Which turn.
    pub key: TurnKey,
    /// Its file, relative to the workspace.
    pub file: String,
    /// The file's digest.
    pub digest: Digest,
    /// Who moved the seat.
    pub agent: String,
    /// Whether neither a model nor a person said it.
    pub rehearsal: bool,
    /// The model that served.
    pub model_served: Option<String>,
    /// When it was asked.
    pub asked_at: String,
    /// When it answered.
    pub answered_at: String,
    /// Calls made for it.
    pub attempts: u32,
    /// Tokens read.
    pub input_tokens: Option<u64>,
    /// Tokens written.
    pub output_tokens: Option<u64>,
    /// What it cost, in millionths of a US dollar.
    pub cost_microdollars: Option<u64>,
    /// Who says so.
    pub cost_by: Option<String>,
    /// The words that peers read, or nothing for an absence.
    pub text: Option<String>,
    /// The host whose shell handed it in, if one did.
    pub host: Option<Host>,
}

/// What was spent, over all runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spent {
    /// Calls made, those without an answer included.
    pub calls: u32,
    /// Calls after which nothing is on record: the run ended in between. They may have been paid.
    pub possibly_paid: u32,
    /// Tokens read, as far as providers said.
    pub input_tokens: u64,
    /// Tokens written, as far as providers said.
    pub output_tokens: u64,
    /// Calls whose provider did not say.
    pub calls_without_usage: u32,
    /// What it cost, in millionths of a US dollar; none where nobody says anything.
    pub cost_microdollars: Option<u64>,
    /// Who says so: `agent`, `free`, `configured`, or `list` with its day.
    pub cost_by: BTreeSet<String>,
    /// Turns of agents whose price nobody knows.
    pub turns_without_price: u32,
    /// Calls and tries that may have been paid and are not in that cost.
    pub calls_without_cost: u32,
}

/// What one seat used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeatSpent<'a> {
    /// The seat.
    pub seat: &'a SeatId,
    /// Calls made for it.
    pub calls: u32,
    /// Tokens in and out; nothing where no provider said how many.
    pub tokens: Option<u64>,
    /// What they cost, in millionths of a US dollar; nothing where nobody knows.
    pub cost_microdollars: Option<u64>,
}

/// Everything a report may need. A pure function of the files.
#[derive(Debug, Clone)]
pub struct Account {
    /// The plan.
    pub plan: Plan,
    /// The verdict.
    pub verdict: Verdict,
    /// The turns in the order in which they were heard.
    pub turns: Vec<TurnLine>,
    /// What was spent.
    pub spent: Spent,
    /// The digest of the sealed plan.
    pub plan_digest: Digest,
    /// The digest of the whole record: the end of the chain.
    pub record: Digest,
    /// Which model family served each seat.
    pub served: Vec<Served>,
    /// Recorded files that no turn names (what was withdrawn, put aside, laid out for people), by their digests.
    pub kept: Vec<(String, Digest)>,
    /// The derived files for readers, by their digests.
    pub reports: Vec<(String, Digest)>,
    /// Turns that are no longer what the verdict on file was derived from, each in words.
    pub contradictions: Vec<String>,
    /// Turns that are not on record yet and were counted as if they were.
    pub not_on_record: Vec<TurnKey>,
    /// Texts that seats read and that are not forge's own.
    pub replaced: Vec<Replaced>,
    /// Whether whoever reads this must say who decides: nobody else knows.
    pub asks_for_name: bool,
    /// The turn that proposed the options, where nobody gave them.
    pub framing: Option<TurnLine>,
    /// The debate's plan file, relative to the workspace.
    pub plan_file: String,
    /// The debate's directory.
    pub dir: String,
}

impl Account {
    /// The seats for which a rehearsal or a script speaks: those that the plan seats so, and those whose words are one's. The
    /// seat that answers alone is no part of the debate.
    pub fn rehearsed(&self) -> Vec<&SeatId> {
        let of_turns = |seat: &SeatId| self.turns.iter().any(|line| line.rehearsal && line.key.seat == *seat);
        let seats = self.plan.seats.iter().filter(|seat| seat.duty != Duty::Control);
        seats.filter(|seat| seat.hand.is_rehearsal() || of_turns(&seat.id)).map(|seat| &seat.id).collect()
    }

    /// Whether neither a model nor a person spoke for some seat: such a debate passes no gate.
    pub fn is_rehearsal(&self) -> bool {
        !self.rehearsed().is_empty()
    }

    /// The family that served every seat that the outcome rests on, where there are two or more: such agreement is worth
    /// less. Those who voted for it; of a confrontation the lead and the challengers that settled; of a gate all.
    pub fn one_family(&self) -> Option<&str> {
        let (plan, verdict) = (&self.plan, &self.verdict);
        let agreeing: Vec<SeatId> = match (verdict.ruling.votes().is_empty(), &verdict.assessment.robustness) {
            (false, _) => verdict
                .ruling
                .votes()
                .iter()
                .filter(|vote| verdict.options().is_empty() || verdict.options().contains(&vote.counted))
                .map(|vote| vote.seat.clone())
                .collect(),
            (true, Some(robustness)) if plan.protocol.evidence == Evidence::Objections => {
                let challengers = robustness.without.iter().map(|without| &without.seat);
                plan.with_duty(Duty::Lead).map(|lead| &lead.id).chain(challengers).cloned().collect()
            }
            (true, _) => self.served.iter().map(|one| one.seat.clone()).collect(),
        };
        family::shared(&agreeing, &self.served)
    }

    /// The file of a seat's last turn, for links.
    pub fn last_file(&self, seat: &SeatId) -> Option<&str> {
        self.turns.iter().rev().find(|turn| turn.key.seat == *seat).map(|turn| turn.file.as_str())
    }
}

impl Account {
    /// What each seat used, in the order in which the seats first spoke.
    pub fn per_seat(&self) -> Vec<SeatSpent<'_>> {
        let both = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(one.saturating_add(other)),
            (one, other) => one.or(other),
        };
        let mut rows: Vec<SeatSpent<'_>> = Vec::new();
        for turn in &self.turns {
            let tokens = turn.input_tokens.zip(turn.output_tokens).map(|(input, output)| input + output);
            let cost_microdollars = turn.cost_microdollars;
            match rows.iter_mut().find(|row| *row.seat == turn.key.seat) {
                Some(row) => {
                    row.calls += turn.attempts;
                    row.tokens = both(row.tokens, tokens);
                    row.cost_microdollars = both(row.cost_microdollars, cost_microdollars);
                }
                None => rows.push(SeatSpent { seat: &turn.key.seat, calls: turn.attempts, tokens, cost_microdollars }),
            }
        }
        rows
    }
}

/// The verdict as JSON.
pub fn json(account: &Account) -> Value {
    let mut value = decided(account);
    if let (Value::Object(fields), Value::Object(more)) = (&mut value, trust(account)) {
        fields.extend(more);
    }
    // Who asks in JSON is told as well; a debate with forge's own texts says nothing of it.
    if let Some(text) = super::summary::replaced(&account.replaced) {
        value["replaced"] = json!(text);
    }
    value
}

/// What was decided, by whom, from what.
fn decided(account: &Account) -> Value {
    let (plan, verdict) = (&account.plan, &account.verdict);
    json!({
        "format": VERSION,
        "debate": plan.id,
        "protocol": plan.protocol.to_string(),
        "question": plan.question,
        "outcome": verdict.outcome().word(),
        "contested_because": verdict.ruling.contest.as_ref().map(contest),
        "degraded": verdict.ruling.is_degraded(),
        "rehearsal": account.is_rehearsal(),
        "framed_by": account.framing.as_ref().map(super::summary::spoke_for),
        "options": plan.options.iter().map(|o| json!({"id": o.id.as_str(), "label": o.label, "description": o.description})).collect::<Vec<_>>(),
        "decided": ids(verdict.options()),
        "position": verdict.ruling.position(),
        "confidence": verdict.confidence().word(),
        "decided_by": verdict.decision.as_ref().map(|d| json!({"name": d.by, "option": d.option.as_str(), "because": d.because,
            "overrules": d.overrules.as_ref().map(|was| json!({"outcome": was.outcome.word(), "decided": ids(&was.options)})),
        })),
        "rounds": verdict.ruling.rounds,
        "threshold": plan.limits.threshold.to_string(),
        "distribution": distribution(plan, verdict),
        "votes": verdict.ruling.votes().iter().map(|v| json!({"seat": v.seat.as_str(), "cast": v.cast.as_str(), "counted": v.counted.as_str()})).collect::<Vec<_>>(),
        "changes": verdict.ruling.changes().iter().map(|c| json!({
            "seat": c.seat.as_str(), "round": c.round, "from": c.from.as_str(), "to": c.to.as_str(), "reason": c.reason,
            "cites": c.cites(), "earned": c.merit == Merit::Earned,
        })).collect::<Vec<_>>(),
        "reasons": verdict.ruling.reasons.iter().map(|r| json!({
            "seat": r.seat.as_str(), "option": r.option.as_ref().map(OptionId::as_str), "stand": r.stand, "text": r.text,
        })).collect::<Vec<_>>(),
        "dissents": verdict.ruling.dissents.iter().map(|d| json!({
            "seat": d.seat.as_str(), "option": d.option.as_ref().map(OptionId::as_str), "text": d.text,
        })).collect::<Vec<_>>(),
        "absences": verdict.ruling.missing.iter().map(|m| json!({
            "seat": m.key.seat.as_str(), "stage": m.key.stage.0, "round": m.key.round, "kind": m.kind.word(), "detail": m.detail,
        })).collect::<Vec<_>>(),
        "owed": verdict.ruling.owed.iter().map(|o| json!({
            "seat": o.seat.as_str(), "what": fact(&o.what),
            "turns": o.turns.iter().map(|key| json!({"stage": key.stage.0, "round": key.round})).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "findings": verdict.ruling.findings.iter().map(|f| json!({
            "blocks": f.gravity == Gravity::Blocks, "file": f.file, "line": f.line, "what": fact(&f.fact),
        })).collect::<Vec<_>>(),
        "positions": verdict.ruling.positions().iter().map(|p| json!({
            "version": p.version, "round": p.round, "text": p.text, "because": causes(p),
        })).collect::<Vec<_>>(),
        "assumptions": verdict.ruling.assumptions().iter().map(|a| json!({
            "seat": a.seat.as_str(), "why": a.why, "what_would_change": a.what_would_change, "assumption": a.assumption,
        })).collect::<Vec<_>>(),
        "notes": verdict.ruling.notes.iter().map(|n| json!({"effect": n.effect.word(), "what": fact(&n.fact)})).collect::<Vec<_>>(),
        "turns": account.turns.iter().map(turn).collect::<Vec<_>>(),
        "spent": spent(&account.spent),
        "spent_per_seat": account.per_seat().into_iter().map(spent_by).collect::<Vec<_>>(),
        "created_at": plan.created_at,
        "plan_file": account.plan_file,
        "plan_digest": account.plan_digest.to_string(),
        "record_digest": account.record.to_string(),
    })
}

/// What changed a position: whose objection, and what was taken up.
pub(super) fn causes(position: &Position) -> Vec<Value> {
    let one = |cause: &Cause| json!({"seat": cause.seat.as_ref().map(SeatId::as_str), "text": cause.text});
    position.because.iter().map(one).collect()
}

fn turn(turn: &TurnLine) -> Value {
    let mut value = json!({
        "seat": turn.key.seat.as_str(), "stage": turn.key.stage.0, "round": turn.key.round, "file": turn.file,
        "digest": turn.digest.to_string(), "agent": turn.agent,
        "host": turn.host.as_ref().map(|host| &host.name),
        "subagent": turn.host.as_ref().and_then(|host| host.who()), "model_served": turn.model_served,
        "attempts": turn.attempts, "input_tokens": turn.input_tokens, "output_tokens": turn.output_tokens,
        "spoke": turn.text.is_some(),
    });
    if let (Some(cost), Some(by)) = (turn.cost_microdollars, &turn.cost_by) {
        value["cost_usd"] = json!(dollars(cost));
        value["cost_by"] = json!(by);
    }
    value
}

fn spent_by(row: SeatSpent<'_>) -> Value {
    json!({
        "seat": row.seat.as_str(), "calls": row.calls, "tokens": row.tokens, "cost_usd": row.cost_microdollars.map(dollars),
    })
}

/// What a reader needs in order to weigh it and to check it.
fn trust(account: &Account) -> Value {
    let verdict = &account.verdict;
    let mut value = json!({
        "abstentions": verdict.ruling.abstentions.iter().map(|a| json!({
            "seat": a.seat.as_str(), "option": a.option.as_ref().map(OptionId::as_str), "why": fact(&a.why),
        })).collect::<Vec<_>>(),
        "blind_vote": verdict.assessment.blind.as_ref().map(blind_vote),
        "overturned": verdict.overturned().map(OptionId::as_str),
        "robustness": verdict.assessment.robustness.as_ref().map(robustness),
        "conformity": conformity(&verdict.assessment.course.conformity),
        "stands": verdict.assessment.course.stands.iter().map(|s| json!({
            "seat": s.seat.as_str(), "stage": s.stage.0, "round": s.round, "step": s.step,
            "cast": s.cast.as_ref().map(OptionId::as_str), "counted": s.counted.as_ref().map(OptionId::as_str),
            "word": s.word, "earned": s.change.map(|merit| merit == Merit::Earned),
        })).collect::<Vec<_>>(),
        "challenges": verdict.assessment.course.challenges.iter().map(|c| json!({
            "from": c.from.as_str(), "to": c.to.as_str(), "stage": c.stage.0, "round": c.round, "text": c.text,
        })).collect::<Vec<_>>(),
        "grounding": verdict.assessment.grounding.iter().map(grounding).collect::<Vec<_>>(),
        "families": account.served.iter().map(|s| json!({
            "seat": s.seat.as_str(), "model": s.model, "family": s.family,
        })).collect::<Vec<_>>(),
        "one_family": account.one_family(),
        "control": verdict.assessment.control.as_ref().map(control),
        "contradicts": account.contradictions,
        "kept": digests(&account.kept),
        "reports": digests(&account.reports),
    });
    if !account.not_on_record.is_empty() {
        value["not_on_record"] = account.not_on_record.iter().map(ToString::to_string).collect();
    }
    value
}

fn digests(files: &[(String, Digest)]) -> Vec<Value> {
    files.iter().map(|(file, digest)| json!({"file": file, "digest": digest.to_string()})).collect()
}

/// A fact for programs, with its sentence.
pub fn fact(fact: &Fact) -> Value {
    let mut value = json!({"code": fact.code, "text": fact.to_string()});
    if !fact.values.is_empty() {
        value["values"] = record(&fact.values);
    }
    value
}

fn record(fields: &Fields) -> Value {
    Value::Object(fields.iter().map(|(name, value)| (name.to_owned(), datum(value))).collect())
}

fn datum(value: &Datum) -> Value {
    match value {
        Datum::Null => Value::Null,
        Datum::Flag(flag) => json!(flag),
        Datum::Number(number) => number.parse::<u64>().map_or_else(|_| json!(number), Value::from),
        Datum::Text(text) => json!(text),
        Datum::List(items) => items.iter().map(datum).collect(),
        Datum::Record(fields) => record(fields),
    }
}

fn contest(why: &Contest) -> Value {
    match why {
        Contest::NoWinner => json!({"kind": "no_winner"}),
        Contest::Silent(seats) => {
            json!({"kind": "silent", "seats": seats.iter().map(SeatId::as_str).collect::<Vec<_>>()})
        }
        Contest::NoSynthesis => json!({"kind": "no_synthesis"}),
        Contest::Escalated(reason) => json!({"kind": "escalated", "reason": reason}),
        Contest::OtherName { named, chosen } => {
            json!({"kind": "other_name", "named": named.as_ref().map(OptionId::as_str), "chosen": chosen.as_str()})
        }
        Contest::NobodyChallenged => json!({"kind": "nobody_challenged"}),
        Contest::Fragile => json!({"kind": "fragile"}),
    }
}

fn blind_vote(vote: &BlindVote) -> Value {
    match vote {
        BlindVote::Options(rows) => {
            let options = rows.iter().map(|(option, seats)| {
                json!({"option": option.as_str(), "seats": seats.iter().map(SeatId::as_str).collect::<Vec<_>>()})
            });
            json!({"options": options.collect::<Vec<_>>(), "leader": vote.leader().map(OptionId::as_str)})
        }
        BlindVote::Agreed { agreed, of } => {
            json!({"agreed": agreed.iter().map(SeatId::as_str).collect::<Vec<_>>(), "of": of})
        }
        BlindVote::Go(word) => json!({"operator": word.word()}),
    }
}

fn robustness(robustness: &Robustness) -> Value {
    json!({
        "fragile": robustness.is_fragile(),
        "pivots": robustness.pivots().iter().map(|seat| seat.as_str()).collect::<Vec<_>>(),
        "without": robustness.without.iter().map(|w| json!({
            "seat": w.seat.as_str(), "winner": w.winner.as_ref().map(OptionId::as_str), "holds": w.holds, "quorate": w.is_quorate,
        })).collect::<Vec<_>>(),
        "rules": robustness.rules.iter().map(|c| json!({"rule": c.rule.word(), "top": ids(&c.top)})).collect::<Vec<_>>(),
        "as_cast": robustness.as_cast.as_ref().map(OptionId::as_str),
    })
}

fn conformity(conformity: &Conformity) -> Value {
    json!({"pressed": conformity.pressed, "yielded": conformity.yielded, "convinced": conformity.convinced})
}

fn grounding(grounding: &Grounding) -> Value {
    json!({
        "seat": grounding.seat.as_str(),
        "verified": grounding.verified(),
        "quotes": grounding.quotes.iter().map(|q| json!({
            "stage": q.turn.stage.0, "round": q.turn.round, "source": q.source, "text": q.text,
            "found": q.found.as_ref().map(|place| json!({"material": place.material, "line": place.line})),
        })).collect::<Vec<_>>(),
    })
}

fn control(control: &Comparison) -> Value {
    json!({
        "seat": control.seat.as_str(),
        "asked": control.asked,
        "answered": control.answered,
        "votes": control.votes.iter().map(|(option, votes)| json!({"option": option.as_str(), "votes": votes})).collect::<Vec<_>>(),
        "answer": control.answer.as_ref().map(OptionId::as_str),
        "effect": control.effect.word(),
        "only_in_debate": control.only_in_debate,
        "only_in_control": control.only_in_control,
    })
}

/// What was spent, as JSON.
pub fn spent(spent: &Spent) -> Value {
    let mut value = json!({
        "calls": spent.calls,
        "possibly_paid": spent.possibly_paid,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "calls_without_usage": spent.calls_without_usage,
    });
    if let Some(cost) = spent.cost_microdollars {
        value["cost_usd"] = json!(dollars(cost));
    }
    if !spent.cost_by.is_empty() {
        value["cost_by"] = json!(spent.cost_by);
        value["turns_without_price"] = json!(spent.turns_without_price);
    }
    if spent.calls_without_cost > 0 {
        value["calls_without_cost"] = json!(spent.calls_without_cost);
    }
    value
}

fn ids(options: &[OptionId]) -> Vec<&str> {
    options.iter().map(OptionId::as_str).collect()
}

/// Which seats stand for which option, most first.
pub fn distribution(plan: &Plan, verdict: &Verdict) -> Value {
    let rows = tally::distribution(plan, verdict.ruling.votes());
    Value::Object(
        rows.into_iter()
            .map(|(option, seats)| {
                let seats: Vec<&str> = seats.iter().map(SeatId::as_str).collect();
                (option.to_string(), json!(seats))
            })
            .collect(),
    )
}
