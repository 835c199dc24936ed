//! What people read on a terminal. Whatever a model wrote is stripped of control and bidirectional characters first.

use forge_artifacts::formats::verdict::Account;
use forge_debate::brief::plain;
use forge_debate::plan::SeatId;
use forge_debate::tally::{self, Standing};
use forge_debate::verdict::{Gravity, Outcome};
use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

/// The most characters of a reason on one line.
const REASON_WIDTH: usize = 200;

/// Whether output may be coloured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Style {
    colours: bool,
}

impl Style {
    /// Colours on a terminal, unless `NO_COLOR` says otherwise.
    pub(crate) fn for_stdout(no_color: bool) -> Self {
        Self { colours: !no_color && std::io::stdout().is_terminal() }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn warn(self, text: &str) -> String {
        self.paint("1;33", text)
    }
}

/// Prints to standard output; a closed pipe is not an error of ours.
pub(crate) fn out(text: &str) {
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
    let _ = writeln!(std::io::stderr().lock(), "error: {}", safe(text));
}

/// One JSON document on standard output.
pub(crate) fn json(value: &serde_json::Value) {
    out(&serde_json::to_string_pretty(value).unwrap_or_default());
}

/// A text that cannot move the cursor, hide or reorder what is shown.
pub(crate) fn safe(text: &str) -> String {
    plain(text)
}

/// A text on one line.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let line = safe(text).split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= width {
        return line;
    }
    let cut: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

/// The verdict, outcome first.
pub(crate) fn verdict(account: &Account, style: Style) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let mut text = String::new();
    if plan.is_rehearsal() {
        let label =
            "REHEARSAL  no model was asked; this shows the form of a debate and says nothing about the question";
        let _ = writeln!(text, "{}", style.warn(label));
    }
    for missing in &verdict.missing {
        let line = format!(
            "DEGRADED   {} {}: {}",
            missing.key,
            missing.kind.phrase(),
            one_line(&missing.detail, REASON_WIDTH)
        );
        let _ = writeln!(text, "{}", style.warn(&line));
    }
    let _ = writeln!(text, "{}", style.bold(&headline(account)));
    if let Some(position) = &verdict.position {
        let _ = writeln!(text, "  {}", one_line(position, 2 * REASON_WIDTH));
    }
    text.push('\n');
    for (option, seats) in tally::distribution(plan, &verdict.votes) {
        let names: Vec<&str> = seats.iter().map(SeatId::as_str).collect();
        row(
            &mut text,
            style,
            "vote",
            &format!("{}  {}  {}", one_line(&plan.option_name(&option), 60), names.len(), names.join(", ")),
        );
    }
    for reason in &verdict.reasons {
        let stand = reason.option.as_ref().map(ToString::to_string).or_else(|| reason.stand.clone());
        let stand = stand.map(|stand| format!("{stand}  ")).unwrap_or_default();
        row(&mut text, style, reason.seat.as_str(), &format!("{stand}{}", one_line(&reason.text, REASON_WIDTH)));
    }
    for change in &verdict.changes {
        let how = match change.standing {
            Standing::Earned => format!("convinced by {}", change.cites.join(", ")),
            Standing::Unearned => "cites no argument of another seat: not counted".to_owned(),
        };
        row(
            &mut text,
            style,
            "moved",
            &format!("{} from {} to {} in round {} ({how})", change.seat, change.from, change.to, change.round),
        );
    }
    for dissent in &verdict.dissents {
        let option = dissent.option.as_ref().map(|option| format!(" ({option})")).unwrap_or_default();
        row(
            &mut text,
            style,
            "dissent",
            &format!("{}{option}: {}", dissent.seat, one_line(&dissent.text, REASON_WIDTH)),
        );
    }
    for assumption in &verdict.assumptions {
        row(
            &mut text,
            style,
            "assumes",
            &format!("{}: {}", assumption.seat, one_line(&assumption.assumption, REASON_WIDTH)),
        );
    }
    for finding in &verdict.findings {
        row(&mut text, style, if finding.gravity == Gravity::Blocks { "blocks" } else { "warning" }, &place(finding));
    }
    for remark in &verdict.notes {
        row(&mut text, style, "note", &one_line(remark, 2 * REASON_WIDTH));
    }
    row(&mut text, style, "cost", &spent(account));
    let seats: Vec<String> = account
        .per_seat()
        .into_iter()
        .filter_map(|(seat, calls, tokens)| Some(format!("{seat} {} in {calls}", tokens?)))
        .collect();
    if !seats.is_empty() {
        row(&mut text, style, "tokens", &seats.join(", "));
    }
    row(&mut text, style, "files", &files(account));
    for hint in next_steps(account) {
        row(&mut text, style, "next", &hint);
    }
    text
}

fn headline(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let chosen = verdict.options.iter().map(|id| one_line(&plan.option_name(id), 80)).collect::<Vec<_>>().join(" + ");
    let rounds = format!("{} round{}", verdict.rounds, if verdict.rounds == 1 { "" } else { "s" });
    if let Some(decision) = &verdict.decision {
        return format!(
            "DECIDED by {}: {chosen}, because {}",
            one_line(&decision.by, 60),
            one_line(&decision.because, REASON_WIDTH)
        );
    }
    let word = verdict.outcome.word().to_uppercase();
    match verdict.outcome {
        Outcome::Consensus | Outcome::Decided => {
            format!("{word}: {chosen}   (confidence {}, {rounds})", verdict.confidence.word())
        }
        Outcome::Contested => format!("{word}: the seats do not agree after {rounds}; a person must decide"),
        Outcome::Tradeoff => {
            format!("{word}: lead and challengers rest on different assumptions after {rounds}; a person must decide")
        }
        Outcome::Blocked => format!("{word}: the gate is not passed"),
        Outcome::Insufficient => format!("{word}: too few seats spoke; there is no verdict"),
    }
}

/// A finding with its place.
pub(crate) fn place(finding: &forge_debate::verdict::Finding) -> String {
    let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}: {}", finding.file, one_line(&finding.text, 2 * REASON_WIDTH))
}

/// What was spent, in words.
pub(crate) fn spent(account: &Account) -> String {
    let spent = &account.spent;
    let mut text = format!("{} call{}", spent.calls, if spent.calls == 1 { "" } else { "s" });
    if spent.input_tokens + spent.output_tokens > 0 {
        let _ = write!(
            text,
            ", {} tokens in, {} out; no price known, so no money figure",
            spent.input_tokens, spent.output_tokens
        );
    }
    if account.plan.seats.iter().all(|seat| seat.hand.is_rehearsal()) {
        text.push_str(" (free)");
    }
    if spent.possibly_paid > 0 {
        let _ = write!(text, "; {} possibly paid without an answer on record", spent.possibly_paid);
    }
    text
}

fn files(account: &Account) -> String {
    match account.plan.protocol.as_str() {
        "judges" => format!("{}/debate-{}-*", account.dir, account.plan.id),
        _ => format!("{}/", account.dir),
    }
}

fn next_steps(account: &Account) -> Vec<String> {
    let id = &account.plan.id;
    let mut steps = match account.verdict.outcome {
        Outcome::Contested | Outcome::Tradeoff => {
            let options: Vec<&str> = account.plan.options.iter().map(|option| option.id.as_str()).collect();
            vec![format!("forge debate decide {id} {} --because \"...\"", options.join("|"))]
        }
        Outcome::Blocked if account.turns.last().is_some_and(|turn| turn.attempts > 0) => {
            vec![format!("ask the synthesizer again: forge debate run {id} --retry-absent")]
        }
        Outcome::Blocked => vec![format!("mend what blocks, then: forge gate {id}")],
        Outcome::Insufficient => vec![format!("forge debate run {id} --retry-absent")],
        Outcome::Consensus | Outcome::Decided => vec![format!("forge export {id} --format adr")],
    };
    if account.plan.is_rehearsal() {
        steps.push("for real answers: set OPENAI_BASE_URL and OPENAI_API_KEY, and add --agent openai:MODEL".to_owned());
    }
    steps
}

/// One labelled line.
pub(crate) fn row(text: &mut String, style: Style, label: &str, value: &str) {
    let _ = writeln!(text, "  {} {}", style.dim(&format!("{label:<10}")), value);
}
