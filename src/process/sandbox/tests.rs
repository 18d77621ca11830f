use super::*;

#[test]
fn what_is_written_is_read_again() {
    let confinements = [
        Confinement {
            writable: vec!["/a b".into(), "--network".into()],
            read_only: vec!["/a b/.git".into()],
            network: true,
            metadata: Metadata::Mounts,
            programs: None,
            memory: Some(1 << 30),
        },
        Confinement {
            metadata: Metadata::Refused,
            programs: Some(vec!["/bin/ls".into()]),
            ..Confinement::default()
        },
        Confinement {
            programs: Some(Vec::new()),
            ..Confinement::default()
        },
    ];
    for confinement in confinements {
        let (program, words) = confinement.wrap(Path::new("/bin/sh"), vec!["-c".into(), "--".into()]);
        assert_eq!(program, Path::new(OURSELVES));
        assert_eq!(words[0], WORD);
        let (read, command) = Confinement::read(words.into_iter().skip(1)).unwrap();
        assert_eq!(read, confinement);
        assert_eq!(command, ["/bin/sh", "-c", "--"]);
    }
}

#[test]
fn words_that_are_not_known_confine_nothing() {
    let read = |words: &[&str]| Confinement::read(words.iter().map(OsString::from));
    assert_eq!(read(&["--writ", "/"]).unwrap_err(), "`--writ` is not known");
    assert_eq!(read(&["--write"]).unwrap_err(), "a path is missing");
    assert_eq!(read(&[]).unwrap(), (Confinement::default(), Vec::new()));
}

/// Runs a command in this confinement and returns its output and status.
async fn run(confinement: Confinement, command: &str, cwd: &Path) -> (Option<i32>, String) {
    use crate::process::{Shell, ShellCommand};
    let path = std::env::var_os("PATH").unwrap();
    let command = ShellCommand {
        shell: Shell::find(None, Some(&path)).unwrap(),
        command: command.to_owned(),
        cwd: cwd.to_owned(),
        environment: vec![("PATH".into(), path)],
        confinement: Some(confinement),
    };
    let mut output = Vec::new();
    let never = tokio_util::sync::CancellationToken::new();
    let running = command.spawn().unwrap();
    let minute = std::time::Duration::from_mins(1);
    let outcome = running
        .finish(minute, &never, |bytes| output.extend_from_slice(bytes))
        .await;
    (outcome.exit, String::from_utf8_lossy(&output).into_owned())
}

fn program(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin"]
        .map(|directory| Path::new(directory).join(name))
        .into_iter()
        .find(|file| file.is_file())
}

fn reading(programs: &[&str], scratch: Option<PathBuf>) -> Confinement {
    let path = std::env::var_os("PATH");
    let mut files: Vec<PathBuf> = programs.iter().filter_map(|name| program(name)).collect();
    files.push(
        crate::process::Shell::find(None, path.as_deref())
            .unwrap()
            .program()
            .to_owned(),
    );
    Confinement::reading(&files, path.as_deref(), scratch)
}

fn can_confine() -> bool {
    let can = Support::of_kernel().can_confine_reading();
    if !can {
        eprintln!("skipped: the kernel cannot confine a command to reading");
    }
    can
}

#[tokio::test]
async fn what_only_reads_changes_nothing_of_a_file() {
    if !can_confine() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a");
    std::fs::write(&file, "text\n").unwrap();
    let before = std::fs::metadata(&file).unwrap();
    let programs = [
        "chmod", "touch", "rm", "mv", "ln", "mkdir", "truncate", "cat", "chattr", "setfattr",
    ];
    for command in [
        "echo x > a",
        "echo x >> a",
        "echo x > new",
        "rm a",
        "mv a b",
        "ln a b",
        "ln -s a b",
        "mkdir b",
        "truncate -s 0 a",
        "chmod 777 a",
        "touch a",
        "touch -d 2001-01-01 a",
        "chattr +d a",
        "setfattr -n user.x -v y a",
        "echo x > /tmp/lathe-test-of-reading",
        "echo x > ~/lathe-test-of-reading",
    ] {
        let (exit, output) = run(reading(&programs, None), command, directory.path()).await;
        assert_ne!(exit, Some(0), "{command}: {output}");
        let names = std::fs::read_dir(directory.path()).unwrap().count();
        let after = std::fs::metadata(&file).unwrap();
        assert_eq!(
            (names, after.permissions(), after.modified().unwrap(), after.len()),
            (1, before.permissions(), before.modified().unwrap(), before.len()),
            "{command}"
        );
    }
    let (exit, output) = run(
        reading(&programs, None),
        "cat a; echo x > /dev/null",
        directory.path(),
    )
    .await;
    assert_eq!((exit, output.as_str()), (Some(0), "text\n"));
}

#[tokio::test]
async fn what_only_reads_may_write_to_scratch() {
    if !can_confine() {
        return;
    }
    let scratch = tempfile::tempdir().unwrap();
    let place = scratch.path().to_owned();
    // A text that is too long for a pipe is put into a file.
    let command =
        "printf -v long '%0100000d' 0; TMPDIR=$PWD; cat <<< $long > /dev/null && echo x > f && echo fine";
    let (_, output) = run(reading(&["cat"], Some(place.clone())), command, &place).await;
    assert_eq!(output, "fine\n");
}

#[tokio::test]
async fn what_only_reads_starts_the_programs_it_was_judged_by() {
    if !can_confine() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let evil = directory.path().join("evil");
    std::fs::write(&evil, "#!/bin/sh\necho ran\n").unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&evil, executable).unwrap();
    for command in ["ls", "./evil", "PATH=.:$PATH evil", "exec ls", "cp /bin/ls x"] {
        let (exit, output) = run(reading(&["cat"], None), command, directory.path()).await;
        assert_eq!(exit, Some(126), "{command}: {output}");
    }
    let (exit, _) = run(reading(&["ls"], None), "ls", directory.path()).await;
    assert_eq!(exit, Some(0));
}

#[tokio::test]
async fn what_only_reads_has_no_sockets_but_pairs() {
    if !can_confine() || program("perl").is_none() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(directory.path().join("socket")).unwrap();
    let _datagrams = std::os::unix::net::UnixDatagram::bind(directory.path().join("datagrams")).unwrap();
    let sockets = |text: &str| format!("perl -MSocket -e '{text}'");
    for text in [
        "socket(S, PF_UNIX, SOCK_STREAM, 0) or die $!; connect(S, sockaddr_un(\"socket\")) or die $!",
        "socket(S, PF_UNIX, SOCK_DGRAM, 0) or die $!",
        "socket(S, PF_INET, SOCK_STREAM, 0) or die $!",
        "socket(S, PF_INET, SOCK_DGRAM, 0) or die $!",
        // A pair of datagram sockets would take any address.
        "socketpair(A, B, PF_UNIX, SOCK_DGRAM, 0) or die $!; send(A, \"x\", 0, sockaddr_un(\"datagrams\")) or die $!",
        "socketpair(A, B, PF_UNIX, SOCK_STREAM, 0) or die $!; connect(A, sockaddr_un(\"socket\")) or die $!",
    ] {
        let (exit, output) = run(reading(&["perl"], None), &sockets(text), directory.path()).await;
        assert!(
            exit != Some(0) && output.contains("not permitted"),
            "{text}: {exit:?} {output}"
        );
    }
    let pair = "socketpair(A, B, PF_UNIX, SOCK_STREAM, 0) or die $!; syswrite(A, \"x\"); sysread(B, $x, 1); print $x";
    let (_, output) = run(reading(&["perl"], None), &sockets(pair), directory.path()).await;
    assert_eq!(output, "x");
}

#[tokio::test]
async fn what_only_reads_neither_signals_nor_takes_all_memory() {
    if !can_confine() || program("perl").is_none() {
        return;
    }
    let mut other = Command::new("sleep").arg("60").spawn().unwrap();
    let command = format!("kill -0 {} && echo reached", other.id());
    let (_, output) = run(reading(&[], None), &command, Path::new("/")).await;
    other.kill().unwrap();
    other.wait().unwrap();
    // Kernels before 6.12 do not keep signals in.
    assert!(output != "reached\n" || !has_signal_scope(), "{output}");
    let much = "until grep -q 2147483648 /proc/self/limits; do :; done; perl -e 'print qq(all) if length(chr(120) x (3 << 30))'";
    let (exit, output) = run(reading(&["perl", "grep"], None), much, Path::new("/")).await;
    assert!(exit != Some(0) && !output.ends_with("all"), "{output}");
}

fn has_signal_scope() -> bool {
    let version = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = version
        .split(['.', '-'])
        .map(|number| number.parse::<u32>().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (6, 12)
}
