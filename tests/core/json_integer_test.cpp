// SPDX-License-Identifier: GPL-3.0-or-later
// Whole numbers of files: a float or a number of more than 64 bits is refused, never cast.
#include "engine/base/json_integer.h"

#include <QTest>
#include <nlohmann/json.hpp>

#include "engine/base/memory_bytes.h"
#include "engine/runs/values/snapshot.h"
#include "tests/support/test_program.h"

using namespace carryover;
using nlohmann::json;

class JsonIntegerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void whole_numbers_are_taken() {
    QCOMPARE(integer_of(json(std::uint64_t{7})), 7);
    QCOMPARE(integer_of(json(-7)), -7);
    QCOMPARE(integer_of(json(INT64_MAX)), INT64_MAX);
    QCOMPARE(integer_of(json::parse("9223372036854775807")), INT64_MAX);
    QCOMPARE(integer_of(json::parse("-9223372036854775808")), INT64_MIN);
  }

  void anything_else_is_refused() {
    for (const char* text :
         {"1e300", "7.0", "-1e300", "9223372036854775808", "18446744073709551615", "null", "\"7\"", "[7]", "true"})
      QVERIFY_THROWS_EXCEPTION(json::exception, integer_of(json::parse(text)));
  }

  void near_ties_have_had_another_name() {
    json record = SegmentRecord{0, 0, 4, 3, 1, 0.5, 0, 9, {}};
    record["close_cuts"] = record.at("near_ties");
    record.erase("near_ties");
    QCOMPARE(record.get<SegmentRecord>().near_ties, 9);
    record.erase("close_cuts");
    QVERIFY_THROWS_EXCEPTION(json::exception, record.get<SegmentRecord>());
  }

  void records_of_runs_take_no_floats() {
    json record = SegmentRecord{0, 0, 4, 3, 1, 0.5, 0, 0, {}};
    QCOMPARE(record.get<SegmentRecord>().length, 4);
    for (const char* key : {"index", "first_token", "length", "targets", "pool_entries", "near_ties"}) {
      json damaged = record;
      damaged[key] = 1e300;
      QVERIFY_THROWS_EXCEPTION(json::exception, damaged.get<SegmentRecord>());
    }
    for (const char* key : {"weights", "gradients", "graph"}) {
      json damaged = record;
      damaged["memory"][key] = 1e300;
      QVERIFY_THROWS_EXCEPTION(json::exception, damaged.get<SegmentRecord>());
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<JsonIntegerTest>};
#include "json_integer_test.moc"
