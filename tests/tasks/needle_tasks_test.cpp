// SPDX-License-Identifier: GPL-3.0-or-later
// Needles and pass keys: they stand once, as deep as the sample says, in texts that fill the length and don't exceed
// it.
#include "engine/tasks/needle_tasks.h"

#include <QTest>
#include <cmath>
#include <set>

#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

struct Case {
  std::string task, data;
  std::shared_ptr<const Tokenizer> tokenizer;
};

class Cases {
 public:
  Cases() {
    write_bytes(books_.path() / "a.txt", book("It was a quiet evening by the sea. Nobody spoke, and the lamp "));
    write_bytes(books_.path() / "b.txt", book("Größe und Güte sind selten; so sprach er! Der Tag verging und "));
    write_bytes(blankless_.path() / "c.txt", book("日本語の文章には空白がない"));
    const TempDir pieces;
    write_bytes(pieces.path() / "tokenizer.model", make_sentencepiece({}));
    const auto demo = Tokenizer::load(demo_folder().string()), sentence = Tokenizer::load(pieces.path().string());
    for (const auto& tokenizer : {demo, sentence}) {
      all.push_back({"passkey", "", tokenizer});
      for (const std::string& data : {std::string(), books_.path().string(), blankless_.file("c.txt")})
        all.push_back({"needle/grid", data, tokenizer});
    }
  }
  std::vector<Case> all;
  std::string books() const { return books_.path().string(); }

 private:
  static std::string book(const std::string& words) {
    std::string text;
    while (text.size() < 40000) text += words + std::to_string(text.size() % 97);
    return text;
  }
  TempDir books_, blankless_;
};

std::unique_ptr<Task> task_of(const std::string& name) {
  return name == "passkey" ? make_passkey_task(name) : make_needle_task(name);
}

SampleRequest request_of(const Case& each, std::int64_t length, std::int64_t count = 0, std::uint64_t seed = 42) {
  SampleRequest request;
  request.tokenizer = each.tokenizer;
  request.data = each.data;
  request.length = length;
  request.count = count;
  request.seed = seed;
  return request;
}

std::string prompt_of(const TaskSample& sample) {
  return sample.context + sample.question + sample.answer_start;
}

/// The share of the haystack's tokens in front of the needle, counted again.
double depth_of(const TaskSample& sample, bool passkey, const Tokenizer& tokenizer) {
  const std::size_t begin = passkey ? sample.context.find('\n') + 1 : 0, at = sample.context.find(sample.needles.at(0));
  const std::string before = sample.context.substr(begin, at - begin),
                    after = sample.context.substr(at + sample.needles[0].size());
  return static_cast<double>(tokenizer.encode(before).size()) /
         static_cast<double>(tokenizer.encode(before + after).size());
}

}  // namespace

class NeedleTasksTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  void needles_stand_as_deep_as_is_said() {
    const Cases cases;
    for (const Case& each : cases.all)
      for (const std::int64_t length : {1500, 6000}) {
        const auto task = task_of(each.task);
        const auto samples = task->samples(request_of(each, length));
        QCOMPARE(samples.size(), 33u);
        std::map<std::string, int> slices;
        for (const TaskSample& sample : samples) {
          const std::string& needle = sample.needles.at(0);
          const std::size_t at = sample.context.find(needle);
          QVERIFY(at != std::string::npos && sample.context.find(needle, at + 1) == std::string::npos);
          QVERIFY(needle.find(sample.references.at(0)) != std::string::npos);
          ++slices[sample.slice];
          const double wanted = std::stod(sample.slice.substr(std::string("depth ").size())) / 100;
          const double depth = depth_of(sample, each.task == "passkey", *each.tokenizer);
          // Half a percent, and a word or two where that is less.
          const double near = 0.005 + (length < 2000 || each.tokenizer->vocabulary() < 400 ? 0.01 : 0.0);
          if (std::abs(depth - wanted) > near)
            QFAIL((each.task + " " + each.data + " " + sample.id + ": " + std::to_string(depth)).c_str());
          const std::int64_t tokens =
              std::ssize(each.tokenizer->encode(prompt_of(sample))) + task->info().max_new_tokens;
          QVERIFY(tokens <= length && tokens > length * 9 / 10);
        }
        QCOMPARE(slices.size(), 11u);
        for (const auto& [slice, count] : slices) QCOMPARE(count, 3);
      }
  }

  // The question does not say the answer, which stands in the text behind the answer's beginning.
  void the_answer_is_in_the_text_alone() {
    const Cases cases;
    for (const Case& each : cases.all) {
      std::set<std::string> values;
      for (const TaskSample& sample : task_of(each.task)->samples(request_of(each, 1000))) {
        const std::string& value = sample.references.at(0);
        QVERIFY((sample.question + sample.answer_start).find(value) == std::string::npos);
        const std::string start = sample.answer_start.substr(sample.answer_start.find_first_not_of(' '));
        QVERIFY(sample.context.find(start + " " + value) != std::string::npos);
        values.insert(value);
        TaskAnswer answer;
        answer.text = " " + value + ".";
        QCOMPARE(task_of(each.task)->score(sample, answer).at("string_match"), 1.0);
        answer.text = " " + value + "0.";
        QCOMPARE(task_of(each.task)->score(sample, answer).at("string_match"), 0.0);
      }
      QVERIFY(values.size() > 20);
    }
  }

  void needles_are_of_each_kind_and_books_take_turns() {
    const Cases cases;
    Case each{"needle/grid", cases.books(), cases.all.front().tokenizer};
    const auto samples = make_needle_task("needle/grid")->samples(request_of(each, 1000));
    std::set<std::string> starts, beginnings;
    for (std::size_t round = 0; round < 3; ++round) {
      const TaskSample& last = samples.at(round * 11 + 10);  // the needle stands at the end
      starts.insert(last.answer_start.substr(0, 10));
      beginnings.insert(last.context.substr(0, 6));
      QCOMPARE(beginnings.size(), std::min<std::size_t>(round + 1, 2));
    }
    QCOMPARE(starts.size(), 3u);
  }

  void samples_follow_from_the_seed() {
    const Cases cases;
    for (const Case& each : cases.all) {
      const auto task = task_of(each.task);
      const auto many = task->samples(request_of(each, 700, 24, 7)), few = task->samples(request_of(each, 700, 5, 7)),
                 others = task->samples(request_of(each, 700, 24, 8));
      QCOMPARE(many.size(), 24u);
      QCOMPARE(few.size(), 5u);
      std::set<std::string> ids;
      for (std::size_t i = 0; i < many.size(); ++i) {
        ids.insert(many[i].id);
        QVERIFY(i >= few.size() || (prompt_of(many[i]) == prompt_of(few[i]) && many[i].fields == few[i].fields));
        QVERIFY(prompt_of(many[i]) != prompt_of(others[i]));
      }
      QCOMPARE(ids.size(), many.size());
    }
  }

  void what_cannot_be_made_is_refused() {
    const Cases cases;
    const auto demo = cases.all.front().tokenizer;
    const auto grid = make_needle_task("needle/grid"), passkey = make_passkey_task("passkey");
    for (const Task* task : {grid.get(), passkey.get()}) {
      QCOMPARE(unlike(Fault::Usage, "no room", [&] { task->samples(request_of({"", "", demo}, 60)); }), "");
      QCOMPARE(unlike(Fault::Usage, "no tokenizer", [&] { task->samples(request_of({"", "", nullptr}, 900)); }), "");
    }
    const TempDir folder;
    write_bytes(folder.path() / "short.txt", "Only a few words.");
    const Case few{"needle/grid", folder.file("short.txt"), demo};
    QCOMPARE(unlike(Fault::BadInput, "a prompt takes", [&] { grid->samples(request_of(few, 900)); }), "");
    const Case none{"needle/grid", folder.file("none.txt"), demo};
    QCOMPARE(unlike(Fault::Io, "none.txt", [&] { grid->samples(request_of(none, 900)); }), "");
    QCOMPARE(unlike(Fault::Usage, "There is needle/grid", [] { make_needle_task("needle"); }), "");
    QCOMPARE(unlike(Fault::Usage, "There is passkey", [] { make_passkey_task("passkey/x"); }), "");
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<NeedleTasksTest>};
#include "needle_tasks_test.moc"
