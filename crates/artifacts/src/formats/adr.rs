//! An architecture decision record in the shape of MADR 4.

use super::report::{harmless, harmless_block};
use super::summary::{self, one_line};
use super::verdict::Account;
use forge_debate::plan::Duty;
use forge_debate::tally;
use forge_debate::verdict::Outcome;
use std::fmt::Write as _;

/// Writes the record.
pub fn write(account: &Account) -> String {
    let (plan, verdict) = (&account.plan, &account.verdict);
    // What seats agree on is a proposal until a person accepts it.
    let accepted = verdict.decision.is_some()
        && !account.is_rehearsal()
        && account.contradictions.is_empty()
        && account.not_on_record.is_empty();
    let status = if accepted { "accepted" } else { "proposed" };
    let date = plan.created_at.split('T').next().unwrap_or_default();
    let makers = verdict.decision.as_ref().map(|decision| decision.by.clone()).unwrap_or_else(|| {
        // A control seat answers alone; referees and framers decide nothing either.
        let decides = |duty| matches!(duty, Duty::Debater | Duty::Lead | Duty::Synthesizer);
        let deciding = plan.seats.iter().filter(|seat| decides(seat.duty));
        deciding.map(|seat| seat.id.to_string()).collect::<Vec<_>>().join(", ")
    });
    let mut out = format!(
        "---\nstatus: {}\ndate: {}\ndecision-makers: {}\n---\n\n# {}\n\n",
        crate::yaml::quoted(status),
        crate::yaml::quoted(date),
        crate::yaml::quoted(&makers),
        line(&plan.question)
    );
    if account.is_rehearsal() {
        out.push_str("> Rehearsal: no model was asked. Not a decision.\n\n");
    }
    let _ = write!(out, "## Context and Problem Statement\n\n{}\n", harmless_block(plan.question.trim()));
    for material in &plan.materials {
        let _ = write!(out, "\nSupplied material: {}.\n", line(&material.name));
    }
    out.push_str("\n## Considered Options\n\n");
    for option in &plan.options {
        let _ = writeln!(out, "* {}", line(&option.label));
    }
    out.push_str("\n## Decision Outcome\n\n");
    let _ = writeln!(out, "{}", super::report::headline(account));
    if !verdict.ruling.reasons.is_empty() {
        out.push('\n');
        for reason in &verdict.ruling.reasons {
            let _ = writeln!(out, "* {}: {}", reason.seat, line(&reason.text));
        }
    }
    out.push_str("\n### Consequences\n\n");
    consequences(&mut out, account);
    out.push_str("\n### Confirmation\n\n");
    let _ = writeln!(
        out,
        "The debate is on record in `{}`; its record has the digest {}. `forge verify {}` derives the verdict again.",
        account.plan_file, account.record, plan.id
    );
    let _ = write!(out, "\nConfidence and caveats: {}", verdict.confidence().word());
    let caveats = summary::caveats(account);
    out.push_str(if caveats.is_empty() { "; no caveat is on record.\n" } else { ".\n\n" });
    for caveat in &caveats {
        let _ = writeln!(out, "* {}", line(caveat));
    }
    out.push_str("\n## Pros and Cons of the Options\n");
    let rows = tally::distribution(plan, verdict.ruling.votes());
    for option in &plan.options {
        let _ = write!(out, "\n### {}\n\n", line(&option.label));
        if !option.description.trim().is_empty() {
            let _ = write!(out, "{}\n\n", line(&option.description));
        }
        let seats = rows.iter().find(|(id, _)| *id == option.id).map(|(_, seats)| seats.clone()).unwrap_or_default();
        for seat in &seats {
            let why = verdict
                .ruling
                .reasons
                .iter()
                .find(|reason| reason.seat == *seat)
                .map(|r| line(&r.text))
                .unwrap_or_default();
            let _ = writeln!(out, "* Good, because {seat} holds: {why}");
        }
        if verdict.options().contains(&option.id) {
            out.push_str("* Good, because it was decided for.\n");
        } else if seats.is_empty() {
            out.push_str("* Neutral, because no seat ended on it.\n");
        }
    }
    let _ = write!(out, "\n## More Information\n\nProtocol {}, {} round(s).\n", plan.protocol, verdict.ruling.rounds);
    out
}

/// What was said against the outcome: dissents, or where there is no outcome, who stands where.
fn consequences(out: &mut String, account: &Account) {
    let (plan, verdict) = (&account.plan, &account.verdict);
    for dissent in &verdict.ruling.dissents {
        let _ = writeln!(out, "* Bad, because {} dissents: {}", dissent.seat, line(&dissent.text));
    }
    let split = tally::distribution(plan, verdict.ruling.votes());
    let agreed = matches!(verdict.outcome(), Outcome::Consensus | Outcome::Decided) && verdict.decision.is_none();
    if !agreed && verdict.ruling.dissents.is_empty() {
        for (option, seats) in &split {
            let names: Vec<&str> = seats.iter().map(|seat| seat.as_str()).collect();
            let count = names.len();
            let _ = writeln!(
                out,
                "* Neutral, because {count} of {} stood for {}: {}",
                verdict.ruling.votes().len(),
                line(&plan.option_name(option)),
                names.join(", ")
            );
        }
        for assumption in verdict.ruling.assumptions() {
            let _ = writeln!(out, "* Neutral, because {} rests on: {}", assumption.seat, line(&assumption.assumption));
        }
    }
    let nothing = split.is_empty() && verdict.ruling.assumptions().is_empty() || agreed;
    if nothing && verdict.ruling.dissents.is_empty() {
        out.push_str("* No dissent is on record.\n");
    }
}

/// Somebody's words on a line, without markup that a viewer would act on.
fn line(text: &str) -> String {
    harmless(&one_line(text))
}
