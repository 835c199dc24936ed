//! A lead against its challengers.

use crate::ballots::{say, with};
use crate::world::{self, Ended, Pace, absent, challenge_with, fields, option, run};
use forge_debate::anonymity::Speakers;
use forge_debate::datum::Fields;
use forge_debate::personas::persona_file;
use forge_debate::plan::{Families, Hand, Plan};
use forge_debate::protocols::challenge::{ANSWER, ASSUMPTIONS, CHALLENGE, OPENING, PROBE, REBUTTAL, points};
use forge_debate::record::{Ask, Reads};
use forge_debate::turn::{AbsenceKind, Speech};
use forge_debate::verdict::{Cause, Confidence, Outcome};

const TEXT: &str = "## Position\nRedis, with two nodes.\n## Reasoning\n1. It replicates.\n## Weaknesses\nMemory.\n## Assumptions\n- Traffic is flat.\n\
    ## Critique\nSeen from here.\n## Answers\nGiven.";

const SUBSTANCE: &str = "failover was tried twice under load and lost no session at all";

/// What an agreement says about a point of the lead.
const EXAMINED: &str = "R1: looked for sessions that a failover would lose, and found that each is confirmed";

/// An agreement that brings something of its own.
fn agree() -> Fields {
    fields! {
        "verdict": "agree", "objection_strength": "minor", "critique": "from my angle the failover holds",
        "evidence": SUBSTANCE, "confidence": "HIGH", "examined": [EXAMINED],
    }
}

fn partial(strength: &str) -> Fields {
    with(with(agree(), "verdict", "partial"), "objection_strength", strength)
}

fn disagree() -> Fields {
    with(with(agree(), "verdict", "disagree"), "objection_strength", "strong")
}

fn rebut(response: &str) -> Fields {
    fields! { "response": response, "objection_strength": "moderate", "reason": format!("I {response} since the load is real") }
}

/// What every party says unless a test says otherwise: all ready, all agree with substance.
fn usual(plan: &Plan, ask: &Ask) -> Fields {
    match ask.key.stage {
        PROBE => fields! { "ready": true, "angle": "mine" },
        OPENING => fields! {
            "option": "A", "position": "Redis with two nodes", "confidence": "HIGH", "reason": "it replicates well enough",
            "assumptions": ["traffic stays flat"],
        },
        CHALLENGE => agree(),
        ANSWER => answered(plan, ask, "PARTIAL", "Redis with two nodes"),
        REBUTTAL => rebut("MAINTAIN"),
        _ => fields! {
            "why": "I still see it so", "what_would_change": "a test that shows otherwise", "assumption": format!("{} assumes flat traffic", ask.key.seat),
        },
    }
}

/// The lead answers every open objection the same way and states this position.
fn answered(plan: &Plan, ask: &Ask, word: &str, position: &str) -> Fields {
    let speakers = Speakers::of(plan, &ask.key.seat);
    let answers: Vec<Fields> = ask
        .facts
        .text("objections")
        .split(", ")
        .map(|to| {
            let who = speakers.seat(to).unwrap();
            fields! { "to": to, "answer": word, "reason": format!("what {who} says is weighed") }
        })
        .collect();
    fields! { "option": "A", "position": position, "confidence": "MEDIUM", "answers": answers }
}

fn held(plan: &Plan, change: impl Fn(&Ask, Fields) -> Option<Fields>) -> Ended {
    run(plan, Pace::Waves, |ask, _| match change(ask, usual(plan, ask)) {
        Some(ballot) => say(plan, ask, TEXT, ballot),
        None => absent(AbsenceKind::TimedOut),
    })
}

/// A debate in which these are the three challenges.
fn challenged(challenges: [Fields; 3]) -> Ended {
    held(&world::plan("challenge"), |ask, ballot| match (ask.key.stage, ask.key.seat.as_str()) {
        (CHALLENGE, "architect") => Some(challenges[0].clone()),
        (CHALLENGE, "operator") => Some(challenges[1].clone()),
        (CHALLENGE, "adversary") => Some(challenges[2].clone()),
        (REBUTTAL, _) => Some(rebut("ACCEPT")),
        _ => Some(ballot),
    })
}

// seed: S4-1, S4-19, S4-20, S4-21, S4-26
#[test]
fn agreement_with_substance_and_minor_objections_exit_fast() {
    for challenges in [
        [agree(), agree(), agree()],
        [agree(), partial("minor"), agree()],
        [partial("minor"), partial("minor"), partial("minor")],
    ] {
        let ended = challenged(challenges);
        assert_eq!(
            (ended.verdict.outcome(), &ended.verdict.options().to_vec()),
            (Outcome::Consensus, &vec![option("A")])
        );
        assert_eq!(
            (ended.asked_in(ANSWER), ended.asked_in(REBUTTAL), ended.verdict.confidence()),
            (0, 0, Confidence::High)
        );
        assert_eq!(ended.verdict.ruling.position(), Some("Redis with two nodes"));
    }
}

// seed: S4-1, S4-22, S4-24, S4-29
#[test]
fn anything_else_is_confronted_with_those_who_object() {
    for objection in
        [disagree(), partial("moderate"), partial("strong"), with(disagree(), "objection_strength", "minor")]
    {
        let ended = challenged([agree(), objection.clone(), agree()]);
        assert_eq!(ended.seats_asked(ANSWER, 1), ["lead"], "{objection:?}");
        assert_eq!(
            ended.seats_asked(REBUTTAL, 1),
            ["operator"],
            "{objection:?}: only who has an open objection rebuts"
        );
        assert_eq!(ended.verdict.outcome(), Outcome::Consensus, "{objection:?}: and ACCEPT settles it");
    }
}

/// S4: any `objection_strength: strong` requires confrontation, whatever word stands before it.
// seed: S4-23
#[test]
fn an_agreement_with_a_strong_objection_is_confronted() {
    let ended = challenged([agree(), with(agree(), "objection_strength", "strong"), agree()]);
    assert_eq!(ended.seats_asked(REBUTTAL, 1), ["operator"]);
}

#[test]
fn an_agreement_that_examined_nothing_counts_as_a_moderate_objection() {
    let without = |mut ballot: Fields| {
        ballot.remove("examined");
        ballot
    };
    let examined = |entry: &str| with(agree(), "examined", [entry]);
    for hollow in [
        without(agree()),
        with(agree(), "examined", Vec::<String>::new()),
        // Words enough, and no point of the lead.
        examined("looked for sessions that a failover would lose, and found that each is confirmed"),
        examined("R7: looked for sessions that a failover would lose"),
        examined("B1: looked for sessions that a failover would lose"),
        // A point, and nothing that was looked for.
        examined("R1"),
        examined("R1: looks good to me"),
        examined("W1: fine, agreed"),
        // The lead's own words are nobody else's.
        examined("R1: It replicates."),
        with(agree(), "critique", "looks good to me"),
    ] {
        let ended = challenged([agree(), hollow.clone(), agree()]);
        assert_eq!(ended.seats_asked(REBUTTAL, 1), ["operator"], "{hollow:?}");
        assert!(ended.has_note("operator agreed without saying what it examined"), "{:?}", ended.verdict.ruling.notes);
    }
}

#[test]
fn an_agreement_may_rest_on_any_point_in_any_spelling() {
    for entry in [
        "W1: looked for the memory that ten times the sessions take; it fits",
        "a1 - looked at last year's peaks to see whether traffic is flat",
        "Looked for what happens when (R1) fails twice in a row; nothing is lost",
    ] {
        let ended = challenged([agree(), with(agree(), "examined", [entry]), agree()]);
        assert_eq!(ended.asked_in(ANSWER), 0, "{entry}");
    }
    let pair = fields! { "point": "R1", "looked_for": "sessions that a failover would lose; each is confirmed" };
    let ended = challenged([agree(), with(agree(), "examined", [pair]), agree()]);
    assert_eq!(ended.asked_in(ANSWER), 0, "an object says the same");
}

/// A lead that lists nothing has points all the same.
#[test]
fn an_opening_without_lists_has_points() {
    let speech = |text: &str| {
        let ballot = fields! { "reason": "it replicates well enough", "assumptions": ["traffic stays flat"] };
        Speech { sections: crate::ballots::draft(text, None).sections, ..world::speech(ballot) }
    };
    let labels =
        |text: &str| points(&speech(text)).into_iter().map(|p| format!("{} {}", p.label, p.text)).collect::<Vec<_>>();
    assert_eq!(
        labels("## Position\nRedis.\n## Weaknesses\nMemory is dear.\n\nNobody knows it."),
        ["R1 it replicates well enough", "W1 Memory is dear.", "W2 Nobody knows it.", "A1 traffic stays flat"]
    );
    assert_eq!(labels("## Reasoning\n1. One.\n2. Two.\n## Assumptions\n- Flat.\n")[..2], ["R1 One.", "R2 Two."]);
}

// seed: S4-16
#[test]
fn challengers_read_the_lead_and_not_each_other() {
    let ended = challenged([agree(), agree(), agree()]);
    for ask in ended.asked() {
        match ask.key.stage {
            PROBE | OPENING => assert_eq!(ask.reads, Reads::Blind, "{}", ask.key),
            CHALLENGE => assert_eq!(ask.reads.keys(), [&world::key(OPENING, 0, "lead")], "{}", ask.key),
            _ => {}
        }
    }
    let wave = ended.waves.iter().find(|wave| wave[0].key.stage == CHALLENGE).unwrap();
    let together: Vec<&str> = wave.iter().map(|ask| ask.key.seat.as_str()).collect();
    assert_eq!(together, ["architect", "operator", "adversary"], "all at once");
}

// seed: S4-29
#[test]
fn a_rebuttal_reads_the_leads_answer_and_its_own_objection_only() {
    let ended = challenged([disagree(), disagree(), agree()]);
    let ask =
        ended.asked().into_iter().find(|ask| ask.key.stage == REBUTTAL && ask.key.seat.as_str() == "operator").unwrap();
    let read: Vec<String> = ask.reads.keys().iter().map(|key| key.slug()).collect();
    assert_eq!(read, ["answer-r1-lead", "challenge-r1-operator"]);
}

#[test]
fn silence_is_not_agreement() {
    let plan = challenge_with(&["operator"], 2);
    let ended = held(&plan, |ask, ballot| match ask.key.stage {
        CHALLENGE => Some(disagree()),
        REBUTTAL => None,
        _ => Some(ballot),
    });
    assert_eq!(
        (ended.verdict.outcome(), ended.asked_in(REBUTTAL)),
        (Outcome::Tradeoff, 2),
        "asked again in the next round"
    );
    assert_eq!(ended.verdict.ruling.dissents[0].text, "from my angle the failover holds", "its last words stand");
}

// seed: S4-33, S4-34, S4-35, S4-59
#[test]
fn who_keeps_objecting_to_the_last_round_makes_it_a_tradeoff_with_assumptions() {
    for rounds in [1, 3, 5] {
        let plan = challenge_with(&["architect", "operator", "adversary"], rounds);
        let ended = held(&plan, |ask, ballot| match (ask.key.stage, ask.key.seat.as_str()) {
            (CHALLENGE, "operator") => Some(disagree()),
            _ => Some(ballot),
        });
        let verdict = &ended.verdict;
        assert_eq!(
            (verdict.outcome(), verdict.ruling.rounds, verdict.confidence()),
            (Outcome::Tradeoff, rounds, Confidence::Medium)
        );
        assert_eq!(ended.asked_in(ANSWER), usize::from(rounds));
        assert_eq!(ended.seats_asked(ASSUMPTIONS, 0), ["lead", "operator"], "the parties that still differ");
        let assumed: Vec<(&str, &str)> =
            verdict.ruling.assumptions().iter().map(|a| (a.seat.as_str(), a.assumption.as_str())).collect();
        assert_eq!(assumed, [("lead", "lead assumes flat traffic"), ("operator", "operator assumes flat traffic")]);
        assert!(verdict.options().is_empty() && verdict.ruling.dissents.len() == 1);
        assert_eq!(verdict.ruling.dissents[0].text, "I MAINTAIN since the load is real");
    }
}

// seed: S4-30, S4-31, S4-32
#[test]
fn an_accept_settles_an_objection_for_good() {
    let plan = challenge_with(&["architect", "operator", "adversary"], 3);
    let ended = held(&plan, |ask, ballot| match (ask.key.stage, ask.key.seat.as_str(), ask.key.round) {
        (CHALLENGE, "operator" | "adversary", _) => Some(disagree()),
        (REBUTTAL, "operator", 1) => Some(rebut("ACCEPT")),
        (REBUTTAL, "adversary", 2) => Some(rebut("ACCEPT")),
        _ => Some(ballot),
    });
    assert_eq!(ended.seats_asked(REBUTTAL, 1), ["operator", "adversary"]);
    assert_eq!(ended.seats_asked(REBUTTAL, 2), ["adversary"]);
    assert_eq!(
        (ended.verdict.outcome(), ended.verdict.ruling.rounds, ended.asked_in(ASSUMPTIONS)),
        (Outcome::Consensus, 2, 0)
    );
    let asked: Vec<&str> = ended
        .asked()
        .into_iter()
        .filter(|ask| ask.key.stage == ANSWER)
        .map(|ask| ask.facts.text("objections"))
        .collect();
    assert_eq!(asked[0].split(", ").count(), 2, "the first answer is to both");
    assert_eq!(asked[1].split(", ").count(), 1, "the second to the one that is left");
}

/// The lead rejects everything, and every challenger says that it defers to the lead.
fn all_defer(plan: &Plan, cites: &[&str]) -> Ended {
    held(plan, |ask, ballot| match ask.key.stage {
        OPENING => Some(with(ballot, "arguments", vec![fields! { "id": "a1", "text": "it fails over in a second" }])),
        CHALLENGE => Some(disagree()),
        ANSWER => Some(answered(plan, ask, "REJECT", "Redis with two nodes")),
        REBUTTAL => {
            let lead = Speakers::of(plan, &ask.key.seat).prefix(&world::seat("lead"));
            let cited: Vec<String> = cites.iter().map(|id| format!("{lead}.{id}")).collect();
            Some(with(with(rebut("ACCEPT"), "reason", "fine, I defer to the lead"), "convinced_by", cited))
        }
        _ => Some(ballot),
    })
}

#[test]
fn giving_way_to_a_rejection_counts_only_with_a_ground() {
    let plan = challenge_with(&["architect", "operator", "adversary"], 2);
    let polite = all_defer(&plan, &[]);
    assert_eq!((polite.verdict.outcome(), polite.verdict.ruling.dissents.len()), (Outcome::Tradeoff, 3));
    assert_eq!(polite.verdict.ruling.dissents[0].text, "from my angle the failover holds", "what it objected stands");
    assert!(
        polite.has_note("architect gave way to an answer that rejects its objection"),
        "{:?}",
        polite.verdict.ruling.notes
    );
    let course = &polite.verdict.assessment.course;
    assert_eq!((course.conformity.pressed, course.conformity.yielded, course.conformity.convinced), (6, 6, 0));
    let made_up = all_defer(&plan, &["a9"]);
    assert_eq!(made_up.verdict.outcome(), Outcome::Tradeoff);

    let convinced = all_defer(&plan, &["a1"]);
    assert_eq!((convinced.verdict.outcome(), convinced.verdict.ruling.rounds), (Outcome::Consensus, 1));
    assert_eq!(convinced.verdict.assessment.course.conformity.convinced, 3);
}

// seed: S4-30
#[test]
fn when_only_escalated_objections_are_left_the_rounds_end() {
    let plan = challenge_with(&["architect", "operator", "adversary"], 5);
    let ended = held(&plan, |ask, ballot| match (ask.key.stage, ask.key.seat.as_str(), ask.key.round) {
        (CHALLENGE, "operator" | "adversary", _) => Some(disagree()),
        (REBUTTAL, "operator", _) => Some(rebut("ESCALATE")),
        (REBUTTAL, "adversary", 2) => Some(rebut("ACCEPT")),
        _ => Some(ballot),
    });
    assert_eq!((ended.verdict.outcome(), ended.verdict.ruling.rounds), (Outcome::Tradeoff, 2));
    assert!(ended.has_note("operator asks that a person settle its objection"), "{:?}", ended.verdict.ruling.notes);
    assert_eq!(ended.seats_asked(ASSUMPTIONS, 0), ["lead", "operator"]);
}

// seed: S4-28, S4-45
#[test]
fn position_history_has_every_version_with_its_causes() {
    let plan = challenge_with(&["architect", "operator", "adversary"], 4);
    let ended = held(&plan, |ask, ballot| match (ask.key.stage, ask.key.seat.as_str(), ask.key.round) {
        (CHALLENGE, "architect" | "operator", _) => Some(disagree()),
        (ANSWER, _, 1) => Some(answered(&plan, ask, "ACCEPT", "Redis with three nodes")),
        // Nothing accepted and nothing new: no new version.
        (ANSWER, _, 2) => Some(answered(&plan, ask, "REJECT", "Redis with three nodes")),
        (ANSWER, _, 3) => {
            let ballot = answered(&plan, ask, "PARTIAL", "Redis with three nodes and a runbook");
            Some(with(ballot, "changed_because", ["the drill failed"]))
        }
        (REBUTTAL, "architect", 1) => Some(rebut("ACCEPT")),
        (REBUTTAL, _, 3) => Some(rebut("ACCEPT")),
        _ => Some(ballot),
    });
    let told = |cause: &Cause| match &cause.seat {
        Some(seat) => format!("{seat}: {}", cause.text),
        None => cause.text.clone(),
    };
    let history: Vec<(u16, u16, &str, Vec<String>)> = ended
        .verdict
        .ruling
        .positions()
        .iter()
        .map(|p| (p.version, p.round, p.text.as_str(), p.because.iter().map(told).collect()))
        .collect();
    assert_eq!(
        history,
        [
            (1, 0, "Redis with two nodes", vec![]),
            (
                2,
                1,
                "Redis with three nodes",
                vec![
                    "architect: what architect says is weighed".to_owned(),
                    "operator: what operator says is weighed".to_owned()
                ]
            ),
            (
                3,
                3,
                "Redis with three nodes and a runbook",
                vec!["operator: what operator says is weighed".to_owned(), "the drill failed".to_owned()]
            ),
        ]
    );
    assert_eq!(ended.verdict.ruling.position(), Some("Redis with three nodes and a runbook"));
    assert_eq!((ended.verdict.outcome(), ended.verdict.ruling.rounds), (Outcome::Consensus, 3));
}

/// A lead that answers seats unasked does not make them causes: not the absent, not the content.
// seed: S4-46
#[test]
fn only_who_had_an_open_objection_is_credited_with_a_change() {
    let plan = challenge_with(&["architect", "operator", "adversary"], 1);
    let ended = held(&plan, |ask, ballot| match (ask.key.stage, ask.key.seat.as_str()) {
        (CHALLENGE, "architect") => Some(disagree()),
        (CHALLENGE, "adversary") => None,
        (ANSWER, _) => {
            let speakers = Speakers::of(&plan, &ask.key.seat);
            let to = |seat: &str| speakers.prefix(&world::seat(seat));
            let all: Vec<Fields> = ["architect", "operator", "adversary"]
                .iter()
                .map(
                    |seat| fields! { "to": to(seat), "answer": "ACCEPT", "reason": format!("{seat} has a point here") },
                )
                .collect();
            let because = [format!("{} was heard", to("adversary")), format!("{} broke it", to("architect"))];
            Some(with(
                with(with(ballot, "answers", all), "position", "Redis with three nodes"),
                "changed_because",
                because,
            ))
        }
        (REBUTTAL, _) => Some(rebut("ACCEPT")),
        _ => Some(ballot),
    });
    let because: Vec<(Option<&str>, &str)> = ended.verdict.ruling.positions()[1]
        .because
        .iter()
        .map(|cause| (cause.seat.as_ref().map(|seat| seat.as_str()), cause.text.as_str()))
        .collect();
    assert_eq!(because, [(Some("architect"), "architect has a point here"), (None, "architect broke it")]);
}

/// The option and the words beside it are read together.
#[test]
fn a_lead_that_was_convinced_is_not_quoted_with_its_old_reason() {
    let plan = challenge_with(&["operator"], 2);
    let ended = held(&plan, |ask, ballot| match ask.key.stage {
        CHALLENGE => Some(disagree()),
        ANSWER => Some(with(answered(&plan, ask, "ACCEPT", "Memcached on two nodes"), "option", "B")),
        REBUTTAL => Some(rebut("ACCEPT")),
        _ => Some(ballot),
    });
    let lead = ended.verdict.ruling.reasons.iter().find(|reason| reason.seat.as_str() == "lead").unwrap();
    assert_eq!((ended.verdict.options().to_vec(), lead.option.clone()), (vec![option("B")], Some(option("B"))));
    assert_ne!(lead.text, "it replicates well enough", "that was the reason for A");
}

// seed: S4-12, S4-13
#[test]
fn who_answers_the_probe_takes_part_and_nobody_is_too_few() {
    let plan = world::plan("challenge");
    for (ready, outcome) in [
        (&["architect", "operator"][..], Outcome::Consensus),
        (&["adversary"], Outcome::Consensus),
        (&[], Outcome::Insufficient),
    ] {
        let ended = held(&plan, |ask, ballot| {
            (ask.key.stage != PROBE || ready.contains(&ask.key.seat.as_str())).then_some(ballot)
        });
        assert_eq!(ended.verdict.outcome(), outcome, "{ready:?}");
        assert_eq!(ended.seats_asked(CHALLENGE, 1), ready);
        assert!(ended.verdict.ruling.is_degraded());
        assert_eq!(ended.asked_in(OPENING), usize::from(!ready.is_empty()), "no lead is paid for nobody");
    }
}

/// Nobody probes people and sessions that forge does not start.
#[test]
fn outside_and_human_seats_are_not_probed() {
    let mut plan = world::plan("challenge");
    for (seat, hand) in [("operator", "outside"), ("adversary", "human")] {
        plan.seats.iter_mut().find(|one| one.id.as_str() == seat).unwrap().hand = Hand::parse(hand);
    }
    let architect = |plan: &mut Plan| {
        plan.seats.iter_mut().find(|one| one.id.as_str() == "architect").unwrap().hand = Hand::parse("outside");
    };
    let ended = held(&plan, |_, ballot| Some(ballot));
    assert_eq!(ended.seats_asked(PROBE, 0), ["architect"]);
    assert_eq!(ended.seats_asked(CHALLENGE, 1), ["architect", "operator", "adversary"]);
    assert!(ended.has_note("forge did not ask operator, adversary itself"), "{:?}", ended.verdict.ruling.notes);
    architect(&mut plan);
    let ended = held(&plan, |_, ballot| Some(ballot));
    assert_eq!((ended.asked_in(PROBE), ended.verdict.outcome()), (0, Outcome::Consensus));
}

/// A challenger that answers the probe and declines is lost in it: absent, and the verdict degraded.
#[test]
fn a_challenger_that_says_it_is_not_ready_is_named_in_the_verdict() {
    let ended = held(&world::plan("challenge"), |ask, ballot| match (ask.key.stage, ask.key.seat.as_str()) {
        (PROBE, "adversary") => Some(with(ballot, "ready", false)),
        _ => Some(ballot),
    });
    assert_eq!(ended.seats_asked(CHALLENGE, 1), ["architect", "operator"]);
    let lost: Vec<&str> = ended.verdict.ruling.missing.iter().map(|missing| missing.key.seat.as_str()).collect();
    assert!(lost == ["adversary"] && ended.verdict.ruling.is_degraded(), "{lost:?}");
}

// seed: S4-43, S4-47, S4-52
#[test]
fn a_lead_and_one_challenger_are_enough_and_fewer_are_not() {
    let plan = world::plan("challenge");
    for (gone, outcome) in [
        (&[(CHALLENGE, "architect"), (CHALLENGE, "operator")][..], Outcome::Consensus),
        (&[(CHALLENGE, "architect"), (CHALLENGE, "operator"), (CHALLENGE, "adversary")], Outcome::Insufficient),
        (&[(OPENING, "lead")], Outcome::Insufficient),
    ] {
        let ended =
            held(&plan, |ask, ballot| (!gone.contains(&(ask.key.stage, ask.key.seat.as_str()))).then_some(ballot));
        assert_eq!((ended.verdict.outcome(), ended.verdict.ruling.missing.len()), (outcome, gone.len()), "{gone:?}");
    }
}

#[test]
fn fewer_challengers_than_demanded_are_too_few() {
    let mut plan = world::plan("challenge");
    plan.limits.min_challengers = 2;
    for (gone, outcome, asked) in [
        (&[(CHALLENGE, "architect")][..], Outcome::Consensus, 3),
        (&[(CHALLENGE, "architect"), (CHALLENGE, "operator")], Outcome::Insufficient, 3),
        // The lead is not paid for a debate that cannot be.
        (&[(PROBE, "architect"), (PROBE, "operator")], Outcome::Insufficient, 0),
    ] {
        let ended =
            held(&plan, |ask, ballot| (!gone.contains(&(ask.key.stage, ask.key.seat.as_str()))).then_some(ballot));
        assert_eq!((ended.verdict.outcome(), ended.asked_in(CHALLENGE)), (outcome, asked), "{gone:?}");
        if outcome == Outcome::Insufficient {
            assert!(ended.has_note("at least 2 must"), "{:?}", ended.verdict.ruling.notes);
        }
    }
    plan.limits.min_challengers = 4;
    assert!(plan.defects().iter().any(|defect| defect.contains("min_challengers is 4")));
}

/// Personas are named for what programs read, as far as that tells seats apart.
#[test]
fn persona_files_are_named_for_those_who_read_them() {
    let files = |read: [Option<&str>; 3]| {
        let mut plan = challenge_with(&["architect", "operator", "adversary"], 5);
        for (seat, file) in plan.seats.iter_mut().skip(1).zip(read) {
            seat.context_file = file.map(str::to_owned);
        }
        let of = |seat: &str| persona_file(&plan, &world::seat(seat)).unwrap();
        assert_eq!(persona_file(&plan, &world::seat("lead")), None);
        [of("architect"), of("operator"), of("adversary")]
    };
    let (gemini, codex, qwen, claude) = (Some("GEMINI.md"), Some("AGENTS.md"), Some("QWEN.md"), Some("CLAUDE.md"));
    assert_eq!(files([gemini, codex, qwen]), ["GEMINI.md", "AGENTS.md", "QWEN.md"]);
    assert_eq!(
        files([None, None, None]),
        ["GEMINI.md", "AGENTS.md", "QWEN.md"],
        "the seed's, where nobody reads a file"
    );
    assert_eq!(files([claude, claude, claude]), ["ARCHITECT.md", "OPERATOR.md", "ADVERSARY.md"]);
    assert_eq!(files([codex, codex, claude]), ["ARCHITECT.md", "OPERATOR.md", "CLAUDE.md"], "codex and opencode");
    assert_eq!(files([qwen, None, gemini]), ["QWEN.md", "OPERATOR.md", "GEMINI.md"]);
}

// seed: S4-52
#[test]
fn a_lead_that_stops_answering_leaves_the_objections_open() {
    let plan = challenge_with(&["operator"], 5);
    let ended = held(&plan, |ask, ballot| match (ask.key.stage, ask.key.round) {
        (CHALLENGE, _) => Some(disagree()),
        (ANSWER, 2) => None,
        _ => Some(ballot),
    });
    assert_eq!((ended.verdict.outcome(), ended.asked_in(ANSWER), ended.asked_in(REBUTTAL)), (Outcome::Tradeoff, 2, 1));
}

fn seated(lead: &str, challengers: &[&str]) -> Plan {
    let mut plan = challenge_with(&["architect", "operator", "adversary"][..challengers.len()], 5);
    for (seat, hand) in plan.seats.iter_mut().zip([lead].iter().chain(challengers)) {
        seat.hand = Hand::parse(hand);
    }
    plan
}

#[test]
fn one_challenger_at_least_runs_on_another_family_than_the_lead() {
    for (lead, challengers, sound) in [
        ("claude", &["gemini", "codex", "qwen"][..], true),
        ("claude", &["claude", "claude:opus", "anthropic:claude-sonnet"], false),
        ("claude", &["claude", "claude", "gemini"], true),
        ("openai:gpt-5", &["codex"], false),
        ("claude", &["human"], true),
        ("human", &["claude"], true),
        ("rehearsal", &["rehearsal"], true),
        ("claude", &["outside"], true),
        ("ollama:llama3", &["ollama:qwen3"], true),
        ("ollama:llama3", &["ollama:llama2"], false),
    ] {
        let mut plan = seated(lead, challengers);
        let said = |plan: &Plan| plan.defects().iter().any(|defect| defect.contains("--allow-same-family"));
        assert_eq!(!said(&plan), sound, "{lead} against {challengers:?}");
        plan.families = Families::MayBeTheSame;
        assert!(!said(&plan), "the user may allow it");
    }
}

/// A local server's name says nothing about the model that it serves.
#[test]
fn models_of_one_server_are_families_of_their_own() {
    for (hand, expected) in [
        ("ollama:mistral", "mistral"),
        ("ollama:deepseek-r1", "deepseek"),
        ("ollama:gpt-oss", "openai"),
        ("ollama:llama3", "meta"),
        ("ollama:fancy4", "fancy4"),
    ] {
        assert_eq!(forge_debate::family::of_hand(&Hand::parse(hand)).as_deref(), Some(expected), "{hand}");
    }
    let plan = seated("ollama:llama3", &["ollama:mistral"]);
    assert_eq!(plan.defects(), Vec::<String>::new());
}

#[test]
fn an_allowed_single_family_is_said_in_the_verdict() {
    let mut plan = world::plan("challenge");
    plan.families = Families::MayBeTheSame;
    assert!(held(&plan, |_, ballot| Some(ballot)).has_note("one model family"));
    plan.families = Families::MustDiffer;
    assert!(!held(&plan, |_, ballot| Some(ballot)).has_note("one model family"));
}

// seed: S4-27
#[test]
fn every_open_objection_must_be_answered() {
    let plan = challenge_with(&["architect", "operator"], 1);
    let ended = held(&plan, |ask, ballot| match ask.key.stage {
        CHALLENGE => Some(disagree()),
        ANSWER => {
            let mut one = answered(&plan, ask, "REJECT", "Redis with two nodes");
            one.set(
                "answers",
                forge_debate::datum::Datum::List(
                    one.records("answers")[..1]
                        .iter()
                        .map(|r| forge_debate::datum::Datum::Record((*r).clone()))
                        .collect(),
                ),
            );
            Some(one)
        }
        _ => Some(ballot),
    });
    assert!(ended.has_note("is not answered in \"answers\""), "{:?}", ended.verdict.ruling.notes);
}

/// The brief shows `Speaker 1` and `S1`; either names the objector.
#[test]
fn an_objector_may_be_answered_by_its_long_name() {
    let plan = challenge_with(&["operator"], 1);
    let long_name = Speakers::of(&plan, &world::seat("lead")).name(&world::seat("operator"));
    let ended = held(&plan, |ask, ballot| match ask.key.stage {
        CHALLENGE => Some(disagree()),
        ANSWER => Some(with(
            ballot,
            "answers",
            [fields! { "to": long_name.as_str(), "answer": "REJECT", "reason": "the load is flat" }],
        )),
        _ => Some(ballot),
    });
    assert!(!ended.has_note("is not answered"), "{:?}", ended.verdict.ruling.notes);
}

#[test]
fn a_challenge_needs_a_lead_and_a_challenger() {
    let mut plan = challenge_with(&[], 5);
    assert!(plan.defects().iter().any(|defect| defect.contains("challenger")));
    plan.seats.clear();
    assert!(plan.defects().iter().any(|defect| defect.contains("lead")));
}
