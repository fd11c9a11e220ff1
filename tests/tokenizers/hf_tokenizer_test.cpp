// SPDX-License-Identifier: GPL-3.0-or-later
// Vocabularies made from a folder's files: their ids are those that transformers 5.24 gives for the same files.
#include "engine/tokenizers/hf_tokenizer.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/tokenizers/merged_pieces.h"
#include "engine/tokenizers/sentencepiece_proto.h"
#include "engine/tokenizers/token_checks.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;
using Ids = std::vector<std::int32_t>;

namespace {

constexpr std::int32_t kPieces = 319;  // of SmallPieces

json token(const char* content, bool special, const char* flag = "lstrip", bool value = false) {
  json made{{"content", content}, {"special", special},   {"lstrip", false},
            {"rstrip", false},    {"single_word", false}, {"normalized", !special}};
  made[flag] = value;
  return made;
}

HfTokenizerFiles with_model(const json& tokenizer_config) {
  HfTokenizerFiles files;
  files.folder = "folder";
  files.config = {{"model_type", "llama"}};
  files.tokenizer_config = tokenizer_config;
  files.sentencepiece = make_sentencepiece({});
  return files;
}

json llama(const json& more) {
  json config{
      {"tokenizer_class", "LlamaTokenizer"}, {"bos_token", "<s>"}, {"eos_token", "</s>"}, {"unk_token", "<unk>"}};
  config.update(more);
  return config;
}

/// The pieces of SmallPieces as a tokenizer.json.
json piece_json(const json& normalizer, const json& pre_tokenizer) {
  const std::string model = make_sentencepiece({});
  const SentencePieceFacts facts = inspect_sentencepiece(model, "model");
  json vocabulary = json::object(), merges = json::array();
  for (std::size_t id = 0; id < facts.pieces.size(); ++id) vocabulary[facts.pieces[id].text] = id;
  for (const auto& [left, right] : generated_merges(facts.pieces)) merges.push_back({left, right});
  json special = token("<s>", true), normal = token("<n>", false);
  special["id"] = 1;
  normal["id"] = kPieces;
  return {{"added_tokens", {special, normal}},
          {"normalizer", normalizer},
          {"pre_tokenizer", pre_tokenizer},
          {"model", {{"type", "BPE"}, {"byte_fallback", true}, {"vocab", vocabulary}, {"merges", merges}}}};
}

json metaspace(const char* scheme, bool split = false) {
  return {{"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", scheme}, {"split", split}};
}

json prepend() {
  const json put{{"type", "Prepend"}, {"prepend", "▁"}};
  const json replace{{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  return {{"type", "Sequence"}, {"normalizers", {put, replace}}};
}

struct Expected {
  const char* text;
  Ids ids;
};

std::string unlike_expected(const HfTokenizerFiles& files, const std::vector<Expected>& expected) {
  const auto tokenizer = make_hf_tokenizer(files);
  for (const auto& [text, ids] : expected) {
    const Ids found = tokenizer->encode(text, true);
    if (found != ids) return std::string(text) + " gives " + json(found).dump();
  }
  return "";
}

}  // namespace

class HfTokenizerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_model_alone_is_sentencepieces();
  void legacy_and_add_prefix_space();
  void code_llama();
  void added_tokens_of_each_file();
  void the_last_mention_of_an_unlisted_token_counts();
  void a_list_that_numbers_otherwise_is_said();
  void metaspace_and_prepend();
  void doubled_marks();
  void gemmas_cut_at_blanks();
  void tokenizer_json_decides_over_the_model();
  void the_end_token_is_the_files();
  void strips_and_words();
  void finds_where_tokens_end();
  void names_a_token_without_a_row();
  void refuses();
};

void HfTokenizerTest::a_model_alone_is_sentencepieces() {
  QCOMPARE(unlike_expected(with_model(json()), {{"the", {261}},
                                                {" the", {309, 261}},
                                                {"  the", {264, 261}},
                                                {"the▁the", {261, 261}},
                                                {"<s>the", {1, 261}},
                                                {"<s> the", {1, 309, 261}},
                                                {"a</s> b", {263, 2, 264, 284}}}),
           "");
}

void HfTokenizerTest::legacy_and_add_prefix_space() {
  const std::vector<Expected> first{{"the", {261}},
                                    {" the", {261}},
                                    {"  the", {309, 261}},
                                    {"the▁the", {261, 261}},
                                    {"<s>the", {1, 302, 260}},
                                    {"<s> the", {1, 261}},
                                    {"a</s> b", {263, 2, 309, 284}}};
  for (const json& config : {llama({{"legacy", false}}), llama(json::object()), llama({{"legacy", nullptr}}),
                             json{{"tokenizer_class", "LlamaTokenizerFast"}}})
    QCOMPARE(unlike_expected(with_model(config), first), "");
  QCOMPARE(unlike_expected(with_model(llama({{"legacy", true}})), {{"the", {261}},
                                                                   {" the", {261}},
                                                                   {"<s>the", {1, 261}},
                                                                   {"<s> the", {1, 261}},
                                                                   {"a</s> b", {263, 2, 309, 284}}}),
           "");
  for (const bool legacy : {false, true})
    QCOMPARE(unlike_expected(with_model(llama({{"add_prefix_space", false}, {"legacy", legacy}})),
                             {{"the", {302, 260}},
                              {" the", {261}},
                              {"  the", {309, 261}},
                              {"the▁the", {302, 260, 261}},
                              {"<s>the", {1, 302, 260}},
                              {"a</s> b", {283, 2, 309, 284}}}),
             "");
  // transformers makes no LlamaTokenizer of a Mistral model.
  HfTokenizerFiles mistral = with_model(llama(json::object()));
  mistral.config["model_type"] = "mistral";
  QCOMPARE(unlike_expected(mistral, {{" the", {309, 261}}, {"<s>the", {1, 261}}}), "");
}

void HfTokenizerTest::code_llama() {
  const json config{{"tokenizer_class", "CodeLlamaTokenizer"}, {"legacy", true}};
  HfTokenizerFiles files = with_model(config);
  const std::vector<Expected> expected{{" the", {261}},
                                       {"<s>the", {1, 302, 260}},
                                       {"▁<PRE>the▁<MID>", {kPieces, 302, 260, kPieces + 1}},
                                       {"a<FILL_ME>b", {263, kPieces + 4, 284}}};
  QCOMPARE(unlike_expected(files, expected), "");
  files.tokenizer_config["prefix_token"] = nullptr;
  QCOMPARE(unlike_expected(files, {{"a<FILL_ME>b", {263, kPieces + 3, 284}}}), "");
  files.tokenizer = piece_json(prepend(), nullptr);
  QCOMPARE(unlike_expected(files, {{" the", {261}}, {"<s>the", {1, 302, 260}}}), "");
}

void HfTokenizerTest::added_tokens_of_each_file() {
  const char* const chat = "<|im_start|>the<|im_end|>\nin";
  const Ids with_tokens{319, 302, 260, 320, 13, 262};
  const json listed{{"319", token("<|im_start|>", true)},
                    {"320", token("<|im_end|>", true)},
                    {"321", token("<l>", true, "lstrip", true)},
                    {"322", token("<r>", false, "rstrip", true)},
                    {"323", token("[w]", false, "single_word", true)}};
  QCOMPARE(unlike_expected(with_model(llama({{"added_tokens_decoder", listed}})),
                           {{chat, with_tokens},
                            {"a <l> b", {263, 321, 309, 284}},
                            {"a<r>  b", {263, 322, 284}},
                            {"a[w]b a [w] b", {263, 94, 305, 96, 284, 263, 309, 323, 309, 284}}}),
           "");
  HfTokenizerFiles older = with_model(llama(json::object()));
  older.added_tokens = {{"<|im_start|>", 319}, {"<|im_end|>", 320}};
  QCOMPARE(unlike_expected(older, {{chat, with_tokens}}), "");
  HfTokenizerFiles map = with_model(json());
  map.special_tokens_map = {{"eos_token", token("<|im_end|>", true, "lstrip", true)}};
  QCOMPARE(unlike_expected(map, {{"the<|im_end|>\nin", {261, 319, 309, 13, 262}}}), "");
  // Without special tokens asked for, only those that are not special are found.
  const auto tokenizer = make_hf_tokenizer(with_model(llama({{"added_tokens_decoder", listed}})));
  QCOMPARE(tokenizer->encode("a<r>  b", false), (Ids{263, 322, 284}));
  QVERIFY(tokenizer->encode(chat, false).size() > with_tokens.size());
}

void HfTokenizerTest::the_last_mention_of_an_unlisted_token_counts() {
  const json begin = token("<s>", true, "lstrip", true);
  // The pieces of a tokenizer.model are mentioned behind the names.
  HfTokenizerFiles files = with_model({{"bos_token", begin}});
  QCOMPARE(unlike_expected(files, {{"a <s>the", {263, 309, 1, 261}}}), "");
  files = with_model({{"bos_token", begin}, {"added_tokens_decoder", {{"1", begin}}}});
  QCOMPARE(unlike_expected(files, {{"a <s>the", {263, 1, 261}}}), "");
  files = with_model(llama({{"eos_token", "<e>"}, {"pad_token", token("<e>", true, "single_word", true)}}));
  QCOMPARE(unlike_expected(files, {{"a <e>", {263, 309, kPieces}}, {"a<e>", {263, 63, 287, 65}}}), "");
}

void HfTokenizerTest::a_list_that_numbers_otherwise_is_said() {
  const json listed{{"400", token("<far>", true)}};
  const auto tokenizer = make_hf_tokenizer(with_model(llama({{"added_tokens_decoder", listed}})));
  QCOMPARE(tokenizer->encode("<far>", true), (Ids{kPieces}));
  QCOMPARE(tokenizer->notes().size(), std::size_t{1});
  QVERIFY(QString::fromStdString(tokenizer->notes().front()).contains("'<far>' the id 400"));
}

void HfTokenizerTest::metaspace_and_prepend() {
  HfTokenizerFiles files;
  files.folder = "folder";
  const auto check = [&](const json& normalizer, const json& pre_tokenizer, const std::vector<Expected>& expected) {
    files.tokenizer = piece_json(normalizer, pre_tokenizer);
    return unlike_expected(files, expected);
  };
  const Expected blank{"<n> b", {319, 309, 284}}, across{"s the", {277, 261}};
  QCOMPARE(
      check(nullptr, metaspace("first"),
            {{"the", {261}}, {" the", {261}}, {"<s>the", {1, 302, 260}}, {"a<n>b", {263, 319, 284}}, blank, across}),
      "");
  for (const bool split : {false, true})
    QCOMPARE(
        check(nullptr, metaspace("always", split),
              {{"the", {261}}, {" the", {261}}, {"<s>the", {1, 261}}, {"a<n>b", {263, 319, 309, 284}}, blank, across}),
        "");
  QCOMPARE(check(nullptr, metaspace("never"),
                 {{"the", {302, 260}}, {" the", {261}}, {"a<n>b", {283, 319, 284}}, blank, {"s the", {301, 261}}}),
           "");
  // The normaliser makes "▁<n>" of the token's spelling, so it is not found inside a word.
  QCOMPARE(check(prepend(), nullptr,
                 {{"the", {261}},
                  {" the", {309, 261}},
                  {"  the", {264, 261}},
                  {"<s> the", {1, 309, 261}},
                  {"a<n>b", {263, 63, 296, 65, 284}},
                  blank,
                  across}),
           "");
}

/// As transformers writes SentencePiece's own prefix: the normaliser sees a stretch before it is cut at added tokens.
void HfTokenizerTest::doubled_marks() {
  const json replace{{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  const json twice{{"type", "Replace"}, {"pattern", {{"Regex", "\\A▁"}}}, {"content", "▁▁"}};
  HfTokenizerFiles files;
  files.folder = "folder";
  files.tokenizer = piece_json({{"type", "Sequence"}, {"normalizers", {replace, twice}}}, metaspace("always"));
  QCOMPARE(unlike_expected(files, {{"the", {261}},
                                   {" the", {309, 261}},
                                   {"<s> the", {1, 309, 261}},
                                   {"the<n> the", {261, kPieces, 261}},
                                   {" <n>the", {264, kPieces, 261}}}),
           "");
}

/// Gemma's files replace blanks, cut at the blanks of which none is left, and put none in front.
void HfTokenizerTest::gemmas_cut_at_blanks() {
  const json replace{{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  json cut{{"type", "Split"}, {"pattern", {{"String", " "}}}, {"behavior", "MergedWithPrevious"}, {"invert", false}};
  HfTokenizerFiles files;
  files.folder = "folder";
  files.tokenizer = piece_json(replace, cut);
  QCOMPARE(unlike_expected(files, {{"the", {302, 260}},
                                   {" the", {261}},
                                   {"s the", {301, 261}},
                                   {"  the", {309, 261}},
                                   {"<s>the", {1, 302, 260}},
                                   {"a<n>b", {283, 319, 284}}}),
           "");
  const auto refused = [&] { make_hf_tokenizer(files); };
  files.tokenizer = piece_json(nullptr, cut);
  QCOMPARE(unlike(Fault::Unsupported, "Split", refused), "");
  cut["pattern"] = {{"Regex", "a"}};
  files.tokenizer = piece_json(replace, cut);
  QCOMPARE(unlike(Fault::Unsupported, "Split", refused), "");
}

void HfTokenizerTest::tokenizer_json_decides_over_the_model() {
  HfTokenizerFiles files = with_model(json());
  files.tokenizer = piece_json(nullptr, metaspace("never"));
  QCOMPARE(unlike_expected(files, {{"the", {302, 260}}}), "");
  files.tokenizer_config = llama(json::object());  // of which LlamaTokenizer takes vocabulary and merges alone
  QCOMPARE(unlike_expected(files, {{"the", {261}}, {"a<n>b", {263, 319, 284}}}), "");
}

void HfTokenizerTest::the_end_token_is_the_files() {
  const json listed{{"319", token("<|im_start|>", true)}, {"320", token("<|im_end|>", true)}};
  const auto chat =
      make_hf_tokenizer(with_model(llama({{"eos_token", "<|im_end|>"}, {"added_tokens_decoder", listed}})));
  QCOMPARE(chat->eos(), std::optional(320));
  QCOMPARE(chat->bos(), std::optional(1));
  QCOMPARE(chat->bytes(320), std::string("<|im_end|>"));
  QCOMPARE(make_hf_tokenizer(with_model(json()))->eos(), std::optional(2));
}

void HfTokenizerTest::strips_and_words() {
  const json listed{{"319", token("<l>", true, "lstrip", true)},
                    {"320", token("<r>", true, "rstrip", true)},
                    {"321", token("[w]", true, "single_word", true)}};
  const auto tokenizer = make_hf_tokenizer(with_model(llama({{"added_tokens_decoder", listed}})));
  const auto decoded = [&](const char* text) { return tokenizer->decode(tokenizer->encode(text, true)); };
  QCOMPARE(decoded("a \u3000\n<l> b"), std::string("a<l> b"));
  QCOMPARE(decoded("a <r>\t\u00a0 b"), std::string("a <r>b"));
  for (const char* text : {"é[w]", "[w]7", "_[w]", "[w]\u0301"}) QVERIFY(tokenizer->encode(text, true).back() != 321);
  for (const char* text : {"a [w]", "[w].", "(([w]", "[w]"}) {
    const Ids ids = tokenizer->encode(text, true);
    QVERIFY(std::ranges::find(ids, 321) != ids.end());
  }
}

/// Ends in bytes of the text, also where a space was put in front, taken away or spelled with U+2581.
void HfTokenizerTest::finds_where_tokens_end() {
  const json listed{{"319", token("<l>", true, "lstrip", true)}};
  const auto tokenizer = make_hf_tokenizer(with_model(llama({{"added_tokens_decoder", listed}})));
  const auto ends = [&](const std::string& text) {
    return token_ends(tokenizer->encode(text, true), text, *tokenizer);
  };
  using Ends = std::vector<std::size_t>;
  QCOMPARE(ends("the the"), (Ends{3, 7}));
  QCOMPARE(ends(" the▁the"), (Ends{4, 10}));
  QCOMPARE(ends("a  <l> b"), (Ends{1, 6, 7, 8}));
  const auto plain = make_hf_tokenizer(with_model(json()));
  QCOMPARE(token_ends(plain->encode(" the", false), " the", *plain), (Ends{0, 4}));
  QCOMPARE(token_ends(std::vector<std::int32_t>{1, 261}, "the", *plain), (Ends{0, 3}));  // BOS lies nowhere
}

void HfTokenizerTest::names_a_token_without_a_row() {
  const json listed{{"319", token("<|im_start|>", true)}};
  const auto tokenizer = make_hf_tokenizer(with_model(llama({{"added_tokens_decoder", listed}})));
  const Ids ids = tokenizer->encode("the<|im_start|>", true);
  require_rows(ids, 320, *tokenizer);
  const auto refuse = [&] { require_rows(ids, kPieces, *tokenizer); };
  QCOMPARE(unlike(Fault::BadInput, "'<|im_start|>' with id 319", refuse), std::string());
  QCOMPARE(unlike(Fault::BadInput, "has 319 rows (ids 0 to 318)", refuse), std::string());
}

void HfTokenizerTest::refuses() {
  const auto refusal = [](Fault fault, const char* part, const HfTokenizerFiles& files) {
    return unlike(fault, part, [&] { make_hf_tokenizer(files); });
  };
  HfTokenizerFiles files = with_model(llama({{"added_tokens_decoder", {{"x", token("<a>", true)}}}}));
  QCOMPARE(refusal(Fault::BadInput, "added_tokens_decoder", files), std::string());
  files = with_model(llama({{"added_tokens_decoder", {{"319", {{"content", ""}}}}}}));
  QCOMPARE(refusal(Fault::BadInput, "empty", files), std::string());
  files = with_model(llama({{"legacy", "yes"}}));
  QCOMPARE(refusal(Fault::BadInput, "legacy", files), std::string());
  files = with_model(llama(json::object()));
  files.added_tokens = {{"<a>", -1}};
  QCOMPARE(refusal(Fault::BadInput, "added_tokens.json", files), std::string());
  HfTokenizerFiles none;
  none.folder = "folder";
  QCOMPARE(refusal(Fault::BadInput, "tokenizer.model", none), std::string());
  none.tokenizer = piece_json({{"type", "NFC"}}, metaspace("first"));
  QCOMPARE(refusal(Fault::Unsupported, "NFC", none), std::string());
  none.tokenizer = piece_json(nullptr, nullptr);
  QCOMPARE(refusal(Fault::Unsupported, "U+2581", none), std::string());
  none.tokenizer = piece_json(nullptr, {{"type", "Digits"}, {"individual_digits", true}});
  QCOMPARE(refusal(Fault::Unsupported, "Digits", none), std::string());
  none.tokenizer = piece_json(nullptr, metaspace("first"));
  none.tokenizer["model"]["merges"].push_back(json::array({"t", "zz"}));
  QCOMPARE(refusal(Fault::BadInput, "zz", none), std::string());
  none.tokenizer = piece_json(nullptr, metaspace("first"));
  none.tokenizer["model"]["vocab"].erase("<0x41>");
  QCOMPARE(refusal(Fault::Unsupported, "byte 65", none), std::string());
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HfTokenizerTest>};
#include "hf_tokenizer_test.moc"
