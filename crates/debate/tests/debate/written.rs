//! Judges' files as people and other tools write them.

use crate::ballots::draft;
use crate::world::{self, fields, option, rules, seat};
use forge_debate::datum::Datum;
use forge_debate::form::{Need, Writer};
use forge_debate::plan::Plan;
use forge_debate::reading::Reading;
use forge_debate::record::{Ask, Record};
use forge_debate::turn::{Contribution, Turn};
use forge_debate::verdict::Outcome;
use forge_debate::voting::Merit;
use std::collections::BTreeMap;

type Turns = BTreeMap<forge_debate::turn::TurnKey, Turn>;

/// Options A Redis, B Memcached, C Postgres table.
fn plan() -> Plan {
    world::plan("judges")
}

fn asks(plan: &Plan, turns: &Turns) -> Vec<Ask> {
    forge_debate::conclude(rules(plan), plan, &mut Record::new(turns))
        .map_or_else(|pending| pending.asks, |_| Vec::new())
}

fn read(plan: &Plan, ask: &Ask, text: &str) -> Reading {
    ask.form.read(plan, &ask.key.seat, &draft(text, None), Writer::Outside)
}

fn ask_of(plan: &Plan, turns: &Turns, judge: &str) -> Ask {
    asks(plan, turns).into_iter().find(|ask| ask.key.seat == seat(judge)).unwrap()
}

fn opening(option: &str, why: &str) -> String {
    format!(
        "## My Recommendation\n\n**Chosen Option:** Option {option}\n**Confidence:** HIGH\n\n## Why My Choice Minimizes Risk\n\n{why}\n"
    )
}

/// risk A, value B, effort C.
fn after_round_1(plan: &Plan) -> Turns {
    let mut turns = Turns::new();
    for (judge, option, why) in [
        ("risk", "A", "A restart of the cache must not log everybody out."),
        ("value", "B", "Logins become twice as fast for every visitor."),
        ("effort", "C", "The ROI analysis: the table exists already, so it takes two days."),
    ] {
        // All of a wave are asked at once; each is added on its own.
        let first = asks(plan, &Turns::new()).into_iter().find(|ask| ask.key.seat == seat(judge)).unwrap();
        let speech = read(plan, &first, &opening(option, why)).speech.unwrap();
        turns.insert(first.key.clone(), Turn { key: first.key, contribution: Contribution::Speech(speech).into() });
    }
    turns
}

/// The vote of value's second file, or what is required of it.
fn second(text: &str) -> Result<String, String> {
    let plan = plan();
    let ask = ask_of(&plan, &after_round_1(&plan), "value");
    assert_eq!((ask.key.round, ask.key.stage.0), (2, "challenge"));
    let reading = read(&plan, &ask, text);
    match reading.speech {
        Some(speech) => Ok(speech.ballot.text("option").to_owned()),
        None => Err(reading.required().join("\n")),
    }
}

fn first(text: &str) -> Result<(String, String, String), String> {
    let plan = plan();
    let ask = ask_of(&plan, &Turns::new(), "risk");
    let reading = read(&plan, &ask, text);
    match reading.speech {
        Some(speech) => {
            let said = |name: &str| speech.ballot.text(name).to_owned();
            Ok((said("option"), said("confidence"), said("reason")))
        }
        None => Err(reading.required().join("\n")),
    }
}

/// An empty field of the ballot is no vote, and hides none that the text has.
#[test]
fn a_ballot_that_leaves_the_option_open_votes_for_nothing() {
    let plan = plan();
    let ask = ask_of(&plan, &Turns::new(), "risk");
    for open in [Datum::Null, Datum::from(""), Datum::from(" ")] {
        let ballot =
            fields! { "option": open.clone(), "confidence": "HIGH", "reason": "A restart must not log everybody out." };
        let reading = ask.form.read(
            &plan,
            &ask.key.seat,
            &draft("## Assessment\n\nNone of them.", Some(ballot)),
            Writer::Outside,
        );
        assert_eq!(reading.speech, None, "{open}");
        assert!(reading.required().join("\n").contains("no recommendation"), "{open}: {:?}", reading.required());
    }
}

const WHY: &str = "**Reason:** A restart must not log everybody out.";

#[test]
fn a_recommendation_in_many_spellings() {
    for text in [
        "**Chosen Option:** Option B (Memcached)",
        "**Chosen Option:** Option B (the fast one)",
        "**Chosen Option:** B",
        "**Chosen Option**: B - Memcached",
        "**Recommendation:** Option B",
        "**Recommendation: Option B**",
        "Recommendation: Option B",
        "- **Recommended Option:** Memcached",
        "**Final Recommendation:** Memcached (Option B)",
        "**Chosen Option:** Option B, because it is fast",
        "**Chosen Option:**\nOption B",
        "## My Recommendation\n\nOption B (Memcached)\n",
        "## Recommendation: Option B",
        "## My Recommendation\n\n**Option B**\n",
        "**Vote:** `B`",
    ] {
        assert_eq!(first(&format!("{text}\n\n{WHY}\n")).map(|read| read.0), Ok("B".to_owned()), "{text}");
    }
}

#[test]
fn what_is_left_open_or_doubtful_counts_for_nothing_and_the_line_is_shown() {
    for (text, said) in [
        ("", "no recommendation: write `**Chosen Option:** Option <A, B or C>`"),
        ("**Chosen Option:** {Option X} ({short name})", "no recommendation"),
        ("**Chosen Option:** Option {X}", "no recommendation"),
        ("**Chosen Option:** [A/B/C]", "no recommendation"),
        ("> **Chosen Option:** Option B", "no recommendation"),
        ("```\n**Chosen Option:** Option B\n```", "no recommendation"),
        ("~~**Chosen Option:** Option B~~", "no recommendation"),
        ("I recommend option B.", "no recommendation"),
        ("**Chosen Option:** Option Z", "line 1: \"Option Z\" is none of the options: write"),
        ("**Chosen Option:** Option A or Option B", "line 1"),
        ("**Chosen Option:** not Option B", "write `**Chosen Option:**"),
        (
            "**Chosen Option:** Option A\n\n**Recommendation:** Option B",
            "line 3: this says B, and an earlier line says A",
        ),
        ("## Response to Other Judges\n\n**Recommendation:** Option B", "no recommendation"),
        ("## Value Judge\n\n**Recommendation:** Option B", "no recommendation"),
        ("## Risk Analysis Per Option\n\n### Option B: Memcached\n\n**Recommendation:** Option B", "no recommendation"),
    ] {
        let read = first(&format!("{text}\n\n{WHY}\n"));
        assert!(read.as_ref().is_err_and(|missing| missing.contains(said)), "{text}: {read:?}");
    }
}

#[test]
fn a_reason_is_a_line_or_a_section_of_its_own() {
    let chosen = "**Chosen Option:** Option B";
    for (text, said) in [
        ("**Reason:** Twice as fast\nfor every visitor.", "Twice as fast for every visitor."),
        ("**Rationale:**\n\nTwice as fast for every visitor.", "Twice as fast for every visitor."),
        ("## Why My Choice Maximizes Value\n\nTwice as fast for every visitor.", "Twice as fast for every visitor."),
        (
            "## Why My Choice Optimizes ROI\n\nReasons:\n\n- two days of work\n- no new server to run",
            "two days of work no new server to run",
        ),
        ("## Rationale\n\nTwice as fast for every visitor.", "Twice as fast for every visitor."),
        ("Twice as fast for every visitor.\n**Confidence:** LOW", ""),
    ] {
        let said = if said.is_empty() { None } else { Some(said) };
        let read = first(&format!("{chosen}\n\n{text}\n"));
        match said {
            Some(said) => assert_eq!(read.map(|read| read.2), Ok(said.to_owned()), "{text}"),
            None => {
                assert!(read.is_err_and(|missing| missing.contains("no reason: write `**Reason:** ...`")), "{text}")
            }
        }
    }
    let beside = "# Risk\n\n**Recommendation:** Option A\nOffline sync breaks after weeks of real usage.";
    assert_eq!(first(beside).unwrap().2, "Offline sync breaks after weeks of real usage.");
    let behind = "**Recommendation:** Option A - sessions survive every restart of the cache";
    assert_eq!(first(behind).unwrap().2, "sessions survive every restart of the cache");
    for blank in
        ["**Reason:** {why}", "**Reason:** TBD", "**Reason:** Option B", "## Why My Choice\n\n{Explain}", "**Reason:**"]
    {
        assert!(first(&format!("{chosen}\n\n{blank}\n")).is_err(), "{blank}");
    }
}

// seed: S3-20
#[test]
fn confidence_is_the_first_word_of_its_line_and_may_be_missing() {
    for (line, word) in [
        ("**Confidence:** HIGH", "HIGH"),
        ("**Confidence:** high (8/10)", "HIGH"),
        ("**Confidence Level:** MEDIUM - the survey is old", "MEDIUM"),
        ("**Confidence:** LOW, since nobody measured", "LOW"),
        ("**Confidence:** Med.", "MEDIUM"),
        ("**Confidence:** HIGH | MEDIUM | LOW", ""),
        ("**Confidence:** {HIGH}", ""),
        ("**Confidence:** fairly sure", ""),
        ("", ""),
    ] {
        assert_eq!(first(&format!("**Chosen Option:** B\n{line}\n\n{WHY}\n")).unwrap().1, word, "{line}");
    }
}

#[test]
fn all_that_is_missing_is_named_what_blocks_apart_from_what_is_noted() {
    let plan = plan();
    let reading = read(&plan, &ask_of(&plan, &Turns::new(), "risk"), "# Risk Judge Evaluation\n\nStill thinking.\n");
    let (required, noted) = (reading.required().join("\n"), reading.noted().join("\n"));
    assert!(required.contains("no recommendation") && required.contains("no reason"), "{required}");
    assert!(!required.contains("confidence") && !required.contains("What Can Go Wrong"), "{required}");
    assert!(noted.contains("no confidence") && noted.contains("What Can Go Wrong"), "{noted}");
}

#[test]
fn a_second_file_is_told_the_lines_that_it_owes() {
    let plan = plan();
    let ask = ask_of(&plan, &after_round_1(&plan), "value");
    let noted = |text: &str| read(&plan, &ask, text).noted().join("\n");
    let owing = noted("**Chosen Option:** C\n**Reason:** Two days of work instead of a month of it.\n");
    assert!(owing.contains("write `**To the ... Judge:** ...` below `## Challenges`"), "{owing}");
    assert!(owing.contains("write `**What Convinced Me:** ...`"), "{owing}");
    let paid = noted(
        "**Chosen Option:** C\n**Reason:** Two days of work instead of a month of it.\n**What Convinced Me:** the effort judge's two days\n\n## Challenges\n\nRisk Judge: restarts happen once a year.\n",
    );
    assert!(!paid.contains("To the") && !paid.contains("What Convinced Me"), "{paid}");
}

#[test]
fn prose_and_labels_never_vote_for_an_agent() {
    let plan = plan();
    let ask = ask_of(&plan, &Turns::new(), "risk");
    let text = opening("B", "Logins become twice as fast.");
    let reading = ask.form.read(&plan, &ask.key.seat, &draft(&text, None), Writer::Agent);
    assert!(
        reading.speech.is_none() && reading.required().join("").contains("there is no ballot"),
        "{:?}",
        reading.defects
    );
}

/// A second file: the form kept from round 1 for B, with these boxes and these lines below them.
fn form(boxes: &str, below: &str) -> String {
    format!(
        "{}\n## For Debate Round 2 (if applicable)\n\n### Did I Change My Mind?\n\n{boxes}\n\nIf changed:\n{below}\n",
        opening("B", "Logins become twice as fast for every visitor.")
    )
}

// seed: S3-43
#[test]
fn a_ticked_box_says_which_recommendation_counts() {
    let open = "- [ ] Yes, I was convinced by {judge}'s argument\n- [ ] No, I maintain my recommendation";
    let new = "**New Recommendation:** Option C\n**What Convinced Me:** the effort judge's ROI analysis";
    for (boxes, below, vote) in [
        ("- [x] Yes, I was convinced by effort's argument about cost\n- [ ] No, I maintain it", new, "C"),
        ("- [X] Yes, I was convinced\n- [ ] No, I maintain it", new, "C"),
        ("- [✓] Yes, I was convinced\n- [ ] No, I maintain it", new, "C"),
        ("- ☑ Yes, I was convinced\n- ☐ No, I maintain it", new, "C"),
        ("[x] Yes, I was convinced\n[ ] No, I maintain it", new, "C"),
        ("Yes, by the effort judge.", new, "C"),
        (
            "- [ ] Yes, I was convinced by {judge}\n- [x] No, I maintain my recommendation because {reason}",
            "**New Recommendation:** {Option Y}",
            "B",
        ),
        ("- [ ] Yes\n- [x] No", new, "B"),
        ("No, I maintain it.", new, "B"),
        ("**Did I change my mind?** No", new, "B"),
        ("**Changed:** Yes", new, "C"),
        (open, "**New Recommendation:** {Option Y}", "B"),
        (open, "**New Recommendation:** Option B", "B"),
        ("", "", "B"),
    ] {
        assert_eq!(second(&form(boxes, below)), Ok(vote.to_owned()), "{boxes}\n{below}");
    }
    for (boxes, below, said) in [
        ("- [x] Yes, I was convinced\n- [x] No, I maintain it", new, "both Yes and No are ticked"),
        (
            "- [x] Yes, I was convinced\n- [ ] No",
            "**New Recommendation:** {Option Y}",
            "write `**New Recommendation:** Option <A, B or C>`",
        ),
        ("- [x] Yes, I was convinced\n- [ ] No", "", "write `**New Recommendation:**"),
        (open, new, "this says C, and the chosen option is B"),
    ] {
        let read = second(&form(boxes, below));
        assert!(read.as_ref().is_err_and(|missing| missing.contains(said)), "{boxes}\n{below}: {read:?}");
    }
    let other = "## Checklist\n\n- [x] No data is lost\n- [ ] Yes, we tested it\n\n**Chosen Option:** C\n**Reason:** Two days of work instead of a month of it.\n";
    assert_eq!(second(other), Ok("C".to_owned()), "a box about something else is no answer");
    let bold = "**Chosen Option:** B\n\n**Did I Change My Mind?**\n\n- [x] Yes\n- [ ] No\n\n**New Recommendation:** C\n**Reason:** Two days of work instead of a month of it.\n";
    assert_eq!(second(bold), Ok("C".to_owned()), "a bold line asks too");
    let plan = plan();
    let edited =
        opening("C", "Reading is what people do in a tunnel.") + "\n### Did I Change My Mind?\n\n- [ ] Yes\n- [x] No\n";
    let reading = read(&plan, &ask_of(&plan, &after_round_1(&plan), "value"), &edited);
    assert!(
        reading.noted().join("").contains("No is ticked, so B stands as before, and not C"),
        "{:?}",
        reading.defects
    );
    assert_eq!(reading.ballot.text("option"), "B");
    let short = "### Did I Change My Mind?\n\n- [x] No, I maintain my recommendation because logins are what visitors see first.\n";
    assert_eq!(second(short), Ok("B".to_owned()), "what is kept need not be written again");
}

#[test]
fn the_blank_second_part_of_the_form_is_no_vote_in_round_1() {
    let boxes = "- [ ] Yes, I was convinced by {judge}\n- [x] No, I maintain my recommendation";
    assert_eq!(
        first(&form(boxes, "**New Recommendation:** {Option Y}\n**What Convinced Me:** {text}")).unwrap().0,
        "B"
    );
    let read = first(&form("- [x] Yes, I was convinced by value\n- [ ] No", "**New Recommendation:** Option C"));
    assert!(read.is_err(), "nobody could have convinced anybody yet: {read:?}");
}

/// Whom value's second file challenges.
fn challenged(text: &str) -> Vec<String> {
    let plan = plan();
    let ask = ask_of(&plan, &after_round_1(&plan), "value");
    let reading = read(&plan, &ask, &format!("**Chosen Option:** B\n{WHY}\n\n{text}\n"));
    let speech = reading.speech.unwrap_or_else(|| panic!("{text}: {:?}", reading.defects));
    let speakers = forge_debate::anonymity::Speakers::of(&plan, &seat("value"));
    let made = speech.ballot.records("challenges");
    made.iter().map(|one| speakers.seat(one.text("to")).unwrap().to_string()).collect()
}

// seed: S3-41
#[test]
fn a_counter_argument_and_a_section_that_names_a_judge_are_challenges() {
    for (text, to) in [
        (
            "### Response to Other Judges\n\n**Risk Judge's Position:** keep it\n**My Counter-Argument:** Restarts happen once a year.\n\n**Effort Judge's Position:** cheap\n**My Counter:** Two days ignore the migration.",
            vec!["risk", "effort"],
        ),
        (
            "**Risk Judge's Position:**\nThey fear restarts.\n\n**My Counter-Argument:**\n\nRestarts happen once a year.",
            vec!["risk"],
        ),
        (
            "## Challenges\n\n- Risk Judge: restarts happen once a year.\n- To the effort judge: two days ignore the migration.",
            vec!["risk", "effort"],
        ),
        ("## Challenges\n\n### To the Risk Judge\n\nRestarts happen once a year.", vec!["risk"]),
        ("## Challenges\n\n**Effort:** two days ignore the migration.", vec!["effort"]),
        ("## Challenges\n\nRisk: restarts happen once a year.", vec!["risk"]),
        ("## Challenges\n\nThe effort judge's two days ignore the migration.", vec!["effort"]),
        ("## Optimistic Challenge\n\n**To the Risk Judge:** restarts happen once a year.", vec!["risk"]),
        ("## Challenges\n\n| To | Why |\n|---|---|\n| Risk Judge | restarts happen once a year |", vec!["risk"]),
        ("# Position\n\nB.\n\n# Challenges\n\nRisk Judge: restarts happen once a year.", vec!["risk"]),
        ("## Challenges\n\nThe risk is high and the effort is low.", vec![]),
        ("## Challenges\n\nThe value judge is right as always.", vec![]),
        ("**Risk Judge's Position:** {summary}\n**My Counter-Argument:** {counter}", vec![]),
        ("## Challenges\n\n- Risk Judge: {why}", vec![]),
        ("> ## Challenges\n> Risk Judge: restarts happen once a year.", vec![]),
        ("The risk judge wrote at length.", vec![]),
    ] {
        assert_eq!(challenged(text), to, "{text}");
    }
    let plan = plan();
    let speakers = forge_debate::anonymity::Speakers::of(&plan, &seat("value"));
    let name = speakers.name(&seat("effort"));
    assert_eq!(challenged(&format!("## Challenges\n\n{name} forgets the migration.")), vec!["effort"]);
}

/// What becomes of value's change to C with this second file: its reason, what it cites, whether it counts.
fn change(text: &str) -> (String, Vec<String>, Merit) {
    let plan = plan();
    let mut turns = after_round_1(&plan);
    let challenge = "## Challenges\n\nRisk Judge: restarts happen once a year.\n";
    let kept = "**Chosen Option:** A\n**Reason:** A restart must not log everybody out of the shop.\n";
    let effort = "**Chosen Option:** C\n**Reason:** The table is there, and two days are enough for it.\n";
    let wave = asks(&plan, &turns);
    for (judge, text) in [("risk", kept), ("value", text), ("effort", effort)] {
        let ask = wave.iter().find(|ask| ask.key.seat == seat(judge)).unwrap();
        let reading = read(&plan, ask, &format!("{text}\n{challenge}"));
        let speech = reading.speech.unwrap_or_else(|| panic!("{text}: {:?}", reading.defects));
        turns.insert(ask.key.clone(), Turn { key: ask.key.clone(), contribution: Contribution::Speech(speech).into() });
    }
    let verdict = forge_debate::conclude(rules(&plan), &plan, &mut Record::new(&turns)).unwrap();
    let change = verdict.ruling.changes().iter().find(|change| change.seat == seat("value")).unwrap();
    let counts = change.merit == Merit::Earned;
    assert_eq!(verdict.outcome(), if counts { Outcome::Consensus } else { Outcome::Contested });
    assert_eq!((&change.from, &change.to), (&option("B"), &option("C")));
    (change.reason.clone(), change.cites().into_iter().map(str::to_owned).collect(), change.merit)
}

// seed: S3-43
#[test]
fn a_documented_reason_that_names_another_judge_is_the_ground_of_a_change() {
    let told = "Convinced by effort judge's ROI analysis";
    let chosen = "**Chosen Option:** C\n**Reason:** The table is what two people can run at night.\n";
    for (text, reason) in [
        (format!("{chosen}**What Convinced Me:** {told}\n"), told),
        (
            form(
                "- [x] Yes, I was convinced by effort judge's ROI analysis\n- [ ] No",
                "**New Recommendation:** Option C",
            ),
            "Yes, I was convinced by effort judge's ROI analysis",
        ),
        (format!("**Chosen Option:** C\n**Reason:** {told}.\n"), "Convinced by effort judge's ROI analysis."),
        (
            format!("{chosen}\n## Position\n\nThe two days convinced me, which is the effort judge's argument.\n"),
            "The two days convinced me, which is the effort judge's argument.",
        ),
    ] {
        let (said, cites, standing) = change(&text);
        assert_eq!((said.as_str(), standing), (reason, Merit::Earned), "{text}");
        assert_eq!(cites, ["effort.a1"], "{text}");
    }
    let both = form(
        "- [x] Yes, I was convinced by the effort judge\n- [ ] No",
        "**New Recommendation:** C\n**What Convinced Me:** two days instead of a month",
    );
    assert_eq!(change(&both).1, ["effort.a1"], "the box says whose, the line says what");
    for text in [
        chosen.to_owned(),
        format!("{chosen}**What Convinced Me:** it simply is better\n"),
        format!("{chosen}**What Convinced Me:** {{what}}\n"),
        format!("{chosen}**What Convinced Me:** the value judge's own argument\n"),
        form("- [x] Yes, I was convinced by {judge}'s argument\n- [ ] No", "**New Recommendation:** Option C"),
    ] {
        assert_eq!(change(&text).2, Merit::Unearned, "{text}");
    }
}

/// What value's second file for C cites of effort and risk, where each has two arguments.
fn cites(said: &str) -> Vec<String> {
    let plan = plan();
    let mut ask = ask_of(&plan, &after_round_1(&plan), "value");
    let handwriting = std::sync::Arc::make_mut(&mut ask.form).handwriting.as_mut().unwrap();
    let more = |judge: &str, text: &str| {
        (
            seat(judge),
            forge_debate::turn::Argument { id: "a2".to_owned(), text: forge_debate::ballot::Words(text.to_owned()) },
        )
    };
    let second = [more("risk", "Backups were never tried."), more("effort", "Nobody here knows Memcached.")];
    handwriting.arguments = handwriting.arguments.iter().cloned().chain(second).collect();
    let text = format!("**Chosen Option:** C\n**Reason:** The table is what two people can run at night.\n\n{said}\n");
    let reading = read(&plan, &ask, &text);
    let speech = reading.speech.unwrap_or_else(|| panic!("{text}: {:?}", reading.defects));
    let speakers = forge_debate::anonymity::Speakers::of(&plan, &seat("value"));
    let named = speech.ballot.texts("convinced_by");
    let told = named.iter().map(|name| {
        let (prefix, id) = name.split_once('.').unwrap();
        format!("{}.{id}", speakers.seat(prefix).unwrap())
    });
    told.collect()
}

#[test]
fn a_sentence_that_denies_doubts_supposes_or_reports_it_is_no_ground() {
    for text in [
        "I was not convinced by the Risk Judge.",
        "I wasn't convinced by the risk judge's argument.",
        "I’m not at all convinced by the risk judge.",
        "I am unconvinced by the Risk Judge.",
        "I remain unpersuaded by the effort judge's two days.",
        "I would be convinced if the Risk Judge showed numbers.",
        "I'd be convinced by the risk judge with numbers.",
        "I'll be convinced by the risk judge when there are numbers.",
        "I could be persuaded by the effort judge.",
        "The Risk Judge failed to convince me.",
        "The Risk Judge tried to persuade me.",
        "The risk judge has yet to convince me.",
        "The Risk Judge convinced nobody.",
        "The risk judge convinced me of nothing.",
        "The risk judge never convinced me.",
        "The risk judge's argument hardly convinced me.",
        "The risk judge almost convinced me.",
        "The risk judge convinced me at first.",
        "The risk judge convinced me until I read the numbers.",
        "Nothing that the risk judge wrote convinced me.",
        "None of the risk judge's arguments convinced me.",
        "No argument of the effort judge convinced me.",
        "Neither the risk judge nor the effort judge convinced me.",
        "I cannot say that the risk judge convinced me.",
        "I do not think the effort judge convinced me.",
        "If the risk judge had convinced me, I would say so.",
        "I doubt that the effort judge convinced me.",
        "Did the risk judge convince me?",
        "Was I convinced by the effort judge? Hmm.",
        "The effort judge convinced the risk judge.",
        "The risk judge was convinced by the effort judge.",
        "Everybody was convinced by the effort judge.",
        "The risk judge thinks that the effort judge convinced me.",
        "According to the risk judge, the effort judge convinced me.",
        "I am convinced that the risk judge is wrong.",
        "The numbers convinced me that the risk judge exaggerates.",
        "The numbers convinced me that the risk judge looks at the past.",
        "The risk judge is not convincing.",
        "The risk judge's argument is unconvincing.",
        "The risk judge is convincing the whole team.",
        "I was convinced by my own numbers, not by the risk judge.",
        "I was convinced by my own numbers, unlike the effort judge's.",
        "The numbers convinced me, but the risk judge did not.",
        "The numbers convinced me although the risk judge is right about restarts.",
        "> The effort judge convinced me.",
        "```\nThe effort judge convinced me.\n```",
        "~~The effort judge convinced me.~~",
        "## Risk Judge's Position\n\nI was convinced by the effort judge.",
        "Der Risk-Richter hat mich nicht überzeugt.",
        "Kein Argument vom Risk Judge hat mich überzeugt.",
        "Ich wäre vom Risk-Richter überzeugt, wenn er Zahlen hätte.",
        "El juez risk no me convenció.",
        "Ningún argumento del juez effort me ha convencido.",
        "**What Convinced Me:** not the risk judge",
        "**What Convinced Me:** nothing the risk judge said",
        "**What Convinced Me:** Nobody, and certainly not the effort judge.",
        "**What Convinced Me:** I was not convinced by the risk judge",
        "**What Convinced Me:** the risk judge failed to convince me",
        "**What Convinced Me:** the risk judge did not convince me; the numbers did",
        "**What Convinced Me:** the risk judge would have to show numbers first",
        "**What Convinced Me:** my own numbers rather than the risk judge's",
        "**What Convinced Me:** none of the arguments of the effort judge",
        "**What Convinced Me:** no argument of the effort judge",
        "**What Convinced Me:** if the risk judge shows numbers, that",
        "**What Convinced Me:** I doubt the risk judge's restarts",
        "**What Convinced Me:** nichts vom Risk-Richter",
        "**What Convinced Me:** nada del juez risk",
    ] {
        assert_eq!(cites(text), Vec::<String>::new(), "{text}");
    }
    let ticked = |said: &str| form(&format!("- [x] Yes, {said}\n- [ ] No"), "**New Recommendation:** Option C");
    for said in [
        "but I was not convinced by the risk judge",
        "although the effort judge did not convince me",
        "I would be convinced by the effort judge if there were numbers",
        "and nobody, least of all the risk judge, convinced me",
    ] {
        assert_eq!(change(&ticked(said)).2, Merit::Unearned, "{said}");
    }
    assert_eq!(change(&ticked("I was convinced by the effort judge")).2, Merit::Earned);
}

#[test]
fn a_sentence_that_says_who_convinced_is_a_ground_and_cites_the_main_argument_where_it_names_none() {
    for (text, cited) in [
        ("I was convinced by the Effort Judge.", vec!["effort.a1"]),
        ("Convinced by the effort judge.", vec!["effort.a1"]),
        ("I am now fully persuaded by the effort judge.", vec!["effort.a1"]),
        ("I've been convinced by the effort judge.", vec!["effort.a1"]),
        ("The effort judge convinced me.", vec!["effort.a1"]),
        ("In the end the effort judge persuaded me.", vec!["effort.a1"]),
        ("What convinced me was the effort judge's second point.", vec!["effort.a1"]),
        ("What convinced me was the effort judge: nobody knows Memcached.", vec!["effort.a2"]),
        ("What convinced me was the effort judge's a2.", vec!["effort.a2"]),
        ("No doubt the effort judge convinced me.", vec!["effort.a1"]),
        ("I found the effort judge's analysis convincing.", vec!["effort.a1"]),
        ("I was convinced by the effort judge, not by the risk judge.", vec!["effort.a1"]),
        ("The risk judge did not convince me, but the effort judge convinced me.", vec!["effort.a1"]),
        ("Not only the risk judge but also the effort judge convinced me.", vec!["effort.a1"]),
        ("The effort judge convinced me and the risk judge did not.", vec!["effort.a1"]),
        ("A cache is not needed, so the effort judge convinced me.", vec!["effort.a1"]),
        ("I was convinced by the effort judge's point that no server is needed.", vec!["effort.a1"]),
        ("The two days convinced me that the effort judge is right.", vec!["effort.a1"]),
        ("I was convinced by the risk judge and by the effort judge.", vec!["risk.a1", "effort.a1"]),
        ("Der Effort-Richter hat mich überzeugt.", vec!["effort.a1"]),
        ("Ich wurde vom Effort-Richter überzeugt.", vec!["effort.a1"]),
        ("El juez effort me convenció.", vec!["effort.a1"]),
        ("**What Convinced Me:** the effort judge", vec!["effort.a1"]),
        ("**What Convinced Me:** no new server is needed, as the effort judge says", vec!["effort.a1"]),
        ("**What Convinced Me:** two days and no new server (effort judge)", vec!["effort.a1"]),
        ("**What Convinced Me:** the effort judge, not the risk judge", vec!["effort.a1"]),
        ("**What Convinced Me:** untried backups, as the risk judge says", vec!["risk.a2"]),
        ("**Convinced By:** effort's argument that a restart would log everybody out", vec!["effort.a1"]),
    ] {
        assert_eq!(cites(text), cited, "{text}");
    }
}

#[test]
fn where_no_ground_is_required_a_change_counts_and_the_verdict_says_so() {
    let mut plan = plan();
    plan.demands.documented_changes = false;
    let mut turns = after_round_1(&plan);
    let challenge =
        "## Challenges\n\nRisk Judge: restarts happen once a year.\nValue Judge: nobody measured the logins.\n";
    let wave = asks(&plan, &turns);
    for (judge, option) in [("risk", "A"), ("value", "C"), ("effort", "C")] {
        let ask = wave.iter().find(|ask| ask.key.seat == seat(judge)).unwrap();
        let text = format!(
            "**Chosen Option:** {option}\n**Reason:** The {judge} of it is what two people can bear.\n\n{challenge}"
        );
        let reading = read(&plan, ask, &text);
        assert!(!reading.noted().join("").contains("convinced_by"), "{:?}", reading.defects);
        let speech = reading.speech.unwrap();
        turns.insert(ask.key.clone(), Turn { key: ask.key.clone(), contribution: Contribution::Speech(speech).into() });
    }
    let verdict = forge_debate::conclude(rules(&plan), &plan, &mut Record::new(&turns)).unwrap();
    assert_eq!((verdict.outcome(), verdict.options().to_vec()), (Outcome::Consensus, vec![option("C")]));
    let note = "value changed from B to C in round 2 and cites no argument; it counts, since no ground was required";
    assert!(verdict.ruling.notes.iter().any(|one| one.to_string() == note), "{:?}", verdict.ruling.notes);
}

// seed: S3-38
#[test]
fn a_stance_is_required_of_agents_and_noted_in_files() {
    let mut plan = plan();
    for (judge, title) in [("risk", "What Can Go Wrong"), ("value", "What Is Lost"), ("effort", "What It Costs")] {
        let ask = ask_of(&plan, &Turns::new(), judge);
        let ballot = crate::ballots::vote(&seat(judge), "A");
        let with = |body: &str| {
            let text = format!("## Assessment\nSeen.\n## Recommendation\nOption A.\n{body}");
            ask.form.read(&plan, &ask.key.seat, &draft(&text, Some(ballot.clone())), Writer::Agent)
        };
        for body in [
            String::new(),
            format!("## {title}\n"),
            format!("## {title}\n\nNone.\n"),
            format!("## {title}\n\n- {{entry}}\n"),
        ] {
            let reading = with(&body);
            assert!(
                reading.speech.is_none() && reading.required().join("").contains(title),
                "{body}: {:?}",
                reading.defects
            );
        }
        assert!(with(&format!("## {title}\n\n- Two engineers for a quarter.\n")).speech.is_some());
        let reading = read(&plan, &ask, &opening("A", "A restart must not log everybody out."));
        assert!(reading.speech.is_some() && reading.noted().join("").contains(title), "{:?}", reading.defects);
    }
    plan.demands.stances = false;
    let ask = ask_of(&plan, &Turns::new(), "risk");
    assert!(ask.form.sections.iter().any(|rule| rule.title == "What Can Go Wrong" && rule.need == Need::Optional));
}

#[test]
fn the_sections_of_other_tools_keep_the_stance() {
    let plan = plan();
    for (judge, title) in [
        ("risk", "Risks in Other Options"),
        ("risk", "Risk Analysis Per Option"),
        ("risk", "Skeptical Challenge"),
        ("value", "Value Missed in Other Options"),
        ("value", "Optimistic Challenge"),
        ("effort", "Concerns with Other Options"),
        ("effort", "Effort Analysis Per Option"),
        ("effort", "Pragmatic Challenge"),
    ] {
        let ask = ask_of(&plan, &Turns::new(), judge);
        let text =
            |body: &str| format!("{}\n## {title}\n\n{body}\n", opening("A", "A restart must not log everybody out."));
        let stances = ["What Can Go Wrong", "What Is Lost", "What It Costs"];
        let misses = |body: &str| -> Vec<String> {
            let lines = read(&plan, &ask, &text(body)).lines();
            lines.into_iter().filter(|line| stances.iter().any(|stance| line.contains(stance))).collect()
        };
        assert_eq!(misses("- Two engineers for a quarter."), Vec::<String>::new(), "{judge}: {title}");
        assert!(!misses("{to fill in}").is_empty(), "{judge}: {title}");
    }
}

#[test]
fn judges_argue_for_as_many_rounds_as_are_asked_for() {
    let mut plan = plan();
    plan.limits.min_rounds = 2;
    let mut turns = Turns::new();
    for ask in asks(&plan, &Turns::new()) {
        let speech = read(
            &plan,
            &ask,
            &opening("A", &format!("The {} of a restart at night is known and small.", ask.key.seat)),
        )
        .speech
        .unwrap();
        turns.insert(ask.key.clone(), Turn { key: ask.key, contribution: Contribution::Speech(speech).into() });
    }
    let wave = asks(&plan, &turns);
    assert_eq!(wave.iter().map(|ask| ask.key.round).collect::<Vec<_>>(), [2, 2, 2], "the blind round agreed");
    assert_eq!((plan.protocol.cost)(&plan).iter().map(|stage| stage.min_calls).collect::<Vec<_>>(), [3, 3]);
    for (least, sound) in [(0, false), (1, true), (2, true), (3, false)] {
        plan.limits.min_rounds = least;
        assert_eq!(plan.defects().is_empty(), sound, "{least}");
    }
    let mut other = world::plan("panel");
    other.limits.min_rounds = 2;
    assert!(other.defects().join("").contains("panel has no least number of rounds"));
}

proptest::proptest! {
    /// Whatever stands in a file, lines that are quoted, in a fence or struck through change neither the vote nor what it cites.
    #[test]
    fn what_is_not_said_changes_no_vote(
        lines in proptest::collection::vec(proptest::sample::select(LINES), 0..24),
        unsaid in proptest::sample::select(LINES),
        how in 0..3usize,
        at in 0..25usize,
    ) {
        let plan = plan();
        let unsaid = match how {
            0 => format!("\n> {unsaid}\n\n"),
            1 => format!("\n```\n{}\n```\n\n", unsaid.trim_matches('`')),
            _ => "\n~~**Chosen Option:** Option A~~\n\n".to_owned(),
        };
        // A fence or a table that is open would take in what is put there.
        let lines: Vec<&str> = lines.into_iter().filter(|line| !line.starts_with(['`', '|'])).collect();
        let mut more: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        more.insert(at.min(lines.len()), unsaid);
        let plainly: String = lines.iter().enumerate().map(|(i, line)| {
            // The blank lines around it part paragraphs, also without it.
            if i == at.min(lines.len()) { format!("\n\n{line}\n") } else { format!("{line}\n") }
        }).collect();
        for (turns, judge) in [(Turns::new(), "risk"), (after_round_1(&plan), "value")] {
            let ask = ask_of(&plan, &turns, judge);
            let said = |text: &str| {
                let reading = read(&plan, &ask, text);
                let vote = reading.speech.map(|speech| {
                    let cited: Vec<String> = speech.ballot.texts("convinced_by").into_iter().map(str::to_owned).collect();
                    (speech.ballot.text("option").to_owned(), cited)
                });
                (reading.ballot.text("option").to_owned(), vote)
            };
            let (before, after) = (said(&plainly), said(&more.concat()));
            proptest::prop_assert_eq!(&before.0, &after.0);
            if let (Some(before), Some(after)) = (&before.1, &after.1) {
                proptest::prop_assert_eq!(before, after);
            }
            if let Some((vote, _)) = &after.1 {
                proptest::prop_assert!(["A", "B", "C"].contains(&vote.as_str()));
            }
        }
    }
}

const LINES: &[&str] = &[
    "",
    "",
    "# Risk Judge Evaluation",
    "## My Recommendation",
    "## Challenges",
    "### Did I Change My Mind?",
    "## Why My Choice Minimizes Risk",
    "**Chosen Option:** Option A",
    "**Chosen Option:** Option B (x)",
    "**Chosen Option:**",
    "Option C",
    "**New Recommendation:** Option C",
    "**New Recommendation:** {Option Y}",
    "**Reason:** Two days of work instead of a month of it.",
    "**Reason:**",
    "**Confidence:** é ≥ HIGH",
    "- [x] Yes, I was convinced by the effort judge",
    "- [x] No, I maintain it",
    "☑ Yes",
    "> **Vote:** B",
    "```",
    "| a | b |",
    "|---|---|",
    "**Value Judge's Position:** all",
    "**My Counter:** It is not so at all.",
    "Risk Judge: restarts happen once a year.",
    "数据库表 wert — S1.a1 by",
];
