// SPDX-License-Identifier: GPL-3.0-or-later
// Which tokenizer belongs to a model, the vocabularies inside GGUF files, and decoding as a stream.
#include "engine/tokenizers/tokenizer.h"

#include <QTest>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/utf8.h"
#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/named_pretokenizers.h"
#include "engine/tokenizers/piece_model.h"
#include "engine/tokenizers/token_checks.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/random_text.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Kinds {
  TempDir folder;
  Kinds() {
    std::filesystem::create_directory(folder.path() / "sentencepiece");
    write_bytes(folder.path() / "sentencepiece" / "tokenizer.model", make_sentencepiece({}));
    write_bytes(folder.file("llama.gguf"), make_sentencepiece_gguf({}));
    write_bytes(folder.file("bpe.gguf"), make_bpe_gguf("smollm"));
  }
  std::vector<std::string> paths() const {
    return {folder.file("sentencepiece"), folder.file("llama.gguf"), folder.file("bpe.gguf"), demo_folder().string()};
  }
};

/// U+2581 is a space to the pieces of SentencePiece, as in the first two of Kinds.
std::string given_back(const std::string& path, const std::string& text) {
  const bool pieces = path.ends_with("sentencepiece") || path.ends_with("llama.gguf");
  return pieces ? marks_as_spaces(text) : text;
}

/// Returns the pieces of a text in the demo's vocabulary, cut by a named rule.
std::vector<std::string> cut_by(const std::string& pre, const std::string& text) {
  const TempDir folder;
  write_bytes(folder.file("m.gguf"), make_bpe_gguf(pre));
  const auto tokenizer = Tokenizer::load(folder.file("m.gguf"));
  std::vector<std::string> out;
  for (const std::int32_t id : tokenizer->encode(text)) out.push_back(tokenizer->bytes(id));
  return out;
}

}  // namespace

class TokenizerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void every_kind_gives_texts_back();
  void streams_whole_characters();
  void streams_what_is_left_as_replacement();
  void gguf_equals_the_folder();
  void pre_names_the_cut();
  void names_of_one_rule_agree();
  void rules_of_digits();
  void a_character_for_a_byte_that_no_text_has();
  void rows_that_fill_the_vocabulary_up();
  void a_gguf_without_types();
  void special_tokens_of_phi3_take_blanks();
  void begins_with_one_bos();
  void a_gguf_without_pre_says_its_rule();
  void refuses_gguf();
  void finds_begin_and_end_tokens();
  void refuses_a_folder_without_one();
  void llama3_folders_use_their_json();
};

void TokenizerTest::every_kind_gives_texts_back() {
  const Kinds kinds;
  RandomText texts(1);
  for (const std::string& path : kinds.paths()) {
    const auto tokenizer = Tokenizer::load(path);
    for (int i = 0; i < 500; ++i) {
      const std::string text = texts.next();
      const auto ids = tokenizer->encode(text);
      QCOMPARE(tokenizer->decode(ids), given_back(path, text));
      for (const std::int32_t id : ids) QVERIFY(id >= 0 && id < tokenizer->vocabulary());
    }
  }
}

void TokenizerTest::streams_whole_characters() {
  const Kinds kinds;
  RandomText texts(2);
  for (const std::string& path : kinds.paths()) {
    const auto tokenizer = Tokenizer::load(path);
    int waited = 0;
    for (int i = 0; i < 500; ++i) {
      const std::string text = texts.next();
      StreamDecoder decoder(tokenizer);
      std::string shown;
      for (const std::int32_t id : tokenizer->encode(text)) {
        const std::string more = decoder.push(id);
        QCOMPARE(first_invalid_utf8(more), more.size());
        waited += more.empty() ? 1 : 0;
        shown += more;
      }
      QCOMPARE(decoder.finish(), std::string());
      QCOMPARE(shown, given_back(path, text));
    }
    QVERIFY2(waited > 100, "no character was split over ids");
  }
}

void TokenizerTest::streams_what_is_left_as_replacement() {
  const auto tokenizer = Tokenizer::load(demo_folder().string());
  const auto ids = tokenizer->encode("a\u65E5");
  StreamDecoder decoder(tokenizer);
  std::string shown;
  for (std::size_t i = 0; i + 1 < ids.size(); ++i) shown += decoder.push(ids[i]);
  QCOMPARE(shown, std::string("a"));
  QCOMPARE(decoder.finish(), std::string("\uFFFD"));
  QCOMPARE(decoder.finish(), std::string());
  // A new start ends a broken character.
  StreamDecoder interrupted(tokenizer);
  std::string mixed = interrupted.push(ids[1]);
  mixed += interrupted.push(ids[0]);
  QCOMPARE(mixed, std::string("\uFFFDa"));
}

void TokenizerTest::gguf_equals_the_folder() {
  const Kinds kinds;
  const auto paths = kinds.paths();
  RandomText texts(3);
  for (const auto& [one, other] : {std::pair(paths[0], paths[1]), std::pair(paths[2], paths[3])}) {
    const auto a = Tokenizer::load(one), b = Tokenizer::load(other);
    QCOMPARE(a->vocabulary(), b->vocabulary());
    QCOMPARE(a->bos(), b->bos());
    QCOMPARE(a->eos(), b->eos());
    QVERIFY(a->bos().has_value() && a->eos().has_value());
    for (int i = 0; i < 500; ++i) {
      const std::string text = texts.next();
      QCOMPARE(a->encode(text), b->encode(text));
      QCOMPARE(a->encode(text, true), b->encode(text, true));
    }
  }
}

void TokenizerTest::pre_names_the_cut() {
  // In the demo's vocabulary " 1" is no token and ".\n" is one: who keeps a newline with the full stop can use it.
  const std::vector<std::string> apart{".", "\n"};
  for (const char* pre : {"smollm", "gpt-2", "default"}) QCOMPARE(cut_by(pre, ".\n"), apart);
  for (const char* pre : {"smollm", "gpt-2", "default", "llama-bpe", "llama3", "llama-v3", "qwen2"}) {
    QCOMPARE(cut_by(pre, "harbour\n").size(), cut_by("smollm", "harbour\n").size());
  }
  QCOMPARE(unlike(Fault::Unsupported, "'bloom'", [] { cut_by("bloom", "x"); }), std::string());
}

void TokenizerTest::names_of_one_rule_agree() {
  const std::vector<std::vector<std::string>> rules{{"smollm", "command-r", "minerva-7b"},
                                                    {"llama-bpe", "falcon3", "pixtral", "midm-2.0"},
                                                    {"qwen2", "deepseek-r1-qwen", "megrez", "stablelm2"},
                                                    {"gpt-2", "phi-2", "mpt", "olmo"}};
  RandomText texts(11);
  for (int i = 0; i < 20; ++i) {
    const std::string text = texts.next();
    for (const auto& names : rules)
      for (const std::string& name : names) QCOMPARE(cut_by(name, text), cut_by(names.front(), text));
  }
}

/// Each rule cuts runs of digits, letters and punctuation in its own way; the words come from the patterns alone.
void TokenizerTest::rules_of_digits() {
  const auto words = [](const char* pre, const std::string& text) {
    const NamedPretokenizer* found = find_named_pretokenizer(pre);
    std::vector<std::string> patterns(found->patterns.begin(), found->patterns.end()), out;
    BpePretokenizer(patterns, pre).split(text, [&](std::string_view word) { out.emplace_back(word); });
    return out;
  };
  using Words = std::vector<std::string>;
  QCOMPARE(words("qwen2", "a 1234"), (Words{"a", " ", "1", "2", "3", "4"}));
  QCOMPARE(words("tekken", "a 1234"), (Words{"a", " ", "1", "2", "3", "4"}));
  QCOMPARE(words("llama-bpe", "a 1234"), (Words{"a", " ", "123", "4"}));
  QCOMPARE(words("deepseek-llm", "a 1234"), (Words{"a", " ", "1234"}));
  QCOMPARE(words("deepseek-coder", "a 1234"), (Words{"a", " ", "1", "2", "3", "4"}));
  QCOMPARE(words("falcon", "a 1234"), (Words{"a", " ", "123", "4"}));
  QCOMPARE(words("gpt-2", "a 1234"), (Words{"a", " 1234"}));
  QCOMPARE(words("tekken", "helloWorld"), (Words{"hello", "World"}));
  QCOMPARE(words("qwen2", "helloWorld"), (Words{"helloWorld"}));
  // A mark behind a letter is of the word in the newer rule of Qwen alone.
  QCOMPARE(words("qwen35", "e\u0301a"), (Words{"e\u0301a"}));
  QCOMPARE(words("qwen2", "e\u0301a"), (Words{"e", "\u0301a"}));
  QCOMPARE(words("seed-coder", ".\n"), (Words{".", "\n"}));
  QCOMPARE(words("qwen2", ".\n"), (Words{".\n"}));
  QVERIFY(find_named_pretokenizer("") == nullptr);
}

/// DeepSeek's vocabularies list "õ", which spells the byte F5 among byte-level tokens, as an added token.
void TokenizerTest::a_character_for_a_byte_that_no_text_has() {
  BpeDefinition definition;
  definition.where = "test";
  for (int byte = 0; byte < 256; ++byte)
    definition.tokens.push_back(byte_level_of_bytes(std::string(1, static_cast<char>(byte))));
  definition.added = {{.text = "õ", .id = 0xF5}};
  const BpeTokenizer tokenizer(definition);
  const std::vector<std::int32_t> ids = tokenizer.encode("aõ", false);
  QCOMPARE(ids, (std::vector<std::int32_t>{'a', 0xF5}));
  QCOMPARE(tokenizer.decode(ids), std::string("aõ"));
  // "Ġ" is a space to the merges, and the character itself to who looks for added tokens.
  definition.added = {{.text = "Ġ", .id = ' '}};
  QCOMPARE(unlike(Fault::BadInput, "is both", [&] { BpeTokenizer{definition}; }), std::string());
}

/// Phi-3's file calls those rows unknown, of which SentencePiece takes one, and the unknown token itself a control
/// token. Other files leave them empty.
void TokenizerTest::rows_that_fill_the_vocabulary_up() {
  const TempDir folder;
  SmallPieces pieces;
  pieces.kind[0] = 3;
  for (int i = 0; i < 3; ++i) pieces.add("[PAD" + std::to_string(i) + "]", -1000, 2);
  for (const int kind : {1, 3}) pieces.add("", 0, kind);
  write_bytes(folder.file("m.gguf"), make_sentencepiece_gguf(pieces));
  write_bytes(folder.file("plain.gguf"), make_sentencepiece_gguf({}));
  const auto filled = Tokenizer::load(folder.file("m.gguf")), plain = Tokenizer::load(folder.file("plain.gguf"));
  QCOMPARE(filled->vocabulary(), plain->vocabulary() + 5);
  RandomText texts(5);
  for (int i = 0; i < 300; ++i) {
    const std::string text = texts.next();
    QCOMPARE(filled->encode(text), plain->encode(text));
    QCOMPARE(filled->encode(text, true), plain->encode(text, true));
  }
}

void TokenizerTest::a_gguf_without_types() {
  const TempDir folder;
  SmallPieces untyped;
  untyped.kind.clear();
  write_bytes(folder.file("m.gguf"), make_sentencepiece_gguf(untyped));
  write_bytes(folder.file("plain.gguf"), make_sentencepiece_gguf({}));
  const auto bare = Tokenizer::load(folder.file("m.gguf")), plain = Tokenizer::load(folder.file("plain.gguf"));
  QCOMPARE(bare->bos(), plain->bos());
  QCOMPARE(bare->end_ids(), plain->end_ids());
  RandomText texts(6);
  for (int i = 0; i < 300; ++i) {
    const std::string text = texts.next();
    QCOMPARE(bare->encode(text), plain->encode(text));
    QCOMPARE(bare->encode(text, true), plain->encode(text, true));
  }
}

/// A GGUF has no key for it, so that the architecture says so.
void TokenizerTest::special_tokens_of_phi3_take_blanks() {
  const TempDir folder;
  const auto ids = [&](const std::string& architecture, const std::string& text) {
    SmallPieces pieces;
    pieces.add("<|user|>", 0, 3);       // 319
    pieces.add("<|end|>", 0, 3);        // 320
    pieces.add("<|endoftext|>", 0, 3);  // 321
    write_bytes(folder.file("m.gguf"), make_sentencepiece_gguf(pieces, architecture));
    return Tokenizer::load(folder.file("m.gguf"))->encode(text, true);
  };
  using Ids = std::vector<std::int32_t>;
  QCOMPARE(ids("phi3", "<|user|>\nthe<|end|>\n"), (Ids{319, 261, 320}));
  QCOMPARE(ids("phi3", "<|user|>the<|end|>"), (Ids{319, 261, 320}));
  QCOMPARE(ids("llama", "<|user|>\nthe").size(), std::size_t{5});
  QCOMPARE(ids("phi3", "<|endoftext|>\nthe").size(), std::size_t{5});
  QCOMPARE(ids("phi3", "<s> the"), ids("llama", "<s> the"));
}

/// A chat template spells BOS itself, and a model that needs it gets it from us, too.
void TokenizerTest::begins_with_one_bos() {
  const TempDir folder;
  write_bytes(folder.file("m.gguf"), make_sentencepiece_gguf({}));
  const auto tokenizer = Tokenizer::load(folder.file("m.gguf"));
  using Ids = std::vector<std::int32_t>;
  Ids bare = tokenizer->encode("the"), spelled = tokenizer->encode("<s>the", true), none;
  QVERIFY(put_bos_first(bare, *tokenizer, "m.gguf") && !put_bos_first(spelled, *tokenizer, "m.gguf"));
  QCOMPARE(bare, spelled);
  QCOMPARE(std::ranges::count(bare, 1), 1);
  QVERIFY(put_bos_first(none, *tokenizer, "m.gguf"));
  QCOMPARE(none, (Ids{1}));
  std::filesystem::copy(demo_folder() / "tokenizer.json", folder.path());
  const auto without = Tokenizer::load(folder.path().string());
  QCOMPARE(unlike(Fault::BadInput, "m.gguf", [&] { put_bos_first(none, *without, "m.gguf"); }), std::string());
}

void TokenizerTest::a_gguf_without_pre_says_its_rule() {
  const TempDir folder;
  const auto load = [&](const char* pre) {
    write_bytes(folder.file("m.gguf"), make_bpe_gguf(pre));
    return Tokenizer::load(folder.file("m.gguf"));
  };
  const auto told = load("default"), silent = load("");
  QVERIFY(told->notes().empty());
  QCOMPARE(silent->notes().size(), std::size_t{1});
  QVERIFY(QString::fromStdString(silent->notes().front()).contains("tokenizer.ggml.pre is absent"));
  QVERIFY(QString::fromStdString(silent->notes().front()).contains("llama.cpp's default rule"));
  RandomText texts(7);
  for (int i = 0; i < 200; ++i) {
    const std::string text = texts.next();
    QCOMPARE(silent->encode(text), told->encode(text));
  }
}

void TokenizerTest::refuses_gguf() {
  const TempDir folder;
  const std::string path = folder.file("m.gguf");
  const auto refusal = [&](const std::string& bytes, Fault fault, const std::string& part) {
    write_bytes(path, bytes);
    const std::string named = unlike(fault, path, [&] { Tokenizer::load(path); });
    return named + unlike(fault, part, [&] { Tokenizer::load(path); });
  };
  SmallPieces short_scores, odd_kind;
  short_scores.score.pop_back();
  odd_kind.kind.back() = 9;
  QCOMPARE(refusal(make_sentencepiece_gguf(short_scores), Fault::BadInput, "scores"), std::string());
  QCOMPARE(refusal(make_sentencepiece_gguf(odd_kind), Fault::BadInput, "token_type holds 9"), std::string());
  GgufWriter none, other;
  none.add_string("tokenizer.ggml.model", "llama");
  other.add_string("tokenizer.ggml.model", "bert");
  QCOMPARE(refusal(none.bytes(), Fault::BadInput, "tokenizer.ggml.tokens"), std::string());
  QCOMPARE(refusal(other.bytes(), Fault::Unsupported, "'bert'"), std::string());
  QCOMPARE(refusal("not a GGUF at all, but long enough to be looked at", Fault::Unsupported, "GGUF"), std::string());
}

void TokenizerTest::finds_begin_and_end_tokens() {
  const TempDir folder;
  const auto load = [&] { return Tokenizer::load(folder.path().string()); };
  std::filesystem::copy(demo_folder() / "tokenizer.json", folder.path());
  QVERIFY(!load()->bos() && !load()->eos());
  write_bytes(folder.file("config.json"), R"({"bos_token_id": 3, "eos_token_id": [5, 6]})");
  QCOMPARE(load()->bos(), std::optional(3));
  QCOMPARE(load()->eos(), std::optional(5));
  write_bytes(folder.file("tokenizer_config.json"),
              R"({"bos_token": "<|begin|>", "eos_token": {"content": "<|end|>"}})");
  QCOMPARE(load()->bos(), std::optional(510));
  QCOMPARE(load()->eos(), std::optional(511));
  write_bytes(folder.file("tokenizer_config.json"), "{}");
  write_bytes(folder.file("config.json"), R"({"bos_token_id": 4000})");
  QCOMPARE(unlike(Fault::BadInput, "4000", load), std::string());
}

void TokenizerTest::refuses_a_folder_without_one() {
  const TempDir folder;
  const std::string path = folder.path().string();
  QCOMPARE(unlike(Fault::BadInput, "tokenizer.model", [&] { Tokenizer::load(path); }), std::string());
  QCOMPARE(unlike(Fault::Io, "missing", [&] { Tokenizer::load(folder.file("missing")); }), std::string());
  write_bytes(folder.file("tokenizer.json"), "{\"model\": ");
  QCOMPARE(unlike(Fault::BadInput, "tokenizer.json", [&] { Tokenizer::load(path); }), std::string());
}

/// Llama 3's tokenizer.model is not SentencePiece's but lines of base64.
void TokenizerTest::llama3_folders_use_their_json() {
  const TempDir folder;
  write_bytes(folder.file("tokenizer.model"), "IQ== 0\nIg== 1\n");
  const auto load = [&] { return Tokenizer::load(folder.path().string()); };
  QCOMPARE(unlike(Fault::BadInput, "not a SentencePiece model", load), std::string());
  std::filesystem::copy(demo_folder() / "tokenizer.json", folder.path());
  QCOMPARE(load()->vocabulary(), std::int64_t{512});
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TokenizerTest>};
#include "tokenizer_test.moc"
