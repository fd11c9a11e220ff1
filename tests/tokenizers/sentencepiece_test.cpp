// SPDX-License-Identifier: GPL-3.0-or-later
// SentencePiece models of LLaMA's kind: exact round trips, merges against a slow reference, and models that are refused
// because they change the text.
#include <QTest>
#include <algorithm>
#include <limits>
#include <map>

#include "engine/tokenizers/sentencepiece_tokenizer.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/random_text.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

const std::string kMark = "\u2581";

std::shared_ptr<const Tokenizer> load_small(bool dummy_prefix = true, const SmallPieces& pieces = {}) {
  return SentencePieceTokenizer::load(make_sentencepiece(pieces, dummy_prefix), "tokenizer.model");
}

/// Encodes by the definition of byte-pair SentencePiece, for a text without U+2581, which is a space to it: begins with
/// characters; joins the pair whose joint piece has the best score, leftmost of equals, until none is a piece; writes
/// unknown characters by their bytes.
std::vector<std::int32_t> encode_slowly(const std::string& text, const SmallPieces& pieces) {
  std::map<std::string, std::int32_t> ids;
  for (std::size_t i = 0; i < pieces.text.size(); ++i) {
    if (pieces.kind[i] == 1) ids[pieces.text[i]] = static_cast<std::int32_t>(i);
  }
  std::vector<std::string> parts;
  std::string input(text.empty() ? 0 : 1, ' ');
  input += text;
  for (std::size_t at = 0; at < input.size();) {
    std::size_t length = 1;
    while (at + length < input.size() && (input[at + length] & 0xC0) == 0x80) ++length;
    parts.push_back(input[at] == ' ' ? kMark : input.substr(at, length));
    at += length;
  }
  while (true) {
    float best = -std::numeric_limits<float>::infinity();
    std::size_t at = parts.size();
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto id = ids.find(parts[i] + parts[i + 1]);
      if (id == ids.end() || pieces.score[static_cast<std::size_t>(id->second)] <= best) continue;
      best = pieces.score[static_cast<std::size_t>(id->second)];
      at = i;
    }
    if (at == parts.size()) break;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  std::vector<std::int32_t> out;
  for (const std::string& part : parts) {
    const auto id = ids.find(part);
    if (id != ids.end()) {
      out.push_back(id->second);
    } else {
      for (const char byte : part) out.push_back(3 + static_cast<unsigned char>(byte));
    }
  }
  return out;
}

/// The small model with one more field in a part of it, as protobuf merges messages that occur twice.
std::string patched(std::uint32_t part, const WireWriter& field) {
  WireWriter more;
  more.bytes(part, field.message());
  return make_sentencepiece({}) + more.message();
}

constexpr std::uint32_t kTrainer = 2, kNormalizer = 3, kSelfTest = 4;

}  // namespace

class SentencePieceTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void gives_every_text_back();
  void gives_awkward_texts_back_data();
  void gives_awkward_texts_back();
  void merges_as_defined();
  void merges_across_spaces();
  void a_mark_is_a_space();
  void control_pieces_only_on_request();
  void user_defined_pieces_come_back();
  void a_gguf_of_gemmas_kind_is_read();
  void unigram_models_come_back();
  void ignores_the_self_test();
  void refuses_data();
  void refuses();
  void refuses_incomplete_vocabularies();
  void knows_its_special_pieces();
};

void SentencePieceTest::gives_every_text_back() {
  RandomText texts(1);
  for (const bool prefix : {true, false}) {
    const auto tokenizer = load_small(prefix);
    for (int i = 0; i < 3000; ++i) {
      const std::string text = texts.next();
      QCOMPARE(tokenizer->decode(tokenizer->encode(text)), marks_as_spaces(text));
      QCOMPARE(tokenizer->decode(tokenizer->encode(text, true)), marks_as_spaces(text));
    }
  }
}

void SentencePieceTest::gives_awkward_texts_back_data() {
  QTest::addColumn<QByteArray>("text");
  const std::vector<std::string> texts{"",
                                       " ",
                                       "  ",
                                       "     ",
                                       " a",
                                       "a ",
                                       "  a  b  ",
                                       "\n",
                                       "\t\t",
                                       "\r\n \r\n",
                                       std::string(1, '\0'),
                                       std::string("a\0b", 3),
                                       "\x01\x7F",
                                       "\u2581",
                                       "\u2581\u2581a",
                                       "a\u2581",
                                       " \u2581 ",
                                       "<s>",
                                       "<s> a",
                                       " <s>",
                                       "</s>",
                                       "<0x41>",
                                       "<unk>",
                                       " \u2047 ",
                                       "\uFFFD",
                                       "\U0010FFFF",
                                       "\u0301",
                                       "\uFEFFx"};
  for (const std::string& text : texts) {
    QTest::newRow(QByteArray::fromStdString(text).toPercentEncoding().constData()) << QByteArray::fromStdString(text);
  }
}

void SentencePieceTest::gives_awkward_texts_back() {
  QFETCH(QByteArray, text);
  for (const bool prefix : {true, false}) {
    const auto tokenizer = load_small(prefix);
    for (const bool parse_special : {true, false}) {
      const auto ids = tokenizer->encode(text.toStdString(), parse_special);
      QCOMPARE(tokenizer->decode(ids), marks_as_spaces(text.toStdString()));
      QCOMPARE(ids.empty(), text.isEmpty());
    }
  }
}

void SentencePieceTest::merges_as_defined() {
  const SmallPieces pieces;
  const auto tokenizer = load_small(true, pieces);
  RandomText texts(2);
  for (int i = 0; i < 2000; ++i) {
    const std::string text = marks_as_spaces(texts.next());
    QCOMPARE(tokenizer->encode(text), encode_slowly(text, pieces));
  }
}

/// "s▁t" is a piece, so words may not be encoded apart where an s ends the first and a t begins the second.
void SentencePieceTest::merges_across_spaces() {
  const SmallPieces pieces;
  const auto tokenizer = load_small(true, pieces);
  int across = 0;
  std::mt19937 random(4);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (int length = 0; length < 24; ++length) text += "st hea"[random() % 6];
    const auto ids = tokenizer->encode(text);
    QCOMPARE(ids, encode_slowly(text, pieces));
    for (const std::int32_t id : ids) across += tokenizer->bytes(id) == "s t" ? 1 : 0;
  }
  QVERIFY(across > 100);
}

void SentencePieceTest::a_mark_is_a_space() {
  const auto tokenizer = load_small();
  const std::vector<std::int32_t> twice{261, 261};
  QCOMPARE(tokenizer->encode("the\u2581the"), twice);
  QCOMPARE(tokenizer->encode("the the"), twice);
  QCOMPARE(tokenizer->decode(twice), std::string("the the"));
}

void SentencePieceTest::control_pieces_only_on_request() {
  const auto tokenizer = load_small();
  const std::string text = "<s>the harbour</s>";
  const auto parsed = tokenizer->encode(text, true), plain = tokenizer->encode(text);
  QCOMPARE(parsed.front(), 1);
  QCOMPARE(parsed.back(), 2);
  for (const std::int32_t id : plain) QVERIFY(id > 2);
  QCOMPARE(tokenizer->decode(parsed), text);
  QCOMPARE(tokenizer->bytes(1), std::string("<s>"));
}

void SentencePieceTest::user_defined_pieces_come_back() {
  SmallPieces pieces;
  pieces.add("[INST]", 0, 4);
  pieces.add("▁▁▁▁▁▁▁", 0, 4);
  const auto tokenizer = load_small(true, pieces);
  const auto inst = static_cast<std::int32_t>(pieces.text.size() - 2);
  const auto ids = tokenizer->encode("a[INST]b");
  QVERIFY(std::find(ids.begin(), ids.end(), inst) != ids.end());
  RandomText texts(5);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = texts.next() + "[INST]" + std::string(texts.below(20), ' ') + texts.next();
    QCOMPARE(tokenizer->decode(tokenizer->encode(text)), marks_as_spaces(text));
  }
}

void SentencePieceTest::unigram_models_come_back() {
  WireWriter unigram;
  unigram.varint(3, 1);
  const auto tokenizer = SentencePieceTokenizer::load(patched(kTrainer, unigram), "tokenizer.model");
  RandomText texts(6);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = texts.next();
    QCOMPARE(tokenizer->decode(tokenizer->encode(text)), marks_as_spaces(text));
  }
}

/// A model may carry samples that the library checks when it loads; they expect the prefix that is taken over here.
void SentencePieceTest::ignores_the_self_test() {
  WireWriter sample, samples;
  sample.bytes(1, "the");
  sample.bytes(2, "wrong on purpose");
  samples.bytes(1, sample.message());
  const auto tokenizer = SentencePieceTokenizer::load(patched(kSelfTest, samples), "tokenizer.model");
  QCOMPARE(tokenizer->decode(tokenizer->encode("the")), std::string("the"));
}

void SentencePieceTest::refuses_data() {
  QTest::addColumn<QByteArray>("model");
  QTest::addColumn<QByteArray>("named");
  const auto row = [](const char* name, std::uint32_t part, const WireWriter& field, const char* named) {
    QTest::newRow(name) << QByteArray::fromStdString(patched(part, field)) << QByteArray(named);
  };
  const auto number = [](std::uint32_t field, std::uint64_t value) {
    WireWriter writer;
    writer.varint(field, value);
    return writer;
  };
  WireWriter characters;
  characters.bytes(2, std::string(64, 'x'));
  row("normaliser", kNormalizer, characters, "identity");
  row("denormaliser", 5, characters, "identity");
  row("removes spaces", kNormalizer, number(4, 1), "repeated spaces");
  row("no escaping", kNormalizer, number(5, 0), "escape");
  row("word model", kTrainer, number(3, 3), "byte-pair");
  row("spaces after words", kTrainer, number(24, 1), "spaces after words");
  row("no byte fallback", kTrainer, number(35, 0), "byte fallback");
}

void SentencePieceTest::refuses() {
  QFETCH(QByteArray, model);
  QFETCH(QByteArray, named);
  const auto load = [&] { SentencePieceTokenizer::load(model.toStdString(), "dir/tokenizer.model"); };
  QCOMPARE(unlike(Fault::Unsupported, named.toStdString(), load), std::string());
  QCOMPARE(unlike(Fault::Unsupported, "dir/tokenizer.model", load), std::string());
}

void SentencePieceTest::refuses_incomplete_vocabularies() {
  const auto load = [](const SmallPieces& pieces) { load_small(true, pieces); };
  SmallPieces no_space;
  std::replace(no_space.text.begin(), no_space.text.end(), kMark, std::string("Q"));
  QCOMPARE(unlike(Fault::Unsupported, "space", [&] { load(no_space); }), std::string());
  SmallPieces no_byte;
  no_byte.kind[3 + 0x41] = 1;
  QCOMPARE(unlike(Fault::BadInput, "byte", [&] { load(no_byte); }), std::string());
  SmallPieces twice;
  twice.add("the", 0, 1);
  twice.add("the", 0, 1);
  QCOMPARE(unlike(Fault::BadInput, "the", [&] { load(twice); }), std::string());
  SmallPieces not_a_number;
  not_a_number.score.back() = std::numeric_limits<float>::quiet_NaN();
  QCOMPARE(unlike(Fault::BadInput, "score", [&] { load(not_a_number); }), std::string());
  const std::string whole = make_sentencepiece({});
  QCOMPARE(unlike(Fault::BadInput, "truncated",
                  [&] { SentencePieceTokenizer::load(whole.substr(0, whole.size() - 3), "m"); }),
           std::string());
}

/// As in Gemma's files: the unknown token is called a control token, and pieces of blanks that the user defined are
/// spelled with blanks.
void SentencePieceTest::a_gguf_of_gemmas_kind_is_read() {
  SmallPieces pieces;
  pieces.kind[0] = 3;
  pieces.add("   ", 0, 4);
  const TempDir folder;
  write_bytes(folder.file("m.gguf"), make_sentencepiece_gguf(pieces));
  const auto tokenizer = Tokenizer::load(folder.file("m.gguf"));
  const std::vector<std::int32_t> ids = tokenizer->encode("a   the");
  QCOMPARE(std::ranges::count(ids, static_cast<std::int32_t>(pieces.text.size()) - 1), 1);
  QCOMPARE(tokenizer->decode(ids), std::string("a   the"));
}

void SentencePieceTest::knows_its_special_pieces() {
  const auto tokenizer = load_small();
  QCOMPARE(tokenizer->bos(), std::optional(1));
  QCOMPARE(tokenizer->eos(), std::optional(2));
  QCOMPARE(tokenizer->vocabulary(), static_cast<std::int64_t>(SmallPieces().text.size()));
  QCOMPARE(tokenizer->bytes(100000), std::string("⟨id 100000⟩"));
  std::vector<std::int32_t> ids = tokenizer->encode("the");
  ids.insert(ids.begin(), -3);
  QCOMPARE(tokenizer->decode(ids), std::string("⟨id -3⟩ the"));  // its space is no longer the text's first
}

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<SentencePieceTest>};
#include "sentencepiece_test.moc"
