//! Whether a phase debates: every combination of what it depends on, against the words of the specification.

use crate::world::{debating, decision, phase, risk, ticked, unticked};
use forge_workflow::contradiction::Contradiction;
use forge_workflow::definition::{DebateConfig, Phase, PhaseDebate, Trigger};
use forge_workflow::knowledge::{Decision, Knowledge, Risk};
use forge_workflow::snapshot::{AcceptedRisk, Checkbox, Overturned};
use forge_workflow::state::{Answered, DebateFlag};
use forge_workflow::trigger::{Call, Facts, ListedRisk, RiskFacts, call};

/// One combination.
#[derive(Debug, Clone, Copy)]
struct Row {
    mode: Trigger,
    /// Whether the phase names the mode itself; else it is the default of the workflow.
    named: bool,
    enabled: bool,
    flag: DebateFlag,
    components: usize,
    challenged: bool,
    highest_risk: Option<u8>,
    escalated: bool,
}

const COMPONENTS: [usize; 4] = [0, 3, 4, 5];
/// Probability and impact of the highest risk, by its score. No product is 5: somebody wrote that score down.
const RISKS: [Option<u8>; 4] = [None, Some(5), Some(6), Some(9)];

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let yes_or_no = [false, true];
    for mode in Trigger::ALL {
        for named in yes_or_no {
            for enabled in yes_or_no {
                for flag in [DebateFlag::Unsaid, DebateFlag::Forced, DebateFlag::Skipped] {
                    for components in COMPONENTS {
                        for challenged in yes_or_no {
                            for highest_risk in RISKS {
                                for escalated in yes_or_no {
                                    rows.push(Row {
                                        mode,
                                        named,
                                        enabled,
                                        flag,
                                        components,
                                        challenged,
                                        highest_risk,
                                        escalated,
                                    });
                                }
                            }
                        }
                    }
                }
            }
        }
    }
    rows
}

impl Row {
    /// What the specification says of the phase by itself, flags apart.
    fn calls_for_one(&self) -> bool {
        self.is_mandatory() || self.by_settings()
    }

    /// "Mandatory in every phase, whatever its trigger": a ticked escalation, a locked decision challenged, more than 3
    /// components, a new risk at or over the threshold.
    fn is_mandatory(&self) -> bool {
        let high = [Some(6), Some(9)].contains(&self.highest_risk);
        self.escalated || self.challenged || [4, 5].contains(&self.components) || high
    }

    fn by_settings(&self) -> bool {
        // "debate_enabled: false  # Disable debate for this phase"
        if !self.enabled {
            return false;
        }
        match self.mode {
            Trigger::Always => true,
            // "Debate never runs automatically", "only runs when explicitly requested".
            Trigger::Never | Trigger::ExplicitOnly => false,
            // "strictly more than 3 components, or a prior decision challenged there"
            Trigger::MajorDecision => self.challenged || [4, 5].contains(&self.components),
            // "highest active risk score >= 6"
            Trigger::RiskThreshold => [Some(6), Some(9)].contains(&self.highest_risk),
        }
    }

    /// "`--debate` > `--no-debate` > phase settings > default."
    fn debates(&self) -> bool {
        match self.flag {
            DebateFlag::Forced => true,
            DebateFlag::Skipped => false,
            DebateFlag::Unsaid => self.calls_for_one(),
        }
    }

    fn answer(&self) -> Call {
        // Where the phase names its mode, the default must not matter; where it does not, it alone does.
        let default_trigger = match (self.named, self.mode) {
            (false, mode) => mode,
            (true, Trigger::Always) => Trigger::Never,
            (true, _) => Trigger::Always,
        };
        let config = DebateConfig { default_trigger, ..DebateConfig::default() };
        let trigger = self.named.then_some(self.mode);
        let debate = PhaseDebate { enabled: self.enabled, trigger, ..phase("design").debate };
        let phase = Phase { debate, ..phase("design") };
        let locked = Decision { locked: true, ..decision("D1", &[]) };
        let challenges = if self.challenged { vec!["D1".to_owned()] } else { Vec::new() };
        let mut risks = vec![risk("R1", 1, 1), Risk { active: false, ..risk("R2", 3, 3) }];
        match self.highest_risk {
            None => drop(risks.remove(0)),
            Some(6) => risks.push(risk("R3", 3, 2)),
            Some(9) => risks.push(risk("R3", 3, 3)),
            Some(score) => {
                let stated = Risk { probability: None, stated_score: Some(score), ..risk("R3", 1, 1) };
                risks.push(stated);
            }
        }
        let escalations = [unticked("A1 turns out wrong", 30), Checkbox { ticked: self.escalated, ..condition() }];
        let facts = Facts {
            flag: self.flag,
            components: self.components,
            components_before: None,
            challenges_before: &[],
            vanished: &[],
            challenges: &challenges,
            contradictions: &[],
            overturned: &[],
            knowledge: &Knowledge { risks, decisions: vec![locked], ..Knowledge::default() },
            risks: RiskFacts { registry_counts: true, ..RiskFacts::default() },
            answered_here: &[],
            escalations: &escalations,
        };
        call(&phase, &config, &facts)
    }
}

fn condition() -> Checkbox {
    unticked("D1 kill-switch: more than 1% of logins fail", 31)
}

// seed: S0-63, S0-64, S0-65, S0-66, S0-67, S0-71, S0-72
#[test]
fn every_combination_is_answered_as_the_specification_says() {
    let rows = rows();
    assert_eq!(rows.len(), 5 * 2 * 2 * 3 * 4 * 2 * 4 * 2);
    for row in rows {
        let answer = row.answer();
        assert_eq!(answer.debate, row.debates(), "{row:?}: {answer:?}");
        assert!(answer.why.starts_with("design: "), "{row:?}: {answer:?}");
        let silenced = row.flag == DebateFlag::Skipped && row.calls_for_one();
        assert_eq!(answer.skipped.is_some(), silenced, "{row:?}: {answer:?}");
    }
}

#[test]
fn the_answer_names_what_it_was_that_called() {
    for row in rows() {
        let answer = row.answer();
        let why = answer.skipped.as_ref().unwrap_or(&answer.why);
        if row.flag != DebateFlag::Forced && row.calls_for_one() {
            let always = row.enabled && row.mode == Trigger::Always;
            let named = [
                (row.escalated, "\"D1 kill-switch: more than 1% of logins fail\""),
                (always, "debates always"),
                ([4, 5].contains(&row.components), "components > 3"),
                (row.challenged, "D1 challenged"),
                ([Some(6), Some(9)].contains(&row.highest_risk), "R3 scores"),
            ];
            for (_, words) in named.iter().filter(|(holds, _)| *holds) {
                assert!(why.contains(words), "{row:?}: {why}");
            }
            let by_default = always && !row.named;
            assert_eq!(why.contains(" (the default trigger)"), by_default, "{row:?}: {why}");
        }
    }
}

static NOTHING_KNOWN: Knowledge = Knowledge {
    decisions: Vec::new(),
    constraints: Vec::new(),
    assumptions: Vec::new(),
    validations: Vec::new(),
    risks: Vec::new(),
    taken_ids: Vec::new(),
    unclear: Vec::new(),
};

/// Nothing that could call for a debate.
fn nothing<'f>() -> Facts<'f> {
    Facts {
        flag: DebateFlag::Unsaid,
        components: 0,
        components_before: None,
        challenges: &[],
        challenges_before: &[],
        vanished: &[],
        contradictions: &[],
        overturned: &[],
        knowledge: &NOTHING_KNOWN,
        risks: RiskFacts::default(),
        answered_here: &[],
        escalations: &[],
    }
}

fn why<'f>(phase: &Phase, config: DebateConfig, change: impl FnOnce(&mut Facts<'f>)) -> String {
    let mut facts = nothing();
    change(&mut facts);
    call(phase, &config, &facts).why
}

#[test]
fn the_reasons_read_like_sentences() {
    let config = DebateConfig::default();
    let major = debating("design", Trigger::MajorDecision);
    let risky = debating("research", Trigger::RiskThreshold);
    let off = phase("build");
    let unnamed = Phase { debate: PhaseDebate { trigger: None, ..major.debate.clone() }, ..major.clone() };
    let challenged = ["D1".to_owned(), "D4".to_owned()];
    let low = Knowledge { risks: vec![risk("R1", 2, 2)], ..Knowledge::default() };
    let high = Knowledge { risks: vec![risk("R1", 2, 2), risk("R2", 3, 2), risk("R3", 2, 3)], ..Knowledge::default() };
    let conditions = [unticked("A1 turns out wrong: it is fast", 1), ticked("D2 kill-switch: p99 above 1 s", 2)];

    let rows = [
        (why(&major, config, |facts| facts.components = 5), "design: 5 components > 3"),
        (why(&major, config, |facts| facts.components = 4), "design: 4 components > 3"),
        (
            why(&major, config, |facts| facts.components = 3),
            "design: 3 components, not more than 3, and no prior decision challenged",
        ),
        (
            why(&major, config, |facts| facts.components = 1),
            "design: 1 component, not more than 3, and no prior decision challenged",
        ),
        (why(&major, config, |facts| facts.challenges = &challenged[..1]), "design: prior decision D1 challenged"),
        (why(&major, config, |facts| facts.challenges = &challenged), "design: prior decision D1, D4 challenged"),
        (why(&unnamed, config, |facts| facts.components = 5), "design: 5 components > 3"),
        (
            why(&unnamed, config, |facts| facts.challenges = &challenged),
            "design: prior decision D1, D4 challenged (the default trigger)",
        ),
        (why(&debating("brainstorm", Trigger::Always), config, |_| {}), "brainstorm: debates always"),
        (why(&risky, config, |facts| facts.knowledge = &high), "research: highest active risk R2 scores 6 >= 6"),
        (why(&risky, config, |facts| facts.knowledge = &low), "research: highest active risk R1 scores 4 < 6"),
        (why(&risky, config, |_| {}), "research: no active risk with a score; 6 or more calls for a debate"),
        (
            why(&debating("build", Trigger::Never), config, |_| {}),
            "build: never debates by itself; --debate forces one",
        ),
        (
            why(&debating("plan", Trigger::ExplicitOnly), config, |_| {}),
            "plan: debates only when asked for with --debate",
        ),
        (why(&off, config, |_| {}), "build: debates are off in this phase"),
        (
            why(&off, config, |facts| facts.escalations = &conditions),
            "build: the escalation condition \"D2 kill-switch: p99 above 1 s\" of the handoff is ticked",
        ),
        (why(&off, config, |facts| facts.flag = DebateFlag::Forced), "build: asked for with --debate"),
        (why(&off, config, |facts| facts.flag = DebateFlag::Skipped), "build: skipped with --no-debate"),
    ];
    for (said, expected) in rows {
        assert_eq!(said, expected);
    }
}

#[test]
fn what_was_skipped_is_told_without_the_phase_and_the_flag() {
    let facts = Facts { flag: DebateFlag::Skipped, components: 5, ..nothing() };
    for trigger in Trigger::ALL.into_iter().filter(|trigger| *trigger != Trigger::Always) {
        let answer = call(&debating("design", trigger), &DebateConfig::default(), &facts);
        assert_eq!(answer.skipped.as_deref(), Some("5 components > 3"), "{trigger:?}");
    }
    let facts = Facts { flag: DebateFlag::Skipped, ..nothing() };
    let answer = call(&debating("plan", Trigger::ExplicitOnly), &DebateConfig::default(), &facts);
    assert_eq!(answer.skipped, None, "nothing was silenced where nothing called");
}

// seed: S0-60, S0-61
#[test]
fn thresholds_other_than_the_defaults_are_kept() {
    let major = debating("design", Trigger::MajorDecision);
    for threshold in [0u32, 1, 7, 64] {
        let config = DebateConfig { component_threshold: threshold, ..DebateConfig::default() };
        let below = usize::try_from(threshold).unwrap();
        let at = why(&major, config, |facts| facts.components = below);
        let above = why(&major, config, |facts| facts.components = below + 1);
        assert!(at.contains(&format!("not more than {threshold}")), "{at}");
        assert!(above.ends_with(&format!("> {threshold}")), "{above}");
    }
    let risky = debating("test", Trigger::RiskThreshold);
    let known = Knowledge { risks: vec![risk("R1", 2, 2)], ..Knowledge::default() };
    for (threshold, expected) in [
        (1, "test: highest active risk R1 scores 4 >= 1"),
        (4, "test: highest active risk R1 scores 4 >= 4"),
        (5, "test: highest active risk R1 scores 4 < 5"),
        (9, "test: highest active risk R1 scores 4 < 9"),
    ] {
        let config = DebateConfig { risk_threshold: threshold, ..DebateConfig::default() };
        assert_eq!(why(&risky, config, |facts| facts.knowledge = &known), expected);
    }
}

// seed: S0-65
#[test]
fn only_active_risks_with_a_score_count() {
    let risky = debating("test", Trigger::RiskThreshold);
    let past = Risk { active: false, ..risk("R1", 3, 3) };
    let half = Risk { impact: None, ..risk("R2", 3, 3) };
    let stated = Risk { probability: None, impact: None, stated_score: Some(8), ..risk("R3", 1, 1) };
    let contradictory = Risk { stated_score: Some(9), ..risk("R4", 1, 2) };
    for (risks, expected) in [
        (vec![past.clone()], "test: no active risk with a score; 6 or more calls for a debate"),
        (vec![half.clone()], "test: no active risk with a score; 6 or more calls for a debate"),
        (vec![past.clone(), risk("R5", 2, 2)], "test: highest active risk R5 scores 4 < 6"),
        (vec![past, half, stated], "test: highest active risk R3 scores 8 >= 6"),
        (vec![contradictory], "test: highest active risk R4 scores 9 >= 6"),
    ] {
        let knowledge = Knowledge { risks, ..Knowledge::default() };
        assert_eq!(why(&risky, DebateConfig::default(), |facts| facts.knowledge = &knowledge), expected);
    }
}

// seed: S0-73
#[test]
fn brainstorm_debates_whatever_its_settings_say() {
    let config = DebateConfig::default();
    for trigger in [None, Some(Trigger::Never), Some(Trigger::ExplicitOnly), Some(Trigger::MajorDecision)] {
        for enabled in [false, true] {
            let debate = PhaseDebate { enabled, trigger, ..phase("brainstorm").debate };
            let brainstorm = Phase { debate, ..phase("brainstorm") };
            assert_eq!(why(&brainstorm, config, |_| {}), "brainstorm: debates always");
            let skipped = Facts { flag: DebateFlag::Skipped, ..nothing() };
            let answer = call(&brainstorm, &config, &skipped);
            assert_eq!((answer.debate, answer.skipped.as_deref()), (false, Some("debates always")));
        }
    }
}

// seed: S0-74, S0-75, S0-76, S1-74
#[test]
fn what_is_mandatory_says_what_it_is_and_what_to_do() {
    let locked = Decision { title: "Use JWT for auth".to_owned(), locked: true, ..decision("D1", &[]) };
    let known = Knowledge { decisions: vec![locked], risks: vec![risk("R1", 3, 2)], ..Knowledge::default() };
    let contradiction = Contradiction {
        file: "docs/forge/phases/build.md".to_owned(),
        line: 31,
        text: "Drop JWT, use server sessions".to_owned(),
        source: None,
        decision: "D1".to_owned(),
        title: "Use JWT for auth".to_owned(),
    };
    let overturned = Overturned {
        says_so: true,
        by: "D3".to_owned(),
        file: "docs/forge/knowledge/decisions.md".to_owned(),
        line: Some(42),
        decision: "D1".to_owned(),
        debate: Some("brainstorm-20260127-143022".to_owned()),
    };
    let listed = [ListedRisk {
        risk: Risk { id: String::new(), source: Some("w/build#01234567".to_owned()), ..risk("the disk", 3, 3) },
        file: "docs/forge/phases/build.md".to_owned(),
        line: 40,
    }];
    let challenges = ["D1".to_owned()];
    for build in [phase("build"), debating("build", Trigger::Never), debating("build", Trigger::ExplicitOnly)] {
        let base = Facts { knowledge: &known, ..nothing() };
        let said = |facts: Facts<'_>| {
            let answer = call(&build, &DebateConfig::default(), &facts);
            (answer.debate, answer.why, answer.about.unwrap_or_default())
        };
        let rows = [
            (
                said(Facts { challenges: &challenges, ..base }),
                "build: prior decision D1 challenged",
                "whether D1 (Use JWT for auth) stands",
            ),
            (
                said(Facts { contradictions: std::slice::from_ref(&contradiction), ..base }),
                "build: docs/forge/phases/build.md:31: \"Drop JWT, use server sessions\" contradicts D1 (Use JWT for auth), which is locked; if it does not, write (keeps D1) behind it",
                "whether D1 (Use JWT for auth) stands",
            ),
            (
                said(Facts { overturned: std::slice::from_ref(&overturned), ..base }),
                "build: docs/forge/knowledge/decisions.md:42: D3 supersedes D1, which the debate brainstorm-20260127-143022 took, without a debate",
                "whether D1 stands or D3 takes its place",
            ),
            (said(Facts { components: 4, ..base }), "build: 4 components > 3", "how to change 4 components"),
            (
                said(Facts { risks: RiskFacts { registry_counts: true, ..RiskFacts::default() }, ..base }),
                "build: new risk R1 scores 6 >= 6",
                "what to do about R1 (What R1 says may happen)",
            ),
            (
                said(Facts { risks: RiskFacts { listed: &listed, ..RiskFacts::default() }, ..base }),
                "build: docs/forge/phases/build.md:40: new risk \"What the disk says may happen\" scores 9 >= 6",
                "what to do about the risk \"What the disk says may happen\"",
            ),
        ];
        for ((debate, why, about), wanted, matter) in rows {
            assert!(debate, "{why}");
            assert_eq!((why.as_str(), about.as_str()), (wanted, matter));
        }
        let unlocked = Knowledge { decisions: vec![decision("D1", &[])], ..Knowledge::default() };
        let facts = Facts { knowledge: &unlocked, challenges: &challenges, ..nothing() };
        assert!(!call(&build, &DebateConfig::default(), &facts).debate, "only locked decisions are guarded everywhere");
    }
}

// seed: S0-76
#[test]
fn a_risk_calls_again_only_when_its_score_rises() {
    let config = DebateConfig::default();
    let of_a_debate =
        |p, i| Risk { source: Some("brainstorm-1#R1".to_owned()), owner: "Ada".to_owned(), ..risk("R1", p, i) };
    let calls = |phase: &Phase, risk: &Risk, risks: RiskFacts<'_>| {
        let known = Knowledge { risks: vec![risk.clone()], ..Knowledge::default() };
        call(phase, &config, &Facts { knowledge: &known, risks, ..nothing() }).debate
    };
    let accepted = [AcceptedRisk { risk: "R1".to_owned(), score: 6 }];
    let answered = [Answered { matter: "brainstorm-1#R1".to_owned(), score: 6, phase: "research".to_owned() }];
    let counts = RiskFacts { registry_counts: true, ..RiskFacts::default() };
    let (build, test) = (phase("build"), debating("test", Trigger::RiskThreshold));
    let (same, higher) = (of_a_debate(3, 2), of_a_debate(3, 3));
    assert!(calls(&build, &same, counts) && calls(&test, &same, counts));
    let accepts = RiskFacts { accepted: &accepted, ..counts };
    assert!(!calls(&build, &same, accepts) && !calls(&test, &same, accepts), "accepted, with an owner");
    assert!(calls(&build, &higher, accepts) && calls(&test, &higher, accepts), "its score rose");
    let asked = RiskFacts { answered: &answered, ..counts };
    assert!(!calls(&build, &same, asked), "asked about already");
    assert!(calls(&test, &same, asked), "the phase's own trigger asks all the same");
    assert!(calls(&build, &higher, asked), "its score rose");
    assert!(!calls(&build, &same, RiskFacts::default()), "it stood before the first phase");
    // Said anew in the phase's document, under its number.
    let again = [ListedRisk { risk: Risk { source: None, ..higher.clone() }, file: "x.md".to_owned(), line: 3 }];
    assert!(calls(&build, &same, RiskFacts { listed: &again, ..asked }));
    // Another risk with its source is not answered with it.
    let other = Risk { id: "R2".to_owned(), text: "Data loss".to_owned(), ..same.clone() };
    let known = Knowledge { risks: vec![same.clone(), other], ..Knowledge::default() };
    assert!(call(&build, &config, &Facts { knowledge: &known, risks: asked, ..nothing() }).debate);
    assert!(call(&build, &config, &Facts { knowledge: &known, risks: accepts, ..nothing() }).debate);
}
