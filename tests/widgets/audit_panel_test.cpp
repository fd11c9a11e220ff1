// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/audit_panel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTest>

#include "app/window/main_window.h"
#include "app/window/message_bar.h"
#include "engine/base/error.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_model.h"
#include "widgets/look/theme.h"

using namespace carryover;

namespace {

constexpr int patience_ms = 240'000;
constexpr std::int64_t plenty = std::int64_t{1} << 40;

void open_demo(MainWindow& window) {
  const QString demo = QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");
  window.resize(1280, 800);
  window.show();
  RunOptions options;
  options.dtype = DType::Float32;
  window.lab().context.set_run_options(options);
  window.lab().loader.open_model(demo);
  window.lab().loader.open_text(demo + QStringLiteral("/text.txt"));
  QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
}

AuditPanel& raised(MainWindow& window) {
  window.docks().raise(QStringLiteral("audit"));
  return *static_cast<AuditPanel*>(window.docks().panel(QStringLiteral("audit")));
}

QPushButton* button(const QWidget& widget, const QString& text) {
  for (QPushButton* each : widget.findChildren<QPushButton*>())
    if (each->text() == text) return each;
  return nullptr;
}

template <typename Field>
Field* field(const QWidget& panel, const QString& name) {
  for (Field* each : panel.findChildren<Field*>())
    if (each->accessibleName() == name) return each;
  return nullptr;
}

void fill(AuditPanel& panel, int segment, int segments, int depth) {
  field<QSpinBox>(panel, AuditForm::tr("Segment S"))->setValue(segment);
  field<QSpinBox>(panel, AuditForm::tr("Segments N"))->setValue(segments);
  field<QSpinBox>(panel, AuditForm::tr("Depth K"))->setValue(depth);
}

QString headline(const AuditPanel& panel) {
  return field<QLabel>(panel, AuditPanel::tr("Result of the audit"))->text();
}

/// One check that holds and one that does not.
AuditReport mixed_report() {
  AuditReport report;
  report.segments = 5;
  report.truncation_depth = 2;
  report.loss = 12.5;
  report.checks = {{"the first, with a comma", "max |Δ|", 1e-12, 1e-9}, {"the second", "‖Δg‖ / ‖g‖", 0.25, 1e-9, 0.06}};
  return report;
}

QImage shape_of(const QTableView& view, int row) {
  const QIcon icon = view.model()->index(row, AuditTable::Result).data(Qt::DecorationRole).value<QIcon>();
  return icon.pixmap(20).toImage().convertToFormat(QImage::Format_Alpha8);
}

LabContext& with_demo_model(LabContext& lab) {
  const ModelConfig model = test::tiny_config(4, 8, 4, 16, 512);
  lab.set_model(model, SegmentConfig::defaults_for(model));
  return lab;
}

}  // namespace

class AuditPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void the_demo_passes_in_fp64_while_its_own_model_stays() {
    MainWindow window;
    open_demo(window);
    AuditPanel& panel = raised(window);
    QCOMPARE(field<QComboBox>(panel, AuditForm::tr("dtype"))->currentText(), QStringLiteral("fp64"));  // it is small
    fill(panel, 12, 4, 1);
    QTRY_VERIFY2(panel.why_not().isEmpty(), qPrintable(panel.why_not()));
    QSignalSpy done(&window.lab().audits, &AuditController::done),
        moved(&window.lab().audits, &AuditController::progressed);
    button(panel, AuditPanel::tr("Run audit"))->click();
    QVERIFY(window.lab().audits.active());
    QVERIFY(!window.lab().runs.can_run());
    QVERIFY(!button(panel, AuditPanel::tr("Run audit"))->isEnabled());
    QVERIFY(!button(panel, AuditPanel::tr("Run audit"))->toolTip().isEmpty());
    QVERIFY(done.wait(patience_ms));
    const auto report = done.at(0).at(0).value<AuditReport>();
    QVERIFY(report.passed());
    QVERIFY(report.checks.size() >= 8);  // finite differences among them
    QCOMPARE(report.segments, std::int64_t{4});
    QVERIFY(headline(panel).startsWith(AuditPanel::tr("Passed")));
    QCOMPARE(panel.findChild<QTableView*>()->model()->rowCount(), static_cast<int>(report.checks.size()));
    QVERIFY(moved.count() > 0);
    QVERIFY(window.lab().runs.can_run());
    QCOMPARE(window.lab().loader.model()->info.dtype, DType::Float32);
    QTRY_VERIFY(panel.why_not().isEmpty());
    QVERIFY2(window.message_bar().isHidden(), qPrintable(window.message_bar().text()));

    const test::TempDir folder;
    const QString path = QString::fromStdString(folder.file("audit.csv"));
    panel.export_csv(path);
    const std::string csv = test::read_bytes(path.toStdString());
    QVERIFY(csv.find("# text: ") != std::string::npos && csv.find("fp64") != std::string::npos);
    QCOMPARE(std::count(csv.begin(), csv.end(), '\n') - std::count(csv.begin(), csv.end(), '#'),
             std::ptrdiff_t(report.checks.size() + 1));
  }

  void cancel_ends_it_and_the_engine_is_free_again() {
    MainWindow window;
    open_demo(window);
    AuditPanel& panel = raised(window);
    fill(panel, 64, 8, 3);
    QTRY_VERIFY2(panel.why_not().isEmpty(), qPrintable(panel.why_not()));
    QSignalSpy ended(&window.lab().audits, &AuditController::ended),
        moved(&window.lab().audits, &AuditController::progressed);
    QSignalSpy done(&window.lab().audits, &AuditController::done);
    button(panel, AuditPanel::tr("Run audit"))->click();
    QVERIFY(moved.wait(patience_ms));
    button(panel, AuditPanel::tr("Cancel"))->click();
    QVERIFY(ended.count() > 0 || ended.wait(patience_ms));
    QCOMPARE(done.count(), 0);
    QVERIFY(window.lab().runs.can_run());
    QTRY_VERIFY(button(panel, AuditPanel::tr("Run audit"))->isEnabled());
    QVERIFY2(window.message_bar().isHidden(), qPrintable(window.message_bar().text()));
    QCOMPARE(panel.findChild<QTableView*>()->model()->rowCount(), 0);
  }

  void a_window_closes_over_an_audit() {
    MainWindow window;
    open_demo(window);
    AuditPanel& panel = raised(window);
    fill(panel, 64, 8, 3);
    QTRY_VERIFY2(panel.why_not().isEmpty(), qPrintable(panel.why_not()));
    button(panel, AuditPanel::tr("Run audit"))->click();
    QVERIFY(window.lab().audits.active());
  }

  void a_result_from_before_a_training_or_another_model_says_so() {
    MainWindow window;
    open_demo(window);
    AuditPanel& panel = raised(window);
    const QString outdated = AuditPanel::tr("%1 · made before the open model changed").section(u'·', 1).trimmed();
    panel.show_report(mixed_report(), QStringLiteral("made up"));
    QVERIFY(!headline(panel).contains(outdated));
    const LoadedModel trained = *window.lab().loader.model();
    Q_EMIT window.lab().engine.worker().model_trained(trained);
    QVERIFY2(headline(panel).contains(outdated), qPrintable(headline(panel)));
    QCOMPARE(panel.findChild<QTableView*>()->model()->rowCount(), 2);
    panel.show_report(mixed_report(), QStringLiteral("made up"));
    QVERIFY(!headline(panel).contains(outdated));
    const ModelConfig other = test::tiny_config(2, 4, 2, 16, 512);
    window.lab().context.set_model(other, SegmentConfig::defaults_for(other));
    QVERIFY2(headline(panel).contains(outdated), qPrintable(headline(panel)));
  }

  void what_goes_wrong_is_said_in_the_window() {
    MainWindow window;
    open_demo(window);
    AuditPanel& panel = raised(window);
    AuditSettings settings = panel.settings();
    settings.config.segment_length = 0;
    window.lab().audits.start(settings);
    QTRY_VERIFY_WITH_TIMEOUT(!window.message_bar().isHidden(), patience_ms);
    QVERIFY(window.lab().runs.can_run());
    QVERIFY(!window.lab().audits.active());
  }

  void a_failed_check_differs_in_words_shape_and_colour() {
    LabContext lab;
    AuditPanel panel(with_demo_model(lab));
    panel.begin();
    panel.show_report(mixed_report(), QStringLiteral("made up"));
    QVERIFY(headline(panel).startsWith(AuditPanel::tr("FAILED")));
    const auto* view = panel.findChild<QTableView*>();
    const auto cell = [view](int row, int column, int role) { return view->model()->index(row, column).data(role); };
    QCOMPARE(cell(0, AuditTable::Result, Qt::DisplayRole).toString(), AuditTable::tr("passed"));
    QCOMPARE(cell(1, AuditTable::Result, Qt::DisplayRole).toString(), AuditTable::tr("FAILED"));
    QVERIFY(cell(0, AuditTable::Result, Qt::ForegroundRole) != cell(1, AuditTable::Result, Qt::ForegroundRole));
    QVERIFY(shape_of(*view, 0) != shape_of(*view, 1));
    QVERIFY(!shape_of(*view, 0).isNull());
  }

  void rows_are_copied_and_exported_with_what_they_are_of() {
    LabContext lab;
    AuditPanel panel(with_demo_model(lab));
    panel.show_report(mixed_report(), QStringLiteral("made up"));
    auto* view = panel.findChild<QTableView*>();
    view->selectRow(1);
    for (QAction* action : view->actions())
      if (action->shortcut() == QKeySequence(QKeySequence::Copy)) action->trigger();
    const QString copied = QGuiApplication::clipboard()->text();
    QVERIFY(copied.contains(QStringLiteral("the second\t2.50e-01")));
    QVERIFY(!copied.contains(QStringLiteral("the first")));
    const test::TempDir folder;
    panel.export_csv(QString::fromStdString(folder.file("audit.csv")));
    const std::string csv = test::read_bytes(folder.file("audit.csv"));
    QVERIFY(csv.find("# made up") != std::string::npos);
    QVERIFY(csv.find("passed,\"the first, with a comma\",1.00e-12") != std::string::npos);
    QVERIFY(csv.find("FAILED,the second,2.50e-01,1.0e-09,6.0e-02,") != std::string::npos);
    QVERIFY_THROWS_EXCEPTION(EngineError, panel.export_csv(QStringLiteral("/not/there/audit.csv")));
  }

  void an_audit_that_can_not_be_is_not_offered() {
    LabContext lab;
    AuditPanel panel(lab);
    panel.show();
    QPushButton* run = button(panel, AuditPanel::tr("Run audit"));
    const auto refused = [&] {
      panel.catch_up();
      QSignalSpy wanted(&panel, &AuditPanel::audit_wanted);
      run->click();
      return !run->isEnabled() && !panel.why_not().isEmpty() && wanted.isEmpty();
    };
    QVERIFY(refused());  // no model
    with_demo_model(lab);
    panel.set_free_memory(plenty);
    QVERIFY(refused());  // no text
    panel.set_text(QStringLiteral("a text"), 100);
    fill(panel, 32, 4, 1);
    QVERIFY(refused());  // too short a text
    panel.set_text(QStringLiteral("a text"), 128);
    QVERIFY(!refused());
    field<QSpinBox>(panel, AuditForm::tr("From token"))->setValue(1);
    QVERIFY(refused());
    field<QSpinBox>(panel, AuditForm::tr("From token"))->setValue(0);
    panel.set_engine_busy(QStringLiteral("a run is using the engine"));
    QVERIFY(refused());
    QVERIFY(run->toolTip().contains(QStringLiteral("a run is using the engine")));
    panel.set_engine_busy({});
    QVERIFY(!refused());
    panel.set_has_model(false);  // a run is on show whose model is not open
    QVERIFY(refused());
    QCOMPARE(run->toolTip(), AuditPanel::tr("Open a model first: Model, in the toolbar"));
    panel.set_has_model(true);
    QVERIFY(!refused());
    panel.set_free_memory(1'000'000);
    QVERIFY(refused());  // the weights alone are more
    QVERIFY(panel.why_not().contains(QStringLiteral("MB")));
    panel.set_free_memory(std::nullopt);  // nothing known
    QVERIFY(!refused());
    fill(panel, 1, 1, 0);
    QVERIFY(refused());  // one token
  }

  void settings_are_the_forms_with_tails_that_fit() {
    LabContext lab;
    AuditPanel panel(with_demo_model(lab));
    const SegmentConfig open = lab.config();
    fill(panel, static_cast<int>(open.segment_length), 3, 2);
    AuditSettings settings = panel.settings();
    QCOMPARE(settings.config.carry_length, open.carry_length);
    QCOMPARE(settings.config.truncation_depth, std::int64_t{2});
    QCOMPARE(settings.tokens(), 3 * open.segment_length);
    for (const int length : {1, 2, 7, 16, 33}) {
      fill(panel, length, 3, 2);
      settings = panel.settings();
      settings.config.validate(*lab.model(), "test");
      QVERIFY(settings.config.carry_length <= length);
      QVERIFY(settings.config.grouping == open.grouping);
    }
  }

  void a_big_model_starts_from_fp32_and_says_what_is_left_out() {
    LabContext lab;
    AuditPanel panel(with_demo_model(lab));
    ModelConfig big = test::tiny_config(30, 9, 3, 64, 49152);
    big.intermediate = 1536;
    lab.set_model(big, SegmentConfig::defaults_for(big));
    QVERIFY(big.parameters() > 100'000'000);
    QCOMPARE(panel.settings().dtype, DType::Float32);
    panel.set_text(QStringLiteral("a text"), 1'000'000);
    panel.set_free_memory(plenty);
    const QString cost = field<QLabel>(panel, AuditPanel::tr("What the audit costs"))->text();
    QVERIFY2(cost.contains(QStringLiteral("GB")) && cost.contains(QStringLiteral("fp64")), qPrintable(cost));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<AuditPanelTest>};
#include "audit_panel_test.moc"
