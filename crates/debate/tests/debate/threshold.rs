//! Thresholds: fractions, however they are spelled.

use forge_debate::plan::SEATS_LIMIT;
use forge_debate::voting::Threshold;

/// A threshold, and of each number of seats the fewest that reach it.
const FEWEST: &[(&str, &[(usize, usize)])] = &[
    ("2/3", &[(1, 1), (2, 2), (3, 2), (4, 3), (5, 4), (6, 4), (7, 5), (8, 6), (9, 6)]),
    ("0.67", &[(1, 1), (2, 2), (3, 2), (4, 3), (5, 4), (6, 4), (7, 5), (8, 6), (9, 6)]),
    ("67%", &[(2, 2), (3, 2), (6, 4), (9, 6)]),
    ("0.667", &[(2, 2), (3, 2), (6, 4), (9, 6)]),
    ("1/2", &[(1, 1), (2, 1), (3, 2), (4, 2), (5, 3)]),
    ("0.5", &[(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (11, 6)]),
    ("1", &[(1, 1), (2, 2), (3, 3), (24, 24)]),
    ("1.0", &[(1, 1), (2, 2), (3, 3), (20, 20), (24, 24)]),
    ("100%", &[(3, 3), (24, 24)]),
    ("3/4", &[(3, 3), (4, 3), (5, 4), (8, 6)]),
    ("0.7", &[(3, 3), (10, 7)]),
];

#[test]
fn a_threshold_is_reached_by_its_fewest_votes_and_no_fewer() {
    for (text, rows) in FEWEST {
        let threshold = Threshold::parse(text).unwrap();
        for (all, fewest) in *rows {
            assert!(threshold.is_reached(*fewest, *all), "{text}: {fewest} of {all} are enough");
            assert!(!threshold.is_reached(fewest - 1, *all), "{text}: {} of {all} are too few", fewest - 1);
        }
    }
}

#[test]
fn more_votes_never_undo_a_threshold() {
    for (text, _) in FEWEST {
        let threshold = Threshold::parse(text).unwrap();
        for all in 1..=SEATS_LIMIT {
            for votes in 0..all {
                assert!(
                    !threshold.is_reached(votes, all) || threshold.is_reached(votes + 1, all),
                    "{text}: {votes}/{all}"
                );
            }
            assert!(threshold.is_reached(all, all), "{text}: everyone is enough");
            assert!(!threshold.is_reached(0, all), "{text}: nobody is not");
        }
    }
}

#[test]
fn nobody_of_nobody_agrees_on_nothing() {
    for (text, _) in FEWEST {
        assert!(!Threshold::parse(text).unwrap().is_reached(0, 0), "{text}");
    }
}

/// Spellings of one share: a trailing zero or a percent sign must not change a verdict.
// seed: S3-21
#[test]
fn one_share_is_one_threshold_in_every_spelling() {
    for spellings in [["0.7", "0.70", "70%"], ["0.9", "0.90", "90%"], ["0.5", "0.500", "50%"], ["1.0", "1.00", "100%"]]
    {
        for all in 1..=SEATS_LIMIT {
            for votes in 0..=all {
                let says = spellings.map(|text| Threshold::parse(text).unwrap().is_reached(votes, all));
                assert!(says.iter().all(|one| *one == says[0]), "{votes} of {all}: {spellings:?} say {says:?}");
            }
        }
    }
}
