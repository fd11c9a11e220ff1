# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: a plan is a list of steps with their cost. It is shown once, as a table, and then carried out.
PLAN_ITEM=() PLAN_FETCH=() PLAN_DISK=() PLAN_SECONDS=() PLAN_COMMAND=()

plan() { # ITEM  MB-TO-FETCH  MB-ON-DISK  SECONDS  COMMAND
  PLAN_ITEM+=("$1") PLAN_FETCH+=("$2") PLAN_DISK+=("$3") PLAN_SECONDS+=("$4") PLAN_COMMAND+=("$5")
}

minutes() { # SECONDS, as a person would say it
  if [ "$1" -lt 60 ]; then printf 'under a minute'; else printf 'about %d min' $((($1 + 30) / 60)); fi
}

sum() {
  local total=0 number
  for number in "$@"; do total=$((total + number)); done
  printf '%d' "$total"
}

show_plan() {
  local i free_mb disk
  disk=$(sum "${PLAN_DISK[@]}")
  printf '\n  %-52s %10s %10s %16s\n' "To be fetched and built" "fetch" "disk" "time" >&2
  for i in "${!PLAN_ITEM[@]}"; do
    printf '  %-52s %7d MB %7d MB %16s\n' "${PLAN_ITEM[i]}" "${PLAN_FETCH[i]}" "${PLAN_DISK[i]}" \
      "$(minutes "${PLAN_SECONDS[i]}")" >&2
  done
  printf '  %-52s %7d MB %7d MB %16s\n\n' "in all" "$(sum "${PLAN_FETCH[@]}")" "$disk" \
    "$(minutes "$(sum "${PLAN_SECONDS[@]}")")" >&2
  free_mb=$(df -P -BMB "$CACHE" | awk 'NR == 2 { print $4 + 0 }')
  [ "$free_mb" -gt "$disk" ] || fail "the disk of $CACHE has $free_mb MB left and $disk MB are needed; free some, \
or set CARRYOVER_CACHE to a folder on another disk"
}

carry_out_plan() {
  [ ${#PLAN_ITEM[@]} -gt 0 ] || return 0
  show_plan
  if [ -n "$OFFLINE" ] && [ "$(sum "${PLAN_FETCH[@]}")" -gt 0 ]; then
    fail "--offline was given, and what the table lists under 'fetch' is missing; run once without it" 3
  fi
  local i n=${#PLAN_ITEM[@]}
  for i in "${!PLAN_ITEM[@]}"; do
    say "[$((i + 1))/$n] ${PLAN_ITEM[i]}  ($(minutes "$(sum "${PLAN_SECONDS[@]:i}")") left)"
    ${PLAN_COMMAND[i]}
  done
}
