// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/protocol_description.h"

#include <bit>
#include <nlohmann/json.hpp>

#include "engine/remote/protocol.h"
#include "engine/remote/wire_description.h"
#include "engine/remote/wire_inspection.h"
#include "engine/remote/wire_training.h"

namespace carryover {
namespace {

using nlohmann::json;

template <typename... Values>
json types_of() {
  json list = json::array();
  (list.push_back(wire_type<Values>()), ...);
  return list;
}

/// A row of the table of messages.
struct MessageRow {
  MessageKind kind;
  const char* name;
  json body;
  json answer = nullptr;  ///< of a request: what its Done holds
};

std::vector<MessageRow> request_rows() {
  using enum MessageKind;
  using Number = std::int32_t;  // of a session
  using Text = std::string;
  using Positions = std::vector<std::int64_t>;
  return {
      {Open, "Open", types_of<Number, ModelRequest>(), types_of<ModelInfo>()},
      {Close, "Close", types_of<Number>(), types_of()},
      {Model, "Model", types_of<Number>(), types_of<ModelInfo>()},
      {Files, "Files", types_of<Text, Text>(), types_of<std::vector<ModelFile>>()},
      {Run, "Run", types_of<Number, RunRequest>(), types_of<RunSummary>()},
      {Generate, "Generate", types_of<Number, GenerateRequest>(), types_of<GenerateResult>()},
      {Logits, "Logits", types_of<Number, RunRequest, Positions>(), types_of<std::vector<float>>()},
      {Train, "Train", types_of<Number, TrainOrder>(), types_of<TrainingSummary>()},
      {Save, "Save", types_of<Number, Text>(), types_of()},
      {Audit, "Audit", types_of<Number, AuditRequest>(), types_of<AuditReport>()},
      {WhatIf, "WhatIf", types_of<Number, WhatIfRequest>(), types_of<WhatIfBase>()},
      {WhatIfPrice, "WhatIfPrice", types_of<Number, WhatIfRequest>(), types_of<std::int64_t>()},
      {Inspect, "Inspect", types_of<Number, InspectRequest>(), types_of<Inspection>()},
      {ProfileHeads, "ProfileHeads", types_of<Number, HeadProfileRequest>(), types_of<HeadProfile>()},
      {FindRecallHeads, "FindRecallHeads", types_of<Number, RecallHeadsRequest>(), types_of<RecallHeads>()},
      {SearchPatterns, "SearchPatterns", types_of<Number, PatternSearchRequest>(), types_of<FoundPatterns>()},
      {LearnGates, "LearnGates", types_of<Number, DuoGatesRequest>(), types_of<DuoGates>()},
      {ReadDocument, "ReadDocument", types_of<Number, RunRequest>(), types_of<StateInfo>()},
      {SaveState, "SaveState", types_of<Number, Text>(), types_of()},
      {LoadState, "LoadState", types_of<Number, Text>(), types_of<StateInfo>()},
      {Settings, "Settings", types_of<Number>(), types_of<SegmentConfig>()},
      {Encode, "Encode", types_of<Number, TextToEncode>(), types_of<std::vector<std::int32_t>>()},
      {TokenTexts, "TokenTexts", types_of<Number, std::vector<std::int32_t>>(), types_of<std::vector<Text>>()},
  };
}

std::vector<MessageRow> wish_and_event_rows() {
  using enum MessageKind;
  return {
      {Stop, "Stop", types_of()},
      {Pause, "Pause", types_of()},
      {Resume, "Resume", types_of()},
      {Enough, "Enough", types_of()},
      {WantSegments, "WantSegments", types_of()},
      {Ping, "Ping", types_of()},
      {Place, "Place", types_of<EnginePlace>()},
      {Loading, "Loading", types_of<double, std::string>()},
      {Progress, "Progress", types_of<std::int64_t, std::int64_t>()},
      {Segment, "Segment", types_of<SegmentSnapshot>()},
      {Token, "Token", types_of<GeneratedToken>()},
      {Step, "Step", types_of<StepSnapshot>()},
      {Validation, "Validation", types_of<ValidationRecord>()},
      {Alert, "Alert", types_of<TrainingAlert>()},
      {Note, "Note", types_of<std::string>()},
      {Checkpoint, "Checkpoint", types_of<std::int64_t, std::string>()},
      {Outcome, "Outcome", types_of<std::uint64_t, WhatIfOutcome>()},
      {RecallStep, "RecallStep", types_of<RecallHeads>()},
      {GateStep, "GateStep", types_of<DuoGates>()},
      {Paused, "Paused", types_of()},
      {Pong, "Pong", types_of()},
      {Done, "Done", nullptr},  // the request says what it holds
      {Failed, "Failed", types_of<Failure>()},
  };
}

}  // namespace

json describe_protocol() {
  json messages = json::array();
  for (const auto& rows : {request_rows(), wish_and_event_rows()})
    for (const MessageRow& row : rows) {
      CARRYOVER_CHECK(messages.size() == static_cast<std::size_t>(row.kind));  // a row for each kind, in their order
      json message{{"name", row.name}, {"kind", static_cast<std::uint32_t>(row.kind)}, {"body", row.body}};
      message["most_bytes"] = most_body_bytes(row.kind);
      if (!row.answer.is_null()) message["answer"] = row.answer;
      messages.push_back(std::move(message));
    }
  CARRYOVER_CHECK(messages.size() == static_cast<std::size_t>(kLastMessage) + 1);
  return {{"byte_order", std::endian::native == std::endian::little ? "little" : "big"},
          {"mark", kFrameMark},
          {"messages", std::move(messages)}};
}

}  // namespace carryover
