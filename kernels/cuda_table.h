// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "kernels/extend_segment.h"
#include "kernels/gather_prefix.h"
#include "kernels/join_rows.h"
#include "kernels/launch.h"
#include "kernels/list_attention.h"
#include "kernels/place_heads.h"
#include "kernels/pool_topk.h"
#include "kernels/rotate_rows.h"
#include "kernels/row_attention.h"
#include "kernels/select_hits.h"
#include "kernels/swiglu.h"

namespace carryover::kernels {

/// Raised whenever an argument struct or this table changes; a plug-in of another version is not used.
inline constexpr int cuda_abi_version = 8;

/// The functions of libcarryover_cuda.so. The engine opens that library at run time and calls through this table, so
/// that it links nothing of CUDA. The contracts are those of the kernels' headers; a Status is a cudaError_t.
struct CudaKernels {
  int abi_version;  ///< first member; read before anything else
  std::int64_t (*pool_topk_workspace_bytes)(const PoolTopk&);
  Status (*pool_topk)(const PoolTopk&, Stream);
  Status (*select_hits)(const SelectHits&, Stream);
  Status (*gather_prefix)(const GatherPrefix&, Stream);
  Status (*rotate_rows)(const RotateRows&, Stream);
  Status (*swiglu)(const Swiglu&, Stream);
  Status (*swiglu_backward)(const Swiglu&, Stream);
  Status (*join_rows)(const JoinRows&, Stream);
  Status (*place_heads)(const PlaceHeads&, Stream);
  Status (*extend_segment)(const ExtendSegment&, Stream);
  std::int64_t (*row_attention_workspace_bytes)(const RowAttention&);
  Status (*row_attention)(const RowAttention&, Stream);
  std::int64_t (*list_attention_workspace_bytes)(const ListAttention&);
  Status (*list_attention)(const ListAttention&, Stream);
  const char* (*status_text)(Status);  ///< for messages; a static string
  /// Ends the range that a profiler shows (NVTX) and begins the next one; nullptr begins none. Ranges are per thread.
  void (*next_range)(const char* name);
};

/// The name of the library's entry, and its type.
inline constexpr char cuda_kernels_symbol[] = "carryover_cuda_kernels";
using CudaKernelsFunction = const CudaKernels* (*)();

}  // namespace carryover::kernels

extern "C" const carryover::kernels::CudaKernels* carryover_cuda_kernels();
