//! What owner and guard say to each other, and how it is written as bytes.
//!
//! A message is a tag byte, then its fields in order: integers little-endian, byte strings with a `u32` length
//! before them. Both ends are the same binary, so there is no version; bytes that do not parse end the talk.
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use super::child::{Exit, Sig};

/// A program as the guard is asked to start it; its standard streams travel beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The caller's number.
    pub attempt: u64,
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// The folder to start in, absolute.
    pub cwd: PathBuf,
    /// A standard input travels beside the message; else it is `/dev/null`.
    pub has_stdin: bool,
}

/// What the owner asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Start a program.
    Spawn(Program),
    /// Send a signal to every process of the attempt.
    Signal { attempt: u64, sig: Sig },
    /// End every process of the attempt and say when that is done.
    Sweep { attempt: u64 },
    /// Say how many descendants live.
    Count,
}

/// What the guard answers or reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// The program runs.
    Spawned { attempt: u64, pid: u32 },
    /// The program could not be started.
    SpawnFailed { attempt: u64, refusal: Refusal },
    /// The direct child ended; `left`: other processes of the attempt live.
    Exited { attempt: u64, exit: Exit, left: bool },
    /// No process of the attempt is left, or none that can be killed; `count` were killed.
    Swept { attempt: u64, count: u32 },
    /// So many descendants live.
    Counted { count: u32 },
}

/// Why a program was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// What is at fault.
    pub cause: Cause,
    /// The system's error number, 0 if there is none.
    pub errno: i32,
}

/// What is at fault when a program was not started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The program or its interpreter is missing.
    NotFound,
    /// The program may not be run.
    Denied,
    /// The folder cannot be entered.
    Folder,
    /// Too many bytes.
    TooLong,
    /// The number is taken.
    Busy,
    /// Anything else: see the error number.
    Other,
}

/// Bytes that are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the process guard and its owner do not understand each other; restart teamtui")]
pub struct Malformed;

impl Request {
    /// The request as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut to = Vec::with_capacity(256);
        match self {
            Self::Spawn(program) => {
                to.push(0);
                put_u64(&mut to, program.attempt);
                to.push(u8::from(program.has_stdin));
                put_bytes(&mut to, program.cwd.as_os_str());
                put_u32(&mut to, program.argv.len());
                program.argv.iter().for_each(|word| put_bytes(&mut to, word));
                put_u32(&mut to, program.env.len());
                for (name, value) in &program.env {
                    put_bytes(&mut to, name);
                    put_bytes(&mut to, value);
                }
            }
            Self::Signal { attempt, sig } => {
                to.push(1);
                put_u64(&mut to, *attempt);
                to.push(Sig::ALL.iter().position(|one| one == sig).unwrap_or_default() as u8);
            }
            Self::Sweep { attempt } => {
                to.push(2);
                put_u64(&mut to, *attempt);
            }
            Self::Count => to.push(3),
        }
        to
    }

    /// The request that these bytes are.
    pub fn decode(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut from = Reader(bytes);
        let request = match from.u8()? {
            0 => Self::Spawn(from.program()?),
            1 => Self::Signal { attempt: from.u64()?, sig: from.sig()? },
            2 => Self::Sweep { attempt: from.u64()? },
            3 => Self::Count,
            _ => return Err(Malformed),
        };
        from.end()?;
        Ok(request)
    }
}

impl Reply {
    /// Adds the reply as bytes.
    pub fn encode(&self, to: &mut Vec<u8>) {
        match *self {
            Self::Spawned { attempt, pid } => {
                to.push(0);
                put_u64(to, attempt);
                to.extend(pid.to_le_bytes());
            }
            Self::SpawnFailed { attempt, refusal } => {
                to.push(1);
                put_u64(to, attempt);
                to.push(refusal.cause as u8);
                to.extend(refusal.errno.to_le_bytes());
            }
            Self::Exited { attempt, exit, left } => {
                let (kind, number) = match exit {
                    Exit::Code(code) => (0, code),
                    Exit::Signal(signal) => (1, signal),
                    Exit::GuardLost => (2, 0),
                };
                to.push(2);
                put_u64(to, attempt);
                to.push(kind);
                to.extend(number.to_le_bytes());
                to.push(u8::from(left));
            }
            Self::Swept { attempt, count } => {
                to.push(3);
                put_u64(to, attempt);
                to.extend(count.to_le_bytes());
            }
            Self::Counted { count } => {
                to.push(4);
                to.extend(count.to_le_bytes());
            }
        }
    }

    /// The replies that these bytes are, one behind the other.
    pub fn decode(bytes: &[u8]) -> Result<Vec<Self>, Malformed> {
        let mut from = Reader(bytes);
        let mut replies = Vec::new();
        while !from.0.is_empty() {
            replies.push(from.reply()?);
        }
        Ok(replies)
    }
}

fn put_u64(to: &mut Vec<u8>, number: u64) {
    to.extend(number.to_le_bytes());
}

/// Lengths stay far below `u32::MAX`: a request is bounded by `limit::REQUEST_MAX`, which a longer one trips.
fn put_u32(to: &mut Vec<u8>, length: usize) {
    to.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_bytes(to: &mut Vec<u8>, text: &OsStr) {
    put_u32(to, text.len());
    to.extend(text.as_bytes());
}

/// Takes fields off the front of a message.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (front, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(front)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (front, rest) = self.0.split_first_chunk::<N>().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*front)
    }

    fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn i32(&mut self) -> Result<i32, Malformed> {
        Ok(i32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn text(&mut self) -> Result<OsString, Malformed> {
        let length = self.u32()? as usize;
        Ok(OsString::from_vec(self.take(length)?.to_vec()))
    }

    fn list<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, Malformed>) -> Result<Vec<T>, Malformed> {
        (0..self.u32()?).map(|_| one(self)).collect()
    }

    fn program(&mut self) -> Result<Program, Malformed> {
        Ok(Program {
            attempt: self.u64()?,
            has_stdin: self.u8()? != 0,
            cwd: PathBuf::from(self.text()?),
            argv: self.list(Self::text)?,
            env: self.list(|from| Ok((from.text()?, from.text()?)))?,
        })
    }

    fn reply(&mut self) -> Result<Reply, Malformed> {
        Ok(match self.u8()? {
            0 => Reply::Spawned { attempt: self.u64()?, pid: self.u32()? },
            1 => Reply::SpawnFailed {
                attempt: self.u64()?,
                refusal: Refusal { cause: self.cause()?, errno: self.i32()? },
            },
            2 => Reply::Exited { attempt: self.u64()?, exit: self.exit()?, left: self.u8()? != 0 },
            3 => Reply::Swept { attempt: self.u64()?, count: self.u32()? },
            4 => Reply::Counted { count: self.u32()? },
            _ => return Err(Malformed),
        })
    }

    fn sig(&mut self) -> Result<Sig, Malformed> {
        Sig::ALL.get(usize::from(self.u8()?)).copied().ok_or(Malformed)
    }

    fn cause(&mut self) -> Result<Cause, Malformed> {
        const CAUSES: [Cause; 6] =
            [Cause::NotFound, Cause::Denied, Cause::Folder, Cause::TooLong, Cause::Busy, Cause::Other];
        let byte = self.u8()?;
        CAUSES.into_iter().find(|cause| *cause as u8 == byte).ok_or(Malformed)
    }

    fn exit(&mut self) -> Result<Exit, Malformed> {
        match (self.u8()?, self.i32()?) {
            (0, code) => Ok(Exit::Code(code)),
            (1, signal) => Ok(Exit::Signal(signal)),
            (2, _) => Ok(Exit::GuardLost),
            _ => Err(Malformed),
        }
    }

    fn end(&self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts() -> impl Strategy<Value = OsString> {
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(OsString::from_vec)
    }

    fn requests() -> impl Strategy<Value = Request> {
        let program = (
            any::<u64>(),
            proptest::collection::vec(texts(), 0..6),
            proptest::collection::vec((texts(), texts()), 0..6),
            texts(),
            any::<bool>(),
        );
        prop_oneof![
            program.prop_map(|(attempt, argv, env, cwd, has_stdin)| Request::Spawn(Program {
                attempt,
                argv,
                env,
                cwd: cwd.into(),
                has_stdin
            })),
            (any::<u64>(), proptest::sample::select(Sig::ALL.to_vec()))
                .prop_map(|(attempt, sig)| Request::Signal { attempt, sig }),
            any::<u64>().prop_map(|attempt| Request::Sweep { attempt }),
            Just(Request::Count),
        ]
    }

    proptest! {
        #[test]
        fn a_request_survives_the_wire_byte_for_byte(request in requests()) {
            prop_assert_eq!(Request::decode(&request.encode()), Ok(request));
        }

        #[test]
        fn a_request_cut_anywhere_is_refused(request in requests(), cut in any::<prop::sample::Index>()) {
            let bytes = request.encode();
            let cut = cut.index(bytes.len());
            prop_assert_eq!(Request::decode(&bytes[..cut]), Err(Malformed));
        }

        #[test]
        fn arbitrary_bytes_never_crash_the_readers(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = Request::decode(&bytes);
            let _ = Reply::decode(&bytes);
        }
    }

    #[test]
    fn every_reply_survives_the_wire_alone_and_with_others() {
        let replies = [
            Reply::Spawned { attempt: u64::MAX, pid: 4_000_000 },
            Reply::SpawnFailed { attempt: 7, refusal: Refusal { cause: Cause::Folder, errno: 2 } },
            Reply::Exited { attempt: 7, exit: Exit::Code(255), left: true },
            Reply::Exited { attempt: 7, exit: Exit::Signal(9), left: false },
            Reply::Swept { attempt: 7, count: 3 },
            Reply::Counted { count: 12 },
        ];
        let mut all = Vec::new();
        for reply in replies {
            let mut alone = Vec::new();
            reply.encode(&mut alone);
            assert_eq!(Reply::decode(&alone), Ok(vec![reply]));
            assert!(alone.len() <= super::super::limit::ANSWER_MAX);
            reply.encode(&mut all);
        }
        assert_eq!(Reply::decode(&all), Ok(replies.to_vec()));
        all.pop();
        assert_eq!(Reply::decode(&all), Err(Malformed));
    }
}
