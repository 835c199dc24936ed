//! Accounts made by hand: what a debate may leave, in every shape that a reader may meet.

use forge_artifacts::formats::verdict::{Account, Spent, TurnLine};
use forge_debate::control::{Comparison, DebateWorth};
use forge_debate::course::{Challenged, Conformity, Stand};
use forge_debate::digest::Digest;
use forge_debate::fact;
use forge_debate::family::Served;
use forge_debate::grounding::{FoundAt, Grounding, Quote};
use forge_debate::plan::{
    Choice, Demands, Duty, Families, Hand, Limits, Material, Naming, OptionId, Plan, Seat, SeatId,
};
use forge_debate::robustness::{CountingRule, Robustness, RuleCount, Without};
use forge_debate::turn::{AbsenceKind, Stage, TurnKey};
use forge_debate::verdict::{
    Abstention, Assumption, Basis, Cause, Confrontation, Dissent, Finding, MissedTurn, Outcome, Position, Reason,
    Ruling, Verdict, VoteCount,
};
use forge_debate::voting::{Change, CitedArgument, Merit, Rule, Threshold, Vote, Wins};

pub(crate) const OPENING: Stage = Stage("opening");
pub(crate) const CHALLENGE: Stage = Stage("challenge");

/// A debate of these seats on these options, of which nothing is known but its outcome.
pub(crate) fn account(protocol: &str, seats: &[&str], options: &[&str], outcome: Outcome) -> Account {
    let seats = seats.iter().map(|seat| Seat {
        id: SeatId::from(*seat),
        role: (*seat).to_owned(),
        duty: match *seat {
            "synthesizer" => Duty::Synthesizer,
            "lead" => Duty::Lead,
            _ => Duty::Debater,
        },
        hand: Hand::Agent("openai:gpt-5".to_owned()),
        family: None,
        context_file: None,
    });
    let options = options.iter().enumerate().map(|(i, label)| Choice {
        id: forge_debate::plan::letter(i),
        label: (*label).to_owned(),
        description: String::new(),
    });
    let plan = Plan {
        at_stake: Vec::new(),
        id: "sessions".to_owned(),
        protocol: &forge_debate::protocols::newest(protocol).unwrap().profile,
        question: "Redis or Memcached for sessions?".to_owned(),
        options: options.collect(),
        materials: vec![Material { name: "notes.md".to_owned(), text: "Redis is run by us already.".to_owned() }],
        seats: seats.collect(),
        limits: Limits {
            rounds: 2,
            threshold: Threshold::TWO_THIRDS,
            min_rounds: 1,
            timeout_seconds: 120,
            max_calls: None,
            max_tokens: None,
            max_cost: None,
            min_challengers: 1,
        },
        seed: 1,
        naming: Naming::Anonymous,
        families: Families::MayBeTheSame,
        demands: Demands::default(),
        place: "docs/forge".to_owned(),
        phase: "debate".to_owned(),
        roster: None,
        synthesizer: None,
        created_at: "2026-01-27T10:00:00Z".to_owned(),
    };
    Account {
        plan,
        verdict: Verdict::from(Ruling::new(outcome)),
        turns: Vec::new(),
        spent: Spent { calls: 6, input_tokens: 5200, output_tokens: 1800, ..Spent::default() },
        plan_digest: Digest::of(b"plan"),
        record: Digest::of(b"record"),
        served: Vec::new(),
        kept: Vec::new(),
        reports: Vec::new(),
        contradictions: Vec::new(),
        not_on_record: Vec::new(),
        replaced: Vec::new(),
        asks_for_name: false,
        framing: None,
        plan_file: "docs/forge/sadd/debate-sessions-plan.md".to_owned(),
        dir: "docs/forge/sadd".to_owned(),
    }
}

/// The votes that a verdict rests on.
pub(crate) fn ballots(verdict: &mut Verdict) -> &mut VoteCount {
    if !matches!(verdict.ruling.basis, Basis::Votes(_)) {
        let rule = Rule { wins: Wins::Threshold(Threshold::TWO_THIRDS), quorum: 2 };
        verdict.ruling.basis = Basis::Votes(VoteCount { rule, votes: Vec::new(), changes: Vec::new() });
    }
    let Basis::Votes(ballots) = &mut verdict.ruling.basis else { unreachable!("it was made above") };
    ballots
}

/// The position that a verdict rests on.
pub(crate) fn attacked(verdict: &mut Verdict) -> &mut Confrontation {
    if !matches!(verdict.ruling.basis, Basis::Objections(_)) {
        verdict.ruling.basis = Basis::Objections(Confrontation::default());
    }
    let Basis::Objections(confrontation) = &mut verdict.ruling.basis else { unreachable!("it was made above") };
    confrontation
}

/// A stand for an option; `counted` differs from `cast` where a move was not earned.
pub(crate) fn stand(seat: &str, stage: Stage, round: u16, step: usize, cast: &str, counted: &str) -> Stand {
    Stand {
        seat: SeatId::from(seat),
        stage,
        round,
        step,
        cast: Some(OptionId::from(cast)),
        counted: Some(OptionId::from(counted)),
        word: None,
        change: (cast != counted).then_some(Merit::Unearned),
    }
}

/// The same stand, by an earned move.
pub(crate) fn earned(stand: Stand) -> Stand {
    Stand { change: Some(Merit::Earned), ..stand }
}

/// A stand that is no option.
pub(crate) fn word(seat: &str, stage: Stage, round: u16, step: usize, word: &str) -> Stand {
    let word = Some(word.to_owned());
    Stand { seat: SeatId::from(seat), stage, round, step, cast: None, counted: None, word, change: None }
}

pub(crate) fn challenge(from: &str, to: &str, round: u16, text: &str) -> Challenged {
    let (from, to) = (SeatId::from(from), SeatId::from(to));
    Challenged { from, to, stage: CHALLENGE, round, text: text.to_owned() }
}

/// Three judges, two rounds: one is convinced, one gives in without a ground, and the winner hangs on one seat.
pub(crate) fn judges() -> Account {
    let mut account =
        account("judges", &["risk", "value", "effort"], &["Redis", "Memcached", "Neither"], Outcome::Consensus);
    let option = OptionId::from;
    let seat = SeatId::from;
    let verdict = &mut account.verdict;
    verdict.ruling.options = vec![option("A")];
    verdict.ruling.rounds = 2;
    ballots(verdict).votes = vec![
        Vote { seat: seat("risk"), cast: option("A"), counted: option("A") },
        Vote { seat: seat("value"), cast: option("A"), counted: option("A") },
        Vote { seat: seat("effort"), cast: option("A"), counted: option("B") },
    ];
    ballots(verdict).changes = vec![
        Change {
            seat: seat("value"),
            round: 2,
            from: option("C"),
            to: option("A"),
            reason: "the outage of last spring was real".to_owned(),
            cited: vec![CitedArgument {
                name: "risk.a1".to_owned(),
                text: "Failover\nlost sessions twice last spring.".to_owned(),
            }],
            merit: Merit::Earned,
        },
        Change {
            seat: seat("effort"),
            round: 2,
            from: option("B"),
            to: option("A"),
            reason: "the others seem sure".to_owned(),
            cited: Vec::new(),
            merit: Merit::Unearned,
        },
    ];
    verdict.ruling.reasons = [
        ("risk", "A", "We run it already."),
        ("value", "A", "It survives a restart."),
        ("effort", "B", "It is simpler."),
    ]
    .into_iter()
    .map(|(who, what, text)| Reason { seat: seat(who), option: Some(option(what)), stand: None, text: text.to_owned() })
    .collect();
    verdict.ruling.dissents =
        vec![Dissent { seat: seat("effort"), option: Some(option("B")), text: "It is simpler.".to_owned() }];
    verdict.assessment.robustness = Some(Robustness {
        winner: Some(option("A")),
        without: vec![
            Without { seat: seat("risk"), winner: None, holds: false, is_quorate: true },
            Without { seat: seat("value"), winner: None, holds: false, is_quorate: true },
            Without { seat: seat("effort"), winner: Some(option("A")), holds: true, is_quorate: true },
        ],
        rules: vec![
            RuleCount { rule: CountingRule::Plurality, top: vec![option("A")] },
            RuleCount { rule: CountingRule::ConfidenceWeighted, top: vec![option("B")] },
        ],
        as_cast: Some(option("A")),
    });
    verdict.assessment.grounding = vec![
        Grounding {
            seat: seat("risk"),
            quotes: vec![
                quote("risk", "Redis is run by us", Some(1)),
                quote("risk", "nobody ever ran Memcached here", None),
            ],
        },
        Grounding { seat: seat("value"), quotes: Vec::new() },
    ];
    verdict.assessment.course.stands = vec![
        stand("risk", OPENING, 1, 0, "A", "A"),
        stand("value", OPENING, 1, 0, "C", "C"),
        stand("effort", OPENING, 1, 0, "B", "B"),
        stand("risk", CHALLENGE, 2, 1, "A", "A"),
        earned(stand("value", CHALLENGE, 2, 1, "A", "A")),
        stand("effort", CHALLENGE, 2, 1, "A", "B"),
    ];
    verdict.assessment.course.challenges = vec![
        challenge("risk", "value", 2, "Neither is not an answer: sessions are lost."),
        challenge("risk", "effort", 2, "Simple until the first restart."),
        challenge("risk", "effort", 2, "Who pages for it?"),
        challenge("value", "risk", 2, "Running it is not free."),
    ];
    verdict.assessment.course.conformity = Conformity { pressed: 2, yielded: 1, convinced: 0 };
    verdict.assessment.control = Some(Comparison {
        seat: seat("control"),
        asked: 6,
        answered: 6,
        votes: vec![(option("A"), 5), (option("B"), 1)],
        answer: Some(option("A")),
        effect: DebateWorth::AddedGrounds,
        only_in_debate: vec!["who pages for it".to_owned(), "the outage of last spring".to_owned()],
        only_in_control: vec!["licence".to_owned()],
    });
    account.served =
        [("risk", "claude-x", "anthropic"), ("value", "claude-x", "anthropic"), ("effort", "gpt-5", "openai")]
            .into_iter()
            .map(|(who, model, family)| Served {
                seat: seat(who),
                model: Some(model.to_owned()),
                family: Some(family.to_owned()),
            })
            .collect();
    for (stage, round) in [(OPENING, 1), (CHALLENGE, 2)] {
        for who in ["risk", "value", "effort"] {
            account.turns.push(turn(stage, round, who, &format!("docs/forge/sadd/debate-sessions-{who}-r{round}.md")));
        }
    }
    account
}

pub(crate) fn quote(who: &str, text: &str, line: Option<usize>) -> Quote {
    Quote {
        turn: TurnKey::new(OPENING, 1, &SeatId::from(who)),
        source: "notes.md".to_owned(),
        text: text.to_owned(),
        found: line.map(|line| FoundAt { material: "notes.md".to_owned(), line }),
    }
}

pub(crate) fn turn(stage: Stage, round: u16, who: &str, file: &str) -> TurnLine {
    TurnLine {
        key: TurnKey::new(stage, round, &SeatId::from(who)),
        file: file.to_owned(),
        digest: Digest::of(file.as_bytes()),
        agent: "openai:gpt-5".to_owned(),
        rehearsal: false,
        model_served: Some("gpt-5-2026".to_owned()),
        asked_at: "2026-01-27T10:00:00Z".to_owned(),
        answered_at: "2026-01-27T10:00:09Z".to_owned(),
        attempts: 1,
        input_tokens: Some(800),
        output_tokens: Some(300),
        cost_microdollars: None,
        cost_by: None,
        host: None,
        text: Some("words".to_owned()),
    }
}

/// A lead and three challengers, over three rounds, which end in a tradeoff.
pub(crate) fn confrontation() -> Account {
    let seats = ["lead", "architect", "operator", "adversary"];
    let mut account = account("challenge", &seats, &["Rewrite", "Keep"], Outcome::Tradeoff);
    let (answer, rebuttal) = (Stage("answer"), Stage("rebuttal"));
    let verdict = &mut account.verdict;
    verdict.ruling.rounds = 2;
    verdict.assessment.course.stands = vec![
        stand("lead", OPENING, 0, 0, "A", "A"),
        word("architect", CHALLENGE, 1, 1, "partial (moderate)"),
        word("operator", CHALLENGE, 1, 1, "disagree (strong)"),
        word("adversary", CHALLENGE, 1, 1, "agree"),
        stand("lead", answer, 1, 2, "A", "A"),
        word("architect", rebuttal, 1, 3, "ACCEPT"),
        word("operator", rebuttal, 1, 3, "MAINTAIN"),
        word("operator", rebuttal, 2, 5, "ESCALATE"),
    ];
    verdict.assessment.course.challenges = vec![
        challenge("architect", "lead", 1, "The boundary is wrong."),
        challenge("operator", "lead", 1, "Nobody can run two of them."),
        challenge("operator", "lead", 2, "Still nobody."),
    ];
    attacked(verdict).positions = vec![
        Position { version: 1, round: 0, text: "Rewrite it.".to_owned(), because: Vec::new() },
        Position {
            version: 2,
            round: 1,
            text: "Rewrite the hot path only, behind a switch.".to_owned(),
            because: vec![Cause { seat: Some(SeatId::from("architect")), text: "the boundary".to_owned() }],
        },
    ];
    attacked(verdict).assumptions = vec![Assumption {
        seat: SeatId::from("operator"),
        why: "two systems".to_owned(),
        what_would_change: "a third operator".to_owned(),
        assumption: "the team does not grow".to_owned(),
    }];
    account
}

/// A gate that its synthesizer's file does not pass.
pub(crate) fn gate() -> Account {
    let seats = ["advocate", "skeptic", "operator", "synthesizer"];
    let mut account = account("gate", &seats, &["Build", "Buy", "Wait"], Outcome::Blocked);
    account.verdict.ruling.findings = vec![
        Finding::blocks(
            "synthesis.md",
            Some(12),
            fact!("kill_switch", "names no kill-switch criterion with a threshold"),
        ),
        Finding::warns("skeptic.md", None, fact!("form", "no risk table")),
    ];
    account.verdict.ruling.missing = vec![MissedTurn {
        key: TurnKey::new(Stage("case"), 0, &SeatId::from("operator")),
        kind: AbsenceKind::TimedOut,
        detail: "no answer in 120 seconds".to_owned(),
    }];
    account
}

/// A panel of many seats and rounds, with long names, moves of both kinds and everybody challenging somebody.
pub(crate) fn panel(seats: usize, rounds: u16) -> Account {
    let names = [
        "ceo",
        "cto",
        "cfo",
        "coo",
        "contrarian",
        "moonshot",
        "security-architect",
        "infrastructure-and-operations-lead",
        "data",
        "ux",
        "software-architect",
        "lead-specialist",
    ];
    let names: Vec<&str> = names.into_iter().take(seats).collect();
    let options = [
        "Build it ourselves",
        "Buy the hosted service and live with what it cannot do until the next budget",
        "Wait a year",
        "Do both",
    ];
    let mut account = account("panel", &names, &options, Outcome::Decided);
    let letters = ["A", "B", "C", "D"];
    let verdict = &mut account.verdict;
    verdict.ruling.options = vec![OptionId::from("A")];
    verdict.ruling.rounds = rounds;
    let mut counted: Vec<usize> = (0..names.len()).map(|i| i * 7 % 3).collect();
    for round in 0..=rounds {
        let stage = if round == 0 { Stage("position") } else { Stage("response") };
        for (i, name) in names.iter().enumerate() {
            let turn = usize::from(round);
            let moves = round > 0 && (i + turn) % 5 == 0;
            let target = (counted[i] + 1 + i) % 3;
            let cast = if moves { target } else { counted[i] };
            let stand = if moves && i % 2 == 0 && target != counted[i] {
                counted[i] = target;
                earned(stand(name, stage, round, turn, letters[target], letters[target]))
            } else {
                stand(name, stage, round, turn, letters[cast], letters[counted[i]])
            };
            verdict.assessment.course.stands.push(stand);
            if round > 0 && i != 3 {
                let to = names[(i + turn) % names.len()];
                if to != *name {
                    verdict.assessment.course.challenges.push(challenge(name, to, round, "This has no owner."));
                }
            }
        }
    }
    ballots(verdict).votes = names
        .iter()
        .zip(&counted)
        .map(|(name, at)| Vote {
            seat: SeatId::from(*name),
            cast: OptionId::from(letters[*at]),
            counted: OptionId::from(letters[*at]),
        })
        .collect();
    verdict.ruling.abstentions = vec![Abstention {
        seat: SeatId::from("cfo"),
        option: Some(OptionId::from("B")),
        why: fact!("ungrounded", "it quotes nothing of the supplied files"),
    }];
    account
}

/// Whatever a plan says or leaves out, the texts tell; what it says tells only whose they are.
#[test]
fn texts_that_are_not_forges_own_are_found_by_holding_them_against_forges() {
    use forge_artifacts::formats::plan::{self, Replaced};
    use forge_debate::plan::SeatId;
    use forge_debate::protocols::Protocols;
    use forge_debate::texts::Texts;
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/golden");
    let read = |path: &str| {
        plan::read(&std::fs::read_to_string(format!("{golden}/{path}")).unwrap(), Protocols::default()).unwrap()
    };
    let project = |name: &str| Replaced::Project(name.to_owned());

    let mut judges = read(
        "judges-consensus-round-1/expected/docs/forge/sadd/debate-redis-or-memcached-for-the-session-cache-plan.md",
    );
    let mut texts = Texts::embedded();
    for seat in &judges.plan.seats {
        texts.replace(format!("seats/{}", seat.id), Texts::embedded().role(&judges.plan, seat));
    }
    judges.own_roles = vec![(SeatId::from("risk"), "risk".to_owned())];
    assert_eq!(judges.replaced(&texts), [], "a plan that claims it, with forge's own texts");
    judges.own_roles.clear();
    texts.replace("seats/risk", "Agree with all.");
    texts.replace("prompts/judges/opening", "Say yes.");
    let same = Texts::embedded().get("prompts/judges/challenge").unwrap().to_owned();
    texts.replace("prompts/judges/challenge", same);
    let found = [Replaced::Trail("roles/risk".to_owned()), project("prompts/judges/opening")];
    assert_eq!(judges.replaced(&texts), found, "a plan that leaves it out");
    // Two seats of one role that are no neighbours.
    judges.own_roles = judges.plan.seats.iter().map(|seat| (seat.id.clone(), seat.role.clone())).collect();
    for (seat, role) in judges.plan.seats.iter_mut().zip(["risk", "value", "risk"]) {
        seat.role = role.to_owned();
        texts.replace(format!("seats/{}", seat.id), "Agree with all.");
    }
    assert_eq!(judges.replaced(&texts), [project("roles/risk"), project("roles/value"), found[1].clone()]);

    let mut challenge = read("challenge-fast-exit/expected/debates/001-passkeys-only-or-passwords-too/trail/plan.md");
    let mut texts = Texts::embedded();
    texts.replace("seats/architect", "You know all about boundaries.");
    assert_eq!(challenge.replaced(&texts), [Replaced::Persona(SeatId::from("architect"))]);
    challenge.own_roles = vec![(SeatId::from("architect"), "challenger-architect".to_owned())];
    assert_eq!(challenge.replaced(&texts), [project("roles/challenger-architect")]);
}
