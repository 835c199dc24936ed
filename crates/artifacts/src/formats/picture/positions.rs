//! Positions over the rounds. Columns are the waves in which seats took a stand; lanes are the options, and below them the
//! stands that are no option, each under its own word.

use super::super::details::{columns, standing};
use super::{Canvas, Look, colour, escaped, mark, nothing, number, width_of};
use crate::formats::summary::{one_line, shortened};
use crate::formats::verdict::Account;
use forge_debate::course::Stand;
use forge_debate::plan::{OptionId, SeatId};
use forge_debate::voting::Merit;

const TITLE: &str = "Positions over the rounds";
/// The most stands that are no option and still have lanes of their own.
const WORDS_LIMIT: usize = 8;
const OTHER: &str = "another stand";
const LABEL_CHARACTERS: usize = 24;
const NAME_CHARACTERS: usize = 18;
/// The most characters of a stand's words for those who point at it.
const WORDS_WIDTH: usize = 400;
const HEAD: f64 = 62.0;
const SLOT: f64 = 20.0;
const LANE_PADDING: f64 = 10.0;
const LANE_GAP: f64 = 6.0;
const GROUP_GAP: f64 = 18.0;
const LEGEND: f64 = 46.0;
const MARGIN: f64 = 16.0;
/// The columns together are this wide, where that leaves room for their heads.
const STEPS_WIDTH: f64 = 560.0;

/// What a lane stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Option(OptionId),
    Word(String),
}

/// A lane with the seats that are ever in it: each has a slot of its own there, so that lines never lie on each other.
struct Lane<'a> {
    place: Place,
    seats: Vec<&'a SeatId>,
    top: f64,
    height: f64,
}

impl Lane<'_> {
    fn middle(&self) -> f64 {
        self.top + self.height / 2.0
    }

    fn slot(&self, seat: &SeatId) -> f64 {
        let slot = self.seats.iter().position(|one| *one == seat).unwrap_or(0) as f64;
        self.top + LANE_PADDING + SLOT * (slot + 0.5)
    }
}

/// One seat's way through the columns: where it counts, and where it voted without a ground.
struct Point<'a> {
    stand: &'a Stand,
    column: usize,
    at: (f64, f64),
    ghost: Option<(f64, f64)>,
}

pub(super) fn draw(account: &Account) -> Canvas {
    let columns = columns(account);
    let seats = standing(account);
    if columns.is_empty() || seats.is_empty() {
        return nothing(TITLE, "No positions are on record.");
    }
    let lanes = lanes(account, &seats);
    let label = lanes.iter().map(|lane| lane_label(account, lane).chars().count().min(LABEL_CHARACTERS)).max();
    let left = MARGIN + width_of(label.unwrap_or(0)) + 28.0;
    let step = (STEPS_WIDTH / columns.len() as f64).clamp(78.0, 190.0);
    let plot = step * columns.len() as f64;
    let name = seats.iter().map(|seat| seat.as_str().chars().count().min(NAME_CHARACTERS)).max().unwrap_or(0);
    let width = (left + plot + 18.0 + width_of(name) + MARGIN).max(600.0);
    let bottom = lanes.last().map_or(HEAD, |lane| lane.top + lane.height);
    let mut canvas = Canvas::new(width.ceil() as i32, (bottom + LEGEND) as i32, TITLE, description(account, &seats));
    let x = |column: usize| left + step * (column as f64 + 0.5);

    canvas.text((MARGIN, 25.0), Look::TITLE, TITLE);
    for lane in &lanes {
        let won = matches!(&lane.place, Place::Option(id) if account.verdict.options().contains(id));
        canvas.add(&format!(
            "<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"5\"/>",
            if won { "fp-won" } else { "fp-lane" },
            number(left - 8.0),
            number(lane.top),
            number(plot + 16.0),
            number(lane.height)
        ));
        let look = match lane.place {
            Place::Option(_) => Look::LABEL.end(),
            Place::Word(_) => Look { size: 13, ..Look::SOFT.end() },
        };
        let lift = if won && lane.height > 34.0 { 8.0 } else { 0.0 };
        let at = (left - 18.0, lane.middle() + 4.5 - lift);
        canvas.label(at, if won { look.bold() } else { look }, &lane_label(account, lane), LABEL_CHARACTERS);
        if lift > 0.0 {
            canvas.text((left - 18.0, lane.middle() + 12.5), Look { size: 11, ..Look::SOFT.end() }, "decided for");
        }
    }
    for (i, column) in columns.iter().enumerate() {
        canvas.add(&format!(
            "<line class=\"fp-line\" x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" y2=\"{2}\"/>",
            number(x(i)),
            number(HEAD - 2.0),
            number(bottom)
        ));
        let up = if column.round == 0 { 0.0 } else { 7.0 };
        canvas.text((x(i), HEAD - 10.0 - up), Look::SOFT.middle(), column.stage);
        if column.round > 0 {
            let look = Look { size: 11, ..Look::SOFT.middle() };
            canvas.text((x(i), HEAD - 4.0), look, &format!("round {}", column.round));
        }
    }
    let mut marks = String::new();
    for (number_of_seat, seat) in seats.iter().enumerate() {
        for words in [false, true] {
            let way = way(account, &lanes, seat, words, |step| {
                let column = columns.iter().position(|column| column.step == step).unwrap_or(0);
                (column, x(column))
            });
            if way.is_empty() {
                continue;
            }
            line(&mut canvas, number_of_seat, &way, step);
            for point in &way {
                marks.push_str(&stand_mark(account, number_of_seat, point));
            }
            let end = left + plot + 18.0;
            if let Some(last) = way.last() {
                if last.column + 1 < columns.len() {
                    canvas.add(&format!(
                        "<line stroke=\"{}\" stroke-width=\"1.5\" stroke-opacity=\"0.45\" stroke-dasharray=\"1 5\" x1=\"{}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\"/>",
                        colour(number_of_seat),
                        number(last.at.0 + 8.0),
                        number(end - 12.0),
                        y = number(last.at.1)
                    ));
                }
                canvas.label((end, last.at.1 + 4.5), Look::LABEL, seat.as_str(), NAME_CHARACTERS);
            }
        }
    }
    canvas.add(marks.trim_end());
    legend(&mut canvas, bottom + 28.0);
    canvas
}

fn lane_label(account: &Account, lane: &Lane<'_>) -> String {
    match &lane.place {
        Place::Option(id) => match account.plan.option(id) {
            Some(option) => format!("{id} · {}", one_line(&option.label)),
            None => id.to_string(),
        },
        Place::Word(word) => word.clone(),
    }
}

/// Where a stand counts, and where it was cast if that is somewhere else.
fn places(stand: &Stand, words: &[String]) -> (Option<Place>, Option<Place>) {
    let option = stand.counted.as_ref().or(stand.cast.as_ref()).cloned().map(Place::Option);
    let word = || {
        let word = one_line(stand.word.as_deref().unwrap_or(OTHER));
        Place::Word(if words.contains(&word) { word } else { OTHER.to_owned() })
    };
    let ghost = match (&stand.cast, &stand.counted) {
        (Some(cast), Some(counted)) if cast != counted => Some(Place::Option(cast.clone())),
        _ => None,
    };
    (Some(option.unwrap_or_else(word)), ghost)
}

/// The stands that are no option, in the order in which they first came up, as many as have lanes of their own.
fn words(account: &Account) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for stand in
        account.verdict.assessment.course.stands.iter().filter(|one| one.cast.is_none() && one.counted.is_none())
    {
        let word = one_line(stand.word.as_deref().unwrap_or(OTHER));
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(WORDS_LIMIT);
    words
}

fn lanes<'a>(account: &'a Account, seats: &[&'a SeatId]) -> Vec<Lane<'a>> {
    let words = words(account);
    let stands = &account.verdict.assessment.course.stands;
    let mut found: Vec<Place> = Vec::new();
    let any_option = stands.iter().any(|stand| stand.cast.is_some() || stand.counted.is_some());
    if any_option {
        found.extend(account.plan.options.iter().map(|option| Place::Option(option.id.clone())));
    }
    for stand in stands {
        let (place, ghost) = places(stand, &words);
        for place in place.into_iter().chain(ghost) {
            if !found.contains(&place) {
                found.push(place);
            }
        }
    }
    // Options first, then words; the sort keeps the order within each.
    found.sort_by_key(|place| matches!(place, Place::Word(_)));
    let mut top = HEAD;
    let mut lanes: Vec<Lane<'a>> = Vec::new();
    for place in found {
        let here = |seat: &SeatId| {
            stands.iter().filter(|stand| stand.seat == *seat).any(|stand| {
                let (one, ghost) = places(stand, &words);
                one.as_ref() == Some(&place) || ghost.as_ref() == Some(&place)
            })
        };
        let inside: Vec<&'a SeatId> = seats.iter().copied().filter(|seat| here(seat)).collect();
        let first_word =
            matches!(place, Place::Word(_)) && lanes.last().is_some_and(|lane| matches!(lane.place, Place::Option(_)));
        if first_word {
            top += GROUP_GAP;
        }
        let height = 2.0 * LANE_PADDING + SLOT * inside.len().max(1) as f64;
        let height = if inside.is_empty() { 28.0 } else { height };
        lanes.push(Lane { place, seats: inside, top, height });
        top += height + LANE_GAP;
    }
    lanes
}

fn way<'a>(
    account: &'a Account,
    lanes: &[Lane<'_>],
    seat: &SeatId,
    of_words: bool,
    column: impl Fn(usize) -> (usize, f64),
) -> Vec<Point<'a>> {
    let words = words(account);
    let height = |place: &Place| lanes.iter().find(|lane| lane.place == *place).map(|lane| lane.slot(seat));
    let stands = account.verdict.assessment.course.stands.iter().filter(|stand| stand.seat == *seat);
    stands
        .filter_map(|stand| {
            let (place, ghost) = places(stand, &words);
            let place = place.filter(|place| matches!(place, Place::Word(_)) == of_words)?;
            let (column, x) = column(stand.step);
            let ghost = ghost.as_ref().and_then(height).map(|y| (x, y));
            Some(Point { stand, column, at: (x, height(&place)?), ghost })
        })
        .collect()
}

fn curve(from: (f64, f64), to: (f64, f64), step: f64) -> String {
    // The bend stays in the last column of the way: a seat that was silent in between stood where it was.
    let start = (to.0 - step).max(from.0);
    let middle = (start + to.0) / 2.0;
    format!(
        "M{} {}H{}C{} {} {} {} {} {}",
        number(from.0),
        number(from.1),
        number(start),
        number(middle),
        number(from.1),
        number(middle),
        number(to.1),
        number(to.0),
        number(to.1)
    )
}

fn line(canvas: &mut Canvas, seat: usize, way: &[Point<'_>], step: f64) {
    for pair in way.windows(2) {
        let [from, to] = pair else { continue };
        canvas.add(&format!(
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.5\"/>",
            curve(from.at, to.at, step),
            colour(seat)
        ));
        if let Some(ghost) = to.ghost {
            let from = from.ghost.filter(|before| before.1 == ghost.1).unwrap_or(from.at);
            canvas.add(&format!(
                "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"5 4\"/>",
                curve(from, ghost, step),
                colour(seat)
            ));
        }
    }
}

fn stand_mark(account: &Account, seat: usize, point: &Point<'_>) -> String {
    let fill = format!("fill=\"{}\"", colour(seat));
    let mut out = format!("<g><title>{}</title>", escaped(&told(account, point.stand)));
    let earned = point.stand.change == Some(Merit::Earned);
    if earned {
        let ring = format!("fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"", colour(seat));
        out.push_str(&mark(seat, point.at, 8.0, &ring));
    }
    out.push_str(&mark(seat, point.at, 4.8, &fill));
    if let Some(ghost) = point.ghost {
        let hollow =
            format!("class=\"fp-node\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"3 2\"", colour(seat));
        out.push_str(&mark(seat, ghost, 5.0, &hollow));
    }
    out.push_str("</g>\n");
    out
}

/// A stand in words.
fn told(account: &Account, stand: &Stand) -> String {
    let name = |id: &OptionId| shortened(&account.plan.option_name(id), WORDS_WIDTH);
    let what = match (&stand.cast, &stand.counted) {
        (Some(cast), Some(counted)) if cast != counted => {
            format!("votes {} without a ground; {} counts", name(cast), name(counted))
        }
        (Some(option), _) | (None, Some(option)) if stand.change == Some(Merit::Earned) => {
            format!("moves to {}, earned", name(option))
        }
        (Some(option), _) | (None, Some(option)) => name(option),
        (None, None) => shortened(stand.word.as_deref().unwrap_or(OTHER), WORDS_WIDTH),
    };
    match stand.round {
        0 => format!("{} ({}): {what}", stand.seat, stand.stage),
        round => format!("{} ({}, round {round}): {what}", stand.seat, stand.stage),
    }
}

/// All of it in words, for those who cannot see it.
fn description(account: &Account, seats: &[&SeatId]) -> String {
    let ways = seats.iter().map(|seat| {
        let stands = account.verdict.assessment.course.stands.iter().filter(|stand| stand.seat == **seat);
        stands.map(|stand| told(account, stand)).collect::<Vec<_>>().join("; ")
    });
    format!("{}.", ways.collect::<Vec<_>>().join(". "))
}

fn legend(canvas: &mut Canvas, y: f64) {
    let look = Look { size: 12, ..Look::SOFT };
    let grey = "#6e7781";
    let stroke = format!("stroke=\"{grey}\" fill=\"none\"");
    let at = |canvas: &mut Canvas, x: f64, text: &str| canvas.text((x, y + 4.0), look, text);
    canvas.add(&mark(0, (MARGIN + 8.0, y), 4.8, &format!("fill=\"{grey}\"")));
    at(canvas, MARGIN + 22.0, "stands here");
    canvas.add(&mark(0, (MARGIN + 122.0, y), 4.8, &format!("fill=\"{grey}\"")));
    canvas.add(&mark(0, (MARGIN + 122.0, y), 8.0, &format!("{stroke} stroke-width=\"1.5\"")));
    at(canvas, MARGIN + 138.0, "moved here, earned");
    let from = MARGIN + 272.0;
    canvas.add(&format!(
        "<path d=\"M{} {y}H{}\" {stroke} stroke-width=\"2\" stroke-dasharray=\"5 4\"/>",
        number(from),
        number(from + 30.0),
        y = number(y)
    ));
    let hollow = format!("class=\"fp-node\" stroke=\"{grey}\" stroke-width=\"2\" stroke-dasharray=\"3 2\"");
    canvas.add(&mark(0, (from + 34.0, y), 5.0, &hollow));
    at(canvas, from + 48.0, "voted here without a ground: not counted");
}
