// SPDX-License-Identifier: GPL-3.0-or-later
// Measures recall on a real model: sentences put into books, asked for many segments later, under several ways to read.
//   needles MODEL PLAN.json RESULTS.jsonl [THREADS]
// A document is read once for each method and asked all of its questions from the state behind it. RESULTS.jsonl has a
// line for each document and method; what it has already is not run again, so that a killed run goes on. Prints the
// shares answered and found, with 95 % intervals.
#include "engine/data/needles.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "engine/api/engine_library.h"
#include "engine/core/base/error.h"
#include "engine/core/config/recall_preset.h"
#include "engine/core/run/prefix_control.h"
#include "engine/data/text_source.h"
#include "engine/formats/json_file.h"

using namespace carryover;

namespace {

using nlohmann::json;

/// One way to read.
struct Method {
  std::string name, policy = "segmented", prefix = "search";
  SegmentConfig config;
  std::int64_t most_tokens = std::int64_t{1} << 40;  ///< longer documents are left out
};

std::vector<Method> read_methods(const json& plan, const ModelConfig& model, const std::string& where) {
  std::vector<Method> methods;
  for (const json& told : plan.at("methods")) {
    Method method;
    method.name = told.at("name").get<std::string>();
    method.policy = told.value("policy", method.policy);
    method.prefix = told.value("prefix", method.prefix);
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

/// What a results line is of.
std::string key_of(const json& line) {
  return json{line.at("segments"), line.at("seed"), line.at("document"), line.at("method"), line.at("config")}.dump();
}

std::vector<json> read_results(const std::string& path) {
  std::vector<json> lines;
  std::ifstream input(path);
  for (std::string line; std::getline(input, line);) {
    const json parsed = json::parse(line, nullptr, false);
    if (!parsed.is_discarded()) lines.push_back(parsed);  // the last line of a killed run may be half one
  }
  return lines;
}

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
        request, [](std::int32_t) { return true; }, control);
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

/// Wilson's interval.
std::string share_text(std::int64_t right, std::int64_t asked) {
  const double n = static_cast<double>(asked), p = static_cast<double>(right) / n, z = 1.96;
  const double centre = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  char text[80];
  std::snprintf(text, sizeof text, "%5.1f %% (%.1f to %.1f)", 100 * p, 100 * (centre - half), 100 * (centre + half));
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
    if (std::ranges::count(methods, method, &Method::name) == 0) continue;
    std::printf("%8lld  %-25s  %-7s  %6lld  %-23s  %s\n", static_cast<long long>(segments), method.c_str(),
                kind.c_str(), static_cast<long long>(count.asked), share_text(count.answered, count.asked).c_str(),
                share_text(count.found, count.asked).c_str());
  }
}

void measure(const std::string& model, const std::string& plan_path, const std::string& out, int threads) {
  const json plan = read_json_file(plan_path);
  ModelRequest opened;
  opened.path = model;
  opened.threads = threads;
  if (plan.contains("dtype")) opened.dtype = parse_dtype(plan.at("dtype").get<std::string>());
  const auto session = load_session(opened, {});
  const auto tokenizer = Tokenizer::load(model);
  const std::vector<Method> methods = read_methods(plan, session->model().config, plan_path);
  std::vector<std::vector<std::int32_t>> books;
  const std::filesystem::path folder = std::filesystem::path(plan_path).parent_path();
  for (const json& text : plan.at("texts"))
    books.push_back(tokenizer->encode(read_text((folder / text.get<std::string>()).string())));

  std::vector<json> lines = read_results(out);
  std::set<std::string> done;
  for (const json& line : lines) done.insert(key_of(line));
  std::ofstream results(out, std::ios::app);
  for (std::int64_t document = 0; document < plan.at("documents").get<std::int64_t>(); ++document)
    for (const json& seed : plan.at("seeds"))
      for (const json& segments : plan.at("segments"))
        for (const Method& method : methods) {
          NeedlePlan shape;
          shape.segment_length = method.config.segment_length;
          shape.segments = segments.get<std::int64_t>();
          shape.of_each_kind = plan.value("of_each_kind", shape.of_each_kind);
          shape.rivals = plan.value("rivals", shape.rivals);
          const std::int64_t tokens = shape.segments * shape.segment_length;
          if (tokens > method.most_tokens) continue;
          json line{{"plan", std::filesystem::path(plan_path).stem().string()},
                    {"about", plan.value("about", "")},
                    {"model", std::filesystem::path(model).filename().string()},
                    {"weights", session->model().weights_hash},
                    {"dtype", dtype_name(session->model().dtype)},
                    {"segments", segments},
                    {"seed", seed},
                    {"document", document},
                    {"method", method.name},
                    {"config", method.config}};
          if (done.contains(key_of(line))) continue;
          SplitMix draw(seed.get<std::uint64_t>() * 1000003 +
                        static_cast<std::uint64_t>(document * 64 + shape.segments));
          const auto& book = books[static_cast<std::size_t>(document) % books.size()];
          const NeedleDocument made = make_document(shape, book, *tokenizer, draw);
          std::vector<HeadHits> forced;
          if (const auto control = prefix_source(method.prefix); control && is_position_control(*control))
            forced = control_hits(*control, method.config, session->model().config, tokens + 1,
                                  seed.get<std::uint64_t>() + static_cast<std::uint64_t>(document));
          line["cases"] = ask(*session, *tokenizer, method, made, forced);
          results << json_text(line) << std::endl;
          lines.push_back(std::move(line));
        }
  print_table(lines, methods);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: needles MODEL PLAN.json RESULTS.jsonl [THREADS]\n";
    return 2;
  }
  prepare_engine_environment(argv);
  try {
    measure(argv[1], argv[2], argv[3], argc > 4 ? std::atoi(argv[4]) : 0);
  } catch (const std::exception& error) {
    std::cerr << "needles: " << error.what() << '\n';
    return 1;
  }
}
