//! What is not done in a phase, the gate apart: boxes, tasks, sections, artifacts.

use super::STATE_FILE;
use super::step::{Blocker, BlockerKind};
use crate::again::Again;
use crate::contradiction::Contradiction;
use crate::definition::{ExitCriterion, Phase};
use crate::extract::passages::without_comments;
use crate::knowledge::Kind;
use crate::shell::word;
use crate::snapshot::{ArtifactStanding, Snapshot, Unclear};
use crate::state::{DebateFlag, REVISIT};
use crate::todo::Todo;
use forge_debate::fact;
use forge_debate::fact::Fact;
use forge_debate::turn::title_matches;
use forge_prose::blanks::is_placeholder;

/// What is not done, the gate apart.
pub(super) fn unfinished(snapshot: &Snapshot, phase: &Phase, todo: &[Todo]) -> Vec<Blocker> {
    let mut blockers = not_understood(snapshot);
    blockers.extend(snapshot.gone.iter().filter_map(|gone| match &gone.again {
        Again::No(why) => {
            let file = gone.file.clone();
            let fact = fact!(
                "file_gone",
                "gone, and it cannot be made again: {why}. Take it from where it was kept (git checkout -- {file}), or write it yourself, in a sentence or more",
                why
            );
            Some(Blocker { kind: BlockerKind::Unclear, file, line: None, fact })
        }
        _ => None,
    }));
    if let Some(document) = &snapshot.document {
        let locked = || snapshot.handoff.iter().flat_map(|handoff| &handoff.locked);
        let known = |id: &str| snapshot.knowledge.decision(id).is_some();
        let unknown = |id: &&String| !known(id) && !locked().any(|decision| decision.id == **id);
        blockers.extend(document.challenges.iter().filter(unknown).map(|id| {
            let file = Kind::Decision.file();
            let fact = fact!(
                "unknown_decision_challenged",
                "challenges {id}, which is neither in {file} nor locked by a handoff; `forge decisions` lists what can be challenged",
                decision = id
            );
            Blocker { kind: BlockerKind::Section, file: document.path.clone(), line: None, fact }
        }));
    }
    blockers.extend(against_own_debate(snapshot));
    let counts = |task: &str| task == REVISIT || phase.requires(ExitCriterion::NothingBlocked);
    let blocked = snapshot.state.blocked_tasks.iter().filter(|(task, _)| counts(task));
    blockers.extend(blocked.map(|(task, reason)| {
        let fact = match task.as_str() {
            REVISIT => fact!("revisit", "{reason}, then: forge task done {task}", task, reason),
            task => {
                let why = if reason.trim().is_empty() { String::new() } else { format!(": {reason}") };
                let name = word(task);
                fact!(
                    "task_blocked",
                    "{task} is blocked{why}; `forge task done {name}` when it is not any more",
                    task,
                    reason
                )
            }
        };
        Blocker { kind: BlockerKind::Task, file: STATE_FILE.to_owned(), line: None, fact }
    }));
    let holds = |one: &&Todo| one.is_criterion || phase.requires(ExitCriterion::TodoTicked);
    let open = todo.iter().filter(|one| !one.done && !one.is_about_the_gate()).filter(holds);
    blockers.extend(open.map(|one| {
        let text = one.wanted();
        let fact = fact!("box_open", "{text}", task = one.task);
        Blocker { kind: BlockerKind::Todo, file: one.file.clone(), line: one.line, fact }
    }));
    if phase.requires(ExitCriterion::SectionsWritten) {
        blockers.extend(sections(snapshot, phase));
    }
    if phase.requires(ExitCriterion::ArtifactsPresent) {
        blockers.extend(snapshot.artifacts.iter().filter_map(|artifact| {
            let fact = match &artifact.standing {
                ArtifactStanding::There | ArtifactStanding::Begun => return None,
                ArtifactStanding::Missing => fact!("artifact_missing", "missing"),
                ArtifactStanding::Placeholder => fact!("artifact_blank", "it only holds a place; write it"),
                ArtifactStanding::Unreadable(problem) => fact!("artifact_unreadable", "{problem}"),
            };
            Some(Blocker { kind: BlockerKind::Artifact, file: artifact.path.clone(), line: None, fact })
        }));
    }
    blockers
}

/// What was not understood, and holds the phase.
pub(super) fn not_understood(snapshot: &Snapshot) -> Vec<Blocker> {
    let blocker = |one: Unclear| {
        let fact = not_understood_fact(&one.text);
        Blocker { kind: BlockerKind::Unclear, file: one.file, line: Some(one.line), fact }
    };
    snapshot.unclear().filter(|one| one.holds).map(blocker).collect()
}

pub(super) fn not_understood_fact(text: &str) -> Fact {
    fact!("not_understood", "{text}")
}

/// Decisions of the document that speak against what the phase's own debate decided.
fn against_own_debate(snapshot: &Snapshot) -> Vec<Blocker> {
    if snapshot.state.debate_flag == DebateFlag::Skipped {
        return Vec::new();
    }
    let mut own = snapshot.contradictions();
    own.retain(|one| snapshot.is_settled_here(&one.decision));
    // A debate that let a decision stand says the same as that.
    let mut told = Vec::new();
    own.retain(|one| {
        !told.contains(&one.line) && {
            told.push(one.line);
            true
        }
    });
    let blocker = |one: Contradiction| {
        let Contradiction { text, decision, title, .. } = &one;
        let did = if snapshot.is_of_this_phase(decision) { "decided" } else { "kept" };
        let fact = fact!(
            "contradicts_decision",
            "{text:?} contradicts {decision} ({title}), which this phase's debate {did}; take it out, or write (keeps {decision}) behind it if it does not",
            decision,
            text
        );
        Blocker { kind: BlockerKind::Section, file: one.file, line: Some(one.line), fact }
    };
    own.into_iter().map(blocker).collect()
}

fn sections(snapshot: &Snapshot, phase: &Phase) -> Vec<Blocker> {
    let path = phase.document();
    let blocker = |line, fact| Blocker { kind: BlockerKind::Section, file: path.clone(), line, fact };
    let written = snapshot.document.as_ref().map(|document| document.sections.as_slice()).unwrap_or_default();
    phase
        .sections
        .iter()
        .filter_map(|wanted| {
            let mut candidates = written.iter().filter(|section| title_matches(&section.title, wanted));
            match (candidates.clone().next(), candidates.any(|section| !is_unwritten(&section.body))) {
                (None, _) => {
                    let fact = fact!("section_missing", "there is no section \"## {wanted}\"", section = wanted);
                    Some(blocker(None, fact))
                }
                (Some(section), false) => {
                    let title = &section.title;
                    let fact = fact!("section_blank", "\"{title}\" is not written yet", section = title);
                    Some(blocker(Some(section.line), fact))
                }
                (Some(_), true) => None,
            }
        })
        .collect()
}

/// Whether a body is empty or only holds places. Comments say nothing.
fn is_unwritten(body: &str) -> bool {
    without_comments(body).split("\n\n").all(is_placeholder)
}

#[cfg(test)]
mod tests {
    use super::is_unwritten;

    #[test]
    fn comments_say_nothing_and_code_is_writing() {
        let unwritten = [
            "<!-- What is it?",
            "<!-- What?\n\n- [ ] is it",
            "[Name] <!-- what it is -->",
            "<!-- a --> TBD <!-- b -->",
            "<!-- a\n\nb --> [more]",
            "- <!-- What? -->",
        ];
        for body in unwritten {
            assert!(is_unwritten(body), "{body:?}");
        }
        let written = [
            "```\n<!--\n```\n\nTwo parts.\n\n```\n-->\n```",
            "```mermaid\ngraph TD\n```",
            "~~~html\n<!-- a page -->\n~~~",
            "<!-- What? --> Two parts.",
            "<!-- a --> Two parts. <!-- b -->",
            "<!-- a\n--> Two parts.",
            "Two <!-- three? --> parts.",
            "1 < 2 <!-- sic",
        ];
        for body in written {
            assert!(!is_unwritten(body), "{body:?}");
        }
    }
}
