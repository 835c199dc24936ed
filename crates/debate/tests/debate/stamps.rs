//! Rubber stamps: 200 reasons and more, honest and not. Files whose name begins with `blind` were written by somebody who
//! had seen neither the rule nor its word list.

use forge_debate::form::is_rubber_stamp;

const HONEST: [(&str, &str); 2] =
    [("own", include_str!("../texts/own-honest.tsv")), ("blind", include_str!("../texts/blind-honest.tsv"))];
const STAMPS: [(&str, &str); 2] =
    [("own", include_str!("../texts/own-stamps.tsv")), ("blind", include_str!("../texts/blind-stamps.tsv"))];

/// The lines of a file that are taken for what they are not: question, label, reason.
fn misread<'t>(name: &str, data: &'t str, stamps: bool) -> (usize, Vec<&'t str>) {
    let lines: Vec<&str> = data.lines().filter(|line| !line.trim().is_empty()).collect();
    let wrong = lines.iter().copied().filter(|line| {
        let mut fields = line.splitn(3, '\t').skip(1);
        let (label, reason) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        is_rubber_stamp(reason, label) != stamps
    });
    let wrong: Vec<&str> = wrong.collect();
    println!("{name}: {} of {} wrong", wrong.len(), lines.len());
    (lines.len(), wrong)
}

#[test]
fn honest_reasons_are_taken_and_stamps_are_not() {
    let (mut honest, mut refused) = (0, Vec::new());
    for (name, data) in HONEST {
        let (count, wrong) = misread(&format!("{name} honest"), data, false);
        honest += count;
        refused.extend(wrong);
    }
    let (mut stamps, mut passed) = (0, Vec::new());
    for (name, data) in STAMPS {
        let (count, wrong) = misread(&format!("{name} stamps"), data, true);
        stamps += count;
        passed.extend(wrong);
    }
    assert!(honest >= 100 && stamps >= 100);
    assert!(refused.len() * 20 <= honest, "honest, but refused:\n{}", refused.join("\n"));
    assert!(passed.len() * 10 <= stamps, "stamps, but taken:\n{}", passed.join("\n"));
}
