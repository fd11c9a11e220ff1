// SPDX-License-Identifier: GPL-3.0-or-later
// Who may ask: names of the server, origins of pages, keys.
#include "app/serve/access.h"

#include <QTest>

#include "tests/support/test_program.h"

using namespace carryover;

namespace {

int status_of(const AccessRules& rules, const HttpHeaders& headers, const std::string& target = "/v1/models") {
  HttpRequest request;
  request.method = "GET";
  request.target = target;
  request.headers = headers;
  const auto refused = refused_access(request, rules);
  return refused ? refused->status() : 200;
}

}  // namespace

class AccessTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void only_own_names_are_served() {
    const AccessRules rules{allowed_hosts("127.0.0.1"), ""};
    for (const char* host :
         {"localhost", "LOCALHOST:8000", "127.0.0.1:1", "[::1]", "[::1]:8000", "localhost:", "[::1]:"})
      QCOMPARE(status_of(rules, {{"host", host}}), 200);
    for (const char* host : {"", "evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.nip.io",
                             "[::2]", "::1", "[::1", "localhost evil", "127.0.0.2", "[localhost]"})
      QVERIFY2(status_of(rules, {{"host", host}}) == 421, host);
    for (const char* host : {"localhost.", "localhost.:8000", "127.1", "2130706433", "0x7f.0.0.1", "[::1%25lo]",
                             "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::1]x", "localhost/", "user@localhost"})
      QVERIFY2(status_of(rules, {{"host", host}}) == 421, host);
    for (const char* host : {"localhost:80:80", "localhost:80@evil.example", "localhost:x", "localhost, evil.example",
                             "evil.example:localhost", ":8000"})
      QVERIFY2(status_of(rules, {{"host", host}}) == 421, host);
    QCOMPARE(status_of(rules, {}), 421);
    QCOMPARE(status_of({allowed_hosts("10.1.2.3"), ""}, {{"host", "10.1.2.3:80"}}), 200);
    QCOMPARE(status_of({allowed_hosts("fe80::1"), ""}, {{"host", "[fe80::1]:80"}}), 200);
    QCOMPARE(status_of({allowed_hosts("0.0.0.0"), ""}, {{"host", "any.name"}}), 200);
  }

  void pages_of_other_origins_are_refused() {
    const AccessRules rules{allowed_hosts("127.0.0.1"), ""};
    const auto from = [&](const char* origin) {
      return status_of(rules, {{"host", "localhost:8000"}, {"origin", origin}});
    };
    QCOMPARE(from("http://localhost:8000"), 200);
    for (const char* origin : {"null", "", "http://evil.example", "https://localhost:8000", "http://localhost:8001",
                               "http://localhost", "http://localhost:8000.evil.example", "http://127.0.0.1:8000"})
      QCOMPARE(from(origin), 403);
    QCOMPARE(
        status_of(rules, {{"host", "localhost"}, {"origin", "http://localhost"}, {"origin", "http://evil.example"}}),
        403);
  }

  /// A browser sends no Origin with a link's or an image's request; what it says of the page tells.
  void pages_of_other_sites_are_refused() {
    const AccessRules rules{allowed_hosts("127.0.0.1"), ""};
    const auto from = [&](const char* site) {
      return status_of(rules, {{"host", "localhost:8000"}, {"sec-fetch-site", site}});
    };
    for (const char* site : {"none", "same-origin"}) QCOMPARE(from(site), 200);
    for (const char* site : {"cross-site", "same-site", "", "anything", "none, cross-site"}) QCOMPARE(from(site), 403);
    QCOMPARE(status_of(rules, {{"host", "localhost"}, {"sec-fetch-site", "none"}, {"sec-fetch-site", "cross-site"}}),
             403);
    QCOMPARE(status_of(rules, {{"host", "localhost"}, {"sec-fetch-site", "cross-site"}}, "/health"), 403);
  }

  void a_key_is_asked_for_everywhere_but_at_health() {
    const AccessRules rules{{}, "secret"};
    QCOMPARE(status_of(rules, {{"authorization", "Bearer secret"}}), 200);
    QCOMPARE(status_of(rules, {{"authorization", "bearer secret"}}), 200);
    for (const char* given : {"", "Bearer", "Bearer ", "Bearer secre", "Bearer secrets", "Bearer  secret",
                              "Basic secret", "secret", "Bearer Secret", "Bearer secretsecret"})
      QCOMPARE(status_of(rules, {{"authorization", given}}), 401);
    QCOMPARE(status_of(rules, {}), 401);
    QCOMPARE(status_of(rules, {}, "/health"), 200);
    QCOMPARE(status_of(rules, {}, "/health/"), 401);
  }

  void loopback_is_what_others_cannot_reach() {
    for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "localhost"}) QVERIFY(is_loopback(host));
    for (const char* host : {"0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "", "127.0.0.1.evil.example", "example"})
      QVERIFY(!is_loopback(host));
  }

  void texts_are_compared_whole() {
    QVERIFY(equal_in_constant_time("", "") && !equal_in_constant_time("a", "") && !equal_in_constant_time("", "a"));
    QVERIFY(equal_in_constant_time("abc", "abc") && !equal_in_constant_time("abcabc", "abc"));
    QVERIFY(!equal_in_constant_time("ab", "abc") && !equal_in_constant_time("abd", "abc"));
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<AccessTest>};
#include "access_test.moc"
