// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_journal.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/formats/fingerprint.h"
#include "engine/formats/input_file.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/forced_hits.h"
#include "engine/runs/values/snapshot_check.h"

namespace carryover {

using nlohmann::json;

namespace {

constexpr int oldest_version = 2, version = 4;  // up to 3 there are no sinks

/// The bytes before each record: its kind, size and fingerprint, in the machine's byte order, like the arrays in it.
struct RecordHead {
  std::array<char, 8> kind;
  std::uint64_t size, fingerprint;
};
constexpr std::array<char, 8> run_kind = {'r', 'u', 'n', ' ', ' ', ' ', ' ', ' '};
constexpr std::array<char, 8> segment_kind = {'s', 'e', 'g', 'm', 'e', 'n', 't', ' '};
constexpr std::array<char, 8> summary_kind = {'s', 'u', 'm', 'm', 'a', 'r', 'y', ' '};

std::uint64_t fingerprint_of(std::string_view bytes) {
  Fingerprint fingerprint;
  fingerprint.add(bytes);
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
  if (bytes.size() % sizeof(Value) != 0) throw json::other_error::create(501, "an array that is truncated", nullptr);
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

json map_json(const Map& map) {
  return {{"rows", map.rows}, {"columns", map.columns}, {"values", binary(map.values)}};
}

Map map_of(const json& fields) {
  return {integer_of(fields.at("rows")), integer_of(fields.at("columns")), array_of<float>(fields.at("values"))};
}

/// Arrays of the hits of all heads, one after the other: written and read at each segment, so as plain as can be.
json hits_json(const SegmentSnapshot& snapshot) {
  std::vector<std::int32_t> heads, summaries;
  std::vector<std::int64_t> positions, anchors;
  std::vector<float> scores;
  std::vector<std::uint8_t> kinds;
  for (const HeadHits& head : snapshot.hits) {
    heads.insert(heads.end(), {head.layer, head.head, static_cast<std::int32_t>(head.hits.size())});
    for (const Hit& hit : head.hits) {
      positions.push_back(hit.position);
      kinds.push_back(static_cast<std::uint8_t>(hit.kind));
      scores.push_back(hit.score);
      anchors.push_back(hit.anchor);
      summaries.push_back(hit.summary);
    }
  }
  const bool shared = snapshot.hits.size() == 1 && snapshot.hits.front().shared;
  return {{"heads", binary(heads)},  {"position", binary(positions)}, {"kind", binary(kinds)},
          {"score", binary(scores)}, {"anchor", binary(anchors)},     {"summary", binary(summaries)},
          {"shared", shared}};
}

std::vector<HeadHits> hits_of(const json& fields, std::int64_t segment) {
  std::vector<HeadHits> hits;
  if (fields.is_array()) {  // as up to version 2
    for (const json& head : fields) hits.push_back(head_hits_from_json(head, "journal"));
    return hits;
  }
  const auto heads = array_of<std::int32_t>(fields.at("heads")),
             summaries = array_of<std::int32_t>(fields.at("summary"));
  const auto positions = array_of<std::int64_t>(fields.at("position")),
             anchors = array_of<std::int64_t>(fields.at("anchor"));
  const auto scores = array_of<float>(fields.at("score"));
  const auto kinds = array_of<std::uint8_t>(fields.at("kind"));
  const bool shared = fields.value("shared", false);
  std::size_t slot = 0;
  for (std::size_t i = 0; i + 2 < heads.size(); i += 3) {
    HeadHits& head = hits.emplace_back(HeadHits{segment, heads[i], heads[i + 1], {}, shared});
    for (std::int32_t left = heads[i + 2]; left > 0; --left, ++slot)
      head.hits.push_back({positions.at(slot), static_cast<HitKind>(kinds.at(slot)), scores.at(slot), anchors.at(slot),
                           summaries.at(slot)});
  }
  return hits;
}

json segment_json(const SegmentSnapshot& snapshot) {
  return {{"record", snapshot.record},
          {"target_nll", binary(snapshot.target_nll)},
          {"hits", hits_json(snapshot)},
          {"carry_key_norm", map_json(snapshot.carry_key_norm)},
          {"carry_value_norm", map_json(snapshot.carry_value_norm)},
          {"carry_drift", map_json(snapshot.carry_drift)},
          {"sinks", map_json(snapshot.sinks)}};
}

/// The facts that the segments of a run are checked against.
struct JournalRun {
  std::shared_ptr<const std::vector<std::int32_t>> ids;
  SnapshotLimits limits;
  std::string path;
};

/// The segment of these fields, which must lie at `place`.
std::shared_ptr<const SegmentSnapshot> segment_of(const json& fields, const JournalRun& run, SegmentPlace place) {
  auto snapshot = std::make_shared<SegmentSnapshot>();
  snapshot->record = fields.at("record").get<SegmentRecord>();
  const std::string where = run.path + ", segment " + std::to_string(place.index);
  check_record(snapshot->record, place, run.limits, where);
  const auto first = run.ids->begin() + snapshot->record.first_token;
  snapshot->ids.assign(first, first + snapshot->record.length);
  snapshot->target_nll = array_of<float>(fields.at("target_nll"));
  snapshot->hits = hits_of(fields.at("hits"), snapshot->record.index);
  snapshot->carry_key_norm = map_of(fields.at("carry_key_norm"));
  snapshot->carry_value_norm = map_of(fields.at("carry_value_norm"));
  snapshot->carry_drift = map_of(fields.at("carry_drift"));
  if (fields.contains("sinks")) snapshot->sinks = map_of(fields.at("sinks"));  // not up to version 3
  check_snapshot(*snapshot, place, run.limits, where);
  return snapshot;
}

JournalRun journal_run(const RunDescription& description, const std::string& path) {
  const RunRequest& request = description.request;
  return {request.ids, snapshot_limits(description.model.config, request.config, std::ssize(*request.ids)), path};
}

json summary_fields(const RunSummary& summary) {
  return {{"tokens", summary.tokens},
          {"targets", summary.targets},
          {"segments", summary.segments},
          {"nll_sum", summary.nll_sum},
          {"seconds", summary.seconds},
          {"near_ties", summary.near_ties},
          {"sinks_lost", summary.sinks_lost ? json(*summary.sinks_lost) : json()},
          {"peak_memory_bytes", summary.peak_memory_bytes},
          {"cancelled", summary.cancelled},
          {"memory", summary.memory},
          {"time", summary.time}};
}

RunSummary summary_of(const json& fields) {
  RunSummary summary;
  get_integer(fields, "tokens", summary.tokens);
  get_integer(fields, "targets", summary.targets);
  get_integer(fields, "segments", summary.segments);
  fields.at("nll_sum").get_to(summary.nll_sum);
  fields.at("seconds").get_to(summary.seconds);
  get_near_ties(fields, summary.near_ties);
  if (const auto lost = fields.find("sinks_lost"); lost != fields.end() && !lost->is_null())
    summary.sinks_lost = integer_of(*lost);
  get_integer(fields, "peak_memory_bytes", summary.peak_memory_bytes);
  fields.at("cancelled").get_to(summary.cancelled);
  summary.memory = fields.at("memory").get<MemoryBytes>();
  if (fields.contains("time")) summary.time = fields.at("time").get<SegmentTime>();
  return summary;
}

void write_record(OutputFile& file, const std::array<char, 8>& kind, const json& fields) {
  RecordHead head{kind, 0, 0};
  std::string bytes(sizeof head, '\0');
  json::to_cbor(fields, bytes);
  const std::string_view body = std::string_view(bytes).substr(sizeof head);
  head.size = body.size();
  head.fingerprint = fingerprint_of(body);
  std::memcpy(bytes.data(), &head, sizeof head);
  file.append(bytes);
}

struct Record {
  std::array<char, 8> kind;
  json fields;
  std::int64_t end;  ///< byte at which the next record begins
};

/// The record at `place`; nothing where it is cut off or damaged.
std::optional<Record> read_record(const InputFile& file, std::int64_t place, std::int64_t file_size) {
  RecordHead head{};
  const std::int64_t left = file_size - place - static_cast<std::int64_t>(sizeof head);
  if (left < 0) return std::nullopt;
  std::memcpy(&head, file.read(place, sizeof head).data(), sizeof head);
  if (head.size > static_cast<std::uint64_t>(left)) return std::nullopt;
  const auto size = static_cast<std::int64_t>(head.size), body = place + static_cast<std::int64_t>(sizeof head);
  const std::string bytes = file.read(body, size);
  if (fingerprint_of(bytes) != head.fingerprint) return std::nullopt;
  json fields = parse_cbor(bytes, file.path());
  if (!fields.is_object()) return std::nullopt;
  return Record{head.kind, std::move(fields), body + size};
}

void read_head(JournaledRun& run, const json& fields, const std::string& path) {
  const std::int64_t written_by = integer_of(fields.at("version"));
  if (written_by < oldest_version || written_by > version)
    throw EngineError(Fault::Unsupported, path, "was written by another version of the program", "Run the text again.");
  RunDescription& description = run.contents.description;
  description = read_description(fields.at("description"), path);
  description.request.ids = std::make_shared<const std::vector<std::int32_t>>(array_of<std::int32_t>(fields.at("ids")));
  check_ids(*description.request.ids, description.model.config.vocabulary, path);
  restore_forced_hits(description);
}

}  // namespace

/// One thread adds, any reads.
class JournalSegments : public SegmentSource {
 public:
  JournalSegments(std::shared_ptr<const InputFile> file, JournalRun run)
      : file_(std::move(file)), run_(std::move(run)) {}

  void add(std::int64_t byte, SegmentPlace place) {
    const std::lock_guard lock(mutex_);
    records_.push_back({byte, place});
  }

  const JournalRun& run() const { return run_; }

  int count() const override {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(records_.size());
  }

  std::shared_ptr<const SegmentSnapshot> load(int segment) const override {
    try {
      const Place at = place_of(segment);
      if (const auto record = read_record(*file_, at.byte, file_->size()))
        return segment_of(record->fields, run_, at.segment);
    } catch (const EngineError&) {
      throw;
    } catch (const std::exception&) {  // fields that are not a segment's
    }
    throw EngineError(Fault::BadInput, file_->path(), "segment " + std::to_string(segment) + " is truncated or damaged",
                      "Run the text again.");
  }

 private:
  struct Place {
    std::int64_t byte;  ///< of the record, in the file
    SegmentPlace segment;
  };

  Place place_of(int segment) const {
    const std::lock_guard lock(mutex_);
    return records_.at(static_cast<std::size_t>(segment));
  }

  std::shared_ptr<const InputFile> file_;
  JournalRun run_;
  mutable std::mutex mutex_;
  std::vector<Place> records_;
};

RunJournal::RunJournal(const std::string& path, const RunDescription& run)
    : file_(std::make_unique<OutputFile>(path)),
      segments_(std::make_shared<JournalSegments>(std::make_shared<const InputFile>(path), journal_run(run, path))) {
  write_record(*file_, run_kind,
               {{"version", version}, {"description", config_json(run)}, {"ids", binary(*run.request.ids)}});
}

RunJournal::~RunJournal() = default;

void RunJournal::append(const SegmentSnapshot& snapshot) {
  const std::int64_t place = file_->size();
  write_record(*file_, segment_kind, segment_json(snapshot));
  segments_->add(place, {snapshot.record.index, snapshot.record.first_token});
}

void RunJournal::finish(const RunSummary& summary) {
  write_record(*file_, summary_kind, summary_fields(summary));
  file_->finish();
}

std::shared_ptr<const SegmentSource> RunJournal::segments() const {
  return segments_;
}

JournaledRun read_run_journal(const std::string& path) {
  JournaledRun run;
  RunContents& contents = run.contents;
  const auto& ids = contents.description.request.ids;
  try {
    const auto file = std::make_shared<const InputFile>(path);
    auto record = read_record(*file, 0, file->size());
    if (!record || record->kind != run_kind)
      throw EngineError(Fault::BadInput, path, "is not a whole journal of a run", "Run the text again.");
    read_head(run, record->fields, path);
    const auto segments = std::make_shared<JournalSegments>(file, journal_run(contents.description, path));
    SegmentPlace next;
    contents.segments = segments;
    contents.outline = std::make_shared<RunOutline>(std::ssize(*ids));
    for (std::int64_t place = record->end; (record = read_record(*file, place, file->size())); place = record->end) {
      if (record->kind == segment_kind) {
        const auto segment = segment_of(record->fields, segments->run(), next);
        contents.outline->append(*segment);
        segments->add(place, next);
        next = next.after(segment->record);
      } else if (record->kind == summary_kind) {
        contents.summary = summary_of(record->fields);
        run.whole = true;
      }
    }
  } catch (const std::out_of_range&) {
    throw EngineError(Fault::BadInput, path, "has fewer hits than it says", "Run the text again.");
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, path, std::string("has the wrong fields: ") + error.what(),
                      "Run the text again.");
  }
  const RunOutline& outline = *contents.outline;
  if (!run.whole) contents.summary = sum_up(outline);
  if (outline.count() > 0)
    contents.description.model.weight_bytes = outline.segment(outline.count() - 1).record.memory.weights;
  return run;
}

JournaledRun read_kept_run(const std::string& place) {
  std::error_code code;
  const auto status = std::filesystem::status(place, code);
  if (!std::filesystem::exists(status))
    throw EngineError(Fault::Io, place, "is no longer there", "Put it back where it was, or run the text again.");
  return std::filesystem::is_directory(status) ? JournaledRun{reopen_run(place), true} : read_run_journal(place);
}

}  // namespace carryover
