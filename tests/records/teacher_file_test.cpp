// SPDX-License-Identifier: GPL-3.0-or-later
// A teacher's file gives back what was written; one that is cut, damaged or somebody else's is refused by name.
#include "engine/training/records/teacher_file.h"

#include <QTest>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kVocabulary = 100;

TeacherKey some_key() {
  return {"0123456789abcdef", kVocabulary, 3, {{4, 11}, {1, 12}, {7, 13}}};
}

TeacherRows random_rows(std::int64_t targets, unsigned seed) {
  std::mt19937 random(seed);
  TeacherRows rows{targets, 3, {}, {}};
  for (std::int64_t t = 0; t < targets; ++t) {
    float logit = 20;
    for (int i = 0; i < 3; ++i) {
      rows.ids.push_back(static_cast<std::int32_t>(random() % kVocabulary));
      rows.logits.push_back(logit -= static_cast<float>(random() % 1000) / 300);
    }
  }
  return rows;
}

TeacherRows rows_of(const TeacherKey& key, std::int64_t sample) {
  return random_rows(key.samples[static_cast<std::size_t>(sample)].targets, static_cast<unsigned>(sample));
}

void write(const std::string& path, const TeacherKey& key) {
  write_teacher(path, key, [&](std::int64_t sample) { return rows_of(key, sample); });
}

/// One whose second sample is what `spoil` makes of it: its hash is right.
template <typename Spoil>
void write_spoilt(const std::string& path, const TeacherKey& key, Spoil spoil) {
  write_teacher(path, key, [&](std::int64_t sample) {
    TeacherRows rows = rows_of(key, sample);
    if (sample == 1) spoil(rows);
    return rows;
  });
}

std::string refusal(const std::string& path, const TeacherKey& key, const std::string& part) {
  return unlike(Fault::BadInput, part, [&] {
    const TeacherFile file(path, key);
    for (std::int64_t n = 0; n < file.samples(); ++n) file.read(n);
  });
}

bool same(const TeacherRows& a, const TeacherRows& b) {
  return a.targets == b.targets && a.k == b.k && a.ids == b.ids && a.logits == b.logits;
}

}  // namespace

class TeacherFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void gives_back_what_was_written() {
    const TempDir temp;
    const std::string path = temp.file("teacher.bin");
    const TeacherKey key = some_key();
    write(path, key);
    QVERIFY(fs::file_size(path) % 8 == 0);
    const TeacherFile file(path, key);
    QCOMPARE(file.samples(), 3);
    for (const std::int64_t n : {2, 0, 1, 2}) QVERIFY(same(file.read(n), rows_of(key, n)));
  }

  void says_its_size_before_it_is_written() {
    const TempDir temp;
    const TeacherKey key = some_key();
    write(temp.file("a"), key);
    TeacherKey more = key;
    more.samples.push_back({5, 14});
    write(temp.file("b"), more);
    QVERIFY(teacher_bytes(more) - teacher_bytes(key) == 5 * 3 * 8 + 16);
    QCOMPARE(static_cast<double>(fs::file_size(temp.file("b")) - fs::file_size(temp.file("a"))),
             teacher_bytes(more) - teacher_bytes(key));
    TrainingPlan plan;
    plan.config.segment_length = 512;
    plan.training.train_segments = 4;
    plan.training.max_steps = 80;
    plan.training.gradient_accumulation_steps = 1;
    QCOMPARE(teacher_bytes(plan, 49152), 80.0 * (2047 * 512 + 16));
    QCOMPARE(teacher_bytes(plan, 10), 80.0 * (2047 * 80 + 16));
  }

  void covers_the_samples_of_fewer_or_more_steps() {
    const TempDir temp;
    const std::string path = temp.file("teacher.bin");
    write(path, some_key());
    TeacherKey fewer = some_key(), more = some_key();
    fewer.samples.pop_back();
    more.samples.push_back({5, 14});
    QCOMPARE(TeacherFile(path, fewer).samples(), 2);
    QVERIFY(same(TeacherFile(path, fewer).read(1), rows_of(fewer, 1)));
    QCOMPARE(TeacherFile(path, more).samples(), 3);
    QVERIFY(same(TeacherFile(path, more).read(2), rows_of(more, 2)));
  }

  void is_whole_or_not_there() {
    const TempDir temp;
    const std::string path = temp.file("teacher.bin");
    const auto given_up = [&] {
      write_teacher(path, some_key(), [&](std::int64_t sample) {
        if (sample == 2) throw EngineError(Fault::Cancelled, "teacher", "stopped");
        return rows_of(some_key(), sample);
      });
    };
    QCOMPARE(unlike(Fault::Cancelled, "stopped", given_up), std::string());
    QVERIFY(fs::is_empty(temp.path()));
  }

  void what_is_somebody_elses_is_refused_data() {
    QTest::addColumn<int>("change");
    QTest::addColumn<QString>("part");
    QTest::newRow("weights") << 0 << "is of the weights 0123456789abcdef, and the teacher's are fedcba9876543210";
    QTest::newRow("vocabulary") << 1 << "is of another vocabulary";
    QTest::newRow("k") << 2 << "keeps another number of logits";
    QTest::newRow("order") << 3 << "is of other samples";
    QTest::newRow("longer samples") << 4 << "is of other samples";
    QTest::newRow("shorter samples") << 5 << "is of other samples";
  }

  void what_is_somebody_elses_is_refused() {
    QFETCH(int, change);
    QFETCH(QString, part);
    const TempDir temp;
    const std::string path = temp.file("teacher.bin");
    write(path, some_key());
    TeacherKey other = some_key();
    if (change == 0) other.weights = "fedcba9876543210";
    if (change == 1) other.vocabulary = 101;
    if (change == 2) other.k = 2;
    if (change == 3) other.samples[2].order = 99;
    if (change == 4) other.samples[0].targets = 1 << 20;
    if (change == 5) other.samples[0].targets = 3;
    QCOMPARE(refusal(path, other, part.toStdString()), std::string());
    QCOMPARE(refusal(path, other, path), std::string());
  }

  void impossible_values_are_refused_whatever_their_hash_says() {
    const TempDir temp;
    const std::string path = temp.file("teacher.bin");
    const TeacherKey key = some_key();
    for (const std::int32_t id : {-1, static_cast<std::int32_t>(kVocabulary), std::numeric_limits<std::int32_t>::max(),
                                  std::numeric_limits<std::int32_t>::min()}) {
      write_spoilt(path, key, [&](TeacherRows& rows) { rows.ids[2] = id; });
      QCOMPARE(refusal(path, key, "sample 1 names a token that is not in the vocabulary"), std::string());
    }
    for (const float logit : {NAN, INFINITY, -INFINITY, 1e30f}) {
      write_spoilt(path, key, [&](TeacherRows& rows) { rows.logits[1] = logit; });
      QCOMPARE(refusal(path, key, "sample 1 has logits that are not finite, or do not descend"), std::string());
    }
    write_spoilt(path, key, [&](TeacherRows& rows) { rows.logits[0] = NAN; });
    QCOMPARE(refusal(path, key, "sample 1 has logits that are not finite"), std::string());
  }

  void each_cut_is_refused() {
    const TempDir temp(fast_parent());
    const std::string path = temp.file("teacher.bin");
    write(path, some_key());
    const std::string whole = read_bytes(path);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      write_bytes(path, whole.substr(0, size));
      QCOMPARE(refusal(path, some_key(), path), std::string());
    }
    write_bytes(path, whole + "more");
    QCOMPARE(refusal(path, some_key(), "has another size than its header says"), std::string());
  }

  void sizes_that_no_file_has_are_refused_before_anything_is_read() {
    const TempDir temp;
    const std::string path = temp.file("teacher.bin");
    write(path, some_key());
    const std::string whole = read_bytes(path);
    for (const char* field : {"\"samples\":3", "\"targets\":12"})
      for (const char* value : {"0", "-1", "9223372036854775807", "-9223372036854775808", "1e300",
                                "18446744073709551615", "576460752303423488", "\"3\"", "null"}) {
        std::string bytes = whole;
        const std::string name = std::string(field).substr(0, std::string(field).find(':') + 1);
        const std::size_t begin = bytes.find(field), length = std::string(field).size();
        QVERIFY(begin != std::string::npos);
        bytes.replace(begin, length, name + value);
        bytes[0] = static_cast<char>(static_cast<unsigned char>(whole[0]) + bytes.size() - whole.size());
        write_bytes(path, bytes);
        QCOMPARE(refusal(path, some_key(), path), std::string());
      }
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
      std::string bytes = whole;
      for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i));
      write_bytes(path, bytes);
      QCOMPARE(refusal(path, some_key(), "is not a teacher's file, or is truncated"), std::string());
    }
  }

  /// Whatever is damaged: an error that names the file, or the numbers that were written.
  void damage_never_gives_other_numbers() {
    const TempDir temp(fast_parent());
    const std::string path = temp.file("teacher.bin");
    const TeacherKey key = some_key();
    write(path, key);
    const std::string whole = read_bytes(path);
    Mutator mutator(whole, whole.size(), 1);
    int refused = 0;
    for (int i = 0; i < 4000; ++i) {
      write_bytes(path, mutator.next());
      const auto error = error_of([&] {
        const TeacherFile file(path, key);
        for (std::int64_t n = 0; n < file.samples(); ++n)
          if (!same(file.read(n), rows_of(key, n))) throw std::runtime_error("other numbers");
      });
      refused += error ? 1 : 0;
      if (error) QVERIFY2(std::string(error->what()).find(path) != std::string::npos, error->what());
    }
    QVERIFY2(refused > 3000, qPrintable(QString::number(refused)));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<TeacherFileTest>};
#include "teacher_file_test.moc"
