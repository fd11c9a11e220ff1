// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/serve/reply_writer.h"
#include "app/serve/served_model.h"
#include "app/serve/serving_engine.h"
#include "engine/base/error.h"

namespace carryover::test {

/// A token for each byte, and two special ones that spell <s> and </s>.
class ByteTokenizer : public Tokenizer {
 public:
  static constexpr std::int32_t kBos = 256, kEos = 257, kVocabulary = 258;
  std::int64_t vocabulary() const override { return kVocabulary; }
  std::optional<std::int32_t> bos() const override { return kBos; }
  std::optional<std::int32_t> eos() const override { return kEos; }
  std::vector<std::int32_t> encode(std::string_view text, bool parse_special) const override {
    std::vector<std::int32_t> ids;
    while (!text.empty()) {
      const bool special = parse_special && text.starts_with("</s>");
      ids.push_back(special ? kEos : static_cast<std::int32_t>(static_cast<unsigned char>(text.front())));
      text.remove_prefix(special ? 4 : 1);
    }
    return ids;
  }
  std::string bytes(std::int32_t id) const override {
    if (id == kBos) return "<s>";
    if (id == kEos) return "</s>";
    return id < 256 ? std::string(1, static_cast<char>(id)) : unknown_id_text(id);
  }
  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) text += bytes(id);
    return text;
  }
};

/// Answers with numbers made of the ids, without a model. What is generated: the bytes of `script` again and again,
/// with `ends` the end of text behind each. A prompt that begins with "wait" is answered
/// when it is stopped.
class FakeServingEngine final : public ServingEngine {
 public:
  explicit FakeServingEngine(std::string script = "one two three. ", bool ends = false)
      : script_(std::move(script)), ends_(ends) {}

  static float logprob(std::int32_t before, std::int32_t id) {
    return -static_cast<float>((before * 7 + id * 13) % 101 + 1) / 17.F;
  }
  /// The token itself, first in each third place, else behind a likelier one.
  static std::vector<TopToken> top(std::int32_t id, float logprob, std::size_t place, int count) {
    if (count == 0) return {};
    const TopToken self{id, logprob}, other{(id + 1) % 256, logprob + (place % 3 == 0 ? -0.5F : 0.5F)};
    if (place % 3 == 0) return count == 1 ? std::vector{self} : std::vector{self, other};
    return {other, self};
  }

  TokenScores score(const ScoreRequest& request, RunControl& control) override {
    control.checkpoint();
    TokenScores scores;
    for (std::size_t i = 1; i < request.ids->size(); ++i)
      add((*request.ids)[i - 1], (*request.ids)[i], request.top, scores);
    return scores;
  }

  void generate(const GenerateRequest& request, const OnToken& on_token, RunControl& control) override {
    const ByteTokenizer tokenizer;
    last = request;
    ++generated;
    const std::string prompt = tokenizer.decode(request.prompt);
    while (can_wait && prompt.starts_with("wait")) {
      ++waits;
      control.checkpoint();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (prompt.starts_with("fail")) throw EngineError(Fault::Io, "/a/secret/path", "is on fire", "Run.");
    std::int32_t before = request.prompt.back();
    const std::string script = says_seed ? std::to_string(request.sampling.seed) + script_ : script_;
    for (std::size_t place = 0; std::cmp_less(place, request.max_new_tokens); ++place) {
      control.checkpoint();
      const std::size_t at = place % (script.size() + (ends_ ? 1 : 0));
      GeneratedToken token;
      token.id =
          at == script.size() ? ByteTokenizer::kEos : static_cast<std::int32_t>(static_cast<unsigned char>(script[at]));
      if (request.logprobs) {
        token.logprob = logprob(before, token.id);
        token.top = top(token.id, token.logprob, place, static_cast<int>(request.top_logprobs));
      }
      before = token.id;
      if (!on_token(token)) break;
    }
  }

  void keep_state(const ScoreRequest& document, const std::string&, RunControl& control) override {
    control.checkpoint();
    kept = *document.ids;
  }
  std::vector<std::int32_t> take_state(const std::string&) override { return kept; }

  GenerateRequest last;                     ///< what was asked of generate() last
  std::atomic<int> generated{0}, waits{0};  ///< calls of generate(); turns of waiting
  std::vector<std::int32_t> kept;
  bool can_wait = true;
  bool says_seed = false;  ///< in front of the script

 private:
  static void add(std::int32_t before, std::int32_t id, int count, TokenScores& scores) {
    scores.logprobs.push_back(logprob(before, id));
    if (count > 0) scores.top.push_back(top(id, scores.logprobs.back(), scores.logprobs.size() - 1, count));
  }

  const std::string script_;
  const bool ends_;
};

/// A model "tiny" with ByteTokenizer, whose chats are written as role, colon, content and line end, behind the value
/// `greeting`.
inline ServedModel tiny_served_model() {
  ServedModel served;
  served.names = {"tiny", "segmented", {"segmented", "full", "streaming"}};
  served.tokenizer = std::make_shared<const ByteTokenizer>();
  served.vocabulary = ByteTokenizer::kVocabulary;
  served.stop_ids = {ByteTokenizer::kEos};
  served.most_new_tokens = 10000;
  served.created = 1700000000;
  served.chat_template = "{{ messages }}";
  served.render_chat = [](const nlohmann::json& messages, bool add_generation_prompt, const nlohmann::json& values) {
    std::string text = values.value("greeting", "");
    for (const nlohmann::json& message : messages)
      text += message.at("role").get<std::string>() + ":" + message.at("content").get<std::string>() + "\n";
    return add_generation_prompt ? text + "assistant:" : text;
  };
  return served;
}

/// Keeps an answer.
struct CollectedReply final : ReplyWriter {
  HttpReply whole;
  std::string type, data;
  bool began = false, complete = false;
  void reply(HttpReply reply) override {
    whole = std::move(reply);
    complete = true;
  }
  void begin_stream(std::string stream_type) override {
    began = true;
    type = std::move(stream_type);
  }
  void write(std::string more) override { data += more; }
  void end() override { complete = true; }
  void when_gone(std::function<void()>) override {}

  nlohmann::json json() const { return nlohmann::json::parse(whole.body); }
  /// The events of a stream, without the last, which must be [DONE].
  std::vector<nlohmann::json> events() const {
    std::vector<nlohmann::json> found;
    std::size_t at = 0;
    while (true) {
      const std::size_t end = data.find("\n\n", at);
      if (end == std::string::npos || data.substr(at, 6) != "data: ") throw std::runtime_error("no event: " + data);
      const std::string event = data.substr(at + 6, end - at - 6);
      at = end + 2;
      if (event == "[DONE]") break;
      found.push_back(nlohmann::json::parse(event));
    }
    if (at != data.size()) throw std::runtime_error("something behind the last event");
    return found;
  }
};

}  // namespace carryover::test
