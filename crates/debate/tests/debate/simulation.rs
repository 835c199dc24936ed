//! Simulated panels: how often the counted outcome is right, against naive counting of the last votes of the same ballots,
//! and against the blind vote alone.
//!
//! There are three options and one of them is right. A seat finds it with a given accuracy; with a given correlation all
//! seats share one draw. Then they read each other: a seat may be convinced by an argument, which it cites, or move to what
//! most of the others hold out of politeness, citing nothing. The ballots go through the real protocols; the figures are
//! docs/trust-figures.md, which this test makes anew and compares. `FORGE_BLESS=1` rewrites it.
//!
//! Seeded and counted in integers: the same figures every time.

use crate::ballots::{vote, with};
use crate::voices::Dice;
use crate::world::{self, Turns, fields, plan_with_roster, speech, turn};
use forge_debate::anonymity::Speakers;
use forge_debate::datum::Fields;
use forge_debate::plan::{Hand, OptionId, Plan, Seat, SeatId, letter};
use forge_debate::protocols::{judges, panel};
use forge_debate::record::Record;
use forge_debate::turn::{Contribution, Stage, TurnKey};
use forge_debate::verdict::{Outcome, Verdict};
use std::collections::BTreeMap;

/// The document as it is, and where it is.
const WRITTEN: &str = include_str!("../../../../docs/trust-figures.md");
const WRITTEN_AT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trust-figures.md");
const SEED: u64 = 20260115;
const DEBATES: usize = 1500;
const OPTIONS: usize = 3;
/// The place of the right option.
const RIGHT: usize = 0;
/// What chance may add to or take from a figure, in per mille: about three standard deviations of the difference between
/// the two ways of counting where politeness settles half of this many debates.
const NOISE: i64 = 25;

/// Who sits there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sits {
    Judges(usize),
    Panel,
}

impl Sits {
    fn name(self) -> String {
        match self {
            Sits::Judges(n) => format!("judges, {n}"),
            Sits::Panel => "panel, 5".to_owned(),
        }
    }

    fn plan(self) -> Plan {
        match self {
            Sits::Judges(n) => {
                let mut plan = world::plan("judges");
                let sample = plan.seats[0].clone();
                let seat =
                    |i| Seat { id: SeatId::new(format!("judge{i}")), hand: Hand::parse("outside"), ..sample.clone() };
                plan.seats = (0..n).map(seat).collect();
                plan
            }
            Sits::Panel => {
                let mut plan = plan_with_roster("panel", Some("board"));
                plan.seats.retain(|seat| !["coo", "referee"].contains(&seat.id.as_str()));
                plan.limits.rounds = 2;
                plan
            }
        }
    }
}

/// How the seats behave; chances in percent.
#[derive(Debug, Clone, Copy)]
struct Condition {
    sits: Sits,
    /// That a seat finds the right option by itself.
    accuracy: usize,
    /// That all seats share one draw.
    correlation: usize,
    /// That a seat which was not convinced moves to what most of the others hold.
    politeness: usize,
    /// That an argument for the right option convinces, and one for a wrong option.
    persuasion: (usize, usize),
}

/// A seat's ballots: what it says blind, what it says later, and whether it cites an argument for that.
type Ballots = (usize, usize, Move);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Move {
    Stays,
    Convinced,
    Polite,
}

fn draw(condition: &Condition, dice: &mut Dice) -> usize {
    if dice.percent(condition.accuracy) { RIGHT } else { 1 + dice.below(OPTIONS - 1) }
}

/// One debate's ballots. Seats differ in nothing but their ballots, so they are put in order: it makes equal debates equal.
fn debate(condition: &Condition, seats: usize, dice: &mut Dice) -> Vec<Ballots> {
    let openings: Vec<usize> = if dice.percent(condition.correlation) {
        vec![draw(condition, dice); seats]
    } else {
        (0..seats).map(|_| draw(condition, dice)).collect()
    };
    let mut ballots: Vec<Ballots> = (0..seats)
        .map(|seat| {
            let (later, how) = second_thoughts(condition, &openings, seat, dice);
            (openings[seat], later, how)
        })
        .collect();
    ballots.sort_unstable();
    ballots
}

fn second_thoughts(condition: &Condition, openings: &[usize], seat: usize, dice: &mut Dice) -> (usize, Move) {
    let own = openings[seat];
    let others = |option: usize| openings.iter().enumerate().filter(|(i, held)| *i != seat && **held == option).count();
    let (to_right, to_wrong) = condition.persuasion;
    if own != RIGHT && others(RIGHT) > 0 && dice.percent(to_right) {
        return (RIGHT, Move::Convinced);
    }
    let wrong: Vec<usize> =
        (0..OPTIONS).filter(|option| ![RIGHT, own].contains(option) && others(*option) > 0).collect();
    if !wrong.is_empty() && dice.percent(to_wrong) {
        return (wrong[dice.below(wrong.len())], Move::Convinced);
    }
    let most = (0..OPTIONS).map(others).max().unwrap();
    let top: Vec<usize> = (0..OPTIONS).filter(|option| others(*option) == most).collect();
    if !top.contains(&own) && dice.percent(condition.politeness) {
        return (top[dice.below(top.len())], Move::Polite);
    }
    (own, Move::Stays)
}

/// How a debate ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Right,
    Wrong,
    Undecided,
}

impl Ends {
    fn of(winner: Option<&OptionId>) -> Self {
        match winner {
            None => Ends::Undecided,
            Some(option) if *option == letter(RIGHT) => Ends::Right,
            Some(_) => Ends::Wrong,
        }
    }
}

/// A debate that was held: as counted, as naive counting of the last votes would have it, and whether anybody had the
/// occasion to move.
#[derive(Debug, Clone, Copy)]
struct Held {
    counted: Ends,
    naive: Ends,
    blind: Ends,
    went_on: bool,
}

impl Held {
    fn of(verdict: &Verdict, went_on: bool) -> Self {
        let robustness = verdict.assessment.robustness.as_ref().unwrap();
        let decided = matches!(verdict.outcome(), Outcome::Consensus | Outcome::Decided);
        assert_eq!(decided, robustness.winner.is_some(), "{verdict:?}");
        assert_eq!(verdict.options().first(), robustness.winner.as_ref());
        Self {
            counted: Ends::of(robustness.winner.as_ref()),
            naive: Ends::of(robustness.as_cast.as_ref()),
            blind: Ends::of(verdict.assessment.blind.as_ref().unwrap().leader()),
            went_on,
        }
    }
}

/// Debates that were held, by their ballots: the same ballots give the same verdict.
#[derive(Default)]
struct Archive {
    /// By openings: the verdict, where the openings end the debate.
    after_openings: BTreeMap<Vec<usize>, Option<Held>>,
    whole: BTreeMap<Vec<Ballots>, Held>,
}

impl Archive {
    fn held(&mut self, plan: &Plan, ballots: &[Ballots]) -> Held {
        let openings: Vec<usize> = ballots.iter().map(|one| one.0).collect();
        let at_once = *self.after_openings.entry(openings).or_insert_with_key(|openings| {
            let turns = said_blind(plan, openings);
            conclude(plan, &turns).map(|verdict| Held::of(&verdict, false))
        });
        at_once.unwrap_or_else(|| *self.whole.entry(ballots.to_vec()).or_insert_with(|| hold(plan, ballots)))
    }
}

/// One pass of the real protocol.
fn conclude(plan: &Plan, turns: &Turns) -> Option<Verdict> {
    forge_debate::conclude(world::rules(plan), plan, &mut Record::new(turns)).ok()
}

fn said_blind(plan: &Plan, openings: &[usize]) -> Turns {
    let wave = if plan.protocol.name == "judges" { (judges::OPENING, 1) } else { (panel::POSITION, 0) };
    let mut turns = Turns::new();
    for (seat, option) in plan.debaters().into_iter().zip(openings) {
        put(&mut turns, wave, seat, vote(&seat.id, letter(*option).as_str()));
    }
    turns
}

/// The whole debate through the real protocol.
fn hold(plan: &Plan, ballots: &[Ballots]) -> Held {
    let mut turns = said_blind(plan, &ballots.iter().map(|one| one.0).collect::<Vec<_>>());
    // A panel says twice what it has come to: there is no synthesis before the second response.
    let waves: &[(Stage, u16)] = match plan.protocol.name {
        "judges" => &[(judges::CHALLENGE, 2)],
        _ => &[(panel::RESPONSE, 1), (panel::RESPONSE, 2)],
    };
    let seats = plan.debaters();
    for (i, seat) in seats.iter().enumerate() {
        let (_, later, how) = ballots[i];
        let speakers = Speakers::of(plan, &seat.id);
        let challenged = fields! { "to": speakers.prefix(speakers.order()[0]), "text": "that ground is thin" };
        let mut ballot = with(vote(&seat.id, letter(later).as_str()), "challenges", [challenged]);
        if how == Move::Convinced {
            let source = (0..seats.len()).find(|other| *other != i && ballots[*other].0 == later).unwrap();
            ballot = with(ballot, "convinced_by", [format!("{}.a1", speakers.prefix(&seats[source].id))]);
        }
        for wave in waves {
            put(&mut turns, *wave, seat, ballot.clone());
        }
    }
    if plan.protocol.name == "judges" {
        return Held::of(&conclude(plan, &turns).unwrap(), true);
    }
    // What follows the votes of a panel: a synthesis of what they chose, and fair reviews. The seats' votes do not depend on
    // it, so the first guess shows what it must name.
    let writer = seats.iter().find(|seat| seat.id.as_str() == "ceo").unwrap();
    for seat in seats.iter().filter(|seat| seat.id != writer.id) {
        put(&mut turns, (panel::REVIEW, 0), seat, fields! { "accurate": true, "reason": "it says what I said" });
    }
    put(&mut turns, (panel::SYNTHESIS, 0), writer, vote(&writer.id, letter(RIGHT).as_str()));
    let guessed = conclude(plan, &turns).unwrap();
    let chosen = guessed.assessment.robustness.as_ref().unwrap().winner.clone();
    match chosen.filter(|chosen| *chosen != letter(RIGHT)) {
        None => Held::of(&guessed, true),
        Some(chosen) => {
            put(&mut turns, (panel::SYNTHESIS, 0), writer, vote(&writer.id, chosen.as_str()));
            Held::of(&conclude(plan, &turns).unwrap(), true)
        }
    }
}

fn put(turns: &mut Turns, (stage, round): (Stage, u16), seat: &Seat, ballot: Fields) {
    let key = TurnKey::new(stage, round, &seat.id);
    turns.insert(key.clone(), turn(key, Contribution::Speech(speech(ballot))));
}

/// Rights, wrongs and undecided ones of one way of counting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tally {
    right: usize,
    wrong: usize,
    undecided: usize,
}

impl Tally {
    fn add(&mut self, ends: Ends) {
        match ends {
            Ends::Right => self.right += 1,
            Ends::Wrong => self.wrong += 1,
            Ends::Undecided => self.undecided += 1,
        }
    }

    fn per_mille(&self) -> [i64; 3] {
        let all = self.right + self.wrong + self.undecided;
        let [right, wrong] = [self.right, self.wrong].map(|part| per_mille(part, all));
        [right, wrong, 1000 - right - wrong]
    }

    /// How often it is right where a coin with a side for each option settles what is undecided; in per mille.
    fn with_a_coin(&self) -> i64 {
        let all = self.right + self.wrong + self.undecided;
        per_mille(self.right * OPTIONS + self.undecided, all * OPTIONS)
    }

    /// How many of the verdicts given are right; in per mille.
    fn of_verdicts(&self) -> Option<i64> {
        let given = self.right + self.wrong;
        (given > 0).then(|| per_mille(self.right, given))
    }
}

fn per_mille(part: usize, all: usize) -> i64 {
    ((part * 2000 + all) / (2 * all)) as i64
}

/// The figures of one condition.
#[derive(Debug, Clone, Copy)]
struct Figures {
    condition: Condition,
    counted: Tally,
    naive: Tally,
    blind: Tally,
    polite_moves: usize,
    polite_moves_to_right: usize,
}

impl Figures {
    /// How often somebody must be right on what only naive counting decides, for counting by the rules to be ahead: in per
    /// mille, where naive counting decides more.
    fn break_even(&self) -> Option<i64> {
        let more_left_open = self.counted.undecided.checked_sub(self.naive.undecided).filter(|more| *more > 0)?;
        Some(per_mille(self.naive.right.saturating_sub(self.counted.right), more_left_open))
    }

    /// Whether polite moves land on the right option no more often than a coin would, within three standard deviations.
    fn is_politeness_uninformed(&self) -> bool {
        let ahead_of_coin = (OPTIONS * self.polite_moves_to_right).saturating_sub(self.polite_moves);
        self.polite_moves > 0 && ahead_of_coin.pow(2) <= 9 * (OPTIONS - 1) * self.polite_moves
    }

    fn row(&self) -> String {
        let Condition { sits, accuracy, correlation, politeness, persuasion: (right, wrong) } = self.condition;
        let cells = |tally: &Tally| tally.per_mille().map(|n| n.to_string()).join(" / ");
        let or_dash = |figure: Option<i64>| figure.map_or("-".to_owned(), |n| n.to_string());
        let landed = (self.polite_moves > 0).then(|| per_mille(self.polite_moves_to_right, self.polite_moves));
        format!(
            "| {} | {accuracy} | {correlation} | {politeness} | {right} : {wrong} | {} | {} | {} | {} : {} | {} | {} |\n",
            sits.name(),
            cells(&self.counted),
            cells(&self.naive),
            cells(&self.blind),
            or_dash(self.counted.of_verdicts()),
            or_dash(self.naive.of_verdicts()),
            or_dash(landed),
            match self.break_even() {
                Some(1001..) => "never".to_owned(),
                figure => or_dash(figure),
            },
        )
    }
}

fn figures(condition: Condition, archive: &mut Archive) -> Figures {
    let plan = condition.sits.plan();
    let seats = plan.debaters().len();
    let mut found = Figures {
        condition,
        counted: Tally::default(),
        naive: Tally::default(),
        blind: Tally::default(),
        polite_moves: 0,
        polite_moves_to_right: 0,
    };
    let mut dice = Dice::new(SEED, &format!("{condition:?}"));
    for _ in 0..DEBATES {
        let ballots = debate(&condition, seats, &mut dice);
        let held = archive.held(&plan, &ballots);
        found.counted.add(held.counted);
        found.naive.add(held.naive);
        found.blind.add(held.blind);
        if held.went_on {
            let polite = ballots.iter().filter(|ballots| ballots.2 == Move::Polite);
            found.polite_moves += polite.clone().count();
            found.polite_moves_to_right += polite.filter(|ballots| ballots.1 == RIGHT).count();
        }
    }
    found
}

const PERSUASIONS: [(usize, usize); 3] = [(0, 0), (40, 10), (10, 40)];

/// The conditions of the table, in its order.
fn grid() -> Vec<Condition> {
    let sizes = [Sits::Judges(3), Sits::Judges(5), Sits::Panel];
    let base = Condition { sits: Sits::Judges(3), accuracy: 60, correlation: 0, politeness: 60, persuasion: (0, 0) };
    let mut grid = Vec::new();
    for sits in sizes {
        for accuracy in [20, 33, 60, 80] {
            grid.extend(PERSUASIONS.map(|persuasion| Condition { sits, accuracy, persuasion, ..base }));
        }
    }
    for sits in sizes {
        grid.extend([(0, 0), (40, 10)].map(|persuasion| Condition { sits, correlation: 50, persuasion, ..base }));
    }
    for sits in sizes {
        grid.extend([20, 90].map(|politeness| Condition { sits, politeness, persuasion: (40, 10), ..base }));
    }
    grid
}

fn all_figures() -> Vec<Figures> {
    let mut archives: BTreeMap<String, Archive> = BTreeMap::new();
    grid().into_iter().map(|one| figures(one, archives.entry(one.sits.name()).or_default())).collect()
}

fn document(all: &[Figures]) -> String {
    let rows: String = all.iter().map(Figures::row).collect();
    format!(
        "# Figures: counting by the rules against counting last votes, and against the blind vote\n\n\
        Made by `crates/debate/tests/debate/simulation.rs`, which also compares this file with what it makes\n\
        (`FORGE_BLESS=1 cargo test -p forge-debate simulation` writes it). **Simulated seats, not models**: nothing here says how often a\n\
        real model is right, polite or convinced. It says what the rules of counting do with ballots if seats behave like this.\n\n\
        {DEBATES} debates a row, seeded, through the real `judges` (2 rounds, 2/3 must agree) and `panel` (more than half decide).\n\
        {OPTIONS} options, one right. In per mille unless said otherwise:\n\n\
        - **acc**: percent, a seat finds the right option by itself; 33 is guessing, 20 a question that misleads.\n\
        - **corr**: percent, all seats share one draw.\n\
        - **polite**: percent, a seat that nothing convinced moves to what most of the others hold, citing nothing.\n\
        - **convinced**: percent, an argument for the right option : for a wrong one moves a seat, which cites it.\n\
        - **counted**, **naive**: right / wrong / left to a person; by the rules, and by the last votes of the same ballots.\n\
        - **blind**: the same for the option with most votes in the sealed first round, a tie left to a person: what one vote without a\n\
        \x20\x20debate would have said. Where **counted** is not better, the debate bought reasons and not a better answer.\n\
        - **verdicts right**: of the verdicts given, counted : naive.\n\
        - **polite right**: of the polite moves, those that land on the right option; a coin has 333.\n\
        - **break-even**: naive counting settles more questions. If whoever gets them instead is right more often than this, the rules are\n\
        \x20\x20ahead; 0: they are ahead anyway; 333: a coin draws level; never: not even somebody who is always right makes up for it.\n\n\
        Figures scatter by chance, those of the last two columns most: three judges who differ hold one option each, so a polite move\n\
        among them is exactly a coin, and 333 what both columns would say without persuasion after endlessly many debates.\n\n\
        | seats | acc | corr | polite | convinced | counted | naive | blind | verdicts right | polite right | break-even |\n\
        |---|---|---|---|---|---|---|---|---|---|---|\n{rows}"
    )
}

/// The promise: where polite moves know no more than a coin, and arguments for what is right convince no less than others,
/// the rules are right at least as often as naive counting, if a coin settles what is left open, and not more often wrong.
/// Where one of the two does not hold, the document tells what is lost.
#[test]
fn the_figures_are_those_of_the_document_and_keep_what_it_promises() {
    let all = all_figures();
    let promised =
        |one: &&Figures| one.is_politeness_uninformed() && one.condition.persuasion.0 >= one.condition.persuasion.1;
    assert!(all.iter().filter(promised).count() >= 15, "too few rows in which politeness knows nothing");
    for one in all.iter().filter(promised) {
        let row = one.row();
        assert!(one.counted.with_a_coin() + NOISE >= one.naive.with_a_coin(), "less often right than naive: {row}");
        let [counted, naive] = [one.counted, one.naive].map(|tally| tally.per_mille()[1]);
        assert!(counted <= naive + NOISE, "more often wrong than naive: {row}");
    }
    let made = document(&all);
    if std::env::var_os("FORGE_BLESS").is_some() {
        return bless(&made);
    }
    let differs = made.lines().zip(WRITTEN.lines()).find(|(made, written)| made != written);
    assert!(
        made == WRITTEN,
        "docs/trust-figures.md is not what the simulation makes, first at {differs:?}; FORGE_BLESS=1 rewrites it"
    );
}

#[expect(clippy::disallowed_methods, reason = "the one file that these tests write, and only when told to")]
fn bless(document: &str) {
    std::fs::write(WRITTEN_AT, document).unwrap();
}

/// The ballots of a debate are put in order before it is held; that must not matter.
#[test]
fn which_seat_casts_which_ballot_changes_nothing() {
    for condition in grid().into_iter().step_by(5) {
        let plan = condition.sits.plan();
        let mut dice = Dice::new(SEED + 1, &format!("{condition:?}"));
        for _ in 0..8 {
            let mut ballots = debate(&condition, plan.debaters().len(), &mut dice);
            let sorted = Archive::default().held(&plan, &ballots);
            let by = 1 + dice.below(ballots.len() - 1);
            ballots.rotate_left(by);
            let rotated = Archive::default().held(&plan, &ballots);
            assert_eq!((sorted.counted, sorted.naive), (rotated.counted, rotated.naive), "{ballots:?}");
        }
    }
}

/// Where nobody is polite, both ways of counting are one.
#[test]
fn without_politeness_there_is_nothing_to_choose_between() {
    let condition = Condition { politeness: 0, ..grid()[1] };
    let found = figures(condition, &mut Archive::default());
    assert_eq!((found.counted, found.polite_moves), (found.naive, 0));
}
