// SPDX-License-Identifier: GPL-3.0-or-later
// usage: render_template TEMPLATE.jinja
// For tests/compat/templates.py. Reads lines of JSON, {"messages", "add_generation_prompt", "specials", "extra"}, and
// answers each with a line: {"text"} or {"error"}.
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/error.h"
#include "engine/formats/input_file.h"
#include "engine/templates/chat_template.h"

namespace {

using nlohmann::ordered_json;

ordered_json answer(const std::string& path, const ordered_json& request) {
  try {
    const carryover::ChatTemplate chat(carryover::read_whole_file(path), path, request.at("specials"));
    return {{"text", chat.render(request.at("messages"), request.at("add_generation_prompt").get<bool>(),
                                 request.at("extra"))}};
  } catch (const carryover::EngineError& error) {
    return {{"error", error.what()}, {"fault", carryover::fault_name(error.fault())}};
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << answer(argv[1], ordered_json::parse(line)).dump() << '\n';
  }
}
