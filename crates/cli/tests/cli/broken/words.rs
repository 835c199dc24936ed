//! Strange words in questions and options: they must come back as they were, and do nothing on the way.

use crate::place::Place;
use serde_json::Value;

const WORDS: [&str; 26] = [
    "Is \"this\" or 'that' right?",
    "Which\nof the\n\nlines?",
    "Which\tof\ttabs?",
    "\u{1f525} or \u{2744}\u{fe0f}, asks \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}?",
    "\u{1b}[31mRed\u{1b}[0m or \u{1b}]0;title\u{7}blue?",
    "Is \u{202e}this reversed\u{202c} or \u{2066}isolated\u{2069}?",
    "C:\\path\\to or /path/to?",
    "key: value, - item, # comment?",
    "---\nIs front matter allowed?\n---",
    "- is a list item\n- a question?",
    "# Is a heading a question?",
    "## Final Decision\n\nIs it taken?",
    "```json\n{\"option\": \"A\"}\n```\nIs a fence closed?",
    "Is {{ 7 * 7 }} or {% for x in y %} {# lost #}?",
    "Is <script>alert(1)</script> & <b>bold</b> shown?",
    "Is `code` | a table | row |?",
    "What of null, ~, true, yes and 1e3?",
    "%s %d %n %x?",
    "\u{4e2d}\u{6587}\u{8fd8}\u{662f}\u{65e5}\u{672c}\u{8a9e}\u{ff1f}",
    "\u{627}\u{644}\u{639}\u{631}\u{628}\u{64a}\u{629}\u{61f}",
    "Zo\u{eb} and Zoe\u{308}: one or two?",
    "Is a backslash at the end a question? \\",
    "'single' \"double\" \\\"escaped\\\"?",
    "!important: &anchor *alias @at %percent?",
    "Is\u{a0}a hard\u{2028}space?",
    "Does this\u{0b}break\u{0c}the\u{85}page?",
];

/// Whether words were kept, but for what hides or reorders them, which may be left out on the way in.
fn same(kept: &str, given: &str) -> bool {
    let hidden = |c: char| {
        c.is_control() || matches!(c, '\u{200B}' | '\u{202A}'..='\u{202E}' | '\u{2060}' | '\u{2066}'..='\u{2069}')
    };
    let bare = |text: &str| text.chars().filter(|c| !hidden(*c) && !c.is_whitespace()).collect::<String>();
    bare(kept) == bare(given)
}

fn run(question: &str, options: &[&str], protocol: &str) {
    let place = Place::new();
    let options_given: Vec<String> = options.iter().map(|option| format!("--option={option}")).collect();
    let mut args = vec!["debate", "--protocol", protocol, "--id", "d1"];
    args.extend(options_given.iter().map(String::as_str));
    let with = |more: &[&'static str]| [&args[..], more, &["--", question]].concat();
    let done = place.forge(&with(&[]));
    assert!(matches!(done.code, 0 | 4), "{question:?}: {done}");
    let before = place.tree();
    let verdict = place.forge(&with(&["--json"])).json();
    assert_eq!(place.tree(), before, "{question:?}: the same command, and something changed");
    assert!(same(verdict["question"].as_str().unwrap(), question), "{question:?} became {:?}", verdict["question"]);
    let labels: Vec<&Value> = verdict["options"].as_array().unwrap().iter().map(|option| &option["label"]).collect();
    for (label, option) in labels.iter().zip(options) {
        // A colon inside code belongs to the name.
        let colon = option.match_indices(": ").find(|(at, _)| option[..*at].matches('`').count() % 2 == 0);
        let given = colon.map_or(*option, |(at, _)| &option[..at]);
        assert!(same(label.as_str().unwrap(), given), "{given:?} became {label}");
    }
    for args in [
        &["debate", "show", "d1"][..],
        &["debate", "status", "d1"],
        &["gate", "d1"],
        &["export", "d1"],
        &["export", "d1", "--format", "adr"],
    ] {
        let done = place.forge(args);
        assert!(matches!(done.code, 0 | 3 | 4), "{question:?}: {done}");
    }
    assert_eq!(place.forge(&["debate", "list", "--json"]).json()["debates"][0]["debate"], "d1");
}

/// Runs the words, and tells every one that fails.
fn each(run: impl Fn(&str) + std::panic::RefUnwindSafe) {
    let failed: Vec<&str> =
        WORDS.into_iter().filter(|words| std::panic::catch_unwind(|| run(words)).is_err()).collect();
    assert!(failed.is_empty(), "{} of {} fail: {failed:#?}", failed.len(), WORDS.len());
}

#[test]
fn strange_questions_for_judges() {
    each(|words| run(words, &["One way", "Another way"], "judges"));
}

#[test]
fn strange_questions_for_a_gate() {
    each(|words| run(words, &[], "gate"));
}

#[test]
fn strange_questions_make_sound_names() {
    each(|words| {
        let place = Place::new();
        let done = place.forge(&[
            "debate",
            "--option",
            "One",
            "--option",
            "Two",
            "--protocol",
            "challenge",
            "--rounds",
            "1",
            "--",
            words,
        ]);
        assert!(matches!(done.code, 0 | 4), "{done}");
        for file in place.files() {
            assert!(file.chars().all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c)), "{file:?}");
        }
    });
}

#[test]
fn strange_options() {
    each(|words| run("Which way is best?", &[words, "Another way", "A third way"], "judges"));
}

#[test]
fn contested_strange_options() {
    each(|words| {
        let place = Place::new();
        place.write("split.yaml", "replies:\n  - {seat: risk, ballot: {option: A}}\n  - {seat: value, ballot: {option: B}}\n  - {seat: effort, ballot: {option: C}}\n");
        let option = format!("--option={words}: what it means");
        let described = format!("--option=Described: {words}");
        let args =
            ["debate", "Which?", "--agent", "scripted:split.yaml", "--id", "d1", &option, &described, "--option=Third"];
        place.forge(&args).code(4).out("CONTESTED");
        place.forge(&["gate", "d1"]).code(3);
        place.forge(&["export", "d1", "--format", "yaml"]).code(0);
        let because = format!("--because={words}");
        let by = format!("--by={words}");
        place.forge(&["debate", "decide", "d1", "A", &because, &by]).code(0).out("DECIDED by");
        place.forge(&["debate", "show", "d1"]).code(0).out("DECIDED by");
        place.forge(&["export", "d1"]).code(0);
        place.forge(&["gate", "d1", "--allow-rehearsal"]).code(0);
    });
}
