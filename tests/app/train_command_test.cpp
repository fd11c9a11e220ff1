// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover-cli train` and `audit` on the demo model: what is refused, dry runs, run folders, resuming.
#include <QTest>
#include <nlohmann/json.hpp>

#include "app/cli/training/train_report.h"
#include "engine/training/records/training_folder.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"
#include "tests/support/train_demo.h"

using namespace carryover;
using carryover::test::CliResult;
using carryover::test::json_of;
using carryover::test::run_cli;
using carryover::test::TempDir;
using carryover::test::text;
using carryover::test::train_demo;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// English, of which the demo has read nothing.
QString unread_text() {
  return QStringLiteral(CARRYOVER_SOURCE_DIR "/LICENSE");
}

std::vector<double> losses(const std::string& folder) {
  std::vector<double> values;
  for (const StepRecord& step : read_training_folder(folder).steps) values.push_back(step.loss);
  return values;
}

double nll_of(const QStringList& more) {
  return json_of(run_cli(QStringList{"run", "--json", "--dtype", "fp32", "--tokens", "1024", "--segment-length", "64",
                                     "--carry-length", "16", "--retrieval-length", "16"} +
                         more))
      .at("nll_mean")
      .get<double>();
}

}  // namespace

class TrainCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void wrong_settings_are_refused_data();
  void wrong_settings_are_refused();
  void wrong_texts_are_refused_data();
  void wrong_texts_are_refused();
  void a_dry_run_writes_nothing();
  void a_run_writes_a_folder_and_learns();
  void a_file_gives_the_fields_and_flags_win();
  void a_resumed_run_equals_a_straight_one();
  void a_run_is_not_written_over();
  void another_text_is_not_resumed();
  void a_damaged_checkpoint_is_not_resumed();
  void an_adapter_is_trained_and_applied();
  void distillation_is_announced_and_recorded();
  void recall_samples_are_announced_and_recorded();
  void the_audit_passes();
  void the_audit_writes_gradients();
  void the_audit_refuses();

 private:
  TempDir temp_;
};

void TrainCommandTest::initTestCase() {
  qputenv("CARRYOVER_CACHE", QByteArray::fromStdString(temp_.file("cache")));
}

void TrainCommandTest::wrong_settings_are_refused_data() {
  QTest::addColumn<QString>("fields");
  QTest::addColumn<QStringList>("flags");
  QTest::addColumn<int>("code");
  QTest::addColumn<QByteArray>("part");
  const auto row = [](const char* name, const char* fields, const QStringList& flags, int code, const char* part) {
    QTest::newRow(name) << QString(fields) << flags << code << QByteArray(part);
  };
  row("no model", "{}", {}, 3, "run.json: names no model");
  row("a model that is not there", R"({"model": "/nowhere"})", {}, 5, "/nowhere");
  row("no object", "[]", {}, 3, "run.json: is not a JSON object");
  row("no JSON", "{", {}, 3, "run.json");
  row("unknown", R"({"learning_rte": 1})", {test::demo_model()}, 3, "Do you mean learning_rate?");
  row("wrong type", R"({"max_steps": "many"})", {test::demo_model()}, 3, "run.json: max_steps is not a whole number");
  row("the file's fault with flags", R"({"max_steps": "many"})", {test::demo_model(), "--max-steps", "3"}, 3,
      "run.json: max_steps");
  row("out of range", R"({"max_steps": 0})", {test::demo_model()}, 3, "max_steps is 0");
  row("a flag's fault", "{}", {test::demo_model(), "--learning-rate", "fast"}, 3, "command line: learning_rate");
  row("a list's fault", "{}", {test::demo_model(), "--eval-lengths", "64,x"}, 3, "command line: eval_lengths[1]");
  row("preset", "{}", {test::demo_model(), "--preset", "huge"}, 2, "'huge' is not known");
  row("no data", "{}", {test::demo_model(), "--output", "/nowhere/run"}, 3, "data: names no text");
  row("no output", R"({"data": "x"})", {test::demo_model()}, 2, "has no folder to write");
  row("nothing to resume", "{}", {test::demo_model(), "--resume"}, 2, "--resume: names no run");
  row("no run there", "{}", {"--resume", "/nowhere/run"}, 5, "/nowhere/run");
  row("an unknown flag", "{}", {test::demo_model(), "--epochs", "3"}, 2, "--epochs");
}

void TrainCommandTest::wrong_settings_are_refused() {
  QFETCH(QString, fields);
  QFETCH(QStringList, flags);
  QFETCH(int, code);
  QFETCH(QByteArray, part);
  test::write_bytes(temp_.file("run.json"), fields.toStdString());
  const CliResult result = run_cli(QStringList{"train", "--config", text(temp_.file("run.json"))} + flags);
  QVERIFY2(result.code == code && result.err.contains(part), qPrintable(QString::number(result.code) + result.err));
  QVERIFY(result.out.isEmpty());
}

void TrainCommandTest::wrong_texts_are_refused_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QByteArray>("contents");
  QTest::addColumn<int>("code");
  QTest::addColumn<QByteArray>("part");
  const auto row = [](const char* title, const char* name, const char* contents, int code, const char* part) {
    QTest::newRow(title) << QString(name) << QByteArray(contents) << code << QByteArray(part);
  };
  row("absent", "", "", 5, "does not exist");
  row("an empty folder", "folder/", "", 3, "holds no text");
  row("an empty file", "a.txt", "", 3, "is empty");
  row("a short document", "a.json", "[7]", 3, "fewer than two tokens");
  row("short documents", "a.json", "[[7], [8], [9]]", 3, "no document of two tokens or more");
  row("no UTF-8", "a.txt", "caf\xE9 noir", 3, "a.txt");
  row("another field", "a.jsonl", "{\"body\": \"text\"}", 3, "a.jsonl:1: has no field text");
}

void TrainCommandTest::wrong_texts_are_refused() {
  QFETCH(QString, name);
  QFETCH(QByteArray, contents);
  QFETCH(int, code);
  QFETCH(QByteArray, part);
  const TempDir temp;
  const std::string path = temp.file(name.isEmpty() ? "absent" : name.toStdString());
  if (name.endsWith('/')) {
    fs::create_directories(path);
  } else if (!name.isEmpty()) {
    test::write_bytes(path, contents.toStdString());
  }
  const CliResult result =
      run_cli({"train", test::demo_model(), "--data", text(path), "--output", text(temp.file("run"))});
  QVERIFY2(result.code == code && result.err.contains(part), qPrintable(QString::number(result.code) + result.err));
  QVERIFY(!fs::exists(temp.file("run/final")));
}

void TrainCommandTest::a_dry_run_writes_nothing() {
  const TempDir temp;
  const QStringList arguments = train_demo({"--dry-run", "--output", text(temp.file("run"))});
  const CliResult plain = run_cli(arguments);
  QVERIFY2(plain.code == 0, plain.err);
  for (const char* part : {"measured", "estimated", "optimizer", "tokens/s", "for 200 steps", "Nothing was written"})
    QVERIFY2(plain.out.contains(part), part);
  const json report = json_of(run_cli(arguments + QStringList{"--json"}));
  QVERIFY(!fs::exists(temp.file("run")));
  const json &measured = report.at("measured"), &estimated = report.at("estimated");
  for (const char* exact : {"weights", "gradients", "optimizer", "attention_kv", "carry", "pool"})
    QVERIFY2(measured.at(exact) == estimated.at(exact), exact);
  const double ratio = estimated.at("graph").get<double>() / measured.at("graph").get<double>();
  QVERIFY2(ratio > 0.7 && ratio < 1.5, qPrintable(QString::number(ratio)));
  QVERIFY(report.at("trainable_parameters") == report.at("parameters"));
}

void TrainCommandTest::a_run_writes_a_folder_and_learns() {
  const TempDir temp;
  const QStringList arguments = train_demo({"--output", text(temp.file("run")), "--max-steps", "12", "--save-steps",
                                            "4", "--eval-steps", "6", "--eval-lengths", "128,256"},
                                           unread_text());
  const json summary = json_of(run_cli(arguments + QStringList{"--json"}));
  QVERIFY(summary.at("steps") == 12 && summary.at("tokens") == 12 * 2 * 128 && summary.at("stopped") == false);
  QVERIFY(summary.at("final_folder") == temp.file("run/final"));
  const StoredTraining run = read_training_folder(temp.file("run"));
  QCOMPARE(run.steps.size(), std::size_t{12});
  QCOMPARE(run.checkpoints.size(), std::size_t{2});
  QCOMPARE(run.validations.size(), std::size_t{2});
  QCOMPARE(run.validations[0].lengths.size(), std::size_t{2});
  QVERIFY(summary.at("last_loss") == run.steps.back().loss);
  QVERIFY(run.steps.back().loss < run.steps.front().loss);
  for (const StepRecord& step : run.steps) {
    QCOMPARE(step.learning_rate, run.plan.training.rate_at(step.step - 1));
    QVERIFY(step.targets == 2 * 127 && step.segment_loss.size() == 2 && step.gradient_norm > 0);
    QVERIFY(step.reach.size() == 1 && step.reach[0].norm > 0);
  }
  QVERIFY(nll_of({text(temp.file("run/final")), unread_text()}) < nll_of({test::demo_model(), unread_text()}));
}

void TrainCommandTest::a_file_gives_the_fields_and_flags_win() {
  const TempDir temp;
  const json fields{{"model", test::demo_model().toStdString()},
                    {"data", test::demo_text().toStdString()},
                    {"output_dir", temp.file("run")},
                    {"segment_length", 48},
                    {"carry_length", 12},
                    {"retrieval_length", 8},
                    {"truncation_depth", 2},
                    {"max_steps", 50},
                    {"gradient_accumulation_steps", 1},
                    {"dtype", "fp32"},
                    {"seed", 7}};
  test::write_bytes(temp.file("run.json"), fields.dump());
  const CliResult result = run_cli({"train", "--config", text(temp.file("run.json")), "--max-steps", "2", "--quiet",
                                    "--carry-length", "4", "--no-gradient-checkpointing", "--use-rslora"});
  QVERIFY2(result.code == 0, result.err);
  const TrainingPlan plan = read_training_folder(temp.file("run")).plan;
  QVERIFY(plan.training.max_steps == 2 && plan.training.seed == 7 && !plan.training.gradient_checkpointing);
  QVERIFY(plan.training.lora.rslora && plan.config.carry_length == 4 && plan.config.retrieval_length == 8);
  QCOMPARE(plan.tokens_per_sample(), 3 * 48);
  const CliResult again = run_cli(
      {"train", "--config", text(temp.file("run/config.json")), "--output", text(temp.file("again")), "--quiet"});
  QVERIFY2(again.code == 0, again.err);
  QCOMPARE(losses(temp.file("again")), losses(temp.file("run")));
}

void TrainCommandTest::a_resumed_run_equals_a_straight_one() {
  const TempDir temp;
  const QStringList straight = train_demo({"--output", text(temp.file("a")), "--max-steps", "6"});
  const QStringList short_one = train_demo({"--output", text(temp.file("b")), "--max-steps", "3"});
  QCOMPARE(run_cli(straight).code, 0);
  QCOMPARE(run_cli(short_one).code, 0);
  fs::rename(temp.file("b"), temp.file("moved"));
  const CliResult resumed = run_cli({"train", "--resume", text(temp.file("moved")), "--max-steps", "6", "--quiet"});
  QVERIFY2(resumed.code == 0, resumed.err);
  QCOMPARE(losses(temp.file("moved")), losses(temp.file("a")));
  QVERIFY(test::read_bytes(temp.file("moved/final/model.safetensors")) ==
          test::read_bytes(temp.file("a/final/model.safetensors")));
  const CliResult by_output = run_cli(train_demo({"--resume", "--output", text(temp.file("a"))}));
  QVERIFY2(by_output.code == 0, by_output.err);
}

void TrainCommandTest::a_run_is_not_written_over() {
  const TempDir temp;
  const QStringList arguments = train_demo({"--output", text(temp.file("run")), "--max-steps", "1"});
  QCOMPARE(run_cli(arguments).code, 0);
  const std::string before = test::read_bytes(temp.file("run/metrics.jsonl"));
  const CliResult again = run_cli(arguments);
  QVERIFY2(again.code == 2 && again.err.contains("--resume"), again.err);
  QCOMPARE(test::read_bytes(temp.file("run/metrics.jsonl")), before);
}

void TrainCommandTest::another_text_is_not_resumed() {
  const TempDir temp;
  QCOMPARE(run_cli(train_demo({"--output", text(temp.file("run")), "--max-steps", "1"})).code, 0);
  test::write_bytes(temp.file("other.txt"), "Quite another text, long enough to train on for a step or two.");
  const CliResult result =
      run_cli({"train", "--resume", text(temp.file("run")), "--data", text(temp.file("other.txt"))});
  QVERIFY2(result.code == 3 && result.err.contains("another text"), result.err);
}

void TrainCommandTest::a_damaged_checkpoint_is_not_resumed() {
  const TempDir temp;
  QCOMPARE(run_cli(train_demo({"--output", text(temp.file("run")), "--max-steps", "2"})).code, 0);
  QStringList resume{"train", "--resume", text(temp.file("run")), "--max-steps", "3"};
  for (const char* name : {"model.safetensors", "optimizer.safetensors", "position.json", "config.json"}) {
    const std::string path = temp.file("run/checkpoints/step-2/") + name, whole = test::read_bytes(path);
    std::string damaged = whole;
    damaged[damaged.size() / 2] ^= 1;
    test::write_bytes(path, damaged);
    const CliResult result = run_cli(resume);
    QVERIFY2(result.code == 3 && result.err.contains(name) && result.err.contains("is damaged"), result.err);
    test::write_bytes(path, whole);
  }
  fs::remove(temp.file("run/checkpoints/step-2/checksums.json"));
  const CliResult unchecked = run_cli(resume);
  QVERIFY2(unchecked.code == 0 && unchecked.err.contains("has no checksums"), unchecked.err);
}

void TrainCommandTest::an_adapter_is_trained_and_applied() {
  const TempDir temp;
  const CliResult result =
      run_cli(train_demo({"--output", text(temp.file("run")), "--max-steps", "10", "--lora-rank", "4",
                          "--lora-target-modules", "q_proj,v_proj,down_proj", "--learning-rate", "1e-2"},
                         unread_text()));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY(fs::exists(temp.file("run/final/adapter_model.safetensors")));
  const double plain = nll_of({test::demo_model(), unread_text()});
  const double adapted = nll_of({test::demo_model(), unread_text(), "--adapter", text(temp.file("run/final"))});
  QVERIFY2(adapted < plain, qPrintable(QString("%1 %2").arg(adapted).arg(plain)));
  const CliResult generated = run_cli({"generate", test::demo_model(), "--adapter", text(temp.file("run/final")),
                                       "--prompt-file", "-", "--max-new-tokens", "4"},
                                      "Once");
  QVERIFY2(generated.code == 0, generated.err);
  const CliResult none = run_cli({"run", test::demo_model(), test::demo_text(), "--adapter", text(temp.file("none"))});
  QVERIFY2(none.code != 0 && none.err.contains("none"), none.err);
}

void TrainCommandTest::distillation_is_announced_and_recorded() {
  const TempDir temp;
  const QStringList flags{"--output", text(temp.file("run")), "--max-steps", "3", "--distillation", "0.5"};
  const json report = json_of(run_cli(train_demo(flags + QStringList{"--dry-run", "--json"})));
  QVERIFY(report.at("teacher_bytes") == 3 * 2 * (127 * 512 + 16) && !fs::exists(temp.file("run")));
  const CliResult result = run_cli(train_demo(flags));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY2(result.out.contains("teacher    the model under full attention, λ 0.50; its logits take 390 KB"),
           result.out);
  const StoredTraining run = read_training_folder(temp.file("run"));
  QCOMPARE(run.steps.size(), std::size_t{3});
  for (const StepRecord& step : run.steps) QVERIFY(step.distillation_loss.value_or(0) > 0);
  QVERIFY(static_cast<double>(fs::file_size(temp.file("run/teacher.bin"))) >= report.at("teacher_bytes").get<double>());
  StepRecord step;
  step.step = 12;
  step.loss = 2.345;
  step.tokens_per_second = 812;
  QCOMPARE(step_text(step, 150), std::string("step 12 of 150, loss 2.3450, 812 tokens/s"));
  step.distillation_loss = 2.25;
  QCOMPARE(step_text(step, 150), std::string("step 12 of 150, loss 2.3450, distillation 2.2500, 812 tokens/s"));
}

void TrainCommandTest::recall_samples_are_announced_and_recorded() {
  const TempDir temp;
  const QStringList flags{"--output",          text(temp.file("run")),
                          "--max-steps",       "3",
                          "--recall-samples",  "2",
                          "--recall-segments", "4",
                          "--recall-weight",   "5"};
  const CliResult result = run_cli(train_demo(flags));
  QVERIFY2(result.code == 0, result.err);
  QVERIFY2(result.out.contains("recall     2 documents of 2 to 4 segments a step, a token of an answer counts 5.0"),
           result.out);
  const StoredTraining run = read_training_folder(temp.file("run"));
  QCOMPARE(run.steps.size(), std::size_t{3});
  for (const StepRecord& step : run.steps) QVERIFY(step.recall_loss.value_or(0) > 0);
  StepRecord step;
  step.step = 12;
  step.loss = 2.345;
  step.recall_loss = 1.5;
  step.tokens_per_second = 812;
  QCOMPARE(step_text(step, 150), std::string("step 12 of 150, loss 2.3450, recall 1.5000, 812 tokens/s"));
}

void TrainCommandTest::the_audit_passes() {
  const QStringList small{"audit",
                          test::demo_model(),
                          "--segment-length",
                          "12",
                          "--carry-length",
                          "4",
                          "--retrieval-length",
                          "4",
                          "--segments",
                          "3",
                          "--quiet"};
  const json report = json_of(run_cli(small + QStringList{"--json"}));
  QVERIFY(report.at("passed") == true && report.at("segments") == 3 && report.at("truncation_depth") == 1);
  QVERIFY(report.at("checks").size() >= 5);
  for (const json& check : report.at("checks"))
    QVERIFY(check.at("difference").get<double>() <= check.at("bound").get<double>());
  const auto margin_of = [&](const std::string& name) -> json {
    for (const json& check : report.at("checks"))
      if (check.at("name") == name) return check.at("margin");
    return "no such check";
  };
  for (const char* name : {"gradient = explicit L_K", "gradient is of K = 1, not K = 0", "fp64 tells K = 1 from K = 2"})
    QVERIFY2(margin_of(name).is_number() && margin_of(name) > 1e-6, name);
  for (const char* name : {"forward: chunks = whole segments", "forward: token by token = whole segments"})
    QVERIFY2(margin_of(name).is_null(), name);
  const CliResult plain = run_cli(small + QStringList{"--lora-rank", "2"});
  QVERIFY2(plain.code == 0 && plain.out.contains("pass  ") && !plain.out.contains("FAIL"), plain.err + plain.out);
  QVERIFY(plain.out.contains("margin "));
}

void TrainCommandTest::the_audit_writes_gradients() {
  const TempDir temp;
  test::write_bytes(temp.file("ids.json"), "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]");
  const CliResult result = run_cli({"audit", test::demo_model(), "--input-ids", text(temp.file("ids.json")),
                                    "--segment-length", "4", "--carry-length", "2", "--retrieval-length", "2",
                                    "--no-checks", "--gradients", text(temp.file("gradient.safetensors")), "--json"});
  QVERIFY(json_of(result).at("segments") == 3);
  const std::string bytes = test::read_bytes(temp.file("gradient.safetensors"));
  QVERIFY(bytes.find("model.layers.3.self_attn.v_proj.weight") != std::string::npos);
  QVERIFY(bytes.find("\"F64\"") != std::string::npos);
}

void TrainCommandTest::the_audit_refuses() {
  const TempDir temp;
  test::write_bytes(temp.file("ids.json"), "[1, 2, 99999999]");
  QCOMPARE(run_cli({"audit"}).code, 2);
  QCOMPARE(run_cli({"audit", test::demo_model(), "--no-checks"}).code, 2);
  QCOMPARE(run_cli({"audit", test::demo_model(), "-", "--input-ids", "x"}).code, 2);
  QCOMPARE(run_cli({"audit", test::demo_model(), "--input-ids", text(temp.file("ids.json"))}).code, 3);
  QCOMPARE(run_cli({"audit", test::demo_model(), "--policy", "sparse"}).code, 3);
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<TrainCommandTest>};
#include "train_command_test.moc"
