#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Brings resources/translations/carryover_*.ts up to the sources: new strings come in unfinished, gone ones go. Needs
# lupdate (Debian: qt6-l10n-tools), which building and running do not.
set -euo pipefail
cd "$(command -p dirname "${BASH_SOURCE[0]}")/.."
lupdate=/usr/lib/qt6/bin/lupdate # the one on PATH may be a chooser of versions without Qt 6
[ -x "$lupdate" ] || lupdate=$(command -v lupdate)
said=$("$lupdate" -silent -no-obsolete -locations none -tr-function-alias QT_TR_NOOP+=TEXT app widgets engine/config \
  engine/cost engine/policies engine/tasks -ts resources/translations/carryover_de.ts 2>&1) || { echo "$said" >&2; exit 1; }
grep -v "Qualifying with unknown\|lacks Q_OBJECT\|undeclared qualified" <<<"$said" || true
grep -c 'type="unfinished"' resources/translations/carryover_*.ts | sed 's/$/ unfinished/' || true
