//! What forge keeps current in a state file for people, and what it leaves to them.

use super::*;
use forge_artifacts::formats::active_workflow::{Metadata, keep_current};
use forge_workflow::notes::Notes;
use proptest::prelude::*;

fn notes(focus: &str) -> Notes {
    Notes {
        focus: focus.to_owned(),
        blockers: vec!["synthesis.md:3: not written".to_owned()],
        actions: vec!["Run `forge continue`".to_owned()],
    }
}

fn metadata(hours: &str) -> Metadata {
    Metadata { risk_level: Some("high"), actual_hours: Some(hours.to_owned()) }
}

// seed: S1-42
#[test]
fn metadata_is_filled_and_what_people_gave_stays() {
    let new = write(None, &full(), &around());
    let once = keep_current(&new, &notes("one"), &metadata("1.5"));
    assert!(
        once.contains("metadata:\n  actual_hours: 1.5 # kept by forge\n  risk_level: high # kept by forge\n---"),
        "{once}"
    );
    let twice = keep_current(&once, &notes("one"), &metadata("2.0"));
    assert!(twice.contains("actual_hours: 2.0 # kept by forge") && !twice.contains("1.5"), "{twice}");
    assert_eq!(keep_current(&twice, &notes("one"), &metadata("2.0")), twice);
    // The described sample has both from a person.
    let sample = keep_current(DESCRIBED, &notes("one"), &metadata("9.9"));
    assert!(sample.contains("  actual_hours: 2.5\n") && sample.contains("  risk_level: medium\n"), "{sample}");
    let written = "metadata: {priority: high}\n";
    let flow = new.replace("metadata: {}\n", written);
    assert!(keep_current(&flow, &notes("one"), &metadata("1.0")).contains(written));
}

// seed: S1-44
#[test]
fn notes_are_kept_current_between_marks() {
    let sample = keep_current(DESCRIBED, &notes("Waiting for the skeptic"), &Metadata::default());
    let added: Vec<&str> = sample.lines().filter(|line| !DESCRIBED.lines().any(|known| known == *line)).collect();
    let said: Vec<&str> = added.iter().copied().filter(|line| !line.starts_with("<!--")).collect();
    assert_eq!(said, ["Waiting for the skeptic", "- synthesis.md:3: not written", "1. Run `forge continue`"]);
    assert_eq!(added.len(), 9, "each between two marks: {added:?}");
    assert!(DESCRIBED.lines().all(|line| sample.contains(line)), "what people wrote stays");
    let later = keep_current(&sample, &notes("Deciding"), &Metadata::default());
    assert!(later.contains("Deciding") && !later.contains("Waiting for the skeptic"), "{later}");
    // What a person writes between the marks stays.
    let mine = sample.replace("Waiting for the skeptic", "Waiting on Ann");
    let kept = keep_current(&mine, &notes("Deciding"), &Metadata::default());
    assert!(kept.contains("Deciding") && kept.contains("<!-- /forge -->\nWaiting on Ann\n"), "{kept}");
    assert_eq!(keep_current(&kept, &notes("Deciding"), &Metadata::default()), kept);
    // Half of the marks: it is the person's now.
    let theirs = sample.replacen("<!-- /forge -->\n", "", 1);
    assert!(keep_current(&theirs, &notes("Deciding"), &Metadata::default()).contains("Waiting for the skeptic"));
}

proptest! {
    /// Whatever the notes were: the state is the same, every line stays, and the second time changes nothing.
    #[test]
    fn nothing_else_in_the_file_changes(body in "(#{1,3} (Blockers|Next Actions|Mine)\n|[a-z:#` -]{0,12}\n|```\n){0,12}", end in "[a-z]{0,5}") {
        let text = format!("---\nphase: build\nphase_status: blocked\nworkflow_id: w\nrevision: 3\nmetadata:\n  mine: 1\n---\n{body}{end}");
        let kept = keep_current(&text, &notes("x"), &metadata("0.1"));
        prop_assert_eq!(read(&kept), read(&text));
        let mut rest = kept.as_str();
        for line in text.lines() {
            let at = rest.find(line);
            prop_assert!(at.is_some(), "{} is gone from {}", line, kept);
            rest = &rest[at.unwrap_or(0) + line.len()..];
        }
        prop_assert_eq!(keep_current(&kept, &notes("x"), &metadata("0.1")), kept);
    }
}
