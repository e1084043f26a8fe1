#!/usr/bin/env bash
# Makes the files of a release from a clean checkout, offline after `cargo fetch`; the same commit gives the same bytes.
#
#   deploy/release/build.sh [TARGET...]      default: x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
#
# README.md here says what is made and what it needs. Output: target/dist.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=deploy/release
dist="${DIST:-target/dist}"

if [ -n "$(git status --porcelain)" ] && [ "${DIRTY:-}" != 1 ]; then
  echo "error: the checkout has changes; commit them, or set DIRTY=1 for files that nobody else can make again" >&2
  exit 2
fi
targets=("$@")
[ $# -gt 0 ] || targets=(x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu)

# Everything that would otherwise come from this machine or this moment.
export LC_ALL=C TZ=UTC
umask 022
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
GLEANER_COMMIT="$(git rev-parse HEAD)"
export SOURCE_DATE_EPOCH GLEANER_COMMIT
version="$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)"
maintainer="${MAINTAINER:-The gleaner maintainers <maintainers@gleaner.invalid>}"
cargo_home="${CARGO_HOME:-$HOME/.cargo}"
build="$(realpath -m "${CARGO_TARGET_DIR:-target}")"

step() { printf '\n== %s\n' "$*" >&2; }

# A static program starts on every Linux of its architecture, the README compares glibc with musl.
compile() { # TARGET
  local name="${1//-/_}" map="-ffile-prefix-map=$PWD=/gleaner -ffile-prefix-map=$cargo_home=/cargo"
  local flags="-C target-feature=+crt-static --remap-path-prefix=$PWD=/gleaner --remap-path-prefix=$cargo_home=/cargo"
  local cross=()
  if [ "${1%%-*}" != "$(uname -m)" ]; then
    cross=("CC_$name=${1%%-*}-linux-gnu-gcc" "AR_$name=${1%%-*}-linux-gnu-ar" "CARGO_TARGET_${name^^}_LINKER=${1%%-*}-linux-gnu-gcc")
  fi
  env "${cross[@]}" "CFLAGS_$name=$map" RUSTFLAGS="$flags" CARGO_INCREMENTAL=0 CARGO_PROFILE_RELEASE_STRIP=symbols \
    cargo build --release --locked --offline --features parquet --target "$1"
}

# Clamps all times of a tree, so that archives of it are equal.
dated() { find "$1" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

tarball() { # FOLDER OUT
  dated "$1"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu \
    -C "$(dirname "$1")" -c "$(basename "$1")" | gzip -n -9 >"$2"
}

# What the packages install, below usr/.
tree() { # ROOT PROGRAM
  local doc="$1/usr/share/doc/gleaner"
  install -Dm755 "$2" "$1/usr/bin/gleaner"
  install -d "$1/usr/share/man/man1" "$doc"
  for page in "$work"/man/*.1; do
    gzip -n -9 <"$page" >"$1/usr/share/man/man1/$(basename "$page").gz"
  done
  install -Dm644 "$work/completions/gleaner.bash" "$1/usr/share/bash-completion/completions/gleaner"
  install -Dm644 "$work/completions/gleaner.fish" "$1/usr/share/fish/vendor_completions.d/gleaner.fish"
  install -m644 "$work/THIRD-PARTY-LICENSES.txt" "$doc/"
}

deb() { # ARCH ROOT
  local root="$2" doc="$2/usr/share/doc/gleaner" date
  date="$(date -R -d "@$SOURCE_DATE_EPOCH")"
  install -Dm644 "$work/completions/_gleaner" "$root/usr/share/zsh/vendor-completions/_gleaner"
  { echo "Files: *"; echo "Copyright: the gleaner contributors"; echo "License: Apache-2.0"
    echo "Comment: the licence is in /usr/share/common-licenses/Apache-2.0; THIRD-PARTY-LICENSES.txt has those of what is linked in."
  } >"$doc/copyright"
  printf 'gleaner (%s) unstable; urgency=low\n\n  * Release %s; CHANGELOG.md of the sources has the changes.\n\n -- %s  %s\n' \
    "$version" "$version" "$maintainer" "$date" | gzip -n -9 >"$doc/changelog.gz"
  install -d "$root/usr/share/lintian/overrides" "$root/DEBIAN"
  { echo "# One program for every distribution: it must start where the C library is older."
    echo "gleaner: statically-linked-binary [usr/bin/gleaner]"
    echo "# A translation of libyaml to Rust, which has its messages."
    echo "gleaner: embedded-library libyaml [usr/bin/gleaner]"
  } >"$root/usr/share/lintian/overrides/gleaner"
  sed -e "s/@VERSION@/$version/; s/@ARCH@/$1/; s/@MAINTAINER@/$maintainer/" \
    -e "s/@SIZE@/$(du -k -s --apparent-size "$root/usr" | cut -f1)/" $here/control >"$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  dated "$root"
  dpkg-deb --root-owner-group -Zxz --build "$root" "$dist/gleaner_${version}_$1.deb" >/dev/null
}

rpm() { # ARCH ROOT
  local top="$work/rpm-$1"
  install -Dm644 "$work/completions/_gleaner" "$2/usr/share/zsh/site-functions/_gleaner"
  install -Dm644 LICENSE "$2/usr/share/doc/gleaner/LICENSE"
  dated "$2"
  rpmbuild -bb --quiet --target "$1-linux" --define "_topdir $top" --define "tree $2" \
    --define "gleaner_version $version" --define "packager $maintainer" $here/gleaner.spec
  cp "$top/RPMS/$1/"*.rpm "$dist/"
}

# An image without anything else: no shell, no user database, no time zones.
image() { # ARCH PROGRAM
  local context="$work/image-$1" layout="$work/gleaner-$version-$1-image"
  install -Dm755 "$2" "$context/gleaner"
  install -m644 LICENSE "$work/THIRD-PARTY-LICENSES.txt" "$context/"
  cp $here/Containerfile "$context/"
  dated "$context"
  buildah --storage-driver vfs bud --quiet --isolation chroot --timestamp "$SOURCE_DATE_EPOCH" --arch "$1" \
    --label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.revision=$GLEANER_COMMIT" \
    --identity-label=false --tag "gleaner:$version-$1" "$context" >/dev/null
  buildah --storage-driver vfs push --quiet "gleaner:$version-$1" "oci:$layout:$version"
  dated "$layout"
  # An archive of the layout is what podman load, docker load and skopeo read.
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --format=gnu -C "$layout" -cf \
    "$dist/gleaner-$version-$1-image.tar" .
}

work="$build/release-work"
rm -rf "$dist" "$work"
mkdir -p "$dist" "$work/man" "$work/completions"

for target in "${targets[@]}"; do
  step "build $target"
  compile "$target"
done

# Pages and completions are the same for all targets; the program of this machine writes them, made now: an older one has other pages.
host="$(uname -m)-unknown-linux-gnu"
[[ " ${targets[*]} " == *" $host "* ]] || { step "build $host, which writes the pages"; compile "$host"; }
own="$build/$host/release/gleaner"
step "man pages, completions, licences, bill of materials"
"$own" man "$work/man"
"$own" completions bash >"$work/completions/gleaner.bash"
"$own" completions zsh >"$work/completions/_gleaner"
"$own" completions fish >"$work/completions/gleaner.fish"
python3 $here/materials.py --licences "$work/THIRD-PARTY-LICENSES.txt" --sbom "$dist/gleaner-$version.cdx.json" "${targets[@]}"

for target in "${targets[@]}"; do
  machine="${target%%-*}"
  case "$machine" in x86_64) arch=amd64 ;; aarch64) arch=arm64 ;; *) echo "error: no packages for $target" >&2; exit 2 ;; esac
  program="$build/$target/release/gleaner"
  step "packages for $arch"
  folder="$work/gleaner-$version-$machine-linux"
  install -Dm755 "$program" "$folder/gleaner"
  cp -r README.md CHANGELOG.md LICENSE "$work/THIRD-PARTY-LICENSES.txt" "$work/man" "$work/completions" "$folder/"
  tarball "$folder" "$dist/gleaner-$version-$machine-linux.tar.gz"
  tree "$work/deb-$arch" "$program" && deb "$arch" "$work/deb-$arch"
  tree "$work/tree-$machine" "$program" && rpm "$machine" "$work/tree-$machine"
  image "$arch" "$program"
done
(cd "$dist" && sha256sum -- * >SHA256SUMS)
step "done: $dist"
ls -l "$dist"
