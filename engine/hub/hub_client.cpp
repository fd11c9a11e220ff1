// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/hub/hub_client.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/json_parser.h"
#include "engine/base/run_control.h"
#include "engine/base/text_parts.h"
#include "engine/formats/json_file.h"
#include "engine/hub/hub_error.h"
#include "engine/hub/web_get.h"

namespace carryover {

namespace {

constexpr int kMostTries = 5;
constexpr std::int64_t kLongestPause = 300;  ///< seconds; a server that asks for more is not waited for

/// The answer to a question, which is small.
class AnswerBody final : public HubBody {
 public:
  explicit AnswerBody(std::string where) : where_(std::move(where)) {}
  std::int64_t size() const override { return std::ssize(text_); }
  bool is_whole() const override { return true; }
  void restart() override { text_.clear(); }
  void append(std::string_view bytes) override {
    check_json_size(size() + std::ssize(bytes), where_, kKind);
    text_ += bytes;
  }
  const std::string& text() const { return text_; }

  static constexpr JsonKind kKind = JsonKind::Record;

 private:
  std::string where_, text_;
};

/// Spells a part of a path so that it stands for itself in an address.
std::string escaped(std::string_view text, bool keep_slashes) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos || (keep_slashes && c == '/')) {
      result += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    result += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return result;
}

/// Returns true if a name stays in the folder that it is put into, and can be printed.
bool is_safe(const std::string& path) {
  if (path.empty() || path.ends_with('/')) return false;
  if (std::ranges::any_of(path, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\\' || c == '\x7f'; }))
    return false;
  return std::ranges::none_of(text_parts(path, '/'),
                              [](const std::string& part) { return part.empty() || part == "." || part == ".."; });
}

HubFile file_from(const nlohmann::json& sibling, const std::string& where) {
  const auto refuse = [&](const std::string& what) {
    throw EngineError(Fault::BadInput, where, what, "Check HF_ENDPOINT: this is not how a hub answers.");
  };
  constexpr std::size_t kSha256Digits = 64, kSha1Digits = 40;
  const JsonFields fields(sibling, where);
  HubFile file;
  file.path = fields.find_text("rfilename").value_or("");
  if (!is_safe(file.path)) refuse("lists a file with the name '" + file.path.substr(0, 200) + "'");
  file.bytes = fields.find_integer("size").value_or(-1);
  if (const nlohmann::json* large = fields.find("lfs"))
    file.blob = JsonFields(*large, where).find_text("sha256").value_or("");
  const bool is_large = !file.blob.empty();
  if (!is_large) file.blob = fields.find_text("blobId").value_or("");
  if (file.bytes < 0 || !is_hex(file.blob, is_large ? kSha256Digits : kSha1Digits))
    refuse("lists " + file.path.substr(0, 200) + " without a size and a hash");
  return file;
}

}  // namespace

HubModel hub_model_from(std::string_view answer, const HubName& name) {
  constexpr std::size_t kCommitDigits = 40;
  const std::string where = name.text();
  const nlohmann::json json = parse_json(answer, where, AnswerBody::kKind);
  const JsonFields fields(json, where);
  HubModel model{name, fields.find_text("sha").value_or(""), {}};
  const nlohmann::json* files = fields.find("siblings");
  if (!is_hex(model.commit, kCommitDigits) || files == nullptr || !files->is_array())
    throw EngineError(Fault::BadInput, where, "has no commit and files in the hub's answer",
                      "Check HF_ENDPOINT: this is not how a hub answers.");
  for (const nlohmann::json& file : *files) model.files.push_back(file_from(file, where));
  return model;
}

HubClient::HubClient(const HubSettings& settings, std::function<void(const std::string& line)> note,
                     RunControl& control)
    : settings_(settings), note_(std::move(note)), control_(control) {}

HubModel HubClient::list(const HubName& name) {
  AnswerBody body(name.text());
  get(name,
      settings_.endpoint + "/api/models/" + name.repository + "/revision/" + escaped(name.revision, false) +
          "?blobs=true",
      body);
  return hub_model_from(body.text(), name);
}

void HubClient::get(const HubModel& model, const HubFile& file, HubBody& body) {
  get(model.name,
      settings_.endpoint + "/" + model.name.repository + "/resolve/" + model.commit + "/" + escaped(file.path, true),
      body);
}

void HubClient::get(const HubName& name, const std::string& url, HubBody& body) {
  for (int tries = 1;; ++tries) {
    const std::int64_t before = body.size();
    bool begun = false;
    WebReply reply = web_get(
        {url, settings_.token, before},
        [&](int status, std::string_view bytes) {
          if (!std::exchange(begun, true) && status == 200 && body.size() > 0) body.restart();
          body.append(bytes);
        },
        control_);
    const bool answered = reply.status == 200 || reply.status == 206;
    if (answered && reply.problem.empty() && body.is_whole()) return;
    if (answered && reply.problem.empty()) reply.problem = "the transfer ended early";
    if (body.size() > before) tries = 0;
    if (!is_worth_another_try(reply) || tries == kMostTries || reply.retry_after > kLongestPause)
      throw hub_error(reply, name, settings_);
    pause(short_reason(reply), tries, reply.retry_after);
  }
}

void HubClient::pause(const std::string& reason, int tries, std::int64_t asked_for) {
  using Clock = std::chrono::steady_clock;
  double seconds = settings_.first_pause;
  for (int n = 1; n < tries; ++n) seconds *= 2;
  seconds = std::max(seconds, static_cast<double>(asked_for));
  note_(reason + "; trying again in " + fixed_text(seconds, 0) + " s");
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    control_.checkpoint();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace carryover
