//! Pictures of a debate as SVG: who stood where over the rounds, and who challenged whom.
//!
//! Pure functions of the account, drawn without fonts, scripts or links of any kind, so that a file can be mailed, put
//! into a page or committed. The same account gives the same bytes. Colours work on light and dark ground and for
//! colour-blind readers; nothing is said by colour alone.

mod challenges;
mod positions;

use super::summary::{self, one_line, shortened};
use super::verdict::Account;
use std::fmt::Write as _;

/// A picture that forge can draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Picture {
    /// Who stood where, round by round, and which moves were earned.
    Positions,
    /// Who challenged whom, and how often.
    Challenges,
}

/// Draws a picture.
pub fn draw(account: &Account, picture: Picture) -> String {
    match picture {
        Picture::Positions => positions(account),
        Picture::Challenges => challenges(account),
    }
}

/// Who stood where, round by round: a line for each seat, through the options as counted. A move that was not earned is
/// a dashed way to the option that was voted for, while the line stays where it counts.
pub fn positions(account: &Account) -> String {
    positions::draw(account).finish(account)
}

/// Who challenged whom, and how often: arrows between few seats, a grid for many.
pub fn challenges(account: &Account) -> String {
    challenges::draw(account).finish(account)
}

/// Seats' colours: each with contrast of 3 to 1 or more on white and on near-black, told apart by colour-blind readers.
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#00936b", "#b65fa0", "#8f7400", "#7a6fd0", "#6e7781", "#c04a5e"];

/// The pictures' own look. Names begin with `fp-`: in a page, styles are everybody's.
const STYLE: &str = ".fp-bg{fill:#fff}.fp-lane{fill:#f3f4f6}.fp-won{fill:#dcefe3}.fp-text{fill:#1f2328}.fp-soft{fill:#59636e}.fp-line{stroke:#d1d9e0}.fp-node{fill:#fff}.fp-cell{fill:#0072b2}\
@media screen and (prefers-color-scheme:dark){.fp-bg{fill:#14171c}.fp-lane{fill:#1f242c}.fp-won{fill:#1d3527}.fp-text{fill:#e6edf3}.fp-soft{fill:#9aa4af}.fp-line{stroke:#3a424c}.fp-node{fill:#14171c}.fp-cell{fill:#4aa3df}}";

/// The type size of labels, and how wide one of its characters is on average.
const TYPE_SIZE: i32 = 13;
const CHARACTER_WIDTH: f64 = 7.0;

/// An SVG that is being drawn.
struct Canvas {
    width: i32,
    height: i32,
    title: &'static str,
    description: String,
    body: String,
}

impl Canvas {
    fn new(width: i32, height: i32, title: &'static str, description: String) -> Self {
        Self { width, height, title, description, body: String::new() }
    }

    /// Adds markup.
    fn add(&mut self, markup: &str) {
        self.body.push_str(markup);
        self.body.push('\n');
    }

    /// Adds a text at its base line.
    fn text(&mut self, at: (f64, f64), look: Look, text: &str) {
        let Look { class, size, anchor, bold } = look;
        let weight = if bold { " font-weight=\"600\"" } else { "" };
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\" font-size=\"{size}\" text-anchor=\"{anchor}\"{weight}>{}</text>",
            number(at.0),
            number(at.1),
            escaped(text)
        );
    }

    /// Adds a text that is shortened to its place; the whole is told to those who point at it.
    fn label(&mut self, at: (f64, f64), look: Look, text: &str, characters: usize) {
        let (whole, short) = (one_line(text), shortened(text, characters));
        if whole == short {
            self.text(at, look, &short);
            return;
        }
        let _ = write!(self.body, "<g><title>{}</title>", escaped(&shortened(&whole, TITLE_LIMIT)));
        self.text(at, look, &short);
        self.body.push_str("</g>\n");
    }

    /// Moves everything down and puts a line above it.
    fn head(&mut self, text: &str) {
        let body = std::mem::take(&mut self.body);
        let room = (f64::from(self.width - 32) / CHARACTER_WIDTH) as usize;
        self.label((16.0, f64::from(HEAD_LINE) - 6.0), Look::LABEL.bold(), text, room);
        self.add(&format!("<g transform=\"translate(0 {HEAD_LINE})\">\n{body}</g>"));
        self.height += HEAD_LINE;
        self.description = format!("{text}. {}", self.description);
    }

    /// The file. What no model said is labelled at its head.
    fn finish(mut self, account: &Account) -> String {
        if let Some(text) = summary::rehearsal(account) {
            self.head(&format!("REHEARSAL: {text}"));
        }
        let Canvas { width, height, title, description, body } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif\">\n<title>{}</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n<rect class=\"fp-bg\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n{body}</svg>\n",
            escaped(title),
            escaped(&description)
        )
    }
}

/// How high a line above the picture is.
const HEAD_LINE: i32 = 26;

/// The most characters of somebody's words in a title.
const TITLE_LIMIT: usize = 600;

/// How a text looks.
#[derive(Debug, Clone, Copy)]
struct Look {
    class: &'static str,
    size: i32,
    anchor: &'static str,
    bold: bool,
}

impl Look {
    const TITLE: Look = Look { class: "fp-text fp-title", size: 14, anchor: "start", bold: true };
    const LABEL: Look = Look { class: "fp-text", size: TYPE_SIZE, anchor: "start", bold: false };
    const SOFT: Look = Look { class: "fp-soft", size: 12, anchor: "start", bold: false };

    fn middle(self) -> Self {
        Look { anchor: "middle", ..self }
    }

    fn end(self) -> Self {
        Look { anchor: "end", ..self }
    }

    fn bold(self) -> Self {
        Look { bold: true, ..self }
    }
}

/// A small picture that says why there is nothing to see.
fn nothing(title: &'static str, why: &str) -> Canvas {
    let mut canvas = Canvas::new(420, 56, title, why.to_owned());
    canvas.text((20.0, 33.0), Look::SOFT, why);
    canvas
}

/// A seat's colour.
fn colour(seat: usize) -> &'static str {
    COLOURS.get(seat % COLOURS.len()).copied().unwrap_or("#6e7781")
}

/// A seat's mark: seats of one colour have different ones.
fn mark(seat: usize, (x, y): (f64, f64), r: f64, attributes: &str) -> String {
    let at = |dx: f64, dy: f64| format!("{},{}", number(x + dx * r), number(y + dy * r));
    match (seat + seat / COLOURS.len()) % 4 {
        0 => format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {attributes}/>", number(x), number(y), number(r)),
        1 => format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {attributes}/>",
            number(x - 0.9 * r),
            number(y - 0.9 * r),
            number(1.8 * r),
            number(1.8 * r)
        ),
        2 => format!(
            "<polygon points=\"{} {} {} {}\" {attributes}/>",
            at(0.0, -1.25),
            at(1.25, 0.0),
            at(0.0, 1.25),
            at(-1.25, 0.0)
        ),
        _ => format!("<polygon points=\"{} {} {}\" {attributes}/>", at(0.0, -1.25), at(1.15, 0.85), at(-1.15, 0.85)),
    }
}

/// How wide a text is, roughly.
fn width_of(characters: usize) -> f64 {
    characters as f64 * CHARACTER_WIDTH
}

/// A coordinate with at most one decimal, always spelled the same way.
fn number(value: f64) -> String {
    let tenths = if value.is_finite() { (value * 10.0).round() as i64 } else { 0 };
    let sign = if tenths < 0 { "-" } else { "" };
    match (tenths.abs() / 10, tenths.abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, rest) => format!("{sign}{whole}.{rest}"),
    }
}

/// A text that stays text inside XML and HTML, on one line, without characters that hide or reorder it.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // What XML has no way to write.
            '\u{FFFE}' | '\u{FFFF}' => {}
            c => out.push(c),
        }
    }
    out
}
