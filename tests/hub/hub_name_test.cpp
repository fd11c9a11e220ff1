// SPDX-License-Identifier: GPL-3.0-or-later
// Which texts are names of a hub's models, and what the environment says of the hub.
#include "engine/hub/hub_name.h"

#include <QTest>

#include "engine/hub/hub_settings.h"
#include "tests/support/expect_error.h"
#include "tests/support/model_caches.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;

class HubNameTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    for (const char* variable : {"HF_ENDPOINT", "HF_TOKEN", "HF_TOKEN_PATH", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"})
      qunsetenv(variable);
  }
  void names_are_read() {
    const auto plain = parse_hub_name("Qwen/Qwen3-0.6B"), at = parse_hub_name("a/b_c.d@refs/pr/1");
    QVERIFY(plain && plain->repository == "Qwen/Qwen3-0.6B" && plain->revision == "main");
    QVERIFY(at && at->repository == "a/b_c.d" && at->revision == "refs/pr/1" && at->text() == "a/b_c.d@refs/pr/1");
    QCOMPARE(plain->text(), "Qwen/Qwen3-0.6B");
  }
  void other_texts_are_none() {
    for (const char* text :
         {"",      "/",        "gpt2",         "a/b/c",    "/a/b",       "./a/b",  "../a",   "a/..",          "a/b..c",
          "a/b/",  "a/b@",     "a/b@/",        "a/b@../c", "a/b@x/../y", "a--b/c", "a/b--c", "a/.b",          "-a/b",
          "a/b c", "a/b.gguf", "models/x.git", "a/b:c",    "a\\b/c",     "a/b\n",  "a//b",   "random:tiny:1", "~/b"})
      QVERIFY2(!parse_hub_name(text), text);
    QVERIFY(!parse_hub_name("a/" + std::string(97, 'b')));
    QCOMPARE(unlike(Fault::Usage, "ORG/NAME", [] { require_hub_name("gpt2"); }), "");
  }

  void settings_without_an_environment() {
    const EmptyHome home;
    const HubSettings settings = hub_settings();
    QCOMPARE(settings.endpoint, "https://huggingface.co");
    QCOMPARE(settings.cache, (home / ".cache/huggingface/hub").string());
    QVERIFY(settings.token.empty() && !settings.offline);
  }
  void settings_are_those_of_huggingface_hub() {
    const EmptyHome home;
    qputenv("HF_HOME", (home / "hf").c_str());
    qputenv("HF_ENDPOINT", "http://mirror.example:8080/");
    write_below(home / "hf/token", "hf_stored\n");
    QCOMPARE(hub_settings().cache, (home / "hf/hub").string());
    QCOMPARE(hub_settings().endpoint, "http://mirror.example:8080");
    QCOMPARE(hub_settings().token, "hf_stored");
    qputenv("HF_TOKEN_PATH", write_below(home / "elsewhere", "hf_elsewhere").c_str());
    QCOMPARE(hub_settings().token, "hf_elsewhere");
    qputenv("HF_TOKEN", "hf_given");
    QCOMPARE(hub_settings().token, "hf_given");
    qputenv("TRANSFORMERS_OFFLINE", "yes");
    QVERIFY(hub_settings().offline);
    qputenv("HF_HUB_OFFLINE", "0");
    QVERIFY(!hub_settings().offline);
    qputenv("HF_HUB_OFFLINE", "1");
    QVERIFY(hub_settings().offline);
  }
  void settings_that_can_not_be() {
    const EmptyHome home;
    qputenv("HF_ENDPOINT", "file:///etc");
    QCOMPARE(unlike(Fault::Usage, "no address", [] { hub_settings(); }), "");
    qunsetenv("HF_ENDPOINT");
    qputenv("HF_TOKEN", "hf_secret\r\nX-More: 1");
    const auto error = error_of([] { hub_settings(); });
    QVERIFY(error && error->where() == "HF_TOKEN");
    QVERIFY(std::string(error->what()).find("hf_secret") == std::string::npos);
  }
};

static const TestFile these_tests{__FILE__, without_application<HubNameTest>};
#include "hub_name_test.moc"
