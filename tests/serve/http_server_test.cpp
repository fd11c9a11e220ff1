// SPDX-License-Identifier: GPL-3.0-or-later
// The server on sockets, with an engine that has no model: what is malformed, slow, large or many, and who goes early.
#include "app/serve/http_server.h"

#include <QTest>
#include <atomic>
#include <latch>
#include <memory>
#include <thread>

#include "app/serve/service.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_serving_engine.h"
#include "tests/support/http_client.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

/// The text "slow" takes until somebody lets it go on.
struct PatientTokenizer final : ByteTokenizer {
  std::vector<std::int32_t> encode(std::string_view text, bool parse_special) const override {
    if (text == "slow") {
      begun.count_down();
      go_on.wait();
    }
    return ByteTokenizer::encode(text, parse_special);
  }
  mutable std::latch begun{1}, go_on{1};
};

struct Setup {
  Setup() { http.times.linger = 0.2; }
  HttpServerOptions http;
  std::size_t queue = 16;
  std::string key;
  std::string script = "one two three. ";
  std::shared_ptr<const Tokenizer> tokenizer = std::make_shared<const ByteTokenizer>();
};

/// A server in this process, which ends with this object.
class RunningServer {
 public:
  explicit RunningServer(const Setup& setup = {})
      : served_(served_by(setup)),
        queue_(
            [&] {
              auto made = std::make_unique<FakeServingEngine>(setup.script);
              engine = made.get();
              return made;
            },
            setup.queue),
        service_(served_, states_, {allowed_hosts("127.0.0.1"), setup.key}, queue_, {}),
        server_(setup.http, service_),
        thread_([this] { server_.run([this] { return stop_.load(); }, [this] { service_.stop(); }); }) {}
  ~RunningServer() { stop(); }
  void stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    service_.finish();
  }
  void begin_stop() { stop_ = true; }

  int port() const { return server_.port(); }
  json complete(const json& body) { return ask(port(), "POST", "/v1/completions", body.dump()).json(); }
  std::string metrics() const { return ask(port(), "GET", "/metrics").body; }
  /// Until what the metrics say has this line.
  bool says(const std::string& line) const {
    for (int i = 0; i < 12000; ++i) {
      if (metrics().find("\n" + line + "\n") != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  void wait_until_busy() const {
    for (const int before = engine->waits; engine->waits == before;)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  FakeServingEngine* engine = nullptr;

 private:
  static ServedModel served_by(const Setup& setup) {
    ServedModel served = tiny_served_model();
    served.tokenizer = setup.tokenizer;
    return served;
  }

  const ServedModel served_;
  StateStore states_{""};
  EngineQueue queue_;
  Service service_;
  HttpServer server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

const std::string kWait = R"({"prompt": "wait", "max_tokens": 1})";
const std::string kShort = R"({"prompt": "Hi", "max_tokens": 3})";

/// The status that the first reply has, and whether the connection was closed behind it.
int status_and_end(HttpClient& client) {
  const std::string all = client.receive_all();
  return all.size() > 12 ? std::stoi(all.substr(9, 3)) : 0;
}

}  // namespace

class HttpServerTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void endpoints_answer() {
    const RunningServer server;
    const int port = server.port();
    QCOMPARE(ask(port, "GET", "/health").json(), json({{"status", "ok"}}));
    QCOMPARE(ask(port, "GET", "/v1/models").json().at("data").size(), std::size_t{4});
    QCOMPARE(ask(port, "GET", "/v1/models/tiny:full").json().at("id"), json("tiny:full"));
    QCOMPARE(ask(port, "GET", "/v1/models/none").status, 404);
    QCOMPARE(ask(port, "POST", "/tokenize", R"({"prompt": "ab"})").json().at("tokens"), json({97, 98}));
    QCOMPARE(ask(port, "POST", "/detokenize", R"({"tokens": [97]})").json().at("prompt"), json("a"));
    QCOMPARE(ask(port, "POST", "/v1/completions", kShort).json().at("choices").at(0).at("text"), json("one"));
    QCOMPARE(ask(port, "PUT", "/generate", kShort).json(), json({{"text", {"one"}}}));
    const ClientReply chat = ask(port, "POST", "/v1/chat/completions",
                                 R"({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 3})");
    QCOMPARE(chat.json().at("choices").at(0).at("message").at("content"), json("one"));
    QVERIFY(chat.head.find("Access-Control") == std::string::npos);
    const std::string metrics = server.metrics();
    for (const char* line :
         {"\ncarryover_requests_total{endpoint=\"/v1/completions\",status=\"200\"} 1\n",
          "\ncarryover_requests_total{endpoint=\"/v1/models/\",status=\"404\"} 1\n", "\ncarryover_waiting_requests 0\n",
          "\ncarryover_generated_tokens_total 9\n", "\ncarryover_request_seconds_count{endpoint=\"/generate\"} 1\n"})
      QVERIFY2(metrics.find(line) != std::string::npos, (line + metrics).c_str());
  }

  void methods_and_paths_that_are_none() {
    const RunningServer server;
    const int port = server.port();
    const ClientReply wrong = ask(port, "GET", "/v1/completions");
    QCOMPARE(wrong.status, 405);
    QVERIFY(wrong.head.find("\r\nAllow: POST, OPTIONS\r\n") != std::string::npos);
    QCOMPARE(wrong.json().at("error").at("type"), json("invalid_request_error"));
    for (const char* path :
         {"/", "/v1", "/v1/", "/v1/models/", "/health/", "/../etc/passwd", "/v1/completions/", "/%2e"})
      QCOMPARE(ask(port, "GET", path).status, 404);
    const ClientReply options = ask(port, "OPTIONS", "/v1/completions");
    QCOMPARE(options.status, 204);
    QVERIFY(options.head.find("Allow: POST, OPTIONS") != std::string::npos);
    QCOMPARE(ask(port, "OPTIONS", "*").status, 204);
    const ClientReply head = ask(port, "HEAD", "/health"), get = ask(port, "GET", "/health");
    QVERIFY(head.status == 200 && head.head == get.head && !get.body.empty());
    QCOMPARE(ask(port, "TRACE", "/health").status, 405);
  }

  void strangers_are_refused_before_their_body_is_read() {
    Setup setup;
    setup.key = "secret";
    const RunningServer server(setup);
    const auto status = [&](const std::string& headers) {
      HttpClient client(server.port());  // promises a body that never comes
      client.send("POST /v1/completions HTTP/1.1\r\n" + headers + "Content-Length: 1000\r\n\r\n");
      return status_and_end(client);
    };
    QCOMPARE(status("Host: evil.example\r\nAuthorization: Bearer secret\r\n"), 421);
    QCOMPARE(status("Host: localhost\r\nOrigin: http://evil.example\r\nAuthorization: Bearer secret\r\n"), 403);
    QCOMPARE(status("Host: localhost\r\n"), 401);
    QCOMPARE(status("Host: localhost\r\nAuthorization: Bearer guess\r\n"), 401);
    QCOMPARE(
        ask(server.port(), "POST", "/v1/completions", kShort, "Host: localhost\r\nAuthorization: Bearer secret\r\n")
            .status,
        200);
    QCOMPARE(ask(server.port(), "GET", "/health").status, 200);
    QCOMPARE(server.engine->generated.load(), 1);
  }

  void malformed_requests_are_answered_and_closed() {
    const RunningServer server;
    for (const std::string& bytes :
         {std::string("hello\r\n\r\n"), std::string("GET / HTTP/1.1\r\n\r\n"), std::string("\x16\x03\x01\r\n\r\n"),
          std::string("POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n{}")}) {
      HttpClient client(server.port());
      client.send(bytes + "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");  // which is not looked at
      client.end_sending();
      QCOMPARE(status_and_end(client), 400);
      QCOMPARE(client.came().find("HTTP/1.1 200"), std::string::npos);
    }
    HttpClient chunks(server.port());
    chunks.send("POST /tokenize HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\r\n0\r\n\r\n");
    QCOMPARE(status_and_end(chunks), 400);
    HttpClient both(server.port());
    both.send(
        "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
        "0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    QCOMPARE(status_and_end(both), 400);
    QCOMPARE(both.came().find("HTTP/1.1 200"), std::string::npos);
    QCOMPARE(ask(server.port(), "GET", "/health").status, 200);
  }

  void what_is_too_large_is_refused() {
    Setup setup;
    setup.http.limits.body_bytes = 100000;
    const RunningServer server(setup);
    HttpClient body(server.port());
    body.send(request_text("POST", "/tokenize", std::string(100001, ' ')));
    QCOMPARE(status_and_end(body), 413);
    HttpClient head(server.port());
    head.send("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(100000, 'x'));
    QCOMPARE(status_and_end(head), 431);
    HttpClient endless(server.port());
    const std::string piece(65536, 'x');
    for (int i = 0; i < 1000 && endless.send(piece); ++i) {
    }
    const std::string fits = "{\"prompt\": \"" + std::string(99986, 'x') + "\"}";
    QCOMPARE(fits.size(), std::size_t{100000});
    QCOMPARE(ask(server.port(), "POST", "/tokenize", fits).json().at("count"), json(99986));
  }

  void a_body_may_come_in_chunks() {
    Setup setup;
    setup.http.limits.body_bytes = 100000;
    const RunningServer server(setup);
    HttpClient client(server.port());
    const std::string head =
        "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
    client.send(head);
    QCOMPARE(client.reply(false).status, 100);
    client.send("c;ext\r\n{\"prompt\": \"\r\n");
    for (int i = 0; i < 90; ++i) client.send("3e8\r\n" + std::string(1000, 'a') + "\r\n");
    client.send("2\r\n\"}\r\n0\r\nTrailer: x\r\n\r\n" + request_text("GET", "/health"));
    QCOMPARE(client.reply().json().at("count"), json(90000));
    QCOMPARE(client.reply().status, 200);
    client.send(head);
    QCOMPARE(client.reply(false).status, 100);
    for (int i = 0; i < 101; ++i) client.send("3e8\r\n" + std::string(1000, ' ') + "\r\n");
    QCOMPARE(status_and_end(client), 413);
  }

  void a_target_may_be_a_whole_address() {
    const RunningServer server;
    const std::string own = "http://localhost:" + std::to_string(server.port());
    QCOMPARE(ask(server.port(), "GET", own + "/health", {}, "Host: evil.example\r\n").json(), json({{"status", "ok"}}));
    QCOMPARE(ask(server.port(), "POST", own + "/tokenize", R"({"prompt": "ab"})").json().at("count"), json(2));
    QCOMPARE(ask(server.port(), "GET", "http://evil.example/health").status, 421);
    QCOMPARE(ask(server.port(), "GET", own + "/health", {}, "Host: localhost\r\nOrigin: " + own + "\r\n").status, 200);
    QCOMPARE(ask(server.port(), "GET", own + "/health", {}, "Host: localhost\r\nOrigin: http://localhost\r\n").status,
             403);
  }

  /// Memory is taken for what has come, not for what is announced.
  void announced_bodies_take_no_room() {
    Setup setup;
    setup.http.connections = 20;
    const RunningServer server(setup);
    std::vector<std::unique_ptr<HttpClient>> announcing;
    for (int i = 0; i < 16; ++i) {  // 256 MiB together
      announcing.push_back(std::make_unique<HttpClient>(server.port()));
      announcing.back()->send(
          "POST /tokenize HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
          "Content-Length: 16777216\r\n\r\n");
      QCOMPARE(announcing.back()->reply(false).status, 100);
    }
    QCOMPARE(ask(server.port(), "POST", "/tokenize", R"({"prompt": "ab"})").json().at("count"), json(2));
  }

  void bodies_that_have_come_are_bounded_together() {
    Setup setup;
    setup.http.connections = 20;
    const RunningServer server(setup);
    const std::string part(std::size_t{14} << 20, ' ');
    std::vector<std::unique_ptr<HttpClient>> half;
    for (int i = 0; i < 4; ++i) {  // 56 of 64 MiB
      half.push_back(std::make_unique<HttpClient>(server.port()));
      half.back()->send("POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16777216\r\n\r\n" + part);
    }
    int refused = 0;
    for (int i = 0; i < 2000 && refused == 0; ++i) {  // the others may still be on their way
      HttpClient more(server.port());
      more.send("POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16777216\r\n\r\n" +
                std::string(std::size_t{9} << 20, ' '));
      more.end_sending();
      refused += more.receive_all().starts_with("HTTP/1.1 503") ? 1 : 0;
    }
    QCOMPARE(refused, 1);
    QCOMPARE(ask(server.port(), "POST", "/tokenize", R"({"prompt": "ab"})").json().at("count"), json(2));
    half.clear();
    QVERIFY(server.says("carryover_connections 1"));
    QCOMPARE(ask(server.port(), "POST", "/tokenize", R"({"prompt": "ab"})" + part).json().at("count"), json(2));
  }

  void a_body_is_asked_for() {
    const RunningServer server;
    HttpClient client(server.port());
    const std::string body = R"({"prompt": "a"})";
    client.send("POST /tokenize HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n");
    QCOMPARE(client.reply(false).status, 100);
    client.send(body);
    QCOMPARE(client.reply().json().at("count"), json(1));
  }

  void requests_in_one_piece_are_answered_in_order() {
    const RunningServer server;
    HttpClient client(server.port());
    std::string all;
    for (int i = 0; i < 50; ++i)
      all += i % 3 == 0 ? request_text("POST", "/v1/completions", json({{"prompt", "x"}, {"max_tokens", i}}).dump())
                        : request_text("POST", "/tokenize", json({{"prompt", std::string(i, 'a')}}).dump());
    client.send(all);
    for (int i = 0; i < 50; ++i) {
      const json reply = client.reply().json();
      if (i % 3 == 0)
        QCOMPARE(reply.at("usage").at("completion_tokens"), json(i));
      else
        QCOMPARE(reply.at("count"), json(i));
    }
  }

  void http_1_0_has_streams_without_chunks() {
    const RunningServer server;
    const std::string body = R"({"prompt": "Hi", "max_tokens": 9, "stream": true})";
    HttpClient client(server.port());
    client.send("POST /v1/completions HTTP/1.0\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n\r\n" + body);
    const std::string all = client.receive_all();
    QVERIFY(all.find("Transfer-Encoding") == std::string::npos && all.ends_with("\n\ndata: [DONE]\n\n"));
    const ClientReply chunked = ask(server.port(), "POST", "/v1/completions", body);
    QCOMPARE(chunked.body.substr(chunked.body.find("\"text\"")).size(), all.substr(all.find("\"text\"")).size());
  }

  void two_hundred_clients_are_all_served() {
    Setup setup;
    setup.queue = 200;
    const RunningServer server(setup);
    std::atomic<int> served{0};
    std::vector<std::thread> clients;
    for (int i = 0; i < 200; ++i)
      clients.emplace_back([&, i] {
        try {
          HttpClient client(server.port());
          for (int round = 1; round <= 3; ++round) {
            const std::string prompt = std::to_string(i) + "/" + std::to_string(round);
            client.send(request_text("POST", "/v1/completions",
                                     json({{"prompt", prompt}, {"max_tokens", 4}, {"echo", true}}).dump(),
                                     round == 3 ? "Host: localhost\r\nConnection: close\r\n" : "Host: localhost\r\n"));
            if (client.reply().json().at("choices").at(0).at("text") == json(prompt + "one ")) ++served;
          }
        } catch (const std::exception&) {  // closed between two requests to make room: as a client would, once more
          const json reply = ask(server.port(), "POST", "/v1/completions", kShort).json();
          if (reply.contains("choices")) served += 1000;
        }
      });
    for (std::thread& client : clients) client.join();
    const int again = served / 1000;
    QVERIFY2(served % 1000 >= 600 - 3 * again, qPrintable(QString::number(served)));
    QVERIFY(server.says("carryover_connections 1"));
  }

  void more_than_may_wait_are_told_so() {
    Setup setup;
    setup.queue = 1;
    const RunningServer server(setup);
    HttpClient running(server.port()), waiting(server.port());
    running.send(request_text("POST", "/v1/completions", kWait));
    server.wait_until_busy();
    waiting.send(request_text("POST", "/v1/completions", kShort));
    QVERIFY(server.says("carryover_waiting_requests 1"));
    const ClientReply refused = ask(server.port(), "POST", "/v1/completions", kShort);
    QCOMPARE(refused.status, 429);
    QVERIFY(refused.head.find("Retry-After: 1") != std::string::npos);
    QCOMPARE(refused.json().at("error").at("code"), json("queue_full"));
    QCOMPARE(ask(server.port(), "GET", "/health").status, 200);  // the engine alone is busy
  }

  void the_tokenizer_does_not_wait_for_the_engine() {
    const RunningServer server;
    HttpClient running(server.port());
    running.send(request_text("POST", "/v1/completions", kWait));
    server.wait_until_busy();
    const std::string text(300'000, 'a');
    QCOMPARE(ask(server.port(), "POST", "/tokenize", json({{"prompt", text}}).dump()).json().at("count"),
             json(300'000));
    const std::string ids = json({{"tokens", std::vector<int>(100'000, 97)}}).dump();
    QCOMPARE(ask(server.port(), "POST", "/detokenize", ids).json().at("prompt"), json(std::string(100'000, 'a')));
    const std::string wrong = json({{"tokens", std::vector<int>(100'000, 258)}}).dump();
    QCOMPARE(ask(server.port(), "POST", "/detokenize", wrong).status, 400);
  }

  /// A text may take the tokenizer long, by accident or on purpose.
  void a_text_that_takes_long_holds_nobody_up_who_has_none() {
    Setup setup;
    const auto tokenizer = std::make_shared<PatientTokenizer>();
    setup.tokenizer = tokenizer;
    const RunningServer server(setup);
    HttpClient slow(server.port()), next(server.port());
    slow.send(request_text("POST", "/tokenize", R"({"prompt": "slow"})"));
    tokenizer->begun.wait();
    next.send(request_text("POST", "/v1/completions", kShort));
    auto gone = std::make_unique<HttpClient>(server.port());
    gone->send(request_text("POST", "/v1/completions", kShort));
    for (const char* path : {"/health", "/metrics", "/v1/models", "/tokenizer_info"})
      QCOMPARE(ask(server.port(), "GET", path).status, 200);
    gone.reset();
    QVERIFY(server.says("carryover_requests_total{endpoint=\"/v1/completions\",status=\"499\"} 1"));
    tokenizer->go_on.count_down();
    QCOMPARE(slow.reply().json().at("count"), json(4));
    QCOMPARE(next.reply().status, 200);
    QCOMPARE(server.engine->generated.load(), 1);  // the one that had gone was dropped
  }

  void a_client_that_goes_frees_the_engine() {
    const RunningServer server;
    for (const bool stream : {false, true}) {
      auto running = std::make_unique<HttpClient>(server.port());
      auto waiting = std::make_unique<HttpClient>(server.port());
      json body = json::parse(kWait);
      body["stream"] = stream;
      running->send(request_text("POST", "/v1/completions", body.dump()));
      server.wait_until_busy();
      waiting->send(request_text("POST", "/v1/completions", kWait));
      QVERIFY(server.says("carryover_waiting_requests 1"));
      waiting.reset();
      QVERIFY(server.says("carryover_waiting_requests 0"));
      running.reset();
      QCOMPARE(ask(server.port(), "POST", "/v1/completions", kShort).status, 200);
    }
    QVERIFY(server.says("carryover_requests_total{endpoint=\"/v1/completions\",status=\"499\"} 4"));
    QVERIFY(server.says("carryover_connections 1"));
  }

  void a_client_that_does_not_read_its_stream_is_dropped() {
    Setup setup;
    setup.script = std::string(4000, 'x');
    const RunningServer server(setup);
    std::vector<std::unique_ptr<HttpClient>> deaf;
    for (int i = 0; i < 2; ++i) {  // each with more than the system's buffers and ours hold
      deaf.push_back(std::make_unique<HttpClient>(server.port(), 4096));
      const json body{{"stream", true}, {"max_tokens", 4000}, {"prompt", std::vector<std::string>(21, "a")}};
      deaf.back()->send(request_text("POST", "/v1/completions", body.dump()));
    }
    QVERIFY(server.says("carryover_connections 1"));
    QVERIFY(server.says("carryover_requests_total{endpoint=\"/v1/completions\",status=\"499\"} 2"));
    QCOMPARE(ask(server.port(), "POST", "/v1/completions", kShort).status, 200);
  }

  void a_large_part_of_a_stream_is_no_reason_to_drop_it() {
    const RunningServer server;
    HttpClient client(server.port(), 4096);
    const json body{{"prompt", std::string(190'000, 'a')}, {"echo", true}, {"logprobs", 20}, {"stream", true}};
    client.send(request_text("POST", "/v1/completions", body.dump()));
    QVERIFY(server.says("carryover_generated_tokens_total 16"));  // all was said, and nothing was read
    const ClientReply reply = client.reply();
    QVERIFY(reply.body.size() > (std::size_t{9} << 20) && reply.body.ends_with("data: [DONE]\n\n"));
  }

  /// Those of requests that were sent ahead: they wait until the client has read what it asked for before.
  void answers_that_nobody_reads_do_not_pile_up() {
    const RunningServer server;
    HttpClient deaf(server.port(), 4096);
    constexpr int kRequests = 100'000;
    std::string all;
    for (int i = 0; i < kRequests; ++i) all += request_text("GET", "/v1/models");
    std::thread sender([&] { deaf.send(all); });
    const auto answered = [&] {
      const std::string line = "carryover_requests_total{endpoint=\"/v1/models\",status=\"200\"} ";
      const std::string metrics = server.metrics();
      const std::size_t at = metrics.find(line);
      return at == std::string::npos ? 0 : std::stoi(metrics.substr(at + line.size()));
    };
    int before = 0;
    for (int same = 0, now = answered(); same < 50 && now < kRequests; now = answered()) {
      same = now == before && now > 0 ? same + 1 : 0;
      before = now;
    }
    int models = 0;  // in more replies than there were
    for (int i = 0; i < before + 100 && before < kRequests / 2; ++i)
      models += static_cast<int>(deaf.reply().json().at("data").size());
    deaf.end_sending();
    sender.join();
    QVERIFY2(before < kRequests / 2, qPrintable(QString::number(before)));
    QCOMPARE(models, 4 * (before + 100));
  }

  void slow_clients_run_out_of_time() {
    Setup setup;
    setup.http.times = {.head = 0.3, .body = 0.3, .rate = 1e6, .idle = 0.3, .write = 0.3, .linger = 0.3};
    const RunningServer server(setup);
    HttpClient silent(server.port()), slow(server.port()), body(server.port()), idle(server.port());
    idle.send(request_text("GET", "/health"));
    QCOMPARE(idle.reply().status, 200);
    body.send("POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
    const std::string head = request_text("GET", "/health") + std::string(1000, ' ');
    const auto start = std::chrono::steady_clock::now();
    bool open = true;
    for (std::size_t i = 0; open && i + 30 < head.size(); ++i) {  // a byte now and then wins no time
      open = slow.send(head.substr(i % 20, 1));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(15)) break;
    }
    QVERIFY(!open);
    QCOMPARE(status_and_end(body), 408);
    QCOMPARE(silent.receive_all(), std::string());
    QCOMPARE(idle.receive_all(), std::string());
    QVERIFY(server.says("carryover_connections 1"));
  }

  void connections_beyond_the_most_wait_their_turn() {
    Setup setup;
    setup.http.connections = 2;
    const RunningServer server(setup);
    auto first = std::make_unique<HttpClient>(server.port()), second = std::make_unique<HttpClient>(server.port());
    for (const auto* client : {&first, &second}) (*client)->send("GET /health HTTP/1.1\r\n");  // unfinished
    HttpClient third(server.port());
    third.send(request_text("GET", "/health"));
    bool nothing = false;
    try {
      third.receive(200);
    } catch (const std::runtime_error&) {
      nothing = true;
    }
    QVERIFY(nothing);
    first.reset();
    QCOMPARE(third.reply().status, 200);
    HttpClient fourth(server.port());  // in place of the third, which is idle
    fourth.send(request_text("GET", "/health"));
    QCOMPARE(fourth.reply().status, 200);
    QVERIFY(!third.receive());
  }

  void stopping_tells_those_who_wait() {
    auto server = std::make_unique<RunningServer>();
    HttpClient running(server->port()), waiting(server->port()), idle(server->port());
    idle.send(request_text("GET", "/health"));
    QCOMPARE(idle.reply().status, 200);
    running.send(request_text("POST", "/v1/completions", kWait));
    server->wait_until_busy();
    waiting.send(request_text("POST", "/v1/completions", kShort));
    QVERIFY(server->says("carryover_waiting_requests 1"));
    server->begin_stop();
    QCOMPARE(running.reply().status, 503);
    QCOMPARE(waiting.reply().status, 503);
    QVERIFY(!idle.receive() && !running.receive() && !waiting.receive());
    const int port = server->port();
    server.reset();
    Setup again;
    again.http.port = port;  // the same one, at once
    QCOMPARE(ask(RunningServer(again).port(), "GET", "/health").status, 200);
  }

  void a_port_that_is_taken_is_named() {
    const RunningServer server;
    Setup second;
    second.http.port = server.port();
    QCOMPARE(QString::fromStdString(unlike(Fault::Io, "127.0.0.1:" + std::to_string(server.port()),
                                           [&] { const RunningServer other(second); })),
             QString());
    second.http.host = "no such host";
    QCOMPARE(QString::fromStdString(unlike(Fault::Usage, "no such host", [&] { const RunningServer other(second); })),
             QString());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HttpServerTest>};
#include "http_server_test.moc"
