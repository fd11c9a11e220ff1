// SPDX-License-Identifier: GPL-3.0-or-later
// The state behind a document in a file: loaded, it is the one that was saved, bit for bit, and answers as if the
// document had just been read. Whatever else a file may be is refused.
#include "engine/runs/state_file.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/config/window_settings.h"
#include "engine/cost/policy_table.h"
#include "engine/policies/infllm/infllm_settings.h"
#include "engine/policies/registry.h"
#include "engine/policies/snapkv/snapkv_settings.h"
#include "engine/runs/document_reading.h"
#include "engine/runs/generation.h"
#include "tests/support/expect_error.h"
#include "tests/support/mutate.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_decoder.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

constexpr std::int64_t kSegment = 20;

DType dtype_of(at::ScalarType type) {
  return type == at::kFloat ? DType::Float32 : type == at::kBFloat16 ? DType::BFloat16 : DType::Float64;
}

/// A document, a model that reads it, and a file.
struct Case {
  TempDir dir{fast_parent()};
  std::string path = dir.file("book.state");
  std::mt19937 random;
  ModelConfig model;
  TinyDecoder tiny;
  ModelInfo info;
  RunRequest text;
  RunControl control;

  Case(unsigned seed, const std::string& policy, at::ScalarType type, std::int64_t tokens)
      : random(seed), model(random_tiny_config(random)), tiny(model, seed, type) {
    info.weights_hash = "00000000000000aa";
    info.dtype = dtype_of(type);
    text.policy = policy;
    text.config = random_varied_config(random, model);
    text.config.segment_length = kSegment;
    text.config.carry_length = draw(random, 0, 10);
    text.config.sink_length = draw(random, 0, 6);
    text.config.of<WindowSettings>().attention_window = draw(random, kSegment, 50);  // a segment of infllm fits it
    text.config.of<SnapKvSettings>().kv_budget = draw(random, 1, 60);
    text.config.question_pass = text.config.boundary_at_prompt_end = false;
    text.ids = std::make_shared<const std::vector<std::int32_t>>(distinct_ids(random, tokens, model.vocabulary));
  }

  StateInfo read(DocumentState& document) { return read_document(tiny.decoder, text, {}, control, document); }
  void save(const DocumentState& document) const { write_state(path, info, tiny.decoder, document); }
  void load(DocumentState& document) const { read_state(path, info, tiny.decoder, document); }
  void read_and_save() {
    DocumentState document;
    read(document);
    save(document);
  }

  /// Tokens behind the document, and an answer that goes on across segments.
  GenerateRequest question(std::int64_t length, bool twice) const {
    std::mt19937 drawn(7);
    GenerateRequest request;
    request.prompt = *text.ids;
    for (const std::int32_t id : random_ids(drawn, length, model.vocabulary)) request.prompt.push_back(id);
    request.question_length = length;
    request.max_new_tokens = kSegment + 5;
    request.policy = text.policy;
    request.config = text.config;
    request.config.question_pass = twice;
    request.logprobs = true;
    return request;
  }
  GenerateResult ask(const GenerateRequest& request, DocumentState* document) {
    return generate_text(
        tiny.decoder, request, [](const GeneratedToken&) { return true; }, control, document);
  }
};

bool same_answer(const GenerateResult& a, const GenerateResult& b) {
  return a.ids == b.ids && a.logprobs == b.logprobs && a.question_hits == b.question_hits;
}

bool same_tensors(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b) {
  return std::ranges::equal(a, b, [](const at::Tensor& x, const at::Tensor& y) {
    return x.scalar_type() == y.scalar_type() && at::equal(x, y);
  });
}

std::vector<at::Tensor> own_tensors(const PolicyState& state) {
  const auto copy = state.clone();
  std::vector<at::Tensor> all;
  for (const at::Tensor* tensor : copy->own_tensors()) all.push_back(*tensor);
  return all;
}

bool same_state(const PolicyState& a, const PolicyState& b) {
  return a.next.index == b.next.index && a.next.first_token == b.next.first_token && a.hits == b.hits &&
         a.near_ties == b.near_ties && a.pool_entries() == b.pool_entries() &&
         same_tensors(a.pool_contents(), b.pool_contents()) && same_tensors(own_tensors(a), own_tensors(b));
}

QString name_of(const std::string& policy, unsigned seed) {
  return QString("%1, seed %2").arg(QString::fromStdString(policy)).arg(seed);
}

/// A safetensors file in parts, so that a test can change one.
struct FileParts {
  json header;
  std::string data;

  explicit FileParts(const std::string& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    header = json::parse(bytes.substr(8, length));
    data = bytes.substr(8 + length);
  }
  std::string bytes() const { return safetensors_from_header(header.dump(), data); }

  std::size_t begin(const std::string& tensor) const { return header[tensor]["data_offsets"][0].get<std::size_t>(); }
  /// A tensor's first value.
  void set_float(const std::string& tensor, float value) {
    std::memcpy(data.data() + begin(tensor), &value, sizeof value);
  }
  json hits() const {
    const auto end = header["hits"]["data_offsets"][1].get<std::size_t>();
    return json::parse(data.substr(begin("hits"), end - begin("hits")));
  }
  /// Bytes are the narrowest elements: hits stand at the end.
  void set_hits(const std::string& text) {
    data.resize(begin("hits"));
    data += text;
    header["hits"]["shape"] = {text.size()};
    header["hits"]["data_offsets"][1] = data.size();
  }
};

/// A file of `segmented` whose next segment reads retrieved tokens in layer 0: fp32, an exact pool.
struct RetrievingCase : Case {
  explicit RetrievingCase(unsigned seed = 5, std::int64_t tokens = 87) : Case(seed, "segmented", at::kFloat, tokens) {
    text.config = SegmentConfig();
    text.config.segment_length = kSegment;
    text.config.carry_length = 8;
    text.config.sink_length = 2;
    text.config.retrieval_length = 12;
    text.config.query_length = 8;
    text.config.top_k = 4;
    text.config.grouping = Grouping({0, 1}, {{0, 1}});
  }
};

}  // namespace

class StateFileTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_loaded_document_answers_as_one_that_was_just_read() {
    for (const PolicyRow& row : policies())
      for (const at::ScalarType type : {at::kFloat, at::kBFloat16})
        for (unsigned seed = 0; seed < 4; ++seed) {
          // Shorter than the sinks, one segment, a last one that is short, and whole ones.
          Case c(seed, row.name, type, std::array{3, 15, 87, 60}[seed]);
          DocumentState read, loaded;
          const StateInfo info = c.read(read);
          QCOMPARE(info.segments, (std::ssize(*c.text.ids) + kSegment - 1) / kSegment);
          c.save(read);
          c.load(loaded);
          QVERIFY2(same_state(*read.state(), *loaded.state()), qPrintable(name_of(row.name, seed)));
          QVERIFY(loaded.info().bytes == info.bytes && *loaded.info().ids == *c.text.ids);
          QVERIFY(loaded.info().config == c.text.config && loaded.info().policy == row.name);
          const PolicyState* kept = loaded.state();
          const GenerateRequest request = c.question(6, seed % 2 == 0);
          const GenerateResult again = c.ask(request, nullptr), first = c.ask(request, &loaded),
                               second = c.ask(request, &loaded);
          QVERIFY2(same_answer(again, first) && same_answer(again, second), qPrintable(name_of(row.name, seed)));
          QVERIFY2(loaded.state() == kept, "the document was read again");
          QCOMPARE(first.ids.size(), std::size_t{kSegment + 5});
        }
  }

  /// Every way to search, in every form of a pool.
  void a_loaded_pool_is_searched_as_the_one_that_was_saved() {
    int found = 0;
    for (const PoolKeys keys : {PoolKeys::Model, PoolKeys::BFloat16, PoolKeys::Int8})
      for (const SearchBy search : {SearchBy::PerHead, SearchBy::Shared})
        for (const SearchScores scores : {SearchScores::Summaries, SearchScores::Centred}) {
          RetrievingCase c;
          c.text.config.pool_keys = keys;
          c.text.config.search = search;
          c.text.config.search_scores = scores;
          c.text.config.search_heads = {{0, 1}};
          DocumentState read, loaded;
          c.read(read);
          c.save(read);
          c.load(loaded);
          QVERIFY(same_state(*read.state(), *loaded.state()));
          found += !loaded.state()->hits.empty();
          for (const bool twice : {false, true}) {
            const GenerateRequest request = c.question(6, twice);
            QVERIFY(same_answer(c.ask(request, nullptr), c.ask(request, &loaded)));
          }
        }
    QCOMPARE(found, 12);
  }

  /// If the document is whole segments, a question is nothing but the prompt's next tokens.
  void a_question_begins_a_segment() {
    for (const PolicyRow& row : policies())
      for (const std::int64_t length : {6, 25}) {  // and may have several
        Case c(3, row.name, at::kFloat, 3 * kSegment);
        const auto policy = make_policy(row.name, {c.text.config, c.model, at::kFloat, 64, {}});
        const GenerateRequest request = c.question(length, false);
        GenerateRequest prompt = request;
        prompt.question_length = 0;
        DocumentState document;
        const GenerateResult answer = c.ask(request, &document);
        if (!policy->ends_prompts()) QVERIFY2(same_answer(c.ask(prompt, nullptr), answer), row.name);
        QVERIFY(document.behind(c.text) != nullptr);
        QVERIFY(same_answer(c.ask(request, &document), answer));
      }
    Case c(3, "full", at::kFloat, 40);
    GenerateRequest request = c.question(25, false);
    request.question_length = 66;
    QCOMPARE(unlike(Fault::BadInput, "the question", [&] { c.ask(request, nullptr); }), std::string());
  }

  /// Rotated keys of `full` depend on the length of the whole run there: they are made again.
  void dynamic_scaling_takes_no_state_of_another_length() {
    Case c(2, "full", at::kFloat, 60);
    c.text.config.rope = RopeConfig{RopeConfig::Kind::Dynamic, 500, 2, 1, 4, 16};
    c.read_and_save();
    DocumentState loaded;
    c.load(loaded);
    const GenerateRequest request = c.question(6, false);
    QVERIFY(same_answer(c.ask(request, nullptr), c.ask(request, &loaded)));
    c.text.config.rope->original_context = 1000;  // which the run does not reach
    c.read_and_save();
    c.load(loaded);
    const PolicyState* kept = loaded.state();
    const GenerateRequest shorter = c.question(6, false);
    QVERIFY(same_answer(c.ask(shorter, nullptr), c.ask(shorter, &loaded)));
    QVERIFY(loaded.state() == kept);
  }

  void a_document_is_read_once_and_a_stop_leaves_none() {
    RetrievingCase c;
    DocumentState document;
    double last = 0;
    const LoadProgress progress = [&](double fraction, const std::string&) {
      QVERIFY(fraction > last && fraction <= 1);
      last = fraction;
    };
    read_document(c.tiny.decoder, c.text, progress, c.control, document);
    QCOMPARE(last, 1.0);
    const PolicyState* kept = document.state();
    c.read(document);
    QVERIFY(document.state() == kept);
    c.text.config.carry_length = 7;
    c.control.request_stop();
    QCOMPARE(unlike(Fault::Cancelled, "", [&] { c.read(document); }), std::string());
    QVERIFY(document.state() == nullptr);
    QCOMPARE(unlike(Fault::Usage, "Read a document first", [&] { c.save(document); }), std::string());
  }

  void states_of_others_are_refused() {
    RetrievingCase c;
    c.read_and_save();
    DocumentState document;
    c.load(document);
    RunRequest other = c.text;
    other.config.retrieval_length = 13;
    QVERIFY(document.behind(c.text) != nullptr && document.behind(other) == nullptr);
    other = c.text;
    other.policy = "full";
    QVERIFY(document.behind(other) == nullptr);

    const auto refused = [&](Fault fault, const char* part) {
      const std::string problem = unlike(fault, part, [&] { c.load(document); });
      if (document.state() != nullptr) return std::string("a state is kept");
      return problem;
    };
    c.info.weights_hash = "00000000000000bb";
    QCOMPARE(refused(Fault::BadInput, "other weights"), std::string());
    c.info.weights_hash = "00000000000000aa";
    c.info.dtype = DType::BFloat16;
    QCOMPARE(refused(Fault::BadInput, "Add --dtype fp32"), std::string());
    c.info.dtype = DType::Float32;

    FileParts parts(read_bytes(c.path));
    parts.header["__metadata__"]["version"] = "2";
    write_bytes(c.path, parts.bytes());
    QCOMPARE(refused(Fault::Unsupported, "version 2"), std::string());
    write_bytes(c.path, make_safetensors({{"a", "F32", {1}, std::string(4, '\0')}}));
    QCOMPARE(refused(Fault::BadInput, "not a saved state"), std::string());
    c.path = c.dir.file("absent");
    QCOMPARE(refused(Fault::Io, "absent"), std::string());

    c.text.forced_hits = {{1, 0, 0, {{.position = 3}}}, {1, 0, 1, {{.position = 3}}}};
    c.read(document);
    QCOMPARE(unlike(Fault::Unsupported, "forced hits", [&] { c.save(document); }), std::string());
    QVERIFY(!std::filesystem::exists(c.path));
  }

  void what_is_not_finite_is_not_written() {
    RetrievingCase c;
    DocumentState document;
    c.read(document);
    document.state()->pool_contents().front().fill_(std::numeric_limits<float>::infinity());
    QCOMPARE(unlike(Fault::BadInput, "not finite", [&] { c.save(document); }), std::string());
    QVERIFY(!std::filesystem::exists(c.path));
  }

  void each_field_is_checked() {
    RetrievingCase c;
    c.read_and_save();
    const std::string whole = read_bytes(c.path);
    const json hits = FileParts(whole).hits();
    QVERIFY(!hits.empty() && hits[0]["positions"].size() > 2);
    const auto refused = [&](const char* part, const auto& change) {
      FileParts parts(whole);
      change(parts);
      write_bytes(c.path, parts.bytes());
      DocumentState document;
      return unlike(Fault::BadInput, part, [&] { c.load(document); });
    };
    const std::string keys = "layers.0.pool_keys", none;
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()})
      for (const std::string& name : {keys, std::string("layers.0.carry_values"), std::string("layers.0.sink_keys")})
        QCOMPARE(refused("not finite", [&](FileParts& parts) { parts.set_float(name, value); }), none);

    QCOMPARE(refused("another shape",
                     [&](FileParts& parts) {
                       json& shape = parts.header[keys]["shape"];
                       std::swap(shape[1], shape[2]);
                     }),
             none);
    QCOMPARE(refused("is of type", [&](FileParts& parts) { parts.header[keys]["dtype"] = "I32"; }), none);
    QCOMPARE(refused("overflows",
                     [&](FileParts& parts) {
                       parts.header[keys]["shape"] = {1LL << 40, 1LL << 40, 1};
                     }),
             none);
    QCOMPARE(refused("lacks",
                     [&](FileParts& parts) {
                       parts.header["another"] = parts.header[keys];
                       parts.header.erase(keys);
                     }),
             none);
    QCOMPARE(refused("no such state",
                     [&](FileParts& parts) {
                       parts.header["more"] = {{"dtype", "U8"},
                                               {"shape", {4}},
                                               {"data_offsets", {parts.data.size(), parts.data.size() + 4}}};
                       parts.data += "more";
                     }),
             none);
    for (const char* text : {"-1", "1e3", "", "1099511627777", "99999999999999999999"})
      QCOMPARE(refused("near_ties", [&](FileParts& parts) { parts.header["__metadata__"]["near_ties"] = text; }), none);
    QCOMPARE(refused("not those", [&](FileParts& parts) { parts.data[parts.begin("ids")] ^= 1; }), none);
    QCOMPARE(refused("not those", [&](FileParts& parts) { parts.header["__metadata__"]["tokens"] = "86"; }), none);
    for (const char* key : {"weights_hash", "model", "dtype", "policy", "config", "ntk_length", "tokens", "ids_hash"})
      QCOMPARE(refused(key, [&](FileParts& parts) { parts.header["__metadata__"].erase(key); }), none);
    QCOMPARE(refused("nobody's", [&](FileParts& parts) { parts.header["__metadata__"]["policy"] = "nobody's"; }), none);
    QCOMPARE(refused("config", [&](FileParts& parts) { parts.header["__metadata__"]["config"] = R"({"config": 1})"; }),
             none);
  }

  void each_hit_is_checked() {
    RetrievingCase c;
    c.read_and_save();
    const std::string whole = read_bytes(c.path);
    const auto refused = [&](const auto& change) {
      FileParts parts(whole);
      json hits = parts.hits();
      change(hits);
      parts.set_hits(hits.dump());
      write_bytes(c.path, parts.bytes());
      DocumentState document;
      return unlike(Fault::BadInput, c.path, [&] { c.load(document); });
    };
    const std::string none;
    const auto with_first = [](const json& position) {
      return [position](json& hits) { hits[0]["positions"][0] = position; };
    };
    // A sink's, one behind the document, and what is no position.
    for (const json& position : {json(1), json(87), json(-1), json(1LL << 62), json(2.5), json("NaN"), json()})
      QVERIFY2(refused(with_first(position)).empty(), position.dump().c_str());
    QCOMPARE(refused([](json& hits) { std::swap(hits[0]["positions"][0], hits[0]["positions"][1]); }), none);
    QCOMPARE(refused([](json& hits) { hits[0]["segment"] = 4; }), none);
    QCOMPARE(refused([](json& hits) { hits[0]["layer"] = 99; }), none);
    QCOMPARE(refused([](json& hits) { hits[1]["head"] = hits[0]["head"]; }), none);
    QCOMPARE(refused([](json& hits) { hits[0]["shared"] = true; }), none);
    QCOMPARE(refused([](json& hits) { hits[0]["anchor"][0] = 1000; }), none);
    QCOMPARE(refused([](json& hits) {
               for (const char* column : {"positions", "kind", "score", "anchor", "summary"})
                 hits[0][column].erase(std::size_t{0});
             }),
             none);
    QCOMPARE(refused([](json& hits) { hits.erase(std::size_t{0}); }), none);
    QCOMPARE(refused([](json& hits) { hits = 7; }), none);
    QCOMPARE(refused([](json& hits) {  // more than R
               json positions = json::array();
               for (int position = 2; position < 40; ++position) positions.push_back(position);
               for (json& list : hits)
                 list = {{"segment", list["segment"]},
                         {"layer", list["layer"]},
                         {"head", list["head"]},
                         {"positions", positions}};
             }),
             none);
  }

  void a_file_that_was_cut_is_refused() {
    RetrievingCase c;
    c.read_and_save();
    const std::string whole = read_bytes(c.path);
    for (std::size_t size = 0; size < whole.size(); size += size < 3000 ? 11 : 997) {
      write_bytes(c.path, whole.substr(0, size));
      DocumentState document;
      const auto error = error_of([&] { c.load(document); });
      QVERIFY2(error && error->fault() == Fault::BadInput, qPrintable(QString::number(size)));
      QVERIFY(document.state() == nullptr);
    }
  }

  /// Refused, or a state that can be used.
  void damaged_files_do_no_harm() {
    for (const auto& [policy, mutants] :
         {std::pair("segmented", 4000), {"infllm", 2000}, {"duo", 2000}, {"snapkv", 2000}}) {
      RetrievingCase c;
      c.text.policy = policy;
      c.text.config.of<WindowSettings>().attention_window = 24;
      c.text.config.of<InfLlmSettings>().memory_block_length = 6;
      c.text.config.of<InfLlmSettings>().memory_representatives = 2;
      c.read_and_save();
      const std::string whole = read_bytes(c.path);
      std::uint64_t header = 0;
      std::memcpy(&header, whole.data(), 8);
      Mutator mutator(whole, header + 8, 11);
      int refused = 0, asked = 0;
      for (int i = 0; i < mutants; ++i) {
        write_bytes(c.path, mutator.next());
        DocumentState document;
        try {
          c.load(document);
        } catch (const EngineError& error) {
          QVERIFY2(error.fault() != Fault::Internal && error.fault() != Fault::Shape, error.what());
          QVERIFY(document.state() == nullptr);
          ++refused;
          continue;
        } catch (const c10::Error&) {  // out of memory: Session says so
          ++refused;
          continue;
        }
        if (asked++ % 20 != 0) continue;
        GenerateRequest request = c.question(4, false);
        request.prompt.erase(request.prompt.begin(), request.prompt.end() - 4);
        request.prompt.insert(request.prompt.begin(), document.info().ids->begin(), document.info().ids->end());
        request.config = document.info().config;
        request.config.question_pass = request.config.boundary_at_prompt_end = false;
        request.policy = document.info().policy;
        request.max_new_tokens = 2;
        if (const auto error = error_of([&] { c.ask(request, &document); }))
          QVERIFY2(error->fault() != Fault::Internal, error->what());
      }
      QVERIFY2(refused > mutants / 2 && asked > 0, qPrintable(QString::number(refused)));
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<StateFileTest>};
#include "state_file_test.moc"
