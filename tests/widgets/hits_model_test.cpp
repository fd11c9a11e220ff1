// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/inspection/hits_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/gui_test.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/test_program.h"
#include "widgets/tables/table_copy.h"

using namespace carryover;

namespace {

std::vector<HitBlock> blocks(int segment) {
  const SegmentConfig config = test::synthetic_request(16).config;
  std::vector<HitBlock> all;
  for (const int layer : {3, 8})
    for (const int head : {0, 1, 2})
      all.push_back({test::synthetic_hits(config, segment, layer, head), segment * config.segment_length});
  return all;
}

QString snippet(std::int64_t position) {
  return QStringLiteral("word%1, \"said\"").arg(position);
}

}  // namespace

class HitsModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void keeps_the_rules_of_item_models() {
    HitsModel model;
    HitsFilter filter;
    filter.setSourceModel(&model);
    const QAbstractItemModelTester source_tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester filter_tester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.set_blocks(blocks(3));
    model.append_blocks(blocks(4));
    filter.sort(HitsModel::Score, Qt::DescendingOrder);
    filter.set_kind_shown(HitKind::Padding, false);
    filter.set_text(QStringLiteral("word1"));
    model.append_blocks({});
    model.set_blocks({});
    QCOMPARE(filter.rowCount(), 0);
  }

  void rows_are_the_hits() {
    HitsModel model;
    model.set_text_source(snippet);
    model.set_blocks(blocks(3));
    int row = 0;
    for (const HitBlock& block : blocks(3))
      for (int slot = 0; slot < static_cast<int>(block.head.hits.size()); ++slot, ++row) {
        const Hit& hit = block.head.hits[static_cast<std::size_t>(slot)];
        const auto text = [&](int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(model.row(row).hit(), hit);
        QCOMPARE(text(HitsModel::Segment), QStringLiteral("3"));
        QCOMPARE(text(HitsModel::Layer), QString::number(block.head.layer));
        QCOMPARE(text(HitsModel::Head), QString::number(block.head.head));
        QCOMPARE(text(HitsModel::Slot), QString::number(slot));
        QCOMPARE(text(HitsModel::Position), QString::number(hit.position));
        QCOMPARE(text(HitsModel::Distance), QString::number(block.first_token - hit.position));
        QCOMPARE(text(HitsModel::Score).isEmpty(), hit.kind == HitKind::Padding);
        QCOMPARE(text(HitsModel::Text), snippet(hit.position));
      }
    QCOMPARE(model.rowCount(), row);
  }

  void appending_keeps_what_is_there() {
    HitsModel model;
    model.set_blocks(blocks(3));
    const QPersistentModelIndex kept = model.index(5, HitsModel::Position);
    const int before = model.rowCount();
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted), reset(&model, &QAbstractItemModel::modelReset);
    model.append_blocks(blocks(4));
    QCOMPARE(inserted.count(), 1);
    QCOMPARE(reset.count(), 0);
    QCOMPARE(kept.row(), 5);
    QVERIFY(model.rowCount() > before);
  }

  void sorts_by_value_with_empty_cells_last() {
    HitsModel model;
    HitsFilter filter;
    filter.setSourceModel(&model);
    model.set_blocks(blocks(9));
    for (const auto order : {Qt::AscendingOrder, Qt::DescendingOrder})
      for (int column = 0; column < HitsModel::ColumnCount; ++column) {
        filter.sort(column, order);
        for (int row = 1; row < filter.rowCount(); ++row) {
          const double a = model.number(filter.mapToSource(filter.index(row - 1, 0)).row(), column);
          const double b = model.number(filter.mapToSource(filter.index(row, 0)).row(), column);
          QVERIFY(std::isnan(b) || (!std::isnan(a) && (order == Qt::AscendingOrder ? a <= b : a >= b)));
        }
      }
  }

  void filters_by_kind_and_text() {
    HitsModel model;
    model.set_text_source(snippet);
    HitsFilter filter;
    filter.setSourceModel(&model);
    model.set_blocks(blocks(9));
    filter.set_kind_shown(HitKind::Padding, false);
    filter.set_kind_shown(HitKind::Expanded, false);
    QVERIFY(filter.rowCount() > 0);
    for (int row = 0; row < filter.rowCount(); ++row)
      QCOMPARE(model.row(filter.mapToSource(filter.index(row, 0)).row()).hit().kind, HitKind::Anchor);
    const QString position = filter.index(0, HitsModel::Position).data().toString();
    filter.set_text(QStringLiteral("WORD") + position);
    QVERIFY(filter.rowCount() >= 1);
    filter.set_text(QStringLiteral("nowhere"));
    QCOMPARE(filter.rowCount(), 0);
  }

  void copies_as_tsv_and_csv() {
    HitsModel model;
    model.set_text_source(snippet);
    model.set_blocks(blocks(3));
    const QStringList tsv = table_text(model, {2, 4}, QLatin1Char('\t')).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(tsv.size(), 3);
    for (int column = 0; column < HitsModel::ColumnCount; ++column)
      QCOMPARE(tsv[2].split(QLatin1Char('\t'))[column], model.index(4, column).data().toString());
    const QStringList csv = table_text(model, {}, QLatin1Char(',')).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(csv.size(), model.rowCount() + 1);
    const QString quoted = snippet(model.row(0).hit().position).replace(QLatin1String("\""), QLatin1String("\"\""));
    QVERIFY(csv[1].endsWith(QLatin1Char('"') + quoted + QLatin1Char('"')));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<HitsModelTest>};
#include "hits_model_test.moc"
