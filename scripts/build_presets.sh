# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: configures and builds a CMake preset, and leaves at once where there is nothing to do.

preset_folder() { printf '%s/build/%s' "$ROOT" "$1"; }

has_engine() { # PRESET: built with LibTorch
  case $1 in asan-ubsan | tsan) return 1 ;; esac
}

cuda_arguments() { # PRESET: a line each, nothing where CUDA is not compiled
  nvcc_dir >/dev/null || return 0
  [ "$1" = ci ] || [ "$1" = package ] || [ "$1" = gpu ] || { has_engine "$1" && { gpu_driver_here || [ -n "${CARRYOVER_WITH_CUDA:-}" ] ||
    [ -e "$TORCH_CUDA" ]; }; } || return 0
  printf '%s\n' -DCARRYOVER_BUILD_CUDA=ON "-DCARRYOVER_CUDA_DIR=$(nvcc_dir)"
}

# Configured once for a set of paths; ninja itself reconfigures where a CMake file or the list of sources changes.
configure() { # PRESET
  local folder arguments=()
  folder=$(preset_folder "$1")
  if has_engine "$1"; then arguments+=("-DCARRYOVER_TORCH_DIR=$TORCH_DIR"); fi
  mapfile -t -O "${#arguments[@]}" arguments < <(cuda_arguments "$1")
  # A warning of a newer compiler must not stop somebody's build. In CI it does, but clang's of the sanitizers' builds.
  if in_ci && [[ $1 != asan-* ]]; then arguments+=(-DCARRYOVER_WERROR=ON); else arguments+=(-DCARRYOVER_WERROR=OFF); fi
  local stamp=$folder/.configured wanted
  wanted="${arguments[*]} $(cksum <"$ROOT/CMakePresets.json")" # ninja does not look at the presets
  if [ -e "$folder/build.ninja" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then return 0; fi
  mkdir -p "$folder"
  (cd "$ROOT" && cmake --preset "$1" "${arguments[@]}") >"$folder/configure.log" 2>&1 ||
    { sed -n '/CMake Error/,$p' "$folder/configure.log" >&2; fail "CMake failed; its log is $folder/configure.log"; }
  printf '%s' "$wanted" >"$stamp"
  if [ "$1" != lint ]; then ln -sf "build/$1/compile_commands.json" "$ROOT/compile_commands.json"; fi # an editor's has tests
}

# Whether TARGETS, or all where none is given, have been built once.
is_built() { # PRESET [TARGET...]
  [ -e "$(preset_folder "$1")/.built-all" ] || { [ $# -gt 1 ] && [ -e "$(preset_folder "$1")/.built" ]; }
}

# Builds TARGETS (all where none is given). Two of these in one checkout wait for each other. After the first build only
# warnings and errors are shown.
build_preset() { # PRESET [TARGET...]
  local preset=$1 folder ninja=(ninja)
  folder=$(preset_folder "$preset")
  shift
  mkdir -p "$folder"
  exec 8>"$folder/.lock"
  flock 8
  configure "$preset"
  if is_built "$preset" "$@"; then ninja+=(--quiet); fi
  NINJA_STATUS='      [%f/%t, %es] ' "${ninja[@]}" -C "$folder" "$@" 8>&- 9>&- | sed -u '/^ninja: no work to do/d' >&2 ||
    fail "the build failed; what went wrong stands above"
  if [ $# -gt 0 ]; then touch "$folder/.built"; else touch "$folder/.built-all"; fi
  exec 8>&-
}

plan_build() { # PRESET SECONDS COMMAND: only a first build is worth a line in the table
  local targets=()
  [ "$3" = "build_preset $1" ] || targets=(some)
  if ! is_built "$1" ${targets[@]+"${targets[@]}"}; then plan "Build: $1" 0 "${4:-250}" "$2" "$3"; fi
}

# What a person runs; the tests are left to `./lab test`. The engine and its CUDA plug-in are opened at run time, so
# they are named.
build_program() {
  local targets=(carryover carryover-cli carryover_engine)
  if [ -n "$(cuda_arguments release)" ]; then targets+=(carryover_cuda); fi
  build_preset release "${targets[@]}"
}
