//! `verdict.md`: the verdict for people. Outcome first, degradation above it, then the split, the reasons, what lost and
//! is kept, what it cost, and where to check.

use super::verdict::Account;
use forge_debate::plan::SeatId;
use forge_debate::tally::{self, Standing};
use forge_debate::verdict::{Gravity, Outcome};
use std::fmt::Write as _;

/// Writes the report.
pub fn write(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let mut out = format!("# {}\n\n", line(&plan.question));
    if plan.is_rehearsal() {
        out.push_str("> **REHEARSAL.** No model was asked. This shows the form of a debate and says nothing about the question.\n\n");
    }
    if verdict.is_degraded() {
        let who: Vec<String> = verdict.missing.iter().map(|m| format!("{} {}", m.key, m.kind.phrase())).collect();
        let _ = write!(out, "> **DEGRADED.** {}.\n\n", who.join("; "));
    }
    let _ = write!(out, "## Debate outcome: {}\n\n{}\n", verdict.outcome.word().to_uppercase(), headline(account));
    votes(&mut out, account);
    findings(&mut out, account);
    reasons(&mut out, account);
    positions(&mut out, account);
    changes(&mut out, account);
    dissents(&mut out, account);
    assumptions(&mut out, account);
    if !verdict.notes.is_empty() {
        out.push_str("\n## Notes\n\n");
        for note in &verdict.notes {
            let _ = writeln!(out, "- {}", line(note));
        }
    }
    footer(&mut out, account);
    out
}

/// The outcome in a sentence.
pub fn headline(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let chosen = verdict.options.iter().map(|id| plan.option_name(id)).collect::<Vec<_>>().join(" + ");
    let rounds = format!("{} round{}", verdict.rounds, if verdict.rounds == 1 { "" } else { "s" });
    let confidence = verdict.confidence.word();
    if let Some(decision) = &verdict.decision {
        return format!(
            "**Decided by {}:** {}, because {}. The seats had left it open.",
            line(&decision.by),
            plan.option_name(&decision.option),
            line(&decision.because)
        );
    }
    match verdict.outcome {
        Outcome::Consensus | Outcome::Decided => {
            let position = verdict
                .position
                .as_deref()
                .map(|text| format!("\n\n**Final position:** {}", line(text)))
                .unwrap_or_default();
            format!("**{chosen}**, confidence {confidence}, after {rounds}.{position}")
        }
        Outcome::Contested => format!("The seats do not agree after {rounds}. A person must decide."),
        Outcome::Tradeoff => {
            let position = verdict
                .position
                .as_deref()
                .map(|text| format!("\n\n**Final position, contested:** {}", line(text)))
                .unwrap_or_default();
            format!(
                "The lead and its challengers differ in their assumptions after {rounds}. A person must decide.{position}"
            )
        }
        Outcome::Blocked => "The gate is not passed.".to_owned(),
        Outcome::Insufficient => "Too few seats spoke. There is no verdict, and none is made up.".to_owned(),
    }
}

fn votes(out: &mut String, account: &Account) {
    let (plan, verdict) = (&account.plan, &account.verdict);
    if verdict.votes.is_empty() {
        return;
    }
    out.push_str("\n## Votes\n\n| Option | Votes | Seats |\n|---|---|---|\n");
    for (option, seats) in tally::distribution(plan, &verdict.votes) {
        let names: Vec<&str> = seats.iter().map(SeatId::as_str).collect();
        let _ = writeln!(out, "| {} | {} | {} |", cell(&plan.option_name(&option)), names.len(), names.join(", "));
    }
}

fn findings(out: &mut String, account: &Account) {
    if account.verdict.findings.is_empty() {
        return;
    }
    out.push_str("\n## Gate findings\n\n");
    for finding in &account.verdict.findings {
        let word = if finding.gravity == Gravity::Blocks { "blocks" } else { "warning" };
        let place = finding.line.map(|n| format!("{}:{n}", finding.file)).unwrap_or_else(|| finding.file.clone());
        let _ = writeln!(out, "- {word}: {place}: {}", line(&finding.text));
    }
}

fn reasons(out: &mut String, account: &Account) {
    if account.verdict.reasons.is_empty() {
        return;
    }
    out.push_str("\n## Reasons\n\n");
    for reason in &account.verdict.reasons {
        let stand = match (&reason.option, &reason.stand) {
            (Some(option), _) => format!(" ({})", account.plan.option_name(option)),
            (None, Some(stand)) => format!(" ({stand})"),
            (None, None) => String::new(),
        };
        let _ = writeln!(out, "- **{}**{stand}: {}", reason.seat, line(&reason.text));
    }
}

fn positions(out: &mut String, account: &Account) {
    if account.verdict.positions.is_empty() {
        return;
    }
    out.push_str("\n## Position history\n\n");
    for position in &account.verdict.positions {
        let when = if position.round == 0 { "opening".to_owned() } else { format!("after round {}", position.round) };
        let _ = writeln!(out, "- v{} ({when}): {}", position.version, line(&position.text));
        for cause in &position.because {
            let _ = writeln!(out, "  - Changed because: {}", line(cause));
        }
    }
}

fn changes(out: &mut String, account: &Account) {
    if account.verdict.changes.is_empty() {
        return;
    }
    out.push_str("\n## Who moved\n\n");
    for change in &account.verdict.changes {
        let cites = if change.cites.is_empty() {
            "nothing cited".to_owned()
        } else {
            format!("cites {}", change.cites.join(", "))
        };
        let counted = if change.standing == Standing::Earned { "earned" } else { "**unearned, not counted**" };
        let _ = writeln!(
            out,
            "- {} in round {}: {} to {} ({counted}; {cites}): {}",
            change.seat,
            change.round,
            change.from,
            change.to,
            line(&change.reason)
        );
    }
}

fn dissents(out: &mut String, account: &Account) {
    if account.verdict.dissents.is_empty() {
        return;
    }
    out.push_str("\n## Dissents\n\n");
    for dissent in &account.verdict.dissents {
        let option =
            dissent.option.as_ref().map(|id| format!(" ({})", account.plan.option_name(id))).unwrap_or_default();
        let _ = write!(out, "**{}**{option}:\n\n", dissent.seat);
        for words in dissent.text.lines() {
            let _ = writeln!(out, "> {words}");
        }
        out.push('\n');
    }
}

fn assumptions(out: &mut String, account: &Account) {
    if account.verdict.assumptions.is_empty() {
        return;
    }
    out.push_str("\n## Assumptions exposed\n\n| Seat | Core assumption | Why it still disagrees | What would make the other side right |\n|---|---|---|---|\n");
    for row in &account.verdict.assumptions {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            row.seat,
            cell(&row.assumption),
            cell(&row.why),
            cell(&row.what_would_change)
        );
    }
}

fn footer(out: &mut String, account: &Account) {
    let spent = &account.spent;
    out.push_str("\n## Cost\n\n");
    let _ = write!(out, "{} call{}", spent.calls, if spent.calls == 1 { "" } else { "s" });
    if spent.input_tokens + spent.output_tokens > 0 {
        let _ = write!(out, ", {} tokens in, {} out", spent.input_tokens, spent.output_tokens);
    }
    if spent.calls_without_usage > 0 {
        let _ = write!(out, "; {} without usage figures", spent.calls_without_usage);
    }
    if spent.possibly_paid > 0 {
        let _ = write!(out, "; {} possibly paid without an answer on record", spent.possibly_paid);
    }
    out.push_str(".\n\n## Turns\n\n| Turn | Agent | Model served | File |\n|---|---|---|---|\n");
    for turn in &account.turns {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} |",
            cell(&turn.key.to_string()),
            cell(&turn.agent),
            cell(turn.model_served.as_deref().unwrap_or("-")),
            cell(&turn.file)
        );
    }
    let _ = write!(out, "\nPlan: `{}` ({})  \nRecord: {}\n", account.plan_file, account.plan_digest, account.record);
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cell(text: &str) -> String {
    line(text).replace('|', "\\|")
}
