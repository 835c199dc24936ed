//! The politeness attack: every seat moves to the loudest one, and none says which argument convinced it.
//!
//! Whatever the protocol and however many sit there, the votes that count are those from before, the outcome is the one
//! that there would have been, and the verdict tells what happened.

use crate::ballots::{say, vote, with};
use crate::world::{self, Ended, Pace, fields, option, plan_with_roster, run, small_panel};
use forge_debate::anonymity::Speakers;
use forge_debate::datum::Fields;
use forge_debate::plan::{Hand, OptionId, Plan, Seat, SeatId, letter};
use forge_debate::protocols::panel::{CORRECTION, POLL, POSITION, RECHECK, REFEREE, RESPONSE, REVIEW, SYNTHESIS};
use forge_debate::protocols::{judges, panel};
use forge_debate::record::Ask;
use forge_debate::verdict::{Outcome, Verdict};
use forge_debate::voting::Merit;

/// What a polite seat puts where its citation should be.
#[derive(Debug, Clone, Copy)]
enum Excuse {
    Nothing,
    Itself,
    Prose,
    NobodysArgument,
    WhatEverybodySays,
}

const EXCUSES: [Excuse; 5] =
    [Excuse::Nothing, Excuse::Itself, Excuse::Prose, Excuse::NobodysArgument, Excuse::WhatEverybodySays];

/// Who holds what at first, and to which option all move afterwards, if they do.
struct Attack<'a> {
    plan: &'a Plan,
    openings: Vec<OptionId>,
    loudest: Option<OptionId>,
    excuse: Excuse,
}

impl Attack<'_> {
    fn held_by(&self, who: &SeatId) -> &OptionId {
        let seats = self.plan.debaters();
        &self.openings[seats.iter().position(|seat| seat.id == *who).unwrap()]
    }

    fn run(&self) -> Ended {
        run(self.plan, Pace::Waves, |ask, _| say(self.plan, ask, TEXT, self.ballot(ask)))
    }

    fn ballot(&self, ask: &Ask) -> Fields {
        let who = &ask.key.seat;
        match ask.key.stage {
            judges::OPENING | POSITION => self.argued(who, self.held_by(who)),
            judges::CHALLENGE | RESPONSE => self.later(who),
            REFEREE => fields! { "ruling": "continue", "reason": "new arguments still come" },
            POLL => fields! { "converge": true, "reason": "nothing is left to say" },
            REVIEW | RECHECK => fields! { "accurate": true, "reason": "it says what I said" },
            SYNTHESIS | CORRECTION => {
                // The writer is told what the votes chose, as `B (Memcached)`.
                let winner = ask.facts.text("winner").split(' ').next().unwrap().to_owned();
                vote(who, if winner.is_empty() { "A" } else { &winner })
            }
            stage => panic!("{stage} is asked for"),
        }
    }

    fn argued(&self, who: &SeatId, chosen: &OptionId) -> Fields {
        let own = fields! { "id": "a1", "text": format!("the {who} argument for {chosen}") };
        let common = fields! { "id": "a2", "text": "what everybody says anyway" };
        with(vote(who, chosen.as_str()), "arguments", [own, common])
    }

    fn later(&self, who: &SeatId) -> Fields {
        let speakers = Speakers::of(self.plan, who);
        let peer = speakers.prefix(speakers.order()[0]);
        let ballot = self.argued(who, self.loudest.as_ref().unwrap_or(self.held_by(who)));
        let ballot = with(ballot, "challenges", [fields! { "to": peer.as_str(), "text": "that ground is thin" }]);
        let ballot = with(ballot, "convinced_because", "the others are surely right");
        match self.excuse {
            Excuse::Nothing => ballot,
            Excuse::Itself => with(ballot, "convinced_by", [format!("{who}.a1")]),
            Excuse::Prose => with(ballot, "convinced_by", ["the general mood of the room"]),
            Excuse::NobodysArgument => with(ballot, "convinced_by", [format!("{peer}.a9")]),
            Excuse::WhatEverybodySays => with(ballot, "convinced_by", [format!("{peer}.a2")]),
        }
    }
}

const TEXT: &str = "## Position\nOption A, B or C.\n## Moonshot\nOne store for everything.\n## Stepping Stone\nFirst step.\n\
    ## Chosen Approach\nOption A, B or C.\n## Rejected Alternatives\nThe others.\n\
    ## Risk Register\n- A node dies.\n## Confidence\nLOW.\n## Dissents\nAll of them: ceo, cto, cfo, coo, contrarian, moonshot, \
    software-architect, security-architect, infrastructure-engineer, data-architect, ux-lead, lead-specialist, \
    typescript-specialist, python-specialist, rust-specialist, go-specialist, sql-specialist, jvm-specialist, \
    delivery-lead, quality-lead, release-engineer, estimator.\n\
    ## Risk Register\n| Risk | Owner |\n|---|---|\n| failover | ceo |";

fn counted(verdict: &Verdict) -> Vec<&OptionId> {
    verdict.ruling.votes().iter().map(|vote| &vote.counted).collect()
}

/// Everybody moves to `loudest`; then the same debate in which nobody moves.
fn withstands(plan: &Plan, openings: Vec<OptionId>, loudest: &OptionId, excuse: Excuse) {
    let n = openings.len();
    let world = format!("{}, {n} seats, all to {loudest}, {excuse:?}", plan.protocol);
    let calm = Attack { plan, openings: openings.clone(), loudest: None, excuse }.run().verdict;
    let ended = Attack { plan, openings: openings.clone(), loudest: Some(loudest.clone()), excuse }.run();
    let polite = &ended.verdict;
    assert_eq!(counted(polite), openings.iter().collect::<Vec<_>>(), "{world}");
    assert_eq!((polite.outcome(), &polite.options()), (calm.outcome(), &calm.options()), "{world}");
    assert_eq!(polite.ruling.dissents.len(), calm.ruling.dissents.len(), "{world}: the minority keeps its dissent");
    assert!(polite.ruling.votes().iter().all(|vote| vote.cast == *loudest), "{world}: what was cast is kept");

    let moved: Vec<&SeatId> =
        plan.debaters().iter().zip(&openings).filter(|(_, held)| *held != loudest).map(|(seat, _)| &seat.id).collect();
    let told: Vec<&SeatId> = polite.ruling.changes().iter().map(|change| &change.seat).collect();
    assert_eq!(told, moved, "{world}: every flip is reported, once");
    assert!(polite.ruling.changes().iter().all(|change| change.merit == Merit::Unearned), "{world}");
    // The change itself says it, and no note says it again.
    for seat in &moved {
        assert!(!ended.has_note(&format!("{seat} moved from")), "{world}: {:?}", polite.ruling.notes);
    }

    let robustness = polite.assessment.robustness.as_ref().unwrap();
    assert_eq!(robustness.as_cast.as_ref(), Some(loudest), "{world}: naive counting would have been unanimous");
    let before = calm.assessment.robustness.as_ref().unwrap();
    assert_eq!((&robustness.winner, &robustness.without), (&before.winner, &before.without), "{world}");
    assert_eq!(robustness.is_fragile(), before.is_fragile(), "{world}: politeness contests nothing");

    let conformity = polite.assessment.course.conformity;
    assert_eq!(conformity.yielded as usize, moved.len(), "{world}");
    assert_eq!(conformity.convinced, 0, "{world}");
    assert!(conformity.pressed >= conformity.yielded, "{world}");
    assert_eq!((calm.assessment.course.conformity.yielded, calm.ruling.changes().len()), (0, 0), "{world}");
}

fn judges_of(n: usize, rounds: u16) -> Plan {
    let mut plan = world::plan("judges");
    let seat =
        |i: usize| Seat { id: SeatId::new(format!("judge{i}")), hand: Hand::parse("outside"), ..plan.seats[0].clone() };
    plan.seats = (0..n).map(seat).collect();
    plan.limits.rounds = rounds;
    plan
}

#[test]
fn judges_of_every_number_count_as_if_nobody_had_moved() {
    for n in 2..=9 {
        // Spread over three options, so that the first round agrees on nothing.
        let openings: Vec<OptionId> = (0..n).map(|i| letter(i % 3)).collect();
        for rounds in [2, 4] {
            let plan = judges_of(n, rounds);
            assert_eq!(plan.defects(), Vec::<String>::new());
            for loudest in openings.iter().take(3) {
                withstands(&plan, openings.clone(), loudest, Excuse::Nothing);
            }
        }
    }
}

#[test]
fn no_excuse_earns_a_flip() {
    for excuse in EXCUSES {
        let openings: Vec<OptionId> = (0..5).map(|i| letter(i % 3)).collect();
        withstands(&judges_of(5, 3), openings.clone(), &option("B"), excuse);
        let board = plan_with_roster("panel", Some("board"));
        withstands(&limited(board, 3), [openings.as_slice(), &[option("A")]].concat(), &option("B"), excuse);
    }
}

fn limited(mut plan: Plan, rounds: u16) -> Plan {
    plan.limits.rounds = rounds;
    plan
}

// seed: S2-44
#[test]
fn panels_of_every_roster_count_as_if_nobody_had_moved() {
    let rosters = panel::rosters();
    assert!(rosters.len() >= 4, "{rosters:?}");
    let panels = rosters.into_iter().map(|roster| plan_with_roster("panel", Some(roster))).chain([small_panel(2)]);
    let mut sizes = Vec::new();
    for mut plan in panels {
        plan.limits.rounds = 2;
        let n = plan.debaters().len();
        sizes.push(n);
        let spread: Vec<OptionId> = (0..n).map(|i| letter(i % 3)).collect();
        // One more than half for B; the last, who is outvoted, is the loudest.
        let majority: Vec<OptionId> = (0..n).map(|i| if i <= n / 2 { option("B") } else { option("C") }).collect();
        withstands(&plan, spread, &option("A"), Excuse::Nothing);
        withstands(&plan, majority.clone(), &option("C"), Excuse::Nothing);
        let kept = Attack { plan: &plan, openings: majority, loudest: Some(option("C")), excuse: Excuse::Nothing };
        let verdict = kept.run().verdict;
        assert_eq!((verdict.outcome(), verdict.options().to_vec()), (Outcome::Decided, vec![option("B")]), "{n} seats");
    }
    sizes.sort_unstable();
    sizes.dedup();
    assert!(sizes.len() >= 3, "panels of several sizes: {sizes:?}");
}
