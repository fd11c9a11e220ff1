// SPDX-License-Identifier: GPL-3.0-or-later
// Models come from a hub whole or not at all: over transfers that are cut, refusals, wrong hashes and full disks.
#include "engine/hub/model_fetch.h"

#include <QElapsedTimer>
#include <QTest>
#include <thread>

#include "engine/base/run_control.h"
#include "engine/formats/folder_lock.h"
#include "engine/hub/hub_cache.h"
#include "tests/support/expect_error.h"
#include "tests/support/fake_hub.h"
#include "tests/support/faults/file_size_limit.h"
#include "tests/support/model_caches.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

const std::string kWeights = "model.safetensors";
const std::string kWeightsTarget = "/org/model/resolve/" + std::string(40, 'c') + "/" + kWeights;

/// A hub with a small model, and an empty cache.
struct Bench {
  Bench() {
    hub.files = {{"config.json", "{\"model_type\": \"llama\"}"}, {kWeights, std::string(300'000, 'w') + "end"}};
    settings = hub.settings((folder.path() / "hub").string());
  }
  std::string fetch(const std::string& revision = "main") {
    const HubName name{"org/model", revision};
    const FetchEvents events{[this](const FetchProgress& progress) {
                               last = progress;
                               if (each) each(progress);
                             },
                             [this](const std::string& line) { notes += QString::fromStdString(line); }};
    return run_fetch(plan_fetch(name, {}, settings, events, control), settings, events, control);
  }
  /// Answers so whatever asks for the weights.
  void weights_are(const std::function<HubAnswer(const HubRequest& request)>& answer) {
    hub.instead = [answer](const HubRequest& request) {
      return request.target == kWeightsTarget ? std::optional(answer(request)) : std::nullopt;
    };
  }
  std::string weights() const { return hub.files.at(kWeights); }
  fs::path repository() const { return folder.path() / "hub/models--org--model"; }
  fs::path blob(const std::string& path) const { return repository() / "blobs" / hub.blob(path); }
  fs::path partial() const { return blob(kWeights).string() + ".incomplete"; }

  TempDir folder;
  FakeHub hub;
  HubSettings settings;
  RunControl control;
  FetchProgress last;
  std::function<void(const FetchProgress& progress)> each;
  QStringList notes;
};

}  // namespace

class ModelFetchTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_cache_as_huggingface_hub_lays_it_out() {
    Bench bench;
    const fs::path snapshot = bench.fetch();
    QCOMPARE(snapshot, bench.repository() / "snapshots" / bench.hub.commit);
    for (const std::string& file : {std::string("config.json"), kWeights}) {
      QCOMPARE(fs::read_symlink(snapshot / file), fs::path("../../blobs") / bench.hub.blob(file));
      QCOMPARE(read_bytes(snapshot / file), bench.hub.files.at(file));
    }
    QCOMPARE(read_bytes(bench.repository() / "refs/main"), bench.hub.commit);
    QVERIFY(!fs::exists(bench.partial()) && fs::is_empty(bench.folder.path() / "hub/.locks/models--org--model"));
    QCOMPARE(bench.last.done, bench.last.total);
    QCOMPARE(cached_model(bench.settings.cache, {"org/model"}, bench.control), snapshot.string());
    QCOMPARE(cached_model(bench.settings.cache, {"org/other"}, bench.control), "");
  }
  void what_is_there_is_not_fetched_again() {
    Bench bench;
    bench.fetch();
    const std::size_t before = bench.hub.requests().size();
    bench.hub.commit = std::string(40, 'd');
    bench.hub.files["config.json"] = "{}";
    QVERIFY(bench.fetch().ends_with(bench.hub.commit));
    QCOMPARE(bench.hub.requests().size() - before, std::size_t{2});  // the list, and the file that is new
    QCOMPARE(read_bytes(bench.repository() / "refs/main"), bench.hub.commit);
  }
  void a_revision_has_its_own_ref() {
    Bench bench;
    bench.fetch("refs/pr/1");
    QCOMPARE(bench.hub.requests()[0].target, "/api/models/org/model/revision/refs%2Fpr%2F1?blobs=true");
    QCOMPARE(read_bytes(bench.repository() / "refs/refs/pr/1"), bench.hub.commit);
    QVERIFY(!fs::exists(bench.repository() / "refs/main"));
    QVERIFY(!cached_model(bench.settings.cache, {"org/model", "refs/pr/1"}, bench.control).empty());
    QVERIFY(!cached_model(bench.settings.cache, {"org/model", bench.hub.commit}, bench.control).empty());
    QCOMPARE(cached_model(bench.settings.cache, {"org/model"}, bench.control), "");
  }
  void files_lie_in_folders_as_in_the_repository() {
    Bench bench;
    bench.hub.files = {{"a b/c/m-00001-of-00002.gguf", "one"}, {"a b/c/m-00002-of-00002.gguf", "two"}};
    bench.hub.instead = [&bench](const HubRequest& request) -> std::optional<HubAnswer> {
      const std::size_t at = request.target.find("/a%20b/c/");
      if (at == std::string::npos) return std::nullopt;
      return bench.hub.file(request, bench.hub.files.at("a b/c/" + request.target.substr(at + 9)));
    };
    const fs::path path = bench.fetch();
    QVERIFY(path.string().ends_with("/a b/c/m-00001-of-00002.gguf"));
    QCOMPARE(read_bytes(path), "one");
    QVERIFY(fs::is_symlink(path) && fs::read_symlink(path).is_relative());
  }

  void a_transfer_that_is_cut_goes_on_where_it_ended() {
    Bench bench;
    int cuts = 0;
    bench.weights_are([&](const HubRequest& request) {
      HubAnswer answer = bench.hub.file(request, bench.weights());
      if (++cuts < 4) answer.cut = 70'000;
      return answer;
    });
    bench.fetch();
    QCOMPARE(read_bytes(bench.blob(kWeights)), bench.weights());
    std::vector<std::int64_t> starts;
    for (const HubRequest& request : bench.hub.requests())
      if (request.target == kWeightsTarget) starts.push_back(request.from);
    QCOMPARE(starts, (std::vector<std::int64_t>{0, 70'000, 140'000, 210'000}));
    QCOMPARE(bench.notes.size(), 3);
  }
  void a_later_fetch_goes_on_too() {
    Bench bench;
    bench.weights_are([&](const HubRequest& request) {
      HubAnswer answer = bench.hub.file(request, bench.weights());
      answer.cut = request.from == 0 ? 100'000 : 0;
      return answer;
    });
    QCOMPARE(unlike(Fault::Io, "what has come is kept", [&] { bench.fetch(); }), "");
    QCOMPARE(fs::file_size(bench.partial()), std::uintmax_t{100'000});
    QVERIFY(!fs::exists(bench.repository() / "snapshots"));  // nothing that would open as half a model
    bench.hub.instead = nullptr;
    std::int64_t first = -1;
    bench.each = [&](const FetchProgress& progress) { first = first < 0 ? progress.done : first; };
    bench.fetch();
    QCOMPARE(bench.hub.requests().back().from, std::int64_t{100'000});
    QVERIFY(first >= 100'000);
    QCOMPARE(read_bytes(bench.blob(kWeights)), bench.weights());
  }
  void a_server_without_ranges_begins_anew() {
    Bench bench;
    int tries = 0;
    bench.weights_are([&](const HubRequest&) {
      HubAnswer answer{200, bench.weights(), {}};
      if (++tries == 1) answer.cut = 5000;
      return answer;
    });
    bench.fetch();
    QCOMPARE(read_bytes(bench.blob(kWeights)), bench.weights());
  }
  void a_server_that_sends_nothing_is_given_up() {
    Bench bench;
    bench.weights_are([&](const HubRequest& request) {
      HubAnswer answer = bench.hub.file(request, bench.weights());
      answer.cut = 0;
      return answer;
    });
    QCOMPARE(unlike(Fault::Io, "can't be fetched: 127.0.0.1", [&] { bench.fetch(); }), "");
    QCOMPARE(bench.notes.size(), 4);
  }

  void contents_of_another_hash_are_removed() {
    for (const std::string& file : {std::string("config.json"), kWeights}) {
      Bench bench;
      bench.hub.instead = [&](const HubRequest& request) -> std::optional<HubAnswer> {
        if (!request.target.ends_with("/" + file)) return std::nullopt;
        std::string other = bench.hub.files.at(file);
        other[5] ^= 1;
        return HubAnswer{200, other, {}};
      };
      QCOMPARE(unlike(Fault::BadInput, "the hub lists " + bench.hub.blob(file), [&] { bench.fetch(); }), "");
      QVERIFY(!fs::exists(bench.blob(file)) && !fs::exists(bench.blob(file).string() + ".incomplete"));
      QVERIFY(!fs::exists(bench.repository() / "snapshots"));
    }
  }
  void contents_that_do_not_end_are_refused() {
    Bench bench;
    bench.weights_are([&](const HubRequest&) { return HubAnswer{200, bench.weights() + "more", {}}; });
    QCOMPARE(unlike(Fault::BadInput, "longer than the hub lists", [&] { bench.fetch(); }), "");
  }

  void a_token_goes_to_its_hub_alone() {
    Bench bench;
    bench.settings.token = "hf_secret";
    HubServer elsewhere([&](const HubRequest& request) { return bench.hub.file(request, bench.weights()); });
    bench.hub.instead = [&](const HubRequest& request) -> std::optional<HubAnswer> {
      if (request.target.starts_with("/api/")) {  // as of a repository that was renamed
        if (request.target.find("/org/model/") == std::string::npos) return HubAnswer{200, bench.hub.list(), {}};
        return HubAnswer{307, "", {"Location: /api/models/org/renamed"}};
      }
      if (request.target != kWeightsTarget) return std::nullopt;
      return HubAnswer{302, "", {"Location: " + elsewhere.address() + "/store?signed=1"}};
    };
    bench.fetch();
    for (const HubRequest& request : bench.hub.requests())
      QCOMPARE(request.header("Authorization"), "Bearer hf_secret");
    QCOMPARE(elsewhere.requests().size(), std::size_t{1});
    QCOMPARE(elsewhere.requests()[0].target, "/store?signed=1");
    QVERIFY(elsewhere.requests()[0].head.find("hf_secret") == std::string::npos);
    QVERIFY(elsewhere.requests()[0].header("Authorization").empty());
  }
  void a_redirect_without_an_end_is_left() {
    Bench bench;
    bench.weights_are([&](const HubRequest&) { return HubAnswer{302, "", {"Location: " + kWeightsTarget}}; });
    QCOMPARE(unlike(Fault::Io, "redirect", [&] { bench.fetch(); }), "");
    QVERIFY(bench.hub.requests().size() < 20);
  }

  void refusals_say_what_to_do_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("code");
    QTest::addColumn<bool>("token");
    QTest::addColumn<QString>("part");
    QTest::newRow("unknown, or private") << 401 << "RepoNotFound" << false << "or it is private";
    QTest::newRow("unknown, with a token") << 404 << "RepoNotFound" << true << "or it is private";
    QTest::newRow("no code") << 401 << "" << false << "set HF_TOKEN to a token that may read it";
    QTest::newRow("a bad token") << 401 << "" << true << "does not accept your token";
    QTest::newRow("gated") << 401 << "GatedRepo" << false << "/org/model, then set HF_TOKEN";
    QTest::newRow("gated, with a token") << 403 << "GatedRepo" << true << "with the account that your token is of";
    QTest::newRow("a token without the right") << 403 << "" << true << "may lack the right";
    QTest::newRow("no such revision") << 404 << "RevisionNotFound" << false << "has no revision 'v9'";
    QTest::newRow("no such file") << 404 << "EntryNotFound" << false << "is not on 127.0.0.1";
  }
  void refusals_say_what_to_do() {
    QFETCH(int, status);
    QFETCH(QString, code);
    QFETCH(bool, token);
    QFETCH(QString, part);
    Bench bench;
    if (token) bench.settings.token = "hf_secret";
    bench.hub.instead = [&](const HubRequest&) { return FakeHub::refusal(status, code.toStdString()); };
    QCOMPARE(unlike(Fault::Io, part.toStdString(), [&] { bench.fetch("v9"); }), "");
    const auto error = error_of([&] { bench.fetch("v9"); });
    QVERIFY(std::string(error->what()).find("hf_secret") == std::string::npos);
    QCOMPARE(bench.hub.requests().size(), std::size_t{2});  // asked once each time
  }
  void a_busy_server_is_asked_again_when_it_says() {
    Bench bench;
    int refusals = 0;
    bench.hub.instead = [&](const HubRequest&) -> std::optional<HubAnswer> {
      if (++refusals == 1) return HubAnswer{429, "", {"Retry-After: 1"}};
      if (refusals == 2) return HubAnswer{503, "", {}};
      return std::nullopt;
    };
    QElapsedTimer timer;
    timer.start();
    bench.fetch();
    QVERIFY(timer.elapsed() >= 950);
    QCOMPARE(bench.notes.size(), 2);
    QVERIFY2(bench.notes[0].contains("429; trying again in 1 s"), qPrintable(bench.notes[0]));
  }
  void a_server_that_stays_busy_is_left() {
    Bench bench;
    bench.hub.instead = [&](const HubRequest&) { return HubAnswer{429, "", {}}; };
    QCOMPARE(unlike(Fault::Io, "429", [&] { bench.fetch(); }), "");
    QCOMPARE(bench.hub.requests().size(), std::size_t{5});
    bench.hub.instead = [&](const HubRequest&) { return HubAnswer{429, "", {"Retry-After: 7200"}}; };
    QCOMPARE(unlike(Fault::Io, "Wait some minutes", [&] { bench.fetch(); }), "");
    QCOMPARE(bench.hub.requests().size(), std::size_t{6});
  }
  void nobody_answers() {
    Bench bench;
    bench.settings.endpoint = "http://127.0.0.1:1";
    QCOMPARE(unlike(Fault::Io, "can't be fetched: 127.0.0.1", [&] { bench.fetch(); }), "");
  }
  void nothing_is_asked_offline() {
    Bench bench;
    bench.settings.offline = true;
    QCOMPARE(unlike(Fault::Usage, "HF_HUB_OFFLINE", [&] { bench.fetch(); }), "");
    QVERIFY(bench.hub.requests().empty());
  }

  void a_disk_without_room_is_seen_before() {
    Bench bench;
    bench.hub.change_list = [](nlohmann::json& answer) { answer["siblings"][1]["size"] = std::int64_t{1} << 60; };
    QCOMPARE(unlike(Fault::Io, "and the disk has", [&] { bench.fetch(); }), "");
    QCOMPARE(bench.hub.requests().size(), std::size_t{1});
    QVERIFY(!fs::exists(bench.repository()));
  }
  void a_disk_that_fills_up_keeps_what_has_come() {
    Bench bench;
    {
      const FileSizeLimit limit(100'000);
      QCOMPARE(unlike(Fault::Io, "would grow past the size", [&] { bench.fetch(); }), "");
    }
    const auto kept = fs::file_size(bench.partial());
    QVERIFY(kept <= 100'000);
    bench.fetch();
    QCOMPARE(bench.hub.requests().back().from, static_cast<std::int64_t>(kept));
  }
  void a_stop_keeps_what_has_come() {
    Bench bench;
    bench.weights_are([&](const HubRequest& request) {
      HubAnswer answer = bench.hub.file(request, bench.weights());
      answer.cut = 50'000;
      answer.hangs = true;
      return answer;
    });
    bench.each = [&](const FetchProgress& progress) {
      if (progress.done >= 50'000) bench.control.request_stop();
    };
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(unlike(Fault::Cancelled, "", [&] { bench.fetch(); }), "");
    QVERIFY(timer.elapsed() < 5000);
    QCOMPARE(fs::file_size(bench.partial()), std::uintmax_t{50'000});
  }
  void two_at_once_do_not_write_one_file() {
    Bench bench;
    const HubCache cache(bench.settings.cache, {"org/model"});
    cache.make_folders();
    const FolderLock other(cache.lock_of({kWeights, 0, bench.hub.blob(kWeights)}), FolderLock::Of::File);
    QCOMPARE(unlike(Fault::Usage, "another process", [&] { bench.fetch(); }), "");
  }
};

static const TestFile these_tests{__FILE__, without_application<ModelFetchTest>};
#include "model_fetch_test.moc"
