// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/support/json_mutator.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"

namespace carryover::fuzz {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = 4096;  ///< of a text or a binary value

void collect(json& value, std::vector<json*>& places) {
  places.push_back(&value);
  if (value.is_structured())
    for (json& entry : value) collect(entry, places);
}

json edge_value(Random& random) {
  static const std::vector<json> edges = {
      json(),
      true,
      false,
      0,
      1,
      -1,
      2,
      255,
      65536,
      std::numeric_limits<std::int32_t>::max(),
      std::numeric_limits<std::int32_t>::min(),
      std::numeric_limits<std::uint32_t>::max(),
      std::numeric_limits<std::int64_t>::max(),
      std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::uint64_t>::max(),
      1e300,
      -0.5,
      5e-324,
      "",
      "x",
      json::array(),
      json::object(),
      json::binary({}),
  };
  return edges[below(random, edges.size())];
}

void change_number(json& number, Random& random) {
  if (number.is_number_float()) {
    number = below(random, 2) == 0 ? json(number.get<double>() * 2) : json(-number.get<double>());
  } else {
    const auto step = static_cast<std::uint64_t>(below(random, 9)) - 4;
    number = static_cast<std::int64_t>(number.get<std::uint64_t>() + step);
  }
}

/// Numbers in arrays of bytes: one of 1, 4 or 8 bytes becomes an edge or moves a little.
void change_binary(json::binary_t& bytes, Random& random) {
  const std::size_t width = std::size_t{1} << (2 * below(random, 2) + below(random, 2));
  if (bytes.size() < width || below(random, 4) == 0) {
    const std::string text = mutate_bytes(std::string(bytes.begin(), bytes.end()), kMostBytes);
    bytes.assign(text.begin(), text.end());
    return;
  }
  const std::size_t at = below(random, bytes.size() / width) * width;
  const bool edge = below(random, 2) == 0;
  const std::uint8_t high = below(random, 2) == 0 ? 0x7f : 0xff;
  for (std::size_t i = 0; edge && i < width; ++i) bytes[at + i] = i + 1 == width ? high : 0xff;
  if (!edge) bytes[at] = static_cast<std::uint8_t>(bytes[at] + below(random, 9) - 4);
}

void change_text(json& text, Random& random) {
  auto& value = text.get_ref<std::string&>();
  value = mutate_bytes(std::move(value), kMostBytes);
  if (below(random, 8) != 0)  // what JSON text can hold
    for (char& c : value) c = static_cast<char>(c & 0x7f);
}

void change_structure(json& value, Random& random, const json& other) {
  const std::size_t at = below(random, value.size());
  const auto entry = std::next(value.begin(), static_cast<std::ptrdiff_t>(at));
  switch (below(random, 4)) {
    case 0:
      if (!value.empty()) value.erase(entry);
      return;
    case 1:
      if (value.is_array()) value.insert(entry, value.empty() ? other : json(*entry));
      return;
    case 2:
      if (value.size() > 1)
        std::swap(*entry, *std::next(value.begin(), static_cast<std::ptrdiff_t>((at + 1) % value.size())));
      return;
    default:
      if (!value.empty()) *entry = other;
  }
}

std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

void mutate_json(json& value, Random& random) {
  std::vector<json*> places;
  collect(value, places);
  json& place = *places[below(random, places.size())];
  const json other = below(random, 2) == 0 ? edge_value(random) : json(*places[below(random, places.size())]);
  if (below(random, 4) == 0) {
    place = other;
  } else if (place.is_number()) {
    change_number(place, random);
  } else if (place.is_string()) {
    change_text(place, random);
  } else if (place.is_binary()) {
    change_binary(place.get_binary(), random);
  } else if (place.is_structured()) {
    change_structure(place, random, other);
  } else {
    place = other;
  }
}

std::string mutate_json_text(std::string_view text, Random& random, std::size_t most) {
  json value;
  try {
    value = parse_json(text, "input");  // of bounded depth
  } catch (const EngineError&) {
    return mutate_bytes(std::string(text), most);
  }
  if (below(random, 8) == 0) return mutate_bytes(std::string(text), most);
  for (std::size_t left = 1 + below(random, 3); left > 0; --left) mutate_json(value, random);
  std::string made = dump(value);
  return made.size() <= most ? made : std::string(text);
}

std::string mutate_json_lines(std::string_view text, Random& random, std::size_t most) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (lines.empty()) return mutate_bytes(std::string(text), most);
  const std::size_t at = below(random, lines.size());
  const auto line = lines.begin() + static_cast<std::ptrdiff_t>(at);
  switch (below(random, 8)) {
    case 0:
      lines.erase(line);
      break;
    case 1:
      lines.insert(line, std::string(*line));
      break;
    case 2:
      std::swap(*line, lines[below(random, lines.size())]);
      break;
    default:
      *line = mutate_json_text(*line, random, most);
  }
  std::string made;
  for (const std::string& each : lines) made += each + '\n';
  return made.size() <= most ? made : std::string(text);
}

}  // namespace carryover::fuzz
