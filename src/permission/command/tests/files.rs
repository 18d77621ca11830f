//! The files that a command names.

use super::*;

#[test]
fn paths_are_found_in_operands_and_options() {
    let found = |command: &str| {
        let list = paths(&simple(command));
        list.iter()
            .map(|operand| operand.text.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (command, expected) in [
        ("rm -rf a /b", "a /b"),
        ("rm -- -x", "-x"),
        ("cp --target-directory=/etc a", "/etc a"),
        ("cat ~/x /etc/*.conf", "~/x /etc/"),
        ("sed -n 1p a", "a"),
        ("sed -e s/a/b/ x", "s/a/b/ x"),
        ("chmod +x a", "a"),
        ("chmod -R 755 a", "a"),
        ("chmod -w /etc/a", "/etc/a"),
        ("tar -xf/etc/a -C../b", "/etc/a ../b"),
        ("gcc -I/usr/include a.c", ""),
        ("dd if=/dev/zero of=/etc/x", "/dev/zero /etc/x"),
        ("cd ..", ".."),
        ("cat \"$PWD\"2/a ${HOME}3 $HOME/b", "2/a 3 /b"),
        ("gcc -o x ../a.c --sysroot=/y", "../a.c /y"),
        ("gcc a.c b/../../c", "b/../../c"),
        ("ls ..", ".."),
        ("curl https://x/../y", ""),
        ("echo /etc/passwd", ""),
        ("cargo test", ""),
    ] {
        assert_eq!(found(command), expected, "{command:?}");
    }
    let home = paths(&simple("cat ~/x '~/y' ~root/z"));
    let kinds: Vec<(bool, bool)> = home
        .iter()
        .map(|operand| (operand.tilde, operand.dynamic))
        .collect();
    assert_eq!(kinds, [(true, false), (false, false), (false, true)]);
}

#[test]
fn files_that_readers_show_are_found() {
    let found = |command: &str| {
        let list = files_read(&simple(command));
        list.iter()
            .map(|operand| operand.text.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (command, expected) in [
        ("cat .env b", ".env b"),
        ("grep -n key .env", ".env"),
        ("grep -e key .env", "key .env"),
        ("grep -nekey .env", ".env"),
        ("grep -nf/p .env", "/p .env"),
        ("sed -nep .env", ".env"),
        ("grep key -- -f", "-f"),
        ("rg key", ""),
        ("sed -n p .env", ".env"),
        ("ls .env", ""),
    ] {
        assert_eq!(found(command), expected, "{command:?}");
    }
}
