// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/tensor_file.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <memory>

#include "engine/base/error.h"
#include "engine/formats/mapped_file.h"
#include "engine/runtime/finite_values.h"

namespace carryover {

namespace {

constexpr std::pair<at::ScalarType, const char*> kNames[] = {
    {at::kDouble, "F64"}, {at::kFloat, "F32"}, {at::kBFloat16, "BF16"}, {at::kHalf, "F16"}};

}  // namespace

OutgoingTensor outgoing(const std::string& name, const at::Tensor& tensor) {
  return outgoing(name, tensor.scalar_type(), tensor.sizes(), [source = tensor.detach()] { return source; });
}

OutgoingTensor outgoing(const std::string& name, at::ScalarType type, at::IntArrayRef shape,
                        std::function<at::Tensor()> make) {
  OutgoingTensor out{name, {}, shape.vec(), {}};
  for (const auto& [known, spelled] : kNames)
    if (known == type) out.dtype = spelled;
  CARRYOVER_CHECK(!out.dtype.empty());
  const auto host = std::make_shared<at::Tensor>();
  out.bytes = [make = std::move(make), host, name] {
    *host = make().cpu().contiguous();
    if (!has_finite_values(*host))
      throw EngineError(Fault::BadInput, name, "has a value that is not finite, and is not written",
                        "Continue from an earlier checkpoint with a lower learning rate.");
    return std::span(static_cast<const std::byte*>(host->const_data_ptr()), host->nbytes());
  };
  return out;
}

void read_tensor(const SafetensorsFile& file, const std::string& name, at::Tensor into, const char* advice) {
  const at::NoGradGuard no_gradients;
  const auto refuse = [&](const std::string& problem) {
    throw EngineError(Fault::BadInput, file.where(), "the tensor " + name + " " + problem, advice);
  };
  const SafetensorsTensor* stored = file.find(name);
  if (stored == nullptr) refuse("is missing");
  if (stored->shape != into.sizes().vec()) refuse("has another shape");
  for (const auto& [type, spelled] : kNames) {
    if (stored->dtype != spelled) continue;
    at::Tensor dense = at::empty(into.sizes(), at::TensorOptions().dtype(type));
    std::copy(stored->data.begin(), stored->data.end(), static_cast<std::byte*>(dense.mutable_data_ptr()));
    if (file.file()) file.file()->require_whole();
    if (!has_finite_values(dense)) refuse("has a value that is not finite");
    into.copy_(dense);
    return;
  }
  refuse("is of type " + stored->dtype);
}

}  // namespace carryover
