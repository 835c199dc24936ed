//! What the rehearsal looks at in a ballot, its own or a peer's, whatever form asked for it.

use forge_debate::ballot;
use forge_debate::ballot::Ballot;
use forge_debate::datum::Fields;
use forge_debate::plan::OptionId;

ballot! {
    #[derive(Default)]
    pub(crate) struct Spoken {
        option: Option<OptionId>,
        confidence: Option<String>,
        reason: Option<String>,
        verdict: Option<String>,
        response: Option<String>,
        recommendation: Option<String>,
        ruling: Option<String>,
        critique: Option<String>,
        position: Option<String>,
        dissent: Option<String>,
        misrepresented: Option<String>,
        convinced_because: Option<String>,
        changed_because: Vec<String>,
        accurate: Option<bool>,
        converge: Option<bool>,
        challenges: Vec<SpokenChallenge>,
        answers: Vec<SpokenAnswer>,
    }
}

ballot! {
    pub(crate) struct SpokenChallenge {
        to: String,
        text: String,
    }
}

ballot! {
    pub(crate) struct SpokenAnswer {
        to: String,
        answer: String,
        reason: String,
    }
}

impl Spoken {
    pub(crate) fn in_ballot(ballot: &Fields) -> Self {
        Self::of(ballot).unwrap_or_default()
    }
}

/// The words of a field that may be left out.
pub(crate) fn words(field: &Option<String>) -> &str {
    field.as_deref().unwrap_or_default()
}
