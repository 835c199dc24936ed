//! The word lists of the gate's rules: data files, a few languages each.

use forge_prose::phrases::Phrases;
use std::sync::LazyLock;

macro_rules! word_lists {
    ($($name:ident = $file:literal;)+) => {
        $(pub(super) static $name: LazyLock<Phrases> =
            LazyLock::new(|| Phrases::of(include_str!(concat!("../../../../data/", $file, ".txt"))));)+
    };
}

word_lists! {
    ABOUT_IT = "about-it";
    ACCEPTED = "accepted-words";
    ADVERBS = "adverbs";
    BODIES = "bodies";
    CAUSES = "causes";
    CONDITIONS = "conditions";
    CONNECTORS = "connectors";
    DECIDERS = "deciders";
    DOUBTS = "doubts";
    GOES_ON = "goes-on";
    GO_AHEAD = "go-ahead-words";
    IMPERATIVES = "imperatives";
    LABELS = "choice-labels";
    LEAD_INS = "lead-ins";
    NOT_DECIDERS = "not-deciders";
    OTHER_VERBS = "other-verbs";
    OUT_OF_PLACE = "out-of-place";
    PARTING = "parting";
    PASSED_OVER = "passed-over-words";
    REASONS = "reasons";
    REFUSALS = "refusals";
    RELATIVES = "relatives";
    REPORTS = "reports";
    STATUS_LABELS = "status-labels";
    TURNED_DOWN = "turned-down";
    UNDECIDED = "undecided";
    WITHDRAWALS = "withdrawals";
}
