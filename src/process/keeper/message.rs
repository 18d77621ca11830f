//! Messages between lathe and the keeper.
//!
//! On the control socket, for each command, one byte comes with four descriptors: a socket for this command alone, and
//! its three streams. On the command's socket lathe writes the request, and the keeper answers with the number of the
//! process or an error, and with its status when it has ended.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;

use crate::process::sandbox::Confinement;
use crate::process::start_request::Start;

/// Larger than any environment with any command that the system takes.
const MAX_REQUEST: u32 = 64 << 20;

/// Writes what is to be started: its length, and words that each end with a zero byte, which none of them can contain.
pub(super) fn send(start: &Start, into: &mut UnixStream) -> io::Result<()> {
    let mut bytes = vec![0; 4];
    let mut word = |word: &[u8]| {
        bytes.extend_from_slice(word);
        bytes.push(0);
        if word.contains(&0) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "a word contains a NUL byte",
            ));
        }
        Ok(())
    };
    let confinement = start.confinement.as_ref().map(Confinement::arguments);
    word(start.cwd.as_os_str().as_bytes())?;
    word(if confinement.is_some() {
        b"confined"
    } else {
        b"free"
    })?;
    let confinement = confinement.unwrap_or_default();
    for (count, list) in [
        (confinement.len(), &confinement),
        (start.arguments.len(), &start.arguments),
    ] {
        word(count.to_string().as_bytes())?;
        for item in list {
            word(item.as_bytes())?;
        }
    }
    word(start.program.as_os_str().as_bytes())?;
    for (name, value) in &start.environment {
        word(name.as_bytes())?;
        word(value.as_bytes())?;
    }
    let length = u32::try_from(bytes.len() - 4).unwrap_or(u32::MAX);
    if length > MAX_REQUEST {
        return Err(io::ErrorKind::ArgumentListTooLong.into());
    }
    bytes[..4].copy_from_slice(&length.to_ne_bytes());
    into.write_all(&bytes)
}

/// Reads what [`send`] wrote.
pub(super) fn receive(from: &mut UnixStream) -> io::Result<Start> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u32::from_ne_bytes(length);
    if length > MAX_REQUEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length as usize];
    from.read_exact(&mut bytes)?;
    parse(&bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn parse(bytes: &[u8]) -> Option<Start> {
    let mut words = bytes
        .strip_suffix(b"\0")?
        .split(|byte| *byte == 0)
        .map(|word| OsString::from_vec(word.to_vec()));
    let cwd = words.next()?.into();
    let is_confined = words.next()? == "confined";
    let mut list = || {
        let count: usize = words.next()?.to_str()?.parse().ok()?;
        let list: Vec<OsString> = words.by_ref().take(count).collect();
        (list.len() == count).then_some(list)
    };
    let (confinement, arguments) = (list()?, list()?);
    let (confinement, _) = Confinement::read(confinement).ok()?;
    let program = words.next()?.into();
    let mut environment = Vec::new();
    while let Some(name) = words.next() {
        environment.push((name, words.next()?));
    }
    Some(Start {
        program,
        arguments,
        cwd,
        environment,
        confinement: is_confined.then_some(confinement),
    })
}

/// The keeper's answer to a request: the number of the process, and an error where there is none.
pub(super) fn answer(started: &io::Result<u32>) -> [[u8; 4]; 2] {
    let (pid, error) = match started {
        Ok(pid) => (*pid, 0),
        Err(error) => (0, error.raw_os_error().unwrap_or_default()),
    };
    [pid.to_ne_bytes(), error.to_ne_bytes()]
}

/// Reads an [`answer`].
pub(super) fn answered([pid, error]: [[u8; 4]; 2]) -> io::Result<u32> {
    match (u32::from_ne_bytes(pid), i32::from_ne_bytes(error)) {
        (0, 0) => Err(io::Error::other("the kernel did not confine it")),
        (0, error) => Err(io::Error::from_raw_os_error(error)),
        (pid, _) => Ok(pid),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Start {
        Start {
            program: "/bin/sh".into(),
            arguments: vec![
                "-c".into(),
                String::new().into(),
                OsString::from_vec(b"\xff\n".to_vec()),
            ],
            cwd: "/a b".into(),
            environment: vec![("A".into(), "b=c".into()), ("EMPTY".into(), String::new().into())],
            confinement: None,
        }
    }

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        let confined = Start {
            confinement: Some(Confinement {
                writable: vec!["/a".into()],
                programs: Some(Vec::new()),
                ..Confinement::default()
            }),
            ..start()
        };
        for start in [start(), confined] {
            let (mut near, mut far) = UnixStream::pair().unwrap();
            send(&start, &mut near).unwrap();
            assert_eq!(receive(&mut far).unwrap(), start);
        }
    }

    #[test]
    fn words_that_no_process_can_have_are_not_sent() {
        let odd = Start {
            program: "/bin/\0sh".into(),
            ..start()
        };
        let (mut near, _far) = UnixStream::pair().unwrap();
        assert_eq!(
            send(&odd, &mut near).unwrap_err().kind(),
            io::ErrorKind::InvalidInput
        );
    }

    #[test]
    fn requests_that_are_cut_are_none() {
        for bytes in [
            &b""[..],
            b"/\0",
            b"/\0free\x000\x009\0a\0",
            b"/\0free\x000\x000\0/p\0NAME\0",
        ] {
            assert_eq!(parse(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn numbers_and_errors_are_answered() {
        assert_eq!(answered(answer(&Ok(7))).unwrap(), 7);
        let missing = answered(answer(&Err(io::Error::from_raw_os_error(2)))).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        assert!(answered(answer(&Err(io::Error::other("x")))).is_err());
    }
}
