// SPDX-License-Identifier: GPL-3.0-or-later
// Requests are the same in pieces of any size, and what is malformed or too large is refused with its status.
#include "app/serve/http_parser.h"

#include <QTest>
#include <random>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

struct Read {
  std::vector<HttpRequest> requests;
  int failed = 0;  ///< the status
  bool begun = false;
};

/// The bytes in pieces that `next_size` gives.
template <typename NextSize>
Read read(std::string_view bytes, const HttpLimits& limits, NextSize next_size) {
  HttpParser parser(limits);
  Read read;
  while (!bytes.empty() && read.failed == 0) {
    std::string_view piece = bytes.substr(0, next_size());
    bytes.remove_prefix(piece.size());
    while (!piece.empty() && read.failed == 0) {
      piece.remove_prefix(parser.feed(piece));
      if (parser.state() == HttpParser::State::Failed) read.failed = parser.status();
      if (parser.state() == HttpParser::State::Done) read.requests.push_back(parser.take());
    }
  }
  read.begun = parser.has_begun();
  return read;
}

Read read_whole(std::string_view bytes, const HttpLimits& limits = {}) {
  return read(bytes, limits, [] { return std::string_view::npos; });
}

bool same(const HttpRequest& a, const HttpRequest& b) {
  return a.method == b.method && a.target == b.target && a.headers == b.headers && a.body == b.body &&
         a.http10 == b.http10 && a.keep_alive == b.keep_alive && a.expects_continue == b.expects_continue;
}

}  // namespace

class HttpParserTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void reads_what_a_request_says() {
    const Read found = read_whole(
        "\r\nPOST /v1/completions?x=1 HTTP/1.1\r\nHOST:  localhost:1 \r\nX-A:\t\r\ncontent-length: 2\r\n"
        "Expect: 100-Continue\r\n\r\n{}GET / HTTP/1.0\r\nConnection: Upgrade , Keep-Alive\r\n\r\nGET / HTTP/1.0\r\n\r\n"
        "GET /a HTTP/1.1\r\nHost: b\r\nConnection: close\r\n\r\nPUT");
    QCOMPARE(found.failed, 0);
    QCOMPARE(found.requests.size(), std::size_t{4});
    const HttpRequest& first = found.requests[0];
    QVERIFY(first.method == "POST" && first.path() == "/v1/completions" && first.body == "{}" && first.keep_alive);
    QVERIFY(first.header("host") != nullptr && *first.header("host") == "localhost:1" && first.expects_continue);
    QVERIFY(first.header("x-a")->empty() && first.header("X-A") == nullptr);
    QVERIFY(found.requests[1].http10 && found.requests[1].keep_alive);
    QVERIFY(found.requests[2].http10 && !found.requests[2].keep_alive);
    QVERIFY(!found.requests[3].http10 && !found.requests[3].keep_alive);
    QVERIFY(found.begun);  // the last one
  }

  void pieces_of_any_size_are_the_same() {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
      std::string bytes;
      const unsigned count = 1 + random() % 4;
      for (unsigned i = 0; i < count; ++i) {
        const std::string body(random() % 40, static_cast<char>(random() % 256));
        bytes += "PUT /" + std::string(random() % 30, 'a') +
                 " HTTP/1.1\r\nHost: h\r\nX: " + std::string(random() % 30, 'b') +
                 "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
      }
      for (int change = 0; change < static_cast<int>(random() % 3); ++change)  // most are refused then
        bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
      const Read whole = read_whole(bytes);
      const Read pieces = read(bytes, {}, [&] { return 1 + random() % 7; });
      QCOMPARE(pieces.failed, whole.failed);
      QVERIFY(std::ranges::equal(pieces.requests, whole.requests, same));
    }
  }

  void empty_lines_before_a_request_do_not_count() {
    const std::string bytes = "\r\n\r\nGET /a HTTP/1.0\r\n\r\n\r\nGET /b HTTP/1.0\r\n\r\n\r\n\r";
    for (std::size_t size = 1; size < bytes.size(); ++size) {
      const Read found = read(bytes, {}, [size] { return size; });
      QCOMPARE(found.failed, 0);
      QCOMPARE(found.requests.size(), std::size_t{2});
      QVERIFY(!found.begun);
    }
  }

  void refuses_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<int>("status");
    const auto with = [](const QByteArray& headers) {
      return QByteArray("POST / HTTP/1.1\r\nHost: h\r\n") + headers + "\r\n\r\n";
    };
    QTest::newRow("no words") << QByteArray("\n\n\r\n\r\n") << 400;
    QTest::newRow("one word") << QByteArray("GET\r\n\r\n") << 400;
    QTest::newRow("no version") << QByteArray("GET /\r\nHost: h\r\n\r\n") << 400;
    QTest::newRow("two blanks") << QByteArray("GET  / HTTP/1.1\r\nHost: h\r\n\r\n") << 400;
    QTest::newRow("a line end alone") << QByteArray("GET / HTTP/1.1\nHost: h\n\n\r\n\r\n") << 400;
    QTest::newRow("HTTP/2") << QByteArray("PRI * HTTP/2.0\r\n\r\n") << 400;  // not its target, either
    QTest::newRow("another version") << QByteArray("GET / HTTP/3.0\r\nHost: h\r\n\r\n") << 505;
    QTest::newRow("TLS") << QByteArray("\x16\x03\x01\x02\r\n\r\n", 8) << 400;
    QTest::newRow("a whole address") << QByteArray("GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n") << 400;
    QTest::newRow("a method of signs") << QByteArray("G@T / HTTP/1.1\r\nHost: h\r\n\r\n") << 400;
    QTest::newRow("a long method") << QByteArray("ABCDEFGHIJKLMNOPQ / HTTP/1.1\r\nHost: h\r\n\r\n") << 400;
    QTest::newRow("NUL in the target") << QByteArray("GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n", 28) << 400;
    QTest::newRow("no host") << QByteArray("GET / HTTP/1.1\r\n\r\n") << 400;
    QTest::newRow("two hosts") << with("Host: i") << 400;
    QTest::newRow("a blank before the colon") << with("Content-Length : 1") << 400;
    QTest::newRow("a folded header") << with("A: b\r\n c") << 400;
    QTest::newRow("a folded first header") << QByteArray("GET / HTTP/1.1\r\n Host: h\r\n\r\n") << 400;
    QTest::newRow("a folded length") << with("Content-Length:\r\n 5") << 400;
    QTest::newRow("a line feed in a header") << with("A: b\nContent-Length: 5") << 400;
    QTest::newRow("a line feed at a header's end") << with("A: b\n") << 400;
    QTest::newRow("NUL in a header") << with(QByteArray("A: b\0", 5)) << 400;
    QTest::newRow("NUL in a header's name") << with(QByteArray("A\0: b", 6)) << 400;
    QTest::newRow("a blank behind the version") << QByteArray("GET / HTTP/1.1 \r\nHost: h\r\n\r\n") << 400;
    QTest::newRow("a tab for a blank") << QByteArray("GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n") << 400;
    QTest::newRow("half an empty line") << QByteArray("\rGET / HTTP/1.1\r\nHost: h\r\n\r\n") << 400;
    QTest::newRow("no colon") << with("A") << 400;
    QTest::newRow("a control character") << with("A: \x01") << 400;
    QTest::newRow("a carriage return") << with("A: b\rc") << 400;
    QTest::newRow("two lengths") << with("Content-Length: 1\r\nContent-Length: 1") << 400;
    QTest::newRow("a list of lengths") << with("Content-Length: 1, 1") << 400;
    QTest::newRow("a signed length") << with("Content-Length: +1") << 400;
    QTest::newRow("a negative length") << with("Content-Length: -1") << 400;
    QTest::newRow("a hexadecimal length") << with("Content-Length: 0x1") << 400;
    QTest::newRow("lengths that differ") << with("Content-Length: 1\r\ncontent-length: 2") << 400;
    QTest::newRow("a length with more") << with("Content-Length: 1;a") << 400;
    QTest::newRow("two numbers for a length") << with("Content-Length: 1 1") << 400;
    QTest::newRow("a length with a vertical tab") << with("Content-Length: \v1") << 400;
    QTest::newRow("no length") << with("Content-Length:") << 400;
    QTest::newRow("a huge length") << with("Content-Length: 99999999999999999999999") << 413;
    QTest::newRow("a large length") << with("Content-Length: 16777217") << 413;
    QTest::newRow("chunks") << with("Transfer-Encoding: chunked") << 501;
    QTest::newRow("chunks and a length") << with("Content-Length: 5\r\nTransfer-Encoding: chunked") << 501;
    QTest::newRow("chunks with extensions") << with("Transfer-Encoding: chunked\r\nContent-Length: 0") + "1;a=b\r\n"
                                            << 501;
    QTest::newRow("an encoding that is none") << with("transfer-encoding: identity") << 501;
    QTest::newRow("an encoding without a name") << with("Transfer-Encoding:") << 501;
    QTest::newRow("chunks of old") << QByteArray("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") << 501;
    QTest::newRow("an expectation") << with("Expect: a miracle") << 417;
    QTest::newRow("a long target") << "GET /" + QByteArray(2048, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n" << 414;
    QTest::newRow("a long head") << "GET / HTTP/1.1\r\nHost: h\r\nA: " + QByteArray(16384, 'a') << 431;
    QTest::newRow("many headers") << with(QByteArray("A:\r\n").repeated(99) + "B:") << 431;
  }
  void refuses() {
    QFETCH(QByteArray, bytes);
    QFETCH(int, status);
    const std::string text = bytes.toStdString();
    QCOMPARE(read_whole(text).failed, status);
    QCOMPARE(read(text, {}, [] { return 1; }).failed, status);
  }

  void limits_are_inclusive() {
    HttpLimits limits;
    limits.body_bytes = 5;
    limits.headers = 2;
    limits.target_bytes = 3;
    QCOMPARE(read_whole("PUT /ab HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\n12345", limits).requests.size(),
             std::size_t{1});
    QCOMPARE(read_whole("PUT /ab HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\n123456", limits).failed, 413);
    const std::string head = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    limits.head_bytes = head.size();
    QCOMPARE(read_whole(head, limits).requests.size(), std::size_t{1});
    limits.head_bytes = head.size() - 1;
    QCOMPARE(read(head, limits, [] { return 1; }).failed, 431);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HttpParserTest>};
#include "http_parser_test.moc"
