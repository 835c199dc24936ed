//! Lanes: places and holds, in time that the test moves.

use forge_agents::Lane;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

#[tokio::test(start_paused = true)]
async fn no_more_are_in_than_there_are_places() {
    let lane = Arc::new(Lane::new(2));
    let (inside, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let calls: Vec<_> = (0..9)
        .map(|_| {
            let (lane, inside, most) = (Arc::clone(&lane), Arc::clone(&inside), Arc::clone(&most));
            tokio::spawn(async move {
                let _pass = lane.enter().await;
                most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                sleep(Duration::from_secs(1)).await;
                inside.fetch_sub(1, Ordering::SeqCst);
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap();
    }
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_hold_holds_everybody_until_its_end() {
    let lane = Lane::new(8);
    let start = Instant::now();
    lane.hold(Duration::from_secs(5));
    lane.hold(Duration::from_secs(2));
    assert_eq!(lane.held_for(), Duration::from_secs(5), "the longest counts");
    assert!(timeout(Duration::from_secs(4), lane.enter()).await.is_err());
    let _pass = lane.enter().await;
    assert!(start.elapsed() >= Duration::from_secs(5) && lane.held_for().is_zero());
}

#[tokio::test(start_paused = true)]
async fn a_hold_that_is_made_longer_is_waited_out() {
    let lane = Arc::new(Lane::new(1));
    lane.hold(Duration::from_secs(1));
    let start = Instant::now();
    let waiting = Arc::clone(&lane);
    let entered = tokio::spawn(async move {
        let _pass = waiting.enter().await;
        start.elapsed()
    });
    sleep(Duration::from_millis(500)).await;
    lane.hold(Duration::from_secs(3));
    assert!(entered.await.unwrap() >= Duration::from_millis(3_500));
}

#[tokio::test(start_paused = true)]
async fn a_hold_beyond_all_patience_is_none() {
    let lane = Lane::new(1);
    lane.hold(Duration::from_secs(86_400));
    assert!(lane.held_for().is_zero());
    let _pass = lane.enter().await;
}

#[tokio::test(start_paused = true)]
async fn a_place_comes_back_when_its_call_is_dropped() {
    let lane = Lane::new(0);
    let pass = lane.enter().await;
    assert!(timeout(Duration::from_secs(1), lane.enter()).await.is_err());
    drop(pass);
    assert!(timeout(Duration::from_secs(1), lane.enter()).await.is_ok());
}
