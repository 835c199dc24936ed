//! Replies as models write them, and turn files as people do.

use forge_artifacts::markdown::{draft, draft_of_bytes, strip_ansi};
use forge_debate::datum::Datum;
use forge_debate::form::{Draft, REPLY_LIMIT_BYTES};

fn of(text: &str) -> Draft {
    draft_of_bytes(text.as_bytes(), REPLY_LIMIT_BYTES)
}

/// Sections as `line title | body` with the body's line ends as `/`.
fn sections(text: &str) -> Vec<String> {
    of(text).sections.iter().map(|s| format!("{} {} | {}", s.line, s.title, s.body.replace('\n', "/"))).collect()
}

fn labels(text: &str) -> Vec<String> {
    of(text).labels.iter().map(|(label, value)| format!("{label} = {value}")).collect()
}

fn ballot(text: &str) -> String {
    let draft = of(text);
    match (draft.ballot, draft.ballot_problem) {
        (Some(fields), None) => Datum::Record(fields).to_string(),
        (None, Some(problem)) => format!("problem: {problem}"),
        (None, None) => "none".to_owned(),
        both => panic!("{both:?}"),
    }
}

#[test]
fn sections_stand_under_real_headings() {
    let cases: &[(&str, &[&str])] = &[
        ("", &[]),
        ("just prose\n", &[]),
        ("## A\none\n\n## B\ntwo\n", &["1 A | one", "4 B | two"]),
        (
            "# Title\nintro\n## A\none\n### A1\ndeep\n## B\n",
            &["1 Title | intro/## A/one/### A1/deep/## B", "3 A | one/### A1/deep", "5 A1 | deep", "7 B | "],
        ),
        ("# T\n## A\nx\n# U\ny\n", &["1 T | ## A/x", "2 A | x", "4 U | y"]),
        (
            "## 1. Final Decision\na\n## (2) **Action Items**\nb\n## `Fallback` Plan ##\nc\n",
            &["1 Final Decision | a", "3 Action Items | b", "5 Fallback Plan | c"],
        ),
        (
            "## A\n```\n## in a fence\n```\n~~~md\n## in tildes\n~~~\n    ## indented\n",
            &["1 A | ```/## in a fence/```/~~~md/## in tildes/~~~/    ## indented"],
        ),
        (
            "## A\n> ## quoted\n\n- ## listed\n\n<!-- ## comment\n## still comment -->\n\n<div>\n## html\n</div>\n",
            &["1 A | > ## quoted//- ## listed//<!-- ## comment/## still comment -->//<div>/## html/</div>"],
        ),
        ("## A\nfirst\n## A\nsecond\n", &["1 A | first", "3 A | second"]),
        ("#hashtag is prose\n\n##also prose\n", &[]),
        (
            "Title\n=====\n\nPart\n----\ntext\n\n### Sub\nx\n",
            &["1 Title | Part/----/text//### Sub/x", "4 Part | text//### Sub/x", "8 Sub | x"],
        ),
        ("Two\nlines\n---\nbody\n", &["1 Two lines | body"]),
        // with marked headings about, a --- below a line is a rule
        ("## Final Decision\nOption B.\n---\n## Next\nx\n", &["1 Final Decision | Option B./---", "4 Next | x"]),
        ("## A\nPart\n----------\nx\n", &["1 A | ", "2 Part | x"]),
        (
            "## A\n\n| risk | impact |\n|---|---|\n| x | y |\n\n## B\n- a\n  - b\n    ## c\n",
            &["1 A | | risk | impact |/|---|---|/| x | y |", "7 B | - a/  - b/    ## c"],
        ),
        ("## A\nnever closed\n```\n## B\n", &["1 A | never closed/```/## B"]),
        ("##\n## \nx\n", &["1  | ", "2  | x"]),
        ("## A\u{200B}B\nx", &["1 AB | x"]),
    ];
    for (text, expected) in cases {
        assert_eq!(sections(text), *expected, "{text:?}");
    }
}

#[test]
fn lines_are_those_of_the_file() {
    let text = "\u{FEFF}---\r\nseat: risk\r\nround: 1\r\n---\r\n\r\n## Position\r\nyes\r\n";
    assert_eq!(sections(text), ["6 Position | yes"]);
    assert_eq!(of(text).text, "\n## Position\nyes\n");
    assert_eq!(draft("## A\nx", 10).sections[0].line, 10);
}

#[test]
fn the_last_json_block_is_the_ballot() {
    let cases = [
        ("```json\n{\"option\": \"A\"}\n```\n", r#"{"option": "A"}"#),
        ("```JSON ballot\n{\"a\": 1}\n```", r#"{"a": 1}"#),
        ("~~~~json\n{\"a\": \"```\"}\n~~~~\n", r#"{"a": "```"}"#),
        ("```json\n{\"option\": \"A\"}\n```\ntext\n```json\n{\"option\": \"B\"}\n```\nthe end", r#"{"option": "B"}"#),
        ("```\n{\"a\": 1}\n```\n```json\n{\"b\": 2}\n```\n```\n{\"c\": 3}\n```\n", r#"{"b": 2}"#),
        ("```\n{\"a\": 1}\n```\n```\nnot json\n```\n", r#"{"a": 1}"#),
        ("```\n[1]\n```\n```rust\n{}\n```\n", "none"),
        (" {\"a\": {\"b\": [1, null, true]}} \n", r#"{"a": {"b": [1, null, true]}}"#),
        (
            "{\"a\": 1} and more",
            "problem: the reply begins like a JSON object but cannot be read: trailing characters on line 1, column 10",
        ),
        (
            "{\"a\": \n1",
            "problem: the reply begins like a JSON object but cannot be read: EOF while parsing an object on line 2, column 1",
        ),
        ("{{option}} is open", "none"),
        ("{a set}", "none"),
        ("prose {\"a\": 1}", "none"),
        ("> ```json\n> {\"quoted\": 1}\n> ```\n", "none"),
        ("- item\n\n  ```json\n  {\"in\": \"a list\"}\n  ```\n", r#"{"in": "a list"}"#),
        ("<!--\n```json\n{\"a\": 1}\n```\n-->\n", "none"),
        // numbers as written, the first of two fields, escapes
        (
            "```json\n{\"n\": [1.0, 1e5, 0.10, 123456789012345678901234567890, -0]}\n```\n",
            r#"{"n": [1.0, 1e5, 0.10, 123456789012345678901234567890, -0]}"#,
        ),
        ("```json\n{\"option\": \"A\", \"Option\": \"B\", \"option\": \"C\"}\n```\n", r#"{"option": "A"}"#),
        ("```json\n{\"\\u0061\": \"\\ud83d\\udc4d\"}\n```\n", r#"{"a": "👍"}"#),
        ("```json\n{}\n```\n", "{}"),
    ];
    for (text, expected) in cases {
        assert_eq!(ballot(text), expected, "{text:?}");
    }
}

#[test]
fn a_ballot_that_cannot_be_read_says_where() {
    let cases = [
        (
            "a\n\n```json\n{\n  \"a\": 1,\n}\n```\n",
            "the json block on line 3 cannot be read: trailing comma on line 6, column 1",
        ),
        (
            "```json\n{'a': 1}\n```\n",
            "the json block on line 1 cannot be read: key must be a string on line 2, column 2",
        ),
        ("```json\n[1]\n```\n", "the json block on line 1 cannot be read: it must be an object, { ... }"),
        ("```json\n```\n", "the json block on line 1 cannot be read: EOF while parsing a value on line 2, column 0"),
        (
            "```json\n{\"a\": \"\\ud800\"}\n```\n",
            "the json block on line 1 cannot be read: unexpected end of hex escape on line 2, column 14",
        ),
        ("x\n```json\n{\"a\": 1}\n", "the json block on line 2 is not closed: the reply seems to be cut off"),
        (
            "```json\n{\"a\": 1}\n```\n```json\n{\"b\"",
            "the json block on line 4 is not closed: the reply seems to be cut off",
        ),
        ("```json", "the json block on line 1 is not closed: the reply seems to be cut off"),
        ("````json\n{}\n```\n", "the json block on line 1 is not closed: the reply seems to be cut off"),
        ("```\n{\"a\": 1,\n", "the json block on line 1 is not closed: the reply seems to be cut off"),
    ];
    for (text, expected) in cases {
        assert_eq!(ballot(text), format!("problem: {expected}"), "{text:?}");
        assert_eq!(of(text).text, text, "what could not be read stays in the text");
    }
}

#[test]
fn a_ballot_has_limits() {
    let fenced = |json: String| ballot(&format!("```json\n{json}\n```\n"));
    assert!(fenced(format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000))).contains("recursion limit"));
    assert!(fenced(format!("{{\"a\": {}{}}}", "[".repeat(50), "]".repeat(50))).contains("nested deeper than 16"));
    let fields: Vec<String> = (0..30_000).map(|n| format!("\"k{n}\": 1")).collect();
    assert!(fenced(format!("{{{}}}", fields.join(","))).contains("more than 128 fields"));
    assert!(fenced(format!("{{\"a\": [{}]}}", ["1"; 30_000].join(","))).contains("more than 4096 values"));
}

#[test]
fn the_text_is_what_remains_without_the_ballot() {
    let draft =
        of("## A\none\n\n```json\n{\"option\": \"A\"}\n```\n\n## B\n```json\n{\"option\": \"B\"}\n```\nafter\n");
    assert_eq!(draft.text, "## A\none\n\n```json\n{\"option\": \"A\"}\n```\n\n## B\nafter\n");
    assert_eq!(draft.sections[1].body, "after");
    let empty = of("## A\n```json\n{\"option\": \"A\"}\n```");
    assert_eq!((empty.text.as_str(), empty.sections[0].body.as_str()), ("## A\n", ""));
    assert_eq!(of("{\"option\": \"A\"}").text, "");
}

#[test]
fn labels_are_bold_and_outside_code_quotes_and_tables() {
    let cases: &[(&str, &[&str])] = &[
        ("**Chosen Option:** B\n", &["Chosen Option = B"]),
        ("**Confidence**: HIGH\n", &["Confidence = HIGH"]),
        (
            "- **Verdict:** agree\n- __Objection strength__: *minor*\n",
            &["Verdict = agree", "Objection strength = minor"],
        ),
        ("**A:** 1\n**B:** `2`  \n**C:** **3**\nprose\n", &["A = 1", "B = 2", "C = 3"]),
        ("1. **A:** one\n   - **B:** two\n\n2. **C:** three\n", &["A = one", "B = two", "C = three"]),
        ("**Chosen Option: B**\n", &["Chosen Option = B"]),
        ("**Chosen Option:** B\n---\n\n## Next\n", &["Chosen Option = B"]),
        ("Chosen Option: B\n", &[]),
        ("I choose **option:** B\n", &[]),
        ("**bold** text: with a colon\n", &[]),
        ("**Chosen Option:**\n\nB\n", &[]),
        ("> **Chosen Option:** B\n> **C:** d\n", &[]),
        ("```\n**Chosen Option:** B\n```\n", &[]),
        ("    **Chosen Option:** B\n", &[]),
        ("| a | b |\n|---|---|\n| **Chosen Option:** B | x |\n", &[]),
        ("<!-- **Chosen Option:** B -->\n", &[]),
        ("**A:** x\n> **B:** y\n\n**C:** z\n", &["A = x", "C = z"]),
    ];
    for (text, expected) in cases {
        assert_eq!(labels(text), *expected, "{text:?}");
    }
}

#[test]
fn what_is_wrong_with_the_bytes_is_a_problem_of_the_draft() {
    assert_eq!(of("fine").problems, Vec::<String>::new());
    assert_eq!(
        draft_of_bytes(b"a\nb \xFF\n\0", 100).problems,
        ["line 2: bytes that are not UTF-8", "line 3: a NUL byte"]
    );
    let cut = draft_of_bytes("## Ä\nöööö".as_bytes(), 8);
    assert_eq!(cut.problems, ["only the first 8 of 14 bytes were read"]);
    assert_eq!(cut.text, "## Ä\nö");
    assert_eq!(of("---\nseat: risk\nround: [1\n---\n## A\nx\n").problems.len(), 1);
    assert_eq!(of("---\nseat: risk\n").problems, ["line 1: the front matter is not closed with a --- line"]);
}

#[test]
fn a_reply_that_begins_with_a_rule_loses_nothing() {
    for text in [
        "---\n\n## A\nx: y\n\n---\n\n## B\nz\n",
        "---\n## A\nx: y\n\n---\n\n## B\nz\n",
        "---\nSome prose here.\n\n## A\nx\n\n## B\nz\n",
    ] {
        let draft = of(text);
        assert_eq!(draft.problems, Vec::<String>::new(), "{text:?}");
        let titles: Vec<&str> = draft.sections.iter().map(|section| section.title.as_str()).collect();
        assert_eq!(titles, ["A", "B"], "{text:?}");
    }
}

#[test]
fn escape_sequences_are_removed() {
    let cases = [
        ("plain", "plain"),
        ("\u{1B}[1;31mred\u{1B}[0m\n", "red\n"),
        ("\u{1B}[?25lhidden\u{1B}[2K", "hidden"),
        ("\u{1B}]0;title\u{7}after", "after"),
        ("\u{1B}]8;;https://x\u{1B}\\link\u{1B}]8;;\u{1B}\\", "link"),
        ("\u{1B}]0;never ended\nnext", "0;never ended\nnext"),
        ("\u{9B}31mred", "red"),
        ("\u{1B}(Btext\u{1B}7\u{1B}=", "text"),
        ("\u{1B}", ""),
        ("\u{1B}[", ""),
        ("\u{1B}[12", ""),
        ("\u{1B}é", "é"),
        ("\u{1B}\n", "\n"),
        ("\u{1B} é", "é"),
        ("\u{1B}[31é", "é"),
    ];
    for (text, expected) in cases {
        assert_eq!(strip_ansi(text), expected, "{text:?}");
        assert_eq!(strip_ansi(text).lines().count(), text.lines().count().min(expected.lines().count()));
    }
    assert_eq!(sections("\u{1B}[1m## Position\u{1B}[0m\nyes"), ["1 Position | yes"]);
}
