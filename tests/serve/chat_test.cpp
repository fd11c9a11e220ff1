// SPDX-License-Identifier: GPL-3.0-or-later
// Chats, RULER's /generate and the tokenizer's endpoints, without sockets and without a model.
#include "app/serve/chat.h"

#include <QTest>
#include <algorithm>
#include <set>

#include "app/serve/api_error.h"
#include "app/serve/plain_generate.h"
#include "app/serve/tokenizing.h"
#include "engine/base/error.h"
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

  /// An answer as a client sends it back: most of its fields are null.
  void messages_keep_their_texts_by_name() {
    const json message{{"role", "assistant"},          {"content", nullptr},    {"refusal", nullptr},
                       {"annotations", json::array()}, {"tool_calls", nullptr}, {"name", "Ann"},
                       {"reasoning_content", "hm"},    {"type", "text"}};
    const ChatRequest request = parse_chat(json({{"messages", {message}}}).dump(), tiny_served_model());
    QCOMPARE(
        request.messages.at(0),
        json({{"role", "assistant"}, {"content", ""}, {"name", "Ann"}, {"reasoning_content", "hm"}, {"type", "text"}}));
  }

  void the_template_is_told_what_it_is_to_do() {
    const ServedModel served = tiny_served_model();
    const auto prompt = [&](json body) {
      FakeServingEngine engine;
      body["max_tokens"] = 1;
      answer(body, served, engine);
      return ByteTokenizer().decode(engine.last.prompt);
    };
    const json begun{{{"role", "user"}, {"content", "Hi"}}, {{"role", "assistant"}, {"content", "user: \n"}}};
    QCOMPARE(prompt({{"messages", begun}, {"add_generation_prompt", false}}),
             std::string("user:Hi\nassistant:user: \n\n"));
    QCOMPARE(prompt({{"messages", begun}, {"continue_final_message", true}}),
             std::string("user:Hi\nassistant:user: \n"));
    QCOMPARE(prompt({{"messages", begun}, {"continue_final_message", true}, {"add_generation_prompt", false}}),
             std::string("user:Hi\nassistant:user: \n"));
    QCOMPARE(prompt({{"messages", kMessages}, {"chat_template_kwargs", {{"greeting", "Good day\n"}}}}),
             std::string("Good day\nsystem:Be kind.\nuser:Hi\nassistant:"));
  }

  /// As many templates do: `message.content | trim`.
  void a_message_that_goes_on_ends_as_the_template_ends_it() {
    ServedModel served = tiny_served_model();
    served.render_chat = [](const json& messages, bool, const json&) {
      std::string text;
      for (const json& message : messages) {
        const auto content = message.at("content").get<std::string>();
        text += "[" + content.substr(0, content.find_last_not_of(' ') + 1) + "]";
      }
      return text;
    };
    ChatRequest request = parse_chat(
        json({{"messages", {{{"role", "assistant"}, {"content", "]] a  "}}}}, {"continue_final_message", true}}).dump(),
        served);
    QCOMPARE(ByteTokenizer().decode(chat_prompt(request, served).ids), std::string("[]] a"));
    served.render_chat = [](const json&, bool, const json&) { return std::string("nothing of it"); };
    QCOMPARE(status_of([&] { chat_prompt(request, served); }), 400);
  }

  void several_answers_have_their_own_random_numbers() {
    const ServedModel served = tiny_served_model();
    FakeServingEngine engine("Hello!", true);
    engine.says_seed = true;
    json body{{"messages", kMessages}, {"n", 16}, {"seed", 5}, {"max_tokens", 40}};
    const json whole = answer(body, served, engine).json();
    QCOMPARE(whole.at("choices").size(), std::size_t{16});
    std::set<std::string> texts;
    for (std::size_t i = 0; i < 16; ++i) {
      QCOMPARE(whole.at("choices").at(i).at("index"), json(i));
      texts.insert(whole.at("choices").at(i).at("message").at("content").get<std::string>());
    }
    QCOMPARE(texts.size(), std::size_t{16});
    QCOMPARE(answer(body, served, engine).json().at("choices"), whole.at("choices"));
    const std::int64_t prompt = std::ssize(std::string("system:Be kind.\nuser:Hi\nassistant:"));
    QCOMPARE(whole.at("usage").at("prompt_tokens"), json(prompt));  // which is read by every answer, and given once
    body["stream"] = true;
    std::vector<std::string> streamed(16);
    int roles = 0, ends = 0;
    for (const json& event : answer(body, served, engine).events()) {
      const json& choice = event.at("choices").at(0);
      streamed.at(choice.at("index").get<std::size_t>()) += choice.at("delta").value("content", "");
      roles += choice.at("delta").contains("role") ? 1 : 0;
      ends += choice.at("finish_reason") == "stop" ? 1 : 0;
    }
    QVERIFY(roles == 16 && ends == 16);
    for (std::size_t i = 0; i < 16; ++i)
      QCOMPARE(json(streamed[i]), whole.at("choices").at(i).at("message").at("content"));
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
              "response_format"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "n": 17})", "n"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "tool_choice": "required"})", "tool_choice"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "chat_template_kwargs": []})",
              "chat_template_kwargs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "chat_template_kwargs": {"messages": []}})",
              "chat_template_kwargs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "chat_template_kwargs": {"strftime_now": 0}})",
              "chat_template_kwargs"},
             {R"({"messages": [{"role": "user", "content": "Hi"}], "continue_final_message": true,
                  "add_generation_prompt": true})",
              "continue_final_message"},
             {R"({"messages": [{"role": "assistant", "content": null, "tool_calls": [{"id": "a"}]}]})", "messages"}})
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
    served.render_chat = [whole = served.render_chat](const json& messages, bool add_generation_prompt,
                                                      const json& values) {
      const auto asks = [](const json& message) { return message.at("role") == "user"; };
      if (std::ranges::none_of(messages, asks)) throw EngineError(Fault::BadInput, "the template", "no user query");
      return whole(messages, add_generation_prompt, values);
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
    const ChatRequest request = parse_chat(json({{"messages", kMessages}}).dump(), served);
    QCOMPARE(status_of([&] { chat_prompt(request, served); }), 400);
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
