// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/protocol_description.h"

#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "engine/remote/messages.h"
#include "engine/remote/wire_description.h"

namespace carryover {
namespace {

using nlohmann::json;

template <typename... Values>
json types_of(std::type_identity<std::tuple<Values...>> /*body*/) {
  json list = json::array();
  (list.push_back(wire_type<Values>()), ...);
  return list;
}

template <typename Row>
json describe_message() {
  json message{{"name", Row::name}, {"kind", static_cast<std::uint32_t>(Row::kind)}, {"body", nullptr}};
  message["most_bytes"] = most_body_bytes(Row::kind);
  if constexpr (requires { typename Row::Body; }) message["body"] = types_of(std::type_identity<typename Row::Body>{});
  if constexpr (requires { typename Row::Answer; }) {
    using Answer = typename Row::Answer;
    using Values = std::conditional_t<std::is_void_v<Answer>, std::tuple<>, std::tuple<Answer>>;
    message["answer"] = types_of(std::type_identity<Values>{});
  }
  return message;
}

template <typename... Rows>
json describe_messages(std::type_identity<std::tuple<Rows...>> /*table*/) {
  json messages = json::array();
  (messages.push_back(describe_message<Rows>()), ...);
  return messages;
}

template <typename... Rows>
constexpr std::array<BodySize, sizeof...(Rows)> body_sizes(std::type_identity<std::tuple<Rows...>> /*table*/) {
  return {Rows::size...};
}

}  // namespace

std::uint64_t most_body_bytes(MessageKind kind) {
  static constexpr auto kSizes = body_sizes(std::type_identity<Messages>{});
  const BodySize size = kSizes[static_cast<std::size_t>(kind)];
  return std::uint64_t{1} << (size == BodySize::Small ? 20 : 30);
}

json describe_protocol() {
  return {{"byte_order", std::endian::native == std::endian::little ? "little" : "big"},
          {"mark", kFrameMark},
          {"messages", describe_messages(std::type_identity<Messages>{})}};
}

}  // namespace carryover
