//! What gives a speaker away is masked for its peers; ordinary words stay; the record is never touched.

use crate::voices::Voices;
use crate::world::{self, Pace, fields, run, seat};
use forge_debate::brief::{self, Brief};
use forge_debate::datum::Datum;
use forge_debate::masking::{MASK, Mask, ROLE_MASK};
use forge_debate::plan::{Duty, Hand, Naming, Plan};
use forge_debate::protocols::ALL;
use forge_debate::protocols::panel::rosters;
use forge_debate::record::Reads;
use forge_debate::texts::Texts;
use forge_debate::turn::Contribution;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};

/// A plan in which this seat sits, whichever protocol or roster has it.
fn plan_with(name: &str) -> Plan {
    let fixed = ["judges", "gate", "challenge"].map(world::plan);
    let panels = rosters().into_iter().map(|roster| world::plan_with_roster("panel", Some(roster)));
    let mut plan = fixed
        .into_iter()
        .chain(panels)
        .find(|plan| plan.seat(&seat(name)).is_some())
        .unwrap_or_else(|| panic!("no protocol has the seat {name}"));
    plan.question = "Where do we keep login sessions?".to_owned();
    plan
}

fn role_of(plan: &Plan, name: &str) -> String {
    Texts::embedded().role(plan, plan.seat(&seat(name)).unwrap())
}

fn mask(name: &str, words: &str) -> String {
    let plan = plan_with(name);
    Mask::of(&plan, &seat(name), &role_of(&plan, name)).prose(words)
}

fn table(rows: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (name, said, shown) in rows {
        let masked = mask(name, said);
        if masked != *shown || mask(name, shown) != *shown {
            wrong.push(format!("{name} says {said:?}\n   shown {masked:?}\nexpected {shown:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn introductions_are_masked() {
    table(&[
        ("risk", "As the risk judge, I hold B.", "As [masked], I hold B."),
        ("risk", "As the Risk Judge I hold B.", "As [masked] I hold B."),
        ("risk", "As risk, I hold B.", "As [masked], I hold B."),
        ("risk", "But as the risk judge, B is worst.", "But as [masked], B is worst."),
        ("risk", "As the **risk judge**, I hold B.", "As the **[masked]**, I hold B."),
        ("risk", "As the **risk** judge, I hold B.", "As the [masked], I hold B."),
        ("risk", "I am the Risk judge and I hold B.", "I am [masked] and I hold B."),
        ("risk", "I'm the risk judge.", "I'm [masked]."),
        ("risk", "I’m the risk-judge.", "I’m [masked]."),
        ("risk", "Speaking as risk, B is worst.", "Speaking as [masked], B is worst."),
        ("risk", "Speaking for risk, B is worst.", "Speaking for [masked], B is worst."),
        ("risk", "From the risk seat, B is worst.", "From [masked], B is worst."),
        ("risk", "From the risk judge's perspective, no.", "From [masked]'s perspective, no."),
        ("risk", "In my role as the risk judge I say no.", "In my role as [masked] I say no."),
        ("risk", "In my role as risk judge, no.", "In my role as [masked], no."),
        ("risk", "My role here is the risk judge.", "My role here is [masked]."),
        ("risk", "Risk judge here. B it is.", "[masked] here. B it is."),
        ("risk", "This is the risk judge. B it is.", "This is [masked]. B it is."),
        ("contrarian", "I'm the contrarian here, so no.", "I'm [masked] here, so no."),
        ("contrarian", "As contrarian I must oppose.", "As [masked] I must oppose."),
        ("contrarian", "As the contrarian, let me object.", "As [masked], let me object."),
        ("contrarian", "Contrarian here: I object.", "[masked] here: I object."),
        ("contrarian", "My job as contrarian is to object.", "My job as [masked] is to object."),
        ("adversary", "We, the adversary, would start at the door.", "We, [masked], would start at the door."),
        ("architect", "As the challenger-architect, I see a wall.", "As [masked], I see a wall."),
        ("architect", "As the architect, I see a wall.", "As [masked], I see a wall."),
        ("software-architect", "As Software Architect, I see a wall.", "As [masked], I see a wall."),
        ("software-architect", "I am the software-architect.", "I am [masked]."),
        ("ceo", "As CEO, I would stop this.", "As [masked], I would stop this."),
        ("ceo", "As CEO I would stop this.", "As [masked] I would stop this."),
        ("lead", "As the lead, I hold my position.", "As [masked], I hold my position."),
        ("moonshot", "I, the moonshot, want more.", "I, [masked], want more."),
    ]);
}

#[test]
fn signatures_are_masked() {
    table(&[
        ("risk", "B it is.\n\n— Risk", "B it is.\n\n— [masked]"),
        ("risk", "B it is.\n-- The Risk Judge\n", "B it is.\n-- [masked]\n"),
        ("risk", "B it is.\n\n*— risk*", "B it is.\n\n*— [masked]*"),
        ("risk", "B it is. — Risk", "B it is. — [masked]"),
        ("risk", "B it is.\n\n- Risk", "B it is.\n\n- [masked]"),
        ("risk", "- B it is.\n— Risk", "- B it is.\n— [masked]"),
        ("risk", "B it is.\n\nSigned, risk", "B it is.\n\nSigned, [masked]"),
        ("risk", "B it is.\n\nSigned by the risk judge.", "B it is.\n\nSigned by [masked]."),
        ("risk", "B it is.\n\nBest regards,\nRisk", "B it is.\n\nBest regards,\n[masked]"),
        ("risk", "Risk (judge)\n\nB it is.", "[masked]\n\nB it is."),
        ("risk", "**Risk:** B it is.", "**[masked]:** B it is."),
        ("risk", "Risk: B it is.", "[masked]: B it is."),
        ("risk", "Hello.\n\nRisk:\n\nB it is.", "Hello.\n\n[masked]:\n\nB it is."),
        ("risk", "**Risk**\n\nB it is.", "**[masked]**\n\nB it is."),
        ("risk", "# Risk Judge's assessment\n\nB.", "# [masked]'s assessment\n\nB."),
        ("risk", "## Assessment by the risk judge\n\nB.", "## Assessment by [masked]\n\nB."),
        ("risk", "# Risk\n\n## Reasons\n\nB.", "# [masked]\n\n## Reasons\n\nB."),
        ("risk", "Seat: risk\n\nB it is.", "Seat: [masked]\n\nB it is."),
        ("risk", "**Role:** Risk judge\n\nB it is.", "**Role:** [masked]\n\nB it is."),
        ("risk", "B it is.\n\nRisk", "B it is.\n\n[masked]"),
        ("risk", "B it is.\r\n\r\n— Risk\r\n", "B it is.\r\n\r\n— [masked]\r\n"),
        ("contrarian", "## The Contrarian's view\n\nNo.", "## [masked]'s view\n\nNo."),
        ("software-architect", "No.\n\n— Software Architect", "No.\n\n— [masked]"),
        ("cfo", "CFO: too dear.", "[masked]: too dear."),
    ]);
}

#[test]
fn models_and_vendors_are_masked_where_the_speaker_says_it_is_one() {
    table(&[
        ("risk", "I am Claude, and I hold B.", "I am [masked], and I hold B."),
        ("risk", "I'm ChatGPT.", "I'm [masked]."),
        ("risk", "I am Anthropic's Claude Opus 4.1.", "I am [masked]."),
        ("risk", "I am Claude, made by Anthropic.", "I am [masked], made by [masked]."),
        ("risk", "As an AI developed by Anthropic, I hold B.", "As an AI developed by [masked], I hold B."),
        ("risk", "As a large language model trained by OpenAI, I", "As a large language model trained by [masked], I"),
        ("risk", "I am a language model created by Google DeepMind.", "I am a language model created by [masked]."),
        ("risk", "I am an OpenAI model.", "I am an [masked] model."),
        ("risk", "As GPT-5, I hold B.", "As [masked], I hold B."),
        ("risk", "As Gemini 2.5 Pro, I hold B.", "As [masked], I hold B."),
        ("risk", "B it is.\n\n(Gemini)", "B it is.\n\n([masked])"),
        ("risk", "B it is.\n\n— Claude", "B it is.\n\n— [masked]"),
        ("risk", "My training by OpenAI tells me B.", "My training by [masked] tells me B."),
        ("risk", "I was trained by Anthropic to say B.", "I was trained by [masked] to say B."),
        ("risk", "Anthropic trained me well.", "[masked] trained me well."),
        ("risk", "Claude here. B it is.", "[masked] here. B it is."),
        ("risk", "I am Phi-4, a model by Microsoft.", "I am [masked], a model by [masked]."),
        ("risk", "I am Command R.", "I am [masked]."),
        ("risk", "I am Nova.", "I am [masked]."),
        ("risk", "I am Nova, a model made by Amazon.", "I am [masked], a model made by [masked]."),
        ("risk", "I'm Granite 3.", "I'm [masked]."),
        ("risk", "I am Yi-34B", "I am [masked]"),
        ("risk", "This is MiniMax-M2 speaking.", "This is [masked] speaking."),
        ("risk", "This is Titan speaking.", "This is [masked] speaking."),
        ("risk", "My name is Ernie, and I hold B.", "My name is [masked], and I hold B."),
        ("risk", "As Command R, I hold B.", "As [masked], I hold B."),
        ("risk", "I am Amazon's Nova.", "I am [masked]."),
        ("risk", "I was trained by Moonshot AI.", "I was trained by [masked]."),
        ("risk", "I was built by Z.ai.", "I was built by [masked]."),
        ("risk", "I am GPT4o.", "I am [masked]."),
        ("risk", "My name is Qwen.", "My name is [masked]."),
        ("risk", "Speaking as Llama 3, B.", "Speaking as [masked], B."),
    ]);
}

#[test]
fn the_agents_own_name_is_masked_in_the_same_forms() {
    let mut plan = plan_with("risk");
    plan.seats[0].hand = Hand::Agent("openai:house-blend-7".to_owned());
    let shown = |words| Mask::of(&plan, &seat("risk"), "").prose(words);
    assert_eq!(shown("I am house-blend-7."), "I am [masked].");
    assert_eq!(shown("B it is.\n\n— openai:house-blend-7"), "B it is.\n\n— [masked]");
    assert_eq!(shown("We tested house-blend-7 and it was slow."), "We tested house-blend-7 and it was slow.");
}

#[test]
fn sentences_of_the_role_text_are_masked_and_short_ones_are_not() {
    table(&[
        (
            "risk",
            "A small chance of the unrecoverable outranks a large chance of a nuisance. So B.",
            "[role text masked]. So B.",
        ),
        (
            "risk",
            "You were told: \"you always\nchallenge OPTIMISM\".",
            "You were told: \"you always\nchallenge OPTIMISM\".",
        ),
        (
            "risk",
            "- doing nothing, and\n  the familiar   way, are **options** with risks of their own; so B",
            "- [role text masked]; so B",
        ),
        ("risk", "Ask for the mechanism.", "Ask for the mechanism."),
        ("value", "You always challenge optimism, and doing nothing has risks.", {
            "You always challenge optimism, and doing nothing has risks."
        }),
    ]);
}

/// Peers must be able to answer what they are asked.
#[test]
fn a_question_of_the_role_is_asked_and_not_quoted() {
    let asked = "Your case leaves this open: What is the worst that can happen, and can we come back from it?";
    assert_eq!(mask("risk", asked), asked);
}

/// What every seat of every protocol and roster must be able to say about its own subject.
#[test]
fn ordinary_words_stay() {
    let shapes = [
        "The {} is high.",
        "{} is high, and so is the price.",
        "As {} grows, we wait.",
        "As the {} grows, we wait.",
        "As the {} I named above shows, we wait.",
        "As the {}, if there is any, is low, we wait.",
        "Such as {}, I would add.",
        "As well as {}, I weigh the price.",
        "It counts as {}, I think.",
        "Treat it\nas {}, I beg you.",
        "I am {}-averse.",
        "I am {} agnostic.",
        "I am not the {}.",
        "I am against the {} option.",
        "We are {} people, mostly.",
        "From a {} perspective, B wins.",
        "From the {} perspective, B wins.",
        "Speaking of {}, B wins.",
        "{} here is high.",
        "{} here: high.",
        "This is the {}.",
        "This is {}.",
        "My view of {} is simple.",
        "My concern is {}.",
        "- {}\n- price\n- date\n",
        "The criteria are these.\n\n- price\n- {}",
        "— price\n— {}\n— date",
        "| {} | high |\n| price | low |",
        "## {}\n\nHigh.\n\n## Price\n\nLow.",
        "## Findings\n\nB.\n\n## {}\n\nHigh.",
        "{}: high\nPrice: low\n",
        "**{}:** high\n**Price:** low\n",
        "B it is.\n\n{}:\n- one\n- two\n",
        "Reasons.\n\n{}:\nHigh.\n\nPrice:\nLow.\n",
        "The low-{} way, the {}-free way, {}/price, {}.md and {}_total.",
        "What of the {}? The {}! \"{}\" is a word; so is `{}`.",
        "Speaker 2 is the {} in this story.",
        "Ask the {}: they know.",
        "B (the {}) beats A.",
    ];
    let mut wrong = Vec::new();
    for name in every_seat() {
        let word = name.replace('-', " ");
        for said in shapes.iter().flat_map(|shape| [shape.replace("{}", &word), shape.replace("{}", &name)]) {
            let shown = mask(&name, &said);
            if shown != said {
                wrong.push(format!("{name} says {said:?}\n   shown {shown:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn particular_innocents_stay() {
    let innocents = [
        ("risk", "The risk is high. Risk-averse people choose B. I am risk averse. Risk appetite matters."),
        ("risk", "## Risk Analysis\n\n| Risk | Probability |\n|---|---|\n| loss | low |"),
        ("risk", "Risk: high. Effort: low.\nEffort: see above."),
        ("value", "As value accrues, I expect more. The value I see is small. My value judgement stands."),
        ("value", "I value speed. Value for money is what we owe."),
        ("effort", "As effort goes, I have seen worse. The effort here is two weeks."),
        ("effort", "My estimate of effort: two weeks."),
        ("lead", "As lead times grow, I worry. The lead engineer owns it. Leads come from sales. I lead a team."),
        ("lead", "We lead with B. I am in the lead."),
        (
            "operator",
            "As the operator restarts the node, writes are lost. From the operator's perspective, B is simpler.",
        ),
        ("operator", "As the operator I talked to said, it pages at night."),
        ("advocate", "I advocate B. As advocates of B say, it is simple."),
        ("skeptic", "Skeptics will object. I am skeptical. I am a skeptic of nothing."),
        ("contrarian", "A contrarian view: nothing is broken. It would be contrarian to wait."),
        ("moonshot", "## Moonshot\n\nSessions everywhere.\n\n## Stepping Stone\n\nOne region."),
        ("architect", "The architect who built it left. As the architect left, we lost the map."),
        ("adversary", "An adversary reads the log. As the adversary gets in, I see two doors."),
        ("ceo", "The CEO must sign. As the CEO said, we wait."),
        ("risk", "Command: run it twice. Granite is heavy. As a seed system, B will do."),
        ("risk", "I am command-line minded. As a moonshot system, C is too dear. This is nova country."),
        ("risk", "As the command fails, I stop.\n\nGranite"),
        ("risk", "Claude is cheaper than GPT-5. As Claude, unlike GPT-5, has a limit, we wait."),
        ("risk", "Anthropic made Claude; OpenAI made GPT. Gemini here is the fastest."),
        ("risk", "I am Claude-sceptical. I'm GPT agnostic. As an AI, I think code from OpenAI is fine."),
        ("risk", "My training budget is two weeks. I was told by Google support to wait."),
        ("risk", "I choose B (Gemini)."),
        ("risk", "S1.a2 convinced me; see S2.a1."),
    ];
    for (name, said) in innocents {
        assert_eq!(mask(name, said), said, "{name}");
    }
    let mut plan = plan_with("risk");
    plan.question = "Claude or Gemini for the assistant?".to_owned();
    for said in ["Claude: the better one.", "My answer is short.\n\nClaude", "# Claude\n\nIt is better."] {
        assert_eq!(Mask::of(&plan, &seat("risk"), "").prose(said), said, "what is debated is no signature");
    }
}

#[test]
fn names_of_others_are_not_the_speakers_own() {
    for said in ["As the risk judge says, wait.", "— Risk", "I am the contrarian", "Risk: high"] {
        assert_eq!(mask("value", said), said);
    }
}

fn every_seat() -> Vec<String> {
    let mut names: Vec<String> = ALL
        .iter()
        .flat_map(|rules| world::plan(rules.name()).seats)
        .chain(rosters().into_iter().flat_map(|roster| world::plan_with_roster("panel", Some(roster)).seats))
        .filter(|seat| matches!(seat.duty, Duty::Debater | Duty::Lead))
        .map(|seat| seat.id.to_string())
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn ballots_are_masked_value_by_value_and_keep_their_ids() {
    let plan = plan_with("risk");
    let role = role_of(&plan, "risk");
    let mask = Mask::of(&plan, &seat("risk"), &role);
    let ballot = fields! {
        "option": "A",
        "seat": "risk",
        "judge": "The Risk Judge",
        "reason": "As the risk judge, I fear the \"worst\".\n— Risk",
        "arguments": [fields! { "id": "a1", "text": "Risk: data loss on failover" }],
        "challenges": [fields! { "to": "S1", "text": "Speaking as risk, no." }],
        "convinced_by": ["S1.a2"],
        "converge": true,
        "notes": ["I am Claude.", "The risk is high."],
    };
    let shown = mask.ballot(&ballot);
    let expected = fields! {
        "option": "A",
        "seat": MASK,
        "judge": MASK,
        "reason": "As [masked], I fear the \"worst\".\n— [masked]",
        "arguments": [fields! { "id": "a1", "text": "Risk: data loss on failover" }],
        "challenges": [fields! { "to": "S1", "text": "Speaking as [masked], no." }],
        "convinced_by": ["S1.a2"],
        "converge": true,
        "notes": ["I am [masked].", "The risk is high."],
    };
    assert_eq!(shown, expected);
    assert_eq!(mask.ballot(&shown), shown);
}

/// Signs every speech in its text and in its ballot, and quotes its role.
fn signing(plan: &Plan, texts: &Texts, key: &forge_debate::turn::TurnKey, said: Contribution) -> Contribution {
    let Contribution::Speech(mut speech) = said else { return said };
    let sitting = plan.seat(&key.seat).unwrap();
    let creed = creed(&texts.role(plan, sitting));
    speech.text = format!("As the {0} seat, I speak. {creed}\n\n{1}\n— {0}\n", key.seat, speech.text);
    speech.ballot.set("aside", Datum::from(format!("Speaking as the {} seat, I am Claude.", key.seat)));
    Contribution::Speech(speech)
}

/// A sentence of a role text that is long enough to be its own.
fn creed(role: &str) -> String {
    let sentences = role.lines().filter(|line| line.starts_with("You ")).flat_map(|line| line.split_inclusive(". "));
    let long = sentences.map(str::trim).find(|sentence| sentence.split(' ').count() > 8 && sentence.ends_with('.'));
    long.unwrap_or_else(|| panic!("a role text without a long sentence:\n{role}")).to_owned()
}

/// Every brief of a debate in which everybody signs, with what its ask may read.
fn briefs(protocol: &str, naming: Naming) -> Vec<(Plan, forge_debate::record::Ask, Brief, world::Turns)> {
    let texts = Texts::embedded();
    let mut plan = world::plan(protocol);
    plan.naming = naming;
    plan.limits.rounds = plan.limits.rounds.min(3);
    let voices = Voices { seed: 3, absent_percent: 0, sloppy_percent: 0 };
    let mut all = Vec::new();
    run(&plan, Pace::Waves, |ask, turns| {
        let brief = brief::render(&plan, ask, turns, &texts).unwrap();
        all.push((plan.clone(), ask.clone(), brief, turns.clone()));
        signing(&plan, &texts, &ask.key, voices.answer(&plan, ask))
    });
    all
}

#[test]
fn peers_see_no_signature_and_everybody_else_sees_them_all() {
    let texts = Texts::embedded();
    let mut masked_briefs = 0;
    for protocol in ["judges", "gate", "panel", "challenge"] {
        for naming in [Naming::Anonymous, Naming::Named] {
            for (plan, ask, brief, turns) in briefs(protocol, naming) {
                let hidden = naming == Naming::Anonymous && matches!(ask.reads, Reads::Peers { .. });
                let others = ask.reads.keys().into_iter().filter(|key| key.seat != ask.key.seat);
                let spoken = others.filter(|key| turns[*key].speech().is_some()).count();
                assert_eq!(brief.peers.iter().filter(|peer| peer.prefix != ask.key.seat.as_str()).count(), spoken);
                for key in ask.reads.keys().into_iter().filter(|key| key.seat != ask.key.seat) {
                    let role = texts.role(&plan, plan.seat(&key.seat).unwrap());
                    let (creed, name) = (creed(&role), &key.seat);
                    let shown = format!("{}{:?}", brief.task, brief.peers);
                    for leak in
                        [format!("As the {name} seat"), format!("— {name}"), format!("as the {name} seat"), creed]
                    {
                        assert_eq!(!shown.contains(&leak), hidden, "{protocol} {naming:?} {}: {leak}", ask.key);
                    }
                    // The reader sees its own words as they are.
                    assert_eq!(format!("{:?}", brief.peers).contains("I am Claude"), !hidden, "{protocol} {}", ask.key);
                    assert_eq!(shown.contains(MASK) && shown.contains(ROLE_MASK), hidden);
                    masked_briefs += usize::from(hidden);
                    let recorded = turns[key].speech().unwrap();
                    assert!(recorded.text.contains(&format!("As the {name} seat")), "the record keeps every word");
                }
            }
        }
    }
    assert!(masked_briefs > 10, "{masked_briefs}");
}

#[test]
fn what_peers_argue_can_still_be_cited() {
    let mut seen = 0;
    for protocol in ["judges", "panel", "challenge"] {
        for (plan, ask, brief, turns) in briefs(protocol, Naming::Anonymous) {
            let Reads::Peers { others, .. } = &ask.reads else { continue };
            let speakers = forge_debate::anonymity::Speakers::of(&plan, &ask.key.seat);
            for peer in &brief.peers {
                let speaker = speakers.seat(&peer.prefix).unwrap();
                let ids = |arguments: Vec<forge_debate::turn::Argument>| {
                    arguments.into_iter().map(|argument| argument.id).collect::<Vec<_>>()
                };
                let recorded: Vec<Vec<String>> = others
                    .iter()
                    .filter(|key| key.seat == *speaker)
                    .map(|key| ids(turns[key].speech().unwrap().arguments()))
                    .collect();
                assert!(recorded.contains(&ids(peer.arguments.clone())));
                seen += peer.arguments.len();
            }
        }
    }
    assert!(seen > 10);
}

/// Texts made of what the rules look for, in any order.
fn scraps() -> impl Strategy<Value = String> {
    let scrap = prop_oneof![
        3 => prop::sample::select(vec![
            "As", "the", "risk", "Risk", "judge", "seat", "I", "am", "I'm", "Claude", "GPT-5", "by", "Anthropic", "my", "role",
            "here", "speaking", "for", "Signed", "this", "is", "we", "masked", "[masked]", "AI", "an", "made", "(", ")", "trained",
            "Doing nothing, and the familiar way, are options with risks of their own.",
        ]).prop_map(str::to_owned),
        3 => prop::sample::select(vec![
            " ", ", ", ". ", ": ", "\n", "\n\n", "— ", "-- ", "- ", "# ", "**", "*", "'s ", "-", "> ", "| ", "\r\n", "[", "]", "`", "“",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(scrap, 0..40).prop_map(|scraps| scraps.concat())
}

fn in_random_texts(cases: u32, check: impl Fn(&str)) {
    let config =
        ProptestConfig { cases, failure_persistence: None, rng_seed: RngSeed::Fixed(5), ..ProptestConfig::default() };
    let outcome = TestRunner::new(config).run(&scraps(), |text| {
        check(&text);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

#[test]
fn masking_twice_is_masking_once_whatever_the_text() {
    let plan = plan_with("risk");
    let role = role_of(&plan, "risk");
    let mask = Mask::of(&plan, &seat("risk"), &role);
    in_random_texts(400, |text| {
        let once = mask.prose(text);
        assert_eq!(mask.prose(&once), once);
        let ballot = mask.ballot(&fields! { "reason": text, "by": text });
        assert_eq!(mask.ballot(&ballot), ballot);
    });
}

#[test]
fn a_text_without_any_of_the_names_comes_back_byte_for_byte() {
    let mut plan = plan_with("risk");
    plan.seats[0].id = seat("zyzzyva");
    plan.seats[0].role = "zyzzyva".to_owned();
    let mask = Mask::of(&plan, &seat("zyzzyva"), "# Zyzzyva\n\nA sentence of the role text that nobody ever says.");
    in_random_texts(400, |text| {
        if !["laude", "gpt", "anthropic"].iter().any(|name| text.to_lowercase().contains(name)) {
            assert_eq!(mask.prose(text), text);
        }
    });
}

#[test]
fn a_seat_may_be_called_anything() {
    for name in ["masked", "role-text-masked", "i", "the", "as", "a.b-c_d", "here", "x", "claude"] {
        let mut plan = plan_with("risk");
        plan.seats[0].id = seat(name);
        let mask = Mask::of(&plan, &seat(name), &format!("# {name}\n"));
        in_random_texts(60, |text| {
            let once = mask.prose(text);
            assert_eq!(mask.prose(&once), once, "{name}");
        });
        assert_eq!(mask.prose(&format!("B.\n\n— {name}")), "B.\n\n— [masked]", "{name}");
    }
}

/// Texts made to cost much. A turn may have half a megabyte; a tenth of it shows the same.
#[test]
fn hostile_texts_are_masked_to_their_end() {
    let plan = plan_with("risk");
    let role = role_of(&plan, "risk");
    let mask = Mask::of(&plan, &seat("risk"), &role);
    for scrap in
        ["Risk:\n", "As the risk ", "— Risk\n\nB.\n\n", "What is the worst that can ", "I am ", "[masked] ", "# Risk\n"]
    {
        let text = scrap.repeat(50_000 / scrap.len());
        let once = mask.prose(&text);
        assert_eq!(mask.prose(&once), once, "{scrap:?}");
    }
}
