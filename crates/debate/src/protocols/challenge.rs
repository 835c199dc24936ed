//! A lead holds a position; challengers from different angles attack it.
//!
//! Parallel challenge first; whoever objects is answered and may rebut, round by round. If objections remain after the
//! last round, every party states the assumption its stand rests on, and the verdict is a tradeoff for a person. Where a
//! grounded verdict is demanded, a challenger who quotes nothing is neither for nor against.

mod forms;

use super::parts::{self, ARGUMENTS, Counting};
use super::{Home, Protocol, Rounds, SeatSketch};
use crate::anonymity::Speakers;
use crate::blind::BlindVote;
use crate::cost::{self, StageCost};
use crate::family;
use crate::form::{Ballot, Form, Rail, is_rubber_stamp};
use crate::plan::{Duty, Families, OptionId, Plan, Seat, SeatId, words};
use crate::record::{Ask, Pending, Record, blind};
use crate::robustness;
use crate::tally::{self, Standing};
use crate::turn::{Speech, Stage, Turn, TurnKey};
use crate::verdict::{Abstention, Assumption, Confidence, Dissent, Outcome, Position, Reason, Verdict};
use forms::*;

/// Is the challenger there, and has it read its persona?
pub const PROBE: Stage = Stage("probe");
/// The lead's opening.
pub const OPENING: Stage = Stage("opening");
/// The parallel challenge.
pub const CHALLENGE: Stage = Stage("challenge");
/// The lead answers every open objection.
pub const ANSWER: Stage = Stage("answer");
/// Those who still object reply.
pub const REBUTTAL: Stage = Stage("rebuttal");
/// What each party's stand rests on.
pub const ASSUMPTIONS: Stage = Stage("assumptions");

/// An agreement with fewer words of its own than this brings no substance.
const SUBSTANCE_WORDS: usize = 12;

/// Challengers, their role texts, and the context file that carries their persona in the debate's folder.
pub const CHALLENGERS: [(&str, &str, &str); 3] = [
    ("architect", "challenger-architect", "GEMINI.md"),
    ("operator", "challenger-operator", "AGENTS.md"),
    ("adversary", "challenger-adversary", "QWEN.md"),
];

/// The context file of a challenger's persona.
pub fn persona_file(seat: &SeatId) -> Option<&'static str> {
    CHALLENGERS.iter().find(|(id, _, _)| *id == seat.as_str()).map(|(_, _, file)| *file)
}

/// The `challenge` protocol.
pub struct Challenge;

impl Protocol for Challenge {
    fn name(&self) -> &'static str {
        "challenge"
    }

    fn version(&self) -> u16 {
        1
    }

    fn summary(&self) -> &'static str {
        "a lead defends a position against an architect, an operator and an adversary until the objections are settled or explained"
    }

    fn seats(&self, roster: Option<&str>, _question: &str) -> Result<Vec<SeatSketch>, String> {
        super::no_roster(self, roster)?;
        let mut seats = vec![SeatSketch::new("lead", Duty::Lead)];
        seats.extend(CHALLENGERS.map(|(id, role, _)| SeatSketch::playing(id, role, Duty::Debater)));
        Ok(seats)
    }

    fn fewest_options(&self) -> usize {
        2
    }

    fn has_personas(&self) -> bool {
        true
    }

    fn rounds(&self) -> Rounds {
        Rounds { default: 5, least: 1, most: 10 }
    }

    fn defects(&self, plan: &Plan) -> Vec<String> {
        let mut defects = Vec::new();
        if plan.with_duty(Duty::Lead).next().is_none() {
            return vec!["challenge needs a lead".to_owned()];
        }
        if plan.debaters().is_empty() {
            defects.push("challenge needs at least one challenger".to_owned());
        }
        defects
    }

    fn seating_defects(&self, plan: &Plan) -> Vec<String> {
        let Some(lead) = plan.with_duty(Duty::Lead).next() else { return Vec::new() };
        let challengers = plan.debaters();
        let mut defects = Vec::new();
        if plan.families == Families::MustDiffer
            && let Some(family) = family::of_seat(lead)
            && challengers.iter().all(|seat| family::of_seat(seat).is_some_and(|other| other == family))
        {
            defects.push(format!(
                "lead and challengers all run on one model family ({family}); seat another with --seat architect=AGENT (`forge agents` says how to get one), pass --allow-same-family, or see the form with --agent rehearsal"
            ));
        }
        defects
    }

    fn deliberate(&self, plan: &Plan, record: &mut Record<'_>) -> Result<Verdict, Pending> {
        let Some(lead) = plan.with_duty(Duty::Lead).next() else { return Ok(Verdict::new(Outcome::Insufficient)) };
        let probes = record.hear(plan.debaters().into_iter().map(probe).collect())?;
        let ready: Vec<&Seat> = plan
            .debaters()
            .into_iter()
            .filter(|seat| {
                probes
                    .iter()
                    .any(|turn| *turn.seat() == seat.id && turn.speech().is_some_and(|s| s.ballot.flag("ready")))
            })
            .collect();
        if ready.is_empty() {
            return Ok(insufficient(record, "no challenger answered the probe and is ready"));
        }
        let mut counting = Counting::after(plan, &[]);
        let opening = record.hear_one(self.opening(plan, lead, &counting))?;
        if opening.speech().is_none() {
            return Ok(insufficient(record, "the lead gave no position"));
        }
        let challenges =
            record.hear(ready.iter().map(|seat| self.challenge(plan, seat, opening, &counting)).collect())?;
        let heard: Vec<&Turn> = challenges.into_iter().filter(|turn| turn.speech().is_some()).collect();
        if heard.is_empty() {
            return Ok(insufficient(record, "no challenger spoke"));
        }
        let mut floor =
            Floor { lead: opening, stands: heard.into_iter().map(Stand::open).collect(), answers: Vec::new() };
        let mut round = 1;
        counting = Counting::after(plan, &record.heard());
        while round <= plan.limits.rounds && floor.open().any(|stand| !stand.escalated) {
            let answer = record.hear_one(self.answer(plan, lead, round, &floor, &counting))?;
            if answer.speech().is_none() {
                break;
            }
            floor.answers.push(answer);
            let dissenters: Vec<&Seat> =
                ready.iter().copied().filter(|seat| floor.open().any(|stand| *stand.seat() == seat.id)).collect();
            let asks = dissenters.iter().map(|seat| self.rebuttal(plan, seat, round, &floor, &counting)).collect();
            let replies = record.hear(asks)?;
            let heard = record.heard();
            for reply in replies {
                floor.take(reply, Rebutted::by(plan, reply, &heard).and_then(|rebutted| rebutted.gives_way));
            }
            counting = Counting::after(plan, &record.heard());
            round += 1;
        }
        let left_out = floor.leave_out(|seat| !counting.has(seat));
        let mut abstentions: Vec<Abstention> = left_out.iter().map(|seat| parts::abstention(seat, None)).collect();
        let ungrounded_lead = !counting.has(&lead.id);
        if ungrounded_lead || floor.stands.is_empty() {
            let who = if ungrounded_lead { "the lead" } else { "every challenger who spoke" };
            if ungrounded_lead {
                let held = floor.position().speech().and_then(Speech::option);
                abstentions.insert(0, parts::abstention(&lead.id, held));
            }
            let why = format!("{who} {}; a grounded verdict is demanded", parts::UNGROUNDED);
            return Ok(Verdict { abstentions, ..insufficient(record, &why) });
        }
        let settled = floor.open().next().is_none();
        let assumptions = if settled { Vec::new() } else { extract(lead, &ready, &floor, record)? };
        let verdict = self.verdict(plan, record, &floor, round.saturating_sub(1).max(1), assumptions);
        Ok(Verdict { abstentions, ..verdict })
    }

    fn blind_vote(&self, _plan: &Plan, heard: &[&Turn], _chosen: Option<&OptionId>) -> Option<BlindVote> {
        let first: Vec<&&Turn> =
            heard.iter().filter(|turn| turn.key.stage == CHALLENGE && turn.speech().is_some()).collect();
        let agrees = |turn: &&&&Turn| {
            let stand = Stand::open(turn);
            stand.settled && turn.speech().is_some_and(|speech| speech.ballot.text("verdict") == "agree")
        };
        let agreed = first.iter().filter(agrees).map(|turn| turn.seat().clone()).collect();
        (!first.is_empty()).then_some(BlindVote::Agreed { agreed, of: first.len() })
    }

    fn home(&self, plan: &Plan) -> Home {
        Home { dir: format!("{}/{}", plan.place, plan.id), prefix: String::new(), plan: "context.md" }
    }

    fn file(&self, _plan: &Plan, key: &TurnKey) -> String {
        let (round, seat) = (key.round, &key.seat);
        match key.stage {
            PROBE => format!("rounds/r000_{seat}_probe.md"),
            REBUTTAL => format!("rounds/r{round:03}_{seat}_rebuttal.md"),
            ASSUMPTIONS => format!("rounds/assumptions_{seat}.md"),
            _ => format!("rounds/r{round:03}_{seat}.md"),
        }
    }

    fn cost(&self, plan: &Plan) -> Vec<StageCost> {
        let rounds = usize::from(plan.limits.rounds);
        let all = || cost::lead_and_debaters(plan);
        vec![
            StageCost::once("Preflight: probes", plan.debaters()),
            StageCost::once("Opening", plan.with_duty(Duty::Lead).take(1)),
            StageCost::once("Parallel challenge", plan.debaters()),
            StageCost::each("Confrontation: answers and rebuttals", all(), 0, rounds, 2 * rounds),
            StageCost::each("Assumption extraction", all(), 0, 1, 1),
        ]
    }
}

/// A challenger's stand as it develops.
struct Stand<'t> {
    first: &'t Turn,
    last: &'t Turn,
    settled: bool,
    escalated: bool,
    doubted: bool,
    /// The last turn in which it objected, where it gave way since without a ground.
    gave_way_from: Option<&'t Turn>,
}

impl<'t> Stand<'t> {
    fn open(turn: &'t Turn) -> Self {
        let speech = turn.speech();
        let verdict = speech.map(|s| s.ballot.text("verdict")).unwrap_or("");
        let strength = speech.map(|s| s.ballot.text("objection_strength")).unwrap_or("");
        let doubted = verdict == "agree" && !speech.is_some_and(is_substantive);
        // Whatever word stands before it, a strong objection is confronted.
        let agrees = verdict == "agree" && !doubted && strength != "strong";
        let settled = agrees || (verdict == "partial" && strength == "minor");
        Self { first: turn, last: turn, settled, escalated: false, doubted, gave_way_from: None }
    }

    /// The turn that says what is held against the lead: giving way without a ground takes nothing back.
    fn objection(&self) -> &'t Turn {
        self.gave_way_from.unwrap_or(self.last)
    }

    fn seat(&self) -> &SeatId {
        self.first.seat()
    }
}

/// Agreement counts only with something of one's own: words enough, and not a stock phrase.
fn is_substantive(speech: &Speech) -> bool {
    let critique = speech.ballot.text("critique");
    let evidence = speech.ballot.text("evidence");
    !is_rubber_stamp(critique, "")
        && words(critique).count() + words(evidence).count() >= SUBSTANCE_WORDS
        && !evidence.is_empty()
}

/// Where the confrontation stands.
struct Floor<'t> {
    lead: &'t Turn,
    stands: Vec<Stand<'t>>,
    answers: Vec<&'t Turn>,
}

impl<'t> Floor<'t> {
    fn open(&self) -> impl Iterator<Item = &Stand<'t>> {
        self.stands.iter().filter(|stand| !stand.settled)
    }

    /// Silence is not agreement: an absent rebuttal leaves the objection open.
    fn take(&mut self, reply: &'t Turn, gives_way: Option<Standing>) {
        let Some(speech) = reply.speech() else { return };
        if let Some(stand) = self.stands.iter_mut().find(|stand| stand.first.seat() == reply.seat()) {
            let objected = stand.objection();
            stand.last = reply;
            stand.gave_way_from = None;
            match speech.ballot.text("response") {
                "ACCEPT" if gives_way == Some(Standing::Unearned) => {
                    stand.escalated = false;
                    stand.gave_way_from = Some(objected);
                }
                "ACCEPT" => stand.settled = true,
                "ESCALATE" => stand.escalated = true,
                _ => stand.escalated = false,
            }
        }
    }

    /// Leaves out the stands of these challengers: neither agreement nor an open objection.
    fn leave_out(&mut self, abstains: impl Fn(&SeatId) -> bool) -> Vec<SeatId> {
        let (out, kept) = std::mem::take(&mut self.stands).into_iter().partition(|stand| abstains(stand.seat()));
        self.stands = kept;
        Vec::<Stand<'t>>::into_iter(out).map(|stand| stand.seat().clone()).collect()
    }

    /// The lead's latest word.
    fn position(&self) -> &'t Turn {
        self.answers.last().copied().unwrap_or(self.lead)
    }
}

impl Challenge {
    fn verdict(
        &self,
        plan: &Plan,
        record: &Record<'_>,
        floor: &Floor<'_>,
        rounds: u16,
        assumptions: Vec<Assumption>,
    ) -> Verdict {
        let settled = floor.open().next().is_none();
        let mut verdict = Verdict::new(if settled { Outcome::Consensus } else { Outcome::Tradeoff });
        let final_word = floor.position().speech();
        verdict.rounds = rounds;
        verdict.positions = positions(plan, floor);
        verdict.position = verdict.positions.last().map(|position| position.text.clone());
        let option = final_word.and_then(Speech::option);
        let stands: Vec<(SeatId, bool)> =
            floor.stands.iter().map(|stand| (stand.seat().clone(), stand.settled)).collect();
        verdict.robustness = Some(robustness::of_stands(option.as_ref(), &stands));
        if settled {
            verdict.options = option.clone().into_iter().collect();
            verdict.confidence =
                final_word.and_then(|s| Confidence::parse(s.ballot.text("confidence"))).unwrap_or(Confidence::Medium);
        } else {
            verdict.confidence = Confidence::Medium;
        }
        if let Some(speech) = floor.lead.speech() {
            // Answers carry no reason of their own; a lead that moved is quoted with the position it moved to.
            let moved = speech.option() != option;
            let text = if moved {
                verdict.position.clone().unwrap_or_default()
            } else {
                speech.ballot.text("reason").to_owned()
            };
            verdict.reasons.push(Reason { seat: floor.lead.seat().clone(), option, stand: None, text });
        }
        for stand in &floor.stands {
            let (word, text) = last_word(stand.objection());
            if !stand.settled {
                verdict.dissents.push(Dissent { seat: stand.seat().clone(), option: None, text: text.clone() });
            }
            if stand.gave_way_from.is_some() {
                verdict.notes.push(format!(
                    "{} gave way to an answer that rejects its objection without citing an argument of the lead; the objection stands",
                    stand.seat()
                ));
            }
            verdict.reasons.push(Reason { seat: stand.seat().clone(), option: None, stand: Some(word), text });
            if stand.doubted {
                verdict.notes.push(format!(
                    "{} agreed without substance from its own angle; counted as partial (moderate)",
                    stand.seat()
                ));
            }
            if stand.escalated && !stand.settled {
                verdict.notes.push(format!("{} asks that a person settle its objection", stand.seat()));
            }
        }
        for turn in record.heard() {
            let declined = turn.key.stage == PROBE && turn.speech().is_some_and(|speech| !speech.ballot.flag("ready"));
            if declined {
                verdict.notes.push(format!("{} answered the probe but is not ready; it took no part", turn.seat()));
            }
        }
        verdict.assumptions = assumptions;
        parts::settle(&mut verdict, record);
        verdict
    }
}

impl Challenge {
    fn opening(&self, plan: &Plan, lead: &Seat, counting: &Counting) -> Ask {
        let form = Form::new("challenge/opening", OPENING_SECTIONS, OPENING_FIELDS, Ballot::Required);
        let form = parts::with_fields(form, counting.quotes(plan, &lead.id));
        Ask::new(parts::key(OPENING, 0, lead), blind(), form, "challenge/opening")
    }

    /// Each challenger reads the lead and nobody else.
    fn challenge(&self, plan: &Plan, seat: &Seat, opening: &Turn, counting: &Counting) -> Ask {
        let form = Form::new("challenge/challenge", CHALLENGE_SECTIONS, CHALLENGE_FIELDS, Ballot::Required);
        let form = parts::with_fields(form, counting.quotes(plan, &seat.id));
        Ask::new(parts::key(CHALLENGE, 1, seat), parts::seeing(&seat.id, &[opening]), form, "challenge/challenge")
    }

    fn answer(&self, plan: &Plan, lead: &Seat, round: u16, floor: &Floor<'_>, counting: &Counting) -> Ask {
        let speakers = Speakers::of(plan, &lead.id);
        let objections: Vec<String> = floor.open().map(|stand| speakers.prefix(stand.seat())).collect();
        let mut read: Vec<&Turn> = vec![floor.position()];
        read.extend(floor.open().map(Stand::objection));
        let listed = objections.join(", ");
        let held =
            floor.position().speech().and_then(Speech::option).map(|id| plan.option_name(&id)).unwrap_or_default();
        let form = Form::new("challenge/answer", ANSWER_SECTIONS, ANSWER_FIELDS, Ballot::Required)
            .rail(Rail::AnswersAll { objections });
        // Challengers may cite what convinces them, so the lead's answers have arguments too.
        let form = parts::with_fields(form, counting.quotes(plan, &lead.id).into_iter().chain([ARGUMENTS]));
        Ask::new(parts::key(ANSWER, round, lead), parts::seeing(&lead.id, &read), form, "challenge/answer")
            .fact("objections", listed)
            .fact("held", held)
    }

    fn rebuttal(&self, plan: &Plan, seat: &Seat, round: u16, floor: &Floor<'_>, counting: &Counting) -> Ask {
        let mut read: Vec<&Turn> = vec![floor.position()];
        read.extend(floor.stands.iter().filter(|stand| *stand.seat() == seat.id).map(|stand| stand.last));
        let form = Form::new("challenge/rebuttal", &[], REBUTTAL_FIELDS, Ballot::Required);
        let mut form = parts::with_fields(form, counting.quotes(plan, &seat.id)).field(GIVES_WAY_TO);
        if answer_to(plan, &seat.id, floor.position()) == Some("REJECT") {
            form = form.rail(Rail::YieldNeedsCause);
        }
        Ask::new(parts::key(REBUTTAL, round, seat), parts::seeing(&seat.id, &read), form, "challenge/rebuttal")
    }
}

fn last_word(turn: &Turn) -> (String, String) {
    let speech = turn.speech();
    let ballot = |name: &str| speech.map(|s| s.ballot.text(name)).unwrap_or("").to_owned();
    if turn.key.stage == REBUTTAL {
        (ballot("response"), ballot("reason"))
    } else {
        let strength = ballot("objection_strength");
        let word = match ballot("verdict").as_str() {
            "agree" => "agree".to_owned(),
            verdict if strength.is_empty() => verdict.to_owned(),
            verdict => format!("{verdict} ({strength})"),
        };
        (word, ballot("critique"))
    }
}

/// A challenger's reply to the lead's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rebutted {
    /// Whether the answer rejects the objection.
    pub(crate) is_rejected: bool,
    /// Where the challenger accepts it: whether it had a ground. The lead took the objection up, at least in part, or the
    /// challenger cites an argument of the lead that it had not made itself.
    pub(crate) gives_way: Option<Standing>,
}

impl Rebutted {
    /// What this turn is as a reply to the lead; nothing for other turns and other protocols.
    pub(crate) fn by(plan: &Plan, reply: &Turn, heard: &[&Turn]) -> Option<Self> {
        if reply.key.stage != REBUTTAL {
            return None;
        }
        let accepts = reply.speech()?.ballot.text("response") == "ACCEPT";
        let answered = |turn: &&&Turn| turn.key.stage == ANSWER && turn.key.round == reply.key.round;
        let answer = heard.iter().find(answered).and_then(|answer| answer_to(plan, reply.seat(), answer));
        let earned = matches!(answer, Some("ACCEPT" | "PARTIAL")) || tally::cites_another(plan, reply, heard);
        let standing = if earned { Standing::Earned } else { Standing::Unearned };
        Some(Self { is_rejected: answer == Some("REJECT"), gives_way: accepts.then_some(standing) })
    }
}

/// What the lead answers to this challenger's objection.
fn answer_to<'t>(plan: &Plan, challenger: &SeatId, answer: &'t Turn) -> Option<&'t str> {
    let speakers = Speakers::of(plan, answer.seat());
    let answers = answer.speech()?.ballot.records("answers");
    let entry = answers.into_iter().find(|entry| speakers.seat(entry.text("to")) == Some(challenger))?;
    Some(entry.text("answer"))
}

/// v1 is the opening; each answer whose position differs from the one before is a new version.
fn positions(plan: &Plan, floor: &Floor<'_>) -> Vec<Position> {
    let mut all: Vec<Position> = Vec::new();
    for turn in [floor.lead].into_iter().chain(floor.answers.iter().copied()) {
        let Some(speech) = turn.speech() else { continue };
        let text = speech.ballot.text("position").to_owned();
        let round = if turn.key.stage == OPENING { 0 } else { turn.key.round };
        if all.last().is_some_and(|last| last.text == text) {
            continue;
        }
        let speakers = Speakers::of(plan, turn.seat());
        let mut because: Vec<String> = speech
            .ballot
            .records("answers")
            .iter()
            .filter(|answer| answer.text("answer") != "REJECT")
            .map(|answer| {
                let to = answer.text("to");
                let seat = speakers.seat(to).map_or(to, SeatId::as_str);
                format!("{seat}: {}", answer.text("reason"))
            })
            .collect();
        because.extend(speech.ballot.texts("changed_because").into_iter().map(str::to_owned));
        all.push(Position { version: u16::try_from(all.len() + 1).unwrap_or(u16::MAX), round, text, because });
    }
    all
}

fn probe(seat: &Seat) -> Ask {
    let form = Form::new("challenge/probe", &[], PROBE_FIELDS, Ballot::Required);
    Ask::new(parts::key(PROBE, 0, seat), blind(), form, "challenge/probe")
}

/// The lead and every challenger with an open objection say what their stand rests on.
fn extract(
    lead: &Seat,
    ready: &[&Seat],
    floor: &Floor<'_>,
    record: &mut Record<'_>,
) -> Result<Vec<Assumption>, Pending> {
    let mut read: Vec<&Turn> = vec![floor.position()];
    read.extend(floor.open().map(Stand::objection));
    let parties =
        [lead].into_iter().chain(ready.iter().copied().filter(|seat| floor.open().any(|s| *s.seat() == seat.id)));
    let asks = parties
        .map(|seat| {
            let form = Form::new("challenge/assumptions", &[], ASSUMPTION_FIELDS, Ballot::Required);
            Ask::new(parts::key(ASSUMPTIONS, 0, seat), parts::seeing(&seat.id, &read), form, "challenge/assumptions")
        })
        .collect();
    let turns = record.hear(asks)?;
    Ok(turns
        .into_iter()
        .filter_map(|turn| {
            let ballot = &turn.speech()?.ballot;
            Some(Assumption {
                seat: turn.seat().clone(),
                why: ballot.text("why").to_owned(),
                what_would_change: ballot.text("what_would_change").to_owned(),
                assumption: ballot.text("assumption").to_owned(),
            })
        })
        .collect())
}

fn insufficient(record: &Record<'_>, why: &str) -> Verdict {
    let mut verdict = Verdict::new(Outcome::Insufficient);
    verdict.notes.push(why.to_owned());
    parts::settle(&mut verdict, record);
    verdict
}
