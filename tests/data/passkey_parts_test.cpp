// SPDX-License-Identifier: GPL-3.0-or-later
// Passkeys are sentences where the tokenizer can write them, and the hay's own tokens where not; either makes texts.
#include "engine/heads/choice/passkey_parts.h"

#include <QTest>
#include <algorithm>
#include <set>
#include <string>

#include "engine/base/error.h"
#include "tests/support/byte_tokenizer.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::unlike;

namespace {

std::vector<std::int32_t> hay(std::int32_t distinct) {
  std::vector<std::int32_t> ids;
  for (std::int32_t i = 0; i < 1000; ++i) ids.push_back('a' + i % distinct);
  return ids;
}

std::int64_t count_of(const std::string& text, const std::string& part) {
  std::int64_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

class PasskeyPartsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_text_asks_for_the_words_that_it_says() {
    const test::PlainByteTokenizer tokenizer(false);
    const PasskeyParts parts = make_passkey_parts(hay(20), tokenizer, 1);
    const PasskeyPlan plan{3000, 3000, 4, 5, 1};
    check_passkeys(parts, plan, 256);
    for (std::int64_t n = 0; n < 5; ++n) {
      const PasskeyText text = make_passkey_text(parts, plan, n);
      const std::string all = tokenizer.decode(text.ids);
      for (const char* ordinal : {"first", "second", "third", "fourth"}) {
        const std::string lead = std::string("The ") + ordinal + " passkey of the safe is:";
        const std::size_t said = all.find(lead), asked = all.rfind(lead);
        QVERIFY(said < static_cast<std::size_t>(text.asked_from) && asked > static_cast<std::size_t>(text.asked_from));
        const auto words = [&](std::size_t at) {
          return all.substr(at + lead.size(), all.find('.', at) - at - lead.size());
        };
        QCOMPARE(words(said), words(asked));
        QCOMPARE(count_of(words(said), " "), 5);
      }
      QCOMPARE(count_of(all, "passkey of the safe"), 8);
    }
  }

  void keys_are_tokens_of_the_hay_where_nothing_else_can_be_written() {
    const test::PlainByteTokenizer tokenizer(true);
    for (std::int64_t seed = 1; seed < 6; ++seed) {
      const PasskeyParts parts = make_passkey_parts(hay(60), tokenizer, seed);
      QVERIFY(parts.opening.empty() && parts.closing.empty() && parts.ending.empty());
      QCOMPARE(parts.words.size(), std::size_t{26});
      QCOMPARE(parts.statements.size(), std::size_t{8});
      QVERIFY(parts.statements == parts.questions);
      std::set<std::int32_t> tokens;
      std::size_t count = 0;
      for (const auto* list : {&parts.statements, &parts.words})
        for (const std::vector<std::int32_t>& part : *list) {
          tokens.insert(part.begin(), part.end());
          count += part.size();
        }
      QCOMPARE(tokens.size(), count);  // none twice
      check_passkeys(parts, {400, 400, 5, 8, seed}, 256);
      QVERIFY(make_passkey_parts(hay(60), tokenizer, seed).words == parts.words);
      QVERIFY(make_passkey_parts(hay(60), tokenizer, seed + 1).words != parts.words);
    }
    QVERIFY(!make_passkey_parts(hay(12), tokenizer, 1).statements.empty());
    QCOMPARE(unlike(Fault::BadInput, "11 different tokens", [&] { make_passkey_parts(hay(11), tokenizer, 1); }),
             std::string());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PasskeyPartsTest>};
#include "passkey_parts_test.moc"
