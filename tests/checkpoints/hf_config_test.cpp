// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/hf_config.h"

#include <QTest>
#include <cmath>

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

/// The config of a tiny model of that family with some fields set to something else.
nlohmann::json of_family(const char* family, const nlohmann::json& changes) {
  ModelConfig model = tiny_config();
  model.architecture = family;
  nlohmann::json json = hf_config_json(model);
  json.update(changes);
  return json;
}

nlohmann::json of_mistral(const nlohmann::json& changes) {
  nlohmann::json json = hf_config_json(tiny_config());
  json.update({{"model_type", "mistral"}, {"architectures", {"MistralForCausalLM"}}});
  json.update(changes);
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
                                {.kind = Kind::Dynamic, .factor = 2.0},
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
    QCOMPARE(*read(with("eos_token_id", {256, 9})).eos_id, 9);
    QVERIFY(!read(with("eos_token_id", -1)).eos_id.has_value());
    QVERIFY(!read(with("bos_token_id", -1)).bos_id.has_value());
    QCOMPARE(read(with("hidden_act", "swish")).layers, read(with("hidden_act", "silu")).layers);
    QVERIFY(!read(with("eos_token_id", nlohmann::json::array())).eos_id.has_value());
    QCOMPARE(refused(Fault::BadInput, "eos_token_id", with("eos_token_id", {"x"})), QString());
  }

  void reads_the_older_key_of_the_kind() {
    const ModelConfig config = read(with("rope_scaling", {{"type", "linear"}, {"factor", 4.0}}));
    QVERIFY(config.rope.kind == RopeConfig::Kind::Linear && config.rope.factor == 4.0);
  }

  void refuses_other_architectures_by_name() {
    for (const auto& [type, name] : {std::pair("qwen2_moe", "Qwen2MoeForCausalLM"),
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

  /// Keys of GPT-NeoX have names of their own, and what is absent has other defaults.
  void reads_gpt_neox() {
    nlohmann::json json{{"architectures", {"GPTNeoXForCausalLM"}},
                        {"model_type", "gpt_neox"},
                        {"hidden_act", "gelu"},
                        {"hidden_size", 512},
                        {"intermediate_size", 2048},
                        {"num_hidden_layers", 6},
                        {"num_attention_heads", 8},
                        {"max_position_embeddings", 2048},
                        {"vocab_size", 50304}};
    ModelConfig model = read(json);
    QCOMPARE(model.kv_heads, 8);
    QCOMPARE(model.rotated_dims, 16);  // a quarter of 64
    QCOMPARE(model.rope.theta, 10000.0);
    QCOMPARE(model.norm_epsilon, 1e-5);
    QVERIFY(model.parallel_blocks && !model.tied_embeddings);
    json.update({{"rotary_pct", 1.0},
                 {"rotary_emb_base", 5000},
                 {"layer_norm_eps", 1e-6},
                 {"use_parallel_residual", false},
                 {"num_key_value_heads", 2}});  // which transformers does not read, either
    model = read(json);
    QCOMPARE(model.kv_heads, 8);
    QCOMPARE(model.rotated_dims, 0);
    QCOMPARE(model.rope.theta, 5000.0);
    QCOMPARE(model.norm_epsilon, 1e-6);
    QVERIFY(!model.parallel_blocks);
    const nlohmann::json written = hf_config_to_json(model, "float32");
    QCOMPARE(written.at("rotary_emb_base"), 5000);
    QVERIFY(!written.contains("rms_norm_eps"));
    for (const auto& [key, value] : {std::pair("attention_bias", nlohmann::json(false)), {"hidden_act", "gelu_fast"}}) {
      nlohmann::json other = json;
      other[key] = value;
      QCOMPARE(refused(Fault::Unsupported, key, other), QString());
    }
  }

  void reads_the_soft_caps_of_gemma2() {
    ModelConfig gemma = tiny_config(4, 4, 2, 8, 96);
    gemma.architecture = "gemma2";
    gemma.window = 100;
    gemma.window_layers = {0, 2};
    gemma.score_cap = 40;
    gemma.logit_cap = 20;
    nlohmann::json json = hf_config_json(gemma);
    json.erase("layer_types");  // as in every published file
    QCOMPARE(nlohmann::json(read(json)).dump(), nlohmann::json(read(hf_config_json(gemma))).dump());
    QCOMPARE(read(json).score_cap, 40.0);
    for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"}) json.erase(key);
    QCOMPARE(read(json).score_cap, 50.0);
    QCOMPARE(read(json).logit_cap, 30.0);
    json["attn_logit_softcapping"] = nullptr;
    QCOMPARE(read(json).score_cap, 0.0);
    QVERIFY(hf_config_to_json(read(json), "float32").at("attn_logit_softcapping").is_null());
    json["attn_logit_softcapping"] = -1;
    QCOMPARE(refused(Fault::BadInput, "cap", json), QString());
  }

  /// The published 4B model says no more than this of its text half.
  void reads_the_text_half_of_a_model_that_reads_images() {
    nlohmann::json json{{"architectures", {"Gemma3ForConditionalGeneration"}},
                        {"model_type", "gemma3"},
                        {"eos_token_id", {1, 106}},
                        {"text_config",
                         {{"hidden_size", 2560},
                          {"intermediate_size", 10240},
                          {"model_type", "gemma3_text"},
                          {"num_hidden_layers", 34},
                          {"rope_scaling", {{"factor", 8.0}, {"rope_type", "linear"}}},
                          {"sliding_window", 1024}}},
                        {"vision_config", {{"hidden_size", 1152}, {"model_type", "siglip_vision_model"}}}};
    const ModelConfig gemma = read(json);
    QCOMPARE(gemma.architecture, std::string("gemma3_text"));
    QCOMPARE((std::vector{gemma.heads, gemma.kv_heads, gemma.head_dim, gemma.vocabulary, gemma.context, gemma.window}),
             (std::vector<std::int64_t>{8, 4, 256, 262208, 131072, 1024}));
    QVERIFY(gemma.tied_embeddings && gemma.eos_id == 1 && !gemma.is_windowed(5) && gemma.is_windowed(33));
    QVERIFY(gemma.rope.factor == 8 && gemma.rope.theta == 1e6 && gemma.window_rope->theta == 1e4);
    for (const char* key : {"architectures", "model_type"}) {  // either name is enough
      nlohmann::json one = json;
      one.erase(key);
      QCOMPARE(nlohmann::json(read(one)).dump(), nlohmann::json(gemma).dump());
    }
    json["quantization_config"] = {{"bits", 4}};
    QCOMPARE(refused(Fault::Unsupported, "quantization_config", json), QString());
    json.erase("quantization_config");
    json["text_config"]["model_type"] = "ministral3";
    QCOMPARE(refused(Fault::Unsupported, "ministral3 is not supported", json), QString());
    json["text_config"] = "gemma";
    QCOMPARE(refused(Fault::BadInput, "text_config is missing", json), QString());
    const nlohmann::json half = of_mistral({{"architectures", nullptr}, {"tie_word_embeddings", false}});
    json = {{"architectures", {"Mistral3ForConditionalGeneration"}}, {"model_type", "mistral3"}, {"text_config", half}};
    QCOMPARE(nlohmann::json(read(json)).dump(), nlohmann::json(read(of_mistral(nlohmann::json::object()))).dump());
  }

  void what_is_refused_is_named() {
    const std::tuple<const char*, const char*, const char*> kKnown[] = {
        {"qwen3_moe", "Qwen3MoeForCausalLM", "a mixture of experts"},
        {"gpt_oss", "GptOssForCausalLM", "a mixture of experts"},
        {"mamba2", "Mamba2ForCausalLM", "keep a state"},
        {"granitemoehybrid", "GraniteMoeHybridForCausalLM", "keep a state"},
        {"qwen3_5", "Qwen3_5ForConditionalGeneration", "keep a state"},
        {"t5", "T5ForConditionalGeneration", "an encoder"},
        {"modernbert", "ModernBertForMaskedLM", "an encoder"},
        {"gemma3n", "Gemma3nForConditionalGeneration", "images or sound"},
        {"qwen2_5_vl", "Qwen2_5_VLForConditionalGeneration", "images or sound"},
        {"gpt2", "GPT2LMHeadModel", "positions are inside"},
        {"bloom", "BloomForCausalLM", "ALiBi"},
        {"gptj", "GPTJForCausalLM", "LayerNorm"},
        {"phi", "PhiForCausalLM", "LayerNorm"}};
    for (const auto& [type, name, why] : kKnown) {
      const nlohmann::json both = {{"model_type", type}, {"architectures", {name}}};
      const nlohmann::json one = {{"architectures", {name}}};
      QCOMPARE(refused(Fault::Unsupported, why, both), QString());
      QCOMPARE(refused(Fault::Unsupported, why, one), QString());
    }
    const auto strange = error_of([] { read({{"model_type", "strange"}, {"architectures", {"StrangeForCausalLM"}}}); });
    QVERIFY(strange && strange->problem().ends_with("(strange) is not supported"));
  }

  void refuses_what_changes_the_computation() {
    QCOMPARE(refused(Fault::Unsupported, "attention_bias", with("attention_bias", true)), QString());
    QCOMPARE(refused(Fault::Unsupported, "mlp_bias", with("mlp_bias", true)), QString());
    QCOMPARE(refused(Fault::Unsupported, "gelu", with("hidden_act", "gelu")), QString());
    QCOMPARE(refused(Fault::Unsupported, "quantization_config", with("quantization_config", {{"bits", 4}})), QString());
    QCOMPARE(refused(Fault::Unsupported, "partial_rotary_factor", with("partial_rotary_factor", 0.5)), QString());
    QCOMPARE(refused(Fault::Unsupported, "spiral", with("rope_scaling", {{"rope_type", "spiral"}, {"factor", 4.0}})),
             QString());
    QCOMPARE(refused(Fault::Unsupported, "layer type",
                     with("rope_parameters", {{"full_attention", {{"rope_type", "default"}}}})),
             QString());
  }

  void a_window_that_never_binds_is_none() {
    QCOMPARE(read(of_mistral({{"sliding_window", 2047}})).window, 2047);
    for (const nlohmann::json& window : {nlohmann::json(), nlohmann::json(2048), nlohmann::json(4096)}) {
      QCOMPARE(read(of_mistral({{"sliding_window", window}})).context, 2048);
      QCOMPARE(read(of_mistral({{"sliding_window", window}})).window, 0);
    }
    for (const int window : {0, -1})
      QCOMPARE(refused(Fault::BadInput, "sliding_window", of_mistral({{"sliding_window", window}})), QString());
  }

  /// As transformers: LlamaForCausalLM has no window, MistralForCausalLM one of 4096 where none is given, and neither
  /// knows use_sliding_window.
  void windows_are_those_of_transformers() {
    QCOMPARE(read(with("sliding_window", 16)).window, 0);
    QCOMPARE(read(of_mistral({{"max_position_embeddings", 4096}})).window, 0);
    const nlohmann::json longer = of_mistral({{"max_position_embeddings", 8192}});
    QCOMPARE(read(longer).window, 4096);
    QCOMPARE(std::ssize(read(longer).window_layers), read(longer).layers);
    nlohmann::json off = longer;
    off["sliding_window"] = nullptr;
    QCOMPARE(read(off).window, 0);
    off.update({{"sliding_window", 1024}, {"use_sliding_window", false}});
    QCOMPARE(read(off).window, 1024);
  }

  void groups_are_those_of_transformers() {
    nlohmann::json json = of_mistral({{"num_attention_heads", 16}, {"head_dim", 4}});
    json.erase("num_key_value_heads");
    QCOMPARE(read(json).kv_heads, 8);
    json["num_key_value_heads"] = nullptr;
    QCOMPARE(read(json).kv_heads, 16);
  }

  /// Each row: the config's keys, and what transformers makes of them: the kind, theta, factor and original context.
  void rope_keys_have_transformers_precedence_data() {
    QTest::addColumn<QString>("keys");
    QTest::addColumn<QString>("rope");
    QTest::newRow("both, scaling wins") << R"({"rope_theta": 500.0, "rope_scaling": {"type": "linear", "factor": 8.0},
               "rope_parameters": {"rope_type": "default", "rope_theta": 700.0}})"
                                        << "linear 500 8 0";
    QTest::newRow("both, with a base each")
        << R"({"rope_theta": 500.0, "rope_scaling": {"type": "linear", "factor": 8.0, "rope_theta": 600.0},
               "rope_parameters": {"rope_type": "default", "rope_theta": 700.0}})"
        << "linear 600 8 0";
    QTest::newRow("scaling without a kind")
        << R"({"rope_scaling": {"factor": 8.0}, "rope_parameters": {"rope_type": "linear", "factor": 2.0}})"
        << "default 10000 1 0";
    QTest::newRow("empty scaling")
        << R"({"rope_scaling": {}, "rope_parameters": {"rope_type": "linear", "factor": 2.0, "rope_theta": 700.0}})"
        << "linear 700 2 0";
    QTest::newRow("no scaling")
        << R"({"rope_scaling": null, "rope_theta": 500.0, "rope_parameters": {"rope_type": "linear", "factor": 2.0}})"
        << "linear 500 2 0";
    QTest::newRow("parameters before the top level")
        << R"({"rope_theta": 500.0, "rope_parameters": {"rope_type": "default", "rope_theta": 700.0}})"
        << "default 700 1 0";
    QTest::newRow("both names of the kind")
        << R"({"rope_scaling": {"type": "dynamic", "rope_type": "linear", "factor": 2.0}})"
        << "linear 10000 2 0";
    QTest::newRow("llama3 without an original context")
        << R"({"rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4}})"
        << "llama3 10000 8 0";
    QTest::newRow("llama3, the top level's original context")
        << R"({"original_max_position_embeddings": 64, "rope_scaling": {"rope_type": "llama3", "factor": 8,
               "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 32}})"
        << "llama3 10000 8 64";
    QTest::newRow("dynamic, an original context")
        << R"({"rope_scaling": {"rope_type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 32}})"
        << "dynamic 10000 2 0";
    QTest::newRow("whole heads") << R"({"partial_rotary_factor": 0.5, "rope_theta": 500.0,
               "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 1.0}})"
                                 << "default 500 1 0";
    QTest::newRow("a part that scaling hides") << R"({"rope_scaling": {"type": "linear", "factor": 8.0},
               "rope_parameters": {"rope_type": "default", "partial_rotary_factor": 0.5}})"
                                               << "linear 10000 8 0";
  }
  void rope_keys_have_transformers_precedence() {
    QFETCH(QString, keys);
    QFETCH(QString, rope);
    nlohmann::json json = without("rope_scaling");
    json.erase("rope_theta");
    json.update(nlohmann::json::parse(keys.toStdString()));
    const RopeConfig found = read(json).rope;
    QCOMPARE(QStringLiteral("%1 %2 %3 %4")
                 .arg(QString::fromUtf8(rope_kind_name(found.kind).data()))
                 .arg(found.theta)
                 .arg(found.factor)
                 .arg(found.original_context),
             rope);
  }

  void part_of_a_head_is_refused_wherever_it_stands() {
    const nlohmann::json part{{"rope_type", "default"}, {"partial_rotary_factor", 0.5}};
    QCOMPARE(refused(Fault::Unsupported, "partial_rotary_factor", with("rope_parameters", part)), QString());
    QCOMPARE(refused(Fault::Unsupported, "partial_rotary_factor", with("rope_scaling", part)), QString());
    nlohmann::json both = with("rope_parameters", {{"rope_type", "default"}, {"rope_theta", 500.0}});
    both["partial_rotary_factor"] = 0.25;
    QCOMPARE(refused(Fault::Unsupported, "partial_rotary_factor", both), QString());
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

  void layers_without_rope_are_those_that_the_file_names() {
    const auto unrotated = [](const nlohmann::json& changes) {
      nlohmann::json json = of_family("smollm3", nlohmann::json::object());
      json.erase("no_rope_layers");
      json.update(changes);
      return read(json).unrotated_layers;
    };
    QCOMPARE(unrotated(nlohmann::json::object()), std::vector<int>{3});
    QCOMPARE(unrotated({{"no_rope_layer_interval", 2}}), (std::vector<int>{1, 3}));
    QCOMPARE(unrotated({{"no_rope_layers", {0, 1, 1, 0, 1}}}), (std::vector<int>{0, 3}));  // the fifth is of no layer
    QCOMPARE(unrotated({{"no_rope_layers", {true, false, true, true}}}), std::vector<int>{1});
    for (const char* wrong : {"[1, 1]", "[\"yes\", 1, 1, 1]", "[1, 1, 1, null]", "{\"a\": 1}"})
      QCOMPARE(refused(Fault::BadInput, "no_rope_layers",
                       of_family("smollm3", {{"no_rope_layers", nlohmann::json::parse(wrong)}})),
               QString());
    QCOMPARE(refused(Fault::BadInput, "layers", of_family("smollm3", {{"num_hidden_layers", INT64_MAX}})), QString());
    QCOMPARE(refused(Fault::Unsupported, "use_sliding_window", of_family("smollm3", {{"use_sliding_window", true}})),
             QString());
  }

  void a_part_of_a_head_may_be_rotated() {
    const auto rotated = [](const nlohmann::json& changes) { return read(of_family("phi3", changes)).rotated_dims; };
    QCOMPARE(rotated({{"partial_rotary_factor", 0.75}}), std::int64_t{12});
    QCOMPARE(rotated({{"partial_rotary_factor", 1.0}}), std::int64_t{0});
    QCOMPARE(rotated({{"rope_scaling", nullptr},
                      {"rope_parameters", {{"rope_theta", 1e4}, {"partial_rotary_factor", 0.5}}}}),
             std::int64_t{8});
    for (const double wrong : {0.01, 0.0, 1.5, -0.5})
      QVERIFY(error_of([&] { read(of_family("phi3", {{"partial_rotary_factor", wrong}})); }).has_value());
  }

  /// transformers takes 4096 tokens for the original context of a Phi-3 that names none beside its RoPE scaling.
  void longrope_is_read() {
    const std::vector<double> ones(8, 1.0), twos(8, 2.0);
    const nlohmann::json scaling{{"type", "su"}, {"short_factor", ones}, {"long_factor", twos}};
    const RopeConfig rope = read(of_family("phi3", {{"rope_scaling", scaling}})).rope;
    QVERIFY(rope.kind == RopeConfig::Kind::Longrope && rope.original_context == 4096);
    QVERIFY(rope.factor == 1 && rope_amplitude(rope, 2048) == 1);  // the context is shorter
    const ModelConfig longer = read(
        of_family("phi3", {{"rope_scaling", scaling}, {"original_max_position_embeddings", 512}, {"rope_theta", 1e4}}));
    QCOMPARE(longer.rope.factor, 4.0);
    QCOMPARE(rope_amplitude(longer.rope, 2048), std::sqrt(1 + std::log(4.0) / std::log(512.0)));
    QCOMPARE(rope_frequency(longer.rope, 3, 16, 2048, 512), std::pow(1e4, -6.0 / 16));
    QCOMPARE(rope_frequency(longer.rope, 3, 16, 2048, 513), std::pow(1e4, -6.0 / 16) / 2);
    const nlohmann::json written = hf_config_to_json(longer, "float32");
    QVERIFY(nlohmann::json(read(written)) == nlohmann::json(longer));
    QCOMPARE(written.at("original_max_position_embeddings").get<int>(), 512);
    nlohmann::json wrong = scaling;
    wrong["long_factor"] = {1.0};
    QCOMPARE(refused(Fault::BadInput, "longrope", of_family("phi3", {{"rope_scaling", wrong}})), QString());
    wrong.erase("long_factor");
    QCOMPARE(refused(Fault::BadInput, "long_factor", of_family("phi3", {{"rope_scaling", wrong}})), QString());
  }

  void yarn_is_read() {
    const auto rope = [](const nlohmann::json& changes) {
      nlohmann::json scaling{{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 512}};
      scaling.update(changes);
      return read(with("rope_scaling", scaling)).rope;
    };
    QCOMPARE(rope_amplitude(rope(nlohmann::json::object()), 2048), 0.1 * std::log(4.0) + 1);
    QCOMPARE(rope_amplitude(rope({{"attention_factor", 1.5}}), 2048), 1.5);
    QCOMPARE(rope_amplitude(rope({{"mscale", 1.0}, {"mscale_all_dim", 1.0}}), 2048), 1.0);
    QCOMPARE(rope_frequency(rope(nlohmann::json::object()), 0, 16, 2048, 0), 1.0);  // turns often: as it is
    QCOMPARE(rope_frequency(rope(nlohmann::json::object()), 7, 16, 2048, 0),
             std::pow(1e4, -14.0 / 16) / 4);  // turns seldom: divided
    QVERIFY(rope({{"truncate", false}}).whole_pairs == false && rope({{"beta_fast", 16}}).fast_turns == 16);
    const ModelConfig model = read(with("rope_scaling", {{"rope_type", "yarn"}, {"factor", 4.0}, {"truncate", false}}));
    QVERIFY(nlohmann::json(read(hf_config_to_json(model, "float32"))) == nlohmann::json(model));
  }

  /// transformers 5 gives the base of OLMo 3's config.json to global layers alone.
  void kinds_of_layers_have_their_own_rope() {
    nlohmann::json json = of_family("olmo3", {{"rope_theta", 7000.0}});
    json.erase("layer_types");
    const ModelConfig model = read(json);
    QCOMPARE(model.rope.theta, 7000.0);
    QCOMPARE(model.window_rope->theta, 5e5);
    QCOMPARE(model.window_layers, (std::vector<int>{0, 1, 2}));
    json["rope_parameters"] = {{"sliding_attention", {{"rope_type", "dynamic"}, {"factor", 2.0}}}};
    QCOMPARE(refused(Fault::BadInput, "windowed layers", json), QString());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HfConfigTest>};
#include "hf_config_test.moc"
