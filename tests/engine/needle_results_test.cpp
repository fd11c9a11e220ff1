// SPDX-License-Identifier: GPL-3.0-or-later
// The results of needles: continued after a kill, never mixed with those of another plan, never over another file.
#include "examples/recall/needle_results.h"

#include <QTest>

#include "engine/base/error.h"
#include "engine/config/segment_config.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

using nlohmann::json;

const json plan_line{{"plan", "small"}, {"of_each_kind", 1}, {"texts", "00ff"}};
const std::vector<json> methods{{{"name", "search"}, {"config", {{"segment_length", 64}}}}};

json answers_of(std::int64_t document) {
  return {{"segments", 8}, {"seed", 1}, {"document", document}, {"method", "search"}, {"cases", json::array()}};
}

}  // namespace

class NeedleResultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void continues_and_replaces_what_a_kill_left_of_a_line() {
    const TempDir folder;
    const std::string path = folder.file("results.jsonl");
    {
      NeedleResults results(path, plan_line, methods);
      results.add(answers_of(0));
    }
    const std::string whole = read_bytes(path);
    write_bytes(path, whole + answers_of(1).dump().substr(0, 40));
    {
      NeedleResults results(path, plan_line, methods);
      QVERIFY(results.has(answers_of(0)) && !results.has(answers_of(1)));
    }
    QCOMPARE(read_bytes(path), whole);
    NeedleResults results(path, plan_line, methods);
    results.add(answers_of(1));
    QCOMPARE(results.lines().size(), std::size_t{2});
    QCOMPARE(read_bytes(path), whole + answers_of(1).dump() + "\n");
  }

  void continues_a_published_file_and_adds_a_method() {
    const TempDir folder;
    const std::string path = folder.file("results.jsonl");
    json published = plan_line;
    published["date"] = "2026-11-25";
    write_bytes(path, published.dump() + "\n" + methods[0].dump() + "\n" + answers_of(0).dump() + "\n");
    std::vector<json> more = methods;
    more.push_back({{"name", "off"}, {"config", {{"segment_length", 64}}}});
    NeedleResults results(path, plan_line, more);
    QVERIFY(results.has(answers_of(0)));
    QVERIFY(read_bytes(path).ends_with(more[1].dump() + "\n"));
  }

  void a_setting_that_is_new_since_then_has_its_default() {
    const TempDir folder;
    const std::string path = folder.file("results.jsonl");
    { NeedleResults results(path, plan_line, methods); }
    std::vector<json> today = methods;
    SegmentConfig config;
    config.segment_length = 64;
    today[0]["config"] = config;
    const std::string before = read_bytes(path);
    { NeedleResults results(path, plan_line, today); }
    QCOMPARE(read_bytes(path), before);
  }

  void refuses_another_plan_and_other_settings() {
    const TempDir folder;
    const std::string path = folder.file("results.jsonl");
    { NeedleResults results(path, plan_line, methods); }
    const std::string before = read_bytes(path);
    for (const char* key : {"plan", "of_each_kind", "texts"}) {
      json other = plan_line;
      other[key] = "other";
      QCOMPARE(unlike(Fault::BadInput, key, [&] { NeedleResults(path, other, methods); }), std::string());
    }
    std::vector<json> others = methods;
    others[0]["config"]["segment_length"] = 128;
    QCOMPARE(unlike(Fault::BadInput, "search", [&] { NeedleResults(path, plan_line, others); }), std::string());
    QCOMPARE(read_bytes(path), before);
  }

  void leaves_a_file_of_something_else_as_it_is() {
    const TempDir folder;
    for (const std::string text : {"Call me Ishmael.\n", "Call me Ishmael.", "[1]\n",
                                   "{\"plan\":\"small\"}\nSome years ago\n", "{\"plan\":\"mine\"}"}) {
      const std::string path = folder.file("book.txt");
      write_bytes(path, text);
      QCOMPARE(unlike(Fault::BadInput, "book.txt", [&] { NeedleResults(path, plan_line, methods); }), std::string());
      QCOMPARE(read_bytes(path), text);
    }
  }

  void one_process_at_a_time_writes() {
    const TempDir folder;
    const std::string path = folder.file("results.jsonl");
    NeedleResults first(path, plan_line, methods);
    QCOMPARE(unlike(Fault::Usage, "another process", [&] { NeedleResults(path, plan_line, methods); }), std::string());
    first.add(answers_of(0));
    QVERIFY(read_bytes(path).ends_with(answers_of(0).dump() + "\n"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<NeedleResultsTest>};
#include "needle_results_test.moc"
