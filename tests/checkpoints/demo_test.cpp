// SPDX-License-Identifier: GPL-3.0-or-later
// The demo in resources/: it loads, it is small, it opens segmented as it was trained, and its tokenizer and text are
// those of examples/recall.
#include <QProcess>
#include <QTest>

#include "engine/checkpoints/model_source.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/config/segment_config.h"
#include "engine/data/text_source.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

ModelConfig demo_config() {
  return ModelSource::open(demo_folder().string())->config();
}

std::string demo_text() {
  return read_text((demo_folder() / "text.txt").string());
}

void run_python(QStringList arguments) {
  QProcess python;
  arguments.front().prepend(QStringLiteral(CARRYOVER_SOURCE_DIR "/examples/recall/"));
  python.start(QStringLiteral("python3"), arguments);
  QVERIFY2(python.waitForFinished(120000), qPrintable(python.errorString()));
  QVERIFY2(python.exitStatus() == QProcess::NormalExit && python.exitCode() == 0,
           python.readAllStandardError().constData());
}

}  // namespace

class DemoTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void model_opens();
  void folder_is_small();
  void opens_as_it_was_trained();
  void text_comes_back();
  void text_is_cut_as_the_recipe_counts();
  void recipe_makes_tokenizer_and_text();
};

void DemoTest::model_opens() {
  const auto model = ModelSource::open(demo_folder().string());
  const ModelConfig& config = model->config();
  QCOMPARE(config.layers, std::int64_t{4});
  QCOMPARE(config.heads, std::int64_t{8});
  QCOMPARE(config.kv_heads, std::int64_t{4});
  QVERIFY(config.tied_embeddings);
  const StoredTensor* embedding = model->find("model.embed_tokens.weight");
  QVERIFY(embedding != nullptr);
  std::vector<float> row(static_cast<std::size_t>(config.hidden));
  model->read_rows(*embedding, 7, 8, row.data());
  QVERIFY(std::any_of(row.begin(), row.end(), [](float value) { return value != 0; }));
}

void DemoTest::folder_is_small() {
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(demo_folder())) bytes += fs::file_size(entry.path());
  QVERIFY(bytes < 4 << 20);
}

void DemoTest::opens_as_it_was_trained() {
  const ModelConfig model = demo_config();
  const SegmentConfig segments = initial_config(model, demo_folder().string(), "");
  segments.validate(model, "segment_config.json");
  QCOMPARE(segments.segment_length, std::int64_t{64});
  QCOMPARE(segments.carry_length, std::int64_t{16});
  QCOMPARE(segments.retrieval_length, std::int64_t{32});
  QCOMPARE(segments.query_length, std::int64_t{1});  // a question ends a segment: its last word is what is looked for
  QVERIFY(segments.grouping.is_long(3, 4) && !segments.grouping.is_long(3, 0));
  QVERIFY(segments.grouping.retrieves(3) && !segments.grouping.retrieves(2));
}

void DemoTest::text_comes_back() {
  const auto tokenizer = Tokenizer::load(demo_folder().string());
  const auto config = demo_config();
  QCOMPARE(tokenizer->vocabulary(), config.vocabulary);
  QCOMPARE(std::optional<std::int64_t>(tokenizer->bos()), config.bos_id);
  const auto ids = tokenizer->encode(demo_text());
  QCOMPARE(tokenizer->decode(ids), demo_text());
  QVERIFY(ids.size() > 16 * 256);  // many segments, of the default length too
}

/// Every word is one token with the space before it, so that questions end segments and answers begin them.
void DemoTest::text_is_cut_as_the_recipe_counts() {
  const auto tokenizer = Tokenizer::load(demo_folder().string());
  const auto ids = tokenizer->encode(demo_text());
  QCOMPARE(ids.size() % 64, std::size_t{0});
  for (std::size_t start = 64; start < ids.size(); start += 64) {
    QCOMPARE(tokenizer->bytes(ids[start - 3]) + tokenizer->bytes(ids[start - 2]), std::string(" Who is"));
    QCOMPARE(tokenizer->bytes(ids[start]), std::string("?"));
    QCOMPARE(ids[start + 1], ids[start - 1]);  // the name that was asked for
  }
}

void DemoTest::recipe_makes_tokenizer_and_text() {
  const TempDir folder;
  run_python({"make_model.py", QString::fromStdString(folder.path().string())});
  run_python(
      {"make_texts.py", "show", QString::fromStdString(folder.file("text.txt")), "--segments", "144", "--seed", "5"});
  for (const char* name : {"tokenizer.json", "text.txt"})
    QVERIFY2(read_bytes(demo_folder() / name) == read_bytes(folder.path() / name), name);
  QVERIFY(nlohmann::json::parse(read_bytes(demo_folder() / "config.json")) ==
          nlohmann::json::parse(read_bytes(folder.path() / "config.json")));
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<DemoTest>};
#include "demo_test.moc"
