// SPDX-License-Identifier: GPL-3.0-or-later
// Passkey texts hold what their plan says, gates move as Adam moves them, and what is proposed and written of gates is
// what DuoAttention's own code reads of it.
#include "engine/heads/choice/duo_gates.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "engine/heads/choice/head_scores.h"
#include "engine/policies/duo/duo_settings.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

using Tokens = std::vector<std::int32_t>;

/// Words are two tokens from 1 on, each of its own; the k-th passkey's statement is 100 + k, its question 200 + k.
PasskeyParts some_parts() {
  PasskeyParts parts;
  parts.opening = {90, 91};
  parts.closing = {92};
  parts.ending = {93};
  for (std::int32_t i = 0; i < 12; ++i) {
    parts.statements.push_back({100 + i, 99});
    parts.questions.push_back({200 + i});
  }
  for (std::int32_t word = 1; word < 11; word += 2) parts.words.push_back({word, word + 1});
  Tokens hay;
  for (std::int32_t i = 0; i < 50; ++i) hay.push_back(300 + i);
  parts.hay = std::make_shared<const Tokens>(hay);
  return parts;
}

DuoGatesRequest some_request() {
  DuoGatesRequest request;
  request.parts = some_parts();
  request.plan = {300, 400, 5, 4, 7};
  request.sinks = 4;
  request.recent = 20;
  return request;
}

DuoGates random_gates(const ModelConfig& model, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  DuoGates gates = open_gates(model);
  for (auto* list : {&gates.gates, &gates.first_moments, &gates.second_moments})
    for (double& value : *list) value = share(random);
  gates.distances = {share(random), share(random)};
  return gates;
}

/// KV heads that see the whole text, in all layers.
std::int64_t whole_heads(const Grouping& grouping, const ModelConfig& model) {
  SegmentConfig config;
  config.grouping = grouping;
  std::int64_t count = 0;
  for (int layer = 0; layer < model.layers; ++layer)
    count += std::ssize(duo_heads(config, model, layer).retrieval) / model.group_size();
  return count;
}

}  // namespace

class DuoGatesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void texts_hold_what_their_plan_says() {
    const PasskeyParts parts = some_parts();
    std::set<std::size_t> lengths;
    for (std::int64_t n = 0; n < 60; ++n) {
      const PasskeyPlan plan{200, 300, 1 + n % 8, 3, 5};
      const PasskeyText text = make_passkey_text(parts, plan, n);
      lengths.insert(text.ids.size());
      QVERIFY(text.ids.size() >= 200 && text.ids.size() <= 300);
      QVERIFY(std::equal(parts.opening.begin(), parts.opening.end(), text.ids.begin()));
      const auto asked = text.ids.begin() + text.asked_from;
      QCOMPARE(*(asked - 1), 92);
      QCOMPARE(*asked, 200);
      for (std::int32_t i = 0; i < plan.passkeys; ++i) {
        const auto statement = std::ranges::find(text.ids, 100 + i), question = std::ranges::find(text.ids, 200 + i);
        QVERIFY(statement < asked && question >= asked && question + 8 <= text.ids.end());
        QVERIFY(std::equal(statement + 2, statement + 9, question + 1));  // three words and the ending
      }
      QCOMPARE(std::ranges::count(text.ids, 93), 2 * plan.passkeys);
      Tokens hay;
      std::ranges::copy_if(text.ids, std::back_inserter(hay), [](std::int32_t id) { return id >= 300; });
      for (std::size_t i = 1; i < hay.size(); ++i) QCOMPARE(hay[i], 300 + (hay[i - 1] - 299) % 50);
      QVERIFY(make_passkey_text(parts, plan, n).ids == text.ids);
      QVERIFY(make_passkey_text(parts, {200, 300, 1 + n % 8, 3, 6}, n).ids != text.ids);
    }
    QVERIFY(lengths.size() > 20);
  }

  void passkeys_fill_half_of_a_text_at_most() {
    const PasskeyParts parts = some_parts();  // 3 tokens, and 2 + 1 + 2·9 for each passkey of four words
    QCOMPARE(passkeys_that_fit(parts, 4, 10'000), 10);
    QCOMPARE(passkeys_that_fit(parts, 4, 48), 1);
    QCOMPARE(passkeys_that_fit(parts, 4, 47), 0);
    QCOMPARE(passkeys_that_fit(parts, 4, 90), 2);
    QCOMPARE(passkeys_that_fit(parts, 4, 89), 1);
  }

  void rates_are_those_of_the_schedule() {
    DuoGatesRequest request;
    request.steps = 50;
    request.rate = 0.02;
    QCOMPARE(gate_rate(request, 0), 0.02 * 0.1);
    QCOMPARE(gate_rate(request, 4), 0.02 * 0.5);
    for (std::int64_t step = 9; step <= 40; ++step) QCOMPARE(gate_rate(request, step), 0.02);
    QCOMPARE(gate_rate(request, 45), 0.02 * 0.5);
    QCOMPARE(gate_rate(request, 49), 0.02 * 0.1);
    request.steps = 1;
    QCOMPARE(gate_rate(request, 0), 0.02);
  }

  /// Without a distance the mean gate is all of the loss.
  void l1_alone_closes_all_gates() {
    const ModelConfig model = tiny_config();
    DuoGatesRequest request = some_request();
    DuoGates gates = open_gates(model);
    const std::vector<double> none(gates.gates.size());
    double last = 1;
    while (gates.steps() < request.steps) {
      take_gate_step(gates, 0, none, request);
      QVERIFY(gates.mean_gate() <= last);
      last = gates.mean_gate();
    }
    QCOMPARE(gates.gates, none);
    request.l1 = 0;
    gates = open_gates(model);
    take_gate_step(gates, 0, none, request);
    QCOMPARE(gates.mean_gate(), 1.0);
  }

  void gates_stay_within_bounds_and_follow_the_gradient() {
    const ModelConfig model = tiny_config(2, 4, 4);
    DuoGatesRequest request = some_request();
    request.l1 = 0;
    request.rate = 0.3;
    DuoGates gates = open_gates(model);
    std::vector<double> gradient(gates.gates.size());
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = i % 2 == 0 ? 1 : -1;
    for (int step = 0; step < 60; ++step) take_gate_step(gates, 1, gradient, request);
    for (std::size_t i = 0; i < gradient.size(); ++i) QCOMPARE(gates.gates[i], i % 2 == 0 ? 0.0 : 1.0);
  }

  void as_many_heads_are_proposed_as_the_quantile_leaves() {
    for (unsigned seed = 0; seed < 20; ++seed) {
      const ModelConfig model = tiny_config(3, 8, 8 >> (seed % 4));
      const DuoGates gates = random_gates(model, seed);
      const std::int64_t count = model.layers * model.kv_heads;
      std::vector<double> sorted = gates.gates;
      std::ranges::sort(sorted);
      for (const double sparsity : {0.25, 0.5, 0.75}) {
        const double place = static_cast<double>(count - 1) * sparsity;  // numpy's quantile
        const auto below = static_cast<std::size_t>(place);
        const double threshold = sorted[below] + (place - static_cast<double>(below)) *
                                                     (sorted[std::min(below + 1, sorted.size() - 1)] - sorted[below]);
        SegmentConfig config;
        config.grouping = propose_duo_grouping(gates, model, sparsity);
        for (int layer = 0; layer < model.layers; ++layer)
          for (const int head : duo_heads(config, model, layer).retrieval)
            QVERIFY(gates.at(layer, head / static_cast<int>(model.group_size())) >= threshold);
        QCOMPARE(whole_heads(config.grouping, model),
                 std::ranges::count_if(sorted, [&](double gate) { return gate >= threshold; }));
      }
      QCOMPARE(whole_heads(propose_duo_grouping(gates, model, 0), model), count);
      QCOMPARE(whole_heads(propose_duo_grouping(gates, model, 1), model), 0);
    }
    const ModelConfig model = tiny_config(2, 4, 4);
    QVERIFY(propose_duo_grouping(open_gates(model), model, 0.5) == Grouping({0}, {{0, 1, 2, 3}, {}}));
    QCOMPARE(unlike(Fault::Usage, "not a share", [&] { propose_duo_grouping(open_gates(model), model, 1.5); }),
             std::string());
    QCOMPARE(default_sparsity(tiny_config(2, 4, 4)), 0.75);
    QCOMPARE(default_sparsity(tiny_config(2, 4, 2)), 0.5);
  }

  void files_are_read_as_they_were_written() {
    for (unsigned seed = 0; seed < 10; ++seed) {
      const ModelConfig model = tiny_config(3, 8, 8 >> (seed % 3));
      const DuoGates gates = random_gates(model, seed);
      const HeadScores scores = scores_from_tsv(gates_tsv(gates), model, "x.tsv");
      for (int layer = 0; layer < model.layers; ++layer)
        for (int head = 0; head < model.heads; ++head)
          QCOMPARE(scores.at(layer, head), gates.at(layer, head / static_cast<int>(model.group_size())));
      const auto told = nlohmann::json::parse(nlohmann::json(gates).dump());
      QVERIFY(duo_gates_from_json(told, model, "x.json") == gates);
      const std::string table = duo_gates_text(gates, propose_duo_grouping(gates, model, 0.5), model);
      QCOMPARE(std::ranges::count(table, '*') - 1, whole_heads(propose_duo_grouping(gates, model, 0.5), model));
    }
    const nlohmann::json config = duo_config_json(some_request());
    QCOMPARE(config.at("sink_size").get<int>(), 4);
    QCOMPARE(config.at("recent_size").get<int>(), 20);
  }

  void files_of_other_gates_are_refused() {
    const ModelConfig model = tiny_config();
    const nlohmann::json good = random_gates(model, 1);
    const auto refusal = [&](const nlohmann::json& told) {
      return unlike(Fault::BadInput, "x.json", [&] { duo_gates_from_json(told, model, "x.json"); });
    };
    QCOMPARE(refusal(nlohmann::json()), std::string());
    for (const char* key : {"gates", "first_moments", "second_moments", "distances"}) {
      nlohmann::json told = good;
      told.erase(key);
      QCOMPARE(refusal(told), std::string());
      told[key] = {"x"};
      QCOMPARE(refusal(told), std::string());
      told[key] = {-1e308, 0.5};  // too few; or of distances, one that can't be
      QCOMPARE(refusal(told), std::string());
    }
    nlohmann::json above = good;
    above["gates"][0] = 1.01;
    QCOMPARE(refusal(above), std::string());
  }

  void requests_that_can_not_be_are_refused() {
    const ModelConfig model = tiny_config(2, 4, 2, 16, 512);
    const auto refusal = [&](const char* problem, auto change) {
      DuoGatesRequest request = some_request();
      change(request);
      return unlike(Fault::BadInput, problem, [&] { check_gates_request(request, model); });
    };
    check_gates_request(some_request(), model);
    QCOMPARE(refusal("have no text, or lack a part of a passkey", [](auto& r) { r.parts.hay = nullptr; }),
             std::string());
    QCOMPARE(refusal("have no text, or lack a part of a passkey", [](auto& r) { r.parts.questions.pop_back(); }),
             std::string());
    QCOMPARE(refusal("vocabulary", [](auto& r) { r.parts.words[0] = {512}; }), std::string());
    QCOMPARE(refusal("vocabulary", [](auto& r) { r.parts.ending = {-1}; }), std::string());
    QCOMPARE(refusal("no words", [](auto& r) { r.parts.words = {{}, {}}; }), std::string());
    QCOMPARE(refusal("tokens", [](auto& r) { r.plan.shortest = 401; }), std::string());
    QCOMPARE(refusal("13 passkeys", [](auto& r) { r.plan.passkeys = 13; }), std::string());
    QCOMPARE(refusal("of 0 words", [](auto& r) { r.plan.words = 0; }), std::string());
    QCOMPARE(refusal("too short", [](auto& r) { r.plan.words = 40; }), std::string());
    QCOMPARE(refusal("number of steps", [](auto& r) { r.steps = 0; }), std::string());
    QCOMPARE(refusal("all of which", [](auto& r) { r.recent = 296; }), std::string());
    QCOMPARE(refusal("0 recent", [](auto& r) { r.recent = 0; }), std::string());
    QCOMPARE(refusal("learning rate", [](auto& r) { r.rate = std::nan(""); }), std::string());
    QCOMPARE(refusal("weight in the loss", [](auto& r) { r.l1 = -1; }), std::string());
    QCOMPARE(refusal("of this shape", [](auto& r) { r.known = open_gates(tiny_config(3, 4, 2)); }), std::string());
    QCOMPARE(refusal("2 steps already",
                     [&](auto& r) {
                       r.known = open_gates(model);
                       r.known.distances = {1, 1};
                       r.steps = 1;
                     }),
             std::string());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DuoGatesTest>};
#include "duo_gates_test.moc"
