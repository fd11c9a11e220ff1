// SPDX-License-Identifier: GPL-3.0-or-later
// What-ifs without an engine: results, the list, the form, and the panel's tables.
#include "widgets/what_if/state/what_ifs.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/policies/minference/minference_settings.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temp_dir.h"
#include "widgets/look/theme.h"
#include "widgets/plot/plot_view.h"
#include "widgets/tables/number_sort.h"
#include "widgets/what_if/ablation_table.h"
#include "widgets/what_if/edit_form.h"
#include "widgets/what_if/hit_changes_table.h"
#include "widgets/what_if/what_if_list.h"
#include "widgets/what_if/what_if_panel.h"
#include "widgets/what_if/what_if_table.h"

using namespace carryover;

namespace {

HeadHits head_hits(int layer, int head, const std::vector<std::int64_t>& positions) {
  HeadHits hits{2, layer, head, {}};
  for (const std::int64_t position : positions)
    hits.hits.push_back({position, HitKind::Anchor, static_cast<float>(position), position, 0});
  return hits;
}

/// A result on segment `segment` of a run of 64-token segments, whose loss changes by `change` everywhere.
WhatIfResult result_of(int segment, float change, const QString& name) {
  WhatIfOutcome before, after;
  for (int i = 0; i < 64; ++i) {
    before.target_nll.push_back(3.F + 0.01F * static_cast<float>(i));
    after.target_nll.push_back(before.target_nll.back() + change);
  }
  before.hits = {head_hits(3, 0, {5, 9}), head_hits(8, 1, {7})};
  after.hits = {head_hits(3, 0, {9, 11}), head_hits(8, 1, {7})};
  WhatIfResult result;
  result.name = name;
  result.segment = segment;
  result.first_token = segment * 64;
  result.edit.no_carry = true;
  result.seconds = 0.5;
  compare(result, RunModel(), before, after);
  return result;
}

}  // namespace

class WhatIfsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void a_result_knows_what_changed() {
    const WhatIfResult result = result_of(2, 0.5F, QStringLiteral("x"));
    QVERIFY(std::abs(result.change.mean - 0.5) < 1e-6);
    QVERIFY(result.change.low > 0.49 && result.change.high < 0.51);
    QVERIFY(std::isnan(result.loss_change(128)) && std::isnan(result.loss_change(193)));  // targets are 129 … 192
    QVERIFY(std::abs(result.loss_change(129) - 0.5F) < 1e-5F && std::abs(result.loss_change(192) - 0.5F) < 1e-5F);
    QCOMPARE(result.changes.size(), std::size_t{2});
    QVERIFY(!result.changes[0].gained && result.changes[0].hit.position == 5 && result.changes[0].layer == 3);
    QVERIFY(result.changes[1].gained && result.changes[1].hit.position == 11);
    // A head that only one side has.
    QCOMPARE(changed_hits({head_hits(1, 0, {4})}, {}).size(), std::size_t{1});
    QVERIFY(changed_hits({}, {head_hits(1, 0, {4})}).front().gained);
  }

  void edits_are_said_in_a_line() {
    SegmentConfig run;
    SegmentEdit edit;
    QCOMPARE(edit_text(edit, run), QStringLiteral("nothing changed"));
    edit.no_carry = true;
    edit.prefix = PrefixSource::Random;
    edit.dropped = {{6, 0, 100}, {6, 1, 200}, {6, 2, 300}};
    edit.banned = {{10, 20}};
    edit.config = run;
    edit.config->retrieval_length = 64;
    edit.config->anchors = 3;
    edit.config->grouping = Grouping({1}, {{0}});
    edit.config->of<MinferenceSettings>().head_patterns.set(2, 1, {});
    const QString text = edit_text(edit, run);
    for (const char* part : {"no carry", "random prefix (seed 1)", "−L6 H0 @100", "−1 more", "exclude 10–19",
                             "R 512 → 64", "A by default → 3", "another grouping",
                             "head_patterns none: 1000 columns, 6096 diagonals → 1 layers, 1 heads listed"})
      QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
  }

  void records_hold_what_was_found() {
    WhatIfResult result = result_of(2, -0.25F, QStringLiteral("a \"name\""));
    result.edit.banned = {{3, 9}};
    result.edit.config = SegmentConfig();
    const nlohmann::json json = what_if_json(result);
    QCOMPARE(json.at("segment").get<int>(), 2);
    QCOMPARE(json.at("after").size(), std::size_t{64});
    QVERIFY(json.at("edit").at("no_carry").get<bool>());
    QCOMPARE(json.at("edit").at("banned").dump(), std::string("[[3,9]]"));
    QVERIFY(json.at("edit").at("config").contains("top_k"));
    QCOMPARE(json.at("changed_hits").at(0).at("change").get<std::string>(), std::string("lost"));
    QVERIFY(std::abs(json.at("change").at("mean").get<double>() + 0.25) < 1e-6);
    const QStringList lines = what_if_csv({result}).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 65);
    QVERIFY2(lines[1].startsWith(QStringLiteral("\"a \"\"name\"\"\",\"\",2,129,3,2.75,-0.25")), qPrintable(lines[1]));
  }

  void anchors_are_left_out_with_what_they_brought_along() {
    const SegmentConfig config = test::synthetic_request(8).config;
    const std::vector<HeadHits> hits = {test::synthetic_hits(config, 4, 3, 0), test::synthetic_hits(config, 4, 8, 2)};
    const auto all = ablations(hits);
    QVERIFY(all.size() >= 4);
    for (const auto& [row, edit] : all) {
      const HeadHits& head = row.anchor.layer == 3 ? hits[0] : hits[1];
      QCOMPARE(static_cast<int>(edit.dropped.size()), row.left_out);
      for (const Hit& hit : head.hits) {
        const bool wanted =
            hit.position == row.anchor.position || (hit.kind == HitKind::Expanded && hit.anchor == row.anchor.position);
        const SlotRef slot{head.layer, head.head, hit.position};
        QCOMPARE(std::count(edit.dropped.begin(), edit.dropped.end(), slot), std::ptrdiff_t{wanted ? 1 : 0});
      }
    }
  }

  void the_list_shows_renames_and_removes() {
    LabContext lab;
    WhatIfs& what_ifs = lab.what_ifs();
    WhatIfTable table(lab);
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    for (int i = 0; i < 3; ++i) what_ifs.append(result_of(i, 0.1F * static_cast<float>(i), QString::number(i)));
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(what_ifs.shown(), 2);
    QVERIFY(table.setData(table.index(1, WhatIfTable::Name), QStringLiteral("without the needle"), Qt::EditRole));
    QVERIFY(!table.setData(table.index(1, WhatIfTable::Name), QStringLiteral("  "), Qt::EditRole));
    QCOMPARE(what_ifs.results()[1].name, QStringLiteral("without the needle"));
    what_ifs.show(1);
    what_ifs.remove(0);
    QCOMPARE(what_ifs.shown_result()->name, QStringLiteral("without the needle"));
    what_ifs.remove(0);
    QCOMPARE(what_ifs.shown_result()->name, QStringLiteral("2"));
    what_ifs.remove(0);
    QVERIFY(!what_ifs.shown_result() && table.rowCount() == 0);
  }

  void results_outlive_the_run_but_do_not_colour_another() {
    LabContext lab;
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4, 64));
    lab.what_ifs().append(result_of(2, 1, QStringLiteral("x")));
    QVERIFY(lab.what_ifs().shown_in_run());
    lab.what_ifs().ban({3, 9});
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4, 64));
    QVERIFY(lab.what_ifs().shown_result() && !lab.what_ifs().shown_in_run());
    QVERIFY(lab.what_ifs().draft().banned.empty());
  }

  void a_result_of_another_run_names_it_and_shows_nothing_of_this_ones_text() {
    LabContext lab;
    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4, 64));
    WhatIfResult result = result_of(2, 1, QStringLiteral("x"));
    result.provenance = QStringLiteral(
        "run: run-12\nmodel: demo (/models/demo)\nweights: 0\npolicy: segmented, dtype: fp32, device: cpu\n"
        "text: a, b.txt, 300 tokens");
    lab.what_ifs().append(result);
    WhatIfPanel panel(lab);
    panel.resize(700, 900);
    panel.show();
    test::settle();
    const auto changes = [&] {
      for (const QTableView* view : panel.findChildren<QTableView*>())
        if (const auto* model = qobject_cast<HitChangesTable*>(view->model()))
          return model->index(0, HitChangesTable::Text).data().toString();
      return QStringLiteral("no table");
    };
    QPushButton* again = nullptr;
    for (QPushButton* each : panel.findChildren<QPushButton*>())
      if (each->text() == WhatIfList::tr("Edit again")) again = each;
    QVERIFY(again != nullptr && again->isEnabled());
    const WhatIfTable table(lab);
    QCOMPARE(table.index(0, WhatIfTable::Run).data().toString(), QStringLiteral("a, b.txt, demo, run-12"));

    test::synthetic_run(lab.run(), 4, 4, test::synthetic_request(4, 64));
    test::settle();
    QVERIFY(lab.what_ifs().shown_result() && !again->isEnabled() && !again->toolTip().isEmpty());
    QCOMPARE(changes(), QString());
    const test::TempDir dir;
    const QString csv = QString::fromStdString(dir.file("all.csv"));
    export_what_ifs(lab, csv);
    QFile file(csv);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("run: run-12"));
  }

  void hit_changes_keep_the_rules_of_item_models() {
    HitChangesTable table([](std::int64_t position) { return QStringLiteral("text %1").arg(position); });
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    table.set_rows(result_of(1, 0, {}).changes);
    QCOMPARE(table.rowCount(), 2);
    QCOMPARE(table.index(1, HitChangesTable::Position).data().toInt(), 11);
    QCOMPARE(table.index(1, HitChangesTable::Text).data().toString(), QStringLiteral("text 11"));
  }

  void a_sweep_ranks_what_is_done_first() {
    LabContext lab;
    test::synthetic_run(lab.run(), 6, 6, test::synthetic_request(6));
    AblationTable table(lab);
    NumberSort sorted;
    const QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
    const QAbstractItemModelTester sorted_tester(&sorted, QAbstractItemModelTester::FailureReportingMode::QtTest);
    sorted.setSourceModel(&table);
    sorted.sort(AblationTable::Change, Qt::DescendingOrder);
    QSignalSpy wanted(&lab.what_ifs(), &WhatIfs::sweep_wanted);
    lab.what_ifs().ask_sweep(5, lab.run().snapshot(5).hits);
    QCOMPARE(wanted.count(), 1);
    QVERIFY(table.rowCount() > 6);
    lab.what_ifs().set_ablation(4, {0.1, 0, 0.2});
    lab.what_ifs().set_ablation(2, {-0.3, -0.4, -0.2});
    lab.what_ifs().set_ablation(6, {0.7, 0.6, 0.8});
    const auto source_row = [&](int row) { return sorted.mapToSource(sorted.index(row, 0)).row(); };
    QCOMPARE((std::vector<int>{source_row(0), source_row(1), source_row(2)}), (std::vector<int>{6, 4, 2}));
    QCOMPARE(sorted.index(0, AblationTable::Change).data().toString(), QStringLiteral("+0.70000"));
    QVERIFY(sorted.index(3, AblationTable::Change).data().toString().isEmpty());
    lab.what_ifs().set_ablation(100'000, {});  // of a sweep that is no more
  }

  void positions_are_read_as_typed() {
    QVERIFY(EditForm::parse_range(QStringLiteral(" 120 ")) == (TokenRange{120, 121}));
    QVERIFY(EditForm::parse_range(QStringLiteral("100-119")) == (TokenRange{100, 120}));
    QVERIFY(EditForm::parse_range(QStringLiteral("119 – 100")) == (TokenRange{100, 120}));
    for (const char* bad : {"", "-5", "a", "5-", "5--6", "1 2", "99999999999999999999"})
      QVERIFY2(EditForm::parse_range(QString::fromLatin1(bad)) == TokenRange{}, bad);
  }

  void the_form_edits_the_draft() {
    LabContext lab;
    lab.set_model(test::synthetic_model().config, test::synthetic_request(6).config);
    test::synthetic_run(lab.run(), 6, 6, test::synthetic_request(6));
    EditForm form(lab);
    const auto button = [&form](const QString& text) {
      for (QPushButton* candidate : form.findChildren<QPushButton*>())
        if (candidate->text() == text) return candidate;
      return static_cast<QPushButton*>(nullptr);
    };
    const SegmentEdit& draft = lab.what_ifs().draft();
    lab.select({5, 3, 1, 40});
    button(EditForm::tr("Remove from this head"))->click();
    QVERIFY(draft.dropped == (std::vector<SlotRef>{{3, 1, 40}}));
    QLineEdit* typed = nullptr;
    for (QLineEdit* line : form.findChildren<QLineEdit*>())
      if (line->accessibleName() == EditForm::tr("Positions to remove, add or exclude")) typed = line;
    QVERIFY(typed != nullptr);
    typed->setText(QStringLiteral("7-9"));
    button(EditForm::tr("Add"))->click();
    QVERIFY(draft.added == (std::vector<SlotRef>{{3, 1, 7}, {3, 1, 8}, {3, 1, 9}}));
    typed->setText(QStringLiteral("nonsense"));
    button(EditForm::tr("Exclude from all heads"))->click();
    QVERIFY(draft.banned.empty() && typed->text() == QStringLiteral("nonsense"));
    typed->setText(QStringLiteral("12"));
    button(EditForm::tr("Exclude from all heads"))->click();
    QVERIFY(draft.banned == (std::vector<TokenRange>{{12, 13}}));
    auto* list = form.findChild<QListWidget*>();
    QCOMPARE(list->count(), 5);
    form.findChild<QComboBox*>()->setCurrentIndex(static_cast<int>(PrefixSource::Oracle));
    QVERIFY(draft.prefix == PrefixSource::Oracle && draft.dropped.size() == 1);
  }

  void a_shared_list_is_removed_for_all_readers() {
    LabContext lab;
    EditForm form(lab);
    const auto texts = [&form] {
      QStringList texts;
      for (QPushButton* button : form.findChildren<QPushButton*>()) texts += button->text();
      return texts;
    };
    QVERIFY(texts().contains(EditForm::tr("Remove from this head")));
    RunRequest request = test::synthetic_request(6);
    request.config.search = SearchBy::Shared;
    test::synthetic_run(lab.run(), 6, 6, request);
    QVERIFY(texts().contains(EditForm::tr("Remove from all readers")));
    lab.what_ifs().drop({3, 1, 40});
    QVERIFY(form.findChild<QListWidget*>()->item(0)->text().startsWith(EditForm::tr("Remove from all readers")));
    test::synthetic_run(lab.run(), 6, 6, test::synthetic_request(6));
    QVERIFY(texts().contains(EditForm::tr("Remove from this head")));
  }

  // The window's settings count, but for what the segments before depend on.
  void edited_settings_come_with_the_runs_segments() {
    LabContext lab;
    const RunRequest request = test::synthetic_request(6);
    lab.set_model(test::synthetic_model().config, request.config);
    test::synthetic_run(lab.run(), 6, 6, request);
    EditForm form(lab);
    auto* settings = form.findChildren<QCheckBox*>().last();
    QVERIFY(!settings->isEnabled());
    SegmentConfig edited = request.config;
    edited.retrieval_length = 8;
    edited.segment_length = 128;
    lab.set_config(edited);
    QVERIFY(settings->isEnabled());
    settings->setChecked(true);
    const auto& config = lab.what_ifs().draft().config;
    QVERIFY(config && config->retrieval_length == 8);
    QCOMPARE(config->segment_length, request.config.segment_length);
    edited.retrieval_length = 16;
    lab.set_config(edited);
    QCOMPARE(lab.what_ifs().draft().config->retrieval_length, std::int64_t{16});
  }

  void the_panel_asks_shows_and_exports() {
    const test::TempDir folder;
    LabContext lab;
    test::synthetic_run(lab.run(), 6, 6, test::synthetic_request(6, 64));
    WhatIfPanel panel(lab);
    panel.resize(560, 760);
    panel.show();
    test::settle();
    QSignalSpy priced(&lab.what_ifs(), &WhatIfs::price_wanted), wanted(&lab.what_ifs(), &WhatIfs::run_wanted);
    panel.run();
    QCOMPARE(wanted.count(), 0);  // nothing is changed
    lab.select_segment(2);
    lab.what_ifs().drop({3, 0, 9});
    QTRY_VERIFY(priced.count() > 0);
    test::settle();
    panel.run();
    QCOMPARE(wanted.count(), 1);
    const auto plan = wanted[0][0].value<WhatIfPlan>();
    QCOMPARE(plan.segment, 2);
    QVERIFY(plan.edits.size() == 1 && plan.edits[0].dropped.size() == 1);
    QVERIFY(wanted[0][1].toString().contains(QStringLiteral("L3 H0 @9")));
    lab.what_ifs().append(result_of(2, 0.5F, QStringLiteral("dropped")));
    test::settle();
    PlotView* plot = panel.plots()[0];
    QVERIFY(!plot->is_empty());
    const auto drawn = plot->drawn_points(0);
    QCOMPARE(drawn.size(), std::size_t{64});
    QVERIFY(drawn[0].first == 129 && std::abs(drawn[0].second - 0.5) < 1e-5);
    const QString csv = QString::fromStdString(folder.file("w.csv")),
                  json = QString::fromStdString(folder.file("w.json"));
    export_what_ifs(lab, csv);
    export_what_ifs(lab, json);
    QFile file(json);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(nlohmann::json::parse(file.readAll().toStdString()).size(), std::size_t{1});
    QFile rows(csv);
    QVERIFY(rows.open(QIODevice::ReadOnly));
    const QByteArray lines = rows.readAll();
    QVERIFY(lines.contains("\n\"dropped\",\"") && lines.contains("\",2,129,"));
  }

  void a_panel_whose_engine_is_busy_says_so() {
    LabContext lab;
    test::synthetic_run(lab.run(), 6, 6, test::synthetic_request(6, 64));
    WhatIfPanel panel(lab);
    panel.resize(560, 760);
    panel.show();
    lab.what_ifs().drop({3, 0, 9});
    lab.what_ifs().set_unavailable(QStringLiteral("a run is using the engine"));
    test::settle();
    QSignalSpy wanted(&lab.what_ifs(), &WhatIfs::run_wanted);
    panel.run();
    QCOMPARE(wanted.count(), 0);
    const auto labels = panel.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(),
                        [](const QLabel* label) { return label->text().contains(QStringLiteral("a run is using")); }));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<WhatIfsTest>};
#include "what_ifs_test.moc"
