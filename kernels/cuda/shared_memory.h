// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover::kernels {

#ifdef __CUDACC__
/// Returns the block's one T, uninitialised; a kernel has at most one. It is a function, so that tests can give each
/// block memory of its own, filled with values that no kernel may read (tests/support/kernels/cuda_names.h).
template <typename T>
__device__ T& shared_memory() {
  __shared__ T memory;
  return memory;
}
#endif

}  // namespace carryover::kernels
