//! The brief (`docs/forge/knowledge/brief.md`): what the project is for. Made once, then people's.
//!
//! Pure; if the process dies here nothing is left.

use super::FrontMatter;
use crate::document::Document;
use forge_workflow::extract::passages::lines;

/// A brief to be filled in: the objective word for word, and what to say besides. `date` is the day on which the work
/// began.
pub fn template(objective: &str, date: &str) -> String {
    let closing = lines(objective).closing.map(|closing| format!("{closing}\n")).unwrap_or_default();
    let end = if objective.ends_with('\n') { "" } else { "\n" };
    let body = format!(
        "\n# Brief\n\n## Objective\n\n{objective}{end}{closing}\n\
## Success\n\n<!-- How will we know that it worked? What can be measured, and by when? -->\n\n\
## Scope\n\n<!-- What belongs to it, and what does not although one might think so? -->\n\n\
## People\n\n<!-- Who wants it, who decides, who has to live with it? -->\n"
    );
    FrontMatter::default().text("objective", objective).text("created_at", date).finish(&body)
}

/// The objective that a brief was made for.
pub fn objective(text: &str) -> Option<String> {
    super::scalar(Document::parse(text).fields()?, "objective")
}
