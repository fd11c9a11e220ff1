// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

/// Marks a text that the window translates: scripts/translations.sh collects it.
#define TEXT(text) text
