//! The panel: rounds, polls, the referee, the synthesis and its reviews.

use crate::ballots::{challenging, say, vote, with};
use crate::world::{self, Ended, Pace, absent, fields, option, plan_with_roster, run, seat};
use forge_debate::anonymity::Speakers;
use forge_debate::cost;
use forge_debate::datum::{Datum, Fields};
use forge_debate::plan::Plan;
use forge_debate::protocols;
use forge_debate::protocols::panel::{
    CORRECTION, POLL, POSITION, RECHECK, REFEREE, RESPONSE, REVIEW, SYNTHESIS, rosters,
};
use forge_debate::record::{Ask, Reads};
use forge_debate::turn::AbsenceKind;
use forge_debate::verdict::{Confidence, Contest, Outcome};
use forge_debate::voting::Merit;

const BOARD: [&str; 6] = ["ceo", "cto", "cfo", "coo", "contrarian", "moonshot"];

fn board(rounds: u16) -> Plan {
    let mut plan = plan_with_roster("panel", Some("board"));
    plan.limits.rounds = rounds;
    plan
}

/// What every seat says unless a test says otherwise: the first four for A, the contrarian and the moonshot for B.
fn usual(ask: &Ask) -> Fields {
    let who = &ask.key.seat;
    let own = if ["contrarian", "moonshot"].contains(&who.as_str()) { "B" } else { "A" };
    match ask.key.stage {
        POLL => fields! { "converge": false, "reason": "another round is worth it" },
        REFEREE => fields! { "ruling": "continue", "reason": "new arguments still come" },
        REVIEW | RECHECK => fields! { "accurate": true, "reason": "it says what I said" },
        SYNTHESIS | CORRECTION => vote(who, "A"),
        RESPONSE => challenging(ask, vote(who, own)),
        _ => vote(who, own),
    }
}

const TEXT: &str = "## Position\nOption A.\n## Moonshot\nOne store for everything.\n## Stepping Stone\nSessions first.\n\
    ## Chosen Approach\nOption A.\n## Dissents\nceo, cto, cfo, coo, contrarian, moonshot.\n## Rejected Alternatives\nOption B costs more.\n## Risk Register\n- A node dies.\n## Confidence\nMEDIUM.";

/// A panel in which `change` makes of the usual ballot what the test wants; `None` is an absence.
fn held(plan: &Plan, change: impl Fn(&Ask, Fields) -> Option<Fields>) -> Ended {
    run(plan, Pace::Waves, |ask, _| match change(ask, usual(ask)) {
        Some(ballot) => say(plan, ask, TEXT, ballot),
        None => absent(AbsenceKind::Crashed),
    })
}

fn is(ask: &Ask, seats: &[&str]) -> bool {
    seats.contains(&ask.key.seat.as_str())
}

// seed: S2-1, S2-2, S2-5, S2-9, S2-3
#[test]
fn positions_are_blind_and_responses_read_the_latest_of_every_seat() {
    let ended = held(&board(2), |_, ballot| Some(ballot));
    assert_eq!(ended.seats_asked(POSITION, 0), BOARD);
    for ask in ended.asked() {
        match (ask.key.stage, &ask.reads) {
            (POSITION, reads) => assert_eq!(*reads, Reads::Blind),
            (RESPONSE, Reads::Peers { others, own }) => {
                assert_eq!((others.len(), own.len()), (5, 1));
                assert!(others.iter().chain(own).all(|key| key.round == ask.key.round - 1), "{}", ask.key);
            }
            (RESPONSE, reads) => panic!("{}: {reads:?}", ask.key),
            _ => {}
        }
    }
}

// seed: S2-9, S2-50
#[test]
fn without_a_wish_to_converge_the_rounds_go_on_to_the_last() {
    for rounds in [2, 3, 10] {
        let ended = held(&board(rounds), |_, ballot| Some(ballot));
        assert_eq!((ended.verdict.ruling.rounds, ended.asked_in(POLL)), (rounds, 0));
        assert_eq!(
            (ended.verdict.outcome(), &ended.verdict.options().to_vec()),
            (Outcome::Decided, &vec![option("A")])
        );
    }
}

// seed: S2-7
#[test]
fn a_panel_holds_two_rounds_even_where_the_plan_wants_fewer() {
    assert_eq!(held(&board(1), |_, ballot| Some(ballot)).verdict.ruling.rounds, 2);
}

// seed: S2-48
#[test]
fn no_poll_is_held_before_round_two() {
    let ended = held(&board(10), |ask, ballot| match ask.key.stage {
        RESPONSE | POLL => Some(with(ballot, "converge", true)),
        _ => Some(ballot),
    });
    assert_eq!((ended.seats_asked(POLL, 1).len(), ended.seats_asked(POLL, 2)), (0, BOARD.to_vec()));
    assert_eq!(ended.verdict.ruling.rounds, 2);
}

// seed: S2-47
#[test]
fn a_poll_follows_exactly_the_rounds_in_which_someone_asked() {
    let ended = held(&board(6), |ask, ballot| match (ask.key.stage, ask.key.round, ask.key.seat.as_str()) {
        (RESPONSE, 1 | 3 | 5 | 6, "cfo") => Some(with(ballot, "converge", true)),
        _ => Some(ballot),
    });
    let polled: Vec<u16> = (1..=6).filter(|round| !ended.seats_asked(POLL, *round).is_empty()).collect();
    assert_eq!(polled, [3, 5], "not before round two, and not after the last round, where there is nothing to end");
    assert_eq!(ended.verdict.ruling.rounds, 6);
}

// seed: S2-48, S2-49, S2-50
#[test]
fn two_thirds_of_the_active_seats_end_the_rounds_and_silence_is_not_a_yes() {
    for (yes, silent, rounds) in [(6, 0, 2), (4, 0, 2), (3, 0, 4), (4, 2, 2), (3, 3, 4), (0, 6, 4)] {
        let ended = held(&board(4), |ask, ballot| {
            let n = BOARD.iter().position(|name| *name == ask.key.seat.as_str()).unwrap_or(0);
            match ask.key.stage {
                RESPONSE if n == 0 => Some(with(ballot, "converge", true)),
                POLL if n >= 6 - silent => None,
                POLL => Some(with(ballot, "converge", n < yes)),
                _ => Some(ballot),
            }
        });
        assert_eq!(ended.verdict.ruling.rounds, rounds, "{yes} yes, {silent} silent");
    }
}

#[test]
fn the_seats_that_count_in_a_poll_are_those_that_gave_a_position() {
    let ended = held(&board(4), |ask, ballot| match ask.key.stage {
        POSITION if is(ask, &["coo", "cfo"]) => None,
        RESPONSE => Some(with(ballot, "converge", true)),
        // Three of four active seats, but only half of the six.
        POLL => Some(with(ballot, "converge", !is(ask, &["ceo"]))),
        _ => Some(ballot),
    });
    assert_eq!((ended.seats_asked(POLL, 2).len(), ended.verdict.ruling.rounds), (4, 2));
}

// seed: S2-10, S2-12
#[test]
fn the_referee_is_asked_after_each_round_from_the_second_on() {
    let ended = held(&board(4), |_, ballot| Some(ballot));
    let asked: Vec<u16> =
        ended.asked().iter().filter(|ask| ask.key.stage == REFEREE).map(|ask| ask.key.round).collect();
    assert_eq!(asked, [2, 3, 4]);
    for ask in ended.asked().into_iter().filter(|ask| ask.key.stage == REFEREE) {
        let read: Vec<u16> = ask.reads.keys().iter().map(|key| key.round).collect();
        assert!(read.iter().all(|round| *round == ask.key.round || *round + 1 == ask.key.round), "{read:?}");
        assert!(ask.facts.text("repeated").contains('%'), "{:?}", ask.facts);
    }
}

// seed: S2-13, S2-14
#[test]
fn a_referee_may_halt_or_escalate_and_its_absence_changes_nothing() {
    for (ruling, rounds, outcome, note) in [
        (Some("continue"), 4, Outcome::Decided, ""),
        (Some("halt"), 3, Outcome::Decided, "the referee halted the rounds: they only repeat themselves"),
        (Some("escalate"), 3, Outcome::Contested, ""),
        (None, 4, Outcome::Decided, "referee (referee, round 3) crashed"),
    ] {
        let ended = held(&board(4), |ask, ballot| match (ask.key.stage, ask.key.round) {
            (REFEREE, 3) => {
                ruling.map(|word| with(with(ballot, "ruling", word), "reason", "they only repeat themselves"))
            }
            _ => Some(ballot),
        });
        assert_eq!((ended.verdict.ruling.rounds, ended.verdict.outcome()), (rounds, outcome), "{ruling:?}");
        assert!(note.is_empty() || ended.has_note(note), "{ruling:?}: {:?}", ended.verdict.ruling.notes);
        let escalated = Contest::Escalated("they only repeat themselves".to_owned());
        assert_eq!(ended.verdict.ruling.contest, (ruling == Some("escalate")).then_some(escalated));
        assert!(!ended.verdict.ruling.is_degraded(), "a referee argues nothing");
        assert_eq!(ended.asked_in(SYNTHESIS), 1, "{ruling:?}: there is a synthesis with dissents in any case");
        assert!(!ended.verdict.ruling.dissents.is_empty());
    }
}

#[test]
fn two_thirds_of_the_seats_are_a_quorum_for_positions() {
    for (missing, outcome) in [(&["cto", "cfo"][..], Outcome::Decided), (&["cto", "cfo", "coo"], Outcome::Insufficient)]
    {
        let ended = held(&board(2), |ask, ballot| (ask.key.stage != POSITION || !is(ask, missing)).then_some(ballot));
        let verdict = &ended.verdict;
        assert!(verdict.ruling.is_degraded() && verdict.ruling.missing.len() == missing.len());
        if outcome == Outcome::Insufficient {
            assert_eq!((verdict.outcome(), verdict.ruling.rounds, ended.asked_in(RESPONSE)), (outcome, 0, 0));
        } else {
            assert_ne!(verdict.outcome(), Outcome::Insufficient);
            assert_eq!(
                ended.seats_asked(RESPONSE, 1),
                ["ceo", "coo", "contrarian", "moonshot"],
                "who gave no position is out"
            );
        }
    }
}

#[test]
fn two_thirds_of_the_seats_are_a_quorum_in_every_round() {
    for (missing, outcome, rounds) in
        [(&["cto", "cfo"][..], Outcome::Decided, 3), (&["cto", "cfo", "coo"], Outcome::Insufficient, 2)]
    {
        let gone = |ask: &Ask| ask.key.stage == RESPONSE && ask.key.round == 2 && is(ask, missing);
        let ended = held(&board(3), |ask, ballot| (!gone(ask)).then_some(ballot));
        assert_eq!((ended.verdict.outcome(), ended.verdict.ruling.rounds), (outcome, rounds));
        assert!(ended.verdict.ruling.is_degraded());
        if rounds == 3 {
            assert_eq!(ended.seats_asked(RESPONSE, 3), BOARD, "one missed round does not end a seat's part");
        }
    }
}

#[test]
fn the_seats_decide_and_a_synthesis_that_chooses_otherwise_is_contested() {
    let ended = held(&board(2), |ask, ballot| match ask.key.stage {
        SYNTHESIS => Some(vote(&ask.key.seat, "B")),
        _ => Some(ballot),
    });
    assert_eq!((ended.verdict.outcome(), &ended.verdict.options().to_vec()), (Outcome::Contested, &vec![]));
    let other = Contest::OtherName { named: Some(option("B")), chosen: option("A") };
    assert_eq!(ended.verdict.ruling.contest, Some(other));
}

#[test]
fn without_a_majority_of_the_seats_the_debate_is_contested() {
    let ended = held(&board(2), |ask, ballot| match ask.key.stage {
        POSITION | RESPONSE => Some(vote(&ask.key.seat, if is(ask, &BOARD[..3]) { "A" } else { "B" })),
        _ => Some(ballot),
    });
    assert_eq!((ended.verdict.outcome(), ended.verdict.ruling.contest), (Outcome::Contested, Some(Contest::NoWinner)));
}

#[test]
fn a_synthesis_that_never_comes_leaves_the_debate_contested_and_nobody_reviews_it() {
    let ended = held(&board(2), |ask, ballot| (ask.key.stage != SYNTHESIS).then_some(ballot));
    assert_eq!((ended.asked_in(REVIEW), ended.asked_in(CORRECTION)), (0, 0));
    let verdict = &ended.verdict;
    assert_eq!((verdict.outcome(), &verdict.ruling.contest), (Outcome::Contested, &Some(Contest::NoSynthesis)));
    assert!(verdict.ruling.is_degraded() && verdict.ruling.votes().len() == 6, "the votes are kept");
}

/// Without the one who asks whether we are sure, or the one who aims higher, nothing is decided, however many votes there are.
#[test]
fn a_panel_does_not_decide_without_its_contrarian_and_its_moonshot() {
    for (silent, stages, rounds, contest) in [
        (&["contrarian"][..], &[POSITION][..], 0..=0, true),
        (&["moonshot"], &[POSITION], 0..=0, true),
        (&["contrarian", "moonshot"], &[POSITION], 0..=0, true),
        (&["contrarian"], &[RESPONSE], 1..=3, true),
        (&["moonshot"], &[RESPONSE], 1..=3, true),
        (&["contrarian"], &[RESPONSE], 1..=2, false),
        (&["contrarian", "moonshot"], &[RESPONSE], 2..=3, false),
        (&["cfo"], &[POSITION], 0..=0, false),
        (&["contrarian", "moonshot"], &[REVIEW, POLL], 0..=3, false),
    ] {
        let ended = held(&board(3), |ask, ballot| {
            let is_silent = is(ask, silent) && stages.contains(&ask.key.stage) && rounds.contains(&ask.key.round);
            (!is_silent).then_some(ballot)
        });
        let verdict = &ended.verdict;
        let expected = contest.then(|| Contest::Silent(silent.iter().map(|id| seat(id)).collect()));
        assert_eq!(verdict.ruling.contest, expected, "{silent:?} silent in {stages:?} {rounds:?}");
        assert_eq!(verdict.outcome() == Outcome::Decided, !contest, "{silent:?} silent in {stages:?} {rounds:?}");
    }
}

#[test]
fn a_seat_that_is_silent_in_a_later_round_keeps_its_seat_and_its_last_vote() {
    let ended = held(&board(3), |ask, ballot| {
        (!(is(ask, &["cto"]) && ask.key.stage == RESPONSE && ask.key.round == 2)).then_some(ballot)
    });
    assert_eq!(ended.seats_asked(RESPONSE, 3), BOARD);
    let silent = held(&board(2), |ask, ballot| (!(is(ask, &["cto"]) && ask.key.stage == RESPONSE)).then_some(ballot));
    let vote = silent.verdict.ruling.votes().iter().find(|vote| vote.seat == seat("cto")).unwrap();
    assert_eq!(vote.counted, option("A"));
    assert_eq!(silent.verdict.outcome(), Outcome::Decided);
}

/// Each part that the seed calls for is required, and each is asked for by name.
#[test]
fn a_synthesis_without_one_of_its_parts_is_not_in_form() {
    let plan = board(2);
    let ended = held(&plan, |_, ballot| Some(ballot));
    let ask = ended.asked().into_iter().find(|ask| ask.key.stage == SYNTHESIS).unwrap();
    let read = |text: &str| {
        let draft = crate::ballots::draft(text, Some(vote(&ask.key.seat, "A")));
        ask.form.read(&plan, &ask.key.seat, &draft, forge_debate::form::Writer::Agent)
    };
    let parts = [
        ("Chosen Approach", "Option A, for its price."),
        ("Rejected Alternatives", "Option B costs more."),
        ("Dissents", "- Contrarian: not yet.\n- **moonshot**: aim higher."),
        ("Risk Register", "| Risk | Owner |\n|---|---|\n| A node dies | ops |"),
        ("Confidence", "MEDIUM"),
    ];
    let text = |left_out: &str| -> String {
        let kept = parts.iter().filter(|(title, _)| *title != left_out);
        kept.map(|(title, body)| format!("## {title}\n{body}\n")).collect()
    };
    assert!(read(&text("")).is_whole(), "{:?}", read(&text("")).defects);
    for (title, _) in parts {
        let reading = read(&text(title));
        assert!(reading.speech.is_none(), "a synthesis without {title} is taken");
        assert!(reading.required().iter().any(|line| line.contains(title)), "{title}: {:?}", reading.required());
        let blank = text(title) + &format!("## {title}\nTBD\n");
        assert!(read(&blank).speech.is_none() || title == "Dissents", "{title} that is not written is taken");
    }
    // What is missing is named all at once.
    assert_eq!(read("Nothing of it.").required().len(), 5 + 2, "{:?}", read("Nothing of it.").required());
    // A labelled line is a confidence too.
    let mut draft = crate::ballots::draft(&text("Confidence"), Some(vote(&ask.key.seat, "A")));
    draft.labels.push(("Confidence".to_owned(), "LOW".to_owned()));
    assert!(ask.form.read(&plan, &ask.key.seat, &draft, forge_debate::form::Writer::Agent).is_whole());
}

/// A role is named by whole words: no other word that holds its letters, and no other section.
#[test]
fn a_dissent_is_kept_only_where_its_role_is_named_among_the_dissents() {
    let plan = board(2);
    let ended = held(&plan, |ask, ballot| match ask.key.stage {
        RESPONSE if is(ask, &["cto"]) => Some(with(ballot, "dissent", "the cost is not counted")),
        _ => Some(ballot),
    });
    let ask = ended.asked().into_iter().find(|ask| ask.key.stage == SYNTHESIS).unwrap();
    for (dissents, kept) in [
        ("contrarian, moonshot and cto hold otherwise", true),
        ("CTO, Contrarian, Moonshot.", true),
        ("contrarian and moonshot: Refactor first.", false),
        ("The contrarian, the moonshot, the director and the vector.", false),
        ("None.", false),
    ] {
        let text = format!(
            "The cto spoke.\n## Chosen Approach\nOption A, says the cto.\n## Rejected Alternatives\nB.\n## Dissents\n{dissents}\n## Risk Register\n- cto leaves.\n## Confidence\nLOW"
        );
        let draft = crate::ballots::draft(&text, Some(vote(&ask.key.seat, "A")));
        let reading = ask.form.read(&plan, &ask.key.seat, &draft, forge_debate::form::Writer::Agent);
        assert_eq!(reading.speech.is_some(), kept, "{dissents:?}: {:?}", reading.defects);
    }
}

#[test]
fn a_unanimous_panel_may_write_that_there_are_no_dissents() {
    let plan = board(2);
    let ended = held(&plan, |ask, ballot| match ask.key.stage {
        POSITION => Some(vote(&ask.key.seat, "A")),
        RESPONSE => Some(challenging(ask, vote(&ask.key.seat, "A"))),
        _ => Some(ballot),
    });
    let ask = ended.asked().into_iter().find(|ask| ask.key.stage == SYNTHESIS).unwrap();
    let text = "## Chosen Approach\nOption A.\n## Rejected Alternatives\nB.\n## Dissents\nNone.\n## Risk Register\n- A node dies.\n## Confidence\nLOW";
    let draft = crate::ballots::draft(text, Some(vote(&ask.key.seat, "A")));
    let reading = ask.form.read(&plan, &ask.key.seat, &draft, forge_debate::form::Writer::Agent);
    assert!(reading.is_whole(), "{:?}", reading.defects);
}

/// A review as (accurate, misrepresented).
fn reviewed(first: (bool, &'static str), again: (bool, &'static str)) -> Ended {
    held(&board(2), |ask, ballot| {
        let (accurate, what) = match ask.key.stage {
            REVIEW if is(ask, &["contrarian"]) => first,
            RECHECK if is(ask, &["contrarian"]) => again,
            _ => return Some(ballot),
        };
        Some(with(with(ballot, "accurate", accurate), "misrepresented", what))
    })
}

// seed: S2-23, S2-24
#[test]
fn a_misrepresented_dissent_opens_exactly_one_correction_round() {
    let wrong = "I said the opposite of what it says.";
    for (first, again, corrections, noted) in [
        ((true, ""), (true, ""), 0, false),
        ((false, wrong), (true, ""), 1, false),
        ((false, wrong), (false, wrong), 1, true),
        ((false, ""), (true, ""), 0, false),
        ((false, "None."), (true, ""), 0, false),
        ((true, wrong), (true, ""), 0, false),
    ] {
        let ended = reviewed(first, again);
        assert_eq!(ended.asked_in(CORRECTION), corrections, "{first:?}");
        assert_eq!(ended.asked_in(REVIEW), 5, "{first:?}: everyone but the writer reviews");
        for ask in ended.asked().into_iter().filter(|ask| ask.key.stage == REVIEW) {
            let read: Vec<String> = ask.reads.keys().iter().map(|key| key.slug()).collect();
            let own = format!("response-r2-{}", ask.key.seat);
            assert_eq!(read, ["synthesis-r0-ceo".to_owned(), own], "{}", ask.key);
        }
        assert_eq!(ended.asked_in(RECHECK), 5 * corrections, "{first:?}");
        assert_eq!(
            ended.has_note("1 seat finds its dissent misrepresented, still, after the correction"),
            noted,
            "{again:?}"
        );
        assert_eq!(ended.verdict.outcome(), Outcome::Decided);
    }
}

#[test]
fn a_reviewer_who_is_silent_after_the_correction_still_objects() {
    let wrong = "I said the opposite of what it says.";
    let ended = held(&board(2), |ask, ballot| match ask.key.stage {
        REVIEW if is(ask, &["contrarian"]) => Some(with(with(ballot, "accurate", false), "misrepresented", wrong)),
        RECHECK if is(ask, &["contrarian"]) => None,
        _ => Some(ballot),
    });
    assert!(ended.has_note("1 seat finds its dissent misrepresented, still, after the correction"));
}

#[test]
fn the_writer_is_shown_no_dissent_that_says_none() {
    let ended = held(&board(3), |ask, ballot| match (ask.key.stage, ask.key.round, ask.key.seat.as_str()) {
        (RESPONSE, 1, "coo") => Some(with(ballot, "dissent", "None.")),
        (RESPONSE, 1, "cfo") => Some(with(ballot, "dissent", "I dissent: failover loses writes.")),
        _ => Some(ballot),
    });
    let ask = ended.asked().into_iter().find(|ask| ask.key.stage == SYNTHESIS).unwrap();
    let of_first: Vec<String> = ask
        .reads
        .keys()
        .into_iter()
        .filter(|key| key.stage == RESPONSE && key.round == 1)
        .map(|key| key.slug())
        .collect();
    assert_eq!(of_first, ["response-r1-cfo"]);
}

#[test]
fn a_correction_reads_the_synthesis_and_the_objections_and_nothing_else() {
    let ended = reviewed((false, "I said the opposite of what it says."), (true, ""));
    let ask = ended.asked().into_iter().find(|ask| ask.key.stage == CORRECTION).unwrap();
    let read: Vec<String> = ask.reads.keys().iter().map(|key| key.slug()).collect();
    assert_eq!(read, ["synthesis-r0-ceo", "review-r0-contrarian"]);
}

#[test]
fn the_corrected_synthesis_is_the_one_that_counts_and_the_first_where_it_never_came() {
    for (corrected, outcome) in
        [(Some("A"), Outcome::Decided), (Some("C"), Outcome::Contested), (None, Outcome::Decided)]
    {
        let ended = held(&board(2), |ask, ballot| match ask.key.stage {
            REVIEW => Some(with(with(ballot, "accurate", false), "misrepresented", "my dissent is not there")),
            CORRECTION => corrected.map(|id| vote(&ask.key.seat, id)),
            _ => Some(ballot),
        });
        assert_eq!(ended.verdict.outcome(), outcome, "{corrected:?}");
        let recheck = ended.asked().into_iter().find(|ask| ask.key.stage == RECHECK);
        let read = recheck.map(|ask| ask.reads.keys()[0].stage);
        assert_eq!(read, corrected.map(|_| CORRECTION), "nobody is asked twice about one text");
        let objects = ended.has_note("5 seats find their dissent misrepresented, and the correction did not come");
        assert_eq!(objects, corrected.is_none(), "what was objected stands");
    }
}

// seed: S2-22, S2-43
#[test]
fn dissents_are_kept_word_for_word() {
    let formal = "I dissent:  \"failover\" — 2 % of writes,\nlost; *never* agreed.";
    let ended = held(&board(3), |ask, ballot| match (ask.key.stage, ask.key.round, ask.key.seat.as_str()) {
        (RESPONSE, 2, "cfo") => Some(with(ballot, "dissent", formal)),
        (RESPONSE, _, "coo") => Some(with(ballot, "dissent", "None.")),
        _ => Some(ballot),
    });
    let kept: Vec<(&str, &str)> =
        ended.verdict.ruling.dissents.iter().map(|d| (d.seat.as_str(), d.text.as_str())).collect();
    assert_eq!(
        kept,
        [
            ("cfo", formal),
            ("contrarian", "contrarian measured B and found its latency halved"),
            ("moonshot", "moonshot measured B and found its latency halved"),
        ]
    );
}

// seed: S2-44
#[test]
fn an_earned_change_moves_the_majority_and_an_unearned_one_does_not() {
    let plan = board(2);
    for (cites, outcome) in [(true, Outcome::Decided), (false, Outcome::Contested)] {
        let ended = held(&plan, |ask, ballot| match (ask.key.stage, ask.key.seat.as_str()) {
            (RESPONSE, "cto") if ask.key.round == 2 && cites => {
                let peer = Speakers::of(&plan, &ask.key.seat).prefix(&seat("contrarian"));
                Some(with(vote(&ask.key.seat, "B"), "convinced_by", [format!("{peer}.a1")]))
            }
            (RESPONSE, "cto") if ask.key.round == 2 => Some(vote(&ask.key.seat, "B")),
            (POSITION | RESPONSE, "coo") => Some(vote(&ask.key.seat, "B")),
            (SYNTHESIS, _) => Some(vote(&ask.key.seat, "B")),
            _ => Some(ballot),
        });
        assert_eq!(ended.verdict.outcome(), outcome, "{:?}", ended.verdict.ruling.notes);
        assert!(
            !ended.has_note("cto moved from A to B"),
            "the change itself says it: {:?}",
            ended.verdict.ruling.notes
        );
        let [change] = ended.verdict.ruling.changes() else { panic!("{:?}", ended.verdict.ruling.changes()) };
        assert_eq!(change.merit == Merit::Earned, cites);
    }
}

// seed: S2-15
#[test]
fn the_plan_names_the_synthesizer_and_else_the_seeds_do() {
    for (roster, named, absent_seat, writer) in [
        ("board", None, None, "ceo"),
        ("board", Some("cfo"), None, "cfo"),
        ("board", Some("cfo"), Some("cfo"), "ceo"),
        ("board", None, Some("ceo"), "cto"),
        ("planning-1", None, None, "software-architect"),
        ("planning-2", None, None, "lead-specialist"),
        ("planning-3", None, None, "delivery-lead"),
    ] {
        let mut plan = plan_with_roster("panel", Some(roster));
        plan.limits.rounds = 2;
        plan.synthesizer = named.map(seat);
        let ended = held(&plan, |ask, ballot| {
            (ask.key.stage != POSITION || Some(ask.key.seat.as_str()) != absent_seat).then_some(ballot)
        });
        assert_eq!(ended.seats_asked(SYNTHESIS, 0), [writer], "{roster} {named:?}");
        assert!(!ended.seats_asked(REVIEW, 0).contains(&writer), "nobody reviews its own text");
    }
}

// seed: S2-10, S2-25
#[test]
fn contrarian_and_moonshot_sit_in_every_roster_and_a_referee_watches() {
    for roster in rosters() {
        let plan = plan_with_roster("panel", Some(roster));
        let seats: Vec<&str> = plan.debaters().iter().map(|seat| seat.id.as_str()).collect();
        assert!(
            seats.contains(&"contrarian") && seats.contains(&"moonshot") && seats.len() >= 4,
            "{roster}: {seats:?}"
        );
        assert!(!seats.contains(&"referee") && plan.seat(&seat("referee")).is_some(), "{roster}");
        assert_eq!(plan.defects(), Vec::<String>::new(), "{roster}");
    }
    assert_eq!(plan_with_roster("panel", Some("board")).debaters().len(), BOARD.len());
}

// seed: S2-32, S2-39
#[test]
fn generalists_and_specialists_are_called_by_whole_words_of_the_topic() {
    let panel = protocols::newest("panel").unwrap();
    for (roster, question, called, not_called) in [
        ("planning-1", "Which cache for the cluster?", "infrastructure-engineer", "ux-lead"),
        ("planning-1", "How do users find the page?", "ux-lead", "infrastructure-engineer"),
        ("planning-1", "Which schema for events?", "data-architect", "ux-lead"),
        ("planning-2", "Rust or something else for the parser?", "rust-specialist", "go-specialist"),
        ("planning-2", "Is the goal trusted by Javanese people?", "python-specialist", "jvm-specialist"),
    ] {
        let seats: Vec<String> = panel
            .profile
            .seats(Some(roster), question)
            .unwrap()
            .into_iter()
            .map(|sketch| sketch.id.to_string())
            .collect();
        assert!(seats.iter().any(|id| id == called), "{question}: {seats:?}");
        assert!(!seats.iter().any(|id| id == not_called), "{question}: {seats:?}");
    }
}

// seed: S2-33, S2-34
#[test]
fn the_cost_table_of_a_board_of_six_has_the_seeds_calls() {
    let plan = board(10);
    let stages = (world::rules(&plan).profile.cost)(&plan);
    let row = |part: &str| {
        stages.iter().find(|stage| stage.stage.contains(part)).map(|stage| (stage.min_calls, stage.max_calls)).unwrap()
    };
    assert_eq!(row("positions"), (6, 6));
    assert_eq!(row("responses"), (12, 60));
    assert_eq!(row("synthesis").1, 12);
    assert_eq!(row("referee"), (1, 9));
    assert_eq!(row("polls"), (0, 48));
    assert_eq!(cost::total(&stages).max_calls, 6 + 60 + 48 + 9 + 12);
}

#[test]
fn a_degraded_decision_claims_less_than_its_synthesis() {
    let without =
        |stage| held(&board(2), move |ask, ballot| (ask.key.stage != stage || !is(ask, &["cto"])).then_some(ballot));
    let degraded = without(POSITION).verdict;
    assert_eq!((degraded.outcome(), degraded.confidence()), (Outcome::Decided, Confidence::Medium));
    assert_eq!(degraded.ruling.missing.len(), 1);
    let unreviewed = without(REVIEW);
    assert_eq!((unreviewed.verdict.outcome(), unreviewed.verdict.confidence()), (Outcome::Decided, Confidence::High));
    assert!(!unreviewed.verdict.ruling.is_degraded() && unreviewed.has_note("cto (review) crashed"));
}

// seed: S2-31
#[test]
fn a_moonshot_without_both_versions_is_not_in_form() {
    let plan = board(2);
    let ended = held(&plan, |_, ballot| Some(ballot));
    let spoken = |ask: &&Ask| is(ask, &["moonshot"]) && [POSITION, RESPONSE].contains(&ask.key.stage);
    let asks: Vec<&Ask> = ended.asked().into_iter().filter(spoken).collect();
    assert_eq!(asks.len(), 3, "its position and two rounds");
    for ask in asks {
        for (text, taken) in [
            ("## Moonshot\nAll of it.\n## Stepping Stone\nA part.", true),
            ("## Moonshot\nAll of it.", false),
            ("## Stepping Stone\nA part.", false),
            ("## Moonshot\nTBD\n## Stepping Stone\nA part.", false),
        ] {
            let draft = crate::ballots::draft(text, Some(usual(ask)));
            let reading = ask.form.read(&plan, &ask.key.seat, &draft, forge_debate::form::Writer::Agent);
            assert_eq!(reading.speech.is_some(), taken, "{}: {text:?}: {:?}", ask.key, reading.defects);
        }
    }
}

// seed: S2-47
#[test]
fn asking_to_converge_is_a_flag_and_not_a_word_in_the_text() {
    let ended = held(&board(4), |ask, ballot| match ask.key.stage {
        RESPONSE => Some(with(ballot, "converge", Datum::Flag(false))),
        _ => Some(ballot),
    });
    assert_eq!(ended.asked_in(POLL), 0);
}

// seed: S2-25
#[test]
fn a_panel_without_its_cross_cutting_seats_is_unsound() {
    for name in ["contrarian", "moonshot"] {
        let mut plan = board(2);
        plan.seats.retain(|seat| seat.id.as_str() != name);
        assert!(plan.defects().iter().any(|defect| defect.contains(name)), "{name}");
    }
    let mut plan = board(2);
    plan.synthesizer = Some(seat("stranger"));
    assert!(plan.defects().iter().any(|defect| defect.contains("stranger")));
}

/// What an outside writer's memo votes, as the position's form reads it.
fn memo(labels: [&str; 3], text: &str) -> Result<(String, usize), Vec<String>> {
    let mut plan = board(2);
    for (option, label) in plan.options.iter_mut().zip(labels) {
        option.label = label.to_owned();
    }
    let ask = world::pass(&plan, &world::Turns::new()).unwrap_err().into_iter().find(|ask| is(ask, &["cfo"])).unwrap();
    let draft = crate::ballots::draft(text, None);
    let reading = ask.form.read(&plan, &ask.key.seat, &draft, forge_debate::form::Writer::Outside);
    let musts = reading.required();
    reading.speech.map(|speech| (speech.ballot.text("option").to_owned(), speech.arguments().len())).ok_or(musts)
}

// seed: S2-2
#[test]
fn positions_in_the_style_of_a_memo_count() {
    const BOARD_OPTIONS: [&str; 3] = ["Approve", "Reject", "Conditional"];
    let body = "REASONING:\n- It costs twice what the brief says.\n- Nobody owns the migration afterwards.\n\nSCOPE BOUNDARY:\nIN: the parser\nOUT: the editor\n\nRISKS:\n- The vendor leaves.\n";
    for (vote, expected) in [
        ("POSITION: REJECT\n\n{}\nVOTE: REJECT", Ok("B")),
        ("POSITION: We wait until the budget is known.\n\n{}\nVOTE: CONDITIONAL", Ok("C")),
        ("{}\nVOTE: Approve (with the budget of 2026)", Ok("A")),
        ("{}\nVOTE: REJECT - too dear", Ok("B")),
        ("{}\nVOTE: Option C", Ok("C")),
        ("POSITION: APPROVE\n\n{}", Ok("A")),
        ("## CFO - Independent Position\n\n```\nPOSITION: REJECT\n\n{}\nVOTE: REJECT\n```", Ok("B")),
        ("**Position:** Reject\n\n{}\n**Vote:** Reject", Ok("B")),
        ("POSITION: Reject\n\n{}\nVOTE: ABSTAIN", Err("option")),
        ("{}\nVOTE: do not Reject", Err("option")),
        ("{}\nVOTE: Reject, unless the fees double", Err("option")),
        ("POSITION: REJECT\n\n{}\nVOTE: APPROVE | REJECT | CONDITIONAL", Err("option")),
        ("POSITION: REJECT\n\n{}\nVOTE: {APPROVE/REJECT}", Err("option")),
        ("{}\nVOTE: Reject\n\n**Vote:** Approve", Err("one line and")),
        (
            "**Position**: Reject\n\n**Reasoning**:\n- It costs twice what the brief says.\n- Nobody owns the migration.\n\n**Vote**: Reject",
            Ok("B"),
        ),
        (
            "## Vote\n\nReject\n\n## Reasoning\n\n- It costs twice what the brief says.\n- Nobody owns the migration.",
            Ok("B"),
        ),
        ("POSITION: APPROVE\n\n{}\nVOTE: REJECT", Err("one line and")),
        ("{}\nVOTE: [APPROVE/REJECT/CONDITIONAL]", Err("option")),
        ("{}\nVOTE: APPROVE or REJECT", Err("option")),
        ("{}\nWe think that REJECT is best.", Err("option")),
    ] {
        let read = memo(BOARD_OPTIONS, &vote.replace("{}", body));
        match expected {
            Ok(option) => assert_eq!(read, Ok((option.to_owned(), 2)), "{vote}"),
            Err(part) => assert!(read.as_ref().is_err_and(|musts| musts.join("\n").contains(part)), "{vote}: {read:?}"),
        }
    }
    let unreasoned = memo(BOARD_OPTIONS, "POSITION: REJECT\n\nVOTE: REJECT").unwrap_err();
    assert!(unreasoned.join("\n").contains("reason"), "{unreasoned:?}");
    let stamp = memo(BOARD_OPTIONS, "POSITION: REJECT\n\nREASONING: Sounds good to me.\n\nVOTE: REJECT").unwrap_err();
    assert!(stamp.join("\n").contains("too little"), "{stamp:?}");
}

/// What a sound ballot says is not put in doubt by memos of others that the text quotes.
#[test]
fn a_ballot_is_not_overruled_by_labels_in_the_prose() {
    let plan = board(2);
    let ask = world::pass(&plan, &world::Turns::new()).unwrap_err().remove(0);
    let text = "They wrote:\n\n```\nVOTE: A\n```\n\nand\n\n```\nVOTE: B\n```\n\n**Vote:** A\n";
    let draft = crate::ballots::draft(text, Some(vote(&ask.key.seat, "C")));
    let reading = ask.form.read(&plan, &ask.key.seat, &draft, forge_debate::form::Writer::Outside);
    assert_eq!(reading.speech.unwrap().ballot.text("option"), "C");
}

/// An agent was given the form: its memo votes for nothing.
#[test]
fn a_memo_in_reply_to_a_brief_is_not_counted() {
    let plan = board(2);
    let ask = world::pass(&plan, &world::Turns::new()).unwrap_err().remove(0);
    let draft = crate::ballots::draft("REASONING: It costs twice what the brief says.\n\nVOTE: A", None);
    assert!(ask.form.read(&plan, &ask.key.seat, &draft, forge_debate::form::Writer::Agent).speech.is_none());
}
