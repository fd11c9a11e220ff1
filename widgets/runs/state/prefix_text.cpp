// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/state/prefix_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "engine/config/head_reads.h"
#include "widgets/look/filled_text.h"

namespace carryover {
namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(PrefixText)
};

}  // namespace

QString hit_kind_text(HitKind kind) {
  switch (kind) {
    case HitKind::Anchor:
      return Text::tr("anchor");
    case HitKind::Expanded:
      return Text::tr("expanded");
    case HitKind::Padding:
      return Text::tr("padding");
  }
  return {};
}

QString prefix_text(const SegmentConfig& config, const ModelConfig& model, HeadRef head) {
  QStringList parts;
  for (const HeadReads& kind : head_reads(config, model, head.layer)) {
    if (std::ranges::count(kind.heads, head.head) == 0) continue;
    for (const PrefixPart part : kind.parts) {
      if (part == PrefixPart::Sinks && config.sink_length > 0)
        parts += Text::tr("%1 sinks").arg(static_cast<qlonglong>(config.sink_length));
      const auto retrieved = static_cast<qlonglong>(config.retrieval_length);
      if (part == PrefixPart::Retrieved)
        parts += config.search == SearchBy::PerToken ? Text::tr("the %1 best keys of each query").arg(retrieved)
                                                     : Text::tr("%1 retrieved tokens").arg(retrieved);
      if (part == PrefixPart::Carry && config.carry_length > 0) parts += Text::tr("the carried tail");
    }
  }
  return parts.join(QStringLiteral(", "));
}

QString why_nothing_retrieved(const RunModel& run, int segment, HeadRef head) {
  const RunRequest& request = run.request();
  const ModelConfig& model = run.model().config;
  if (request.policy != "segmented")
    return Text::tr("The policy %1 has no list of hits; only segmented has one")
        .arg(QString::fromStdString(request.policy));
  if (request.config.retrieval_length == 0)
    return Text::tr("This run retrieves nothing: R = 0. The presets in Settings turn retrieval on");
  if (searches_per_token(request.config, model))
    return Text::tr(
        "Each query of this run searches for itself; there is no list for a segment. The attention map "
        "shows what a query reads");
  if (!retrieves(request.config, model)) return Text::tr("This run retrieves nothing: no head reads retrieved tokens");
  if (head.head >= 0 && std::ranges::count(reader_heads(request.config, model, head.layer), head.head) == 0)
    return filled(Text::tr("Layer %1, head %2 retrieves nothing: only long-range heads in long-range layers do"),
                  head.layer, head.head);
  if (segment == 0) return Text::tr("The first segment has no past to retrieve from: select a later segment");
  return Text::tr("Segment %1 has retrieved nothing").arg(segment);
}

}  // namespace carryover
