// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cpu/amx_tiles.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "engine/ops/cpu/bf16_attention.h"

namespace carryover::ops {

namespace {

std::atomic<bool> tiles_allowed = true;

#if defined(__x86_64__) && !defined(__clang__)  // clang 14 can't be asked; it only checks the sources
/// Asks Linux for the tile registers and returns true if it grants them: it keeps the 8 KiB of a thread's tiles only
/// for processes that ask.
bool granted() {
  constexpr int request_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-bf16") &&
         syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}
#else
bool granted() {
  return false;
}
#endif

}  // namespace

bool bf16_tiles() {
  static const bool there = granted();
  return there && tiles_allowed;
}

void allow_bf16_tiles(bool allowed) {
  tiles_allowed = allowed;
}

}  // namespace carryover::ops
