use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::*;
use crate::unconfirmed::UnconfirmedFiles;

/// A home, a configuration directory and a project.
struct Place {
    _held: tempfile::TempDir,
    base: PathBuf,
    configured: Vec<ConfiguredAgent>,
}

fn place(files: &[(&str, &str)]) -> Place {
    let held = tempfile::tempdir().unwrap();
    let base = held.path().canonicalize().unwrap();
    for dir in ["home", "config", "p/sub"] {
        fs::create_dir_all(base.join(dir)).unwrap();
    }
    let place = Place {
        _held: held,
        base,
        configured: Vec::new(),
    };
    for (path, text) in files {
        place.write(path, text);
    }
    place
}

impl Place {
    fn path(&self, path: &str) -> PathBuf {
        self.base.join(path)
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn configure(mut self, owner: Owner, name: &str, patch: AgentPatch) -> Self {
        let file = Some(self.path("lathe.jsonc"));
        self.configured.push(ConfiguredAgent {
            source: AgentSource { owner, file },
            name: name.to_owned(),
            patch,
        });
        self
    }

    fn agents(&self) -> Agents {
        self.files().agents(&self.configured, true)
    }

    fn files(&self) -> AgentFiles {
        agent_files(&AgentPlaces {
            config: &self.path("config"),
            home: Some(&self.path("home")),
            root: &self.path("p"),
            cwd: &self.path("p/sub"),
            check_rules: &|rules| match rules {
                Value::String(_) | Value::Object(_) => Ok(()),
                _ => Err("that is no rule".to_owned()),
            },
            gate: &|real: &Path| !real.ends_with(".env"),
            unconfirmed: &UnconfirmedFiles::default(),
        })
    }

    #[track_caller]
    fn agent(&self, name: &str) -> Agent {
        match self.agents().get(name).map(|entry| entry.state.clone()) {
            Some(AgentState::Usable(agent)) => *agent,
            other => panic!("{name}: {other:?}"),
        }
    }

    #[track_caller]
    fn broken(&self, name: &str) -> String {
        match self.agents().get(name).map(|entry| entry.state.clone()) {
            Some(AgentState::Broken(problem)) => problem.to_string(),
            other => panic!("{name}: {other:?}"),
        }
    }

    /// Returns the text in front of every problem of a file.
    fn at(&self, path: &str, place: &str) -> String {
        format!("{}:{place}", self.path(path).display())
    }
}

/// The built-in agents that tasks are given to.
const SUBAGENTS: [&str; 7] = [
    "general",
    "explore",
    "librarian",
    "oracle",
    "frontend-ui-ux-engineer",
    "document-writer",
    "multimodal-looker",
];

/// All but the built-in subagents.
fn names(agents: &Agents) -> Vec<&str> {
    let names = agents.entries.iter().map(|entry| entry.name.as_str());
    names.filter(|name| !SUBAGENTS.contains(name)).collect()
}

#[test]
fn tasks_can_be_given_to_the_built_in_subagents_and_to_no_primary_agent() {
    let place = place(&[]);
    let agents = place.agents();
    let takers: Vec<&str> = agents.delegates().map(|agent| agent.name.as_str()).collect();
    assert_eq!(takers, SUBAGENTS);
    assert!(
        agents
            .delegates()
            .all(|agent| !agent.description.is_empty() && !agent.prompt.is_empty())
    );
    assert_eq!(place.agent("explore").model, Some(AgentModel::Small));
}

#[test]
fn build_and_plan_are_there_without_any_file() {
    let place = place(&[]);
    let agents = place.agents();
    assert_eq!(names(&agents), ["build", "plan"]);
    assert!(agents.problems.is_empty());
    assert!(place.agent("build").rules.is_empty());
    assert_eq!(
        place.agent("plan").rules[0].rules,
        json!({"edit": {"*": "deny", ".lathe/plans/*.md": "allow"},
            "bash": {"*": "deny", "@read-only": "allow"}, "interactive_bash": "deny"})
    );
}

#[test]
fn a_file_adds_an_agent_and_its_body_is_the_prompt() {
    let place = place(&[(
        "config/agents/reviewer.md",
        "---\ndescription: Looks\nmode: subagent\nmodel: local/x\nvariant: high\ntemperature: 0.5\nsteps: \
        3\nhidden: true\n---\n\nRead all.\n",
    )]);
    let agent = place.agent("Reviewer");
    assert_eq!(
        (agent.description.as_str(), agent.prompt.as_str()),
        ("Looks", "Read all.")
    );
    assert_eq!(
        (agent.mode, agent.steps, agent.temperature),
        (AgentMode::Subagent, Some(3), Some(0.5))
    );
    assert_eq!(agent.model, Some(AgentModel::Named("local/x".parse().unwrap())));
    assert!(agent.is_hidden && !agent.is_primary());
}

#[test]
fn what_a_file_leaves_out_stays_as_it_was() {
    let place = place(&[
        ("config/agents/plan.md", "---\ntemperature: 1\n---\n"),
        ("p/.lathe/agents/plan.md", "Plan in French.\n"),
    ]);
    let plan = place.agent("plan");
    assert_eq!(
        (plan.temperature, plan.prompt.as_str()),
        (Some(1.0), "Plan in French.")
    );
    assert_eq!(plan.mode, AgentMode::Primary);
    assert!(!plan.description.is_empty() && plan.rules.len() == 1);
    assert_eq!(plan.sources.len(), 3);
}

#[test]
fn later_places_win_over_earlier_ones() {
    let described = |text: &str| AgentPatch {
        description: Some(text.to_owned()),
        ..AgentPatch::default()
    };
    let order = [
        ("home/.claude/agents/x.md", "1"),
        ("config/agents/x.md", "2"),
        ("p/.claude/agents/x.md", "5"),
        ("p/.opencode/agent/x.md", "6"),
        ("p/.opencode/agents/x.md", "7"),
        ("p/.lathe/agents/x.md", "8"),
        ("p/sub/.lathe/agents/x.md", "9"),
    ];
    for count in 1..=order.len() {
        let files: Vec<(&str, String)> = order[..count]
            .iter()
            .map(|(path, number)| (*path, format!("---\ndescription: \"{number}\"\n---\n")))
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        assert_eq!(place(&files).agent("x").description, order[count - 1].1);
    }
    let place = place(&[("config/agents/x.md", "---\ndescription: file\n---\n")])
        .configure(Owner::Global, "x", described("global"))
        .configure(Owner::Extra, "x", described("extra"));
    assert_eq!(place.agent("x").description, "extra");
    place.write("p/.lathe/agents/x.md", "---\ndescription: project\n---\n");
    assert_eq!(place.agent("x").description, "project");
    let place = place.configure(Owner::Project, "x", described("project's configuration"));
    assert_eq!(place.agent("x").description, "project's configuration");
}

#[test]
fn rules_are_kept_apart_with_who_wrote_them() {
    let place = place(&[
        ("config/agents/plan.md", "---\npermission:\n  edit: ask\n---\n"),
        (
            "p/.lathe/agents/plan.md",
            "---\npermission:\n  read: deny\n  protected: deny\n---\n",
        ),
    ]);
    let plan = place.agent("plan");
    let owners: Vec<Owner> = plan.rules.iter().map(|rules| rules.source.owner).collect();
    assert_eq!(owners, [Owner::BuiltIn, Owner::Global, Owner::Project]);
    assert_eq!(plan.rules[1].rules, json!({"edit": "ask"}));
    assert_eq!(
        plan.rules[2].rules,
        json!({"read": "deny"}),
        "a project cannot change `protected`"
    );
}

#[test]
fn a_project_only_tightens() {
    let place = place(&[
        (
            "config/agents/x.md",
            "---\nsteps: 10\ntools: {bash: false}\n---\n",
        ),
        (
            "p/.lathe/agents/x.md",
            "---\nsteps: 20\ntools: {bash: true, write: false}\ndisable: false\n---\n",
        ),
        ("p/sub/.lathe/agents/x.md", "---\nsteps: 5\n---\n"),
    ]);
    let agent = place.agent("x");
    assert_eq!((agent.steps, agent.steps_at_most), (Some(10), Some(5)));
    assert_eq!(agent.tools.user, [("bash".to_owned(), false)]);
    assert_eq!(
        agent.tools.project,
        [("bash".to_owned(), true), ("write".to_owned(), false)]
    );
    place.write("config/agents/x.md", "---\ndisable: true\n---\n");
    let agents = place.agents();
    let state = &agents.get("x").unwrap().state;
    assert!(matches!(state, AgentState::Disabled(_)), "{state:?}");
    assert!(state.refusal("x").unwrap().contains("config/agents/x.md"));
}

#[test]
fn disable_removes_an_agent_until_somebody_of_the_same_rank_brings_it_back() {
    let place = place(&[("p/.lathe/agents/plan.md", "---\ndisable: true\n---\n")]);
    assert!(matches!(
        place.agents().get("plan").unwrap().state,
        AgentState::Disabled(_)
    ));
    place.write("p/sub/.lathe/agents/plan.md", "---\ndisable: false\n---\n");
    place.agent("plan");
}

#[test]
fn a_list_of_tools_means_only_these() {
    let place = place(&[
        (
            "config/agents/a.md",
            "---\nmode: primary\ntools: [read, grep]\n---\n",
        ),
        (
            "config/agents/b.md",
            "---\nmode: subagent\ntools: read, grep\n---\n",
        ),
    ]);
    let on = |name: &str| (name.to_owned(), true);
    let all_off = ("*".to_owned(), false);
    assert_eq!(
        place.agent("a").tools.user,
        [all_off.clone(), on("read"), on("grep"), on("todowrite")]
    );
    assert_eq!(place.agent("b").tools.user, [all_off, on("read"), on("grep")]);
}

#[test]
fn files_of_claude_are_subagents_under_their_own_name() {
    let place = place(&[
        (
            "p/.claude/agents/file.md",
            "---\nname: code-reviewer\ndescription: Reviews\ntools: Read, Bash(git log:*, git show), Grep\nmodel: \
            sonnet\ncolor: red\ndisallowedTools: Bash\n---\nReview.\n",
        ),
        ("p/.claude/agents/README.md", "Notes about our agents.\n"),
    ]);
    let agents = place.agents();
    assert_eq!(names(&agents), ["build", "plan", "code-reviewer"]);
    let agent = place.agent("code-reviewer");
    assert_eq!((agent.mode, agent.model), (AgentMode::Subagent, None));
    let switches: Vec<_> = agent
        .tools
        .project
        .iter()
        .map(|(name, on)| (name.as_str(), *on))
        .collect();
    assert_eq!(
        switches,
        [
            ("*", false),
            ("Read", true),
            ("Bash", true),
            ("Grep", true),
            ("Bash", false)
        ]
    );
}

#[test]
fn files_of_claude_need_no_yaml_and_lose_no_restriction_by_it() {
    let text = "---\nname: reviewer\ndescription: Use it after changes. Examples: <example>Context: a change\\nuser: \"look\" \
                <commentary>Why: it is new</commentary></example>\nmodel: sonnet\ntools: Read, Grep\ndisallowedTools: Bash\n---\n\
                Review.\n";
    let place = place(&[
        ("home/.claude/agents/reviewer.md", text),
        (
            "p/.claude/agents/open.md",
            "---\nname: open\ndescription: All: of it\ntools: [Read\n---\nx\n",
        ),
        (
            "p/.claude/agents/hidden.md",
            "---\nname: hidden\ndescription: All: of it\n  tools: Read\n---\nx\n",
        ),
        ("p/.lathe/agents/own.md", "---\ndescription: All: of it\n---\nx\n"),
    ]);
    let agent = place.agent("reviewer");
    assert!(
        agent
            .description
            .ends_with("<commentary>Why: it is new</commentary></example>"),
        "{}",
        agent.description
    );
    assert_eq!(agent.prompt, "Review.");
    let switches: Vec<_> = agent
        .tools
        .user
        .iter()
        .map(|(name, on)| (name.as_str(), *on))
        .collect();
    assert_eq!(
        switches,
        [("*", false), ("Read", true), ("Grep", true), ("Bash", false)]
    );
    let open = place.broken("open");
    assert!(
        open.starts_with(&place.at("p/.claude/agents/open.md", "4:1:")),
        "{open}"
    );
    let hidden = place.broken("hidden");
    assert!(
        hidden.contains("4:1: `tools` must begin at the left margin"),
        "{hidden}"
    );
    assert!(place.broken("own").contains("is not valid YAML"));
}

#[test]
fn files_of_opencode_keep_their_keys_and_lose_what_is_unknown_here() {
    let place = place(&[(
        "p/.opencode/agent/docs.md",
        "---\ndescription: Writes\nmodel: anthropic/claude\nmaxSteps: 7\ntop_p: 1\ntools:\n  write: \
        false\npermission:\n  bash: deny\n---\nWrite.\n",
    )]);
    let agent = place.agent("docs");
    assert_eq!((agent.mode, agent.steps_at_most), (AgentMode::All, Some(7)));
    assert!(matches!(agent.model, Some(AgentModel::Foreign(_))));
    assert_eq!(agent.tools.project, [("write".to_owned(), false)]);
}

#[test]
fn a_broken_file_names_its_line_and_costs_only_its_agent() {
    for (text, place_in_file, named) in [
        ("---\nmode: boss\n---\n", "2:7: ", "`primary`"),
        (
            "---\ndescription: a\nmodel: sonnet\n---\n",
            "3:8: ",
            "provider/model",
        ),
        ("---\ntemperature: hot\n---\n", "2:14: ", "`temperature`"),
        ("---\ntemperature: 3\n---\n", "2:14: ", "from 0 to 2"),
        ("---\nsteps: 0\n---\n", "2:8: ", "`steps`"),
        ("---\nsteps: 99999999999\n---\n", "2:8: ", "`steps`"),
        ("---\nhidden: maybe\n---\n", "2:9: ", "`hidden`"),
        ("---\npermission: 3\n---\n", "2:13: ", "that is no rule"),
        ("---\ntools: 3\n---\n", "2:8: ", "`tools`"),
        ("---\ntools: {write: maybe}\n---\n", "2:8: ", "`write`"),
        ("---\npermision:\n  edit: deny\n---\n", "3:3: ", "`permision`"),
        ("---\ndescription: [1\n---\n", "", "not valid YAML"),
        ("---\na: b\n", "1:1: ", "no second line"),
    ] {
        let place = place(&[
            ("config/agents/bad.md", text),
            ("config/agents/good.md", "---\ndescription: fine\n---\n"),
        ]);
        let problem = place.broken("bad");
        assert!(
            problem.starts_with(&place.at("config/agents/bad.md", place_in_file)) && problem.contains(named),
            "{problem}"
        );
        place.agent("good");
        place.agent("build");
    }
}

#[test]
fn a_broken_override_is_not_half_of_an_agent() {
    let place = place(&[("p/.lathe/agents/plan.md", "---\nmode: [\n---\n")]);
    assert!(place.broken("plan").contains(".lathe/agents/plan.md"));
}

#[test]
fn a_file_without_front_matter_is_all_prompt() {
    let place = place(&[
        ("config/agents/a.md", "Just words.\n"),
        ("config/agents/empty.md", ""),
    ]);
    assert_eq!(place.agent("a").prompt, "Just words.");
    assert_eq!(place.agent("a").mode, AgentMode::All);
    assert_eq!(place.agent("empty").prompt, "");
}

#[test]
fn two_files_of_one_name_in_one_directory_are_an_error() {
    let place = place(&[
        ("config/agents/Review.md", "---\ndescription: a\n---\n"),
        ("config/agents/review.md", "---\ndescription: b\n---\n"),
    ]);
    let problem = place.broken("review");
    assert!(
        problem.contains("Review.md") && problem.contains("review.md"),
        "{problem}"
    );
}

#[test]
fn names_that_are_paths_or_worse_name_no_agent() {
    for name in [
        "../../etc/passwd",
        "a/b",
        "",
        "-a",
        ".a",
        "a b",
        "\\e[2J",
        "\u{202e}",
        &"x".repeat(65),
    ] {
        let file = format!("---\nname: \"{name}\"\ndescription: x\n---\n");
        let place = place(&[("p/.claude/agents/x.md", &file)]);
        let agents = place.agents();
        assert_eq!(names(&agents), ["build", "plan"], "{name}");
        assert_eq!(agents.problems.len(), 1, "{name}");
    }
    let place = place(&[]).configure(Owner::Global, "a/b", AgentPatch::default());
    assert_eq!(place.agents().problems.len(), 1);
    let odd = place;
    odd.write("config/agents/a b.md", "x");
    assert_eq!(odd.agents().problems.len(), 2);
}

#[test]
fn huge_files_and_what_is_no_text_are_refused() {
    let place = place(&[]);
    place.write("config/agents/huge.md", vec![b'x'; 3 << 20]);
    place.write("config/agents/bytes.md", b"---\n\xff\xfe\n---\n");
    fs::create_dir_all(place.path("config/agents/dir.md")).unwrap();
    for (name, what) in [
        ("huge", "more than"),
        ("bytes", "UTF-8"),
        ("dir", "not a regular file"),
    ] {
        assert!(place.broken(name).contains(what), "{}", place.broken(name));
    }
}

#[cfg(unix)]
#[test]
fn links_in_circles_and_out_of_the_project_are_refused() {
    use std::os::unix::fs::symlink;
    let place = place(&[("home/secret.md", "secret")]);
    fs::create_dir_all(place.path("p/.lathe/agents")).unwrap();
    symlink("loop.md", place.path("p/.lathe/agents/loop.md")).unwrap();
    symlink(place.path("home/secret.md"), place.path("p/.lathe/agents/out.md")).unwrap();
    symlink("nowhere", place.path("p/.lathe/agents/dangling.md")).unwrap();
    symlink(".", place.path("p/.lathe/agents/agents")).unwrap();
    symlink(".opencode", place.path("p/.opencode")).unwrap();
    for name in ["loop", "out", "dangling"] {
        let problem = place.broken(name);
        assert!(!problem.contains("secret\n"), "{problem}");
    }
    assert!(place.broken("out").contains("points outside the project"));
    // The user's own directory may be a link to where dot files are kept.
    fs::create_dir_all(place.path("dots")).unwrap();
    place.write("dots/mine.md", "Mine.");
    symlink(place.path("dots"), place.path("config/agents")).unwrap();
    assert_eq!(place.agent("mine").prompt, "Mine.");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let place = place(&[]);
    fs::create_dir_all(place.path("config/agents")).unwrap();
    let status = std::process::Command::new("mkfifo")
        .arg(place.path("config/agents/pipe.md"))
        .status();
    if status.is_ok_and(|status| status.success()) {
        assert!(place.broken("pipe").contains("not a regular file"));
    }
}

#[test]
fn a_directory_of_thousands_is_left_out() {
    let place = place(&[]);
    for number in 0..1002 {
        place.write(&format!("p/.lathe/agents/a{number}.md"), "x");
    }
    let agents = place.agents();
    assert_eq!(names(&agents), ["build", "plan"]);
    assert!(agents.problems[0].to_string().contains("more than 1000"));
}

#[test]
fn a_directory_is_read_once_whichever_way_it_is_reached() {
    let place = place(&[("home/.claude/agents/x.md", "---\ndescription: a\n---\nHi.\n")]);
    let home = place.path("home");
    let files = agent_files(&AgentPlaces {
        config: &place.path("config"),
        home: Some(&home),
        root: &home,
        cwd: &home,
        gate: &|_: &Path| true,
        unconfirmed: &UnconfirmedFiles::default(),
        check_rules: &|_| Ok(()),
    });
    let agents = files.agents(&[], true);
    let agent = agents.usable().find(|agent| agent.name == "x").unwrap();
    assert_eq!(agent.sources.len(), 1);
    assert_eq!(agent.sources[0].owner, Owner::Global);
    assert!(Path::new(agent.sources[0].file.as_ref().unwrap()).is_file());
}

#[test]
fn of_an_untrusted_project_only_text_counts() {
    let everything = "---\ndescription: Mine\nmode: subagent\nmodel: local/x\nvariant: high\ntemperature: \
        0.5\nsteps: 3\nhidden: true\ntools: { bash: false }\npermission: { edit: deny }\n---\nBe mine.\n";
    let place = place(&[
        ("p/.lathe/agents/build.md", everything),
        ("p/.lathe/agents/new.md", everything),
        ("p/.lathe/agents/plan.md", "---\ndisable: true\n---\n"),
    ]);
    let files = place.files();
    let untrusted = files.agents(&[], false);
    let usable = |name: &str| untrusted.usable().find(|agent| agent.name == name).unwrap();
    for (name, mode) in [("build", AgentMode::Primary), ("new", AgentMode::Subagent)] {
        let agent = usable(name);
        assert_eq!(
            (agent.description.as_str(), agent.prompt.as_str()),
            ("Mine", "Be mine.")
        );
        assert_eq!((agent.mode, &agent.model), (mode, &None), "{name}");
        assert_eq!(
            (&agent.variant, agent.is_hidden),
            (&None, name == "new"),
            "{name}"
        );
        assert_eq!((agent.steps, agent.steps_at_most), (None, Some(3)), "{name}");
        assert_eq!(agent.tools.project, [("bash".to_owned(), false)]);
        assert_eq!(agent.rules.len(), 1);
    }
    assert_eq!(usable("plan").name, "plan");
    let waiting = |name: &str| -> Vec<&str> {
        let of_project = files.of_project(&[]).filter(|given| given.name == name);
        let beyond = of_project.flat_map(|given| given.patch.beyond_text(given.adds));
        beyond.map(|(key, _)| key).collect()
    };
    assert_eq!(waiting("new"), ["model", "variant"]);
    assert_eq!(waiting("build"), ["mode", "model", "variant", "hidden"]);
    assert_eq!(waiting("plan"), ["disable"]);

    let trusted = files.agents(&[], true);
    assert_eq!(
        place.agent("build").model,
        Some(AgentModel::Named("local/x".parse().unwrap()))
    );
    assert!(matches!(
        trusted.get("plan").unwrap().state,
        AgentState::Disabled(_)
    ));
}

#[test]
fn a_file_that_the_gate_withholds_costs_no_agent_of_the_user() {
    let place = place(&[("p/.env", "S=1"), ("p/.lathe/agents/other.md", "Hi.\n")]);
    for link in ["p/.lathe/agents/build.md", "p/.claude/agents/spy.md"] {
        let link = place.path(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(place.path("p/.env"), link).unwrap();
    }
    let agents = place.agents();
    assert_eq!(names(&agents), ["build", "plan", "other", "spy"]);
    assert_eq!(place.agent("build").prompt, "");
    let told: Vec<String> = agents.all_problems().map(ToString::to_string).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told.iter()
            .all(|told| told.contains("the file was left out: it is `")),
        "{told:?}"
    );
}
