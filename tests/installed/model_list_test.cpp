// SPDX-License-Identifier: GPL-3.0-or-later
// Models are found in the cache of each program as that program writes it, with the facts of their headers.
#include "engine/installed/model_list.h"

#include <sys/stat.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <limits>
#include <map>

#include "engine/base/run_control.h"
#include "engine/checkpoints/model_source.h"
#include "engine/cost/dtype_choice.h"
#include "engine/cost/policy_table.h"
#include "tests/support/expect_error.h"
#include "tests/support/model_caches.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

/// Lists the places that are in this home, without a file that remembers them; an Ollama of the machine is not.
ModelList list(const EmptyHome& home, const std::vector<std::string>& folders = {}) {
  std::vector<ModelPlace> places = model_places(folders);
  std::erase_if(places, [&](const ModelPlace& place) { return !place.folder.starts_with(home.path()); });
  RunControl control;
  return list_models(places, {}, control);
}

/// "program: name" of each model, in order.
QStringList names_of(const ModelList& list) {
  QStringList names;
  for (const InstalledModel& model : list.models) names += QString::fromStdString(model.program + ": " + model.name);
  return names;
}

/// The facts of a GGUF file of these bytes.
ModelFacts facts_of(const std::string& bytes, const std::string& name = "x.gguf") {
  const EmptyHome home;
  write_below(home / "models" / name, bytes);
  const ModelList found = list(home, {(home / "models").string()});
  if (found.models.size() != 1) throw std::runtime_error("not one model");
  return found.models[0].facts;
}

/// The facts of a small Hugging Face folder after `change` has changed its config.json.
ModelFacts facts_with(const std::function<void(nlohmann::json& config)>& change) {
  const EmptyHome home;
  write_tiny_model(home / "models", small_config(), 1);
  nlohmann::json config = nlohmann::json::parse(read_bytes(home / "models" / "config.json"));
  change(config);
  write_bytes(home / "models" / "config.json", config.dump());
  const ModelList found = list(home, {(home / "models").string()});
  if (found.models.size() != 1) throw std::runtime_error("not one model");
  return found.models[0].facts;
}

bool says(const ModelFacts& facts, const char* part) {
  return QString::fromStdString(facts.problem).contains(QString::fromUtf8(part));
}

}  // namespace

class ModelListTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_hub_has_revisions_of_repositories() {
    const EmptyHome home;
    const TempDir files;
    write_tiny_model(files.path(), small_config(), 1, {.dtype = "BF16", .shards = 2});
    const fs::path hub = home / ".cache/huggingface/hub";
    write_on_hub(hub / "models--org--tiny", "aaaaaaaaaaaa", files.path());
    write_on_hub(hub / "models--org--tiny", "bbbbbbbbbbbb", files.path(), /*is_main=*/false);
    const TempDir ggufs;
    write_bytes(ggufs.file("tiny-F32.gguf"), small_gguf());
    write_on_hub(hub / "models--tiny-GGUF", "cccccccccccc", ggufs.path());
    const TempDir partial;
    write_bytes(partial.file("config.json"), "{}");
    write_on_hub(hub / "models--org--partial", "dddddddddddd", partial.path());  // no weights yet
    fs::create_symlink("../../blobs/gone", hub / "models--org--partial/snapshots/dddddddddddd/model.safetensors");
    write_on_hub(hub / "datasets--org--data", "eeeeeeeeeeee", partial.path());

    const ModelList found = list(home);
    QCOMPARE(names_of(found), (QStringList{"Hugging Face: org/tiny", "Hugging Face: org/tiny@bbbbbbbb",
                                           "Hugging Face: tiny-GGUF/tiny-F32"}));
    const InstalledModel& model = found.models[0];
    const auto opened = ModelSource::open(model.path);
    QVERIFY(model.facts.opens() && model.facts.advice.empty());
    QVERIFY(model.facts.parameters == opened->config().parameters() && model.facts.context == 2048);
    QVERIFY(model.facts.architecture == "llama" && model.facts.family.starts_with("LLaMA 2"));
    QVERIFY(model.facts.storage == "BF16");
    std::int64_t bytes = 0;
    for (const std::string& file : opened->files()) bytes += static_cast<std::int64_t>(fs::file_size(file));
    QCOMPARE(model.bytes, bytes);
    QVERIFY(found.models[2].facts.opens() && ModelSource::open(found.models[2].path) != nullptr);
    QVERIFY(found.unread.empty());
  }

  void a_variable_moves_a_cache_data() {
    QTest::addColumn<QByteArray>("variable");
    QTest::addColumn<QString>("below");
    QTest::addColumn<QString>("program");
    const auto row = [](const char* variable, const char* below, const char* program) {
      QTest::addRow("%s for %s", variable, program) << QByteArray(variable) << QString(below) << QString(program);
    };
    row("HF_HUB_CACHE", "", "Hugging Face");
    row("HUGGINGFACE_HUB_CACHE", "", "Hugging Face");
    row("HF_HOME", "hub", "Hugging Face");
    row("XDG_CACHE_HOME", "huggingface/hub", "Hugging Face");
    row("XDG_CACHE_HOME", "llama.cpp", "llama.cpp");
    row("XDG_CACHE_HOME", "carryover/models", "Carryover");
    row("CARRYOVER_CACHE", "models", "Carryover");
    row("LLAMA_CACHE", "", "llama.cpp");
    row("XDG_DATA_HOME", "nomic.ai/GPT4All", "GPT4All");
    row("XDG_DATA_HOME", "Jan/data/llamacpp/models", "Jan");
  }

  void a_variable_moves_a_cache() {
    QFETCH(QByteArray, variable);
    QFETCH(QString, below);
    QFETCH(QString, program);
    const EmptyHome home;
    qputenv(variable, (home / "moved").c_str());
    write_below(home / "moved" / below.toStdString() / "tiny.gguf", small_gguf());
    QCOMPARE(names_of(list(home)), QStringList{program + ": tiny"});
    qputenv(variable, "");  // counts as unset
    QCOMPARE(names_of(list(home)), QStringList());
  }

  void each_program_has_its_folders() {
    const EmptyHome home;
    const std::string gguf = small_gguf();
    for (const char* path :
         {".cache/carryover/models/own.gguf", ".lmstudio/models/org/repo/a-F32.gguf",
          ".cache/lm-studio/models/org/old/b.GGUF", ".cache/llama.cpp/org_repo_c.gguf",
          ".local/share/nomic.ai/GPT4All/d.gguf", ".local/share/Jan/data/llamacpp/models/e/model.gguf",
          ".local/share/Jan/data/models/f/model.gguf", "jan/models/g/g.gguf", ".cache/llama.cpp/x.gguf.json",
          ".cache/llama.cpp/y.gguf.downloadInProgress", ".cache/elsewhere/h.gguf"})
      write_below(home / path, gguf);
    QCOMPARE(names_of(list(home)),
             (QStringList{"Carryover: own", "LM Studio: org/repo/a-F32", "LM Studio: org/old/b",
                          "llama.cpp: org_repo_c", "GPT4All: d", "Jan: e/model", "Jan: f/model", "Jan: g/g"}));
  }

  void ollama_names_models_by_manifest() {
    const EmptyHome home;
    const fs::path store = home / ".ollama/models";
    const std::string blob = write_in_ollama(store, "registry.ollama.ai/library/tiny/1b", small_gguf(), "a");
    write_in_ollama(store, "registry.ollama.ai/me/tiny/latest", small_gguf(), "b");
    write_in_ollama(store, "hf.co/org/repo/Q8_0", small_gguf(), "c");
    const auto manifest = [](const nlohmann::json& layer) { return nlohmann::json{{"layers", {layer}}}.dump(); };
    const fs::path library = store / "manifests/registry.ollama.ai/library";
    write_below(library / "cloud/latest", manifest({{"mediaType", "application/vnd.ollama.image.license"}}));
    write_below(library / "evil/latest", manifest({{"mediaType", "application/vnd.ollama.image.model"},
                                                   {"digest", "sha256:" + std::string(58, 'a') + "/../.."}}));
    write_below(library / "odd/latest", R"({"layers": [1, null, {"mediaType": 2}, []]})");
    for (const char* text : {"", "{", "[]", R"({"layers": {}})", "\xff"})
      write_below(library / "broken" / std::to_string(std::strlen(text)), text);
    const ModelList found = list(home);
    QCOMPARE(names_of(found), (QStringList{"Ollama: hf.co/org/repo:Q8_0", "Ollama: cloud:latest", "Ollama: evil:latest",
                                           "Ollama: odd:latest", "Ollama: tiny:1b", "Ollama: me/tiny:latest"}));
    QCOMPARE(found.models[4].path, blob);
    QVERIFY(found.models[4].facts.opens() && ModelSource::open(blob)->config().layers == 1);
    for (const int without : {1, 2, 3})
      QVERIFY(says(found.models[static_cast<std::size_t>(without)].facts, "names no GGUF file"));

    const EmptyHome other;
    qputenv("OLLAMA_MODELS", (other / "moved").c_str());
    write_in_ollama(other / "moved", "registry.ollama.ai/library/tiny/1b", small_gguf(), "a");
    QCOMPARE(names_of(list(other)), QStringList{"Ollama: tiny:1b"});
  }

  void folders_of_the_user_are_searched_too() {
    const EmptyHome home;
    write_tiny_model(home / "mine/tiny", small_config(), 1);
    write_below(home / "mine/ggufs/a.gguf", small_gguf());
    const std::string mine = (home / "mine").string();
    QCOMPARE(names_of(list(home, {mine + "/", mine})), (QStringList{"folder: ggufs/a", "folder: tiny"}));
    QCOMPARE(names_of(list(home, {mine + "/tiny"})), QStringList{"folder: tiny"});
    write_below(home / ".cache/llama.cpp/b.gguf", small_gguf());
    QCOMPARE(names_of(list(home, {home.path()})),  // a place within a place gives each model once
             (QStringList{"llama.cpp: b", "folder: mine/ggufs/a", "folder: mine/tiny"}));
    const auto refused = [&](const char* part, const std::string& folder) {
      return QString::fromStdString(unlike(Fault::Io, part, [&] { model_places({folder}); }));
    };
    QCOMPARE(refused("does not exist", mine + "/absent"), QString());
    QCOMPARE(refused("is not a folder", mine + "/ggufs/a.gguf"), QString());
  }

  void a_header_names_its_storage() {
    QCOMPARE(facts_of(small_gguf()).storage, std::string("F32"));
    const auto typed = [](std::uint32_t type) {
      return facts_of(small_gguf([&](GgufWriter& writer) { writer.add_int("general.file_type", type); })).storage;
    };
    QCOMPARE(typed(15), std::string("Q4_K_M"));
    QCOMPARE(typed(1024 + 7), std::string("Q8_0"));
    QCOMPARE(typed(99), std::string("F32"));  // without a name: the type of most numbers
    const ModelFacts mixed = facts_of(make_mixed_gguf());
    QVERIFY(mixed.opens() && mixed.parameters > 0);
    QCOMPARE(mixed.storage, std::string("Q4_0"));  // of several, the first by name
  }

  void a_model_that_does_not_open_says_why() {
    const ModelFacts foreign = facts_of([] {
      GgufWriter writer;
      writer.add_string("general.architecture", "mamba");
      writer.add_int("mamba.context_length", 4096);
      writer.add_tensor("token_embd.weight", {4, 256}, 23, std::string(4 * 136, '\0'));  // IQ4_XS
      return writer.bytes();
    }());
    QVERIFY(!foreign.opens() && foreign.family.empty());
    QVERIFY(foreign.architecture == "mamba" && foreign.storage == "IQ4_XS" && foreign.context == 4096);
    QCOMPARE(foreign.parameters, 1024);

    const std::string whole = small_gguf();
    const ModelFacts cut = facts_of(whole.substr(0, whole.size() - 64));
    QVERIFY(says(cut, "reaches past the end") && cut.advice.find("fetch it again") != std::string::npos);
    QVERIFY(cut.architecture == "llama" && cut.parameters > 0 && cut.context == 2048);
    QVERIFY(says(facts_of(""), "is empty"));
    QVERIFY(says(facts_of("GGML"), "is not a GGUF file"));
    QVERIFY(says(facts_of(small_gguf([](GgufWriter& writer) { writer.add_int("llama.expert_count", 8); })),
                 "mixture of experts"));
    QVERIFY(says(facts_with([](nlohmann::json& config) { config["num_hidden_layers"] = 2; }),
                 "model.layers.1.input_layernorm.weight is missing"));
    const ModelFacts bert = facts_with([](nlohmann::json& config) {
      config["model_type"] = "bert";
      config["architectures"] = {"BertModel"};
    });
    QVERIFY(says(bert, "BertModel (bert) is not supported (it has an encoder)"));
    QVERIFY(bert.architecture == "bert" && bert.storage == "F32" && bert.parameters > 0 && bert.context == 2048);
    const ModelFacts picture = facts_with([](nlohmann::json& config) {
      config = {{"architectures", {"LlavaForCausalLM"}}, {"text_config", {{"max_position_embeddings", 77}}}};
    });
    QVERIFY(picture.architecture == "LlavaForCausalLM" && picture.context == 77 && !picture.opens());
    const ModelFacts packed = facts_with([](nlohmann::json& config) {
      config["quantization_config"] = {{"quant_method", "gptq"}};
    });
    QCOMPARE(packed.storage, std::string("gptq"));
  }

  void what_belongs_to_a_model_is_no_model() {
    const auto of_kind = [](const char* architecture, const char* type) {
      GgufWriter writer;
      writer.add_string("general.architecture", architecture);
      writer.add_string("general.type", type);
      return writer.bytes();
    };
    QVERIFY(says(facts_of(of_kind("clip", "model")), "projector"));
    QVERIFY(says(facts_of(of_kind("llama", "mmproj")), "projector"));
    QVERIFY(says(facts_of(small_gguf(), "mmproj-tiny.gguf"), "projector"));
    QVERIFY(says(facts_of(of_kind("llama", "adapter")), "is an adapter"));
  }

  void a_split_model_is_listed_once() {
    const EmptyHome home;
    const fs::path folder = home / ".cache/llama.cpp";
    fs::create_directories(folder);
    const std::vector<std::string> parts =
        write_split_gguf(folder, small_config(), random_weights(small_config(), 1), 3);
    write_below(folder / "big-00004-of-00003.gguf", small_gguf());  // no part of it
    write_below(folder / "big-1-of-3.gguf", small_gguf());
    const ModelList found = list(home);
    QCOMPARE(names_of(found), (QStringList{"llama.cpp: big-00004-of-00003", "llama.cpp: big-1-of-3",
                                           "llama.cpp: split-00001-of-00003"}));
    const InstalledModel& split = found.models[2];
    QVERIFY(split.facts.opens());
    QCOMPARE(split.facts.parameters, found.models[0].facts.parameters);
    std::int64_t bytes = 0;
    for (const std::string& part : parts) bytes += static_cast<std::int64_t>(fs::file_size(part));
    QCOMPARE(split.bytes, bytes);
    fs::remove(parts[0]);
    const ModelList partial = list(home);
    QCOMPARE(names_of(partial).back(), QString("llama.cpp: split-00002-of-00003"));
    QVERIFY(says(partial.models.back().facts, "00001-of-00003.gguf"));
  }

  /// Every file that stops early, and files with a byte changed, give a model with a reason or with other facts.
  void damaged_headers_are_survived() {
    const std::string gguf = small_gguf();
    const EmptyHome home;
    const fs::path file = home / "models/x.gguf";
    for (std::size_t size = 0; size < 2000; size += 7) {
      write_below(file, gguf.substr(0, size));
      const ModelList found = list(home, {(home / "models").string()});
      QVERIFY(found.models.size() == 1 && !found.models[0].facts.opens());
    }
    for (std::size_t at = 0; at < 1500; at += 3) {
      std::string damaged = gguf;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x81);
      write_below(file, damaged);
      QCOMPARE(list(home, {(home / "models").string()}).models.size(), std::size_t{1});
    }
    for (const char* config : {"", "{", "[]", "7", "{}", R"({"model_type": 7, "architectures": {}})",
                               R"({"model_type": "llama", "quantization_config": 3, "text_config": []})",
                               R"({"max_position_embeddings": -5, "architectures": [[]]})"}) {
      const EmptyHome other;
      write_tiny_model(other / "models", small_config(), 1);
      write_bytes(other / "models" / "config.json", config);
      const ModelList found = list(other, {(other / "models").string()});
      QVERIFY2(found.models.size() == 1 && !found.models[0].facts.opens(), config);
    }
  }

  void odd_files_and_links_are_passed_over() {
    const EmptyHome home;
    const fs::path folder = home / ".cache/llama.cpp";
    write_below(folder / "a.gguf", small_gguf());
    write_below(folder / "name-\xff\x1b.gguf", small_gguf());
    fs::create_directories(folder / "folder.gguf");
    fs::create_directory_symlink(folder, folder / "loop");
    fs::create_symlink("self", folder / "self");
    fs::create_symlink("gone", folder / "gone.gguf");
    QCOMPARE(mkfifo((folder / "pipe.gguf").c_str(), 0600), 0);
    fs::path deep = folder;
    for (int i = 0; i < 20; ++i) deep /= "d";
    write_below(deep / "deep.gguf", small_gguf());
    const ModelList found = list(home);
    QCOMPARE(found.models.size(), std::size_t{2});
    QVERIFY(found.models[1].name == "name-\xff\x1b" && found.models[1].facts.opens());
    QVERIFY(model_entry(found.models[1]).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).size() > 10);
  }

  void unreadable_folders_are_named() {
    const EmptyHome home;
    const fs::path folder = home / ".cache/llama.cpp";
    write_below(folder / "a.gguf", small_gguf());
    write_below(folder / "secret/b.gguf", small_gguf());
    fs::permissions(folder / "secret", fs::perms::none);
    const ModelList found = list(home);
    fs::permissions(folder / "secret", fs::perms::owner_all);
    if (geteuid() == 0) {  // root may read everything
      QCOMPARE(found.models.size(), std::size_t{2});
      return;
    }
    QVERIFY(found.models.size() == 1 && found.unread.size() == 1);
    QCOMPARE(found.unread[0].path, (folder / "secret").string());
    QVERIFY(!found.unread[0].problem.empty());
  }

  void a_file_that_goes_away_is_left_out() {
    const EmptyHome home;
    const fs::path folder = home / ".cache/llama.cpp";
    for (const char* name : {"a.gguf", "b.gguf", "c.gguf"}) write_below(folder / name, small_gguf());
    RunControl control;
    const ModelList found = list_models({{"test", folder.string(), find_models_below}}, {}, control,
                                        [&](const InstalledModel&) { fs::remove(folder / "b.gguf"); });
    QCOMPARE(names_of(found), (QStringList{"test: a", "test: c"}));
  }

  void models_come_one_by_one_until_a_stop() {
    const EmptyHome home;
    const fs::path folder = home / ".cache/llama.cpp";
    for (const char* name : {"a.gguf", "b.gguf", "c.gguf"}) write_below(folder / name, small_gguf());
    RunControl control;
    int come = 0;
    const auto stop_at_two = [&](const InstalledModel& model) {
      QVERIFY(model.facts.opens());
      if (++come == 2) control.request_stop();
    };
    const auto error = error_of([&] {
      list_models({{"test", folder.string(), find_models_below}}, {}, control, stop_at_two);
    });
    QVERIFY(error && error->fault() == Fault::Cancelled);
    QCOMPARE(come, 2);
  }

  /// The forecast is that of the cost model, for texts of any length but the shortest.
  void memory_is_what_the_cost_model_says() {
    const EmptyHome home;
    ModelConfig config = small_config();
    config.context = 4096;
    const ModelFacts facts = list(home, {write_tiny_model(home / "models", config, 1)}).models.at(0).facts;
    const SegmentConfig settings = SegmentConfig::untrained_defaults_for(config);
    const DType dtype = choose_dtype(DType::Auto, Device::Cpu, this_cpu(), config, Phase::Prefill).dtype;
    for (const std::int64_t segments : {4, 10, 1000}) {
      const std::int64_t tokens = segments * settings.segment_length;
      const CostModel cost = cost_model(config, settings, dtype);
      QCOMPARE(facts.memory_for(tokens), policy_row("segmented").memory(cost, tokens, {}).device_peak);
      QCOMPARE(model_entry({"a", "b", "c", 1, facts}, tokens).at("memory").get<std::int64_t>(),
               facts.memory_for(tokens));
    }
    QCOMPARE(facts.memory_for(std::int64_t{1} << 62), std::numeric_limits<std::int64_t>::max());
    QCOMPARE(ModelFacts().memory_for(1000), std::int64_t{0});
    QVERIFY(model_entry({"a", "b", "c", 1, {}}).at("memory").is_null());
  }

  /// Embeddings that are tied and a head beside them are compared when a model is opened, and not when it is listed.
  void a_head_beside_tied_embeddings_is_not_read() {
    const EmptyHome home;
    ModelConfig config = small_config();
    const std::string folder = write_tiny_model(home / "models", config, 1);  // with a head
    config.tied_embeddings = true;
    write_bytes(home / "models" / "config.json", hf_config_json(config).dump());
    const ModelFacts facts = list(home, {folder}).models.at(0).facts;
    QVERIFY(facts.opens());
    QCOMPARE(facts.parameters, config.parameters());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ModelListTest>};
#include "model_list_test.moc"
