//! Which questions deserve a debate.

use forge_debate::triage::{Class, classify};

// seed: S3-1
#[test]
fn questions_about_what_gets_built_go_to_debate() {
    for (question, class) in [
        ("Should we support offline sync in the MVP?", Class::ScopeCritical),
        ("Build or buy the billing system?", Class::ScopeCritical),
        ("Redis or Memcached for sessions?", Class::ScopeCritical),
        ("Is GDPR data retention in scope for the launch?", Class::ScopeCritical),
        ("What is the default port of Redis?", Class::Factual),
        ("How many regions does the vendor have?", Class::Factual),
        ("Which colour for the button?", Class::Preference),
        ("What wording for the tagline?", Class::Preference),
        ("Rename the helper function in this file name?", Class::Technical),
        ("Tabs, spaces, indent?", Class::Technical),
        ("", Class::Technical),
        ("Hmm.", Class::Technical),
    ] {
        let found = classify(question);
        assert_eq!(found.class, class, "{question}: because of {:?}", found.because);
        assert_eq!(found.class.goes_to_debate(), class == Class::ScopeCritical);
    }
}

/// Words that only contain a telling word: `or` in orchestra, `mvp` in MVPs' neighbours, `scope` in telescope.
#[test]
fn whole_words_count_and_parts_of_words_do_not() {
    for question in [
        "Which telescope?",
        "The orchestra, the store, the door.",
        "A marketer unsupported by anything.",
        "Releasing doves.",
        "Stereotypes.",
        "Iconic fontaine themed buttons",
    ] {
        let found = classify(question);
        assert_eq!((found.class, found.because.len()), (Class::Technical, 0), "{question}: {:?}", found.because);
    }
}

/// Telling words of the classifier that S3 comes from.
#[test]
fn words_of_s3s_own_classifier() {
    for (question, class) in [
        ("Do we need an undo in phase 1?", Class::ScopeCritical),
        ("Is export a must have?", Class::ScopeCritical),
        ("Is dark mode optional for the minimum viable product?", Class::ScopeCritical),
        ("Which features are nice to have, and which are later?", Class::ScopeCritical),
        ("Do we ship it behind a feature flag?", Class::ScopeCritical),
        ("How to display the loading spinner?", Class::Preference),
        ("Toast, snackbar, dialog?", Class::Preference),
        ("Which animation for the transition?", Class::Preference),
        ("Which TTL for the cache?", Class::Technical),
        ("Retry with which backoff?", Class::Technical),
        ("Which page size for the pagination?", Class::Technical),
        ("Is the microscope red?", Class::Technical),
        ("Who capped the escaped toggler?", Class::Technical),
    ] {
        let found = classify(question);
        assert_eq!(found.class, class, "{question}: because of {:?}", found.because);
    }
}

/// Everyday words that say something about scope only with what stands beside them.
#[test]
fn later_limit_cap_future_and_required_alone_call_no_debate() {
    for (question, class) in [
        ("Which cap for the retry backoff?", Class::Technical),
        ("What limit for the page size?", Class::Technical),
        ("Who refactors this function later?", Class::Technical),
        ("Is the comment required?", Class::Technical),
        ("Does the icon move in the future?", Class::Preference),
        ("Which label marks a required input?", Class::Preference),
        ("Is export for a later release?", Class::ScopeCritical),
        ("Does undo wait for a future version?", Class::ScopeCritical),
        ("Is single sign-on required for launch?", Class::ScopeCritical),
        ("Which usage limits does the free tier have?", Class::ScopeCritical),
    ] {
        let found = classify(question);
        assert_eq!(found.class, class, "{question}: because of {:?}", found.because);
    }
}

#[test]
fn case_and_punctuation_do_not_matter() {
    for question in ["OUT OF SCOPE?", "out-of-scope", "Out  of\nscope"] {
        assert!(classify(question).because.contains(&"out of scope"), "{question:?}");
    }
}

#[test]
fn a_tie_goes_to_debate_since_a_missed_one_costs_more() {
    let found = classify("Which feature for the test?");
    assert_eq!((found.class, found.because), (Class::ScopeCritical, vec!["feature"]));
}
