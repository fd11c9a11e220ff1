// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/runs/values/hits.h"

namespace carryover {

/// Receives the named fields of a state that follows a text (AttentionPolicy::visit). One implementation writes them;
/// another one reads them into a state of init_state(), whose `next` is set. Each field comes with all that the text's
/// length and the policy imply, so that a reader checks a file against it before it takes anything from the file. Names
/// are unique in a state. Thread: engine.
class StateFields {
 public:
  virtual ~StateFields() = default;
  virtual bool reading() const = 0;

  /// Names a count that is not stored, because it follows from the text's length: a reader sets it.
  virtual void derived(std::int64_t& value, std::int64_t expected) = 0;

  /// Names a count that only the run knows, ≥ 0.
  virtual void count(const std::string& name, std::int64_t& value) = 0;

  /// Names a tensor of this shape, dtype and device, finite if it is floating point. A reader fills `value` in place if
  /// it is defined, for instance a view of memory that is reserved for more, and allocates it otherwise.
  virtual void tensor(const std::string& name, at::Tensor& value, at::IntArrayRef shape, at::TensorOptions options) = 0;

  /// Names the hits that the next segment reads. Heads are the model's, positions the text's; a list has at most `most`
  /// hits.
  virtual void hits(std::vector<HeadHits>& hits, std::int64_t most) = 0;
};

/// Returns what the names of a layer's fields begin with: "layers.3.".
inline std::string field_prefix(int layer) {
  return "layers." + std::to_string(layer) + ".";
}

}  // namespace carryover
