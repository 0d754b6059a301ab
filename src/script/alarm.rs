//! The alarms of a script: timers of its own, each with the place in the run's time where the cursor finds it due.
use crate::domain::{By, Event, Fact, Rejection, Reply};
use tokio::sync::oneshot;

/// The timers that a script has asked for, in their order, and how many of them the cursor has seen.
#[derive(Debug, Default)]
pub(super) struct Timers {
    asked: u64,
    seen: u64,
    due_ms: u64,
}

impl Timers {
    /// One more is asked for; gives its place in the order.
    pub fn ask(&mut self) -> u64 {
        self.asked = self.asked.saturating_add(1);
        self.asked
    }

    /// The one that was asked for last was refused: there is none.
    pub fn refused(&mut self) {
        self.asked = self.asked.saturating_sub(1);
    }

    /// A fact at the cursor.
    pub fn fold(&mut self, fact: &Fact) {
        if let Event::TimerSet(e) = &fact.event
            && fact.by == By::Script
        {
            self.seen = self.seen.saturating_add(1);
            self.due_ms = e.due_ms;
        }
    }

    /// When the last one is due, in ms of the run's time; none before the cursor has seen it set.
    pub fn due_ms(&self, place: u64) -> Option<u64> {
        (self.seen == place).then_some(self.due_ms)
    }
}

/// A timer of a script. Dropped, nobody waits for it.
pub struct Alarm {
    place: u64,
    answer: oneshot::Receiver<Result<Reply, Rejection>>,
    task: tokio::task::JoinHandle<()>,
}

impl Alarm {
    pub(super) fn new(
        place: u64,
        asking: impl Future<Output = Result<Reply, Rejection>> + Send + 'static,
    ) -> Self {
        let (sender, answer) = oneshot::channel();
        let task = tokio::spawn(async move {
            // Whoever set it may be gone.
            let _ = sender.send(asking.await);
        });
        Self { place, answer, task }
    }

    /// Its place among the timers of the script.
    pub(super) fn place(&self) -> u64 {
        self.place
    }

    /// Why there is no such timer; resolves only where it was refused. When it is due, the facts tell. Cancel safe.
    pub(super) async fn refused(&mut self) -> Rejection {
        if !self.answer.is_terminated()
            && let Ok(Err(rejection)) = (&mut self.answer).await
        {
            return rejection;
        }
        std::future::pending().await
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Seq, event};

    fn set(by: By, due_ms: u64) -> Fact {
        let event = Event::TimerSet(event::TimerSet { due_ms, attempt: None });
        Fact { seq: Seq(1), elapsed_ms: 0, at_ms: 0, team: None, by, line: None, event }
    }

    #[test]
    fn an_alarm_is_due_when_its_own_timer_is() {
        let mut timers = Timers::default();
        let (dropped, own) = (timers.ask(), timers.ask());
        timers.fold(&set(By::Script, 10));
        assert_eq!((timers.due_ms(dropped), timers.due_ms(own)), (Some(10), None));
        timers.fold(&set(By::Person, 15));
        assert_eq!(timers.due_ms(own), None);
        timers.fold(&set(By::Script, 20));
        assert_eq!(timers.due_ms(own), Some(20));
    }

    #[tokio::test]
    async fn an_alarm_that_is_refused_says_so_and_one_that_is_due_stays_silent() {
        let no = Rejection::new(crate::domain::Code::BadPlan, "the disk is full");
        let asking = {
            let no = no.clone();
            async move { Err(no) }
        };
        assert_eq!(Alarm::new(1, asking).refused().await, no);
        let mut due = Alarm::new(1, async { Ok(Reply::default()) });
        for _ in 0..2 {
            assert!(futures::poll!(Box::pin(due.refused())).is_pending());
            tokio::task::yield_now().await;
        }
    }
}
