// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <string>

#include "kernels/cuda_table.h"

/// CUDA as a plug-in: nothing of it is linked. open_cuda() must come before any other question about CUDA in the
/// process, because LibTorch remembers its first answer. Thread: engine.
namespace carryover::ops {

/// Opens libtorch_cuda and libcarryover_cuda if a driver and the CUDA parts are there. Returns true if a GPU can be
/// used; `why_not` says what is missing and how to get it.
bool open_cuda(std::string& why_not);

/// Returns the path of LibTorch's CUDA library, or an empty one. It is looked for in $CARRYOVER_TORCH_DIR if that is
/// set; else beside LibTorch's CPU half (a checkout), and in libtorch-cuda-VERSION beside this library (fetched by
/// root) or in the user's data folder.
std::string find_torch_cuda();

/// Returns the project's kernels. Only after open_cuda() returned true.
const kernels::CudaKernels& cuda_kernels();

/// Returns true if work on a device uses the project's kernels, and the other code that a GPU runs better than a CPU's
/// own code.
bool takes_kernels(c10::Device device);

/// For tests: uses these kernels instead, such as the references on CPU tensors; null restores the plug-in's.
/// `everywhere`: a CPU uses them too, so that it does what a GPU would.
void replace_cuda_kernels(const kernels::CudaKernels* kernels, bool everywhere = false);

/// Converts fp32, bf16 or fp64, which are the dtypes that the kernels know.
kernels::Element element_of(c10::ScalarType type);

kernels::Stream current_stream(c10::Device device);  ///< null for the CPU

/// Throws EngineError{Internal, OutOfMemory} unless status is 0.
void check_cuda(kernels::Status status, const char* kernel);

}  // namespace carryover::ops
