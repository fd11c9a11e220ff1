// SPDX-License-Identifier: GPL-3.0-or-later
// carryover-cli models as its users see it.
#include <QTest>

#include "tests/support/cli_process.h"
#include "tests/support/model_caches.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::CliResult;
using carryover::test::EmptyHome;
using carryover::test::json_of;
using carryover::test::run_cli;
using carryover::test::text;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// The entry of this name; null if the list has none.
json entry_of(const json& list, const std::string& name) {
  for (const json& model : list.at("models"))
    if (model.at("name") == name) return model;
  return {};
}

}  // namespace

class ModelsCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void models_are_listed_with_what_they_are() {
    const EmptyHome home;
    const test::TempDir files;
    test::write_tiny_model(files.path(), test::small_config(), 1, {.dtype = "BF16"});
    const fs::path hub = home / ".cache/huggingface/hub/models--org--tiny";
    const std::string path = test::write_on_hub(hub, "0123456789abcdef", files.path()).string();
    test::write_below(home / ".cache/llama.cpp/bad-\x1b.gguf", "GGML");

    const CliResult table = run_cli({"models"});
    QVERIFY2(table.code == 0 && table.err.isEmpty(), table.err);
    for (const std::string& part :
         {std::string("Hugging Face\n"), std::string("org/tiny"), std::string("BF16"), path, std::string("llama.cpp\n"),
          std::string("bad-\\u001b"), std::string("does not open: is not a GGUF file")})
      QVERIFY2(table.out.contains(QByteArray::fromStdString(part)), table.out.constData());

    const json list = json_of(run_cli({"models", "--json"}));
    const json tiny = entry_of(list, "org/tiny");
    QVERIFY(tiny.at("opens") == true && tiny.at("problem").is_null() && tiny.at("program") == "Hugging Face");
    QVERIFY(tiny.at("architecture") == "llama" && tiny.at("storage") == "BF16" && tiny.at("context") == 2048);
    QVERIFY(tiny.at("parameters") == test::small_config().parameters() && tiny.at("bytes") > 1000);
    QVERIFY(tiny.at("path") == path && tiny.at("family").get<std::string>().starts_with("LLaMA"));
    const json bad = entry_of(list, "bad-\x1b");
    QVERIFY(bad.at("opens") == false && bad.at("parameters").is_null() && bad.at("family").is_null());
    QVERIFY(bad.at("problem") == "is not a GGUF file" && bad.at("advice").is_string());
    QVERIFY(list.at("unread").is_array() && list.at("places").size() > 8);
    QVERIFY(fs::exists(home / ".cache/carryover/headers/models.json"));
    const CliResult info = run_cli({"info", text(path)});
    QVERIFY2(info.code == 0, info.err);
  }

  void without_models_it_says_where_it_looked() {
    const EmptyHome home;
    const json list = json_of(run_cli({"models", "--json"}));
    const QByteArray out = run_cli({"models"}).out;
    if (list.at("models").empty()) {
      QVERIFY2(out.startsWith("No models found. Looked in\n") && out.contains("--folder DIR"), out);
      for (const json& place : list.at("places"))
        QVERIFY2(out.contains(QByteArray::fromStdString(place.at("folder").get<std::string>())), out);
      QVERIFY(out.contains("(does not exist)"));
    } else {  // an Ollama that serves the whole machine has some
      for (const json& model : list.at("models")) QVERIFY(model.at("program") == "Ollama");
    }
  }

  void folders_are_added() {
    const EmptyHome home;
    test::write_below(home / "one/a.gguf", test::small_gguf());
    test::write_below(home / "two/b.gguf", test::small_gguf());
    const json list = json_of(run_cli(
        {"models", "--json", "--folder", text((home / "one").string()), "--folder", text((home / "two").string())}));
    QVERIFY(entry_of(list, "a").at("program") == "folder" && entry_of(list, "b").at("opens") == true);
    const CliResult absent = run_cli({"models", "--folder", text((home / "three").string())});
    QVERIFY2(absent.code == 5 && absent.out.isEmpty() && absent.err.contains("does not exist"), absent.err);
    QCOMPARE(run_cli({"models", "--folder"}).code, 2);
    QCOMPARE(run_cli({"models", "more"}).code, 2);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<ModelsCommandTest>};
#include "models_command_test.moc"
