// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/duo_gates.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostSteps = 1'000'000, kMostSeen = std::int64_t{1} << 24;
constexpr double kMostWeight = 1e6, kMostMoment = 1e300;
constexpr double kBeta1 = 0.9, kBeta2 = 0.999, kEpsilon = 1e-8;  // Adam's

[[noreturn]] void refuse_gates(const std::string& what, const std::string& advice) {
  throw EngineError(Fault::BadInput, "gates", what, advice);
}

/// Returns true if there are `count` values and each is within the bounds.
bool are_within(const std::vector<double>& values, std::int64_t count, double least, double most) {
  return std::ssize(values) == count &&
         std::ranges::all_of(values, [&](double value) { return value >= least && value <= most; });
}

std::vector<double> number_list(const json& told, const char* key, const std::string& where) {
  const auto found = told.is_object() ? told.find(key) : told.end();
  if (!told.is_object() || found == told.end() || !found->is_array())
    throw EngineError(Fault::BadInput, where, std::string("has no list of ") + key,
                      "Remove the file, and let the gates be learned again.");
  std::vector<double> values;
  for (const json& value : *found) values.push_back(read_real(value, where, key));
  return values;
}

/// Returns the indices of the gates that see the whole text, as many as DuoAttention's quantile leaves.
std::vector<std::size_t> largest_gates(const DuoGates& gates, double sparsity) {
  std::vector<std::size_t> order(gates.gates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return gates.gates[i]; });
  std::size_t below = 0;
  if (sparsity >= 1)
    below = order.size();
  else if (sparsity > 0)
    below = static_cast<std::size_t>(std::ceil(static_cast<double>(order.size() - 1) * sparsity));
  order.resize(order.size() - below);
  return order;
}

std::string right_aligned(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

/// Returns the mean distance of the last tenth of the steps, but of at least one.
double last_distance(const DuoGates& gates) {
  const auto count = std::max<std::ptrdiff_t>(1, gates.steps() / 10);
  return std::accumulate(gates.distances.end() - count, gates.distances.end(), 0.0) / static_cast<double>(count);
}

}  // namespace

double DuoGates::mean_gate() const {
  return std::accumulate(gates.begin(), gates.end(), 0.0) / static_cast<double>(gates.size());
}

DuoGates open_gates(const ModelConfig& model) {
  const auto count = static_cast<std::size_t>(model.layers * model.kv_heads);
  const std::vector<double> zeros(count);
  return {model.layers, model.kv_heads, std::vector<double>(count, 1.0), zeros, zeros, {}};
}

void check_gates(const DuoGates& gates, const ModelConfig& model, const std::string& where) {
  const auto require = [&](bool holds, const char* problem) {
    if (!holds) throw EngineError(Fault::BadInput, where, problem, "Let them be learned from the beginning.");
  };
  const std::int64_t count = model.layers * model.kv_heads;
  require(gates.layers == model.layers && gates.kv_heads == model.kv_heads && are_within(gates.gates, count, 0, 1),
          "has gates that are not of a model of this shape");
  require(are_within(gates.first_moments, count, -kMostMoment, kMostMoment) &&
              are_within(gates.second_moments, count, 0, kMostMoment) && gates.steps() <= kMostSteps &&
              are_within(gates.distances, gates.steps(), 0, kMostMoment),
          "has steps or moments of gates that can't be");
}

void check_gates_request(const DuoGatesRequest& request, const ModelConfig& model) {
  check_passkeys(request.parts, request.plan, model.vocabulary);
  if (request.steps < 1 || request.steps > kMostSteps)
    refuse_gates("have a number of steps that is out of range", "Give 1 to a million.");
  if (request.sinks < 0 || request.sinks > kMostSeen || request.recent < 1 || request.recent > kMostSeen)
    refuse_gates("have no streaming head that sees " + std::to_string(request.sinks) + " sinks and " +
                     std::to_string(request.recent) + " recent tokens",
                 "Use 0 sinks or more, and 1 recent token or more.");
  if (request.sinks + request.recent >= request.plan.shortest)
    refuse_gates("are learned on texts of " + std::to_string(request.plan.shortest) +
                     " tokens, all of which a streaming head sees",
                 "Give longer texts, or fewer sinks and recent tokens.");
  if (!(request.rate > 0 && request.rate <= 1))
    refuse_gates("have a learning rate that is out of range", "Give a rate above 0, up to 1.");
  if (!(request.l1 >= 0 && request.l1 <= kMostWeight))
    refuse_gates("have a weight in the loss that is out of range", "Give a weight of 0 or more.");
  if (request.known.layers == 0) return;
  check_gates(request.known, model, "what was learned");
  if (request.known.steps() > request.steps)
    refuse_gates("were learned for " + std::to_string(request.known.steps()) + " steps already", "Ask for more steps.");
}

double gate_rate(const DuoGatesRequest& request, std::int64_t step) {
  const auto fifth = static_cast<double>(std::max<std::int64_t>(1, request.steps / 5));
  const double rising = static_cast<double>(step + 1) / fifth,
               falling = static_cast<double>(request.steps - step) / fifth;
  return request.rate * std::min({1.0, std::max(rising, 0.1), std::max(falling, 0.1)});
}

void take_gate_step(DuoGates& gates, double distance, const std::vector<double>& gradient,
                    const DuoGatesRequest& request) {
  CARRYOVER_CHECK(gradient.size() == gates.gates.size());
  const double rate = gate_rate(request, gates.steps());
  const auto step = static_cast<double>(gates.steps() + 1);
  const double share = request.l1 / static_cast<double>(gradient.size());
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double slope = gradient[i] + (gates.gates[i] > 0 ? share : 0);
    double &first = gates.first_moments[i], &second = gates.second_moments[i];
    first = kBeta1 * first + (1 - kBeta1) * slope;
    second = kBeta2 * second + (1 - kBeta2) * slope * slope;
    const double along = first / (1 - std::pow(kBeta1, step)), scale = second / (1 - std::pow(kBeta2, step));
    gates.gates[i] = std::clamp(gates.gates[i] - rate * along / (std::sqrt(scale) + kEpsilon), 0.0, 1.0);
  }
  gates.distances.push_back(distance);
}

double default_sparsity(const ModelConfig& model) {
  return model.group_size() == 1 ? 0.75 : 0.5;
}

Grouping propose_duo_grouping(const DuoGates& gates, const ModelConfig& model, double sparsity) {
  if (!(sparsity >= 0 && sparsity <= 1))
    throw EngineError(Fault::Usage, "--sparsity", "is not a share of the KV heads", "Give a number from 0 to 1.");
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(model.layers));
  for (const std::size_t i : largest_gates(gates, sparsity)) {
    const auto place = static_cast<std::int64_t>(i);
    for (std::int64_t r = 0; r < model.group_size(); ++r)
      lists[i / static_cast<std::size_t>(model.kv_heads)].push_back(
          static_cast<int>(place % model.kv_heads * model.group_size() + r));
  }
  std::vector<int> layers;
  for (int layer = 0; layer < model.layers; ++layer) {
    std::ranges::sort(lists[static_cast<std::size_t>(layer)]);
    if (!lists[static_cast<std::size_t>(layer)].empty() && !model.is_windowed(layer)) layers.push_back(layer);
  }
  return layers.empty() ? Grouping() : Grouping(layers, lists);
}

void to_json(json& out, const DuoGates& gates) {
  out = {{"gates", gates.gates},
         {"first_moments", gates.first_moments},
         {"second_moments", gates.second_moments},
         {"distances", gates.distances}};
}

DuoGates duo_gates_from_json(const json& told, const ModelConfig& model, const std::string& where) {
  DuoGates gates{model.layers,
                 model.kv_heads,
                 number_list(told, "gates", where),
                 number_list(told, "first_moments", where),
                 number_list(told, "second_moments", where),
                 number_list(told, "distances", where)};
  check_gates(gates, model, where);
  return gates;
}

std::string gates_tsv(const DuoGates& gates) {
  std::string text;
  for (int layer = 0; layer < gates.layers; ++layer)
    for (int kv_head = 0; kv_head < gates.kv_heads; ++kv_head) {
      append_digits(text, gates.at(layer, kv_head));
      text += kv_head + 1 < gates.kv_heads ? '\t' : '\n';
    }
  return text;
}

json duo_config_json(const DuoGatesRequest& request) {
  return {{"sink_size", request.sinks},
          {"recent_size", request.recent},
          {"num_steps", request.steps},
          {"lr", request.rate},
          {"reg_weight", request.l1},
          {"initial_value", 1.0},
          {"num_passkeys", request.plan.passkeys},
          {"passkey_length", request.plan.words},
          {"context_length_min", request.plan.shortest},
          {"context_length_max", request.plan.longest},
          {"seed", request.plan.seed}};
}

std::string duo_gates_text(const DuoGates& gates, const Grouping& proposal, const ModelConfig& model) {
  std::string text = "gates of KV heads after " + std::to_string(gates.steps()) +
                     " steps; 1: needs the whole text, 0: sinks and a window do, *: sees the whole text if proposed\n"
                     "  layer\n";
  for (int layer = 0; layer < gates.layers; ++layer) {
    text += right_aligned(std::to_string(layer), 7) + " ";
    for (int kv_head = 0; kv_head < gates.kv_heads; ++kv_head) {
      const bool whole =
          proposal.is_long_layer(layer) && proposal.is_long(layer, static_cast<int>(kv_head * model.group_size()));
      text += right_aligned(fixed_text(gates.at(layer, kv_head), 2), 6) + (whole ? "*" : " ");
    }
    text += "\n";
  }
  text += "  mean gate " + fixed_text(gates.mean_gate(), 3);
  if (gates.steps() > 0) {
    char distance[32];
    std::snprintf(distance, sizeof distance, "%.3g", last_distance(gates));
    text += ", distance from full attention at the end " + std::string(distance);
  }
  return text + "\n";
}

}  // namespace carryover
