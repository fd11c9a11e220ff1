// SPDX-License-Identifier: GPL-3.0-or-later
// Published experiments: docs/results.md has what docs/evaluations/experiment-*.json render to, to the letter.
// CARRYOVER_WRITE_DOCS=1 writes it.
#include <QDir>
#include <QFile>
#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/campaigns/experiments/experiment_report.h"
#include "engine/formats/json_file.h"
#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

const QString mark = "<!-- experiments from docs/evaluations, written by ./lab bench publish: ";

QStringList published() {
  QStringList files;
  for (const QString& name :
       QDir(root.filePath("docs/evaluations")).entryList({"experiment-*.json"}, QDir::Files, QDir::Name))
    files.append(root.filePath("docs/evaluations/" + name));
  return files;
}

QString sections() {
  QStringList made;
  for (const QString& file : published()) {
    const std::string path = file.toStdString();
    made.append(QString::fromStdString(experiment_report(read_json_file(path), path, 2)));
  }
  return made.join('\n');
}

}  // namespace

class ExperimentResultsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void the_page_is_of_the_published_results() {
    const QString page = read("docs/results.md"), begin = mark + "begin -->\n", end = mark + "end -->";
    QVERIFY(page.count(begin) == 1 && page.count(end) == 1);
    const qsizetype from = page.indexOf(begin) + begin.size(), to = page.indexOf(end);
    if (qEnvironmentVariable("CARRYOVER_WRITE_DOCS") == "1") {
      QFile out(root.filePath("docs/results.md"));
      QVERIFY(out.open(QIODevice::WriteOnly));
      out.write((page.left(from) + sections() + page.mid(to)).toUtf8());
      return;
    }
    QCOMPARE(page.mid(from, to - from), sections());
  }
  void published_results_say_what_they_lack_and_name_no_machine() {
    for (const QString& file : published()) {
      const nlohmann::json results = read_json_file(file.toStdString());
      const auto unfinished = results.at("unfinished_cells").get<std::int64_t>();
      const QString said = QStringLiteral("%1 cells are not finished").arg(unfinished);
      QVERIFY2(unfinished == 0 || read("docs/results.md").simplified().contains(said), qPrintable(file));
      QVERIFY2(results.contains("commit") && results.contains("date"), qPrintable(file));
      QCOMPARE(QFileInfo(file).completeBaseName().toStdString(),
               "experiment-" + results.at("experiment").get<std::string>());
      QVERIFY2(results.dump().find("\"/") == std::string::npos, qPrintable(file));
    }
  }
  /// The adapter that is shipped was made by the training that the published table is of.
  void the_shipped_adapter_is_one_of_the_published_trainings() {
    const QDir folder(root.filePath("resources/adapters/smollm2-135m"));
    const auto shipped = [&](const QString& name) { return read_json_file(folder.filePath(name).toStdString()); };
    const nlohmann::json segments = shipped("segment_config.json"), adapter = shipped("adapter_config.json");
    const nlohmann::json results =
        read_json_file(root.filePath("docs/evaluations/experiment-campaign_final.json").toStdString());
    const auto training = std::ranges::find_if(results.at("trainings"), [](const nlohmann::json& each) {
      return each.at("recipe") == "sinks_512" && each.at("seed") == 1;
    });
    QVERIFY(training != results.at("trainings").end());
    const nlohmann::json& fields = training->at("fields");
    for (const auto& [name, value] : segments.items())
      QVERIFY2(!fields.contains(name) || fields.at(name) == value, name.c_str());
    QCOMPARE(segments.at("sink_length").get<int>(), 4);
    QCOMPARE(adapter.at("r"), fields.at("lora_rank"));
    QVERIFY(adapter.at("lora_alpha").get<double>() == fields.at("lora_alpha").get<double>());
    QCOMPARE(adapter.at("target_modules"), fields.at("lora_target_modules"));
    QVERIFY(QFileInfo(folder.filePath("adapter_model.safetensors")).size() <= 30 << 20);
  }
};

static const TestFile these_tests{__FILE__, without_application<ExperimentResultsTest>};
#include "experiment_results_test.moc"
