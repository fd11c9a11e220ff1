// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/core/analysis/passkey_texts.h"
#include "engine/core/config/grouping.h"
#include "engine/families/model_config.h"

/// DuoAttention's gates (Xiao et al., 2025): which KV heads need the whole text.
namespace carryover {

/// A gate α for each KV head: its output is α · full attention + (1 − α) · attention to sinks and a window. And what
/// their optimizer goes on from. A plain value.
struct DuoGates {
  std::int64_t layers = 0, kv_heads = 0;
  std::vector<double> gates;                          ///< [L, H_kv] row-major, 0 to 1
  std::vector<double> first_moments, second_moments;  ///< of Adam, the same shape
  std::vector<double> distances;                      ///< of each step that is done, before it

  double at(int layer, int kv_head) const { return gates[static_cast<std::size_t>(layer * kv_heads + kv_head)]; }
  std::int64_t steps() const { return static_cast<std::int64_t>(distances.size()); }
  double mean_gate() const;
  bool operator==(const DuoGates&) const = default;
};

/// All gates 1, before the first step.
DuoGates open_gates(const ModelConfig& model);

/// Throws EngineError{BadInput} naming `where` for gates that are not of this model, or have numbers that can't be.
void check_gates(const DuoGates& gates, const ModelConfig& model, const std::string& where);

/// How gates are learned. The numbers are those of DuoAttention's code, but for its 2000 steps on texts of 1000 to
/// 32000 tokens.
struct DuoGatesRequest {
  PasskeyParts parts;
  PasskeyPlan plan;                        ///< a text for each step
  std::int64_t sinks = 128, recent = 256;  ///< what a streaming head sees: the text's first tokens, and the last ones
  std::int64_t steps = 200;
  double rate = 0.02;
  double l1 = 0.05;  ///< λ: weight of the mean gate in the loss
  DuoGates known;    ///< of the same request before it was stopped: goes on there; of no layers: begins

  /// Called on the engine thread; both must return quickly and may be empty. `share`: of the steps.
  std::function<void(double share, const std::string& what)> progress = {};
  std::function<void(const DuoGates& so_far)> keep = {};  ///< after each step: what `known` may be later
};

/// Throws EngineError{BadInput}, also where `known` is of another model, or past its steps.
void check_gates_request(const DuoGatesRequest& request, const ModelConfig& model);

/// The step's rate: rises over the first fifth of the steps and falls over the last, from and to a tenth at least.
double gate_rate(const DuoGatesRequest& request, std::int64_t step);

/// One step of Adam (AdamW without decay) along distance + λ · mean gate, back into 0 to 1. `gradient`: of the
/// distance.
void take_gate_step(DuoGates& gates, double distance, const std::vector<double>& gradient,
                    const DuoGatesRequest& request);

/// The share of KV heads that stream where nobody says it: DuoAttention's, 0.75, or 0.5 where they are shared.
double default_sparsity(const ModelConfig& model);
/// Query heads of the KV heads that see the whole text at a sparsity of 0 to 1: as many as reach its quantile of all
/// gates. Of equal gates those of lower layers and heads come first.
Grouping propose_duo_grouping(const DuoGates& gates, const ModelConfig& model, double sparsity);

void to_json(nlohmann::json& json, const DuoGates& gates);
/// Throws EngineError{BadInput} naming `where`, also where it is of a model of another shape.
DuoGates duo_gates_from_json(const nlohmann::json& json, const ModelConfig& model, const std::string& where);

/// DuoAttention's full_attention_heads.tsv and config.json.
std::string gates_tsv(const DuoGates& gates);
nlohmann::json duo_config_json(const DuoGatesRequest& request);

/// A table for people; a star marks the KV heads that see the whole text under `proposal`.
std::string duo_gates_text(const DuoGates& gates, const Grouping& proposal, const ModelConfig& model);

}  // namespace carryover
