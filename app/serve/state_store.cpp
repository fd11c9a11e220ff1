// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/serve/state_store.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/serve/api_error.h"
#include "app/serve/api_fields.h"
#include "engine/formats/json_file.h"
#include "engine/runs/records/state_header.h"

namespace carryover {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".state";

ApiError no_state(const std::string& name) {
  return {404, "There is no state \"" + name + "\": POST /v1/states makes one.", "state", "state_not_found"};
}

nlohmann::json state_json(const std::string& name, const StateStore::Kept& kept, const ServedModel& served) {
  return {{"name", name},
          {"object", "state"},
          {"model", served.names.name + ":" + kept.policy},
          {"tokens", kept.tokens},
          {"bytes", kept.bytes}};
}

}  // namespace

bool is_state_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest && name.front() != '.' && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
           c == '-';
  });
}

StateStore::StateStore(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code failed;
  for (fs::directory_iterator file(folder_, failed), end; !failed && file != end; file.increment(failed)) {
    const std::string name = file->path().stem().string();
    if (file->path().extension() != kEnding || !is_state_name(name) || states_.size() == kMostStates) continue;
    try {
      states_[name] = read(file->path().string());
    } catch (const EngineError&) {  // another file of that ending
    }
  }
  if (failed)
    throw EngineError(Fault::Io, folder_, "can't be read: " + failed.message(), "Name a folder that is there.");
}

StateStore::Kept StateStore::read(const std::string& path) {
  const StateHeader header = read_state_header(path);
  return {header.policy, header.config, header.tokens(), static_cast<std::int64_t>(fs::file_size(path))};
}

StateStore::Kept StateStore::find(const std::string& name) const {
  path_of(name);
  const std::lock_guard lock(mutex_);
  const auto found = states_.find(name);
  if (found == states_.end()) throw no_state(name);
  return found->second;
}

std::string StateStore::path_of(const std::string& name) const {
  if (folder_.empty()) throw ApiError(400, "This server keeps no states: start it with --states DIR.", "state");
  if (!is_state_name(name))
    throw ApiError(400, "A state's name has 1 to 64 letters, digits, dots, _ and -, and no dot in front.", "name");
  return (fs::path(folder_) / (name + std::string(kEnding))).string();
}

void StateStore::require_room(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (states_.size() >= kMostStates && !states_.contains(name))
    throw ApiError(409, "There are " + std::to_string(kMostStates) + " states already: delete one.", "name");
}

void StateStore::keep(const std::string& name) {
  const Kept kept = read(path_of(name));
  const std::lock_guard lock(mutex_);
  states_[name] = kept;
}

void StateStore::remove(const std::string& name) {
  const std::string path = path_of(name);
  const std::lock_guard lock(mutex_);
  if (states_.erase(name) == 0) throw no_state(name);
  fs::remove(path);
}

nlohmann::json StateStore::json(const ServedModel& served) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [name, kept] : states_) list.push_back(state_json(name, kept, served));
  return {{"object", "list"}, {"data", list}};
}

StateRequest parse_state(std::string_view body, const ServedModel& served, const StateStore& store) {
  const RequestFields fields = endpoint_fields(body, kStates);
  StateRequest request{fields.find_text("name").value_or(""),
                       served.names.policy_of(fields.find_text("model").value_or("")),
                       fields.find_text("prompt").value_or("")};
  store.path_of(request.name);
  store.require_room(request.name);
  if (request.text.empty()) RequestFields::refuse("prompt", "is missing");
  return request;
}

void keep_state(const StateRequest& request, const ServedModel& served, StateStore& store, ServingEngine& engine,
                ReplyWriter& writer, Usage& usage, RunControl& control) {
  auto ids = std::make_shared<const std::vector<std::int32_t>>(served.encode(request.text));
  if (ids->empty()) RequestFields::refuse("prompt", "has no tokens");
  usage.add({std::ssize(*ids), 0});
  engine.keep_state({std::move(ids), request.policy, served.config, 0}, store.path_of(request.name), control);
  store.keep(request.name);
  writer.reply({200, json_text(state_json(request.name, store.find(request.name), served))});
}

}  // namespace carryover
