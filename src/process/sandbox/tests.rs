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
