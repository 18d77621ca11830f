//! The scope with which "always" begins.

use super::*;

/// Asks and says with which scope "always" begins, without an answer.
fn first_scope(driver: &mut Driver) -> &'static str {
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
    driver.press("a");
    let text = driver.text();
    let scopes = ["this session", "this project", "everywhere"];
    let named = scopes
        .into_iter()
        .find(|scope| text.contains(&format!("scope: {scope}")));
    named.unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn always_begins_with_this_project_and_then_with_what_was_chosen_last() {
    let mut driver = Driver::open();
    assert_eq!(first_scope(&mut driver), "this project");
    driver.press("s s");
    driver.press("enter");
    driver.wait(600);
    assert_eq!(first_scope(&mut driver), "this session");
    // Everywhere has to be chosen each time.
    driver.press("s s");
    assert!(driver.text().contains("scope: everywhere"));
    driver.press("enter");
    driver.wait(600);
    assert_eq!(first_scope(&mut driver), "this session");
    let scopes: Vec<Scope> = driver
        .replies()
        .into_iter()
        .filter_map(|reply| match reply {
            PermissionReply::Always { scope, .. } => Some(scope),
            _ => None,
        })
        .collect();
    assert_eq!(scopes, [Scope::Session, Scope::Everywhere]);
}

fn chosen(scope: Scope) -> ChosenScopes {
    let mut scopes = ChosenScopes::default();
    scopes.choose(&PermissionKey::BASH, scope);
    scopes
}

#[test]
fn always_begins_with_the_scope_that_was_stored_last_before_the_start() {
    let mut driver = Driver::closed();
    let mut snapshot = driver.snapshot();
    snapshot.info.scopes = chosen(Scope::Session);
    driver.attach(&snapshot);
    assert_eq!(first_scope(&mut driver), "this session");
}

#[test]
fn the_scope_that_was_chosen_holds_when_the_session_is_attached_to_again() {
    let mut driver = Driver::open();
    assert_eq!(first_scope(&mut driver), "this project");
    driver.press("s s enter");
    driver.wait(600);
    let mut snapshot = driver.snapshot();
    snapshot.info.scopes = chosen(Scope::Project);
    driver.attach(&snapshot);
    assert_eq!(first_scope(&mut driver), "this session");
}

#[test]
fn an_edit_is_allowed_for_this_session_at_first_and_for_longer_only_after_a_move() {
    let mut driver = Driver::open();
    let ask = || {
        let ask = Ask::new(PermissionKey::EDIT, Subject::new("a.txt")).always("*");
        inquiry(
            "edit",
            "edit wants to change a.txt",
            vec![ask],
            bash_card("a.txt"),
        )
    };
    driver.ask(ask());
    driver.hear();
    driver.press("a");
    assert!(driver.text().contains("scope: this session"), "{}", driver.text());
    driver.wait(1000);
    driver.press("enter");
    let stored = |driver: &mut Driver| match driver.replies().as_slice() {
        [PermissionReply::Always { scope, .. }] => Some(*scope),
        _ => None,
    };
    assert_eq!(stored(&mut driver), Some(Scope::Session));
    driver.ask(bash("cargo test", &["cargo test *"]));
    driver.hear();
    driver.press("a");
    driver.wait(1000);
    driver.press("enter");
    assert_eq!(stored(&mut driver), None);
    assert!(driver.text().contains("not stored yet"), "{}", driver.text());
    driver.press("down enter");
    assert_eq!(stored(&mut driver), Some(Scope::Project));
}
