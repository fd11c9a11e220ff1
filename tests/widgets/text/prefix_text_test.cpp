// SPDX-License-Identifier: GPL-3.0-or-later
// The prefix of a head in words, under the paper's settings and under others.
#include "widgets/runs/state/prefix_text.h"

#include <QTest>

#include "engine/config/recall_preset.h"
#include "tests/support/test_program.h"

using namespace carryover;

class PrefixTextTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void names_the_parts_in_their_order() {
    ModelConfig model;
    model.layers = 4;
    model.heads = 4;
    model.kv_heads = 2;
    model.context = 4096;
    SegmentConfig config;
    config.carry_length = 100;
    config.retrieval_length = 64;
    config.grouping = Grouping({2}, {{1}});
    QCOMPARE(prefix_text(config, model, {2, 0}), QStringLiteral("the carried tail"));
    QCOMPARE(prefix_text(config, model, {2, 1}), QStringLiteral("64 retrieved tokens"));
    QCOMPARE(prefix_text(config, model, {1, 1}), QString());  // long-range in a layer that retrieves nothing
    config.sink_length = 4;
    QCOMPARE(prefix_text(config, model, {1, 1}), QStringLiteral("4 sinks"));
    const SegmentConfig recall = recall_preset(model, config);
    QCOMPARE(prefix_text(recall, model, {3, 3}), QStringLiteral("4 sinks, 128 retrieved tokens, the carried tail"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PrefixTextTest>};
#include "prefix_text_test.moc"
