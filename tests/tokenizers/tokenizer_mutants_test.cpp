// SPDX-License-Identifier: GPL-3.0-or-later
// 10,000 damaged files for each kind of tokenizer: every one is refused with an EngineError, or loads and then gives
// back each text that it encodes. Run under AddressSanitizer and UBSan by the asan-ubsan preset.
#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/tokenizers/gguf_tokenizer.h"
#include "engine/tokenizers/piece_model.h"
#include "engine/tokenizers/sentencepiece_tokenizer.h"
#include "engine/tokenizers/tokenizer_json.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/mutate.h"
#include "tests/support/random_text.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

constexpr int kMutants = 10000;

bool blames_input(const EngineError& error) {
  const bool fault = error.fault() == Fault::BadInput || error.fault() == Fault::Unsupported;
  return fault && !error.where().empty() && !error.problem().empty() && !error.advice().empty();
}

/// A vocabulary that has lost bytes refuses some texts; what it encodes it must give back.
void check_round_trip(const Tokenizer& tokenizer, const std::string& text) {
  for (const bool parse_special : {false, true}) {
    try {
      const auto ids = tokenizer.encode(text, parse_special);
      // U+2581 is a space to the pieces of SentencePiece.
      if (tokenizer.decode(ids) != marks_as_spaces(text)) QCOMPARE(tokenizer.decode(ids), text);
    } catch (const EngineError& error) {
      QVERIFY2(blames_input(error), error.what());
    }
  }
}

template <typename Load>
void try_mutants(const std::string& original, unsigned seed, Load load) {
  QVERIFY(original.size() <= 64 * 1024);
  check_round_trip(*load(original), "the harbour");
  Mutator mutator(original, original.size(), seed);
  RandomText texts(seed);
  int opened = 0;
  for (int i = 0; i < kMutants; ++i) {
    const std::string mutant = mutator.next(), text = texts.next(12);
    std::shared_ptr<const Tokenizer> tokenizer;
    try {
      tokenizer = load(mutant);
    } catch (const EngineError& error) {
      QVERIFY2(blames_input(error), error.what());
      continue;
    }
    ++opened;
    check_round_trip(*tokenizer, text);
    if (QTest::currentTestFailed()) QFAIL(qPrintable(QStringLiteral("mutant %1").arg(i)));
  }
  QVERIFY2(opened > kMutants / 100 && opened < kMutants * 99 / 100,
           qPrintable(QStringLiteral("%1 of %2 opened: the mutants test little").arg(opened).arg(kMutants)));
}

std::shared_ptr<const Tokenizer> load_gguf(const std::string& bytes) {
  return load_gguf_tokenizer(GgufFile::parse(std::as_bytes(std::span(bytes)), "mutant.gguf"));
}

}  // namespace

class TokenizerMutantsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void tokenizer_json();
  void sentencepiece_model();
  void gguf_byte_pair();
  void gguf_sentencepiece();
};

void TokenizerMutantsTest::tokenizer_json() {
  try_mutants(demo_tokenizer_with_split().dump(), 1, [](const std::string& bytes) -> std::shared_ptr<const Tokenizer> {
    return std::make_shared<BpeTokenizer>(read_tokenizer_json(parse_json(bytes, "mutant.json"), "mutant.json"));
  });
}

void TokenizerMutantsTest::sentencepiece_model() {
  try_mutants(make_sentencepiece({}), 2,
              [](const std::string& bytes) { return SentencePieceTokenizer::load(bytes, "mutant.model"); });
}

void TokenizerMutantsTest::gguf_byte_pair() {
  try_mutants(make_bpe_gguf("llama-bpe"), 3, load_gguf);
}

void TokenizerMutantsTest::gguf_sentencepiece() {
  try_mutants(make_sentencepiece_gguf({}), 4, load_gguf);
}

static const carryover::test::TestFile these_tests{__FILE__,
                                                   carryover::test::without_application<TokenizerMutantsTest>};
#include "tokenizer_mutants_test.moc"
