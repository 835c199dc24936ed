//! The gate: what keeps it shut, and what does not.

use crate::ballots::draft;
use crate::world::{self, Ended, Pace, absent, fields, run};
use forge_debate::datum::Fields;
use forge_debate::form::Writer;
use forge_debate::plan::Plan;
use forge_debate::protocols::gate::{self, CASE, GATE_SECTIONS, SYNTHESIS};
use forge_debate::record::{Ask, Reads};
use forge_debate::turn::{AbsenceKind, Contribution, title_matches};
use forge_debate::verdict::{Confidence, Finding, Gravity, Outcome};

pub(crate) const ADVOCATE: &str = "## Core Argument\nRedis is fast.\n## Key Strengths\n- Fast: measured\n## Comparative Advantages\nAgainst the others.\n\
    ## Success Criteria\np99 under 5 ms.\n## Risk Acceptance\nFailover may lose a second of writes.";
pub(crate) const SKEPTIC: &str = "## Critical Questions\n- Who?\n- What?\n- When?\n- Where?\n- Why?\n## Hidden Assumptions\nTraffic is flat.\n\
    ## Failure Modes\nSplit brain.\n## Risk Analysis\n| Risk | Probability | Impact |\n|---|---|---|\n| loss | low | high |\n## Second-Order Effects\nMore on-call.";
const OPERATOR: &str = "## Resource Requirements\nTwo weeks.\n## Timeline Reality Check\nOptimistic 1, realistic 2, pessimistic 4 weeks.\n\
    ## Dependency Analysis\nA cluster.\n## Operational Constraints\nMonitoring.\n";
const GO: &str = "## Go/No-Go Recommendation\nGO, with two nodes.";
const NO_GO: &str = "## Go/No-Go Recommendation\n**NO-GO** until the cluster is there.";

/// A synthesis that passes, its sections by title.
const SOUND: &[(&str, &str)] = &[
    ("Debate Summary", "The advocate is for it, the skeptic doubts it, the operator can run it."),
    ("Key Tradeoffs", "Speed for memory."),
    ("Final Decision", "**Chosen Option:** A\n\nIt is fast and we know it."),
    ("Decision Criteria", "Latency 60%, cost 40%."),
    (
        "Kill-Switch Criteria",
        "- p99 latency: over 200 ms for a day\n  - Detection: Grafana\n  - Timeline: weekly\n  - Fallback: the table",
    ),
    ("Fallback Plan", "Back to the Postgres table."),
    ("Risks Accepted", "| Risk | Owner |\n|---|---|\n| loss | ops |"),
    ("Action Items", "- ops: set up the cluster by Friday"),
    (
        "Answers to the Skeptic",
        "- Q1: the platform team holds it.\n- Q2: two nodes and one standby.\n- Q3: from the first of March.\n\
         - Q4: in the second data centre.\n- Q5: because the table is too slow.",
    ),
];

/// The sound synthesis with one section's body replaced, or left out where there is none.
pub(crate) fn synthesis(title: &str, body: Option<&str>) -> String {
    let section = |(name, sound): &(&str, &str)| match (*name == title, body) {
        (true, None) => String::new(),
        (true, Some(body)) => format!("## {name}\n{body}\n"),
        (false, _) => format!("## {name}\n{sound}\n"),
    };
    SOUND.iter().map(section).collect()
}

/// A gate held with these words.
pub(crate) struct Held<'a> {
    pub(crate) plan: Plan,
    pub(crate) skeptic: String,
    pub(crate) operator: String,
    pub(crate) synthesis: String,
    pub(crate) ballot: Option<&'a str>,
}

pub(crate) fn held(synthesis: String) -> Held<'static> {
    let operator = format!("{OPERATOR}{GO}");
    Held { plan: world::plan("gate"), skeptic: SKEPTIC.to_owned(), operator, synthesis, ballot: None }
}

impl Held<'_> {
    pub(crate) fn end(&self) -> Ended {
        run(&self.plan, Pace::Waves, |ask, _| self.answer(ask))
    }

    pub(crate) fn answer(&self, ask: &Ask) -> Contribution {
        let (text, ballot): (&str, Option<Fields>) = match ask.key.seat.as_str() {
            "advocate" => (ADVOCATE, None),
            "skeptic" => (&self.skeptic, None),
            "operator" => (&self.operator, None),
            _ => (
                &self.synthesis,
                self.ballot.map(|id| fields! { "option": id, "confidence": "HIGH", "reason": "it weighs most of all" }),
            ),
        };
        let writer = if ballot.is_some() { Writer::Agent } else { Writer::OutsideAsIs };
        let reading = ask.form.read(&self.plan, &ask.key.seat, &draft(text, ballot), writer);
        Contribution::Speech(reading.speech.unwrap_or_else(|| panic!("{}: {:?}", ask.key, reading.defects)))
    }

    pub(crate) fn blocking(&self) -> Vec<Finding> {
        let verdict = self.end().verdict;
        let is_blocked = verdict.outcome() == Outcome::Blocked;
        let found: Vec<Finding> =
            verdict.ruling.findings.into_iter().filter(|finding| finding.gravity == Gravity::Blocks).collect();
        assert_eq!(is_blocked, !found.is_empty(), "blocked exactly when a finding blocks: {found:?}");
        found
    }
}

// seed: S0-41
#[test]
fn a_sound_debate_passes_with_nothing_to_remark() {
    let ended = held(synthesis("", None)).end();
    assert_eq!(
        (ended.verdict.outcome(), ended.verdict.options().to_vec()),
        (Outcome::Decided, vec![world::option("A")])
    );
    assert_eq!(ended.verdict.ruling.findings, []);
    assert_eq!(
        (ended.verdict.ruling.rounds, ended.verdict.confidence()),
        (1, Confidence::Medium),
        "no confidence stated: medium"
    );
}

// seed: S0-14, S0-81
#[test]
fn the_three_cases_are_blind_and_the_synthesizer_reads_all_three() {
    let ended = held(synthesis("", None)).end();
    assert_eq!(ended.seats_asked(CASE, 1), ["advocate", "skeptic", "operator"]);
    assert!(ended.waves[0].iter().all(|ask| ask.reads == Reads::Blind));
    let read: Vec<&str> = ended.waves[1][0].reads.keys().iter().map(|key| key.seat.as_str()).collect();
    assert_eq!((ended.seats_asked(SYNTHESIS, 1), read), (vec!["synthesizer"], vec!["advocate", "skeptic", "operator"]));
}

#[test]
fn every_role_is_needed_and_any_absence_is_insufficient() {
    for missing in ["advocate", "skeptic", "operator", "synthesizer"] {
        let gate = held(synthesis("", None));
        let ended = run(&gate.plan, Pace::Waves, |ask, _| match ask.key.seat.as_str() == missing {
            true => absent(AbsenceKind::Crashed),
            false => gate.answer(ask),
        });
        assert_eq!(ended.verdict.outcome(), Outcome::Insufficient, "{missing}");
        assert!(ended.verdict.ruling.is_degraded() && ended.verdict.options().is_empty(), "{missing}");
        assert_eq!(ended.asked_in(SYNTHESIS), usize::from(missing == "synthesizer"), "no synthesis of a hole");
    }
}

// seed: S0-36, S0-38, S0-41, S0-48, S1-85
#[test]
fn each_gate_section_must_be_there_with_a_body_that_is_not_a_placeholder() {
    for title in GATE_SECTIONS {
        for (body, expected) in [
            (None, "is missing"),
            (Some(""), "is not written yet"),
            (Some("  \n\n"), "is not written yet"),
            (Some("TBD"), "is not written yet"),
            (Some("**TBD**"), "is not written yet"),
            (Some("[...]"), "is not written yet"),
            (Some("[To be written by the synthesizer]"), "is not written yet"),
            (Some("{{ later }}"), "is not written yet"),
            (Some("..."), "is not written yet"),
            (Some("TODO"), "is not written yet"),
        ] {
            let found = held(synthesis(title, body)).blocking();
            let texts: Vec<&str> = found.iter().map(|finding| finding.fact.sentence()).collect();
            assert!(
                texts.iter().any(|text| text.contains(title) && text.contains(expected)),
                "{title} {body:?}: {texts:?}"
            );
            let line = found.iter().find(|finding| finding.fact.sentence().contains(expected)).unwrap().line;
            assert_eq!(line.is_some(), body.is_some(), "{title} {body:?}: a finding about a heading names its line");
            assert!(found.iter().all(|finding| finding.file == "synthesis.md"));
        }
    }
}

// seed: S0-34
#[test]
fn sections_that_are_not_the_gates_own_only_warn() {
    for title in ["Debate Summary", "Key Tradeoffs", "Risks Accepted"] {
        let verdict = held(synthesis(title, None)).end().verdict;
        assert_eq!(verdict.outcome(), Outcome::Decided, "{title}");
        let warned = |finding: &Finding| {
            finding.gravity == Gravity::Warns
                && finding.file == "synthesis.md"
                && finding.fact.sentence().contains(title)
        };
        assert!(verdict.ruling.findings.iter().any(warned), "{title}: {:?}", verdict.ruling.findings);
    }
}

#[test]
fn a_missing_role_section_warns_under_that_roles_file() {
    let mut gate = held(synthesis("", None));
    gate.operator =
        format!("{GO}\n## Resource Requirements\nTwo weeks of two people and a cluster that somebody must pay for.\n");
    let verdict = gate.end().verdict;
    assert_eq!(verdict.outcome(), Outcome::Decided);
    for title in ["Timeline Reality Check", "Dependency Analysis", "Operational Constraints"] {
        let warned = |finding: &Finding| {
            finding.gravity == Gravity::Warns
                && finding.file == "operator.md"
                && finding.fact.sentence().contains(title)
        };
        assert!(verdict.ruling.findings.iter().any(warned), "{title}: {:?}", verdict.ruling.findings);
    }
}

#[test]
fn headings_match_without_case_as_a_prefix_after_numbering() {
    for heading in [
        "Final Decision",
        "final decision",
        "FINAL DECISION",
        "3. Final Decision",
        "3) Final Decision",
        "(3) Final Decision",
        "3.2 Final Decision",
        "3.2. Final Decision",
        "3: Final Decision",
        "3 - Final Decision",
        "**Final Decision**",
        "3. **Final Decision**",
        "Final Decision: Redis",
        "Final Decision (v2)",
        "Final Decision and Rationale",
        "`Final Decision`",
        "  Final Decision  ",
    ] {
        assert!(title_matches(heading, "Final Decision"), "{heading:?}");
    }
    for heading in [
        "Final Decisions",
        "Not the Final Decision",
        "Finally a Decision",
        "Decision",
        "3D Final Decision",
        "",
        "Final",
    ] {
        assert!(!title_matches(heading, "Final Decision"), "{heading:?}");
    }
    assert!(title_matches("3D rendering", "3D rendering"));
}

#[test]
fn a_number_with_no_blank_after_it_comes_off_a_heading() {
    for heading in ["3.Final Decision", "3)Final Decision"] {
        assert!(title_matches(heading, "Final Decision"), "{heading:?}");
    }
}

/// What `bare_title` says of itself: these numberings come off too.
#[test]
fn lettered_and_spelled_out_numbering_comes_off_a_heading() {
    for heading in ["(c) Final Decision", "Section 3: Final Decision"] {
        assert!(title_matches(heading, "Final Decision"), "{heading:?}");
    }
}

#[test]
fn a_numbered_synthesis_passes() {
    let numbered = synthesis("", None)
        .replace("## Final Decision", "## 3. FINAL DECISION: Redis")
        .replace("## Action", "## 8) Action");
    assert_eq!(held(numbered).blocking(), []);
}

/// SPEC 6: duplicated headings are a defect with its line, and the artifact counts as not there.
// seed: S0-43
#[test]
fn two_final_decisions_are_none() {
    let twice = format!("{}## Final Decision\n**Chosen Option:** B\n", synthesis("", None));
    let found = held(twice.clone()).blocking();
    let line = twice.lines().count() - 1;
    assert!(
        found.iter().any(|finding| finding.line == Some(line) && finding.fact.sentence().contains("Final Decision")),
        "{found:?}"
    );
}

// seed: S0-49
#[test]
fn kill_switch_criteria_need_a_condition_with_a_threshold() {
    for (body, passes) in [
        ("- p99 latency: over 200 ms for a day", true),
        ("- Error rate > 2%", true),
        ("* more than three outages in a month", true),
        ("1. Any loss of a session", false),
        ("If two sessions are lost in a week, we go back.", true),
        (
            "**We will ABORT and reconsider if:**\n\n- p99 latency: 200 ms\n  - Detection: Grafana\n  - Timeline: weekly\n  - Fallback: Memcached",
            true,
        ),
        ("- Users complain a lot", false),
        ("- It feels slow\n- The team is unhappy", false),
        ("We abort when latency gets bad.", false),
        ("- [Condition]: [Specific, measurable threshold]", false),
        ("- TBD", false),
    ] {
        let found = held(synthesis("Kill-Switch Criteria", Some(body))).blocking();
        assert_eq!(found.is_empty(), passes, "{body:?}: {found:?}");
        assert!(
            passes || found[0].fact.sentence().contains("measured") || found[0].fact.sentence().contains("not written"),
            "{found:?}"
        );
    }
}

/// S0's template nests Detection, Timeline and Fallback under a condition; a date to look again is not a threshold.
// seed: S0-50
#[test]
fn a_figure_in_the_nested_timeline_is_not_a_threshold() {
    for body in [
        "- The team is unhappy\n  - Detection: we ask around\n  - Timeline: after 30 days\n  - Fallback: Memcached",
        "- The team is unhappy\n\t- Timeline: every week",
    ] {
        let found = held(synthesis("Kill-Switch Criteria", Some(body))).blocking();
        assert!(found.iter().any(|finding| finding.fact.sentence().contains("measured")), "{body:?}: {found:?}");
    }
}

/// What an operator writes, and what the synthesis says of it and where.
fn no_go(operator: &str, section: &str, body: &str) -> Vec<Finding> {
    let sound = SOUND.iter().find(|(title, _)| *title == section).map(|(_, sound)| *sound).unwrap();
    let mut gate = held(synthesis(section, Some(&format!("{sound}\n{body}"))));
    gate.operator = format!("{OPERATOR}{operator}");
    gate.blocking().into_iter().filter(|finding| finding.fact.sentence().contains("NO-GO")).collect()
}

#[test]
fn a_no_go_that_the_synthesis_does_not_answer_blocks() {
    assert_eq!(no_go(NO_GO, "Final Decision", "It is fast.").len(), 1);
    assert_eq!(no_go(NO_GO, "Final Decision", "The operator's NO-GO is met: the cluster comes first.").len(), 0);
    assert_eq!(no_go(NO_GO, "Risks Accepted", "The no-go of the operator stands until the cluster is there.").len(), 0);
    assert_eq!(no_go(GO, "Final Decision", "It is fast.").len(), 0);
}

// seed: S0-33
#[test]
fn an_operators_section_alone_tells_go_from_no_go() {
    for (body, says_no) in [
        ("GO, with two nodes.", false),
        ("Go/No-Go: GO", false),
        ("CONDITIONAL: only with two nodes.", false),
        ("NO-GO until the cluster is there.", true),
        ("**No-Go**", true),
        ("Go/No-Go: NO-GO", true),
        ("No go.", true),
    ] {
        let found = no_go(&format!("## Go/No-Go Recommendation\n{body}"), "Final Decision", "It is fast.");
        assert_eq!(!found.is_empty(), says_no, "{body:?}: {found:?}");
    }
}

#[test]
fn a_shorter_heading_does_not_hide_a_no_go() {
    for heading in ["Go/No-Go", "5. Go/No-Go Verdict", "Go / No-Go Recommendation"] {
        assert_eq!(
            no_go(&format!("## {heading}\nNO-GO until the cluster is there."), "Final Decision", "It is fast.").len(),
            1,
            "{heading}"
        );
    }
}

/// An honest summary always says NO-GO; reporting it is not answering it.
#[test]
fn a_no_go_that_is_only_reported_is_not_answered() {
    assert_eq!(no_go(NO_GO, "Debate Summary", "The operator says NO-GO.").len(), 1);
}

/// A document's title has everything below it as its body, the summary too.
#[test]
fn a_title_above_the_synthesis_does_not_turn_a_report_into_an_answer() {
    let mut gate = held(format!("# Synthesis\n{}", synthesis("Debate Summary", Some("The operator says NO-GO."))));
    gate.operator = format!("{OPERATOR}{NO_GO}");
    assert_eq!(gate.blocking().len(), 1, "{:?}", gate.blocking());
}

#[test]
fn an_operators_ballot_outweighs_its_section() {
    for (word, section, says_no) in
        [("NO-GO", GO, true), ("GO", NO_GO, false), ("CONDITIONAL", NO_GO, false), ("no go", GO, true)]
    {
        let gate = held(synthesis("", None));
        let ended = run(&gate.plan, Pace::Waves, |ask, _| match ask.key.seat.as_str() {
            "operator" => crate::ballots::say(
                &gate.plan,
                ask,
                &format!("{OPERATOR}{section}"),
                fields! { "recommendation": word },
            ),
            _ => gate.answer(ask),
        });
        assert_eq!(ended.verdict.outcome() == Outcome::Blocked, says_no, "{word} with {section:?}");
        let stand = ended
            .verdict
            .ruling
            .reasons
            .iter()
            .find(|reason| reason.seat.as_str() == "operator")
            .unwrap()
            .stand
            .clone();
        assert_eq!(stand.as_deref(), Some(if word == "no go" { "NO-GO" } else { word }));
    }
}

// seed: S0-7
#[test]
fn fewer_than_three_options_block_whatever_the_synthesis_says() {
    let mut gate = held(synthesis("", None));
    gate.plan.options.truncate(2);
    let found = gate.blocking();
    assert_eq!(
        (found[0].file.as_str(), found[0].fact.sentence().contains("at least 3")),
        ("debate-plan.md", true),
        "{found:?}"
    );
}

// seed: S1-93
#[test]
fn a_file_of_the_gate_has_at_least_a_hundred_characters() {
    let plan = world::plan("gate");
    for ask in world::pass(&plan, &world::Turns::new()).unwrap_err() {
        for (chars, taken) in [(99, false), (100, true)] {
            let text = "é".repeat(chars);
            let reading = ask.form.read(&plan, &ask.key.seat, &draft(&text, None), Writer::OutsideAsIs);
            assert_eq!(reading.speech.is_some(), taken, "{} with {chars} characters: {:?}", ask.key, reading.defects);
        }
    }
    assert_eq!(gate::MIN_CONTENT_LENGTH, 100);
}

#[test]
fn a_question_whose_number_is_never_named_is_a_warning() {
    let said = "- Q1: the platform team.\n- Q2: two nodes.\n- As to question 4, the second data centre.";
    let verdict = held(synthesis("Answers to the Skeptic", Some(said))).end().verdict;
    assert_eq!(verdict.outcome(), Outcome::Decided);
    let warned: Vec<&Finding> = verdict.ruling.findings.iter().filter(|finding| finding.file == "skeptic.md").collect();
    assert_eq!(warned.len(), 1, "{:?}", verdict.ruling.findings);
    assert!(warned[0].gravity == Gravity::Warns && warned[0].fact.sentence().contains("Q3, Q5"), "{warned:?}");
}

#[test]
fn questions_are_named_one_by_one_or_as_a_range_and_a_hyphen_elsewhere_makes_none() {
    for (said, left) in [
        ("- Q1: the platform team.\n- Q5: the second data centre.", Some("Q2, Q3, Q4")),
        ("- Q1, Q5: the platform team, on stand-by.", Some("Q2, Q3, Q4")),
        ("- Q1-Q5: the platform team.", None),
        ("- Q1–5: the platform team.", None),
        ("- Questions 1 to 4: the platform team. Q5: later.", None),
        ("- Q1 through Q3: the platform team. Q5-Q4: later.", None),
    ] {
        let verdict = held(synthesis("Answers to the Skeptic", Some(said))).end().verdict;
        let found = verdict.ruling.findings.iter().find(|finding| finding.file == "skeptic.md");
        let told = found.map(|finding| finding.fact.sentence());
        let wanted = left.map(|numbers| format!("the synthesis does not name {numbers} of the skeptic's questions"));
        assert_eq!(told.is_some(), wanted.is_some(), "{said}: {told:?}");
        assert!(wanted.is_none_or(|wanted| told.is_some_and(|told| told.starts_with(&wanted))), "{said}: {told:?}");
    }
}

// seed: S0-25
#[test]
fn a_file_from_outside_without_one_of_its_sections_is_no_turn_yet() {
    let gate = held(synthesis("", None));
    for (seat, whole) in [("advocate", ADVOCATE), ("skeptic", SKEPTIC), ("operator", gate.operator.as_str())] {
        let asks = world::pass(&gate.plan, &world::Turns::new()).unwrap_err();
        let ask = asks.iter().find(|ask| ask.key.seat.as_str() == seat).unwrap();
        for rule in &ask.form.sections {
            let without = whole.replace(&format!("## {}", rule.title), "## Something else");
            let reading = ask.form.read(&gate.plan, &ask.key.seat, &draft(&without, None), Writer::Outside);
            assert_eq!(reading.speech, None, "{seat} without {}", rule.title);
            assert!(reading.required()[0].contains(rule.title), "{seat}: {:?}", reading.required());
            let as_is = ask.form.read(&gate.plan, &ask.key.seat, &draft(&without, None), Writer::OutsideAsIs);
            assert!(as_is.speech.is_some(), "{seat} as is: {:?}", as_is.defects);
        }
        let reading = ask.form.read(&gate.plan, &ask.key.seat, &draft(whole, None), Writer::Outside);
        assert_eq!(reading.lines(), Vec::<String>::new(), "{seat}");
    }
}

#[test]
fn what_looks_like_a_heading_and_is_none_is_named() {
    let gate = held(synthesis("", None));
    let asks = world::pass(&gate.plan, &world::Turns::new()).unwrap_err();
    for (from, to, why) in [
        ("## Core Argument", "**Core Argument**\n", "it is bold, not a heading"),
        ("## Core Argument", "> ## Core Argument\n\n", "in a quotation or a list"),
    ] {
        let text = ADVOCATE.replace(from, to);
        let reading = asks[0].form.read(&gate.plan, &asks[0].key.seat, &draft(&text, None), Writer::Outside);
        assert!(reading.required()[0].contains(why), "{:?}", reading.required());
    }
    let fenced = format!("```markdown\n{ADVOCATE}\n```");
    let reading = asks[0].form.read(&gate.plan, &asks[0].key.seat, &draft(&fenced, None), Writer::Outside);
    assert_eq!(reading.required().iter().filter(|line| line.contains("in a code fence")).count(), 5);
}
