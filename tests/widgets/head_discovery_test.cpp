// SPDX-License-Identifier: GPL-3.0-or-later
// Head discovery in the window, on the real engine and the demo, whose layer 3 was trained to retrieve; and what the
// panel makes of scores that are given to it.
#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <nlohmann/json.hpp>

#include "app/window/message_bar.h"
#include "engine/heads/choice/head_agreement.h"
#include "tests/support/demo_window.h"
#include "tests/support/expect_error.h"
#include "tests/support/gui_test.h"
#include "tests/support/settle.h"
#include "tests/support/temp_dir.h"
#include "tests/support/tiny_model.h"
#include "widgets/heads/head_discovery_panel.h"
#include "widgets/heads/head_probe_form.h"
#include "widgets/heads/state/head_score_files.h"
#include "widgets/plot/plot_view.h"

using namespace carryover;
using namespace carryover::test;

namespace {

template <typename Field>
Field* field(const QWidget& panel, const QString& name) {
  for (Field* each : panel.findChildren<Field*>())
    if (each->accessibleName() == name) return each;
  return nullptr;
}

template <typename Button>
Button* button(const QWidget& widget, const QString& text) {
  for (Button* each : widget.findChildren<Button*>())
    if (each->text() == text) return each;
  return nullptr;
}

HeadDiscoveryPanel& raised(MainWindow& window) {
  window.docks().raise(QStringLiteral("head_discovery"));
  return *static_cast<HeadDiscoveryPanel*>(window.docks().panel(QStringLiteral("head_discovery")));
}

void open_window(MainWindow& window) {
  window.resize(1280, 800);
  window.show();
  open_demo(window, 512);
  QTRY_VERIFY_WITH_TIMEOUT(window.lab().runs.can_run(), patience_ms);
}

void set_length(HeadDiscoveryPanel& panel, int tokens) {
  field<QSpinBox>(panel, HeadProbeForm::tr("Length of a probe"))->setValue(tokens);
}

QString path_in(const TempDir& folder, const char* name) {
  return QString::fromStdString(folder.file(name));
}

/// Layers × heads of a made-up model, with scores that fall from the first head on but for one in layer 2.
ModelConfig made_up_model() {
  return tiny_config(4, 8, 4, 16, 512);
}

HeadProfile made_up_profile() {
  HeadScores falling{4, 8, {}};
  for (int i = 0; i < 32; ++i) falling.values.push_back(0.5 / (1 + i));
  HeadScores other = falling;
  falling.values[2 * 8 + 5] = 0.9;
  other.values[1] = 1;
  return {{{ProbeKind::Copy, falling, other}, {ProbeKind::Needle, falling, other}}};
}

struct Shown {
  LabContext lab;
  HeadDiscoveryPanel panel{lab};
  Shown() {
    lab.set_model(made_up_model(), SegmentConfig::defaults_for(made_up_model()));
    panel.resize(760, 620);
    panel.show();
    panel.show_profile(made_up_profile(), QStringLiteral("made up"));
    test::settle();
  }
  PlotView& map() { return *panel.plots().front(); }
  QTableView& table() { return *panel.findChild<QTableView*>(); }
  void propose(int layers, int heads) {
    field<QSpinBox>(panel, HeadDiscoveryPanel::tr("Layers to propose"))->setValue(layers);
    field<QSpinBox>(panel, HeadDiscoveryPanel::tr("Heads to propose"))->setValue(heads);
    test::settle();
  }
  QString agreement() {
    return field<QLabel>(panel, HeadDiscoveryPanel::tr("Agreement of two sets of scores"))->text();
  }
};

/// Drops files on a widget; whether it took them.
bool drop(QWidget& widget, const QStringList& paths) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& path : paths) urls += QUrl::fromLocalFile(path);
  data.setUrls(urls);
  QDragEnterEvent enter({5, 5}, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  enter.ignore();
  QApplication::sendEvent(&widget, &enter);
  if (!enter.isAccepted()) return false;
  QDropEvent dropped(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&widget, &dropped);
  return true;
}

}  // namespace

class HeadDiscoveryTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void the_demos_retrieving_heads_are_found_and_applied() {
    MainWindow window;
    open_window(window);
    HeadDiscoveryPanel& panel = raised(window);
    for (QCheckBox* box : panel.form().findChildren<QCheckBox*>()) box->setChecked(true);
    set_length(panel, 192);
    QVERIFY2(panel.form().why_not().isEmpty(), qPrintable(panel.form().why_not()));
    QSignalSpy done(&window.lab().head_profiles, &HeadProfileController::done);
    QSignalSpy moved(&window.lab().head_profiles, &HeadProfileController::progressed);
    button<QPushButton>(panel, HeadProbeForm::tr("Profile"))->click();
    QVERIFY(window.lab().head_profiles.active() && !window.lab().runs.can_run());
    QVERIFY(!button<QPushButton>(panel, HeadProbeForm::tr("Profile"))->isEnabled());
    QVERIFY(panel.findChild<QProgressBar*>()->isVisible());
    QVERIFY(done.wait(patience_ms));
    QVERIFY(moved.count() > 0);
    QVERIFY(window.lab().runs.can_run());
    QVERIFY(!panel.findChild<QProgressBar*>()->isVisible());
    QCOMPARE(panel.sets().size(), std::size_t{4});  // all probes, and each kind

    const auto trained = [](const HeadRef& head) { return head.layer == 3 && head.head >= 2 && head.head <= 5; };
    const std::vector<HeadRef> ranked = ranked_heads(*panel.scores());
    QVERIFY(trained(ranked.front()));
    field<QSpinBox>(panel, HeadDiscoveryPanel::tr("Layers to propose"))->setValue(1);
    field<QSpinBox>(panel, HeadDiscoveryPanel::tr("Heads to propose"))->setValue(4);
    const std::vector<HeadRef> proposed = retrieving_heads(panel.proposal());
    QVERIFY(std::count_if(proposed.begin(), proposed.end(), trained) >= 3);
    const SegmentConfig before = window.lab().context.config();
    QTRY_VERIFY(button<QPushButton>(panel, HeadDiscoveryPanel::tr("Apply the proposal"))->isEnabled());
    button<QPushButton>(panel, HeadDiscoveryPanel::tr("Apply the proposal"))->click();
    QVERIFY(window.lab().context.config().grouping == panel.proposal());
    QTRY_VERIFY(!button<QPushButton>(panel, HeadDiscoveryPanel::tr("Apply the proposal"))->isEnabled());
    window.lab().context.undo_stack().undo();
    QVERIFY(window.lab().context.config() == before);
    const TempDir folder;
    panel.plots().front()->export_to(path_in(folder, "heads.csv"), PlotView::Format::Csv, {85, 60});
    const QString csv = QString::fromStdString(read_bytes(folder.file("heads.csv")));
    QVERIFY(csv.contains(QStringLiteral("carryover heads")) && csv.contains(QStringLiteral("--kinds")));
    QVERIFY2(window.message_bar().isHidden(), qPrintable(window.message_bar().text()));
  }

  void cancel_ends_it_and_the_scores_stay() {
    MainWindow window;
    open_window(window);
    HeadDiscoveryPanel& panel = raised(window);
    panel.show_profile(made_up_profile(), {});
    set_length(panel, 2048);
    QSignalSpy ended(&window.lab().head_profiles, &HeadProfileController::ended);
    QSignalSpy done(&window.lab().head_profiles, &HeadProfileController::done);
    QSignalSpy moved(&window.lab().head_profiles, &HeadProfileController::progressed);
    panel.form().profile();
    QVERIFY(moved.wait(patience_ms));
    button<QPushButton>(panel, HeadProbeForm::tr("Cancel"))->click();
    QVERIFY(ended.count() > 0 || ended.wait(patience_ms));
    QCOMPARE(done.count(), 0);
    QVERIFY(window.lab().runs.can_run());
    QVERIFY(panel.form().why_not().isEmpty());
    QCOMPARE(panel.sets().size(), std::size_t{3});
    QVERIFY2(window.message_bar().isHidden(), qPrintable(window.message_bar().text()));
    panel.form().profile();  // and a window closes over one
    QVERIFY(window.lab().head_profiles.active());
  }

  void scores_from_before_a_training_go_and_files_stay() {
    MainWindow window;
    open_window(window);
    HeadDiscoveryPanel& panel = raised(window);
    panel.show_profile(made_up_profile(), {});
    const TempDir folder;
    panel.export_file(path_in(folder, "scores.json"));
    panel.import_file(path_in(folder, "scores.json"));
    QCOMPARE(panel.sets().size(), std::size_t{4});
    const LoadedModel trained = *window.lab().loader.model();
    Q_EMIT window.lab().engine.worker().model_trained(trained);
    QCOMPARE(panel.sets().size(), std::size_t{1});
    QVERIFY(panel.sets().at(0).imported() && panel.scores() != nullptr);
  }

  void what_can_not_be_is_refused_with_its_reason() {
    MainWindow window;
    window.show();
    HeadDiscoveryPanel& panel = raised(window);
    QVERIFY(!panel.form().why_not().isEmpty());
    const auto refuses = [&] {
      QSignalSpy failed(&window.lab().head_profiles, &HeadProfileController::failed);
      window.lab().head_profiles.start({});
      const QString said = failed.isEmpty() ? QString() : failed.at(0).at(0).value<ErrorReport>().problem;
      return !said.isEmpty() && !window.lab().head_profiles.active() && window.message_bar().text().contains(said);
    };
    QVERIFY(refuses());  // nothing is open
    open_window(window);
    window.lab().engine.set_busy(QStringLiteral("something else is using the engine"));
    QVERIFY(panel.form().why_not().contains(QStringLiteral("something else")));
    QVERIFY(refuses());
    window.lab().engine.set_busy({});
    QVERIFY(panel.form().why_not().isEmpty());
    for (QCheckBox* box : panel.form().findChildren<QCheckBox*>()) box->setChecked(false);
    QVERIFY(!panel.form().why_not().isEmpty());
    QSignalSpy wanted(&panel.form(), &HeadProbeForm::profile_wanted);
    panel.form().profile();
    QCOMPARE(wanted.count(), 0);
    button<QCheckBox>(panel, HeadProbeForm::tr("Open text"))->setChecked(true);
    QVERIFY(panel.form().why_not().isEmpty());
    panel.form().set_text_tokens(100);
    QVERIFY(panel.form().why_not().contains(QStringLiteral("100")));
  }

  void the_map_tells_ranks_and_selects_heads_everywhere() {
    Shown shown;
    PlotView& map = shown.map();
    const QRectF view = map.view();
    QCOMPARE(view, QRectF(-0.5, -0.5, 8, 4));
    QVERIFY(map.map_colour(5, 2) != map.map_colour(4, 2));
    Q_EMIT map.clicked(5.2, 1.9);
    QCOMPARE(shown.lab.selected().layer, 2);
    QCOMPARE(shown.lab.selected().head, 5);
    Q_EMIT map.stepped(1, -2);
    QCOMPARE(shown.lab.selected().layer, 0);
    QCOMPARE(shown.lab.selected().head, 6);
    Q_EMIT map.clicked(9, 1);  // beside the map
    QCOMPARE(shown.lab.selected().head, 6);
    shown.panel.set_linked(false);
    Q_EMIT map.clicked(1, 1);
    QCOMPARE(shown.lab.selected().head, 6);
    const QStringList rows = map.csv().split(u'\n');
    QCOMPARE(rows[0], QStringLiteral("layer,head,score,rank,current,proposed"));
    QCOMPARE(rows.size(), 32 + 2);
    QVERIFY(rows[1 + 2 * 8 + 5].startsWith(QStringLiteral("2,5,0.9,1,")));
    QVERIFY(rows[1].startsWith(QStringLiteral("0,0,0.5,2,")));
  }

  void every_format_takes_the_map_home() {
    Shown shown;
    const TempDir folder;
    for (const char* name : {"map.png", "map.pdf", "map.svg", "map.csv", "map.npy"}) {
      const QString path = path_in(folder, name);
      shown.map().export_to(path, PlotView::format_of(path), {85, 60});
      QVERIFY(QFile(path).size() > 200);
    }
  }

  void proposals_are_held_against_presets() {
    Shown shown;
    QAbstractItemModel& model = *shown.table().model();
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), static_cast<int>(grouping_presets(made_up_model()).size()) + 2);
    shown.propose(1, 1);
    const auto cell = [&](int row, int column) { return model.index(row, column).data().toString(); };
    QCOMPARE(cell(ProposalsTable::Proposed, ProposalsTable::Layers), QStringLiteral("1"));
    QCOMPARE(cell(ProposalsTable::Proposed, ProposalsTable::Heads), QStringLiteral("1"));
    QCOMPARE(cell(ProposalsTable::Proposed, ProposalsTable::Shared), QStringLiteral("100.0 %"));
    QVERIFY(shown.panel.proposal() == Grouping({2}, {{}, {}, {5}, {}}));
    const double share = captured_share(*shown.panel.scores(), shown.panel.proposal());
    QCOMPARE(cell(ProposalsTable::Proposed, ProposalsTable::Share), QStringLiteral("%1 %").arg(100 * share, 0, 'f', 1));
    for (int row = ProposalsTable::FirstPreset; row < model.rowCount(); ++row) {
      const QString name = cell(row, ProposalsTable::Name);
      if (name == QStringLiteral("none")) {
        QCOMPARE(cell(row, ProposalsTable::Heads), QStringLiteral("0"));
        QCOMPARE(cell(row, ProposalsTable::Shared), QStringLiteral("0.0 %"));
      }
    }
    shown.lab.edit_config(
        [&] {
          SegmentConfig config = shown.lab.config();
          config.grouping = shown.panel.proposal();
          return config;
        }(),
        QStringLiteral("a test"));
    test::settle();
    QCOMPARE(cell(ProposalsTable::Current, ProposalsTable::Shared), QStringLiteral("100.0 %"));
    shown.panel.show_profile(made_up_profile(), {});  // other scores, the same rows
    test::settle();
    shown.lab.set_model(tiny_config(2, 4, 2, 16, 512), SegmentConfig{});
    test::settle();
    QCOMPARE(model.rowCount(), 0);  // scores of another model
    QVERIFY(shown.map().is_empty());
  }

  void the_measure_and_the_set_are_chosen() {
    Shown shown;
    QCOMPARE(ranked_heads(*shown.panel.scores()).front(), (HeadRef{2, 5}));
    field<QComboBox>(shown.panel, HeadDiscoveryPanel::tr("Measure"))->setCurrentIndex(1);
    test::settle();
    QCOMPARE(ranked_heads(*shown.panel.scores()).front(), (HeadRef{0, 1}));
    QCOMPARE(field<QComboBox>(shown.panel, HeadDiscoveryPanel::tr("Scores"))->count(), 3);
  }

  void a_selected_preset_is_outlined() {
    Shown shown;
    const QImage before = shown.map().grab().toImage();
    shown.table().selectRow(ProposalsTable::FirstPreset);
    test::settle();
    const QImage after = shown.map().grab().toImage();
    QVERIFY(before != after);
    shown.table().clearSelection();
    test::settle();
    QCOMPARE(shown.map().grab().toImage(), before);
  }

  void files_of_both_formats_go_out_and_come_in() {
    Shown shown;
    const TempDir folder;
    const QString tsv = path_in(folder, "full_attention_heads.tsv"), json = path_in(folder, "scores.json");
    shown.panel.export_file(tsv);
    shown.panel.export_file(json);
    QCOMPARE(unlike(Fault::Usage, "suffix", [&] { shown.panel.export_file(QStringLiteral("scores.txt")); }),
             std::string());
    const HeadScores profiled = *shown.panel.scores();
    QVERIFY(drop(shown.panel, {json}));
    test::settle();
    QCOMPARE(shown.panel.sets().size(), std::size_t{4});
    QCOMPARE(shown.panel.scores()->values, profiled.values);
    QVERIFY2(shown.agreement().contains(QStringLiteral("1.00")) && shown.agreement().contains(QStringLiteral("100 %")),
             qPrintable(shown.agreement()));
    QVERIFY(drop(shown.panel, {tsv, json}));  // the same file again takes its place
    QCOMPARE(shown.panel.sets().size(), std::size_t{5});
    QVERIFY(!drop(shown.panel, {QStringLiteral("/a/text.txt")}));  // the window's
    shown.panel.show_profile(made_up_profile(), {});
    test::settle();
    QCOMPARE(shown.panel.sets().size(), std::size_t{5});  // files stay
    QVERIFY2(shown.agreement().contains(QStringLiteral("scores.json")), qPrintable(shown.agreement()));
  }

  void files_that_do_not_fit_change_nothing_and_are_said() {
    Shown shown;
    const TempDir folder;
    const auto file = [&](const char* name, const std::string& contents) {
      write_bytes(folder.file(name), contents);
      return path_in(folder, name);
    };
    const QString wide = file("wide.tsv", "0.1\t0.2\t0.3\t0.4\t0.5\n"), deep = file("deep.json", R"({"9-0": [1]})");
    const QString words = file("words.json", "[1, 2]"), gone = path_in(folder, "gone.tsv");
    QCOMPARE(unlike(Fault::BadInput, "4 layers of 4 KV heads", [&] { shown.panel.import_file(wide); }), std::string());
    QCOMPARE(unlike(Fault::BadInput, "4 layers of 8 heads", [&] { shown.panel.import_file(deep); }), std::string());
    QVERIFY(error_of([&] { shown.panel.import_file(words); }).has_value());
    QCOMPARE(unlike(Fault::Io, "gone.tsv", [&] { shown.panel.import_file(gone); }), std::string());
    QCOMPARE(shown.panel.sets().size(), std::size_t{3});
    std::vector<std::string> said;
    connect(&shown.panel, &HeadDiscoveryPanel::failed, this,
            [&](const EngineError& error) { said.push_back(error.where()); });
    QVERIFY(drop(shown.panel, {wide, deep}));
    QCOMPARE(said, (std::vector<std::string>{wide.toStdString(), deep.toStdString()}));
    LabContext lab;
    HeadDiscoveryPanel empty(lab);
    QCOMPARE(unlike(Fault::Usage, "no model", [&] { empty.import_file(wide); }), std::string());
    QCOMPARE(unlike(Fault::Usage, "scored", [&] { empty.export_file(wide); }), std::string());
  }

  void a_bad_file_dropped_on_the_window_is_in_the_message_bar() {
    MainWindow window;
    window.show();
    HeadDiscoveryPanel& panel = raised(window);
    QVERIFY(drop(panel, {QStringLiteral("/not/there.tsv")}));
    QVERIFY(window.message_bar().isVisible());
  }

  void an_empty_panel_says_what_to_do() {
    LabContext lab;
    HeadDiscoveryPanel panel(lab);
    panel.resize(700, 500);
    panel.show();
    test::settle();
    const auto says = [&](const QString& words) {
      for (const QLabel* label : panel.findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(words)) return true;
      return false;
    };
    QVERIFY(says(QStringLiteral("Open a model")));
    lab.set_model(made_up_model(), SegmentConfig::defaults_for(made_up_model()));
    test::settle();
    QVERIFY(says(QStringLiteral("Press Profile")));
    QVERIFY(!panel.findChild<QTableView*>()->isVisible());
    panel.apply_proposal();  // nothing to apply
    QVERIFY(lab.undo_stack().count() == 0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<HeadDiscoveryTest>};
#include "head_discovery_test.moc"
