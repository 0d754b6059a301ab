//! When to draw: on change, several changes at once, at most once in 16 ms, and not at all while nothing changes.

/// Least time between two frames.
pub const FRAME_MS: u64 = 16;

/// The frames that are due. All times are the screen's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frames {
    wanted: bool,
    drawn_ms: Option<u64>,
}

impl Frames {
    /// Something changed: a frame is wanted.
    pub fn want(&mut self) {
        self.wanted = true;
    }

    /// When the loop must wake: for the frame that is wanted, else for what changes by time alone. None: never.
    pub fn wake_ms(&self, change_ms: Option<u64>) -> Option<u64> {
        if self.wanted { Some(self.earliest_ms()) } else { change_ms }
    }

    /// Is a frame to be drawn now? Then it counts as drawn.
    pub fn take(&mut self, now_ms: u64) -> bool {
        let is_due = self.wanted && now_ms >= self.earliest_ms();
        if is_due {
            *self = Self { wanted: false, drawn_ms: Some(now_ms) };
        }
        is_due
    }

    fn earliest_ms(&self) -> u64 {
        self.drawn_ms.map_or(0, |drawn| drawn.saturating_add(FRAME_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_within_a_frame_are_one_frame() {
        let mut frames = Frames::default();
        frames.want();
        assert!(frames.take(100));
        for now in 101..116 {
            frames.want();
            assert!(!frames.take(now));
            assert_eq!(frames.wake_ms(Some(900)), Some(116));
        }
        assert!(frames.take(116));
        assert!(!frames.take(200));
    }

    #[test]
    fn nothing_wanted_and_nothing_moving_never_wakes() {
        let mut frames = Frames::default();
        frames.want();
        frames.take(5);
        assert_eq!(frames.wake_ms(None), None);
        assert_eq!(frames.wake_ms(Some(1_000)), Some(1_000));
    }
}
