// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace carryover {

/// The kinds of frames. The window makes one request at a time and receives events until Done or Failed; wishes are
/// accepted meanwhile. messages.h says what each of them holds.
// clang-format off
enum class MessageKind : std::uint32_t {
  // Requests.
  Open, Close, Model, Files, Run, Generate, Logits, Train, Save, Audit, WhatIf, WhatIfPrice, Sweep, Inspect,
  ProfileHeads, FindRecallHeads, SearchPatterns, LearnGates, ReadDocument, SaveState, LoadState, Settings, Encode,
  TokenTexts, FreeMemory,
  // Wishes.
  Stop, Pause, Resume, Enough, WantSegments, Ping,
  // Messages from the engine.
  Place, Loading, Progress, Segment, Token, Step, Validation, Alert, Note, Checkpoint, Outcome, SweepBegun,
  SweepCellDone, RecallStep, GateStep, Paused, Pong, Done, Failed,
};
// clang-format on
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
