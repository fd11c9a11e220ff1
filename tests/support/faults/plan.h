// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover::test {

/// The variable that says which calls fail: CLASS:FIRST:STRIDE:LINE. CLASS is read (EIO), write (ENOSPC), fsync (EIO)
/// or malloc (ENOMEM; calloc, realloc, posix_memalign and operator new too). With a stride, call FIRST and each
/// STRIDE-th one after it fail, each in a branch of the program (branch.h), which itself continues undisturbed; with
/// stride 0, call FIRST fails in the program itself. LINE is the descriptor of a socket on which FaultReports come and
/// are answered by a byte each.
inline constexpr const char* kPlanVariable = "CARRYOVER_FAULT";
inline constexpr int kProgramEnded = -1;

struct FaultReport {
  long call = 0;   ///< which one failed, from 1; at the program's end, how many there were
  int status = 0;  ///< as waitpid gives it, or kProgramEnded
};

}  // namespace carryover::test
