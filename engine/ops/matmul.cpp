// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/ops/matmul.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>

#include "engine/cost/cost_model.h"
#include "engine/ops/cpu/packed_weight.h"
#include "engine/ops/cpu/row_matmul.h"

namespace carryover::ops {

namespace {

using OneDnnLinear = at::Tensor(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                                std::string_view activation, c10::List<std::optional<at::Scalar>> scalars,
                                std::optional<std::string_view> algorithm);

/// Returns LibTorch's entry to oneDNN's matmul; none if LibTorch was built without it.
const std::optional<c10::TypedOperatorHandle<OneDnnLinear>>& onednn_linear() {
  static const auto found = [] {
    const auto schema = c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    return schema ? std::make_optional(schema->typed<OneDnnLinear>()) : std::nullopt;
  }();
  return found;
}

/// Returns true on processors that are not Intel's. MKL's fp32 matmuls are slower than oneDNN's by a seventh on AMD's
/// processors, and faster by a few percent on Intel's.
bool mkl_is_slow() {
#ifdef __x86_64__
  static const bool slow = !__builtin_cpu_is("intel");
  return slow;
#else
  return false;
#endif
}

/// Returns true if oneDNN should do a large fp32 matmul, which at::linear gives to MKL. For a transposed weight oneDNN
/// sums by blocks. For a weight in its own layout it adds one term after another, so that in longer sums its error
/// exceeds twice MKL's. With other strides it multiplies one value at a time.
bool takes_onednn(const at::Tensor& x, const at::Tensor& weight) {
  constexpr std::int64_t least_rows = 16, least_weights = 1 << 16, most_terms = 1024;
  const bool exact = weight.is_contiguous() ? x.size(1) <= most_terms : weight.t().is_contiguous();
  return mkl_is_slow() && x.is_cpu() && x.dim() == 2 && x.scalar_type() == at::kFloat &&
         weight.scalar_type() == at::kFloat && x.size(0) >= least_rows && exact && weight.numel() >= least_weights &&
         onednn_linear().has_value();
}

/// Returns x · weightᵀ; the weight may be a transposed view.
at::Tensor dense_matmul(const at::Tensor& x, const at::Tensor& weight) {
  if (!takes_onednn(x, weight)) return at::linear(x, weight);
  return onednn_linear()->call(x, weight, std::nullopt, "none", c10::List<std::optional<at::Scalar>>(), "");
}

bool bf16_matmul_allowed = true;

/// Returns true if the processor has bf16 dot products and they are allowed. Without them LibTorch multiplies bf16 one
/// value at a time, or converts to fp32 again for each matmul.
bool has_bf16_matmul() {
#ifdef __x86_64__
  static const bool there = __builtin_cpu_supports("avx512bf16");
#else
  constexpr bool there = true;
#endif
  return there && bf16_matmul_allowed;
}

/// Returns the dtype in which such values are multiplied.
at::ScalarType matmul_type(const at::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == at::kBFloat16 && !has_bf16_matmul() ? at::kFloat : x.scalar_type();
}

at::Tensor rows_of(const at::Tensor& weight, std::int64_t first, std::int64_t count, at::ScalarType type) {
  return is_packed(weight) ? unpack_weight_rows(weight, first, count, type) : weight.narrow(0, first, count).to(type);
}

/// Calls visit(first, count) for blocks of a weight's rows that take at most `bytes`.
template <typename Visit>
void for_blocks(std::int64_t outer, std::int64_t inner, at::ScalarType type, std::int64_t bytes, const Visit& visit) {
  const auto row_bytes = inner * static_cast<std::int64_t>(c10::elementSize(type));
  const std::int64_t step = std::max<std::int64_t>(1, bytes / row_bytes);
  for (std::int64_t first = 0; first < outer; first += step) visit(first, std::min(step, outer - first));
}

constexpr std::int64_t kUpcastBytes = 4 << 20;  ///< bytes of a weight, few beside a run's activations
constexpr std::int64_t kUpcastRows = 256;       ///< rows of x

/// Returns x · weightᵀ, computed in `type` and rounded once, by blocks that hold `bytes` of the weight and `rows` rows
/// of x.
at::Tensor matmul_by_blocks(const at::Tensor& x, const at::Tensor& weight, at::ScalarType type, std::int64_t bytes,
                            std::int64_t rows) {
  const std::int64_t m = x.size(0), inner = x.size(1),
                     outer = is_packed(weight) ? packed_outer(weight) : weight.size(0);
  if (rows >= m && bytes >= outer * inner * static_cast<std::int64_t>(c10::elementSize(type)))
    return dense_matmul(x.to(type), rows_of(weight, 0, outer, type)).to(x.scalar_type());
  const at::Tensor out = at::empty({m, outer}, x.options());
  for_blocks(outer, inner, type, bytes, [&](std::int64_t first, std::int64_t count) {
    const at::Tensor block = rows_of(weight, first, count, type);
    for (std::int64_t row = 0; row < m; row += rows) {
      const std::int64_t taken = std::min(rows, m - row);
      out.narrow(0, row, taken).narrow(1, first, count).copy_(dense_matmul(x.narrow(0, row, taken).to(type), block));
    }
  });
  return out;
}

}  // namespace

at::Tensor matmul(const at::Tensor& x, const at::Tensor& weight) {
  const bool packed = is_packed(weight);
  if (packed && x.size(0) == 1) return packed_row_matmul(x, weight);
  if (!packed && has_row_matmul(x, weight)) return row_matmul(x, weight);
  const at::ScalarType type = matmul_type(x);
  if (type != x.scalar_type()) return matmul_by_blocks(x, weight, type, kUpcastBytes, kUpcastRows);
  // For several rows a packed weight is unpacked, which is little work compared with the matmul.
  return packed ? matmul_by_blocks(x, weight, type, unpacked_block_bytes, x.size(0)) : dense_matmul(x, weight);
}

at::Tensor matmul_to_input(const at::Tensor& gradient, const at::Tensor& weight) {
  const at::ScalarType type = matmul_type(gradient);
  if (type == gradient.scalar_type()) return dense_matmul(gradient, weight.t());
  at::Tensor sum;
  for_blocks(weight.size(0), weight.size(1), type, kUpcastBytes, [&](std::int64_t first, std::int64_t count) {
    const at::Tensor part =
        dense_matmul(gradient.narrow(1, first, count).to(type), rows_of(weight, first, count, type).t());
    sum = sum.defined() ? sum.add_(part) : part;
  });
  return sum.to(gradient.scalar_type());
}

at::Tensor matmul_to_weight(const at::Tensor& gradient, const at::Tensor& x) {
  const at::ScalarType type = matmul_type(gradient);
  if (type == gradient.scalar_type()) return at::mm(gradient.t(), x);
  const at::Tensor upcast = x.to(type), out = at::empty({gradient.size(1), x.size(1)}, x.options());
  for_blocks(out.size(0), out.size(1), type, kUpcastBytes, [&](std::int64_t first, std::int64_t count) {
    out.narrow(0, first, count).copy_(at::mm(gradient.narrow(1, first, count).to(type).t(), upcast));
  });
  return out;
}

void allow_bf16_matmul(bool allowed) {
  bf16_matmul_allowed = allowed;
}

}  // namespace carryover::ops
