// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what travels between a window and an engine elsewhere. The first byte chooses: a type of value, whose bytes
// follow; or the stream of frames itself, in pieces.
#include <algorithm>

#include "engine/remote/protocol.h"
#include "engine/remote/wire_inspection.h"
#include "engine/remote/wire_training.h"
#include "fuzz/support/json_mutator.h"
#include "tests/support/wire_types.h"

using namespace carryover;
using namespace carryover::fuzz;

namespace {

/// Walks through the fields of a value in their order, and changes the one whose turn it is.
class ChangeField {
 public:
  template <typename T>
  using Value = T;

  /// `turn`: which field; behind the last one, none is changed and count() tells how many there are.
  ChangeField(std::size_t turn, Random& random) : turn_(turn), random_(random) {}
  std::size_t count() const { return count_; }

  template <typename T>
  void operator()(const char* /*name*/, T& value) {
    visit(value);
  }
  template <typename T, typename Range>
  void operator()(const char* /*name*/, T& value, Range /*range*/) {
    visit(value);
  }
  template <typename T, typename ToText, typename FromText>
  void as_text(const char* /*name*/, T& value, ToText to_text, FromText from_text) {
    if (!is_turn()) return;
    value = from_text(mutate_json_text(to_text(value), random_, kMostText));
  }

 private:
  static constexpr std::size_t kMostText = 4096;

  bool is_turn() { return count_++ == turn_; }

  template <typename T>
  void visit(T& value) {
    if constexpr (std::is_enum_v<T>) {
      if (is_turn()) value = static_cast<T>(below(random_, static_cast<std::size_t>(last_of(T{})) + 1));
    } else if constexpr (std::is_same_v<T, bool>) {
      if (is_turn()) value = !value;
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (!is_turn()) return;
      std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
      bytes = mutate_bytes(std::move(bytes), sizeof value);
      bytes.resize(sizeof value);
      std::memcpy(&value, bytes.data(), sizeof value);
    } else {
      describe(*this, value);
    }
  }
  void visit(std::string& text) {
    if (is_turn()) text = mutate_bytes(std::move(text), kMostText);
  }
  template <typename T>
  void visit(std::vector<T>& values) {
    if (is_turn()) values.resize(below(random_, values.size() + 3));
    for (std::size_t i = 0; i < values.size(); ++i) visit(values[i]);
  }
  template <typename T>
  void visit(std::optional<T>& value) {
    if (is_turn()) value = value ? std::nullopt : std::optional<T>(T{});
    if (value) visit(*value);
  }
  template <typename T>
  void visit(std::shared_ptr<const T>& value) {
    if (is_turn()) value = value ? nullptr : std::make_shared<const T>();
    if (!value) return;
    auto changed = std::make_shared<T>(*value);
    visit(*changed);
    value = std::move(changed);
  }

  std::size_t turn_, count_ = 0;
  Random& random_;
};

/// Checks that a value which is accepted is sent on unchanged: packed once more, it gives the same bytes, which hold
/// every bit. Text inside may be spelled differently the first time.
template <typename T>
void read_value(std::string_view bytes) {
  T value{};
  if (!accepts([&] { value = unpack_as<T>(bytes); })) return;
  std::string once;
  if (!accepts([&] { once = pack(value); })) return;  // JSON can't say each path
  require(pack(unpack_as<T>(once)) == once, "a value that was accepted travels unchanged");
}

template <typename T>
std::string change_value(const std::string& bytes, Random& random) {
  try {
    T value = unpack_as<T>(bytes), unchanged = value;
    ChangeField count(~std::size_t{0}, random);
    describe(count, unchanged);
    ChangeField change(below(random, count.count()), random);
    describe(change, value);
    return pack(value);
  } catch (const EngineError&) {  // no such value, or one that can't be sent
    return bytes;
  }
}

/// Reads frames as both ends do: a greeting, then frames, from pieces of any size.
void read_frames(std::string_view bytes, std::size_t noise) {
  FrameBuffer buffer;
  bool greeted = false;
  std::size_t piece = 1;
  while (!bytes.empty()) {
    buffer.feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    piece = piece * 5 % 37 + 1;
    greeted = greeted || buffer.take_greeting(noise);
    while (greeted) {
      const auto frame = buffer.next();
      if (!frame) break;
      require(frame->kind <= kLastMessage, "a frame has a kind");
      frame_head(frame->kind, frame->body.size());  // what was taken could have been sent
    }
  }
  buffer.first_line();
}

using Reader = void (*)(std::string_view);
using Changer = std::string (*)(const std::string&, Random&);
struct Type {
  Reader read;
  Changer change;
};

const std::vector<Type>& types() {
  static const std::vector<Type> all = [] {
    std::vector<Type> made;
    test::for_all_types([&]<typename T>() { made.push_back({&read_value<T>, &change_value<T>}); });
    return made;
  }();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body = view(data + 1, size - 1);
  if (data[0] < types().size()) {
    types()[data[0]].read(body);
    return 0;
  }
  accepts([&] { read_frames(body, data[0] % 2 == 0 ? 0 : 1000); });
  accepts([&] { read_frames(greeting() + std::string(body), 0); });
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  std::string bytes(view(data, size));
  if (size == 0 || static_cast<std::uint8_t>(bytes[0]) >= types().size() || below(random, 2) == 0)
    return deliver(mutate_bytes(std::move(bytes), most), data, most);
  const Type& type = types()[static_cast<std::uint8_t>(bytes[0])];
  const std::string made = bytes[0] + type.change(bytes.substr(1), random);
  return made.size() <= most ? deliver(made, data, most) : size;
}
