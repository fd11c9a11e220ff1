// SPDX-License-Identifier: GPL-3.0-or-later
// Byte-level BPE: merges against a slow reference, exact round trips, how texts are cut, added tokens, and what is
// refused by name.
#include <QTest>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/tokenizers/bpe_tokenizer.h"
#include "engine/tokenizers/tokenizer_json.h"
#include "engine/tokenizers/tokenizer_writer.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/random_text.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
namespace patterns = pretokenizer_patterns;
using Words = std::vector<std::string>;

namespace {

BpeDefinition demo_definition(const std::vector<std::string>& cut = {patterns::kDigit, patterns::kGpt2}) {
  BpeDefinition definition = read_tokenizer_json(demo_tokenizer(), "tokenizer.json");
  definition.patterns = cut;
  return definition;
}

Words cut(const std::vector<std::string>& cut_patterns, const std::string& text) {
  Words words;
  BpePretokenizer(cut_patterns, "test").split(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

/// Encodes by the definition of BPE: while some neighbours can merge, merge the best-ranked, leftmost pair.
std::vector<std::string> merge_slowly(const std::string& word,
                                      const std::map<std::pair<std::string, std::string>, int>& ranks) {
  std::vector<std::string> parts;
  for (const char byte : word) parts.push_back(byte_level_of_bytes({&byte, 1}));
  while (true) {
    int best = std::numeric_limits<int>::max();
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto rank = ranks.find({parts[i], parts[i + 1]});
      if (rank != ranks.end() && rank->second < best) best = rank->second, at = i;
    }
    if (best == std::numeric_limits<int>::max()) return parts;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
}

/// Two-letter words merge in many overlapping ways.
BpeDefinition tangled_definition(unsigned seed) {
  BpeDefinition definition;
  definition.where = "tangled";
  for (int byte = 0; byte < 256; ++byte)
    definition.tokens.push_back(byte_level_of_bytes(std::string(1, static_cast<char>(byte))));
  std::mt19937 random(seed);
  std::vector<std::string> pieces{"a", "b"};
  while (pieces.size() < 40) {
    const std::string left = pieces[random() % pieces.size()], right = pieces[random() % pieces.size()];
    if (left.size() + right.size() > 12) continue;
    if (std::find(pieces.begin(), pieces.end(), left + right) != pieces.end()) continue;
    pieces.push_back(left + right);
    definition.tokens.push_back(left + right);
    definition.merges.emplace_back(left, right);
  }
  definition.patterns = {R"([^ ]+)"};
  return definition;
}

}  // namespace

class BpeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void merges_as_defined();
  void gives_every_text_back();
  void words_joined_are_the_text();
  void cuts_as_gpt2();
  void cuts_digits();
  void cuts_as_llama3();
  void spaces_are_white_space();
  void both_spellings_of_merges_agree();
  void whole_words_can_skip_merging();
  void a_text_is_normalized_where_the_file_asks();
  void added_tokens_leftmost_longest();
  void special_tokens_only_on_request();
  void two_passes_of_added_tokens();
  void names_a_character_it_cannot_spell();
  void refuses_invalid_utf8_with_its_offset();
  void long_words_take_no_quadratic_time();
  void refuses_json_data();
  void refuses_json();
  void spells_ids_that_are_no_tokens();
  void byte_level_is_a_bijection();
};

void BpeTest::merges_as_defined() {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const BpeDefinition definition = tangled_definition(seed);
    std::map<std::pair<std::string, std::string>, int> ranks;
    for (const auto& merge : definition.merges) ranks.emplace(merge, static_cast<int>(ranks.size()));
    const BpeTokenizer tokenizer(definition);
    std::mt19937 random(seed);
    for (int i = 0; i < 100; ++i) {
      std::string word;
      for (std::size_t length = 1 + random() % 60; length > 0; --length) word += "ab"[random() % 2];
      Words ours;
      for (const std::int32_t id : tokenizer.encode(word, false)) ours.push_back(tokenizer.bytes(id));
      QCOMPARE(ours, merge_slowly(word, ranks));
    }
  }
}

void BpeTest::gives_every_text_back() {
  RandomText texts(1);
  for (const auto& cut_patterns :
       {Words{patterns::kDigit, patterns::kGpt2}, Words{patterns::kGpt2}, Words{patterns::kLlama3}, Words{}}) {
    BpeDefinition definition = demo_definition(cut_patterns);
    definition.ignore_merges = cut_patterns.size() == 1;
    const BpeTokenizer tokenizer(definition);
    for (int i = 0; i < 2000; ++i) {
      const std::string text = texts.next();
      QCOMPARE(tokenizer.decode(tokenizer.encode(text, false)), text);
      QCOMPARE(tokenizer.decode(tokenizer.encode(text, true)), text);
    }
  }
}

void BpeTest::words_joined_are_the_text() {
  RandomText texts(2);
  const std::vector<Words> kinds{{patterns::kDigit, patterns::kGpt2}, {patterns::kLlama3}, {"x*"}, {"(?=a)", R"(\b)"}};
  for (const Words& kind : kinds) {
    for (int i = 0; i < 500; ++i) {
      const std::string text = texts.next();
      std::string joined;
      for (const std::string& word : cut(kind, text)) {
        QVERIFY(!word.empty());
        joined += word;
      }
      QCOMPARE(joined, text);
    }
  }
}

void BpeTest::cuts_as_gpt2() {
  QCOMPARE(cut({patterns::kGpt2}, "It's  12 o'clock,\n\n she'LL say..."),
           (Words{"It", "'s", " ", " 12", " o", "'", "clock", ",", "\n\n", " she", "'", "LL", " say", "..."}));
}

void BpeTest::cuts_digits() {
  QCOMPARE(cut({patterns::kDigit, patterns::kGpt2}, "in 1812½ x"), (Words{"in", " ", "1", "8", "1", "2", "½", " x"}));
  QCOMPARE(cut({patterns::kDigits}, "in 1812½ x"), (Words{"in ", "1812½", " x"}));
}

void BpeTest::cuts_as_llama3() {
  QCOMPARE(cut({patterns::kLlama3}, "She'LL pay 12345 (really)!\r\n\n  ok \t"),
           (Words{"She", "'LL", " pay", " ", "123", "45", " (", "really", ")!\r\n\n", " ", " ok", " \t"}));
}

/// U+180E was a space until Unicode 6.3, and PCRE2's \s still takes it for one.
void BpeTest::spaces_are_white_space() {
  for (const char* space :
       {" ", "\t", "\u0085", "\u00A0", "\u1680", "\u2003", "\u2028", "\u202F", "\u205F", "\u3000"}) {
    QCOMPARE(cut({R"(\s)"}, std::string("a") + space + "b"), (Words{"a", space, "b"}));
    QCOMPARE(cut({R"([^\s]+)"}, std::string("a") + space + "b"), (Words{"a", space, "b"}));
    QCOMPARE(cut({R"(\S+)"}, std::string("a") + space + "b"), (Words{"a", space, "b"}));
  }
  for (const char* other : {"\u180E", "\u200B", "\u2060", "\uFEFF"}) {
    QCOMPARE(cut({R"(\s)"}, std::string("a") + other + "b"), (Words{std::string("a") + other + "b"}));
  }
}

void BpeTest::both_spellings_of_merges_agree() {
  json paired = demo_tokenizer();
  for (json& merge : paired["model"]["merges"]) {
    const auto text = merge.get<std::string>();
    merge = {text.substr(0, text.find(' ')), text.substr(text.find(' ') + 1)};
  }
  const BpeTokenizer one(demo_definition()), other(read_tokenizer_json(paired, "tokenizer.json"));
  const std::string text = read_bytes(demo_folder() / "text.txt");
  QCOMPARE(one.encode(text, false), other.encode(text, false));
}

void BpeTest::whole_words_can_skip_merging() {
  BpeDefinition definition = tangled_definition(0);
  definition.tokens.push_back("abba");  // no merges lead to it
  definition.merges.clear();
  const auto whole = static_cast<std::int32_t>(definition.tokens.size() - 1);
  QCOMPARE(BpeTokenizer(definition).encode("abba", false).size(), std::size_t{4});
  definition.ignore_merges = true;
  const BpeTokenizer tokenizer(definition);
  QCOMPARE(tokenizer.encode("abba", false), std::vector<std::int32_t>{whole});
  QCOMPARE(tokenizer.encode("abbab", false).size(), std::size_t{5});
}

/// Qwen's tokenizer.json asks for it. Special tokens are found in the text as it is.
void BpeTest::a_text_is_normalized_where_the_file_asks() {
  json file = demo_tokenizer();
  const BpeTokenizer plain(read_tokenizer_json(file, "tokenizer.json"));
  const std::string apart =
                        "ide\xCC\x81"
                        "e<|end|>o\xCC\x88",
                    together =
                        "id\xC3\xA9"
                        "e<|end|>\xC3\xB6";
  QVERIFY(plain.encode(apart, true) != plain.encode(together, true));
  for (const json& normalizer :
       {json{{"type", "NFC"}}, json{{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}}}}}) {
    file["normalizer"] = normalizer;
    const BpeTokenizer tokenizer(read_tokenizer_json(file, "tokenizer.json"));
    QCOMPARE(tokenizer.encode(apart, true), plain.encode(together, true));
    QCOMPARE(tokenizer.decode(tokenizer.encode(apart, true)), together);
  }
  const BpeDefinition definition = read_tokenizer_json(file, "tokenizer.json");
  QVERIFY(read_tokenizer_json(json(tokenizer_json_of(definition, false)), "written").nfc);
}

void BpeTest::added_tokens_leftmost_longest() {
  BpeDefinition definition = demo_definition();
  definition.added = {{"harb", 600, false, false}, {"harbour", 601, false, false}, {"ourly", 602, false, false}};
  const BpeTokenizer tokenizer(definition);
  const auto has = [&](const std::string& text, std::int32_t id) {
    const auto ids = tokenizer.encode(text, false);
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  QVERIFY(has("a harbour", 601) && !has("a harbour", 600));
  QVERIFY(has("harbourly", 601) && !has("harbourly", 602));
  QVERIFY(has("harbly", 600) && has("hourly", 602));
  QCOMPARE(tokenizer.vocabulary(), std::int64_t{603});
  QCOMPARE(tokenizer.bytes(601), std::string("harbour"));
}

void BpeTest::special_tokens_only_on_request() {
  const BpeTokenizer tokenizer(demo_definition());
  const std::string text = "<|begin|>Once<|end|>";
  const auto plain = tokenizer.encode(text, false), parsed = tokenizer.encode(text, true);
  QCOMPARE(parsed.front(), 510);
  QCOMPARE(parsed.back(), 511);
  for (const std::int32_t id : plain) QVERIFY(id < 510);
  QCOMPARE(tokenizer.decode(plain), text);
  QCOMPARE(tokenizer.decode(parsed), text);
}

/// The `tokenizers` library looks for tokens that are not normalized first, wherever they stand.
void BpeTest::two_passes_of_added_tokens() {
  BpeDefinition definition = demo_definition();
  definition.added = {{"abc", 600, false, true}, {"cd", 601, false, false}};
  const auto ids = BpeTokenizer(definition).encode("abcd", false);
  QCOMPARE(ids.back(), 601);
  QVERIFY(std::find(ids.begin(), ids.end(), 600) == ids.end());
}

void BpeTest::names_a_character_it_cannot_spell() {
  BpeDefinition definition = demo_definition();
  definition.tokens[static_cast<std::size_t>(
      std::find(definition.tokens.begin(), definition.tokens.end(), byte_level_of_bytes("\x04")) -
      definition.tokens.begin())] = "";
  const BpeTokenizer tokenizer(definition);
  QCOMPARE(unlike(Fault::BadInput, "byte 7 ", [&] { tokenizer.encode("Before \x04 after", false); }), std::string());
  QCOMPARE(tokenizer.decode(tokenizer.encode("Before \x05 after", false)), std::string("Before \x05 after"));
}

void BpeTest::refuses_invalid_utf8_with_its_offset() {
  const BpeTokenizer tokenizer(demo_definition());
  QCOMPARE(unlike(Fault::BadInput, "at byte 4", [&] { tokenizer.encode("abcd\xFFxyz", false); }), std::string());
}

/// A million letters without a space are one word; a quadratic merge would outlast the test's time limit.
void BpeTest::long_words_take_no_quadratic_time() {
  const BpeTokenizer tokenizer(tangled_definition(3));
  std::mt19937 random(3);
  std::string word(1 << 20, 'a');
  for (char& letter : word) letter = "ab"[random() % 2];
  QCOMPARE(tokenizer.decode(tokenizer.encode(word, false)), word);
  const BpeTokenizer llama(demo_definition({patterns::kLlama3}));
  const std::string spaces = std::string(1 << 20, ' ') + "x" + std::string(1 << 20, '\n');
  QCOMPARE(llama.decode(llama.encode(spaces, false)), spaces);
}

void BpeTest::refuses_json_data() {
  QTest::addColumn<QByteArray>("patch");
  QTest::addColumn<QByteArray>("named");
  const auto row = [](const char* name, const char* patch, const char* named) {
    QTest::newRow(name) << QByteArray(patch) << QByteArray(named);
  };
  row("NFKC", R"({"normalizer": {"type": "NFKC"}})", "NFKC");
  row("NFC and more", R"({"normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Strip"}]}})",
      "Sequence");
  row("WordPiece", R"({"model": {"type": "WordPiece"}})", "WordPiece");
  row("Unigram", R"({"model": {"type": "Unigram"}})", "Unigram");
  row("byte fallback", R"({"model": {"byte_fallback": true}})", "byte_fallback");
  row("dropout", R"({"model": {"dropout": 0.1}})", "dropout");
  row("suffix", R"({"model": {"end_of_word_suffix": "</w>"}})", "end_of_word_suffix");
  row("no vocabulary", R"({"model": {"vocab": null}})", "vocab");
  row("huge id", R"({"model": {"vocab": {"a": 2147483647}}})", "no id in range");
  row("id twice", R"({"model": {"vocab": {"zz": 3}}})", "id 3");
  row("broken merge", R"({"model": {"merges": ["abc"]}})", "merge 0");
  row("merge of three", R"({"model": {"merges": [["a", "b", "c"]]}})", "merge 0");
  row("unknown merge", R"({"model": {"merges": [["q", "x"]]}})", "not a token");
  row("Metaspace", R"({"pre_tokenizer": {"type": "Metaspace", "pretokenizers": null}})", "Metaspace");
  row("none", R"({"pre_tokenizer": null})", "pre_tokenizer");
  row("prefix space", R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true}})", "add_prefix_space");
  row("removed", R"x({"pre_tokenizer": {"type": "Split", "behavior": "Removed", "pattern": {"Regex": "a"}}})x",
      "Removed");
  row("merged", R"x({"pre_tokenizer": {"type": "Split", "behavior": "MergedWithNext", "pattern": {"Regex": "a"}}})x",
      "MergedWithNext");
  row("inverted",
      R"x({"pre_tokenizer": {"type": "Split", "behavior": "Isolated", "invert": true, "pattern": {"Regex": "a"}}})x",
      "invert");
  row("plain pattern", R"x({"pre_tokenizer": {"type": "Split", "behavior": "Isolated", "pattern": {"String": "a"}}})x",
      "Regex");
  row("Punctuation", R"({"pre_tokenizer": {"type": "Punctuation"}})", "Punctuation");
  row("broken regex",
      R"x({"pre_tokenizer": {"type": "Sequence", "pretokenizers": [
          {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "(a"}},
          {"type": "ByteLevel", "add_prefix_space": false}]}})x",
      "pattern '(a'");
  row("two spellings", R"({"added_tokens": [{"id": 65, "content": "<m>"}]})", "id 65");
  row("spelled as bytes", R"({"added_tokens": [{"id": 222, "content": "Ğ"}]})", "id 222");
}

void BpeTest::refuses_json() {
  QFETCH(QByteArray, patch);
  QFETCH(QByteArray, named);
  json tokenizer = demo_tokenizer();
  tokenizer.merge_patch(json::parse(patch.toStdString()));
  const auto error = error_of([&] { BpeTokenizer(read_tokenizer_json(tokenizer, "dir/tokenizer.json")); });
  QVERIFY(error.has_value());
  const std::string what = error->what();
  QVERIFY2(what.find(named.toStdString()) != std::string::npos, what.c_str());
  QVERIFY2(what.find("dir/tokenizer.json") != std::string::npos, what.c_str());
  QVERIFY(!error->advice().empty());
}

/// A model has more rows than its tokenizer has tokens, or the vocabulary has gaps: the text says so and continues.
void BpeTest::spells_ids_that_are_no_tokens() {
  BpeDefinition definition = demo_definition();
  const BpeTokenizer whole(definition);
  definition.tokens.resize(600);  // 512 to 598 are gaps
  definition.added.push_back({.text = "<|last|>", .id = 599, .special = true});
  const BpeTokenizer tokenizer(definition);
  QCOMPARE(whole.bytes(512), std::string("⟨id 512⟩"));
  QCOMPARE(tokenizer.bytes(512), std::string("⟨id 512⟩"));
  QCOMPARE(tokenizer.bytes(599), std::string("<|last|>"));
  QCOMPARE(tokenizer.bytes(2'147'483'647), std::string("⟨id 2147483647⟩"));
  const std::vector<std::int32_t> ids = {-1, 599, 49152};
  QCOMPARE(tokenizer.decode(ids), std::string("⟨id -1⟩<|last|>⟨id 49152⟩"));
}

void BpeTest::byte_level_is_a_bijection() {
  std::map<std::string, int> seen;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bytes(1, static_cast<char>(byte)), spelled = byte_level_of_bytes(bytes);
    QVERIFY(seen.emplace(spelled, byte).second);
    QCOMPARE(bytes_of_byte_level(spelled), std::optional(bytes));
  }
  QCOMPARE(byte_level_of_bytes(" a\n"), std::string("ĠaĊ"));
  QVERIFY(!bytes_of_byte_level("a b") && !bytes_of_byte_level("日"));
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<BpeTest>};
#include "bpe_test.moc"
