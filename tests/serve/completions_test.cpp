// SPDX-License-Identifier: GPL-3.0-or-later
// The body of a completion and its answer, without sockets and without a model.
#include "app/serve/completions.h"

#include <QTest>

#include "app/serve/api_error.h"
#include "tests/support/fake_serving_engine.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

const std::string kUtf8Script = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x8C\x8D z";  // of 1 to 4 bytes a character

class Server {
 public:
  explicit Server(std::string script = "one two three. ", bool ends = false)
      : engine(std::move(script), ends), served(tiny_served_model()) {}

  CollectedReply answer(const json& body) {
    const CompletionRequest request = parse_completion(body.dump(), served, states);
    CollectedReply reply;
    Usage usage;
    complete(request, "cmpl-1", served, states, engine, reply, usage, control);
    if (!reply.complete) throw std::runtime_error("no answer");
    return reply;
  }
  json choice(const json& body) { return answer(body).json().at("choices").at(0); }
  /// The error that a body is refused with.
  ApiError refusal(const json& body) {
    try {
      answer(body);
    } catch (...) {
      return current_api_error();
    }
    throw std::runtime_error("accepted: " + body.dump());
  }

  FakeServingEngine engine;
  ServedModel served;
  StateStore states{""};
  RunControl control;
};

}  // namespace

class CompletionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void a_plain_completion() {
    Server server;
    const json answer = server.answer({{"prompt", "Hi"}, {"model", "tiny:full"}, {"seed", -3}, {"top_p", 0.5}}).json();
    QCOMPARE(answer.at("object"), json("text_completion"));
    QCOMPARE(answer.at("model"), json("tiny:full"));
    QCOMPARE(answer.at("choices"),
             json::array(
                 {{{"index", 0}, {"text", "one two three. o"}, {"logprobs", nullptr}, {"finish_reason", "length"}}}));
    QCOMPARE(answer.at("usage"), json({{"prompt_tokens", 2}, {"completion_tokens", 16}, {"total_tokens", 18}}));
    const GenerateRequest& asked = server.engine.last;
    QVERIFY(asked.policy == "full" && asked.sampling.seed == static_cast<std::uint64_t>(-3));
    QVERIFY(asked.sampling.top_p == 0.5 && asked.sampling.temperature == 1 && asked.max_new_tokens == 16);
  }

  void prompts_of_every_form() {
    Server server;
    const auto texts = [&](const json& prompt) {
      std::string all;
      const json answer = server.answer({{"prompt", prompt}, {"max_tokens", 0}, {"echo", true}}).json();
      for (const json& choice : answer.at("choices")) {
        all += std::to_string(choice.at("index").get<int>()) + choice.at("text").get<std::string>() + ";";
      }
      return all;
    };
    QCOMPARE(texts("ab"), std::string("0ab;"));
    QCOMPARE(texts(json{"ab", "c"}), std::string("0ab;1c;"));
    QCOMPARE(texts(json{97, 98}), std::string("0ab;"));
    QCOMPARE(texts(json{{97, 98}, {99}}), std::string("0ab;1c;"));
    QCOMPARE(texts(json{"ab", {99}}), std::string("0ab;1c;"));
    QCOMPARE(server.engine.generated.load(), 0);  // max_tokens 0
  }

  /// What lm-evaluation-harness reads: one entry for each token of the prompt, and the generated one behind them.
  void echoed_logprobs_are_the_engines() {
    Server server;
    for (const int count : {0, 1, 5}) {
      const json body{
          {"prompt", {{72, 195, 164, 33}}}, {"max_tokens", 1}, {"echo", true}, {"logprobs", count}, {"temperature", 0}};
      const json choice = server.choice(body), logprobs = choice.at("logprobs");
      QCOMPARE(choice.at("text"), json("Hä!o"));
      QCOMPARE(logprobs.at("tokens"), json({"H", "bytes:\\xc3", "bytes:\\xa4", "!", "o"}));
      QCOMPARE(logprobs.at("text_offset"), json({0, 1, 1, 2, 3}));
      QVERIFY(logprobs.at("token_logprobs").at(0).is_null() && logprobs.at("top_logprobs").at(0).is_null());
      const std::vector<std::int32_t> ids{72, 195, 164, 33, 'o'};
      for (std::size_t i = 1; i < ids.size(); ++i) {
        const double own = logprobs.at("token_logprobs").at(i).get<double>();
        QCOMPARE(static_cast<float>(own), FakeServingEngine::logprob(ids[i - 1], ids[i]));
        double most = -1e9;
        for (const auto& [token, value] : logprobs.at("top_logprobs").at(i).items())
          most = std::max(most, value.get<double>());
        const bool is_first = i == 4 || (i - 1) % 3 == 0 || count == 0;
        QCOMPARE(most == own, is_first);  // the same number in both places
      }
    }
  }

  void logprobs_go_with_the_text_that_stays() {
    Server server("one two three. ");
    const json choice = server.choice({{"prompt", "x"}, {"max_tokens", 12}, {"logprobs", 0}, {"stop", " t"}});
    QCOMPARE(choice.at("text"), json("one"));
    QCOMPARE(choice.at("finish_reason"), json("stop"));
    QCOMPARE(choice.at("logprobs").at("tokens"), json({"o", "n", "e"}));
    QCOMPARE(choice.at("logprobs").at("top_logprobs").size(), std::size_t{3});
  }

  void the_end_of_text_is_no_text_and_counts_as_a_token() {
    Server server("ab", true);
    const json choice = server.choice({{"prompt", "x"}, {"max_tokens", 9}, {"logprobs", 1}, {"echo", true}});
    QCOMPARE(choice.at("text"), json("xab"));
    QCOMPARE(choice.at("finish_reason"), json("stop"));
    QCOMPARE(choice.at("logprobs").at("tokens"), json({"x", "a", "b", "</s>"}));
    QCOMPARE(server.choice({{"prompt", "x"}, {"max_tokens", 2}}).at("finish_reason"), json("length"));
  }

  void a_stream_says_what_a_whole_answer_does_data() {
    QTest::addColumn<QByteArray>("stops");
    QTest::newRow("none") << QByteArray("[]");
    QTest::newRow("over a token's border") << QByteArray("[\"\\u20ac\\ud83c\\udf0d\", \"never\"]");
    QTest::newRow("one that begins and fails") << QByteArray("[\" zz\"]");
    QTest::newRow("the first character") << QByteArray("[\"a\"]");
  }
  void a_stream_says_what_a_whole_answer_does() {
    QFETCH(QByteArray, stops);
    for (const bool echo : {false, true}) {
      for (int most = 1; most <= 25; ++most) {
        Server server(kUtf8Script);
        json body{
            {"prompt", json{"Hä", "x"}}, {"max_tokens", most}, {"echo", echo}, {"stop", json::parse(stops.data())}};
        const json whole = server.answer(body).json();
        body["stream"] = true;
        body["stream_options"] = {{"include_usage", true}};
        const CollectedReply stream = server.answer(body);
        QCOMPARE(stream.type, std::string("text/event-stream"));
        std::vector<std::string> texts(2), reasons(2);
        const std::vector<json> events = stream.events();
        for (const json& event : events)
          for (const json& choice : event.at("choices")) {
            const auto index = choice.at("index").get<std::size_t>();
            texts.at(index) += choice.at("text").get<std::string>();
            if (!choice.at("finish_reason").is_null())
              reasons.at(index) += choice.at("finish_reason").get<std::string>();
          }
        for (std::size_t i = 0; i < 2; ++i) {
          QCOMPARE(json(texts[i]), whole.at("choices").at(i).at("text"));
          QCOMPARE(json(reasons[i]), whole.at("choices").at(i).at("finish_reason"));
        }
        QCOMPARE(events.back().at("usage"), whole.at("usage"));
      }
    }
  }

  void refuses_data() {
    QTest::addColumn<QByteArray>("more");
    QTest::addColumn<QByteArray>("param");
    QTest::addColumn<int>("status");
    const auto row = [](const char* more, const char* param, int status = 400) {
      QTest::newRow(more) << QByteArray(more) << QByteArray(param) << status;
    };
    row(R"({"prompt": null})", "prompt");
    row(R"({"prompt": ""})", "prompt");
    row(R"({"prompt": []})", "prompt");
    row(R"({"prompt": [[]]})", "prompt");
    row(R"({"prompt": {"a": 1}})", "prompt");
    row(R"({"prompt": [1, "a"]})", "prompt");
    row(R"({"prompt": [258]})", "prompt");
    row(R"({"prompt": [-1]})", "prompt");
    row(R"({"prompt": [1.0]})", "prompt");
    row(R"({"prompt": [99999999999999999999]})", "prompt");
    row(R"({"max_tokens": -1})", "max_tokens");
    row(R"({"max_tokens": 10001})", "max_tokens");
    row(R"({"max_tokens": "5"})", "max_tokens");
    row(R"({"temperature": -0.1})", "temperature");
    row(R"({"temperature": 1e300})", "temperature");
    row(R"({"top_p": 1.1})", "top_p");
    row(R"({"top_k": 5})", "top_k");
    row(R"({"n": 2})", "n");
    row(R"({"best_of": 2})", "best_of");
    row(R"({"suffix": "s"})", "suffix");
    row(R"({"logit_bias": {"1": 2}})", "logit_bias");
    row(R"({"presence_penalty": 0.5})", "presence_penalty");
    row(R"({"logprobs": 21})", "logprobs");
    row(R"({"logprobs": true})", "logprobs");
    row(R"({"logprobs": 1, "stream": true})", "logprobs");
    row(R"({"stop": [""]})", "stop");
    row(R"({"stop": [1]})", "stop");
    row(R"({"stop": ["1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g","h"]})", "stop");
    row(R"({"stream": 1})", "stream");
    row(R"({"echo": "yes"})", "echo");
    row(R"({"model": 5})", "model");
    row(R"({"model": "other"})", "model", 404);
    row(R"({"model": "tiny:"})", "model", 404);
    row(R"({"model": "tiny:nothing"})", "model", 404);
    row(R"({"state": "a"})", "state");
  }
  void refuses() {
    QFETCH(QByteArray, more);
    QFETCH(QByteArray, param);
    QFETCH(int, status);
    Server server;
    json body{{"prompt", "x"}};
    body.update(json::parse(more.data()));
    const ApiError error = server.refusal(body);
    QCOMPARE(error.status(), status);
    QCOMPARE(error.param(), param.toStdString());
    QCOMPARE(server.engine.generated.load(), 0);
  }

  void what_changes_nothing_is_accepted() {
    Server server;
    const json plain = server.choice({{"prompt", "x"}, {"temperature", 0}});
    const json more = server.choice({{"prompt", "x"},
                                     {"temperature", 0},
                                     {"n", 1},
                                     {"best_of", 1},
                                     {"suffix", nullptr},
                                     {"logit_bias", json::object()},
                                     {"presence_penalty", 0.0},
                                     {"top_k", 32},
                                     {"user", "me"},
                                     {"stop", json::array()},
                                     {"stream", false},
                                     {"logprobs", nullptr}});
    QCOMPARE(more, plain);
  }

  void a_body_that_is_no_object_is_refused() {
    Server server;
    for (const char* body : {"", "[]", "5", "{", "{\"prompt\": \"\xFF\"}", "nul"}) {
      try {
        parse_completion(body, server.served, server.states);
        QFAIL(body);
      } catch (const ApiError& error) {
        QCOMPARE(error.status(), 400);
      }
    }
  }

  void an_engines_error_names_no_path() {
    Server server;
    const ApiError error = server.refusal({{"prompt", "fail"}});
    QCOMPARE(error.status(), 500);
    QVERIFY(!QByteArray(error.what()).contains("secret"));
    const json told = error_json(error).at("error");
    QCOMPARE(told.at("type"), json("server_error"));
    QVERIFY(told.at("param").is_null() && told.at("code").is_null());
  }

  void a_question_is_the_end_of_its_prompt() {
    Server server;
    QCOMPARE(server.choice({{"prompt", "book"}, {"question", "Who?"}, {"echo", true}, {"max_tokens", 1}}).at("text"),
             json("bookWho?o"));
    QCOMPARE(server.engine.last.question_length, std::int64_t{4});
    QCOMPARE(server.engine.last.prompt.size(), std::size_t{8});
  }

  void the_list_of_models_has_every_policy() {
    const ModelNames names = tiny_served_model().names;
    QCOMPARE(names.all(), (std::vector<std::string>{"tiny", "tiny:segmented", "tiny:full", "tiny:streaming"}));
    for (const std::string& name : names.all()) QCOMPARE(model_json(names, name, 1).at("id"), json(name));
    QCOMPARE(models_json(names, 1).at("data").size(), std::size_t{4});
    try {
      (void)names.policy_of("tiny:magic");
      QFAIL("found");
    } catch (const ApiError& error) {
      QVERIFY(QByteArray(error.what()).contains("tiny:streaming"));
    }
    QCOMPARE(served_name("/models/Smol LM2:x/"), std::string("Smol-LM2-x"));
    QCOMPARE(served_name("a/model.Q8_0.gguf"), std::string("model.Q8_0"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CompletionsTest>};
#include "completions_test.moc"
