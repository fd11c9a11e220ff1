// SPDX-License-Identifier: GPL-3.0-or-later
// The body of a completion and its answer, without sockets and without a model.
#include "app/serve/completions.h"

#include <QTest>
#include <set>

#include "app/serve/api_error.h"
#include "tests/support/fake_serving_engine.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

const std::string kUtf8Script = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x8C\x8D z";  // of 1 to 4 bytes a character

/// The choices of a stream, as a whole answer has them.
json joined(const std::vector<json>& events) {
  json choices = json::array();
  for (const json& event : events) {
    for (const json& part : event.at("choices")) {
      if (part.at("index") == choices.size())
        choices.push_back(
            {{"index", part.at("index")}, {"text", ""}, {"logprobs", nullptr}, {"finish_reason", nullptr}});
      json& choice = choices.at(part.at("index").get<std::size_t>());
      choice.at("text").get_ref<std::string&>() += part.at("text").get<std::string>();
      if (!part.at("finish_reason").is_null()) choice["finish_reason"] = part.at("finish_reason");
      for (const auto& [name, list] : part.at("logprobs").items())
        for (const json& each : list) choice["logprobs"][name].push_back(each);
    }
  }
  return choices;
}

class Server {
 public:
  explicit Server(std::string script = "one two three. ", bool ends = false)
      : engine(std::move(script), ends), served(tiny_served_model()) {}

  CollectedReply answer(const json& body) { return answer_to(body.dump()); }
  CollectedReply answer_to(const std::string& body) {
    const CompletionRequest request = parse_completion(body, served, states);
    CollectedReply reply;
    Usage usage;
    complete(request, "cmpl-1", served, states, engine, reply, usage, control);
    if (!reply.complete) throw std::runtime_error("no answer");
    return reply;
  }
  json choice(const json& body) { return answer(body).json().at("choices").at(0); }
  /// The error that a body is refused with.
  ApiError refusal(const json& body) { return refusal_of(body.dump()); }
  ApiError refusal_of(const std::string& body) {
    try {
      answer_to(body);
    } catch (...) {
      return current_api_error();
    }
    throw std::runtime_error("accepted: " + body);
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

  /// The reply is as lm-evaluation-harness reads it: one entry for each token of the prompt, and the generated one
  /// behind them.
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
    for (const json& logprobs : {json(), json(0), json(2)}) {
      for (const bool echo : {false, true}) {
        for (int most = 0; most <= 25; ++most) {
          Server server(kUtf8Script, most % 2 == 0);
          json body{{"prompt", json{"Hä", "x"}},
                    {"max_tokens", most},
                    {"echo", echo},
                    {"logprobs", logprobs},
                    {"stop", json::parse(stops.data())}};
          const json whole = server.answer(body).json();
          body["stream"] = true;
          body["stream_options"] = {{"include_usage", true}};
          const CollectedReply stream = server.answer(body);
          QCOMPARE(stream.type, std::string("text/event-stream"));
          const std::vector<json> events = stream.events();
          json choices = whole.at("choices");
          for (json& choice : choices)  // a stream has no list without a token
            if (!choice.at("logprobs").is_null() && choice.at("logprobs").at("tokens").empty())
              choice["logprobs"] = nullptr;
          QCOMPARE(joined(events), choices);
          for (std::size_t i = 0; i + 1 < events.size(); ++i) QVERIFY(events[i].at("usage").is_null());
          QCOMPARE(events.back().at("usage"), whole.at("usage"));
          QCOMPARE(events.back().at("choices"), json::array());
        }
      }
    }
  }

  void a_stream_has_usage_where_it_is_asked_for() {
    Server server;
    for (const json& options : {json(), json::object(), json{{"include_usage", false}}})
      for (const json& event :
           server.answer({{"prompt", "x"}, {"max_tokens", 3}, {"stream", true}, {"stream_options", options}}).events())
        QVERIFY(!event.contains("usage") && event.at("choices").size() == 1);
  }

  /// Each of them once, and none of those that a stop text cut: a token is a byte here, so that they spell the text.
  void tokens_that_are_held_back_keep_their_logprobs() {
    const std::vector<json> stops{json::array(), {"\xE2\x82\xAC\xF0\x9F\x8C\x8D"}, {" zz"}, {"z"}, {"\xC3\xA4", "a"}};
    int cut = 0;
    for (const json& stop : stops) {
      for (int most = 1; most <= 25; ++most) {
        Server server(kUtf8Script);
        const json choice =
            joined(
                server
                    .answer({{"prompt", "x"}, {"max_tokens", most}, {"logprobs", 1}, {"stop", stop}, {"stream", true}})
                    .events())
                .at(0);
        const json& list = choice.at("logprobs");
        const bool stopped = choice.at("finish_reason") == "stop";
        const auto count = list.is_null() ? 0 : list.at("tokens").size();
        QCOMPARE(count,
                 stopped ? choice.at("text").get_ref<const std::string&>().size() : static_cast<std::size_t>(most));
        std::int32_t before = 'x';
        for (std::size_t i = 0; i < count; ++i) {
          const auto id = static_cast<std::int32_t>(static_cast<unsigned char>(kUtf8Script[i % kUtf8Script.size()]));
          QCOMPARE(list.at("token_logprobs").at(i).get<float>(), FakeServingEngine::logprob(before, id));
          before = id;
        }
        cut += stopped ? 1 : 0;
      }
    }
    QVERIFY(cut > 20);
  }

  void offsets_say_where_tokens_are() {
    Server server("one two");
    const json choice =
        joined(server.answer({{"prompt", "Hä!"}, {"max_tokens", 7}, {"logprobs", 0}, {"echo", true}, {"stream", true}})
                   .events());
    QCOMPARE(choice.at(0).at("text"), json("Hä!one two"));
    QCOMPARE(choice.at(0).at("logprobs").at("text_offset"), json({0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }

  void echoes_have_a_limit_together() {
    Server server;
    const std::string long_text(100'000, 'a');
    json body{{"prompt", json{long_text, "b"}}, {"max_tokens", 0}, {"echo", true}, {"logprobs", 20}};
    QCOMPARE(server.answer(body).json().at("choices").size(), std::size_t{2});
    body["prompt"] = json{long_text, long_text};
    QCOMPARE(server.refusal(body).param(), std::string("logprobs"));
    body["stream"] = true;  // which keeps one at a time
    QCOMPARE(joined(server.answer(body).events()).size(), std::size_t{2});
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
    row(R"({"temperature": 1e999})", "");
    row(R"({"temperature": "0"})", "temperature");
    row(R"({"max_tokens": 1e3})", "max_tokens");
    row(R"({"max_tokens": 18446744073709551616})", "max_tokens");
    row(R"({"seed": 18446744073709551615})", "seed");
    row(R"({"n": 17})", "n");
    row(R"({"n": 0})", "n");
    row(R"({"n": false})", "n");
    row(R"({"n": 1e308})", "n");
    row(R"({"n": -9223372036854775809})", "n");
    row(R"({"best_of": 2})", "best_of");
    row(R"({"best_of": 0})", "best_of");
    row(R"({"best_of": 3, "n": 2})", "best_of");
    row(R"({"n": 16, "logprobs": 20, "max_tokens": 10000, "prompt": ["a", "b"]})", "logprobs");
    row(R"({"stop_token_ids": [258]})", "stop_token_ids");
    row(R"({"stop_token_ids": 5})", "stop_token_ids");
    row(R"({"ignore_eos": 1})", "ignore_eos");
    row(R"({"min_tokens": -1})", "min_tokens");
    row(R"({"min_tokens": 6, "max_tokens": 5})", "min_tokens");
    row(R"({"max_completion_tokens": 5})", "max_completion_tokens");
    row(R"({"max_token": 5})", "max_token");
    row(R"({"": 5})", "");
    row(R"({"suffix": "s"})", "suffix");
    row(R"({"logit_bias": {"1": 2}})", "logit_bias");
    row(R"({"logit_bias": {"99999999999999999999": 1e308}})", "logit_bias");
    row(R"({"logit_bias": "1"})", "logit_bias");
    row(R"({"presence_penalty": 0.5})", "presence_penalty");
    row(R"({"logprobs": 21})", "logprobs");
    row(R"({"logprobs": true})", "logprobs");
    row(R"({"logprobs": -1})", "logprobs");
    row(R"({"logprobs": 1.5})", "logprobs");
    row(R"({"logprobs": "5"})", "logprobs");
    row(R"({"logprobs": 20, "max_tokens": 10000, "prompt": ["1","2","3","4","5","6","7","8","9","a","b","c","d","e","f",
        "g","h","i","j","k"]})",
        "logprobs");
    row(R"({"stream_options": {"include_usage": true}})", "stream_options");
    row(R"({"stream_options": {}, "stream": false})", "stream_options");
    row(R"({"stream_options": true, "stream": true})", "stream_options");
    row(R"({"stream_options": {"continuous_usage_stats": true}, "stream": true})", "stream_options");
    row(R"({"stream_options": {"include_usage": 1}, "stream": true})", "include_usage");
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
    std::string body = R"({"prompt": "x", )" + more.toStdString().substr(1);  // of two prompts, the last one counts
    const ApiError error = server.refusal_of(body);
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

  /// Each answer to each prompt is the next choice, and has its own random numbers.
  void several_answers_to_several_prompts() {
    Server server("ab", true);
    server.engine.says_seed = true;
    json body{{"prompt", {"x", "yz"}}, {"n", 3}, {"best_of", 3}, {"seed", 5}, {"echo", true}, {"max_tokens", 40}};
    for (const json& logprobs : {json(), json(1)}) {
      body["logprobs"] = logprobs;
      const json whole = server.answer(body).json();
      const json& choices = whole.at("choices");
      QCOMPARE(choices.size(), std::size_t{6});
      QCOMPARE(choices.at(0).at("text"), json("x5ab"));  // the request's own seed
      std::set<std::string> texts;
      std::int64_t tokens = 0;
      for (std::size_t i = 0; i < 6; ++i) {
        QCOMPARE(choices.at(i).at("index"), json(i));
        const std::string prompt = i < 3 ? "x" : "yz", text = choices.at(i).at("text").get<std::string>();
        QVERIFY(text.starts_with(prompt) && text.ends_with("ab"));
        texts.insert(text.substr(prompt.size()));
        tokens += std::ssize(text) - std::ssize(prompt) + 1;
      }
      QCOMPARE(texts.size(), std::size_t{6});
      QCOMPARE(whole.at("usage"),
               json({{"prompt_tokens", 3}, {"completion_tokens", tokens}, {"total_tokens", tokens + 3}}));
      QCOMPARE(server.answer(body).json().at("choices"), choices);
      json streamed = body;
      streamed["stream"] = true;
      QCOMPARE(joined(server.answer(streamed).events()), choices);
    }
  }

  void without_a_seed_requests_differ() {
    Server server;
    std::set<std::uint64_t> seeds;
    for (int i = 0; i < 100; ++i) {
      server.choice({{"prompt", "x"}, {"max_tokens", 1}});
      seeds.insert(server.engine.last.sampling.seed);
    }
    QCOMPARE(seeds.size(), std::size_t{100});
    server.choice({{"prompt", "x"}, {"max_tokens", 1}, {"seed", 7}});
    QCOMPARE(server.engine.last.sampling.seed, std::uint64_t{7});
    SeedSource first(3), second(3), third(4), other, another;
    const std::uint64_t drawn = first.next();
    QVERIFY(drawn == second.next() && drawn != third.next() && drawn != first.next());
    QVERIFY(other.next() != another.next());
  }

  void what_ends_an_answer_can_be_chosen() {
    Server server("ab", true);
    const auto ask = [&](json more) {
      more.update({{"prompt", "x"}, {"max_tokens", 8}});
      const json answer = server.answer(more).json();
      const json& choice = answer.at("choices").at(0);
      return choice.at("text").get<std::string>() + "/" + choice.at("finish_reason").get<std::string>() + "/" +
             std::to_string(answer.at("usage").at("completion_tokens").get<int>());
    };
    QCOMPARE(ask(json::object()), std::string("ab/stop/3"));
    QCOMPARE(ask({{"ignore_eos", true}}), std::string("ababab/length/8"));  // the ends of text spell nothing
    QCOMPARE(ask({{"ignore_eos", true}, {"stop", "bab"}}), std::string("a/stop/5"));
    QCOMPARE(ask({{"stop_token_ids", {'b'}}}), std::string("a/stop/2"));
    QCOMPARE(ask({{"stop_token_ids", {'b'}}, {"ignore_eos", true}}), std::string("a/stop/2"));
    QVERIFY(server.engine.last.barred_ids.empty());
    ask({{"stop_token_ids", {'b'}}, {"min_tokens", 4}});
    QCOMPARE(server.engine.last.barred_tokens, std::int64_t{4});
    QCOMPARE(server.engine.last.barred_ids, (std::vector<std::int32_t>{'b', ByteTokenizer::kEos}));
    ask({{"min_tokens", 4}, {"ignore_eos", true}});  // it ends nothing
    QVERIFY(server.engine.last.barred_ids.empty());
  }

  /// Millions of empty objects would take a hundred times their own bytes.
  void what_a_bodys_json_takes_is_bounded() {
    Server server;
    const auto status = [&](const std::string& part, std::size_t count) {
      std::string body = R"({"prompt": "a", "x": [)";
      for (std::size_t i = 0; i < count; ++i) body += part + ",";
      return server.refusal_of(body + part + "]}").status();
    };
    QCOMPARE(status("{}", kMostJsonParts), 413);
    QCOMPARE(status("[]", kMostJsonParts), 413);
    QCOMPARE(status(R"({"a":0})", kMostJsonParts / 2), 413);
    QCOMPARE(status("\"\"", kMostJsonParts), 413);
    QCOMPARE(status("0", kMostJsonValues), 413);
    QCOMPARE(status("{}", 100), 400);                // x is no field
    QCOMPARE(status("\"{[:,\\\"\"", 200'000), 400);  // what a text has counts as nothing
  }

  void a_body_that_is_no_object_is_refused() {
    Server server;
    const std::string deep = R"({"prompt": )" + std::string(100'000, '[');
    for (const char* body : {"", "[]", "5", "{", "{\"prompt\": \"\xFF\"}", "nul", R"({"prompt": "\ud800"})",
                             R"({"prompt": "\udf0d\ud83c"})", R"({"temperature": NaN})", R"({"prompt": "a"} {})",
                             "{\"prompt\": \"\x01\"}", deep.c_str()}) {
      try {
        parse_completion(body, server.served, server.states);
        QFAIL(body);
      } catch (const ApiError& error) {
        QCOMPARE(error.status(), 400);
      }
    }
  }

  void a_temperature_near_0_is_greedy() {
    Server server;
    for (const double temperature : {0.0, 5e-324, 1e-320, 1e-6}) {
      server.choice({{"prompt", "x"}, {"temperature", temperature}});
      QCOMPARE(server.engine.last.sampling.temperature, 0.0);
    }
    server.choice({{"prompt", "x"}, {"temperature", 0.01}});
    QCOMPARE(server.engine.last.sampling.temperature, 0.01);
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
