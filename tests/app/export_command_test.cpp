// SPDX-License-Identifier: GPL-3.0-or-later
// An exported model is the model with its adapter: merged on export or merged on loading, the losses are the same.
#include <QTest>

#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover::test;

class ExportCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_merged_model_is_the_adapted_one() {
    const TempDir temp;
    const CliResult trained = run_cli({"train",
                                       demo_model(),
                                       "--data",
                                       demo_text(),
                                       "--output",
                                       text(temp.file("run")),
                                       "--dtype",
                                       "fp32",
                                       "--segment-length",
                                       "64",
                                       "--carry-length",
                                       "16",
                                       "--retrieval-length",
                                       "16",
                                       "--lora-rank",
                                       "4",
                                       "--learning-rate",
                                       "1e-2",
                                       "--max-steps",
                                       "3",
                                       "--warmup-steps",
                                       "1",
                                       "--quiet"});
    QVERIFY2(trained.code == 0, trained.err.constData());
    const QString adapter = text(temp.file("run/final")), merged = text(temp.file("merged"));
    const CliResult exported = run_cli({"export", demo_model(), "--adapter", adapter, "--output", merged, "--quiet"});
    QVERIFY2(exported.code == 0, exported.err.constData());
    const auto loss = [](const QStringList& model) {
      const CliResult result =
          run_cli(QStringList{"run"} + model +
                  QStringList{demo_text(), "--tokens", "300", "--dtype", "fp32", "--json", "--quiet"});
      if (result.code != 0) qFatal("%s", result.err.constData());
      return nlohmann::json::parse(result.out.toStdString()).at("nll_mean").get<double>();
    };
    const double adapted = loss({demo_model(), "--adapter", adapter});
    QCOMPARE(loss({merged}), adapted);
    QVERIFY(std::abs(loss({demo_model()}) - adapted) > 1e-3);
  }

  void a_folder_that_is_there_is_left_alone() {
    const TempDir temp;
    QCOMPARE(run_cli({"export", demo_model(), "--output", text(temp.path().string()), "--quiet"}).code, 2);
    QCOMPARE(run_cli({"export", demo_model(), "--output", text(temp.file("x")), "--dtype", "fp8", "--quiet"}).code, 2);
    QCOMPARE(run_cli({"export", demo_model()}).code, 2);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<ExportCommandTest>};
#include "export_command_test.moc"
