// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QSize>
#include <QString>
#include <QStringList>
#include <optional>

#include "widgets/look/theme.h"

namespace carryover {

/// The options of `carryover [MODEL [TEXT]]` or `carryover SESSION`, which opens the window or does its job without
/// one. A plain value.
struct WindowOptions {
  static constexpr QSize usual_size{1280, 800};

  QString model, text;
  QString engine;         ///< command line of an engine elsewhere, or empty
  QString adapter;        ///< PEFT folder merged into the model, or empty
  bool fetch = true;      ///< get the default model and book where no model is given
  bool headless = false;  ///< run, write everything to `out`, quit
  bool exit_after_run = false;
  bool exit_after_story = false;       ///< ends after the demo's first story, which goes to standard output once it is
                                       ///< painted
  std::optional<ThemeKind> theme;      ///< none: as last time
  QString language;                    ///< "system", "en", "de"; empty: as last time
  QString session;                     ///< session file to open
  bool fresh = false;                  ///< leave the last window's session alone
  std::optional<QSize> size;           ///< none: as last time, else `usual_size`
  std::optional<std::int64_t> tokens;  ///< of the text; 0: all
  QString script;                      ///< file to run in the window in place of a start-up; "-": standard input
  QString training;                    ///< folder of a training run to open, or empty
  QString screenshots;                 ///< folder for pictures of each view, then quit
  QString out;                         ///< run folder of a headless run

  /// Returns true if a person uses the window: it then has their settings and sessions.
  bool interactive() const { return !headless && !exit_after_run && screenshots.isEmpty() && script.isEmpty(); }
};

/// Ends the process with a message and code 2 on a wrong option, and with 0 after --help. Needs a QCoreApplication.
WindowOptions parse_window_options(const QStringList& arguments);

}  // namespace carryover
