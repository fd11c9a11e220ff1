// SPDX-License-Identifier: GPL-3.0-or-later
// Perplexity: which tokens each convention runs, and how losses become a figure.
#include "engine/tasks/perplexity_tasks.h"

#include <QTest>
#include <cmath>
#include <random>

#include "engine/data/text_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

/// Texts of some lengths in bytes, named so that the last one written comes first.
class Texts {
 public:
  explicit Texts(const std::vector<std::size_t>& lengths) : tokenizer(Tokenizer::load(demo_folder().string())) {
    const std::string story = read_bytes(demo_folder() / "text.txt");
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const std::string name = std::string(1, static_cast<char>('z' - i)) + ".txt";
      write_bytes(folder.path() / name, story.substr(i, lengths[i]));
      documents.insert(documents.begin(), {name, tokenizer->encode(story.substr(i, lengths[i]))});
    }
  }
  std::vector<TaskSample> samples(const char* task, std::int64_t length, std::int64_t count = 0) const {
    SampleRequest request;
    request.tokenizer = tokenizer;
    request.data = folder.path().string();
    request.length = length;
    request.count = count;
    return make_perplexity_task(task)->samples(request);
  }

  std::shared_ptr<const Tokenizer> tokenizer;
  TempDir folder;
  std::vector<std::pair<std::string, std::vector<std::int32_t>>> documents;  ///< in the order in which they are read
};

std::vector<std::int32_t> first_of(const std::vector<std::int32_t>& ids, std::size_t count) {
  return {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()))};
}

TaskAnswer losses(std::vector<double> values) {
  TaskAnswer answer;
  answer.losses = std::move(values);
  return answer;
}

}  // namespace

class PerplexityTasksTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  void disjoint_runs_each_document_once() {
    const Texts texts({3000, 900, 5000, 400});
    for (const std::int64_t length : {0, 2, 100, 500, 100000}) {
      const auto samples = texts.samples("ppl/disjoint", length);
      QCOMPARE(samples.size(), texts.documents.size());
      for (std::size_t i = 0; i < samples.size(); ++i) {
        QCOMPARE(samples[i].id, texts.documents[i].first);
        const auto& ids = texts.documents[i].second;
        QVERIFY(samples[i].ids == first_of(ids, length == 0 ? ids.size() : static_cast<std::size_t>(length)));
        QCOMPARE(samples[i].unscored, 1);
      }
      QCOMPARE(texts.samples("ppl/disjoint", length, 3).size(), 3u);
    }
  }

  void truncated_leaves_shorter_documents_out() {
    const Texts texts({3000, 900, 5000, 400});
    for (const std::int64_t length : {50, 200, 700, 1000}) {
      std::vector<std::vector<std::int32_t>> expected;
      for (const auto& [name, ids] : texts.documents)
        if (std::ssize(ids) >= length) expected.push_back(first_of(ids, static_cast<std::size_t>(length)));
      QVERIFY(!expected.empty() && (length < 100 || expected.size() < 4));
      const auto samples = texts.samples("ppl/truncated", length);
      QCOMPARE(samples.size(), expected.size());
      for (std::size_t i = 0; i < samples.size(); ++i) QVERIFY(samples[i].ids == expected[i]);
      QCOMPARE(texts.samples("ppl/truncated", length, 1).size(), 1u);
    }
    QCOMPARE(unlike(Fault::BadInput, "long enough", [&] { texts.samples("ppl/truncated", 100000); }), "");
  }

  // LongLoRA's loop, spelled out: begins are 0, 256, … below tokens − L, and the last of them is taken off.
  void longlora_slides_windows_over_all_documents() {
    std::mt19937 random(4);
    int made = 0, none = 0;
    for (int round = 0; round < 12; ++round) {
      const Texts texts({500 + random() % 6000, 200 + random() % 3000});
      std::vector<std::int32_t> stream;
      for (const auto& [name, ids] : texts.documents) stream.insert(stream.end(), ids.begin(), ids.end());
      const std::int64_t tokens = std::ssize(stream);
      std::vector<std::int64_t> lengths{64, 256, 300, 1024};
      // The last length that leaves two begins, one, and none; and where the count of begins changes.
      for (const std::int64_t less : {255, 256, 257, 511, 512, 513})
        if (tokens > less + 1) lengths.push_back(tokens - less);
      for (const std::int64_t length : lengths) {
        std::vector<std::int64_t> begins;
        for (std::int64_t at = 0; at < tokens - length; at += 256) begins.push_back(at);
        if (begins.size() < 2) {
          ++none;
          QCOMPARE(unlike(Fault::BadInput, "long enough", [&] { texts.samples("ppl/longlora", length); }), "");
          continue;
        }
        ++made;
        begins.pop_back();
        const auto samples = texts.samples("ppl/longlora", length);
        QCOMPARE(samples.size(), begins.size());
        for (std::size_t i = 0; i < samples.size(); ++i) {
          QVERIFY(std::equal(samples[i].ids.begin(), samples[i].ids.end(), stream.begin() + begins[i],
                             stream.begin() + begins[i] + length));
          QCOMPARE(samples[i].unscored, 1);
        }
        const auto few = texts.samples("ppl/longlora", length, 2);
        QCOMPARE(few.size(), std::min<std::size_t>(2, begins.size()));
        QVERIFY(few.back().ids == samples[few.size() - 1].ids);
      }
    }
    QVERIFY(made > 20 && none > 5);
  }

  void losses_become_perplexity_by_convention() {
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> loss(0, 6);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::vector<double>> all(1 + random() % 6);
      double sum = 0, count = 0, means = 0, perplexities = 0;
      for (auto& each : all) {
        each.resize(1 + random() % 40);
        double own = 0;
        for (double& value : each) own += value = loss(random);
        sum += own;
        count += static_cast<double>(each.size());
        means += own / static_cast<double>(each.size());
        perplexities += std::exp(own / static_cast<double>(each.size()));
      }
      const auto samples = static_cast<double>(all.size());
      const auto figures = [&all](const char* name) {
        const auto task = make_perplexity_task(name);
        std::vector<Scores> scores{task->score({}, {})};  // of a sample that failed, which doesn't count
        for (const auto& each : all) scores.push_back(task->score({}, losses(each)));
        return task->aggregate(scores);
      };
      const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); };
      for (const char* name : {"ppl/disjoint", "ppl/truncated"}) {
        Scores found = figures(name);
        QVERIFY(close(found["perplexity"], std::exp(sum / count)) && close(found["nll"], sum / count));
        QCOMPARE(found["tokens"], count);
      }
      QVERIFY(close(figures("ppl/truncated")["mean_perplexity"], perplexities / samples));
      Scores found = figures("ppl/longlora");
      QVERIFY(close(found["perplexity"], std::exp(means / samples)) && close(found["nll"], means / samples));
      QCOMPARE(found["tokens"], count);
    }
    for (const std::string& name : perplexity_task_names()) {
      const auto task = make_perplexity_task(name);
      QVERIFY(task->aggregate({}).empty() && task->aggregate({{}, {}}).empty());
      QVERIFY(!task->info().convention.empty() && task->info().needs_data && !task->info().higher_is_better);
    }
  }

  void a_file_is_named_without_its_folder() {
    const Texts texts({1000});
    SampleRequest request;
    request.tokenizer = texts.tokenizer;
    request.data = texts.folder.file("z.txt");
    const auto task = make_perplexity_task("ppl/disjoint");
    QCOMPARE(task->samples(request).at(0).id, "z.txt");
    std::filesystem::create_directory(texts.folder.path() / "b");
    write_bytes(texts.folder.path() / "b" / "lines.jsonl", R"({"text": "It rained."}
{"text": "A ship came."})");
    request.data = texts.folder.path().string();
    const auto samples = task->samples(request);
    QCOMPARE(samples.size(), 3u);
    QCOMPARE(samples[0].id, "b/lines.jsonl:1");
    QCOMPARE(samples[1].id, "b/lines.jsonl:2");
  }

  void what_cannot_be_run_is_refused() {
    const Texts texts({1000});
    for (const std::string& name : perplexity_task_names()) {
      SampleRequest request;
      request.length = 16;
      const auto run = [&] { make_perplexity_task(name)->samples(request); };
      QCOMPARE(unlike(Fault::Usage, "no tokenizer", run), "");
      request.tokenizer = texts.tokenizer;
      QCOMPARE(unlike(Fault::Usage, "--data", run), "");
      request.data = texts.folder.file("none.txt");
      QCOMPARE(unlike(Fault::Io, "none.txt", run), "");
      request.data = texts.folder.file("z.txt");
      request.length = 1;
      QCOMPARE(unlike(Fault::Usage, "at least two tokens", run), "");
      request.length = -5;
      QCOMPARE(unlike(Fault::Usage, "at least two tokens", run), "");
    }
    QCOMPARE(unlike(Fault::Usage, "ppl/disjoint", [] { make_perplexity_task("ppl/disjunct"); }), "");
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<PerplexityTasksTest>};
#include "perplexity_tasks_test.moc"
