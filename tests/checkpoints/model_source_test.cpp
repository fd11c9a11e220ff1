// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/model_source.h"

#include <QTest>
#include <filesystem>
#include <numbers>
#include <set>

#include "engine/checkpoints/gguf_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_gguf.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;

namespace {

using Weights = std::map<std::string, std::vector<float>>;

QString refused(Fault fault, const std::string& part, const std::string& path) {
  return QString::fromStdString(unlike(fault, part, [&] { ModelSource::open(path); }));
}

std::vector<float> read_all(const ModelSource& model, const StoredTensor& tensor) {
  const std::int64_t rows = tensor.shape.size() == 1 ? 1 : tensor.shape[0];
  std::vector<float> values(static_cast<std::size_t>(rows * tensor.shape.back()));
  model.read_rows(tensor, 0, rows, values.data());
  return values;
}

/// Returns the values as a file of this dtype holds them.
std::vector<float> rounded(std::vector<float> values, const std::string& dtype) {
  for (float& value : values) {
    if (dtype == "BF16") value = std::bit_cast<float>(static_cast<std::uint32_t>(to_bf16(value)) << 16);
    if (dtype == "F16") {
      const int exponent = std::max(std::ilogb(value), -14);
      value = static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(value, 10 - exponent)), exponent - 10));
    }
  }
  return values;
}

/// Returns an empty text if the model has exactly these tensors with these values; else the first that differs.
QString differing_tensor(const ModelSource& model, const ModelConfig& config, const Weights& weights,
                         const std::string& dtype, bool vectors_too) {
  const auto shapes = hf_tensor_shapes(config);
  if (model.tensors().size() != shapes.size()) return QStringLiteral("%1 tensors").arg(model.tensors().size());
  for (const auto& [name, shape] : shapes) {
    const StoredTensor* tensor = model.find(name);
    const std::string own = shape.size() == 1 && !vectors_too ? "F32" : dtype;
    const bool same =
        tensor != nullptr && tensor->shape == shape && read_all(model, *tensor) == rounded(weights.at(name), own);
    if (!same) return QString::fromStdString(name);
  }
  return {};
}

std::string write_gguf(const TempDir& folder, const GgufWriter& writer) {
  const std::string path = folder.file("model.gguf");
  write_bytes(path, writer.bytes());
  return path;
}

GgufWriter tiny_gguf(const ModelConfig& config, const std::string& dtype = "F32") {
  GgufWriter writer;
  add_llama_keys(writer, config);
  add_llama_tensors(writer, config, random_weights(config, 3), dtype);
  return writer;
}

/// llama3's scaling as a GGUF converter writes it: what the frequency of each pair is divided by.
std::vector<float> llama3_divisors(const RopeConfig& rope, std::int64_t head_dim) {
  std::vector<float> divisors;
  for (std::int64_t pair = 0; pair < head_dim / 2; ++pair) {
    const double frequency = std::pow(rope.theta, -2.0 * static_cast<double>(pair) / static_cast<double>(head_dim));
    const double turns = static_cast<double>(rope.original_context) * frequency / (2 * std::numbers::pi);
    const double blend = std::clamp(
        (turns - rope.low_frequency_factor) / (rope.high_frequency_factor - rope.low_frequency_factor), 0.0, 1.0);
    divisors.push_back(static_cast<float>(1.0 / ((1.0 - blend) / rope.factor + blend)));
  }
  return divisors;
}

/// A change to the safetensors of a tiny model: what the folder is then refused for.
template <typename Change>
QString refused_after(Fault fault, const std::string& part, Change change, bool tied = false) {
  const TempDir folder;
  ModelConfig config = tiny_config(1, 2, 1, 4, 16);
  config.tied_embeddings = tied;
  write_tiny_model(folder.path(), config, 1u);
  std::vector<SafetensorsEntry> entries;
  for (const auto& [name, shape] : hf_tensor_shapes(config)) {
    entries.push_back({name, "F32", shape, encode_values(random_weights(config, 1).at(name), "F32")});
  }
  change(entries);
  write_bytes(folder.path() / "model.safetensors", make_safetensors(entries));
  return refused(fault, part, folder.path().string());
}

}  // namespace

class ModelSourceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reads_every_kind_of_folder() {
    for (const char* dtype : {"F32", "F16", "BF16"}) {
      for (const int shards : {1, 3}) {
        for (const bool tied : {false, true}) {
          const TempDir folder;
          ModelConfig config = tiny_config(3, 6, tied ? 6 : 2, 8, 40);
          config.hidden = tied ? 48 : 20;  // head size beside or apart from hidden / heads
          config.tied_embeddings = tied;
          const Weights weights = random_weights(config, 7);
          const TinyModelOptions options{.dtype = dtype, .shards = shards, .newer_config = tied};
          const auto model = ModelSource::open(write_tiny_model(folder.path() / "tiny", config, weights, options));
          QCOMPARE(nlohmann::json(model->config()).dump(), nlohmann::json(config).dump());
          QCOMPARE(differing_tensor(*model, config, weights, dtype, true), QString());
          QVERIFY((model->find("lm_head.weight") == nullptr) == tied);
        }
      }
    }
  }

  /// Both prefixes are in use, in files of models that read images, too, and in files that say they do not.
  void takes_the_text_half_of_a_model_that_reads_images() {
    const ModelConfig config = tiny_config(2, 4, 2, 8, 32);
    const Weights weights = random_weights(config, 3);
    const auto renamed = [](const std::string& name, bool newer) {
      if (!newer || !name.starts_with("model.")) return newer ? name : "language_model." + name;
      return "model.language_model." + name.substr(6);
    };
    for (const bool newer : {false, true}) {
      const TempDir folder;
      write_tiny_model(folder.path(), config, weights, {});
      std::vector<SafetensorsEntry> entries;
      for (const auto& [name, shape] : hf_tensor_shapes(config)) {
        const auto& values = weights.at(name);
        const auto* bytes = reinterpret_cast<const char*>(values.data());
        entries.push_back({renamed(name, newer), "F32", shape, std::string(bytes, values.size() * sizeof(float))});
      }
      const std::string before = newer ? "model." : "";
      const auto add = [&](const std::string& name) {
        entries.push_back({before + name, "I32", {2}, std::string(8, '\0')});
        write_bytes(folder.path() / "model.safetensors", make_safetensors(entries));
      };
      add("vision_tower.vision_model.encoder.layers.0.mlp.fc1.bias");
      add("multi_modal_projector.mm_input_projection_weight");
      const auto model = ModelSource::open(folder.path().string());
      QCOMPARE(differing_tensor(*model, config, weights, "F32", true), QString());
      add("audio_tower.layers.0.weight");
      QCOMPARE(refused(Fault::Unsupported, "audio_tower", folder.path().string()), QString());
    }
  }

  void an_adapter_is_no_model() {
    const TempDir folder;
    write_bytes(folder.path() / "adapter_config.json", "{}");
    QCOMPARE(refused(Fault::Io, "is an adapter's folder", folder.path().string()), QString());
  }

  /// As transformers: a head that is stored and differs counts, whatever the config says; one that is equal, or alone,
  /// is tied.
  void a_stored_head_decides_whether_it_is_tied() {
    ModelConfig config = tiny_config(1, 2, 1, 4, 16);
    const Weights weights = random_weights(config, 5);  // with a head of its own
    const auto open = [&](const TempDir& folder, const char* head_of, bool embeddings, bool tied) {
      ModelConfig written = config;
      written.tied_embeddings = tied;
      write_tiny_model(folder.path(), written, weights);
      std::vector<SafetensorsEntry> entries;
      for (const auto& [name, shape] : hf_tensor_shapes(config)) {
        if (name == "model.embed_tokens.weight" && !embeddings) continue;
        entries.push_back(
            {name, "F32", shape, encode_values(weights.at(name == "lm_head.weight" ? head_of : name), "F32")});
      }
      write_bytes(folder.path() / "model.safetensors", make_safetensors(entries));
      return ModelSource::open(folder.path().string());
    };
    const TempDir other, equal, alone, apart;
    const auto separate = open(other, "lm_head.weight", true, true);
    QVERIFY(!separate->config().tied_embeddings);
    QCOMPARE(differing_tensor(*separate, config, weights, "F32", true), QString());
    const auto same = open(equal, "model.embed_tokens.weight", true, true);
    QVERIFY(same->config().tied_embeddings && same->find("lm_head.weight") == nullptr);
    const auto lone = open(alone, "lm_head.weight", false, true);
    QVERIFY(lone->config().tied_embeddings && lone->find("lm_head.weight") == nullptr);
    QCOMPARE(read_all(*lone, *lone->find("model.embed_tokens.weight")), weights.at("lm_head.weight"));
    QCOMPARE(QString::fromStdString(unlike(Fault::BadInput, "model.embed_tokens.weight is missing",
                                           [&] { open(apart, "lm_head.weight", false, false); })),
             QString());
  }

  void reads_every_kind_of_gguf() {
    for (const char* dtype : {"F32", "F16", "BF16"}) {
      for (const bool tied : {false, true}) {
        const TempDir folder;
        ModelConfig config = tiny_config(3, 6, 2, 8, 40);
        config.hidden = 20;
        config.norm_epsilon = 0.25;  // exact in fp32, as GGUF stores it
        config.tied_embeddings = tied;
        if (tied) config.rope = {.kind = RopeConfig::Kind::Linear, .theta = 500000.0, .factor = 4.0};
        const auto model = ModelSource::open(write_gguf(folder, tiny_gguf(config, dtype)));
        QCOMPARE(nlohmann::json(model->config()).dump(), nlohmann::json(config).dump());
        QCOMPARE(differing_tensor(*model, config, random_weights(config, 3), dtype, false), QString());
      }
    }
  }

  void any_range_of_rows_equals_the_whole() {
    const TempDir folder;
    const ModelConfig config = tiny_config(1, 4, 2, 6, 50);
    const auto hf = ModelSource::open(write_tiny_model(folder.path() / "hf", config, 3u));
    const auto gguf = ModelSource::open(write_gguf(folder, tiny_gguf(config)));
    std::mt19937 random(1);
    for (const ModelSource* model : {hf.get(), gguf.get()}) {
      for (const StoredTensor& tensor : model->tensors()) {
        const std::vector<float> whole = read_all(*model, tensor);
        const std::int64_t rows = tensor.shape.size() == 1 ? 1 : tensor.shape[0], columns = tensor.shape.back();
        for (int i = 0; i < 10; ++i) {
          const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(rows + 1));
          const auto end = begin + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(rows + 1 - begin));
          std::vector<float> part(static_cast<std::size_t>((end - begin) * columns + 1), 99.0f);
          model->read_rows(tensor, begin, end, part.data());
          QVERIFY(std::equal(part.begin(), part.end() - 1, whole.begin() + begin * columns));
          QCOMPARE(part.back(), 99.0f);
        }
      }
    }
  }

  void recovers_llama3_scaling_from_a_gguf() {
    for (const double factor : {8.0, 32.0}) {
      const TempDir folder;
      ModelConfig config = tiny_config(1, 2, 1, 64, 16);
      config.rope.theta = 500000.0;
      RopeConfig rope{.kind = RopeConfig::Kind::Llama3, .theta = 500000.0, .factor = factor, .original_context = 8192};
      GgufWriter writer = tiny_gguf(config);
      writer.add_tensor("rope_freqs.weight", {32}, 0, encode_values(llama3_divisors(rope, 64), "F32"));
      QVERIFY(ModelSource::open(write_gguf(folder, writer))->config().rope == rope);

      rope.original_context = 4096;
      GgufWriter other = tiny_gguf(config);
      other.add_tensor("rope_freqs.weight", {32}, 0, encode_values(llama3_divisors(rope, 64), "F32"));
      QCOMPARE(refused(Fault::Unsupported, "not llama3's scaling", write_gguf(folder, other)), QString());
    }
  }

  void hash_tells_checkpoints_apart() {
    const TempDir folder;
    const ModelConfig config = tiny_config(2, 2, 1, 8, 32);
    const auto hash = [&](const char* name, unsigned seed, int shards) {
      return ModelSource::open(write_tiny_model(folder.path() / name, config, seed, {.shards = shards}))->hash();
    };
    const std::string first = hash("a", 1, 1);
    QCOMPARE(first.size(), std::size_t{16});
    QCOMPARE(hash("b", 1, 1), first);
    QCOMPARE(hash("c", 1, 2), first);
    QVERIFY(hash("d", 2, 1) != first);
  }

  /// 16 samples of 64 bytes of each tensor once stood for all of it.
  void hash_takes_every_byte_in() {
    const TempDir folder;
    const ModelConfig config = tiny_config(1, 2, 1, 8, 512);
    const std::string path = write_tiny_model(folder.path() / "a", config, 1);
    const std::string whole = ModelSource::open(path)->hash();
    std::string bytes = read_bytes(folder.file("a/model.safetensors"));
    for (std::size_t at = bytes.size() - 1; at > bytes.size() - 4000; at -= 37) {
      bytes[at] ^= 1;
      write_bytes(folder.file("a/model.safetensors"), bytes);
      QVERIFY2(ModelSource::open(path)->hash() != whole, qPrintable(QString::number(at)));
      bytes[at] ^= 1;
    }
  }

  void hash_tells_what_shapes_do_not_show() {
    const TempDir folder;
    const auto hash = [&](const char* name, auto change) {
      ModelConfig config = tiny_config(1, 2, 1, 8, 32);
      change(config);
      return ModelSource::open(write_tiny_model(folder.path() / name, config, 1))->hash();
    };
    const std::string plain = hash("a", [](ModelConfig&) {});
    QVERIFY(hash("b", [](ModelConfig& config) { config.rope.theta = 500000; }) != plain);
    QVERIFY(hash("c", [](ModelConfig& config) { config.norm_epsilon *= 2; }) != plain);
    QCOMPARE(hash("d", [](ModelConfig& config) { config.bos_id = 7; }), plain);
  }

  void refuses_tensors_that_are_not_the_architectures() {
    using Entries = std::vector<SafetensorsEntry>;
    const SafetensorsEntry bias{"model.layers.0.self_attn.q_proj.bias", "F32", {8}, std::string(32, '\0')};
    QCOMPARE(refused_after(Fault::BadInput, "lm_head.weight is missing", [](Entries& e) { e.pop_back(); }), QString());
    QCOMPARE(refused_after(Fault::BadInput, "embed_tokens.weight is missing", [](Entries& e) { e.erase(e.begin()); }),
             QString());
    QCOMPARE(refused_after(Fault::Unsupported, bias.name, [&](Entries& e) { e.push_back(bias); }), QString());
    QCOMPARE(refused_after(Fault::BadInput, "has shape [8, 16], the config needs [16, 8]",
                           [](Entries& e) {
                             e[0].shape = {8, 16};
                           }),
             QString());
    QCOMPARE(refused_after(Fault::Unsupported, "has dtype I32", [](Entries& e) { e[0].dtype = "I32"; }), QString());
    const auto old_table = [](Entries& e) {
      e.push_back({"model.layers.0.self_attn.rotary_emb.inv_freq", "F32", {2}, std::string(8, '\0')});
    };
    QCOMPARE(refused_after(Fault::BadInput, "x", old_table), QStringLiteral("nothing thrown, expected: x"));
    const auto stored_head = [](Entries& e) {
      e.push_back({"lm_head.weight", "F32", {16, 8}, std::string(512, '\0')});
    };
    QCOMPARE(refused_after(Fault::BadInput, "x", stored_head, true), QStringLiteral("nothing thrown, expected: x"));
  }

  void refuses_incomplete_folders() {
    const TempDir folder;
    const std::string path = folder.path().string();
    QCOMPARE(refused(Fault::Io, "does not exist", folder.file("nowhere")), QString());
    QCOMPARE(refused(Fault::Io, "no config.json", path), QString());
    write_tiny_model(folder.path(), tiny_config(), 1u, {.shards = 3});
    std::filesystem::rename(folder.file("model-00002-of-00003.safetensors"), folder.file("kept"));
    QCOMPARE(refused(Fault::Io, "model-00002-of-00003.safetensors", path), QString());
    std::filesystem::copy(folder.file("model-00001-of-00003.safetensors"),
                          folder.file("model-00002-of-00003.safetensors"));
    QCOMPARE(refused(Fault::BadInput, "is missing", path), QString());
    std::filesystem::remove(folder.file("model.safetensors.index.json"));
    QCOMPARE(refused(Fault::Io, "neither model.safetensors nor", path), QString());
    write_bytes(folder.file("pytorch_model.bin"), "x");
    QCOMPARE(refused(Fault::Io, "convert it to safetensors", path), QString());
    write_bytes(folder.file("config.json"), "{");
    QCOMPARE(refused(Fault::BadInput, "config.json: is not valid JSON", path), QString());
    std::filesystem::remove(folder.file("config.json"));
    std::filesystem::create_directory(folder.file("config.json"));
    QCOMPARE(refused(Fault::Io, "is a folder", path), QString());
  }

  void refuses_an_index_that_leaves_the_folder() {
    for (const char* shard : {"../model.safetensors", "/etc/passwd", "", "sub/x.safetensors", ".."}) {
      const TempDir folder;
      write_tiny_model(folder.path(), tiny_config(), 1u, {.shards = 2});
      const nlohmann::json index{{"weight_map", {{"lm_head.weight", shard}}}};
      write_bytes(folder.file("model.safetensors.index.json"), index.dump());
      QCOMPARE(refused(Fault::BadInput, "not a file of this folder", folder.path().string()), QString());
    }
  }

  /// By any of its parts, the first of which has no tensors.
  void reads_a_model_that_is_split_over_several_ggufs() {
    std::mt19937 random(3);
    const ModelConfig config = tiny_config(2, 4, 2, 4, 16);
    const Weights weights = random_weights(config, 5);
    const TempDir folder;
    const std::vector<std::string> parts = write_split_gguf(folder.path(), config, weights, 4);
    std::set<std::string> hashes;
    for (const std::string& part : parts) {
      const auto model = ModelSource::open(part);
      QCOMPARE(differing_tensor(*model, config, weights, "F32", true), QString());
      QCOMPARE(model->files(), (std::vector<std::string>{parts[1], parts[2], parts[3]}));
      hashes.insert(model->hash());
    }
    GgufWriter writer;
    add_llama_keys(writer, config);
    add_llama_tensors(writer, config, weights);
    hashes.insert(ModelSource::open(write_gguf(folder, writer))->hash());
    QCOMPARE(hashes.size(), std::size_t{1});
  }

  void names_what_is_wrong_with_a_part() {
    const ModelConfig config = tiny_config(1, 2, 1, 4, 16);
    const Weights weights = random_weights(config, 5);
    const auto wrong = [&](Fault fault, const char* said, auto change, std::size_t opened = 0) {
      const TempDir folder;
      const auto parts = write_split_gguf(folder.path(), config, weights, 3, change);
      return refused(fault, said, parts[opened]);
    };
    const auto keys = [](GgufWriter& writer, std::size_t number, std::size_t count) {
      writer.add_int("split.no", static_cast<std::uint32_t>(number));
      writer.add_int("split.count", static_cast<std::uint32_t>(count));
    };
    QCOMPARE(wrong(Fault::BadInput, "00003-of-00003.gguf: is not part 3 of 3",
                   [&](GgufWriter& writer, std::size_t number) { keys(writer, std::min<std::size_t>(number, 1), 3); }),
             QString());
    QCOMPARE(wrong(Fault::BadInput, "is not part 2 of 3",
                   [&](GgufWriter& writer, std::size_t number) { keys(writer, number, number == 1 ? 4 : 3); }),
             QString());
    QCOMPARE(wrong(Fault::BadInput, "does not end in -00002-of-00003.gguf",
                   [&](GgufWriter& writer, std::size_t) { keys(writer, 1, 3); }),
             QString());
    QCOMPARE(wrong(Fault::BadInput, "says that it is part 7 of 3",
                   [&](GgufWriter& writer, std::size_t) { keys(writer, 7, 3); }),
             QString());
    QCOMPARE(wrong(Fault::BadInput, "says that it is part 0 of 1000000",
                   [&](GgufWriter& writer, std::size_t) { keys(writer, 0, 1'000'000); }),
             QString());
    QCOMPARE(wrong(Fault::BadInput, "all parts have 99 tensors",
                   [&](GgufWriter& writer, std::size_t number) {
                     keys(writer, number, 3);
                     writer.add_int("split.tensors.count", 99);
                   }),
             QString());
    QCOMPARE(wrong(Fault::BadInput, "which another part has too",
                   [&](GgufWriter& writer, std::size_t number) {
                     keys(writer, number, 3);
                     writer.add_tensor("twice", {8}, 0, std::string(32, '\0'));
                   }),
             QString());
    const TempDir folder;
    const auto parts = write_split_gguf(folder.path(), config, weights, 3);
    std::filesystem::remove(parts[1]);
    QCOMPARE(refused(Fault::Io, "-00002-of-00003.gguf", parts[0]), QString());
  }

  void refuses_other_ggufs_by_name() {
    const TempDir folder;
    const ModelConfig config = tiny_config(1, 2, 1, 4, 16);
    const auto with = [&](auto change) {
      GgufWriter writer = tiny_gguf(config);
      change(writer);
      return write_gguf(folder, writer);
    };
    GgufWriter mamba;
    mamba.add_string("general.architecture", "mamba");
    QCOMPARE(refused(Fault::Unsupported, "'mamba' is not supported (some of its layers keep a state",
                     write_gguf(folder, mamba)),
             QString());
    QCOMPARE(
        refused(Fault::Unsupported, "spiral", with([](auto& w) { w.add_string("llama.rope.scaling.type", "spiral"); })),
        QString());
    QCOMPARE(refused(Fault::Unsupported, "attn_factor",
                     with([](auto& w) { w.add_float("llama.rope.scaling.attn_factor", 2.0); })),
             QString());
    QCOMPARE(refused(Fault::Unsupported, "experts", with([](auto& w) { w.add_int("llama.expert_count", 8); })),
             QString());
    QCOMPARE(refused(Fault::BadInput, "does not end in -00001-of-00002.gguf",
                     with([](auto& w) { w.add_int("split.count", 2); })),
             QString());
    QCOMPARE(refused(Fault::Unsupported, "attn_q.bias",
                     with([](auto& w) { w.add_tensor("blk.0.attn_q.bias", {8}, 0, std::string(32, '\0')); })),
             QString());
    ModelConfig deeper = config;
    deeper.layers = 2;
    GgufWriter short_of_layers;
    add_llama_keys(short_of_layers, deeper);
    add_llama_tensors(short_of_layers, config, random_weights(config, 1));
    QCOMPARE(refused(Fault::BadInput, "blk.1.attn_norm.weight is missing", write_gguf(folder, short_of_layers)),
             QString());
    write_bytes(folder.file("text.txt"), "Call me Ishmael.");
    QCOMPARE(refused(Fault::Unsupported, "not a GGUF file", folder.file("text.txt")), QString());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ModelSourceTest>};
#include "model_source_test.moc"
