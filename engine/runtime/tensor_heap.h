// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover {

/// Makes LibTorch allocate large CPU tensors (256 KiB and more) from now on in a heap of their own, apart from
/// everything small. What a layer leaves behind (its carry, hits, lists) then never lies between blocks that the next
/// layer needs in one piece, and the process grows by what the tensors take. Blocks are on huge pages, and stay mapped
/// when they are freed, because the kernel clears what it hands out. If there is no memory left, c10::OutOfMemoryError
/// is thrown; LibTorch's own allocator would end the process. Existing tensors stay where they are. Any thread; further
/// calls do nothing.
void use_tensor_heap();

/// Return the bytes of the heap that are mapped, and those that are mapped but in no tensor; 0 before
/// use_tensor_heap(). Any thread.
std::int64_t tensor_heap_bytes();
std::int64_t tensor_heap_free_bytes();
/// Returns the bytes of the free ones for which the system has given memory: the next tensors cost it nothing.
std::int64_t tensor_heap_kept_bytes();

/// Gives memory that no tensor is in back to the system, in whole huge pages. Any thread.
void give_back_tensor_heap();

}  // namespace carryover
