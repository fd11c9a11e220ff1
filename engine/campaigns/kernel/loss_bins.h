// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace carryover {

/// Losses of tokens, summed by a place that they have: bins begin at 0, 1, 2, 4, 8, … A plain value.
class LossBins {
 public:
  struct Bin {
    std::int64_t first = 0, targets = 0;
    double nll = 0;  ///< nats in all
    bool operator==(const Bin&) const = default;
  };

  void add(std::int64_t place, double nll);
  void add(const LossBins& other);
  const std::vector<Bin>& all() const { return bins_; }  ///< ascending, up to the last one that has targets
  std::vector<Bin> bins() const;                         ///< ascending, those that have targets
  bool operator==(const LossBins&) const = default;

 private:
  friend LossBins loss_bins_of(const nlohmann::json& list, const std::string& where);
  Bin& bin_at(std::int64_t place);
  std::vector<Bin> bins_;
};

/// [[first, targets, nats], …]
nlohmann::json loss_bins_json(const LossBins& bins);
/// Throws EngineError{BadInput} naming `where`.
LossBins loss_bins_of(const nlohmann::json& list, const std::string& where);

}  // namespace carryover
