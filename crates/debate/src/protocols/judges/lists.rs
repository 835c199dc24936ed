//! The word lists by which judges' files are read: data files.

use forge_prose::phrases::Phrases;
use std::sync::LazyLock;

macro_rules! word_lists {
    ($($name:ident = $file:literal;)+) => {
        $(pub(super) static $name: LazyLock<Phrases> =
            LazyLock::new(|| Phrases::of(include_str!(concat!("../../../data/judges/", $file, ".txt"))));)+
    };
}

word_lists! {
    BEHIND_JUDGES = "behind-judges";
    BESIDE_JUDGES = "beside-judges";
    BEYOND_DOUBT = "beyond-doubt";
    CHALLENGE_TITLES = "challenge-titles";
    CHANGED_LABELS = "changed-labels";
    CHANGE_WORDS = "change-words";
    CLAUSE_WORDS = "clause-words";
    CONDITIONS_BEHIND = "conditions-behind";
    CONFIDENCE_LABELS = "confidence-labels";
    CONVINCED_LABELS = "convinced-labels";
    COUNTER_LABELS = "counter-labels";
    NEW_VOTE_LABELS = "new-vote-labels";
    NO_GROUND = "no-ground";
    OTHER_TITLES = "other-titles";
    POSITION_WORDS = "position-words";
    REASON_LABELS = "reason-labels";
    UNCONVINCED = "unconvinced";
    UNCONVINCED_WORDS = "unconvinced-words";
    VERB_HELPERS = "verb-helpers";
}
