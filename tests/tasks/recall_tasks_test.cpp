// SPDX-License-Identifier: GPL-3.0-or-later
// Recall by distance: the pair that is asked for lies as many segments before its question as the sample says, to the
// token, for tokenizers of every kind.
#include "engine/tasks/recall_tasks.h"

#include <QTest>
#include <map>
#include <set>

#include "engine/tasks/base/made_text.h"
#include "tests/support/byte_tokenizer.h"
#include "tests/support/expect_error.h"
#include "tests/support/make_tokenizer.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

namespace {

std::map<std::string, std::shared_ptr<const Tokenizer>> tokenizers() {
  const TempDir pieces, split;
  write_bytes(pieces.path() / "tokenizer.model", make_sentencepiece({}));
  write_bytes(split.path() / "tokenizer.json", demo_tokenizer_with_split().dump());
  return {{"demo", Tokenizer::load(demo_folder().string())},
          {"llama 3's pattern", Tokenizer::load(split.path().string())},
          {"sentencepiece", Tokenizer::load(pieces.path().string())},
          {"bytes", std::make_shared<PlainByteTokenizer>()}};
}

SampleRequest request_of(std::shared_ptr<const Tokenizer> tokenizer, std::int64_t segment_length,
                         std::int64_t length = 0, std::int64_t count = 0, std::uint64_t seed = 42) {
  SampleRequest request;
  request.tokenizer = std::move(tokenizer);
  request.segment_length = segment_length;
  request.length = length;
  request.count = count;
  request.seed = seed;
  return request;
}

std::string prompt_of(const TaskSample& sample) {
  return sample.context + sample.question + sample.answer_start;
}

/// The tokens of a text in which a part of it stands, counted from the front: of byte `first` and of byte `last` − 1.
std::pair<std::int64_t, std::int64_t> tokens_of(const std::string& text, std::size_t first, std::size_t last,
                                                const Tokenizer& tokenizer) {
  const std::vector<std::int32_t> ids = tokenizer.encode(text);
  std::size_t total = 0;
  for (const std::int32_t id : ids) total += tokenizer.bytes(id).size();
  const std::size_t put_first = total - text.size();  // a blank, by SentencePiece
  std::pair<std::int64_t, std::int64_t> range{-1, -1};
  std::size_t end = 0;
  for (std::int64_t i = 0; i < std::ssize(ids); ++i) {
    end += tokenizer.bytes(ids[static_cast<std::size_t>(i)]).size();
    if (range.first < 0 && end > first + put_first) range.first = i;
    if (range.second < 0 && end >= last + put_first) range.second = i;
  }
  return range;
}

std::int64_t distance_of(const TaskSample& sample) {
  return sample.fields.at("distance").get<std::int64_t>();
}

bool same(const TaskSample& a, const TaskSample& b) {
  return a.id == b.id && a.slice == b.slice && prompt_of(a) == prompt_of(b) && a.references == b.references &&
         a.fields == b.fields;
}

}  // namespace

class RecallTasksTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:

  // The question's first token, the pair's and the answer's last are counted in the whole prompt; with a token in
  // front, nothing changes.
  void distances_of_codes_are_exact() {
    const auto task = make_recall_task("recall/key_value");
    for (const auto& [name, tokenizer] : tokenizers())
      for (const std::int64_t segment : {333, 512}) {
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
          const auto samples = task->samples(request_of(tokenizer, segment, 0, 10, seed));
          QCOMPARE(samples.size(), 10u);
          for (const TaskSample& sample : samples) {
            const std::string prompt = prompt_of(sample);
            const std::size_t pair = prompt.find(sample.needles.at(0));
            QVERIFY(pair != std::string::npos && pair < sample.context.size());
            const auto [first, last] = tokens_of(prompt, pair, pair + sample.needles[0].size(), *tokenizer);
            const auto [asks, ends] = tokens_of(prompt, sample.context.size(), prompt.size(), *tokenizer);
            const std::int64_t answered = ends + task->info().max_new_tokens;
            for (const std::int64_t bos : {0, 1}) {
              const std::int64_t question = (asks + bos) / segment;
              QCOMPARE((answered + bos) / segment, question);
              QCOMPARE((first + bos) / segment, question - distance_of(sample));
              QCOMPARE((last + bos) / segment, question - distance_of(sample));
            }
          }
        }
      }
  }

  void distances_of_names_are_exact() {
    const auto task = make_recall_task("recall/names");
    for (const auto& [name, tokenizer] : tokenizers())
      for (const std::int64_t segment :
           name == "demo" ? std::vector<std::int64_t>{32, 48, 64, 65} : std::vector<std::int64_t>{160, 255, 256})
        for (const std::uint64_t seed : {1u, 2u, 3u})
          for (const TaskSample& sample : task->samples(request_of(tokenizer, segment, 0, 10, seed))) {
            const std::string prompt = prompt_of(sample);
            const std::size_t pair = prompt.find(sample.needles.at(0));
            QVERIFY(pair != std::string::npos && pair < sample.context.size());
            const auto [first, last] = tokens_of(prompt, pair, pair + sample.needles[0].size(), *tokenizer);
            // "Who is Eva" ends a segment: the question mark is the next one's first token.
            const std::size_t mark = sample.context.size() + sample.question.find('?');
            const auto [answers, ignored] = tokens_of(prompt, mark, mark + 1, *tokenizer);
            QCOMPARE(answers % segment, 0);
            QCOMPARE(first / segment, answers / segment - distance_of(sample));
            QCOMPARE(last / segment, answers / segment - distance_of(sample));
          }
  }

  void a_key_has_one_value() {
    const auto demo = Tokenizer::load(demo_folder().string());
    for (const char* name : {"recall/key_value", "recall/names"}) {
      std::set<std::string> keys, values;
      for (const TaskSample& sample : make_recall_task(name)->samples(request_of(demo, 256))) {
        const std::string key = sample.fields.at("key").get<std::string>();
        const std::string& needle = sample.needles.at(0);
        QVERIFY(needle.find(key) != std::string::npos && needle.find(sample.references.at(0)) != std::string::npos);
        QVERIFY(sample.question.find(key) != std::string::npos);
        const std::size_t there = sample.context.find(key);
        QVERIFY(there != std::string::npos && sample.context.find(key, there + 1) == std::string::npos);
        const bool has_digit = sample.question.find_first_of("0123456789") != std::string::npos;
        QVERIFY(!has_digit);
        keys.insert(key);
        values.insert(sample.references[0]);
      }
      QVERIFY(keys.size() > 15 && values.size() > 15);
    }
  }

  void a_length_takes_the_distances_that_fit() {
    const auto demo = Tokenizer::load(demo_folder().string());
    for (const char* name : {"recall/key_value", "recall/names"}) {
      const auto task = make_recall_task(name);
      for (const std::int64_t segments : {2, 3, 5, 9, 20, 70}) {
        const std::int64_t length = segments * 256 + 40;
        std::map<std::string, int> slices;
        std::int64_t farthest = 0;
        for (const TaskSample& sample : task->samples(request_of(demo, 256, length))) {
          ++slices[sample.slice];
          QCOMPARE(sample.slice, "distance " + std::to_string(distance_of(sample)));
          farthest = std::max(farthest, distance_of(sample));
          const std::int64_t tokens = std::ssize(demo->encode(prompt_of(sample))) + task->info().max_new_tokens;
          QVERIFY(tokens <= length && tokens > (segments - 1) * 256);
        }
        const std::int64_t most = name == std::string("recall/names") ? segments : segments - 1;
        QVERIFY(farthest <= most && (farthest == 64 || 2 * farthest > most));
        for (const auto& [slice, count] : slices) QCOMPARE(count, 10);
      }
    }
  }

  // A sample is the same however many there are, and another with another seed.
  void samples_follow_from_the_seed() {
    const auto demo = Tokenizer::load(demo_folder().string());
    for (const std::string& name : recall_task_names()) {
      const auto task = make_recall_task(name);
      const auto many = task->samples(request_of(demo, 200, 2000, 20, 7)),
                 few = make_recall_task(name)->samples(request_of(demo, 200, 2000, 5, 7)),
                 others = task->samples(request_of(demo, 200, 2000, 20, 8));
      QCOMPARE(many.size(), 20u);
      QCOMPARE(few.size(), 5u);
      std::set<std::string> ids;
      for (std::size_t i = 0; i < many.size(); ++i) {
        ids.insert(many[i].id);
        QVERIFY(i >= few.size() || same(many[i], few[i]));
        QVERIFY(prompt_of(many[i]) != prompt_of(others[i]));
      }
      QCOMPARE(ids.size(), many.size());
    }
  }

  void what_cannot_be_made_is_refused() {
    const auto demo = Tokenizer::load(demo_folder().string());
    for (const std::string& name : recall_task_names()) {
      const auto task = make_recall_task(name);
      const auto refused = [&](const SampleRequest& request, const std::string& part) {
        return unlike(Fault::Usage, part, [&] { task->samples(request); });
      };
      QCOMPARE(refused(request_of(demo, 0), "no segment length"), "");
      QCOMPARE(refused(request_of(nullptr, 64), "no tokenizer"), "");
      QCOMPARE(refused(request_of(demo, 512, 500), "the length is 500"), "");
      QCOMPARE(refused(request_of(demo, 4), "finds no place"), "");
    }
    QCOMPARE(unlike(Fault::Usage, "recall/names", [] { make_recall_task("recall/name"); }), "");
  }

  void a_value_counts_as_a_word_of_its_own() {
    const auto right = [](const std::string& answer, const std::string& value) {
      TaskSample sample;
      sample.references = {value};
      TaskAnswer given;
      given.text = answer;
      return make_recall_task("recall/names")->score(sample, given).at("string_match");
    };
    for (const char* answer : {" Moon", "Moon", "Moon, I think", "(Moon)", "Moonlight, no: Moon", "Mr. Moon\n"})
      QCOMPARE(right(answer, "Moon"), 1.0);
    for (const char* answer : {"", " Moonlight", "moon", "FullMoon", "Moonö", "Mo on", "Moon7"})
      QCOMPARE(right(answer, "Moon"), 0.0);
    QCOMPARE(right("It is 48213.", "48213"), 1.0);
    QCOMPARE(right("148213 or 482137", "48213"), 0.0);
    QCOMPARE(right("anything", ""), 0.0);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<RecallTasksTest>};
#include "recall_tasks_test.moc"
