//! Bytes as people and editors leave them.

use forge_artifacts::document::{Document, Front, PROBLEM_LIMIT, decode, set_front_value};
use forge_artifacts::yaml::plain_or_quoted;
use proptest::prelude::*;
use serde_json::{Value, json};

fn problems(bytes: &[u8]) -> Vec<(usize, String)> {
    decode(bytes).problems.into_iter().map(|problem| (problem.line, problem.text)).collect()
}

fn fields(text: &str) -> Value {
    match Document::parse(text).front {
        Front::Fields(fields) => Value::Object(fields),
        other => panic!("{text:?}: {other:?}"),
    }
}

fn broken(text: &str) -> (usize, String) {
    match Document::parse(text).front {
        Front::Broken { line, text } => (line, text),
        other => panic!("{text:?}: {other:?}"),
    }
}

#[test]
fn bytes_become_a_text_however_they_were_saved() {
    type Case<'c> = (&'c [u8], &'c str, &'c [(usize, &'c str)]);
    let cases: &[Case<'_>] = &[
        (b"plain\n", "plain\n", &[]),
        (b"", "", &[]),
        (b"\xEF\xBB\xBFmarked", "marked", &[]),
        (b"a\r\nb\rc\n\r\nd", "a\nb\nc\n\nd", &[]),
        (b"ok\nbad \xFF\xFE here\n", "ok\nbad \u{FFFD}\u{FFFD} here\n", &[(2, "bytes that are not UTF-8")]),
        (b"cut \xE2\x82", "cut \u{FFFD}", &[(1, "bytes that are not UTF-8")]),
        (b"one\r\rnul \0\0 nul\n", "one\n\nnul \u{FFFD}\u{FFFD} nul\n", &[(3, "a NUL byte")]),
        (b"\xFF\xFEh\0i\0\r\0\n\0", "hi\n", &[(1, "the file is UTF-16; save it as UTF-8")]),
        (b"\xFE\xFF\0h\0i", "hi", &[(1, "the file is UTF-16; save it as UTF-8")]),
        (b"\xFF\xFEh\0i", "h\u{FFFD}", &[(1, "the file is UTF-16; save it as UTF-8")]),
    ];
    for (bytes, text, expected) in cases {
        assert_eq!(decode(bytes).text, *text, "{bytes:?}");
        let expected: Vec<(usize, String)> = expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect();
        assert_eq!(problems(bytes), expected, "{bytes:?}");
    }
    assert_eq!(problems(&b"\xFF\n".repeat(1000)).len(), PROBLEM_LIMIT);
}

#[test]
fn front_matter_is_read_with_its_lines() {
    let document = Document::parse("---\nseat: risk\nround: 2\n# a comment\ntags: [a, b]\n---\n\n# Body\n");
    assert_eq!(
        document.fields().cloned().map(Value::Object),
        Some(json!({"seat": "risk", "round": 2, "tags": ["a", "b"]}))
    );
    assert_eq!(document.body, "\n# Body\n");
    assert_eq!(document.body_line, 7);
    let order: Vec<&String> = document.fields().unwrap().keys().collect();
    assert_eq!(order, ["seat", "round", "tags"]);
    assert_eq!(fields("---\n---\n"), json!({}));
    assert_eq!(fields("---\n# only a comment\n---\n"), json!({}));
    assert_eq!(fields("---  \na: 1\n...\nbody"), json!({"a": 1}));
    assert_eq!(fields("---\na: 1\n---"), json!({"a": 1}), "no line end after the last line");
}

#[test]
fn a_text_without_front_matter_is_all_body() {
    for text in [
        "",
        "# Title\n",
        "--- \n\nA rule, then prose\n\n---\n",
        "----\na: 1\n----\n",
        " ---\na: 1\n---\n",
        "---",
        "---\n",
        "---\n## Position\nkey: value\n---\n",
    ] {
        let document = Document::parse(text);
        assert_eq!(document, Document { front: Front::None, body: text.to_owned(), body_line: 1 }, "{text:?}");
    }
}

#[test]
fn broken_front_matter_says_where() {
    let (line, text) = broken("---\nseat: risk\nround: 1\n");
    assert_eq!((line, text.as_str()), (1, "the front matter is not closed with a --- line"));
    assert_eq!(broken("---\na: 1\nb: [1, 2\n---\nbody").0, 3);
    assert_eq!(broken("---\na: 1\nb: c: d\n---\nbody").0, 3);
    let (line, text) = broken("---\nstatus: a\nseat: b\nstatus: c\n---\n");
    assert_eq!(line, 4);
    assert!(text.contains("duplicate"), "{text}");
    assert_eq!(broken("---\nonly prose\n---\n").0, 2);
    assert_eq!(broken("---\n- a\n- b\n---\n").0, 2);
    assert_eq!(Document::parse("---\na: [\n---\nbody\n").body, "body\n");
    assert_eq!(Document::parse("---\na: 1\nbody\n").body, "---\na: 1\nbody\n");
}

#[test]
fn bombs_are_broken_front_matter() {
    let mut aliases = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (before, c) in ('a'..'j').zip('b'..='j') {
        let items = vec![format!("*{before}"); 9].join(", ");
        aliases.push_str(&format!("{c}: &{c} [{items}]\n"));
    }
    let deep_flow = format!("a: {}\n", "[".repeat(100_000));
    let deep_block: String = (0..2_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    let wide: String = (0..100_000).map(|n| format!("k{n}: v\n")).collect();
    let long = format!("a: {}\n", "x".repeat(2_000_000));
    let merges: String = (0..5_000).map(|n| format!("m{n}: &m{n} {{<<: *m{}}}\n", n.max(1) - 1)).collect();
    for bomb in [aliases, deep_flow, deep_block, wide, long, merges] {
        broken(&format!("---\n{bomb}---\nbody\n"));
    }
}

#[test]
fn one_value_is_set_and_the_rest_stays() {
    let cases = [
        // (before, key, value, after)
        (
            "---\nstatus: pending\nother: 1\n---\nbody\n",
            "status",
            "complete",
            "---\nstatus: complete\nother: 1\n---\nbody\n",
        ),
        (
            "---\na: 1\n# note\nz:   'odd'   \n---\nb",
            "status",
            "done",
            "---\na: 1\n# note\nz:   'odd'   \nstatus: done\n---\nb",
        ),
        ("---\nstatus: a   # why\n---\n", "status", "b", "---\nstatus: b   # why\n---\n"),
        ("---\nstatus: \"a # b\" # why\n---\n", "status", "c", "---\nstatus: c # why\n---\n"),
        ("---\nstatus: [a, b] # see [c]\n---\n", "status", "c", "---\nstatus: c # see [c]\n---\n"),
        ("---\nstatus: # none yet\n---\n", "status", "c", "---\nstatus: c # none yet\n---\n"),
        ("---\n\"status\": a\nstatus_of: b\n---\n", "status", "c", "---\nstatus: c\nstatus_of: b\n---\n"),
        ("---\nx:\n  status: inner\nstatus: a\n---\n", "status", "b", "---\nx:\n  status: inner\nstatus: b\n---\n"),
        ("---\nt: |\n  status: inside\n\n  more\nz: 1\n---\n", "t", "b", "---\nt: b\nz: 1\n---\n"),
        ("---\nt:\n- a\n- b\n\n# next\nz: 1\n---\n", "t", "[c]", "---\nt: [c]\n\n# next\nz: 1\n---\n"),
        ("---\nt: [\n  a,\n]\nz: 1\n---\n", "t", "x", "---\nt: x\nz: 1\n---\n"),
        ("---\n  a: 1\n  b: 2\n---\n", "c", "3", "---\n  a: 1\n  b: 2\n  c: 3\n---\n"),
        ("---\n  a: 1\n  b: 2\n---\n", "a", "3", "---\n  a: 3\n  b: 2\n---\n"),
        ("---\n{a: 1, b: x}\n---\n", "a", "3", "---\n\"b\": \"x\"\na: 3\n---\n"),
        ("---\r\na: 1\r\nb: 2\r\n---\r\nbody\r\n", "a", "3", "---\r\na: 3\r\nb: 2\r\n---\r\nbody\r\n"),
        ("---\r\na: 1\r\n---\r\n", "b", "2", "---\r\na: 1\r\nb: 2\r\n---\r\n"),
        ("\u{FEFF}---\na: 1\n---\n", "a", "2", "\u{FEFF}---\na: 2\n---\n"),
        ("\u{FEFF}# Title\n", "a", "2", "\u{FEFF}---\na: 2\n---\n# Title\n"),
        ("# Title\n", "a", "2", "---\na: 2\n---\n# Title\n"),
        ("", "a", "2", "---\na: 2\n---\n"),
        ("---\n---\nbody", "a", "2", "---\na: 2\n---\nbody"),
        ("---\na: 1\nno end", "a", "2", "---\na: 1\nno end"),
        // what is not one value on one line is quoted
        ("---\na: 1\n---\n", "a", "b: c", "---\na: \"b: c\"\n---\n"),
        ("---\na: 1\n---\n", "a", "two\nlines", "---\na: \"two\\nlines\"\n---\n"),
        ("---\na: 1\n---\n", "a", "x # y", "---\na: \"x # y\"\n---\n"),
        ("---\na: 1\n---\n", "a", "*x", "---\na: \"*x\"\n---\n"),
        ("---\na: 1\n---\n", "a", "{b: c}", "---\na: \"{b: c}\"\n---\n"),
        ("---\na: 1\n---\n", "a", "\"quoted\"", "---\na: \"quoted\"\n---\n"),
        ("---\na: 1\n---\n", "a", "true", "---\na: true\n---\n"),
        ("---\na: \"x\" # why\nb: 1\n---\n", "a", "", "---\na: # why\nb: 1\n---\n"),
        ("---\rb: 1\r---\rbody\r", "a", "2", "---\rb: 1\ra: 2\r---\rbody\r"),
    ];
    for (before, key, value, after) in cases {
        assert_eq!(set_front_value(before, key, value), after, "{before:?} {key}: {value}");
        assert_eq!(set_front_value(after, key, value), after, "twice is once: {after:?}");
    }
}

fn a_line() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("status: running".to_owned()),
        Just("status: \"run # ning\"  # why".to_owned()),
        Just("note: |\n  status: no\n\n  # not a comment\n  end".to_owned()),
        Just("list:\n- a\n- status: b".to_owned()),
        Just("map:\n  status: c\n  deep: {status: d}".to_owned()),
        Just("# status: e".to_owned()),
        Just("".to_owned()),
        Just("'quoted key': 1".to_owned()),
        Just("other: [1,\n  2]".to_owned()),
        Just("folded: >-\n  a\n  b".to_owned()),
    ]
}

proptest! {
    #![proptest_config(crate::config(400))]

    #[test]
    fn setting_a_value_changes_that_value_alone(
        lines in proptest::collection::vec(a_line(), 0..8),
        value in any::<String>(),
        body in "[a-z#\n-]{0,40}",
    ) {
        let text = format!("---\nfirst: 1\n{}\n---\n{body}", lines.join("\n"));
        let Front::Fields(mut expected) = Document::parse(&text).front else { return Ok(()) };
        let set = set_front_value(&text, "status", &plain_or_quoted(&value));
        let after = Document::parse(&set);
        expected.insert("status".to_owned(), Value::String(value));
        prop_assert_eq!(after.fields(), Some(&expected), "{:?}", set);
        prop_assert_eq!(after.body, body);
        let kept = text.lines().filter(|line| !line.starts_with("status:"));
        prop_assert!(kept.clone().all(|line| set.contains(line)));
    }

    #[test]
    fn any_value_leaves_a_front_matter_that_can_be_read(value in any::<String>()) {
        let set = set_front_value("---\na: 1\n---\nbody\n", "status", &value);
        let after = Document::parse(&set);
        prop_assert!(after.fields().is_some_and(|fields| fields.len() == 2 && fields["a"] == 1), "{:?}", set);
        prop_assert_eq!(after.body, "body\n");
    }
}

#[test]
fn a_merge_that_was_not_finished_is_found_and_a_text_about_one_is_not() {
    let line = |text: &str| forge_artifacts::document::hidden(text).first().map(|problem| problem.line);
    assert_eq!(line("# Risks\n\n<<<<<<< HEAD\n- R1: Fire\n=======\n- R1: Flood\n>>>>>>> feat/x\n"), Some(3));
    assert_eq!(line("Title\n=======\n\nText.\n"), None);
    assert_eq!(line("<<<<<<< HEAD\n- R1: Fire\n"), None);
    assert_eq!(line("- Write `<<<<<<< HEAD` in the guide\n=======\n>>>>>>> x\n"), None);
}

#[test]
fn what_hides_a_part_of_a_document_is_found_with_its_line() {
    let lines = |text: &str| -> Vec<usize> {
        forge_artifacts::document::hidden(text).iter().map(|problem| problem.line).collect()
    };
    for (text, line) in [
        ("Sure! Here it is:\n\n---\nphase: design\nchallenges: [D1]\n---\n\n# Design\n", 3),
        ("# Design\n\n---\ncomponents: [a, b, c, d]\n---\n", 3),
        ("---\ntitle: x\n---\n---\naffected_components: [a]\n---\n# Design\n", 4),
        ("---\ntitle: x\n---\n\n---\nchallenged_decisions: [D1]\n---\n", 5),
        ("# Design\n\n```python\ndef f(): pass\n\n## Risks\n\n- Fire\n", 3),
        ("# Design\n\n~~~\n```\n\n## Risks\n", 3),
        ("# Design\n\n<!-- draft\n\n## Risks\n\n- Fire\n", 3),
        ("```markdown\n# Risks\n\n| ID | Risk |\n|---|---|\n| R1 | Fire |\n```\n", 1),
        ("Here is the file:\n\n```\n---\na: 1\n---\n# Risks\n```\n\nAnything else?\n", 3),
    ] {
        assert_eq!(lines(text), [line], "{text}");
    }
    for text in [
        "---\nchallenges: [D1]\n---\n\n# Design\n\nText\n\n---\n\nMore: text\n\n---\n",
        "# Design\n\n---\nNote: one\n---\n",
        "# Design\n\n```\n# a comment\n```\n\n## Risks\n",
        "# Design\n\n````markdown\n```\n## Example\n```\n````\n",
        "# Design\n\n```sh\nls\n",
        "# Design\n\n<!-- one\ntwo -->\n\n## Risks\n\nText with <!-- in it\n\n## More\n",
        "Only text\n\n```sh\n# list\nls\n```\n",
        "",
    ] {
        assert_eq!(lines(text), [0; 0], "{text}");
    }
}
