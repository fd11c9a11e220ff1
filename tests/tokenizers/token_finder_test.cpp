// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tokenizers/token_finder.h"

#include <QTest>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/support/growth.h"
#include "tests/support/test_program.h"

using namespace carryover;

namespace {

struct Spelling {
  std::string text;
  bool special;
};

TokenFinder finder_of(const std::vector<Spelling>& spellings) {
  TokenFinder finder;
  for (const Spelling& spelling : spellings) finder.add(spelling.text, spelling.special);
  finder.finish();
  return finder;
}

/// Finds by definition: at each place, the longest that begins there, and the first of equals.
std::vector<std::pair<std::size_t, int>> found_slowly(const std::vector<Spelling>& spellings, const std::string& text,
                                                      bool with_special) {
  std::vector<std::pair<std::size_t, int>> found;
  for (std::size_t at = text.size(); at-- > 0;) {
    int best = -1;
    for (int i = 0; i < std::ssize(spellings); ++i) {
      const Spelling& one = spellings[static_cast<std::size_t>(i)];
      const bool fits = (with_special || !one.special) && text.compare(at, one.text.size(), one.text) == 0;
      if (fits && (best < 0 || one.text.size() > spellings[static_cast<std::size_t>(best)].text.size())) best = i;
    }
    if (best >= 0) found.emplace_back(at, best);
  }
  return found;
}

std::string random_letters(std::mt19937& random, std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += "ab\xC3"[random() % 3];
  return text;
}

}  // namespace

class TokenFinderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void finds_what_a_slow_search_finds() {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
      std::vector<Spelling> spellings(1 + random() % 8);
      for (Spelling& spelling : spellings) spelling = {random_letters(random, 1 + random() % 6), random() % 3 == 0};
      const TokenFinder finder = finder_of(spellings);
      const std::string text = random_letters(random, random() % 60);
      for (const bool with_special : {false, true}) {
        std::vector<std::pair<std::size_t, int>> found;
        for (const TokenFinder::Match& match : finder.find(text, with_special))
          found.emplace_back(match.at, match.token);
        QVERIFY(found == found_slowly(spellings, text, with_special));
      }
    }
  }

  void nothing_is_found_without_spellings() {
    QVERIFY(TokenFinder().find("text", true).empty());
    QVERIFY(finder_of({}).find("text", true).empty());
  }

  void too_many_bytes_are_refused() {
    TokenFinder finder;
    QCOMPARE(test::unlike(Fault::BadInput, "have more than 4194304 bytes together",
                          [&] { finder.add(std::string(5 << 20, 'x'), false); }),
             std::string());
  }

  void time_grows_with_the_text_data() {
    QTest::addColumn<bool>("long_spellings");
    QTest::newRow("many that begin alike") << false;
    QTest::newRow("long ones that end one letter too late") << true;
  }

  void time_grows_with_the_text() {
    QFETCH(bool, long_spellings);
    struct Case {
      TokenFinder finder;
      std::string text;
    };
    const auto make = [&](std::int64_t n) {
      std::vector<Spelling> spellings;
      for (std::int64_t i = 0; i < (long_spellings ? 8 : n); ++i)
        spellings.push_back(
            {long_spellings ? std::string(static_cast<std::size_t>(n + i), 'a') + "b" : "<" + std::to_string(i) + ">",
             false});
      return Case{finder_of(spellings), std::string(static_cast<std::size_t>(10 * n), long_spellings ? 'a' : '<')};
    };
    const double ratio = test::growth(1000, make, [](const Case& one) { one.finder.find(one.text, true); });
    QVERIFY2(ratio < test::most_linear_growth, qPrintable(QString::number(ratio)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TokenFinderTest>};
#include "token_finder_test.moc"
