//! Scalars come back as they went, and numbers are numbers.

use forge_artifacts::yaml::{block, plain_or_quoted, quoted, read};
use proptest::prelude::*;
use serde_json::{Value, json};

fn assert_round_trip(text: &str) {
    for scalar in [quoted(text), plain_or_quoted(text), block(text, 2), block(text, 5), block(text, 0)] {
        for yaml in
            [format!("key: {scalar}"), format!("key: {scalar}\n"), format!("before: 1\nkey: {scalar}\nafter: 2\n")]
        {
            let value = read(&yaml, 1).unwrap_or_else(|problem| panic!("{yaml:?}: {problem:?}"));
            assert_eq!(value["key"], Value::String(text.to_owned()), "{yaml:?}");
        }
    }
    let listed = format!("[{}, {}]", plain_or_quoted(text), quoted(text));
    assert_eq!(read(&listed, 1).unwrap(), json!([text, text]), "{listed:?}");
    assert_eq!(serde_json::from_str::<String>(&quoted(text)).unwrap(), text, "a quoted scalar is JSON too");
}

#[test]
fn awkward_texts_come_back() {
    let awkward = [
        "",
        " ",
        "\n",
        "\n\n",
        "a\n",
        "a\n\n",
        "\na",
        " a",
        "a ",
        "a\n b\n",
        "a\n\n\nb",
        "a\n  \nb",
        "\ta",
        "a\tb",
        "a\n\tb",
        "a\t",
        "null",
        "Null",
        "~",
        "true",
        "yes",
        "No",
        "on",
        "1",
        "1.5",
        "007",
        "0x10",
        "1e5",
        ".inf",
        ".nan",
        "-",
        "- a",
        "? a",
        ":",
        "a:",
        "a: b",
        "a #b",
        "# a",
        "#",
        "[a]",
        "{a}",
        "a, b",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "'a'",
        "\"a\"",
        "\\",
        "%a",
        "@a",
        "`a`",
        "---",
        "...",
        "a\n---\nb",
        "a\n...\nb",
        "2026-01-01",
        "2026-01-01T00:00:00Z",
        "12:30",
        "<<",
        "=",
        "é",
        "日本語",
        "👍",
        "\u{85}",
        "a\u{85}b",
        "\u{2028}",
        "a\u{2029}b",
        "\u{FEFF}",
        "a\u{FEFF}",
        "\0",
        "\u{7F}",
        "\u{9F}",
        "\u{202E}",
        "\u{FFFE}",
        "\r",
        "a\r\nb",
        "a\rb",
        "it's",
        "\u{E0001}",
        "x: |\n  y",
        "#a\nb",
        "a\n#b\n c",
        "\u{A0}",
        "\u{3000}a",
        "a\u{3000}",
        "a\n\u{A0}\nb",
    ];
    for text in awkward {
        assert_round_trip(text);
    }
}

#[test]
fn readable_texts_stay_readable() {
    for plain in [
        "complete",
        "docs/forge/debate",
        "Redis or Memcached for sessions?",
        "judges@1",
        "brainstorm-20260101-120000",
        "S1.a1",
    ] {
        assert_eq!(plain_or_quoted(plain), plain);
    }
    for words in ["yes", "a: b", "12", "", "a, b", "key:", "2026-01-01"] {
        assert_eq!(plain_or_quoted(words), format!("{words:?}"));
    }
    assert_eq!(block("one\n\n  two\n", 2), "|\n  one\n\n    two");
    assert_eq!(block("one", 4), "|-\n    one");
    assert_eq!(block("one\n\n", 2), "\"one\\n\\n\"");
}

#[test]
fn only_plain_decimal_numbers_are_numbers() {
    let cases = [
        ("0", json!(0)),
        ("42", json!(42)),
        ("-7", json!(-7)),
        ("1.10", json!(1.1)),
        ("18446744073709551615", json!(u64::MAX)),
        ("18446744073709551616", json!("18446744073709551616")),
        ("007", json!("007")),
        ("0x10", json!("0x10")),
        ("1_000", json!("1_000")),
        ("12e3", json!("12e3")),
        ("1234e567", json!("1234e567")),
        ("+5", json!("+5")),
        (".inf", json!(".inf")),
        ("'.inf'", json!(".inf")),
        ("0.12345678901234567890", json!("0.12345678901234567890")),
        ("yes", json!("yes")),
        ("true", json!(true)),
        ("~", json!(null)),
        ("2026-01-01T00:00:00Z", json!("2026-01-01T00:00:00Z")),
        ("[1, 007, {b: 08}]", json!([1, "007", {"b": "08"}])),
    ];
    for (written, value) in cases {
        assert_eq!(read(&format!("ü: 1\nkey: {written}\n"), 1).unwrap()["key"], value, "{written}");
    }
    let aliased = read("a: &x 007\nb: *x\n", 1).unwrap();
    assert_eq!(aliased, json!({"a": "007", "b": "007"}));
}

#[test]
fn a_problem_names_the_line_of_its_file() {
    let problem = read("a: 1\nb: [\n", 10).unwrap_err();
    assert_eq!(problem.line, 11);
    assert!(!problem.text.contains('\n'));
    assert_eq!(read("a: 1\n---\nb: 2\n", 1).unwrap_err().line, 3);
}

proptest! {
    #![proptest_config(crate::config(600))]

    #[test]
    fn any_text_comes_back(text in any::<String>()) {
        assert_round_trip(&text);
    }

    #[test]
    fn any_prose_comes_back(text in "[ \t\n#:|>a-c'\"\\\\\\[\\],{}&*!%@`?0-9.~é\u{85}\u{2028}-]{0,24}") {
        assert_round_trip(&text);
    }

    #[test]
    fn reading_never_panics(text in "[ \t\n#:|>a-c'\"\\\\\\[\\],{}&*!%@`?0-9.~<=é-]{0,64}") {
        let _ = read(&text, 1);
    }
}
