// SPDX-License-Identifier: GPL-3.0-or-later
// The demo in resources/: it loads, its tokenizer gives its text back, it fits the default segments, and the script
// makes it again byte for byte.
#include <QProcess>
#include <QTest>

#include "engine/core/segment_config.h"
#include "engine/io/model_source.h"
#include "engine/io/text_source.h"
#include "engine/io/tokenizer.h"
#include "tests/support/make_tokenizer.h"

using namespace carryover;
using namespace carryover::test;

class DemoTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void model_opens();
  void text_comes_back();
  void text_spans_many_segments();
  void script_makes_it_again();
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
  QVERIFY(std::filesystem::file_size(demo_folder() / "model.safetensors") < 4 << 20);
}

void DemoTest::text_comes_back() {
  const auto tokenizer = Tokenizer::load(demo_folder().string());
  const auto config = ModelSource::open(demo_folder().string())->config();
  QCOMPARE(tokenizer->vocabulary(), config.vocabulary);
  QCOMPARE(std::optional<std::int64_t>(tokenizer->bos()), config.bos_id);
  const std::string text = read_text((demo_folder() / "text.txt").string());
  const auto ids = tokenizer->encode(text);
  QCOMPARE(tokenizer->decode(ids), text);
  QVERIFY2(ids.size() * 2 < text.size(), "the merges were not learnt from this text");
}

void DemoTest::text_spans_many_segments() {
  const auto config = ModelSource::open(demo_folder().string())->config();
  const SegmentConfig segments = SegmentConfig::defaults_for(config);
  segments.validate(config, "defaults");
  QCOMPARE(segments.segment_length, std::int64_t{256});
  QCOMPARE(segments.carry_length, std::int64_t{32});
  QCOMPARE(segments.retrieval_length, std::int64_t{32});
  const auto ids = Tokenizer::load(demo_folder().string())->encode(read_text((demo_folder() / "text.txt").string()));
  QVERIFY(ids.size() > 16 * 256);
}

void DemoTest::script_makes_it_again() {
  const TempDir folder;
  QProcess python;
  python.start("python3",
               {CARRYOVER_SOURCE_DIR "/scripts/make_demo_model.py", QString::fromStdString(folder.path().string())});
  QVERIFY2(python.waitForFinished(120000), qPrintable(python.errorString()));
  QVERIFY2(python.exitStatus() == QProcess::NormalExit && python.exitCode() == 0,
           python.readAllStandardError().constData());
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(demo_folder())) {
    const std::string name = entry.path().filename().string();
    QVERIFY2(read_bytes(entry.path()) == read_bytes(folder.path() / name), name.c_str());
    ++files;
  }
  QCOMPARE(files, 5);
}

QTEST_GUILESS_MAIN(DemoTest)
#include "demo_test.moc"
