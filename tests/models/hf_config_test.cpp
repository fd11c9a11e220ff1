// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/models/hf_config.h"

#include <QTest>

#include "engine/formats/json_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

ModelConfig read(const nlohmann::json& json) {
  return hf_config_from_json(json, "tiny", "config.json");
}

QString refused(Fault fault, const char* part, const nlohmann::json& json) {
  return QString::fromStdString(unlike(fault, part, [&] { read(json); }));
}

/// The plain config with one field set to something else.
nlohmann::json with(const char* key, const nlohmann::json& value) {
  nlohmann::json json = hf_config_json(tiny_config());
  json[key] = value;
  return json;
}

nlohmann::json without(const char* key) {
  nlohmann::json json = hf_config_json(tiny_config());
  json.erase(key);
  return json;
}

}  // namespace

class HfConfigTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reads_both_generations() {
    using Kind = RopeConfig::Kind;
    const RopeConfig ropes[] = {{},
                                {.theta = 500000.0},
                                {.kind = Kind::Linear, .factor = 8.0},
                                {.kind = Kind::Dynamic, .factor = 2.0, .original_context = 1024},
                                {.kind = Kind::Llama3,
                                 .theta = 500000.0,
                                 .factor = 32.0,
                                 .low_frequency_factor = 1.5,
                                 .high_frequency_factor = 3.0,
                                 .original_context = 8192}};
    for (const RopeConfig& rope : ropes) {
      for (const bool newer : {false, true}) {
        for (const char* architecture : {"llama", "mistral"}) {
          ModelConfig config = tiny_config(3, 6, 2, 8, 300);
          config.rope = rope;
          config.architecture = architecture;
          config.tied_embeddings = newer;
          const ModelConfig found = read(hf_config_json(config, {.newer_config = newer}));
          QCOMPARE(nlohmann::json(found).dump(), nlohmann::json(config).dump());
          QVERIFY(found.rope == rope);
        }
      }
    }
  }

  void fills_what_may_be_absent() {
    QCOMPARE(read(without("num_key_value_heads")).kv_heads, 4);
    QCOMPARE(read(without("head_dim")).head_dim, 16);
    QCOMPARE(read(with("head_dim", nullptr)).head_dim, 16);
    QCOMPARE(read(without("rope_theta")).rope.theta, 10000.0);
    QVERIFY(!read(without("tie_word_embeddings")).tied_embeddings);
    QVERIFY(!read(without("bos_token_id")).bos_id.has_value());
    QCOMPARE(read(without("architectures")).architecture, std::string("llama"));
    QCOMPARE(read(without("model_type")).architecture, std::string("llama"));
  }

  void takes_the_first_of_several_ends() {
    QCOMPARE(*read(with("eos_token_id", {7, 9, 8})).eos_id, 7);
    QVERIFY(!read(with("eos_token_id", nlohmann::json::array())).eos_id.has_value());
    QCOMPARE(refused(Fault::BadInput, "eos_token_id", with("eos_token_id", {"x"})), QString());
  }

  void reads_the_older_key_of_the_kind() {
    const ModelConfig config = read(with("rope_scaling", {{"type", "linear"}, {"factor", 4.0}}));
    QVERIFY(config.rope.kind == RopeConfig::Kind::Linear && config.rope.factor == 4.0);
  }

  void refuses_other_architectures_by_name() {
    for (const auto& [type, name] : {std::pair("qwen2", "Qwen2ForCausalLM"),
                                     {"gemma", "GemmaForCausalLM"},
                                     {"gpt2", "GPT2LMHeadModel"},
                                     {"llama", "LlamaForSequenceClassification"},
                                     {"mistral", "LlamaForCausalLM"}}) {
      nlohmann::json json = with("model_type", type);
      json["architectures"] = {name};
      QCOMPARE(refused(Fault::Unsupported, name, json), QString());
      QCOMPARE(refused(Fault::Unsupported, "Supported: LlamaForCausalLM", json), QString());
    }
    nlohmann::json nameless = without("model_type");
    nameless.erase("architectures");
    QCOMPARE(refused(Fault::BadInput, "model_type", nameless), QString());
  }

  void refuses_what_changes_the_computation() {
    QCOMPARE(refused(Fault::Unsupported, "attention_bias", with("attention_bias", true)), QString());
    QCOMPARE(refused(Fault::Unsupported, "mlp_bias", with("mlp_bias", true)), QString());
    QCOMPARE(refused(Fault::Unsupported, "gelu", with("hidden_act", "gelu")), QString());
    QCOMPARE(refused(Fault::Unsupported, "quantization_config", with("quantization_config", {{"bits", 4}})), QString());
    QCOMPARE(refused(Fault::Unsupported, "partial_rotary_factor", with("partial_rotary_factor", 0.5)), QString());
    QCOMPARE(refused(Fault::Unsupported, "yarn", with("rope_scaling", {{"rope_type", "yarn"}, {"factor", 4.0}})),
             QString());
    QCOMPARE(refused(Fault::Unsupported, "layer type",
                     with("rope_parameters", {{"full_attention", {{"rope_type", "default"}}}})),
             QString());
  }

  void allows_only_a_window_that_never_binds() {
    QCOMPARE(refused(Fault::Unsupported, "sliding_window", with("sliding_window", 2047)), QString());
    for (const nlohmann::json& window : {nlohmann::json(), nlohmann::json(2048), nlohmann::json(4096)}) {
      QCOMPARE(read(with("sliding_window", window)).context, 2048);
    }
  }

  void refuses_numbers_out_of_range() {
    for (const char* key : {"num_hidden_layers", "hidden_size", "intermediate_size", "num_attention_heads",
                            "num_key_value_heads", "vocab_size", "max_position_embeddings", "head_dim"}) {
      const std::vector<nlohmann::json> bad{0, -1, INT64_MAX, INT64_MIN, UINT64_MAX, 1.5, "8", true, {1}};
      for (const nlohmann::json& value : bad)
        QCOMPARE(refused(Fault::BadInput, "config.json", with(key, value)), QString());
    }
    for (const char* key : {"num_hidden_layers", "hidden_size", "intermediate_size", "num_attention_heads",
                            "vocab_size", "max_position_embeddings"}) {
      QCOMPARE(refused(Fault::BadInput, key, without(key)), QString());
    }
    QCOMPARE(refused(Fault::BadInput, "KV heads", with("num_key_value_heads", 3)), QString());
    QCOMPARE(refused(Fault::BadInput, "odd", with("head_dim", 15)), QString());
    QCOMPARE(refused(Fault::BadInput, "EOS", with("eos_token_id", 256)), QString());
    QCOMPARE(refused(Fault::BadInput, "theta", with("rope_theta", 0.0)), QString());
    QCOMPARE(refused(Fault::BadInput, "factor", with("rope_scaling", {{"type", "linear"}})), QString());
    QCOMPARE(refused(Fault::BadInput, "low_freq_factor",
                     with("rope_scaling",
                          {{"rope_type", "llama3"}, {"factor", 8}, {"original_max_position_embeddings", 8192}})),
             QString());
  }

  void counts_parameters_as_the_tensors_do() {
    for (const bool tied : {false, true}) {
      ModelConfig config = tiny_config(3, 6, 2, 10, 77);
      config.tied_embeddings = tied;
      std::int64_t sum = 0;
      for (const auto& [name, shape] : hf_tensor_shapes(config)) sum += shape[0] * (shape.size() == 2 ? shape[1] : 1);
      QCOMPARE(config.parameters(), sum);
    }
  }

  void names_the_byte_of_broken_json() {
    const auto parse = [](const std::string& text) {
      return [text] { parse_json(text, "config.json", JsonKind::Settings, JsonKeys::Unique); };
    };
    QCOMPARE(QString::fromStdString(unlike(Fault::BadInput, "byte 10", parse("{\"a\": 12, ?}"))), QString());
    QCOMPARE(QString::fromStdString(unlike(Fault::BadInput, "twice", parse("{\"a\": {\"b\": 1, \"b\": 2}}"))),
             QString());
    QCOMPARE(QString::fromStdString(unlike(Fault::BadInput, "64 levels at byte 64", parse(std::string(100000, '[')))),
             QString());
    QCOMPARE(QString::fromStdString(unlike(Fault::BadInput, "JSON", parse("{\"a\": 1e999}"))), QString());
    QCOMPARE(QString::fromStdString(unlike(Fault::BadInput, "byte", parse("\"\xff\""))), QString());
    QCOMPARE(parse_json("{\"a\": \"[[[[\\\"[\"}", "x", JsonKind::Settings, JsonKeys::Unique).at("a").get<std::string>(),
             std::string("[[[[\"["));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HfConfigTest>};
#include "hf_config_test.moc"
