// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/evaluations/sample_journal.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/campaigns/evaluations/evaluation_plan.h"
#include "engine/formats/input_lines.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;
constexpr std::size_t kMostValues = 100'000;  ///< choices or scores of a sample

/// JSON has no number for what is none.
double number_of(const json& value, const std::string& where, const std::string& key) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : read_real(value, where, key);
}

std::int64_t count_of(const JsonFields& fields, const char* key, const std::string& where) {
  const std::int64_t count = fields.find_integer(key).value_or(0);
  if (count < 0) refuse_field(where, key, "is less than 0", kUseWritten);
  return count;
}

const json* list_of(const JsonFields& fields, const char* key, const std::string& where) {
  const json* list = fields.find(key);
  if (list != nullptr && (!list->is_array() || list->size() > kMostValues))
    refuse_field(where, key, "is not a list", kUseWritten);
  return list;
}

}  // namespace

json entry_json(const SampleEntry& entry) {
  json object{{"id", entry.id},
              {"slice", entry.slice},
              {"prompt_hash", entry.prompt_hash},
              {"tokens", entry.tokens},
              {"new_tokens", entry.new_tokens},
              {"visible_bytes", entry.visible_bytes},
              {"resident_bytes", entry.resident_bytes},
              {"prefill_seconds", entry.prefill_seconds},
              {"decode_seconds", entry.decode_seconds}};
  if (!entry.error.empty()) {
    object["error"] = entry.error;
    return object;
  }
  object["scores"] = entry.scores;
  if (!entry.text.empty()) object["text"] = entry.text;
  if (!entry.loglikelihoods.empty()) {
    object["loglikelihoods"] = entry.loglikelihoods;
    object["greedy"] = entry.greedy;
  }
  if (!entry.positions.bins().empty()) object["positions"] = loss_bins_json(entry.positions);
  if (!entry.offsets.bins().empty()) object["offsets"] = loss_bins_json(entry.offsets);
  return object;
}

SampleEntry entry_of(const json& object, const std::string& where) {
  const JsonFields fields(object, where);
  const auto text = [&](const char* key) { return fields.find_text(key).value_or(std::string()); };
  SampleEntry entry;
  entry.id = text("id");
  entry.slice = text("slice");
  entry.prompt_hash = text("prompt_hash");
  entry.text = text("text");
  entry.error = text("error");
  entry.tokens = count_of(fields, "tokens", where);
  entry.new_tokens = count_of(fields, "new_tokens", where);
  entry.visible_bytes = count_of(fields, "visible_bytes", where);
  entry.resident_bytes = count_of(fields, "resident_bytes", where);
  entry.prefill_seconds = fields.find_number("prefill_seconds").value_or(0);
  entry.decode_seconds = fields.find_number("decode_seconds").value_or(0);
  if (const json* list = list_of(fields, "loglikelihoods", where))
    for (const json& value : *list) entry.loglikelihoods.push_back(number_of(value, where, "loglikelihoods"));
  if (const json* list = list_of(fields, "greedy", where))
    for (const json& value : *list) entry.greedy.push_back(read_flag(value, where, "greedy"));
  if (entry.greedy.size() != entry.loglikelihoods.size())
    refuse_field(where, "greedy", "has another number of choices than loglikelihoods", kUseWritten);
  if (const json* scores = fields.find("scores")) {
    if (!scores->is_object() || scores->size() > kMostValues)
      refuse_field(where, "scores", "is not an object", kUseWritten);
    for (const auto& [name, value] : scores->items()) entry.scores[name] = number_of(value, where, "scores");
  } else if (entry.error.empty()) {
    refuse_field(where, "scores", "is missing, and there is no error", kUseWritten);
  }
  if (const json* list = fields.find("positions")) entry.positions = loss_bins_of(*list, where);
  if (const json* list = fields.find("offsets")) entry.offsets = loss_bins_of(*list, where);
  return entry;
}

SampleJournal::SampleJournal(const std::string& path) {
  std::error_code code;
  if (std::filesystem::exists(path, code)) {
    std::int64_t whole = 0;
    bool torn = false;
    if (InputFile(path).size() > kMostBytes)
      throw EngineError(Fault::BadInput, path, "has more than 1 GiB", "Evaluate fewer samples into a folder.");
    InputLines lines(path);
    for (std::string line; lines.next(line);) {
      torn = !lines.ended();  // the bytes of a line that was being written
      if (torn) break;
      const std::string where = path + ":" + std::to_string(lines.number());
      entries_.push_back(entry_of(parse_json(line, where, JsonKind::Text), where));
      whole = lines.offset();
    }
    if (torn) std::filesystem::resize_file(path, static_cast<std::uintmax_t>(whole), code);
    if (code) throw write_error(path, code.value());
  }
  file_ = std::make_unique<OutputFile>(path, OutputFile::Existing::Continue);
}

SampleJournal::~SampleJournal() = default;

void SampleJournal::append(SampleEntry entry) {
  file_->append(json_text(entry_json(entry)) + "\n");
  file_->sync();
  entries_.push_back(std::move(entry));
}

}  // namespace carryover
