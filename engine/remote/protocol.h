// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

/// The kinds of frames. The window makes one request at a time and receives events until Done or Failed; the wishes
/// below are accepted meanwhile. The brackets list the values in the body (wire_values.h, wire_training.h,
/// wire_inspection.h), as protocol_description.cpp does.
enum class MessageKind : std::uint32_t {
  // Requests.
  Open,             ///< [int32 session, ModelRequest] → Loading…, Done [ModelInfo]
  Close,            ///< [int32 session] → Done []
  Model,            ///< [int32 session] → Done [ModelInfo], which training changes
  Files,            ///< [string model, string adapter] → Done [vector<ModelFile>]
  Run,              ///< [int32 session, RunRequest] → Progress…, Segment…, Done [RunSummary]
  Generate,         ///< [int32 session, GenerateRequest] → Token…, Done [GenerateResult]
  Logits,           ///< [int32 session, RunRequest, vector<int64> positions] → Done [vector<float>]
  Train,            ///< [int32 session, TrainOrder] → Loading…, Progress…, Step…, …, Done [TrainingSummary]
  Save,             ///< [int32 session, string directory] → Done []
  Audit,            ///< [int32 session, AuditRequest] → Loading…, Done [AuditReport]
  WhatIf,           ///< [int32 session, WhatIfRequest] → Outcome…, Done [WhatIfBase]
  WhatIfPrice,      ///< [int32 session, WhatIfRequest] → Done [int64 segments]
  Inspect,          ///< [int32 session, InspectRequest] → Done [Inspection]
  ProfileHeads,     ///< [int32 session, HeadProfileRequest] → Loading…, Done [HeadProfile]
  FindRecallHeads,  ///< [int32 session, RecallHeadsRequest] → Loading…, RecallStep…, Done [RecallHeads]
  SearchPatterns,   ///< [int32 session, PatternSearchRequest] → Loading…, Done [FoundPatterns]
  LearnGates,       ///< [int32 session, DuoGatesRequest] → Loading…, GateStep…, Done [DuoGates]
  ReadDocument,     ///< [int32 session, RunRequest] → Loading…, Done [StateInfo]
  SaveState,        ///< [int32 session, string path] → Done []
  LoadState,        ///< [int32 session, string path] → Done [StateInfo]
  Settings,         ///< [int32 session] → Done [SegmentConfig] that runs of the model start from
  Encode,           ///< [int32 session, TextToEncode] → Done [vector<int32> ids]
  TokenTexts,       ///< [int32 session, vector<int32> ids] → Done [vector<string>]
  // Wishes, heard while a request is served; they have no answer but Ping's.
  Stop,
  Pause,
  Resume,
  Enough,        ///< no more tokens
  WantSegments,  ///< of the next training step
  Ping,          ///< → Pong, at once
  // Messages from the engine.
  Place,       ///< [EnginePlace], first of all
  Loading,     ///< [double fraction, string what]
  Progress,    ///< [int64 done, int64 total]
  Segment,     ///< [SegmentSnapshot]
  Token,       ///< [GeneratedToken]
  Step,        ///< [StepSnapshot]
  Validation,  ///< [ValidationRecord]
  Alert,       ///< [TrainingAlert]
  Note,        ///< [string], of a training
  Checkpoint,  ///< [int64 step, string directory]
  Outcome,     ///< [uint64 edit, WhatIfOutcome]
  RecallStep,  ///< [RecallHeads], as far as they are found
  GateStep,    ///< [DuoGates], after each step
  Paused,      ///< the engine paused by itself
  Pong,
  Done,
  Failed,  ///< [Failure]
};
inline constexpr MessageKind kLastMessage = MessageKind::Failed;

inline constexpr std::uint32_t kFrameMark = 0x46'45'4f'43;  ///< "COEF", before every frame

/// Returns the largest size of a frame's body, in bytes.
std::uint64_t most_body_bytes(MessageKind kind);

struct Frame {
  MessageKind kind = MessageKind::Ping;
  std::string body;
};

/// Returns the frame's bytes before its body. Throws EngineError{Unsupported} for a body that no frame may have.
std::string frame_head(MessageKind kind, std::uint64_t body_size);

/// Returns the line that both ends send first: the protocol's name, and the fingerprint of describe_protocol(). It ends
/// with a line feed.
const std::string& greeting();

/// Puts frames together from bytes as they arrive. Owner: one thread.
class FrameBuffer {
 public:
  void feed(std::string_view bytes) { bytes_ += bytes; }

  /// Takes the other end's greeting; returns false while it has not arrived. Ignores at most `noise` bytes before it,
  /// because a shell may print at log-in. Throws EngineError{BadInput} for other bytes, {Unsupported} for another
  /// version.
  bool take_greeting(std::size_t noise);

  /// Returns the next whole frame, if it is there. Throws EngineError{BadInput} where the bytes are no frame.
  std::optional<Frame> next();

  bool empty() const { return bytes_.size() == begin_; }  ///< true if no part of a frame is waiting
  /// Returns the first line that arrived and was no greeting, for messages about it.
  std::string first_line() const;

 private:
  std::string_view left() const { return std::string_view(bytes_).substr(begin_); }
  void drop(std::size_t size);

  std::string bytes_;
  std::size_t begin_ = 0;  ///< bytes before this one have been taken
};

}  // namespace carryover
