// SPDX-License-Identifier: GPL-3.0-or-later
// A run folder (engine/runs/records/run_folder.h): all its files in one input. Mutations keep JSON JSON, and the seals
// of index.bin are made to fit, so that what lies behind them is reached.
#include <cstring>
#include <filesystem>

#include "engine/formats/fingerprint.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/records/run_reader.h"
#include "engine/runs/values/snapshot_check.h"
#include "fuzz/support/json_mutator.h"
#include "fuzz/support/run_files.h"
#include "fuzz/support/sections.h"

using namespace carryover;
using namespace carryover::fuzz;

namespace {

constexpr std::size_t kEntryHead = 40, kHeadEntry = 12, kBriefHit = 4;

std::uint64_t print_of(std::string_view bytes) {
  Fingerprint print;
  print.add(bytes);
  return print.value();
}

template <typename Value>
Value value_at(const std::string& bytes, std::size_t place) {
  Value value{};
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

/// Makes the fingerprints of index.bin those of its entries and of the lines that they name.
void repair_index(std::string& index, const std::string& hits) {
  std::size_t place = index.find('\n') + 1, lines = 0;
  Fingerprint contents;
  if (place == 0) return;
  contents.add(std::string_view(index).substr(0, place));
  while (index.size() - place >= kEntryHead) {
    const auto end = std::min(value_at<std::uint64_t>(index, place), std::uint64_t{hits.size()});
    const std::uint64_t print = end < lines ? 0 : print_of(std::string_view(hits).substr(lines, end - lines));
    std::memcpy(index.data() + place + 8, &print, sizeof print);
    std::size_t at = place + kEntryHead;
    for (auto heads = value_at<std::uint32_t>(index, place + 32); heads > 0; --heads) {
      if (index.size() - at < kHeadEntry) return;
      const auto read = value_at<std::uint32_t>(index, at + 8);
      at += kHeadEntry;
      if (read > (index.size() - at) / kBriefHit) return;
      at += read * kBriefHit;
    }
    if (index.size() - at < sizeof(std::uint64_t)) return;
    contents.add(std::string_view(index).substr(place, at - place));
    const std::uint64_t seal = contents.value();
    std::memcpy(index.data() + at, &seal, sizeof seal);
    place = at + sizeof seal;
    lines = end;
  }
}

void mutate_file(int file, std::string& bytes, Random& random, std::size_t most) {
  if (file == kSegments || file == kHits)
    bytes = mutate_json_lines(bytes, random, most);
  else if (file == kConfig || file == kLosses || file == kSummary)
    bytes = mutate_json_text(bytes, random, most);
  else
    bytes = mutate_bytes(std::move(bytes), most);
}

/// Uses a folder that opens as a window does. Segments are read from hits.jsonl later, and may be refused then.
void use(const RunContents& run) {
  const RunRequest& request = run.description.request;
  const SnapshotLimits limits = snapshot_limits(run.description.model.config, request.config, std::ssize(*request.ids));
  require(run.outline->count() == run.segments->count(), "the outline has all segments");
  SegmentPlace place;
  for (int segment = 0; segment < run.segments->count(); ++segment) {
    const SegmentRecord& record = run.outline->segment(segment).record;
    check_record(record, place, limits, "a record that was accepted");
    std::shared_ptr<const SegmentSnapshot> snapshot;
    if (accepts([&] { snapshot = run.segments->load(segment); }))
      check_snapshot(*snapshot, place, limits, "a segment that was accepted");
    place = place.after(record);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string folder = scratch_folder() + "/run";
  std::filesystem::create_directory(folder);
  const Sections files = split_sections(view(data, size), kRunFiles);
  for (std::size_t file = 0; file < kRunFiles; ++file) {
    const std::string path = folder + "/" + kRunFileNames[file];
    if (files[file])
      write_file(path, *files[file]);
    else
      std::filesystem::remove(path);
  }
  RunContents run;
  if (accepts([&] { run = reopen_run(folder); })) use(run);
  accepts([&] { read_run_folder(folder); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  Sections files = split_sections(view(data, size), kRunFiles);
  for (std::size_t left = 1 + below(random, 2); left > 0; --left) {
    const int file = static_cast<int>(below(random, kRunFiles));
    auto& contents = files[static_cast<std::size_t>(file)];
    if (below(random, 64) == 0)
      contents.reset();
    else if (contents)
      mutate_file(file, *contents, random, most);
  }
  if (files[kIndex] && files[kHits] && below(random, 16) != 0) repair_index(*files[kIndex], *files[kHits]);
  const std::string made = join_sections(files);
  return made.size() <= most ? deliver(made, data, most) : size;
}
