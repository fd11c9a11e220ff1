// SPDX-License-Identifier: GPL-3.0-or-later
// The form says what the command's own options read, and what cannot be measured is said before.
#include "widgets/bench/bench_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/cli/verbs.h"
#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/random_model.h"
#include "engine/cost/policy_table.h"
#include "engine/runs/records/run_command.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "widgets/look/theme.h"

using namespace carryover;

namespace {

const QString demo = QStringLiteral(CARRYOVER_SOURCE_DIR "/resources/demo");

/// `--flag` as the program's grammar reads it from the command; "MODEL" is the positional one.
std::string as_read(const BenchForm& form, const std::string& flag) {
  std::vector<std::string> words = bench_command(form.request());
  std::vector<VerbAction> actions;
  const auto app = make_app(actions);
  app->parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  std::string all;
  for (const std::string& value : app->get_subcommand("bench")->get_option(flag)->results())
    all += (all.empty() ? "" : ",") + value;
  return all;
}

template <typename Field>
Field* field(BenchForm& form, const char* name) {
  return form.findChild<Field*>(QLatin1String(name));
}

void open_demo(BenchForm& form, const std::string& config = {}) {
  form.set_model(demo, QStringLiteral("demo"), config);
}

}  // namespace

class BenchFormTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    test::fail_on_qt_warnings();
    apply_theme(*qApp, ThemeKind::Light);
  }

  void untouched_it_is_the_command_with_its_defaults() {
    BenchForm form;
    open_demo(form);
    QCOMPARE(form.problem(), QString());
    QCOMPARE(shell_command(bench_command(form.request())), "carryover bench " + demo.toStdString());
  }

  void every_field_becomes_its_flag() {
    const test::TempDir temp;
    BenchForm form;
    open_demo(form, R"({"segment_length":64})");
    QCOMPARE(as_read(form, "MODEL"), demo.toStdString());
    QCOMPARE(as_read(form, "--config"), std::string(R"({"segment_length":64})"));
    field<QCheckBox>(form, "with_settings")->setChecked(false);
    QCOMPARE(as_read(form, "--config"), std::string());
    auto* models = field<QComboBox>(form, "model");
    QCOMPARE(models->count(), static_cast<int>(random_shapes().size()) + 1);
    for (int i = 1; i < models->count(); ++i) {
      models->setCurrentIndex(i);
      QCOMPARE(as_read(form, "--shape"), random_shapes()[static_cast<std::size_t>(i - 1)]);
      QCOMPARE(as_read(form, "MODEL"), std::string());
    }
    for (const char* dtype : {"fp32", "bf16", "fp64"}) {
      field<QComboBox>(form, "dtype")->setCurrentText(QLatin1String(dtype));
      QCOMPARE(as_read(form, "--dtype"), std::string(dtype));
    }
    for (const char* device : {"cpu", "cuda"}) {
      field<QComboBox>(form, "device")->setCurrentText(QLatin1String(device));
      QCOMPARE(as_read(form, "--device"), std::string(device));
    }
    field<QSpinBox>(form, "threads")->setValue(3);
    QCOMPARE(as_read(form, "--threads"), std::string("3"));
    field<QLineEdit>(form, "contexts")->setText(QStringLiteral(" 100,2000 , 16777216 "));
    QCOMPARE(as_read(form, "--contexts"), std::string("100,2000,16777216"));
    field<QCheckBox>(form, "decode")->setChecked(false);
    QCOMPARE(as_read(form, "--what"), std::string("prefill,train"));
    for (const std::string& policy : policy_names())
      field<QCheckBox>(form, policy.c_str())->setChecked(policy == "full");
    QCOMPARE(as_read(form, "--policies"), std::string("full"));
    field<QSpinBox>(form, "repeats")->setValue(7);
    QCOMPARE(as_read(form, "--repeats"), std::string("7"));
    field<QSpinBox>(form, "new_tokens")->setValue(9);
    QCOMPARE(as_read(form, "--new-tokens"), std::string("9"));
    field<QLineEdit>(form, "peer")->setText(QStringLiteral("/bin/sh"));
    QCOMPARE(as_read(form, "--peer"), std::string("/bin/sh"));
    field<QLineEdit>(form, "output")->setText(QString::fromStdString(temp.file("it's new")));
    QCOMPARE(as_read(form, "--output"), temp.file("it's new"));
    QCOMPARE(form.problem(), QString());
  }

  void a_request_survives_the_form() {
    BenchForm form;
    BenchRequest request;
    request.settings.shape = "smollm2-135m";
    request.settings.contexts = {7, 4096};
    request.settings.kinds = {"decode"};
    request.settings.policies = {"full"};
    request.settings.repeats = 2;
    request.settings.new_tokens = 5;
    request.settings.output = "/tmp/-no such folder";
    request.dtype = DType::BFloat16;
    request.device = Device::Cpu;
    request.threads = 4;
    form.set_request(request);
    QCOMPARE(bench_command(form.request()), bench_command(request));
  }

  /// A value that begins with a dash is no flag.
  void odd_words_stay_values() {
    BenchForm form;
    form.set_model(QStringLiteral("-m.gguf"), QStringLiteral("m"), {});
    field<QLineEdit>(form, "output")->setText(QStringLiteral("-out"));
    QCOMPARE(as_read(form, "--output"), std::string("-out"));
    QCOMPARE(as_read(form, "MODEL"), std::string("./-m.gguf"));
  }

  void what_is_wrong_is_said() {
    const test::TempDir temp;
    std::filesystem::create_directory(temp.file("old"));
    test::write_bytes(temp.file("old/bench.json"), "{}");
    test::write_bytes(temp.file("file"), "");
    BenchForm form;
    QVERIFY(form.problem().contains(BenchForm::tr("Model")));  // none is open
    form.set_model({}, {}, {}, QStringLiteral("it is far away"));
    QVERIFY(form.problem().contains(QStringLiteral("it is far away")));
    field<QComboBox>(form, "model")->setCurrentIndex(1);
    QCOMPARE(form.problem(), QString());
    const auto refuses = [&](const char* name, const QString& wrong, const QString& part) {
      auto* edit = field<QLineEdit>(form, name);
      const QString right = edit->text();
      edit->setText(wrong);
      QVERIFY2(form.problem().startsWith(part), qPrintable(wrong + QStringLiteral(": ") + form.problem()));
      edit->setText(right);
      QCOMPARE(form.problem(), QString());
    };
    for (const char* wrong : {"", " , ", "0", "-5", "12x", "512, many", "16777217", "99999999999999999999", "1.5"})
      refuses("contexts", QLatin1String(wrong), BenchForm::tr("Contexts"));
    refuses("peer", QStringLiteral("/nowhere/python"), BenchForm::tr("Peer"));
    refuses("peer", QString::fromStdString(temp.file("file")), BenchForm::tr("Peer"));
    refuses("output", QString::fromStdString(temp.file("old")), BenchForm::tr("Folder"));
    refuses("output", QString::fromStdString(temp.file("file")), BenchForm::tr("Folder"));
    for (const char* box : {"prefill", "decode", "train"}) field<QCheckBox>(form, box)->setChecked(false);
    QVERIFY(form.problem().startsWith(BenchForm::tr("Work")));
    field<QCheckBox>(form, "decode")->setChecked(true);
    for (const std::string& policy : policy_names()) field<QCheckBox>(form, policy.c_str())->setChecked(false);
    QVERIFY(form.problem().startsWith(BenchForm::tr("Policies")));
  }

  /// Only what differs, and read back it is the window's configuration.
  void the_windows_settings_are_the_difference() {
    const ModelConfig model = ModelSource::open(demo.toStdString())->config();
    const SegmentConfig usual = SegmentConfig::defaults_for(model);
    QCOMPARE(config_difference(usual, usual), std::string());
    SegmentConfig config = usual;
    config.segment_length = 48;
    config.retrieval_length = 16;
    config.anchors = 3;
    config.grouping = Grouping({1}, {{0}});
    const nlohmann::json different = nlohmann::json::parse(config_difference(config, usual));
    QVERIFY(different.contains("segment_length") && !different.contains("top_k"));
    SegmentConfig read = usual;
    update_from_json(read, different, "test");
    QVERIFY(nlohmann::json(read) == nlohmann::json(config));
    config.anchors.reset();
    read = config;
    read.anchors = 5;
    update_from_json(read, nlohmann::json::parse(config_difference(config, read)), "test");
    QVERIFY(nlohmann::json(read) == nlohmann::json(config));
  }

  void it_says_when_it_changes_and_keeps_the_choice() {
    BenchForm form;
    open_demo(form);
    QSignalSpy changed(&form, &BenchForm::changed);
    field<QLineEdit>(form, "contexts")->setText(QStringLiteral("5"));
    QCOMPARE(changed.count(), 1);
    field<QComboBox>(form, "model")->setCurrentIndex(2);
    QCOMPARE(changed.count(), 2);
    open_demo(form);  // another model is opened: the chosen shape stays
    QCOMPARE(field<QComboBox>(form, "model")->currentIndex(), 2);
    QVERIFY(!field<QCheckBox>(form, "with_settings")->isEnabled());
  }

  void settings_that_can_t_be_measured_with_are_not_ticked_and_say_why() {
    BenchForm form;
    const auto* with_settings = field<QCheckBox>(form, "with_settings");
    const auto refuses = [&](const char* why) {
      return !with_settings->isEnabled() && !with_settings->isChecked() &&
             with_settings->toolTip().contains(QLatin1String(why));
    };
    QVERIFY(refuses("No model"));
    open_demo(form);
    QVERIFY(refuses("own settings"));
    open_demo(form, R"({"segment_length":64})");
    QVERIFY(with_settings->isEnabled() && with_settings->isChecked());
    auto* models = field<QComboBox>(form, "model");
    models->setCurrentIndex(1);
    QVERIFY(refuses("Random weights"));
    models->setCurrentIndex(0);
    QVERIFY(with_settings->isChecked());
    QCOMPARE(as_read(form, "--config"), std::string(R"({"segment_length":64})"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<BenchFormTest>};
#include "bench_form_test.moc"
