// SPDX-License-Identifier: GPL-3.0-or-later
// Gates between full and streaming attention: open and closed ones are the policies that they stand for, gradients are
// central differences, a stopped learning goes on as if it had not been, and a head that is needed keeps its gate.
#include <QTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/config/window_settings.h"
#include "engine/heads/gate_learning.h"
#include "tests/support/expect_error.h"
#include "tests/support/tensors.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr std::int64_t kTokens = 70, kAsked = 50;

struct Case {
  std::mt19937 random;
  ModelConfig model;
  TinyDecoder tiny;
  StreamingView view;
  PasskeyText text;
  RunControl control;

  explicit Case(unsigned seed, at::ScalarType type = at::kDouble)
      : random(seed),
        model(random_tiny_config(random)),
        tiny(model, seed, type),
        view{draw(random, 0, 4), draw(random, 1, 12)},
        text{random_ids(random, kTokens, model.vocabulary), kAsked} {}

  std::size_t count() const { return static_cast<std::size_t>(model.layers * model.kv_heads); }

  std::vector<double> random_gates() {
    std::vector<double> gates(count());
    for (double& gate : gates) gate = std::uniform_real_distribution<double>(0.05, 0.95)(random);
    return gates;
  }

  GateDistance distance(const std::vector<double>& gates) {
    return gate_distance(tiny.decoder, gates, view, text, control);
  }

  at::Tensor gated_hidden(const std::vector<double>& gates) {
    const at::Tensor leaf = at::tensor(gates, at::kDouble).view({model.layers, model.kv_heads});
    return GatedRun(tiny.decoder, view, kTokens, leaf, {}).hidden(as_tensor(text.ids));
  }

  /// The text as one segment.
  at::Tensor hidden_under(const std::string& policy, const Grouping& grouping) const {
    SegmentConfig config = SegmentConfig::defaults_for(model);
    config.grouping = grouping;
    config.segment_length = kTokens;
    config.carry_length = 0;
    config.sink_length = view.sinks;
    config.of<WindowSettings>().attention_window = view.recent;
    return run_hidden(tiny.decoder, policy, config, text.ids);
  }
};

/// The query heads whose gates are 1.
Grouping open_heads(const std::vector<double>& gates, const ModelConfig& model) {
  std::vector<int> layers;
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(model.layers));
  for (int layer = 0; layer < model.layers; ++layer) {
    for (int head = 0; head < model.heads; ++head)
      if (gates[static_cast<std::size_t>(layer * model.kv_heads + head / model.group_size())] == 1)
        lists[static_cast<std::size_t>(layer)].push_back(head);
    if (!lists[static_cast<std::size_t>(layer)].empty()) layers.push_back(layer);
  }
  return layers.empty() ? Grouping() : Grouping(layers, lists);
}

// The ids of tokens in planted models: the text's first one, words, a question, and hay.
constexpr std::int32_t kFirst = 0, kWords = 8, kQuestion = 10, kHay = 20, kVocabulary = 40;

/// Two layers of four heads that look at the text's first token, which streaming
/// heads see too; but for head 1 of layer 0: it looks at words, and gives the stream which ones there were.
std::map<std::string, std::vector<float>> weights_with_one_reader(const ModelConfig& model) {
  constexpr std::size_t kAll = 0, kIsFirst = 1, kIsWord = 2, kWhich = 3, kRead = 12, kElse = 20;  // of the stream
  auto weights = random_weights(model, 1);
  for (auto& [name, values] : weights) std::ranges::fill(values, name.ends_with("norm.weight") ? 1.F : 0.F);
  const auto D = static_cast<std::size_t>(model.hidden), d = static_cast<std::size_t>(model.head_dim);
  std::vector<float>& embedding = weights.at("model.embed_tokens.weight");
  for (std::size_t token = 0; token < embedding.size() / D; ++token) embedding[token * D + kAll] = 1;
  embedding[kIsFirst] = embedding[kWhich] = 1;
  for (std::size_t word = 1; word <= static_cast<std::size_t>(kWords); ++word)
    embedding[word * D + kIsWord] = embedding[word * D + kWhich + word - 1] = 1;
  for (std::size_t layer = 0; layer < 2; ++layer)
    for (std::size_t head = 0; head < 4; ++head) {
      const bool reads = layer == 0 && head == 1;
      const auto of = [&](const char* name) -> std::vector<float>& {
        return weights.at("model.layers." + std::to_string(layer) + ".self_attn." + name + ".weight");
      };
      const std::size_t slow = head * d + d / 2 - 1;  // a pair that positions hardly rotate
      of("q_proj")[slow * D + kAll] = 1.5F;
      of("k_proj")[slow * D + (reads ? kIsWord : kIsFirst)] = 1.5F;
      for (std::size_t i = 0; i < d; ++i) {
        of("v_proj")[(head * d + i) * D + kWhich + i] = 1;
        of("o_proj")[((reads ? kRead : kElse) + i) * D + head * d + i] = 1;
      }
    }
  return weights;
}

DuoGatesRequest planted_request() {
  DuoGatesRequest request;
  PasskeyParts& parts = request.parts;
  parts.opening = {kFirst};
  parts.statements = parts.questions = {{kQuestion}, {kQuestion}};
  for (std::int32_t word = 1; word <= kWords; ++word) parts.words.push_back({word});
  std::mt19937 random(2);
  std::vector<std::int32_t> hay(400);
  for (std::int32_t& id : hay) id = static_cast<std::int32_t>(draw(random, kHay, kVocabulary - 1));
  parts.hay = std::make_shared<const std::vector<std::int32_t>>(hay);
  request.plan = {120, 120, 2, 3, 1};
  request.sinks = 4;
  request.recent = 16;
  request.steps = 120;
  request.l1 = 0.02;
  return request;
}

DuoGatesRequest small_request(Case& c) {
  DuoGatesRequest request;
  request.parts.statements = request.parts.questions = {{1, 2}, {3}};
  request.parts.words = {{4}, {5, 6}, {7}};
  request.parts.hay = std::make_shared<const std::vector<std::int32_t>>(random_ids(c.random, 90, c.model.vocabulary));
  request.plan = {40, 60, 2, 2, 3};
  request.sinks = 2;
  request.recent = 6;
  request.steps = 8;
  return request;
}

}  // namespace

class DuoGateLearningTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { at::set_num_threads(1); }

  void gates_of_0_and_1_are_the_policies() {
    const at::NoGradGuard no_gradients;
    for (unsigned seed = 0; seed < 8; ++seed) {
      Case c(seed);
      const std::vector<double> open(c.count(), 1.0), closed(c.count(), 0.0);
      QVERIFY(error(c.gated_hidden(open), c.hidden_under("full", Grouping())) < 1e-11);
      QVERIFY(error(c.gated_hidden(closed), c.hidden_under("duo", Grouping())) < 1e-11);
      QVERIFY(error(c.gated_hidden(open), c.gated_hidden(closed)) > 1e-4);
      std::vector<double> some(c.count());
      for (double& gate : some) gate = static_cast<double>(draw(c.random, 0, 1));
      QVERIFY(error(c.gated_hidden(some), c.hidden_under("duo", open_heads(some, c.model))) < 1e-11);
    }
  }

  void gradients_are_central_differences() {
    constexpr double kStep = 1e-5;
    for (unsigned seed = 10; seed < 16; ++seed) {
      Case c(seed);
      const std::vector<double> gates = c.random_gates();
      const GateDistance found = c.distance(gates);
      QVERIFY(found.distance > 0);
      QCOMPARE(found.gradient.size(), gates.size());
      for (std::size_t i = 0; i < gates.size(); ++i) {
        std::vector<double> up = gates, down = gates;
        up[i] += kStep;
        down[i] -= kStep;
        const double wanted = (c.distance(up).distance - c.distance(down).distance) / (2 * kStep);
        QVERIFY2(
            std::abs(found.gradient[i] - wanted) < 1e-8 * (1 + std::abs(wanted)),
            qPrintable(
                QStringLiteral("seed %1, gate %2: %3, not %4").arg(seed).arg(i).arg(found.gradient[i]).arg(wanted)));
      }
    }
  }

  void the_distance_is_that_of_the_questions_hidden_states() {
    Case c(20);
    const std::vector<double> gates = c.random_gates();
    const at::NoGradGuard no_gradients;
    const at::Tensor away = c.gated_hidden(gates) - c.hidden_under("full", Grouping());
    const double wanted = away.narrow(0, kAsked, kTokens - kAsked).square().mean().item<double>();
    QVERIFY(std::abs(c.distance(gates).distance - wanted) < 1e-12);
  }

  void other_types_give_about_the_same() {
    for (const auto& [type, tolerance] : {std::pair(at::kFloat, 1e-3), {at::kBFloat16, 0.2}}) {
      Case exact(21), c(21, type);
      const std::vector<double> gates = exact.random_gates(), open(c.count(), 1.0);
      const GateDistance wanted = exact.distance(gates), found = c.distance(gates);
      QVERIFY(std::abs(found.distance - wanted.distance) < tolerance * wanted.distance);
      double most = 0, off = 0;
      for (std::size_t i = 0; i < gates.size(); ++i) {
        most = std::max(most, std::abs(wanted.gradient[i]));
        off = std::max(off, std::abs(wanted.gradient[i] - found.gradient[i]));
      }
      QVERIFY(off < tolerance * most);
      QVERIFY(c.distance(open).distance < tolerance * wanted.distance);
    }
  }

  void a_head_that_is_needed_keeps_its_gate() {
    const ModelConfig model = tiny_config(2, 4, 4, 8, kVocabulary);
    const TinyDecoder tiny(model, weights_with_one_reader(model), at::kFloat);
    RunControl control;
    const DuoGates gates = learn_gates(tiny.decoder, planted_request(), control);
    QCOMPARE(gates.steps(), 120);
    for (int layer = 0; layer < 2; ++layer)
      for (int kv_head = 0; kv_head < 4; ++kv_head) {
        const bool needed = layer == 0 && kv_head == 1;
        QVERIFY2(needed ? gates.at(layer, kv_head) > 0.7 : gates.at(layer, kv_head) < 0.05,
                 qPrintable(QStringLiteral("%1, %2: %3").arg(layer).arg(kv_head).arg(gates.at(layer, kv_head))));
      }
    QVERIFY(propose_duo_grouping(gates, model, 0.95) == Grouping({0}, {{1}, {}}));
  }

  void a_stopped_learning_goes_on_bit_for_bit() {
    for (const at::ScalarType type : {at::kDouble, at::kFloat, at::kBFloat16}) {
      Case c(30, type);
      DuoGatesRequest request = small_request(c);
      std::vector<DuoGates> all;
      request.keep = [&](const DuoGates& gates) { all.push_back(gates); };
      const DuoGates whole = learn_gates(c.tiny.decoder, request, c.control);
      QCOMPARE(all.size(), std::size_t{8});
      QVERIFY(all.back() == whole && whole.mean_gate() < 1);
      for (const std::size_t steps : {1, 5, 8}) {
        RunControl stopped;
        DuoGates kept;
        request.known = {};
        request.keep = [&](const DuoGates& gates) {
          kept = gates;
          if (gates.distances.size() == steps) stopped.request_stop();
        };
        const auto error = error_of([&] { learn_gates(c.tiny.decoder, request, stopped); });
        QCOMPARE(error.has_value(), steps < 8);
        QVERIFY(kept == all[steps - 1]);
        const std::string told = nlohmann::json(kept).dump();
        request.known = duo_gates_from_json(nlohmann::json::parse(told), c.model, "kept.json");
        request.keep = {};
        QVERIFY(learn_gates(c.tiny.decoder, request, c.control) == whole);
      }
      DuoGatesRequest other = small_request(c);
      other.plan.seed = 4;
      QVERIFY(!(learn_gates(c.tiny.decoder, other, c.control) == whole));
    }
  }

  void progress_is_told_and_what_can_not_be_is_refused() {
    Case c(31);
    DuoGatesRequest request = small_request(c);
    std::vector<double> shares;
    request.progress = [&](double share, const std::string& what) {
      shares.push_back(share);
      QVERIFY(what.find("of 8") != std::string::npos);
    };
    learn_gates(c.tiny.decoder, request, c.control);
    QCOMPARE(shares.size(), std::size_t{8});
    QVERIFY(std::ranges::is_sorted(shares) && shares.front() == 0 && shares.back() < 1);
    request.recent = 40;
    QCOMPARE(unlike(Fault::BadInput, "all of which", [&] { learn_gates(c.tiny.decoder, request, c.control); }),
             std::string());
    c.tiny.decoder.weights.final_norm.fill_(std::nan(""));
    QCOMPARE(
        unlike(Fault::BadInput, "not all finite", [&] { learn_gates(c.tiny.decoder, small_request(c), c.control); }),
        std::string());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DuoGateLearningTest>};
#include "duo_gates_test.moc"
