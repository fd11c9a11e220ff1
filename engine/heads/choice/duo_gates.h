// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/config/grouping.h"
#include "engine/families/model_config.h"
#include "engine/heads/choice/passkey_texts.h"

/// DuoAttention's gates (Xiao et al., 2025), which tell the KV heads that need the whole text.
namespace carryover {

/// A gate α for each KV head, whose output is α · full attention + (1 − α) · attention to sinks and a window. Also
/// holds the state from which the gates' optimizer continues. A plain value.
struct DuoGates {
  std::int64_t layers = 0, kv_heads = 0;
  std::vector<double> gates;                          ///< [L, H_kv] row-major, 0 to 1
  std::vector<double> first_moments, second_moments;  ///< Adam's moments, same shape
  std::vector<double> distances;                      ///< the distance before each step that is done

  double at(int layer, int kv_head) const { return gates[static_cast<std::size_t>(layer * kv_heads + kv_head)]; }
  std::int64_t steps() const { return static_cast<std::int64_t>(distances.size()); }
  double mean_gate() const;
  bool operator==(const DuoGates&) const = default;
};

/// Returns gates that are all 1, as before the first step.
DuoGates open_gates(const ModelConfig& model);

/// Throws EngineError{BadInput}, which names `where`, if the gates do not fit this model or have impossible numbers.
void check_gates(const DuoGates& gates, const ModelConfig& model, const std::string& where);

/// The settings for learning gates. The defaults are those of DuoAttention's code, except its 2000 steps on texts of
/// 1000 to 32000 tokens.
struct DuoGatesRequest {
  PasskeyParts parts;
  PasskeyPlan plan;                        ///< a text for each step
  std::int64_t sinks = 128, recent = 256;  ///< first and last tokens that a streaming head sees
  std::int64_t steps = 200;
  double rate = 0.02;
  double l1 = 0.05;  ///< λ: weight of the mean gate in the loss
  DuoGates known;    ///< result of the same request before it was stopped, to continue from; without layers: begin

  /// Both functions are called on the engine thread, must return quickly and may be empty. `share`: share of the steps
  /// that is done.
  std::function<void(double share, const std::string& what)> progress = {};
  std::function<void(const DuoGates& so_far)> keep = {};  ///< after each step, with a later request's `known`
};

/// Throws EngineError{BadInput} if the request is invalid, also if `known` is of another model or has more steps.
void check_gates_request(const DuoGatesRequest& request, const ModelConfig& model);

/// Returns the rate of a step. It rises over the first fifth of the steps and falls over the last fifth; it is at least
/// a tenth of request.rate.
double gate_rate(const DuoGatesRequest& request, std::int64_t step);

/// Takes one step of Adam (AdamW without decay) along the gradient of distance + λ · mean gate, and clamps the gates to
/// 0 to 1. `gradient`: that of the distance.
void take_gate_step(DuoGates& gates, double distance, const std::vector<double>& gradient,
                    const DuoGatesRequest& request);

/// Returns the default share of KV heads that stream: DuoAttention's 0.75, or 0.5 if query heads share KV heads.
double default_sparsity(const ModelConfig& model);
/// Returns the query heads of the KV heads that see the whole text at a sparsity from 0 to 1: those whose gates reach
/// the quantile of all gates at this sparsity. Of equal gates, those of lower layers and heads come first.
Grouping propose_duo_grouping(const DuoGates& gates, const ModelConfig& model, double sparsity);

void to_json(nlohmann::json& json, const DuoGates& gates);
/// Throws EngineError{BadInput}, which names `where`, also if the gates are of a model of another shape.
DuoGates duo_gates_from_json(const nlohmann::json& json, const ModelConfig& model, const std::string& where);

/// Return the contents of DuoAttention's full_attention_heads.tsv and config.json.
std::string gates_tsv(const DuoGates& gates);
nlohmann::json duo_config_json(const DuoGatesRequest& request);

/// Returns a table for people; a star marks the KV heads that see the whole text under `proposal`.
std::string duo_gates_text(const DuoGates& gates, const Grouping& proposal, const ModelConfig& model);

}  // namespace carryover
