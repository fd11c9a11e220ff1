// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/kernel/loss_bins.h"

#include <bit>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"

namespace carryover {

namespace {
constexpr std::size_t kMostBins = 64;
}

LossBins::Bin& LossBins::bin_at(std::int64_t place) {
  CARRYOVER_CHECK(place >= 0);
  const auto index = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(place)));
  while (bins_.size() <= index) bins_.push_back({bins_.empty() ? 0 : std::int64_t{1} << (bins_.size() - 1), 0, 0});
  return bins_[index];
}

void LossBins::add(std::int64_t place, double nll) {
  Bin& bin = bin_at(place);
  ++bin.targets;
  bin.nll += nll;
}

void LossBins::add(const LossBins& other) {
  for (const Bin& bin : other.bins_) {
    Bin& own = bin_at(bin.first);
    own.targets += bin.targets;
    own.nll += bin.nll;
  }
}

std::vector<LossBins::Bin> LossBins::bins() const {
  std::vector<Bin> filled;
  for (const Bin& bin : bins_)
    if (bin.targets > 0) filled.push_back(bin);
  return filled;
}

nlohmann::json loss_bins_json(const LossBins& bins) {
  nlohmann::json list = nlohmann::json::array();
  for (const LossBins::Bin& bin : bins.bins()) list.push_back({bin.first, bin.targets, bin.nll});
  return list;
}

LossBins loss_bins_of(const nlohmann::json& list, const std::string& where) {
  const EngineError wrong(Fault::BadInput, where, "has losses by place that are not a list of bins",
                          "Use a file that `carryover eval` wrote.");
  if (!list.is_array() || list.size() > kMostBins) throw wrong;
  LossBins bins;
  for (const nlohmann::json& entry : list) {
    if (!entry.is_array() || entry.size() != 3 || !entry[2].is_number()) throw wrong;
    const auto first = find_integer(entry[0]), targets = find_integer(entry[1]);
    if (!first || !targets || *first < 0 || *targets < 0) throw wrong;
    LossBins::Bin& bin = bins.bin_at(*first);
    if (bin.first != *first || bin.targets != 0) throw wrong;
    bin.targets = *targets;
    bin.nll = entry[2].get<double>();
  }
  return bins;
}

}  // namespace carryover
