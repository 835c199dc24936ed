//! The record of a workflow that is over: its table holds whatever the reasons are.

use forge_artifacts::formats::workflow_file;
use forge_artifacts::formats::workflow_record::{Record, write};
use forge_workflow::extract::passages::{lines, table_at};
use forge_workflow::state::State;

#[test]
fn a_reason_stays_in_its_cell() {
    let definition = workflow_file::read("{}").unwrap();
    for why in ["a | b", "a\\|b", "ends with \\"] {
        let first = definition.phases[0].id.clone();
        let state = State {
            skipped_debates: vec![(first.clone(), why.to_owned())],
            ..State::new("forge-1", "x", &first, "2026-01-27T10:00:00Z")
        };
        let record = Record { state: &state, definition: &definition, decisions: Vec::new(), standing: Vec::new() };
        let text = write("---\nphase: init\n---\n", &record);
        let lines = lines(&text).all;
        let table = (0..lines.len()).find_map(|at| table_at(&lines, at)).unwrap();
        assert_eq!(
            table.rows[0].1,
            [format!("{first} (not done)"), format!("skipped: {why}"), String::new()],
            "{text}"
        );
        assert_eq!(table.rows.len(), definition.phases.len());
    }
}
