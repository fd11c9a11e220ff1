// SPDX-License-Identifier: GPL-3.0-or-later
// Measures recall on a real model: sentences put into books, asked for many segments later, under several ways to read.
//   needles MODEL PLAN.json RESULTS.jsonl [--threads N] [--adapter NAME=DIR]...
// A method may name an adapter over the model's weights, by which models trained in several ways stand side by side. A
// document is read once for each method and asked all of its questions from the state behind it. The first line of
// RESULTS.jsonl has the plan and the model, a line the settings of each method, and then one the answers of each
// document and method. What it has already is not run again, so that a killed run continues, also from a published
// file. Prints the shares answered and found, with 95 % intervals.
#include "engine/data/needles.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <tuple>

#include "engine/api/engine_library.h"
#include "engine/base/error.h"
#include "engine/config/recall_preset.h"
#include "engine/data/text_source.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/json_file.h"
#include "engine/runs/values/prefix_control.h"
#include "engine/statistics/share_interval.h"
#include "examples/recall/needle_results.h"

using namespace carryover;

namespace {

using nlohmann::json;

/// One way to read.
struct Method {
  std::string name, policy = "segmented", adapter;
  PrefixSource prefix = PrefixSource::Search;
  SegmentConfig config;
  std::int64_t most_tokens = std::int64_t{1} << 40;  ///< longer documents are left out
};

PrefixSource read_prefix(const std::string& told, const std::string& where) {
  const auto source = prefix_source(told);
  if (source && (*source == PrefixSource::Search || is_position_control(*source))) return *source;
  throw EngineError(Fault::BadInput, where, "has a method with the prefix '" + told + "'",
                    "Use search, random, recent, constant or sinks; retrieval_length 0 reads no prefix.");
}

std::vector<Method> read_methods(const json& plan, const ModelConfig& model, const std::string& where) {
  std::vector<Method> methods;
  for (const json& told : plan.at("methods")) {
    Method method;
    method.name = told.at("name").get<std::string>();
    method.policy = told.value("policy", method.policy);
    method.prefix = read_prefix(told.value("prefix", "search"), where);
    method.adapter = told.value("adapter", "");
    method.most_tokens = told.value("most_tokens", method.most_tokens);
    method.config = SegmentConfig::untrained_defaults_for(model);
    if (told.value("preset", "") == "recall") method.config = recall_preset(model, method.config);
    method.config.question_pass = true;
    if (told.contains("config")) update_from_json(method.config, told.at("config"), where);
    method.config.validate(model, where + ", " + method.name);
    methods.push_back(std::move(method));
  }
  return methods;
}

/// The model as it is, and behind adapters. Owner: main().
class Models {
 public:
  Models(std::string path, DType dtype, int threads, std::map<std::string, std::string> adapters)
      : path_(std::move(path)), dtype_(dtype), threads_(threads), adapters_(std::move(adapters)) {}

  /// Loaded once. Throws EngineError{Usage} for an adapter that no folder was given for.
  Session& with(const std::string& adapter) {
    std::unique_ptr<Session>& session = sessions_[adapter];
    if (session) return *session;
    ModelRequest request;
    request.path = path_;
    request.dtype = dtype_;
    request.threads = threads_;
    if (!adapter.empty()) {
      const auto found = adapters_.find(adapter);
      if (found == adapters_.end())
        throw EngineError(Fault::Usage, "the adapter '" + adapter + "' of the plan", "has no folder",
                          "Give it as --adapter " + adapter + "=DIR.");
      request.adapter = found->second;
    }
    session = load_session(request, {});
    return *session;
  }

 private:
  std::string path_;
  DType dtype_;
  int threads_;
  std::map<std::string, std::string> adapters_;
  std::map<std::string, std::unique_ptr<Session>> sessions_;
};

/// The lines of a plan's methods in RESULTS.jsonl.
std::vector<json> method_lines(const std::vector<Method>& methods, Models& models) {
  std::vector<json> lines;
  for (const Method& method : methods) {
    json line{{"name", method.name},
              {"policy", method.policy},
              {"prefix", prefix_source_name(method.prefix)},
              {"config", method.config}};
    if (!method.adapter.empty()) line["weights"] = models.with(method.adapter).model().weights_hash;
    lines.push_back(std::move(line));
  }
  return lines;
}

/// A document under a method.
struct Case {
  const Method* method = nullptr;
  NeedlePlan shape;
  std::int64_t seed = 0, document = 0;

  std::int64_t tokens() const { return shape.segments * shape.segment_length; }
  json line() const {
    return {{"segments", shape.segments}, {"seed", seed}, {"document", document}, {"method", method->name}};
  }
  SplitMix draw() const {
    return SplitMix(static_cast<std::uint64_t>(seed) * 1000003 +
                    static_cast<std::uint64_t>(document * 64 + shape.segments));
  }
  std::vector<HeadHits> forced(const ModelConfig& model) const {
    if (!is_position_control(method->prefix)) return {};
    return control_hits(method->prefix, method->config, model, tokens() + 1,
                        static_cast<std::uint64_t>(seed + document));
  }
};

/// Returns all cases of a plan, document by document, so that a part of them is a smaller plan.
std::vector<Case> cases_of(const json& plan, const std::vector<Method>& methods) {
  std::vector<Case> cases;
  for (std::int64_t document = 0; document < plan.at("documents").get<std::int64_t>(); ++document)
    for (const json& seed : plan.at("seeds"))
      for (const json& segments : plan.at("segments"))
        for (const Method& method : methods) {
          Case one;
          one.method = &method;
          one.seed = seed.get<std::int64_t>();
          one.document = document;
          one.shape.segment_length = method.config.segment_length;
          one.shape.bos = method.config.bos;
          one.shape.segments = segments.get<std::int64_t>();
          one.shape.of_each_kind = plan.value("of_each_kind", one.shape.of_each_kind);
          one.shape.rivals = plan.value("rivals", one.shape.rivals);
          if (one.tokens() <= method.most_tokens) cases.push_back(one);
        }
  return cases;
}

/// Says on standard error what is done and how long the rest takes, by the tokens read so far.
class Pace {
 public:
  explicit Pace(const std::vector<Case>& cases) : all_(std::ssize(cases)) {
    for (const Case& one : cases) left_ += one.tokens();
  }

  void done(const Case& one) {
    using namespace std::chrono;
    ++done_;
    read_ += one.tokens();
    left_ -= one.tokens();
    const double seconds = duration<double>(steady_clock::now() - start_).count();
    std::fprintf(stderr, "%lld of %lld, %.0f minutes left\n", static_cast<long long>(done_),
                 static_cast<long long>(all_), seconds / static_cast<double>(read_) * static_cast<double>(left_) / 60);
  }

 private:
  std::int64_t all_, done_ = 0, read_ = 0, left_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

bool holds(const std::vector<HeadHits>& lists, std::int64_t first, std::int64_t count) {
  return std::ranges::any_of(lists, [&](const HeadHits& list) {
    const auto inside = [&](const Hit& hit) { return hit.position >= first && hit.position < first + count; };
    return std::ranges::count_if(list.hits, inside) == count;
  });
}

json ask(Session& session, const Tokenizer& tokenizer, const Method& method, const NeedleDocument& document,
         const std::vector<HeadHits>& forced) {
  json cases = json::array();
  for (const Needle& needle : document.needles) {
    if (!needle.asked) continue;
    GenerateRequest request;
    request.prompt = document.ids;
    request.prompt.insert(request.prompt.end(), needle.question.begin(), needle.question.end());
    request.question_length = std::ssize(needle.question);
    request.max_new_tokens = std::ssize(needle.value);
    request.policy = method.policy;
    request.config = method.config;
    request.forced_hits = forced;
    RunControl control;
    const GenerateResult result = session.generate(
        request, [](const GeneratedToken&) { return true; }, control);
    cases.push_back(
        {{"kind", needle.kind},
         {"position", needle.position},
         {"value", tokenizer.decode(needle.value)},
         {"answer", tokenizer.decode(result.ids)},
         {"answered", result.ids == needle.value},
         {"found", holds(result.question_hits, needle.position + needle.value_offset, std::ssize(needle.value))}});
  }
  return cases;
}

/// Returns a share with Wilson's interval, or with the number of questions where these are few.
std::string share_text(std::int64_t right, std::int64_t asked) {
  const auto samples = static_cast<double>(asked);
  const MeanInterval share = wilson_interval(static_cast<double>(right) / samples, samples);
  char text[80];
  if (share.has_bounds())
    std::snprintf(text, sizeof text, "%5.1f %% (%.1f to %.1f)", 100 * share.mean, 100 * share.low, 100 * share.high);
  else
    std::snprintf(text, sizeof text, "%5.1f %% (n = %lld)", 100 * share.mean, static_cast<long long>(asked));
  return text;
}

void print_table(const std::vector<json>& lines, const std::vector<Method>& methods) {
  struct Count {
    std::int64_t asked = 0, answered = 0, found = 0;
  };
  std::map<std::tuple<std::int64_t, std::string, std::string>, Count> counts;
  for (const json& line : lines)
    for (const json& one : line.at("cases")) {
      Count& count = counts[std::tuple(line.at("segments").get<std::int64_t>(), line.at("method").get<std::string>(),
                                       one.at("kind").get<std::string>())];
      ++count.asked;
      count.answered += one.at("answered").get<bool>();
      count.found += one.at("found").get<bool>();
    }
  std::printf("segments  method                     kind      asked  answered                 found\n");
  for (const auto& [key, count] : counts) {
    const auto& [segments, method, kind] = key;
    const auto way = std::ranges::find(methods, method, &Method::name);
    if (way == methods.end()) continue;
    const bool retrieves = way->policy == "segmented" && way->config.retrieval_length > 0 &&
                           way->config.search != SearchBy::PerToken;  // which leaves no list
    std::printf("%8lld  %-25s  %-7s  %6lld  %-23s  %s\n", static_cast<long long>(segments), method.c_str(),
                kind.c_str(), static_cast<long long>(count.asked), share_text(count.answered, count.asked).c_str(),
                retrieves ? share_text(count.found, count.asked).c_str() : "-");
  }
}

/// The command line.
struct Arguments {
  std::string model, plan, results;
  int threads = 0;
  std::map<std::string, std::string> adapters;
};

/// Parses the arguments; nothing where they do not match the usage.
std::optional<Arguments> read_arguments(const std::vector<std::string>& given) {
  Arguments arguments;
  std::vector<std::string> places;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool is_option = given[i] == "--threads" || given[i] == "--adapter";
    if (!is_option) {
      places.push_back(given[i]);
      continue;
    }
    if (++i == given.size()) return std::nullopt;
    const std::size_t equals = given[i].find('=');
    if (given[i - 1] == "--threads")
      arguments.threads = std::atoi(given[i].c_str());
    else if (equals == std::string::npos)
      return std::nullopt;
    else
      arguments.adapters[given[i].substr(0, equals)] = given[i].substr(equals + 1);
  }
  if (places.size() != 3) return std::nullopt;
  arguments.model = places[0];
  arguments.plan = places[1];
  arguments.results = places[2];
  return arguments;
}

/// The texts of a plan, in tokens.
std::vector<std::vector<std::int32_t>> read_books(const json& plan, const std::string& plan_path,
                                                  const Tokenizer& tokenizer) {
  std::vector<std::vector<std::int32_t>> books;
  const std::filesystem::path folder = std::filesystem::path(plan_path).parent_path();
  for (const json& text : plan.at("texts"))
    books.push_back(tokenizer.encode(read_text((folder / text.get<std::string>()).string())));
  return books;
}

std::string hash_of(const std::vector<std::vector<std::int32_t>>& books) {
  std::uint64_t hash = 0;
  for (const auto& book : books) hash = join_hashes(hash, content_hash(std::as_bytes(std::span(book))));
  return hex_of(hash);
}

/// The first line of RESULTS.jsonl: all that decides which documents a case stands for.
json plan_line(const json& plan, const Arguments& arguments, const ModelInfo& model,
               const std::vector<std::vector<std::int32_t>>& books) {
  const NeedlePlan usual;
  return {{"plan", std::filesystem::path(arguments.plan).stem().string()},
          {"about", plan.value("about", "")},
          {"model", std::filesystem::path(arguments.model).filename().string()},
          {"weights", model.weights_hash},
          {"dtype", dtype_name(model.dtype)},
          {"texts", hash_of(books)},
          {"of_each_kind", plan.value("of_each_kind", usual.of_each_kind)},
          {"rivals", plan.value("rivals", usual.rivals)}};
}

void measure(const Arguments& arguments) {
  const json plan = read_json_file(arguments.plan);
  const DType dtype = plan.contains("dtype") ? parse_dtype(plan.at("dtype").get<std::string>()) : DType::Auto;
  Models models(arguments.model, dtype, arguments.threads, arguments.adapters);
  const ModelInfo& info = models.with("").model();
  const auto tokenizer = Tokenizer::load(arguments.model);
  const std::vector<Method> methods = read_methods(plan, info.config, arguments.plan);
  const std::vector<std::vector<std::int32_t>> books = read_books(plan, arguments.plan, *tokenizer);

  NeedleResults results(arguments.results, plan_line(plan, arguments, info, books), method_lines(methods, models));
  std::vector<Case> cases = cases_of(plan, methods);
  std::erase_if(cases, [&](const Case& one) { return results.has(one.line()); });
  Pace pace(cases);
  for (const Case& one : cases) {
    const auto& book = books[static_cast<std::size_t>(one.document) % books.size()];
    SplitMix draw = one.draw();
    const NeedleDocument document = make_document(one.shape, book, *tokenizer, draw);
    json line = one.line();
    line["cases"] = ask(models.with(one.method->adapter), *tokenizer, *one.method, document, one.forced(info.config));
    results.add(std::move(line));
    pace.done(one);
  }
  print_table(results.lines(), methods);
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = read_arguments({argv + 1, argv + argc});
  if (!arguments) {
    std::cerr << "usage: needles MODEL PLAN.json RESULTS.jsonl [--threads N] [--adapter NAME=DIR]...\n";
    return 2;
  }
  prepare_engine_environment(argv);
  try {
    measure(*arguments);
  } catch (const std::exception& error) {
    std::cerr << "needles: " << error.what() << '\n';
    return 1;
  }
}
