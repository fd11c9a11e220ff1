// SPDX-License-Identifier: GPL-3.0-or-later
// The dialog that opens a model fetches one by its name: with progress, a stop, errors in place, and then it opens.
#include "app/window/hub_fetch.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include "app/window/model_dialog.h"
#include "tests/support/fake_hub.h"
#include "tests/support/gui_test.h"
#include "tests/support/model_caches.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

class HubFetchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    for (const char* variable : {"HF_TOKEN", "HF_TOKEN_PATH", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"})
      qunsetenv(variable);
    home_ = std::make_unique<EmptyHome>();
    hub_ = std::make_unique<FakeHub>();
    qputenv("HF_ENDPOINT", hub_->address().c_str());
    const TempDir files;
    write_tiny_model(files.path(), small_config(), 1);
    for (const auto& file : fs::directory_iterator(files.path()))
      hub_->files[file.path().filename().string()] = read_bytes(file.path());
  }
  void cleanup() {
    qunsetenv("HF_ENDPOINT");
    hub_.reset();
    home_.reset();
  }

  void a_name_is_fetched_and_opens() {
    ModelDialog dialog({}, {}, {});
    dialog.show();
    QVERIFY(!dialog.hub().isVisible());
    dialog.model().setText(QStringLiteral("org/model"));
    QVERIFY(dialog.hub().isVisible() && !dialog.open_button().isEnabled());
    QVERIFY(dialog.problem().contains(QStringLiteral("not on this computer")));
    QSignalSpy chosen(&dialog, &ModelDialog::chosen);
    dialog.hub().button().click();
    QTRY_COMPARE_WITH_TIMEOUT(chosen.size(), 1, patience_ms);
    const std::string path = chosen.front().front().value<ModelRequest>().path;
    QVERIFY2(path.ends_with("/snapshots/" + hub_->commit), path.c_str());

    ModelDialog again({}, {}, {});  // the name is enough from now on
    again.show();
    again.model().setText(QStringLiteral("org/model"));
    QVERIFY(again.open_button().isEnabled() && !again.hub().isVisible());
    QCOMPARE(again.request().path, path);
  }

  void what_is_wrong_is_said_in_place() {
    hub_->instead = [](const HubRequest&) { return FakeHub::refusal(401, "GatedRepo"); };
    ModelDialog dialog({}, {}, {});
    dialog.show();
    dialog.model().setText(QStringLiteral("org/model"));
    dialog.hub().button().click();
    QTRY_VERIFY_WITH_TIMEOUT(dialog.hub().note().text().contains(QStringLiteral("is gated")), patience_ms);
    QVERIFY(!dialog.hub().is_fetching() && dialog.hub().button().isVisible());
    dialog.model().setText(QStringLiteral("/no/such/folder"));
    QVERIFY(!dialog.hub().isVisible() && dialog.hub().note().text().isEmpty());
  }

  void a_stop_keeps_what_has_come_and_a_closed_dialog_waits_for_nobody() {
    hub_->instead = [this](const HubRequest& request) -> std::optional<HubAnswer> {
      if (!request.target.ends_with("model.safetensors")) return std::nullopt;
      HubAnswer answer = hub_->file(request, hub_->files.at("model.safetensors"));
      answer.cut = 100;
      answer.hangs = true;
      return answer;
    };
    ModelDialog dialog({}, {}, {});
    dialog.show();
    dialog.model().setText(QStringLiteral("org/model"));
    dialog.hub().button().click();
    const fs::path partial =
        *home_ / ".cache/huggingface/hub/models--org--model/blobs" / (hub_->blob("model.safetensors") + ".incomplete");
    std::error_code missing;
    QTRY_COMPARE_WITH_TIMEOUT(fs::file_size(partial, missing), std::uintmax_t{100}, patience_ms);
    QVERIFY(dialog.hub().is_fetching());
    dialog.hub().button().click();
    QTRY_VERIFY_WITH_TIMEOUT(!dialog.hub().is_fetching(), patience_ms);
    QVERIFY(dialog.hub().note().text().startsWith(QStringLiteral("Stopped")));
    QCOMPARE(fs::file_size(partial), std::uintmax_t{100});

    auto closing = std::make_unique<ModelDialog>(ModelRequest(), QString(), std::vector<ModelPlace>());
    closing->show();
    closing->model().setText(QStringLiteral("org/model"));
    closing->hub().button().click();
    QTest::qWait(100);
    QElapsedTimer timer;
    timer.start();
    closing.reset();
    QVERIFY(timer.elapsed() < 5000);
  }

  void another_machine_fetches_nothing() {
    ModelDialog dialog({}, QStringLiteral("far"), {});
    dialog.show();
    dialog.model().setText(QStringLiteral("org/model"));
    QVERIFY(!dialog.hub().isVisible() && dialog.open_button().isEnabled());
    QCOMPARE(dialog.request().path, "org/model");
  }

 private:
  std::unique_ptr<EmptyHome> home_;
  std::unique_ptr<FakeHub> hub_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<HubFetchTest>};
#include "hub_fetch_test.moc"
