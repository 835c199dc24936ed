//! From which angle a role argues in a rehearsal: a table of phrases, one row per role.
//!
//! Every phrase is a test, a wish or a doubt and never a statement about the world: a rehearsal knows nothing about the
//! question. `{option}` stands for the option spoken of, `{role}` for the role's name.
//!
//! Rows of one protocol stand next to each other, because a row's place also spreads its seats over the options.

/// How one role argues.
#[derive(Debug)]
pub(crate) struct Angle {
    role: &'static str,
    /// What this role looks at, as the end of a sentence such as "I look at ...".
    pub(crate) concern: &'static str,
    /// What it says for an option.
    pub(crate) grounds: [&'static str; 3],
    /// What it says against an option.
    pub(crate) doubts: [&'static str; 2],
}

macro_rules! angle {
    ($role:literal, $concern:literal, [$for1:literal, $for2:literal, $for3:literal], [$against1:literal, $against2:literal]) => {
        Angle { role: $role, concern: $concern, grounds: [$for1, $for2, $for3], doubts: [$against1, $against2] }
    };
}

#[rustfmt::skip]
static ANGLES: &[Angle] = &[
    // judges
    angle!("risk", "what can fail",
        ["{option} should be chosen only if its worst day can be undone", "{option} needs somebody who notices first when it breaks", "what {option} puts at stake has to be smaller than what waiting puts at stake"],
        ["nobody has said how {option} fails, and how that would be noticed", "the way back from {option} has still to be named"]),
    angle!("value", "what users gain",
        ["{option} should be chosen for the first thing that a user can do with it", "{option} earns its place if somebody would miss it after a month", "what {option} opens up later should count as much as what it does at first"],
        ["nobody has said who is better off with {option}, and by what", "the case for {option} has still to begin with a user"]),
    angle!("effort", "what it costs to build and to keep",
        ["{option} should be chosen only at a price that has been said out loud", "{option} has to be something that the people at hand can finish", "upkeep of {option} has to count from the first day and not from the last"],
        ["nobody has said what stays undone meanwhile if it is {option}", "the cost of keeping {option} alive has still to be counted"]),
    // gate
    angle!("advocate", "what speaks for going ahead",
        ["{option} should be taken if it can be acted on at once", "{option} should be judged by what it delivers first", "waiting is a choice too, and {option} has to be held against it"],
        ["what is gained with {option} has still to be shown", "nobody has said what {option} would leave undecided"]),
    angle!("skeptic", "what everybody takes for granted",
        ["{option} may stand once its unspoken assumption has been tried", "{option} has to survive the question of what would prove it wrong", "the strongest reason against {option} has to be written down first"],
        ["is {option} preferred for anything but being familiar?", "which belief about {option} has anybody tested?"]),
    angle!("operator", "who runs it, by when and with what",
        ["{option} needs an owner, a first date and a way to stop", "{option} can start as soon as what it depends on is listed", "the plan for {option} has to hold on a bad week"],
        ["the one who is called at night about {option} has still to be named", "nobody has said what must be finished before {option} can start"]),
    angle!("synthesizer", "what all of them would still sign",
        ["{option} may leave no open question without an owner", "{option} has to stop at a point that is agreed beforehand", "what is given up with {option} has to be said out loud"],
        ["what {option} would need has still to be answered by somebody who knows", "nobody has said what is given up with {option}"]),
    // challenge
    angle!("lead", "one position that can be attacked",
        ["{option} has to answer the question as it was put", "{option} should be tried in a part before it is done in whole", "{option} has to say plainly what must be true for it to work"],
        ["{option} may only move the question elsewhere", "a first step of {option} that could be checked has still to be named"]),
    angle!("challenger-architect", "the boundaries that are hard to move later",
        ["{option} holds if its boundaries can be redrawn without a rewrite", "{option} is right if it keeps the number of things that change together small", "{option} should force no shape on its surroundings that we would not choose anyway"],
        ["nobody has said which line {option} draws that will be hard to move", "what {option} ties together that should change apart has still to be named"]),
    angle!("challenger-operator", "the worst hour of the one who is on call",
        ["{option} holds if it can be rolled back while it is being used", "{option} is right if the one on call can see what it does", "a year from now {option} must still be something that can be debugged"],
        ["the runbook for the worst hour of {option} has still to be written", "nobody has said how {option} is rolled back"]),
    angle!("challenger-adversary", "how it would be abused",
        ["{option} holds if the most hostile input it can meet has been named", "{option} is right if nobody gains by misusing it", "what {option} trusts has to be checked at the door"],
        ["nobody has said what {option} trusts that an attacker could control", "the one who would gain from abusing {option} has still to be thought of"]),
    // panel: planning
    angle!("software-architect", "structure that outlives its reasons",
        ["{option} has to keep apart what will change for separate reasons", "{option} should be the simplest thing that still leaves a door open", "the next team has to be able to guess how {option} works"],
        ["the reason for every part of {option} has still to be written down", "does {option} decide more than it was asked to decide?"]),
    angle!("security-architect", "who may do what, and who could",
        ["{option} is acceptable where every trust it gives can be taken back", "{option} has to hold with one secret lost", "the fewest doors should win, and {option} has to name its own"],
        ["nobody has said which doors {option} opens, and who guards them", "what {option} exposes when one key leaks has still to be said"]),
    angle!("infrastructure-engineer", "what runs where, and what it leans on",
        ["{option} should run on what is already watched", "{option} must come back by itself after a restart", "growth under {option} has to be a dial and not a project"],
        ["nobody has said what {option} leans on", "what {option} does with one machine less has still to be said"]),
    angle!("data-architect", "data that outlives the code around it",
        ["{option} fits if the data can leave it again", "{option} has to say which copy is the true one", "what {option} keeps, and for how long, belongs in the decision"],
        ["nobody has said how the data gets out of {option} again", "which copy is true under {option} has still to be settled"]),
    angle!("ux-lead", "the person in front of it",
        ["{option} is right if nobody has to be told how to use it", "{option} has to feel no slower than what it replaces", "the error that a person sees under {option} has to say what to do"],
        ["nobody has said which work {option} moves onto the person who uses it", "what a person sees when {option} fails has still to be said"]),
    angle!("lead-specialist", "what the language makes easy and hard",
        ["{option} should go with the grain of the tools at hand", "{option} should be what a reader expects to find", "what {option} cannot express has to be something we never need"],
        ["where {option} works against its tools has still to be looked at", "is {option} clever where plain is enough?"]),
    // panel: delivery
    angle!("delivery-lead", "the order in which things become useful",
        ["{option} should put something usable first", "{option} has to leave something whole wherever it is cut", "{option} must not wait for its slowest part"],
        ["nobody has said what {option} is worth half done", "the order of steps in {option} has still to be named"]),
    angle!("quality-lead", "how anybody would know that it works",
        ["{option} is right if a failing test for it can be written first", "{option} has to be checkable without the people who made it", "a defect under {option} must be cheaper to find than to explain"],
        ["how {option} is told from its failure has still to be said", "nobody has said what passing means for {option}"]),
    angle!("release-engineer", "the way from a change to everybody, and back",
        ["{option} should reach a few before it reaches all", "{option} must be something that can be switched off", "two versions have to be able to live side by side under {option}"],
        ["who gets {option} first has still to be decided", "nobody has said how {option} is taken back once it is out"]),
    angle!("estimator", "what the figures leave out",
        ["{option} can be sized once its smallest part has been done", "{option} should carry a range and the reason for the range", "the part of {option} that nobody has done before decides its size"],
        ["the range of {option} has still to be given", "nobody has said which part of {option} is unknown"]),
    // panel: board
    angle!("ceo", "where this takes the whole company",
        ["{option} is right if it still fits when the plan changes", "{option} has to be something we can explain in a sentence", "what we stop doing for {option} belongs in the decision"],
        ["nobody has said whom {option} serves and who pays for it", "what we stop doing for {option} has still to be named"]),
    angle!("cto", "what the technology commits us to",
        ["{option} should leave us free to leave it", "{option} has to be kept by the people we have", "{option} is right if it makes the next change cheaper"],
        ["what {option} commits us to has still to be spelled out", "nobody has said who will keep {option}"]),
    angle!("cfo", "what it costs, and what that money cannot do then",
        ["{option} has to show its cost when nothing goes well", "{option} is right if its price grows slower than its use", "{option} should be paid in steps that can be stopped"],
        ["nobody has put a price next to the benefit of {option}", "the cost of leaving {option} has still to be in the sum"]),
    angle!("coo", "how the day changes for the people who do it",
        ["{option} works if the people who live with it were asked", "{option} needs a first week that has been walked through", "{option} has to survive the absence of the one who knows it"],
        ["nobody has said whose day {option} changes", "the first week of {option} has still to be walked through"]),
    angle!("contrarian", "what everybody here agrees on too quickly",
        ["{option} deserves a full case, most of all if nobody else makes it", "{option} has to stand when the comfortable reasons are taken away", "if {option} is wrong, somebody should be able to say why"],
        ["is {option} liked before it is understood?", "how {option} would be defended to a stranger has still to be tried"]),
    angle!("moonshot", "what would be possible if we aimed higher",
        ["{option} should still make sense at ten times the size", "{option} has to be the first step of something larger", "{option} should teach us what nobody can tell us beforehand"],
        ["is {option} small enough to succeed and change nothing?", "nobody has said which larger road {option} would close"]),
    angle!("referee", "whether anything new is being said",
        ["{option} deserves another round only for an argument that is new", "an attack on {option} counts once, and so does its answer", "the case for {option} should end where it begins again"],
        ["what is new in the case for {option} has still to be pointed out", "nobody has said what another round would add about {option}"]),
];

/// For roles that the table does not know, such as a project's own: they speak by name, so that no two sound alike.
static STRANGER: Angle = Angle {
    role: "",
    concern: "what my role is there to see",
    grounds: [
        "{option} has to stand up to what the {role} would ask first",
        "{option} is right if the {role} could defend it a year from now",
        "the {role} should be able to say when {option} has failed",
    ],
    doubts: [
        "nobody has looked at {option} from the side of the {role}",
        "what the {role} would ask of {option} has still to be answered",
    ],
};

impl Angle {
    /// The angle of a role.
    pub(crate) fn of(role: &str) -> &'static Angle {
        ANGLES.iter().find(|angle| angle.role == role).unwrap_or(&STRANGER)
    }

    /// Where the role stands in the table; nothing for a role that it does not know.
    pub(crate) fn place(role: &str) -> Option<usize> {
        ANGLES.iter().position(|angle| angle.role == role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_phrase_is_used_twice() {
        let phrases: Vec<&str> =
            ANGLES.iter().flat_map(|angle| angle.grounds.iter().chain(&angle.doubts).copied()).collect();
        assert_eq!(phrases.iter().collect::<BTreeSet<_>>().len(), phrases.len());
    }

    #[test]
    fn every_phrase_speaks_of_the_option() {
        let without = |phrase: &&str| {
            !phrase.contains("{option}") && !phrase.starts_with("waiting") && !phrase.contains("reason against")
        };
        let silent: Vec<&str> = ANGLES
            .iter()
            .chain([&STRANGER])
            .flat_map(|a| a.grounds.iter().chain(&a.doubts).copied())
            .filter(without)
            .collect();
        assert_eq!(silent, Vec::<&str>::new());
    }

    #[test]
    fn every_default_seat_has_an_angle_of_its_own() {
        for protocol in forge_debate::protocols::ALL {
            for roster in [None, Some("board"), Some("planning-1"), Some("planning-3")] {
                for seat in protocol.profile.seats(roster, "Redis or Memcached?").unwrap_or_default() {
                    assert!(Angle::place(seat.role).is_some(), "{}", seat.role);
                }
            }
        }
    }
}
