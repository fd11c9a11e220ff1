// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <pthread.h>

#include "tests/support/faults/plan.h"

namespace carryover::test {

/// Called once, before main: the working folder is the one that branches get copies of.
void prepare_branches();

/// Forks. The child is the program as it is here, with the working folder's contents in `<folder>.branch`, its standard
/// streams in `<folder>.branch.out` and `.branch.err`, and a stack in `<folder>.branch.trace`: true is returned there.
/// The parent waits until it has ended, says on `line` how, waits for an answer and continues: false.
bool branch(long call, int line);

/// Ends a branch behind main: without the destructors of LibTorch's static objects, which take longer than all the
/// rest.
[[noreturn]] void end_branch(int code);

/// Writes `report`, and waits for the answer.
void tell(int line, const FaultReport& report);

/// The stack, one line a frame, behind `title`, at the end of `<folder>.branch.trace`.
void write_trace(const char* title);

/// A branch has the forking thread alone: what it joins of the others is taken for joined.
void remember_thread(pthread_t thread);
bool is_here(pthread_t thread);

}  // namespace carryover::test
