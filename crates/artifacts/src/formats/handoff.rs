//! The document between two phases (`docs/forge/handoffs/<from>-to-<to>.md`), as S1 shows it.
//!
//! Written once when a phase is left, then people's: they tick its TODO boxes and its escalation conditions.
//!
//! Pure; if the process dies here nothing is left.

use super::phase_document::{boxes, first_line};
use super::{FrontMatter, knowledge};
use crate::document::{self, Document};
use crate::markdown;
use forge_debate::form::table_rows;
use forge_debate::turn::title_matches;
use forge_workflow::extract::passages::{cell, cells, one_line};
use forge_workflow::handoff::Handoff;
use forge_workflow::knowledge::{Findings, Risk};
use forge_workflow::snapshot::HandoffRead;
use std::fmt::Write as _;

/// Writes a handoff.
pub fn write(handoff: &Handoff) -> String {
    let (from, to) = (&handoff.from, &handoff.to);
    let mut body = format!("\n# Phase Handoff: {} → {}\n", from.1, to.1);
    for warning in &handoff.warnings {
        let _ = writeln!(body, "\n> **{}**", one_line(warning));
    }
    body.push_str("\n## Summary\n\n### What Was Done\n");
    for (at, line) in handoff.summary.iter().enumerate() {
        let _ = writeln!(body, "{}{}", if at == 0 { "" } else { "- " }, one_line(line));
    }
    body.push_str("\n### Key Outcomes\n");
    list(&mut body, handoff.outcomes.iter().map(|one| format!("- {}", one_line(one))));
    let _ = writeln!(body, "\n### Time Spent\n{}", handoff.time_spent);
    body.push_str("\n## Locked Decisions\n\n");
    table(
        &mut body,
        &["Decision ID", "Title", "Rationale", "Challenge Requires Debate"],
        handoff.decisions.iter().map(|one| {
            vec![one.id.clone(), one.title.clone(), shortened(&one.rationale), yes_no(one.locked).to_owned()]
        }),
    );
    body.push_str("\n## Open Assumptions\n\n");
    table(
        &mut body,
        &["Assumption ID", "Description", "Validation Due By", "Risk if Invalid"],
        handoff.assumptions.iter().map(|one| {
            let due = if one.due.is_empty() { format!("{} phase", to.1) } else { one.due.clone() };
            vec![one.id.clone(), one.text.clone(), due, one.risk_if_invalid.clone()]
        }),
    );
    body.push_str("\n## Constraints for Next Phase\n\n");
    table(
        &mut body,
        &["Constraint ID", "Description", "Source", "Violation Triggers"],
        handoff
            .constraints
            .iter()
            .map(|one| vec![one.id.clone(), one.text.clone(), one.origin.clone(), one.violation.clone()]),
    );
    let _ = write!(body, "\n## TODO List for {} Phase\n\n", to.1);
    list(&mut body, handoff.todo.iter().enumerate().map(|(i, one)| format!("{}. [ ] {}", i + 1, one_line(one))));
    body.push_str("\n## Escalation Conditions\n\nConditions that require debate before proceeding:\n\n");
    list(&mut body, handoff.escalations.iter().map(|one| format!("- [ ] {}", one_line(one))));
    body.push_str("\n## Risk Summary\n\n");
    risks(&mut body, &handoff.risks);
    body.push_str("\n## Artifacts Produced\n\n");
    table(
        &mut body,
        &["Artifact", "Location", "Status"],
        handoff.artifacts.iter().map(|(name, place, status)| vec![name.clone(), place.clone(), status.clone()]),
    );
    let _ = write!(
        body,
        "\n## Reference Materials\n\n- Phase output: `docs/forge/phases/{}.md`\n- Decisions: `docs/forge/knowledge/decisions.md`\n- Assumptions: `docs/forge/knowledge/assumptions.md`\n- Risks: `docs/forge/knowledge/risks.md`\n\n## Sign-off\n\nPhase completed: Yes\nBlocked by: None\nReady to proceed: Yes\n",
        from.0
    );
    FrontMatter::default()
        .text("from_phase", &from.0)
        .text("to_phase", &to.0)
        .text("generated_at", &handoff.generated_at)
        .text("workflow_id", &handoff.workflow_id)
        .text("status", "final")
        .finish(&body)
}

/// Reads the boxes of a handoff.
pub fn read(path: &str, bytes: &[u8]) -> HandoffRead {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let sections = markdown::draft(&parsed.body, parsed.body_line).sections;
    HandoffRead {
        path: path.to_owned(),
        todo: boxes(&parsed, &sections, "TODO"),
        escalations: boxes(&parsed, &sections, "Escalation Conditions"),
        unclear: Vec::new(),
    }
}

/// The decisions, constraints and assumptions that a handoff names, under the ids that it names them by.
pub fn named(bytes: &[u8]) -> Findings {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let sections = markdown::draft(&parsed.body, parsed.body_line).sections;
    let body = |title: &str| {
        let section = sections.iter().find(|section| title_matches(&section.title, title));
        section.map(|section| section.body.clone()).unwrap_or_default()
    };
    Findings {
        decisions: knowledge::read_decisions(&body("Locked Decisions")),
        constraints: knowledge::read_constraints(&body("Constraints for Next Phase")),
        assumptions: knowledge::read_assumptions(&body("Open Assumptions")),
        ..Findings::default()
    }
}

/// How many active risks a handoff counts.
pub fn risks_counted(bytes: &[u8]) -> usize {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let sections = markdown::draft(&parsed.body, parsed.body_line).sections;
    let summary = sections.iter().find(|section| title_matches(&section.title, "Risk Summary"));
    let rows = summary.map(|section| table_rows(&section.body)).unwrap_or_default();
    rows.iter().filter_map(|row| cells(row).get(1)?.trim().parse::<usize>().ok()).sum()
}

/// What a handoff says of itself: from, to, workflow, when.
pub fn header(bytes: &[u8]) -> Option<(String, String, Option<String>, Option<String>)> {
    let text = document::decode(bytes).text;
    let parsed = Document::parse(&text);
    let fields = parsed.fields()?;
    let get = |key: &str| super::scalar(fields, key);
    Some((get("from_phase")?, get("to_phase")?, get("workflow_id"), get("generated_at")))
}

fn list(body: &mut String, lines: impl Iterator<Item = String>) {
    let mut any = false;
    for line in lines {
        let _ = writeln!(body, "{line}");
        any = true;
    }
    if !any {
        body.push_str("None.\n");
    }
}

fn table(body: &mut String, head: &[&str], rows: impl Iterator<Item = Vec<String>>) {
    let mut any = false;
    for row in rows {
        if !any {
            let _ = writeln!(body, "| {} |\n|{}", head.join(" | "), "---|".repeat(head.len()));
            any = true;
        }
        let cells: Vec<String> = row.iter().map(|text| cell(&one_line(text))).collect();
        let _ = writeln!(body, "| {} |", cells.join(" | "));
    }
    if !any {
        body.push_str("None.\n");
    }
}

fn risks(body: &mut String, risks: &[Risk]) {
    let level = |range: std::ops::RangeInclusive<u8>| {
        let of: Vec<&Risk> = risks.iter().filter(|risk| range.contains(&risk.score().unwrap_or(0))).collect();
        let highest = of.iter().max_by_key(|risk| risk.score()).map_or("", |risk| risk.text.as_str());
        (of.len().to_string(), highest.to_owned())
    };
    let rows = [("High", 6..=9), ("Medium", 3..=5), ("Low", 0..=2)].map(|(name, range)| {
        let (count, highest) = level(range);
        vec![name.to_owned(), count, highest]
    });
    table(body, &["Risk Level", "Count", "Highest Priority Risk"], rows.into_iter());
}

fn yes_no(flag: bool) -> &'static str {
    if flag { "Yes" } else { "No" }
}

fn shortened(text: &str) -> String {
    first_line(&one_line(text))
}
