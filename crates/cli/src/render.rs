//! What people read on a terminal. Whatever a model wrote is stripped of control and bidirectional characters first.

use crate::table;
use forge_artifacts::formats::details::{self, Body, Labelled, Table};
use forge_artifacts::formats::summary;
use forge_artifacts::formats::verdict::Account;
use forge_artifacts::markdown::strip_ansi;
use forge_debate::hidden::{is_unseen, without_unseen};
use forge_debate::plan::SeatId;
use forge_debate::turn::AbsenceKind;
use forge_debate::verdict::{Finding, Gravity, Outcome};
use forge_prose::secrets::redacted;
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};
use std::sync::LazyLock;

/// The most characters of a reason on one line.
const REASON_WIDTH: usize = 200;
/// The most notes on the screen that a run ends with.
const NOTES_LIMIT: usize = 6;
/// What stands before the value of a labelled line.
const ROW_INDENT: usize = 13;
/// The most characters of a labelled paragraph.
const LINE_LIMIT: usize = 4_000;
/// The most characters of a cell of a table.
const CELL_WIDTH: usize = 80;

/// Whether output may be coloured, and how wide it may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    colours: bool,
    width: Option<usize>,
}

impl Style {
    /// Colours on a terminal, unless `NO_COLOR` says otherwise, and its width.
    pub(crate) fn for_stdout(no_color: bool) -> Self {
        let stdout = std::io::stdout();
        let size = Some(&stdout).filter(|stdout| stdout.is_terminal()).and_then(terminal_size::terminal_size_of);
        Self { colours: !no_color && stdout.is_terminal(), width: size.map(|(width, _)| usize::from(width.0)) }
    }

    /// No colours, and this width.
    pub(crate) fn plain(width: Option<usize>) -> Self {
        Self { colours: false, width }
    }

    /// How wide the terminal is; nothing where there is none.
    pub(crate) fn width(self) -> Option<usize> {
        self.width.filter(|width| *width > 0)
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colours { format!("{0}{code}m{text}{0}0m", *COLOUR) } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn warn(self, text: &str) -> String {
        self.paint("1;33", text)
    }
}

/// What stands for a colour until it is printed. It is drawn anew for each run, so that no text of others can have it.
static COLOUR: LazyLock<String> = LazyLock::new(|| {
    let drawn = std::hash::BuildHasher::hash_one(&std::hash::RandomState::new(), ());
    format!("\u{FDD0}{drawn:016x}:")
});

/// Prints to standard output; a closed pipe is not an error of ours. Whatever is not a colour of forge's own is made safe here,
/// whoever put the text together.
pub(crate) fn out(text: &str) {
    let mut parts = text.split(COLOUR.as_str());
    let mut shown = parts.next().map(safe).unwrap_or_default();
    for (code, rest) in parts.filter_map(|part| part.split_once('m')) {
        let _ = write!(shown, "\x1b[{code}m{}", safe(rest));
    }
    put(&shown);
}

fn put(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = stdout.write_all(b"\n");
    }
    let _ = stdout.flush();
}

/// Prints a line to standard error.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", safe(text));
}

/// Prints an error.
pub(crate) fn error(text: &str) {
    note(&format!("error: {text}"));
}

/// One JSON document on standard output, with what nobody sees written as escapes.
pub(crate) fn json(value: &serde_json::Value) {
    let text = redacted(&serde_json::to_string_pretty(value).unwrap_or_default());
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unseen(c) {
            c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                let _ = write!(shown, "\\u{unit:04x}");
            });
        } else {
            shown.push(c);
        }
    }
    put(&shown);
}

/// A text that cannot move the cursor, hide or reorder what is shown, and holds no key.
pub(crate) fn safe(text: &str) -> String {
    let clean = redacted(text);
    without_unseen(&strip_ansi(&clean))
}

/// A text on one line.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    summary::shortened(text, width)
}

/// The verdict on one screen, outcome first, with the seats' reasons in short: what a run ends with.
pub(crate) fn verdict(account: &Account, style: Style) -> String {
    let verdict = &account.verdict;
    let mut text = first_screen(account, style);
    let repeated =
        |seat: &SeatId, words: &str| verdict.ruling.dissents.iter().any(|one| one.seat == *seat && one.text == words);
    // A dissent is often the seat's reason, word for word; it is said once.
    for reason in verdict.ruling.reasons.iter().filter(|reason| !repeated(&reason.seat, &reason.text)) {
        let stand = reason.option.as_ref().map(ToString::to_string).or_else(|| reason.stand.clone());
        let stand = stand.map(|stand| format!("{stand}  ")).unwrap_or_default();
        row(&mut text, style, reason.seat.as_str(), &format!("{stand}{}", one_line(&reason.text, REASON_WIDTH)));
    }
    for dissent in &verdict.ruling.dissents {
        let option = dissent.option.as_ref().map(|option| format!(" ({option})")).unwrap_or_default();
        let words = one_line(&dissent.text, REASON_WIDTH);
        row(&mut text, style, "dissent", &format!("{}{option}: {words}", dissent.seat));
    }
    for assumption in verdict.ruling.assumptions() {
        let words = one_line(&assumption.assumption, REASON_WIDTH);
        row(&mut text, style, "assumes", &format!("{}: {words}", assumption.seat));
    }
    for finding in verdict.ruling.findings.iter().filter(|finding| finding.gravity == Gravity::Warns) {
        row(&mut text, style, "warning", &one_line(&summary::placed(account, finding), 2 * REASON_WIDTH));
    }
    let notes = &verdict.ruling.notes;
    for note in notes.iter().take(NOTES_LIMIT) {
        row(&mut text, style, "note", &one_line(note.fact.sentence(), 2 * REASON_WIDTH));
    }
    if notes.len() > NOTES_LIMIT {
        let more = notes.len() - NOTES_LIMIT;
        row(&mut text, style, "note", &format!("… and {more} more in `forge show {}`", account.plan.id));
    }
    let seats: Vec<String> = account
        .per_seat()
        .into_iter()
        .filter_map(|row| {
            let calls = if row.calls == 1 { "1 call".to_owned() } else { format!("{} calls", row.calls) };
            Some(format!("{} {} ({calls})", row.seat, row.tokens?))
        })
        .collect();
    if !seats.is_empty() {
        row(&mut text, style, "tokens", &seats.join(", "));
    }
    if let Some(seats) = summary::cost_by_seat(account) {
        row(&mut text, style, "money", &seats);
    }
    last_rows(&mut text, account, style);
    text
}

/// The verdict with all its details: what `forge show` prints.
pub(crate) fn verdict_in_full(account: &Account, style: Style) -> String {
    let mut text = first_screen(account, style);
    last_rows(&mut text, account, style);
    for part in details::of(account) {
        let _ = write!(text, "\n{}\n", style.bold(part.title));
        match &part.body {
            Body::Lines(lines) => lines.iter().for_each(|line| plain_line(&mut text, "", line)),
            Body::List(items) => {
                for item in items {
                    let about = if item.about.is_empty() { String::new() } else { format!("{}: ", item.about) };
                    plain_line(&mut text, "- ", &format!("{about}{}", item.text));
                    item.under.iter().for_each(|under| plain_line(&mut text, "    ", under));
                }
            }
            Body::Tree(items) => {
                for item in items {
                    plain_line(&mut text, "- ", &format!("{}: {}", item.about, item.text));
                    item.under.iter().for_each(|under| plain_line(&mut text, "  └── ", under));
                }
            }
            Body::Labelled(lines) => lines.iter().for_each(|line| labelled(&mut text, line, style)),
            Body::Table(rows) => verdict_table(&mut text, rows, style),
            Body::Words(words) => {
                for (who, said) in words {
                    plain_line(&mut text, "- ", &format!("{who}:"));
                    said.lines().for_each(|line| plain_line(&mut text, "    ", line));
                }
            }
        }
        if !part.legend.is_empty() {
            let _ = writeln!(text, "  {}", style.dim(part.legend));
        }
    }
    text
}

/// What lowers the verdict's worth, the outcome, and what it rests on.
fn first_screen(account: &Account, style: Style) -> String {
    let summary = summary::of(account);
    let mut text = String::new();
    for caution in &summary.cautions {
        let _ = writeln!(text, "{}", style.warn(&format!("{:<10} {}", caution.label, caution.text)));
    }
    let _ = writeln!(text, "{}", style.bold(&format!("{}: {}", summary.outcome, summary.sentence)));
    if let Some(position) = &account.verdict.ruling.position() {
        let _ = writeln!(text, "  {}", one_line(position, 2 * REASON_WIDTH));
    }
    text.push('\n');
    for one in &summary.rows {
        row(&mut text, style, one.label, &safe(&one.text));
    }
    text
}

/// The cautions that a record which was changed calls for, one on a line.
pub(crate) fn changed(debate: &str, contradictions: &[String], style: Style) -> String {
    let line = |text: &String| {
        let text =
            format!("{:<10} {}; forge verify {debate} names what changed", "CHANGED", one_line(text, 2 * REASON_WIDTH));
        format!("{}\n", style.warn(&text))
    };
    contradictions.iter().map(line).collect()
}

/// Where the files are, how to check them, what to do next.
fn last_rows(text: &mut String, account: &Account, style: Style) {
    row(text, style, "files", &files(account));
    row(text, style, "check", &format!("forge verify {}", account.plan.id));
    // Whoever was not asked for want of budget would not be asked again either: a plan keeps its caps.
    let is_capped = account.verdict.ruling.missing.iter().any(|missing| missing.kind == AbsenceKind::Budget);
    if account.verdict.outcome() == Outcome::Insufficient && is_capped {
        row(
            text,
            style,
            "next",
            "the same command with a higher --max-cost, --max-calls or --max-tokens holds it anew (a workflow's: raise the limit in the configuration, then: forge enter PHASE --debate)",
        );
        return;
    }
    for hint in summary::of(account).next {
        row(text, style, "next", &hint);
    }
}

fn plain_line(text: &mut String, lead: &str, line: &str) {
    let _ = writeln!(text, "  {lead}{}", safe(line).trim_end());
}

/// A label with what is said, listed or tabled under it.
fn labelled(out: &mut String, Labelled { label, text, items, table }: &Labelled, style: Style) {
    plain_line(out, "", &format!("{label}: {text}"));
    items.iter().for_each(|item| plain_line(out, "- ", item));
    table.iter().for_each(|table| verdict_table(out, table, style));
}

/// Rows with aligned columns. The last column may be as wide as it likes.
fn verdict_table(text: &mut String, table: &Table, style: Style) {
    let short = |cell: &String| one_line(cell, CELL_WIDTH);
    let width = |column: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(column)).map(|cell| short(cell).chars().count());
        cells.chain(table.head.get(column).map(|name| name.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
    let line = |cells: Vec<String>| {
        let cells: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    let _ = writeln!(text, "  {}", style.dim(&line(table.head.clone())));
    for row in &table.rows {
        let _ = writeln!(text, "  {}", line(row.iter().map(short).collect()));
    }
}

/// A finding with its place, on a line.
pub(crate) fn place(finding: &Finding) -> String {
    one_line(&summary::place(finding), 2 * REASON_WIDTH)
}

fn files(account: &Account) -> String {
    match account.plan.protocol.home(&account.plan).prefix {
        prefix if prefix.is_empty() => format!("{}/", account.dir),
        prefix => format!("{}/{prefix}*", account.dir),
    }
}

/// One labelled paragraph, in the width that there is.
pub(crate) fn wrapped_row(text: &mut String, style: Style, label: &str, value: &str) {
    let room = style.width().map(|width| width.saturating_sub(ROW_INDENT).max(ROW_INDENT));
    for (at, line) in table::wrapped(&one_line(value, LINE_LIMIT), room).iter().enumerate() {
        row(text, style, if at == 0 { label } else { "" }, line);
    }
}

/// One labelled line.
pub(crate) fn row(text: &mut String, style: Style, label: &str, value: &str) {
    let _ = writeln!(text, "  {} {}", style.dim(&format!("{label:<10}")), value);
}
