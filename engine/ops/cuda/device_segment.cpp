// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/cuda/device_segment.h"

#include <ATen/ATen.h>

#include "engine/base/error.h"
#include "engine/runtime/cuda_runtime.h"

namespace carryover::ops {

namespace {

/// Returns true if positions and channels are dense, and rows are `stride` apart.
bool lies_by_rows(const at::Tensor& rows, std::int64_t stride) {
  return rows.stride(0) == stride && rows.stride(1) == rows.size(2) && rows.stride(2) == 1;
}

}  // namespace

at::Tensor extend_on_device(const at::Tensor& projections, const at::Tensor& cos, const at::Tensor& sin,
                            const SegmentPlace& to) {
  const std::int64_t m = projections.size(0), d = projections.size(2), kv_heads = to.values.size(0),
                     heads = projections.size(1) - 2 * kv_heads, stride = to.values.stride(0);
  const at::Tensor cosine = cos.contiguous(), sine = sin.contiguous();
  CARRYOVER_CHECK(projections.is_contiguous() && cos.size(0) == m && lies_by_rows(to.values, stride) &&
                  lies_by_rows(to.rotated_keys, stride) && (!to.keys.defined() || lies_by_rows(to.keys, stride)));
  CARRYOVER_CHECK(!to.tail.defined() || lies_by_rows(to.tail, to.tail.stride(0)));
  at::Tensor queries = at::empty({m, heads, d}, projections.options());
  kernels::ExtendSegment args{};
  args.projections = projections.const_data_ptr();
  args.type = element_of(projections.scalar_type());
  args.cosine = cosine.const_data_ptr();
  args.sine = sine.const_data_ptr();
  args.length = static_cast<std::int32_t>(m);
  args.heads = static_cast<std::int32_t>(heads);
  args.kv_heads = static_cast<std::int32_t>(kv_heads);
  args.head_dim = static_cast<std::int32_t>(d);
  args.queries = queries.mutable_data_ptr();
  args.row_stride = stride;
  args.first = to.first;
  args.rotated_keys = to.rotated_keys.mutable_data_ptr();
  args.values = to.values.mutable_data_ptr();
  if (to.keys.defined()) args.keys = to.keys.mutable_data_ptr();
  if (to.tail.defined()) {
    args.tail = to.tail.mutable_data_ptr();
    args.tail_row_stride = to.tail.stride(0);
    args.tail_first = to.tail_first;
    args.tail_kept = static_cast<std::int32_t>(to.tail_kept);
  }
  check_cuda(cuda_kernels().extend_segment(args, current_stream(projections.device())), "extend_segment");
  return queries.transpose(0, 1);
}

}  // namespace carryover::ops
