//! What stands below the first screen: everything a reader needs in order to weigh the verdict and to check it. The same
//! parts in the same order on a terminal, in Markdown and in HTML; people's and models' words as they wrote them.

use super::outcome::{self, perspective};
use super::picture;
use super::summary::{cost_by_seat, moved, one_line, placed, shortened, spent, spoke_for};
use super::verdict::{Account, TurnLine};
use forge_debate::anonymity::Speakers;
use forge_debate::course::Stand;
use forge_debate::plan::{OptionId, SeatId};
use forge_debate::verdict::Gravity;
use forge_debate::voting::{Change, Merit};

const ASSUMPTIONS: &str = "Assumptions exposed";
/// The most characters of an argument that a change rests on; all of it is in its file.
const CITED_WIDTH: usize = 200;

/// A titled part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The title.
    pub title: &'static str,
    /// What it holds.
    pub body: Body,
    /// How to read it, where that is not plain.
    pub legend: &'static str,
    /// The picture that shows the same, where there is one.
    pub picture: Option<picture::Picture>,
}

/// What a part holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Lines that belong together.
    Lines(Vec<String>),
    /// One thing after another.
    List(Vec<Item>),
    /// Rows under a head.
    Table(Table),
    /// Somebody's words, word for word: who, and what.
    Words(Vec<(String, String)>),
    /// One thing after another, each with what it came from under it.
    Tree(Vec<Item>),
    /// Labels with what is said, listed or tabled under each.
    Labelled(Vec<Labelled>),
}

/// A label and what is said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The label.
    pub label: &'static str,
    /// What is said beside it; may be empty.
    pub text: String,
    /// What is listed below it.
    pub items: Vec<String>,
    /// What is tabled below it.
    pub table: Option<Table>,
}

impl Labelled {
    pub(super) fn line(label: &'static str, text: impl Into<String>) -> Self {
        Self { label, text: text.into(), items: Vec::new(), table: None }
    }

    pub(super) fn list(label: &'static str, text: &str, items: Vec<String>) -> Self {
        Self { items, ..Self::line(label, text) }
    }
}

/// An item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What it is about; may be empty.
    pub about: String,
    /// What is said.
    pub text: String,
    /// What belongs under it.
    pub under: Vec<String>,
}

/// Rows under a head. Every row has as many cells as the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// The columns' names.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(head: &[&str], rows: Vec<Vec<String>>) -> Self {
        Self { head: head.iter().map(|name| (*name).to_owned()).collect(), rows }
    }
}

impl Part {
    pub(super) fn new(title: &'static str, body: Body) -> Self {
        Self { title, body, legend: "", picture: None }
    }

    fn is_empty(&self) -> bool {
        match &self.body {
            Body::Lines(lines) => lines.is_empty(),
            Body::List(items) | Body::Tree(items) => items.is_empty(),
            Body::Labelled(lines) => lines.is_empty(),
            Body::Table(table) => table.rows.is_empty(),
            Body::Words(words) => words.is_empty(),
        }
    }
}

/// The details of an account, without those that have nothing to say.
pub fn of(account: &Account) -> Vec<Part> {
    let outcome = outcome::part(account);
    let has_outcome = outcome.is_some();
    let parts = [
        findings(account),
        reasons(account),
        stands(account),
        history(account),
        changes(account),
        challenges(account),
        challenged(account),
        dissents(account),
        abstentions(account),
        absences(account),
        debts(account),
        assumptions(account),
        without(account),
        rules(account),
        quotes(account),
        alone(account),
        notes(account),
        models(account),
        cost(account),
        turns(account),
        check(account),
    ];
    // The outcome of a challenge has its assumptions with it.
    let is_told = |part: &Part| has_outcome && part.title == ASSUMPTIONS;
    let others = parts.into_iter().filter(|part| !part.is_empty() && !is_told(part));
    outcome.into_iter().chain(others).collect()
}

fn item(about: impl Into<String>, text: &str) -> Item {
    Item { about: about.into(), text: one_line(text), under: Vec::new() }
}

fn findings(account: &Account) -> Part {
    let items = account.verdict.ruling.findings.iter().map(|finding| {
        item(if finding.gravity == Gravity::Blocks { "blocks" } else { "warning" }, &placed(account, finding))
    });
    Part::new("Gate findings", Body::List(items.collect()))
}

fn reasons(account: &Account) -> Part {
    let items = account.verdict.ruling.reasons.iter().map(|reason| {
        let stand = match (&reason.option, &reason.stand) {
            (Some(option), _) => format!(", {}", name(account, option)),
            (None, Some(stand)) => format!(", {}", one_line(stand)),
            (None, None) => String::new(),
        };
        item(format!("{}{stand}", reason.seat), &reason.text)
    });
    Part::new("Reasons", Body::List(items.collect()))
}

/// A column of the course: the wave, and what it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) step: usize,
    pub(super) stage: &'static str,
    pub(super) round: u16,
}

/// The waves in which somebody took a stand, in order.
pub(super) fn columns(account: &Account) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for stand in &account.verdict.assessment.course.stands {
        if !columns.iter().any(|column| column.step == stand.step) {
            columns.push(Column { step: stand.step, stage: stand.stage.0, round: stand.round });
        }
    }
    columns.sort_by_key(|column| column.step);
    columns
}

/// The seats that took a stand, in the plan's order.
pub(super) fn standing(account: &Account) -> Vec<&SeatId> {
    let stands = &account.verdict.assessment.course.stands;
    let planned = account.plan.seats.iter().map(|seat| &seat.id);
    let mut seats: Vec<&SeatId> = planned.filter(|seat| stands.iter().any(|stand| stand.seat == **seat)).collect();
    for stand in stands {
        if !seats.contains(&&stand.seat) {
            seats.push(&stand.seat);
        }
    }
    seats
}

/// A stand in a few characters: `A`, `→ A`, `B ⇢ A`.
fn mark(stand: &Stand) -> String {
    let counted = stand.counted.as_ref().map(OptionId::as_str);
    match (stand.cast.as_ref().map(OptionId::as_str), counted) {
        (Some(cast), Some(counted)) if cast != counted => format!("{counted} ⇢ {cast}"),
        (Some(cast), _) if stand.change == Some(Merit::Earned) => format!("→ {cast}"),
        (Some(option), _) | (None, Some(option)) => option.to_owned(),
        (None, None) => stand.word.as_deref().map(one_line).unwrap_or_default(),
    }
}

fn stands(account: &Account) -> Part {
    let columns = columns(account);
    let mut head = vec!["Seat".to_owned()];
    head.extend(columns.iter().map(|column| match column.round {
        0 => column.stage.to_owned(),
        round => format!("{} {round}", column.stage),
    }));
    let rows = standing(account).into_iter().map(|seat| {
        let mut row = vec![seat.to_string()];
        row.extend(columns.iter().map(|column| {
            let here = |stand: &&Stand| stand.seat == *seat && stand.step == column.step;
            account.verdict.assessment.course.stands.iter().find(here).map(mark).unwrap_or_default()
        }));
        row
    });
    let mut part = Part::new("Positions by round", Body::Table(Table { head, rows: rows.collect() }));
    // Marks that do not occur need no words.
    if account.verdict.assessment.course.stands.iter().any(|stand| stand.change.is_some()) {
        part.legend =
            "→ A: moved to A by an argument of another seat. B ⇢ A: voted A without such a ground, so B still counts.";
    }
    part.picture = Some(picture::Picture::Positions);
    part
}

fn history(account: &Account) -> Part {
    let last = account.verdict.ruling.positions().len();
    let items = account.verdict.ruling.positions().iter().map(|position| {
        let when = match (position.round, usize::from(position.version) == last) {
            (0, _) => "opening".to_owned(),
            (round, true) => format!("after round {round}, final"),
            (round, false) => format!("after round {round}"),
        };
        let under = position.because.iter().map(|cause| {
            let who = cause.seat.as_ref().map(|seat| format!("{}: ", perspective(seat))).unwrap_or_default();
            format!("Changed because: {who}{}", one_line(&cause.text))
        });
        let under = under.collect();
        Item { about: format!("v{} ({when})", position.version), text: one_line(&position.text), under }
    });
    Part::new("Position History", Body::Tree(items.collect()))
}

fn changes(account: &Account) -> Part {
    let items = account.verdict.ruling.changes().iter().map(|change| {
        let mut under: Vec<String> = Vec::new();
        if !one_line(&change.reason).is_empty() {
            let speakers = Speakers::of(&account.plan, &change.seat);
            let said = speakers.retold(&account.plan, &change.reason, &|seat, _| seat.to_string());
            under.push(format!("It says: {}", one_line(&said)));
        }
        under.extend(change.cited.iter().map(|cited| {
            let file = source(account, change, &cited.name).map(|file| format!(" ({})", one_line(file)));
            let words = shortened(&cited.text, CITED_WIDTH);
            format!("{}: {words}{}", one_line(&cited.name), file.unwrap_or_default())
        }));
        Item { about: String::new(), text: moved(change), under }
    });
    Part::new("Who moved", Body::List(items.collect()))
}

/// The file in which a cited argument (`seat.id`) stands: its owner's last turn before the wave of the change.
fn source<'a>(account: &'a Account, change: &Change, cited: &str) -> Option<&'a str> {
    // A seat's name may have dots of its own; an argument's may not.
    let (owner, _) = cited.rsplit_once('.')?;
    let wave = account.turns.iter().find(|turn| turn.key.seat == change.seat && turn.key.round == change.round)?;
    let same = |turn: &&TurnLine| (turn.key.stage, turn.key.round) == (wave.key.stage, wave.key.round);
    let before = account.turns.iter().take_while(|turn| !same(turn));
    before.filter(|turn| turn.key.seat.as_str() == owner).last().map(|turn| turn.file.as_str())
}

/// The seats that could have challenged or were challenged, in the plan's order.
pub(super) fn parties(account: &Account) -> Vec<&SeatId> {
    let challenges = &account.verdict.assessment.course.challenges;
    let named = |seat: &SeatId| challenges.iter().any(|one| one.from == *seat || one.to == *seat);
    let stands = standing(account);
    let mut seats: Vec<&SeatId> =
        account.plan.seats.iter().map(|seat| &seat.id).filter(|seat| stands.contains(seat) || named(seat)).collect();
    for one in challenges {
        for seat in [&one.from, &one.to] {
            if !seats.contains(&seat) {
                seats.push(seat);
            }
        }
    }
    seats
}

/// Whether a seat is there to challenge others: a lead answers, officers do neither.
pub(super) fn owes_challenges(account: &Account, seat: &SeatId) -> bool {
    account.plan.seat(seat).is_none_or(|seat| (account.plan.protocol.challenges)(seat))
}

fn challenges(account: &Account) -> Part {
    let challenges = &account.verdict.assessment.course.challenges;
    let seats = if challenges.is_empty() { Vec::new() } else { parties(account) };
    let mut head = vec!["Challenger".to_owned()];
    head.extend(seats.iter().map(ToString::to_string));
    head.push("all".to_owned());
    let count = |from: &SeatId, to: &SeatId| challenges.iter().filter(|one| one.from == *from && one.to == *to).count();
    let rows = seats.iter().map(|from| {
        let mut row = vec![from.to_string()];
        let counts: Vec<usize> = seats.iter().map(|to| count(from, to)).collect();
        row.extend(counts.iter().zip(&seats).map(|(count, to)| match (count, to == from) {
            (0, true) => String::new(),
            (0, false) => "-".to_owned(),
            (count, _) => count.to_string(),
        }));
        let all: usize = counts.iter().sum();
        row.push(match all {
            0 if owes_challenges(account, from) => "nobody".to_owned(),
            0 => String::new(),
            all => all.to_string(),
        });
        row
    });
    let mut part = Part::new("Who challenged whom", Body::Table(Table { head, rows: rows.collect() }));
    part.legend = "A row tells how often its seat challenged the seat of each column.";
    part.picture = Some(picture::Picture::Challenges);
    part
}

fn challenged(account: &Account) -> Part {
    let items =
        account.verdict.assessment.course.challenges.iter().filter(|one| !one.text.trim().is_empty()).map(|one| {
            let when =
                if one.round == 0 { one.stage.to_string() } else { format!("{}, round {}", one.stage, one.round) };
            item(format!("{} to {} ({when})", one.from, one.to), &one.text)
        });
    Part::new("Challenges", Body::List(items.collect()))
}

fn dissents(account: &Account) -> Part {
    let words = account.verdict.ruling.dissents.iter().map(|dissent| {
        let option = dissent.option.as_ref().map(|id| format!(", {}", name(account, id))).unwrap_or_default();
        (format!("{}{option}", dissent.seat), dissent.text.clone())
    });
    Part::new("Dissents", Body::Words(words.collect()))
}

fn abstentions(account: &Account) -> Part {
    let items = account.verdict.ruling.abstentions.iter().map(|abstention| {
        let voted = abstention.option.as_ref().map(|id| format!(", voted {}", name(account, id))).unwrap_or_default();
        item(format!("{}{voted}", abstention.seat), abstention.why.sentence())
    });
    Part::new("Abstentions", Body::List(items.collect()))
}

fn absences(account: &Account) -> Part {
    let items = account.verdict.ruling.missing.iter().map(|missing| {
        let what = format!("{}: {}", missing.kind.phrase(), missing.detail);
        item(missing.key.to_string(), &what)
    });
    Part::new("Absences", Body::List(items.collect()))
}

fn debts(account: &Account) -> Part {
    let items = account.verdict.ruling.owed.iter().map(|owed| {
        let turns: Vec<String> = owed.turns.iter().map(ToString::to_string).collect();
        item(turns.join(", "), owed.what.sentence())
    });
    Part::new("Owed", Body::List(items.collect()))
}

fn assumptions(account: &Account) -> Part {
    let rows = account.verdict.ruling.assumptions().iter().map(|row| {
        vec![row.seat.to_string(), one_line(&row.assumption), one_line(&row.why), one_line(&row.what_would_change)]
    });
    let head = ["Seat", "Core assumption", "Why it still disagrees", "What would make the other side right"];
    Part::new(ASSUMPTIONS, Body::Table(Table::new(&head, rows.collect())))
}

fn without(account: &Account) -> Part {
    let rows = account.verdict.assessment.robustness.iter().flat_map(|robustness| &robustness.without).map(|without| {
        let winner = without.winner.as_ref().map_or_else(|| "nobody".to_owned(), |id| name(account, id));
        vec![without.seat.to_string(), winner, if without.holds { "holds" } else { "does not hold" }.to_owned()]
    });
    Part::new("Without one seat", Body::Table(Table::new(&["Left out", "Would win", "The outcome"], rows.collect())))
}

fn rules(account: &Account) -> Part {
    let robustness = account.verdict.assessment.robustness.iter();
    let rows = robustness.flat_map(|robustness| {
        let disagreeing = robustness.disagreeing();
        let counts = robustness.rules.iter().map(move |count| {
            let top: Vec<String> = count.top.iter().map(|id| name(account, id)).collect();
            let agrees = match (&robustness.winner, disagreeing.contains(&count)) {
                (None, _) => "",
                (Some(_), true) => "disagrees",
                (Some(_), false) if count.top.len() > 1 => "even",
                (Some(_), false) => "agrees",
            };
            vec![count.rule.word().to_owned(), top.join(", "), agrees.to_owned()]
        });
        let as_cast = robustness.as_cast.as_ref().map_or_else(|| "nobody".to_owned(), |id| name(account, id));
        let same =
            if robustness.as_cast == robustness.winner { "agrees" } else { "disagrees; told, not held against it" };
        counts.chain([vec!["as last cast, earned or not".to_owned(), as_cast, same.to_owned()]])
    });
    Part::new("Other ways of counting", Body::Table(Table::new(&["Counted by", "Most", "The verdict"], rows.collect())))
}

fn quotes(account: &Account) -> Part {
    let rows = account.verdict.assessment.grounding.iter().flat_map(|grounding| {
        grounding.quotes.iter().map(|quote| {
            let place = match &quote.found {
                Some(place) => format!("{}:{}", one_line(&place.material), place.line),
                None => format!("NOT FOUND in {}", one_line(&quote.source)),
            };
            vec![quote.turn.to_string(), one_line(&quote.text), place]
        })
    });
    Part::new("Quotes", Body::Table(Table::new(&["Turn", "Quote", "Where it stands"], rows.collect())))
}

fn alone(account: &Account) -> Part {
    let items = account.verdict.assessment.control.iter().flat_map(|control| {
        let votes: Vec<String> =
            control.votes.iter().map(|(id, votes)| format!("{} {votes}", name(account, id))).collect();
        let asked = format!("asked {} times, answered {}: {}", control.asked, control.answered, votes.join(", "));
        let grounds = |about: &str, texts: &[String]| Item {
            about: about.to_owned(),
            text: if texts.is_empty() { "none".to_owned() } else { texts.len().to_string() },
            under: texts.iter().map(|text| one_line(text)).collect(),
        };
        [
            item(control.seat.as_str(), asked.trim_end_matches([':', ' '])),
            grounds("grounds and risks only in the debate", &control.only_in_debate),
            grounds("grounds and risks only alone", &control.only_in_control),
        ]
    });
    Part::new("One seat alone", Body::List(items.collect()))
}

fn notes(account: &Account) -> Part {
    Part::new(
        "Notes",
        Body::List(account.verdict.ruling.notes.iter().map(|note| item("", note.fact.sentence())).collect()),
    )
}

fn models(account: &Account) -> Part {
    let known = account.served.iter().any(|one| one.model.is_some() || one.family.is_some());
    let rows = account.served.iter().filter(|_| known).map(|one| {
        let or_dash = |text: &Option<String>| text.as_deref().map_or_else(|| "-".to_owned(), one_line);
        vec![one.seat.to_string(), or_dash(&one.model), or_dash(&one.family)]
    });
    Part::new("Models as served", Body::Table(Table::new(&["Seat", "Model", "Family"], rows.collect())))
}

fn cost(account: &Account) -> Part {
    let mut lines = vec![format!("{}.", spent(account))];
    let seats: Vec<String> = account
        .per_seat()
        .into_iter()
        .filter_map(|row| Some(format!("{} {} in {}", row.seat, row.tokens?, row.calls)))
        .collect();
    if !seats.is_empty() {
        lines.push(format!("Tokens and calls by seat: {}.", seats.join(", ")));
    }
    lines.extend(cost_by_seat(account).map(|seats| format!("Cost by seat: {seats}.")));
    Part::new("Cost", Body::Lines(lines))
}

fn turns(account: &Account) -> Part {
    let rows = account.turns.iter().map(|turn| {
        let digest = turn.digest.to_string();
        vec![
            turn.key.to_string(),
            spoke_for(turn),
            turn.model_served.as_deref().map_or_else(|| "-".to_owned(), one_line),
            if turn.text.is_some() { "yes" } else { "no" }.to_owned(),
            one_line(&turn.file),
            digest,
        ]
    });
    let head = ["Turn", "Agent", "Model served", "Spoke", "File", "Digest"];
    Part::new("Turns", Body::Table(Table::new(&head, rows.collect())))
}

// The digests of what is kept and of the reports themselves stay out: a report cannot hold its own digest.
fn check(account: &Account) -> Part {
    let lines = vec![
        format!(
            "Everything above follows from the files; anyone who has them can derive it again: forge verify {}, or forge verify on this folder",
            account.plan.id
        ),
        format!("Rules: {}", account.plan.protocol),
        format!("Plan: {} ({})", one_line(&account.plan_file), account.plan_digest),
        format!("Record: {}", account.record),
    ];
    Part::new("How to check", Body::Lines(lines))
}

fn name(account: &Account, option: &OptionId) -> String {
    one_line(&account.plan.option_name(option))
}
