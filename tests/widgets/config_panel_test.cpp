// SPDX-License-Identifier: GPL-3.0-or-later
// The settings panel shows a configuration whole: what is changed in it changes, and nothing else does.
#include "widgets/runs/config_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <QUndoStack>

#include "engine/policies/minference/minference_settings.h"
#include "tests/support/find_parts.h"
#include "tests/support/gui_test.h"
#include "tests/support/random_config.h"
#include "tests/support/settle.h"
#include "tests/support/synthetic_run.h"

using namespace carryover;

namespace {

/// The panel with a model and its default settings.
struct Shown {
  const ModelConfig model = test::synthetic_model().config;
  LabContext lab;
  ConfigPanel panel{lab};

  Shown() {
    panel.show();
    lab.set_model(model, SegmentConfig::defaults_for(model));
    test::settle();
  }
};

void choose(QComboBox& box, int index) {
  box.setCurrentIndex(index);
  Q_EMIT box.activated(index);
}

std::string name_of(PoolKeys keys) {
  return std::string(kPoolKeysNames[static_cast<std::size_t>(keys)]);
}

}  // namespace

class ConfigPanelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { test::fail_on_qt_warnings(); }

  void a_choice_of_pool_keys_changes_them_alone_and_is_undone() {
    LabContext lab;
    ConfigPanel panel(lab);
    panel.show();
    const ModelConfig model = test::synthetic_model().config;
    QComboBox* box = test::box_with(panel, QStringLiteral("int8"));
    QVERIFY(box && !box->toolTip().isEmpty());
    QCOMPARE(box->count(), static_cast<int>(kPoolKeysNames.size()));
    std::mt19937 random(5);
    for (int i = 0; i < 12; ++i) {
      SegmentConfig config = test::random_segment_config(random, model);
      config.rope.reset();
      lab.set_model(model, config);
      test::settle();
      QCOMPARE(box->currentText().toStdString(), name_of(config.pool_keys));
      SegmentConfig other = config;
      other.pool_keys = static_cast<PoolKeys>((static_cast<std::size_t>(config.pool_keys) + 1) % kPoolKeysNames.size());
      choose(*box, box->findText(QString::fromStdString(name_of(other.pool_keys))));
      QVERIFY(lab.config() == other);
      lab.undo_stack().undo();
      test::settle();
      QVERIFY(lab.config() == config);
      QCOMPARE(box->currentText().toStdString(), name_of(config.pool_keys));
    }
  }

  void a_preset_sets_everything_and_is_undone() {
    Shown shown;
    auto& [model, lab, panel] = shown;
    QComboBox* box = test::box_with(panel, QStringLiteral("paper"));
    QVERIFY(box);
    QCOMPARE(box->currentText(), QStringLiteral("paper"));
    choose(*box, box->findText(QStringLiteral("sinks")));
    test::settle();
    QCOMPARE(lab.config(), SegmentConfig::untrained_defaults_for(model));
    QCOMPARE(box->currentText(), QStringLiteral("sinks"));
    lab.undo_stack().undo();
    test::settle();
    QCOMPARE(lab.config(), SegmentConfig::defaults_for(model));

    // Nobody is known to search in this model: the preset for recall needs searchers first.
    const SegmentConfig before = lab.config();
    choose(*box, box->findText(QStringLiteral("recall")));
    test::settle();
    QCOMPARE(lab.config(), before);
    SegmentConfig searched = before;
    searched.search_heads = {{1, 0}, {2, 1}};
    lab.edit_config(searched, QStringLiteral("searchers"));
    test::settle();
    QCOMPARE(box->currentText(), QStringLiteral("paper"));  // whose heads search for themselves
    choose(*box, box->findText(QStringLiteral("recall")));
    test::settle();
    QVERIFY(lab.config().search == SearchBy::Shared && lab.config().question_pass);
    QCOMPARE(lab.config().search_heads, searched.search_heads);
    QCOMPARE(box->currentText(), QStringLiteral("recall"));
    SegmentConfig own = lab.config();
    own.carry_length = 17;
    lab.edit_config(own, QStringLiteral("carry"));
    test::settle();
    QCOMPARE(box->currentIndex(), box->count() - 1);  // "Custom"
  }

  void the_preset_on_show_takes_the_place_of_what_is_typed() {
    Shown shown;
    auto& [model, lab, panel] = shown;
    QSpinBox* segment = test::segment_field(panel);
    QVERIFY(segment);
    segment->findChild<QLineEdit*>()->selectAll();
    QTest::keyClicks(segment->findChild<QLineEdit*>(), QStringLiteral("0"));
    test::settle();
    QVERIFY(!lab.settings_problem().isEmpty());
    QComboBox* box = test::box_with(panel, QStringLiteral("paper"));
    choose(*box, box->currentIndex());
    test::settle();
    QCOMPARE(lab.settings_problem(), QString());
    QCOMPARE(segment->value(), static_cast<int>(lab.config().segment_length));
  }

  void policy_dtype_and_tokens_are_undone_in_order() {
    Shown shown;
    auto& [model, lab, panel] = shown;
    QSpinBox* tokens = nullptr;
    for (QSpinBox* box : panel.findChildren<QSpinBox*>())
      if (box->specialValueText() == ConfigPanel::tr("whole text")) tokens = box;
    QComboBox *policy = test::box_with(panel, QStringLiteral("streaming")),
              *dtype = test::box_with(panel, QStringLiteral("fp64")),
              *preset = test::box_with(panel, QStringLiteral("paper"));
    QVERIFY(tokens && policy && dtype && preset);
    const auto type_tokens = [&] {
      tokens->setFocus();
      tokens->selectAll();
      QTest::keyClicks(tokens, QStringLiteral("300"));
      QTest::keyClick(tokens, Qt::Key_Return);
    };
    std::vector<std::pair<RunOptions, SegmentConfig>> states{{lab.run_options(), lab.config()}};
    const auto step = [&](const auto& edit) {
      edit();
      test::settle();
      states.emplace_back(lab.run_options(), lab.config());
      return lab.undo_stack().count() == std::ssize(states) - 1;
    };
    QVERIFY(step([&] { choose(*policy, policy->findText(QStringLiteral("streaming"))); }));
    QVERIFY(step([&] { choose(*dtype, dtype->findText(QStringLiteral("fp64"))); }));
    QVERIFY(step(type_tokens));
    QVERIFY(step([&] { choose(*preset, preset->findText(QStringLiteral("sinks"))); }));  // a policy and fields at once
    QVERIFY(lab.run_options().token_limit == 300 && lab.run_options().tokens_chosen);
    QVERIFY(states[4].first.policy == "segmented" && !(states[4].second == states[3].second));
    for (std::size_t i = states.size() - 1; i > 0; --i) {
      QVERIFY(lab.run_options() == states[i].first && lab.config() == states[i].second);
      lab.undo_stack().undo();
      test::settle();
      QCOMPARE(policy->currentText().toStdString(), lab.run_options().policy);
    }
    QVERIFY(lab.run_options() == states[0].first && lab.config() == states[0].second);
    for (std::size_t i = 1; i < states.size(); ++i) {
      lab.undo_stack().redo();
      QVERIFY(lab.run_options() == states[i].first && lab.config() == states[i].second);
    }
    RunOptions set = lab.run_options();  // by a model that opened, say
    set.device = Device::Cpu;
    lab.set_run_options(set);
    while (lab.undo_stack().canUndo()) lab.undo_stack().undo();
    QVERIFY(lab.run_options().device == Device::Cpu && lab.run_options().policy == states[0].first.policy);
  }

  void tokens_that_an_arrow_sets_are_one_edit_and_what_is_shown_is_none() {
    LabContext lab;
    ConfigPanel panel(lab);
    panel.show();
    const ModelConfig model = test::synthetic_model().config;
    lab.set_model(model, SegmentConfig::defaults_for(model));
    RunOptions set;
    set.token_limit = 500;
    lab.set_run_options(set);
    test::settle();
    lab.settle_settings();
    QVERIFY(!lab.undo_stack().canUndo() && !lab.run_options().tokens_chosen);
    for (QSpinBox* box : panel.findChildren<QSpinBox*>())
      if (box->specialValueText() == ConfigPanel::tr("whole text"))
        for (int i = 0; i < 3; ++i) box->stepUp();
    lab.settle_settings();
    QCOMPARE(lab.run_options().token_limit, std::int64_t{503});
    QCOMPARE(lab.undo_stack().count(), 1);
    lab.undo_stack().undo();
    QVERIFY(lab.run_options() == set);
  }

  void search_heads_are_typed_and_what_is_no_list_is_said() {
    Shown shown;
    auto& [model, lab, panel] = shown;
    QLineEdit* heads = nullptr;
    for (QLineEdit* line : panel.findChildren<QLineEdit*>())
      if (!line->placeholderText().isEmpty()) heads = line;
    QVERIFY(heads);
    const auto type = [&](const QString& text) {
      heads->setFocus();
      heads->selectAll();
      QTest::keyClicks(heads, text);
      QTest::keyClick(heads, Qt::Key_Return);
      test::settle();
    };
    type(QStringLiteral("1.2, 0.3"));
    QVERIFY(lab.config().search_heads == std::vector<HeadRef>({{0, 3}, {1, 2}}));
    QCOMPARE(heads->text(), QStringLiteral("0.3, 1.2"));
    type(QStringLiteral("1.2, x"));
    QVERIFY(lab.settings_problem().contains(QStringLiteral("18.6")));
    QVERIFY(lab.config().search_heads == std::vector<HeadRef>({{0, 3}, {1, 2}}));
    type(QStringLiteral("1.99"));
    QVERIFY(lab.settings_problem().contains(QStringLiteral("1.99")));
    type(QStringLiteral("none"));
    QVERIFY(lab.config().search_heads.empty() && lab.settings_problem().isEmpty());
  }

  void head_patterns_are_counted_and_cleared() {
    LabContext lab;
    ConfigPanel panel(lab);
    panel.show();
    const auto choose_policy = [&](const std::string& policy) {
      RunOptions options = lab.run_options();
      options.policy = policy;
      lab.set_run_options(options);
      test::settle();
    };
    SegmentConfig config = SegmentConfig::defaults_for(test::synthetic_model().config);
    for (const HeadRef head : {HeadRef{1, 3}, {1, 5}, {7, 0}})
      config.of<MinferenceSettings>().head_patterns.set(head.layer, head.head, {PatternKind::AShape, 4, 64, 1});
    lab.set_model(test::synthetic_model().config, config);
    choose_policy(std::string(kPatternPolicy));
    const QLabel* told = test::label_named(panel, QStringLiteral("Head patterns"));
    auto* clear = test::button<QToolButton>(panel, ConfigPanel::tr("Clear"));
    QVERIFY(told && told->isVisible() && clear && clear->isEnabled());
    QCOMPARE(told->text(), QStringLiteral("2 layers, 3 heads listed"));
    clear->click();
    test::settle();
    SegmentConfig without = config;
    without.of<MinferenceSettings>().head_patterns = {};
    QCOMPARE(lab.config(), without);
    QCOMPARE(told->text(), QStringLiteral("none: 1000 columns, 6096 diagonals"));
    QVERIFY(!clear->isEnabled());
    lab.undo_stack().undo();
    test::settle();
    QCOMPARE(lab.config(), config);
    QCOMPARE(told->text(), QStringLiteral("2 layers, 3 heads listed"));
    choose_policy("full");
    QVERIFY(!told->isVisible());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<ConfigPanelTest>};
#include "config_panel_test.moc"
