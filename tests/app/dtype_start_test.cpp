// SPDX-License-Identifier: GPL-3.0-or-later
// `--dtype auto` on a busy machine: twenty starts, one dtype, in all that reports it.
#include <QTest>
#include <atomic>
#include <set>
#include <thread>

#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover::test;
using nlohmann::json;

namespace {

/// Twice as many threads as there are cores, which compute until this ends.
class Load {
 public:
  Load() {
    const unsigned threads = 2 * std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < threads; ++i)
      threads_.emplace_back([this] {
        for (double x = 1; !done_; x = x * 1.0000001 + 1e-9) sink_ = x;
      });
  }
  ~Load() {
    done_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> done_ = false;
  std::atomic<double> sink_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace

class DTypeStartTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void twenty_starts_under_load_have_one_dtype() {
    const Load load;
    std::set<std::string> seen;
    for (int start = 0; start < 20; ++start) {
      const CliResult result =
          run_cli({"run", demo_model(), demo_text(), "--tokens", "32", "--dtype", "auto", "--json"});
      QVERIFY2(result.code == 0, result.err);
      const json summary = json_of(result);
      const auto dtype = summary.at("dtype").get<std::string>(), reason = summary.at("dtype_reason").get<std::string>();
      seen.insert(dtype + ": " + reason);
      QVERIFY2(result.err.contains(("dtype " + dtype + ": " + reason).c_str()), result.err);
    }
    QCOMPARE(seen.size(), std::size_t{1});
    const json choice = json_of(run_cli({"info", demo_model(), "--json"})).at("dtype").at("prefill");
    QCOMPARE(*seen.begin(), choice.at("dtype").get<std::string>() + ": " + choice.at("reason").get<std::string>());
  }

  /// One whose matrices are large enough to be worth the choice, from its configuration alone.
  void a_model_of_a_real_size_has_one_choice_too() {
    const Load load;
    std::set<std::string> seen;
    for (int start = 0; start < 20; ++start)
      seen.insert(json_of(run_cli({"info", "random:smollm2-135m:0", "--json"})).at("dtype").dump());
    QCOMPARE(seen.size(), std::size_t{1});
  }

  void a_run_folder_says_the_choice_and_why() {
    const TempDir temp;
    const CliResult result =
        run_cli({"run", demo_model(), demo_text(), "--tokens", "32", "--quiet", "--out", text(temp.file("run"))});
    QVERIFY2(result.code == 0, result.err);
    const json config = json::parse(read_bytes(temp.file("run/config.json"))),
               summary = json::parse(read_bytes(temp.file("run/summary.json")));
    QVERIFY(config.at("dtype") == "fp32" &&
            config.at("dtype_reason").get<std::string>().find("small") != std::string::npos);
    QVERIFY(summary.at("dtype_reason") == config.at("dtype_reason"));
    const CliResult plain = run_cli({"info", demo_model()});
    QVERIFY2(plain.out.contains("dtype      prefill fp32 (a small model"), plain.out);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<DTypeStartTest>};
#include "dtype_start_test.moc"
