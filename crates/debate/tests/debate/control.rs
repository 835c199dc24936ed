//! The control arm: one seat alone, as often as the debate took turns, and nothing of it in the debate.

use crate::ballots;
use crate::voices::{Voices, mark};
use crate::world::{self, Ended, Pace, absent, fields, option, seat};
use forge_debate::brief;
use forge_debate::control::{CONTROL, Comparison, DebateWorth, GROUNDS_CONSIDERED, GROUNDS_LIMIT};
use forge_debate::cost;
use forge_debate::datum::Fields;
use forge_debate::plan::{Duty, Hand, Plan, Seat};
use forge_debate::protocols::{self, decision_ask};
use forge_debate::record::{Ask, Reads};
use forge_debate::texts::Texts;
use forge_debate::turn::{AbsenceKind, Contribution, Section};
use forge_debate::verdict::{Assessment, Outcome, Ruling, Verdict};

fn with_control(mut plan: Plan) -> Plan {
    plan.seats.push(Seat {
        id: seat("control"),
        role: "control".to_owned(),
        duty: Duty::Control,
        hand: Hand::Agent("scripted:control".to_owned()),
        family: None,
        context_file: None,
    });
    assert_eq!(plan.defects(), Vec::<String>::new());
    plan
}

fn is_control(ask: &Ask) -> bool {
    ask.key.stage == CONTROL
}

fn small(protocol: &str) -> Plan {
    match protocol {
        "panel" => world::small_panel(3),
        "challenge" => world::challenge_with(&["architect", "operator"], 2),
        other => world::plan(other),
    }
}

/// Whatever the seats say: the debate is the same with a control seat as without, and the control seat is heard by nobody.
#[test]
fn a_control_seat_disturbs_no_protocol() {
    let mut compared = 0;
    for protocol in protocols::names() {
        let plain = small(protocol);
        let plan = with_control(plain.clone());
        for seed in 0..24 {
            let voices = Voices { seed, absent_percent: 4, sloppy_percent: 12 };
            let alone = world::run(&plain, Pace::Waves, |ask, _| voices.answer(&plain, ask));
            let ended = world::run(&plan, Pace::Waves, |ask, _| voices.answer(&plan, ask));
            let without = Assessment { control: None, ..ended.verdict.assessment.clone() };
            assert_eq!(Verdict { assessment: without, ..ended.verdict.clone() }, alone.verdict, "{protocol} {seed}");
            let asked = ended.asked_in(CONTROL);
            match &ended.verdict.assessment.control {
                None => assert_eq!(asked, 0, "{protocol} {seed}: {:?}", ended.verdict.outcome()),
                Some(comparison) => {
                    compared += 1;
                    assert_eq!((asked, comparison.asked as usize), (alone.asked().len(), asked), "{protocol} {seed}");
                    assert_eq!(ended.waves.last().unwrap().len(), asked, "they are asked in one wave, the last");
                }
            }
            nobody_reads_the_control_seat(&plan, &ended);
            let most = cost::total(&protocols::cost(&plan));
            assert!(ended.asked().len() <= most.max_calls as usize, "{protocol} {seed}");
        }
    }
    assert!(compared > 40, "{compared} debates were compared");
}

fn nobody_reads_the_control_seat(plan: &Plan, ended: &Ended) {
    let controls: Vec<String> =
        ended.asked().into_iter().filter(|ask| is_control(ask)).map(|ask| mark(&ask.key)).collect();
    for ask in ended.asked() {
        assert!(!is_control(ask) || ask.reads == Reads::Blind, "{}", ask.key);
        let text = brief::render(plan, ask, &ended.turns, &Texts::embedded()).unwrap().text();
        assert!(!controls.iter().any(|mark| text.contains(mark.as_str())), "{} reads the control seat", ask.key);
    }
}

#[test]
fn the_wave_is_part_of_the_cost() {
    for protocol in protocols::names() {
        let plain = small(protocol);
        let plan = with_control(plain.clone());
        let debate = cost::total(&(world::rules(&plain).profile.cost)(&plain));
        let all = protocols::cost(&plan);
        let last = all.last().unwrap();
        assert_eq!(last.stage, "Control: one seat alone");
        assert_eq!((last.min_calls, last.max_calls, last.max_waves), (debate.min_calls, debate.max_calls, 1));
        assert_eq!(protocols::cost(&plain), (world::rules(&plain).profile.cost)(&plain));
    }
}

#[test]
fn its_turns_have_files_of_their_own() {
    for protocol in protocols::names() {
        let plan = with_control(small(protocol));
        let file = |round| protocols::turn_file(plan.protocol, &world::key(CONTROL, round, "control"));
        assert_eq!((file(1).as_str(), file(117).as_str()), ("control/01.md", "control/117.md"));
    }
}

#[test]
fn only_an_agent_answers_so_often() {
    for hand in [Hand::Human, Hand::Outside] {
        let mut plan = with_control(world::plan("judges"));
        plan.seats.last_mut().unwrap().hand = hand;
        let defects = plan.defects();
        assert!(defects.len() == 1 && defects[0].contains("--seat control=AGENT"), "{defects:?}");
    }
    let mut plan = with_control(world::plan("judges"));
    plan.seats.push(Seat { id: seat("second"), ..plan.seats[3].clone() });
    assert!(plan.defects()[0].contains("two seats have the duty control"));
}

/// Three judges who vote like this, each with one argument, and a control seat that answers like this in turn.
fn judged(votes: [&str; 3], answers: &[Option<(&str, &str)>]) -> Ended {
    let plan = with_control(world::plan("judges"));
    world::run(&plan, Pace::Waves, |ask, _| {
        if is_control(ask) {
            let nth = usize::from(ask.key.round - 1);
            return match answers[nth % answers.len()] {
                Some((option, risk)) => ballots::say(&plan, ask, "Alone.", answer(option, risk)),
                None => absent(AbsenceKind::Crashed),
            };
        }
        let n = plan.seats.iter().position(|seat| seat.id == ask.key.seat).unwrap();
        ballots::say(&plan, ask, "Said.", argued(votes[n], JUDGES_SAY[n]))
    })
}

const JUDGES_SAY: [&str; 3] = [
    "Failover drills show a clean recovery within seconds",
    "Customers keep their carts across every deployment",
    "Nobody here has operated another store in production",
];

fn argued(option: &str, argument: &str) -> Fields {
    fields! {
        "option": option,
        "confidence": "HIGH",
        "reason": format!("what decides it: {argument}"),
        "arguments": [fields! { "id": "a1", "text": argument }],
    }
}

fn answer(option: &str, risk: &str) -> Fields {
    ballots::with(argued(option, JUDGES_SAY.join(". ").as_str()), "risks", [risk])
}

fn comparison(ended: &Ended) -> &Comparison {
    ended.verdict.assessment.control.as_ref().unwrap()
}

const KNOWN: &str = "Failover drills are late";

#[test]
fn the_effect_is_what_the_debate_changed() {
    type Answers<'a> = &'a [Option<(&'a str, &'a str)>];
    let cases: [([&str; 3], Answers<'_>, DebateWorth); 8] = [
        (["A", "A", "A"], &[Some(("B", KNOWN))], DebateWorth::ChangedTheAnswer),
        (["A", "A", "B"], &[Some(("B", KNOWN)), Some(("B", KNOWN)), Some(("A", KNOWN))], DebateWorth::ChangedTheAnswer),
        (["A", "A", "A"], &[Some(("A", KNOWN))], DebateWorth::OnlyCost),
        (["A", "A", "A"], &[Some(("A", KNOWN)), None, Some(("A", KNOWN))], DebateWorth::OnlyCost),
        // One answer each way and an absence: nothing was answered more often than anything else.
        (["A", "A", "A"], &[Some(("A", KNOWN)), Some(("B", KNOWN)), None], DebateWorth::Unclear),
        (["A", "A", "A"], &[None], DebateWorth::Unclear),
        // The seats left it open: there is no answer that could have changed.
        (["A", "B", "C"], &[Some(("A", KNOWN))], DebateWorth::Unclear),
        (["A", "B", "C"], &[None], DebateWorth::Unclear),
    ];
    for (votes, answers, expected) in cases {
        let ended = judged(votes, answers);
        assert_eq!(
            comparison(&ended).effect,
            expected,
            "{votes:?} {answers:?}: {:?}",
            ended.verdict.assessment.control
        );
    }
}

#[test]
fn votes_are_counted_most_first() {
    let ended = judged(["A", "A", "A"], &[Some(("B", KNOWN)), Some(("A", KNOWN)), Some(("B", KNOWN))]);
    let control = comparison(&ended);
    assert_eq!(control.votes, [(option("B"), 2), (option("A"), 1)]);
    assert_eq!((control.answer.clone(), control.asked, control.answered), (Some(option("B")), 3, 3));
}

/// What only one side named is listed for the other, whatever its words look like around it.
#[test]
fn grounds_that_only_one_side_named_are_listed() {
    let plan = with_control(world::plan("judges"));
    let ended = world::run(&plan, Pace::Waves, |ask, _| {
        let n = plan.seats.iter().position(|seat| seat.id == ask.key.seat).unwrap();
        let ballot = match is_control(ask) {
            false => argued("A", JUDGES_SAY[n]),
            true => ballots::with(
                argued("A", "A clean RECOVERY, within seconds: failover drills say so"),
                "risks",
                ["The licence may change", "the license? the licence may change!"],
            ),
        };
        ballots::say(&plan, ask, "Said.", ballot)
    });
    let control = comparison(&ended);
    assert_eq!(control.effect, DebateWorth::AddedGrounds);
    assert_eq!(control.only_in_debate, [JUDGES_SAY[1], JUDGES_SAY[2]]);
    assert_eq!(control.only_in_control, ["The licence may change"]);
}

/// Lists are kept short: whoever wants all grounds reads the turns.
#[test]
fn at_most_a_dozen_grounds_are_kept() {
    let plan = with_control(world::plan("judges"));
    let ended = world::run(&plan, Pace::Waves, |ask, _| {
        let mut ballot = argued("A", "failover drills passed twice");
        if !is_control(ask) {
            let many =
                (0..20).map(|n| fields! { "id": format!("a{n}"), "text": format!("ground{n} stands{n} apart{n}") });
            ballot.set("arguments", world::IntoDatum::into_datum(many.collect::<Vec<_>>()));
        }
        ballots::say(&plan, ask, "Said.", ballot)
    });
    assert_eq!(comparison(&ended).only_in_debate.len(), GROUNDS_LIMIT);
}

/// An absent control turn is a figure of the comparison and no defect of the verdict.
#[test]
fn an_absent_control_turn_does_not_degrade_the_verdict() {
    let ended = judged(["A", "A", "A"], &[Some(("A", KNOWN)), None]);
    assert!(!ended.verdict.ruling.is_degraded() && ended.verdict.ruling.missing.is_empty());
    assert_eq!((comparison(&ended).asked, comparison(&ended).answered), (3, 2));
    assert_eq!(ended.verdict.confidence(), judged(["A", "A", "A"], &[Some(("A", KNOWN))]).verdict.confidence());
}

#[test]
fn nobody_is_asked_alone_where_there_is_nothing_to_compare() {
    let plan = with_control(world::plan("judges"));
    let ended = world::run(&plan, Pace::Waves, |_, _| absent(AbsenceKind::Crashed));
    assert_eq!((ended.verdict.outcome(), ended.asked_in(CONTROL)), (Outcome::Insufficient, 0));
    let gate = with_control(world::plan("gate"));
    let empty = Voices { seed: 1, absent_percent: 0, sloppy_percent: 100 };
    let ended = world::run(&gate, Pace::Waves, |ask, _| empty.answer(&gate, ask));
    assert_eq!((ended.verdict.outcome(), ended.asked_in(CONTROL)), (Outcome::Blocked, 0));
}

/// A person decides after the comparison, and the comparison is still about what the seats left.
#[test]
fn a_decision_comes_after_it() {
    let ended = judged(["A", "B", "C"], &[Some(("A", KNOWN))]);
    let plan = with_control(world::plan("judges"));
    let mut turns = ended.turns.clone();
    let ask = decision_ask();
    let decision = ballots::say(&plan, &ask, "", fields! { "option": "B", "by": "Ada", "because": "it must be" });
    turns.insert(ask.key.clone(), world::turn(ask.key.clone(), decision));
    let decided = world::pass(&plan, &turns).unwrap();
    assert_eq!(
        (decided.verdict.outcome(), &decided.verdict.options().to_vec()),
        (Outcome::Decided, &vec![option("B")])
    );
    assert_eq!(decided.verdict.assessment.control, ended.verdict.assessment.control);
    assert_eq!(decided.waves.last().unwrap()[0].key, ask.key);
    assert!(decided.strangers.is_empty());
}

/// In a challenge the objections are grounds, and so are the rows of a skeptic's risk table.
#[test]
fn objections_and_risk_tables_are_grounds() {
    let gate = with_control(world::plan("gate"));
    let voices = Voices { seed: 3, absent_percent: 0, sloppy_percent: 0 };
    let ended = world::run(&gate, Pace::Waves, |ask, _| match voices.answer(&gate, ask) {
        Contribution::Speech(mut speech) if ask.key.seat == seat("operator") => {
            speech.ballot.set("recommendation", "GO".into());
            Contribution::Speech(speech)
        }
        Contribution::Speech(mut speech) if ask.key.seat == seat("skeptic") => {
            for section in &mut speech.sections {
                if section.title == "Risk Analysis" {
                    section.body = "| Risk | Probability | Impact |\n|---|---|---|\n| Quotas throttle tenants unnoticed | low | high |".to_owned();
                }
            }
            Contribution::Speech(speech)
        }
        other => other,
    });
    let Some(control) = &ended.verdict.assessment.control else {
        panic!("{:?} {:?}", ended.verdict.outcome(), ended.verdict.ruling.findings)
    };
    assert!(control.only_in_debate.contains(&"Quotas throttle tenants unnoticed".to_owned()), "{control:?}");

    let plan = with_control(world::challenge_with(&["architect"], 1));
    let ended = world::run(&plan, Pace::Waves, |ask, _| match voices.answer(&plan, ask) {
        Contribution::Speech(mut speech) if ask.form.has_field("critique") => {
            speech.ballot.set("critique", "Shards outgrow their quorum quietly".into());
            Contribution::Speech(speech)
        }
        other => other,
    });
    let control = comparison(&ended);
    assert!(control.only_in_debate.contains(&"Shards outgrow their quorum quietly".to_owned()), "{control:?}");
}

/// Finishes at all only where not every bullet is held against every other.
#[test]
fn a_flood_of_grounds_is_cut_off() {
    let plan = with_control(world::plan("judges"));
    let flood = |who: &str| {
        let bullets: String = (0..60_000).map(|n| format!("- {who}fact{n} {who}stands{n}\n")).collect();
        let mut speech = world::speech(argued("A", "said once and kept apart"));
        speech.sections.push(Section { title: "Failure Modes".to_owned(), body: bullets, line: 1, body_line: 2 });
        world::turn(world::key(CONTROL, 1, who), Contribution::Speech(speech))
    };
    let (debate, alone) = (flood("risk"), flood("control"));
    let seat = plan.seat(&seat("control")).unwrap();
    let ruling = Ruling::new(Outcome::Contested);
    let found = Comparison::of(&plan, seat, &ruling, &[&debate], &[&alone]);
    assert_eq!((found.only_in_debate.len(), found.only_in_control.len()), (GROUNDS_LIMIT, GROUNDS_LIMIT));
}

/// A ground is looked at where it is among the first; what comes after so many is not.
#[test]
fn so_many_grounds_of_a_side_are_considered() {
    let plan = with_control(world::plan("judges"));
    let told = |who: &str, texts: Vec<String>| {
        let list = texts.iter().map(|text| fields! { "id": "a", "text": text.as_str() }).collect::<Vec<_>>();
        let ballot = fields! { "option": "A", "arguments": list };
        world::turn(world::key(CONTROL, 1, who), Contribution::Speech(world::speech(ballot)))
    };
    let seat = plan.seat(&seat("control")).unwrap();
    for (before, listed) in [(GROUNDS_CONSIDERED - 1, true), (GROUNDS_CONSIDERED, false)] {
        let mut texts = vec!["the same thing said again and again".to_owned(); before];
        texts.push("Quotas throttle tenants unnoticed".to_owned());
        let (debate, alone) = (told("risk", texts), told("control", vec!["said again: the same thing".to_owned()]));
        let found = Comparison::of(&plan, seat, &Ruling::new(Outcome::Contested), &[&debate], &[&alone]);
        assert_eq!(!found.only_in_debate.is_empty(), listed, "{before}: {found:?}");
    }
}
