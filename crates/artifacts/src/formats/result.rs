//! `debate-<question-id>-result.yaml`: S3's result, in its two shapes.

use super::summary::{self, one_line};
use super::verdict::Account;
use crate::yaml::{block, quoted};
use forge_debate::plan::Plan;
use forge_debate::profile::ReportFile;
use forge_debate::tally;
use forge_debate::verdict::{Outcome, Verdict};
use forge_debate::voting::Merit;
use std::fmt::Write as _;

/// Writes the result.
pub fn write(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    let mut out = format!("debate_result:\n  question_id: {}\n", quoted(&plan.id));
    let agreed = matches!(verdict.outcome(), Outcome::Consensus | Outcome::Decided);
    let _ = writeln!(out, "  consensus: {}", verdict.outcome() == Outcome::Consensus);
    if agreed {
        let option = verdict.options().first().map(|id| id.as_str()).unwrap_or_default();
        let _ = writeln!(out, "  recommended_option: {}", quoted(option));
    } else {
        let _ = writeln!(out, "  outcome: {}", quoted(&verdict.outcome().word().to_uppercase()));
    }
    let stated = verdict.confidence().word();
    match verdict.outcome() {
        // A consensus is HIGH here, whatever the judges say of themselves; that stands beside it.
        Outcome::Consensus => {
            let _ = writeln!(out, "  confidence: \"HIGH\"\n  stated_confidence: {}", quoted(stated));
        }
        _ => drop(writeln!(out, "  confidence: {}", quoted(stated))),
    }
    if let Some(decision) = &verdict.decision {
        let _ = writeln!(out, "  decided_by: {}\n  because: {}", quoted(&decision.by), quoted(&decision.because));
        if let Some(was) = &decision.overrules {
            let options: Vec<String> = was.options.iter().map(|id| quoted(id.as_str())).collect();
            let _ = writeln!(out, "  overrules: [{}]", options.join(", "));
        }
    }
    let _ = writeln!(out, "  degraded: {}", verdict.ruling.is_degraded());
    let _ = writeln!(out, "  rehearsal: {}", account.is_rehearsal());
    let _ = writeln!(out, "  rounds: {}", verdict.ruling.rounds);
    out.push_str(&distribution(plan, verdict));
    out.push_str(&perspectives(verdict, agreed));
    out.push_str(&change_log(verdict));
    list(&mut out, "cautions", &summary::caveats(account));
    list(&mut out, "note_in_result", &verdict.ruling.notes);
    if verdict.outcome() == Outcome::Contested {
        let _ = writeln!(out, "\n  user_prompt: {}", block(&user_prompt(account), 4));
    }
    out
}

/// Whether a text begins as the result of this debate does, and has what forge alone writes there.
pub fn is_ours(plan: &Plan, text: &str) -> bool {
    text.starts_with(&format!("debate_result:\n  question_id: {}\n", quoted(&plan.id)))
        && text.contains("\n  rehearsal: ")
}

/// What a person is asked where the seats disagree (of judges in S3's words), or where their agreement does not stand.
pub fn user_prompt(account: &Account) -> String {
    let agree = account.verdict.assessment.robustness.as_ref().is_some_and(|robustness| robustness.winner.is_some());
    let seats = if account.plan.protocol.reports.contains(&ReportFile::Result) { "Judges" } else { "The seats" };
    let why = if agree { summary::why_contested(account) } else { format!("{seats} disagreed on this question") };
    let mut prompt = format!("⚠️ {why}. Review perspectives above.\n\nWhich option would you like to proceed with?\n");
    for option in &account.plan.options {
        let label = one_line(&option.label);
        match one_line(&option.description).as_str() {
            "" => drop(writeln!(prompt, "[{}] {label}", option.id)),
            description => drop(writeln!(prompt, "[{}] {label}: {description}", option.id)),
        }
    }
    prompt
}

fn distribution(plan: &Plan, verdict: &Verdict) -> String {
    if verdict.ruling.votes().is_empty() {
        return "\n  distribution: {}\n".to_owned();
    }
    let mut out = "\n  distribution:\n".to_owned();
    for (option, seats) in tally::distribution(plan, verdict.ruling.votes()) {
        let seats: Vec<String> = seats.iter().map(|seat| quoted(seat.as_str())).collect();
        let _ = writeln!(out, "    {}: [{}]", quoted(option.as_str()), seats.join(", "));
    }
    out
}

fn perspectives(verdict: &Verdict, agreed: bool) -> String {
    if verdict.ruling.reasons.is_empty() {
        return "\n  perspectives: {}\n".to_owned();
    }
    let mut out = "\n  perspectives:\n".to_owned();
    for reason in &verdict.ruling.reasons {
        let option = reason.option.as_ref().map(|id| id.as_str()).unwrap_or_default();
        let moved = verdict.ruling.changes().iter().rev().find(|c| c.seat == reason.seat && c.to.as_str() == option);
        // Seats that do not vote say where they stand.
        let (Some(_), false) = (&reason.option, option.is_empty()) else {
            let stand = reason.stand.as_ref().map(|stand| format!("{stand} - ")).unwrap_or_default();
            let _ = writeln!(out, "    {}: {}", reason.seat, quoted(&format!("{stand}{}", reason.text)));
            continue;
        };
        if agreed {
            let changed = moved.map(|c| format!(" (changed from {})", c.from)).unwrap_or_default();
            let _ = writeln!(
                out,
                "    {}: {}",
                reason.seat,
                quoted(&format!("Option {option} - {}{changed}", reason.text))
            );
        } else {
            let text = format!("Option {option} - \"{}\"\n", reason.text);
            let _ = writeln!(out, "    {}_favors: {}", reason.seat, block(&text, 6));
        }
    }
    out
}

fn change_log(verdict: &Verdict) -> String {
    if verdict.ruling.changes().is_empty() {
        return "\n  change_log: []\n".to_owned();
    }
    let mut out = "\n  change_log:\n".to_owned();
    for change in verdict.ruling.changes() {
        let cites: Vec<String> = change.cites().into_iter().map(quoted).collect();
        let _ = write!(
            out,
            "    - judge: {}\n      round: {}\n      from: {}\n      to: {}\n      reason: {}\n      cites: [{}]\n      counted: {}\n",
            quoted(change.seat.as_str()),
            change.round,
            quoted(change.from.as_str()),
            quoted(change.to.as_str()),
            quoted(&change.reason),
            cites.join(", "),
            change.merit == Merit::Earned,
        );
    }
    out
}

fn list<T: ToString>(out: &mut String, key: &str, entries: &[T]) {
    if entries.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n  {key}:");
    for entry in entries {
        let _ = writeln!(out, "    - {}", quoted(&entry.to_string()));
    }
}
