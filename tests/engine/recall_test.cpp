// SPDX-License-Identifier: GPL-3.0-or-later
// The demo recalls what it read many segments before, and only by what it retrieves.
#include "examples/recall/recall.h"

#include <QProcess>
#include <QTest>

#include "engine/api/engine_library.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/data/text_source.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

const std::string demo = CARRYOVER_SOURCE_DIR "/resources/demo";

double share(std::int64_t count, std::int64_t of) {
  return static_cast<double>(count) / static_cast<double>(of);
}

}  // namespace

class RecallTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    const TempDir folder;
    QProcess python;
    python.start("python3", {CARRYOVER_SOURCE_DIR "/examples/recall/make_texts.py", "cases",
                             QString::fromStdString(folder.file("cases.jsonl")), "--texts", "4", "--seed", "11"});
    QVERIFY2(python.waitForFinished(60000) && python.exitCode() == 0, python.readAllStandardError().constData());
    ModelRequest request;
    request.path = demo;
    request.dtype = DType::Float32;
    request.device = Device::Cpu;
    request.threads = 1;
    const auto session = load_session(request, {});
    scores_ = score_recall(*session, *Tokenizer::load(demo), initial_config(session->model().config, demo, ""),
                           read_text(folder.file("cases.jsonl")));
  }

  void every_distance_is_asked_for() {
    QCOMPARE(scores_.size(), std::size_t{6});
    QVERIFY(scores_.contains(32));
    for (const auto& [distance, score] : scores_) QCOMPARE(score.asked, std::int64_t{4});
  }

  void recalls_at_any_distance_with_retrieval() {
    std::int64_t asked = 0, right = 0, retrieved = 0;
    for (const auto& [distance, score] : scores_) {
      asked += score.asked;
      right += score.right[kRetrieval];
      retrieved += score.retrieved;
    }
    QVERIFY(share(right, asked) >= 0.9);
    QVERIFY(share(retrieved, asked) >= 0.9);
    QVERIFY(share(scores_.at(32).right[kRetrieval], scores_.at(32).asked) >= 0.9);
  }

  void guesses_without_it() {
    for (const RecallMode mode : {kOff, kRandom}) {
      std::int64_t asked = 0, right = 0;
      for (const auto& [distance, score] : scores_) {
        asked += score.asked;
        right += score.right[mode];
      }
      QVERIFY(share(right, asked) <= 0.3);
      QVERIFY(share(scores_.at(32).right[mode], scores_.at(32).asked) <= 0.3);
    }
  }

 private:
  std::map<std::int64_t, RecallScore> scores_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<RecallTest>};
#include "recall_test.moc"
