//! A form in words: the last part of every brief.

use crate::model::form::{Field, Form, Kind, Shape};
use crate::model::plan::Plan;

impl Form {
    /// The form in words, with an example of the ballot: the last part of every brief.
    pub fn describe(&self, plan: &Plan) -> String {
        let mut out = String::new();
        if !self.sections.is_empty() {
            out.push_str("Write these sections, each under a level-two Markdown heading with exactly this title:\n\n");
            for rule in &self.sections {
                out.push_str(&format!("## {}\n{}{}\n\n", rule.title, rule.hint, rule.shape.hint()));
            }
        }
        if !self.fields.is_empty() {
            let after = if self.sections.is_empty() { "Reply with" } else { "After the sections, end with" };
            out.push_str(&format!(
                "{after} exactly one fenced block that starts with ```json. It is your ballot; only what stands in it is counted:\n\n```json\n{}\n```\n\n",
                example(&self.fields, plan, 0)
            ));
            for field in &self.fields {
                out.push_str(&format!("- `{}` ({}): {}\n", field.name, field.need.word(), field.help));
            }
        }
        out
    }
}

impl Shape {
    /// What is expected beside the section's own hint, in brackets.
    pub fn hint(self) -> String {
        match self {
            Shape::Text | Shape::Line => String::new(),
            Shape::TextOrNone => " (`None` where there are none)".to_owned(),
            Shape::Sentences(most) => format!(" (at most {most} sentences)"),
            Shape::Items(least) => format!(" (a bullet list, at least {least})"),
            Shape::Questions(least) => format!(" (a list, at least {least} questions)"),
            Shape::Table(columns) => format!(" (a table: {})", columns.join(" | ")),
            Shape::Mentions(parts) => format!(" (name each: {})", parts.join(", ")),
            Shape::Read(rule) => format!(" ({})", rule.hint),
        }
    }
}

/// The ballot with blanks in it. No value of it is one that could be meant: what is copied does not count.
fn example(fields: &[Field], plan: &Plan, depth: usize) -> String {
    let pad = "  ".repeat(depth + 1);
    let ids: Vec<&str> = plan.options.iter().map(|option| option.id.as_str()).collect();
    let lines: Vec<String> = fields
        .iter()
        .map(|field| {
            let value = match field.kind {
                Kind::Option => format!("\"<{}>\"", one_of(&ids)),
                Kind::Options => format!("[\"<{}>\"]", one_of(&ids)),
                Kind::Word(all) => format!("\"<{}>\"", one_of(all)),
                Kind::Flag => "\"<true or false>\"".to_owned(),
                Kind::Text(_) => "\"<...>\"".to_owned(),
                Kind::Texts(_) => "[\"<...>\"]".to_owned(),
                Kind::Records(_, inner) => format!("[{}]", example(inner, plan, depth + 1)),
            };
            format!("{pad}\"{}\": {value}", field.name)
        })
        .collect();
    format!("{{\n{}\n{}}}", lines.join(",\n"), "  ".repeat(depth))
}

/// `A, B or C`.
pub(crate) fn one_of(words: &[&str]) -> String {
    match words {
        [] => "...".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
