//! forge is killed while four CLIs wait for their models: nothing goes on, and the next run ends the debate.

use super::{Field, outside, processes_of};
use crate::model::serve_all_wires;
use forge_testkit::model_server::Answer;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn killed_in_the_middle_nothing_goes_on_and_the_next_run_ends() {
    let silent = Arc::new(AtomicBool::new(true));
    let switch = Arc::clone(&silent);
    let server = || serve_all_wires(&[], move |_, _| switch.load(Ordering::SeqCst).then_some(Answer::Hang));
    let Some(field) = Field::with(server) else { return };
    let mut args = vec!["debate", "Build or buy?", "--protocol", "gate", "--id", "d1", "--timeout", "60s"];
    args.extend(["--option", "Build it", "--option", "Buy it", "--option", "Wait"]);
    for seat in ["advocate=claude", "skeptic=gemini", "operator=qwen", "synthesizer=codex"] {
        args.extend(["--seat", seat]);
    }
    let running = field.place.start(&args);
    field.waits_for(3);
    assert!(!processes_of(&field.place).is_empty(), "the programs can be seen");
    assert!(running.kill());
    field.patiently("the end of every process", || processes_of(&field.place).is_empty().then_some(()));
    field.patiently("the end of the seats' folders", || (outside(&field.place) == field.outside).then_some(()));

    silent.store(false, Ordering::SeqCst);
    let done = field.place.forge(&args).code(0).out("DECIDED");
    assert!(!done.out.contains("DEGRADED"), "{done}");
    field.place.forge(&["verify", "--all"]).code(0);
    field.is_clean(&[&done]);
}
