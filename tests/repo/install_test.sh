#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: install_test.sh BUILD
# What `cmake --install` lays into an empty place works from there: programs, demo, completions, pages, and metadata that
# desktops accept. Nothing of the build folder is opened meanwhile.
set -euo pipefail
build=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source=$PWD
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
prefix=$stage/usr programs=$stage/usr/bin
checks=0

fail() {
  printf '%s\n' "$@" >&2
  exit 1
}
expect() { # TEXT-IN-OUTPUT  COMMAND...
  local text=$1 output
  shift
  output=$("$@" 2>&1) || fail "failed: $*" "$output"
  grep -qE -- "$text" <<<"$output" || fail "expected '$text' of: $*" "$output"
  checks=$((checks + 1))
}
have() { command -v "$1" >/dev/null; }

DESTDIR=$stage cmake --install "$build" --prefix /usr --strip >"$stage/install.log" || fail "$(tail "$stage/install.log")"
mkdir -p "$stage/home/.runtime"
chmod 700 "$stage/home/.runtime"
export HOME=$stage/home XDG_RUNTIME_DIR=$stage/home/.runtime PATH=$programs:$PATH
unset CARRYOVER_TORCH_DIR LD_LIBRARY_PATH XDG_DATA_HOME
cd "$HOME"

# Programs, from a folder that is none of theirs. The dynamic linker says which libraries it opens.
expect '^carryover [0-9]' carryover --version
expect '^carryover [0-9]' carryover-cli --version
expect '4 layers' carryover-cli info "$prefix/share/carryover/demo"
LD_DEBUG=libs LD_DEBUG_OUTPUT=$stage/linker expect '[1-9][0-9]* pictures in' \
  carryover --headless --no-fetch --tokens 256 --out "$HOME/run"
[ -s run/summary.json ] && [ -s run/plots/loss.csv ] || fail "the run folder is not whole: $(find run)"
sed 's#/bin/\.\./#/#' "$stage"/linker.* >"$stage/opened"
grep -q "calling init: $prefix/lib/carryover/torch/lib/libtorch_cpu.so" "$stage/opened" || fail "no LibTorch of the tree"
! grep 'calling init' "$stage/opened" | grep -F -e "$build/" -e libtorch | grep -vF "calling init: $prefix/" ||
  fail "the lines above are libraries that do not belong to the installation"
for file in "$programs"/carryover* "$prefix"/lib/carryover/*.so; do
  ! readelf -d "$file" | sed -nE 's/.*R(UN)?PATH.*\[(.*)\]/\2:/p' | tr ':' '\n' | sed '$d' | grep -v '^\$ORIGIN\(/\|$\)' ||
    fail "$file looks for libraries elsewhere"
  ! strings "$file" | grep -F "$build/" | grep -v '^/.*\.debug$' || fail "$file names the build folder"
  checks=$((checks + 2))
done

# Plans: what comes with them is found where they say, and the demo's run from here.
expect 'ok' python3 -I - "$source/examples/experiments" "$prefix/share/carryover/experiments" <<'PYTHON'
import json, sys
from pathlib import Path
ours, installed = map(Path, sys.argv[1:])
names = {path.name for path in ours.glob("*.json")}
assert names and names == {path.name for path in installed.glob("*.json")}, "other plans"
shipped = 0
for name in names:
    plan = json.loads((installed / name).read_text())
    paths = list(plan["models"].values())
    paths += [recipe["adapter"] for recipe in plan["recipes"].values() if recipe and "adapter" in recipe]
    for path in (path for path in paths if path.startswith("..")):
        shipped += 1
        assert (installed / path).is_dir(), f"{name}: no {path}"
    if name.startswith("demo_"):
        assert (installed / plan["data"]).is_dir() and (installed / plan["texts"]).is_dir(), name
assert shipped >= 6
print("ok")
PYTHON
expect '130 of 130 cells to run: about' carryover-cli experiment "$prefix/share/carryover/experiments/demo_m.json" --dry-run

# Each installed script, in a folder that waits for one: nothing is taken from there.
mapfile -t poison < <(python3 -I "$source/tests/support/poisoned_folder.py" "$stage/current" "$stage/marks")
in_poisoned_folder() { (cd "$stage/current" && export "${poison[@]}" && "$@"); }
expect 'books.json' in_poisoned_folder "$prefix/share/carryover/experiments/fetch_books.py" --help
expect 'in all +[0-9]+ MB' in_poisoned_folder "$programs/carryover" setup-cuda --dry-run
expect 'in all +[0-9]+ MB' in_poisoned_folder "$prefix/lib/carryover/scripts/setup_cuda.sh" --dry-run
expect 'retrieval-length' in_poisoned_folder /bin/bash -c ". $prefix/share/bash-completion/completions/carryover
  COMP_WORDS=(carryover run --retr) COMP_CWORD=2; _carryover; echo \"\${COMPREPLY[*]}\""
[ -z "$(ls "$stage/marks")" ] || fail "the installed scripts ran these of the current folder: $(ls "$stage/marks")"
scripts=$(cd "$prefix" && find . -type f -exec grep -lIm1 '^#!' {} + |
  grep -vE '^./(lib/carryover/scripts|share/carryover/experiments)/' || true)
[ -z "$scripts" ] || fail "installed scripts that are not tried here: $scripts"

# What a desktop reads, by its own validators where they are installed, else by structure.
desktop=$prefix/share/applications/carryover.desktop
metainfo=$prefix/share/metainfo/org.carryover.Carryover.metainfo.xml
if have desktop-file-validate; then expect '' desktop-file-validate "$desktop"; fi
if have appstreamcli; then expect 'successful' appstreamcli validate --no-net "$metainfo"; fi
expect 'ok' python3 -I - "$prefix" "$desktop" "$metainfo" <<'PYTHON'
import configparser, sys, xml.etree.ElementTree as xml
from pathlib import Path
prefix, desktop, metainfo = map(Path, sys.argv[1:])
entry = configparser.ConfigParser(interpolation=None)
entry.optionxform = str
entry.read(desktop)
entry = entry["Desktop Entry"]
assert (prefix / "bin" / entry["Exec"].split()[0]).is_file()
assert (prefix / f"share/icons/hicolor/scalable/apps/{entry['Icon']}.svg").is_file()
mime = xml.parse(prefix / "share/mime/packages/carryover.xml").getroot()[0]
space = "{http://www.freedesktop.org/standards/shared-mime-info}"
assert entry["MimeType"] == mime.get("type") + ";" and mime.find(space + "glob").get("pattern") == "*.carryover"
component = xml.parse(metainfo).getroot()
assert component.find("launchable").text == desktop.name and component.find("name").text == entry["Name"]
assert component.find("provides/mediatype").text == mime.get("type")
for binary in component.findall("provides/binary"):
    assert (prefix / "bin" / binary.text).is_file()
print("ok")
PYTHON
if have update-mime-database; then
  update-mime-database "$prefix/share/mime" 2>"$stage/mime.log"
  expect 'application/x-carryover-session:\*\.carryover' cat "$prefix/share/mime/globs2"
fi

# Pages and completions.
expect 'SYNOPSIS' zcat "$prefix/share/man/man1/carryover.1.gz"
expect 'so man1/carryover.1' zcat "$prefix/share/man/man1/carryover-cli.1.gz"
for program in carryover carryover-cli; do
  cmp "$prefix/share/bash-completion/completions/$program" <(carryover-cli completion bash) || fail "stale completion"
  cmp "$prefix/share/fish/vendor_completions.d/$program.fish" <(carryover-cli completion fish) || fail "stale completion"
done
if have zsh; then
  expect '^_carryover _carryover$' zsh -fc "fpath=($prefix/share/zsh/vendor-completions \$fpath)
    autoload -Uz compinit; compinit -u -D; print \$_comps[carryover] \$_comps[carryover-cli]"
fi
if have fish; then expect '^--retrieval-length' fish -c "source $prefix/share/fish/vendor_completions.d/carryover.fish
  complete -C 'carryover run --retr'"; fi

# The CUDA parts: what would be fetched is said, and a build says where to go instead.
expect 'in all +[0-9]+ MB' carryover setup-cuda --dry-run
[ ! -e "$HOME/.local/share/carryover" ] || fail "--dry-run made something"
! "$build/bin/carryover-cli" setup-cuda --dry-run 2>"$stage/said" || fail "a build fetched for an installation"
expect './lab cuda' cat "$stage/said"
for file in guide.md guide.de.md LICENSE copyright changelog.gz; do [ -s "$prefix/share/doc/carryover/$file" ] || fail "no $file"; done
for guide in guide.md guide.de.md; do
  cmp -s "$source/docs/$guide" "$prefix/share/doc/carryover/$guide" || fail "another $guide"
done
echo "$checks checks passed"
