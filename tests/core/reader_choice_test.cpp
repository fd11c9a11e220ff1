// SPDX-License-Identifier: GPL-3.0-or-later
// Readers are dropped until only those are left without which the loss would rise.
#include "engine/heads/choice/reader_choice.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/error.h"
#include "engine/config/recall_preset.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

ModelConfig model() {
  ModelConfig config;
  config.layers = 6;
  config.heads = 6;
  config.kv_heads = 3;
  return config;
}

/// A model in which each KV head that doesn't read costs what `price` says.
struct Priced {
  std::vector<double> price;  ///< [layers, KV heads]
  int measured = 0;

  ReaderStep operator()(const Grouping& readers) {
    ++measured;
    ReaderStep step{readers, 1, 0.5, 0};
    for (int layer = 0; layer < 6; ++layer)
      for (int kv = 0; kv < 3; ++kv)
        if (!readers.is_long_layer(layer) || !readers.is_long(layer, 2 * kv))
          step.loss += price[static_cast<std::size_t>(3 * layer + kv)];
        else
          step.entry_bytes += 100;
    return step;
  }
};

RecallHeads choose(Priced& priced, double rise, RecallHeads heads = {}, std::vector<RecallHeads>* kept = nullptr) {
  choose_readers(
      model(), rise, [&](const Grouping& readers) { return priced(readers); }, heads,
      [&] {
        if (kept) kept->push_back(heads);
      },
      [](double share, const std::string&) { QVERIFY(share >= 0 && share < 1); });
  return heads;
}

std::int64_t kv_heads_left(const Grouping& readers) {
  std::int64_t count = 0;
  for (const int layer : readers.long_range_layers()) count += std::ssize(readers.long_heads(layer)) / 2;
  return count;
}

}  // namespace

class ReaderChoiceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_costs_nothing_is_dropped_and_what_costs_stays() {
    for (unsigned seed = 0; seed < 30; ++seed) {
      std::mt19937 random(seed);
      Priced priced{std::vector<double>(18, 0.0)};
      std::int64_t needed = 0;
      for (double& price : priced.price)
        if (random() % 3 == 0) {
          price = 0.2;
          ++needed;
        }
      if (needed == 0) continue;
      const RecallHeads found = choose(priced, 0.05);
      QCOMPARE(found.readers.front().readers, all_readers(model()));
      QCOMPARE(kv_heads_left(found.readers.back().readers), needed);
      QCOMPARE(found.readers.back().loss, 1.0);
      found.readers.back().readers.validate(model());
      for (std::size_t i = 1; i < found.readers.size(); ++i) {
        QVERIFY(found.readers[i].loss <= 1.05);
        QVERIFY(found.readers[i].entry_bytes < found.readers[i - 1].entry_bytes);
        for (const int layer : found.readers[i].readers.long_range_layers())
          for (const int head : found.readers[i].readers.long_heads(layer))
            QVERIFY(found.readers[i - 1].readers.is_long(layer, head));
      }
    }
  }

  void a_choice_goes_on_where_it_was_stopped() {
    std::mt19937 random(7);
    Priced priced{{}};
    for (int i = 0; i < 18; ++i) priced.price.push_back(static_cast<double>(random() % 100) / 2000);
    std::vector<RecallHeads> kept;
    const RecallHeads whole = choose(priced, 0.15, {}, &kept);
    QCOMPARE(kept.size(), whole.readers.size());
    QVERIFY(kept.size() > 4);
    for (const RecallHeads& partial : kept) {
      const RecallHeads again = choose(priced, 0.15, partial);
      QCOMPARE(again.readers.size(), whole.readers.size());
      QCOMPARE(again.readers.back().readers, whole.readers.back().readers);
    }
  }

  void a_higher_bound_leaves_fewer_readers() {
    Priced priced{{}};
    for (int i = 0; i < 18; ++i) priced.price.push_back(0.01 * (1 + i % 5));
    const auto left = [&](double rise) { return kv_heads_left(choose(priced, rise).readers.back().readers); };
    QVERIFY(left(0.3) < left(0.1) && left(0.1) < left(0.01));
    QCOMPARE(left(0), 18);
  }

  void a_loss_that_is_not_finite_drops_nothing() {
    Priced priced{std::vector<double>(18, std::numeric_limits<double>::quiet_NaN())};
    QCOMPARE(choose(priced, 0.05).readers.size(), std::size_t{1});
  }

  void what_was_found_comes_back_from_json() {
    RecallHeads heads;
    heads.found = {6, 6, std::vector<double>(36, 0.0)};
    heads.found.values[7] = 0.75;
    heads.searchers = {{{5, 1}, {1.0 / 3, 0.25}, 0.1}, {{1, 1}, {0.5, 0}, 0.7}};
    heads.all_searchers = heads.complete = true;
    heads.loss_without = 2.5;
    heads.readers = {{all_readers(model()), 1.0 / 7, 1, 1234},
                     {Grouping({2}, {{}, {}, {0, 1}, {}, {}, {}}), 0.2, 0.5, 7}};
    const nlohmann::json told = heads;
    const RecallHeads back = recall_heads_from_json(nlohmann::json::parse(told.dump()), model(), "a file");
    QCOMPARE(nlohmann::json(back).dump(), told.dump());
    QCOMPARE(back.search_heads(), (std::vector<HeadRef>{{1, 1}, {5, 1}}));
    const SegmentConfig with = with_recall_heads({}, back);
    QCOMPARE(with.grouping, heads.readers.back().readers);
    QCOMPARE(with.search_heads, back.search_heads());
    const std::string text = recall_heads_text(heads, 8192);
    QVERIFY(text.find("5.1") != std::string::npos && text.find("33.3 %") != std::string::npos);
  }

  void a_file_that_is_none_is_refused() {
    RecallHeads heads;
    heads.found = {6, 6, std::vector<double>(36, 0.5)};
    heads.searchers = {{{5, 1}, {0.5, 0.25}, 0.1}};
    heads.all_searchers = true;
    heads.readers = {{all_readers(model()), 1, 1, 1234}};
    const auto refused = [&](const char* pointer, const nlohmann::json& value) {
      nlohmann::json told = heads;
      told[nlohmann::json::json_pointer(pointer)] = value;
      return error_of([&] { recall_heads_from_json(told, model(), "a file"); }).has_value();
    };
    QVERIFY(refused("/searchers/0/head", {6, 0}));
    QVERIFY(refused("/searchers/0/head", {0, -1}));
    QVERIFY(refused("/searchers/0/head", {1}));
    QVERIFY(refused("/searchers/0/found", 1.5));
    QVERIFY(refused("/searchers/0/log_rank", "x"));
    QVERIFY(refused("/searchers", 3));
    QVERIFY(refused("/readers/0/readers/long_range_layers", {9}));
    QVERIFY(refused("/readers/0/entry_bytes", -1));
    QVERIFY(refused("/readers/0/loss", nullptr));
    QVERIFY(refused("/complete", 1));
    QVERIFY(refused("/found_alone", {{"9-0", {0.5}}}));
    QVERIFY(error_of([&] { recall_heads_from_json(nlohmann::json::array(), model(), "a file"); }).has_value());
    QVERIFY(refused("/readers/0/entry_bytes", std::int64_t{1} << 60));
    QVERIFY(!refused("/complete", true));
    heads.complete = true;
    QVERIFY(refused("/readers", nlohmann::json::array()));
    QVERIFY(refused("/all_searchers", false));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ReaderChoiceTest>};
#include "reader_choice_test.moc"
