// SPDX-License-Identifier: GPL-3.0-or-later
// A text ends before its first stop text, wherever the borders between its pieces are.
#include "app/serve/stop_filter.h"

#include <QTest>
#include <random>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

/// Cuts by definition: byte by byte, the first place where a stop text ends; of those that end there, the longest.
std::pair<std::string, bool> by_definition(const std::string& text, const std::vector<std::string>& stops) {
  for (std::size_t end = 0; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const std::string& stop : stops)
      if (text.substr(0, end).ends_with(stop)) longest = std::max(longest, stop.size());
    if (longest > 0) return {text.substr(0, end - longest), true};
  }
  return {text, false};
}

std::string random_text(std::mt19937& random, std::size_t most) {
  std::string text(random() % (most + 1), ' ');
  for (char& c : text) c = static_cast<char>('a' + random() % 2);  // two letters: what overlaps is common
  return text;
}

}  // namespace

class StopFilterTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void any_pieces_end_where_the_whole_text_does() {
    std::mt19937 random(1);
    int stopped = 0;
    for (int round = 0; round < 20000; ++round) {
      std::vector<std::string> stops(random() % 4);
      for (std::string& stop : stops) stop = 'a' + random_text(random, 4);
      const std::string text = random_text(random, 12);
      const auto [expected, stops_there] = by_definition(text, stops);
      StopFilter filter(stops);
      std::string given;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = 1 + random() % 4;
        given += filter.push(std::string_view(text).substr(at, length));
        at += length;
        QVERIFY(expected.starts_with(given));  // nothing was given that has to be taken back
      }
      given += filter.finish();
      QCOMPARE(given, expected);
      QCOMPARE(filter.stopped(), stops_there);
      stopped += stops_there ? 1 : 0;
    }
    QVERIFY(stopped > 5000 && stopped < 15000);
  }

  void only_what_may_begin_a_stop_is_held_back() {
    StopFilter filter({"\n\nQ:"});
    QCOMPARE(filter.push("yes\n"), std::string("yes"));
    QCOMPARE(filter.push("no\n\n"), std::string("\nno"));
    QCOMPARE(filter.push("Q"), std::string());
    QCOMPARE(filter.push(":x"), std::string());
    QVERIFY(filter.stopped() && filter.push("more").empty() && filter.finish().empty());
    StopFilter none({});
    QCOMPARE(none.push("text"), std::string("text"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<StopFilterTest>};
#include "stop_filter_test.moc"
