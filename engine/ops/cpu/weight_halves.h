// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// An fp32 weight in two halves of its bits: the nearest bf16, with which a model computes, and an int16 that completes
/// it, bit for bit. If two bf16 are equally near, the one further from zero is taken, because the halves could not be
/// told apart otherwise. NaN becomes the quiet NaN. Thread: engine.
namespace carryover::ops {

/// Returns the fp32 weight. high: bf16; low: int16; both dense and of one shape.
at::Tensor join_halves(const at::Tensor& high, const at::Tensor& low);

/// Splits an fp32 weight. All are dense and of one shape.
void split_halves(const at::Tensor& fp32, at::Tensor high, at::Tensor low);

/// Do the same by LibTorch's operations, for a GPU.
at::Tensor join_halves_on_device(const at::Tensor& high, const at::Tensor& low);
void split_halves_on_device(const at::Tensor& fp32, at::Tensor high, at::Tensor low);

}  // namespace carryover::ops
