// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/state/pattern_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>

#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

struct PatternWords {
  Q_DECLARE_TR_FUNCTIONS(HeadPatterns)
};

}  // namespace

QString pattern_kind_text(PatternKind kind) {
  switch (kind) {
    case PatternKind::VerticalSlash:
      return PatternWords::tr("vertical and slash");
    case PatternKind::AShape:
      return PatternWords::tr("A-shape");
    case PatternKind::BlockSparse:
      return PatternWords::tr("block-sparse");
  }
  return {};
}

QString pattern_text(const HeadPattern& pattern) {
  const auto vertical = static_cast<qlonglong>(pattern.vertical), slash = static_cast<qlonglong>(pattern.slash);
  const QString kind = pattern_kind_text(pattern.kind);
  switch (pattern.kind) {
    case PatternKind::VerticalSlash:
      return filled(PatternWords::tr("%1, %2 columns, %3 diagonals"), kind, vertical, slash);
    case PatternKind::AShape:
      return filled(PatternWords::tr("%1, %2 sinks, a window of %3 tokens"), kind, vertical, slash);
    case PatternKind::BlockSparse:
      return filled(PatternWords::tr("%1, %2 blocks of keys for a block of queries"), kind, vertical);
  }
  return kind;
}

QString patterns_text(const HeadPatterns& patterns) {
  const std::int64_t heads = patterns.count();
  if (heads == 0) {
    const HeadPattern usual;
    return filled(PatternWords::tr("none: %1 columns, %2 diagonals"), static_cast<qlonglong>(usual.vertical),
                  static_cast<qlonglong>(usual.slash));
  }
  const auto layers = std::ranges::count_if(patterns.layers, [](const auto& layer) { return !layer.empty(); });
  return filled(PatternWords::tr("%1 layers, %2 heads listed"), static_cast<qlonglong>(layers),
                static_cast<qlonglong>(heads));
}

std::int64_t differing_patterns(const HeadPatterns& a, const HeadPatterns& b) {
  std::int64_t heads = 0;
  const int layers = static_cast<int>(std::max(a.layers.size(), b.layers.size()));
  for (int layer = 0; layer < layers; ++layer) {
    const auto listed = [layer](const HeadPatterns& patterns) {
      return layer < std::ssize(patterns.layers) ? patterns.layers[static_cast<std::size_t>(layer)]
                                                 : std::map<int, HeadPattern>();
    };
    const std::map<int, HeadPattern> in_a = listed(a), in_b = listed(b);
    for (const auto& [head, pattern] : in_a) heads += !(pattern == b.at(layer, head));
    for (const auto& [head, pattern] : in_b) heads += !in_a.contains(head) && !(pattern == HeadPattern());
  }
  return heads;
}

}  // namespace carryover
