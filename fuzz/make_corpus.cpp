// SPDX-License-Identifier: GPL-3.0-or-later
// Makes the seeds of fuzz/corpus again: `build/fuzz/bin/make_corpus FOLDER`. The same program gives the same files.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "app/saved_window/session_state.h"
#include "engine/remote/protocol.h"
#include "engine/runs/records/run_journal.h"
#include "engine/tokenizers/bpe_pretokenizer.h"
#include "engine/training/records/training_plan.h"
#include "fuzz/support/journal_records.h"
#include "fuzz/support/run_files.h"
#include "fuzz/support/sections.h"
#include "fuzz/support/tokenizer_files.h"
#include "tests/support/make_gguf.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/run_folders.h"
#include "tests/support/wire_types.h"

using namespace carryover;
using namespace carryover::fuzz;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

class SeedFolder {
 public:
  explicit SeedFolder(fs::path folder) : folder_(std::move(folder)) {}

  void add(const std::string& target, const std::string& name, const std::string& bytes) const {
    fs::create_directories(folder_ / target);
    write_bytes(folder_ / target / name, bytes);
  }

 private:
  fs::path folder_;
};

/// Removes the facts about this machine, which do not belong in a seed.
void forget_machine(nlohmann::json& config) {
  config["environment"] = {{"libraries", "LibTorch 2.11.0"}};
}

std::string without_machine(const std::string& journal) {
  std::vector<Record> records = records_of(journal);
  nlohmann::json fields = nlohmann::json::from_cbor(records.front().body);
  forget_machine(fields["description"]);
  records.front().body.clear();
  nlohmann::json::to_cbor(fields, records.front().body);
  return journal_of(records);
}

void add_journals(const SeedFolder& corpus) {
  const TempDir folder;
  for (const int segments : {0, 1, 3}) {
    std::mt19937 random(3);
    const RunDescription description = whole_run_description();
    RunJournal journal(folder.file("journal"), description);
    std::vector<SegmentSnapshot> made;
    for (int i = 0; i < segments; ++i) {
      SegmentSnapshot segment = random_snapshot(i, random, i == 2 ? 31 : 32);
      const auto first = description.request.ids->begin() + segment.record.first_token;
      segment.ids.assign(first, first + segment.record.length);
      segment.carry_key_norm = random_map(random);
      segment.carry_value_norm = random_map(random);
      if (i > 0) segment.carry_drift = random_map(random);
      journal.append(segment);
      made.push_back(segment);
    }
    if (segments == 3) journal.finish(summary_of(made));
    corpus.add("journal", std::to_string(segments) + "_segments", without_machine(read_bytes(folder.file("journal"))));
  }
}

void add_run_folders(const SeedFolder& corpus) {
  for (const bool indexed : {false, true}) {
    const TempDir folder;
    std::mt19937 random(4);
    write_run(folder.file("run"), whole_run_description(), random, 3);
    Sections files(kRunFiles);
    for (std::size_t file = 0; file < kRunFiles; ++file) {
      const fs::path path = fs::path(folder.file("run")) / kRunFileNames[file];
      if (fs::exists(path) && (indexed || file != kIndex)) files[file] = read_bytes(path);
    }
    nlohmann::json config = nlohmann::json::parse(*files[kConfig]);
    forget_machine(config);
    files[kConfig] = config.dump(1);
    corpus.add("run_folder", indexed ? "indexed" : "not_indexed", join_sections(files));
  }
}

void add_messages(const SeedFolder& corpus) {
  int type = 0;
  for_all_types([&]<typename T>() {
    for (unsigned seed = 0; seed < 2; ++seed)
      corpus.add("wire", "type_" + std::to_string(type) + "_" + std::to_string(seed),
                 std::string(1, static_cast<char>(type)) + pack(RandomFields(seed + 20).any<T>()));
    ++type;
  });
  std::string frames(1, '\xff');
  for (std::uint32_t kind = 0; kind <= static_cast<std::uint32_t>(kLastMessage); ++kind)
    frames += frame_head(static_cast<MessageKind>(kind), kind % 3) + std::string(kind % 3, 'x');
  corpus.add("wire", "frames", frames);
  corpus.add("wire", "greeting", "\xfeLast login: today\n" + greeting());
}

std::string tokenizer_input(TokenizerFile kind, const std::string& vocabulary) {
  Sections files(kTokenizerFiles);
  files[static_cast<std::size_t>(kind)] = vocabulary;
  files[kText] = "The harbour's 12 caf\xc3\xa9s, \xe6\x97\xa5\xe6\x9c\xac \xe2\x96\x81 it's <|im_start|>a\n\n  b</s>";
  return join_sections(files);
}

/// Returns an input with all files that may stand beside a tokenizer.model.
std::string tokenizer_folder_input() {
  Sections files = split_sections(tokenizer_input(kSentencePiece, make_sentencepiece({})), kTokenizerFiles);
  files[kTokenizerConfig] =
      R"({"tokenizer_class": "LlamaTokenizer", "legacy": true, "add_prefix_space": true, "eos_token": "<|im_end|>",)"
      R"( "added_tokens_decoder": {"319": {"content": "<|im_start|>", "special": true, "lstrip": true},)"
      R"( "320": {"content": "caf", "single_word": true, "normalized": true}}})";
  files[kSpecialTokensMap] = R"({"pad_token": {"content": "it's", "rstrip": true}, "bos_token": "<s>"})";
  files[kAddedTokens] = R"({"<|im_start|>": 319, "12": 320})";
  files[kModelConfig] = R"({"model_type": "llama", "eos_token_id": [2, 319]})";
  return join_sections(files);
}

void add_tokenizers(const SeedFolder& corpus) {
  corpus.add("tokenizer", "folder", tokenizer_folder_input());
  corpus.add("tokenizer", "demo_json", tokenizer_input(kTokenizerJson, demo_tokenizer().dump()));
  corpus.add("tokenizer", "split_json", tokenizer_input(kTokenizerJson, demo_tokenizer_with_split().dump()));
  corpus.add("tokenizer", "sentencepiece", tokenizer_input(kSentencePiece, make_sentencepiece({})));
  corpus.add("tokenizer", "sentencepiece_gguf", tokenizer_input(kGguf, make_sentencepiece_gguf({})));
  corpus.add("tokenizer", "byte_pair_gguf", tokenizer_input(kGguf, make_bpe_gguf("llama-bpe")));
}

void add_models(const SeedFolder& corpus) {
  corpus.add("gguf", "mixed", make_mixed_gguf());
  ModelConfig config = tiny_config(1, 2, 1, 4, 16);
  GgufWriter writer;
  add_llama_keys(writer, config);
  add_llama_tensors(writer, config, random_weights(config, 1));
  corpus.add("gguf", "plain", writer.bytes());
  for (const char* dtype : {"F32", "BF16"}) {
    const TempDir folder;
    config.rope = {.kind = RopeConfig::Kind::Llama3, .theta = 500000.0, .factor = 8.0, .original_context = 8192};
    TinyModelOptions options;
    options.dtype = dtype;
    write_tiny_model(folder.path(), config, 1u, options);
    corpus.add("safetensors", dtype,
               join_sections({read_bytes(folder.file("config.json")), read_bytes(folder.file("model.safetensors"))}));
  }
}

/// The first byte is the kind; the last kind is CBOR.
void add_json(const SeedFolder& corpus) {
  const nlohmann::json value{{"list", {1, -2, 3.5e-7, true, nullptr, "é\u202e\x1b"}}, {"object", {{"a", {{"b", {}}}}}}};
  for (const char kind : {0, 2, 7}) corpus.add("json", "kind_" + std::to_string(kind), kind + value.dump());
  std::string bytes(1, 8);
  nlohmann::json::to_cbor(value, bytes);
  corpus.add("json", "cbor", bytes);
}

/// A session at its beginning, and one with something in every field.
void add_sessions(const SeedFolder& corpus) {
  const QString folder = QStringLiteral("/somewhere");
  SessionState state;
  corpus.add("session", "empty", session_text(state, folder));
  state.model = folder + QStringLiteral("/models/tiny");
  state.weights = "0123456789abcdef";
  state.dtype = DType::BFloat16;
  state.text = QStringLiteral("/texts/book.txt");
  state.config = SegmentConfig::defaults_for(tiny_config());
  state.selection = {1, 2, 3, 40};
  state.pinned = {0, 1, 2, 7};
  state.range = {0, 2};
  state.notes = QStringLiteral("a note\nin two lines");
  state.bookmarks = {{QStringLiteral("here"), {1, 2, 3, 40}}};
  state.run = folder + QStringLiteral("/run.journal");
  state.pinned_run = QStringLiteral("/runs/b");
  state.pinned_segments = 3;
  state.what_ifs = folder + QStringLiteral("/what-ifs.json");
  state.shown_what_if = 0;
  state.draft.no_carry = true;
  state.draft.banned = {{3, 9}};
  state.draft.patch_carry = true;
  state.draft.patched_heads = {{1, 2}};
  state.foil = QStringLiteral(" another");
  const auto listed = [&](ListedKind kind, const char* place) {
    ListedRun run;
    run.kind = kind;
    run.place = folder + QString::fromLatin1(place);
    run.name = QStringLiteral("a name");
    run.renamed = true;
    run.tick = 1;
    run.tags = {QStringLiteral("first"), QStringLiteral("second")};
    run.text = QStringLiteral("a book");
    run.model = QStringLiteral("tiny · bf16 · 01234567");
    run.saved_in = QStringLiteral("/runs/a");
    run.tokens = 600;
    run.loss = 3.5;
    run.made_ms = 1'700'000'000'000;
    return run;
  };
  state.runs = {listed(ListedKind::Run, "/run.journal"), listed(ListedKind::Training, "/training"),
                listed(ListedKind::Experiment, "/experiment")};
  state.trainings = {folder + QStringLiteral("/training")};
  state.finetune = plan_json(TrainingPlan{});
  state.geometry = state.layout = QByteArrayLiteral("layout");
  state.unsaved = true;
  corpus.add("session", "full", session_text(state, folder));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_corpus FOLDER\n");
    return 2;
  }
  const SeedFolder corpus{arguments[1]};
  add_json(corpus);
  add_journals(corpus);
  add_run_folders(corpus);
  add_messages(corpus);
  add_tokenizers(corpus);
  add_models(corpus);
  add_sessions(corpus);
  return 0;
}
