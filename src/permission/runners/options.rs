//! Options that run no program of their own and overwrite no file, by program.

/// The words of a program that are understood.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Each as it is written: `-q`, `--lib`, `-run`. `-m:` may have its value in the same word, `--x` behind a `=`; `-#` is a
    /// number, `--x=y` is that value alone.
    pub(super) known: &'static str,
    pub(super) operands: Operands,
    pub(super) rest: Rest,
}

/// Words that are no options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    Any,
    /// Not `@FILE`, from which compilers and others read options.
    NoOptionFile,
    /// Not `HELPER::ADDRESS`, which runs a helper.
    NoTransport,
    /// Names and paths, and the few settings that are known.
    Plain,
}

/// Words behind a `--`, or behind the first operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Behind a `--` there are operands alone.
    Operands,
    /// Behind a `--` the same options count.
    SameOptions,
    /// Behind a `--` stands what the project's own program is given.
    Free,
    /// So does it behind the first operand.
    FreeBehindOperand,
    /// Every option is harmless.
    Anything,
}

impl Options {
    /// Of a program that is not in the table.
    pub(super) const OF_ANY: Self = Self {
        operands: Operands::NoOptionFile,
        rest: Rest::SameOptions,
        ..known("--help --version --verbose --quiet --color --no-color")
    };

    const fn taking(self, operands: Operands) -> Self {
        Self { operands, ..self }
    }

    const fn and(self, rest: Rest) -> Self {
        Self { rest, ..self }
    }
}

const fn known(known: &'static str) -> Options {
    Options {
        known,
        operands: Operands::Any,
        rest: Rest::Operands,
    }
}

const GIT_SHOWING: &str = "-p -u -s -i -w -b -z -q -M -C -U: -S: -G: -n: -# -L: --patch --no-patch --oneline --stat \
    --shortstat --numstat --name-only --name-status --summary --graph --all --decorate --no-decorate --max-count --since \
    --until --after --before --author --committer --grep --format --pretty --abbrev --abbrev-commit --first-parent \
    --merges --no-merges --reverse --follow --cached --staged --merge-base --color --no-color --word-diff --diff-filter \
    --date --check --raw --exit-code --quiet --no-renames --find-renames --ignore-all-space --ignore-space-change \
    --unified --left-right --no-ext-diff --no-textconv --topo-order --date-order --tags --branches --remotes --minimal \
    --histogram --patience --compact-summary --dirstat";
const CARGO: &str = "-q -v -vv -r -p: -F: -j: --quiet --verbose --release --package --workspace --all --exclude --lib --bins \
    --bin --tests --test --benches --bench --examples --example --all-targets --features --all-features \
    --no-default-features --profile --jobs --keep-going --no-fail-fast --no-run --offline --locked --frozen \
    --message-format --color --doc --target --timings --manifest-path --no-deps --document-private-items \
    --ignore-rust-version";
const GO: &str = "-v -n -x -a -run -count -race -short -timeout -bench -benchmem -benchtime -cover -covermode -coverpkg \
    -failfast -json -parallel -p -tags -shuffle -skip -cpu -list -trimpath -mod -buildvcs";
const NPM_INSTALL: &str = "-D -S -E -P -O -g -s -w --save-dev --save --save-exact --save-optional --save-prod --no-save \
    --global --omit --include --production --legacy-peer-deps --ignore-scripts --prefer-offline --offline --no-audit \
    --no-fund --silent --loglevel --workspace --workspaces --package-lock-only --dry-run --frozen-lockfile \
    --no-frozen-lockfile --immutable --lockfile-only --dev --prod";
const PYTEST: &str = "-q -v -x -s -l -k: -m: -n: -r: --tb --maxfail --lf --ff --nf --sw --last-failed --failed-first \
    --new-first --stepwise --co --collect-only --durations --durations-min --no-header --no-summary --disable-warnings \
    --quiet --verbose --exitfirst --capture --markers --fixtures --color --strict-markers --cov --cov-branch --no-cov \
    --cov-fail-under --cov-report=term --cov-report=term-missing --deselect --ignore --ignore-glob --timeout --showlocals \
    --setup-show --numprocesses --dist --import-mode --pyargs --doctest-modules --asyncio-mode --reruns";
const SHOWING_CONTAINERS: &str = "-a -q -f -n: -l --all --quiet --format --filter --tail --since --until --follow \
    --timestamps -t --no-trunc --no-color --services --no-stream";

/// Programs, or the first words of them. The longest entry counts.
pub(super) const OPTIONS: &[(&[&str], Options)] = &[
    // They run nothing and write nothing whatever their options are, or make what was not there.
    (
        &[
            "basename", "cat", "cksum", "cmp", "column", "comm", "cut", "df", "diff", "dirname", "du", "echo", "egrep",
            "expr", "false", "fgrep", "fold", "free", "grep", "head", "hexdump", "id", "ls", "md5sum", "mkdir", "nl",
            "nproc", "od", "paste", "ps", "pwd", "readlink", "realpath", "rev", "seq", "sha1sum", "sha256sum",
            "sha512sum", "sleep", "stat", "tail", "touch", "tr", "true", "uname", "wc", "which", "whoami",
        ],
        known("").and(Rest::Anything),
    ),
    (&["printf"], known("")),
    // No `-v`: what stands in the brackets of its operand is run.
    (
        &["test", "["],
        known(
            "-f -d -e -s -r -w -x -L -h -n -z -a -o -p -S -b -c -t -O -G -N -u -g -k -eq -ne -lt -le -gt -ge -nt -ot -ef",
        ),
    ),
    (
        &["sort"],
        known(
            "-r -n -u -h -f -b -g -V -s -c -C -z -i -d -M -R -k: -t: --reverse --numeric-sort --unique --key \
             --field-separator --human-numeric-sort --version-sort --stable --check --ignore-case",
        ),
    ),
    (
        &["rg"],
        known(
            "-n -i -l -w -v -c -F -o -U -S -s -N -H -I -P -x -e: -A: -B: -C: -g: -t: -T: -m: --json --files --type \
             --type-not --glob --count --count-matches --heading --no-heading --stats --sort --context --after-context \
             --before-context --max-count --multiline --pcre2 --only-matching --line-number --ignore-case --smart-case \
             --fixed-strings --word-regexp --invert-match --files-with-matches --files-without-match --color",
        ),
    ),
    (
        &["jq"],
        known(
            "-r -c -n -s -e -S -M -C -j -a -R --raw-output --compact-output --null-input --slurp --exit-status --sort-keys \
             --tab --indent --arg --argjson --args --jsonargs --join-output --raw-input",
        ),
    ),
    (
        &["shellcheck"],
        known("-x -a -s: -S: -e: -i: -f: --severity --shell --exclude --include --format --external-sources"),
    ),
    (&["shfmt"], known("-d -l -s -i: -ci -bn -sr -kp -ln")),
    (
        &["git add"],
        known(
            "-A -u -v -n -f -N --all --update --verbose --dry-run --force --intent-to-add --ignore-errors --renormalize",
        ),
    ),
    (
        &["git commit"],
        known(
            "-a -q -s -v -n -o -i -m: -F: -C: --all --quiet --signoff --verbose --no-verify --only --include --message \
             --file --reuse-message --allow-empty --allow-empty-message --no-edit --author --date --fixup --squash \
             --cleanup --dry-run --reset-author --no-gpg-sign --short --porcelain",
        ),
    ),
    (
        &["git push"],
        known("-n -q -v -u --dry-run --quiet --verbose --set-upstream --tags --all --porcelain --progress")
            .taking(Operands::NoTransport),
    ),
    (
        &["git checkout", "git switch"],
        known(
            "-q -d -t -b: -c: --quiet --detach --track --no-track --create --orphan --guess --no-guess --progress",
        ),
    ),
    (
        &["git restore"],
        known("-q -S -s: --quiet --staged --source --progress"),
    ),
    (
        &["git stash"],
        known(
            "-u -a -q -k -S -m: --include-untracked --all --quiet --keep-index --no-keep-index --staged --message --index",
        ),
    ),
    (&["git stash list", "git stash show"], known(GIT_SHOWING)),
    (
        &["git merge", "git cherry-pick", "git revert"],
        known(
            "-q -n -x -m: --quiet --no-edit --no-ff --ff --ff-only --squash --no-squash --abort --continue --skip --quit \
             --no-commit --stat --no-stat --message --mainline --signoff --log",
        ),
    ),
    (
        &["git pull", "git fetch"],
        known(
            "-q -v -p -P -t -n -r -4 -6 -j: --quiet --verbose --all --prune --prune-tags --tags --no-tags --depth --deepen \
             --unshallow --shallow-since --dry-run --progress --no-progress --jobs --ipv4 --ipv6 --recurse-submodules \
             --no-recurse-submodules --multiple --rebase --no-rebase --ff-only --ff --no-ff --autostash --no-autostash \
             --no-edit --stat --no-stat --squash --no-commit --set-upstream",
        )
        .taking(Operands::NoTransport),
    ),
    (
        &["git clone"],
        known(
            "-q -v -n -b: -o: -j: --quiet --verbose --progress --depth --branch --single-branch --no-single-branch --bare \
             --mirror --recurse-submodules --recursive --no-tags --filter --sparse --no-checkout --origin --jobs \
             --shallow-submodules --shallow-since",
        )
        .taking(Operands::NoTransport),
    ),
    (
        &["git ls-remote"],
        known(
            "-q -h -b -t --quiet --heads --branches --tags --refs --exit-code --get-url --symref --sort",
        )
        .taking(Operands::NoTransport),
    ),
    (
        &["git remote"],
        known("-v -t: -m: --verbose --tags --no-tags --push --all").taking(Operands::NoTransport),
    ),
    (
        &["git submodule"],
        known(
            "-q -b: -j: --quiet --init --recursive --remote --depth --jobs --single-branch --name --no-fetch --progress \
             --cached",
        )
        .taking(Operands::NoTransport),
    ),
    (
        &["git grep"],
        known(
            "-n -i -l -L -w -v -c -h -H -E -F -P -G -o -q -W -p -z -e: -A: -B: -C: -m: -# --line-number --ignore-case \
             --files-with-matches --files-without-match --name-only --word-regexp --invert-match --count \
             --extended-regexp --fixed-strings --perl-regexp --heading --break --untracked --cached --and --or --not \
             --all-match --context --after-context --before-context --max-count --color --no-color --function-context \
             --show-function --column --null --only-matching --quiet",
        ),
    ),
    (
        &["git archive"],
        known("-v -l -# --format --prefix --verbose --list --worktree-attributes").taking(Operands::NoTransport),
    ),
    (
        &["git log", "git show", "git diff", "git reflog", "git whatchanged"],
        known(GIT_SHOWING),
    ),
    (
        &["git status"],
        known("-s -b -v -z -u: --short --branch --porcelain --ignored --untracked-files --long --show-stash --no-renames"),
    ),
    (
        &["git blame"],
        known("-w -M -C -l -s -e -t -L: --porcelain --line-porcelain --date --since --reverse"),
    ),
    (
        &["git branch"],
        known(
            "-a -r -v -l -t -q -u: --all --remotes --verbose --list --show-current --merged --no-merged --contains \
             --no-contains --sort --format --column --no-column --track --no-track --set-upstream-to --quiet --points-at \
             --color --no-color",
        ),
    ),
    (
        &["git tag"],
        known(
            "-l -a -n: -m: -F: --list --annotate --message --file --contains --merged --sort --points-at --format --no-sign",
        ),
    ),
    (
        &["git reset"],
        known("-q -N --quiet --soft --mixed --intent-to-add"),
    ),
    (&["git mv"], known("-v -n -k --verbose --dry-run")),
    (
        &["git rm"],
        known("-r -q -n --cached --quiet --dry-run --ignore-unmatch"),
    ),
    (&["git clean"], known("-n -d -x -q --dry-run --quiet")),
    (&["git init"], known("-q -b: --quiet --initial-branch --bare")),
    (
        &["git worktree"],
        known("-d -q -v -z -b: --detach --quiet --verbose --porcelain --no-checkout --orphan"),
    ),
    (
        &["git apply"],
        known("-v -R -3 -p: --check --stat --numstat --summary --cached --index --verbose --reverse --3way --recount"),
    ),
    (
        &["git config"],
        known("-l -z --get --get-all --get-regexp --list --global --local --system --show-origin --show-scope --name-only"),
    ),
    (
        &["git bisect"],
        known(""),
    ),
    (
        &["git rev-parse"],
        known(
            "-q --show-toplevel --show-prefix --show-cdup --abbrev-ref --short --verify --is-inside-work-tree --git-dir \
             --git-common-dir --absolute-git-dir --quiet --symbolic --symbolic-full-name",
        ),
    ),
    (
        &["git ls-files"],
        known(
            "-c -o -m -d -s -u -z -t --cached --others --modified --deleted --stage --unmerged --exclude-standard \
             --error-unmatch --full-name --directory --ignored -i",
        ),
    ),
    (
        &["git rev-list", "git shortlog"],
        known(
            "-n -s -e -# --count --all --max-count --since --until --author --grep --left-right --first-parent --no-merges \
             --merges --reverse --summary --numbered --email --objects",
        ),
    ),
    (
        &["git describe", "git merge-base", "git ls-tree", "git check-ignore"],
        known(
            "-r -l -d -t -v -q -n -z --tags --always --dirty --long --abbrev --all --match --exact-match --is-ancestor \
             --fork-point --name-only --full-tree --full-name --verbose --quiet --no-index",
        ),
    ),
    (&["git cat-file"], known("-p -t -s -e --batch-check")),
    (
        &["cargo check", "cargo build", "cargo doc", "cargo b", "cargo c", "cargo d"],
        known(CARGO),
    ),
    (
        &[
            "cargo test",
            "cargo bench",
            "cargo run",
            "cargo nextest",
            "cargo t",
            "cargo r",
        ],
        known(CARGO).and(Rest::Free),
    ),
    // Lints stand behind a `--`.
    (
        &["cargo clippy"],
        known(
            "-q -v -r -p: -F: -j: -D: -W: -A: --quiet --verbose --release --package --workspace --all --exclude --lib --bins \
             --bin --tests --test --benches --bench --examples --example --all-targets --features --all-features \
             --no-default-features --profile --jobs --keep-going --offline --locked --frozen --message-format --color \
             --target --manifest-path --no-deps --fix --allow-dirty --allow-staged --allow-no-vcs",
        )
        .and(Rest::SameOptions),
    ),
    (
        &["cargo fmt"],
        known("-q -v -l -p: --quiet --verbose --check --all --package --edition --message-format")
            .and(Rest::SameOptions),
    ),
    (
        &["cargo add"],
        known(
            "-q -F: -p: --quiet --dev --build --features --no-default-features --default-features --optional --package \
             --rename --dry-run --offline",
        ),
    ),
    (
        &["cargo update", "cargo fetch"],
        known("-q -v -p: -w --quiet --verbose --package --workspace --precise --recursive --dry-run --offline --locked"),
    ),
    (
        &["cargo tree", "cargo metadata"],
        known(
            "-q -d -i: -e: -p: -f: -F: --invert --edges --package --duplicates --depth --format --prefix --no-dedupe \
             --features --all-features --no-default-features --workspace --target --format-version --no-deps --offline \
             --locked",
        ),
    ),
    (
        &["cargo install"],
        known("-q -f -F: --quiet --force --locked --version --features --no-default-features"),
    ),
    (
        &["go test", "go build", "go vet", "go install"],
        known(GO),
    ),
    (
        &["go list"],
        known("-m -f -e -json -deps -test -u -versions -tags"),
    ),
    (&["go mod", "go get", "go fmt"], known("-v -x -n -u -t -e")),
    (&["gofmt"], known("-l -d -s -e")),
    // What stands behind the package or the script is given to it.
    (
        &["go run", "pnpm run", "yarn run", "bun run", "deno task"],
        known("").and(Rest::FreeBehindOperand),
    ),
    (
        &["npm run", "npm test", "npm t", "npm start", "pnpm test", "yarn test"],
        known(
            "-s -w --silent --quiet --workspace --workspaces --include-workspace-root --if-present --loglevel --color \
             --no-color --no-fund --port --host --watch --mode --fix --coverage --dev --verbose",
        )
        .and(Rest::Free),
    ),
    (
        &[
            "npm install",
            "npm i",
            "npm ci",
            "npm add",
            "pnpm install",
            "pnpm i",
            "pnpm add",
            "yarn install",
            "yarn add",
            "bun install",
        ],
        known(NPM_INSTALL),
    ),
    (
        &["npm ls", "npm list", "npm outdated", "npm view", "npm audit", "npm why", "npm explain"],
        known("-a -l -g --depth --all --json --long --omit --production --parseable --global --silent"),
    ),
    (&["pytest", "py.test", "python -m pytest"], known(PYTEST)),
    (
        &["python -m unittest"],
        known("-v -q -f -b -k: -s: -p: -t: --verbose --quiet --failfast --buffer --locals"),
    ),
    (
        &["mypy", "python -m mypy"],
        known(
            "-v -p: -m: --strict --ignore-missing-imports --pretty --no-error-summary --show-error-codes \
             --show-error-context --follow-imports --no-incremental --explicit-package-bases --namespace-packages \
             --python-version --platform --package --module --exclude --disallow-untyped-defs --check-untyped-defs",
        ),
    ),
    (
        &["ruff", "python -m ruff"],
        known(
            "-q -v -e --fix --no-fix --unsafe-fixes --check --diff --select --ignore --extend-select --extend-ignore \
             --exclude --line-length --output-format --statistics --show-fixes --quiet --verbose --target-version \
             --no-cache --preview --show-files",
        ),
    ),
    (
        &["black", "python -m black"],
        known(
            "-q -v -S -l: -t: --check --diff --quiet --verbose --line-length --target-version --fast --safe --preview \
             --color --no-color --include --exclude",
        ),
    ),
    (
        &["isort", "python -m isort"],
        known("-q -v -c --check --check-only --diff --profile --quiet --verbose"),
    ),
    (
        &["flake8", "python -m flake8"],
        known(
            "-q -v -j: --max-line-length --select --ignore --extend-ignore --extend-select --exclude --statistics --count \
             --show-source --max-complexity --color",
        ),
    ),
    (
        &["pip list", "pip show", "pip freeze", "python -m pip list", "python -m pip show", "python -m pip freeze"],
        known("-o -l -f -v --outdated --local --format --user --not-required --files --verbose --exclude-editable"),
    ),
    (
        &["pip install", "uv pip install"],
        known("-U -q -v -e: -r: --upgrade --quiet --verbose --editable --requirement --no-deps --user --pre --no-cache-dir"),
    ),
    (
        &["uv sync", "uv lock", "uv add", "poetry install", "poetry add", "poetry lock"],
        known(
            "-q -v -n -E: -G: -U --quiet --verbose --dev --no-dev --all-extras --extra --extras --group --all-groups \
             --optional --frozen --locked --check --upgrade --no-root --with --without --only --sync --no-interaction \
             --no-update",
        ),
    ),
    (
        &["node --test"],
        known(
            "--test-name-pattern --test-skip-pattern --test-only --test-concurrency --test-timeout --test-force-exit --watch \
             --test-reporter=spec --test-reporter=tap --test-reporter=dot --test-reporter=junit \
             --experimental-test-coverage --experimental-strip-types --enable-source-maps --no-warnings",
        ),
    ),
    (
        &["vitest"],
        known(
            "-t: -u --run --testNamePattern --coverage --no-coverage --coverage.enabled --reporter=verbose --reporter=dot \
             --reporter=default --reporter=basic --reporter=json --bail --silent --passWithNoTests --changed --watch \
             --no-watch --color --no-color --globals --retry --update --project --testTimeout --typecheck",
        ),
    ),
    (
        &["jest"],
        known(
            "-t: -w: -i -u -o -b -f --testNamePattern --coverage --no-coverage --verbose --silent --runInBand --watch \
             --watchAll --bail --ci --passWithNoTests --updateSnapshot --onlyChanged --onlyFailures --maxWorkers \
             --testPathPattern --testPathPatterns --runTestsByPath --no-cache --detectOpenHandles --forceExit --listTests \
             --colors --testTimeout --selectProjects --findRelatedTests --json --expand",
        ),
    ),
    (
        &["mocha"],
        known(
            "-b -g: -f: -t: --grep --fgrep --bail --timeout --recursive --exit --reporter=dot --reporter=spec --parallel \
             --forbid-only --check-leaks --full-trace --color --no-color",
        ),
    ),
    (
        &["eslint"],
        known(
            "--fix --fix-dry-run --ext --quiet --max-warnings --cache --no-cache --format=json --format=stylish --color \
             --no-color --no-ignore --report-unused-disable-directives --no-error-on-unmatched-pattern",
        ),
    ),
    (
        &["prettier"],
        known(
            "-c -l -w -u --check --write --list-different --ignore-unknown --log-level --cache --tab-width --use-tabs \
             --single-quote --no-semi --print-width --trailing-comma",
        ),
    ),
    (
        &["tsc"],
        known(
            "-b -w -p: --noEmit --project --build --watch --pretty --incremental --strict --skipLibCheck --listFiles \
             --emitDeclarationOnly --declaration --showConfig --noErrorTruncation --allowJs --checkJs --jsx \
             --esModuleInterop --target --module --moduleResolution --lib",
        ),
    ),
    (
        &["rspec"],
        known(
            "-b -e: -t: -fd -fp --format=documentation --format=progress --example --fail-fast --only-failures \
             --next-failure --backtrace --seed --tag --dry-run --color --no-color --profile --order",
        ),
    ),
    (
        &["bun test", "deno test", "deno lint", "deno fmt", "deno check"],
        known(
            "-q -t: --quiet --test-name-pattern --filter --bail --fail-fast --watch --timeout --only --todo --parallel \
             --no-check --doc --check --coverage",
        ),
    ),
    (
        &["make", "gmake"],
        known(
            "-k -s -B -n -i -q -w -t -r -R -j: -O: -l: --jobs --keep-going --silent --quiet --always-make --dry-run \
             --just-print --ignore-errors --question --print-directory --no-print-directory --output-sync --load-average \
             --no-builtin-rules --trace --warn-undefined-variables",
        )
        .taking(Operands::Plain),
    ),
    (&["ninja"], known("-v -n -j: -k: -l: --verbose --quiet")),
    (
        &["ctest"],
        known(
            "-V -VV -N -j: -R: -E: -L: -C: --output-on-failure --rerun-failed --parallel --verbose --tests-regex \
             --label-regex --exclude-regex --repeat --timeout --progress --stop-on-failure",
        ),
    ),
    (
        &["gradle", "gradlew"],
        known(
            "-q -i -s -x: --tests --info --stacktrace --quiet --daemon --no-daemon --rerun-tasks --offline --continue \
             --parallel --console --warning-mode --dry-run --exclude-task --build-cache --no-build-cache",
        ),
    ),
    (
        &["mvn", "mvnw"],
        known(
            "-q -B -o -U -e -am -amd -nsu -ntp -pl -DskipTests -Dtest -DfailIfNoTests --quiet --batch-mode --offline \
             --update-snapshots --also-make --projects --no-transfer-progress --fail-fast --fail-at-end",
        ),
    ),
    (
        &["dotnet build", "dotnet test", "dotnet restore", "dotnet format", "dotnet clean", "dotnet list"],
        known(
            "-c: -v: -f: -r: --configuration --verbosity --framework --runtime --no-build --no-restore --nologo --filter \
             --no-incremental --verify-no-changes --outdated",
        )
        .taking(Operands::Plain),
    ),
    (
        &["docker", "podman", "nerdctl", "docker-compose", "podman-compose"],
        known(SHOWING_CONTAINERS),
    ),
    (
        &["docker compose up", "podman compose up", "docker compose build", "docker-compose up", "docker-compose build"],
        known(
            "-d -q --detach --build --no-build --wait --no-deps --pull --quiet --quiet-pull --no-color --no-cache \
             --remove-orphans --force-recreate",
        ),
    ),
    (
        &["kubectl", "oc"],
        known(
            "-n: -o: -l: -A -w -f -c: --namespace --output --selector --all-namespaces --watch --show-labels --sort-by \
             --field-selector --no-headers --follow --tail --since --container --previous --timestamps --all-containers",
        ),
    ),
    (
        &["gh"],
        known(
            "-R: -L: -s: -q: -A: -l: -a: -S: -t: -b: -H: -B: -c -d --repo --limit --state --json --jq --author --label \
             --assignee --search --title --body --head --base --comments --draft --branch --workflow --log --log-failed",
        ),
    ),
    (
        &["terraform plan", "terraform validate", "terraform fmt", "terraform show", "terraform output"],
        known(
            "-no-color -input -var -var-file -target -refresh -check -recursive -diff -lock -json -raw -compact-warnings \
             -detailed-exitcode -parallelism",
        ),
    ),
];
