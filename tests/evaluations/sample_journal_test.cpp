// SPDX-License-Identifier: GPL-3.0-or-later
// A journal that was cut at any byte goes on to the same file.
#include "engine/campaigns/evaluations/sample_journal.h"

#include <QTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/formats/json_file.h"
#include "tests/evaluations/made_task.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

std::vector<SampleEntry> made_entries() {
  std::vector<SampleEntry> entries{made_entry("0", "depth 0%", {{"match", 1}}), failed_entry("1", ""),
                                   made_entry("zwei", "", {{"acc", 0.1}, {"norm", 1e-300}}),
                                   made_entry("3", "", {{"nll", 1234.5678901234567}, {"tokens", 512}})};
  entries[2].loglikelihoods = {-1.0 / 3, -2e-17, -std::numeric_limits<double>::max()};
  entries[2].greedy = {true, false, false};
  for (int place = 1; place < 300; ++place) {
    entries[3].positions.add(place, 0.1 * place);
    entries[3].offsets.add(place % 64, 0.1 * place);
  }
  return entries;
}

std::string texts_of(const std::vector<SampleEntry>& entries) {
  std::string text;
  for (const SampleEntry& entry : entries) text += json_text(entry_json(entry)) + "\n";
  return text;
}

}  // namespace

class SampleJournalTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void entries_come_back() {
    for (const SampleEntry& entry : made_entries()) {
      const json written = entry_json(entry);
      const SampleEntry read = entry_of(parse_json(written.dump(), "line"), "line");
      QCOMPARE(entry_json(read).dump(), written.dump());
      QVERIFY(read.scores == entry.scores && read.positions == entry.positions && read.offsets == entry.offsets);
      QVERIFY(read.loglikelihoods == entry.loglikelihoods && read.greedy == entry.greedy);
    }
    SampleEntry none = made_entry("none", "", {{"match", std::nan("")}});
    QVERIFY(std::isnan(entry_of(parse_json(entry_json(none).dump(), "line"), "line").scores.at("match")));
  }

  void a_torn_line_is_dropped_at_every_byte() {
    const TempDir temp(fast_parent());
    const std::string path = temp.file("samples.jsonl");
    const std::vector<SampleEntry> entries = made_entries();
    {
      SampleJournal journal(path);
      for (const SampleEntry& entry : entries) journal.append(entry);
    }
    const std::string whole = read_bytes(path);
    QCOMPARE(whole, texts_of(entries));
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      write_bytes(path, whole.substr(0, size));
      const auto lines =
          static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + std::ptrdiff_t(size), '\n'));
      SampleJournal journal(path);
      QCOMPARE(journal.entries().size(), lines);
      QCOMPARE(read_bytes(path), texts_of({entries.begin(), entries.begin() + std::ptrdiff_t(lines)}));
      for (std::size_t i = lines; i < entries.size(); ++i) journal.append(entries[i]);
      QCOMPARE(journal.entries().size(), entries.size());
      QVERIFY2(read_bytes(path) == whole, std::to_string(size).c_str());
    }
  }

  void damage_within_is_refused() {
    const TempDir temp;
    const std::string path = temp.file("samples.jsonl"), whole = texts_of(made_entries());
    const std::string first = whole.substr(0, whole.find('\n') + 1);
    for (const std::string& line :
         {std::string("{"), std::string("[]"), std::string("{}"), std::string(R"({"scores": []})"),
          std::string(R"({"scores": {"a": "1"}})"), std::string(R"({"scores": {}, "tokens": -1})"),
          std::string(R"({"scores": {}, "loglikelihoods": [1], "greedy": []})"),
          std::string(R"({"scores": {}, "positions": [[3, 1, 1]]})"),
          std::string(R"({"scores": {}, "positions": [[1, -1, 1]]})"),
          std::string(R"({"scores": {}, "offsets": [[1, 1, 1], [1, 1, 1]]})"),
          std::string(R"({"scores": {}, "offsets": [[-9223372036854775808, 1, 1]]})"), std::string()}) {
      write_bytes(path, first + line + "\n" + first);
      const std::string problem = unlike(Fault::BadInput, path + ":2", [&] { SampleJournal journal(path); });
      QVERIFY2(problem.empty(), (line + " " + problem).c_str());
      QCOMPARE(read_bytes(path), first + line + "\n" + first);
    }
  }
};

static const TestFile these_tests{__FILE__, without_application<SampleJournalTest>};
#include "sample_journal_test.moc"
