// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/heads/choice/pattern_search.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "engine/base/text_parts.h"
#include "engine/config/head_ref.h"

namespace carryover {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostBlocks = 100, kBlockTokens = 64;

constexpr HeadPattern kShapes[] = {
    {PatternKind::AShape, 100, 800, 1},         {PatternKind::VerticalSlash, 30, 800, 1},
    {PatternKind::VerticalSlash, 100, 750, 1},  {PatternKind::VerticalSlash, 500, 700, 1},
    {PatternKind::VerticalSlash, 3500, 100, 1}, {PatternKind::VerticalSlash, 1000, 4096, 1},
};

std::string_view kind_name(PatternKind kind) {
  return kPatternKindNames[static_cast<std::size_t>(kind)];
}

/// Means over some heads.
struct PatternMeans {
  std::int64_t heads = 0;
  double off = 0, seen = 0;

  void add(const FoundPattern& found) {
    ++heads;
    off += (found.pattern.score - off) / static_cast<double>(heads);
    seen += (found.seen - seen) / static_cast<double>(heads);
  }
};

PatternMeans means_of_all(const FoundPatterns& found) {
  PatternMeans means;
  for (const HeadRef head : found.searched()) means.add(found.at(head.layer, head.head));
  return means;
}

PatternMeans means_of_kind(const FoundPatterns& found, std::size_t kind) {
  PatternMeans means;
  for (const HeadRef head : found.searched())
    if (const FoundPattern& each = found.at(head.layer, head.head); static_cast<std::size_t>(each.pattern.kind) == kind)
      means.add(each);
  return means;
}

json means_json(const PatternMeans& means) {
  return {{"heads", means.heads}, {"off", means.off}, {"seen", means.seen}};
}

std::string at_right(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string at_left(std::string text, std::size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

/// Returns a line of either table.
std::string pattern_line(const std::string& left, const std::string& middle, const std::string& off,
                         const std::string& keys) {
  return "  " + at_left(left, 27) + at_right(middle, 11) + at_right(off, 11) + at_right(keys, 10) + "\n";
}

std::string pattern_line(const std::string& left, const std::string& middle, double off, double seen) {
  return pattern_line(left, middle, fixed_text(100 * off, 2) + " %", fixed_text(100 * seen, 1) + " %");
}

std::string head_line(HeadRef head, const FoundPattern& found) {
  const HeadPattern& pattern = found.pattern;
  std::string size = std::to_string(pattern.vertical);
  if (pattern.kind != PatternKind::BlockSparse) size += at_right(std::to_string(pattern.slash), 6);
  return pattern_line(at_left(text_of_heads({head}), 8) + std::string(kind_name(pattern.kind)), size, pattern.score,
                      found.seen);
}

std::string means_line(std::string_view name, const PatternMeans& means) {
  return pattern_line(std::string(name), std::to_string(means.heads), means.off, means.seen);
}

}  // namespace

std::vector<HeadPattern> pattern_candidates(std::int64_t tokens) {
  std::vector<HeadPattern> candidates;
  for (const HeadPattern& shape : kShapes)
    if (shape.vertical + shape.slash <= tokens) candidates.push_back(shape);
  const std::int64_t half = tokens / kBlockTokens / 2;
  candidates.push_back({PatternKind::BlockSparse, std::clamp<std::int64_t>(half, 1, kMostBlocks), 1, 1});
  return candidates;
}

std::vector<HeadRef> FoundPatterns::searched() const {
  std::vector<HeadRef> all;
  for (int layer = 0; layer < layers; ++layer)
    for (int head = 0; head < heads; ++head)
      if (at(layer, head).seen > 0) all.push_back({layer, head});
  return all;
}

HeadPatterns FoundPatterns::patterns() const {
  HeadPatterns all;
  for (const HeadRef head : searched()) all.set(head.layer, head.head, at(head.layer, head.head).pattern);
  return all;
}

void to_json(json& out, const FoundPatterns& found) {
  json heads = json::array(), kinds = json::object();
  for (const HeadRef head : found.searched()) {
    const FoundPattern& each = found.at(head.layer, head.head);
    heads.push_back({{"head", head},
                     {"kind", kind_name(each.pattern.kind)},
                     {"vertical", each.pattern.vertical},
                     {"slash", each.pattern.slash},
                     {"off", each.pattern.score},
                     {"seen", each.seen}});
  }
  for (std::size_t kind = 0; kind < kPatternKindNames.size(); ++kind)
    if (const PatternMeans means = means_of_kind(found, kind); means.heads > 0)
      kinds[std::string(kPatternKindNames[kind])] = means_json(means);
  out = {{"tokens", found.tokens},
         {"heads", heads},
         {"kinds", kinds},
         {"all", means_json(means_of_all(found))},
         {"patterns", found.patterns()}};
}

std::string found_patterns_text(const FoundPatterns& found) {
  std::string text = "patterns on " + std::to_string(found.tokens) +
                     " tokens; off: values of the output that are more than 0.005 from full attention's,\n" +
                     "keys: share of full attention's that queries see\n" +
                     pattern_line("head    pattern", "size", "off", "keys");
  for (const HeadRef head : found.searched()) text += head_line(head, found.at(head.layer, head.head));
  text += pattern_line("means", "heads", "off", "keys");
  for (std::size_t kind = 0; kind < kPatternKindNames.size(); ++kind)
    if (const PatternMeans means = means_of_kind(found, kind); means.heads > 0)
      text += means_line(kPatternKindNames[kind], means);
  return text + means_line("all", means_of_all(found));
}

}  // namespace carryover
