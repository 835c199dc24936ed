//! Plans as they are written and read: a debate that was just made is gone on with as it would be read of its files.

use crate::config;
use forge_artifacts::disk::{Disk, Durability, WorkspaceDisk};
use forge_artifacts::formats::plan::{self, PlanFile};
use forge_artifacts::store::{self, DebateFiles};
use forge_debate::plan::{
    Choice, Demands, Families, Hand, Limits, Material, Matter, Naming, Plan, Seat, SeatId, letter,
};
use forge_debate::protocols::{self, Protocols};
use forge_debate::texts::Texts;
use forge_debate::voting::Threshold;
use proptest::prelude::*;
use std::sync::Arc;

/// Words as people type them, and everything that YAML, Markdown and editors make something of.
fn words() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zA-Z0-9 ]{1,12}",
        "\\PC{1,6}",
        Just("---\n".to_owned()),
        Just("\n---\nstatus: \"running\"\n".to_owned()),
        Just("\r\n".to_owned()),
        Just(": - # ' \" \\ | > & * ! %".to_owned()),
        Just("\u{FEFF}\u{85}\u{2028}\u{0}\u{1B}\t".to_owned()),
        Just("null".to_owned()),
        Just("1e3".to_owned()),
    ];
    proptest::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

fn planned() -> impl Strategy<Value = (Plan, Vec<Material>)> {
    let options = proptest::collection::vec((words(), words()), 2..5);
    let materials = proptest::collection::vec(words(), 0..3);
    (words(), options, materials, any::<u64>(), any::<[bool; 4]>(), proptest::option::of(1u64..10_000_000)).prop_map(
        |(question, options, materials, seed, flags, max_cost)| {
            let protocol = protocols::newest("judges").unwrap();
            let seats = protocol.profile.seats(None, "q").unwrap();
            let [robust, grounded, named, same] = flags;
            let choice =
                |(i, (label, description)): (usize, (String, String))| Choice { id: letter(i), label, description };
            let hand = Hand::Agent("openai:a model".to_owned());
            let seats =
                seats.iter().map(|spec| Seat { family: Some(question.clone()), ..Seat::new(spec, hand.clone()) });
            let plan = Plan {
                at_stake: vec![Matter::Other(question.clone())],
                id: "q1".to_owned(),
                protocol: &protocol.profile,
                question: format!("Which? {}", question.trim()),
                options: options.into_iter().enumerate().map(choice).collect(),
                materials: Vec::new(),
                seats: seats.collect(),
                limits: Limits {
                    rounds: 2,
                    threshold: Threshold::TWO_THIRDS,
                    min_rounds: 1,
                    timeout_seconds: 120,
                    max_calls: None,
                    max_tokens: None,
                    max_cost,
                    min_challengers: 1,
                },
                seed,
                naming: if named { Naming::Named } else { Naming::Anonymous },
                families: if same { Families::MayBeTheSame } else { Families::MustDiffer },
                demands: Demands { robust, grounded, ..Demands::default() },
                place: "docs/forge".to_owned(),
                phase: "decision".to_owned(),
                roster: None,
                synthesizer: Some(SeatId::from("risk")),
                created_at: "2026-08-01T00:00:00Z".to_owned(),
            };
            let texts = materials.into_iter().enumerate();
            (plan, texts.map(|(i, text)| Material { name: format!("{i}.md"), text }).collect())
        },
    )
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn what_was_made_is_what_is_read((plan, materials) in planned()) {
        let root = tempfile::tempdir().unwrap();
        let disk: Arc<dyn Disk> = Arc::new(WorkspaceDisk::open(root.path(), Durability::None).unwrap());
        let file = PlanFile {
            protocol: protocols::newest("judges").unwrap(),
            plan,
            request: None,
            materials: Vec::new(),
            roles: Vec::new(),
            own_roles: Vec::new(),
            prompts: Vec::new(),
            framed: false,
            status: "pending".to_owned(),
        };
        let texts = Texts::embedded();
        let file = store::with_digests(file, &materials, &texts);
        let text = plan::write(&file, &texts);
        let made = store::create(&disk, Protocols::default(), file, &materials, &texts, text);
        let Ok(made) = made else { return Ok(()) };
        let read = DebateFiles::open(&disk, Protocols::default(), &made.layout.plan()).unwrap();
        prop_assert_eq!(&made.plan, &read.plan);
        prop_assert_eq!(&made.file, &read.file);
        prop_assert_eq!(&made.texts, &read.texts);
        prop_assert_eq!(made.plan_digest, read.plan_digest);
    }
}
