// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>

namespace carryover {

/// From now on LibTorch's large CPU tensors (256 KiB and more) live in a heap of their own, apart from everything
/// small: what a layer leaves behind (its carry, hits, lists) then never lies between blocks that the next layer needs
/// in one piece, and the process grows by what the tensors take. Blocks are on huge pages, and stay mapped when they
/// are freed, because the kernel clears what it hands out. Where there is no memory left, c10::OutOfMemoryError is
/// thrown; LibTorch's own allocator ends the process. Tensors that exist already stay where they are. Any thread; again
/// does nothing.
void use_tensor_heap();

/// Of the heap: mapped, and mapped but in no tensor; 0 before use_tensor_heap(). Any thread.
std::int64_t tensor_heap_bytes();
std::int64_t tensor_heap_free_bytes();
/// Of the free ones, those that the system has given memory for: the next tensors cost it nothing.
std::int64_t tensor_heap_kept_bytes();

/// Gives what no tensor is in back to the system, in whole huge pages. Any thread.
void give_back_tensor_heap();

}  // namespace carryover
