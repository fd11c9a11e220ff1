// SPDX-License-Identifier: GPL-3.0-or-later
// The lenses show what the forward did: masses add up, logits are the sum of their parts, and a search's steps lead to
// its hits.
#include "engine/inspection/inspect.h"

#include <QTest>
#include <array>
#include <functional>
#include <numbers>
#include <numeric>
#include <set>
#include <span>

#include "engine/base/error.h"
#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/families/family.h"
#include "engine/inspection/prediction_ablations.h"
#include "engine/runs/text_run.h"
#include "engine/runs/values/inspection.h"
#include "engine/what_if/what_if.h"
#include "tests/support/plain_llama.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"
#include "tests/support/tiny_family.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Case {
  std::mt19937 random;
  ModelConfig model;
  RunRequest request;
  TinyDecoder tiny;
  StateArchive archive{std::int64_t{1} << 30};
  RunControl control;

  explicit Case(unsigned seed, const std::string& policy = "segmented", std::optional<ModelConfig> other = {})
      : random(seed), model(random_tiny_config(random)), tiny(other.value_or(model), seed, at::kDouble) {
    model = other.value_or(model);
    request.config = random_small_config(random, model);
    request.config.segment_length = draw(random, 12, 26);
    request.config.carry_length = draw(random, 1, request.config.segment_length - 4);
    request.config.sink_length = draw(random, 0, 4);
    request.config.retrieval_length = draw(random, 4, 20);
    request.config.grouping = Grouping({1}, {{0, 2}});
    request.config.pool_keys = random_pool_keys(random);
    request.policy = policy;
    const std::int64_t tokens = std::min(5 * request.config.segment_length, model.vocabulary);
    request.ids = std::make_shared<std::vector<std::int32_t>>(distinct_ids(random, tokens, model.vocabulary));
  }

  Inspection inspect(std::int64_t segment, const InspectionParts& parts) {
    return inspect_segment(tiny.decoder, {request, segment, parts}, control, archive);
  }
};

double sum(const Map& map) {
  double total = 0;
  for (const float value : map.values) total += value;
  return total;
}

double sum_of_heads(const LogitAttribution& split) {
  return sum(split.sinks) + sum(split.retrieved) + sum(split.carry) + sum(split.segment);
}

double sum(const LogitAttribution& split) {
  double total = split.embedding + split.biases + sum_of_heads(split);
  for (const float value : split.feed_forward) total += static_cast<double>(value);
  return total;
}

/// The sources of a head's context, and that of one position, which follows from the settings alone: sinks, retrieved,
/// carry, segment. A head that reads the carry does not retrieve from it, and nothing is retrieved of the sinks.
constexpr std::array kSourceMaps{&LogitAttribution::sinks, &LogitAttribution::retrieved, &LogitAttribution::carry,
                                 &LogitAttribution::segment};
std::size_t source_of(const SegmentConfig& config, const PlainSight& sight, std::int64_t position) {
  if (position >= sight.first) return 3;
  if (position < config.sink_length) return 0;
  const bool carried = position >= sight.first - config.carry_length;
  return carried && reads_part(config, sight.layer, sight.head, "carry") ? 2 : 1;
}

/// Returns by source what a head reads of it for one token of the segment: weights times values.
std::array<Vector, 4> read_by_source(const ModelConfig& model, const SegmentConfig& config, const PlainSight& sight,
                                     std::size_t token) {
  constexpr std::size_t carry = 2;  // of kSourceMaps; a window is carried as a whole
  std::array<Vector, 4> read;
  const std::size_t prefix = sight.positions.size();
  for (Vector& part : read) part.assign(sight.own_values[0].size(), 0.0);
  for (std::size_t slot = 0; slot < prefix + token + 1; ++slot) {
    const bool own = slot >= prefix;
    const Vector& value = own ? sight.own_values[slot - prefix] : sight.prefix_values[slot];
    const std::int64_t position = own ? sight.first + static_cast<std::int64_t>(slot - prefix) : sight.positions[slot];
    Vector& part = read[!own && model.is_windowed(sight.layer) ? carry : source_of(config, sight, position)];
    for (std::size_t i = 0; i < part.size(); ++i) part[i] += sight.weights[token][slot] * value[i];
  }
  return read;
}

bool is_gemma(const Case& c) {
  return c.model.architecture == "gemma3_text";
}

/// Returns a head's part of the output projection.
Vector written_by(const Case& c, HeadRef head, const Vector& output) {
  const auto D = static_cast<std::size_t>(c.model.hidden), d = static_cast<std::size_t>(c.model.head_dim);
  const std::size_t width = d * static_cast<std::size_t>(c.model.heads);
  const auto& projection = c.tiny.values.at("model.layers." + std::to_string(head.layer) + ".self_attn.o_proj.weight");
  Vector written(D, 0.0);
  for (std::size_t row = 0; row < D; ++row)
    for (std::size_t i = 0; i < d; ++i)
      written[row] += double(projection[row * width + static_cast<std::size_t>(head.head) * d + i]) * output[i];
  return written;
}

double inverse_rms(const Case& c, const Vector& row) {
  double squares = 0;
  for (const double value : row) squares += value * value;
  return 1 / std::sqrt(squares / static_cast<double>(row.size()) + c.model.norm_epsilon);
}

void add_to(Vector& sum, const Vector& more) {
  sum.resize(more.size(), 0.0);
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

/// Returns what all heads of each layer write.
std::map<int, Vector> written_by_layer(const Case& c, const std::map<HeadRef, Vector>& outputs) {
  std::map<int, Vector> by_layer;
  for (const auto& [head, output] : outputs) add_to(by_layer[head.layer], written_by(c, head, output));
  return by_layer;
}

/// Returns what a head's output adds to a logit, or to its difference from a foil's. residual: the token's last one;
/// whole: what all heads of the layer write, which Gemma norms.
double added_to_logit(const Case& c, HeadRef head, const Vector& output, const Vector& residual, const Vector& whole,
                      const Prediction& prediction) {
  const auto D = static_cast<std::size_t>(c.model.hidden);
  const double scale = inverse_rms(c, residual), offset = is_gemma(c) ? 1 : 0;
  const auto& rows = c.tiny.values.at(c.model.tied_embeddings ? "model.embed_tokens.weight" : "lm_head.weight");
  const auto& gains = c.tiny.values.at("model.norm.weight");
  Vector written = written_by(c, head, output);
  if (is_gemma(c)) {
    const std::string name = "model.layers." + std::to_string(head.layer) + ".post_attention_layernorm.weight";
    for (std::size_t row = 0; row < D; ++row)
      written[row] *= (1 + double(c.tiny.values.at(name)[row])) * inverse_rms(c, whole);
  }
  double added = 0;
  for (std::size_t row = 0; row < D; ++row) {
    double direction = double(rows[static_cast<std::size_t>(prediction.target) * D + row]);
    if (prediction.foil) direction -= double(rows[static_cast<std::size_t>(*prediction.foil) * D + row]);
    added += written[row] * scale * (offset + double(gains[row])) * direction;
  }
  return added * c.model.residual_scale / c.model.logit_divisor;
}

/// Returns the logits that the final norm and the head make of a row: [V].
Vector logits_of(const Case& c, const Vector& row) {
  const double scale = inverse_rms(c, row), offset = is_gemma(c) ? 1 : 0;
  const auto& rows = c.tiny.values.at(c.model.tied_embeddings ? "model.embed_tokens.weight" : "lm_head.weight");
  const auto& gains = c.tiny.values.at("model.norm.weight");
  Vector logits(rows.size() / row.size(), 0.0);
  for (std::size_t token = 0; token < logits.size(); ++token)
    for (std::size_t i = 0; i < row.size(); ++i)
      logits[token] += double(rows[token * row.size() + i]) * row[i] * scale * (offset + double(gains[i]));
  return logits;
}

/// Multiplies what heads write by what Gemma's norm of `whole` multiplies it by.
Vector normed_with(const Case& c, int layer, const char* norm, Vector written, const Vector& whole) {
  if (!is_gemma(c)) return written;
  const auto& gains = c.tiny.values.at("model.layers." + std::to_string(layer) + "." + norm + ".weight");
  for (std::size_t i = 0; i < written.size(); ++i) written[i] *= (1 + double(gains[i])) * inverse_rms(c, whole);
  return written;
}

/// One token's way through the layers in a forward without the engine's code.
struct PlainWay {
  std::vector<Vector> residual;  ///< [1 + L]: before the first layer and after each one
  std::vector<Vector> attended;  ///< [L]: after each layer's attention
  std::vector<Vector> carried;   ///< [L]: what each layer's heads write of what they read from the carry
};
PlainWay plain_way(const Case& c, std::int64_t segment, std::int64_t token) {
  const std::int64_t first = segment * c.request.config.segment_length;
  PlainLlama plain(c.model, c.request.config, c.tiny.values);
  PlainWay way;
  std::map<HeadRef, std::array<Vector, 4>> read;
  std::int64_t done = 0;
  plain.see = [&](const PlainSight& sight) {
    if (sight.first != first) return;
    read[{sight.layer, sight.head}] = read_by_source(c.model, c.request.config, sight, static_cast<std::size_t>(token));
    if (sight.head == 0) way.residual.push_back(sight.entering[static_cast<std::size_t>(token)]);
  };
  plain.see_residual = [&](const Rows& rows) {
    if (done == first) way.residual.push_back(rows[static_cast<std::size_t>(token)]);
    done += std::ssize(rows);
  };
  plain.run(*c.request.ids);
  for (int layer = 0; layer < c.model.layers; ++layer) {
    Vector whole, carried;
    for (int head = 0; head < c.model.heads; ++head) {
      const std::array<Vector, 4>& parts = read.at({layer, head});
      for (const Vector& part : parts) add_to(whole, written_by(c, {layer, head}, part));
      add_to(carried, written_by(c, {layer, head}, parts[2]));
    }
    const char* norm = "post_attention_layernorm";
    way.carried.push_back(normed_with(c, layer, norm, carried, whole));
    way.attended.push_back(way.residual[static_cast<std::size_t>(layer)]);
    add_to(way.attended.back(), normed_with(c, layer, norm, whole, whole));
  }
  return way;
}

/// Returns what a layer's neurons put into the down-projection, and the rows of that projection: [I] and [D][I].
std::pair<Vector, Rows> plain_neurons(const Case& c, int layer, const Vector& attended) {
  const std::string block = "model.layers." + std::to_string(layer) + ".";
  const auto& gains =
      c.tiny.values.at(block + (is_gemma(c) ? "pre_feedforward_layernorm" : "post_attention_layernorm") + ".weight");
  const auto D = attended.size(), I = static_cast<std::size_t>(c.model.intermediate);
  const double scale = inverse_rms(c, attended), offset = is_gemma(c) ? 1 : 0;
  const auto read = [&](const char* name, std::size_t row) {
    double sum = 0;
    for (std::size_t i = 0; i < D; ++i)
      sum += double(c.tiny.values.at(block + name)[row * D + i]) * attended[i] * scale * (offset + double(gains[i]));
    return sum;
  };
  const auto activated = [&](double x) {
    if (!is_gemma(c)) return x / (1 + std::exp(-x));
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  };
  std::pair<Vector, Rows> found{Vector(I), Rows(D, Vector(I))};
  for (std::size_t j = 0; j < I; ++j)
    found.first[j] = activated(read("mlp.gate_proj.weight", j)) * read("mlp.up_proj.weight", j);
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < I; ++j)
      found.second[i][j] = double(c.tiny.values.at(block + "mlp.down_proj.weight")[i * I + j]);
  return found;
}

/// LLaMA, Qwen 3 and Gemma 3, which differ in norms, activation, embedding and head; each with three seeds.
void for_three_families(const std::function<void(Case& c, const QString& name)>& check) {
  for (const char* family : {"llama", "qwen3", "gemma3_text"})
    for (unsigned seed = 500; seed < 503; ++seed) {
      Case c(seed, "segmented", global_of(*find_family(family)));
      c.request.config.pool_keys = PoolKeys::Model;  // as the plain forward's pool
      check(c, QString("%1, seed %2").arg(family).arg(seed));
    }
}

void compare_reading(const LensReading& reading, const Vector& logits, std::int32_t target, const QString& name) {
  const double largest = *std::ranges::max_element(logits);
  double weights = 0;
  for (const double logit : logits) weights += std::exp(logit - largest);
  const double log_sum = largest + std::log(weights);
  const auto likeliest = std::ranges::max_element(logits) - logits.begin();
  const double of_target = logits[static_cast<std::size_t>(target)];
  QVERIFY2(reading.top.id == likeliest, qPrintable(name));
  QVERIFY2(std::abs(double(reading.top.logprob) - (largest - log_sum)) < 1e-5, qPrintable(name));
  QVERIFY2(std::abs(double(reading.target_logprob) - (of_target - log_sum)) < 1e-5, qPrintable(name));
  QCOMPARE(reading.rank, std::ranges::count_if(logits, [&](double logit) { return logit > of_target; }));
}

const char* of_three(unsigned seed) {
  constexpr const char* kNames[] = {"segmented", "full", "streaming"};
  return kNames[seed % 3];
}

}  // namespace

class InspectTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void a_heads_attention_adds_up_and_never_looks_ahead() {
    for (unsigned seed = 0; seed < 6; ++seed) {
      Case c(seed, of_three(seed));
      for (int layer = 0; layer < c.model.layers; ++layer) {
        const Inspection inspection = c.inspect(3, {.attention = HeadRef{layer, static_cast<int>(seed) % 4}});
        const AttentionMap& map = *inspection.attention;
        QCOMPARE(map.query_step, std::int64_t{1});
        QCOMPARE(map.key_step, std::int64_t{1});
        QCOMPARE(std::ssize(map.prefix_positions), map.prefix_length);
        for (std::int64_t row = 0; row < map.mean.rows; ++row) {
          double total = 0;
          for (std::int64_t column = 0; column < map.mean.columns; ++column) {
            total += map.mean.at(row, column);
            if (column > map.prefix_columns + row) QCOMPARE(map.mean.at(row, column), 0.0f);
          }
          QVERIFY(std::abs(total - 1) < 1e-5);
        }
      }
    }
  }

  /// A prefix begins with the text's first tokens; the slots of hits stand behind them.
  void sinks_lead_every_prefix() {
    for (unsigned seed = 20; seed < 26; ++seed) {
      Case c(seed);
      c.request.config.sink_length = 3;
      for (const HeadRef head : {HeadRef{1, 0}, HeadRef{1, 1}, HeadRef{0, 2}}) {  // retrieves; local; reads sinks alone
        const Inspection seen = c.inspect(2, {.attention = head, .masses = true});
        const auto& positions = seen.attention->prefix_positions;
        QVERIFY(std::vector<std::int64_t>(positions.begin(), positions.begin() + 3) ==
                (std::vector<std::int64_t>{0, 1, 2}));
        QVERIFY(std::is_sorted(positions.begin(), positions.end()));
        if (head.layer == 0) QCOMPARE(positions.size(), std::size_t{3});
        if (head.head == 1) QCOMPARE(positions.back(), 2 * c.request.config.segment_length - 1);
        double slots = 0;
        for (const SlotMasses& masses : seen.slot_masses)
          if (masses.head == head) slots = std::accumulate(masses.mass.begin(), masses.mass.end(), 0.0);
        double sinks = 0;
        for (std::int64_t row = 0; row < seen.attention->mean.rows; ++row)
          for (std::int64_t column = 0; column < 3; ++column) sinks += seen.attention->mean.at(row, column);
        sinks /= static_cast<double>(seen.attention->mean.rows);
        const double prefix = static_cast<double>(seen.prefix_mass.at(head.layer, head.head));
        if (head.head != 1) QVERIFY(std::abs(sinks + slots - prefix) < 1e-5);
        QVERIFY(sinks > 0 && sinks <= prefix + 1e-6);
      }
      const Inspection recall_seen = c.inspect(2, {.recall = true}),
                       search_seen = c.inspect(2, {.search = HeadRef{1, 0}});
      for (const HeadRecall& head : recall_seen.recall)
        QVERIFY(head.oracle.front() >= 3 && head.mass <= head.oracle_mass + 1e-9);
      for (const SearchSteps::Ranked& ranked : search_seen.search->ranked) QVERIFY(ranked.position >= 3);
    }
  }

  void a_pooled_map_is_the_mean_of_the_exact_one() {
    Case c(11);
    const HeadRef head{1, 2};
    const AttentionMap exact = *c.inspect(4, {.attention = head}).attention;
    const AttentionMap pooled = *c.inspect(4, {.attention = head, .map_rows = 5, .map_columns = 7}).attention;
    QVERIFY(pooled.mean.rows <= 5 && pooled.mean.columns <= 8);
    for (std::int64_t row = 0; row < pooled.mean.rows; ++row)
      for (std::int64_t column = 0; column < pooled.mean.columns; ++column) {
        const bool prefix = column < pooled.prefix_columns;
        const std::int64_t begin = prefix ? column * pooled.key_step
                                          : exact.prefix_length + (column - pooled.prefix_columns) * pooled.key_step;
        const std::int64_t end = std::min(begin + pooled.key_step, prefix ? exact.prefix_length : exact.mean.columns);
        const std::int64_t first = row * pooled.query_step, last = std::min(first + pooled.query_step, exact.mean.rows);
        double mass = 0;
        for (std::int64_t q = first; q < last; ++q)
          for (std::int64_t k = begin; k < end; ++k) mass += exact.mean.at(q, k);
        QVERIFY(std::abs(mass / static_cast<double>(last - first) - pooled.mean.at(row, column)) < 1e-5);
      }
  }

  void masses_are_the_maps_sums() {
    for (unsigned seed = 20; seed < 24; ++seed) {
      Case c(seed);
      const Inspection inspection = c.inspect(2, {.masses = true});
      QCOMPARE(inspection.slot_masses.size(), std::size_t{2});
      for (int layer = 0; layer < c.model.layers; ++layer)
        for (int head = 0; head < c.model.heads; ++head) {
          const AttentionMap map = *c.inspect(2, {.attention = HeadRef{layer, head}}).attention;
          double prefix = 0;
          for (std::int64_t row = 0; row < map.mean.rows; ++row)
            for (std::int64_t column = 0; column < map.prefix_columns; ++column) prefix += map.mean.at(row, column);
          QVERIFY(std::abs(prefix / static_cast<double>(map.mean.rows) - inspection.prefix_mass.at(layer, head)) <
                  1e-5);
        }
      for (const SlotMasses& slots : inspection.slot_masses) {
        double total = 0;
        for (const float mass : slots.mass) total += mass;
        const AttentionMap map = *c.inspect(2, {.attention = slots.head}).attention;
        double retrieved = 0;
        for (std::int64_t row = 0; row < map.mean.rows; ++row)
          for (std::int64_t column = c.request.config.sink_length; column < map.prefix_columns; ++column)
            retrieved += map.mean.at(row, column) / static_cast<float>(map.mean.rows);
        QVERIFY(std::abs(total - retrieved) < 1e-5);
      }
    }
  }

  void a_logit_is_the_sum_of_its_parts() {
    for (unsigned seed = 40; seed < 46; ++seed) {
      Case c(seed, of_three(seed));
      const std::int64_t token = draw(c.random, 0, c.request.config.segment_length - 1), segment = 3;
      const std::int64_t position = segment * c.request.config.segment_length + token;
      const LogitAttribution split = *c.inspect(segment, {.attribution = token}).attribution;
      QCOMPARE(split.prediction.target, (*c.request.ids)[static_cast<std::size_t>(position + 1)]);
      const std::vector<float> logits = logits_at(c.tiny.decoder, c.request, {position}, c.control);
      QVERIFY(std::abs(split.logit - logits[static_cast<std::size_t>(split.prediction.target)]) < 1e-4);
      const double total = sum(split);
      QVERIFY2(std::abs(total - split.logit) < 1e-4, qPrintable(QString("%1 %2").arg(total).arg(split.logit)));
      QVERIFY(c.request.policy != "segmented" || std::abs(sum(split.retrieved)) > 0);
    }
  }

  /// Biases are a part of their own, and a cap of logits bends the sum.
  void a_logit_of_every_family_is_the_sum_of_its_parts() {
    for (const Family& family : families()) {
      Case c(50, "segmented", global_of(family));
      const std::int64_t position = 2 * c.request.config.segment_length + 5;
      const LogitAttribution split = *c.inspect(2, {.attribution = 5}).attribution;
      const double total = sum(split), cap = c.model.logit_cap;
      const std::vector<float> logits = logits_at(c.tiny.decoder, c.request, {position}, c.control);
      const double found = cap == 0 ? total : cap * std::tanh(total / cap);
      QVERIFY2(std::abs(found - double(logits[static_cast<std::size_t>(split.prediction.target)])) < 1e-4,
               family.name.data());
      QVERIFY2(std::abs(total - double(split.logit)) < 1e-4, family.name.data());
      QVERIFY2((std::abs(split.biases) > 1e-3F) == family.layer_norms, family.name.data());
    }
  }

  void sources_are_the_attention_of_one_query_and_the_heads_part_of_its_logit() {
    for (unsigned seed = 40; seed < 46; ++seed) {
      Case c(seed, of_three(seed));
      const std::int64_t token = draw(c.random, 0, c.request.config.segment_length - 1), segment = 3;
      const Inspection seen = c.inspect(segment, {.attribution = token, .sources = token});
      const TokenSources& sources = *seen.sources;
      QCOMPARE(sources.token, token);
      QVERIFY(std::ranges::is_sorted(sources.positions) &&
              sources.positions.back() == segment * c.request.config.segment_length + token);
      double logit = 0;
      for (const float value : sources.logit) logit += static_cast<double>(value);
      const LogitAttribution& split = *seen.attribution;
      const double heads = sum_of_heads(split);
      QVERIFY2(std::abs(logit - heads) < 1e-4, qPrintable(QString("%1 %2").arg(logit).arg(heads)));
      for (int layer = 0; layer < c.model.layers; ++layer)
        for (int head = 0; head < c.model.heads; ++head) {
          const AttentionMap map = *c.inspect(segment, {.attention = HeadRef{layer, head}}).attention;
          std::map<std::int64_t, float> expected;
          for (std::int64_t key = 0; key < map.mean.columns; ++key)
            expected[key < map.prefix_length ? map.prefix_positions[static_cast<std::size_t>(key)]
                                             : segment * c.request.config.segment_length + key - map.prefix_length] +=
                map.mean.at(token, key);
          for (std::size_t i = 0; i < sources.positions.size(); ++i)
            QVERIFY(std::abs(sources.attention.at(layer * c.model.heads + head, static_cast<std::int64_t>(i)) -
                             expected[sources.positions[i]]) < 1e-6);
        }
    }
    Case c(47);
    QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(1, {.sources = 1000}));
  }

  /// Against a forward without the engine's code: each head's output, through its part of the output projection, along
  /// the difference of two rows of the output matrix.
  void a_foil_takes_the_difference_of_two_logits_apart() {
    for (unsigned seed = 200; seed < 206; ++seed) {
      Case c(seed);
      c.request.config.pool_keys = PoolKeys::Model;  // as the plain forward's pool
      const std::int64_t segment = 3, token = draw(c.random, 0, c.request.config.segment_length - 1);
      const std::int64_t position = segment * c.request.config.segment_length + token;
      const auto foil = static_cast<std::int32_t>(draw(c.random, 0, c.model.vocabulary - 1));
      const Inspection seen = c.inspect(segment, {.attribution = token, .sources = token, .foil = foil});
      const LogitAttribution& split = *seen.attribution;

      PlainLlama plain(c.model, c.request.config, c.tiny.values);
      std::map<HeadRef, Vector> outputs;
      Vector residual;
      plain.see = [&](const PlainSight& sight) {
        if (sight.first == position - token)
          outputs[{sight.layer, sight.head}] = sight.output[static_cast<std::size_t>(token)];
      };
      std::int64_t first = 0;
      plain.see_residual = [&](const Rows& rows) {
        if (first == position - token) residual = rows[static_cast<std::size_t>(token)];
        first += std::ssize(rows);
      };
      const Vector logits = plain.run(*c.request.ids)[static_cast<std::size_t>(position)];
      double largest = 0, weights = 0;
      for (const double logit : logits) largest = std::max(largest, logit);
      for (const double logit : logits) weights += std::exp(logit - largest);
      const auto target = static_cast<std::size_t>(split.prediction.target), other = static_cast<std::size_t>(foil);
      QCOMPARE(split.prediction.target, (*c.request.ids)[static_cast<std::size_t>(position + 1)]);
      QVERIFY(split.prediction.foil == foil);
      QVERIFY(std::abs(split.prediction.logit_difference() - (logits[target] - logits[other])) < 1e-9);
      QVERIFY(std::abs(split.prediction.probability - std::exp(logits[target] - largest) / weights) < 1e-9);
      QVERIFY(std::abs(split.prediction.foil_probability - std::exp(logits[other] - largest) / weights) < 1e-9);

      double heads = 0;
      std::map<int, Vector> by_layer = written_by_layer(c, outputs);
      for (const auto& [head, output] : outputs) {
        const double expected = added_to_logit(c, head, output, residual, by_layer[head.layer], split.prediction);
        double found = 0;
        for (const auto source : kSourceMaps) found += double((split.*source).at(head.layer, head.head));
        QVERIFY2(std::abs(found - expected) < 1e-5, qPrintable(QString("%1 %2").arg(found).arg(expected)));
        heads += expected;
      }
      const double total = sum(split);
      QVERIFY(std::abs(total - split.logit) < 1e-4 &&
              std::abs(split.logit - split.prediction.logit_difference()) < 1e-4);
      double sources = 0;
      for (const float value : seen.sources->logit) sources += static_cast<double>(value);
      QVERIFY(std::abs(sources - heads) < 1e-4);
    }
    Case c(210);
    QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(1, {.attribution = 0, .foil = 1000000}));
    QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(1, {.sources = 0, .foil = -1}));
  }

  /// Under any readers and searches, the preset's for recall among them: what a head adds to a logit is split by where
  /// each position comes from, as a forward without the engine's code has it, up to the rounding of results to fp32.
  void each_position_counts_for_its_source() {
    int split_in_three = 0;
    for (unsigned seed = 300; seed < 340; ++seed) {
      Case c(seed);
      vary_search(c.random, c.request.config, c.model);
      c.request.config.pool_keys = PoolKeys::Model;  // as the plain forward's pool
      if (seed % 2 == 0) c.request.config.long_reads = PrefixParts::SinksRetrievedCarry;
      const std::int64_t segment = seed % 5, first = segment * c.request.config.segment_length;
      const std::int64_t token = draw(c.random, 0, c.request.config.segment_length - 2);
      const LogitAttribution split = *c.inspect(segment, {.attribution = token}).attribution;

      PlainLlama plain(c.model, c.request.config, c.tiny.values);
      std::map<HeadRef, std::array<Vector, 4>> read;
      Vector residual;
      std::int64_t done = 0;
      plain.see = [&](const PlainSight& sight) {
        if (sight.first == first)
          read[{sight.layer, sight.head}] =
              read_by_source(c.model, c.request.config, sight, static_cast<std::size_t>(token));
      };
      plain.see_residual = [&](const Rows& rows) {
        if (done == first) residual = rows[static_cast<std::size_t>(token)];
        done += std::ssize(rows);
      };
      plain.run(*c.request.ids);

      std::map<HeadRef, Vector> outputs;
      for (const auto& [head, parts] : read)
        for (const Vector& part : parts) add_to(outputs[head], part);
      std::map<int, Vector> by_layer = written_by_layer(c, outputs);
      for (const auto& [head, parts] : read) {
        double whole = 0, found = 0, magnitude = 0;
        int places = 0;
        for (std::size_t source = 0; source < parts.size(); ++source) {
          const double expected =
              added_to_logit(c, head, parts[source], residual, by_layer[head.layer], split.prediction);
          const double own = double((split.*kSourceMaps[source]).at(head.layer, head.head));
          QVERIFY2(std::abs(own - expected) < 1e-9 + 3e-7 * std::abs(expected),
                   qPrintable(QString("seed %1 layer %2 head %3 source %4: %5 %6")
                                  .arg(seed)
                                  .arg(head.layer)
                                  .arg(head.head)
                                  .arg(source)
                                  .arg(own)
                                  .arg(expected)));
          whole += expected, found += own, magnitude += std::abs(expected);
          places += source < 3 && expected != 0;
        }
        QVERIFY(std::abs(found - whole) < 1e-9 + 3e-7 * magnitude);
        split_in_three += places == 3;
      }
      QVERIFY(std::abs(sum(split) - double(split.logit)) < 1e-4);
    }
    QVERIFY2(split_in_three > 20, qPrintable(QString::number(split_in_three)));
  }

  /// Under every policy, by the positions that the sources of the same query have: what lies in the segment is the
  /// segment's, a copy or a mean of its tokens too. Where all heads read alike, sinks are the first tokens.
  void what_lies_in_the_segment_is_never_the_pasts() {
    for (const std::string& policy : policy_names())
      for (unsigned seed = 400; seed < 404; ++seed) {
        Case c(seed, policy);
        c.request.config.of<WindowSettings>().attention_window = c.request.config.segment_length + draw(c.random, 0, 5);
        c.request.config.sink_length = draw(c.random, 1, 4);
        const std::int64_t segment = 3, first = segment * c.request.config.segment_length;
        const std::int64_t token = draw(c.random, 0, c.request.config.segment_length - 1);
        const Inspection seen = c.inspect(segment, {.attribution = token, .sources = token});
        const LogitAttribution& split = *seen.attribution;
        double own = 0, sinks = 0;
        for (std::size_t i = 0; i < seen.sources->positions.size(); ++i) {
          const std::int64_t position = seen.sources->positions[i];
          if (position >= first) own += double(seen.sources->logit[i]);
          if (position < c.request.config.sink_length) sinks += double(seen.sources->logit[i]);
        }
        const auto agree = [](double a, double b) { return std::abs(a - b) < 1e-4; };
        QVERIFY2(agree(own, sum(split.segment)), policy.c_str());
        QVERIFY2(agree(sum(split), double(split.logit)), policy.c_str());
        if (policy == "streaming" || policy == "infllm")
          QVERIFY2(agree(sinks, sum(split.sinks)) && sinks != 0, policy.c_str());
      }
  }

  /// Against a forward without the engine's code: the residual stream after each layer, and the sum of what heads read
  /// from the carry, each through the final norm and the head.
  void a_lens_shows_what_the_model_would_say_after_each_layer() {
    for_three_families([](Case& c, const QString& name) {
      const std::int64_t segment = 3, token = draw(c.random, 0, c.request.config.segment_length - 1);
      const PlainWay way = plain_way(c, segment, token);
      const Inspection seen = c.inspect(segment, {.lens = token, .ablations = token, .top = 3});
      const LogitLens& lens = *seen.lens;
      QCOMPARE(std::ssize(lens.residual), c.model.layers + 1);
      for (std::size_t i = 0; i < lens.residual.size(); ++i)
        compare_reading(lens.residual[i], logits_of(c, way.residual[i]), lens.target, name);
      QCOMPARE(lens.first_carry_layer, std::int64_t{0});
      QCOMPARE(std::ssize(lens.carry), c.model.layers);
      Vector carried;
      for (std::size_t layer = 0; layer < lens.carry.size(); ++layer) {
        add_to(carried, way.carried[layer]);
        compare_reading(lens.carry[layer], logits_of(c, carried), lens.target, name);
      }
      // After the last layer it shows the prediction.
      const Prediction& prediction = seen.ablations->as_it_was;
      QCOMPARE(lens.residual.back().top.id, prediction.top.front().id);
      QVERIFY(std::abs(std::exp(double(lens.residual.back().target_logprob)) - prediction.probability) < 1e-6);
      QVERIFY(c.inspect(0, {.lens = token}).lens->carry.empty());  // before it is nothing to carry
    });
  }

  void a_neuron_adds_its_activation_along_its_column() {
    for_three_families([](Case& c, const QString& name) {
      const std::int64_t segment = 2, token = draw(c.random, 0, c.request.config.segment_length - 1);
      const std::int64_t every = c.model.layers * c.model.intermediate;
      const PlainWay way = plain_way(c, segment, token);
      const LogitAttribution split = *c.inspect(segment, {.attribution = token, .neurons = every}).attribution;
      QCOMPARE(std::ssize(split.neurons), every);
      const auto& rows = c.tiny.values.at(c.model.tied_embeddings ? "model.embed_tokens.weight" : "lm_head.weight");
      const auto& gains = c.tiny.values.at("model.norm.weight");
      const auto D = static_cast<std::size_t>(c.model.hidden);
      const double scale = inverse_rms(c, way.residual.back()), offset = is_gemma(c) ? 1 : 0;
      Vector by_layer(static_cast<std::size_t>(c.model.layers), 0.0);
      for (int layer = 0; layer < c.model.layers; ++layer) {
        const auto [active, down] = plain_neurons(c, layer, way.attended[static_cast<std::size_t>(layer)]);
        Vector whole(D, 0.0);
        for (std::size_t i = 0; i < D; ++i)
          whole[i] = std::inner_product(active.begin(), active.end(), down[i].begin(), 0.0);
        for (const NeuronShare& share : split.neurons) {
          if (share.layer != layer) continue;
          const auto neuron = static_cast<std::size_t>(share.neuron);
          Vector written(D);
          for (std::size_t i = 0; i < D; ++i) written[i] = active[neuron] * down[i][neuron];
          written = normed_with(c, layer, "post_feedforward_layernorm", written, whole);
          double added = 0;
          for (std::size_t i = 0; i < D; ++i)
            added += written[i] * scale * (offset + double(gains[i])) *
                     double(rows[static_cast<std::size_t>(split.prediction.target) * D + i]);
          QVERIFY2(std::abs(double(share.activation) - active[neuron]) < 1e-9 + 3e-7 * std::abs(active[neuron]),
                   qPrintable(name));
          QVERIFY2(std::abs(double(share.logit) - added) < 1e-9 + 3e-7 * std::abs(added), qPrintable(name));
          by_layer[static_cast<std::size_t>(layer)] += double(share.logit);
        }
        QVERIFY(std::abs(by_layer[static_cast<std::size_t>(layer)] -
                         double(split.feed_forward[static_cast<std::size_t>(layer)])) < 1e-5);
      }
      const auto five = c.inspect(segment, {.attribution = token, .neurons = 5}).attribution->neurons;
      for (std::size_t i = 0; i < five.size(); ++i)
        QVERIFY(five[i].layer == split.neurons[i].layer && five[i].neuron == split.neurons[i].neuron);
    });
  }

  /// In every family the neurons of a layer add up to its feed-forward, but for the bias of the down-projection.
  void a_feed_forward_is_the_sum_of_its_neurons_in_every_family() {
    for (const Family& family : families()) {
      Case c(51, "segmented", global_of(family));
      const std::int64_t every = c.model.layers * c.model.intermediate;
      const LogitAttribution split = *c.inspect(2, {.attribution = 5, .neurons = every}).attribution;
      Vector sums(static_cast<std::size_t>(c.model.layers), 0.0);
      for (const NeuronShare& share : split.neurons) sums[static_cast<std::size_t>(share.layer)] += double(share.logit);
      double largest = 0;
      for (std::size_t layer = 0; layer < sums.size(); ++layer)
        largest = std::max(largest, std::abs(sums[layer] - double(split.feed_forward[layer])));
      const bool biased = c.tiny.decoder.weights.layers[0].down_bias.defined();
      QVERIFY2(biased ? largest > 1e-4 : largest < 1e-5, family.name.data());
    }
  }

  /// A prediction without a part is that of the what-if which removes it, in whatever order heads read the parts.
  void ablations_are_what_ifs() {
    for (unsigned seed = 520; seed < 528; ++seed) {
      Case c(seed);
      c.request.config.sink_length = draw(c.random, 0, 3);
      const std::int64_t segment = 3, token = draw(c.random, 0, c.request.config.segment_length - 1);
      const PredictionAblations found = *c.inspect(segment, {.ablations = token, .top = 4}).ablations;
      std::set<PrefixPart> parts;
      WhatIfRequest request{c.request, segment, {}, {}, PredictionQuestion{token, {}, 4}};
      for (const AblatedPrediction& each : found.without) {
        parts.insert(each.part);
        request.edits.push_back(edit_without(each.part));
      }
      std::set<PrefixPart> expected{PrefixPart::Retrieved, PrefixPart::Carry};
      if (c.request.config.sink_length > 0) expected.insert(PrefixPart::Sinks);
      QVERIFY(parts == expected);
      StateArchive other{0};
      run_what_if(
          c.tiny.decoder, request,
          [&](std::size_t edit, const WhatIfOutcome& outcome) {
            const Prediction& ablated = found.without[edit].prediction;
            QCOMPARE(ablated.logit, outcome.prediction->logit);
            QCOMPARE(ablated.probability, outcome.prediction->probability);
            QVERIFY(ablated.top == outcome.prediction->top && ablated.top.size() >= 4);
            QVERIFY(ablated.logit != found.as_it_was.logit);
            const std::vector<TopToken>& top = found.as_it_was.top;
            for (std::size_t i = 0; i < top.size(); ++i)
              if (top[i].id == ablated.target)
                QVERIFY(std::abs(std::exp(double(found.without[edit].logprobs[i])) - ablated.probability) < 1e-6);
          },
          c.control, c.archive, other);
    }
    // They show nothing of a segment whose losses are not those of its record.
    Case other(529);
    const std::vector<float> wrong(static_cast<std::size_t>(other.request.config.segment_length), 99.F);
    const InspectRequest recorded{other.request, 3, {.ablations = 4}, RecordedSegment{{}, DType::Float64, wrong, {}}};
    QVERIFY_THROWS_EXCEPTION(EngineError, inspect_segment(other.tiny.decoder, recorded, other.control, other.archive));
    Case full(530, "full");
    QVERIFY(full.inspect(3, {.ablations = 4}).ablations->without.empty());
  }

  void the_steps_of_a_search_lead_to_its_hits() {
    for (unsigned seed = 60; seed < 68; ++seed) {
      Case c(seed);
      const std::int64_t segment = 4, entries = segment * c.request.config.segment_length;
      const std::int64_t sinks = c.request.config.sink_length;  // which are not searched
      const SearchSteps steps = *c.inspect(segment, {.search = HeadRef{1, 2}}).search;
      QCOMPARE(steps.position_step, std::int64_t{1});
      QCOMPARE(steps.scores.rows, std::ssize(steps.summaries));
      QCOMPARE(steps.scores.columns, entries);
      std::set<std::int64_t> ranked, anchors;
      for (const SearchSteps::Ranked& entry : steps.ranked) {
        ranked.insert(entry.position);
        if (entry.anchor) anchors.insert(entry.position);
        QVERIFY(std::abs(steps.scores.at(entry.summary, entry.position) - entry.score) < 1e-4);
      }
      for (std::int64_t row = 0; row < steps.scores.rows; ++row) {  // k entries a row, none of the others is better
        float least = 1e30f;
        std::int64_t count = 0;
        for (const auto& entry : steps.ranked)
          if (entry.summary == row) least = std::min(least, entry.score), ++count;
        QCOMPARE(count, std::min(c.request.config.top_k, entries - sinks));
        std::int64_t better = 0;
        for (std::int64_t p = sinks; p < entries; ++p) better += steps.scores.at(row, p) > least + 1e-5f;
        QVERIFY(better < count);
      }
      for (const Hit& hit : steps.hits.hits)
        if (hit.kind == HitKind::Anchor) {
          QVERIFY(anchors.contains(hit.position));
          QVERIFY(std::abs(steps.scores.at(hit.summary, hit.position) - hit.score) < 1e-4);
        }
      QVERIFY(std::ssize(anchors) <= c.request.config.anchor_count());
      QCOMPARE(steps.summaries.back().last, entries);
    }
  }

  /// With a long pool, a column of the scores holds several positions.
  void the_best_position_is_told_where_columns_are_pooled() {
    Case c(60);
    c.request.config.segment_length = 1400;
    c.request.config.sink_length = 0;
    std::vector<std::int32_t> ids;
    while (ids.size() < 4 * 1400) ids.push_back(static_cast<std::int32_t>(draw(c.random, 0, c.model.vocabulary - 1)));
    c.request.ids = std::make_shared<std::vector<std::int32_t>>(std::move(ids));
    const SearchSteps steps = *c.inspect(3, {.search = HeadRef{1, 2}}).search;
    QCOMPARE(steps.position_step, std::int64_t{2});
    QCOMPARE(std::ssize(steps.best), std::ssize(steps.summaries));
    for (std::size_t row = 0; row < steps.best.size(); ++row) {
      const auto top = std::ranges::find(steps.ranked, static_cast<int>(row), &SearchSteps::Ranked::summary);
      QVERIFY(top != steps.ranked.end());
      QCOMPARE(steps.best[row], top->position);
      const auto columns = std::span(steps.scores.values).subspan(row * static_cast<std::size_t>(steps.scores.columns));
      QVERIFY(std::abs(columns[static_cast<std::size_t>(top->position / 2)] - top->score) < 1e-4);
    }
  }

  /// If readers read the carry too, the carried positions are not searched, and no oracle takes one.
  void carried_positions_are_no_candidates() {
    for (unsigned seed = 90; seed < 98; ++seed) {
      Case c(seed);
      SegmentConfig& config = c.request.config;
      config.long_reads = PrefixParts::SinksRetrievedCarry;
      config.top_k = config.retrieval_length = 1000;  // more than there are
      config.anchors.reset();
      config.pool_keys = PoolKeys::Model;
      const bool shared = seed % 2 == 1;
      if (shared) {
        config.search = SearchBy::Shared;
        config.search_heads = {{0, 1}, {1, 3}};
        config.search_scores = SearchScores::Centred;
        config.retrieve = RetrieveBy::Windows;
        config.window_length = 2;
      }
      const std::int64_t segment = 3, sinks = config.sink_length;
      const std::int64_t end = segment * config.segment_length - config.carry_length;
      for (const HeadRecall& head : c.inspect(segment, {.recall = true}).recall) {
        QVERIFY(std::ssize(head.oracle) == end - sinks && head.oracle.front() == sinks && head.oracle.back() < end);
        QVERIFY(head.recall == 1 && std::abs(head.mass - 1) < 1e-9);
      }
      const SearchSteps steps = *c.inspect(segment, {.search = HeadRef{1, 0}}).search;
      QCOMPARE(steps.scores.columns, segment * config.segment_length);
      for (std::int64_t row = 0; row < steps.scores.rows; ++row) {
        const std::int64_t best = steps.best[static_cast<std::size_t>(row)];
        QVERIFY(best >= sinks && best < end);
        for (std::int64_t position = 0; position < steps.scores.columns; ++position)
          QCOMPARE(std::isnan(steps.scores.at(row, position)), position < sinks || position >= end);
        if (!shared)
          QCOMPARE(std::ranges::count(steps.ranked, static_cast<int>(row), &SearchSteps::Ranked::summary), end - sinks);
      }
      for (const SearchSteps::Ranked& ranked : steps.ranked) QVERIFY(ranked.position >= sinks && ranked.position < end);
    }
  }

  void nothing_is_missed_where_everything_is_read() {
    for (unsigned seed = 80; seed < 84; ++seed) {
      Case c(seed);
      c.request.config.retrieval_length = 200;
      c.request.config.anchors.reset();
      for (const HeadRecall& head : c.inspect(3, {.recall = true}).recall) {
        QCOMPARE(head.recall, 1.0);
        QVERIFY(std::abs(head.mass - 1) < 1e-9);
      }
      c.request.config.retrieval_length = 5;
      for (const HeadRecall& head : c.inspect(3, {.recall = true}).recall) {
        QCOMPARE(head.oracle.size(), std::size_t{5});
        QVERIFY(head.mass <= head.oracle_mass + 1e-12 && head.recall >= 0 && head.recall <= 1);
      }
    }
  }

  void pairs_are_read_off_the_map() {
    for (unsigned seed = 120; seed < 124; ++seed) {
      Case c(seed, of_three(seed));
      const std::int64_t m = c.request.config.segment_length;
      InspectionParts parts;
      for (int i = 0; i < 5; ++i) {
        const std::int64_t query = draw(c.random, 0, m - 1);
        parts.pairs.push_back({query, draw(c.random, 0, query)});
      }
      const Inspection inspection = c.inspect(2, parts);
      const HeadRef head{1, 0};
      const AttentionMap map = *c.inspect(2, {.attention = head}).attention;
      double mass = 0, top = 0;
      for (const AttentionPair& pair : parts.pairs) {
        const float on_key = map.mean.at(pair.query, map.prefix_columns + pair.key);
        mass += on_key / 5.0;
        bool best = true;
        for (std::int64_t column = 0; column < map.mean.columns; ++column)
          best = best && map.mean.at(pair.query, column) <= on_key;
        top += best / 5.0;
      }
      QVERIFY(std::abs(inspection.pair_mass.at(1, 0) - mass) < 1e-6);
      QVERIFY(std::abs(inspection.pair_top.at(1, 0) - top) < 1e-6);
      QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(2, {.pairs = {{0, 1}}}));
      QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(2, {.pairs = {{m, 0}}}));
    }
  }

  void what_is_not_there_is_said() {
    Case c(100);
    QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(1, {.attention = HeadRef{99, 0}}));
    QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(1, {.search = HeadRef{0, 0}}));
    QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(0, {.search = HeadRef{1, 0}}));
    QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(1, {.attribution = 1000}));
    QVERIFY_THROWS_EXCEPTION(EngineError, c.inspect(99, {}));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<InspectTest>};
#include "inspect_test.moc"
