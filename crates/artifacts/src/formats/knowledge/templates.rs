//! Knowledge files as they begin: without entries, and with the words that a reader needs to add one.

use forge_workflow::knowledge::Kind;

const DECISIONS: &str = "\
# Decisions

What was decided, why, and when to think again. forge adds what debates and phases decide; add your own as a heading
`## D<number>: what was decided` with lines such as `- Rationale: ...`, `- Status: locked`, `- Kill-switch: ...` below it.
An entry is not edited later. A new one with `- Supersedes: D<number>` takes its place.
";

const CONSTRAINTS: &str = "\
# Constraints

What every later phase has to keep to. Decisions that a debate locked are here too: to leave one, reopen its debate.
Add your own as rows, with the next free number; leave *Source* empty.

| ID | Constraint | Rests on | Violation triggers | Locked by | Source |
| --- | --- | --- | --- | --- | --- |
";

const ASSUMPTIONS: &str = "\
# Assumptions

What we believe and have not shown. Add your own as rows, with the next free number; leave *Source* empty.

| ID | Assumption | Status | Validate by | Risk if invalid | Source |
| --- | --- | --- | --- | --- | --- |

## Validation

What an assumption turned out to be: `validated` or `invalidated`, and how we know. The last row about it counts.

| Assumption | Result | Because | Source |
| --- | --- | --- | --- |
";

const RISKS: &str = "\
# Risks

What may go wrong. Probability and impact are High, Medium or Low (3, 2, 1); the score is their product, and 6 or more calls
for a debate where a phase says so. A risk counts until its status says closed, mitigated, resolved or retired; an
accepted one still counts. Add your own as rows, with the next free number; leave *Source* empty.

| ID | Risk | Probability | Impact | Score | Owner | Status | Source |
| --- | --- | --- | --- | --- | --- | --- | --- |
";

const GLOSSARY: &str = "\
# Glossary

One word, one thing. Write a word down when two people have used it for different things.

| Term | Meaning | Not to be confused with |
| --- | --- | --- |
";

const TRACEABILITY: &str = "\
# Traceability

From what is wanted to the proof that it is there. A row without a test is a promise; a row without a decision is a habit.

| Requirement | Decision | Design or code | Test | Status |
| --- | --- | --- | --- | --- |
";

/// The file of a kind without entries.
pub fn template(kind: Kind) -> &'static str {
    match kind {
        Kind::Decision => DECISIONS,
        Kind::Constraint => CONSTRAINTS,
        Kind::Assumption => ASSUMPTIONS,
        Kind::Risk => RISKS,
    }
}

/// `glossary.md` without terms.
pub fn glossary_template() -> &'static str {
    GLOSSARY
}

/// `traceability.md` without rows.
pub fn traceability_template() -> &'static str {
    TRACEABILITY
}
