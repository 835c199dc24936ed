//! Kill-switch criteria, taken apart.

use forge_debate::turn::Section;
use forge_workflow::extract::{CRITERION_LIMIT_CHARS, TEXT_LIMIT_CHARS, from_document};
use forge_workflow::knowledge::{Decision, Knowledge};
use forge_workflow::tripwire::{COMMAND_LIMIT_CHARS, Tripwire, tripwires};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn decision(id: &str, kill_switch: &[&str]) -> Decision {
    let kill_switch = kill_switch.iter().map(|one| (*one).to_owned()).collect();
    Decision { id: id.to_owned(), title: format!("title of {id}"), kill_switch, ..Decision::default() }
}

fn only(criterion: &str) -> Tripwire {
    let knowledge = Knowledge { decisions: vec![decision("D1", &[criterion])], ..Knowledge::default() };
    tripwires(&knowledge).remove(0)
}

// seed: S0-52
#[test]
fn the_schemas_own_form_is_read() {
    let wire = only(
        "p99 latency: over 200 ms for a day\n- Detection: Grafana: login board\n- Timeline: weekly, first on 2026-03-01\n- Fallback: Postgres table\n- Check: `curl -sf http://x/health`",
    );
    assert_eq!((wire.id.as_str(), wire.decision.as_str(), wire.title.as_str()), ("D1.1", "D1", "title of D1"));
    assert_eq!((wire.condition.as_str(), wire.threshold.as_str()), ("p99 latency", "over 200 ms for a day"));
    assert_eq!(wire.detection.as_deref(), Some("Grafana: login board"));
    assert_eq!(wire.timeline.as_deref(), Some("weekly, first on 2026-03-01"));
    assert_eq!(wire.fallback.as_deref(), Some("Postgres table"));
    assert_eq!(wire.command.as_deref(), Some("curl -sf http://x/health"));
    assert_eq!(wire.due.as_deref(), Some("2026-03-01"));
    assert_eq!(wire.phrase(), "p99 latency: over 200 ms for a day");
}

#[test]
fn other_spellings_are_read_too() {
    let wire =
        only("**Error Rate:** > 1%\n- **Detection:** alerts\n- **Timeline**: daily\n- **Due:** by 2026-12-01, at noon");
    assert_eq!((wire.condition.as_str(), wire.threshold.as_str()), ("Error Rate", "> 1%"));
    assert_eq!((wire.detection.as_deref(), wire.timeline.as_deref()), (Some("alerts"), Some("daily")));
    assert_eq!(wire.due.as_deref(), Some("2026-12-01"));
    let wire = only("**Latency**: over 200 ms\n\n  Detection is by hand.");
    assert_eq!((wire.condition.as_str(), wire.threshold.as_str()), ("Latency", "over 200 ms"));
    let wire = only("The monthly bill exceeds $500\nfor two months");
    assert_eq!((wire.condition.as_str(), wire.threshold.as_str()), ("The monthly bill", "exceeds $500 for two months"));
    let wire = only("**Condition:** queue length over 1000\n- Threshold: ignored");
    assert_eq!((wire.condition.as_str(), wire.threshold.as_str()), ("queue length", "over 1000"));
    let wire = only("Customers leave\n- Threshold: three in a month\n- Fallback: TBD");
    assert_eq!((wire.condition.as_str(), wire.threshold.as_str()), ("Customers leave", "three in a month"));
    assert_eq!((wire.fallback, wire.command, wire.due), (None, None, None));
}

#[test]
fn only_backticks_make_a_command() {
    let wire = only("x: y\n- Check: look at the dashboard; rm -rf /");
    assert_eq!(wire.command, None);
    assert_eq!(wire.detection.as_deref(), Some("look at the dashboard; rm -rf /"));
    assert_eq!(only("x: y\n- Check: run ``a `b` c`` daily").command.as_deref(), Some("a `b` c"));
    assert_eq!(only("x: y\n- Check: `TBD`").command, None);
    assert_eq!(only("x: y\n- Check: `unclosed").command, None);
    assert_eq!(only("x: `inline`").command, None);
}

#[test]
fn a_command_stays_as_it_is_written_or_is_never_run() {
    let wire = only("x: y\n- Check: `grep \"a  b\" log`");
    assert_eq!((wire.command.as_deref(), wire.refusal), (Some("grep \"a  b\" log"), None));
    let fits = format!("true {}", "x".repeat(COMMAND_LIMIT_CHARS - 5));
    assert_eq!(only(&format!("x: y\n- Check: `{fits}`")).refusal, None);
    assert!(only(&format!("x: y\n- Check: `{fits}x`")).refusal.unwrap().contains("501 characters"));
    for hidden in ['\t', '\u{7}', '\u{1b}', '\u{85}', '\u{2028}', '\u{202e}', '\u{200b}', '\u{2800}'] {
        let wire = only(&format!("x: y\n- Check: `echo{hidden}a`"));
        assert_eq!(wire.command, Some(format!("echo{hidden}a")));
        assert!(wire.refusal.unwrap().contains("cannot be seen"), "{hidden:?}");
    }
    for lines in ["`echo a\n  b`", "\n  ```\n  cd x\n  rm *\n  ```"] {
        assert!(only(&format!("x: y\n- Check: {lines}")).refusal.unwrap().contains("several lines"), "{lines}");
    }
    let wire = only("x: y\n- Check: `curl https://me:hunter2@host/; rm -rf x`");
    assert!(wire.refusal.as_ref().unwrap().contains("looks like a key"));
    assert_eq!(wire.without_keys().command.as_deref(), Some("curl https://me:[key removed]@host/; rm -rf x"));
    let wire = only("x: y\n- Check:\n  ```\n  make slo\n  ```");
    assert_eq!((wire.command.as_deref(), wire.refusal), (Some("make slo"), None));
}

#[test]
fn what_nobody_sees_is_no_command() {
    for hidden in [
        "- Check: <!-- `touch x` -->",
        "- Check: see the board <!-- or `touch x` -->",
        "- Check: <!-- `touch x`",
        "- Check: <!-- a --> <!-- `touch x` -->",
        "- Check: <!--\n  `touch x`\n  -->",
        "- Check: <!--\n  `touch\n  x`\n  -->",
        "**Check:** <!-- `touch x` -->",
    ] {
        assert_eq!(only(&format!("x: y\n{hidden}")).command, None, "{hidden}");
        assert_eq!(only(&format!("x: `y\n{hidden}")).command, None, "{hidden}");
    }
    assert_eq!(only("p99: over 1 s <!--\n  Check: `touch x`\n  -->").command, None);
    // Beside a comment, or about one, it is one.
    for (shown, command) in [
        ("`make slo` <!-- weekly -->", "make slo"),
        ("<!-- make it so --> `make slo`", "make slo"),
        ("`grep -c '<!-- TODO -->' a.md`", "grep -c '<!-- TODO -->' a.md"),
        ("`grep '<!--' a.md`", "grep '<!--' a.md"),
    ] {
        let wire = only(&format!("x: y\n- Check: {shown}"));
        assert_eq!((wire.command.as_deref(), wire.refusal), (Some(command), None), "{shown}");
    }
    let spaced = |blanks: usize| only(&format!("x: y\n- Check: `true{}; touch x`", " ".repeat(blanks))).refusal;
    assert!(spaced(41).unwrap().contains("more than 40 blanks in a row"));
    assert_eq!(spaced(40), None);
}

#[test]
fn labels_without_end_are_taken_off_one_by_one() {
    let wire = only(&format!("{}p99 over 200 ms", "condition: **Criterion:** **Condition**: ".repeat(100_000)));
    assert_eq!((wire.condition.as_str(), wire.threshold.as_str()), ("p99", "over 200 ms"));
    let wire = only("Condition: **Latency**: over 200 ms");
    assert_eq!((wire.condition.as_str(), wire.threshold.as_str()), ("Latency", "over 200 ms"));
    let wire = only("conditional: over 3");
    assert_eq!((wire.condition.as_str(), wire.threshold.as_str()), ("conditional", "over 3"));
    assert_eq!(only("condition:").condition, "");
}

#[test]
fn a_long_criterion_keeps_what_fits_and_no_command_in_part() {
    let said = "it is so. ".repeat(300);
    let command = format!("`touch x{}`", " y".repeat(600));
    let criterion = |labels: &[String]| {
        let labels: String = labels.iter().map(|label| format!("<br>  - {label}")).collect();
        let row = format!("| Use it | - errors: over 1%. {said}{labels} |");
        let body = format!("| Title | Kill-switch |\n|---|---|\n{row}\n");
        let section = Section { title: "Decisions".to_owned(), body, line: 9, body_line: 10 };
        let decision = from_document("forge-1", "design", "2026-01-28", &[section]).decisions.remove(0);
        assert!(decision.kill_switch[0].chars().count() <= CRITERION_LIMIT_CHARS);
        only(&decision.kill_switch[0])
    };
    let labels = [format!("Detection: {said}"), format!("Check: {command}")];
    let wire = criterion(&[&labels[..], &["Due: 2026-12-01".to_owned(), "Fallback: Postgres".to_owned()]].concat());
    assert!(wire.phrase().starts_with("errors: over 1%.") && wire.phrase().chars().count() <= TEXT_LIMIT_CHARS);
    assert!(wire.detection.is_some_and(|text| text.chars().count() <= TEXT_LIMIT_CHARS && text.ends_with("so.")));
    assert_eq!((wire.command, wire.due.as_deref()), (None, Some("2026-12-01")));
    assert_eq!(wire.fallback.as_deref(), Some("Postgres"));
    let mut many = vec!["Note: something".to_owned(); 1000];
    many.insert(0, "Check: `true`".to_owned());
    assert_eq!(criterion(&many).command.as_deref(), Some("true"));
}

#[test]
fn a_day_comes_only_by_a_valid_date() {
    let due = |due: &str, today: &str| only(&format!("x: y\n- Due: {due}")).is_due(today);
    assert!(due("2026-12-01", "2026-12-01") && due("2026-12-01", "2027-01-01"));
    assert!(!due("2026-12-01", "2026-11-30"));
    assert!(due("2024-02-29", "2026-01-01"));
    for never in
        ["2026-02-29", "2026-13-01", "2026-00-10", "2026-06-31", "soon", "12026-01-01", "2026-1-1", "0000-01-01"]
    {
        assert!(!due(never, "2030-01-01"), "{never}");
    }
    for never in ["", "9999", "tomorrow", "2026-02-30", "2027-01-01T00:00:00Z"] {
        assert!(!due("2026-01-01", never), "{never}");
    }
    assert_eq!(only("x: y\n- Due: soon\n- Timeline: until 2026-05-05").due.as_deref(), Some("2026-05-05"));
}

#[test]
fn only_decisions_that_stand_have_tripwires() {
    let mut later = decision("D2", &["a: over 1", "b: over 2"]);
    later.supersedes = vec!["D1".to_owned()];
    let knowledge = Knowledge { decisions: vec![decision("D1", &["old: over 9"]), later], ..Knowledge::default() };
    let ids: Vec<String> = tripwires(&knowledge).into_iter().map(|wire| wire.id).collect();
    assert_eq!(ids, ["D2.1", "D2.2"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, rng_seed: RngSeed::Fixed(20_260_801), ..ProptestConfig::default() })]

    #[test]
    fn no_criterion_is_too_broken(text in "([a-z0-9é]|[*`:.<>%-]|\n|  |- |Due: |Check: |2026-){0,60}") {
        let wire = only(&text);
        prop_assert_eq!(&wire.id, "D1.1");
        wire.is_due(&text);
    }
}

#[test]
fn a_day_that_cannot_be_read_is_kept_as_it_was_written() {
    for due in ["1 Jan 2026", "2026-13-45", "Q1 2026"] {
        let tripwire = only(&format!("x: y\n- Due: {due}"));
        assert_eq!((tripwire.due, tripwire.unread_due.as_deref()), (None, Some(due)));
    }
    assert_eq!(only("x: y\n- Due: 2026-01-01").unread_due, None);
}

#[test]
fn a_tick_counts_however_it_is_drawn() {
    let ticked = |criterion: &str| {
        let decision = Decision { id: "D1".to_owned(), kill_switch: vec![criterion.to_owned()], ..Decision::default() };
        let knowledge = Knowledge { decisions: vec![decision], ..Knowledge::default() };
        tripwires(&knowledge)[0].ticked
    };
    for criterion in [
        "[x] cost over 5",
        "[X] cost over 5",
        "[✓] cost over 5",
        "[☑] cost over 5",
        "☑ cost over 5",
        "✅ cost over 5",
        "✔ cost over 5",
        "✔️ cost over 5",
        "cost over 5\n- Tripped: Yes",
        "cost over 5\n- Triggered: ✅",
        "cost over 5\n- Status: tripped",
        "cost over 5\n- Ausgelöst: ja",
    ] {
        assert!(ticked(criterion), "{criterion}");
    }
    for criterion in [
        "[ ] cost over 5",
        "☐ cost over 5",
        "cost over 5",
        "cost over 5\n- Tripped: No",
        "cost over 5\n- Tripped: not yet",
        "cost over 5\n- Status: not tripped",
        "cost over 5\n- Status: watched",
        "[1] cost over 5",
        "x86 boxes cost over 5",
    ] {
        assert!(!ticked(criterion), "{criterion}");
    }
}
