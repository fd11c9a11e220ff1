// SPDX-License-Identifier: GPL-3.0-or-later
// `carryover-cli serve` on the demo model: log-probabilities are the engine's own, streams say the same, clients that
// go free the engine, and a thousand requests take no more memory.
#include <signal.h>

#include <QProcess>
#include <QRegularExpression>
#include <QTest>
#include <fstream>
#include <memory>

#include "engine/api/engine_library.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/data/text_source.h"
#include "engine/tokenizers/tokenizer.h"
#include "tests/support/cli_process.h"
#include "tests/support/http_client.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

/// The program, until it ends with this object.
class ServeProcess {
 public:
  explicit ServeProcess(const QStringList& more = {}) {
    prepare_cli(process_, QStringList{"serve", demo_model(), "--dtype", "fp32", "--device", "cpu", "--threads", "1"} +
                              (more.contains("--port") ? more : more + QStringList{"--port", "0"}));
    process_.start();
    QByteArray line;
    while (!line.endsWith('\n') && process_.waitForReadyRead(60000)) line += process_.readAllStandardOutput();
    const QRegularExpression address("http://127\\.0\\.0\\.1:(\\d+)/v1");
    port_ = address.match(QString::fromUtf8(line)).captured(1).toInt();
    if (port_ == 0) throw std::runtime_error("not started: " + process_.readAllStandardError().toStdString());
  }
  ~ServeProcess() {
    process_.kill();
    process_.waitForFinished();
  }
  int port() const { return port_; }
  json complete(const json& body) const {
    const ClientReply reply = ask(port_, "POST", "/v1/completions", body.dump());
    if (reply.status != 200) throw std::runtime_error(reply.body);
    return reply.json();
  }
  CliResult end(int signal) {
    ::kill(static_cast<pid_t>(process_.processId()), signal);
    return finish_cli(process_);
  }
  qint64 resident_kilobytes() const {
    std::ifstream file("/proc/" + std::to_string(process_.processId()) + "/status");
    for (std::string line; std::getline(file, line);)
      if (line.starts_with("VmRSS:")) return std::stoll(line.substr(6));
    throw std::runtime_error("no VmRSS");
  }

 private:
  QProcess process_;
  int port_ = 0;
};

struct Losses final : RunObserver {
  std::vector<float> nll;
  void segment_done(std::shared_ptr<const SegmentSnapshot> snapshot) override {
    nll.insert(nll.end(), snapshot->target_nll.begin(), snapshot->target_nll.end());
  }
};

}  // namespace

class ServeCommandTest : public QObject {
  Q_OBJECT

  std::vector<std::int32_t> text_;

 private Q_SLOTS:
  void initTestCase() {
    text_ = Tokenizer::load(demo_model().toStdString())->encode(read_text(demo_text().toStdString()));
  }

  void echoed_logprobs_are_the_losses_of_a_run() {
    const ServeProcess server;
    ModelRequest model;
    model.path = demo_model().toStdString();
    model.dtype = DType::Float32;
    model.device = Device::Cpu;
    model.threads = 1;
    model.for_decoding = true;
    const auto session = load_session(model, {});
    RunRequest run;
    run.ids = std::make_shared<const std::vector<std::int32_t>>(text_.begin(), text_.begin() + 300);
    run.config = initial_config(session->model().config, model.path, {});
    for (const char* policy : {"segmented", "full", "streaming"}) {
      run.policy = policy;
      Losses losses;
      RunControl control;
      session->run(run, losses, control);
      const json choice = server
                              .complete({{"model", std::string("demo:") + policy},
                                         {"prompt", {*run.ids}},
                                         {"max_tokens", 1},
                                         {"temperature", 0},
                                         {"logprobs", 1},
                                         {"echo", true}})
                              .at("choices")
                              .at(0);
      const json values = choice.at("logprobs").at("token_logprobs"), top = choice.at("logprobs").at("top_logprobs");
      QCOMPARE(values.size(), run.ids->size() + 1);
      QVERIFY(values.at(0).is_null());
      std::size_t greedy = 0;
      for (std::size_t i = 1; i < run.ids->size(); ++i) {
        const double own = values.at(i).get<double>();
        QCOMPARE(static_cast<float>(own), -losses.nll.at(i - 1));
        double most = -1e9;
        for (const auto& [token, value] : top.at(i).items()) most = std::max(most, value.get<double>());
        const std::vector<float> logits = session->logits(run, {static_cast<std::int64_t>(i) - 1}, control);
        const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
        QCOMPARE(own == most, best == (*run.ids)[i]);  // what lm-evaluation-harness calls greedy
        greedy += own == most ? 1 : 0;
      }
      QVERIFY(greedy > 10 && greedy < 290);
    }
  }

  void a_stream_says_what_a_whole_answer_does() {
    const ServeProcess server;
    const std::vector<std::int32_t> prompt(text_.begin(), text_.begin() + 100);
    for (const json& more :
         {json{{"temperature", 0}}, json{{"temperature", 0.9}, {"seed", 5}, {"stop", {" the", "."}}}}) {
      json body{{"prompt", prompt}, {"max_tokens", 40}, {"logprobs", 3}};
      body.update(more);
      const json whole = server.complete(body).at("choices").at(0);
      body["stream"] = true;
      const std::string events = ask(server.port(), "POST", "/v1/completions", body.dump()).body;
      std::string text;
      json logprobs;
      for (std::size_t at = 0; (at = events.find("data: {", at)) != std::string::npos; ++at) {
        const json event = json::parse(events.substr(at + 6, events.find("\n\n", at) - at - 6));
        text += event.at("choices").at(0).at("text").get<std::string>();
        for (const auto& [name, list] : event.at("choices").at(0).at("logprobs").items())
          for (const json& each : list) logprobs[name].push_back(each);
      }
      QCOMPARE(json(text), whole.at("text"));
      QCOMPARE(logprobs, whole.at("logprobs"));
      QVERIFY(events.ends_with("data: [DONE]\n\n") && !text.empty());
    }
  }

  void every_policy_in_the_list_answers() {
    const ServeProcess server;
    const std::vector<std::int32_t> prompt(text_.begin(), text_.begin() + 150);
    for (const json& model : ask(server.port(), "GET", "/v1/models").json().at("data"))
      QCOMPARE(server.complete({{"model", model.at("id")}, {"prompt", prompt}, {"max_tokens", 2}, {"temperature", 0}})
                   .at("usage")
                   .at("completion_tokens"),
               json(2));
  }

  void a_client_that_goes_frees_the_engine() {
    const ServeProcess server;
    {
      HttpClient client(server.port());
      client.send(
          request_text("POST", "/v1/completions",
                       json({{"prompt", "a"}, {"max_tokens", 60000}, {"stream", true}, {"temperature", 1}}).dump()));
      QCOMPARE(client.receive(), true);
    }
    QElapsedTimer timer;
    timer.start();
    server.complete({{"prompt", "a"}, {"max_tokens", 1}});
    QVERIFY(timer.elapsed() < 20000);
    QVERIFY(ask(server.port(), "GET", "/metrics").body.find("status=\"499\"} 1\n") != std::string::npos);
  }

  void a_document_is_read_once() {
    const TempDir folder;
    const ServeProcess server({"--states", QString::fromStdString(folder.path().string())});
    const std::string document = Tokenizer::load(demo_model().toStdString())->decode(std::span(text_).first(400));
    const auto post = [&](const json& body) { return ask(server.port(), "POST", "/v1/states", body.dump()); };
    const ClientReply made = post({{"name", "book"}, {"prompt", document}});
    QVERIFY2(made.status == 200, made.body.c_str());
    json question{{"max_tokens", 20}, {"temperature", 0}, {"logprobs", 2}};
    question.update({{"prompt", document}, {"question", " And then"}});
    const json whole = server.complete(question);
    question.erase("question");
    question.update({{"prompt", " And then"}, {"state", "book"}});
    const json asked = server.complete(question);
    QCOMPARE(asked.at("choices"), whole.at("choices"));
    QCOMPARE(asked.at("usage"), whole.at("usage"));
    QCOMPARE(ask(server.port(), "GET", "/v1/states").json().at("data").at(0).at("name"), json("book"));
    for (const char* name : {"", "..", "../book", "a/b", "a b", ".hidden"})
      QCOMPARE(post({{"name", name}, {"prompt", "x"}}).status, 400);
    QCOMPARE(ask(server.port(), "DELETE", "/v1/states/book").status, 200);
    QCOMPARE(ask(server.port(), "DELETE", "/v1/states/book").status, 404);
    QVERIFY(std::filesystem::is_empty(folder.path()));
  }

  void a_thousand_requests_take_no_more_memory() {
    const ServeProcess server({"--quiet"});
    HttpClient client(server.port());
    const std::string request = request_text(
        "POST", "/v1/completions",
        json({{"prompt", "Once upon a time"}, {"max_tokens", 2}, {"temperature", 0}, {"logprobs", 1}, {"echo", true}})
            .dump());
    std::string first;
    qint64 before = 0;
    for (int i = 0; i < 1000; ++i) {
      client.send(request);
      json reply = client.reply().json();
      if (i == 0) first = reply.at("choices").dump();
      QCOMPARE(reply.at("choices").dump(), first);
      if (i == 200) before = server.resident_kilobytes();
    }
    QVERIFY(server.resident_kilobytes() < before + 8192);
  }

  void signals_end_it_cleanly() {
    for (const int signal : {SIGINT, SIGTERM}) {
      ServeProcess server;
      HttpClient client(server.port());
      client.send(request_text("POST", "/v1/completions", R"({"prompt": "a", "max_tokens": 60000, "stream": true})"));
      QVERIFY(client.receive());
      const CliResult result = server.end(signal);
      QVERIFY2(result.code == 0, result.err);
      QVERIFY(client.receive_all().ends_with("0\r\n\r\n"));  // the stream was ended, not cut
    }
  }

  /// At once, although a client of the first one has not hung up.
  void a_killed_server_starts_again_on_its_port() {
    const json question = {{"prompt", "Here comes Dan Dale. Who is Dan?"}, {"max_tokens", 4}, {"temperature", 0}};
    ServeProcess killed;
    const json before = killed.complete(question).at("choices");
    HttpClient client(killed.port());
    client.send(request_text("POST", "/v1/completions", R"({"prompt": "a", "max_tokens": 60000, "stream": true})"));
    QVERIFY(client.receive());
    QVERIFY(killed.end(SIGKILL).code != 0);
    const ServeProcess again({"--port", QString::number(killed.port())});
    QCOMPARE(again.port(), killed.port());
    QVERIFY(again.complete(question).at("choices") == before);
    QVERIFY(!client.receive_all().ends_with("0\r\n\r\n"));  // cut, not ended
  }

  void other_machines_need_a_key() {
    const auto start = [](const QStringList& more) { return run_cli(QStringList{"serve", demo_model()} + more); };
    QCOMPARE(start({"--host", "0.0.0.0"}).code, 2);
    QCOMPARE(start({"--host", "0.0.0.0", "--allow-remote"}).code, 2);
    const ServeProcess server({"--api-key", "secret"});
    QCOMPARE(ask(server.port(), "GET", "/v1/models").status, 401);
    QCOMPARE(ask(server.port(), "GET", "/v1/models", {}, "Host: localhost\r\nAuthorization: Bearer secret\r\n").status,
             200);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<ServeCommandTest>};
#include "serve_command_test.moc"
