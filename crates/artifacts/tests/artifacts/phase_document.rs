//! A phase's documents: which boxes count, what ticking changes, and how many options are told.

use forge_artifacts::formats::phase_document::{read, read_options, tick};
use forge_workflow::snapshot::Checkbox;

fn boxes(text: &str) -> Vec<(String, usize)> {
    read("p.md", text.as_bytes()).todo.into_iter().map(|Checkbox { text, line, .. }| (text, line)).collect()
}

#[test]
fn boxes_in_comments_and_code_are_none() {
    let hidden = [
        "<!-- - [ ] in a comment -->",
        "<!-- what was:\n- [ ] in a comment\n\n- [ ] in it still -->",
        "```\n~~~\n- [ ] in code\n~~~\n```",
        "~~~\n```\n- [ ] in code\n~~~",
        "````\n```\n- [ ] in code\n```\n````",
        "- first\n  ```\n  - [ ] in an item's code\n  ```",
        "```\n<!--\n```",
    ];
    for hidden in hidden {
        for front in ["", "---\nphase: design\nnote: \"<!-- ```\"\n---\n"] {
            let text = format!("{front}# Design\n\n## TODO\n\n- [ ] before\n\n{hidden}\n\n- [ ] after\n");
            let line = |word: &str| text.lines().position(|line| line.ends_with(word)).unwrap() + 1;
            let wanted = ["before", "after"].map(|word| (word.to_owned(), line(word)));
            assert_eq!(boxes(&text), wanted, "{text}");
        }
    }
}

#[test]
fn boxes_end_with_their_section() {
    let text = "## TODO\n\n1. [ ] one\n* [x] two\n\n```\n## No heading\n```\n- [] three\n\n## Other\n\n- [ ] four\n";
    let found = read("p.md", text.as_bytes()).todo;
    let said: Vec<(&str, bool, usize)> = found.iter().map(|one| (one.text.as_str(), one.ticked, one.line)).collect();
    assert_eq!(said, [("one", false, 3), ("two", true, 4), ("three", false, 9)]);
    let windows = text.replace('\n', "\r\n");
    assert_eq!(read("p.md", windows.as_bytes()).todo, found);
}

#[test]
fn ticking_changes_the_box_alone() {
    for (before, after) in [
        ("- [ ] a [ ] b", "- [x] a [ ] b"),
        ("- [] a [ ] b", "- [x] a [ ] b"),
        ("1. [ ] a [] b", "1. [x] a [] b"),
        ("  * []", "  * [x]"),
    ] {
        for end in ["", "\n", "\r\n"] {
            let around = |line: &str| format!("- [ ] x{end}\u{FEFF}\n{line}{end}");
            let line = around(before).split_inclusive('\n').position(|one| one.starts_with(before)).unwrap() + 1;
            assert_eq!(tick(&around(before), line), around(after));
        }
    }
    assert_eq!(tick("- [x] done\n- [ ] b", 1), "- [x] done\n- [ ] b");
    assert_eq!(tick("- [ ] a\n", 9), "- [ ] a\n");
}

#[test]
fn all_options_are_counted() {
    let listed: String = (1..=30).map(|n| format!("- Way {n}: the way of number {n}\n")).collect();
    let options = read_options("o.md", Some(format!("## Options\n\n{listed}").as_bytes())).options;
    assert_eq!(options.len(), 30);
    assert_eq!((options[29].label.as_str(), options[29].id.as_str()), ("Way 30", "O30"));
    let headed: String = (1..=40).map(|n| format!("### Option {n}: Way {n}\n\nIt is so.\n\n")).collect();
    assert_eq!(read_options("o.md", Some(headed.as_bytes())).options.len(), 40);
}

#[test]
fn work_that_nothing_waits_for_is_named() {
    for (text, line) in [
        ("# P\n\n## TODO\n\n- [x] all\n\n## Checklist\n\n- [ ] Ring the union\n", Some(9)),
        ("# P\n\n## Next steps\n\n- [x] done\n- [ ] Ring the union\n", Some(6)),
        ("# P\n\n## TODO\n\n- [x] all\n\n## TODO\n\n- Ring the union\n", Some(9)),
        ("# P\n\n## TODO\n\n- [x] all\n- Ring the union\n", Some(6)),
        ("# P\n\n## TODO\n\n- [x] all\n  - with Ann\n", None),
        ("# P\n\n## Checklist\n\n- [x] Ring the union\n", None),
        ("# P\n\n## Decisions\n\n- [ ] Use cards\n", None),
    ] {
        let told: Vec<_> = read("p.md", text.as_bytes()).unclear.iter().map(|one| (one.line, one.holds)).collect();
        assert_eq!(told, line.map(|line| (line, false)).into_iter().collect::<Vec<_>>(), "{text}");
    }
}
