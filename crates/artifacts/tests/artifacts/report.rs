//! The first screen in words, and the report in Markdown.

use crate::{accounts, hostile};
use forge_artifacts::formats::summary::{self, Summary};

use forge_artifacts::formats::{adr, details, report, transcript};
use forge_debate::brief::is_hidden;
use forge_debate::control::DebateWorth;
use forge_debate::course::Conformity;
use forge_debate::fact;
use forge_debate::plan::{Hand, OptionId, SeatId};
use forge_debate::robustness::{CountingRule, Robustness, RuleCount, Without};
use forge_debate::verdict::{Decision, Finding, Gravity};
use pulldown_cmark::{Event, Options, Parser, Tag};

fn row<'s>(summary: &'s Summary, label: &str) -> Vec<&'s str> {
    let rows = summary.cautions.iter().chain(&summary.rows);
    rows.filter(|row| row.label == label).map(|row| row.text.as_str()).collect()
}

#[test]
fn the_first_screen_says_what_the_verdict_is_worth() {
    let summary = summary::of(&accounts::judges());
    assert_eq!(
        (summary.outcome.as_str(), summary.sentence.as_str()),
        ("CONSENSUS", "A (Redis)   (confidence HIGH, 2 rounds)")
    );
    assert_eq!(row(&summary, "vote"), ["A (Redis)  2  risk, value", "B (Memcached)  1  effort"]);
    assert_eq!(row(&summary, "as cast"), ["effort voted A, counted as B"]);
    assert_eq!(row(&summary, "FRAGILE"), ["without risk or value it would be contested"]);
    assert_eq!(row(&summary, "conformity"), ["pressed 2 times, yielded 1 without a ground, convinced 0"]);
    assert_eq!(row(&summary, "quotes"), ["risk 1 of 2 found, value none"]);
    assert_eq!(row(&summary, "families"), ["anthropic: risk, value; openai: effort"]);
    assert_eq!(row(&summary, "ONE FAMILY").len(), 1);
    assert_eq!(
        row(&summary, "control"),
        ["alone, control answered A (Redis) 5 of 6 times: the debate changed nothing but added 2 grounds"]
    );
    assert_eq!(
        row(&summary, "moved"),
        [
            "value from C to A in round 2 (convinced by risk.a1)",
            "effort from B to A in round 2 (unearned: cites no argument of another seat; not counted)"
        ]
    );
    assert!(row(&summary, "robust").is_empty());
}

#[test]
fn a_robust_verdict_says_what_it_survives() {
    let mut account = accounts::judges();
    let a = OptionId::from("A");
    let count = |rule| RuleCount { rule, top: vec![a.clone()] };
    account.verdict.assessment.robustness = Some(Robustness {
        winner: Some(a.clone()),
        without: vec![Without { seat: SeatId::from("risk"), winner: Some(a.clone()), holds: true, is_quorate: true }],
        rules: vec![
            count(CountingRule::Plurality),
            count(CountingRule::Approval),
            count(CountingRule::ConfidenceWeighted),
        ],
        as_cast: Some(OptionId::from("B")),
    });
    let summary = summary::of(&account);
    assert_eq!(
        row(&summary, "robust"),
        ["holds without any one seat, and by plurality, by approval and confidence-weighted"]
    );
    assert_eq!(row(&summary, "as cast"), ["effort voted A, counted as B; as cast it would be B (Memcached)"]);
    assert!(row(&summary, "FRAGILE").is_empty());
}

#[test]
fn the_control_arm_is_told_in_a_line() {
    let told = |effect, answer: Option<&str>| {
        let mut account = accounts::judges();
        let control = account.verdict.assessment.control.as_mut().unwrap();
        (control.effect, control.answer) = (effect, answer.map(OptionId::from));
        row(&summary::of(&account), "control").join("")
    };
    assert!(
        told(DebateWorth::ChangedTheAnswer, Some("B"))
            .ends_with("B (Memcached) 1 of 6 times: the debate changed the answer")
    );
    assert!(
        told(DebateWorth::OnlyCost, Some("A")).ends_with("the debate changed nothing, added nothing, and only cost")
    );
    assert!(told(DebateWorth::Unclear, Some("A")).ends_with("the debate itself gave no clear answer"));
    assert_eq!(
        told(DebateWorth::Unclear, None),
        "alone, control answered 6 of 6 times without a clear choice (A 5, B 1): nothing to compare with"
    );
}

#[test]
fn a_gate_says_that_one_seat_decides() {
    let summary = summary::of(&accounts::gate());
    assert_eq!(row(&summary, "vote"), ["none: one seat decides (synthesizer)"]);
    let told = "docs/forge/sessions/synthesis.md:12: names no kill-switch criterion with a threshold";
    assert_eq!(row(&summary, "blocks"), [told]);
    assert!(row(&summary, "conformity").is_empty() && row(&summary, "robust").is_empty());
}

#[test]
fn a_confrontation_says_where_everybody_ended() {
    let summary = summary::of(&accounts::confrontation());
    assert_eq!(row(&summary, "stands"), ["lead A, architect ACCEPT, operator ESCALATE, adversary agree"]);
    assert_eq!(summary.next, ["forge debate decide sessions A|B --because \"...\""]);
}

#[test]
fn rehearsals_and_decisions_are_labelled() {
    let mut account = accounts::judges();
    account.plan.seat_all(&Hand::Agent("rehearsal".to_owned()));
    account.verdict.decision = Some(Decision {
        by: "Ada".to_owned(),
        option: OptionId::from("A"),
        because: "it ships".to_owned(),
        overrules: None,
    });
    let summary = summary::of(&account);
    assert_eq!(summary.cautions[0].label, "REHEARSAL");
    assert_eq!(format!("{}: {}", summary.outcome, summary.sentence), "DECIDED by Ada: A (Redis), because it ships");
    assert!(row(&summary, "ONE FAMILY").is_empty(), "a person decided, not the family");
}

/// The first screen stays one, however large the debate.
#[test]
fn the_first_screen_is_one_screen() {
    for account in [accounts::judges(), accounts::confrontation(), accounts::gate(), accounts::panel(12, 10)] {
        let summary = summary::of(&account);
        let lines = summary.cautions.len() + summary.rows.len() + summary.next.len() + 2;
        assert!(lines <= 30, "{lines} lines: {summary:#?}");
    }
    for account in hostile::texts().iter().flat_map(|text| hostile::everywhere(text)) {
        let summary = summary::of(&account);
        for row in summary.cautions.iter().chain(&summary.rows) {
            assert!(row.text.chars().count() <= 700 && !row.text.contains('\n'), "{}: {}", row.label, row.text.len());
        }
    }
}

#[test]
fn nobody_pressed_is_said_too() {
    let mut account = accounts::judges();
    account.verdict.assessment.course.conformity = Conformity::default();
    assert_eq!(row(&summary::of(&account), "conformity"), ["nobody was pressed to change sides"]);
}

#[test]
fn every_table_has_as_many_cells_as_its_head() {
    for account in [accounts::judges(), accounts::confrontation(), accounts::gate(), accounts::panel(12, 10)] {
        for part in details::of(&account) {
            if let details::Body::Table(table) = &part.body {
                assert!(table.rows.iter().all(|row| row.len() == table.head.len()), "{}", part.title);
            }
        }
    }
}

#[test]
fn the_pictures_are_tables_in_markdown() {
    let md = report::write(&accounts::judges());
    for line in [
        "| Seat | opening 1 | challenge 2 |",
        "| value | C | → A |",
        "| effort | B | B ⇢ A |",
        "| risk |  | 1 | 2 | 3 |",
        "| effort | - | - |  | nobody |",
        "| risk (opening, round 1) | Redis is run by us | notes.md:1 |",
        "| risk (opening, round 1) | nobody ever ran Memcached here | NOT FOUND in notes.md |",
        "| risk | nobody | does not hold |",
        "| confidence-weighted | B (Memcached) | disagrees |",
        "  - risk.a1: Failover lost sessions twice last spring. (docs/forge/sadd/debate-sessions-risk-r1.md)",
    ] {
        assert!(md.lines().any(|other| other == line), "no {line:?} in {md}");
    }
    assert!(md.find("## Debate outcome: CONSENSUS").unwrap() < md.find("## Reasons").unwrap());
    assert!(md.contains("forge verify sessions"), "{md}");
}

#[test]
fn a_long_argument_that_moved_somebody_is_shortened() {
    let mut account = accounts::judges();
    accounts::ballots(&mut account.verdict).changes[0].cited[0].text = "sessions were lost ".repeat(40);
    let md = report::write(&account);
    let line = md.lines().find(|line| line.starts_with("  - risk.a1: sessions were lost")).unwrap();
    assert!(line.contains("… (docs/forge/sadd/") && line.chars().count() < 300, "{line}");
}

/// A file that a finding names can be opened as it is named.
#[test]
fn findings_are_told_from_the_workspaces_top() {
    let mut account = accounts::judges();
    let found = |gravity| Finding { gravity, ..Finding::blocks("risk-r2.md", Some(3), fact!("any", "so it is")) };
    account.verdict.ruling.findings = vec![found(Gravity::Blocks), found(Gravity::Warns)];
    let told = "docs/forge/sadd/debate-sessions-risk-r2.md:3: so it is";
    assert_eq!(row(&summary::of(&account), "blocks"), [told]);
    assert_eq!(report::write(&account).matches(told).count(), 3, "on the first screen and in the list of both");
}

fn events(md: &str) -> Vec<Event<'_>> {
    Parser::new_ext(md, Options::ENABLE_TABLES | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS).collect()
}

#[test]
fn markdown_of_hostile_words_is_words() {
    for (text, account) in
        hostile::texts().into_iter().flat_map(|text| hostile::everywhere(&text).map(|one| (text.clone(), one)))
    {
        let md = report::write(&account);
        assert_eq!(md.chars().find(|c| is_hidden(*c)), None);
        for page in [&md, &adr::write(&account), &transcript::write(&account)] {
            for event in events(page) {
                // A heading or a fence that was said stays inside the quotation in which it was said.
                let acts = matches!(
                    &event,
                    Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. } | Tag::Link { .. })
                );
                assert!(!acts, "{event:?} from {text:?}\n{page}");
            }
        }
        let titles = md.lines().filter(|line| line.starts_with("# ")).count();
        assert_eq!(titles, 1, "{md}");
    }
}

#[test]
fn code_stays_code() {
    let md = report::write(&hostile::among_judges("a `Vec<u8>` in C:\\code, ~5 ms, and a <b>"));
    assert!(md.contains("a `Vec<u8>` in C:\\code, ~5 ms, and a \\<b>"), "{md}");
}
