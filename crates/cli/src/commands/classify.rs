//! `forge classify`: does a question deserve a debate?

use crate::args::ClassifyArgs;
use crate::exit::Exit;
use crate::render;
use forge_debate::triage::classify;
use serde_json::json;

/// Classifies a question.
pub(crate) fn run(args: &ClassifyArgs) -> Exit {
    if args.question.trim().is_empty() {
        render::error("the question is empty; say what is to be decided");
        return Exit::Usage;
    }
    let triage = classify(&args.question);
    if args.json {
        render::json(&json!({
            "question": args.question,
            "class": triage.class.word(),
            "goes_to_debate": triage.class.goes_to_debate(),
            "because": triage.because,
        }));
    } else {
        let because = if triage.because.is_empty() { "no telling words".to_owned() } else { triage.because.join(", ") };
        let advice = if triage.class.goes_to_debate() { "debate it" } else { "no debate needed" };
        render::out(&format!("{}  {advice}  (found: {because})", triage.class.word()));
    }
    Exit::Done
}
