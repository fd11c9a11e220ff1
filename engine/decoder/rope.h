// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "engine/families/model_config.h"

namespace carryover {

/// The cosines and sines of consecutive positions, [n, d/2] each, in max(fp32, dtype).
struct RopeAngles {
  at::Tensor cos, sin;
};

/// Computes the angles of one model under one RoPE scaling (app:rope). They are computed in fp64, so that shifting a
/// head group as a whole changes nothing beyond rounding. Cosines and sines have the scaling's amplitude. Thread:
/// engine.
class Rope {
 public:
  /// `length`: number of tokens that dynamic NTK scales to, and by which longrope chooses: S + max(M, R), or the whole
  /// run under `full`.
  Rope(const ModelConfig& model, const RopeConfig& scaling, std::int64_t length, at::TensorOptions options);

  /// Returns one that rotates nothing, for layers without RoPE.
  static Rope identity(const ModelConfig& model, at::TensorOptions options) { return Rope(model, options); }

  /// Returns the angles of positions first..first+n−1. `first` may be negative (a prefix of P keys is at −P..−1).
  RopeAngles angles(std::int64_t first, std::int64_t n);

  /// Returns the same angles, but with `furthest` in place of every later position.
  RopeAngles angles_up_to(std::int64_t first, std::int64_t n, std::int64_t furthest);

  /// Rotates rows [rows, n, d], keys or queries, to positions first..first+n−1.
  at::Tensor rotate(const at::Tensor& rows, std::int64_t first);

  /// Rotates the keys [rows, P, d] of a prefix to −P..−1. Its segment then starts at 0 in every head group; this is the
  /// paper's 0..P−1 and P..P+m−1 shifted as a whole.
  at::Tensor rotate_prefix(const at::Tensor& keys);

 private:
  Rope(const ModelConfig& model, at::TensorOptions options);  ///< one that rotates nothing
  /// Returns the angles of a range, out of one in use that contains it, if there is one.
  RopeAngles range(std::int64_t first, std::int64_t n);
  RopeAngles compute(std::int64_t first, std::int64_t n) const;

  struct Entry {
    std::int64_t first, n;
    RopeAngles angles;

    bool contains(std::int64_t other, std::int64_t count) const { return first <= other && other + count <= first + n; }
  };
  std::vector<double> inverse_frequencies_;  ///< [d/2]; 0 for dimensions that are not rotated
  std::vector<double> amplitudes_;           ///< [d/2]
  at::TensorOptions options_;
  std::vector<Entry> recent_;  ///< the few ranges in use, none inside another: those of the segment and its prefixes
};

/// The RoPE of each layer of a model: global layers share one, windowed ones may have another, and some layers have
/// none. Thread: engine.
class Ropes {
 public:
  /// `scaling`: that of global layers, which a run may set. `length`: as for Rope.
  Ropes(const ModelConfig& model, const RopeConfig& scaling, std::int64_t length, at::TensorOptions options);

  Rope& of(int layer) {
    if (none_ && !model_.is_rotated(layer)) return *none_;
    return windowed_ && model_.is_windowed(layer) ? *windowed_ : global_;
  }

 private:
  const ModelConfig& model_;  ///< borrowed
  Rope global_;
  std::optional<Rope> windowed_;  ///< if it differs
  std::optional<Rope> none_;      ///< if some layers have no RoPE
};

}  // namespace carryover
