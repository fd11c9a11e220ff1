// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/cuda_table.h"

namespace carryover::test {

/// The kernels' references as what the engine calls, for tensors on the CPU (ops::replace_cuda_kernels()).
inline constexpr kernels::CudaKernels reference_kernels{kernels::cuda_abi_version,
                                                        [](const kernels::PoolTopk&) { return std::int64_t{0}; },
                                                        kernels::reference::pool_topk,
                                                        kernels::reference::select_hits,
                                                        kernels::reference::gather_prefix,
                                                        kernels::reference::rotate_rows,
                                                        kernels::reference::swiglu,
                                                        kernels::reference::swiglu_backward,
                                                        kernels::reference::join_rows,
                                                        kernels::reference::place_heads,
                                                        kernels::reference::extend_segment,
                                                        [](const kernels::RowAttention&) { return std::int64_t{0}; },
                                                        kernels::reference::row_attention,
                                                        [](const kernels::ListAttention&) { return std::int64_t{0}; },
                                                        kernels::reference::list_attention,
                                                        [](kernels::Status) { return "reference"; },
                                                        [](const char*) {}};

}  // namespace carryover::test
