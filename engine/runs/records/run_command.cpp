// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/runs/records/run_command.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/formats/json_file.h"
#include "engine/runs/records/run_id.h"

namespace carryover {

namespace {

using nlohmann::json;

std::string id_of(const RunDescription& description) {
  return description.id.empty() ? run_id(description.model, description.request) : description.id;
}

}  // namespace

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + shell_word(word);
  return command;
}

std::string run_folder_name(const RunDescription& description) {
  return "run-" + id_of(description).substr(0, 8);
}

std::vector<std::string> run_command(const RunDescription& description) {
  const RunRequest& request = description.request;
  const ModelInfo& model = description.model;
  std::error_code ignored;
  const bool is_file = std::filesystem::is_regular_file(description.text, ignored);
  json settings = request.config;
  settings.update({{"policy", request.policy},
                   {"dtype", dtype_name(model.dtype)},
                   {"device", device_name(model.device)},
                   {"threads", model.threads}});  // so that sums are made in the same order
  if (is_file) {
    settings["tokens"] = (request.ids ? std::ssize(*request.ids) : 0) - (request.config.bos ? 1 : 0);
  } else {
    settings["bos"] = false;  // it is among the ids
  }
  std::vector<std::string> words{"carryover", "run", model.path};
  if (is_file) {
    words.push_back(description.text);
  } else {
    words.insert(words.end(), {"--input-ids", run_folder_name(description) + "/ids.npy"});
  }
  if (!model.adapter.empty()) words.insert(words.end(), {"--adapter", model.adapter});
  words.insert(words.end(), {"--config", json_text(settings)});
  return words;
}

std::string run_provenance(const RunDescription& description) {
  const ModelInfo& model = description.model;
  const RunRequest& request = description.request;
  std::string text = "run: " + id_of(description) + "\nmodel: " + model.config.name + " (" + model.path + ")";
  if (!model.adapter.empty()) text += "\nadapter: " + model.adapter;
  text += "\nweights: " + model.weights_hash;
  text += "\npolicy: " + request.policy + ", dtype: " + std::string(dtype_name(model.dtype)) +
          ", device: " + std::string(device_name(model.device));
  text += "\ntext: " + description.text + ", " + std::to_string(request.ids ? request.ids->size() : 0) + " tokens";
  text += "\nconfig: " + json_text(request.config);
  if (!description.command_line.empty()) text += "\nmade by: " + shell_command(description.command_line);
  return text;
}

}  // namespace carryover
