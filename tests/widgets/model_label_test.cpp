// SPDX-License-Identifier: GPL-3.0-or-later
// A model goes by what people know it by: a file's or a folder's name, and its adapter's.
#include "widgets/runs/state/model_label.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include "engine/runs/records/run_command.h"
#include "tests/support/test_program.h"
#include "widgets/runs/state/provenance.h"

using namespace carryover;

class ModelLabelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_file_goes_by_its_name_and_a_folder_by_the_models() {
    ModelInfo model;
    model.config.name = "Smollm2 135M 8k Lc100K Mix1 Ep2";
    model.path = "/models/SmolLM2-135M-Instruct.Q4_1.gguf";
    QCOMPARE(model_name(model), QStringLiteral("SmolLM2-135M-Instruct.Q4_1"));
    model.adapter = "/adapters/smollm2-135m";
    QCOMPARE(model_name(model), QStringLiteral("SmolLM2-135M-Instruct.Q4_1 + smollm2-135m"));
    model.path = "/models/SmolLM2.GGUF";
    model.adapter.clear();
    QCOMPARE(model_name(model), QStringLiteral("SmolLM2"));
    model.path = "/models/folder";
    model.config.name = "folder";
    QCOMPARE(model_name(model), QStringLiteral("folder"));
  }

  void an_adapter_that_a_training_wrote_goes_by_the_trainings_name_and_its_steps() {
    const QTemporaryDir folder;
    QFile plan(folder.filePath(QStringLiteral("config.json")));
    QVERIFY(plan.open(QIODevice::WriteOnly));
    plan.write(R"({"model": "/models/demo", "max_steps": 3})");
    plan.close();
    const QString training = QFileInfo(folder.path()).fileName();
    ModelInfo model;
    model.path = "/models/demo.gguf";
    model.adapter = folder.filePath(QStringLiteral("final")).toStdString();
    QCOMPARE(model_name(model), QStringLiteral("demo + %1, 3 steps").arg(training));  // as it was opened again
    model.trained_steps = 2;                                                          // trained here, and stopped
    QCOMPARE(model_name(model), QStringLiteral("demo + %1, 2 steps").arg(training));
    model.trained_steps = 0;
    model.adapter = folder.filePath(QStringLiteral("checkpoints/step-1")).toStdString();
    QCOMPARE(model_name(model), QStringLiteral("demo + %1, 1 step").arg(training));
  }

  void a_provenance_names_the_model_by_its_label() {
    RunDescription run;
    run.id = "run-1";
    run.text = "policy: of a text, dtype: no";
    run.request.policy = "full";
    run.model.config.name = "demo";
    run.model.path = "/models (mine)/demo";
    run.model.weights_hash = "0123456789abcdef";
    run.model.dtype = DType::BFloat16;
    for (const char* adapter : {"", "/adapters/aligned"}) {
      run.model.adapter = adapter;
      const QString provenance = QString::fromStdString(run_provenance(run));
      QCOMPARE(model_label_in(provenance), model_label(run.model));
      QCOMPARE(policy_in(provenance), QStringLiteral("full"));
    }
    QVERIFY(model_label_in({}).isEmpty() && policy_in({}).isEmpty());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ModelLabelTest>};
#include "model_label_test.moc"
