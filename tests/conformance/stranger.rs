//! Who does not speak the protocol harms nobody.
use crate::bench::{Bench, PATIENCE, comment, human, person};
use teamtui::runtime::wire::{Ask, Hello, MAX_ASK_BYTES, PROTOCOL, Told};
use teamtui::runtime::{ConnectError, Remote};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};

fn line(value: &impl serde::Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).unwrap();
    line.push(b'\n');
    line
}

fn hello(protocol: u32) -> Hello {
    Hello { protocol, teamtui: "0.0.1".to_owned(), pid: 4_242, refused: None }
}

/// Everything that the owner says until it hangs up, its greeting left out.
async fn hears(mut stream: BufReader<UnixStream>) -> String {
    let mut heard = String::new();
    // A connection that is reset has said what it had to say.
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_string(&mut heard)).await.expect("it hangs up");
    heard
}

async fn greeted(bench: &Bench, protocol: u32) -> BufReader<UnixStream> {
    let mut stream = BufReader::new(UnixStream::connect(&bench.sockets.owner).await.unwrap());
    let mut greeting = String::new();
    stream.read_line(&mut greeting).await.unwrap();
    let owner: Hello = serde_json::from_str(&greeting).unwrap();
    assert_eq!((owner.protocol, owner.pid), (PROTOCOL, std::process::id()));
    stream.write_all(&line(&hello(protocol))).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_client_gets_the_owners_greeting_and_nothing_else() {
    let bench = Bench::new(false).await;
    let mut stream = greeted(&bench, PROTOCOL + 1).await;
    // The owner may have hung up already.
    let _ = stream.write_all(&line(&Ask::Snapshot)).await;
    assert_eq!(hears(stream).await, "");
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_old_owner_is_named_with_its_pid_and_both_versions() {
    let bench = Bench::new(false).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("owner.sock");
    let listener = UnixListener::bind(&path).unwrap();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut stream = BufReader::new(stream);
        stream.read_line(&mut String::new()).await.unwrap();
        stream.write_all(&line(&hello(PROTOCOL + 7))).await.unwrap();
    });
    let error = Remote::connect(&path, &bench.run).await.unwrap_err();
    assert!(matches!(error, ConnectError::Version { pid: 4_242, .. }));
    let said = error.to_string();
    for part in ["4242", "0.0.1", env!("CARGO_PKG_VERSION")] {
        assert!(said.contains(part), "{said}");
    }
    bench.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn garbage_half_a_line_and_100_mb_without_an_end_end_their_connection_alone() {
    let bench = Bench::new(false).await;
    bench.team(vec![human("a")]).await;
    let owner = bench.handle(crate::bench::Way::Remote).await;

    let mut garbage = greeted(&bench, PROTOCOL).await;
    garbage.write_all(b"\x00\xff{]\n").await.unwrap();
    let told: Told = serde_json::from_str(&hears(garbage).await).unwrap();
    assert!(matches!(told, Told::Refused(why) if why.contains("not understood")));

    let mut half = greeted(&bench, PROTOCOL).await;
    half.write_all(br#"{"submit":{"actor":"#).await.unwrap();
    drop(half);

    let mut endless = greeted(&bench, PROTOCOL).await;
    let piece = vec![b'x'; 1 << 20];
    let mut written = 0_u64;
    while written < 100 << 20 && endless.write_all(&piece).await.is_ok() {
        written += piece.len() as u64;
    }
    assert!(written <= MAX_ASK_BYTES + (4 << 20), "{written} bytes were taken");

    let mut never = UnixStream::connect(&bench.sockets.owner).await.unwrap();
    never.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    assert!(!hears(BufReader::new(never)).await.contains("\"state\""));

    owner.submit(person(comment("the owner goes on"))).await.unwrap();
    bench.end().await;
}
