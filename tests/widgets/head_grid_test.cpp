// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/head_grid.h"

#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QFile>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QSpinBox>
#include <QTest>
#include <QToolTip>
#include <algorithm>

#include "engine/base/error.h"
#include "engine/config/recall_preset.h"
#include "engine/policies/minference/minference_settings.h"
#include "tests/support/expect_error.h"
#include "tests/support/gui_test.h"
#include "tests/support/random_config.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"
#include "tests/support/temp_dir.h"
#include "widgets/heads/head_grid_panel.h"
#include "widgets/heads/pattern_dialog.h"
#include "widgets/lab/config_files.h"
#include "widgets/look/quantity_text.h"

using namespace carryover;

namespace {

/// A shown grid on the synthetic model with nothing long-range.
struct GridLab {
  LabContext lab;
  HeadGrid grid{lab};
  GridLab() {
    const ModelConfig model = test::synthetic_model().config;
    SegmentConfig config = SegmentConfig::defaults_for(model);
    config.grouping = Grouping({}, {{}});
    lab.set_model(model, config);
    grid.resize(260, 320);
    grid.show();
  }
  void choose_policy(std::string_view policy) {
    RunOptions options = lab.run_options();
    options.policy = policy;
    lab.set_run_options(options);
  }
  QString tooltip(int layer, int head) {
    QHelpEvent help(QEvent::ToolTip, at(layer, head), {});
    QApplication::sendEvent(&grid, &help);
    return QToolTip::text();
  }
  /// The entry of a head's menu that asks for its pattern; null where there is none.
  QAction* pattern_entry(int layer, int head) {
    QContextMenuEvent event(QContextMenuEvent::Mouse, at(layer, head), grid.mapToGlobal(at(layer, head)));
    QApplication::sendEvent(&grid, &event);
    auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
    if (menu == nullptr) return nullptr;
    const QString name = HeadGrid::tr("Pattern of layer %1, head %2…").arg(layer).arg(head);
    QAction* found = nullptr;
    for (QAction* action : menu->actions())
      if (action->text() == name) found = action;
    menu->close();  // which lives until events are processed
    return found;
  }
  QPoint at(int layer, int head) const { return grid.cell_rect(layer, head).center(); }
  const Grouping& grouping() const { return lab.config().grouping; }
};

}  // namespace

class HeadGridTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void every_cell_is_found_where_it_is_drawn() {
    GridLab lab;
    for (int layer = 0; layer < 12; ++layer)
      for (int head = -1; head < 6; ++head)
        QCOMPARE(lab.grid.cell_at(lab.at(layer, head)), std::optional(HeadGrid::Cell{layer, head}));
    QVERIFY(!lab.grid.cell_at({-5, 40}));
  }

  /// It counts what the model would take now, whatever the run on show was made with.
  void the_footer_is_of_the_dtype_that_the_model_is_in() {
    GridLab lab;
    test::synthetic_run(lab.lab.run(), 4, 4, test::synthetic_request(4));
    HeadGridPanel panel(lab.lab);
    panel.show();
    for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Float64}) {
      lab.lab.set_model_dtype(dtype);
      panel.catch_up();
      const CostModel cost{*lab.lab.model(), lab.lab.config(), bytes_per_value(dtype)};
      const QString bytes = bytes_text(cost.segmented_attention_bytes());
      const auto labels = panel.findChildren<QLabel*>();
      QVERIFY2(std::ranges::any_of(labels, [&](const QLabel* label) { return label->text().contains(bytes); }),
               qPrintable(bytes));
    }
  }

  void the_formula_in_the_footer_is_of_what_the_heads_read() {
    GridLab lab;
    SegmentConfig config = lab.lab.config();
    config.grouping = Grouping({3, 8}, {{0, 1, 2}});
    HeadGridPanel panel(lab.lab);
    panel.show();
    const auto formula = [&](const SegmentConfig& wanted) {
      lab.lab.set_config(wanted);
      panel.catch_up();
      const double seen = CostModel{*lab.lab.model(), wanted, 4}.visible_positions();
      const QString sum = QStringLiteral(" = <b>%1</b>").arg(decimal_text(seen, 1));
      for (const QLabel* label : panel.findChildren<QLabel*>())
        if (const qsizetype end = label->text().indexOf(sum); end >= 0)
          return label->text().left(end).section(QStringLiteral("<br>"), -1);
      return QString();
    };
    QCOMPARE(formula(config), QStringLiteral("n+S+αM+β(1−α)R"));
    const SegmentConfig recall = recall_preset(*lab.lab.model(), config);  // all heads read all of it
    QCOMPARE(formula(recall), QStringLiteral("n+S+M+β(1−α)R"));
    config.long_reads = PrefixParts::Retrieved;
    QCOMPARE(formula(config), QStringLiteral("%1n+S+αM+β(1−α)R").arg(decimal_text(0.5, 3)));
    config.retrieval_length = 0;
    config.local_reads = PrefixParts::Sinks;
    QCOMPARE(formula(config), QStringLiteral("%1n+S").arg(decimal_text(0.5, 3)));
  }

  void looking_selects_and_edits_nothing() {
    GridLab lab;
    QTest::mouseClick(&lab.grid, Qt::LeftButton, {}, lab.at(4, 2));
    QCOMPARE(lab.lab.selected().layer, 4);
    QCOMPARE(lab.lab.selected().head, 2);
    QCOMPARE(lab.lab.undo_stack().count(), 0);
  }

  void a_drag_ends_with_the_model_that_it_began_over() {
    GridLab lab;
    lab.grid.set_editing(true);
    const QPoint pressed = lab.at(10, 2);
    QTest::mousePress(&lab.grid, Qt::LeftButton, {}, pressed);
    ModelConfig smaller = test::synthetic_model().config;
    smaller.layers = 2;
    const SegmentConfig config = SegmentConfig::defaults_for(smaller);
    lab.lab.set_model(smaller, config);
    QTest::mouseRelease(&lab.grid, Qt::LeftButton, {}, pressed);
    QCOMPARE(lab.lab.undo_stack().count(), 0);
    QCOMPARE(lab.lab.config(), config);
  }

  void keys_stay_within_the_open_model() {
    GridLab lab;
    ModelConfig smaller = test::synthetic_model().config;
    smaller.layers = 2;
    lab.lab.set_model(smaller, SegmentConfig::defaults_for(smaller));
    lab.lab.select_head(10, 2);  // of a run on show, whose model had more layers
    const bool before = lab.grouping().is_long(1, 2);
    QTest::keyClick(&lab.grid, Qt::Key_Space);
    QCOMPARE(lab.grouping().is_long(1, 2), !before);
  }

  void a_click_toggles_and_undo_restores() {
    GridLab lab;
    lab.grid.set_editing(true);
    QTest::mouseClick(&lab.grid, Qt::LeftButton, {}, lab.at(4, 2));
    QVERIFY(lab.grouping().is_long(4, 2));
    QVERIFY(!lab.grouping().is_long(5, 2));
    QCOMPARE(head_role(lab.grouping(), 4, 2), HeadRole::LongRange);
    QTest::mouseClick(&lab.grid, Qt::LeftButton, {}, lab.at(4, -1));
    QCOMPARE(head_role(lab.grouping(), 4, 2), HeadRole::Retrieving);
    lab.lab.undo_stack().undo();
    lab.lab.undo_stack().undo();
    QCOMPARE(head_role(lab.grouping(), 4, 2), HeadRole::Local);
  }

  void a_rubber_band_is_one_edit_of_exactly_its_cells() {
    GridLab lab;
    lab.grid.set_editing(true);
    QTest::mousePress(&lab.grid, Qt::LeftButton, {}, lab.at(7, 4));
    QTest::mouseMove(&lab.grid, lab.at(3, 1));
    QTest::mouseRelease(&lab.grid, Qt::LeftButton, {}, lab.at(3, 1));
    for (int layer = 0; layer < 12; ++layer)
      for (int head = 0; head < 6; ++head)
        QCOMPARE(lab.grouping().is_long(layer, head), layer >= 3 && layer <= 7 && head >= 1 && head <= 4);
    QCOMPARE(lab.lab.undo_stack().count(), 1);
  }

  void keys_edit_too() {
    GridLab lab;
    QTest::keyClick(&lab.grid, Qt::Key_Down);
    QTest::keyClick(&lab.grid, Qt::Key_Right);
    QTest::keyClick(&lab.grid, Qt::Key_Space);
    QTest::keyClick(&lab.grid, Qt::Key_L);
    QCOMPARE(head_role(lab.grouping(), 1, 1), HeadRole::Retrieving);
  }

  /// A layer with a window of its own can't become long-range, nor can its heads search; the grid says what it sees.
  void a_windowed_layer_stays_what_it_is() {
    GridLab lab;
    ModelConfig windowed = test::synthetic_model().config;
    windowed.window = 512;
    windowed.window_layers = {0, 1, 3};
    lab.lab.set_model(windowed, SegmentConfig::defaults_for(windowed));
    const SegmentConfig before = lab.lab.config();
    lab.lab.select_head(1, 2);
    for (const Qt::Key key : {Qt::Key_L, Qt::Key_S}) QTest::keyClick(&lab.grid, key);
    QCOMPARE(lab.lab.config(), before);
    QVERIFY(lab.tooltip(1, 2).contains(QStringLiteral("512")));
    QVERIFY(lab.tooltip(1, -1).contains(QStringLiteral("512")));
    QVERIFY(!lab.tooltip(2, 2).contains(QStringLiteral("512")));
    lab.lab.select_head(2, 2);
    QTest::keyClick(&lab.grid, Qt::Key_L);
    QVERIFY(lab.lab.config() != before);
  }

  void searchers_are_chosen_by_shift_and_by_key() {
    GridLab lab;
    lab.grid.set_editing(true);
    QTest::mouseClick(&lab.grid, Qt::LeftButton, Qt::ShiftModifier, lab.at(4, 2));
    QVERIFY(lab.lab.config().search == SearchBy::Shared);
    lab.lab.select_head(1, 3);
    QTest::keyClick(&lab.grid, Qt::Key_S);
    QCOMPARE(lab.lab.config().search_heads, (std::vector<HeadRef>{{1, 3}, {4, 2}}));
    QVERIFY(!lab.grouping().is_long(4, 2));
    const QImage marked = lab.grid.grab().toImage();
    QTest::keyClick(&lab.grid, Qt::Key_S);
    QCOMPARE(lab.lab.config().search_heads, (std::vector<HeadRef>{{4, 2}}));
    const QRect cell = lab.grid.cell_rect(1, 3);
    QVERIFY(marked.copy(cell) != lab.grid.grab().toImage().copy(cell));
    QTest::mouseClick(&lab.grid, Qt::LeftButton, Qt::ShiftModifier, lab.at(4, 2));
    QVERIFY(lab.lab.config().search == SearchBy::PerHead && lab.lab.config().search_heads.empty());
    lab.lab.undo_stack().undo();
    QCOMPARE(lab.lab.config().search_heads, (std::vector<HeadRef>{{4, 2}}));
  }

  void the_three_roles_look_different_without_colour() {
    GridLab lab;
    SegmentConfig config = lab.lab.config();
    config.grouping = Grouping({1}, {{1}});
    lab.lab.set_config(config);
    const QImage picture = lab.grid.grab().toImage().convertToFormat(QImage::Format_Grayscale8);
    const auto ink = [&](int layer, int head) {  // which pixels of the cell stand out, whatever their shade
      const QRect cell = lab.grid.cell_rect(layer, head).adjusted(3, 3, -3, -3);
      QByteArray shape;
      const int ground = qGray(picture.pixel(cell.topLeft()));
      for (int y = cell.top(); y < cell.top() + 12; ++y)
        for (int x = cell.left(); x < cell.left() + 12; ++x)
          shape += std::abs(qGray(picture.pixel(x, y)) - ground) > 30 ? '#' : ' ';
      return shape;
    };
    QVERIFY(ink(0, 0) != ink(0, 1));
    QVERIFY(ink(0, 1) != ink(1, 1));
    QVERIFY(ink(0, 0) != ink(1, 1));
    QVERIFY(ink(0, 0).contains('#'));
  }

  void files_round_trip_and_bad_ones_are_refused() {
    const test::TempDir folder;
    const ModelConfig model = test::synthetic_model().config;
    SegmentConfig config = SegmentConfig::defaults_for(model);
    config.grouping = Grouping({2, 5}, {{0, 3}});
    config.carry_length = 17;
    const QString path = QString::fromStdString(folder.file("config.json"));
    write_config(config, path);
    QCOMPARE(read_config(SegmentConfig::defaults_for(model), model, path), config);
    const QString grouping = QString::fromStdString(folder.file("grouping.json"));
    write_grouping(config, grouping);
    SegmentConfig expected = SegmentConfig::defaults_for(model);
    expected.grouping = config.grouping;
    QCOMPARE(read_config(SegmentConfig::defaults_for(model), model, grouping), expected);
    config.search = expected.search = SearchBy::Shared;
    config.search_heads = expected.search_heads = {{1, 2}, {3, 0}};
    write_grouping(config, grouping);
    QCOMPARE(read_config(SegmentConfig::defaults_for(model), model, grouping), expected);
    config.grouping = Grouping({2, 99}, {{0}});
    write_config(config, path);
    QVERIFY_THROWS_EXCEPTION(EngineError, read_config(SegmentConfig::defaults_for(model), model, path));
    QVERIFY_THROWS_EXCEPTION(EngineError, read_config(config, model, QStringLiteral("/nowhere/config.json")));
  }

  void patterns_of_heads_go_out_and_come_in() {
    const test::TempDir folder;
    const ModelConfig model = test::synthetic_model().config;
    const SegmentConfig usual = SegmentConfig::defaults_for(model);
    const std::string file = folder.file("patterns.json");
    const QString path = QString::fromStdString(file);
    std::mt19937 random(6);
    SegmentConfig config = usual;
    config.carry_length = 17;
    while (config.of<MinferenceSettings>().head_patterns.empty())
      config.of<MinferenceSettings>().head_patterns = test::random_head_patterns(random, model);
    config.of<MinferenceSettings>().head_patterns.layers.resize(
        static_cast<std::size_t>(model.layers));  // as MInference wants them
    SegmentConfig expected = usual;
    expected.of<MinferenceSettings>().head_patterns = config.of<MinferenceSettings>().head_patterns;
    write_patterns(config, model, path);
    QCOMPARE(read_patterns(usual, model, path), expected);
    write_config(expected, path);
    QCOMPARE(read_config(usual, model, path), expected);

    config.of<MinferenceSettings>().head_patterns = {};
    write_patterns(config, model, path);
    const HeadPatterns none = read_patterns(config, model, path).of<MinferenceSettings>().head_patterns;
    QVERIFY(none.empty() && std::ssize(none.layers) == model.layers);
    config.of<MinferenceSettings>().head_patterns.set(12, 0, {});
    write_patterns(config, model, path);
    const auto read = [&] { read_patterns(usual, model, path); };
    QCOMPARE(test::unlike(Fault::BadInput, "has 13 layers, but the model has 12", read), std::string());
    test::write_bytes(file, "[{}, {\"6\": [\"stream_llm\", 4, 64, 1]}]");
    QCOMPARE(test::unlike(Fault::BadInput, "layer 1 has head 6, which the model lacks", read), std::string());
    test::write_bytes(file, "[{}, {\"5\": [\"dense\", 4, 64, 1]}]");
    QCOMPARE(test::unlike(Fault::BadInput, "patterns.json: layer 1, head 5 has the unknown kind", read), std::string());
    QVERIFY(QFile::remove(path));
    QCOMPARE(test::unlike(Fault::Io, "patterns.json", read), std::string());
  }

  void under_minference_a_head_tells_its_pattern() {
    GridLab lab;
    SegmentConfig config = lab.lab.config();
    config.of<MinferenceSettings>().head_patterns.set(4, 2, {PatternKind::AShape, 100, 800, 0.5});
    config.of<MinferenceSettings>().head_patterns.set(5, 2, {PatternKind::BlockSparse, 60, 1, 0.5});
    lab.lab.set_config(config);
    QVERIFY2(!lab.tooltip(4, 2).contains(QStringLiteral("A-shape")), qPrintable(lab.tooltip(4, 2)));
    lab.choose_policy(kPatternPolicy);
    QCOMPARE(lab.tooltip(4, 2),
             QStringLiteral("Layer 4, head 2 (KV head 0): A-shape, 100 sinks, a window of 800 tokens"));
    QVERIFY(lab.tooltip(5, 2).endsWith(QStringLiteral(": block-sparse, 60 blocks of keys for a block of queries")));
    QVERIFY(lab.tooltip(4, 3).endsWith(QStringLiteral(": vertical and slash, 1000 columns, 6096 diagonals")));
  }

  void under_minference_the_menu_of_a_head_sets_its_pattern() {
    GridLab lab;
    QVERIFY(lab.pattern_entry(4, 2) == nullptr);
    lab.choose_policy(kPatternPolicy);
    QAction* entry = lab.pattern_entry(4, 2);
    QVERIFY(entry);
    entry->trigger();
    auto* dialog = lab.grid.findChild<PatternDialog*>();
    QVERIFY(dialog && dialog->isVisible() && dialog->pattern() == HeadPattern());
    const auto size = [&](const QString& name) -> QSpinBox* {
      for (QSpinBox* box : dialog->findChildren<QSpinBox*>())
        if (box->accessibleName() == name && box->isVisible()) return box;
      return nullptr;
    };
    QVERIFY(size(QStringLiteral("Columns")) && size(QStringLiteral("Diagonals")));
    dialog->findChild<QComboBox*>()->setCurrentIndex(static_cast<int>(PatternKind::BlockSparse));
    QVERIFY(!size(QStringLiteral("Diagonals")));
    dialog->findChild<QComboBox*>()->setCurrentIndex(static_cast<int>(PatternKind::AShape));
    QSpinBox *sinks = size(QStringLiteral("Sinks, tokens")), *window = size(QStringLiteral("Window, tokens"));
    QVERIFY(sinks && window);
    sinks->setValue(4);
    window->setValue(64);
    dialog->accept();
    test::settle();
    QVERIFY(lab.grid.findChild<PatternDialog*>() == nullptr);
    const HeadPatterns& patterns = lab.lab.config().of<MinferenceSettings>().head_patterns;
    QVERIFY(patterns.at(4, 2) == (HeadPattern{PatternKind::AShape, 4, 64, 1}) && patterns.count() == 1);
    lab.lab.undo_stack().undo();
    QVERIFY(lab.lab.config().of<MinferenceSettings>().head_patterns.empty());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<HeadGridTest>};
#include "head_grid_test.moc"
