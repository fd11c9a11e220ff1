// SPDX-License-Identifier: GPL-3.0-or-later
// Chats, RULER's /generate and the tokenizer's endpoints, without sockets and without a model.
#include "app/serve/chat.h"

#include <QTest>
#include <algorithm>

#include "app/serve/api_error.h"
#include "app/serve/plain_generate.h"
#include "app/serve/tokenizing.h"
#include "engine/core/base/error.h"
#include "tests/support/fake_serving_engine.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

const json kMessages{{{"role", "system"}, {"content", "Be kind."}}, {{"role", "user"}, {"content", "Hi"}}};

template <typename Action>
int status_of(Action action) {
  try {
    action();
  } catch (...) {
    return current_api_error().status();
  }
  return 200;
}

}  // namespace

class ChatTest : public QObject {
  Q_OBJECT

  CollectedReply answer(const json& body, const ServedModel& served, FakeServingEngine& engine) {
    CollectedReply reply;
    Usage usage;
    RunControl control;
    chat(parse_chat(body.dump(), served), "chatcmpl-1", served, engine, reply, usage, control);
    return reply;
  }

 private Q_SLOTS:
  void a_chat_is_answered_behind_the_template() {
    FakeServingEngine engine("Hello!", true);
    const ServedModel served = tiny_served_model();
    const json reply = answer({{"messages", kMessages}, {"max_tokens", 99}}, served, engine).json();
    QCOMPARE(reply.at("object"), json("chat.completion"));
    QCOMPARE(reply.at("choices").at(0).at("message"), json({{"role", "assistant"}, {"content", "Hello!"}}));
    QCOMPARE(reply.at("choices").at(0).at("finish_reason"), json("stop"));
    QCOMPARE(ByteTokenizer().decode(engine.last.prompt), std::string("system:Be kind.\nuser:Hi\nassistant:"));
    QCOMPARE(engine.last.question_length, std::int64_t{0});
  }

  void a_stream_says_the_same() {
    const ServedModel served = tiny_served_model();
    for (const bool logprobs : {false, true}) {
      for (const int most : {0, 1, 2, 3, 7, 50}) {
        FakeServingEngine engine("H\xC3\xA4llo. Yes.", true);
        json body{{"messages", kMessages}, {"max_completion_tokens", most}, {"stop", ". Y"}, {"logprobs", logprobs}};
        if (logprobs) body["top_logprobs"] = 2;
        const json whole = answer(body, served, engine).json().at("choices").at(0);
        body["stream"] = true;
        const std::vector<json> events = answer(body, served, engine).events();
        QCOMPARE(events.front().at("choices").at(0).at("delta").at("role"), json("assistant"));
        QCOMPARE(events.front().at("object"), json("chat.completion.chunk"));
        std::string text;
        json content = json::array();
        for (const json& event : events) {
          const json& choice = event.at("choices").at(0);
          text += choice.at("delta").value("content", "");
          for (const auto& [name, list] : choice.at("logprobs").items())
            for (const json& each : list) content.push_back(each);
        }
        QCOMPARE(json(text), whole.at("message").at("content"));
        QCOMPARE(logprobs ? json({{"content", content}, {"refusal", nullptr}}) : json(), whole.at("logprobs"));
        QCOMPARE(events.back().at("choices").at(0).at("finish_reason"), whole.at("finish_reason"));
      }
    }
  }

  /// The tokens of the message alone: neither those that a stop text cut nor the end of text.
  void logprobs_are_of_the_messages_tokens() {
    const ServedModel served = tiny_served_model();
    for (const json& stop : {json::array(), json{". Y"}, json{"never"}}) {
      for (const int top : {0, 1, 2, 20}) {
        FakeServingEngine engine("H\xC3\xA4llo. Yes.", true);
        const json choice =
            answer({{"messages", kMessages}, {"logprobs", true}, {"top_logprobs", top}, {"stop", stop}}, served, engine)
                .json()
                .at("choices")
                .at(0);
        std::string spelled;
        std::int32_t before = ':';
        for (const json& entry : choice.at("logprobs").at("content")) {
          QCOMPARE(entry.at("bytes").size(), std::size_t{1});
          const auto id = entry.at("bytes").at(0).get<std::int32_t>();
          spelled += static_cast<char>(id);
          QCOMPARE(entry.at("logprob").get<float>(), FakeServingEngine::logprob(before, id));
          before = id;
          const json& likeliest = entry.at("top_logprobs");
          QVERIFY(likeliest.size() <= static_cast<std::size_t>(top) && (top == 0 || !likeliest.empty()));
          for (std::size_t i = 1; i < likeliest.size(); ++i)
            QVERIFY(likeliest[i].at("logprob").get<double>() <= likeliest[i - 1].at("logprob").get<double>());
        }
        QCOMPARE(json(spelled), choice.at("message").at("content"));
      }
    }
  }

  void parts_of_characters_are_shown_as_bytes() {
    FakeServingEngine engine("\xC3\xA4", true);
    const json content = answer({{"messages", kMessages}, {"logprobs", true}}, tiny_served_model(), engine)
                             .json()
                             .at("choices")
                             .at(0)
                             .at("logprobs")
                             .at("content");
    QCOMPARE(content.at(0).at("token"), json("\\xc3"));
    QCOMPARE(content.at(1).at("bytes"), json({0xA4}));
    QCOMPARE(content.at(1).at("top_logprobs"), json::array());
  }

  void contents_may_be_parts() {
    const ServedModel served = tiny_served_model();
    const json parts{{{"type", "text"}, {"text", "a"}}, {{"type", "text"}, {"text", "b"}}};
    const ChatRequest request =
        parse_chat(json({{"messages", json::array({{{"role", "user"}, {"content", parts}}})}}).dump(), served);
    QCOMPARE(request.messages.at(0).at("content"), json("ab"));
  }

  void the_last_turn_is_the_question() {
    FakeServingEngine engine;
    ServedModel served = tiny_served_model();
    served.config.question_pass = true;
    answer({{"messages", kMessages}, {"max_tokens", 1}}, served, engine);
    QCOMPARE(engine.last.question_length, std::ssize(std::string("user:Hi\nassistant:")));
    served.config.segment_length = 5;  // it does not fit
    answer({{"messages", kMessages}, {"max_tokens", 1}}, served, engine);
    QCOMPARE(engine.last.question_length, std::int64_t{0});
  }

  void refuses_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("param");
    for (const auto& [body, param] : std::initializer_list<std::pair<const char*, const char*>>{
             {R"({})", "messages"},
             {R"({"messages": []})", "messages"},
             {R"({"messages": "Hi"})", "messages"},
             {R"({"messages": ["Hi"]})", ""},
             {R"({"messages": [{"content": "Hi"}]})", "messages"},
             {R"({"messages": [{"role": "user", "content": 5}]})", "messages"},
             {R"({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]})", "messages"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "tools": [{}]})", "tools"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "logprobs": 1})", "logprobs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "logprobs": "true"})", "logprobs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "top_logprobs": 2})", "top_logprobs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "logprobs": false, "top_logprobs": 1})",
              "top_logprobs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "logprobs": true, "top_logprobs": 21})",
              "top_logprobs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "logprobs": true, "top_logprobs": -1})",
              "top_logprobs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "logprobs": true, "top_logprobs": true})",
              "top_logprobs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "stream_options": {"include_usage": true}})",
              "stream_options"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "response_format": {"type": "json_object"}})",
              "response_format"}})
      QTest::newRow(body) << QByteArray(body) << QByteArray(param);
  }
  void refuses() {
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, param);
    const ServedModel served = tiny_served_model();
    try {
      parse_chat(body.toStdString(), served);
      QFAIL("accepted");
    } catch (const ApiError& error) {
      QCOMPARE(error.status(), 400);
      QCOMPARE(QByteArray::fromStdString(error.param()), param);
      QCOMPARE(error_json(error).at("error").at("type"), json("invalid_request_error"));
    }
  }

  void a_template_that_takes_no_document_alone_answers_all_of_it() {
    ServedModel served = tiny_served_model();
    served.render_chat = [whole = served.render_chat](const json& messages, bool add_generation_prompt) {
      const auto asks = [](const json& message) { return message.at("role") == "user"; };
      if (std::ranges::none_of(messages, asks)) throw EngineError(Fault::BadInput, "the template", "no user query");
      return whole(messages, add_generation_prompt);
    };
    served.config.question_pass = true;
    FakeServingEngine engine("Hello!", true);
    const json reply = answer({{"messages", kMessages}, {"max_tokens", 9}}, served, engine).json();
    QCOMPARE(reply.at("choices").at(0).at("message").at("content"), json("Hello!"));
    QCOMPARE(engine.last.question_length, std::int64_t{0});
  }

  void a_model_without_a_template_has_no_chat() {
    ServedModel served = tiny_served_model();
    served.render_chat = {};
    QCOMPARE(status_of([&] { chat_prompt(kMessages, served); }), 400);
  }

  void rulers_client_gets_its_texts() {
    const ServedModel served = tiny_served_model();
    FakeServingEngine engine("one two. ");
    const auto ask = [&](const json& body) {
      CollectedReply reply;
      Usage usage;
      RunControl control;
      generate_plain(parse_plain(body.dump(), served), served, engine, reply, usage, control);
      return reply.json();
    };
    QCOMPARE(
        ask({{"prompt", "Hi"}, {"max_tokens", 7}, {"temperature", 0}, {"top_k", 32}, {"top_p", 1}, {"stop", {"."}}}),
        json({{"text", {"one two"}}}));
    QCOMPARE(ask({{"prompt", {"a", "b"}}, {"max_tokens", 3}}), json({{"text", {"one", "one"}}}));
    QCOMPARE(status_of([&] { ask({{"max_tokens", 3}}); }), 400);
    QCOMPARE(status_of([&] { ask({{"prompt", "a"}, {"stream", true}}); }), 400);
  }

  void tokens_and_texts() {
    ServedModel served = tiny_served_model();
    QCOMPARE(tokenizer_info(served).at("eos_token"), json("</s>"));
    QCOMPARE(tokenizer_info(served).at("chat_template"), json("{{ messages }}"));
    QCOMPARE(tokenize(R"({"prompt": "a</s>"})", served), json({{"tokens", {97, 257}}, {"count", 2}}));
    QCOMPARE(detokenize(R"({"tokens": [97, 257, 195]})", served), json({{"prompt", "a</s>\xEF\xBF\xBD"}}));
    served.config.bos = true;
    QCOMPARE(tokenize(R"({"prompt": "a"})", served).at("tokens"), json({256, 97}));
    QCOMPARE(tokenize(R"({"prompt": "a", "add_special_tokens": false})", served).at("tokens"), json({97}));
    QCOMPARE(status_of([&] { tokenize(R"({"prompt": 5})", served); }), 400);
    QCOMPARE(status_of([&] { detokenize(R"({"tokens": [258]})", served); }), 400);
    QCOMPARE(status_of([&] { detokenize(R"({"tokens": 3})", served); }), 400);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<ChatTest>};
#include "chat_test.moc"
