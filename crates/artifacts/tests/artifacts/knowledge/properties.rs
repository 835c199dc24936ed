//! Any entry in any file: it reads back, it is added once, and its words stay words.

use super::{findings, knowledge, merged, templates};
use crate::config;
use forge_artifacts::formats::knowledge::*;
use forge_artifacts::markdown;
use forge_workflow::extract::passages::{one_line, tidy};
use forge_workflow::knowledge::{Assumption, Constraint, Decision, Findings, Kind, Risk, Standing, Validation};
use proptest::prelude::*;

/// What breaks naive writers.
const PIECES: &[&str] = &[
    "|",
    "\\|",
    "\\",
    "`",
    "\n```\n",
    "```rust\nfn main() {}\n",
    "~~~",
    "\n",
    "\n\n",
    "\r\n",
    "\n# ",
    "\n## D7: trap\n",
    "\n- Source: x#D9\n",
    "- Status: locked",
    "\n| R9 | x | y |\n",
    "\n---\n",
    "---",
    " ##",
    "#",
    "<br>",
    "<BR />",
    "<!-- ",
    "\n<!--\n",
    "-->",
    "<script>alert(1)</script>",
    "**bold:** ",
    "🦀👩‍🚀",
    "\u{202E}\u{0}\u{7}",
    "\t",
    "   ",
    "\n    indented\n",
    "TBD",
    "- Detection: x",
    "\n1. one\n",
    "D1: ",
    "a, b.",
    ": (x)",
    "[y] {z}",
    "! ? *_~",
    "< > & % $",
    "@/+= \"q\" 'r'",
    "\u{3000}",
    "\u{85}\u{2028}",
    "\\<br>",
    "\\\\",
    "\\\n",
    "é",
    "§ 漢字",
];

fn nasty() -> impl Strategy<Value = String> {
    let text = prop::collection::vec(0..PIECES.len(), 0..9)
        .prop_map(|pieces| pieces.into_iter().map(|at| PIECES[at]).collect::<String>());
    (text, 0..60_u8).prop_map(|(text, n)| if n == 0 { format!("{text}{}", "x\\|".repeat(1700)) } else { text })
}

fn kept() -> impl Strategy<Value = String> {
    nasty().prop_map(|text| tidy(&text))
}

fn lined() -> impl Strategy<Value = String> {
    nasty().prop_map(|text| one_line(&text))
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

prop_compose! {
    fn decision()(title in lined(), rationale in kept(), phase in lined(), debate in lined(), by in lined(),
        date in lined(), kill_switch in prop::collection::vec(kept(), 0..4), locked: bool, n in 1..500_u32,
        turned_down in prop::collection::vec(lined(), 0..3),
        supersedes in prop::collection::vec(100..900_u32, 0..3)) -> Decision {
        Decision {
            phrasings: Vec::new(),
            id: String::new(), title, rationale, phase, debate: some(debate), date,
            kill_switch: kill_switch.into_iter().filter(|one| !one.is_empty()).collect(),
            turned_down: turned_down.into_iter().map(|label| format!("B: {label}").trim_end().to_owned()).collect(),
            supersedes: supersedes.into_iter().map(|n| format!("D{n}")).collect(),
            locked, claimed: false, status: Default::default(), by: some(by), source: Some(format!("debate-{n}#D{n}")),
        }
    }
}

prop_compose! {
    fn findings_of()(
        mut decisions in prop::collection::vec(decision(), 0..3),
        constraints in prop::collection::vec((kept(), lined(), kept(), lined()), 0..3),
        assumptions in prop::collection::vec((kept(), 0..3_usize, lined(), kept()), 0..3),
        validations in prop::collection::vec((1..9_u32, 0..3_usize, kept()), 0..3),
        risks in prop::collection::vec((kept(), 0..4_u8, 0..4_u8, 0..10_u8, lined(), any::<bool>()), 0..3),
    ) -> Findings {
        let standings = [Standing::Open, Standing::Validated, Standing::Invalidated];
        decisions.iter_mut().enumerate().for_each(|(at, one)| one.source = Some(format!("debate-1#D{}", at + 1)));
        Findings {
            decisions,
            constraints: constraints.into_iter().enumerate().map(|(at, (text, origin, violation, locked))| Constraint {
                id: String::new(), text, origin, violation, locked_by: some(locked), lifted: false, source: Some(format!("wf/design#{at:08x}")),
            }).collect(),
            assumptions: assumptions.into_iter().enumerate().map(|(at, (text, standing, due, risk))| Assumption {
                id: String::new(), text, standing: standings[standing], due, risk_if_invalid: risk,
                source: Some(format!("debate-1#A{}", at + 1)),
            }).collect(),
            validations: validations.into_iter().enumerate().map(|(at, (n, standing, because))| Validation {
                assumption: format!("A{n}"), standing: standings[standing], because, source: format!("debate-1#V{}", at + 1),
            }).collect(),
            risks: risks.into_iter().enumerate().map(|(at, (text, p, i, score, owner, active))| {
                let level = |n: u8| Some(n).filter(|n| (1..=3).contains(n));
                let both = level(p).is_some() && level(i).is_some();
                Risk {
                    id: String::new(), text, probability: level(p), impact: level(i),
                    stated_score: Some(score).filter(|n| (1..=9).contains(n) && !both),
                    owner, active, accepted_by: None, source: Some(format!("debate-1#R{}", at + 1)),
                }
            }).collect(),
        }
    }
}

/// What other tools leave in a registry.
const ORIGINS: [&str; 9] = [
    "## Superseded Decisions",
    "## Mitigated Risks",
    "## Invalidated Assumptions",
    "## Lifted Constraints",
    "## Format",
    "## Decision Rules",
    "*Last updated: never*",
    "**Status:** superseded",
    "| ID | Risk | Probability | Impact | Score | Owner | Status | Source |\n|---|---|---|---|---|---|---|---|\n| R1 | | High/Med/Low | High/Med/Low | P×I | | open | |",
];

/// A file as people leave it: entries in several forms, and lines that look like something.
fn peoples() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[DCAR][0-9]{1,3}: [a-z]{1,6}".prop_map(|line| format!("## {line}")),
        "[DCAR][0-9]{1,3}: [a-z]{1,6}".prop_map(|line| format!("# {line}")),
        "[DCAR][0-9]{1,3}: [a-z]{1,6}".prop_map(|line| format!("- {line}")),
        "[DCAR][0-9]{1,3}".prop_map(|id| format!("| ID | Title | Status |\n|---|---|---|\n| {id} | t | open |")),
        Just("```".to_owned()),
        Just("~~~".to_owned()),
        Just("<!--".to_owned()),
        Just("-->".to_owned()),
        Just("  ```".to_owned()),
        Just("- Rationale: because".to_owned()),
        Just("**Owner:** me".to_owned()),
        Just("Status: closed".to_owned()),
        Just("### Notes".to_owned()),
        (0..9_usize).prop_map(|at| ORIGINS[at].to_owned()),
        (0..9_usize).prop_map(|at| ORIGINS[at].replace("## ", "# ")),
        Just("---".to_owned()),
        Just("key: value".to_owned()),
        Just(String::new()),
        Just("    indented".to_owned()),
        Just("> quoted".to_owned()),
        "[a-z |`#\\-]{0,20}",
    ];
    (prop::collection::vec(line, 0..12), any::<bool>(), any::<bool>()).prop_map(|(lines, ended, crlf)| {
        let text = lines.join("\n") + if ended { "\n" } else { "" };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

fn sorted<T: std::fmt::Debug>(all: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut all: Vec<String> = all.into_iter().map(|one| format!("{one:?}")).collect();
    all.sort();
    all
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn anything_reads_back_as_it_was(found in findings_of()) {
        let (files, news) = merged(&templates(), &found);
        let read = knowledge(&files);
        prop_assert_eq!(&read.decisions, &news.decisions);
        prop_assert_eq!(&read.constraints, &news.constraints);
        prop_assert_eq!(&read.assumptions, &news.assumptions);
        prop_assert_eq!(&read.validations, &news.validations);
        prop_assert_eq!(&read.risks, &news.risks);
        prop_assert!(read.news(&found).is_empty());
    }

    #[test]
    fn peoples_entries_stay_and_news_are_added_once(
        texts in prop::array::uniform4(peoples()), first in findings_of(), second in findings_of(),
    ) {
        let before = knowledge(&texts);
        let (after, news) = merged(&texts, &first);
        let read = knowledge(&after);
        prop_assert_eq!(sorted(&read.decisions), sorted(before.decisions.iter().chain(&news.decisions)));
        prop_assert_eq!(sorted(&read.constraints), sorted(before.constraints.iter().chain(&news.constraints)));
        prop_assert_eq!(sorted(&read.assumptions), sorted(before.assumptions.iter().chain(&news.assumptions)));
        prop_assert_eq!(sorted(&read.risks), sorted(before.risks.iter().chain(&news.risks)));
        prop_assert!(read.news(&first).is_empty());
        let (again, _) = merged(&after, &second);
        prop_assert!(knowledge(&again).news(&first).is_empty());
        for (was, is) in texts.iter().zip(&after).filter(|(was, _)| !was.trim().is_empty()) {
            let mut bytes = is.bytes();
            prop_assert!(was.bytes().all(|byte| bytes.any(|there| there == byte)), "{:?} {:?}", was, is);
        }
    }

    #[test]
    fn no_words_of_an_entry_become_structure(found in findings_of()) {
        let (files, news) = merged(&templates(), &found);
        let titles = |text: &str| markdown::draft(text, 1).sections.into_iter().map(|section| section.title).collect::<Vec<_>>();
        let decisions = titles(&files[0]);
        prop_assert_eq!(decisions.len(), 1 + news.decisions.len(), "{}", files[0]);
        for (title, decision) in decisions[1..].iter().zip(&news.decisions) {
            prop_assert!(title.starts_with(&decision.id), "{title:?}");
        }
        prop_assert_eq!(titles(&files[1]), ["Constraints"]);
        prop_assert_eq!(titles(&files[2]), ["Assumptions", "Validation"]);
        prop_assert_eq!(titles(&files[3]), ["Risks"]);
    }

    #[test]
    fn no_text_is_too_broken(text in "(\\PC|[\n\r\t|#`<>!-]){0,200}") {
        let read = read_all(&text, &text, &text, &text);
        let news = read.news(&findings());
        for kind in Kind::ALL {
            let after = append(kind, &text, &news);
            prop_assert!(text.trim().is_empty() || after.starts_with(text.as_str()));
        }
    }
}
