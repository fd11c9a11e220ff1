// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_index.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/error.h"

namespace carryover {
namespace {

constexpr std::string_view kHead = "carryover run index 2, bytes as in memory\n";

struct EntryHead {
  std::int64_t hits_end;
  std::uint64_t lines_print;
  float mean_key_norm;
  std::array<float, 3> largest;
  std::uint32_t heads, padding;
};
struct HeadEntry {
  std::int32_t layer, head;
  std::uint32_t hits;
};
static_assert(sizeof(EntryHead) == 40 && sizeof(HeadEntry) == 12 && sizeof(BriefHit) == 4);

template <typename Value>
void add(std::string& bytes, const Value* values, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(Value));
}

/// Takes values off the front; nothing where too few are left.
template <typename Value>
bool take(std::string_view& rest, Value* values, std::size_t count) {
  if (count > rest.size() / sizeof(Value)) return false;
  if (count > 0) std::memcpy(static_cast<void*>(values), rest.data(), count * sizeof(Value));
  rest.remove_prefix(count * sizeof(Value));
  return true;
}

}  // namespace

std::string_view RunIndexWriter::head() {
  contents_.add(kHead);
  return kHead;
}

std::string RunIndexWriter::entry(const SegmentSnapshot& snapshot, std::string_view lines, std::int64_t hits_end) {
  const SegmentDigest digest = digest_of(snapshot);
  Fingerprint print;
  print.add(lines);
  const EntryHead head{
      hits_end, print.value(), digest.mean_key_norm, digest.largest, static_cast<std::uint32_t>(snapshot.hits.size()),
      0};
  std::string bytes;
  add(bytes, &head, 1);
  for (const HeadHits& read : snapshot.hits) {
    const HeadEntry entry{read.layer, read.head, static_cast<std::uint32_t>(read.hits.size())};
    add(bytes, &entry, 1);
    const BriefHead brief = brief_of(read);
    add(bytes, brief.hits.data(), brief.hits.size());
  }
  contents_.add(bytes);
  const std::uint64_t seal = contents_.value();
  add(bytes, &seal, 1);
  return bytes;
}

RunIndexReader::RunIndexReader(std::string bytes, std::int64_t tokens)
    : bytes_(std::move(bytes)), rest_(bytes_), tokens_(tokens) {
  if (rest_.starts_with(kHead)) {
    rest_.remove_prefix(kHead.size());
    contents_.add(kHead);
  } else {
    rest_ = {};
  }
}

std::optional<IndexedSegment> RunIndexReader::next() {
  std::string_view rest = rest_;
  EntryHead head{};
  if (!take(rest, &head, 1) || head.hits_end < hits_end_) return std::nullopt;
  IndexedSegment segment;
  segment.hits_end = head.hits_end;
  segment.lines_print = head.lines_print;
  segment.digest.mean_key_norm = head.mean_key_norm;
  segment.digest.largest = head.largest;
  for (std::uint32_t i = 0; i < head.heads; ++i) {
    HeadEntry entry{};
    if (!take(rest, &entry, 1) || entry.hits > rest.size() / sizeof(BriefHit)) return std::nullopt;
    BriefHead& brief = segment.heads.emplace_back(BriefHead{entry.layer, entry.head, {}});
    brief.hits.assign(entry.hits, BriefHit(0, HitKind::Padding));
    take(rest, brief.hits.data(), brief.hits.size());
    const auto true_hit = [&](BriefHit hit) { return hit.position() < tokens_ && hit.kind() <= HitKind::Padding; };
    if (!std::all_of(brief.hits.begin(), brief.hits.end(), true_hit)) return std::nullopt;
  }
  Fingerprint contents = contents_;
  contents.add(rest_.substr(0, rest_.size() - rest.size()));
  std::uint64_t seal = 0;
  if (!take(rest, &seal, 1) || seal != contents.value()) return std::nullopt;
  contents_ = contents;
  rest_ = rest;
  hits_end_ = head.hits_end;
  return segment;
}

}  // namespace carryover
