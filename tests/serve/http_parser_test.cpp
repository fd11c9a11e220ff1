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

std::string in_chunks(std::string_view body, std::mt19937& random) {
  std::string text;
  while (!body.empty()) {
    const std::string_view data = body.substr(0, 1 + random() % 20);
    body.remove_prefix(data.size());
    std::string chunk = chunk_text(data);
    if (random() % 3 == 0) chunk.insert(chunk.find('\r'), ";a=b");
    text += chunk;
  }
  return text + (random() % 3 == 0 ? "0\r\nA: b\r\n\r\n" : "0\r\n\r\n");
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
                 (random() % 2 == 0 ? "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body
                                    : "\r\nTransfer-Encoding: chunked\r\n\r\n" + in_chunks(body, random));
      }
      for (int change = 0; change < static_cast<int>(random() % 3); ++change)  // most are refused then
        bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
      const Read whole = read_whole(bytes);
      const Read pieces = read(bytes, {}, [&] { return 1 + random() % 7; });
      QCOMPARE(pieces.failed, whole.failed);
      QVERIFY(std::ranges::equal(pieces.requests, whole.requests, same));
    }
  }

  /// With extensions and trailers, of which nothing stays.
  void bodies_in_chunks_are_bodies() {
    const std::string head =
        "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\nExpect: 100-continue\r\n\r\n";
    const std::string bytes =
        head + "3\r\nabc\r\n00A;name=value;other=\"a;b\" \t;x\r\n0123\r\n6789\r\n1 ; y\r\nz\r\n0\t;last\r\n" +
        "Content-Length: 7\r\nHost: evil\r\nX-Sum:\r\n\r\n" + head + "0\r\n\r\n" +
        "GET /b HTTP/1.1\r\nHost: h\r\n\r\nPOST /c HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
      const Read found = read(bytes, {}, [size] { return size; });
      QCOMPARE(found.failed, 0);
      QCOMPARE(found.requests.size(), std::size_t{4});
      QCOMPARE(found.requests[0].body, std::string("abc0123\r\n6789z"));
      QVERIFY(found.requests[0].headers.size() == 3 && *found.requests[0].header("host") == "h");
      QVERIFY(found.requests[0].expects_continue && found.requests[0].keep_alive);
      QVERIFY(found.requests[1].body.empty() && found.requests[2].target == "/b" && found.requests[3].body == "x");
    }
  }

  /// The address's host counts, whatever the header says (RFC 9112, 3.2.2).
  void a_target_may_be_a_whole_address() {
    const auto read_one = [](const std::string& line) {
      const Read found = read_whole(line + "\r\nHost: other\r\nA: b\r\n\r\n");
      if (found.requests.size() != 1) return std::string("none");
      const HttpRequest& request = found.requests[0];
      return request.target + " of " + *request.header("host") + " " + std::to_string(request.headers.size());
    };
    QCOMPARE(read_one("GET http://localhost:80/a?b=c HTTP/1.1"), std::string("/a?b=c of localhost:80 2"));
    QCOMPARE(read_one("GET HTTP://[::1]:8000 HTTP/1.1"), std::string("/ of [::1]:8000 2"));
    QCOMPARE(read_one("GET http://h?q HTTP/1.0"), std::string("/?q of h 2"));
    QCOMPARE(read_one("OPTIONS http://h HTTP/1.1"), std::string("* of h 2"));
    QCOMPARE(read_one("OPTIONS http://h/ HTTP/1.1"), std::string("/ of h 2"));
    QCOMPARE(*read_whole("GET http://h/a HTTP/1.0\r\n\r\n").requests.at(0).header("host"), std::string("h"));
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
    const auto to = [](const QByteArray& target) { return "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n"; };
    QTest::newRow("an address without a host") << to("http:///a") << 400;
    QTest::newRow("an address of a user") << to("http://me@h/a") << 400;
    QTest::newRow("an address of a user with a key") << to("http://h:1@evil/a") << 400;
    QTest::newRow("an address of another kind") << to("ftp://h/a") << 400;
    QTest::newRow("an address without slashes") << to("http:h/a") << 400;
    QTest::newRow("an address with TLS") << to("https://h/a") << 421;
    QTest::newRow("an address and no Host") << QByteArray("GET http://h/ HTTP/1.1\r\n\r\n") << 400;
    QTest::newRow("an address and two Hosts")
        << QByteArray("GET http://h/ HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n") << 400;
    QTest::newRow("a host alone") << to("h:80") << 400;
    QTest::newRow("a star for GET") << to("*") << 400;
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
    QTest::newRow("chunks and a length") << with("Content-Length: 5\r\nTransfer-Encoding: chunked") << 400;
    QTest::newRow("chunks and no length") << with("Transfer-Encoding: chunked\r\nContent-Length: 0") << 400;
    QTest::newRow("chunks twice") << with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked") << 501;
    QTest::newRow("chunks of chunks") << with("Transfer-Encoding: chunked, chunked") << 501;
    QTest::newRow("chunks of something") << with("Transfer-Encoding: gzip, chunked") << 501;
    QTest::newRow("something of chunks") << with("Transfer-Encoding: chunked, identity") << 501;
    QTest::newRow("chunks with a parameter") << with("Transfer-Encoding: chunked;q=1") << 501;
    QTest::newRow("chunks in quotes") << with("Transfer-Encoding: \"chunked\"") << 501;
    QTest::newRow("chunks with a vertical tab") << with("Transfer-Encoding: \vchunked") << 400;
    const auto chunks = [&](const QByteArray& body) { return with("Transfer-Encoding: chunked") + body; };
    QTest::newRow("a chunk without a size") << chunks("\r\n") << 400;
    QTest::newRow("a chunk of a hexadecimal mark") << chunks("0x3\r\nabc\r\n0\r\n\r\n") << 400;
    QTest::newRow("a signed chunk") << chunks("+3\r\nabc\r\n") << 400;
    QTest::newRow("a negative chunk") << chunks("-1\r\nabc\r\n") << 400;
    QTest::newRow("a chunk behind a blank") << chunks(" 3\r\nabc\r\n") << 400;
    QTest::newRow("a chunk before a blank") << chunks("3 \r\nabc\r\n") << 400;
    QTest::newRow("a chunk with more words") << chunks("3 x\r\nabc\r\n") << 400;
    QTest::newRow("a chunk with a comma") << chunks("3,3\r\nabc\r\n") << 400;
    QTest::newRow("a chunk's line feed alone") << chunks("3\nabc\n0\n\n") << 400;
    QTest::newRow("a chunk's end without a line end") << chunks("3\r\nabc0\r\n\r\n") << 400;
    QTest::newRow("a chunk that is longer") << chunks("3\r\nabcdef\r\n0\r\n\r\n") << 400;
    QTest::newRow("a chunk that ends in a line feed") << chunks("3\r\nabc\n0\r\n\r\n") << 400;
    QTest::newRow("a carriage return in a size") << chunks("3\r;a\r\nabc\r\n") << 400;
    QTest::newRow("a line feed in an extension") << chunks("3;a\nGET / HTTP/1.1\r\nabc\r\n") << 400;
    QTest::newRow("NUL in an extension") << chunks(QByteArray("3;a\0\r\nabc\r\n", 12)) << 400;
    QTest::newRow("a chunk of 17 digits") << chunks("00000000000000003\r\nabc\r\n") << 400;
    QTest::newRow("a chunk of 2^64") << chunks("10000000000000000\r\n") << 400;
    QTest::newRow("a chunk of 2^64 - 1") << chunks("ffffffffffffffff\r\n") << 413;
    QTest::newRow("large chunks") << chunks("1\r\na\r\n1000000\r\n") << 413;
    QTest::newRow("a long extension") << chunks("1;" + QByteArray(16384, 'a')) << 431;
    QTest::newRow("long extensions") << chunks(("1;" + QByteArray(8000, 'a') + "\r\nb\r\n").repeated(3)) << 431;
    QTest::newRow("a long trailer") << chunks("0\r\nA: " + QByteArray(16384, 'a')) << 431;
    QTest::newRow("many trailers") << chunks("0\r\n" + QByteArray("A: b\r\n").repeated(5000) + "\r\n") << 431;
    QTest::newRow("a folded trailer") << chunks("0\r\nA: b\r\n c\r\n\r\n") << 400;
    QTest::newRow("a trailer that is none") << chunks("0\r\nGET / HTTP/1.1\r\n\r\n") << 400;
    QTest::newRow("a trailer's line feed alone") << chunks("0\r\nA: b\n\n") << 400;
    QTest::newRow("an encoding that is none") << with("transfer-encoding: identity") << 501;
    QTest::newRow("an encoding without a name") << with("Transfer-Encoding:") << 501;
    QTest::newRow("chunks of old") << QByteArray("GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n") << 400;
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
    limits = {};
    limits.body_bytes = 5;
    const std::string chunks = "PUT /ab HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n12\r\n";
    QCOMPARE(read_whole(chunks + "3\r\n345\r\n0\r\n\r\n", limits).requests.size(), std::size_t{1});
    QCOMPARE(read_whole(chunks + "4\r\n3456\r\n0\r\n\r\n", limits).failed, 413);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HttpParserTest>};
#include "http_parser_test.moc"
