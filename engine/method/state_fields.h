// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/run/hits.h"

namespace carryover {

/// What a policy names of a state that stands behind a text (AttentionPolicy::visit): one pass writes it, another one
/// reads it into a state of init_state(), whose `next` is set. All that the text's length and the policy say is given
/// with each field, so that a reader checks a file against it before it takes anything from there. Names are unique in
/// a state. Thread: engine.
class StateFields {
 public:
  virtual ~StateFields() = default;
  virtual bool reading() const = 0;

  /// A count that is not stored, because the text's length says it: a reader sets it.
  virtual void derived(std::int64_t& value, std::int64_t expected) = 0;

  /// A count that only the run knows, ≥ 0.
  virtual void count(const std::string& name, std::int64_t& value) = 0;

  /// A tensor of this shape, dtype and device, finite where it is floating point. A reader fills `value` in place where
  /// it is defined, for instance a view of memory that is reserved for more, and makes it where it is not.
  virtual void tensor(const std::string& name, at::Tensor& value, at::IntArrayRef shape, at::TensorOptions options) = 0;

  /// What the next segment reads: heads of the model, positions of the text, at most `most` a list.
  virtual void hits(std::vector<HeadHits>& hits, std::int64_t most) = 0;
};

/// "layers.3.": what the names of a layer's fields begin with.
inline std::string field_prefix(std::size_t layer) {
  return "layers." + std::to_string(layer) + ".";
}

}  // namespace carryover
