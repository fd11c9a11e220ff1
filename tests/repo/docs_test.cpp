// SPDX-License-Identifier: GPL-3.0-or-later
// The documents are true where a program can tell: files that they name exist, links lead somewhere, and the guide
// explains every field that a run folder holds.
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/families/weight_rows.h"
#include "engine/runs/records/run_folder.h"
#include "engine/training/records/training_plan.h"
#include "engine/training/records/training_values.h"
#include "tests/support/repository.h"
#include "tests/support/test_program.h"

using namespace carryover;

using carryover::test::read;
using carryover::test::root;

namespace {

QStringList documents() {
  QStringList found = {"README.md", "CONTRIBUTING.md"};
  QDirIterator files(root.filePath("docs"), {"*.md"}, QDir::Files, QDirIterator::Subdirectories);
  while (files.hasNext()) found.append(root.relativeFilePath(files.next()));
  return found;
}

QStringList matches(const QString& text, const char* pattern) {
  QStringList found;
  for (auto all = QRegularExpression(pattern).globalMatch(text); all.hasNext();) found.append(all.next().captured(1));
  return found;
}

QStringList named_files(const QString& text) {
  return matches(text,
                 "`((?:app|cmake|docs|engine|fuzz|kernels|scripts|tests|widgets)/[\\w./]+"
                 "\\.(?:h|cpp|cu|sh|py|md|cmake|1))`");
}
QStringList links(const QString& text) {
  return matches(text, "[^!]\\[[^\\]]*\\]\\(([\\w./-]+\\.md)\\)");
}

QStringList simplified_lines(const QString& text) {
  QStringList lines;
  for (const QString& line : text.split('\n')) lines.append(line.simplified());
  return lines;
}

void explain_fields(const nlohmann::json& json, const QString& guide, QStringList& missing) {
  for (const auto& [key, value] : json.items())
    if (!guide.contains('`' + QString::fromStdString(key) + '`')) missing.append(QString::fromStdString(key));
}

}  // namespace

class DocsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void named_files_and_links_exist() {
    QStringList wrong;
    int files = 0, link_count = 0;
    for (const QString& document : documents()) {
      const QString text = read(document);
      QVERIFY2(!text.isEmpty(), qPrintable(document));
      for (const QString& name : named_files(text)) {
        ++files;
        if (!QFile::exists(root.filePath(name))) wrong.append(document + " names " + name);
      }
      for (const QString& link : links(text)) {
        ++link_count;
        const QString target = QFileInfo(root.filePath(document)).dir().filePath(link);
        if (!QFile::exists(target)) wrong.append(document + " links to " + link);
      }
    }
    QVERIFY(files > 60 && link_count >= 9);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
  }

  void the_guide_explains_every_field_of_a_run() {
    const QString guide = read("docs/guide.md");
    QStringList missing;
    const RunDescription description;
    const nlohmann::json config = config_json(description);
    explain_fields(config, guide, missing);
    explain_fields(config.at("config"), guide, missing);
    explain_fields(config.at("environment"), guide, missing);
    explain_fields(summary_json({}, description), guide, missing);
    explain_fields(SegmentRecord{}, guide, missing);
    explain_fields(SinkSummary{}, guide, missing);
    for (const char* column : kSinkColumns) explain_fields({{column, 0}}, guide, missing);
    explain_fields(MemoryBytes{}, guide, missing);
    explain_fields(HeadHits{}, guide, missing);
    explain_fields(RopeConfig{}, guide, missing);
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join('\n')));
  }

  void the_guide_explains_every_field_of_training() {
    const QString guide = read("docs/guide.md");
    QStringList missing;
    StepRecord step;
    step.reach.emplace_back();
    step.distillation_loss = step.recall_loss = 0;
    const nlohmann::json line = step, validation = ValidationRecord{0, {{}}};
    explain_fields(plan_json({}), guide, missing);
    explain_fields(line, guide, missing);
    explain_fields(line.at("reach").at(0), guide, missing);
    explain_fields(validation, guide, missing);
    explain_fields(validation.at("validation").at(0), guide, missing);
    for (const TrainingPreset& preset : training_presets()) explain_fields({{preset.name, 0}}, guide, missing);
    for (const std::string& module : lora_modules()) explain_fields({{module, 0}}, guide, missing);
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join('\n')));
  }

  /// The lines that docs/session.md quotes are in the log of a session as it was recorded, in its order.
  void the_session_quotes_its_recorded_log() {
    const QStringList log = simplified_lines(read("docs/evaluations/session-smollm2.log"));
    qsizetype at = 0, quoted = 0;
    for (const QString& line : read("docs/session.md").section("## ", 1).split('\n')) {
      const QString quote = line.simplified();
      if (!line.startsWith("    ") || quote == "…") continue;
      const qsizetype found = log.indexOf(quote, at);
      QVERIFY2(found >= 0, qPrintable("the log has no such line, or not after the last one: " + quote));
      at = found + 1;
      ++quoted;
    }
    QVERIFY(quoted > 30);
  }

  /// The patterns find what they should.
  void patterns_catch_what_they_should() {
    QCOMPARE(named_files("see `engine/runs/values/hits.h` and `x.h`, `engine/core/`"),
             QStringList({"engine/runs/values/hits.h"}));
    QCOMPARE(links("a [page](adr/x.md) ![picture](y.png)"), QStringList({"adr/x.md"}));
    QStringList missing;
    explain_fields({{"here", 1}, {"absent", 2}}, "`here` is explained, absent is not", missing);
    QCOMPARE(missing, QStringList({"absent"}));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DocsTest>};
#include "docs_test.moc"
