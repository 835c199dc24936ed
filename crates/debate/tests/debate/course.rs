//! The course of a debate: who stood where, who challenged whom, who moved under pressure.

use crate::ballots::{say, vote, with};
use crate::world::{self, Ended, Pace, challenge_with, fields, key, option, run, seat, small_panel, speech, turn};
use forge_debate::anonymity::Speakers;
use forge_debate::course::{Conformity, Course, Stand};
use forge_debate::datum::Fields;
use forge_debate::plan::{Duty, Hand, Plan, Seat};
use forge_debate::protocols::{challenge, gate, judges, panel};
use forge_debate::turn::{AbsenceKind, Contribution, Section, Stage, Turn};
use forge_debate::voting::Merit;

/// One turn as data; `@seat` in a citation or an address becomes the name that the speaker sees.
struct Says {
    stage: Stage,
    round: u16,
    who: &'static str,
    ballot: Fields,
}

fn says(stage: Stage, round: u16, who: &'static str, ballot: Fields) -> Says {
    Says { stage, round, who, ballot }
}

fn course(plan: &Plan, said: Vec<Says>) -> Course {
    let turns: Vec<Turn> = said
        .into_iter()
        .map(|one| turn(key(one.stage, one.round, one.who), Contribution::Speech(speech(one.ballot))))
        .collect();
    Course::of(world::rules(plan), plan, &turns.iter().collect::<Vec<_>>())
}

fn peer(plan: &Plan, reader: &str, other: &str) -> String {
    Speakers::of(plan, &seat(reader)).prefix(&seat(other))
}

/// `step seat cast/counted word change`, one line for each stand.
fn drawn(stands: &[Stand]) -> Vec<String> {
    let id = |option: &Option<forge_debate::plan::OptionId>| option.as_ref().map_or("-".into(), |id| id.to_string());
    let line = |stand: &Stand| {
        let mut line = format!("{} {} {}/{}", stand.step, stand.seat, id(&stand.cast), id(&stand.counted));
        line.extend(stand.word.iter().map(|word| format!(" {word}")));
        line.extend(stand.change.iter().map(|change| match change {
            Merit::Earned => " earned",
            Merit::Unearned => " unearned",
        }));
        line
    };
    stands.iter().map(line).collect()
}

fn edges(course: &Course) -> Vec<String> {
    course.challenges.iter().map(|edge| format!("{}>{}: {}", edge.from, edge.to, edge.text)).collect()
}

#[test]
fn judges_stand_where_they_vote_and_count_where_the_vote_was_earned() {
    let plan = world::plan("judges");
    let cite = |who: &str, of: &str| format!("{}.a1", peer(&plan, who, of));
    let found = course(
        &plan,
        vec![
            says(judges::OPENING, 1, "risk", vote(&seat("risk"), "A")),
            says(judges::OPENING, 1, "value", vote(&seat("value"), "B")),
            says(judges::OPENING, 1, "effort", vote(&seat("effort"), "C")),
            says(judges::CHALLENGE, 2, "risk", vote(&seat("risk"), "A")),
            says(judges::CHALLENGE, 2, "value", vote(&seat("value"), "A")),
            says(
                judges::CHALLENGE,
                2,
                "effort",
                with(vote(&seat("effort"), "B"), "convinced_by", [cite("effort", "value")]),
            ),
            says(judges::CHALLENGE, 3, "value", vote(&seat("value"), "A")),
        ],
    );
    assert_eq!(
        drawn(&found.stands),
        [
            "0 risk A/A",
            "0 value B/B",
            "0 effort C/C",
            "1 risk A/A",
            "1 value A/B unearned",
            "1 effort B/B earned",
            // Saying it again is no second change.
            "2 value A/B",
        ]
    );
}

#[test]
fn challenges_lead_back_to_the_seats_behind_the_names_and_unknown_names_are_dropped() {
    let plan = world::plan("judges");
    let to = |who: &str| fields! { "to": who, "text": format!("not so, {who}") };
    let (value, effort) = (peer(&plan, "risk", "value"), peer(&plan, "risk", "effort"));
    let challenges = vec![to(&effort), to("S9"), to("risk"), to(&value)];
    let ballot = with(vote(&seat("risk"), "A"), "challenges", challenges);
    let found = course(&plan, vec![says(judges::CHALLENGE, 2, "risk", ballot)]);
    assert_eq!(edges(&found), [format!("risk>effort: not so, {effort}"), format!("risk>value: not so, {value}")]);
    assert_eq!((found.challenges[0].stage, found.challenges[0].round), (judges::CHALLENGE, 2));
}

#[test]
fn a_panel_stands_by_positions_and_responses_and_not_by_polls_documents_and_reviews() {
    let plan = small_panel(2);
    let found = course(
        &plan,
        vec![
            says(panel::POSITION, 0, "ceo", vote(&seat("ceo"), "B")),
            says(panel::POSITION, 0, "contrarian", vote(&seat("contrarian"), "A")),
            says(panel::POSITION, 0, "moonshot", vote(&seat("moonshot"), "A")),
            says(panel::RESPONSE, 1, "ceo", vote(&seat("ceo"), "B")),
            says(panel::REFEREE, 2, "referee", fields! { "ruling": "continue", "reason": "goes on" }),
            says(panel::POLL, 2, "ceo", fields! { "converge": true, "reason": "enough" }),
            // The writer names what the others chose; that is no flip of its own.
            says(panel::SYNTHESIS, 0, "ceo", vote(&seat("ceo"), "A")),
            says(panel::REVIEW, 0, "contrarian", fields! { "accurate": true, "reason": "fair" }),
            says(panel::CORRECTION, 0, "ceo", vote(&seat("ceo"), "A")),
        ],
    );
    assert_eq!(drawn(&found.stands), ["0 ceo B/B", "0 contrarian A/A", "0 moonshot A/A", "1 ceo B/B"]);
    assert_eq!(found.conformity, Conformity { pressed: 1, yielded: 0, convinced: 0 });
}

#[test]
fn officers_and_strangers_stand_nowhere() {
    let mut plan = world::plan("judges");
    for (id, duty) in [("control", Duty::Control), ("framer", Duty::Framer), ("referee", Duty::Referee)] {
        let hand = Hand::Agent("rehearsal".to_owned());
        plan.seats.push(Seat { id: seat(id), role: id.to_owned(), duty, hand, family: None, context_file: None });
    }
    let ballot = |who: &str| with(vote(&seat(who), "A"), "challenges", [fields! { "to": "S1", "text": "not so" }]);
    let found = course(
        &plan,
        ["control", "framer", "referee", "person"]
            .into_iter()
            .map(|who| says(judges::OPENING, 1, who, ballot(who)))
            .collect(),
    );
    assert_eq!(found, Course::default());
}

#[test]
fn a_lead_stands_by_options_and_challengers_by_words() {
    let plan = challenge_with(&["architect", "operator", "adversary"], 2);
    let answer =
        |to: &str, word: &str| fields! { "to": to, "answer": word, "reason": format!("{word} because of load") };
    let opens = fields! { "option": "A", "position": "Take Redis.", "reason": "speed" };
    let objects = |verdict: &str, strength: &str| {
        fields! { "verdict": verdict, "objection_strength": strength, "critique": format!("{verdict} it is") }
    };
    let answers = fields! {
        "option": "B",
        "position": "Take Memcached.",
        "answers": [
            answer(&peer(&plan, "lead", "architect"), "REJECT"),
            answer(&peer(&plan, "lead", "operator"), "ACCEPT"),
            answer("nobody", "REJECT"),
        ],
    };
    let reply =
        |word: &str| fields! { "response": word, "reason": format!("{word} so far"), "objection_strength": "strong" };
    let found = course(
        &plan,
        vec![
            says(challenge::PROBE, 0, "architect", fields! { "ready": true }),
            says(challenge::OPENING, 0, "lead", opens),
            says(challenge::CHALLENGE, 1, "architect", objects("disagree", "strong")),
            says(challenge::CHALLENGE, 1, "operator", objects("partial", "")),
            says(challenge::CHALLENGE, 1, "adversary", objects("agree", "minor")),
            says(challenge::ANSWER, 1, "lead", answers),
            says(challenge::REBUTTAL, 1, "architect", reply("MAINTAIN")),
            says(challenge::REBUTTAL, 1, "operator", reply("ACCEPT")),
            says(challenge::REBUTTAL, 2, "architect", reply("ESCALATE")),
            says(challenge::ASSUMPTIONS, 0, "lead", fields! { "why": "load", "assumption": "one region" }),
        ],
    );
    assert_eq!(
        drawn(&found.stands),
        [
            "0 lead A/A",
            "1 architect -/- disagree (strong)",
            "1 operator -/- partial",
            "1 adversary -/- agree",
            "2 lead B/B",
            "3 architect -/- MAINTAIN",
            "3 operator -/- ACCEPT earned",
            "4 architect -/- ESCALATE",
        ]
    );
    assert_eq!(
        edges(&found),
        [
            "architect>lead: disagree it is",
            "operator>lead: partial it is",
            "lead>architect: REJECT because of load",
            "architect>lead: MAINTAIN so far",
            "architect>lead: ESCALATE so far",
        ]
    );
    let rejected = Conformity { pressed: 1, ..Conformity::default() };
    assert_eq!(found.conformity, rejected, "the architect, whom the lead rejects and who maintains");
}

#[test]
fn a_strong_objection_is_a_challenge_whatever_word_stands_before_it() {
    let plan = challenge_with(&["architect"], 2);
    let ballot = fields! { "verdict": "agree", "objection_strength": "strong", "critique": "but it loses data" };
    let found = course(&plan, vec![says(challenge::CHALLENGE, 1, "architect", ballot)]);
    assert_eq!(edges(&found), ["architect>lead: but it loses data"]);
}

#[test]
fn a_gate_stands_by_its_advocate_operator_and_synthesis() {
    let plan = world::plan("gate");
    let case = |who: &str, ballot: Fields, title: &str, body: &str| {
        let mut speech = speech(ballot);
        speech.sections = vec![Section { title: title.to_owned(), body: body.to_owned(), line: 1, body_line: 2 }];
        turn(key(gate::CASE, 1, who), Contribution::Speech(speech))
    };
    let decides = fields! { "option": "B", "reason": "both" };
    for (operator, body, word, last_edge) in [
        (fields! { "recommendation": "NO-GO", "reason": "nobody is on call" }, "", "NO-GO", Some("nobody is on call")),
        (Fields::new(), "NO-GO: there is no runbook.", "NO-GO", Some("NO-GO: there is no runbook.")),
        (fields! { "recommendation": "GO", "reason": "it is staffed" }, "", "GO", None),
        (fields! { "recommendation": "CONDITIONAL", "reason": "if staffed" }, "", "CONDITIONAL", None),
    ] {
        let turns = [
            case("advocate", fields! { "option": "B", "reason": "it is fast" }, "Core Argument", "Fast."),
            case(
                "skeptic",
                fields! { "reason": "untested" },
                "Critical Questions",
                "Some.\n- Hm.\n- Who pays?\n- When?",
            ),
            case("operator", operator, "Go / No-Go Recommendation", body),
            turn(key(gate::SYNTHESIS, 1, "synthesizer"), Contribution::Speech(speech(decides.clone()))),
        ];
        let found = Course::of(world::rules(&plan), &plan, &turns.iter().collect::<Vec<_>>());
        let stands = ["0 advocate B/B".to_owned(), format!("0 operator -/- {word}"), "1 synthesizer B/B".to_owned()];
        assert_eq!(drawn(&found.stands), stands);
        let mut expected = vec!["skeptic>advocate: Who pays?".to_owned()];
        expected.extend(last_edge.map(|text| format!("operator>advocate: {text}")));
        assert_eq!(edges(&found), expected);
    }
}

/// Three judges and what they cast in rounds 1 and 2; `*` marks a vote that cites an argument of the seat before.
fn two_rounds(written: [[&str; 2]; 3]) -> Ended {
    let plan = world::plan("judges");
    let seats = ["risk", "value", "effort"];
    run(&plan, Pace::Waves, |ask, _| {
        let n = seats.iter().position(|name| *name == ask.key.seat.as_str()).unwrap();
        let other = peer(&plan, seats[n], seats[(n + 2) % 3]);
        let now = written[n][usize::from(ask.key.round) - 1];
        if now == "-" {
            return world::absent(AbsenceKind::Crashed);
        }
        let mut ballot = vote(&ask.key.seat, now.trim_end_matches('*'));
        if ask.key.round > 1 {
            ballot = with(ballot, "challenges", [fields! { "to": other.as_str(), "text": "that does not hold" }]);
        }
        if now.ends_with('*') {
            ballot = with(ballot, "convinced_by", [format!("{other}.a1")]);
        }
        say(&plan, ask, "## Position\nOption A.", ballot)
    })
}

#[test]
fn a_seat_is_pressed_by_what_more_of_the_others_hold_and_yields_without_a_ground() {
    for (name, written, pressed, yielded, convinced) in [
        // Two others for two other options: nobody is pressed to either, but whoever follows one without a ground yields.
        ("all differ, nobody moves", [["A", "A"], ["B", "B"], ["C", "C"]], 0, 0, 0),
        ("all differ, one moves", [["A", "A"], ["B", "A"], ["C", "C"]], 1, 1, 0),
        ("all move in a circle", [["A", "B"], ["B", "C"], ["C", "A"]], 3, 3, 0),
        ("two judges, one yields", [["A", "A"], ["B", "A"], ["-", "-"]], 2, 1, 0),
        ("two judges, nobody moves", [["A", "A"], ["B", "B"], ["-", "-"]], 2, 0, 0),
        ("two judges, one is convinced", [["A", "A"], ["B", "A*"], ["-", "-"]], 2, 0, 1),
        ("agreed at once: nobody speaks again", [["A", ""], ["A", ""], ["B", ""]], 0, 0, 0),
        ("absent in round two", [["A", "A"], ["B", "-"], ["C", "A"]], 1, 1, 0),
    ] {
        let found = two_rounds(written).verdict.assessment.course.conformity;
        assert_eq!(found, Conformity { pressed, yielded, convinced }, "{name}");
    }
}

#[test]
fn a_move_to_what_nobody_else_holds_is_not_yielding() {
    let mut plan = world::plan("judges");
    plan.limits.rounds = 3;
    let moves = |who: &'static str, round, to| {
        let stage = if round == 1 { judges::OPENING } else { judges::CHALLENGE };
        says(stage, round, who, vote(&seat(who), to))
    };
    let apart = course(&plan, vec![moves("risk", 1, "A"), moves("value", 1, "A"), moves("risk", 2, "B")]);
    assert_eq!(apart.conformity, Conformity::default(), "no more of the others hold another option than its own");
    let third = course(
        &plan,
        vec![moves("risk", 1, "A"), moves("value", 1, "B"), moves("effort", 1, "B"), moves("risk", 2, "C")],
    );
    assert_eq!(third.conformity, Conformity { pressed: 1, yielded: 0, convinced: 0 });
}

/// A vote of the same wave was not seen, wherever it stands in the record.
#[test]
fn seats_of_one_wave_do_not_press_each_other() {
    let plan = world::plan("judges");
    let moves = |who: &'static str, round, to| {
        let stage = if round == 1 { judges::OPENING } else { judges::CHALLENGE };
        says(stage, round, who, vote(&seat(who), to))
    };
    let found = course(&plan, vec![moves("risk", 1, "A"), moves("value", 2, "B"), moves("risk", 2, "B")]);
    assert_eq!(found.conformity, Conformity::default());
}

#[test]
fn the_course_of_a_real_debate_is_in_its_verdict() {
    let ended = two_rounds([["A", "A"], ["B", "A*"], ["C", "A"]]);
    let verdict = &ended.verdict;
    assert_eq!(verdict.options(), [option("A")]);
    assert_eq!(
        drawn(&verdict.assessment.course.stands)[3..],
        ["1 risk A/A".to_owned(), "1 value A/A earned".to_owned(), "1 effort A/C unearned".to_owned()]
    );
    assert_eq!(verdict.assessment.course.challenges.len(), 3);
}
