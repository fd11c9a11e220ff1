// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cuda/device_elementwise.h"

#include <ATen/ATen.h>

#include "engine/base/error.h"
#include "engine/runtime/cuda_runtime.h"
#include "engine/runtime/device_list.h"

namespace carryover::ops {

namespace {

/// Returns the arguments to rotate every row of x, in its own order, still without an output. cos, sin: dense.
kernels::RotateRows rotation(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
  CARRYOVER_CHECK(x.dim() == 3 && (x.stride(2) == 1 || x.size(2) == 1) && cos.size(0) == x.size(1));
  kernels::RotateRows args{};
  args.input = x.const_data_ptr();
  args.type = element_of(x.scalar_type());
  args.row_stride = x.stride(0);
  args.position_stride = x.stride(1);
  args.cosine = cos.const_data_ptr();
  args.sine = sin.const_data_ptr();
  args.rows = static_cast<std::int32_t>(x.size(0));
  args.length = static_cast<std::int32_t>(x.size(1));
  args.head_dim = static_cast<std::int32_t>(x.size(2));
  return args;
}

}  // namespace

at::Tensor rotate_on_device(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, bool backwards) {
  at::Tensor out = at::empty(x.sizes(), x.options());
  const at::Tensor cosine = cos.contiguous(), sine = sin.contiguous();
  kernels::RotateRows args = rotation(x, cosine, sine);
  args.backwards = backwards;
  args.output = out.mutable_data_ptr();
  check_cuda(cuda_kernels().rotate_rows(args, current_stream(x.device())), "rotate_rows");
  return out;
}

at::Tensor rotate_in_order(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin,
                           const std::vector<std::int32_t>& order) {
  const at::Tensor cosine = cos.contiguous(), sine = sin.contiguous(), rows = device_list(order, x.device());
  at::Tensor out = at::empty({x.size(1), rows.size(0), x.size(2)}, x.options());
  kernels::RotateRows args = rotation(x, cosine, sine);
  args.row = rows.const_data_ptr<std::int32_t>();
  args.rows = static_cast<std::int32_t>(rows.size(0));
  args.by_position = true;
  args.output = out.mutable_data_ptr();
  check_cuda(cuda_kernels().rotate_rows(args, current_stream(x.device())), "rotate_rows");
  return out.transpose(0, 1);
}

at::Tensor gated_on_device(const at::Tensor& gate_up, Activation activation) {
  const at::Tensor x = gate_up.contiguous();
  const std::int64_t inner = x.size(-1) / 2, rows = x.numel() / (2 * inner);
  at::Tensor out = at::empty({rows, inner}, x.options());
  const kernels::Swiglu args{x.const_data_ptr(),
                             nullptr,
                             element_of(x.scalar_type()),
                             rows,
                             static_cast<std::int32_t>(inner),
                             out.mutable_data_ptr(),
                             activation == Activation::GeluTanh};
  check_cuda(cuda_kernels().swiglu(args, current_stream(x.device())), "swiglu");
  return out;
}

at::Tensor gated_backward_on_device(const at::Tensor& gate_up, const at::Tensor& gradient, Activation activation) {
  const at::Tensor x = gate_up.contiguous(), from = gradient.to(x.scalar_type()).contiguous();
  const std::int64_t inner = x.size(-1) / 2;
  at::Tensor out = at::empty_like(x);
  const kernels::Swiglu args{x.const_data_ptr(),
                             from.const_data_ptr(),
                             element_of(x.scalar_type()),
                             x.numel() / (2 * inner),
                             static_cast<std::int32_t>(inner),
                             out.mutable_data_ptr(),
                             activation == Activation::GeluTanh};
  check_cuda(cuda_kernels().swiglu_backward(args, current_stream(x.device())), "swiglu_backward");
  return out;
}

}  // namespace carryover::ops
