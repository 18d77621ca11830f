//! Options of programs that build in any language, and of those that run and describe what was built.

use super::{Operands, OptionEntry, known};

const SHOWING_CONTAINERS: &str = "-a -q -f -n: -l --all --quiet --format --filter --tail --since --until --follow \
    --timestamps -t --no-trunc --no-color --services --no-stream";

/// Builds, containers and services.
pub(super) const BUILDS: &[OptionEntry] = &[
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
