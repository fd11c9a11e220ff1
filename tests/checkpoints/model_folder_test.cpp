// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/model_folder.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/checkpoints/hf_config.h"
#include "engine/checkpoints/model_source.h"
#include "engine/families/weight_rows.h"
#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/gguf_tokenizer.h"
#include "engine/tokenizers/tokenizer_json.h"
#include "engine/tokenizers/tokenizer_writer.h"
#include "tests/support/expect_error.h"
#include "tests/support/faults/file_size_limit.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/random_text.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using carryover::test::TempDir;
using carryover::test::unlike;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

using Weights = std::map<std::string, std::vector<float>>;

std::span<const std::byte> span_of(const std::vector<float>& values) {
  return std::as_bytes(std::span(values));
}

std::vector<OutgoingTensor> outgoing(const ModelConfig& config, const Weights& weights) {
  std::vector<OutgoingTensor> tensors;
  for (const auto& [name, shape] : test::hf_tensor_shapes(config)) {
    const std::vector<float>& values = weights.at(name);
    tensors.push_back({name, "F32", shape, [&values] { return span_of(values); }});
  }
  return tensors;
}

ModelConfig random_model(std::mt19937& random) {
  const auto below = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
  const std::int64_t kv_heads = 1 + below(3);
  ModelConfig c =
      test::tiny_config(1 + below(3), kv_heads * (1 + below(3)), kv_heads, 2 * (1 + below(4)), 8 + below(9));
  c.architecture = below(3) == 0 ? "mistral" : "llama";
  c.hidden = 4 * (1 + below(4));  // not always heads · head_dim
  c.context = 1 + below(100'000);
  c.norm_epsilon = std::uniform_real_distribution<double>(1e-7, 1e-4)(random);
  c.tied_embeddings = below(2) == 0;
  c.rope.theta = std::uniform_real_distribution<double>(1e3, 1e6)(random);
  c.rope.kind = static_cast<RopeConfig::Kind>(below(4));
  if (c.rope.kind != RopeConfig::Kind::Default) c.rope.factor = std::uniform_real_distribution<double>(1, 32)(random);
  if (c.rope.kind == RopeConfig::Kind::Llama3) {
    c.rope.low_frequency_factor = std::uniform_real_distribution<double>(0.5, 1.5)(random);
    c.rope.high_frequency_factor = std::uniform_real_distribution<double>(2, 5)(random);
  }
  if (c.rope.kind == RopeConfig::Kind::Llama3) c.rope.original_context = 1 + below(9000);
  c.bos_id = below(2) == 0 ? std::optional(below(8)) : std::nullopt;
  c.eos_id = below(2) == 0 ? std::optional(below(8)) : std::nullopt;
  return c;
}

/// Ids of many texts, each with and without special tokens.
std::vector<std::vector<std::int32_t>> ids_of(const Tokenizer& tokenizer, int texts) {
  test::RandomText random(3);
  std::vector<std::vector<std::int32_t>> ids;
  for (int i = 0; i < texts; ++i) {
    const std::string text = random.next();
    ids.push_back(tokenizer.encode(text, false));
    ids.push_back(tokenizer.encode(text, true));
  }
  return ids;
}

void write_gguf_model(const std::string& path, const std::string& vocabulary) {
  test::write_bytes(path, vocabulary);
}

LoraConfig random_lora(std::mt19937& random) {
  LoraConfig lora;
  lora.rank = 1 + static_cast<std::int64_t>(random() % 8);
  lora.alpha = random() % 2 == 0 ? 16 : std::uniform_real_distribution<double>(0.5, 64)(random);
  lora.dropout = random() % 2 == 0 ? 0 : 0.0625;
  lora.rslora = random() % 2 == 0;
  lora.target_modules.clear();
  for (const std::string& module : lora_modules_of(ModelConfig{})) {
    if (random() % 2 == 0) lora.target_modules.push_back(module);
  }
  if (lora.target_modules.empty()) lora.target_modules = {"v_proj"};
  return lora;
}

struct AdapterTensors {
  Weights values;
  std::vector<OutgoingTensor> tensors;

  AdapterTensors(const LoraConfig& lora, std::mt19937& random) {
    for (const std::string& module : lora.target_modules) {
      const std::string part =
          module.ends_with("up_proj") || module == "gate_proj" || module == "down_proj" ? "mlp" : "self_attn";
      const std::string stem = "base_model.model.model.layers.0." + part + "." + module;
      add(stem + ".lora_A.weight", {lora.rank, 6}, random);
      add(stem + ".lora_B.weight", {5, lora.rank}, random);
    }
  }
  void add(const std::string& name, const std::vector<std::int64_t>& shape, std::mt19937& random) {
    std::vector<float>& made = values[name];
    for (std::int64_t i = 0; i < shape[0] * shape[1]; ++i) made.push_back(std::normal_distribution<float>()(random));
    tensors.push_back({name, "F32", shape, [&made] { return span_of(made); }});
  }
};

}  // namespace

class ModelFolderTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_model_reads_back_exactly();
  void config_leaves_nothing_to_defaults();
  void a_folders_tokenizer_is_copied();
  void a_ggufs_bpe_gives_equal_ids_data();
  void a_ggufs_bpe_gives_equal_ids();
  void every_pretokenizer_reads_back();
  void a_ggufs_sentencepiece_gives_equal_ids();
  void a_ggufs_blank_takers_are_written();
  void end_tokens_are_written();
  void a_model_without_tokenizer_has_none();
  void a_full_disk_is_named();
  void an_adapter_reads_back();
  void an_adapter_of_a_model_that_reads_images_is_that_of_its_text_half();
  void adapters_may_name_modules_by_patterns_and_paths();
  void adapters_say_how_they_began();
  void files_that_are_no_adapter_are_named();
  void foreign_adapters_are_refused_data();
  void foreign_adapters_are_refused();
};

void ModelFolderTest::a_model_reads_back_exactly() {
  const TempDir temp(test::fast_parent());
  std::mt19937 random(1);
  const std::string source = test::write_tiny_model(temp.path() / "source", test::tiny_config(1), 1);
  for (unsigned round = 0; round < 60; ++round) {
    const ModelConfig config = random_model(random);
    const Weights weights = test::random_weights(config, round);
    const std::string folder = temp.file("m" + std::to_string(round));
    fs::create_directory(folder);
    write_model_folder(folder, config, "float32", outgoing(config, weights), source);
    const auto model = ModelSource::open(folder);
    json expected = config, read = model->config();
    expected["name"] = read["name"];  // the folder's
    QVERIFY2(read == expected, (read.dump() + expected.dump()).c_str());
    for (const StoredTensor& tensor : model->tensors()) {
      const std::vector<float>& values = weights.at(tensor.name);
      std::vector<float> got(values.size());
      model->read_rows(tensor, 0, tensor.shape.size() == 1 ? 1 : tensor.shape[0], got.data());
      QCOMPARE(got, values);
    }
  }
}

void ModelFolderTest::config_leaves_nothing_to_defaults() {
  ModelConfig config = test::tiny_config();
  config.bos_id.reset();
  json written = hf_config_to_json(config, "bfloat16");
  QVERIFY(written.contains("bos_token_id") && written["bos_token_id"].is_null());  // transformers would take 1
  QVERIFY(written["torch_dtype"] == "bfloat16");
  QVERIFY(written["architectures"] == json{"LlamaForCausalLM"});
  QVERIFY(written["head_dim"] == 16);
  QVERIFY(written["rope_scaling"].is_null());
  config.architecture = "mistral";
  written = hf_config_to_json(config, "float32");
  QVERIFY(written.contains("sliding_window") && written["sliding_window"].is_null());  // transformers would take 4096
  QVERIFY(written["architectures"] == json{"MistralForCausalLM"});
}

void ModelFolderTest::a_folders_tokenizer_is_copied() {
  const TempDir temp(test::fast_parent());
  const fs::path source = temp.path() / "source", target = temp.path() / "target";
  fs::create_directory(source);
  fs::create_directory(target);
  fs::copy_file(test::demo_folder() / "tokenizer.json", source / "tokenizer.json");
  test::write_bytes(source / "tokenizer_config.json", "{\"bos_token\": \"<|begin|>\"}");
  test::write_bytes(source / "special_tokens_map.json", "{}");
  test::write_bytes(source / "README.md", "not a tokenizer");
  write_tokenizer(target.string(), source.string());
  for (const char* name : {"tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"}) {
    QCOMPARE(test::read_bytes(target / name), test::read_bytes(source / name));
  }
  QVERIFY(!fs::exists(target / "README.md"));
  const auto from = Tokenizer::load(source.string()), to = Tokenizer::load(target.string());
  QCOMPARE(to->bos(), from->bos());
  QCOMPARE(ids_of(*to, 50), ids_of(*from, 50));
}

void ModelFolderTest::a_ggufs_bpe_gives_equal_ids_data() {
  QTest::addColumn<QString>("pre");
  for (const char* pre : {"smollm", "llama-bpe", "gpt-2"}) QTest::addRow("%s", pre) << pre;
}

void ModelFolderTest::a_ggufs_bpe_gives_equal_ids() {
  QFETCH(QString, pre);
  const TempDir temp(test::fast_parent());
  const std::string gguf = temp.file("model.gguf"), folder = temp.file("out");
  write_gguf_model(gguf, test::make_bpe_gguf(pre.toStdString()));
  fs::create_directory(folder);
  write_tokenizer(folder, gguf);
  const auto from = Tokenizer::load(gguf), to = Tokenizer::load(folder);
  QCOMPARE(to->vocabulary(), from->vocabulary());
  QCOMPARE(to->bos(), from->bos());
  QCOMPARE(to->eos(), from->eos());
  QVERIFY(to->bos() && to->eos());
  QCOMPARE(ids_of(*to, 300), ids_of(*from, 300));
  for (std::int32_t id = 0; id < from->vocabulary(); ++id) QCOMPARE(to->bytes(id), from->bytes(id));
}

void ModelFolderTest::every_pretokenizer_reads_back() {
  using namespace pretokenizer_patterns;
  BpeDefinition definition;
  definition.where = "test";
  for (int byte = 0; byte < 256; ++byte) {
    definition.tokens.push_back(byte_level_of_bytes(std::string(1, static_cast<char>(byte))));
  }
  definition.tokens.insert(definition.tokens.end(), {"ab", "abc", "<b>", "<u>"});
  definition.merges = {{"a", "b"}, {"ab", "c"}};
  definition.added = {{.text = "<b>", .id = 258, .special = true, .lstrip = true},
                      {.text = "<u>", .id = 259, .normalized = true, .rstrip = true, .single_word = true}};
  definition.bos = 258;
  const std::vector<std::vector<std::string>> all{
      {kGpt2}, {kLlama3}, {kDigit, kGpt2}, {kDigits, kGpt2}, {"\\p{L}+", "x"}, {kGpt2, kDigits}, {}};
  for (const auto& patterns : all) {
    for (const bool flag : {false, true}) {
      definition.patterns = patterns;
      definition.ignore_merges = flag;
      const json written = json::parse(tokenizer_json_of(definition, flag).dump());
      const BpeDefinition read = read_tokenizer_json(written, "test");
      QCOMPARE(read.patterns, definition.patterns);
      QCOMPARE(read.tokens, definition.tokens);
      QCOMPARE(read.merges, definition.merges);
      QCOMPARE(read.ignore_merges, definition.ignore_merges);
      QCOMPARE(read.added.size(), definition.added.size());
      for (std::size_t i = 0; i < read.added.size(); ++i) {
        QCOMPARE(read.added[i].text, definition.added[i].text);
        QCOMPARE(read.added[i].id, definition.added[i].id);
        QCOMPARE(read.added[i].special, definition.added[i].special);
        QCOMPARE(read.added[i].normalized, definition.added[i].normalized);
        QCOMPARE(read.added[i].lstrip, definition.added[i].lstrip);
        QCOMPARE(read.added[i].rstrip, definition.added[i].rstrip);
        QCOMPARE(read.added[i].single_word, definition.added[i].single_word);
      }
      QCOMPARE(written["post_processor"].is_null(), !flag);
    }
  }
  definition.tokens.push_back("ab");
  QCOMPARE(unlike(Fault::Unsupported, "'ab'", [&] { tokenizer_json_of(definition, false); }), "");
}

void ModelFolderTest::a_ggufs_sentencepiece_gives_equal_ids() {
  const TempDir temp(test::fast_parent());
  const std::string gguf = temp.file("model.gguf"), folder = temp.file("out");
  write_gguf_model(gguf, test::make_sentencepiece_gguf({}));
  fs::create_directory(folder);
  write_tokenizer(folder, gguf);
  const auto from = Tokenizer::load(gguf), to = Tokenizer::load(folder);
  QCOMPARE(to->vocabulary(), from->vocabulary());
  QCOMPARE(to->bos(), from->bos());
  QCOMPARE(to->eos(), from->eos());
  QCOMPARE(ids_of(*to, 300), ids_of(*from, 300));
  const json config = json::parse(test::read_bytes(fs::path(folder) / "tokenizer_config.json"));
  QVERIFY(config["bos_token"] == "<s>");
  QVERIFY(!config.contains("tokenizer_class"));  // transformers' LlamaTokenizer has another rule for spaces
}

/// Phi-3's special tokens take the blanks behind them, which a tokenizer.model can't say.
void ModelFolderTest::a_ggufs_blank_takers_are_written() {
  const TempDir temp(test::fast_parent());
  const std::string gguf = temp.file("model.gguf"), folder = temp.file("out");
  test::SmallPieces pieces;
  pieces.add("<|user|>", 0, 3);
  pieces.add("<|end|>", 0, 3);
  write_gguf_model(gguf, test::make_sentencepiece_gguf(pieces, "phi3"));
  fs::create_directory(folder);
  write_tokenizer(folder, gguf);
  const auto from = Tokenizer::load(gguf), to = Tokenizer::load(folder);
  QCOMPARE(ids_of(*to, 100), ids_of(*from, 100));
  const std::string text = "<|user|>\nthe tin<|end|>\n<|user|> the";
  QCOMPARE(to->encode(text, true), from->encode(text, true));
  QCOMPARE(from->encode(text, true).size(), std::size_t{7});
}

/// All of them, in both files, beside what else generation_config.json says.
void ModelFolderTest::end_tokens_are_written() {
  const TempDir temp(test::fast_parent());
  const ModelConfig config = test::tiny_config(1);
  const Weights weights = test::random_weights(config, 1);
  const std::string source = test::write_tiny_model(temp.path() / "source", config, weights), folder = temp.file("out");
  test::write_bytes(fs::path(source) / "tokenizer.model", test::make_sentencepiece({}));
  test::write_bytes(fs::path(source) / "generation_config.json",
                    R"({"temperature": 0.6, "top_p": 0.9, "eos_token_id": [5, 3]})");
  fs::create_directory(folder);
  write_model_folder(folder, config, "float32", outgoing(config, weights), source);
  const auto read = [&](const char* name) { return json::parse(test::read_bytes(fs::path(folder) / name)); };
  QCOMPARE(read("config.json")["eos_token_id"].dump(), json({2, 3, 5}).dump());
  QCOMPARE(read("generation_config.json").dump(),
           json({{"temperature", 0.6}, {"top_p", 0.9}, {"eos_token_id", {2, 3, 5}}}).dump());
  QCOMPARE(Tokenizer::load(folder)->end_ids(), (std::vector<std::int32_t>{2, 3, 5}));
}

void ModelFolderTest::a_model_without_tokenizer_has_none() {
  const TempDir temp(test::fast_parent());
  const ModelConfig config = test::tiny_config(1);
  const std::string source = test::write_tiny_model(temp.path() / "source", config, 1), folder = temp.file("out");
  test::GgufWriter gguf;
  gguf.add_string("general.architecture", "llama");
  test::write_bytes(temp.path() / "bare.gguf", gguf.bytes());
  fs::create_directory(folder);
  write_tokenizer(folder, source);
  write_tokenizer(folder, temp.file("bare.gguf"));
  QVERIFY(fs::is_empty(folder));
  QCOMPARE(unlike(Fault::Io, temp.file("none"), [&] { write_tokenizer(folder, temp.file("none")); }), "");
}

void ModelFolderTest::a_full_disk_is_named() {
  const TempDir temp(test::fast_parent());
  const ModelConfig config = test::tiny_config(1);
  const Weights weights = test::random_weights(config, 1);
  const std::string source = test::write_tiny_model(temp.path() / "source", config, weights), folder = temp.file("out");
  fs::create_directory(folder);
  for (const rlim_t bytes : {0, 300, 5000, 50'000}) {
    const test::FileSizeLimit limit(bytes);
    QCOMPARE(unlike(Fault::Io, folder,
                    [&] { write_model_folder(folder, config, "float32", outgoing(config, weights), source); }),
             "");
    QVERIFY(!fs::exists(fs::path(folder) / "model.safetensors"));
  }
}

void ModelFolderTest::an_adapter_reads_back() {
  const TempDir temp(test::fast_parent());
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    const LoraConfig lora = random_lora(random);
    const AdapterTensors made(lora, random);
    write_adapter_folder(temp.path().string(), lora, "/models/base", made.tensors);
    const StoredAdapter read = read_adapter_folder(temp.path().string());
    QCOMPARE(read.lora, lora);
    QCOMPARE(read.base_model, std::string("/models/base"));
    QCOMPARE(read.tensors.tensors().size(), made.values.size());
    for (const auto& [name, values] : made.values) {
      QVERIFY(std::ranges::equal(read.tensors.find(name)->data, span_of(values)));
    }
  }
}

/// peft names modules by where they are in the model: both generations of transformers, and with a part for images.
void ModelFolderTest::an_adapter_of_a_model_that_reads_images_is_that_of_its_text_half() {
  std::mt19937 random(8);
  LoraConfig lora;
  lora.rank = 4;
  lora.target_modules = {"q_proj", "down_proj"};
  for (const char* before : {"model.language_model.", "language_model.model."}) {
    const TempDir temp(test::fast_parent());
    const AdapterTensors made(lora, random);
    std::vector<OutgoingTensor> tensors = made.tensors;
    for (OutgoingTensor& tensor : tensors)
      tensor.name.replace(std::string("base_model.model.").size(), std::string("model.").size(), before);
    OutgoingTensor image = tensors.front();
    image.name = "base_model.model.model.vision_tower.vision_model.encoder.layers.0.self_attn.q_proj.lora_A.weight";
    tensors.push_back(image);
    write_adapter_folder(temp.path().string(), lora, "someone/eyes", tensors);
    const StoredAdapter read = read_adapter_folder(temp.path().string());
    QCOMPARE(read.tensors.tensors().size(), made.values.size());
    for (const auto& [name, values] : made.values)
      QVERIFY(std::ranges::equal(read.tensors.find(name)->data, span_of(values)));
  }
}

/// Unsloth saves a pattern, and peft saves paths where names would match too much.
void ModelFolderTest::adapters_may_name_modules_by_patterns_and_paths() {
  std::mt19937 random(9);
  LoraConfig lora{.rank = 2, .target_modules = {"q_proj", "down_proj"}};
  const AdapterTensors made(lora, random);
  const std::vector<std::string> wanted = lora.target_modules;
  for (const char* patch :
       {R"json({"target_modules": "(?:.*?(?:language|text).*?(?:self_attn|mlp).*?(?:q_proj|down_proj))"})json",
        R"({"target_modules": ["model.layers.0.self_attn.q_proj", "self_attn.q_proj", "layers.0.mlp.down_proj"]})",
        R"({"target_modules": ["q_proj", "v_proj", "down_proj"], "exclude_modules": ["v_proj"]})",
        R"({"target_modules": ["q_proj", "down_proj"], "exclude_modules": ".*vision_tower.*"})"}) {
    const TempDir temp(test::fast_parent());
    write_adapter_folder(temp.path().string(), lora, "base", made.tensors);
    const std::string path = temp.file("adapter_config.json");
    json config = json::parse(test::read_bytes(path));
    config.update(json::parse(patch));
    test::write_bytes(path, config.dump());
    QVERIFY2(read_adapter_folder(temp.path().string()).lora.target_modules == wanted, patch);
  }
  const TempDir temp(test::fast_parent());
  std::vector<OutgoingTensor> head = made.tensors;
  head.front().name = "base_model.model.lm_head.lora_A.weight";
  write_adapter_folder(temp.path().string(), lora, "base", head);
  const std::string path = temp.file("adapter_config.json");
  json config = json::parse(test::read_bytes(path));
  config["target_modules"] = ".*";
  test::write_bytes(path, config.dump());
  QCOMPARE(unlike(Fault::Unsupported, "lm_head.lora_A.weight", [&] { read_adapter_folder(temp.path().string()); }), "");
}

void ModelFolderTest::adapters_say_how_they_began() {
  const TempDir temp(test::fast_parent());
  std::mt19937 random(6);
  const LoraConfig lora{.rank = 2, .target_modules = {"q_proj"}};
  const AdapterTensors made(lora, random);
  write_adapter_folder(temp.path().string(), lora, "base", made.tensors);
  const std::string path = temp.file("adapter_config.json");
  json config = json::parse(test::read_bytes(path));
  for (const auto& [start, wanted] : {std::pair<json, AdapterStart>{true, AdapterStart::Beside},
                                      {false, AdapterStart::Beside},
                                      {nullptr, AdapterStart::Beside},
                                      {"gaussian", AdapterStart::Beside},
                                      {"orthogonal", AdapterStart::Beside},
                                      {"eva", AdapterStart::Beside},
                                      {"mica", AdapterStart::Beside},
                                      {"pissa", AdapterStart::Pissa},
                                      {"olora", AdapterStart::Olora}}) {
    config["init_lora_weights"] = start;
    test::write_bytes(path, config.dump());
    QVERIFY2(read_adapter_folder(temp.path().string()).start == wanted, start.dump().c_str());
  }
}

void ModelFolderTest::files_that_are_no_adapter_are_named() {
  const TempDir temp(test::fast_parent());
  const std::string folder = temp.path().string();
  const auto refused = [&](Fault fault, const char* part) {
    return unlike(fault, part, [&] { read_adapter_folder(folder); });
  };
  test::write_bytes(temp.path() / "config.json", "{}");
  QCOMPARE(refused(Fault::Io, "This is a model's folder"), "");
  std::mt19937 random(7);
  const LoraConfig lora{.rank = 2, .target_modules = {"q_proj"}};
  const AdapterTensors made(lora, random);
  write_adapter_folder(folder, lora, "base", made.tensors);
  fs::remove(temp.path() / "adapter_model.safetensors");
  QCOMPARE(refused(Fault::Io, "the adapter has no adapter_model.safetensors"), "");
  test::write_bytes(temp.path() / "adapter_model.bin", "PK");
  QCOMPARE(refused(Fault::Io, "adapter_model.bin is not read"), "");
  std::vector<OutgoingTensor> bare = made.tensors;
  for (OutgoingTensor& tensor : bare) tensor.name.erase(0, adapter_prefix.size());
  write_adapter_folder(folder, lora, "base", bare);
  QCOMPARE(refused(Fault::Unsupported, "lacks peft's prefix 'base_model.model.'"), "");
}

void ModelFolderTest::foreign_adapters_are_refused_data() {
  QTest::addColumn<QString>("patch");
  QTest::addColumn<int>("fault");
  QTest::addColumn<QString>("part");
  const int unsupported = static_cast<int>(Fault::Unsupported), bad = static_cast<int>(Fault::BadInput);
  QTest::newRow("kind") << R"({"peft_type": "IA3"})" << unsupported << "IA3";
  QTest::newRow("no kind") << R"({"peft_type": null})" << unsupported << "peft_type";
  QTest::newRow("dora") << R"({"use_dora": true})" << unsupported << "use_dora";
  QTest::newRow("bias") << R"({"bias": "all"})" << unsupported << "bias";
  QTest::newRow("transposed") << R"({"fan_in_fan_out": true})" << unsupported << "fan_in_fan_out";
  QTest::newRow("ranks") << R"({"rank_pattern": {"q_proj": 4}})" << unsupported << "rank_pattern";
  QTest::newRow("alphas") << R"({"alpha_pattern": {"q_proj": 4}})" << unsupported << "alpha_pattern";
  QTest::newRow("saved") << R"({"modules_to_save": ["lm_head"]})" << unsupported << "modules_to_save";
  QTest::newRow("layers") << R"({"layers_to_transform": 3})" << unsupported << "layers_to_transform";
  QTest::newRow("activated") << R"({"alora_invocation_tokens": [1, 2]})" << unsupported << "alora_invocation_tokens";
  QTest::newRow("no modules") << R"({"target_modules": []})" << unsupported << "target_modules";
  QTest::newRow("number") << R"({"target_modules": 3})" << unsupported << "target_modules";
  QTest::newRow("path") << R"({"target_modules": ["model.layers.0.mlp.experts"]})" << unsupported << "mlp.experts";
  QTest::newRow("embedding") << R"({"target_modules": ["q_proj", "embed_tokens"]})" << unsupported << "embed_tokens";
  QTest::newRow("module") << R"({"target_modules": [1]})" << bad << "target_modules";
  QTest::newRow("untargeted") << R"({"target_modules": ["k_proj"]})" << unsupported << "q_proj";
  QTest::newRow("rank 0") << R"({"r": 0})" << bad << "r is 0";
  QTest::newRow("another rank") << R"({"r": 3})" << bad << "rank 3";
  QTest::newRow("no rank") << R"({"r": null})" << bad << "r is missing";
  QTest::newRow("dropout") << R"({"lora_dropout": 1})" << bad << "lora_dropout";
  QTest::newRow("alpha") << R"({"lora_alpha": "x"})" << bad << "lora_alpha";
  for (const char* start : {"pissa_niter_4", "loftq", "corda", "lora_ga", "PiSSA", "unheard_of"})
    QTest::addRow("%s", start) << QStringLiteral(R"({"init_lora_weights": "%1"})").arg(start) << unsupported << start;
  QTest::newRow("a start's advice") << R"({"init_lora_weights": "loftq"})" << unsupported
                                    << "path_initial_model_for_weight_conversion";
  for (const char* start : {"PiSSA", "olra", ""})
    QTest::addRow("misspelt start '%s'", start)
        << QStringLiteral(R"({"init_lora_weights": "%1"})").arg(start) << unsupported << "is not a start that is known";
  QTest::newRow("start") << R"({"init_lora_weights": 3})" << bad << "init_lora_weights";
  QTest::newRow("pissa's scale") << R"({"init_lora_weights": "pissa", "lora_alpha": 0})" << bad << "lora_alpha";
}

void ModelFolderTest::foreign_adapters_are_refused() {
  QFETCH(QString, patch);
  QFETCH(int, fault);
  QFETCH(QString, part);
  const TempDir temp(test::fast_parent());
  std::mt19937 random(5);
  LoraConfig lora;
  lora.rank = 4;
  lora.target_modules = {"q_proj"};
  const AdapterTensors made(lora, random);
  write_adapter_folder(temp.path().string(), lora, "base", made.tensors);
  const std::string path = temp.file("adapter_config.json");
  json config = json::parse(test::read_bytes(path));
  // peft writes these values if the features are not used.
  config.update(
      json{{"use_dora", false}, {"lora_bias", false}, {"rank_pattern", json::object()}, {"modules_to_save", nullptr}});
  test::write_bytes(path, config.dump());
  read_adapter_folder(temp.path().string());
  config.update(json::parse(patch.toStdString()));
  test::write_bytes(path, config.dump());
  QCOMPARE(unlike(static_cast<Fault>(fault), part.toStdString(), [&] { read_adapter_folder(temp.path().string()); }),
           "");
  fs::remove(path);
  QCOMPARE(unlike(Fault::Io, "adapter_config.json", [&] { read_adapter_folder(temp.path().string()); }), "");
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ModelFolderTest>};
#include "model_folder_test.moc"
