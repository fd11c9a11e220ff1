// SPDX-License-Identifier: GPL-3.0-or-later
// Any text as the JSON of each kind, and any bytes as CBOR: what is accepted is what the library reads, and what is
// refused and valid is beyond a limit. And any text as a line of a terminal and as a cell of a spreadsheet.
#include "engine/base/csv_cell.h"
#include "engine/base/json_parser.h"
#include "engine/base/terminal_text.h"
#include "engine/base/utf8.h"
#include "fuzz/support/fuzz.h"
#include "fuzz/support/json_mutator.h"

using namespace carryover;
using namespace carryover::fuzz;
using nlohmann::json;

namespace {

constexpr JsonKind kKinds[] = {JsonKind::Settings, JsonKind::Record,  JsonKind::TensorList, JsonKind::Tokenizer,
                               JsonKind::Results,  JsonKind::Request, JsonKind::Text,       JsonKind::Numbers};

int depth_of(const json& value) {
  int depth = 0;
  if (value.is_structured())
    for (const json& each : value) depth = std::max(depth, depth_of(each));
  return value.is_structured() ? depth + 1 : 0;
}

void check_json(std::string_view text, JsonKind kind) {
  json value;
  if (!accepts([&] { value = parse_json(text, "input", kind); })) return;
  require(depth_of(value) <= json_limits(kind).depth, "what is accepted is not too deep");
  require(value == json::parse(text, nullptr, false), "what is accepted is what the library reads");
  const std::string written = value.dump(-1, ' ', false, json::error_handler_t::replace);
  json again;
  require(accepts([&] { again = parse_json(written, "input", kind); }), "what is accepted reads again");
  const std::string shown = terminal_text(written);
  require(accepts([&] { again = parse_json(shown, "input", kind); }) && again == parse_json(written, "input", kind),
          "a terminal's JSON is the same");
  nlohmann::ordered_json ordered;
  if (accepts([&] { ordered = parse_ordered_json(text, "input", kind); }))
    require(json(ordered) == value, "an ordered value is the same");
}

void check_cbor(std::string_view bytes) {
  json value;
  if (!accepts([&] { value = parse_cbor(bytes, "input"); })) return;
  require(depth_of(value) <= json_limits(JsonKind::Text).depth, "what is accepted is not too deep");
  std::string written, again;
  json::to_cbor(value, written);
  json::to_cbor(parse_cbor(written, "input"), again);
  require(written == again, "what is accepted reads again");  // a NaN equals none
}

void check_text(std::string_view text) {
  const std::string shown = terminal_text(text);
  require(first_invalid_utf8(shown) == shown.size(), "a terminal gets UTF-8");
  for (const char byte : shown)
    require(static_cast<unsigned char>(byte) >= 0x20 || byte == '\n' || byte == '\t', "a terminal is not controlled");
  require(terminal_text(shown) == shown, "what a terminal may get stays");
  const std::string cell = without_formula(text);
  require(cell.empty() || (cell.front() != '@' && cell.front() != '=') || cell.size() == 1, "a cell is no formula");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text = view(data + 1, size - 1);
  const std::size_t kind = data[0] % (std::size(kKinds) + 1);
  if (kind == std::size(kKinds)) {
    check_cbor(text);
  } else {
    check_json(text, kKinds[kind]);
    check_text(text);
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  const std::string input(view(data, size));
  const bool whole = size < 2 || below(random, 2) == 0;
  return deliver(
      whole ? mutate_bytes(input, most) : input.front() + mutate_json_text(input.substr(1), random, most - 1), data,
      most);
}
