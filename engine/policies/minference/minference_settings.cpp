// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/minference/minference_settings.h"

#include "engine/base/translated_text.h"
#include "engine/config/segment_fields.h"

namespace carryover {
namespace {

constexpr SegmentField minference_rows[] = {
    {"head_patterns", "", TEXT("Head patterns"), "",
     TEXT("Policy minference: pattern of each head, in the format of MInference's files; heads that are not listed use "
          "vertical_and_slash with 1000 columns and 6096 diagonals"),
     setting<&MinferenceSettings::head_patterns>()},
};

void check_minference(const SegmentConfig& config, const ModelConfig& model, const std::string& where) {
  config.of<MinferenceSettings>().head_patterns.validate(model, where, "head_patterns");
}

}  // namespace

constinit const PolicyFields minference_fields{minference_rows, check_minference};

}  // namespace carryover
