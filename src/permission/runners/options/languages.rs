//! Options of what belongs to one programming language: package managers, tests, linters and formatters.

use super::{OptionEntry, WordsBehind, known};

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

/// Rust, Go, JavaScript, Python and Ruby.
pub(super) const LANGUAGES: &[OptionEntry] = &[
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
        known(CARGO).and(WordsBehind::Free),
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
        .and(WordsBehind::SameOptions),
    ),
    (
        &["cargo fmt"],
        known("-q -v -l -p: --quiet --verbose --check --all --package --edition --message-format")
            .and(WordsBehind::SameOptions),
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
        known("").and(WordsBehind::FreeBehindOperand),
    ),
    (
        &["npm run", "npm test", "npm t", "npm start", "pnpm test", "yarn test"],
        known(
            "-s -w --silent --quiet --workspace --workspaces --include-workspace-root --if-present --loglevel --color \
             --no-color --no-fund --port --host --watch --mode --fix --coverage --dev --verbose",
        )
        .and(WordsBehind::Free),
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
];
