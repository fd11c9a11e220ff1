// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cuda/device_elementwise.h"

#include <ATen/ATen.h>

#include "engine/core/base/error.h"
#include "engine/runtime/cuda_runtime.h"

namespace carryover::ops {

at::Tensor rotate_on_device(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin, bool backwards) {
  CARRYOVER_CHECK(x.dim() == 3 && (x.stride(2) == 1 || x.size(2) == 1) && cos.size(0) == x.size(1));
  at::Tensor out = at::empty(x.sizes(), x.options());
  const at::Tensor cosine = cos.contiguous(), sine = sin.contiguous();
  kernels::RotateRows args{};
  args.input = x.const_data_ptr();
  args.type = element_of(x.scalar_type());
  args.row_stride = x.stride(0);
  args.position_stride = x.stride(1);
  args.cosine = cosine.const_data_ptr();
  args.sine = sine.const_data_ptr();
  args.backwards = backwards;
  args.rows = static_cast<std::int32_t>(x.size(0));
  args.length = static_cast<std::int32_t>(x.size(1));
  args.head_dim = static_cast<std::int32_t>(x.size(2));
  args.output = out.mutable_data_ptr();
  check_cuda(cuda_kernels().rotate_rows(args, current_stream(x.device())), "rotate_rows");
  return out;
}

at::Tensor swiglu_on_device(const at::Tensor& gate_up) {
  const at::Tensor x = gate_up.contiguous();
  const std::int64_t inner = x.size(-1) / 2, rows = x.numel() / (2 * inner);
  at::Tensor out = at::empty({rows, inner}, x.options());
  const kernels::Swiglu args{
      x.const_data_ptr(),    nullptr, element_of(x.scalar_type()), rows, static_cast<std::int32_t>(inner),
      out.mutable_data_ptr()};
  check_cuda(cuda_kernels().swiglu(args, current_stream(x.device())), "swiglu");
  return out;
}

at::Tensor swiglu_backward_on_device(const at::Tensor& gate_up, const at::Tensor& gradient) {
  const at::Tensor x = gate_up.contiguous(), from = gradient.to(x.scalar_type()).contiguous();
  const std::int64_t inner = x.size(-1) / 2;
  at::Tensor out = at::empty_like(x);
  const kernels::Swiglu args{x.const_data_ptr(),
                             from.const_data_ptr(),
                             element_of(x.scalar_type()),
                             x.numel() / (2 * inner),
                             static_cast<std::int32_t>(inner),
                             out.mutable_data_ptr()};
  check_cuda(cuda_kernels().swiglu_backward(args, current_stream(x.device())), "swiglu_backward");
  return out;
}

}  // namespace carryover::ops
