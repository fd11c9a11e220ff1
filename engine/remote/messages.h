// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <algorithm>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "engine/remote/protocol.h"
#include "engine/remote/wire_inspection.h"
#include "engine/remote/wire_training.h"

/// The table of messages: which values the body of each kind holds. The protocol's description, the engine's dispatch
/// of requests and the window's calls are made from it. A new operation of the engine is a row here, a function of
/// Session, an answer in engine_server.cpp and a call in remote_session.cpp.
namespace carryover {

/// A text that is a template argument.
template <std::size_t kSize>
struct MessageName {
  consteval MessageName(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
  char text[kSize];
};

/// A body of 1 MiB at most, or one that may hold a run's values.
enum class BodySize { Small, Large };

/// A message whose body holds `Values`, in this order.
template <MessageKind kKind, MessageName kName, BodySize kSize, typename... Values>
struct Message {
  static constexpr MessageKind kind = kKind;
  static constexpr const char* name = kName.text;
  static constexpr BodySize size = kSize;
  using Body = std::tuple<Values...>;
};

/// A request. The body of its Done holds an `Answer`, or nothing where that is void.
template <MessageKind kKind, MessageName kName, BodySize kSize, typename AnswerValue, typename... Values>
struct Request : Message<kKind, kName, kSize, Values...> {
  using Answer = AnswerValue;
};

/// A request about an open session, whose number comes first in the body.
template <MessageKind kKind, MessageName kName, BodySize kSize, typename AnswerValue, typename... Values>
struct SessionRequest : Request<kKind, kName, kSize, AnswerValue, std::int32_t, Values...> {
  using Arguments = std::tuple<Values...>;
};

/// The end of a request that succeeded. The request's row says what the body holds.
struct DoneMessage {
  static constexpr MessageKind kind = MessageKind::Done;
  static constexpr const char* name = "Done";
  static constexpr BodySize size = BodySize::Large;
};

namespace message_table {
using enum MessageKind;
using enum BodySize;
using Ids = std::vector<std::int32_t>;
using Positions = std::vector<std::int64_t>;
using Text = std::string;

// clang-format off
/// In the order of MessageKind. Comments name the events of a request.
using Messages = std::tuple<
    // Requests.
    Request<Open, "Open", Small, ModelInfo, std::int32_t, ModelRequest>,  // the new session's number; Loading
    Request<Close, "Close", Small, void, std::int32_t>,                   // may not be open
    SessionRequest<Model, "Model", Large, ModelInfo>,                     // a training changes it
    Request<Files, "Files", Small, std::vector<ModelFile>, Text, Text>,   // of a model and an adapter
    SessionRequest<Run, "Run", Large, RunSummary, RunRequest>,            // Progress, Segment
    SessionRequest<Generate, "Generate", Large, GenerateResult, GenerateRequest>,  // Token
    SessionRequest<Logits, "Logits", Large, std::vector<float>, RunRequest, Positions>,
    SessionRequest<Train, "Train", Large, TrainingSummary, TrainOrder>,   // Loading, Progress, Step, …, Checkpoint
    SessionRequest<Save, "Save", Small, void, Text>,                      // as a folder
    SessionRequest<Audit, "Audit", Large, AuditReport, AuditRequest>,     // Loading
    SessionRequest<WhatIf, "WhatIf", Large, WhatIfBase, WhatIfRequest>,   // Outcome
    SessionRequest<WhatIfPrice, "WhatIfPrice", Large, std::int64_t, WhatIfRequest>,  // segments
    SessionRequest<Sweep, "Sweep", Large, void, SweepRequest>,            // SweepBegun, SweepCellDone
    SessionRequest<Inspect, "Inspect", Large, Inspection, InspectRequest>,
    SessionRequest<ProfileHeads, "ProfileHeads", Large, HeadProfile, HeadProfileRequest>,          // Loading
    SessionRequest<FindRecallHeads, "FindRecallHeads", Large, RecallHeads, RecallHeadsRequest>,    // RecallStep too
    SessionRequest<SearchPatterns, "SearchPatterns", Large, FoundPatterns, PatternSearchRequest>,  // Loading
    SessionRequest<LearnGates, "LearnGates", Large, DuoGates, DuoGatesRequest>,                    // Loading, GateStep
    SessionRequest<ReadDocument, "ReadDocument", Large, StateInfo, RunRequest>,                    // Loading
    SessionRequest<SaveState, "SaveState", Small, void, Text>,            // as a file
    SessionRequest<LoadState, "LoadState", Small, StateInfo, Text>,
    SessionRequest<Settings, "Settings", Large, SegmentConfig>,           // runs of the model start from it
    SessionRequest<Encode, "Encode", Large, Ids, TextToEncode>,
    SessionRequest<TokenTexts, "TokenTexts", Large, std::vector<Text>, Ids>,
    SessionRequest<FreeMemory, "FreeMemory", Small, std::int64_t>,        // bytes
    // Wishes, heard while a request is served. None but Ping has an answer.
    Message<Stop, "Stop", Small>,
    Message<Pause, "Pause", Small>,
    Message<Resume, "Resume", Small>,
    Message<Enough, "Enough", Small>,                                     // no more tokens
    Message<WantSegments, "WantSegments", Small>,                         // of the next training step
    Message<Ping, "Ping", Small>,                                         // Pong, at once
    // Messages from the engine.
    Message<Place, "Place", Small, EnginePlace>,                          // comes first
    Message<Loading, "Loading", Small, double, Text>,                     // share, and what is read
    Message<Progress, "Progress", Small, std::int64_t, std::int64_t>,     // done, total
    Message<Segment, "Segment", Large, SegmentSnapshot>,
    Message<Token, "Token", Small, GeneratedToken>,
    Message<Step, "Step", Large, StepSnapshot>,
    Message<Validation, "Validation", Large, ValidationRecord>,
    Message<Alert, "Alert", Small, TrainingAlert>,
    Message<Note, "Note", Large, Text>,                                   // of a training
    Message<Checkpoint, "Checkpoint", Small, std::int64_t, Text>,         // step, and folder
    Message<Outcome, "Outcome", Large, std::uint64_t, WhatIfOutcome>,     // number of the edit
    Message<SweepBegun, "SweepBegun", Small, SweepBase>,
    Message<SweepCellDone, "SweepCellDone", Small, SweepCell>,
    Message<RecallStep, "RecallStep", Large, RecallHeads>,                // as far as they are found
    Message<GateStep, "GateStep", Large, DuoGates>,                       // after each step
    Message<Paused, "Paused", Small>,                                     // the engine paused by itself
    Message<Pong, "Pong", Small>,
    DoneMessage,
    Message<Failed, "Failed", Small, Failure>>;
// clang-format on
}  // namespace message_table
using message_table::Messages;

template <MessageKind kind>
using MessageRow = std::tuple_element_t<static_cast<std::size_t>(kind), Messages>;

template <MessageKind kind>
using AnswerTo = typename MessageRow<kind>::Answer;

template <typename... Rows>
constexpr bool rows_are_in_order(std::type_identity<std::tuple<Rows...>> /*table*/) {
  std::size_t place = 0;
  return ((static_cast<std::size_t>(Rows::kind) == place++) && ...) &&
         place == static_cast<std::size_t>(kLastMessage) + 1;
}
static_assert(rows_are_in_order(std::type_identity<Messages>{}), "each MessageKind has a row, in their order");

/// Returns the body of a message of this kind, whose values have the row's types.
template <MessageKind kind, typename... Values>
std::string pack_body(const Values&... values) {
  static_assert(std::is_same_v<typename MessageRow<kind>::Body, std::tuple<Values...>>);
  return pack(values...);
}

/// Reads the values of a row's body. Throws EngineError{BadInput} as unpack() does.
template <typename Row>
typename Row::Body unpack_body(std::string_view bytes) {
  typename Row::Body body{};
  std::apply([&](auto&... values) { unpack(bytes, values...); }, body);
  return body;
}

/// Calls `take` with the values of the frame's body if the frame is of this kind.
template <MessageKind kind, typename Take>
void hear(const Frame& frame, const Take& take) {
  if (frame.kind == kind) std::apply(take, unpack_body<MessageRow<kind>>(frame.body));
}

}  // namespace carryover
