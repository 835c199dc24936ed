//! From which angle a role argues in a rehearsal: a table of phrases, one row per role.
//!
//! Every phrase is a test, a wish or a doubt and never a statement about the world: a rehearsal knows nothing about the
//! question. `{option}` stands for the option spoken of, `{role}` for the role's name.
//!
//! Rows of one protocol stand next to each other, because a row's place also spreads its seats over the options.

/// How one role argues.
#[derive(Debug)]
pub(crate) struct Angle {
    roles: &'static [&'static str],
    /// What this role looks at, as the end of a sentence such as "I look at ...".
    pub(crate) concern: &'static str,
    /// What it says for an option.
    pub(crate) grounds: [&'static str; 3],
    /// What it says against an option.
    pub(crate) doubts: [&'static str; 2],
}

macro_rules! angle {
    ([$($role:literal),+], $concern:literal, [$for1:literal, $for2:literal, $for3:literal], [$against1:literal, $against2:literal]) => {
        Angle { roles: &[$($role),+], concern: $concern, grounds: [$for1, $for2, $for3], doubts: [$against1, $against2] }
    };
}

#[rustfmt::skip]
static ANGLES: &[Angle] = &[
    // judges
    angle!(["risk"], "what can fail",
        ["{option} should be chosen only if its worst day can be undone", "{option} needs somebody who notices first when it breaks", "what {option} puts at stake has to be smaller than what waiting puts at stake"],
        ["nobody has said how {option} fails, and how that would be noticed", "the way back from {option} is missing"]),
    angle!(["value"], "what users gain",
        ["{option} should be chosen for the first thing that a user can do with it", "{option} earns its place if somebody would miss it after a month", "what {option} opens up later counts as much as what it does at first"],
        ["nobody has said who is better off with {option}, and by what", "{option} is argued from inside, without a user in sight"]),
    angle!(["effort"], "what it costs to build and to keep",
        ["{option} should be chosen only at a price that has been said out loud", "{option} has to be something that the people at hand can finish", "upkeep of {option} counts from the first day and not from the last"],
        ["nobody has said what stays undone while {option} is built", "the cost of keeping {option} alive is left out"]),
    // gate
    angle!(["advocate"], "what speaks for going ahead",
        ["{option} gives the question an answer that can be acted on", "{option} can be judged by what it delivers first", "waiting is a choice too, and {option} has to be held against it"],
        ["{option} leaves the gain on the table that started this question", "{option} puts the decision off without saying for what"]),
    angle!(["skeptic"], "what everybody takes for granted",
        ["{option} may stand once its unspoken assumption has been tried", "{option} has to survive the question of what would prove it wrong", "the strongest reason against {option} has to be written down first"],
        ["is {option} preferred for anything but being familiar?", "which belief about {option} has anybody tested?"]),
    angle!(["operator"], "who runs it, by when and with what",
        ["{option} needs an owner, a first date and a way to stop", "{option} can start as soon as what it depends on is listed", "the plan for {option} has to hold on a bad week"],
        ["{option} comes without the name of the one who is called at night", "what must be finished before {option} can start is not said"]),
    angle!(["synthesizer"], "what all of them would still sign",
        ["{option} leaves the fewest of the open questions without an owner", "{option} can be stopped at a point that is agreed beforehand", "what is given up with {option} has been said out loud"],
        ["{option} would need answers that nobody in this debate gave", "{option} gives up more than its case admits"]),
    // challenge
    angle!(["lead"], "one position that can be attacked",
        ["{option} answers the question as it was put", "{option} can be tried in a part before it is done in whole", "{option} says plainly what has to be true for it to work"],
        ["{option} would only move the question elsewhere", "{option} has no first step that could be checked"]),
    angle!(["challenger-architect"], "the boundaries that are hard to move later",
        ["{option} holds if its boundaries can be redrawn without a rewrite", "{option} is right if it keeps the number of things that change together small", "the shape that {option} forces on everything around it is one we would choose anyway"],
        ["{option} draws a line that will be hard to move", "{option} ties together what should change apart"]),
    angle!(["challenger-operator"], "the worst hour of the one who is on call",
        ["{option} holds if it can be rolled back while it is being used", "{option} is right if the one on call can see what it does", "a year from now {option} must still be something that can be debugged"],
        ["{option} has no runbook for its worst hour", "how {option} is rolled back is not said"]),
    angle!(["challenger-adversary"], "how it would be abused",
        ["{option} holds if the most hostile input it can meet has been named", "{option} is right if nobody gains by misusing it", "what {option} trusts has to be checked at the door"],
        ["{option} trusts something that an attacker controls", "the one who gains from abusing {option} has not been thought of"]),
    // panel: planning
    angle!(["software-architect"], "structure that outlives its reasons",
        ["{option} keeps the parts separate that will change for separate reasons", "{option} should be the simplest thing that still leaves a door open", "the next team has to be able to guess how {option} works"],
        ["{option} adds a part whose reason will be forgotten", "{option} decides more than it was asked to decide"]),
    angle!(["security-architect"], "who may do what, and who could",
        ["{option} is acceptable where every trust it gives can be taken back", "{option} has to hold with one secret lost", "the fewest doors win, and {option} has to name its own"],
        ["{option} opens a door that nobody guards yet", "what {option} exposes when one key leaks is not said"]),
    angle!(["infrastructure-engineer"], "what runs where, and what it leans on",
        ["{option} should run on what is already watched", "{option} must come back by itself after a restart", "growth under {option} has to be a dial and not a project"],
        ["{option} leans on something that has not been named", "one machine less, and nobody can say what {option} does"]),
    angle!(["data-architect"], "data that outlives the code around it",
        ["{option} fits if the data can leave it again", "{option} has to say which copy is the true one", "what {option} keeps, and for how long, belongs in the decision"],
        ["{option} locks the data into its own shape", "which copy is true under {option} is left open"]),
    angle!(["ux-lead"], "the person in front of it",
        ["{option} is right if nobody has to be told how to use it", "{option} has to look no slower than what it replaces", "the error that a person sees under {option} has to say what to do"],
        ["{option} moves work onto the person who uses it", "what a person sees when {option} fails is not said"]),
    angle!(["lead-specialist"], "what the language makes easy and hard",
        ["{option} goes with the grain of the tools at hand", "{option} should be what a reader expects to find", "what {option} cannot express has to be something we never need"],
        ["{option} works against the tools it is written with", "{option} would be clever where plain is enough"]),
    // panel: delivery
    angle!(["delivery-lead"], "the order in which things become useful",
        ["{option} should put something usable first", "{option} can be cut at any point and still leave something whole", "{option} must not wait for the slowest part"],
        ["{option} is all or nothing as it stands", "{option} has no order, only a list"]),
    angle!(["quality-lead"], "how anybody would know that it works",
        ["{option} is right if a failing test for it can be written first", "{option} has to be checkable without the people who made it", "a defect under {option} must be cheaper to find than to explain"],
        ["{option} cannot be told from its failure yet", "nobody has said what passing means for {option}"]),
    angle!(["release-engineer"], "the way from a change to everybody, and back",
        ["{option} should reach a few before it reaches all", "{option} must be something that can be switched off", "two versions have to live side by side under {option}"],
        ["{option} reaches everybody at once", "{option} has a way out and no way back"]),
    angle!(["estimator"], "what the figures leave out",
        ["{option} can be sized once its smallest part has been done", "{option} should carry a range and the reason for the range", "the part of {option} that nobody has done before decides its size"],
        ["{option} has one figure where it needs two", "the unknown part of {option} is counted as known"]),
    // panel: board
    angle!(["ceo"], "where this takes the whole company",
        ["{option} is right if it still fits when the plan changes", "{option} has to be something we can explain in a sentence", "what we stop doing for {option} belongs in the decision"],
        ["{option} serves a part and asks the whole to pay", "{option} does not say what we stop doing"]),
    angle!(["cto"], "what the technology commits us to",
        ["{option} should leave us free to leave it", "{option} has to be kept by the people we have", "{option} is right if it makes the next change cheaper"],
        ["{option} commits us to more than it says", "{option} needs people that we would have to look for"]),
    angle!(["cfo"], "what it costs, and what that money cannot do then",
        ["{option} has to show its cost when nothing goes well", "{option} is right if its price grows slower than its use", "{option} should be paid in steps that can be stopped"],
        ["{option} names a benefit and no price", "the cost of leaving {option} is missing from the sum"]),
    angle!(["coo"], "how the day changes for the people who do it",
        ["{option} works if the people who live with it were asked", "{option} needs a first week that has been walked through", "{option} has to survive the absence of the one who knows it"],
        ["{option} changes somebody's day without asking them", "{option} depends on one person being there"]),
    angle!(["contrarian"], "what everybody here agrees on too quickly",
        ["{option} deserves its case exactly because nobody else makes it", "{option} is what is left when the comfortable reasons are taken away", "if {option} is wrong, somebody should be able to say why"],
        ["{option} is liked before it is understood", "{option} would look different if we had to defend it to a stranger"]),
    angle!(["moonshot"], "what would be possible if we aimed higher",
        ["{option} is the one that still makes sense at ten times the size", "{option} can be the first step of something larger", "{option} lets us learn what nobody can tell us beforehand"],
        ["{option} is small enough to succeed and change nothing", "{option} closes the road to the larger version"]),
    angle!(["referee"], "whether anything new is being said",
        ["{option} has been spoken for with arguments that were not repeated", "{option} has been attacked and answered", "the case for {option} is complete as it stands"],
        ["the case for {option} repeats itself", "the attack on {option} repeats itself"]),
];

/// For roles that the table does not know, such as a project's own: they speak by name, so that no two sound alike.
static STRANGER: Angle = Angle {
    roles: &[],
    concern: "what my role is there to see",
    grounds: [
        "{option} has to stand up to what the {role} would ask first",
        "{option} is right if the {role} could defend it a year from now",
        "the {role} should be able to say when {option} has failed",
    ],
    doubts: ["{option} has not been looked at from the side of the {role}", "the {role} would ask {option} for its weakest point"],
};

impl Angle {
    /// The angle of a role.
    pub(crate) fn of(role: &str) -> &'static Angle {
        ANGLES.iter().find(|angle| angle.roles.contains(&role)).unwrap_or(&STRANGER)
    }

    /// Where the role stands in the table; nothing for a role that it does not know.
    pub(crate) fn place(role: &str) -> Option<usize> {
        ANGLES.iter().position(|angle| angle.roles.contains(&role))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_phrase_is_used_twice() {
        let phrases: Vec<&str> = ANGLES.iter().flat_map(|angle| angle.grounds.iter().chain(&angle.doubts).copied()).collect();
        assert_eq!(phrases.iter().collect::<BTreeSet<_>>().len(), phrases.len());
    }

    #[test]
    fn every_phrase_speaks_of_the_option() {
        let without = |phrase: &&str| !phrase.contains("{option}") && !phrase.starts_with("waiting") && !phrase.contains("reason against");
        let silent: Vec<&str> =
            ANGLES.iter().chain([&STRANGER]).flat_map(|a| a.grounds.iter().chain(&a.doubts).copied()).filter(without).collect();
        assert_eq!(silent, Vec::<&str>::new());
    }

    #[test]
    fn every_default_seat_has_an_angle_of_its_own() {
        for protocol in forge_debate::protocols::ALL {
            for roster in [None, Some("board"), Some("planning-1"), Some("planning-3")] {
                for seat in protocol.seats(roster, "Redis or Memcached?").unwrap_or_default() {
                    assert!(Angle::place(&seat.role).is_some(), "{}", seat.role);
                }
            }
        }
    }
}
