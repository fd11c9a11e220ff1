// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/io/run_journal.h"

#include <array>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "engine/io/fingerprint.h"
#include "engine/io/output_file.h"

namespace carryover {

using nlohmann::json;

namespace {

constexpr int version = 2;  // 1 had no "description"

/// What stands before each record: its kind, size and fingerprint, in the machine's byte order, as the arrays in it.
struct RecordHead {
  std::array<char, 8> kind;
  std::uint64_t size, fingerprint;
};
constexpr std::array<char, 8> run_kind = {'r', 'u', 'n', ' ', ' ', ' ', ' ', ' '};
constexpr std::array<char, 8> segment_kind = {'s', 'e', 'g', 'm', 'e', 'n', 't', ' '};
constexpr std::array<char, 8> summary_kind = {'s', 'u', 'm', 'm', 'a', 'r', 'y', ' '};

std::uint64_t fingerprint_of(const std::vector<std::uint8_t>& bytes) {
  Fingerprint fingerprint;
  fingerprint.add(std::as_bytes(std::span(bytes)));
  return fingerprint.value();
}

template <typename Value>
json binary(const std::vector<Value>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(Value));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return json::binary(std::move(bytes));
}

template <typename Value>
std::vector<Value> array_of(const json& field) {
  const auto& bytes = field.get_binary();
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

json map_json(const Map& map) {
  return {{"rows", map.rows}, {"columns", map.columns}, {"values", binary(map.values)}};
}

Map map_of(const json& fields) {
  Map map{fields.at("rows"), fields.at("columns"), array_of<float>(fields.at("values"))};
  if (static_cast<std::int64_t>(map.values.size()) != map.rows * map.columns) return {};
  return map;
}

json segment_json(const SegmentSnapshot& snapshot) {
  json hits = json::array();
  for (const HeadHits& head : snapshot.hits) hits.push_back(head);
  return {{"record", snapshot.record},
          {"target_nll", binary(snapshot.target_nll)},
          {"hits", std::move(hits)},
          {"carry_key_norm", map_json(snapshot.carry_key_norm)},
          {"carry_value_norm", map_json(snapshot.carry_value_norm)},
          {"carry_drift", map_json(snapshot.carry_drift)}};
}

std::shared_ptr<const SegmentSnapshot> segment_of(const json& fields, const std::vector<std::int32_t>& ids) {
  auto snapshot = std::make_shared<SegmentSnapshot>();
  snapshot->record = fields.at("record").get<SegmentRecord>();
  const auto first = static_cast<std::size_t>(snapshot->record.first_token);
  const auto end = first + static_cast<std::size_t>(snapshot->record.length);
  if (end > ids.size()) throw json::other_error::create(501, "a segment beyond the text", nullptr);
  snapshot->ids.assign(ids.begin() + static_cast<std::ptrdiff_t>(first),
                       ids.begin() + static_cast<std::ptrdiff_t>(end));
  snapshot->target_nll = array_of<float>(fields.at("target_nll"));
  for (const json& head : fields.at("hits")) snapshot->hits.push_back(head_hits_from_json(head, "journal"));
  snapshot->carry_key_norm = map_of(fields.at("carry_key_norm"));
  snapshot->carry_value_norm = map_of(fields.at("carry_value_norm"));
  snapshot->carry_drift = map_of(fields.at("carry_drift"));
  return snapshot;
}

json summary_fields(const RunSummary& summary) {
  return {{"tokens", summary.tokens},
          {"targets", summary.targets},
          {"segments", summary.segments},
          {"nll_sum", summary.nll_sum},
          {"seconds", summary.seconds},
          {"close_cuts", summary.close_cuts},
          {"peak_memory_bytes", summary.peak_memory_bytes},
          {"cancelled", summary.cancelled},
          {"memory", summary.memory}};
}

RunSummary summary_of(const json& fields) {
  RunSummary summary;
  summary.tokens = fields.at("tokens");
  summary.targets = fields.at("targets");
  summary.segments = fields.at("segments");
  summary.nll_sum = fields.at("nll_sum");
  summary.seconds = fields.at("seconds");
  summary.close_cuts = fields.at("close_cuts");
  summary.peak_memory_bytes = fields.at("peak_memory_bytes");
  summary.cancelled = fields.at("cancelled");
  summary.memory = fields.at("memory").get<MemoryBytes>();
  return summary;
}

void write_record(OutputFile& file, const std::array<char, 8>& kind, const json& fields) {
  const std::vector<std::uint8_t> body = json::to_cbor(fields);
  const RecordHead head{kind, body.size(), fingerprint_of(body)};
  std::string bytes(sizeof head + body.size(), '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  std::memcpy(bytes.data() + sizeof head, body.data(), body.size());
  file.append(bytes);
}

/// The next whole record; nothing at the end, or where what follows is cut off or damaged.
std::optional<std::pair<std::array<char, 8>, json>> next_record(std::istream& input, std::uint64_t bytes_left) {
  RecordHead head{};
  if (bytes_left < sizeof head || !input.read(reinterpret_cast<char*>(&head), sizeof head)) return std::nullopt;
  if (head.size > bytes_left - sizeof head) return std::nullopt;
  std::vector<std::uint8_t> body(head.size);
  if (!input.read(reinterpret_cast<char*>(body.data()), static_cast<std::streamsize>(body.size()))) return std::nullopt;
  if (fingerprint_of(body) != head.fingerprint) return std::nullopt;
  json fields = json::from_cbor(body, true, false);
  if (!fields.is_object()) return std::nullopt;
  return std::pair(head.kind, std::move(fields));
}

void read_head(JournaledRun& run, const json& fields, const std::string& path) {
  const int written_by = fields.at("version");
  if (written_by < 1 || written_by > version)
    throw EngineError(Fault::Unsupported, path, "was written by another version of the program", "Run the text again.");
  RunDescription& description = run.contents.description;
  run.describes_model = written_by > 1;
  if (run.describes_model) {
    description = read_description(fields.at("description"), path);
  } else {
    description.model.weights_hash = fields.at("weights_hash");
    description.text = fields.at("text");
    description.request.policy = fields.at("policy");
    update_from_json(description.request.config, fields.at("config"), path);
  }
  description.request.ids = std::make_shared<const std::vector<std::int32_t>>(array_of<std::int32_t>(fields.at("ids")));
}

void read_record(JournaledRun& run, const std::array<char, 8>& kind, const json& fields) {
  RunContents& contents = run.contents;
  if (kind == segment_kind) contents.segments.push_back(segment_of(fields, *contents.description.request.ids));
  if (kind != summary_kind) return;
  contents.summary = summary_of(fields);
  run.whole = true;
}

}  // namespace

RunJournal::RunJournal(const std::string& path, const RunDescription& run) : file_(std::make_unique<OutputFile>(path)) {
  write_record(*file_, run_kind,
               {{"version", version}, {"description", config_json(run)}, {"ids", binary(*run.request.ids)}});
}

RunJournal::~RunJournal() = default;

void RunJournal::append(const SegmentSnapshot& snapshot) {
  write_record(*file_, segment_kind, segment_json(snapshot));
}

void RunJournal::finish(const RunSummary& summary) {
  write_record(*file_, summary_kind, summary_fields(summary));
  file_->finish();
}

JournaledRun read_run_journal(const std::string& path) {
  std::ifstream input(path, std::ios::binary | std::ios::ate);
  if (!input) throw EngineError(Fault::Io, path, "can't be read", "Run the text again.");
  const auto size = static_cast<std::uint64_t>(input.tellg());
  input.seekg(0);
  const auto left = [&] { return size - static_cast<std::uint64_t>(input.tellg()); };
  JournaledRun run;
  try {
    const auto head = next_record(input, left());
    if (!head || head->first != run_kind)
      throw EngineError(Fault::BadInput, path, "is not a whole journal of a run", "Run the text again.");
    read_head(run, head->second, path);
    while (const auto record = next_record(input, left())) read_record(run, record->first, record->second);
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, path, std::string("has the wrong fields: ") + error.what(),
                      "Run the text again.");
  }
  RunContents& contents = run.contents;
  if (!run.whole) contents.summary = sum_up(contents.segments);
  if (!contents.segments.empty())
    contents.description.model.weight_bytes = contents.segments.back()->record.memory.weights;
  return run;
}

}  // namespace carryover
