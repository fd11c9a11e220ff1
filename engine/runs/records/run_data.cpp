// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_data.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/csv_cell.h"
#include "engine/base/error.h"
#include "engine/base/text_parts.h"
#include "engine/config/head_reads.h"
#include "engine/formats/npy.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_command.h"

namespace carryover {

namespace {

using nlohmann::json;

/// Rows of named columns, as CSV or as .npy records. A NaN is an empty field of CSV.
class Table {
 public:
  Table(NpyType columns, bool csv) : columns_(std::move(columns)), csv_(csv), records_(columns_) {
    for (const auto& [name, type] : columns_) text_ += (text_.empty() ? "" : ",") + name;
  }

  template <typename T>
  Table& operator<<(T value) {
    if (csv_) {
      separate();
      append_number(value);
    } else {
      records_.add(value);
    }
    return *this;
  }
  /// A name in CSV, its number in records.
  Table& operator<<(HitKind kind) {
    if (!csv_) return *this << static_cast<std::uint8_t>(kind);
    separate();
    text_ += hit_kind_name(kind);
    return *this;
  }

  std::string csv() const { return text_ + "\n"; }
  NpyArray records() { return records_.take(); }

 private:
  void separate() { text_ += column_++ % columns_.size() == 0 ? '\n' : ','; }
  template <typename T>
  void append_number(T value) {
    if constexpr (std::is_floating_point_v<T>)
      if (std::isnan(value)) return;
    append_digits(text_, value);
  }

  NpyType columns_;
  bool csv_;
  std::size_t column_ = 0;
  std::string text_;
  NpyRecords records_;
};

template <typename Visit>
void each_segment(const RunContents& run, Visit visit) {
  for (int i = 0; i < run.segments->count(); ++i) visit(*run.segments->load(i));
}

Table hits_table(const RunContents& run, bool csv) {
  Table table({{"segment", "<i8"},
               {"layer", "<i4"},
               {"head", "<i4"},
               {"slot", "<i4"},
               {"position", "<i8"},
               {"kind", "|u1"},
               {"score", "<f4"},
               {"anchor", "<i8"},
               {"summary", "<i4"}},
              csv);
  each_segment(run, [&](const SegmentSnapshot& segment) {
    for (const HeadHits& head : segment.hits)
      for (std::size_t slot = 0; slot < head.hits.size(); ++slot) {
        const Hit& hit = head.hits[slot];
        table << head.segment << head.layer << head.head << static_cast<std::int32_t>(slot) << hit.position << hit.kind
              << (hit.kind == HitKind::Padding ? std::nanf("") : hit.score) << hit.anchor << hit.summary;
      }
  });
  return table;
}

Table nll_table(const RunContents& run, bool csv) {
  Table table({{"position", "<i8"}, {"segment", "<i8"}, {"nll", "<f4"}}, csv);
  each_segment(run, [&](const SegmentSnapshot& segment) {
    std::int64_t position = segment.record.first_token;
    for (const float nll : segment.target_nll) table << ++position << segment.record.index << nll;
  });
  return table;
}

Table segments_table(const RunContents& run, bool csv) {
  NpyType columns{{"index", "<i8"},   {"first_token", "<i8"}, {"length", "<i8"},       {"targets", "<i8"},
                  {"nll_sum", "<f8"}, {"seconds", "<f8"},     {"pool_entries", "<i8"}, {"near_ties", "<i8"}};
  for (const MemoryKind& kind : kMemoryKinds)
    if (!kind.of_training) columns.emplace_back(std::string("memory_") + kind.name, "<i8");
  for (const TimePart& part : kTimeParts) columns.emplace_back(std::string("time_") + part.name, "<f8");
  for (const auto& [name, value] : kSinkNumbers) columns.emplace_back(std::string("sink_") + name, "<f8");
  columns.emplace_back("sink_lost", "<f8");
  Table table(columns, csv);
  each_segment(run, [&](const SegmentSnapshot& segment) {
    const SegmentRecord& record = segment.record;
    table << record.index << record.first_token << record.length << record.targets << record.nll_sum << record.seconds
          << record.pool_entries << record.near_ties;
    for (const MemoryKind& kind : kMemoryKinds)
      if (!kind.of_training) table << record.memory.*kind.bytes;
    for (const TimePart& part : kTimeParts)
      table << (record.time ? (*record.time).*part.seconds : std::numeric_limits<double>::quiet_NaN());
    for (const auto& [name, value] : kSinkNumbers)
      table << (record.sinks ? (*record.sinks).*value : std::numeric_limits<double>::quiet_NaN());
    table << (record.sinks ? static_cast<double>(record.sinks->lost) : std::numeric_limits<double>::quiet_NaN());
  });
  return table;
}

Table sinks_table(const RunContents& run) {
  NpyType columns{{"segment", "<i8"}, {"layer", "<i8"}};
  for (const char* name : kSinkColumns) columns.emplace_back(name, "<f4");
  Table table(columns, true);
  each_segment(run, [&](const SegmentSnapshot& segment) {
    for (std::int64_t layer = 0; layer < segment.sinks.rows; ++layer) {
      table << segment.record.index << layer;
      for (std::int64_t column = 0; column < segment.sinks.columns; ++column) table << segment.sinks.at(layer, column);
    }
  });
  return table;
}

NpyArray sinks_array(const RunContents& run) {
  const std::int64_t layers = run.description.model.config.layers;
  std::vector<float> values;
  each_segment(run, [&](const SegmentSnapshot& segment) {
    const std::vector<float> row = sinks_row(segment, layers);
    values.insert(values.end(), row.begin(), row.end());
  });
  return npy_array(std::span<const float>(values), {run.segments->count(), layers, std::ssize(kSinkColumns)});
}

Table carry_table(const RunContents& run) {
  Table table({{"segment", "<i8"},
               {"layer", "<i8"},
               {"slot", "<i8"},
               {"position", "<i8"},
               {"key_norm", "<f4"},
               {"value_norm", "<f4"},
               {"drift", "<f4"}},
              true);
  each_segment(run, [&](const SegmentSnapshot& segment) {
    const Map& keys = segment.carry_key_norm;
    const std::int64_t first = segment.record.first_token + segment.record.length - keys.columns;
    const Map& drift = segment.carry_drift;
    const std::int64_t before_drift = keys.columns - drift.columns;  // columns end with the same token
    for (std::int64_t layer = 0; layer < keys.rows; ++layer) {
      for (std::int64_t slot = 0; slot < keys.columns; ++slot) {
        if (std::isnan(keys.at(layer, slot))) continue;  // the layer carries less than another
        table << segment.record.index << layer << slot << first + slot << keys.at(layer, slot)
              << segment.carry_value_norm.at(layer, slot)
              << (slot < before_drift ? std::nanf("") : drift.at(layer, slot - before_drift));
      }
    }
  });
  return table;
}

NpyArray carry_array(const RunContents& run) {
  const std::int64_t layers = run.description.model.config.layers,
                     slots = carry_slots(run.description.request.config, run.description.model.config);
  std::vector<float> values;
  each_segment(run, [&](const SegmentSnapshot& segment) {
    const std::vector<float> row = carry_map_row(segment, layers, slots);
    values.insert(values.end(), row.begin(), row.end());
  });
  return npy_array(std::span<const float>(values), {run.segments->count(), 3, layers, slots});
}

bool has_data(const RunContents& run, const std::string& kind) {
  for (int i = 0; i < run.segments->count(); ++i) {
    const auto segment = run.segments->load(i);
    const bool there = kind == "hits"    ? !segment->hits.empty()
                       : kind == "nll"   ? !segment->target_nll.empty()
                       : kind == "sinks" ? !segment->sinks.values.empty()
                                         : kind == "segments" || !segment->carry_key_norm.values.empty();
    if (there) return true;
  }
  return false;
}

void check_request(const RunContents& run, const std::string& kind, const std::string& path, bool csv) {
  const auto kinds = run_data_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    std::string names;
    for (const std::string& known : kinds) names += (names.empty() ? "" : ", ") + known;
    throw EngineError(Fault::Usage, "data", "'" + kind + "' is not known", "Use one of " + names + ".");
  }
  if (!csv && !path.ends_with(".npy"))
    throw EngineError(Fault::Usage, path, "has a suffix that is not supported", "Use .csv or .npy.");
  if (!has_data(run, kind))
    throw EngineError(Fault::Usage, run.directory.empty() ? "run" : run.directory, "holds no " + kind,
                      kind == "carry_maps" ? "Run with --carry-maps." : "Run with them captured.");
}

/// Returns the description beside an array, of the facts that the array's file does not hold.
json sidecar(const NpyArray& array, const std::string& kind, const std::string& provenance) {
  json columns = json::array();
  for (const auto& [name, type] : array.type)
    if (!name.empty()) columns.push_back({{"name", name}, {"type", type}});
  json description{{"data", kind}, {"shape", array.shape}, {"provenance", provenance}};
  if (!columns.empty()) description["columns"] = std::move(columns);
  if (kind == "hits") description["kinds"] = {"anchor", "expanded", "padding"};
  if (kind == "sinks") {
    description["axes"] = {"segment", "layer", "column"};
    description["columns"] = kSinkColumns;
  }
  if (kind == "carry_maps") description["axes"] = {"segment", "key norm, value norm, drift", "layer", "slot"};
  return description;
}

}  // namespace

std::vector<std::string> run_data_kinds() {
  return {"hits", "nll", "segments", "carry_maps", "sinks"};
}

void write_run_data(const RunContents& run, const std::string& kind, const std::string& path) {
  const bool csv = path.ends_with(".csv");
  check_request(run, kind, path, csv);
  const std::string folder = run.directory.empty() ? run_folder_name(run.description) : run.directory;
  const std::string provenance =
      run_provenance(run.description) + "\nremade by: " +
      shell_command({"carryover", "export", folder, "--data", kind, "-o", std::filesystem::path(path).filename()});
  const bool maps = kind == "carry_maps", sinks = kind == "sinks";
  if ((maps || sinks) && !csv) {
    const NpyArray array = maps ? carry_array(run) : sinks_array(run);
    return write_npy(path, array, sidecar(array, kind, provenance));
  }
  Table table = kind == "hits"  ? hits_table(run, csv)
                : kind == "nll" ? nll_table(run, csv)
                : maps          ? carry_table(run)
                : sinks         ? sinks_table(run)
                                : segments_table(run, csv);
  if (!csv) {
    const NpyArray records = table.records();
    return write_npy(path, records, sidecar(records, kind, provenance));
  }
  std::string head;
  for (const std::string& line : text_parts(provenance, '\n')) head += csv_comment(line);
  write_file_atomically(path, head + table.csv());
}

}  // namespace carryover
