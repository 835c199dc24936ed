//! Who challenged whom. Few seats stand in a ring with arrows between them; many would be a tangle, so they get a grid.

use super::super::details::{owes_challenges, parties};
use super::{Canvas, Look, TITLE_LIMIT, colour, escaped, nothing, number, width_of};
use crate::formats::summary::{one_line, shortened};
use crate::formats::verdict::Account;
use forge_debate::plan::SeatId;
use std::fmt::Write as _;

const TITLE: &str = "Who challenged whom";
/// More seats than this, or more arrows, are drawn as a grid.
const RING_LIMIT: usize = 5;
const ARROWS_LIMIT: usize = 12;
const NAME_CHARACTERS: usize = 16;
const MARGIN: f64 = 16.0;

/// Challenges between two seats, one way.
struct Arrow {
    from: usize,
    to: usize,
    times: usize,
    /// What they say, for those who point at the arrow.
    said: String,
}

pub(super) fn draw(account: &Account) -> Canvas {
    let seats = parties(account);
    let arrows = arrows(account, &seats);
    if arrows.is_empty() {
        return nothing(TITLE, "Nobody challenged anybody.");
    }
    // A challenge to oneself has no place in a ring.
    let few = seats.len() <= RING_LIMIT && arrows.len() <= ARROWS_LIMIT;
    let ring_fits = few && arrows.iter().all(|arrow| arrow.from != arrow.to);
    let quiet = silent(account, &seats, &arrows);
    if ring_fits { ring(&seats, &arrows, &quiet) } else { grid(&seats, &arrows, &quiet) }
}

fn arrows(account: &Account, seats: &[&SeatId]) -> Vec<Arrow> {
    let mut arrows: Vec<Arrow> = Vec::new();
    for one in &account.verdict.assessment.course.challenges {
        let place = |seat: &SeatId| seats.iter().position(|known| *known == seat).unwrap_or(0);
        let (from, to) = (place(&one.from), place(&one.to));
        let said = one_line(&one.text);
        match arrows.iter_mut().find(|arrow| (arrow.from, arrow.to) == (from, to)) {
            Some(arrow) => {
                arrow.times += 1;
                let _ = write!(arrow.said, " / {said}");
            }
            None => arrows.push(Arrow { from, to, times: 1, said }),
        }
    }
    arrows.sort_by_key(|arrow| (arrow.from, arrow.to));
    arrows
}

fn told(seats: &[&SeatId], arrow: &Arrow) -> String {
    let name = |seat: usize| seats.get(seat).map_or("", |seat| seat.as_str());
    let times = if arrow.times == 1 { "once".to_owned() } else { format!("{} times", arrow.times) };
    format!("{} challenged {} {times}", name(arrow.from), name(arrow.to))
}

/// The seats that could have challenged somebody and did not.
fn silent(account: &Account, seats: &[&SeatId], arrows: &[Arrow]) -> Vec<usize> {
    let silent =
        |(i, seat): &(usize, &&SeatId)| owes_challenges(account, seat) && !arrows.iter().any(|arrow| arrow.from == *i);
    seats.iter().enumerate().filter(silent).map(|(i, _)| i).collect()
}

fn description(seats: &[&SeatId], arrows: &[Arrow], quiet: &[usize]) -> String {
    let nobody = quiet.iter().filter_map(|seat| seats.get(*seat)).map(|seat| format!("{seat} challenged nobody"));
    arrows.iter().map(|arrow| told(seats, arrow)).chain(nobody).collect::<Vec<_>>().join("; ")
}

/// Where the seats of a ring stand, in thousandths of its radius: evenly around, the first on top or upper left.
fn ring_places(seats: usize) -> &'static [(i32, i32)] {
    match seats {
        0 | 1 => &[(0, 0)],
        2 => &[(-1000, 0), (1000, 0)],
        3 => &[(0, -1000), (866, 500), (-866, 500)],
        4 => &[(-1000, -760), (1000, -760), (1000, 760), (-1000, 760)],
        _ => &[(0, -1000), (951, -309), (588, 809), (-588, 809), (-951, -309)],
    }
}

/// A seat of the ring.
struct Node {
    at: (f64, f64),
    half: (f64, f64),
}

impl Node {
    /// Where a way from the middle towards `target` leaves the seat's box, `gap` further out.
    fn edge(&self, target: (f64, f64), gap: f64) -> (f64, f64) {
        let (dx, dy) = (target.0 - self.at.0, target.1 - self.at.1);
        let length = (dx * dx + dy * dy).sqrt().max(1.0);
        let (x, y) = (dx / length, dy / length);
        let across = if x.abs() > 0.001 { self.half.0 / x.abs() } else { f64::MAX };
        let down = if y.abs() > 0.001 { self.half.1 / y.abs() } else { f64::MAX };
        let out = across.min(down) + gap;
        (self.at.0 + x * out, self.at.1 + y * out)
    }
}

fn ring(seats: &[&SeatId], arrows: &[Arrow], quiet: &[usize]) -> Canvas {
    let (width, radius) = (520.0, if seats.len() <= 2 { (160.0, 0.0) } else { (170.0, 130.0) });
    let places = ring_places(seats.len());
    let highest = places.iter().map(|(_, y)| *y).min().unwrap_or(0);
    let lowest = places.iter().map(|(_, y)| *y).max().unwrap_or(0);
    let top = if seats.len() <= 2 { 110.0 } else { 74.0 };
    let middle = top - f64::from(highest) / 1000.0 * radius.1;
    let height = middle + f64::from(lowest) / 1000.0 * radius.1 + if seats.len() <= 2 { 110.0 } else { 82.0 };
    let mut canvas = Canvas::new(width as i32, height as i32, TITLE, description(seats, arrows, quiet));
    canvas.text((MARGIN, 25.0), Look::TITLE, TITLE);
    let nodes: Vec<Node> = seats
        .iter()
        .zip(places)
        .map(|(seat, (x, y))| Node {
            at: (width / 2.0 + f64::from(*x) / 1000.0 * radius.0, middle + f64::from(*y) / 1000.0 * radius.1),
            half: (width_of(seat.as_str().chars().count().clamp(4, NAME_CHARACTERS)) / 2.0 + 14.0, 17.0),
        })
        .collect();
    let mut badges = String::new();
    for arrow in arrows {
        let (Some(from), Some(to)) = (nodes.get(arrow.from), nodes.get(arrow.to)) else { continue };
        badges.push_str(&draw_arrow(&mut canvas, seats, arrow, from, to));
    }
    canvas.add(badges.trim_end());
    for (i, (seat, node)) in seats.iter().zip(&nodes).enumerate() {
        let dashes = if quiet.contains(&i) { " stroke-dasharray=\"4 3\"" } else { "" };
        canvas.add(&format!(
            "<rect class=\"fp-node\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"17\" stroke=\"{}\" stroke-width=\"2\"{dashes}/>",
            number(node.at.0 - node.half.0),
            number(node.at.1 - node.half.1),
            number(2.0 * node.half.0),
            number(2.0 * node.half.1),
            colour(i)
        ));
        canvas.label((node.at.0, node.at.1 + 4.5), Look::LABEL.middle(), seat.as_str(), NAME_CHARACTERS);
        if quiet.contains(&i) {
            let below = node.at.1 >= middle - 1.0;
            let y = if below { node.at.1 + 34.0 } else { node.at.1 - 24.0 };
            canvas.text((node.at.0, y), Look { size: 11, ..Look::SOFT.middle() }, "challenged nobody");
        }
    }
    let note = "An arrow points at the seat that was challenged; the number says how often.";
    canvas.text((MARGIN, height - 16.0), Look::SOFT, note);
    canvas
}

/// Draws an arrow, and gives back its number, which belongs above all lines.
fn draw_arrow(canvas: &mut Canvas, seats: &[&SeatId], arrow: &Arrow, from: &Node, to: &Node) -> String {
    let (dx, dy) = (to.at.0 - from.at.0, to.at.1 - from.at.1);
    let length = (dx * dx + dy * dy).sqrt().max(1.0);
    // Each way bends to its own left, so that there and back do not lie on each other.
    let bend = (0.2 * length).clamp(34.0, 60.0);
    let control = ((from.at.0 + to.at.0) / 2.0 + dy / length * bend, (from.at.1 + to.at.1) / 2.0 - dx / length * bend);
    let thick = 1.4 + 0.8 * arrow.times.min(6) as f64;
    let start = from.edge(control, 3.0);
    let tip = to.edge(control, 4.0);
    let (hx, hy) = (tip.0 - control.0, tip.1 - control.1);
    let reach = (hx * hx + hy * hy).sqrt().max(1.0);
    let (hx, hy) = (hx / reach, hy / reach);
    let head = 8.0 + thick;
    let neck = (tip.0 - hx * head, tip.1 - hy * head);
    let half = 3.5 + 0.7 * thick;
    let title = escaped(&shortened(&format!("{}: {}", told(seats, arrow), arrow.said), TITLE_LIMIT));
    canvas.add(&format!(
        "<g><title>{title}</title><path d=\"M{} {}Q{} {} {} {}\" fill=\"none\" stroke=\"{c}\" stroke-width=\"{}\"/><polygon points=\"{},{} {},{} {},{}\" fill=\"{c}\"/></g>",
        number(start.0),
        number(start.1),
        number(control.0),
        number(control.1),
        number(neck.0),
        number(neck.1),
        number(thick),
        number(tip.0),
        number(tip.1),
        number(neck.0 - hy * half),
        number(neck.1 + hx * half),
        number(neck.0 + hy * half),
        number(neck.1 - hx * half),
        c = colour(arrow.from),
    ));
    // A third along its way: in the middle, where ways cross, numbers would lie on each other.
    let along = |a: f64, b: f64, c: f64| 0.45 * a + 0.44 * b + 0.11 * c;
    let at = (along(start.0, control.0, neck.0), along(start.1, control.1, neck.1));
    format!(
        "<g><title>{title}</title><circle class=\"fp-node\" cx=\"{x}\" cy=\"{}\" r=\"10.5\" stroke=\"{}\" stroke-width=\"1.5\"/><text class=\"fp-text\" x=\"{x}\" y=\"{}\" font-size=\"12\" font-weight=\"600\" text-anchor=\"middle\">{}</text></g>\n",
        number(at.1),
        colour(arrow.from),
        number(at.1 + 4.3),
        arrow.times,
        x = number(at.0),
    )
}

fn grid(seats: &[&SeatId], arrows: &[Arrow], quiet: &[usize]) -> Canvas {
    const CELL: (f64, f64) = (46.0, 30.0);
    let longest = seats.iter().map(|seat| seat.as_str().chars().count().min(NAME_CHARACTERS)).max().unwrap_or(0);
    let left = MARGIN + width_of(longest) + 14.0;
    // Column names climb at 40 degrees: their rise is 0.64 of their length, their reach to the right 0.77.
    let rise = 0.64 * width_of(longest) + 14.0;
    let top = 62.0 + rise;
    let count = seats.len() as f64;
    let reach = 0.77 * width_of(longest);
    let right = left + CELL.0 * count;
    let width = (right + (reach + 8.0).max(96.0) + MARGIN).max(520.0);
    let bottom = top + CELL.1 * count;
    let mut canvas =
        Canvas::new(width.ceil() as i32, (bottom + 44.0).ceil() as i32, TITLE, description(seats, arrows, quiet));
    canvas.text((MARGIN, 25.0), Look::TITLE, TITLE);
    canvas.text((MARGIN, 44.0), Look::SOFT, "A row shows how often its seat challenged the seat of each column.");
    let most = arrows.iter().map(|arrow| arrow.times).max().unwrap_or(1).max(1);
    for (i, seat) in seats.iter().enumerate() {
        let x = left + CELL.0 * (i as f64 + 0.5);
        canvas.add(&format!("<g transform=\"translate({} {}) rotate(-40)\">", number(x - 2.0), number(top - 8.0)));
        canvas.label((0.0, 0.0), Look::LABEL, seat.as_str(), NAME_CHARACTERS);
        canvas.add("</g>");
        let y = top + CELL.1 * (i as f64 + 0.5);
        canvas.label((left - 10.0, y + 4.5), Look::LABEL.end(), seat.as_str(), NAME_CHARACTERS);
        if quiet.contains(&i) {
            canvas.text((right + 10.0, y + 4.0), Look { size: 12, ..Look::SOFT.bold() }, "nobody");
        } else {
            let all: usize = arrows.iter().filter(|arrow| arrow.from == i).map(|arrow| arrow.times).sum();
            canvas.text((right + 10.0, y + 4.0), Look::SOFT, &format!("{all} in all"));
        }
        for j in 0..seats.len() {
            let at = (left + CELL.0 * j as f64, top + CELL.1 * i as f64);
            canvas.add(&cell(
                seats,
                arrows.iter().find(|arrow| (arrow.from, arrow.to) == (i, j)),
                at,
                CELL,
                most,
                i == j,
            ));
        }
    }
    canvas
}

fn cell(
    seats: &[&SeatId],
    arrow: Option<&Arrow>,
    (x, y): (f64, f64),
    (width, height): (f64, f64),
    most: usize,
    own: bool,
) -> String {
    let rect = |class: &str, opacity: &str| {
        format!(
            "<rect class=\"{class}\"{opacity} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
            number(x + 1.5),
            number(y + 1.5),
            number(width - 3.0),
            number(height - 3.0)
        )
    };
    match arrow {
        Some(arrow) => {
            // A tenth to half of the colour: enough to see, and the number stays legible on it.
            let tint = 12 + 38 * arrow.times / most.max(4);
            let said = shortened(&format!("{}: {}", told(seats, arrow), arrow.said), TITLE_LIMIT);
            format!(
                "<g><title>{}</title>{}<text class=\"fp-text\" x=\"{}\" y=\"{}\" font-size=\"13\" font-weight=\"600\" text-anchor=\"middle\">{}</text></g>",
                escaped(&said),
                rect("fp-cell", &format!(" fill-opacity=\"0.{tint}\"")),
                number(x + width / 2.0),
                number(y + height / 2.0 + 4.5),
                arrow.times
            )
        }
        None if own => format!(
            "<text class=\"fp-soft\" x=\"{}\" y=\"{}\" font-size=\"12\" text-anchor=\"middle\">·</text>",
            number(x + width / 2.0),
            number(y + height / 2.0 + 4.0)
        ),
        None => rect("fp-lane", ""),
    }
}
