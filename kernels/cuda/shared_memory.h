// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace carryover::kernels {

#ifdef __CUDACC__
/// The block's one T, uninitialised; a kernel has no more than one. A function, so that tests can give each block
/// memory of its own, filled with what no kernel may read (tests/support/cuda_names.h).
template <typename T>
__device__ T& shared_memory() {
  __shared__ T memory;
  return memory;
}
#endif

}  // namespace carryover::kernels
