// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/protocol.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/base/byte_size.h"
#include "engine/formats/fingerprint.h"
#include "engine/remote/protocol_description.h"
#include "engine/remote/wire.h"

namespace carryover {
namespace {

constexpr std::string_view kGreetingWords = "carryover engine ";
constexpr std::size_t kGreetingSize = kGreetingWords.size() + 17;  // 16 hex digits and a line feed

struct Head {
  std::uint32_t mark = kFrameMark;
  std::uint32_t kind = 0;
  std::uint64_t size = 0;
};

std::string make_greeting() {
  Fingerprint print;
  print.add(describe_protocol().dump());
  return std::string(kGreetingWords) + print.hex() + "\n";
}

}  // namespace

const std::string& greeting() {
  static const std::string line = make_greeting();
  return line;
}

std::string frame_head(MessageKind kind, std::uint64_t body_size) {
  if (body_size > most_body_bytes(kind)) {
    throw EngineError(
        Fault::Unsupported, "remote engine",
        "a message of " + size_text(static_cast<double>(body_size)) + " is too long to be sent",
        "Ask for less at a time; the most is " + size_text(static_cast<double>(most_body_bytes(kind))) + ".");
  }
  const Head head{kFrameMark, static_cast<std::uint32_t>(kind), body_size};
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

bool FrameBuffer::take_greeting(std::size_t noise) {
  const std::size_t at = left().find(kGreetingWords);
  if (at == std::string_view::npos || at > noise) {
    const bool may_come = left().size() <= noise || (noise == 0 && kGreetingWords.starts_with(left()));
    if (!may_come || at != std::string_view::npos)
      refuse_message("the program at the other end is not Carryover. It says \"" + first_line() + "\"");
    return false;
  }
  if (left().size() < at + kGreetingSize) return false;
  const std::string line(left().substr(at, kGreetingSize));
  drop(at + kGreetingSize);
  if (line == greeting()) return true;
  throw EngineError(Fault::Unsupported, "remote engine", "the other end is another version of Carryover",
                    "Install the same version at both ends.");
}

std::optional<Frame> FrameBuffer::next() {
  Head head;
  if (left().size() < sizeof head) return std::nullopt;
  std::memcpy(&head, left().data(), sizeof head);
  if (head.mark != kFrameMark || head.kind > static_cast<std::uint32_t>(kLastMessage))
    refuse_message("received bytes that are not a message");
  if (head.size > most_body_bytes(static_cast<MessageKind>(head.kind)))
    refuse_message("a message of " + size_text(static_cast<double>(head.size)) + " was announced, which is too long");
  if (left().size() - sizeof head < head.size) return std::nullopt;
  Frame frame{static_cast<MessageKind>(head.kind), std::string(left().substr(sizeof head, head.size))};
  drop(sizeof head + head.size);
  return frame;
}

std::string FrameBuffer::first_line() const {
  std::string line(left().substr(0, std::min<std::size_t>(left().find('\n'), 100)));
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return line;
}

void FrameBuffer::drop(std::size_t size) {
  begin_ += size;
  if (begin_ == bytes_.size() || begin_ > (std::size_t{1} << 20)) {
    bytes_.erase(0, begin_);
    begin_ = 0;
  }
}

}  // namespace carryover
