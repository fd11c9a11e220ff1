#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ./lab doctor: what is here, what is missing, and how to get it. Changes nothing. Exit 1 where something is missing.
. "$(command -p dirname "${BASH_SOURCE[0]}")/setup.sh"
. "$ROOT/scripts/build_presets.sh"

missing=0
row() { printf '  %-9s %-24s %s\n' "$1" "$2" "$3"; }
here() { row ok "$1" "$2"; }
gone() { # WHAT  HOW TO GET IT
  missing=$((missing + 1))
  row MISSING "$1" "$2"
}
tool() { # NAME COMMAND...
  if have "$2"; then here "$1" "$("${@:2}" 2>&1 | head -n 1)"; else gone "$1" "./lab build installs it"; fi
}
part() { # WHAT  PATH  HOW TO GET IT
  if [ -e "$2" ]; then here "$1" "$2"; else gone "$1" "$3"; fi
}
optional() { # WHAT  PATH  HOW TO GET IT
  if [ -e "$2" ]; then here "$1" "$2"; else row - "$1" "$3"; fi
}

echo "Machine"
row "" system "$(os_name), $(nproc) cores, $(awk '/MemTotal/ { printf "%.0f GB", $2 / 1e6 }' /proc/meminfo) of memory"
row "" processor "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
row "" "vector units" "$(grep -m1 '^flags' /proc/cpuinfo | grep -oE '\b(avx2|avx512f|avx512_bf16|amx_bf16)\b' | sort -u | tr '\n' ' ')"
row "" display "${DISPLAY:-${WAYLAND_DISPLAY:-none: ./lab run works without a window}}"
if gpu_driver_here; then
  row ok "GPU" "$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null | head -n 1)"
else
  row - "GPU" "no NVIDIA driver: everything runs on the CPU"
fi

echo "Tools"
tool compiler g++ --version
tool CMake cmake --version
tool Ninja ninja --version
tool ccache ccache --version
tool linker ld.lld --version
tool Python python3 --version
optional clang "$(command -v clang++ || true)" "./lab fuzz installs it; the fuzz targets alone need it"
optional clang-tidy "$(command -v clang-tidy || true)" "./lab lint installs it"
mapfile -t names < <(missing_packages)
if [ ${#names[@]} -eq 0 ]; then
  here "Debian packages" "all $(package_names | wc -l)"
elif root_prefix >/dev/null && have apt-get; then
  gone "Debian packages" "./lab build installs: ${names[*]}"
else
  gone "Debian packages" "no way to become root; apt-get install --no-install-recommends ${names[*]}"
fi

echo "Downloads, in $CACHE ($(du -sh --si "$CACHE" 2>/dev/null | cut -f1 || true), $(df -PH "$(dirname "$CACHE")" 2>/dev/null | awk 'NR == 2 { print $4 }' || true) free)"
part "LibTorch 2.11.0" "$TORCH_DIR/torch/lib/libtorch_cpu.so" "./lab build fetches it (544 MB)"
part "model" "$CACHE/models/SmolLM2-135M-Instruct.Q4_1.gguf" "./lab assets fetches it (98 MB)"
part "text" "$CACHE/texts/persuasion.txt" "./lab assets fetches it (2 MB)"
optional "CUDA compiler" "$(nvcc_dir || true)" "./lab cuda fetches it (105 MB); needed to change CUDA sources"
optional "CUDA libraries" "$TORCH_CUDA" "./lab cuda fetches them (2 GB); needed with a GPU only"

echo "Built"
part program "$(preset_folder release)/bin/carryover" "./lab build"
if [ "$missing" -eq 0 ]; then echo "Nothing is missing."; else echo "$missing missing; ./lab run and ./lab test bring in all of it."; fi
[ "$missing" -eq 0 ]
