// SPDX-License-Identifier: GPL-3.0-or-later
// A generated text ends at an end token: every place that names one counts.
#include "engine/tokenizers/end_tokens.h"

#include <QTest>
#include <algorithm>

#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using Ids = std::vector<std::int32_t>;

class EndTokensTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void of_a_folders_files();
  void of_a_gguf();
  void by_their_spelling();
  void end_of_a_message_part();
  void an_end_is_special_whatever_the_gguf_calls_it();
  void a_turn_s_marks_are_special_in_files_that_call_them_ordinary();
  void a_tag_of_html_is_no_end();
  void of_a_model_without_tokenizer();
  void refuses();
};

void EndTokensTest::of_a_folders_files() {
  const TempDir folder;
  const auto ends = [&] { return Tokenizer::load(folder.path().string())->end_ids(); };
  write_bytes(folder.file("tokenizer.model"), make_sentencepiece({}));
  QCOMPARE(ends(), (Ids{2}));  // the vocabulary's own
  write_bytes(folder.file("config.json"), R"({"eos_token_id": 7})");
  QCOMPARE(ends(), (Ids{2, 7}));
  write_bytes(folder.file("config.json"), R"({"eos_token_id": [7, 5]})");
  QCOMPARE(ends(), (Ids{2, 5, 7}));
  write_bytes(folder.file("generation_config.json"), R"({"eos_token_id": [9, 5]})");
  QCOMPARE(ends(), (Ids{2, 5, 7, 9}));
  write_bytes(folder.file("tokenizer_config.json"), R"({"eos_token": "<|stop|>", "added_tokens_decoder":
      {"319": {"content": "<|stop|>", "special": true}}})");
  QCOMPARE(ends(), (Ids{2, 5, 7, 9, 319}));
}

void EndTokensTest::of_a_gguf() {
  const TempDir folder;
  const SmallPieces pieces;
  GgufWriter writer;
  writer.add_string("tokenizer.ggml.model", "llama");
  writer.add_strings("tokenizer.ggml.tokens", pieces.text);
  writer.add_floats("tokenizer.ggml.scores", pieces.score);
  writer.add_ints("tokenizer.ggml.token_type", pieces.kind);
  writer.add_int("tokenizer.ggml.eos_token_id", 300);
  writer.add_int("tokenizer.ggml.eot_token_id", 301);
  writer.add_int("tokenizer.ggml.eom_token_id", 302);
  write_bytes(folder.file("m.gguf"), writer.bytes());
  QCOMPARE(Tokenizer::load(folder.file("m.gguf"))->end_ids(), (Ids{2, 300, 301, 302}));
}

/// As llama.cpp collects them, whatever kind of token it is.
void EndTokensTest::by_their_spelling() {
  const TempDir folder;
  SmallPieces pieces;
  Ids expected{2};
  for (const char* text : {"<|im_end|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "<|endoftext|>", "<|eom_id|>"}) {
    expected.push_back(static_cast<std::int32_t>(pieces.text.size()));
    pieces.add(text, 0, pieces.text.size() % 2 == 0 ? 3 : 4);
  }
  pieces.add("<|im_start|>", 0, 3);
  write_bytes(folder.file("m.gguf"), make_sentencepiece_gguf(pieces));
  QCOMPARE(Tokenizer::load(folder.file("m.gguf"))->end_ids(), expected);
  write_bytes(folder.file("tokenizer.model"), make_sentencepiece(SmallPieces()));
  write_bytes(folder.file("added_tokens.json"), R"({"<|im_start|>": 319, "<|im_end|>": 320})");
  QCOMPARE(Tokenizer::load(folder.path().string())->end_ids(), (Ids{2, 320}));
}

void EndTokensTest::end_of_a_message_part() {
  const TempDir folder;
  const auto ends = [&](std::initializer_list<const char*> texts) {
    SmallPieces pieces;
    for (const char* text : texts) pieces.add(text, 0, 3);
    write_bytes(folder.file("m.gguf"), make_sentencepiece_gguf(pieces));
    return Tokenizer::load(folder.file("m.gguf"))->end_ids();
  };
  QCOMPARE(ends({"<|end|>", "<|return|>"}), (Ids{2, 319, 320}));
  QCOMPARE(ends({"<|end|>", "<|return|>", "<|call|>"}), (Ids{2, 320, 321}));
  QCOMPARE(ends({"<|flush|>", "<|calls|>", "<|end|>"}), (Ids{2, 319, 320}));
}

/// A chat template writes out the end of each turn. Files that call it an ordinary token are common.
void EndTokensTest::an_end_is_special_whatever_the_gguf_calls_it() {
  const TempDir folder;
  const std::string text = "the<|im_end|>the";
  const auto check = [&](const std::string& gguf, std::int32_t end) {
    write_bytes(folder.file("m.gguf"), gguf);
    const auto tokenizer = Tokenizer::load(folder.file("m.gguf"));
    QCOMPARE(std::ranges::count(tokenizer->encode(text, true), end), 1);
    QCOMPARE(std::ranges::count(tokenizer->encode(text, false), end), 0);
    QCOMPARE(tokenizer->decode(tokenizer->encode(text, true)), text);
    QVERIFY(std::ranges::count(tokenizer->end_ids(), end) == 1);
  };
  for (const std::int32_t kind : {1, 3, 4}) {
    SmallPieces pieces;
    for (const char piece : {'<', '>', '|', '_'}) pieces.add(std::string(1, piece), -90, 1);
    const auto end = static_cast<std::int32_t>(pieces.text.size());
    pieces.add("<|im_end|>", 0, kind);
    check(make_sentencepiece_gguf(pieces), end);
    check(make_bpe_gguf("smollm", {{"<|im_end|>", kind}}), demo_vocabulary());
  }
}

/// Files of Gemma 3 are about whose marks of turns are ordinary tokens: a template's marks would be spelled in letters.
void EndTokensTest::a_turn_s_marks_are_special_in_files_that_call_them_ordinary() {
  const TempDir folder;
  const std::string text = "<start_of_turn>the<end_of_turn>";
  const auto check = [&](const std::string& gguf, std::int32_t begin) {
    write_bytes(folder.file("m.gguf"), gguf);
    const auto tokenizer = Tokenizer::load(folder.file("m.gguf"));
    const Ids special = tokenizer->encode(text, true), plain = tokenizer->encode(text, false);
    QCOMPARE(special.front(), begin);
    QCOMPARE(special.back(), begin + 1);
    QCOMPARE(std::ranges::count(plain, begin) + std::ranges::count(plain, begin + 1), 0);
    QCOMPARE(tokenizer->decode(special), text);
    QVERIFY(std::ranges::count(tokenizer->end_ids(), begin) == 0);
  };
  SmallPieces pieces;
  const auto begin = static_cast<std::int32_t>(pieces.text.size());
  for (const char* mark : {"<start_of_turn>", "<end_of_turn>"}) pieces.add(mark, 0, 1);
  check(make_sentencepiece_gguf(pieces), begin);
  check(make_bpe_gguf("smollm", {{"<start_of_turn>", 1}, {"<end_of_turn>", 1}}), demo_vocabulary());
}

/// Gemma's vocabulary has "</s>" as a user-defined piece beside other tags, and others can make it by merges.
void EndTokensTest::a_tag_of_html_is_no_end() {
  const TempDir folder;
  SmallPieces pieces;
  pieces.kind[2] = 4;
  pieces.add("<eos>", 0, 3);
  write_bytes(folder.file("m.gguf"), make_sentencepiece_gguf(pieces, "llama", 319));
  const auto gemma = Tokenizer::load(folder.file("m.gguf"));
  QCOMPARE(gemma->end_ids(), (Ids{319}));
  const std::string html = "the</s> ca";
  QCOMPARE(std::ranges::count(gemma->encode(html), 2), 1);
  QCOMPARE(gemma->decode(gemma->encode(html)), html);

  BpeDefinition definition;
  definition.where = "test";
  for (int byte = 0; byte < 256; ++byte)
    definition.tokens.push_back(byte_level_of_bytes(std::string(1, static_cast<char>(byte))));
  definition.tokens.insert(definition.tokens.end(), {"</", "s>", "</s>", "<|im_end|>"});  // 256 to 259
  definition.merges = {{"<", "/"}, {"s", ">"}, {"</", "s>"}};
  definition.added = {{.text = "<|im_end|>", .id = 259, .special = true}};
  definition.eos = 259;
  const BpeTokenizer merged(definition);
  QCOMPARE(end_tokens("no file", &merged), (Ids{259}));
  definition.eos = 258;
  const BpeTokenizer named(definition);
  QCOMPARE(end_tokens("no file", &named), (Ids{258, 259}));
  definition.eos = 259;
  definition.merges.pop_back();
  const BpeTokenizer special(definition);
  QCOMPARE(end_tokens("no file", &special), (Ids{258, 259}));
}

void EndTokensTest::of_a_model_without_tokenizer() {
  const TempDir folder;
  write_bytes(folder.file("config.json"), R"({"eos_token_id": [4, 3]})");
  QCOMPARE(end_tokens(folder.path().string(), nullptr), (Ids{3, 4}));
  QCOMPARE(model_end_tokens(folder.path().string()), (Ids{3, 4}));
  write_bytes(folder.file("generation_config.json"), R"({"eos_token_id": -1})");  // there is no such token
  QCOMPARE(end_tokens(folder.path().string(), nullptr), (Ids{3, 4}));
  QCOMPARE(end_tokens("random:nothing", nullptr), Ids());
}

void EndTokensTest::refuses() {
  const TempDir folder;
  for (const char* value : {"\"</s>\"", "[2, 1.5]", "[[2]]", "99999999999"}) {
    write_bytes(folder.file("generation_config.json"), std::string(R"({"eos_token_id": )") + value + "}");
    QCOMPARE(unlike(Fault::BadInput, "generation_config.json", [&] { end_tokens(folder.path().string(), nullptr); }),
             std::string());
  }
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<EndTokensTest>};
#include "end_tokens_test.moc"
