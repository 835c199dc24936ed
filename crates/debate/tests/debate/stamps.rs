//! Rubber stamps: 200 reasons and more, honest and not. Files whose name begins with `blind` were written by somebody who
//! had seen neither the rule nor its word list.

use forge_debate::reading::is_rubber_stamp;

const HONEST: [&str; 2] = [include_str!("../texts/own-honest.tsv"), include_str!("../texts/blind-honest.tsv")];
const STAMPS: [&str; 2] = [include_str!("../texts/own-stamps.tsv"), include_str!("../texts/blind-stamps.tsv")];

/// How many lines (question, label, reason) there are, and those that are taken for what they are not.
fn misread(files: [&'static str; 2], stamps: bool) -> (usize, Vec<&'static str>) {
    let lines: Vec<&str> = files.iter().flat_map(|data| data.lines()).filter(|line| !line.trim().is_empty()).collect();
    let wrong = lines.iter().copied().filter(|line| {
        let mut fields = line.splitn(3, '\t').skip(1);
        let (label, reason) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        is_rubber_stamp(reason, label) != stamps
    });
    let wrong: Vec<&str> = wrong.collect();
    (lines.len(), wrong)
}

// seed: S2-40, S2-45
#[test]
fn honest_reasons_are_taken_and_stamps_are_not() {
    let (honest, refused) = misread(HONEST, false);
    let (stamps, taken) = misread(STAMPS, true);
    assert!(honest >= 100 && stamps >= 100);
    assert!(refused.len() * 20 <= honest, "honest, but refused:\n{}", refused.join("\n"));
    assert!(taken.len() * 10 <= stamps, "stamps, but taken:\n{}", taken.join("\n"));
}
