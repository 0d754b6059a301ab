//! Commands that change who does what, and what a new owner makes of it.
use super::*;

impl Run {
    pub(super) fn adopt(&mut self, t: usize) -> Option<(Result<Reply, Rejection>, bool)> {
        let answer = self.trial.person(Command::Adopt { task: number(t), attempt: None });
        let task = &mut self.model.tasks[t];
        let open = matches!(task.phase, Phase::Failed | Phase::Stale | Phase::InReview);
        let accepted = open && task.has_result;
        if accepted {
            task.phase = Phase::Completed;
        }
        Some((answer, accepted))
    }

    pub(super) fn add(&mut self, m: usize, on: usize, c: u8) -> Option<(Result<Reply, Rejection>, bool)> {
        let (needs, owner) = (needs(c), (c % 8 != 1).then_some(m));
        let edges: Vec<usize> = if c.is_multiple_of(3) { Vec::new() } else { vec![on] };
        let spec = TaskSpec {
            assignee: owner.map(|m| name(&own(m))),
            depends_on: edges.iter().map(|on| EdgeSpec { on: number(*on), needs }).collect(),
            priority: i32::from(c % 5),
            ..TaskSpec::default()
        };
        let answer = self.trial.person(Command::AddTask(Box::new(spec)));
        let alive = edges.iter().all(|on| self.model.may_wait_for(*on, needs));
        let accepted = alive && owner.is_none_or(|m| !self.model.members[m].closed);
        if accepted {
            let mut task = model::task(owner, edges.into_iter().map(|on| (on, needs)).collect());
            (task.added, task.priority) = (true, i32::from(c % 5));
            self.model.tasks.push(task);
        }
        Some((answer, accepted))
    }

    pub(super) fn give(&mut self, from: usize, to: usize) -> Option<(Result<Reply, Rejection>, bool)> {
        let spec = TaskSpec { assignee: Some(name(&own(to))), ..TaskSpec::default() };
        let answer = self.in_attempt(from, Command::AddTask(Box::new(spec)))?;
        let full = from != to && (self.model.given(to, Some(from)) >= 3 || self.model.given(to, None) >= 5);
        let accepted = self.model.may_act(from) && !self.model.members[to].closed && !full;
        if accepted {
            let mut task = model::task(Some(to), BTreeMap::new());
            (task.added, task.giver) = (true, (from != to).then_some(from));
            self.model.tasks.push(task);
        }
        Some((answer, accepted))
    }

    pub(super) fn assign(&mut self, t: usize, to: usize) -> Option<(Result<Reply, Rejection>, bool)> {
        let answer = self.trial.person(Command::Assign { task: number(t), to: name(&own(to)) });
        let open = matches!(self.model.status(t), Status::Pending | Status::Failed | Status::Stale);
        let accepted = open && !self.model.members[to].closed;
        if accepted {
            (self.model.tasks[t].owner, self.model.tasks[t].giver) = (Some(to), None);
        }
        Some((answer, accepted))
    }

    pub(super) fn claim_or_complete(
        &mut self,
        m: usize,
        t: usize,
        c: u8,
    ) -> Option<(Result<Reply, Rejection>, bool)> {
        let claims = c.is_multiple_of(2);
        let command = match claims {
            true => Command::Claim { task: number(t) },
            false => Command::Complete { task: Some(number(t)), text: "done".into() },
        };
        let own_attempt = self.model.members[m].at == Some(t);
        let answer = self.in_attempt(m, command)?;
        let may_act = self.model.may_act(m);
        let mine = self.model.tasks[t].owner.is_none_or(|owner| owner == m);
        let status = self.model.status(t);
        if !claims && own_attempt && !may_act {
            self.model.members[m].orphan = true;
        }
        let accepted = may_act
            && mine
            && match status {
                Status::Pending => true,
                Status::InProgress => !claims && own_attempt,
                Status::Completed => !claims,
                _ => false,
            };
        if !accepted || status == Status::Completed {
            return Some((answer, accepted));
        }
        let done = self.model.done(t);
        if claims {
            self.model.tasks[t].giver = self.model.tasks[t].owner.and(self.model.tasks[t].giver);
        } else if own_attempt {
            self.model.end(m, done, true);
        } else {
            let task = &mut self.model.tasks[t];
            (task.phase, task.has_result, task.crashes) = (done, true, 0);
        }
        self.model.tasks[t].owner = Some(m);
        Some((answer, accepted))
    }

    pub(super) fn steer(&mut self, m: usize, t: usize, c: u8) -> Option<(Result<Reply, Rejection>, bool)> {
        let who = || Some(name(&own(m)));
        let open = !self.model.members[m].closed;
        match c % 6 {
            0 | 1 => {
                let answer = match c % 6 {
                    0 => self.trial.person(Command::Pause { member: who() }),
                    _ => self.trial.person(Command::Resume { member: who() }),
                };
                self.model.members[m].paused =
                    if open { c.is_multiple_of(6) } else { self.model.members[m].paused };
                Some((answer, open))
            }
            2 => {
                self.model.paused = true;
                Some((self.trial.person(Command::Pause { member: None }), true))
            }
            3 | 4 => {
                self.model.paused = false;
                Some((self.trial.person(Command::Resume { member: None }), true))
            }
            _ => {
                let change = TaskChange { priority: Some(i32::from(c % 7)), ..TaskChange::default() };
                let answer = self.trial.person(Command::Update { task: number(t), change });
                let accepted = !self.model.status(t).is_final();
                if accepted {
                    self.model.tasks[t].priority = i32::from(c % 7);
                }
                Some((answer, accepted))
            }
        }
    }

    pub(super) fn talk(&mut self, m: usize, to: usize, b: u8) -> Option<(Result<Reply, Rejection>, bool)> {
        let text = format!("{b} of {}", self.trial.state.seq);
        if b.is_multiple_of(4) {
            let answer = self.in_attempt(m, Command::ReadInbox { wait_ms: None })?;
            let accepted = self.model.may_act(m);
            if let Ok(Reply { data: Data::Inbox(letters), .. }) = &answer {
                let unread = std::mem::take(&mut self.model.members[m].unread);
                let read: Vec<&str> = letters.iter().map(|l| l.text.raw()).collect();
                assert_eq!(read, unread.iter().map(|(_, text, _)| text.as_str()).collect::<Vec<_>>());
            }
            return Some((answer, accepted));
        }
        let send = Command::Send { to: own(to), text: text.as_str().into() };
        let from = (b % 4 > 1).then_some(m);
        let answer = if from.is_some() { self.in_attempt(m, send)? } else { self.trial.person(send) };
        let accepted = from != Some(to) && !self.model.is_over(to);
        if accepted {
            self.model.members[to].unread.push((from, text, false));
        }
        Some((answer, accepted))
    }

    pub(super) fn rewire(&mut self, t: usize, on: usize, c: u8) -> Option<(Result<Reply, Rejection>, bool)> {
        let needs = needs(c);
        let after = if c.is_multiple_of(5) { Vec::new() } else { vec![EdgeSpec { on: number(on), needs }] };
        let keeps_none = after.is_empty();
        let answer = self.trial.replan(vec![PlanStep::Rewire { task: number(t), after }]);
        let old = self.model.tasks[t].edges.get(&on).copied();
        let alive = old.is_some() || self.model.may_wait_for(on, needs);
        let waits = self.model.tasks[t].phase == Phase::Waiting;
        let accepted = waits && (keeps_none || (alive && !self.model.reaches(on, t)));
        if accepted {
            self.model.tasks[t].edges.clear();
            if !keeps_none {
                self.model.tasks[t].edges.insert(on, (needs, old.is_some_and(|(_, waived)| waived)));
            }
        }
        Some((answer, accepted))
    }

    pub(super) fn replace_or_remove(
        &mut self,
        m: usize,
        t: usize,
        c: u8,
    ) -> Option<(Result<Reply, Rejection>, bool)> {
        if c.is_multiple_of(3) {
            return self.remove(m);
        }
        let new = self.model.members.len();
        if new >= 12 {
            return None;
        }
        // A name beyond those of the plan: the model's members are numbered as they come.
        let add = AddMember { member: member(&own(new), &[]), like: None, given: Vec::new() };
        let steps =
            vec![PlanStep::Add(Box::new(add)), PlanStep::Replace { old: number(t), new: name(&own(new)) }];
        let answer = self.trial.replan(steps);
        let edges: BTreeMap<usize, Needs> =
            self.model.tasks[t].edges.iter().map(|(on, (needs, _))| (*on, *needs)).collect();
        let alive = edges.iter().all(|(on, needs)| self.model.may_wait_for(*on, *needs));
        // The model tells members by their brief, so that a brief must be the next task.
        let accepted = alive && self.model.tasks[t].phase != Phase::Completed;
        if accepted {
            self.put_in_place(t, edges);
        }
        Some((answer, accepted))
    }

    pub(super) fn put_in_place(&mut self, old: usize, edges: BTreeMap<usize, Needs>) {
        let new = self.model.tasks.len();
        let mut task = model::task(Some(self.model.members.len()), edges);
        task.priority = self.model.tasks[old].priority;
        self.model.tasks.push(task);
        self.model.members.push(model::Member { brief: Some(new), ..model::Member::default() });
        for dependent in self.model.tasks.iter_mut().filter(|d| d.phase == Phase::Waiting) {
            if let Some((needs, _)) = dependent.edges.remove(&old) {
                dependent.edges.insert(new, (needs, false));
            }
        }
        if !self.model.status(old).is_final() {
            self.model.cancel(old, None);
        }
    }

    pub(super) fn remove(&mut self, m: usize) -> Option<(Result<Reply, Rejection>, bool)> {
        let answer = self.trial.person(Command::Remove { member: name(&own(m)) });
        let accepted = !self.model.members[m].closed;
        if accepted {
            self.model.members[m].closed = true;
            for t in 0..self.model.tasks.len() {
                if self.model.tasks[t].owner == Some(m) && !self.model.status(t).is_final() {
                    self.model.cancel(t, None);
                }
            }
            self.model.members[m].stopping |= self.model.members[m].busy;
        }
        Some((answer, accepted))
    }

    pub(super) fn recover_or_stale(&mut self, m: usize, c: u8) -> Option<(Result<Reply, Rejection>, bool)> {
        if c.is_multiple_of(2) {
            return self.recover();
        }
        let known: Vec<(AttemptId, Token)> = self.tokens.iter().map(|(id, token)| (*id, *token)).collect();
        let (attempt, mut token) = known.get(usize::from(c) % known.len().max(1)).copied()?;
        let live = self.trial.state.live.contains_key(&attempt);
        token.0 ^= u64::from(live);
        let actor = Actor::Member { attempt, token };
        let before = self.trial.state.clone();
        let command = [
            Command::Progress { percent: 1, text: "".into() },
            Command::Send { to: own(m), text: "x".into() },
            Command::ReadInbox { wait_ms: None },
            Command::AddTask(Box::default()),
        ][m % 4]
            .clone();
        let rejection = self.trial.ask(actor, command).unwrap_err();
        assert_eq!(rejection.code, Code::StaleToken);
        assert_eq!(self.trial.state, before);
        None
    }

    pub(super) fn recover(&mut self) -> Option<(Result<Reply, Rejection>, bool)> {
        self.trial.system(Command::Recover(Box::default()));
        for m in 0..self.model.members.len() {
            let model::Member { busy, stopping, orphan, at, .. } = self.model.members[m];
            if !busy {
                continue;
            }
            let crashes = at.map_or(0, |t| self.model.tasks[t].crashes + 1);
            let phase = if stopping || crashes >= 3 { Phase::Stale } else { Phase::Waiting };
            self.model.end(m, phase, orphan);
            if let Some(t) = at {
                self.model.tasks[t].crashes = crashes;
            }
        }
        Some((Ok(Reply::default()), true))
    }
}
