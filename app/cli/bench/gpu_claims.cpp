// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench/gpu_claims.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/output.h"
#include "engine/base/byte_size.h"
#include "engine/base/text_parts.h"
#include "engine/cost/cost_model.h"
#include "engine/cost/model_work.h"

namespace carryover {

namespace {

constexpr std::int64_t kLongest = 131072;
constexpr double kPeakShare = 0.25, kBeyondWeightsShare = 0.1, kOverMatmul = 1.3, kOverBandwidth = 1.3;

std::optional<double> time_bound(std::int64_t tokens) {
  if (tokens == 16384) return 0.90;
  if (tokens == 32768) return 0.70;
  return tokens == kLongest ? std::optional(0.35) : std::nullopt;
}

const BenchRow* find_row(const BenchResult& result, BenchKind kind, const std::string& who, std::int64_t tokens) {
  const auto found = std::find_if(result.rows.begin(), result.rows.end(), [&](const BenchRow& row) {
    return row.bench_case.kind == kind && row.bench_case.who == who && row.bench_case.tokens == tokens &&
           !row.seconds.empty();
  });
  return found == result.rows.end() ? nullptr : &*found;
}

/// Returns the claim with the reason why its row is missing. run_bench() records a gap only for work that ran out of
/// memory, and for nothing else of this program.
GpuClaim without_value(GpuClaim claim, const BenchResult& result, const std::string& who, std::int64_t tokens) {
  const std::string what = bench_case_text({BenchKind::Prefill, who, tokens, false});
  claim.how = "no prefill of " + std::to_string(tokens) + " tokens under " + who;
  for (const BenchGap& gap : result.gaps) {
    if (gap.what != what) continue;
    claim.how = gap.why;
    claim.does_not_fit = true;
  }
  return claim;
}

GpuClaim time_claim(const BenchResult& result, std::int64_t tokens) {
  GpuClaim claim{
      "time of a prefill of " + std::to_string(tokens) + " tokens, segmented / full", {}, time_bound(tokens), {}};
  const BenchRow *segmented = find_row(result, BenchKind::Prefill, "segmented", tokens),
                 *full = find_row(result, BenchKind::Prefill, "full", tokens);
  if (segmented == nullptr) return without_value(std::move(claim), result, "segmented", tokens);
  if (full == nullptr) return without_value(std::move(claim), result, "full", tokens);
  claim.value = segmented->median() / full->median();
  claim.how = fixed_text(segmented->median(), 3) + " s / " + fixed_text(full->median(), 3) + " s";
  return claim;
}

/// Peaks, less `without` bytes on both sides.
GpuClaim memory_claim(const BenchInput& input, const BenchResult& result, std::int64_t tokens, const std::string& what,
                      std::int64_t without, double bound) {
  GpuClaim claim{what + " of a prefill of " + std::to_string(tokens) + " tokens, segmented / full", {}, {}, {}};
  if (tokens == kLongest) claim.bound = bound;
  const BenchRow *segmented = find_row(result, BenchKind::Prefill, "segmented", tokens),
                 *full = find_row(result, BenchKind::Prefill, "full", tokens);
  if (segmented == nullptr || !segmented->peak_bytes)
    return without_value(std::move(claim), result, "segmented", tokens);
  const bool measured = full != nullptr && full->peak_bytes;
  const auto mine = static_cast<double>(*segmented->peak_bytes - without);
  const auto theirs = static_cast<double>((measured ? *full->peak_bytes : full_prefill_bytes(input, tokens)) - without);
  claim.value = mine / theirs;
  claim.how = size_text(mine) + " / " + size_text(theirs) + (measured ? "" : ", the latter by the formula");
  return claim;
}

GpuClaim matmul_claim(const BenchInput& input, const MachineLimits& limits, const BenchResult& result,
                      std::int64_t tokens) {
  GpuClaim claim{
      "time of a segmented prefill of " + std::to_string(tokens) + " tokens / of its matmuls", {}, kOverMatmul, {}};
  const BenchRow* row = find_row(result, BenchKind::Prefill, "segmented", tokens);
  if (row == nullptr) return without_value(std::move(claim), result, "segmented", tokens);
  const double matmuls = matmul_seconds(input, limits, tokens);
  claim.value = row->median() / matmuls;
  claim.how = fixed_text(row->median(), 3) + " s / " + fixed_text(matmuls, 3) + " s";
  return claim;
}

GpuClaim decode_claim(const MachineLimits& limits, const BenchResult& result) {
  GpuClaim claim{"time of a decoded token / of reading what it needs", {}, kOverBandwidth, "no token was decoded"};
  for (const BenchRow& row : result.rows) {
    if (row.bench_case.kind != BenchKind::Decode || row.bench_case.who != "segmented" || row.seconds.empty()) continue;
    const double reading = row.bytes / limits.bytes_per_second;
    claim.value = row.median() / reading;
    claim.how = fixed_text(1000 * row.median(), 2) + " ms / " + fixed_text(1000 * reading, 2) + " ms behind " +
                std::to_string(row.bench_case.tokens) + " tokens";
  }
  return claim;
}

}  // namespace

std::string GpuClaim::verdict() const {
  if (!value) return does_not_fit ? "does not fit" : "not measured";
  if (!bound) return "no bound";
  return *value <= *bound ? "reached" : "NOT reached";
}

double matmul_seconds(const BenchInput& input, const MachineLimits& limits, std::int64_t tokens) {
  const ModelWork work{input.model.config, input.config, "segmented"};
  double rest = work.forward_flops(tokens, 1), seconds = 0;
  for (const MatmulRate& matmul : limits.products) {
    if (matmul.name == "square") continue;  // the others are the model's own, once a layer
    const double flops = 2.0 * static_cast<double>(tokens) * static_cast<double>(matmul.inner) *
                         static_cast<double>(matmul.outer) * static_cast<double>(input.model.config.layers);
    seconds += flops / matmul.flops_per_second;
    rest -= flops;
  }
  return seconds + rest / limits.best_flops_per_second();
}

std::int64_t full_prefill_bytes(const BenchInput& input, std::int64_t tokens) {
  const CostModel cost = cost_model(input.model.config, input.config, input.model.dtype);
  return cost.weight_bytes() + cost.activation_bytes(std::min(tokens, input.config.segment_length)) +
         cost.full_attention_bytes(tokens);
}

std::vector<GpuClaim> gpu_claims(const BenchInput& input, const MachineLimits& limits, const BenchResult& result,
                                 const std::vector<std::int64_t>& contexts) {
  std::vector<GpuClaim> claims;
  for (const std::int64_t tokens : contexts) claims.push_back(time_claim(result, tokens));
  const std::int64_t longest = contexts.back();
  claims.push_back(memory_claim(input, result, longest, "peak memory", 0, kPeakShare));
  claims.push_back(
      memory_claim(input, result, longest, "peak beyond weights", input.model.weight_bytes, kBeyondWeightsShare));
  claims.push_back(matmul_claim(input, limits, result, longest));
  claims.push_back(decode_claim(limits, result));
  return claims;
}

nlohmann::json claims_json(const std::vector<GpuClaim>& claims) {
  nlohmann::json all = nlohmann::json::array();
  for (const GpuClaim& claim : claims)
    all.push_back({{"what", claim.what},
                   {"value", claim.value ? nlohmann::json(*claim.value) : nlohmann::json()},
                   {"bound", claim.bound ? nlohmann::json(*claim.bound) : nlohmann::json()},
                   {"verdict", claim.verdict()},
                   {"how", claim.how}});
  return all;
}

std::string claims_text(const std::vector<GpuClaim>& claims) {
  std::string text;
  for (const GpuClaim& claim : claims) {
    char line[160];
    std::snprintf(line, sizeof line, "%-66s %7s %7s  %-12s ", claim.what.c_str(),
                  claim.value ? fixed_text(*claim.value, 3).c_str() : "-",
                  claim.bound ? ("<=" + fixed_text(*claim.bound, 2)).c_str() : "-", claim.verdict().c_str());
    text += line + claim.how + "\n";
  }
  return text;
}

}  // namespace carryover
