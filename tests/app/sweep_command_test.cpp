// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover-cli sweep` on runs of the demo: its cells as JSON, CSV and text, and what it refuses.
#include <QTest>
#include <cmath>
#include <set>

#include "engine/runs/records/run_reader.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

constexpr int kToken = 300, kSegment = 64;

double real(const json& fields, const char* key) {
  return fields.at(key).get<double>();
}

}  // namespace

class SweepCommandTest : public QObject {
  Q_OBJECT

 private:
  QString folder(const char* name) const { return text(temp_.file(name)); }
  CliResult sweep(const QStringList& options) const {
    return run_cli(QStringList{"sweep", folder("run"), "--quiet", "--token", QString::number(kToken)} + options);
  }
  json cells(const QStringList& options) const {
    const CliResult result = sweep(QStringList{"--json"} + options);
    if (result.code != 0) qFatal("%s", result.err.constData());
    return json::parse(result.out.toStdString());
  }
  static void make(const QString& folder, const QString& text) {
    const CliResult run = run_cli({"run", demo_model(), text, "--tokens", "400", "--segment-length",
                                   QString::number(kSegment), "--carry-length", "16", "--retrieval-length", "16",
                                   "--sink-length", "4", "--dtype", "fp32", "--out", folder, "--quiet"});
    if (run.code != 0) qFatal("%s", run.err.constData());
  }

  TempDir temp_;

 private Q_SLOTS:
  void initTestCase() {
    make(folder("run"), demo_text());
    QFile text(demo_text());
    QVERIFY(text.open(QFile::ReadOnly));
    const QByteArray other = text.readAll().mid(4000);
    QFile moved(folder("other.txt"));
    QVERIFY(moved.open(QFile::WriteOnly) && moved.write(other) == other.size());
    moved.close();
    make(folder("other"), moved.fileName());
  }

  void the_segment_as_it_was_is_the_runs() {
    const json swept = cells({"--losses"});
    const RunContents run = reopen_run(temp_.file("run"));
    const auto losses = run.segments->load((kToken - 1) / kSegment)->target_nll;
    double sum = 0;
    for (const float loss : losses) sum += static_cast<double>(loss);
    QVERIFY(std::abs(real(swept.at("as_it_was"), "nll_sum") - sum) < 1e-3);
    QVERIFY(std::abs(real(swept.at("as_it_was"), "logprob") + double(losses.at((kToken - 1) % kSegment))) < 1e-4);
    const ModelConfig& model = run.description.model.config;
    QCOMPARE(swept.at("cells").size(), static_cast<std::size_t>(model.layers * model.heads));
    QCOMPARE(swept.at("cells").back().at("head"), json(model.heads - 1));
    QCOMPARE(swept.at("source"), json("zero"));
  }

  void csv_has_the_same_cells() {
    const json swept = cells({"--foil", " the"});
    const CliResult csv = sweep({"--foil", " the", "--csv"});
    const QList<QByteArray> lines = csv.out.trimmed().split('\n');
    QCOMPARE(lines.front(), QByteArray("layer,head,logit,foil_logit,logprob,nll_sum"));
    QCOMPARE(static_cast<std::size_t>(lines.size()), swept.at("cells").size() + 1);
    for (qsizetype i = 1; i < lines.size(); ++i) {
      const json& cell = swept.at("cells")[static_cast<std::size_t>(i - 1)];
      const QList<QByteArray> fields = lines[i].split(',');
      QCOMPARE(fields[0].toInt(), cell.at("layer").get<int>());
      QCOMPARE(fields[2].toDouble(), real(cell, "logit"));
      QCOMPARE(fields[3].toDouble(), real(cell, "foil_logit"));
      QVERIFY(fields[5].isEmpty());
    }
  }

  void values_of_another_run_at_the_last_tokens() {
    const json swept = cells({"--site", "residual", "--patch", folder("other"), "--first", "297"});
    QCOMPARE(swept.at("source"), json("run"));
    std::set<int> tokens;
    for (const json& cell : swept.at("cells")) tokens.insert(cell.at("token").get<int>());
    QCOMPARE(tokens, (std::set{297, 298, 299}));
    // The residual stream that enters the last layer at the last token is nearly all that its prediction depends on.
    QVERIFY(real(swept.at("cells").back(), "logit") != real(swept.at("as_it_was"), "logit"));
    const json itself = cells({"--site", "residual", "--patch", folder("run"), "--first", "299"});
    for (const json& cell : itself.at("cells"))
      QVERIFY(std::abs(real(cell, "logit") - real(itself.at("as_it_was"), "logit")) < 1e-4);
  }

  void people_read_the_largest_changes_first() {
    const CliResult result = sweep({"--rows", "3", "--site", "carry"});
    QCOMPARE(result.code, 0);
    QVERIFY(result.out.contains("carry replaced by zero"));
    QCOMPARE(result.out.count("\n  L"), 3);
    const json swept = cells({"--site", "carry"});
    double largest = 0;
    for (const json& cell : swept.at("cells"))
      largest = std::max(largest, std::abs(real(cell, "logit") - real(swept.at("as_it_was"), "logit")));
    QVERIFY(result.out.contains(QByteArray::number(largest, 'f', 3)));
  }

  void what_cannot_be_swept_is_refused() {
    const auto refused = [&](const QStringList& options, const char* said) {
      const CliResult result = sweep(options);
      return result.code == 2 && result.err.contains(said);
    };
    QVERIFY(refused({"--source", "run"}, "no other run"));
    QVERIFY(refused({"--site", "carry", "--source", "mean"}, "only be removed"));
    QVERIFY(refused({"--site", "residual", "--first", "20"}, "name no tokens of segment 4"));
    QVERIFY(refused({"--site", "nose"}, "--site"));
    QVERIFY(refused({"--foil", " several words of text"}, "not one"));
    QVERIFY(run_cli({"sweep", folder("run"), "--token", "0"}).code == 2);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<SweepCommandTest>};
#include "sweep_command_test.moc"
