// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/training/finetune_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <set>

#include "engine/base/error.h"
#include "engine/checkpoints/model_source.h"
#include "tests/support/demo_window.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "widgets/controls/memory_estimate.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/theme.h"
#include "widgets/training/plan_form.h"

using namespace carryover;
using nlohmann::json;

namespace {

const std::string demo = CARRYOVER_SOURCE_DIR "/resources/demo";

TrainingPlan demo_plan(const test::TempDir& folder) {
  TrainingPlan plan;
  plan.model = demo;
  plan.data = {demo + "/text.txt"};
  plan.output_dir = folder.file("run");
  plan.config.segment_length = 64;
  plan.config.carry_length = plan.config.retrieval_length = 16;
  plan.config.grouping = Grouping({1}, {{0}});
  return plan;
}

QPushButton* button(const QWidget& widget, const QString& text) {
  for (QPushButton* each : widget.findChildren<QPushButton*>())
    if (each->text() == text) return each;
  return nullptr;
}

template <typename Input>
Input* input(FinetuneDialog& dialog, const char* key) {
  return dialog.form().findChild<Input*>(QLatin1String(key));
}

QString remark(FinetuneDialog& dialog, const char* key) {
  return dialog.form().editor(QLatin1String(key))->remark()->text();
}

}  // namespace

class FinetuneDialogTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void the_form_has_every_field_once() {
    std::set<std::string> shown;
    for (const PlanGroup& group : plan_groups())
      for (const PlanField& field : group.fields) QVERIFY2(shown.insert(field.key).second, field.key);
    const json fields = plan_json({});
    for (const auto& [key, value] : fields.items()) QVERIFY2(shown.erase(key) == 1, key.c_str());
    QVERIFY2(shown.empty(), "a field that no plan has");
  }

  void every_preset_comes_back_as_it_was_filled_in() {
    const test::TempDir folder;
    FinetuneDialog dialog(demo_plan(folder));
    for (const TrainingPreset& preset : training_presets()) {
      TrainingPlan plan = demo_plan(folder);
      preset.apply(plan);
      dialog.set_plan(plan);
      QVERIFY(dialog.form().fields() == plan_json(plan));
      FinetuneDialog other(demo_plan(folder));
      other.apply_preset(QString::fromStdString(preset.name));
      QVERIFY(other.form().fields() == plan_json(plan));
    }
  }

  void unusual_values_survive_the_form() {
    const test::TempDir folder;
    TrainingPlan plan = demo_plan(folder);
    plan.data = {"/a file", "/b/c.jsonl"};
    plan.training.learning_rate = 3.3e-7;
    plan.training.seed = 18'446'744'073'709'551'615ull;
    plan.training.eval_lengths = {128, 4096};
    plan.training.train_segments = 5;
    plan.training.lora.target_modules = {"v_proj", "down_proj"};
    plan.config.anchors = 3;
    plan.config.grouping = Grouping({0, 2}, {{0}, {1}, {}, {0, 1}});
    RopeConfig rope;
    rope.kind = RopeConfig::Kind::Linear;
    rope.factor = 8;
    plan.config.rope = rope;
    FinetuneDialog dialog(plan);
    QVERIFY(dialog.form().fields() == plan_json(plan));
  }

  void what_is_wrong_stands_beside_its_field_and_nothing_starts() {
    const test::TempDir folder;
    FinetuneDialog dialog(demo_plan(folder));
    dialog.show();
    QVERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
    QPushButton* start = button(dialog, FinetuneDialog::tr("Start"));
    QVERIFY(start->isEnabled());
    const auto refuses = [&](const char* key, auto wrong, auto right) {
      wrong();
      QTRY_VERIFY2(dialog.problem().startsWith(QLatin1String(key)), qPrintable(dialog.problem()));
      QVERIFY(!start->isEnabled());
      QVERIFY(!dialog.plan().has_value());
      const QString said = remark(dialog, key);
      right();
      QTRY_VERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
      QVERIFY(start->isEnabled());
      QVERIFY(remark(dialog, key) != said);  // its help again
    };
    const auto number = [&](const char* key, int wrong) {
      auto* box = input<QSpinBox>(dialog, key);
      const int before = box->value();
      refuses(
          key, [&] { box->setValue(wrong); }, [&] { box->setValue(before); });
    };
    const auto text = [&](const char* key, const char* wrong) {
      auto* edit = input<QLineEdit>(dialog, key);
      const QString before = edit->text();
      refuses(
          key, [&] { edit->setText(QString::fromUtf8(wrong)); }, [&] { edit->setText(before); });
    };
    number("carry_length", 65);
    number("max_steps", 0);
    number("lora_rank", -1);
    text("learning_rate", "fast");
    text("learning_rate", "-1");
    text("seed", "-3");
    text("eval_lengths", "12, x");
    text("long_range_heads", "[0,");
    text("long_range_heads", "[77]");
    text("adam_beta2", "1");
    text("model", "/not/there");
    text("model", "");
    text("output_dir", "");
  }

  void a_folder_with_a_run_is_refused() {
    const test::TempDir folder;
    TrainingPlan plan = demo_plan(folder);
    std::filesystem::create_directory(plan.output_dir);
    test::write_bytes(std::filesystem::path(plan.output_dir) / "config.json", "{}");
    FinetuneDialog dialog(plan);
    QVERIFY(dialog.problem().startsWith(QLatin1String("output_dir")));
  }

  void start_and_dry_run_give_the_plan() {
    const test::TempDir folder;
    FinetuneDialog dialog(demo_plan(folder));
    dialog.show();
    QSignalSpy started(&dialog, &FinetuneDialog::start_wanted), tried(&dialog, &FinetuneDialog::dry_run_wanted);
    input<QSpinBox>(dialog, "max_steps")->setValue(7);
    button(dialog, FinetuneDialog::tr("Dry run"))->click();  // before the delayed check has run
    QCOMPARE(tried.count(), 1);
    QCOMPARE(tried.at(0).at(0).value<TrainingPlan>().training.max_steps, std::int64_t{7});
    dialog.set_engine_busy(QStringLiteral("a run is using the engine"));
    QVERIFY(!button(dialog, FinetuneDialog::tr("Start"))->isEnabled());
    QVERIFY(button(dialog, FinetuneDialog::tr("Start"))->toolTip().contains(QLatin1String("a run is using")));
    dialog.set_engine_busy({});
    button(dialog, FinetuneDialog::tr("Start"))->click();
    QCOMPARE(started.count(), 1);
    QVERIFY(plan_json(started.at(0).at(0).value<TrainingPlan>()) == dialog.form().fields());
    QVERIFY(!dialog.isVisible());
  }

  void a_dry_run_shows_memory_and_time_until_the_plan_changes() {
    const test::TempDir folder;
    FinetuneDialog dialog(demo_plan(folder));
    dialog.show();
    StepRecord step;
    step.seconds = 2;
    step.tokens_per_second = 512;
    step.memory.weights = 1'234'000'000;
    dialog.show_dry_run(step);
    const auto says = [&](const QString& text) {
      const auto labels = dialog.findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(),
                         [&](const QLabel* label) { return label->text().contains(text); });
    };
    const QString weights = QLocale().toString(1.234, 'f', 2) + QStringLiteral(" GB");
    QVERIFY(says(weights));
    QVERIFY(says(QStringLiteral("512")));
    input<QSpinBox>(dialog, "max_steps")->setValue(8);
    QTRY_VERIFY(!says(weights));
  }

  void the_config_it_writes_is_the_plan() {
    const test::TempDir folder;
    FinetuneDialog dialog(demo_plan(folder));
    dialog.apply_preset(QStringLiteral("tiny-demo"));
    const QString path = QString::fromStdString(folder.file("it's mine.json"));
    dialog.save_config(path);
    QVERIFY(json::parse(test::read_bytes(path.toStdString())) == dialog.form().fields());
    QVERIFY(dialog.config_command_line().startsWith(QLatin1String("carryover train --config '")));
    QVERIFY(dialog.config_command_line().contains(QLatin1String("it'\\''s mine.json")));
    input<QSpinBox>(dialog, "max_steps")->setValue(17);
    QTRY_VERIFY(dialog.config_command_line().isEmpty());  // the file says something else by now
    QVERIFY(dialog.command_line().contains(QLatin1String("--max-steps 17")));
    dialog.load_config(path);
    QVERIFY(!dialog.config_command_line().isEmpty());
    const json before = dialog.form().fields();
    dialog.apply_preset(QStringLiteral("paper-7b"));
    QVERIFY(dialog.form().fields() != before);
    dialog.load_config(path);
    QVERIFY(dialog.form().fields() == before);
    test::write_bytes(folder.file("bad.json"), R"({"model": 3})");
    QVERIFY_THROWS_EXCEPTION(EngineError, dialog.load_config(QString::fromStdString(folder.file("bad.json"))));
    QVERIFY(dialog.form().fields() == before);
  }

  void memory_that_is_not_there_is_said() {
    MemoryEstimate view;
    MemoryBytes bytes;
    bytes.weights = 900;
    view.set_estimate(bytes);
    QVERIFY(view.fits());  // nothing known
    view.set_free(1000);
    QVERIFY(view.fits());
    view.set_free(999);
    QVERIFY(!view.fits());  // a tenth is kept in reserve
    bytes.weights = 500;
    view.set_measured(bytes);
    QVERIFY(view.fits());
    QVERIFY(free_memory().value_or(0) > 0);
  }

  /// A training on another machine, or on a GPU, is not held against the memory of this one.
  void memory_is_that_of_the_device_that_trains() {
    const test::TempDir folder;
    TrainingPlan plan = demo_plan(folder);
    FinetuneDialog dialog(plan);
    const auto says = [&](const QString& words) {
      for (const QLabel* label : dialog.findChild<MemoryEstimate*>()->findChildren<QLabel*>())
        if (label->text().contains(words)) return true;
      return false;
    };
    QVERIFY(says(" is free"));
    const std::int64_t much = std::int64_t{7} << 40;
    dialog.set_device_memory(Device::Cuda, much);  // which auto chose
    QVERIFY(says(bytes_text(much) + " is free"));
    plan.device = Device::Cpu;
    dialog.set_plan(plan);
    QVERIFY(says(" is free") && !says(bytes_text(much)));
    dialog.set_elsewhere(demo, ModelSource::open(demo)->config());
    QVERIFY(!says(" is free"));
    dialog.set_device_memory(Device::Cpu, std::int64_t{1} << 20);
    QVERIFY(says("may not fit"));
  }

  void the_engine_says_what_its_device_can_give() {
    MainWindow window;
    test::open_demo(window, 512);
    QTRY_VERIFY_WITH_TIMEOUT(window.lab().memory.free_bytes().value_or(0) > 0, test::patience_ms);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<FinetuneDialogTest>};
#include "finetune_dialog_test.moc"
