// SPDX-License-Identifier: GPL-3.0-or-later
// Each family of the table: its files read back as they were written, a Hugging Face folder and a GGUF hold the same
// model, its forward pass is that of a plain reference in double, and what is exported has the same bytes.
#include <QTest>

#include "engine/checkpoints/hf_config.h"
#include "engine/families/family.h"
#include "engine/families/weight_rows.h"
#include "engine/policies/prepared_run.h"
#include "tests/support/make_gguf.h"
#include "tests/support/plain_llama.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"
#include "tests/support/tiny_family.h"

using namespace carryover;
using namespace carryover::test;

namespace {

std::vector<float> values_of(const ModelSource& source, const std::string& name) {
  const StoredTensor* tensor = source.find(name);
  if (tensor == nullptr) return {};
  const bool vector = tensor->shape.size() == 1;
  std::vector<float> values(static_cast<std::size_t>(tensor->shape[0] * (vector ? 1 : tensor->shape[1])));
  source.read_rows(*tensor, 0, vector ? 1 : tensor->shape[0], values.data());
  return values;
}

std::vector<std::int32_t> some_ids(std::int64_t count, std::int64_t vocabulary) {
  std::mt19937 random(3);
  return distinct_ids(random, count, vocabulary);
}

}  // namespace

class FamiliesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void names_find_their_row_and_no_other() {
    for (const Family& family : families()) {
      QCOMPARE(find_family(family.name), &family);
      QCOMPARE(find_class_family(family.hf_class), &family);
      QCOMPARE(find_gguf_family(family.gguf_name, family.window != SlidingWindowRule::Ignored), &family);
    }
    for (const char* unknown : {"", "Llama", "gpt2", "mamba"}) {
      QVERIFY(find_family(unknown) == nullptr);
      QVERIFY(find_gguf_family(unknown, false) == nullptr);
    }
    ModelConfig foreign = tiny_config();
    foreign.architecture = "mamba";
    QVERIFY_THROWS_EXCEPTION(EngineError, family_of(foreign));
    QVERIFY_THROWS_EXCEPTION(EngineError, foreign.validate("a file"));
  }

  void rows_are_those_of_a_checkpoint() {
    for (const Family& family : families()) {
      const ModelConfig model = tiny_of(family);
      std::map<std::string, std::vector<std::int64_t>> expected, rows;
      for (const auto& [name, shape] : hf_tensor_shapes(model)) expected[name] = shape;
      std::int64_t values = 0;
      for (const WeightRow& row : model_tensors(model)) {
        rows[row.hf_name] = row.shape();
        values += row.values();
      }
      QVERIFY(rows == expected);
      QCOMPARE(values, model.parameters());
      QCOMPARE(gate_tensors(model).size(), static_cast<std::size_t>(2 * model.layers));
    }
  }

  void rows_fill_their_slots_without_gap_or_overlap() {
    for (const Family& family : families()) {
      std::map<WeightSlot, std::int64_t> filled;
      for (const WeightRow& row : layer_rows(tiny_of(family), 1)) {
        QCOMPARE(row.first_row, filled[row.slot]);
        filled[row.slot] += row.rows;
      }
      for (const SlotShape& slot : slot_shapes(layer_rows(tiny_of(family), 1)))
        QCOMPARE(slot.rows(), filled[slot.slot]);
    }
  }

  void folder_and_gguf_hold_the_same_model() {
    for (const Family& family : families()) {
      const ModelConfig model = family.window == SlidingWindowRule::Stated ? windowed_of(family) : tiny_of(family);
      const auto weights = random_weights(model, 5);
      const TempDir dir;
      write_tiny_model(dir.path() / "hf", model, weights);
      GgufWriter writer;
      add_llama_keys(writer, model);
      add_llama_tensors(writer, model, weights);
      write_bytes(dir.path() / "model.gguf", writer.bytes());
      const auto folder = ModelSource::open((dir.path() / "hf").string());
      const auto gguf = ModelSource::open((dir.path() / "model.gguf").string());
      QCOMPARE(gguf->config().architecture, std::string(family.name));
      for (const auto& [name, values] : weights) {
        QVERIFY2(values_of(*folder, name) == values, name.c_str());
        const std::vector<float> read = values_of(*gguf, name);
        QCOMPARE(read.size(), values.size());
        for (std::size_t i = 0; i < values.size(); ++i)  // an offset that was added and taken away again is rounded
          QVERIFY2(std::abs(read[i] - values[i]) <= (family.norm_offset == 0 ? 0.0F : 3e-7F), name.c_str());
      }
    }
  }

  /// A GGUF says as much of a model as config.json, where both have the family's own pattern of layers.
  void shape_of_a_gguf_is_that_of_the_folder() {
    for (const Family& family : families()) {
      ModelConfig model = tiny_of(family);
      model.layers = 8;
      model.norm_epsilon = 0x1p-17;  // the same in single precision
      if (family.unrotated_pattern > 0) model.unrotated_layers = {3, 7};
      if (family.window == SlidingWindowRule::Patterned) {
        model.window_layers = layers_but_every(family.window_pattern, model.layers);
        model.rope.theta = family.default_theta;
        if (family.default_window_theta != 0) model.window_rope = RopeConfig{.theta = family.default_window_theta};
      }
      if (family.window == SlidingWindowRule::Stated) {
        model.window = 12;
        model.window_layers = {0, 1, 2, 3, 4, 5, 6, 7};
      }
      const TempDir dir;
      const auto weights = random_weights(model, 5);
      write_tiny_model(dir.path() / "tiny", model, weights);
      GgufWriter writer;
      add_llama_keys(writer, model);
      add_llama_tensors(writer, model, weights);
      write_bytes(dir.path() / "model.gguf", writer.bytes());
      const nlohmann::json folder = ModelSource::open((dir.path() / "tiny").string())->config();
      const nlohmann::json gguf = ModelSource::open((dir.path() / "model.gguf").string())->config();
      QCOMPARE(QString::fromStdString(gguf.dump()), QString::fromStdString(folder.dump()));
      QCOMPARE(QString::fromStdString(folder.dump()), QString::fromStdString(nlohmann::json(model).dump()));
    }
  }

  void config_is_read_back_as_it_was_written() {
    for (const Family& family : families())
      for (const ModelConfig& model : {tiny_of(family), windowed_of(family), global_of(family)}) {
        if (model.window > 0 && family.window == SlidingWindowRule::Ignored) continue;
        const nlohmann::json written = hf_config_to_json(model, "float32");
        const ModelConfig read = hf_config_from_json(written, model.name, "config.json");
        QVERIFY(nlohmann::json(read) == nlohmann::json(model));
        QVERIFY(hf_config_to_json(read, "float32") == written);
        QVERIFY(nlohmann::json(model_config_from_json(model, "a run")) == nlohmann::json(model));
      }
  }

  void forward_is_that_of_a_plain_reference() {
    const at::NoGradGuard no_gradients;
    for (const Family& family : families()) {
      const ModelConfig model = family.window == SlidingWindowRule::Ignored ? tiny_of(family) : windowed_of(family);
      SegmentConfig config = SegmentConfig::defaults_for(model);
      config.segment_length = 16;
      config.carry_length = 8;
      config.retrieval_length = 8;
      config.pool_keys = PoolKeys::Model;
      const std::vector<std::int32_t> ids = some_ids(60, model.vocabulary);
      const TinyDecoder tiny(model, 7, at::kDouble);
      const Rows expected = PlainLlama(model, config, tiny.values).run(ids);
      PreparedRun prepared(tiny.decoder, {"segmented", config, std::ssize(ids)});
      std::vector<at::Tensor> hidden;
      for (std::int64_t first = 0; first < std::ssize(ids); first += config.segment_length)
        hidden.push_back(prepared.runner().run_segment(
            as_tensor(ids).narrow(0, first, std::min(config.segment_length, std::ssize(ids) - first))));
      const at::Tensor logits = tiny.decoder.logits(at::cat(hidden, 0));
      for (std::size_t token = 0; token < expected.size(); ++token) {
        const at::Tensor row = at::tensor(expected[token], at::kDouble);
        const double difference = (logits[static_cast<std::int64_t>(token)] - row).abs().max().item<double>();
        QVERIFY2(difference < 1e-9,
                 qPrintable(QString("%1, token %2: %3").arg(family.name.data()).arg(token).arg(difference)));
      }
    }
  }

  void sizes_that_a_file_leaves_out_are_the_familys() {
    nlohmann::json json = hf_config_json(tiny_config(2, 4, 2, 8, 96));
    json.erase("head_dim");
    json.erase("num_key_value_heads");
    json.update({{"model_type", "qwen3"}, {"architectures", {"Qwen3ForCausalLM"}}, {"num_attention_heads", 64}});
    const ModelConfig read = hf_config_from_json(json, "tiny", "config.json");
    QCOMPARE(read.head_dim, std::int64_t{128});
    QCOMPARE(read.kv_heads, std::int64_t{32});
  }

  /// A window that never binds, or that no layer has, is none.
  void windows_are_read_as_transformers_reads_them() {
    const auto windowed = [](const std::string& family, const nlohmann::json& keys) {
      ModelConfig model = tiny_config(4);
      model.architecture = family;
      nlohmann::json json = hf_config_json(model);
      json.update(keys);
      const ModelConfig read = hf_config_from_json(json, "tiny", "config.json");
      for (std::size_t i = 0; i < read.window_layers.size(); ++i)
        if (read.window != 8) return std::vector<int>{-1};
      return read.window_layers;
    };
    const std::vector<int> none, all{0, 1, 2, 3};
    QCOMPARE(windowed("llama", {{"sliding_window", 8}}), none);
    QCOMPARE(windowed("mistral", {{"sliding_window", 8}}), all);
    QCOMPARE(windowed("mistral", {{"sliding_window", nullptr}}), none);
    QCOMPARE(windowed("mistral", {{"sliding_window", 2048}}), none);
    QCOMPARE(windowed("qwen2", {{"sliding_window", 8}}), none);
    QCOMPARE(windowed("qwen2", {{"sliding_window", 8}, {"use_sliding_window", false}}), none);
    nlohmann::json opted{{"sliding_window", 8}, {"use_sliding_window", true}};
    QCOMPARE(windowed("qwen2", opted), none);  // 28 layers come without
    opted["max_window_layers"] = 4;
    QCOMPARE(windowed("qwen2", opted), none);
    opted["max_window_layers"] = 2;
    QCOMPARE(windowed("qwen3", opted), (std::vector<int>{2, 3}));
    opted["layer_types"] = {"sliding_attention", "full_attention", "sliding_attention", "full_attention"};
    QCOMPARE(windowed("qwen3", opted), (std::vector<int>{0, 2}));
    opted["layer_types"][1] = "chunked_attention";
    QVERIFY_THROWS_EXCEPTION(EngineError, windowed("qwen3", opted));
    opted["layer_types"] = {"full_attention"};
    QVERIFY_THROWS_EXCEPTION(EngineError, windowed("qwen3", opted));
    nlohmann::json patterned{{"sliding_window", 8}, {"sliding_window_pattern", 2}};
    QCOMPARE(windowed("gemma3_text", patterned), (std::vector<int>{0, 2}));
    patterned["sliding_window_pattern"] = 1;
    QCOMPARE(windowed("gemma3_text", patterned), none);
    patterned["sliding_window"] = nullptr;
    QCOMPARE(windowed("gemma3_text", patterned), none);
    patterned["sliding_window_pattern"] = 2;  // transformers has no mask for such layers either
    QVERIFY_THROWS_EXCEPTION(EngineError, windowed("gemma3_text", patterned));
  }

  /// Windowed layers are exact under every policy: with those that see everything of the others, a text in segments is
  /// the text as a whole, whatever is carried; and a text's state behind it is that of its parts.
  void windows_are_exact_whatever_the_segments() {
    const at::NoGradGuard no_gradients;
    for (const Family& family : families()) {
      if (family.window == SlidingWindowRule::Ignored) continue;
      const ModelConfig model = windowed_of(family);
      const std::vector<std::int32_t> ids = some_ids(90, model.vocabulary);
      const TinyDecoder tiny(model, 7, at::kDouble);
      SegmentConfig whole = SegmentConfig::defaults_for(model);
      whole.segment_length = std::ssize(ids);
      const Rows expected = PlainLlama(model, whole, tiny.values).run(ids);
      for (const std::int64_t length : {90, 40, 7, 1}) {
        SegmentConfig config = whole;
        config.segment_length = length;
        config.carry_length = config.retrieval_length = 0;
        const at::Tensor logits = tiny.decoder.logits(run_hidden(tiny.decoder, "full", config, ids));
        for (std::size_t token = 0; token < expected.size(); ++token) {
          const at::Tensor row = at::tensor(expected[token], at::kDouble);
          const double difference = (logits[static_cast<std::int64_t>(token)] - row).abs().max().item<double>();
          QVERIFY2(difference < 1e-9, qPrintable(QString("%1, segments of %2, token %3: %4")
                                                     .arg(family.name.data())
                                                     .arg(length)
                                                     .arg(token)
                                                     .arg(difference)));
        }
      }
    }
  }

  void a_layer_with_a_window_cannot_be_long_range() {
    const ModelConfig model = windowed_of(*find_family("qwen3"));
    QCOMPARE(default_grouping(model).long_range_layers(), std::vector<int>{1});
    SegmentConfig config = SegmentConfig::defaults_for(model);
    config.validate(model, "a run");
    config.grouping.set_long_layer(2, true);
    QVERIFY_THROWS_EXCEPTION(EngineError, config.validate(model, "a run"));
    config = SegmentConfig::defaults_for(model);
    config.search = SearchBy::Shared;
    config.search_heads = {{0, 1}};
    QVERIFY_THROWS_EXCEPTION(EngineError, config.validate(model, "a run"));
    config.search_heads = {{1, 1}};
    config.validate(model, "a run");
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<FamiliesTest>};
#include "families_test.moc"
