//! The brief (`docs/forge/knowledge/brief.md`): what the project is for. Made once, then people's.
//!
//! Pure; if the process dies here nothing is left.

use super::FrontMatter;
use super::phase_document::first_line;
use crate::document::Document;

/// A brief to be filled in. The objective stands in it word for word.
pub fn template(objective: &str, date: &str) -> String {
    let body = format!(
        "\n# Brief: {}\n\n## Objective\n\n{objective}\n\n## Success Criteria\n\n- [ ] [What can be measured when it is done]\n\n## Scope\n\n- In: [What belongs to it]\n- Out: [What does not]\n\n## Stakeholders\n\n| Role | Name | Responsibility |\n|---|---|---|\n",
        first_line(objective)
    );
    FrontMatter::default().text("objective", objective).text("created_at", date).finish(&body)
}

/// The objective that a brief was made for.
pub fn objective(text: &str) -> Option<String> {
    super::scalar(Document::parse(text).fields()?, "objective")
}
