// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/support/cli_process.h"

namespace carryover::test {

/// `train` on the demo and `on`: short samples, one thread, so that a step takes a fraction of a second and repeats.
inline QStringList train_demo(const QStringList& more, const QString& on = demo_text()) {
  return QStringList{"train",
                     demo_model(),
                     "--preset",
                     "tiny-demo",
                     "--data",
                     on,
                     "--threads",
                     "1",
                     "--warmup-steps",
                     "2",
                     "--gradient-accumulation-steps",
                     "2",
                     "--quiet"} +
         more;
}

}  // namespace carryover::test
