//! How messages travel: one packet each on a `SOCK_SEQPACKET` socket, file descriptors beside it
//! (`SCM_RIGHTS`), and a message too long for a packet in a memory file of its own.
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

use super::limit::{PACKET_FDS, PACKET_MAX, REQUEST_MAX};

/// First byte of a packet whose message is in the memory file beside it; no message begins with it.
const IN_MEMORY_FILE: u8 = u8::MAX;

/// The two ends of a guard's socket; both are closed on exec.
pub fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// A message ready to be sent, with the descriptors that go along.
pub struct Outgoing {
    bytes: Vec<u8>,
    memory_file: Option<OwnedFd>,
}

impl Outgoing {
    /// Puts a message into a packet, or into a memory file if it is long. `E2BIG` beyond the limit.
    pub fn new(message: Vec<u8>) -> io::Result<Self> {
        if message.len() <= PACKET_MAX {
            return Ok(Self { bytes: message, memory_file: None });
        }
        if message.len() > REQUEST_MAX {
            return Err(rustix::io::Errno::TOOBIG.into());
        }
        let mut file = File::from(memfd_create("teamtui-request", MemfdFlags::CLOEXEC)?);
        file.write_all(&message)?;
        file.rewind()?;
        Ok(Self { bytes: vec![IN_MEMORY_FILE], memory_file: Some(file.into()) })
    }

    /// Sends it. The descriptors are duplicated: the caller still closes its own.
    pub fn send(&self, socket: impl AsFd, fds: &[BorrowedFd<'_>], flags: SendFlags) -> io::Result<()> {
        let all: Vec<BorrowedFd<'_>> =
            self.memory_file.iter().map(AsFd::as_fd).chain(fds.iter().copied()).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PACKET_FDS))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !all.is_empty() && !control.push(SendAncillaryMessage::ScmRights(&all)) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        sendmsg(socket, &[IoSlice::new(&self.bytes)], &mut control, flags | SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

/// A message as it came in.
pub struct Incoming {
    /// The message.
    pub bytes: Vec<u8>,
    /// The descriptors that came along, closed on exec.
    pub fds: Vec<OwnedFd>,
}

/// Takes the next message off the socket without waiting; `None` at end of file, `WouldBlock` if there is none.
/// `packet` is room for one packet, of any content.
pub fn receive(socket: impl AsFd, packet: &mut [u8; PACKET_MAX]) -> io::Result<Option<Incoming>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(PACKET_FDS))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(socket, &mut [IoSliceMut::new(packet)], &mut control, flags)?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let mut bytes = packet.get(..received.bytes).unwrap_or_default().to_vec();
    let mut fds: Vec<OwnedFd> = Vec::new();
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            fds.extend(rights);
        }
    }
    if bytes.first() == Some(&IN_MEMORY_FILE) && !fds.is_empty() {
        bytes.clear();
        File::from(fds.remove(0)).take(REQUEST_MAX as u64).read_to_end(&mut bytes)?;
    }
    Ok(Some(Incoming { bytes, fds }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(message: Vec<u8>, fds: &[BorrowedFd<'_>]) -> Incoming {
        let (here, there) = pair().unwrap();
        Outgoing::new(message).unwrap().send(&here, fds, SendFlags::empty()).unwrap();
        receive(&there, &mut [0; PACKET_MAX]).unwrap().unwrap()
    }

    #[test]
    fn a_long_message_arrives_whole_and_its_descriptors_keep_their_places() {
        let (mut reader, writer) = io::pipe().unwrap();
        for length in [1, PACKET_MAX, PACKET_MAX + 1, REQUEST_MAX] {
            let message: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let mut incoming = round_trip(message.clone(), &[writer.as_fd()]);
            assert_eq!(incoming.bytes, message);
            assert_eq!(incoming.fds.len(), 1);
            File::from(incoming.fds.remove(0)).write_all(b"x").unwrap();
            let mut byte = [0];
            reader.read_exact(&mut byte).unwrap();
        }
    }

    #[test]
    fn a_message_over_the_limit_is_refused_before_it_is_sent() {
        let refused = Outgoing::new(vec![0; REQUEST_MAX + 1]).err().unwrap();
        assert_eq!(refused.raw_os_error(), Some(rustix::io::Errno::TOOBIG.raw_os_error()));
    }

    #[test]
    fn end_of_file_and_an_empty_socket_are_told_apart() {
        let (here, there) = pair().unwrap();
        assert_eq!(receive(&there, &mut [0; PACKET_MAX]).err().unwrap().kind(), io::ErrorKind::WouldBlock);
        drop(here);
        assert!(receive(&there, &mut [0; PACKET_MAX]).unwrap().is_none());
    }
}
