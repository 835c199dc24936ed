//! A reply's sections held against the form's.

use crate::fact;
use crate::model::defect::{Defect, Need};
use crate::model::form::{Draft, SectionRule, Shape, Writer};
use crate::model::plan::Plan;
use crate::model::turn::{Section, title_matches};
use crate::rules::option_names::OptionNames;
use forge_prose::blanks::is_placeholder;
use forge_prose::measure::{items, sentences, table_rows};
use forge_prose::outline::NoHeading;

pub(super) fn check_section(rule: &SectionRule, need: Need, plan: &Plan, draft: &Draft, writer: Writer) -> Vec<Defect> {
    let (title, hint) = (rule.title, rule.hint);
    let matching: Vec<&Section> = draft.sections.iter().filter(|s| title_matches(&s.title, title)).collect();
    let Some(section) = matching.first() else {
        let is_line = |(label, value): &(String, String)| title_matches(label, title) && !is_placeholder(value);
        let stands_behind_a_label = rule.shape == Shape::Line && draft.labels.iter().chain(&draft.memo).any(is_line);
        return if stands_behind_a_label { Vec::new() } else { vec![missing_section(rule, need, draft)] };
    };
    let mut defects = Vec::new();
    if let Some(second) = matching.get(1).filter(|second| !section.body.contains(second.body.as_str())) {
        let first = section.line;
        let fact = fact!("section_twice", "section {title:?} stands here again (first on line {first})", title);
        defects.push(Defect::new(Need::Due, fact).at(second.line));
    }
    let has_value = section.title.split_once([':', '—', '–', '：']).is_some_and(|(_, value)| !value.trim().is_empty());
    let copies = forge_prose::words::same_words(&section.body, &format!("{}{}", rule.hint, rule.shape.hint()));
    if section.body.trim().is_empty() && !has_value {
        let fact = fact!("section_empty", "section {title:?} is empty ({hint})", title);
        defects.push(Defect::new(need, fact).at(section.line));
    } else if copies || (!has_value && rule.shape != Shape::TextOrNone && !is_written(section, plan)) {
        let fact = fact!(
            "section_unwritten",
            "section {title:?} is not written yet: it has only blanks, \"TBD\" or \"none\"",
            title
        );
        defects.push(Defect::new(need, fact).at(section.line));
    } else if let Some(problem) = shape_problem(rule.shape, section, plan) {
        let is_needed = matches!(rule.shape, Shape::Read(rule) if rule.files_need) && writer == Writer::Outside;
        let need = match need {
            _ if is_needed => Need::Required,
            Need::Required => Need::Due,
            need => need,
        };
        let fact = fact!("section_shape", "section {title:?}: {problem}", title);
        defects.push(Defect::new(need, fact).at(section.line));
    }
    defects
}

/// Whether a section says something: an option may be called "Do nothing".
pub(crate) fn is_written(section: &Section, plan: &Plan) -> bool {
    let outline = section.outline();
    if outline.is_written(&section.title) {
        return true;
    }
    let names = OptionNames::of(&plan.options);
    outline.said().any(|block| !block.is_blank() && !names.named(&block.text()).is_empty())
}

/// A section that is not there; where something looks like it, why that is none.
fn missing_section(rule: &SectionRule, need: Need, draft: &Draft) -> Defect {
    let (title, hint) = (rule.title, rule.hint);
    let near = draft.lookalikes.iter().find(|one| title_matches(&one.title, title));
    match near {
        None => {
            // A heading that shares a word with the wanted one was perhaps meant for it.
            let wanted = forge_prose::words::words(title);
            let shares = |section: &&Section| {
                let said = forge_prose::words::words(&section.title);
                said.iter().any(|word| word.len() > 3 && wanted.contains(word)) && said.len() <= wanted.len() + 1
            };
            match draft.sections.iter().find(shares) {
                Some(other) => {
                    let (line, found) = (other.line, &other.title);
                    let fact = fact!(
                        "section_missing",
                        "section {title:?} is missing; line {line} is {found:?}: write `## {title}`",
                        section = title
                    );
                    Defect::new(need, fact).at(line)
                }
                None => Defect::new(
                    need,
                    fact!("section_missing", "section {title:?} is missing ({hint})", section = title),
                ),
            }
        }
        Some(near) => {
            let why = match near.why {
                NoHeading::Bold => "it is bold, not a heading",
                NoHeading::InCode => "it stands in a code fence",
                NoHeading::Nested => "it stands in a quotation or a list",
                NoHeading::Plain => "it is no heading",
            };
            let fact =
                fact!("section_missing", "section {title:?} is missing: {why}; write `## {title}`", section = title);
            Defect::new(need, fact).at(near.line)
        }
    }
}

fn shape_problem(shape: Shape, section: &Section, plan: &Plan) -> Option<String> {
    let body = section.body.as_str();
    match shape {
        Shape::Text | Shape::TextOrNone | Shape::Line => None,
        Shape::Sentences(most) => {
            let count = sentences(body);
            (count > most).then(|| format!("{count} sentences; at most {most}"))
        }
        Shape::Items(least) => {
            let count = items(body).len().max(table_rows(body).len().saturating_sub(1));
            (count < least).then(|| format!("{count} list items; at least {least}"))
        }
        Shape::Questions(least) => {
            let count = body.matches(['?', '？']).count();
            (count < least).then(|| format!("{count} questions; at least {least}"))
        }
        Shape::Table(columns) => {
            let rows = table_rows(body);
            let head = rows.first().cloned().unwrap_or_default().to_lowercase();
            if let Some(column) = columns.iter().find(|column| !head.contains(&column.to_lowercase())) {
                Some(format!("no table with a column {column:?}"))
            } else {
                (rows.len() < 2).then(|| "the table has no rows".to_owned())
            }
        }
        Shape::Mentions(parts) => {
            let lower = body.to_lowercase();
            parts
                .iter()
                .find(|part| !lower.contains(&part.to_lowercase()))
                .map(|part| format!("{part:?} is not mentioned"))
        }
        Shape::Read(rule) => (rule.problem)(section, plan),
    }
}
