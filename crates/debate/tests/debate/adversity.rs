//! Debates in which nobody was opposed do not pass.

use crate::ballots::{challenging, say, vote, with};
use crate::world::{self, Ended, Pace, fields, option, run, small_panel};
use forge_debate::datum::Fields;
use forge_debate::plan::Plan;
use forge_debate::protocols::{decision_ask, judges, panel};
use forge_debate::record::Ask;
use forge_debate::turn::Contribution;
use forge_debate::verdict::{Confidence, Gravity, Outcome};

/// Judges who differ, then move to A in round 2, citing each other; `challenge` makes their ballots of round 2.
fn moved(plan: &Plan, challenge: impl Fn(&Ask, Fields) -> Fields) -> Ended {
    run(plan, Pace::Waves, |ask, _| {
        let seat = &ask.key.seat;
        let own = match seat.as_str() {
            "risk" => "A",
            "value" => "B",
            _ => "C",
        };
        if ask.key.round == 1 {
            return judge_says(plan, ask, vote(seat, own));
        }
        let cites: Vec<String> = ["S1.a1", "S2.a1"].map(str::to_owned).to_vec();
        judge_says(plan, ask, challenge(ask, with(vote(seat, "A"), "convinced_by", cites)))
    })
}

fn judge_says(plan: &Plan, ask: &Ask, ballot: Fields) -> Contribution {
    say(
        plan,
        ask,
        "## Assessment\nSeen.\n## Recommendation\nOption A.\n## Challenges\nNone.\n## Position\nOption A.",
        ballot,
    )
}

#[test]
fn judges_who_agree_in_a_round_without_a_challenge_leave_it_to_a_person() {
    let plan = world::plan("judges");
    let silent = moved(&plan, |_, ballot| ballot).verdict;
    assert_eq!((silent.outcome(), silent.confidence()), (Outcome::Contested, Confidence::RequiresInput));
    assert_eq!(silent.options(), []);
    let [finding] = silent.ruling.findings.as_slice() else { panic!("{:?}", silent.ruling.findings) };
    assert_eq!((finding.gravity, finding.file.as_str(), finding.line), (Gravity::Blocks, "risk-r2.md", None));
    let said = "round 2: nobody challenged anybody; at least one of risk, value, effort should name another speaker in \"challenges\"";
    assert_eq!((finding.fact.code, finding.fact.sentence()), ("nobody_challenged", said));
    let note =
        "round 2: nobody challenged anybody, so the agreement on A (Redis) was never tested; a person must decide";
    assert!(silent.ruling.notes.iter().any(|said| said.to_string() == note), "{:?}", silent.ruling.notes);
    let one_is_enough =
        |ask: &Ask, ballot| if ask.key.seat.as_str() == "effort" { challenging(ask, ballot) } else { ballot };
    let held = moved(&plan, one_is_enough).verdict;
    assert_eq!(
        (held.outcome(), held.options().to_vec(), held.ruling.findings),
        (Outcome::Consensus, vec![option("A")], vec![])
    );
}

#[test]
fn a_challenge_to_nobody_who_spoke_is_none() {
    let plan = world::plan("judges");
    for to in ["S0", "S9", "nobody", "me", ""] {
        let challenge =
            |_: &Ask, ballot| with(ballot, "challenges", [fields! { "to": to, "text": "it does not hold" }]);
        // An empty name keeps the list out of the ballot altogether.
        assert_eq!(moved(&plan, challenge).verdict.outcome(), Outcome::Contested, "{to:?}");
    }
}

#[test]
fn agreement_in_the_blind_round_owes_nobody_a_challenge() {
    let plan = world::plan("judges");
    let verdict = run(&plan, Pace::Waves, |ask, _| judge_says(&plan, ask, vote(&ask.key.seat, "A"))).verdict;
    assert_eq!((verdict.outcome(), verdict.ruling.rounds, verdict.ruling.findings), (Outcome::Consensus, 1, vec![]));
}

#[test]
fn a_person_can_decide_what_nobody_challenged() {
    let plan = world::plan("judges");
    let mut turns = moved(&plan, |_, ballot| ballot).turns;
    let ask = decision_ask();
    let ballot = fields! { "option": "A", "by": "Ada", "because": "we asked around" };
    turns.insert(ask.key.clone(), world::turn(ask.key.clone(), say(&plan, &ask, "", ballot)));
    let verdict = world::pass(&plan, &turns).unwrap().verdict;
    assert_eq!((verdict.outcome(), verdict.options().to_vec()), (Outcome::Decided, vec![option("A")]));
    let gravities: Vec<Gravity> = verdict.ruling.findings.iter().map(|finding| finding.gravity).collect();
    assert_eq!(gravities, [Gravity::Warns], "it is still said, and no longer in the way");
}

/// A small panel that holds A; `challenges` says who challenges in which round.
fn panel_held(plan: &Plan, challenges: impl Fn(&Ask) -> bool) -> Ended {
    const TEXT: &str = "## Position\nOption A.\n## Moonshot\nAll of it.\n## Stepping Stone\nA part.\n## Chosen Approach\nOption A.\n\
        ## Rejected Alternatives\nB.\n## Dissents\nNone.\n## Risk Register\n- A node dies.\n## Confidence\nLOW.";
    run(plan, Pace::Waves, |ask, _| {
        let ballot = match ask.key.stage {
            panel::REFEREE => fields! { "ruling": "continue", "reason": "new arguments still come" },
            panel::REVIEW => fields! { "accurate": true, "reason": "it says what I said" },
            panel::RESPONSE if challenges(ask) => challenging(ask, vote(&ask.key.seat, "A")),
            _ => vote(&ask.key.seat, "A"),
        };
        say(plan, ask, TEXT, ballot)
    })
}

#[test]
fn a_panel_in_which_a_round_has_no_challenge_decides_nothing() {
    let plan = small_panel(2);
    let held = panel_held(&plan, |ask| ask.key.seat.as_str() == "contrarian").verdict;
    assert_eq!(
        (held.outcome(), held.options().to_vec(), held.ruling.findings),
        (Outcome::Decided, vec![option("A")], vec![])
    );
    let silent = panel_held(&plan, |ask| ask.key.round == 1).verdict;
    assert_eq!((silent.outcome(), silent.options().to_vec()), (Outcome::Contested, vec![]));
    let found: Vec<(&str, bool)> = silent
        .ruling
        .findings
        .iter()
        .map(|f| (&*f.file, f.fact.sentence().starts_with("round 2: nobody challenged anybody")))
        .collect();
    assert_eq!(found, [("rounds/r02-ceo.md", true)]);
    let never = panel_held(&plan, |_| false).verdict;
    assert_eq!(never.ruling.findings.len(), 2, "each silent round is named");
}

/// What a round lacks is about rounds after the blind one, and about several speakers.
#[test]
fn one_judge_left_alone_has_nobody_to_challenge() {
    let plan = world::plan("judges");
    let ended = run(&plan, Pace::Waves, |ask, _| match (ask.key.round, ask.key.seat.as_str()) {
        (2, "risk" | "value") => world::absent(forge_debate::turn::AbsenceKind::Crashed),
        (_, "risk") => judge_says(&plan, ask, vote(&ask.key.seat, "B")),
        (_, "value") => judge_says(&plan, ask, vote(&ask.key.seat, "C")),
        _ => judge_says(&plan, ask, vote(&ask.key.seat, "A")),
    });
    assert_eq!((ended.verdict.outcome(), ended.verdict.ruling.findings), (Outcome::Insufficient, vec![]));
    assert_eq!(ended.waves[1][0].key.stage, judges::CHALLENGE);
}
