// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens by loss: which tokens of a made-up run are listed, in which order, and what a click selects.
#include "widgets/text/tokens_panel.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temp_dir.h"

using namespace carryover;

namespace {

constexpr int kSegments = 6;

struct Lab {
  LabContext lab;
  TokensPanel panel{lab};

  explicit Lab(int closed = kSegments) {
    test::synthetic_run(lab.run(), kSegments, closed, test::synthetic_request(kSegments));
    panel.resize(900, 400);
    panel.show();
    test::settle();
  }
  QTableView& table() { return *panel.findChild<QTableView*>(); }
  int rows() { return table().model()->rowCount(); }
  QModelIndex cell(int row, TokensTable::Column column) { return table().model()->index(row, column); }
  double number(int row, TokensTable::Column column) { return cell(row, column).data(number_role).toDouble(); }
  std::int64_t position(int row) { return static_cast<std::int64_t>(number(row, TokensTable::Position)); }
  QString count() { return panel.findChild<QLabel*>()->text(); }
  void choose(int order) {
    panel.findChild<QComboBox*>()->setCurrentIndex(order);
    test::settle();
  }
};

}  // namespace

class TokensPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void the_worst_tokens_come_first() {
    Lab l;
    const QAbstractItemModelTester tester(l.table().model());
    std::vector<float> losses;
    for (std::int64_t at = 0; at < l.lab.run().token_count(); ++at)
      if (const float loss = l.lab.run().nll_of_token(at); !std::isnan(loss)) losses.push_back(loss);
    std::ranges::sort(losses, std::greater());
    QCOMPARE(l.rows(), 1000);
    QVERIFY2(l.count().startsWith("1,000 of 1,535"), qPrintable(l.count()));
    for (int row = 0; row < l.rows(); ++row) {
      QCOMPARE(static_cast<float>(l.number(row, TokensTable::Loss)), losses[static_cast<std::size_t>(row)]);
      QCOMPARE(l.lab.run().nll_of_token(l.position(row)), losses[static_cast<std::size_t>(row)]);
    }
    QVERIFY(!l.cell(0, TokensTable::Text).data().toString().isEmpty());
    QVERIFY(l.table().isColumnHidden(TokensTable::Change));
  }

  void segments_that_close_are_added() {
    Lab grown(1), whole;
    QCOMPARE(grown.rows(), 255);
    for (int segment = 1; segment < kSegments; ++segment) {
      grown.lab.run().append(test::synthetic_snapshot(grown.lab.run(), segment));
      test::settle();
    }
    QCOMPARE(grown.rows(), whole.rows());
    for (int row = 0; row < whole.rows(); ++row) QCOMPARE(grown.position(row), whole.position(row));
  }

  void a_range_limits_the_list_to_its_segments() {
    Lab l;
    l.lab.set_range({2, 3});
    test::settle();
    QCOMPARE(l.rows(), 512);
    for (int row = 0; row < l.rows(); ++row) QVERIFY(l.position(row) / 256 == 2 || l.position(row) / 256 == 3);
  }

  void a_click_selects_the_token_and_a_selection_its_row() {
    Lab l;
    Q_EMIT l.table().clicked(l.cell(3, TokensTable::Loss));
    QCOMPARE(l.lab.selected().token, l.position(3));
    QCOMPARE(l.lab.selected().segment, l.lab.run().segment_of_token(l.position(3)));
    l.lab.select_token(l.position(7));
    test::settle();
    QVERIFY(l.table().selectionModel()->isRowSelected(7));
    l.panel.set_linked(false);
    Q_EMIT l.table().activated(l.cell(1, TokensTable::Loss));
    QCOMPARE(l.lab.selected().token, l.position(7));  // the other views do not follow
  }

  void sorted_by_position_it_selects_the_same_token() {
    Lab l;
    l.table().sortByColumn(TokensTable::Position, Qt::AscendingOrder);
    const std::int64_t first = l.position(0);
    QVERIFY(first < l.position(1));
    Q_EMIT l.table().clicked(l.cell(0, TokensTable::Token));
    QCOMPARE(l.lab.selected().token, first);
  }

  void changes_are_those_against_the_pinned_run() {
    Lab l;
    l.choose(1);
    QCOMPARE(l.rows(), 0);
    QVERIFY2(l.count().contains("Pin"), qPrintable(l.count()));
    l.lab.pin_run();
    const RunRequest request = test::synthetic_request(kSegments);
    l.lab.run().begin(test::synthetic_model(), request, nullptr);
    auto snapshot = std::make_shared<SegmentSnapshot>(*test::synthetic_snapshot(l.lab.run(), 0));
    snapshot->target_nll[40] += 2.F;
    snapshot->target_nll[50] -= 1.F;
    l.lab.run().append(snapshot);
    test::settle();
    QVERIFY(!l.table().isColumnHidden(TokensTable::Change));
    QCOMPARE(l.position(0), std::int64_t{41});
    QCOMPARE(l.cell(0, TokensTable::Change).data().toString(), QString("+2.000"));
    l.choose(2);
    QCOMPARE(l.position(0), std::int64_t{51});
    QCOMPARE(l.cell(0, TokensTable::Change).data().toString(), QString("-1.000"));
  }

  void without_a_run_it_says_so() {
    LabContext lab;
    TokensPanel panel(lab);
    panel.show();
    test::settle();
    QCOMPARE(panel.findChild<QLabel*>()->text(), no_run_text(lab.run()));
  }

  void the_table_is_exported_with_its_run() {
    Lab l;
    const test::TempDir folder;
    const QString path = QString::fromStdString(folder.file("tokens.csv"));
    l.panel.export_csv(path);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    QVERIFY2(text.startsWith("# ") && text.contains("0123456789abcdef"), qPrintable(text.left(400)));
    QVERIFY(text.count('\n') > 1000);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<TokensPanelTest>};
#include "tokens_panel_test.moc"
