// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover-cli why` on runs of the demo: its numbers are those of the run's record, of what-ifs as whole runs, and
// each other's.
#include <QTest>
#include <cmath>

#include "engine/runs/records/run_reader.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

constexpr int kToken = 300;

class Explained {
 public:
  Explained() : folder_(temp_.file("run")) {
    const CliResult run = run_cli({"run", demo_model(), demo_text(), "--tokens", "400", "--segment-length", "64",
                                   "--carry-length", "16", "--retrieval-length", "16", "--sink-length", "4", "--dtype",
                                   "fp32", "--out", text(folder_.string()), "--quiet"});
    if (run.code != 0) qFatal("%s", run.err.constData());
  }
  const std::filesystem::path& folder() const { return folder_; }
  CliResult why(const QStringList& options) const {
    return run_cli(QStringList{"why", text(folder_.string()), "--quiet"} + options);
  }
  json answer(const QStringList& options = {}) const {
    const CliResult result = why(QStringList{"--token", QString::number(kToken), "--json"} + options);
    if (result.code != 0) qFatal("%s", result.err.constData());
    return json::parse(result.out.toStdString());
  }

 private:
  TempDir temp_;
  std::filesystem::path folder_;
};

double real(const json& fields, const char* key) {
  return fields.at(key).get<double>();
}

}  // namespace

class WhyCommandTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { explained_ = std::make_unique<Explained>(); }
  void cleanupTestCase() { explained_.reset(); }

  void the_probability_is_that_of_the_runs_loss() {
    const json why = explained_->answer();
    const RunContents run = reopen_run(explained_->folder().string());
    const auto segment = static_cast<int>(why.at("segment").get<std::int64_t>());
    QCOMPARE(segment, (kToken - 1) / 64);
    const float loss = run.segments->load(segment)->target_nll.at((kToken - 1) % 64);
    QVERIFY(std::abs(-std::log(real(why.at("as_it_was"), "probability")) - double(loss)) < 1e-5);
    QCOMPARE(why.at("id").get<std::int32_t>(), run.description.request.ids->at(kToken));
    const json& last = why.at("lens").at("residual").back();
    QVERIFY(std::abs(real(last, "target_logprob") + double(loss)) < 1e-5);
    QCOMPARE(last.at("id"), why.at("as_it_was").at("top")[0].at("id"));
  }

  void the_logit_is_the_sum_of_all_its_parts() {
    const json why = explained_->answer({"--heads", "1000", "--neurons", "0", "--sources", "1000"});
    double sum = real(why, "embedding") + real(why, "biases"), sources = 0, heads = 0;
    for (const json& layer : why.at("feed_forward")) sum += layer.get<double>();
    for (const json& head : why.at("heads")) {
      const double parts = real(head, "sinks") + real(head, "retrieved") + real(head, "carry") + real(head, "segment");
      QVERIFY(std::abs(parts - real(head, "logit")) < 1e-6);
      heads += real(head, "logit");
    }
    for (const json& source : why.at("sources")) sources += real(source, "logit");
    QVERIFY(std::abs(sum + heads - real(why, "logit")) < 1e-3);
    QVERIFY(std::abs(sources - heads) < 1e-3);
    QVERIFY(why.at("neurons").empty());
    double before = INFINITY;
    for (const json& head : why.at("heads")) {
      QVERIFY(std::abs(real(head, "logit")) <= before);
      before = std::abs(real(head, "logit"));
    }
  }

  void every_part_that_heads_read_is_taken_away_once() {
    const json why = explained_->answer({"--top", "3"});
    QCOMPARE(why.at("without").size(), std::size_t{3});
    for (const char* part : {"sinks", "retrieved", "carry"}) {
      const json& without = why.at("without").at(part);
      QVERIFY2(real(without, "logit") != real(why.at("as_it_was"), "logit"), part);
      QVERIFY(without.at("top").size() == 3 || without.at("top").size() == 4);  // the target comes behind them
    }
  }

  void a_foil_is_one_token() {
    const json why = explained_->answer({"--foil", " the"});
    QVERIFY(why.contains("foil") && why.at("as_it_was").contains("foil_logit"));
    QVERIFY(std::abs(real(why, "logit") -
                     (real(why.at("as_it_was"), "logit") - real(why.at("as_it_was"), "foil_logit"))) < 1e-3);
    const CliResult many = explained_->why({"--token", "300", "--foil", " several words of text"});
    QVERIFY(many.code == 2 && many.err.contains("not one"));
  }

  void what_people_read_names_the_same_numbers() {
    const CliResult result = explained_->why({"--token", QString::number(kToken)});
    QCOMPARE(result.code, 0);
    for (const char* part : {"likeliest tokens", "without retrieved", "logit lens of the residual stream",
                             "logit lens of what was read from the carry", "heads that change", "neurons that change",
                             "positions that change"})
      QVERIFY2(result.out.contains(part), part);
    const json why = explained_->answer();
    QVERIFY(result.out.contains(QByteArray::number(real(why, "logit"), 'f', 3)));
  }

  void what_cannot_be_explained_is_refused() {
    for (const char* token : {"0", "400", "-3"}) {
      const CliResult result = explained_->why({"--token", token});
      QVERIFY2(result.code == 2 && result.err.contains("--token"), result.err.constData());
    }
    QCOMPARE(run_cli({"why", "/nonexistent/run", "--token", "3"}).code, 5);
    QCOMPARE(run_cli({"why", text(explained_->folder().string())}).code, 2);
  }

 private:
  std::unique_ptr<Explained> explained_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<WhyCommandTest>};
#include "why_command_test.moc"
