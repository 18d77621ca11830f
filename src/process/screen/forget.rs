//! Forgetting what cannot be seen, for a screen that is shown to somebody else from now on.

use alacritty_terminal::term::TermMode;

use super::Screen;

impl Screen {
    /// Forgets everything but the rows of the screen as they stand: the scrollback, and the main screen behind an alternate
    /// one.
    pub fn forget_hidden(&mut self) {
        self.alternate_snapshot = None;
        let term = &mut self.emulator.term;
        if term.mode().contains(TermMode::ALT_SCREEN) {
            // The library clears the alternate screen each time it is shown.
            let shown = term.grid().clone();
            term.swap_alt();
            let main = term.grid_mut();
            main.reset_region(..);
            main.clear_history();
            term.swap_alt();
            *term.grid_mut() = shown;
        } else {
            term.grid_mut().clear_history();
        }
        self.generation += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::process::screen::{Screen, ScreenSettings, ScreenSize};

    fn screen(output: &str) -> Screen {
        let size = ScreenSize { cols: 20, rows: 2 };
        let mut screen = Screen::new(size, ScreenSettings::default());
        screen.feed(output.as_bytes());
        screen
    }

    #[test]
    fn the_scrollback_goes_and_the_screen_stays() {
        let mut screen = screen("secret\r\ntwo\r\nthree");
        screen.forget_hidden();
        assert_eq!(screen.text(), ["two", "three"]);
        assert_eq!(screen.scrollback_text(10), Vec::<String>::new());
        screen.resize(ScreenSize { cols: 20, rows: 5 });
        assert!(!screen.text().concat().contains("secret"));
    }

    #[test]
    fn the_main_screen_behind_an_editor_goes() {
        let mut screen = screen("secret\r\nmore secrets\r\nshell\x1b[?1049heditor");
        screen.forget_hidden();
        assert!(screen.text().concat().contains("editor"), "{:?}", screen.text());
        screen.feed(b"\x1b[?1049l");
        assert_eq!(screen.text(), ["", ""]);
        assert_eq!(screen.scrollback_text(10), Vec::<String>::new());
    }
}
