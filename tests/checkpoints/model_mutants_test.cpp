// SPDX-License-Identifier: GPL-3.0-or-later
// 10,000 damaged files for each loader: every one opens, and then all of it can be read, or is refused with an
// EngineError that blames the file. Run under AddressSanitizer and UBSan by the asan-ubsan preset.
#include <QTest>

#include "engine/base/error.h"
#include "engine/checkpoints/gguf_source.h"
#include "engine/checkpoints/hf_config.h"
#include "engine/checkpoints/hf_source.h"
#include "engine/formats/json_file.h"
#include "tests/support/make_gguf.h"
#include "tests/support/mutate.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr int kMutants = 10000;

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

ModelConfig fixture_config() {
  ModelConfig config = tiny_config(1, 2, 1, 4, 16);
  config.rope = {.kind = RopeConfig::Kind::Llama3, .theta = 500000.0, .factor = 8.0, .original_context = 8192};
  return config;
}

void read_everything(const ModelSource& model) {
  for (const StoredTensor& tensor : model.tensors()) {
    const std::int64_t rows = tensor.shape.size() == 1 ? 1 : tensor.shape[0];
    std::vector<float> row(static_cast<std::size_t>(tensor.shape.back()));
    for (std::int64_t i = 0; i < rows; ++i) model.read_rows(tensor, i, i + 1, row.data());
  }
  model.hash();
}

/// Calls `load` with each mutant; the undamaged bytes must load. Counts those that opened and those that were refused.
template <typename Load>
void try_mutants(const std::string& original, std::size_t header_bytes, unsigned seed, Load load) {
  QVERIFY(original.size() <= 64 * 1024);
  load(original);
  Mutator mutator(original, header_bytes, seed);
  int opened = 0, refused = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string edited = mutator.next();
    const std::vector<char> exact(edited.begin(), edited.end());  // no spare bytes that would hide reads past the end
    const std::string_view mutant(exact.data(), exact.size());
    try {
      load(mutant);
      ++opened;
    } catch (const EngineError& error) {
      ++refused;
      const bool blames_file =
          error.fault() == Fault::BadInput || error.fault() == Fault::Unsupported || error.fault() == Fault::Io;
      QVERIFY2(blames_file && !error.problem().empty() && !error.advice().empty(),
               qPrintable(QStringLiteral("mutant %1: %2").arg(i).arg(QString::fromUtf8(error.what()))));
    }
  }
  QCOMPARE(opened + refused, kMutants);
  QVERIFY2(opened > kMutants / 100 && refused > kMutants / 4,
           qPrintable(QStringLiteral("%1 opened, %2 refused: the mutants test little").arg(opened).arg(refused)));
}

}  // namespace

class ModelMutantsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void safetensors() {
    const TempDir folder;
    const ModelConfig config = fixture_config();
    write_tiny_model(folder.path(), config, 1u);
    const std::string original = read_bytes(folder.path() / "model.safetensors");
    const std::size_t header = original.find("}}") + 2;
    try_mutants(original, header, 11, [&](std::string_view bytes) {
      const SafetensorsFile file = SafetensorsFile::parse(as_bytes(bytes), "mutant.safetensors");
      for (const SafetensorsTensor& tensor : file.tensors()) QVERIFY(file.find(tensor.name) == &tensor);
      read_everything(*hf_model(config, {file}));
    });
  }

  void hf_config() {
    for (const bool newer : {false, true}) {
      const std::string original = hf_config_json(fixture_config(), {.newer_config = newer}).dump(1);
      try_mutants(original, original.size(), 12 + newer, [&](std::string_view text) {
        const ModelConfig config = hf_config_from_json(parse_json(text, "config.json"), "mutant", "config.json");
        QVERIFY(config.parameters() > 0);
      });
    }
  }

  void hf_config_of_real_weights() {
    const TempDir folder;
    write_tiny_model(folder.path(), fixture_config(), 1u);
    const SafetensorsFile weights = SafetensorsFile::open(folder.file("model.safetensors"));
    const std::string original = read_bytes(folder.path() / "config.json");
    try_mutants(original, original.size(), 14, [&](std::string_view text) {
      const nlohmann::json json = parse_json(text, "config.json");
      read_everything(*hf_model(hf_config_from_json(json, "mutant", "config.json"), {weights}));
    });
  }

  void shard_index() {
    const TempDir folder(fast_parent());
    write_tiny_model(folder.path(), fixture_config(), 1u, {.shards = 2});
    const auto index = folder.path() / "model.safetensors.index.json";
    const std::string original = read_bytes(index);
    try_mutants(original, original.size(), 15, [&](std::string_view text) {
      write_bytes(index, text);
      read_everything(*ModelSource::open(folder.path().string()));
    });
  }

  void gguf() {
    const std::string original = make_mixed_gguf();
    const std::size_t header = original.find("output_norm.weight") + 40;
    try_mutants(original, header, 16, [&](std::string_view bytes) {
      const GgufFile file = GgufFile::parse(as_bytes(bytes), "mutant.gguf");
      file.find_strings("tokenizer.ggml.tokens");
      file.find_ints("tokenizer.ggml.token_type");
      file.find_floats("tokenizer.ggml.scores");
      file.find_bool("tokenizer.ggml.add_bos_token");
      read_everything(*gguf_model(file, "mutant"));
    });
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ModelMutantsTest>};
#include "model_mutants_test.moc"
