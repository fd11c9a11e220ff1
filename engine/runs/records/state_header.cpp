// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/state_header.h"

#include <charconv>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "engine/base/error.h"
#include "engine/cost/policy_table.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/json_file.h"
#include "engine/formats/mapped_file.h"

namespace carryover {

namespace {

constexpr const char* kDocumentFormat = "carryover state";
constexpr const char* kDocumentVersion = "1";

std::string hash_of_ids(const std::vector<std::int32_t>& ids) {
  return hex_of(content_hash(std::as_bytes(std::span(ids))));
}

const std::string& header_text(const SafetensorsFile& file, std::string_view key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) refuse_state(file.where(), "its header lacks " + std::string(key));
  return found->second;
}

void require_format(const SafetensorsFile& file) {
  const auto format = file.metadata().find("format");
  if (format == file.metadata().end() || format->second != kDocumentFormat)
    throw EngineError(Fault::BadInput, file.where(), "is not a saved state of a document",
                      "Use a file that `carryover generate --save-state` wrote.");
  if (const std::string& version = header_text(file, "version"); version != kDocumentVersion)
    throw EngineError(
        Fault::Unsupported, file.where(),
        "is of version " + version.substr(0, 20) + " of the format, and this program reads " + kDocumentVersion,
        "Read the document again, or use the program that saved it.");
}

DType stored_dtype_of(const SafetensorsFile& file) {
  const std::string& name = header_text(file, "dtype");
  for (const DType dtype : {DType::Float32, DType::BFloat16, DType::Float64, DType::Q8})
    if (name == dtype_name(dtype)) return dtype;
  refuse_state(file.where(), "dtype '" + name.substr(0, 40) + "' is not known");
}

std::shared_ptr<const std::vector<std::int32_t>> stored_ids_of(const SafetensorsFile& file) {
  const SafetensorsTensor* stored = file.find(kStateIds);
  if (stored == nullptr || stored->dtype != "I32" || stored->shape.size() != 1 || stored->shape[0] < 1)
    refuse_state(file.where(), "it has no list of the document's tokens");
  auto ids = std::make_shared<std::vector<std::int32_t>>(static_cast<std::size_t>(stored->shape[0]));
  std::memcpy(ids->data(), stored->data.data(), stored->data.size());
  if (file.file()) file.file()->require_whole();
  if (state_number(file, "tokens", std::numeric_limits<std::int64_t>::max()) != std::ssize(*ids) ||
      header_text(file, "ids_hash") != hash_of_ids(*ids))
    refuse_state(file.where(), "its tokens are not those that its header says");
  return ids;
}

}  // namespace

void refuse_state(const std::string& path, const std::string& problem) {
  throw EngineError(Fault::BadInput, path, problem, "The file is damaged, or no state: read the document again.");
}

SegmentConfig as_read(SegmentConfig config) {
  config.question_pass = config.boundary_at_prompt_end = config.cross_boundary_target = false;
  config.truncation_depth = 0;
  return config;
}

std::map<std::string, std::string> state_metadata(const StateHeader& header) {
  return {{"format", kDocumentFormat},
          {"version", kDocumentVersion},
          {"weights_hash", header.weights_hash},
          {"model", json_text(header.model)},
          {"dtype", std::string(dtype_name(header.dtype))},
          {"policy", header.policy},
          {"config", json_text(header.config)},
          {"ntk_length", std::to_string(header.ntk_length)},
          {"tokens", std::to_string(header.tokens())},
          {"ids_hash", hash_of_ids(*header.ids)}};
}

std::int64_t state_number(const SafetensorsFile& file, const std::string& key, std::int64_t most) {
  const std::string& text = header_text(file, key);
  std::int64_t number = -1;
  const char* end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc() || stop != end || number < 0 || number > most)
    refuse_state(file.where(), key + " is '" + text.substr(0, 40) + "', which is out of range");
  return number;
}

StateHeader read_state_header(const SafetensorsFile& file) {
  require_format(file);
  StateHeader header;
  header.weights_hash = header_text(file, "weights_hash");
  header.model =
      model_config_from_json(parse_json(header_text(file, "model"), file.where(), JsonKind::Settings), file.where());
  header.dtype = stored_dtype_of(file);
  header.policy = header_text(file, "policy");
  if (find_policy(header.policy) == nullptr)
    refuse_state(file.where(), "policy '" + header.policy.substr(0, 40) + "' is not known");
  update_from_json(header.config, parse_json(header_text(file, "config"), file.where(), JsonKind::Settings),
                   file.where());
  header.ntk_length = state_number(file, "ntk_length", std::numeric_limits<std::int64_t>::max());
  header.ids = stored_ids_of(file);
  return header;
}

StateHeader read_state_header(const std::string& path) {
  return read_state_header(SafetensorsFile::open(path));
}

}  // namespace carryover
