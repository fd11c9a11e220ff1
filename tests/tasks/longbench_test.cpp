// SPDX-License-Identifier: GPL-3.0-or-later
// LongBench and LongBench-E on files of the official shape with contents of our own.
#include "engine/tasks/longbench.h"

#include <QTest>
#include <algorithm>
#include <functional>
#include <span>

#include "engine/base/utf8.h"
#include "engine/tasks/base/middle_truncation.h"
#include "engine/tasks/base/prompt_template.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

json line(const std::string& id, std::int64_t length, const std::vector<std::string>& answers) {
  return {{"input", "Who rowed " + id + "?"},
          {"context", "May rowed the boat. {input} " + id},
          {"answers", answers},
          {"length", length},
          {"dataset", "made"},
          {"language", "en"},
          {"all_classes", nullptr},
          {"_id", id}};
}

std::string lines(const std::vector<json>& records) {
  std::string text;
  for (const json& record : records) text += record.dump() + "\n";
  return text;
}

/// A folder with prompts for every set, and one set's file.
class BenchFolder : public TempDir {
 public:
  BenchFolder(const std::string& name, const std::string& contents) : TempDir(fast_parent()) {
    std::filesystem::create_directories(path() / "config");
    std::filesystem::create_directories(path() / "data");
    json prompts;
    for (const std::string& task : longbench_task_names())
      prompts[task.substr(task.find('/') + 1)] = "Read {{this}}: {context}\n\nQuestion: {input}\nAnswer:";
    write_bytes(file("config/dataset2prompt.json"), prompts.dump());
    write_bytes(file("data/" + name), contents);
  }
};

SampleRequest request_of(const TempDir& folder) {
  SampleRequest request;
  request.data = folder.path().string();
  return request;
}

std::vector<TaskSample> samples_of(const std::string& contents) {
  const BenchFolder folder("hotpotqa.jsonl", contents);
  return make_longbench_task("longbench/hotpotqa")->samples(request_of(folder));
}

double score_of(const std::string& set, const json& record, const std::string& answer) {
  const BenchFolder folder(set + ".jsonl", record.dump());
  const auto task = make_longbench_task("longbench/" + set);
  const Scores scores = task->score(task->samples(request_of(folder)).at(0), {answer, {}, {}, {}});
  return scores.at(task->info().metric);
}

}  // namespace

class LongbenchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void lists_its_tasks() {
    QCOMPARE(longbench_task_names().size(), std::size_t{18});
    QCOMPARE(longbench_e_task_names().size(), std::size_t{13});
    std::size_t chat = 0;
    for (const std::string& name : longbench_task_names()) {
      const TaskInfo info = make_longbench_task(name)->info();
      QCOMPARE(info.name, name);
      QVERIFY(info.max_new_tokens >= 32 && info.needs_data && !info.metric.empty() && !info.source.empty());
      chat += info.chat ? 1U : 0U;
    }
    QCOMPARE(chat, std::size_t{12});
    for (const std::string& name : longbench_e_task_names()) QCOMPARE(make_longbench_e_task(name)->info().name, name);
    QCOMPARE(make_longbench_task("longbench/samsum")->info().stops, std::vector<std::string>{"\n"});
    QCOMPARE(unlike(Fault::Unsupported, "jieba", [] { make_longbench_task("longbench/dureader"); }), std::string());
    QCOMPARE(unlike(Fault::Usage, "longbench/qasper", [] { make_longbench_task("longbench/none"); }), std::string());
    QCOMPARE(unlike(Fault::Usage, "not a task", [] { make_longbench_e_task("longbench_e/musique"); }), std::string());
  }

  void reads_samples() {
    const json first = line("one", 3999, {"May", "May Snow"});
    const std::string contents = lines({first}) + "\n" + lines({line("two", 4000, {"Al"}), line("two", 9000, {})});
    const auto samples = samples_of(contents);
    QCOMPARE(samples.size(), std::size_t{3});
    QCOMPARE(samples[0].id, std::string("one"));
    QCOMPARE(samples[0].context, std::string("Read {this}: May rowed the boat. {input} one"));
    QCOMPARE(samples[0].question, std::string("\n\nQuestion: Who rowed one?\nAnswer:"));
    QVERIFY(samples[0].references == std::vector<std::string>({"May", "May Snow"}) && samples[0].fields == first);
    QVERIFY(samples[0].slice.empty() && samples[1].id == "two" && samples[2].id != "two");

    const BenchFolder folder("hotpotqa_e.jsonl", contents);
    const auto task = make_longbench_e_task("longbench_e/hotpotqa");
    const auto binned = task->samples(request_of(folder));
    QVERIFY(binned[0].slice == "0-4k" && binned[1].slice == "4-8k" && binned[2].slice == "8k+");
    SampleRequest request = request_of(folder);
    request.count = 2;
    QCOMPARE(task->samples(request).size(), std::size_t{2});
  }

  void writes_official_predictions() {
    const auto sample = samples_of(lines({line("one", 7, {"May"})})).at(0);
    const auto task = make_longbench_task("longbench/hotpotqa");
    QCOMPARE(task->info().predictions, std::string("pred/{run}/hotpotqa.jsonl"));
    QCOMPARE(make_longbench_e_task("longbench_e/qasper")->info().predictions, std::string("pred_e/{run}/qasper.jsonl"));
    QVERIFY(task->prediction(sample, "é\n") ==
            json({{"pred", "é\n"}, {"answers", {"May"}}, {"all_classes", nullptr}, {"length", 7}}));
  }

  void scores_each_set_by_its_metric() {
    json classes = line("one", 7, {"City"});
    classes["all_classes"] = {"City", "Number"};
    QCOMPARE(score_of("hotpotqa", line("one", 7, {"Al", "May Snow"}), "The may!\nMay"), 0.5);
    QCOMPARE(score_of("triviaqa", line("one", 7, {"May"}), "\n\nMay\nPassage: more"), 1.0);
    QCOMPARE(score_of("trec", classes, "City\nType: Number"), 1.0);
    QCOMPARE(score_of("lsht", classes, "City Number"), 0.5);
    QVERIFY(std::abs(score_of("gov_report", line("one", 7, {"a b. c"}), "c. a b") - 1) < 1e-7);
    QVERIFY(std::abs(score_of("samsum", line("one", 7, {"a b"}), "\na b\nDialogue: c") - 1) < 1e-7);
    QCOMPARE(score_of("passage_count", line("one", 7, {"4"}), "4 or 5"), 0.5);
    QCOMPARE(score_of("passage_retrieval_en", line("one", 7, {"Paragraph 4"}), "Paragraph 4"), 1.0);
    QCOMPARE(score_of("passage_retrieval_zh", line("one", 7, {"段落4"}), "段落4"), 1.0);
    QCOMPARE(score_of("lcc", line("one", 7, {"return x"}), "\n# so\nreturn x\nreturn y"), 1.0);
    QCOMPARE(score_of("hotpotqa", line("one", 7, {}), "May"), 0.0);
  }

  // Whatever the length, the halves are those of the whole prompt's tokens, and the question stays whole where it fits.
  void truncates_in_the_middle() {
    const std::shared_ptr<const Tokenizer> tokenizer = Tokenizer::load(CARRYOVER_SOURCE_DIR "/resources/demo");
    json record = line("one", 7, {"May"});
    record["context"] = read_bytes(CARRYOVER_SOURCE_DIR "/resources/demo/text.txt").substr(0, 4000) + " Größe 東京";
    const BenchFolder folder("hotpotqa.jsonl", record.dump());
    const auto task = make_longbench_task("longbench/hotpotqa");
    SampleRequest request = request_of(folder);
    request.tokenizer = tokenizer;
    const TaskSample whole = task->samples(request).at(0);
    const auto ids = tokenizer->encode(whole.context + whole.question);
    const auto question = std::ssize(tokenizer->encode(whole.question));
    const auto text_of = [&](std::span<const std::int32_t> some) {
      std::string bytes = tokenizer->decode(some);
      return take_utf8(bytes, true);  // characters are cut too
    };
    for (std::int64_t most = 2; most <= std::ssize(ids) + 1; most += most < 80 ? 1 : 97) {
      request.length = most + task->info().max_new_tokens;
      const TaskSample sample = task->samples(request).at(0);
      const std::string prompt = sample.context + sample.question;
      if (most >= std::ssize(ids)) {
        QCOMPARE(prompt, whole.context + whole.question);
        continue;
      }
      const auto half = static_cast<std::size_t>(most / 2);
      const std::span<const std::int32_t> all(ids);
      QCOMPARE(prompt, text_of(all.first(half)) + text_of(all.last(half)));
      QVERIFY(!sample.context.empty() && whole.question.ends_with(sample.question));
      if (std::ssize(all.last(half)) > question) QCOMPARE(sample.question, whole.question);
      const auto joined = truncate_middle_joined(whole.context + whole.question, most, *tokenizer);
      QVERIFY(joined && joined->starts_with(text_of(all.first(half))));
      QVERIFY(joined->ends_with(text_of(all.last(static_cast<std::size_t>(most) - half))));
    }
    request.length = task->info().max_new_tokens + 1;
    QCOMPARE(unlike(Fault::Usage, "no room", [&] { task->samples(request); }), std::string());
  }

  void fills_templates() {
    const json values{{"context", "{input}"}, {"input", "q"}, {"n", 3}};
    const auto filled = [&](const std::string& text) {
      const PromptParts parts = fill_prompt(text, values, "file");
      return parts.context + "|" + parts.question;
    };
    QCOMPARE(filled("{context}"), std::string("{input}|"));
    QCOMPARE(filled("{{{input}}}{context}{{}}{context}"), std::string("{q}{input}|{}{input}"));
    for (const char* const text :
         {"", "{input}", "{context", "}{context}", "{context}{n}", "{context}{context!r}", "{}"})
      QCOMPARE(unlike(Fault::BadInput, "file", [&] { filled(text); }), std::string());
  }

  void averages_categories() {
    const auto categories = longbench_categories();
    QCOMPARE(categories.size(), std::size_t{16});
    std::map<std::string, double> scores{{"longbench/lsht", 1.0}};
    for (const auto& [set, category] : categories)
      scores["longbench_e/" + set] = category == "Code Completion" ? 0.7 : 0.1;
    const LongBenchAverage all = longbench_average(scores);
    QVERIFY(all.missing.empty() && all.categories.size() == 6 && std::abs(all.average - 0.2) < 1e-12);
    const LongBenchAverage some = longbench_average({{"lcc", 0.5}, {"hotpotqa", 0.2}, {"musique", 0.4}});
    QVERIFY(std::abs(some.average - 0.4) < 1e-12 && some.missing.size() == 13);
    QVERIFY(std::abs(some.categories.at("Multi-Doc QA") - 0.3) < 1e-12);
    QVERIFY(longbench_average({}).average == 0);
  }

  void refuses_records() {
    const std::string good = lines({line("one", 7, {"May"})});
    const auto refused = [&](const std::function<void(json&)>& change) {
      json bad = line("two", 7, {"May"});
      change(bad);
      return unlike(Fault::BadInput, "hotpotqa.jsonl:2", [&] { samples_of(good + bad.dump()); });
    };
    QCOMPARE(refused([](json& bad) { bad = json::array({1}); }), std::string());
    for (const char* const key : {"context", "input", "answers", "length"}) {
      QCOMPARE(refused([&](json& bad) { bad.erase(key); }), std::string());
      QCOMPARE(refused([&](json& bad) { bad[key] = json::object(); }), std::string());
    }
    QCOMPARE(refused([](json& bad) { bad["answers"] = {"May", 3}; }), std::string());
    QCOMPARE(refused([](json& bad) { bad["answers"] = json(1001, "x"); }), std::string());
    QCOMPARE(refused([](json& bad) { bad["answers"] = {std::string(200'000, 'x')}; }), std::string());
    QCOMPARE(refused([](json& bad) { bad["_id"] = 3; }), std::string());
    QCOMPARE(unlike(Fault::BadInput, "hotpotqa.jsonl:2", [&] { samples_of(good + "{\"input\""); }), std::string());
    QCOMPARE(unlike(Fault::BadInput, "has no sample", [] { samples_of("\n \n"); }), std::string());
    const auto scored = [](const std::string& set) { score_of(set, line("one", 7, {"none"}), ""); };
    QCOMPARE(unlike(Fault::BadInput, "names no paragraph", [&] { scored("passage_retrieval_en"); }), std::string());
    QCOMPARE(unlike(Fault::BadInput, "all_classes", [&] { scored("trec"); }), std::string());
  }

  void says_which_files_are_missing() {
    const auto task = make_longbench_task("longbench/hotpotqa");
    const BenchFolder folder("hotpotqa.jsonl", lines({line("one", 7, {"May"})}));
    const auto problem = [&](Fault fault, const char* part) {
      return unlike(fault, part, [&] { task->samples(request_of(folder)); });
    };
    QCOMPARE(unlike(Fault::Usage, "no folder", [&] { task->samples({}); }), std::string());
    write_bytes(folder.file("config/dataset2maxlen.json"), "{\"hotpotqa\": 64}");
    QCOMPARE(problem(Fault::BadInput, "names 64 tokens"), std::string());
    write_bytes(folder.file("config/dataset2maxlen.json"), "{\"hotpotqa\": 32}");
    QCOMPARE(task->samples(request_of(folder)).size(), std::size_t{1});
    write_bytes(folder.file("config/dataset2prompt.json"), "{\"hotpotqa\": [\"{context}\"]}");
    QCOMPARE(problem(Fault::BadInput, "\"hotpotqa\" is not a string"), std::string());
    write_bytes(folder.file("config/dataset2prompt.json"), "{\"hotpotqa\": \"{context\"}");
    QCOMPARE(problem(Fault::BadInput, "lone brace"), std::string());
    std::filesystem::remove(folder.path() / "config/dataset2prompt.json");
    QCOMPARE(problem(Fault::Io, "LongBench/config/dataset2prompt.json"), std::string());
    std::filesystem::remove(folder.path() / "data/hotpotqa.jsonl");
    QCOMPARE(problem(Fault::Io, "hotpotqa.jsonl"), std::string());
  }

  void any_damage_is_refused_or_read() {
    const std::string whole = lines({line("one", 3999, {"May", "Al"}), line("two", 8000, {"Al"})});
    Mutator mutants(whole, whole.size(), 5);
    const BenchFolder folder("hotpotqa_e.jsonl", whole);
    const auto task = make_longbench_e_task("longbench_e/hotpotqa");
    int read = 0, refused = 0;
    for (int i = 0; i < 1500; ++i) {
      write_bytes(folder.file("data/hotpotqa_e.jsonl"), mutants.next());
      std::vector<TaskSample> samples;
      if (const auto error = error_of([&] { samples = task->samples(request_of(folder)); })) {
        QVERIFY(error->fault() == Fault::BadInput && !error->where().empty());
        ++refused;
        continue;
      }
      ++read;
      for (const TaskSample& sample : samples) {
        const Scores scores = task->score(sample, {"May", {}, {}, {}});
        QVERIFY(scores.size() == 1 && scores.begin()->second >= 0 && scores.begin()->second <= 1);
      }
    }
    QVERIFY(read > 100 && refused > 300);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<LongbenchTest>};
#include "longbench_test.moc"
