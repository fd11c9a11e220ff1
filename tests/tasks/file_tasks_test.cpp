// SPDX-License-Identifier: GPL-3.0-or-later
// Samples of one's own: what a line may hold, what is refused with file and place, and scores as lm-evaluation-harness
// gave them.
#include "engine/tasks/file_tasks.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/mutate.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

/// Choices, their log-likelihoods, and the choice that is right by acc and by acc_norm: recorded from process_results
/// of lm-evaluation-harness 0.4.13, which was asked for each possible answer.
const char* const kRecords = R"([
[["🙂🙂", "naïve", "a longer choice, with a comma"], [-2.0, -2.0, -6.0], 0, 2],
[["xxxxxxxxxxxxxxxxx", "a", "two words", "naïve"], [-17.0, -1.0, -9.0, -5.0], 1, 0],
[["xxxxxxxxxxxxxxxxx", "über"], [-12.024, -3.713], 1, 0],
[["bb", "über", "東京都", "Paris"], [-3.0, -1.0, -1.0, -1.0], 1, 3],
[["naïve", "two words"], [-5.0, -9.0], 0, 0],
[["über", "東京都"], [-3.289, -2.376], 1, 1],
[["xxxxxxxxxxxxxxxxx", "two words", "bb"], [-17.0, -4.5, -1.0], 2, 1],
[["xxxxxxxxxxxxxxxxx", "a longer choice, with a comma", "bb", "a"], [-7.8, -11.512, -2.571, -1.243], 3, 1],
[["東京都", "xxxxxxxxxxxxxxxxx", "naïve", "no"], [-6.0, -2.0, -6.0, -2.0], 1, 1],
[["no", "bb", "東京都", "xxxxxxxxxxxxxxxxx"], [-6.0, -3.0, -2.0, -1.0], 3, 3],
[["naïve", "a longer choice, with a comma"], [-4.964, -11.407], 0, 1],
[["xxxxxxxxxxxxxxxxx", "naïve", "über", "a"], [-17.0, -2.5, -2.0, -0.5], 3, 1],
[["東京都", "über", "a", "no"], [-4.281, -2.943, -1.109, -2.494], 2, 1],
[["東京都", "bb", "Paris", "🙂🙂"], [-6.0, -3.0, -2.0, -1.0], 3, 2],
[["über", "a", "東京都"], [-1.0, -1.0, -6.0], 0, 0],
[["two words", "a"], [-9.0, -0.5], 1, 1],
[["a longer choice, with a comma", "bb", "🙂🙂"], [-29.0, -1.0, -1.0], 1, 1],
[["xxxxxxxxxxxxxxxxx", "naïve"], [-8.5, -5.0], 1, 0],
[["no", "two words", "東京都", "bb"], [-6.0, -3.0, -1.0, -1.0], 2, 1],
[["a longer choice, with a comma", "two words", "Paris"], [-3.0, -6.0, -2.0], 2, 0],
[["a", "naïve", "über"], [-1.0, -3.0, -2.0], 0, 2],
[["東京都", "naïve", "two words", "bb"], [-3.0, -5.0, -9.0, -1.0], 3, 3],
[["xxxxxxxxxxxxxxxxx", "a longer choice, with a comma", "naïve"], [-12.38, -20.669, -3.481], 2, 2],
[["no", "naïve", "über"], [-2.0, -2.5, -4.0], 0, 1],
[["a", "🙂🙂", "xxxxxxxxxxxxxxxxx", "naïve"], [-6.0, -3.0, -1.0, -1.0], 2, 2],
[["a longer choice, with a comma", "Paris", "xxxxxxxxxxxxxxxxx", "no"], [-2.0, -2.0, -6.0, -1.0], 3, 0],
[["a", "b"], ["nan", -1.0], 0, 0],
[["a", "bb", "c"], [-1.0, "nan", "nan"], 1, 1],
[["a", "b"], ["-inf", "-inf"], 0, 0],
[["bb", "a"], ["-inf", -9.0], 1, 1]
])";

double number_of(const json& value) {
  if (value.is_number()) return value.get<double>();
  return value == "nan" ? std::numeric_limits<double>::quiet_NaN() : -std::numeric_limits<double>::infinity();
}

/// A task of some lines, whose file goes away once it is read.
std::unique_ptr<Task> task_of(const std::string& contents, const char* name = "samples.jsonl") {
  const TempDir folder(fast_parent());
  write_bytes(folder.path() / name, contents);
  return make_file_task("file:" + folder.file(name));
}

TaskAnswer text_answer(const std::string& text) {
  TaskAnswer answer;
  answer.text = text;
  return answer;
}

/// Returns an empty text if these lines are refused with these words, and with their place.
std::string refusal(const std::string& contents, const std::string& part, const std::string& place = ":1") {
  const auto error = error_of([&] { task_of(contents); });
  if (!error) return "nothing thrown";
  const std::string text = error->what();
  const bool there = error->fault() == Fault::BadInput && text.find(part) != std::string::npos &&
                     text.find("samples.jsonl" + place) != std::string::npos;
  return there ? "" : text;
}

const json kFrance{{"prompt", "The capital of France is"},
                   {"answers", {"Paris", " Paris"}},
                   {"stop", {"\n", "."}},
                   {"max_new_tokens", 5}};
const json kNorway{{"id", "two"},
                   {"slice", "far"},
                   {"context", "Oslo is in Norway. "},
                   {"question", "Norway's capital is"},
                   {"answers", "Oslo"},
                   {"needle", "Oslo is in Norway."},
                   {"source", 7}};
const std::string kQuestions = kFrance.dump() + "\n\n" + kNorway.dump() + "\n";

}  // namespace

class FileTasksTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  void questions_are_read() {
    const auto task = task_of(kQuestions);
    QCOMPARE(static_cast<int>(task->info().kind), static_cast<int>(TaskKind::Generation));
    QCOMPARE(task->info().max_new_tokens, 5);
    QVERIFY((task->info().stops == std::vector<std::string>{"\n", "."}));
    QCOMPARE(task->info().metric, "exact_match");
    const auto samples = task->samples({});
    QCOMPARE(samples.size(), 2u);
    QCOMPARE(samples[0].id, "1");
    QCOMPARE(samples[0].context + samples[0].question, "The capital of France is");
    QVERIFY((samples[0].references == std::vector<std::string>{"Paris", " Paris"}));
    QCOMPARE(samples[1].id, "two");
    QCOMPARE(samples[1].slice, "far");
    QCOMPARE(samples[1].context, "Oslo is in Norway. ");
    QCOMPARE(samples[1].question, "Norway's capital is");
    QVERIFY((samples[1].needles == std::vector<std::string>{"Oslo is in Norway."}));
    QCOMPARE(samples[1].fields.at("source"), 7);
    SampleRequest one;
    one.count = 1;
    QCOMPARE(task->samples(one).size(), 1u);
  }

  // The harness's own where a file names none.
  void defaults_are_those_of_the_harness() {
    const auto task = task_of(R"({"prompt": "a", "answers": ["b"]})");
    QVERIFY(task->info().stops == std::vector<std::string>{"\n\n"});
    QCOMPARE(task->info().max_new_tokens, 256);
  }

  // Also recorded: of several answers any counts, and a blank does too.
  void texts_are_scored_as_by_the_harness() {
    struct Record {
      std::vector<std::string> answers;
      const char* text;
      double exact, contains;
    };
    for (const Record& record :
         {Record{{"Paris"}, "Paris", 1, 1}, Record{{"Paris"}, " Paris", 0, 1}, Record{{"Paris"}, "paris", 0, 0},
          Record{{"a", "b"}, "b", 1, 1}, Record{{"a", "b"}, "c", 0, 0}, Record{{"a", "b"}, "ab", 0, 1},
          Record{{"a", "über"}, "über", 1, 1}, Record{{"a", "b"}, "", 0, 0}, Record{{"a.", "b"}, "a", 0, 0}}) {
      const auto task = task_of(json{{"prompt", "q"}, {"answers", record.answers}}.dump());
      const Scores scores = task->score(task->samples({}).at(0), text_answer(record.text));
      QCOMPARE(scores.at("exact_match"), record.exact);
      QCOMPARE(scores.at("contains"), record.contains);
    }
  }

  void choices_are_scored_as_by_the_harness() {
    for (const json& record : json::parse(kRecords))
      for (const char* delimiter : {" ", "\n", "", "→ "})  // stands in front of choices, and is no part of their length
        for (std::size_t right = 0; right < record[0].size(); ++right) {
          json line{{"prompt", "q"}, {"choices", record[0]}, {"answer", right}};
          if (delimiter != std::string(" ")) line["target_delimiter"] = delimiter;
          const auto task = task_of(line.dump());
          const TaskSample sample = task->samples({}).at(0);
          TaskAnswer answer;
          for (std::size_t i = 0; i < record[1].size(); ++i) {
            QCOMPARE(sample.choices.at(i), delimiter + record[0][i].get<std::string>());
            answer.loglikelihoods.push_back(number_of(record[1][i]));
          }
          const Scores scores = task->score(sample, answer);
          QCOMPARE(scores.at("acc"), record[2].get<std::size_t>() == right ? 1.0 : 0.0);
          QCOMPARE(scores.at("acc_norm"), record[3].get<std::size_t>() == right ? 1.0 : 0.0);
          QCOMPARE(task->score(sample, {}).at("acc"), 0.0);  // the model gave nothing
        }
  }

  void a_list_is_read_as_lines_are() {
    const std::string first = R"({"prompt": "a", "answers": ["b"]})", second = R"({"prompt": "c", "answers": ["d"]})";
    const auto as_lines = task_of(first + "\n" + second)->samples({});
    const auto as_list = task_of("[" + first + "," + second + "]", "samples.json");
    const auto samples = as_list->samples({});
    QCOMPARE(samples.size(), as_lines.size());
    for (std::size_t i = 0; i < samples.size(); ++i) QCOMPARE(samples[i].fields, as_lines[i].fields);
  }

  void samples_that_have_no_room_are_left_out() {
    const auto demo = Tokenizer::load(demo_folder().string());
    std::string lines;
    for (int words = 1; words <= 30; ++words) {
      json line{{"prompt", ""}, {"choices", {"salt", "a lamp"}}, {"answer", 0}};
      std::string prompt = "It";
      for (int i = 0; i < words; ++i) prompt += " rained";
      line["prompt"] = prompt;
      lines += line.dump() + "\n";
    }
    const auto task = task_of(lines);
    SampleRequest request;
    request.tokenizer = demo;
    for (const std::int64_t length : {8, 20, 25, 60}) {
      request.length = length;
      std::size_t fitting = 0;
      for (const TaskSample& sample : task->samples({})) {
        bool fits = true;
        for (const std::string& choice : sample.choices)
          fits = fits && std::ssize(demo->encode(sample.question + choice)) <= length;
        fitting += fits ? 1 : 0;
      }
      QVERIFY(fitting > 0);
      QCOMPARE(task->samples(request).size(), fitting);
    }
    request.length = 2;
    QCOMPARE(unlike(Fault::Usage, "at most 2 tokens", [&] { task->samples(request); }), "");
    request.tokenizer = nullptr;
    QCOMPARE(unlike(Fault::Usage, "no tokenizer", [&] { task->samples(request); }), "");
  }

  void wrong_lines_are_refused_with_their_place() {
    const std::string good = json{{"prompt", "a"}, {"answers", {"b"}}}.dump() + "\n";
    QCOMPARE(refusal(good + R"({"prompt": "a", "choices": ["b", "c"], "answer": 0})", "of another kind", ":2"), "");
    QCOMPARE(refusal(good + R"({"prompt": "a", "answers": ["b"], "max_new_tokens": 9})", "than the first line", ":2"),
             "");
    QCOMPARE(refusal(good + R"({"prompt": "a", "answers": ["b"], "stop": ["x"]})", "than the first line", ":2"), "");
    QCOMPARE(refusal(good + R"({"prompt": "a", "answers": ["b"], "id": "1"})", "like an earlier one", ":2"), "");
    QCOMPARE(refusal(good + "{", "", ":2"), "");
    QCOMPARE(refusal(R"(["a"])", "is not an object", "[0]"), "");
    QCOMPARE(refusal(R"({"answers": ["b"]})", "either \"prompt\" or \"question\""), "");
    QCOMPARE(refusal(R"({"prompt": "a", "question": "b", "answers": ["b"]})", "either"), "");
    QCOMPARE(refusal(R"({"context": "a", "answers": ["b"]})", "either"), "");
    QCOMPARE(refusal(R"({"prompt": "", "answers": ["b"]})", "empty prompt"), "");
    QCOMPARE(refusal(R"({"prompt": 3, "answers": ["b"]})", "prompt"), "");
    QCOMPARE(refusal(R"({"prompt": "a"})", "no answers"), "");
    QCOMPARE(refusal(R"({"prompt": "a", "answers": []})", "no answers"), "");
    QCOMPARE(refusal(R"({"prompt": "a", "answers": [""]})", "empty text"), "");
    QCOMPARE(refusal(R"({"prompt": "a", "answers": [1]})", "answers"), "");
    QCOMPARE(refusal(R"({"prompt": "a", "answers": ["b"], "max_new_tokens": 0})", "max_new_tokens"), "");
    QCOMPARE(refusal(R"({"prompt": "a", "answers": ["b"], "max_new_tokens": 1.5})", "max_new_tokens"), "");
    QCOMPARE(refusal(R"({"context": "a", "question": "?", "answers": ["b"], "needle": "c"})", "needle"), "");
    QCOMPARE(refusal(R"({"prompt": "a", "choices": ["b"], "answer": 0})", "fewer than two"), "");
    QCOMPARE(refusal(R"({"prompt": "a", "choices": ["b", ""], "answer": 0})", "empty text"), "");
    for (const char* answer : {"2", "-1", "0.0", "\"b\"", "null", "99999999999999999999"})
      QCOMPARE(refusal(std::string(R"({"prompt": "a", "choices": ["b", "c"], "answer": )") + answer + "}", "answer"),
               "");
    QCOMPARE(unlike(Fault::BadInput, "no sample", [] { task_of("\n\n"); }), "");
    QCOMPARE(unlike(Fault::Io, "none.jsonl", [] { make_file_task("file:none.jsonl"); }), "");
    for (const char* name : {"file", "file:", "other"})
      QCOMPARE(unlike(Fault::Usage, "file:PATH", [name] { make_file_task(name); }), "");
  }

  void damaged_files_are_read_or_refused() {
    const std::string choices = R"({"prompt": "a", "choices": ["é", "cc"], "answer": 1, "target_delimiter": ": "})";
    for (const std::string& whole : {kQuestions, choices + "\n" + choices + "\n"}) {
      Mutator mutants(whole, whole.size(), 5);
      int read = 0, refused = 0;
      for (int i = 0; i < 1500; ++i) {
        std::unique_ptr<Task> task;
        if (const auto error = error_of([&] { task = task_of(mutants.next()); })) {
          ++refused;
          QVERIFY(error->fault() == Fault::BadInput);
          continue;
        }
        ++read;
        for (const TaskSample& sample : task->samples({})) {
          TaskAnswer answer = text_answer("Paris");
          answer.loglikelihoods.assign(sample.choices.size(), -1.0);
          for (const auto& [name, value] : task->score(sample, answer)) QVERIFY(value == 0.0 || value == 1.0);
        }
      }
      QVERIFY(read > 50 && refused > 300);
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<FileTasksTest>};
#include "file_tasks_test.moc"
