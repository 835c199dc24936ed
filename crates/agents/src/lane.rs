//! A lane: how many calls may be under way at once to one account or one machine, and until when nobody may start.
//!
//! All seats of a run that use the same provider share its lane, so that one seat's rate limit holds the others back too
//! instead of being met by each of them anew.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

/// The longest time for which a lane is held.
const HOLD_LIMIT: Duration = Duration::from_secs(600);

/// A lane.
#[derive(Debug)]
pub struct Lane {
    places: Arc<Semaphore>,
    held_until: Mutex<Option<Instant>>,
}

/// A place in a lane; given back when dropped.
#[derive(Debug)]
pub struct Pass(#[allow(dead_code, reason = "held, not read")] Option<OwnedSemaphorePermit>);

impl Lane {
    /// A lane for so many calls at once, at least one.
    pub fn new(places: usize) -> Self {
        Self { places: Arc::new(Semaphore::new(places.max(1))), held_until: Mutex::new(None) }
    }

    /// Waits for a place, and for the end of whatever holds the lane.
    pub async fn enter(&self) -> Pass {
        // The semaphore is never closed.
        let pass = Pass(Arc::clone(&self.places).acquire_owned().await.ok());
        self.released().await;
        pass
    }

    /// Waits for the end of whatever holds the lane.
    pub async fn released(&self) {
        while let Some(until) = self.held() {
            sleep_until(until).await;
        }
    }

    /// How long the lane is still held.
    pub fn held_for(&self) -> Duration {
        self.held().map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Holds the lane: nobody starts a call for so long. A hold that is longer than anybody would wait is none: whoever asks
    /// next learns at once what the provider says.
    pub fn hold(&self, pause: Duration) {
        if pause > HOLD_LIMIT {
            return;
        }
        let until = Instant::now() + pause;
        let mut held = self.held_until.lock().unwrap_or_else(PoisonError::into_inner);
        *held = Some(held.map_or(until, |known| known.max(until)));
    }

    fn held(&self) -> Option<Instant> {
        self.held_until.lock().unwrap_or_else(PoisonError::into_inner).filter(|until| *until > Instant::now())
    }
}
