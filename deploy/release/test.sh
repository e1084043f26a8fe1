#!/usr/bin/env bash
# Tests the files that build.sh made, by hand and as root: packages in a new root, the image without a network, the same bytes again.
#
#   deploy/release/test.sh [DYNAMIC]       DYNAMIC: a program of `cargo build --release`, to compare the speed with
#
# Needs what build.sh needs, and debootstrap with a mirror (MIRROR) for the root in which packages are installed. ONLY="static image" runs some.
set -euo pipefail
cd "$(dirname "$0")/../.."
dist="$(realpath "${DIST:-target/dist}")"
dynamic="${1:-}"
version="$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)"
# buildah takes the path of an image for its name, which must be in lower case.
scratch="${TMPDIR:-/tmp}/gleaner-release-$$"
mkdir "$scratch"
trap 'rm -rf "$scratch"' EXIT
export SOURCE_DATE_EPOCH=0

fail() { echo "FAILED: $*" >&2; exit 1; }
runs() { [ -z "${ONLY:-}" ] || [[ " $ONLY " == *" $1 "* ]]; }
step() { printf '\n== %s\n' "$*"; }

test_static() {
  for machine in x86_64 aarch64; do
    local archive="$dist/gleaner-$version-$machine-linux.tar.gz"
    [ -f "$archive" ] || continue
    tar -xzf "$archive" -C "$scratch"
    local program="$scratch/gleaner-$version-$machine-linux/gleaner"
    # A static program has no interpreter, whatever the machine.
    ! readelf -l "$program" | grep -q INTERP || fail "$program is not static"
    [ "$machine" != "$(uname -m)" ] || { ldd "$program" 2>&1 | grep -Eq 'statically linked|not a dynamic' || fail "ldd of $program"; }
    echo "$machine: static, $(stat -c %s "$program") bytes"
  done
  "$scratch/gleaner-$version-$(uname -m)-linux/gleaner" --version
  (cd "$dist" && sha256sum --check --quiet SHA256SUMS)
}

# Installs, runs and removes a package in a root of its own.
test_deb() {
  local root="$scratch/debian" deb="gleaner_${version}_amd64.deb"
  debootstrap --variant=minbase "${SUITE:-bookworm}" "$root" ${MIRROR:-} >"$scratch/debootstrap.log" || fail "$(tail -3 "$scratch/debootstrap.log")"
  cp "$dist/$deb" "$root/tmp/"
  cp -r samples/healthy "$root/tmp/sample"
  chroot "$root" dpkg -i "/tmp/$deb"
  chroot "$root" gleaner analyze /tmp/sample -o /tmp/report.html --quiet
  [ -s "$root/tmp/report.html" ] || fail "no report of the installed program"
  chroot "$root" dpkg --purge gleaner
  [ ! -e "$root/usr/bin/gleaner" ] || fail "the program is still there"
  lintian --fail-on error --tag-display-limit 0 "$dist/$deb"
}

test_rpm() {
  local root="$scratch/rpm" rpm="$dist/gleaner-$version-1.x86_64.rpm"
  mkdir -p "$root"
  # --nodeps: a static program needs nothing, and the new root has no packages that could give it.
  rpm --root "$root" --initdb
  rpm --root "$root" --install --nodeps --nosignature "$rpm"
  cp -r samples/healthy "$root/sample"
  chroot "$root" /usr/bin/gleaner analyze /sample -o /report.html --quiet
  [ -s "$root/report.html" ] || fail "no report of the installed program"
  rpm --root "$root" --erase gleaner
  [ ! -e "$root/usr/bin/gleaner" ] || fail "the program is still there"
  [ -z "$(rpm -qp --requires --nosignature "$rpm" | grep -v '^rpmlib(' || true)" ] || fail "the package needs other packages"
}

test_image() {
  local image="$dist/gleaner-$version-amd64-image.tar" layout="$scratch/layout" container
  mkdir "$layout" && tar -xf "$image" -C "$layout"
  container="$(buildah --storage-driver vfs from --name gleaner-test "oci:$layout:$version")"
  buildah --storage-driver vfs inspect --format '{{.OCIv1.Config.User}}' "$container" | grep -qx 65532:65532 || fail "user of the image"
  # buildah shares the network of its own process here, so that process gets none.
  unshare --net buildah --storage-driver vfs run --isolation chroot --volume "$PWD/samples/healthy:/bundle:ro" "$container" -- \
    /gleaner analyze /bundle -o - --format json --quiet >"$scratch/image.json" || fail "the image does not analyse"
  buildah --storage-driver vfs rm "$container" >/dev/null
  python3 -c 'import json,sys; found=json.load(open(sys.argv[1])); assert found["rules"]["clean"], found["rules"]' "$scratch/image.json"
}

# The same files from a second run of everything behind the compiler; REBUILD=1 compiles again, too, in another folder.
test_again() {
  local targets=()
  for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu; do
    [ ! -f "$dist/gleaner-$version-${target%%-*}-linux.tar.gz" ] || targets+=("$target")
  done
  unset SOURCE_DATE_EPOCH
  [ "${REBUILD:-}" != 1 ] || export CARGO_TARGET_DIR="$scratch/target"
  DIST="$scratch/dist" deploy/release/build.sh "${targets[@]}" >"$scratch/build.log" 2>&1 || fail "$(tail -5 "$scratch/build.log")"
  diff "$dist/SHA256SUMS" "$scratch/dist/SHA256SUMS" || fail "other bytes"
}

# Medians of processor seconds, in turn so that a busy machine is busy for both.
test_speed() {
  [ -n "$dynamic" ] || { echo "skipped: no dynamic program was given"; return; }
  local own="$scratch/gleaner-$version-$(uname -m)-linux/gleaner"
  [ -x "$own" ] || tar -xzf "$dist/gleaner-$version-$(uname -m)-linux.tar.gz" -C "$scratch"
  python3 - "$own" "$dynamic" "${BUNDLE:-samples/busy-healthy}" <<'PY'
import os, resource, statistics, subprocess, sys
own, dynamic, bundle = sys.argv[1:]
def seconds(program):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, "analyze", bundle, "-o", os.devnull, "--format", "json", "--quiet"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
runs = [(seconds(own), seconds(dynamic)) for _ in range(int(os.environ.get("RUNS", "15")))]
a, b = (statistics.median(run[i] for run in runs) for i in (0, 1))
print(f"static {a:.3f} s, dynamic {b:.3f} s, ratio {a / b:.3f}")
sys.exit(a / b > 1.05)
PY
}

for name in static deb rpm image again speed; do
  if runs "$name"; then
    step "$name"
    "test_$name"
  fi
done
step "all passed"
