//! What members of the scripted driver do to files, and with which token.
use super::*;

#[tokio::test]
async fn r32_a_write_is_an_intent_an_effect_and_an_outcome() {
    let stage = Stage::new();
    let lines = ["write docs/SECURITY.md \"token refresh races\"", "write docs/SECURITY.md more", "complete"];
    assert_eq!(stage.play("a", &lines).await.cause, EndCause::Silent);
    assert_eq!(stage.file("docs/SECURITY.md"), "more");
    let note = "wrote docs/SECURITY.md, 19 B\nwrote docs/SECURITY.md, 4 B\n";
    assert!(stage.desk.text(Channel::Note).starts_with(note));
    let trial = stage.desk.trial.lock().unwrap();
    let hashes: Vec<_> = trial
        .facts
        .iter()
        .filter_map(|fact| match &fact.event {
            Event::EffectAsked(asked) => Some((asked.before.clone(), asked.after.clone())),
            Event::EffectSettled(settled) => {
                assert_eq!(settled.refused, None);
                None
            }
            _ => None,
        })
        .collect();
    let (first, second) = (sha256(b"token refresh races"), sha256(b"more"));
    assert_eq!(hashes, [(None, first.clone()), (Some(first), second)]);
    assert!(trial.state.writes.is_empty());
}

#[tokio::test]
async fn c021_a_write_from_a_stale_read_is_a_conflict_and_is_on_record() {
    let stage = Stage::new();
    std::fs::write(stage.folder.path().join("notes.md"), "h0").unwrap();
    let late = stage.seat("b", &["read notes.md", "sleep 1s", "write notes.md \"B's\""]);
    // B sleeps until A has written.
    struct Between(Arc<Desk>, Mutex<Option<futures::future::BoxFuture<'static, ()>>>);
    impl Port for Between {
        fn submit(&self, asked: Asked) -> Later<Result<Reply, Rejection>> {
            let between = match asked.command {
                Command::Sleep { .. } => self.1.lock().unwrap().take(),
                _ => None,
            };
            let desk = Arc::clone(&self.0);
            Box::pin(async move {
                if let Some(between) = between {
                    between.await;
                }
                desk.submit(asked).await
            })
        }
        fn hang(&self, attempt: AttemptId) -> Later<()> {
            self.0.hang(attempt)
        }
        fn snapshot(&self) -> Later<Arc<State>> {
            self.0.snapshot()
        }
    }
    let first = stage.seat("a", &["read notes.md", "write notes.md \"A's\""]);
    let first = async { assert_eq!(run(first).await.cause, EndCause::Silent) };
    let port = Between(stage.desk.clone(), Mutex::new(Some(Box::pin(first))));
    let end = run(Seat { port: Arc::new(port), ..late }).await;
    let conflict = format!(
        "conflict: notes.md has changed since it was read; its sha256 is {} now; read it again",
        sha256(b"A's")
    );
    assert_eq!(end.cause, broken(format!("line 3: {conflict}")));
    assert_eq!(stage.file("notes.md"), "A's");
    let trial = stage.desk.trial.lock().unwrap();
    let words: Vec<&str> = trial.words().into_iter().filter(|word| word.starts_with("effect")).collect();
    assert_eq!(words, ["effect_asked", "effect_settled", "effect_asked", "effect_settled"]);
    let refusals: Vec<_> = trial
        .facts
        .iter()
        .filter_map(|fact| match &fact.event {
            Event::EffectSettled(settled) => Some(settled.refused.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(refusals, [None, Some(Untrusted::from(conflict))]);
}

#[tokio::test]
async fn c040_nothing_outside_the_workspace_is_read_or_written() {
    let outer = tempfile::tempdir().unwrap();
    let mut stage = Stage::new();
    stage.folder = tempfile::tempdir_in(&outer).unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path(), stage.folder.path().join("outbox")).unwrap();
    let absolute = format!("write {}/x text", outside.path().display());
    for line in
        ["write ../x text", "write outbox/x text", "write outbox/deep/x text", "read outbox/x", &absolute]
    {
        let end = stage.play("a", &[line]).await;
        assert!(matches!(end.cause, EndCause::Broken(_)), "{line}");
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    assert_eq!(std::fs::read_dir(outer.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn r12_who_lost_its_token_is_refused() {
    let stage = Stage::new();
    let mut seat = stage.seat("a", &["progress 10 x"]);
    seat.job.token = crate::domain::Token(seat.job.token.0 ^ 1);
    let end = run(seat).await;
    let EndCause::Broken(why) = end.cause else { panic!("{:?}", end.cause) };
    assert!(why.raw().starts_with("line 1: stale token"), "{why:?}");
}
