// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/tasks/ruler/ruler_ready.h"

#include <filesystem>

#include "engine/base/error.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/input_lines.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostReadyLines = 100'000;

[[noreturn]] void refuse_line(const std::string& where, const std::string& problem) {
  throw EngineError(Fault::BadInput, where, problem, "Make the file by RULER's prepare.py.");
}

std::vector<std::string> outputs_of(const JsonFields& fields, const std::string& where) {
  std::vector<std::string> outputs;
  const json* list = fields.find("outputs");
  if (list == nullptr || !list->is_array() || list->empty()) refuse_line(where, "\"outputs\" is not a list of answers");
  for (const json& output : *list) {
    if (!output.is_string()) refuse_line(where, "an answer is not a string");
    outputs.push_back(output.get<std::string>());
  }
  return outputs;
}

TaskSample read_sample(json line, std::int64_t index, const RulerForm& form, const std::string& where) {
  const JsonFields fields(line, where);
  const auto input = fields.find_text("input");
  if (!input || input->empty()) refuse_line(where, "has no input");
  TaskSample sample;
  sample.id = std::to_string(index);
  sample.references = outputs_of(fields, where);
  set_prompt(sample, form, *input, fields.find_text("answer_prefix").value_or(""));
  sample.slice = depth_slice(line, form.answer_tokens);
  sample.fields = std::move(line);
  return sample;
}

void require_fit(const TaskSample& sample, const RulerForm& form, const SampleRequest& request,
                 const std::string& where) {
  if (request.length == 0 || !request.tokenizer) return;
  const std::string prompt = sample.context + sample.question + sample.answer_start;
  const std::int64_t tokens = std::ssize(request.tokenizer->encode(prompt)) + form.answer_tokens;
  if (tokens > request.length)
    throw EngineError(Fault::BadInput, where,
                      "takes " + std::to_string(tokens) + " tokens with its answer, more than the " +
                          std::to_string(request.length) + " asked for",
                      "Ask for the length that the file was made for, with this model's tokenizer.");
}

}  // namespace

std::string ready_file(const std::string& folder, const std::string& task) {
  if (folder.empty()) return {};
  const std::string path = path_in(path_in(folder, task), "validation.jsonl");
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path : "";
}

std::vector<TaskSample> ready_samples(const std::string& path, const RulerForm& form, const SampleRequest& request) {
  std::vector<TaskSample> samples;
  InputLines lines(path);
  const std::int64_t most = request.count > 0 ? request.count : kMostReadyLines;
  for (std::string line; std::ssize(samples) < most && lines.next(line);) {
    if (line.empty()) continue;
    const std::string where = path + ":" + std::to_string(lines.number());
    samples.push_back(read_sample(parse_json(line, where, JsonKind::Text), std::ssize(samples), form, where));
    require_fit(samples.back(), form, request, where);
  }
  if (samples.empty()) refuse_line(path, "has no sample");
  return samples;
}

}  // namespace carryover
