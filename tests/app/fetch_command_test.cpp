// SPDX-License-Identifier: GPL-3.0-or-later
// carryover-cli fetch, and names in place of paths, as their users see them.
#include <QProcess>
#include <QTest>
#include <csignal>

#include "tests/support/cli_process.h"
#include "tests/support/fake_hub.h"
#include "tests/support/model_caches.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

/// A home whose hub has a small model.
struct Person {
  Person() {
    for (const char* variable : {"HF_TOKEN", "HF_TOKEN_PATH", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"})
      qunsetenv(variable);
    qputenv("HF_ENDPOINT", hub.address().c_str());
    const TempDir files;
    write_tiny_model(files.path(), small_config(), 1);
    for (const auto& file : fs::directory_iterator(files.path()))
      hub.files[file.path().filename().string()] = read_bytes(file.path());
  }
  ~Person() { qunsetenv("HF_ENDPOINT"); }
  fs::path repository() const { return home / ".cache/huggingface/hub/models--org--model"; }

  EmptyHome home;
  FakeHub hub;
};

}  // namespace

class FetchCommandTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_model_is_fetched_and_opens_by_its_name() {
    const Person person;
    const CliResult fetched = run_cli({"fetch", "org/model"});
    QVERIFY2(fetched.code == 0, fetched.err);
    QCOMPARE(fetched.out.trimmed().toStdString(), (person.repository() / "snapshots" / person.hub.commit).string());
    QVERIFY2(fetched.err.contains("fetching org/model from http://127.0.0.1"), fetched.err);
    const std::size_t asked = person.hub.requests().size();
    const CliResult info = run_cli({"info", "org/model"});
    QVERIFY2(info.code == 0 && info.err.isEmpty(), info.err);
    QVERIFY2(info.out.startsWith("model      model (llama)"), info.out);  // not the commit's number
    QCOMPARE(person.hub.requests().size(), asked);
    QVERIFY(run_cli({"models"}).out.contains("org/model"));
  }
  void a_name_that_is_not_here_is_fetched() {
    const Person person;
    const CliResult info = run_cli({"info", "org/model@v1"});
    QVERIFY2(info.code == 0, info.err);
    QVERIFY(person.hub.requests()[0].target.find("/revision/v1?") != std::string::npos);
    qputenv("HF_HUB_OFFLINE", "1");
    QCOMPARE(run_cli({"info", "org/model@v1"}).code, 0);
    const CliResult other = run_cli({"info", "org/model"});
    QCOMPARE(other.code, 2);
    QVERIFY2(other.err.contains("HF_HUB_OFFLINE"), other.err);
  }
  void what_is_no_name_is_a_path() {
    const Person person;
    for (const char* path : {"no/such.gguf", "./org/model", "org", "a/b/c"}) {
      const CliResult result = run_cli({"info", QString(path)});
      QCOMPARE(result.code, 5);
      QVERIFY2(result.err.contains("does not exist"), result.err);
    }
    QCOMPARE(run_cli({"fetch", "./org/model"}).code, 2);
    QVERIFY(person.hub.requests().empty());
  }
  void a_folder_of_that_path_comes_first() {
    const Person person;
    write_tiny_model(person.home / "org/model", small_config(), 1);
    QProcess process;
    prepare_cli(process, {"info", "org/model"});
    process.setWorkingDirectory(text(person.home.path()));
    process.start();
    QCOMPARE(finish_cli(process).code, 0);
    QVERIFY(person.hub.requests().empty());
  }
  void of_several_one_is_chosen() {
    Person person;
    person.hub.files = {{"m-Q4_K_M.gguf", small_gguf()}, {"m-Q8_0.gguf", small_gguf() + "\n"}, {"a.bin", "x"}};
    const CliResult which = run_cli({"info", "org/model"});
    QCOMPARE(which.code, 2);
    QVERIFY2(which.err.contains("m-Q4_K_M.gguf") && which.err.contains("--include"), which.err);
    const CliResult list = run_cli({"fetch", "org/model", "--include", "*Q4*", "--dry-run"});
    QVERIFY2(list.out.contains("m-Q4_K_M.gguf") && list.out.contains("in all"), list.out);
    QVERIFY(!fs::exists(person.repository()));
    const CliResult one = run_cli({"fetch", "org/model", "--include", "*Q4*"});
    QVERIFY2(one.code == 0 && one.out.trimmed().endsWith("/m-Q4_K_M.gguf"), one.err);
    QCOMPARE(run_cli({"info", "org/model"}).code, 0);
    QCOMPARE(run_cli({"fetch", "org/model", "--include", "*Q8*"}).code, 0);
    const CliResult two = run_cli({"info", "org/model"});
    QVERIFY2(two.code == 2 && two.err.contains("is here as several models"), two.err);
    QCOMPARE(run_cli({"fetch", "org/model", "--include", "*.bin"}).code, 4);
  }
  void a_token_is_in_no_message() {
    Person person;
    qputenv("HF_TOKEN", "hf_secret");
    person.hub.instead = [](const HubRequest&) { return FakeHub::refusal(403, "GatedRepo"); };
    const CliResult gated = run_cli({"fetch", "org/model"});
    QCOMPARE(gated.code, 5);
    QVERIFY2(gated.err.contains("is gated") && !gated.err.contains("hf_secret"), gated.err);
    QCOMPARE(person.hub.requests()[0].header("Authorization"), "Bearer hf_secret");
  }
  void signals_are_as_before_behind_a_fetch() {
    Person person;
    for (const char* file : {"config.json", "model.safetensors", "tokenizer.json"})
      person.hub.files[file] = read_bytes(demo_model().toStdString() + "/" + file);
    QProcess process;
    prepare_cli(process, {"tokenize", "org/model", "-"});  // waits for a text
    process.start();
    QTRY_VERIFY_WITH_TIMEOUT(fs::exists(person.repository() / "refs/main"), 20000);
    for (int tries = 0; tries < 100 && !process.waitForFinished(100); ++tries)
      ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QCOMPARE(process.exitStatus(), QProcess::CrashExit);
  }
  void ctrl_c_keeps_what_has_come() {
    Person person;
    const std::int64_t half = std::ssize(person.hub.files.at("model.safetensors")) / 2;
    person.hub.instead = [&](const HubRequest& request) -> std::optional<HubAnswer> {
      if (!request.target.ends_with("model.safetensors")) return std::nullopt;
      HubAnswer answer = person.hub.file(request, person.hub.files.at("model.safetensors"));
      answer.cut = half;
      answer.hangs = true;
      return answer;
    };
    QProcess process;
    prepare_cli(process, {"fetch", "org/model"});
    process.start();
    const fs::path partial = person.repository() / "blobs" / (person.hub.blob("model.safetensors") + ".incomplete");
    std::error_code missing;
    QTRY_COMPARE_WITH_TIMEOUT(fs::file_size(partial, missing), static_cast<std::uintmax_t>(half), 20000);
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    const CliResult stopped = finish_cli(process);
    QCOMPARE(stopped.code, 130);
    QVERIFY2(stopped.err.contains("`carryover fetch org/model` continues"), stopped.err);
    QCOMPARE(fs::file_size(partial), static_cast<std::uintmax_t>(half));
    person.hub.instead = nullptr;
    QCOMPARE(run_cli({"fetch", "org/model"}).code, 0);
    QCOMPARE(person.hub.requests().back().from, half);
  }
};

static const TestFile these_tests{__FILE__, without_application<FetchCommandTest>};
#include "fetch_command_test.moc"
