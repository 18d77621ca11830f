//! The screen's state and everything that changes it, without a terminal and without a clock.
//!
//! What happens comes in as calls (`key`, `session`, `pass_time` …) with the moment it happened; what has to be done
//! outside comes out as [`Effect`]s; how soon to draw as a [`Change`]. So the whole screen can be driven by a test: keys
//! in, frames out.
//!
//! `keys` reads keys and performs actions, `picking` does it for lists, `palette` for the one of all actions, `paging` for pages, `stream` takes in what the
//! session says, `sessions` puts another session on screen, `layers` draws in the places that `areas` gives, `hints` tells
//! what keys do. The conversation, the composer and the dialog look after themselves; here is only what lies between them.

mod answers;
mod areas;
mod attaching;
mod attention;
mod beside;
mod completing;
mod drawing;
mod forms;
mod hints;
mod history;
mod keys;
mod layers;
mod paging;
mod palette;
mod parked;
mod picking;
mod pointer;
mod search;
mod session_list;
mod sessions;
mod stream;
mod taking;
mod trusting;
mod vim;
mod waiting;
mod welcome;

#[cfg(test)]
mod tests;

pub(crate) use vim::CaretShape;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Mouse;
use super::completion::{self, Completion, Places, Uses};
use super::composer::Composer;
use super::dialog::{Guard, Leaving, Permission, Trust, TrustAnswer, TrustQuestion};
use super::keymap::{Context, Keymap, List};
use super::page::{HookRuns, Page};
use super::panel::Panel;
use super::picker::Picker;
use super::pictures::{Job, Pictures};
use super::prompts::Written;
use super::queue_list::QueueList;
use super::sessions::{Request, SeatId, Wanted};
use super::statusbar::Facts;
use super::surroundings::{Motion, Surroundings};
use super::terminal::passage::Passage;
use super::trace::State;
use super::transcript::{Change, FilePlace, Transcript};
use crate::conversation::{CallId, ModelRef, SessionId};
use crate::permission::{Mode, Question, QuestionId};
use crate::session::query::Query;
use crate::session::{AgentChoice, CommandChoice, Input, ModelChoice, Op, Queued};
use crate::view::highlight::Highlighter;
use crate::view::theme::{ColorDepth, Meaning, Theme};

/// The clock of everything that turns.
const SPINNER: Duration = Duration::from_millis(80);
/// The same where nothing turns: clocks still count.
const SECOND: Duration = Duration::from_secs(1);
/// After this long without a key the draft is stored.
const DRAFT: Duration = Duration::from_millis(250);
/// `esc` again, or `ctrl+c` again, within this time.
const AGAIN: Duration = Duration::from_secs(1);
/// After `esc` closed something it is deaf, so that `esc esc` never stops more than it should.
const ESC_DEAF: Duration = Duration::from_millis(300);
/// The table of the leader's keys appears after this.
const LEADER_TABLE: Duration = Duration::from_millis(400);
/// What is asked already is judged by a new mode after this: whoever cycles through the modes means only the last.
const MODE_RESTS: Duration = Duration::from_secs(1);
/// How long a remark stands in the hint row.
const REMARK: Duration = Duration::from_secs(4);

/// A theme for each kind of background. Both may be the same.
#[derive(Debug, Clone)]
pub struct Themes {
    pub dark: Arc<Theme>,
    pub light: Arc<Theme>,
}

impl Themes {
    /// Whether they are the same two.
    pub(super) fn are(&self, other: &Self) -> bool {
        self.dark.name() == other.dark.name() && self.light.name() == other.light.name()
    }
}

/// Themes by the name that the configuration knows them by.
#[derive(Debug, Clone)]
pub struct NamedThemes {
    pub name: String,
    pub themes: Themes,
}

/// Gives all themes there are. Reads files, so it is asked when somebody wants to see them.
pub type ThemeList = Box<dyn Fn() -> Vec<NamedThemes>>;

/// What is known before the session is open.
pub(crate) struct Setup {
    pub(crate) model: String,
    pub(crate) agent: String,
    pub(crate) mode: Mode,
    pub(crate) directory: PathBuf,
    /// Whose history of prompts is walked.
    pub(crate) project: PathBuf,
    pub(crate) is_demo: bool,
    pub(crate) themes: Themes,
    pub(crate) theme_list: ThemeList,
    /// Where a choice is written to be kept.
    pub(crate) settings_file: PathBuf,
    pub(crate) keymap: Keymap,
    /// Where it is kept what is picked often.
    pub(crate) uses_file: PathBuf,
    pub(crate) wheel_lines: u16,
    pub(crate) mouse: Mouse,
    pub(crate) copies_on_select: bool,
    /// Whether the composer works with vim's modes.
    pub(crate) uses_vim: bool,
    pub(crate) prompt: Option<String>,
    /// To be asked before the session opens.
    pub(crate) trust: Option<TrustQuestion>,
    pub(crate) surroundings: Surroundings,
}

/// What the finder was asked, and what it said of what was picked before.
#[derive(Debug, Default)]
struct UsesState {
    uses: Uses,
    is_asked: bool,
    /// Numbers the questions, whatever session they are asked for.
    questions: u64,
}

/// Something to do outside.
#[derive(Debug, Clone)]
pub(crate) enum Effect {
    /// To the session that is on screen when this is performed.
    Send(Op),
    SendTo(SeatId, Op),
    /// Opens a session; what it says comes under this seat.
    OpenSession(SeatId, Wanted),
    /// From here on `Send` means this one.
    ShowSession(SeatId),
    /// Looks something up in the store, or has it changed there.
    AskStore(Request),
    /// Lets a session end.
    CloseSession(SeatId),
    /// Lets the session open, with what the project brings or without.
    Trust(TrustAnswer),
    /// Asks the session; the answer comes back with the question.
    Ask(Query),
    Copy {
        text: String,
        /// What it is, for the notice.
        what: String,
    },
    /// Opens the editor on the first of these that is a file.
    Open(Vec<FilePlace>),
    /// Shows this text in the editor.
    View(String),
    /// Shows all of an output in the editor, from this file; where that is gone, what is left of it.
    ViewWhole {
        path: String,
        left: String,
    },
    /// Tells somebody who looks elsewhere.
    Notify {
        title: String,
        body: String,
    },
    /// Takes the mouse or leaves it alone.
    Mouse(Mouse),
    /// Opens the editor on this text.
    Edit(String),
    /// Puts a draft into the history.
    KeepPrompt(Written),
    /// Reads the history.
    ReadPrompts,
    /// Takes the picture on the clipboard.
    PastePicture,
    /// Looks for something to complete a word with.
    Find(completion::Request),
    /// Makes a picture for the screen.
    MakePicture(Job),
    Suspend,
    /// Has the next frame drawn in full.
    Redraw,
    Quit,
}

pub(crate) struct App {
    start: Instant,
    attention: attention::Attention,
    keymap: Keymap,
    themes: Themes,
    theme_list: ThemeList,
    settings_file: PathBuf,
    theme: Arc<Theme>,
    highlighter: Highlighter,
    surroundings: Surroundings,
    pictures: Pictures,
    wheel_lines: u16,
    mouse: Mouse,
    copies_on_select: bool,
    uses_vim: bool,
    /// The last press of the mouse on the transcript.
    press: Option<pointer::Press>,
    due: Option<pointer::Due>,
    directory: PathBuf,
    /// That lathe was started in.
    project: PathBuf,
    facts: Facts,
    link: Link,
    seat: SeatId,
    next_seat: SeatId,
    /// Sessions that are open and not on screen, the last one that was first.
    others: Vec<sessions::Other>,
    /// What the title row says of a session of which nothing is known yet.
    blank: sessions::Blank,
    /// Whether to quit while other sessions are at work.
    leaving: Option<Leaving>,
    /// The session on screen, once it is open.
    root: Option<SessionId>,
    /// The one that was asked for, where it is not new.
    wanted: Option<SessionId>,
    transcript: Transcript,
    composer: Composer,
    completion: Completion,
    /// What is picked often from it.
    uses: UsesState,
    /// Keys that wait for what they pick from.
    held: completing::Held,
    /// A message that came back for its files.
    unread: Option<attaching::CameBack>,
    uses_file: PathBuf,
    /// Commands of the person's own that run.
    shells: HashSet<CallId>,
    /// Whether the editor has a folded paste, and not the whole draft.
    edits_chip: bool,
    /// What of the history is being read.
    reading: history::Reading,
    panel: Panel,
    queue: Vec<Queued>,
    queue_list: QueueList,
    /// Inputs that the session was asked for.
    wanted_inputs: HashMap<u64, waiting::Wanted>,
    /// What was sent before the session was open.
    unsent: Vec<Op>,
    /// A command that the program was started with; the session has to be open to know it.
    early_command: Option<String>,
    /// Whether something was sent from here.
    has_spoken: bool,
    turn: Turn,
    /// Those the session can be changed to.
    agents: Vec<AgentChoice>,
    models: Vec<ModelChoice>,
    /// Commands of the user's own.
    commands: Vec<CommandChoice>,
    /// Asked for; comes with the next step.
    wanted_agent: Option<String>,
    wanted_model: Option<ModelRef>,
    /// Open questions, oldest first.
    questions: Vec<Arc<Question>>,
    /// Those that a person left for later.
    put_off: HashSet<QuestionId>,
    dialog: Option<Permission>,
    /// Asked before there is a session that could ask anything.
    trust: Option<Trust>,
    forms: forms::OpenForms,
    focus: Focus,
    /// They cover the screen, the last one the others.
    pages: Vec<Box<dyn Page>>,
    /// What is written in the search row, while it is open.
    search: Option<Composer>,
    hooks: HookRuns,
    picker: Option<Box<Picker>>,
    /// What the newest picker lists.
    list: List,
    session_list: session_list::SessionList,
    /// Since when the leader waits for its key.
    leader: Option<Instant>,
    esc: Esc,
    /// `ctrl+c` was pressed while nothing was there to stop.
    quit_armed: Option<Instant>,
    remark: Option<Remark>,
    /// When what waits is judged by the mode that was chosen.
    mode_rests: Option<Instant>,
    /// When the draft last got a key.
    typed: Option<Instant>,
    draft: DraftState,
    dropped_keys: u64,
    /// Where the parts of the last frame stood.
    shown: layers::Shown,
    effects: Vec<Effect>,
}

/// How the session stands.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Link {
    /// Not open yet: what is sent waits.
    Opening,
    Open,
    /// Another process holds it.
    ReadOnly(String),
    /// Could not be opened, or has ended.
    Gone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Idle,
    Busy,
}

/// Who gets the keys when nothing lies above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Focus {
    Composer,
    /// The list of what waits.
    Queue,
    Transcript,
    Panel,
}

#[derive(Debug, Default)]
struct Esc {
    /// Pressed once while a turn runs.
    armed: Option<Instant>,
    deaf_until: Option<Instant>,
}

struct Remark {
    text: String,
    meaning: Meaning,
    until: Instant,
}

/// Whether the session has what stands in the composer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DraftState {
    Stored,
    /// Changed; due then.
    Due(Instant),
}

impl App {
    pub(crate) fn new(setup: Setup, now: Instant) -> Self {
        let facts = Facts {
            title: String::new(),
            model: setup.model,
            agent: setup.agent,
            mode: setup.mode,
            is_demo: setup.is_demo,
            is_read_only: false,
            context_used: 0,
            context_limit: None,
            cost: None,
            asks: 0,
        };
        let mut app = Self {
            start: now,
            keymap: setup.keymap,
            attention: attention::Attention::new(now),
            theme: Arc::clone(&setup.themes.dark),
            themes: setup.themes,
            theme_list: setup.theme_list,
            settings_file: setup.settings_file,
            highlighter: Highlighter::plain(),
            pictures: Pictures::new(setup.surroundings.draws_by),
            surroundings: setup.surroundings,
            wheel_lines: setup.wheel_lines,
            mouse: setup.mouse,
            copies_on_select: setup.copies_on_select,
            uses_vim: setup.uses_vim,
            press: None,
            due: None,
            seat: SeatId::FIRST,
            next_seat: SeatId(SeatId::FIRST.0 + 1),
            others: Vec::new(),
            blank: sessions::Blank {
                facts: facts.clone(),
                directory: setup.directory.clone(),
            },
            directory: setup.directory,
            leaving: None,
            project: setup.project,
            facts,
            link: Link::Opening,
            root: None,
            wanted: None,
            transcript: Transcript::new(),
            composer: Composer::default(),
            edits_chip: false,
            reading: history::Reading::default(),
            panel: Panel::default(),
            completion: Completion::default(),
            uses: UsesState::default(),
            held: completing::Held::default(),
            unread: None,
            uses_file: setup.uses_file,
            shells: HashSet::new(),
            queue: Vec::new(),
            queue_list: QueueList::default(),
            wanted_inputs: HashMap::new(),
            has_spoken: setup.prompt.is_some(),
            unsent: Vec::new(),
            early_command: None,
            turn: Turn::Idle,
            agents: Vec::new(),
            models: Vec::new(),
            commands: Vec::new(),
            wanted_agent: None,
            wanted_model: None,
            questions: Vec::new(),
            put_off: HashSet::new(),
            dialog: None,
            trust: setup.trust.map(|question| Trust::new(question, now)),
            forms: forms::OpenForms::default(),
            focus: Focus::Composer,
            pages: Vec::new(),
            search: None,
            hooks: HookRuns::default(),
            picker: None,
            list: List::Actions,
            session_list: session_list::SessionList::default(),
            leader: None,
            esc: Esc::default(),
            quit_armed: None,
            remark: None,
            mode_rests: None,
            typed: None,
            draft: DraftState::Stored,
            dropped_keys: 0,
            shown: layers::Shown::default(),
            effects: Vec::new(),
        };
        if setup.uses_vim {
            app.composer.use_vim();
        }
        let background = app.surroundings.background;
        app.set_background(background);
        if let Some(prompt) = setup.prompt {
            app.begin_with(prompt);
        }
        app
    }

    /// Takes what has to be done outside.
    pub(crate) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// How many colours the terminal shows.
    pub(crate) fn color_depth(&self) -> ColorDepth {
        self.surroundings.depth
    }

    /// Whether there is a conversation to draw.
    pub(crate) fn has_content(&self) -> bool {
        !self.transcript.is_empty()
    }

    /// The grammars are loaded: source is coloured from now on.
    pub(crate) fn colour_source(&mut self) -> Change {
        self.highlighter = Highlighter::new();
        Change::Soft
    }

    /// Whether something on screen moves with the clock.
    pub(crate) fn is_animated(&self) -> bool {
        self.transcript.animated() && self.pages.is_empty() && self.picker.is_none()
    }

    /// Returns the next moment at which something changes by itself.
    pub(crate) fn deadline(&self, now: Instant) -> Option<Instant> {
        let spinner = self.is_animated().then(|| self.next_turn(now));
        let again = |since: Option<Instant>| since.map(|since| since + AGAIN);
        let draft = match self.draft {
            DraftState::Due(at) if self.link == Link::Open => Some(at),
            _ => None,
        };
        // Once the table is there it stays; nothing more is due.
        let table = self
            .leader
            .map(|since| since + LEADER_TABLE)
            .filter(|at| *at > now);
        let clock = self.is_asked().then(|| self.next_second(now));
        let work = self.picker.as_ref().filter(|picker| picker.is_working());
        let times = [
            spinner,
            clock,
            work.map(|_| now),
            again(self.esc.armed),
            again(self.quit_armed),
            self.remark.as_ref().map(|remark| remark.until),
            self.mode_rests,
            self.asking_guard().and_then(Guard::until),
            draft,
            table,
            self.attention.due(),
            self.held.until(),
            self.transcript.waits_from(now),
        ];
        times.into_iter().flatten().min()
    }

    /// Lets time pass: what was armed is not any more, what is due is done. `since` is when this was last called.
    pub(crate) fn pass_time(&mut self, since: Instant, now: Instant) -> Change {
        let mut change = self.list_work(now).max(self.release_late_keys(now));
        let is_over = |armed: Option<Instant>| armed.is_some_and(|armed| armed + AGAIN <= now);
        if is_over(self.esc.armed) {
            self.esc.armed = None;
            change = Change::Urgent;
        }
        if is_over(self.quit_armed) {
            self.quit_armed = None;
            change = Change::Urgent;
        }
        if self.remark.as_ref().is_some_and(|remark| remark.until <= now) {
            self.remark = None;
            change = Change::Urgent;
        }
        if self.mode_rests.is_some_and(|at| at <= now) {
            self.mode_rests = None;
            if !self.questions.is_empty() {
                self.send(Op::Rejudge);
            }
        }
        let form = self.forms.shown_mut().map(|form| &mut form.guard);
        let hears = form.is_some_and(|guard| guard.pass_time(now));
        if self.dialog.as_mut().is_some_and(|dialog| dialog.pass_time(now)) || hears {
            change = Change::Urgent;
        }
        if self
            .trust
            .as_mut()
            .is_some_and(|trust| trust.guard.pass_time(now))
        {
            change = Change::Urgent;
        }
        if self
            .leader
            .is_some_and(|at| at + LEADER_TABLE > since && at + LEADER_TABLE <= now)
        {
            change = Change::Urgent;
        }
        let seconds = |at: Instant| at.saturating_duration_since(self.start).as_secs();
        if self.is_asked() && seconds(since) != seconds(now) {
            change = change.max(Change::Soft);
        }
        let waits_from = self.transcript.waits_from(since);
        if waits_from.is_some_and(|from| from <= now) {
            change = change.max(Change::Soft);
        }
        self.tell_due(now);
        if matches!(self.draft, DraftState::Due(at) if at <= now) {
            self.store_draft();
        }
        if self.is_animated() && self.frame(since) != self.frame(now) {
            change = change.max(Change::Soft);
        }
        change
    }

    /// Stores the draft now, if it changed.
    pub(crate) fn store_draft(&mut self) {
        if self.link == Link::Open && self.draft != DraftState::Stored {
            self.draft = DraftState::Stored;
            self.effects
                .push(Effect::Send(Op::Draft(self.composer.draft().stored())));
        }
    }

    /// What programs that drive the screen are told.
    pub(crate) fn state(&self) -> State {
        let page = self.pages.last().filter(|_| self.picker.is_none());
        State {
            focus: page.map_or_else(|| focus_name(self.context()), |page| page.name()),
            dialog: match (&self.trust, &self.dialog) {
                _ if self.leaving.is_some() => Some("quit"),
                (Some(_), _) => Some("trust"),
                (None, Some(_)) => Some("permission"),
                (None, None) if self.forms.shown().is_some() => Some("question"),
                (None, None) => None,
            },
            queue: self.queue.len() + self.unsent_inputs().count(),
            busy: self.turn == Turn::Busy,
            dropped_keys: self.dropped_keys,
        }
    }

    pub(crate) fn editor(&self) -> Option<&str> {
        self.surroundings.editor.as_deref()
    }

    pub(crate) fn clipboard(&self) -> (Passage, Vec<&'static [&'static str]>) {
        (
            self.surroundings.passage,
            self.surroundings.clipboard_commands.clone(),
        )
    }

    /// Returns where files are looked for.
    pub(crate) fn find_places(&self) -> Places {
        Places {
            directory: self.directory.clone(),
            home: self.surroundings.home.clone(),
            uses_file: self.uses_file.clone(),
        }
    }

    /// Returns where paths begin, and the home directory.
    pub(crate) fn places(&self) -> (&Path, Option<&Path>) {
        (&self.directory, self.surroundings.home.as_deref())
    }

    /// Who reads the next key.
    fn context(&self) -> Context {
        if self.leaving.is_some() {
            return Context::Leaving;
        }
        if self.picker.is_some() {
            return Context::Picker;
        }
        if let Some(page) = self.pages.last() {
            return page.context();
        }
        if self.trust.is_some() {
            return Context::Trust;
        }
        if self.search.is_some() {
            return Context::Search;
        }
        if self.writes_todo() {
            return Context::PanelText;
        }
        match (&self.dialog, self.forms.shown(), self.focus) {
            (Some(dialog), _, _) => dialog.context(),
            (None, Some(form), _) => form.context(),
            (None, None, Focus::Composer) if self.completion.is_open() => Context::Completion,
            (None, None, Focus::Composer) => Context::Composer,
            (None, None, Focus::Queue) => Context::Queue,
            // What is copied with the next frame is no selection any more.
            (None, None, Focus::Transcript) if self.transcript.has_selection() && self.due.is_none() => {
                Context::Select
            }
            (None, None, Focus::Transcript) => Context::Transcript,
            (None, None, Focus::Panel) => self.panel.context(),
        }
    }

    fn frame(&self, at: Instant) -> u128 {
        at.saturating_duration_since(self.start).as_millis() / self.turn_time().as_millis()
    }

    fn next_turn(&self, now: Instant) -> Instant {
        let turns = u32::try_from(self.frame(now) + 1).unwrap_or(u32::MAX);
        self.start + self.turn_time() * turns
    }

    /// Whether a call waits for an answer; its card counts the seconds.
    fn is_asked(&self) -> bool {
        !self.questions.is_empty() || self.forms.len() > 0
    }

    fn next_second(&self, now: Instant) -> Instant {
        let passed = now.saturating_duration_since(self.start).as_secs();
        self.start + Duration::from_secs(passed + 1)
    }

    fn turn_time(&self) -> Duration {
        match self.surroundings.motion {
            Motion::Full => SPINNER,
            Motion::Reduced => SECOND,
        }
    }

    fn say(&mut self, text: impl Into<String>, meaning: Meaning, now: Instant) {
        self.remark = Some(Remark {
            text: text.into(),
            meaning,
            until: now + REMARK,
        });
    }

    fn send(&mut self, op: Op) {
        self.has_spoken |= matches!(op, Op::Submit(_) | Op::Queue(_));
        match self.link {
            Link::Opening => self.unsent.push(op),
            Link::Open | Link::ReadOnly(_) | Link::Gone => self.effects.push(Effect::Send(op)),
        }
    }

    /// Whether there is something that `esc` stops.
    fn can_interrupt(&self) -> bool {
        self.turn == Turn::Busy || !self.shells.is_empty()
    }

    fn unsent_inputs(&self) -> impl DoubleEndedIterator<Item = &Input> {
        self.unsent.iter().filter_map(|op| match op {
            Op::Submit(input) | Op::Queue(input) => Some(input),
            _ => None,
        })
    }
}

/// What programs that drive the screen are told of who reads the keys.
fn focus_name(context: Context) -> &'static str {
    match context {
        Context::Page | Context::Rules | Context::Export | Context::Diff | Context::Comment => "page",
        Context::Picker => "picker",
        Context::Queue => "queue",
        Context::Transcript | Context::Select => "transcript",
        Context::Search => "search",
        Context::Panel | Context::PanelText => "panel",
        Context::Completion => "completion",
        Context::Question
        | Context::QuestionAlways
        | Context::QuestionText
        | Context::Trust
        | Context::Form
        | Context::FormText
        | Context::Leaving => "dialog",
        Context::Composer | Context::Global | Context::Leader | Context::Palette => "composer",
    }
}
