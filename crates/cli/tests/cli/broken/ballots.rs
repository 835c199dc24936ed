//! What an agent may say in the place of a ballot. A bad one is asked for once more and then is an absence; it never
//! votes by accident, and it never stops the others.

use crate::place::Place;

/// What `risk` says, and the vote that it may count as; none means that it must be absent.
const SAID: &[(&str, &str, Option<&str>)] = &[
    (
        "in form",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\", \"arguments\": [{\"id\": \"a1\", \"text\": \"it needs a second database\"}]}\n```",
        Some("A"),
    ),
    (
        "a small letter",
        "```json\n{\"option\": \"a\", \"confidence\": \"low\", \"reason\": \"the other way needs a second database\"}\n```",
        Some("A"),
    ),
    (
        "a label",
        "```json\n{\"option\": \"one WAY\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        Some("A"),
    ),
    ("nothing", "", None),
    ("prose", "I vote for option A, because the other way needs a second database.", None),
    (
        "an object and nothing else",
        "{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}",
        Some("A"),
    ),
    (
        "a fence that is not closed",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}",
        None,
    ),
    ("half an object", "```json\n{\"option\": \"A\", \"confidence\":\n```", None),
    (
        "a trailing comma",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\",}\n```",
        None,
    ),
    (
        "single quotes",
        "```json\n{'option': 'A', 'confidence': 'LOW', 'reason': 'the other way needs a second database'}\n```",
        None,
    ),
    ("a list", "```json\n[\"A\"]\n```", None),
    ("a text", "```json\n\"A\"\n```", None),
    ("null", "```json\nnull\n```", None),
    ("an empty object", "```json\n{}\n```", None),
    (
        "a number for an option",
        "```json\n{\"option\": 7, \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    (
        "a list for an option",
        "```json\n{\"option\": [\"A\"], \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    (
        "an object for an option",
        "```json\n{\"option\": {\"id\": \"A\"}, \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    (
        "no option",
        "```json\n{\"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    (
        "null for an option",
        "```json\n{\"option\": null, \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    (
        "an option that is not there",
        "```json\n{\"option\": \"Z\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    (
        "two options in one",
        "```json\n{\"option\": \"A or B\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    (
        "the example's own words",
        "```json\n{\"option\": \"<A or B>\", \"confidence\": \"<HIGH, MEDIUM or LOW>\", \"reason\": \"<...>\"}\n```",
        None,
    ),
    (
        "an option of the example, and a reason",
        "```json\n{\"option\": \"<A or B>\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    (
        "a reason of the example, and an option",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"<...>\"}\n```",
        None,
    ),
    (
        "words to pick from",
        "```json\n{\"option\": \"A|B\", \"confidence\": \"HIGH|MEDIUM|LOW\", \"reason\": \"...\"}\n```",
        None,
    ),
    (
        "a confidence that is not there",
        "```json\n{\"option\": \"A\", \"confidence\": \"VERY\", \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    (
        "a number for a confidence",
        "```json\n{\"option\": \"A\", \"confidence\": 0.9, \"reason\": \"the other way needs a second database\"}\n```",
        None,
    ),
    ("an empty reason", "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"\"}\n```", None),
    (
        "a rubber stamp",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"Looks good to me.\"}\n```",
        None,
    ),
    (
        "the question for a reason",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"Which way is best for the invoices of this quarter?\"}\n```",
        None,
    ),
    (
        "a placeholder for a reason",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"[your reason here]\"}\n```",
        None,
    ),
    // As documented: of a field that is there twice the first counts, of several blocks the last.
    (
        "one key twice, differently",
        "```json\n{\"option\": \"A\", \"option\": \"B\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```",
        Some("A"),
    ),
    (
        "two ballots that differ",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```\n\nOr rather:\n\n```json\n{\"option\": \"B\", \"confidence\": \"LOW\", \"reason\": \"this way needs no second database\"}\n```",
        Some("B"),
    ),
    (
        "a ballot in somebody's words",
        "> ```json\n> {\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n> ```",
        None,
    ),
    (
        "an HTML comment around it",
        "<!--\n```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\"}\n```\n-->",
        None,
    ),
    (
        "braces in a reason",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"Helm's {{ .Values.replicas }} is checked by nobody before it runs\"}\n```",
        Some("A"),
    ),
    (
        "brackets in a reason",
        "```json\n{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"[RFC 9110] says that it is safe to repeat [GET]\"}\n```",
        Some("A"),
    ),
    (
        "seeds' spelling from an agent",
        "**Chosen Option:** A\n**Confidence Level:** LOW\n**Rationale:** the other way needs a second database\n",
        None,
    ),
];

fn run(say: &str) -> (Place, i32) {
    let place = Place::new();
    let script = serde_json::json!({"replies": [{"seat": "risk", "say": say}, {"ballot": {"option": "B"}}]});
    place.write("s.json", script.to_string());
    // It is the ballot that is tried, not the section of the stance.
    let home = place.around().join("home/.config/forge");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("config.json"), r#"{"debate_config": {"require_stance_maintenance": false}}"#).unwrap();
    let args = [
        "debate",
        "Which way is best for the invoices of this quarter?",
        "--agent",
        "scripted:s.json",
        "--id",
        "q1",
        "--rounds",
        "1",
        "--option",
        "One way",
        "--option",
        "Another way",
    ];
    let code = place.forge(&args).code;
    (place, code)
}

// seed: S3-48, S4-19
#[test]
fn bad_ballots_never_vote() {
    let mut wrong = Vec::new();
    for (name, say, vote) in SAID {
        let (place, code) = run(say);
        assert_eq!(code, 0, "{name}: two of three agree in any case");
        let verdict = place.json("docs/forge/sadd/debate-q1-trail/verdict.json");
        let counted = verdict["votes"]
            .as_array()
            .unwrap()
            .iter()
            .find(|vote| vote["seat"] == "risk")
            .map(|vote| vote["counted"].clone());
        let absent = verdict["absences"]
            .as_array()
            .unwrap()
            .iter()
            .any(|absence| absence["seat"] == "risk" && absence["kind"] == "unparsable");
        let right = match vote {
            Some(option) => counted == Some((*option).into()) && !absent,
            None => counted.is_none() && absent,
        };
        if !right {
            wrong.push(format!("{name}: counted {counted:?}, absent {absent}, expected {vote:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), SAID.len());
}

#[test]
fn bombs_are_absences() {
    let deep = |open: &str, close: &str| {
        format!(
            "```json\n{{\"option\": {}{}, \"confidence\": \"LOW\"}}\n```",
            open.repeat(20_000),
            close.repeat(20_000)
        )
    };
    let many: String =
        (0..5_000).map(|n| format!("{{\"id\": \"a{n}\", \"text\": \"it needs a second database\"}},")).collect();
    for (name, say) in [
        ("brackets", deep("[", "]")),
        ("braces", deep("{\"a\":", "}")),
        (
            "five thousand arguments",
            format!(
                "```json\n{{\"option\": \"A\", \"confidence\": \"LOW\", \"reason\": \"the other way needs a second database\", \"arguments\": [{}]}}\n```",
                many.trim_end_matches(',')
            ),
        ),
        ("a number of 100 KB", format!("```json\n{{\"option\": {}}}\n```", "9".repeat(100_000))),
        ("a thousand fences", "```json\n{}\n```\n".repeat(1_000)),
        ("ten thousand headings", "# A\n".repeat(10_000)),
        ("nested quotes", format!("{} deep", ">".repeat(50_000))),
        ("nested lists", (0..500).map(|n| format!("{}- x\n", " ".repeat(2 * n))).collect()),
        ("a line of 400 KB", "x".repeat(400_000)),
        ("700 KB", "words and more ".repeat(47_000)),
    ] {
        let (place, code) = run(&say);
        assert_eq!(code, 0, "{name}");
        let verdict = place.json("docs/forge/sadd/debate-q1-trail/verdict.json");
        assert_eq!(verdict["outcome"], "consensus", "{name}");
    }
}

#[test]
fn mishaps_are_absences_of_their_kind() {
    for (mishap, kind) in [
        ("hang", "timed-out"),
        ("crash", "crashed"),
        ("refuse", "refused"),
        ("garbage", "unparsable"),
        ("half", "unparsable"),
        ("empty", "unparsable"),
    ] {
        let place = Place::new();
        place.write("s.yaml", format!("replies:\n  - {{seat: risk, do: {mishap}}}\n  - {{ballot: {{option: B}}}}\n"));
        let args = [
            "debate",
            "Which way is best?",
            "--agent",
            "scripted:s.yaml",
            "--id",
            "q1",
            "--timeout",
            "1s",
            "--option",
            "One way",
            "--option",
            "Another way",
        ];
        place.forge(&args).code(0).out("DEGRADED");
        let verdict = place.json("docs/forge/sadd/debate-q1-trail/verdict.json");
        assert_eq!(verdict["absences"][0]["kind"], kind, "{mishap}");
    }
}

#[test]
fn a_framer_must_frame() {
    for (name, options) in [
        ("none", "[]"),
        ("one", "[{label: One}]"),
        ("texts", "[One, Two, Three]"),
        ("the same thrice", "[{label: One}, {label: one}, {label: ONE}]"),
        ("blank labels", "[{label: ' '}, {label: ''}, {label: '...'}]"),
    ] {
        let place = Place::new();
        place.write("s.yaml", format!("replies:\n  - {{seat: framer, ballot: {{options: {options}}}}}\n"));
        let done = place.forge(&["debate", "Which way is best?", "--agent", "scripted:s.yaml", "--id", "q1"]);
        assert!(matches!(done.code, 3 | 5), "{name}: an agent's bad answer is not the user's mistake: {done}");
        place.forge(&["debate", "status", "q1"]).code(0);
        place.forge(&["debate", "list"]).code(0);
    }
}
