// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

/// An fp32 weight as two halves of its bits: the bf16 nearest to it, which a model computes with, and an int16 that
/// makes it whole again, bit for bit. Of two that are equally near the one further from zero is taken, as the halves
/// could not be told apart else; NaN becomes the quiet one. Engine thread.
namespace carryover::ops {

/// high: bf16; low: int16, both dense and of one shape. Returns fp32.
at::Tensor join_halves(const at::Tensor& high, const at::Tensor& low);

/// fp32: fp32; all dense and of one shape.
void split_halves(const at::Tensor& fp32, at::Tensor high, at::Tensor low);

/// The same by LibTorch's operations: a GPU's way.
at::Tensor join_halves_on_device(const at::Tensor& high, const at::Tensor& low);
void split_halves_on_device(const at::Tensor& fp32, at::Tensor high, at::Tensor low);

}  // namespace carryover::ops
