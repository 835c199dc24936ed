//! What the seeds want said to each seat: in its role, in the house rules, and in the prompt of its stage.

use crate::voices::Voices;
use crate::world::{self, Pace, run};
use forge_debate::protocols::judges;
use forge_debate::record::Reads;
use forge_debate::texts::Texts;

/// Every text says all of its words, whatever the case and wherever its lines break.
fn say(table: &[(&str, &[&str])]) {
    let texts = Texts::embedded();
    for (name, words) in table {
        let text = texts.get(name).unwrap_or_else(|| panic!("there is no text {name}"));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        for word in *words {
            assert!(text.contains(&word.to_lowercase()), "{name} does not say {word:?}:\n{text}");
        }
    }
}

// seed: S0-78, S0-79, S0-80, S0-81
#[test]
fn roles_of_a_gate_say_what_the_seed_says() {
    say(&[
        ("roles/advocate", &["argue FOR"]),
        ("roles/skeptic", &["argue AGAINST", "how does it fail"]),
        ("roles/operator", &["FEASIBILITY", "NO-GO"]),
        ("roles/synthesizer", &["you decide", "choose one option"]),
        ("prompts/gate/synthesis", &["NO-GO", "then the rationale"]),
    ]);
}

// seed: S3-8, S3-14, S3-15, S3-16, S3-23, S3-36
#[test]
fn judges_are_told_what_the_seed_tells_them() {
    say(&[
        (
            "roles/risk",
            &["SKEPTICAL", "always challenge optimism", "minimises risk", "keep this stance in every round"],
        ),
        ("roles/value", &["OPTIMISTIC", "always push for more", "maximises value", "keep this stance in every round"]),
        ("roles/effort", &["PRAGMATIC", "always ground", "return on effort", "keep this stance in every round"]),
        ("prompts/judges/opening", &["each option", "recommend exactly one option", "keep your stance"]),
        (
            "prompts/judges/challenge",
            &[
                "read the other judges",
                "specific counter-arguments",
                "defend your position",
                "genuinely convinced",
                "exactly what convinced you",
            ],
        ),
    ]);
}

// seed: S2-2, S2-6, S2-12, S2-23, S2-29, S2-30, S2-42, S2-43, S2-46
#[test]
fn a_panel_is_told_what_the_seed_tells_it() {
    say(&[
        ("prompts/panel/position", &["I think X because Y", "independent position", "nobody else's"]),
        (
            "prompts/panel/response",
            &[
                "agreements",
                "disagreements",
                "counter-reasoning",
                "you must raise it",
                "challenge at least one position",
                "formal dissent",
                "hold your position",
            ],
        ),
        ("prompts/panel/referee", &["repeating", "no new information for two rounds", "halt", "escalate"]),
        (
            "prompts/panel/synthesis",
            &["chosen approach", "rejected alternatives", "dissents", "risk register", "HIGH, MEDIUM or LOW"],
        ),
        ("prompts/panel/review", &["accuracy", "misrepresent"]),
        (
            "roles/contrarian",
            &[
                "opposing position",
                "assumption",
                "failure modes",
                "if everybody agrees, you explain why they should not",
            ],
        ),
        ("roles/moonshot", &["ambitious version", "larger purpose", "always present two versions", "stepping stone"]),
        (
            "prompts/case",
            &[
                "no rubber-stamping",
                "no scope creep",
                "no implementation",
                "specifications, not code",
                "no deference",
                "raise every risk",
                "dissent",
                "hold your position",
            ],
        ),
    ]);
}

// seed: S4-8, S4-9, S4-10, S4-14, S4-15, S4-27, S4-34
#[test]
fn lead_and_challengers_are_told_what_the_seed_tells_them() {
    say(&[
        (
            "prompts/challenge/opening",
            &["position", "reasoning: numbered", "HIGH, MEDIUM or LOW", "weaknesses", "assumptions"],
        ),
        ("prompts/challenge/challenge", &["from your own angle", "disagree", "partial", "agree"]),
        ("prompts/challenge/answer", &["ACCEPT", "PARTIAL", "REJECT", "say why", "changed_because"]),
        ("prompts/challenge/rebuttal", &["ACCEPT", "MAINTAIN", "ESCALATE"]),
        (
            "prompts/challenge/assumptions",
            &["why you still disagree", "what would make the other side right", "core assumption"],
        ),
        ("roles/challenger-architect", &["load", "complexity", "design"]),
        ("roles/challenger-operator", &["fail", "maint"]),
        (
            "roles/challenger-adversary",
            &[
                "attack",
                "abuse",
                "trusted here without being checked",
                "input that is empty, enormous, duplicated or out of order",
            ],
        ),
    ]);
}

/// Round 2 shows a judge what it said itself, and what each of the others said.
// seed: S3-7, S3-22
#[test]
fn a_second_round_reads_all_of_the_first() {
    let plan = world::plan("judges");
    let mut seen = 0;
    for seed in 0..20 {
        let voices = Voices { seed, absent_percent: 0, sloppy_percent: 0 };
        let ended = run(&plan, Pace::Waves, |ask, _| voices.answer(&plan, ask));
        for ask in ended.asked().into_iter().filter(|ask| ask.key.stage == judges::CHALLENGE && ask.key.round == 2) {
            let Reads::Peers { others, own } = &ask.reads else { panic!("{}: {:?}", ask.key, ask.reads) };
            assert_eq!((others.len(), own.len()), (2, 1), "{}", ask.key);
            assert!(own[0].seat == ask.key.seat && others.iter().all(|key| key.seat != ask.key.seat), "{}", ask.key);
            seen += 1;
        }
    }
    assert!(seen > 0, "no voices differ");
}
