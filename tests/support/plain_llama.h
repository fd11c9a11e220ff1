// SPDX-License-Identifier: GPL-3.0-or-later
// Segmented execution of a LLaMA, token by token and head by head in double, written from the method's text alone: the
// paper's own positions (prefix 0..P-1, segment P..P+m-1), one loop for each sum. It shares no code with the engine.
#pragma once
#include <cmath>
#include <functional>

#include "engine/families/model_config.h"
#include "tests/support/slow_retrieval.h"
#include "tests/support/tiny_model.h"

namespace carryover::test {

using slow::Vector;
using Rows = std::vector<Vector>;

/// The values of one head of one layer in one segment.
struct PlainSight {
  int layer, head;
  std::int64_t first;                          ///< the segment's first token
  const Rows& entering;                        ///< hidden states before the layer
  const std::vector<std::int64_t>& positions;  ///< in the text, of the prefix's slots
  const Rows& prefix_values;                   ///< of the prefix's slots
  const Rows& own_values;                      ///< of the segment's tokens
  const Rows& weights;                         ///< of each token on the prefix and on the segment up to itself
  Rows& output;                                ///< of each token; may be changed
};

class PlainLlama {
 public:
  PlainLlama(const ModelConfig& model, const SegmentConfig& config,
             const std::map<std::string, std::vector<float>>& weights)
      : model_(model),
        config_(config),
        weights_(weights),
        carry_(static_cast<std::size_t>(model.layers)),
        pool_(carry_),
        sinks_(carry_),
        past_(carry_) {}

  std::function<void(const PlainSight&)> see = {};
  std::function<void(const Rows& residual)> see_residual = {};  ///< of each segment, before the final norm

  /// The segment that comes reads what was carried in another run of the same model and configuration, in layers with a
  /// window too.
  void take_carry_of(const PlainLlama& other) {
    carry_ = other.carry_;
    past_ = other.past_;
  }

  /// Logits of every token of the text: [T][V].
  Rows run(const std::vector<std::int32_t>& ids) {
    std::vector<std::int64_t> lengths;
    for (auto left = static_cast<std::int64_t>(ids.size()); left > 0; left -= lengths.back())
      lengths.push_back(std::min(left, config_.segment_length));
    return run(ids, lengths);
  }

  /// Runs the same in segments of these lengths.
  Rows run(const std::vector<std::int32_t>& ids, const std::vector<std::int64_t>& lengths) {
    Rows all;
    text_length_ = std::ssize(ids);
    auto first = ids.begin();
    for (const std::int64_t length : lengths) {
      for (Vector& row : run_segment({first, first + length})) all.push_back(std::move(row));
      first += length;
    }
    return all;
  }

  /// Runs ids as the segment that comes, whose queries then search in the place of the last segment's; nothing else of
  /// it is kept.
  void draft(const std::vector<std::int32_t>& ids) {
    std::vector<LayerPast> segment(carry_.size());
    std::vector<LayerQueries> queries(carry_.size());
    forward(ids, segment, queries);
    tail_queries_ = std::move(queries);
  }

 private:
  /// Unrotated keys and values of one KV head over some tokens.
  struct Past {
    Rows keys, values;
    std::vector<std::int64_t> positions = {};  ///< in the text; of a segment's own keys none
    /// Each query sees only the R best of `choices` keys, which begin with number first_choice.
    std::size_t first_choice = 0, choices = 0;
  };
  using LayerPast = std::map<int, Past>;     // by KV head
  using LayerQueries = std::map<int, Rows>;  // by query head

  Vector multiply(const std::string& name, const Vector& x) const {
    const std::vector<float>& matrix = weights_.at(name);
    Vector out(matrix.size() / x.size(), 0.0);
    for (std::size_t r = 0; r < out.size(); ++r)
      for (std::size_t c = 0; c < x.size(); ++c) out[r] += static_cast<double>(matrix[r * x.size() + c]) * x[c];
    return out;
  }

  /// A linear map, to which some families add a bias.
  Vector project(const std::string& module, const Vector& x) const {
    Vector out = multiply(module + ".weight", x);
    const auto bias = weights_.find(module + ".bias");
    for (std::size_t r = 0; bias != weights_.end() && r < out.size(); ++r)
      out[r] += static_cast<double>(bias->second[r]);
    return out;
  }

  std::string root() const { return neox() ? "gpt_neox." : "model."; }
  std::string embedding() const { return root() + (neox() ? "embed_in.weight" : "embed_tokens.weight"); }
  bool neox() const { return model_.architecture == "gpt_neox"; }
  bool gemma() const { return model_.architecture.starts_with("gemma"); }
  double norm_offset() const { return gemma() ? 1 : 0; }

  /// x · Φ(x) by tanh, or x · σ(x); of GPT-NeoX x · Φ(x) itself.
  double activate(double x) const {
    if (neox()) return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    if (!gemma()) return x / (1 + std::exp(-x));
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
  }

  /// A LayerNorm: deviations from the mean over their size, gains, biases.
  Vector normalise_centred(const std::string& module, const Vector& x) const {
    const std::vector<float>&gains = weights_.at(module + ".weight"), &biases = weights_.at(module + ".bias");
    const auto n = static_cast<double>(x.size());
    double mean = 0, variance = 0;
    for (const double value : x) mean += value / n;
    for (const double value : x) variance += (value - mean) * (value - mean) / n;
    Vector out;
    for (std::size_t c = 0; c < x.size(); ++c)
      out.push_back((x[c] - mean) / std::sqrt(variance + model_.norm_epsilon) * static_cast<double>(gains[c]) +
                    static_cast<double>(biases[c]));
    return out;
  }

  Vector normalise(const std::string& name, const Vector& x) const {
    if (neox()) return normalise_centred(name.substr(0, name.rfind('.')), x);
    double squares = 0;
    for (double value : x) squares += value * value;
    Vector out = x;
    for (std::size_t c = 0; c < x.size(); ++c)
      out[c] *= (norm_offset() + static_cast<double>(weights_.at(name)[c])) /
                std::sqrt(squares / static_cast<double>(x.size()) + model_.norm_epsilon);
    return out;
  }

  /// Returns a row as its norm leaves it, or as it is where the model has no such norm.
  Vector maybe_normed(const std::string& name, const Vector& row) const {
    return weights_.contains(name) ? normalise(name, row) : row;
  }

  /// Norms the queries or keys of all heads, which stand side by side: head by head, or all as one row. Some families
  /// do neither.
  Vector head_norm(const std::string& name, const Vector& row) const {
    const auto gains = weights_.find(name);
    if (gains == weights_.end()) return row;
    Vector all;
    const auto size = static_cast<std::ptrdiff_t>(gains->second.size());
    for (auto at = row.begin(); at != row.end(); at += size)
      for (const double value : normalise(name, {at, at + size})) all.push_back(value);
    return all;
  }

  /// Queries, keys and values of all heads, side by side each.
  std::vector<Vector> projections(const std::string& at, const Vector& x) const {
    if (neox()) {  // head after head: its query, its key, its value
      std::vector<Vector> all(3);
      const Vector rows = project(at + "query_key_value", x);
      for (std::size_t i = 0, d = static_cast<std::size_t>(model_.head_dim); i < rows.size(); ++i)
        all[i / d % 3].push_back(rows[i]);
      return all;
    }
    if (!weights_.contains(at + "qkv_proj.weight"))
      return {project(at + "q_proj", x), project(at + "k_proj", x), project(at + "v_proj", x)};
    const Vector all = project(at + "qkv_proj", x);
    const auto q = all.begin() + static_cast<std::ptrdiff_t>(model_.heads * model_.head_dim);
    const auto k = q + static_cast<std::ptrdiff_t>(model_.kv_heads * model_.head_dim);
    return {{all.begin(), q}, {q, k}, {k, all.end()}};
  }

  /// The gate's values, then those of up.
  Vector gate_and_up(const std::string& at, const Vector& x) const {
    if (weights_.contains(at + "gate_up_proj.weight")) return multiply(at + "gate_up_proj.weight", x);
    Vector gate = multiply(at + "gate_proj.weight", x);
    for (const double value : multiply(at + "up_proj.weight", x)) gate.push_back(value);
    return gate;
  }

  Vector head_part(const Vector& row, int head) const {
    const auto d = static_cast<std::ptrdiff_t>(model_.head_dim);
    return {row.begin() + head * d, row.begin() + (head + 1) * d};
  }

  const RopeConfig& rope_of(int layer) const {
    if (model_.window_rope && windowed(layer)) return *model_.window_rope;
    return config_.rope ? *config_.rope : model_.rope;
  }

  /// Angle per position of pair c, as each kind of scaling is published: linear divides positions; dynamic NTK takes
  /// another base; llama3 divides low frequencies, keeps high ones and blends between.
  double frequency(int layer, std::size_t c) const {
    const RopeConfig& rope = rope_of(layer);
    const auto d = static_cast<double>(model_.rope_dims());
    const auto at_base = [&](double base) { return 1.0 / std::pow(base, 2.0 * static_cast<double>(c) / d); };
    const double plain = at_base(rope.theta);
    const auto original = static_cast<double>(rope.original_context == 0 ? model_.context : rope.original_context);
    if (rope.kind == RopeConfig::Kind::Linear) return plain / rope.factor;
    if (rope.kind == RopeConfig::Kind::Dynamic) {
      const double longest = static_cast<double>(longest_context());
      if (longest <= original) return plain;
      return at_base(rope.theta * std::pow(rope.factor * longest / original - (rope.factor - 1), d / (d - 2)));
    }
    if (rope.kind == RopeConfig::Kind::Llama3) {
      const double turns = original * plain / (2 * 3.14159265358979323846);  // over the original context
      if (turns < rope.low_frequency_factor) return plain / rope.factor;
      if (turns > rope.high_frequency_factor) return plain;
      const double smooth =
          (turns - rope.low_frequency_factor) / (rope.high_frequency_factor - rope.low_frequency_factor);
      return plain * (smooth + (1 - smooth) / rope.factor);
    }
    if (rope.kind == RopeConfig::Kind::Yarn) {
      const auto pair_of = [&](double turns) {
        return d / 2 * std::log(original / (2 * 3.14159265358979323846 * turns)) / std::log(rope.theta);
      };
      const double first = std::max(0.0, std::floor(pair_of(rope.fast_turns)));
      double last = std::min(d - 1, std::ceil(pair_of(rope.slow_turns)));
      if (last == first) last = first + 0.001;
      const double ramp = std::clamp((static_cast<double>(c) - first) / (last - first), 0.0, 1.0);
      return plain * (1 - ramp + ramp / rope.factor);
    }
    if (rope.kind == RopeConfig::Kind::Longrope)
      return plain / (static_cast<double>(longest_context()) > original ? rope.long_factors[c] : rope.short_factors[c]);
    return plain;
  }

  /// Cosines and sines are multiplied by it.
  double amplitude(int layer) const {
    const RopeConfig& rope = rope_of(layer);
    const auto original = static_cast<double>(rope.original_context == 0 ? model_.context : rope.original_context);
    if (rope.attention_factor > 0) return rope.attention_factor;
    if (rope.kind == RopeConfig::Kind::Yarn) return 0.1 * std::log(rope.factor) + 1;
    if (rope.kind == RopeConfig::Kind::Longrope) return std::sqrt(1 + std::log(rope.factor) / std::log(original));
    return 1;
  }

  /// Positions that a head can see at most.
  std::int64_t longest_context() const {
    std::int64_t longest = 0;
    for (const PrefixParts kind : {config_.local_reads, config_.long_reads}) {
      const std::string names(kPrefixPartsNames[static_cast<std::size_t>(kind)]);
      std::int64_t length = 0;
      if (names.find("sinks") != std::string::npos) length += config_.sink_length;
      if (names.find("carry") != std::string::npos) length += config_.carry_length;
      if (names.find("retrieved") != std::string::npos) length += config_.retrieval_length;
      longest = std::max(longest, length);
    }
    const bool whole_text = per_token() && config_.retrieval_length > 0;
    return whole_text ? std::max(text_length_, config_.segment_length) : config_.segment_length + longest;
  }

  bool per_token() const { return config_.search == SearchBy::PerToken; }

  bool windowed(int layer) const {
    return std::find(model_.window_layers.begin(), model_.window_layers.end(), layer) != model_.window_layers.end();
  }

  Vector rotate(int layer, const Vector& x, std::size_t position) const {
    const std::vector<int>& without = model_.unrotated_layers;
    if (std::find(without.begin(), without.end(), layer) != without.end()) return x;
    Vector out = x;
    const auto half = static_cast<std::size_t>(model_.rope_dims()) / 2;
    for (std::size_t c = 0; c < half; ++c) {
      const double angle = static_cast<double>(position) * frequency(layer, c);
      const double cosine = amplitude(layer) * std::cos(angle), sine = amplitude(layer) * std::sin(angle);
      out[c] = x[c] * cosine - x[c + half] * sine;
      out[c + half] = x[c + half] * cosine + x[c] * sine;
    }
    return out;
  }

  /// Returns the positions that a head sees before its segment: the parts that its kind reads, in their order. A layer
  /// with a window has the whole past in sight, of which attend() takes what is in reach.
  Past prefix_of(int layer, int head) const {
    const auto l = static_cast<std::size_t>(layer);
    const int kv_head = head / static_cast<int>(model_.group_size());
    Past prefix;
    if (windowed(layer)) append(prefix, past_[l], kv_head);
    if (per_token() && reads(layer, head, "retrieved")) return text_before(layer, head);
    for (const std::string& part : parts(layer, head)) {
      if (part == "sinks") append(prefix, sinks_[l], kv_head);
      if (part == "carry") append(prefix, carry_[l], kv_head);
      if (part == "retrieved" && !pool_[l].empty()) {
        const Past& pool = pool_[l].at(kv_head);
        for (const std::int64_t index : retrieved(layer, head)) {
          prefix.keys.push_back(pool.keys[static_cast<std::size_t>(index)]);
          prefix.values.push_back(pool.values[static_cast<std::size_t>(index)]);
          prefix.positions.push_back(pool.positions[static_cast<std::size_t>(index)]);
        }
      }
    }
    return prefix;
  }

  /// Returns the text before the segment, of whose pool each query will choose for itself.
  Past text_before(int layer, int head) const {
    const auto l = static_cast<std::size_t>(layer);
    const int kv_head = head / static_cast<int>(model_.group_size());
    Past prefix;
    if (reads(layer, head, "sinks")) append(prefix, sinks_[l], kv_head);
    prefix.first_choice = prefix.keys.size();
    if (pool_[l].empty()) return prefix;
    prefix.choices = searched(reads(layer, head, "carry"));
    const Past& pool = pool_[l].at(kv_head);
    const auto count = static_cast<std::ptrdiff_t>(prefix.choices);
    prefix.keys.insert(prefix.keys.end(), pool.keys.begin(), pool.keys.begin() + count);
    prefix.values.insert(prefix.values.end(), pool.values.begin(), pool.values.begin() + count);
    prefix.positions.insert(prefix.positions.end(), pool.positions.begin(), pool.positions.begin() + count);
    if (reads(layer, head, "carry")) append(prefix, carry_[l], kv_head);
    return prefix;
  }

  /// Returns true for each of `count` keys that a query sees.
  std::vector<bool> seen_keys(const Past& prefix, const Rows& keys, const Vector& query, std::size_t count) const {
    std::vector<bool> seen(count, true);
    const auto most = static_cast<std::size_t>(config_.retrieval_length);
    if (prefix.choices <= most) return seen;
    std::vector<std::pair<double, std::size_t>> scores;
    for (std::size_t i = 0; i < prefix.choices; ++i)
      scores.emplace_back(-slow::dot(query, keys[prefix.first_choice + i]), prefix.first_choice + i);
    std::sort(scores.begin(), scores.end());
    for (std::size_t i = most; i < scores.size(); ++i) seen[scores[i].second] = false;
    return seen;
  }

  /// Names of the parts that a head reads; what is retrieved is read in long-range layers alone.
  std::vector<std::string> parts(int layer, int head) const {
    if (windowed(layer)) return {};
    const bool is_long = config_.grouping.is_long(layer, head);
    const auto place = static_cast<std::size_t>(is_long ? config_.long_reads : config_.local_reads);
    std::string names(kPrefixPartsNames[place]);
    std::vector<std::string> result;
    for (std::size_t end; !names.empty(); names.erase(0, end == std::string::npos ? end : end + 1)) {
      end = names.find('+');
      const std::string name = names.substr(0, end);
      if (name != "retrieved" || (config_.grouping.is_long_layer(layer) && config_.retrieval_length > 0))
        result.push_back(name);
    }
    return result;
  }

  bool reads(int layer, int head, const std::string& part) const {
    const std::vector<std::string> all = parts(layer, head);
    return std::find(all.begin(), all.end(), part) != all.end();
  }

  static void append(Past& prefix, const LayerPast& layer, int kv_head) {
    const auto found = layer.find(kv_head);
    if (found == layer.end()) return;
    prefix.keys.insert(prefix.keys.end(), found->second.keys.begin(), found->second.keys.end());
    prefix.values.insert(prefix.values.end(), found->second.values.begin(), found->second.values.end());
    prefix.positions.insert(prefix.positions.end(), found->second.positions.begin(), found->second.positions.end());
  }

  /// Entries of the pool that are searched: a reader of the carry doesn't look for it.
  std::size_t searched(bool skips_carry) const {
    const std::size_t entries = pool_[0].empty() ? 0 : pool_[0].at(0).keys.size();
    const std::size_t carried = !skips_carry || carry_[0].empty() ? 0 : carry_[0].at(0).keys.size();
    return entries - std::min(entries, carried);
  }

  /// Places in the pool that a head reads, ascending.
  std::vector<std::int64_t> retrieved(int layer, int head) const {
    std::set<std::int64_t> held;
    if (config_.search == SearchBy::Shared) {
      held = shared_search();
    } else if (const std::size_t count = searched(reads(layer, head, "carry")); count > 0) {
      const auto l = static_cast<std::size_t>(layer);
      const Rows& keys = pool_[l].at(head / static_cast<int>(model_.group_size())).keys;
      const Rows& queries = tail_queries_[l].at(head);
      if (config_.search_scores == SearchScores::Summaries && config_.retrieve == RetrieveBy::Anchors) {
        const Rows first(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count));
        for (const Hit& hit : slow::retrieve(queries, first, config_)) held.insert(hit.position);
      } else {
        held = slow::chosen_positions(slow::position_scores(queries, keys, count, config_), config_);
      }
    }
    return {held.begin(), held.end()};
  }

  std::set<std::int64_t> shared_search() const {
    bool skips = false;
    for (int layer = 0; layer < model_.layers; ++layer)
      for (int head = 0; head < model_.heads; ++head)
        skips = skips || (reads(layer, head, "carry") && reads(layer, head, "retrieved"));
    const std::size_t count = searched(skips);
    if (count == 0) return {};
    Vector sum(count, 0.0);
    for (const HeadRef& searcher : config_.search_heads) {
      const auto l = static_cast<std::size_t>(searcher.layer);
      const Rows& keys = pool_[l].at(searcher.head / static_cast<int>(model_.group_size())).keys;
      const Vector scores =
          slow::standardised(slow::position_scores(tail_queries_[l].at(searcher.head), keys, count, config_));
      for (std::size_t i = 0; i < count; ++i) sum[i] += scores[i];
    }
    return slow::chosen_positions(sum, config_);
  }

  Rows attend(int layer, const Past& prefix, const Past& segment, const Rows& queries, Rows& all_weights) const {
    const std::size_t P = prefix.keys.size();
    Rows keys;
    for (std::size_t p = 0; p < P; ++p) keys.push_back(rotate(layer, prefix.keys[p], p));
    for (std::size_t j = 0; j < segment.keys.size(); ++j) keys.push_back(rotate(layer, segment.keys[j], P + j));
    Rows out;
    for (std::size_t j = 0; j < queries.size(); ++j) {
      const Vector q = rotate(layer, queries[j], P + j);
      Vector weights;
      double sum = 0;
      const std::vector<bool> seen = seen_keys(prefix, keys, q, P + j + 1);
      for (std::size_t p = 0; p <= P + j; ++p) {
        const bool out_of_reach = windowed(layer) && static_cast<std::int64_t>(P + j - p) >= model_.window;
        const double score =
            model_.query_scale * slow::dot(q, keys[p]) / std::sqrt(static_cast<double>(model_.head_dim));
        weights.push_back(out_of_reach || !seen[p] ? 0 : std::exp(capped(score, model_.score_cap)));
        sum += weights.back();
      }
      Vector mixed(q.size(), 0.0);
      for (std::size_t p = 0; p <= P + j; ++p) {
        const Vector& value = p < P ? prefix.values[p] : segment.values[p - P];
        for (std::size_t c = 0; c < mixed.size(); ++c) mixed[c] += weights[p] / sum * value[c];
      }
      out.push_back(mixed);
      for (double& weight : weights) weight /= sum;
      all_weights.push_back(std::move(weights));
    }
    return out;
  }

  void run_layer(int layer, Rows& x, LayerPast& kept, LayerQueries& queries) const {
    const std::string at = root() + "layers." + std::to_string(layer) + ".";
    for (const Vector& row : x) {
      const std::vector<Vector> qkv =
          projections(at + (neox() ? "attention." : "self_attn."), maybe_normed(at + "input_layernorm.weight", row));
      const Vector q = head_norm(at + "self_attn.q_norm.weight", qkv[0]),
                   k = head_norm(at + "self_attn.k_norm.weight", qkv[1]);
      for (int head = 0; head < model_.heads; ++head) queries[head].push_back(head_part(q, head));
      for (int head = 0; head < model_.kv_heads; ++head) {
        kept[head].keys.push_back(head_part(k, head));
        kept[head].values.push_back(head_part(qkv[2], head));
      }
    }
    Rows concatenated(x.size());
    for (int head = 0; head < model_.heads; ++head) {
      const Past prefix = prefix_of(layer, head);
      Rows weights;
      const Past& own = kept[head / static_cast<int>(model_.group_size())];
      Rows mixed = attend(layer, prefix, own, queries[head], weights);
      if (see) see({layer, head, first_, x, prefix.positions, prefix.values, own.values, weights, mixed});
      for (std::size_t j = 0; j < x.size(); ++j)
        concatenated[j].insert(concatenated[j].end(), mixed[j].begin(), mixed[j].end());
    }
    // A model that norms what blocks add has another name for the norm before the feed-forward.
    const bool after = weights_.contains(at + "post_feedforward_layernorm.weight");
    const auto add = [&](Vector& row, const Vector& written, const std::string& norm) {
      const Vector out = after ? normalise(at + norm, written) : written;
      for (std::size_t c = 0; c < row.size(); ++c) row[c] += model_.residual_scale * out[c];
    };
    for (std::size_t j = 0; j < x.size(); ++j) {
      const Vector entering = x[j];
      add(x[j], project(at + (neox() ? "attention.dense" : "self_attn.o_proj"), concatenated[j]),
          "post_attention_layernorm.weight");
      const Vector read =
          maybe_normed(at + (after ? "pre_feedforward_layernorm.weight" : "post_attention_layernorm.weight"),
                       model_.parallel_blocks ? entering : x[j]);
      add(x[j], feed_forward(at + "mlp.", read), "post_feedforward_layernorm.weight");
    }
  }

  Vector feed_forward(const std::string& at, const Vector& x) const {
    if (neox()) {
      Vector active = project(at + "dense_h_to_4h", x);
      for (double& value : active) value = activate(value);
      return project(at + "dense_4h_to_h", active);
    }
    const Vector both = gate_and_up(at, x);
    Vector gated(both.size() / 2);
    for (std::size_t c = 0; c < gated.size(); ++c) gated[c] = activate(both[c]) * both[c + gated.size()];
    return multiply(at + "down_proj.weight", gated);
  }

  Rows run_segment(const std::vector<std::int32_t>& ids) {
    std::vector<LayerPast> segment(carry_.size());
    std::vector<LayerQueries> queries(carry_.size());
    const Rows logits = forward(ids, segment, queries);
    close(segment, queries);
    first_ += std::ssize(ids);
    return logits;
  }

  Rows forward(const std::vector<std::int32_t>& ids, std::vector<LayerPast>& segment,
               std::vector<LayerQueries>& queries) const {
    const auto D = static_cast<std::size_t>(model_.hidden);
    Rows x;
    for (std::int32_t id : ids) {
      const float* row = weights_.at(embedding()).data() + static_cast<std::size_t>(id) * D;
      x.emplace_back(row, row + D);
      for (double& value : x.back()) value *= model_.embedding_scale;
    }
    for (std::size_t l = 0; l < segment.size(); ++l) run_layer(static_cast<int>(l), x, segment[l], queries[l]);
    const std::string head = model_.tied_embeddings ? embedding() : neox() ? "embed_out.weight" : "lm_head.weight";
    const std::string final_norm = root() + (neox() ? "final_layer_norm.weight" : "norm.weight");
    if (see_residual) see_residual(x);
    Rows logits;
    for (const Vector& row : x) {
      logits.push_back(multiply(head, normalise(final_norm, row)));
      for (double& value : logits.back()) value = capped(value / model_.logit_divisor, model_.logit_cap);
    }
    return logits;
  }

  static double capped(double value, double cap) { return cap == 0 ? value : cap * std::tanh(value / cap); }

  static std::vector<std::int64_t> places(std::int64_t first, std::int64_t count) {
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < count; ++i) result.push_back(first + i);
    return result;
  }

  void close(const std::vector<LayerPast>& segment, std::vector<LayerQueries>& queries) {
    for (std::size_t l = 0; l < segment.size(); ++l)
      for (const auto& [kv_head, kv] : segment[l]) {
        Past& past = past_[l][kv_head];
        past.keys.insert(past.keys.end(), kv.keys.begin(), kv.keys.end());
        past.values.insert(past.values.end(), kv.values.begin(), kv.values.end());
        past.positions = places(0, std::ssize(past.keys));
        std::size_t sinks = 0;  // tokens of this segment that lead every later prefix, and are read nowhere else
        if (!sinks_[l].contains(kv_head)) {
          sinks = std::min(kv.keys.size(), static_cast<std::size_t>(config_.sink_length));
          const auto n = static_cast<std::ptrdiff_t>(sinks);
          sinks_[l][kv_head] = {
              {kv.keys.begin(), kv.keys.begin() + n}, {kv.values.begin(), kv.values.begin() + n}, places(0, n)};
        }
        const auto first = static_cast<std::ptrdiff_t>(sinks);
        const auto tail = static_cast<std::ptrdiff_t>(
            std::min(kv.keys.size() - sinks, static_cast<std::size_t>(config_.carry_length)));
        const std::int64_t end = first_ + std::ssize(kv.keys);
        carry_[l][kv_head] = {
            {kv.keys.end() - tail, kv.keys.end()}, {kv.values.end() - tail, kv.values.end()}, places(end - tail, tail)};
        Past& pool = pool_[l][kv_head];
        pool.keys.insert(pool.keys.end(), kv.keys.begin() + first, kv.keys.end());
        pool.values.insert(pool.values.end(), kv.values.begin() + first, kv.values.end());
        const auto pooled = places(first_ + first, std::ssize(kv.keys) - first);
        pool.positions.insert(pool.positions.end(), pooled.begin(), pooled.end());
      }
    tail_queries_ = std::move(queries);
  }

  ModelConfig model_;
  SegmentConfig config_;
  std::map<std::string, std::vector<float>> weights_;
  std::vector<LayerPast> carry_, pool_, sinks_;  ///< the pool without the sinks
  std::vector<LayerPast> past_;                  ///< the whole text so far
  std::vector<LayerQueries> tail_queries_;
  std::int64_t first_ = 0;        ///< token of the segment
  std::int64_t text_length_ = 0;  ///< of the text of the last run()
};

}  // namespace carryover::test
