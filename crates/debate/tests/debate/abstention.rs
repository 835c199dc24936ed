//! A grounded verdict is demanded: who quotes nothing that is there does not count.

use crate::ballots::{challenging, say, vote, with};
use crate::gate::{Held, held, synthesis};
use crate::world::{self, Ended, Pace, challenge_with, fields, option, run, seat, small_panel};
use forge_debate::datum::Fields;
use forge_debate::fact;
use forge_debate::form::Need;
use forge_debate::plan::{Demands, Material, Plan, SeatId};
use forge_debate::protocols::{ALL, challenge, first_asks, panel};
use forge_debate::record::Ask;
use forge_debate::turn::{AbsenceKind, Contribution};
use forge_debate::verdict::{Abstention, Gravity, Outcome, Verdict};

const LINE: &str = "Sessions must survive a restart of the store.";
const WHY: &str = "quotes nothing of the supplied material that is there";

/// The plan with something to quote, and the demand that it be quoted.
fn demanding(mut plan: Plan) -> Plan {
    plan.materials = vec![Material { name: "spec.md".to_owned(), text: format!("# Spec\n\n{LINE}\nMore text.\n") }];
    plan.demands = Demands { grounded: true, ..Demands::default() };
    plan
}

fn quoting(ballot: Fields, text: &str) -> Fields {
    with(ballot, "quotes", [fields! { "source": "spec.md", "text": text }])
}

fn abstains(name: &str, chosen: Option<&str>) -> Abstention {
    Abstention { seat: seat(name), option: chosen.map(option), why: fact!("ungrounded", "{WHY}") }
}

/// Judges who vote these in every round; `quotes` says who quotes, and in which round.
fn judged(plan: &Plan, votes: [&str; 3], quotes: impl Fn(&str, u16) -> bool) -> Ended {
    run(plan, Pace::Waves, |ask, _| {
        let name = ask.key.seat.as_str();
        let n = ["risk", "value", "effort"].iter().position(|judge| *judge == name).unwrap();
        let mut ballot = challenging(ask, vote(&ask.key.seat, votes[n]));
        if quotes(name, ask.key.round) {
            ballot = quoting(ballot, LINE);
        }
        say(
            plan,
            ask,
            "## Assessment\nSeen.\n## Recommendation\nOption A.\n## Challenges\nDone.\n## Position\nOption A.",
            ballot,
        )
    })
}

fn counted(verdict: &Verdict) -> Vec<&str> {
    verdict.ruling.votes().iter().map(|vote| vote.seat.as_str()).collect()
}

#[test]
fn a_judge_who_quotes_nothing_is_left_out_of_the_count() {
    let plan = demanding(world::plan("judges"));
    let verdict = judged(&plan, ["A", "A", "B"], |name, _| name != "effort").verdict;
    assert_eq!((verdict.outcome(), verdict.ruling.rounds), (Outcome::Consensus, 1));
    assert_eq!(
        (counted(&verdict), verdict.ruling.abstentions.clone()),
        (vec!["risk", "value"], vec![abstains("effort", Some("B"))])
    );
    let robustness = verdict.assessment.robustness.unwrap();
    assert_eq!(robustness.without.len(), 2, "who does not count cannot be a pivot");
}

#[test]
fn a_judge_may_quote_in_a_later_round() {
    let plan = demanding(world::plan("judges"));
    let ended = judged(&plan, ["A", "A", "A"], |name, round| name == "risk" || round == 2);
    assert_eq!(
        (ended.verdict.outcome(), ended.verdict.ruling.rounds),
        (Outcome::Consensus, 2),
        "one alone decides nothing yet"
    );
    assert_eq!(ended.verdict.ruling.abstentions, []);
    let needs = |round: u16, name: &str| -> Need {
        let ask = ended.asked().into_iter().find(|ask| ask.key.round == round && ask.key.seat == seat(name)).unwrap();
        ask.form.fields.iter().find(|field| field.name == "quotes").unwrap().need
    };
    assert_eq!((needs(1, "risk"), needs(2, "value"), needs(2, "risk")), (Need::Due, Need::Due, Need::Optional));
}

#[test]
fn judges_who_never_quote_are_insufficient_after_the_last_round() {
    let plan = demanding(world::plan("judges"));
    let verdict = judged(&plan, ["A", "A", "A"], |name, _| name == "risk").verdict;
    assert_eq!(
        (verdict.outcome(), verdict.ruling.rounds, verdict.assessment.robustness),
        (Outcome::Insufficient, 2, None)
    );
    let said = "1 of 3 judges who spoke quote the supplied material; at least 2 must";
    assert_eq!(verdict.ruling.notes.iter().map(ToString::to_string).collect::<Vec<_>>(), [said]);
    assert_eq!(verdict.ruling.abstentions, [abstains("value", Some("A")), abstains("effort", Some("A"))]);
}

#[test]
fn words_that_are_not_there_ground_nobody() {
    let plan = demanding(world::plan("judges"));
    let verdict = run(&plan, Pace::Waves, |ask, _| {
        let ballot = quoting(challenging(ask, vote(&ask.key.seat, "A")), "Sessions may be lost at any time.");
        say(&plan, ask, "## Position\nOption A.", ballot)
    })
    .verdict;
    assert_eq!((verdict.outcome(), verdict.ruling.abstentions.len()), (Outcome::Insufficient, 3));
}

#[test]
fn without_the_demand_everybody_counts() {
    let mut plan = demanding(world::plan("judges"));
    plan.demands.grounded = false;
    let free = judged(&plan, ["A", "A", "B"], |_, _| false).verdict;
    assert_eq!(
        (free.outcome(), free.ruling.abstentions.clone(), free.ruling.votes().len()),
        (Outcome::Consensus, vec![], 3)
    );
}

/// A panel of one expert, contrarian and moonshot, all quoting but those named, in every round.
fn paneled(plan: &Plan, votes: impl Fn(&str) -> &'static str, silent: &[&str]) -> Ended {
    const TEXT: &str = "## Position\nOption A.\n## Moonshot\nAll of it.\n## Stepping Stone\nA part.\n## Chosen Approach\nOption A.\n## Dissents\nceo, cto, cfo, coo, contrarian, moonshot.\n## Rejected Alternatives\nOption B costs more.\n## Risk Register\n- A node dies.\n## Confidence\nMEDIUM.";
    run(plan, Pace::Waves, |ask, _| {
        let name = ask.key.seat.as_str();
        let ballot = match ask.key.stage {
            panel::REFEREE => fields! { "ruling": "continue", "reason": "new arguments still come" },
            panel::REVIEW => fields! { "accurate": true, "reason": "it says what I said" },
            panel::SYNTHESIS => vote(&ask.key.seat, "A"),
            _ if silent.contains(&name) => challenging(ask, vote(&ask.key.seat, votes(name))),
            _ => quoting(challenging(ask, vote(&ask.key.seat, votes(name))), LINE),
        };
        say(plan, ask, TEXT, ballot)
    })
}

#[test]
fn a_panel_counts_the_majority_of_those_who_quote() {
    let mut plan = demanding(world::plan_with_roster("panel", Some("board")));
    plan.limits.rounds = 2;
    let split = |name: &str| if ["ceo", "cto", "contrarian"].contains(&name) { "A" } else { "B" };
    let all = paneled(&plan, split, &[]).verdict;
    assert_eq!((all.outcome(), all.options().to_vec()), (Outcome::Contested, vec![]), "three of six are no majority");
    let verdict = paneled(&plan, split, &["moonshot"]).verdict;
    assert_eq!(
        (verdict.outcome(), verdict.options().to_vec()),
        (Outcome::Decided, vec![option("A")]),
        "three of five are"
    );
    assert_eq!(verdict.ruling.abstentions, [abstains("moonshot", Some("B"))]);
    let few = paneled(&plan, split, &["moonshot", "cfo", "coo"]).verdict;
    assert_eq!(few.outcome(), Outcome::Insufficient);
    assert_eq!(
        few.ruling.notes[0].to_string(),
        "too few seats quote the supplied material; at least 2/3 of 6 seats must"
    );
    assert_eq!((few.ruling.abstentions.len(), few.ruling.votes().len()), (3, 3));
}

#[test]
fn a_panel_that_is_not_grounded_pays_for_no_synthesis() {
    let plan = demanding(small_panel(2));
    let ended = paneled(&plan, |_| "A", &["ceo", "moonshot"]);
    assert_eq!((ended.verdict.outcome(), ended.asked_in(panel::SYNTHESIS)), (Outcome::Insufficient, 0));
}

#[test]
fn every_case_of_a_gate_and_its_synthesis_must_quote() {
    let sound = held(synthesis("", None));
    let gate = Held { plan: demanding(sound.plan.clone()), ..sound };
    let blocking = |quoting_seats: &[&str]| -> Vec<(String, String)> {
        let ended = run(&gate.plan, Pace::Waves, |ask, _| match gate.answer(ask) {
            Contribution::Speech(mut speech) if quoting_seats.contains(&ask.key.seat.as_str()) => {
                speech.ballot = quoting(speech.ballot, LINE);
                Contribution::Speech(speech)
            }
            other => other,
        });
        let found = ended.verdict.ruling.findings.into_iter().filter(|finding| finding.gravity == Gravity::Blocks);
        found.map(|finding| (finding.file, finding.fact.to_string())).collect()
    };
    assert_eq!(blocking(&["advocate", "skeptic", "operator", "synthesizer"]), []);
    let found = blocking(&["skeptic"]);
    let files: Vec<&str> = found.iter().map(|(file, _)| file.as_str()).collect();
    assert_eq!(files, ["advocate.md", "operator.md", "synthesis.md"]);
    assert_eq!(found[0].1, format!("the advocate {WHY}; a grounded verdict is demanded"));
}

/// A challenge in which these quote; the challengers say this word.
fn challenged(plan: &Plan, word: &'static str, quoting_seats: &[&str]) -> Ended {
    run(plan, Pace::Waves, |ask, _| {
        let base = match ask.key.stage {
            challenge::PROBE => fields! { "ready": true, "angle": "failover" },
            challenge::OPENING => with(vote(&ask.key.seat, "A"), "position", "Move sessions to Redis."),
            challenge::CHALLENGE => fields! {
                "verdict": word, "objection_strength": "strong", "confidence": "HIGH",
                "critique": "the replica may be behind when the first node fails at night",
                "evidence": "nobody measured the lag of the replica under load",
            },
            challenge::ANSWER => {
                let to: Vec<Fields> = ask
                    .facts
                    .text("objections")
                    .split(", ")
                    .map(|to| fields! { "to": to, "answer": "REJECT", "reason": "the lag is small enough" })
                    .collect();
                fields! { "option": "A", "position": "Move sessions to Redis.", "confidence": "HIGH", "answers": to }
            }
            challenge::REBUTTAL => {
                fields! { "response": "MAINTAIN", "objection_strength": "strong", "reason": "it is not small at all" }
            }
            _ => {
                fields! { "why": "the lag is not small", "what_would_change": "a measurement of the lag", "assumption": "lag grows under load" }
            }
        };
        let quotes = quoting_seats.contains(&ask.key.seat.as_str()) && ask.form.has_field("quotes");
        say(plan, ask, "## Position\nOption A.", if quotes { quoting(base, LINE) } else { base })
    })
}

#[test]
fn an_ungrounded_challenger_is_neither_for_nor_against() {
    let plan = demanding(challenge_with(&["operator", "adversary"], 1));
    let open = challenged(&plan, "disagree", &["lead", "operator", "adversary"]).verdict;
    assert_eq!((open.outcome(), open.ruling.dissents.len(), open.ruling.abstentions.len()), (Outcome::Tradeoff, 2, 0));
    let one = challenged(&plan, "disagree", &["lead", "operator"]).verdict;
    assert_eq!((one.outcome(), one.ruling.dissents.len()), (Outcome::Tradeoff, 1));
    assert_eq!(one.ruling.abstentions, [abstains("adversary", None)]);
    assert_eq!(one.assessment.robustness.unwrap().without.len(), 1);
}

#[test]
fn a_challenge_needs_a_grounded_lead_and_a_grounded_challenger() {
    let plan = demanding(challenge_with(&["operator", "adversary"], 1));
    let nobody = challenged(&plan, "disagree", &["lead"]);
    assert_eq!(nobody.verdict.outcome(), Outcome::Insufficient);
    assert!(nobody.has_note("every challenger who spoke quotes nothing"), "{:?}", nobody.verdict.ruling.notes);
    assert_eq!(nobody.asked_in(challenge::ASSUMPTIONS), 0);
    let no_lead = challenged(&plan, "disagree", &["operator", "adversary"]);
    assert_eq!(no_lead.verdict.outcome(), Outcome::Insufficient);
    assert!(no_lead.has_note("the lead quotes nothing"), "{:?}", no_lead.verdict.ruling.notes);
    assert_eq!(no_lead.verdict.ruling.abstentions, [abstains("lead", Some("A"))]);
}

/// The first asks of a plan.
fn asks(plan: &Plan) -> Vec<Ask> {
    first_asks(world::rules(plan), plan)
}

#[test]
fn quotes_and_approvals_are_asked_for_only_where_they_can_be_given() {
    for (protocol, votes) in [("judges", true), ("panel", true), ("gate", false)] {
        let mut plan = world::plan(protocol);
        let has = |plan: &Plan, field: &str| asks(plan).iter().all(|ask| ask.form.has_field(field));
        assert_eq!((has(&plan, "quotes"), has(&plan, "approves")), (false, votes), "{protocol}: nothing to quote");
        plan = demanding(plan);
        assert!(has(&plan, "quotes"), "{protocol}");
        plan.options.truncate(2);
        assert!(!has(&plan, "approves"), "{protocol}: two options leave nothing else to live with");
    }
}

#[test]
fn the_demand_is_said_where_a_seat_still_owes_a_quote() {
    let mut plan = demanding(world::plan("judges"));
    let described = |plan: &Plan| asks(plan)[0].form.describe(plan);
    assert!(described(&plan).contains("a seat without one that is there is not counted"));
    plan.demands.grounded = false;
    assert!(!described(&plan).contains("is not counted"));
    assert!(described(&plan).contains("`quotes` (optional)"));
}

#[test]
fn demands_that_cannot_be_met_are_defects_of_the_plan() {
    for protocol in ALL {
        let mut plan = world::plan(protocol.profile.name);
        plan.demands = Demands { grounded: true, ..Demands::default() };
        let defects = plan.defects();
        assert!(
            defects.iter().any(|defect| defect.contains("nothing to quote") && defect.contains("--context")),
            "{defects:?}"
        );
        plan.demands = Demands { robust: true, ..Demands::default() };
        let refused = plan.defects().iter().any(|defect| {
            defect == "gate: one seat decides, so a robust verdict cannot be demanded; use judges, panel or challenge"
        });
        assert_eq!(refused, protocol.profile.name == "gate", "{}", protocol.profile.name);
    }
}

#[test]
fn every_vote_says_whether_it_is_robust_and_a_gate_says_nothing() {
    let plan = world::plan("judges");
    assert!(
        judged(&plan, ["A", "B", "C"], |_, _| false).verdict.assessment.robustness.is_some(),
        "contested, and still counted"
    );
    let robustness = judged(&plan, ["A", "A", "B"], |_, _| false).verdict.assessment.robustness.unwrap();
    assert_eq!(robustness.winner, Some(option("A")));
    assert_eq!(held(synthesis("", None)).end().verdict.assessment.robustness, None);
    let challenge = challenge_with(&["operator"], 1);
    assert!(challenged(&challenge, "agree", &[]).verdict.assessment.robustness.is_some());
    assert!(
        paneled(&small_panel(2), |_| "A", &["ceo", "contrarian", "moonshot"]).verdict.assessment.robustness.is_some()
    );
}

/// Two judges of three agree and one crashed: without either of the two nobody could have decided anything.
#[test]
fn an_agreement_at_the_quorum_is_not_robust() {
    let mut plan = world::plan("judges");
    plan.demands.robust = true;
    let verdict = run(&plan, Pace::Waves, |ask, _| match ask.key.seat.as_str() {
        "effort" => world::absent(AbsenceKind::Crashed),
        _ => say(&plan, ask, "## Recommendation\nOption A.", challenging(ask, vote(&ask.key.seat, "A"))),
    })
    .verdict;
    assert_eq!(verdict.outcome(), Outcome::Contested, "{:?}", verdict.ruling.notes);
    assert_eq!(verdict.assessment.robustness.unwrap().pivots(), [&seat("risk"), &seat("value")]);

    let plan = small_panel(2);
    let robustness = paneled(&plan, |_| "A", &[]).verdict.assessment.robustness.unwrap();
    assert_eq!(robustness.pivots(), Vec::<&SeatId>::new(), "two of three are a quorum: {robustness:?}");
}
