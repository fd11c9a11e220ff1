// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/state/prefix_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "engine/core/config/head_reads.h"

namespace carryover {
namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(PrefixText)
};

}  // namespace

QString prefix_text(const SegmentConfig& config, const ModelConfig& model, HeadRef head) {
  QStringList parts;
  for (const HeadReads& kind : head_reads(config, model, head.layer)) {
    if (std::ranges::count(kind.heads, head.head) == 0) continue;
    for (const PrefixPart part : kind.parts) {
      if (part == PrefixPart::Sinks && config.sink_length > 0)
        parts += Text::tr("%1 sinks").arg(static_cast<qlonglong>(config.sink_length));
      if (part == PrefixPart::Retrieved)
        parts += Text::tr("%1 retrieved tokens").arg(static_cast<qlonglong>(config.retrieval_length));
      if (part == PrefixPart::Carry && config.carry_length > 0) parts += Text::tr("the carried tail");
    }
  }
  return parts.join(QStringLiteral(", "));
}

}  // namespace carryover
