// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/values/hits.h"

#include <QTest>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/base/error.h"
#include "tests/support/test_program.h"

using namespace carryover;
using nlohmann::json;

namespace {

HeadHits random_hits(std::mt19937& random) {
  HeadHits head_hits{
      static_cast<std::int64_t>(random() % 100), static_cast<int>(random() % 32), static_cast<int>(random() % 32), {}};
  std::int64_t position = 0;
  for (auto count = random() % 20; count > 0; --count) {
    position += 1 + random() % 1000000007;
    const float score = static_cast<float>(random()) / 977.0f - 1e6f;
    switch (random() % 3) {
      case 0:
        head_hits.hits.push_back({position, HitKind::Anchor, score, position, 3});
        break;
      case 1:
        head_hits.hits.push_back({position, HitKind::Expanded, score, position + 2, 0});
        break;
      default:
        head_hits.hits.push_back({.position = position});
        break;
    }
  }
  return head_hits;
}

json valid_line() {
  return json(HeadHits{1, 2, 3, {{4, HitKind::Anchor, 1.5f, 4, 0}, {.position = 6}}});
}

/// The message of the refusal; empty where the line is taken.
std::string refusal(const json& line) {
  try {
    head_hits_from_json(line, "hits.jsonl:7");
  } catch (const EngineError& error) {
    const bool complete =
        error.fault() == Fault::BadInput && error.where() == "hits.jsonl:7" && !error.advice().empty();
    return complete ? error.problem() : "incomplete";
  }
  return {};
}

}  // namespace

class HitsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void survives_a_round_trip_through_text() {
    std::mt19937 random(11);
    for (int n = 0; n < 500; ++n) {
      const HeadHits head_hits = random_hits(random);
      QVERIFY(head_hits_from_json(json::parse(json(head_hits).dump()), "test") == head_hits);
    }
  }

  void writes_the_documented_line() {
    const json expected = json::parse(R"({"segment": 1, "layer": 2, "head": 3, "positions": [4, 6],
      "kind": ["anchor", "padding"], "score": [1.5, null], "anchor": [4, -1], "summary": [0, -1]})");
    QVERIFY2(valid_line() == expected, valid_line().dump().c_str());
  }

  void positions_alone_are_anchors_without_score() {
    const HeadHits read =
        head_hits_from_json(json::parse(R"({"segment":1,"layer":0,"head":5,"positions":[2,9]})"), "x");
    QVERIFY(read.hits == (std::vector<Hit>{{2, HitKind::Anchor, 0, 2, -1}, {9, HitKind::Anchor, 0, 9, -1}}));
  }

  void refuses_bad_lines_by_field_data() {
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("field");
    QTest::newRow("descending") << R"({"positions": [6, 4]})"
                                << "positions";
    QTest::newRow("repeated") << R"({"positions": [4, 4]})"
                              << "positions";
    QTest::newRow("negative") << R"({"positions": [-1, 4]})"
                              << "positions";
    QTest::newRow("fraction") << R"({"positions": [0.5, 4]})"
                              << "positions";
    QTest::newRow("beyond int64") << R"({"positions": [4, 18446744073709551615]})"
                                  << "positions";
    QTest::newRow("no array") << R"({"positions": 4})"
                              << "positions";
    QTest::newRow("removed") << R"({"positions": null})"
                             << "positions";
    QTest::newRow("short kind") << R"({"kind": ["anchor"]})"
                                << "kind";
    QTest::newRow("kind no array") << R"({"kind": "anchor"})"
                                   << "kind";
    QTest::newRow("unknown kind") << R"({"kind": ["anchor", "guess"]})"
                                  << "kind";
    QTest::newRow("kind a number") << R"({"kind": ["anchor", 2]})"
                                   << "kind";
    QTest::newRow("long score") << R"({"score": [1, 2, 3]})"
                                << "score";
    QTest::newRow("score text") << R"({"score": ["high", null]})"
                                << "score";
    QTest::newRow("anchor below -1") << R"({"anchor": [4, -2]})"
                                     << "anchor";
    QTest::newRow("anchor text") << R"({"anchor": [4, "x"]})"
                                 << "anchor";
    QTest::newRow("summary too big") << R"({"summary": [0, 4294967296]})"
                                     << "summary";
    QTest::newRow("no segment") << R"({"segment": null})"
                                << "segment";
    QTest::newRow("negative layer") << R"({"layer": -1})"
                                    << "layer";
    QTest::newRow("head too big") << R"({"head": 2147483648})"
                                  << "head";
  }

  void refuses_bad_lines_by_field() {
    QFETCH(QString, patch);
    QFETCH(QString, field);
    QCOMPARE(refusal(valid_line()), std::string());
    json line = valid_line();
    line.merge_patch(json::parse(patch.toStdString()));  // null removes the field
    const std::string problem = refusal(line);
    QVERIFY2(problem.find(field.toStdString()) != std::string::npos, problem.c_str());
  }

  void refuses_what_is_no_object() {
    QVERIFY(!refusal(json::parse("[1, 2]")).empty());
    QVERIFY(!refusal(json::parse("null")).empty());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HitsTest>};
#include "hits_test.moc"
