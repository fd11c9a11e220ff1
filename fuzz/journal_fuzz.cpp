// SPDX-License-Identifier: GPL-3.0-or-later
// A run's journal (engine/runs/records/run_journal.h). Most mutations keep records whole: fields change, then size and
// fingerprint are made to fit, so that what lies behind the fingerprint is reached.
#include "engine/base/error.h"
#include "engine/formats/json_file.h"
#include "engine/runs/records/run_journal.h"
#include "engine/runs/values/snapshot_check.h"
#include "fuzz/support/journal_records.h"
#include "fuzz/support/json_mutator.h"

using namespace carryover;
using namespace carryover::fuzz;
using nlohmann::json;

namespace {

void mutate_body(std::string& body, Random& random, std::size_t most) {
  json fields;
  try {
    fields = parse_cbor(body, "input");  // of bounded depth
  } catch (const EngineError&) {
    body = mutate_bytes(std::move(body), most);
    return;
  }
  if (below(random, 8) == 0) {
    body = mutate_bytes(std::move(body), most);
    return;
  }
  for (std::size_t left = 1 + below(random, 3); left > 0; --left) mutate_json(fields, random);
  body.clear();
  json::to_cbor(fields, body);
}

void mutate_records(std::vector<Record>& records, Random& random, std::size_t most) {
  const std::size_t at = below(random, records.size());
  const auto record = records.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(random, 10)) {
    case 0:
      records.erase(record);
      return;
    case 1:
      records.insert(record, Record(*record));
      return;
    case 2:
      std::swap(*record, records[below(random, records.size())]);
      return;
    default:
      mutate_body(record->body, random, most);
  }
}

/// Uses a journal that reads as a window does: loads every segment again from its place in the file, and writes and
/// reads all of it once more. An error here is a finding.
void use(const JournaledRun& run, const std::string& path) {
  const RunContents& contents = run.contents;
  const RunRequest& request = contents.description.request;
  const SnapshotLimits limits =
      snapshot_limits(contents.description.model.config, request.config, std::ssize(*request.ids));
  const int count = contents.segments->count();
  require(contents.outline->count() == count, "the outline has all segments");
  SegmentPlace place;
  for (int segment = 0; segment < count; ++segment) {
    const auto snapshot = contents.segments->load(segment);
    check_snapshot(*snapshot, place, limits, "a segment that was accepted");
    place = place.after(snapshot->record);
  }
  RunJournal journal(path + ".copy", contents.description);
  for (int segment = 0; segment < count; ++segment) journal.append(*contents.segments->load(segment));
  journal.finish(contents.summary);
  const JournaledRun again = read_run_journal(path + ".copy");
  require(again.whole && again.contents.segments->count() == count,
          "a journal that was accepted reads the same when it is written again");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = scratch_folder() + "/journal";
  write_file(path, view(data, size));
  JournaledRun run;
  if (accepts([&] { run = read_run_journal(path); })) use(run, path);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  std::vector<Record> records = records_of(view(data, size));
  if (records.empty() || below(random, 16) == 0)
    return deliver(mutate_bytes(std::string(view(data, size)), most), data, most);
  mutate_records(records, random, most);
  const std::string made = journal_of(records);
  return made.size() <= most ? deliver(made, data, most) : size;
}
