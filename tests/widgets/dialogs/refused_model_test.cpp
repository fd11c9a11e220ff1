// SPDX-License-Identifier: GPL-3.0-or-later
// A model that can't be opened leaves the open one as it was: model, text, run, settings, and all that was typed.
#include <QApplication>
#include <QDir>
#include <QTest>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/window/message_bar.h"
#include "tests/support/gui_test.h"
#include "tests/support/temp_dir.h"
#include "tests/support/window_states.h"

using namespace carryover;
using namespace carryover::test;
using nlohmann::json;

namespace {

/// The demo's model with other sizes, in a file whose values are holes: zeros that take no room on the disk.
void write_large_model(const std::filesystem::path& folder, const char* dtype, std::int64_t value_bytes) {
  constexpr std::int64_t intermediate = 1'000'000, hidden = 65'536;  // 3 · 4 · 6.5e10 values: 1.6 TB in bf16
  json config = json::parse(read_bytes(folder / "config.json"));
  config["intermediate_size"] = intermediate;
  config["hidden_size"] = hidden;
  write_bytes(folder / "config.json", config.dump());
  const std::string demo = read_bytes(folder / "model.safetensors");
  std::uint64_t length = 0;
  std::memcpy(&length, demo.data(), sizeof length);
  json header = json::parse(demo.substr(sizeof length, length));
  std::int64_t end = 0;
  for (auto& [name, tensor] : header.items()) {
    if (name == "__metadata__") continue;
    std::int64_t values = 1;
    const bool of_kv_heads = name.find("k_proj") != std::string::npos || name.find("v_proj") != std::string::npos;
    for (json& size : tensor["shape"]) {
      const bool rows = &size == &tensor["shape"].front() && tensor["shape"].size() == 2;
      if (size == 96) size = intermediate;
      if (size == 64 && !(of_kv_heads && rows)) size = hidden;
      values *= size.get<std::int64_t>();
    }
    tensor["dtype"] = dtype;
    tensor["data_offsets"] = {end, end + values * value_bytes};
    end += values * value_bytes;
  }
  const std::string text = header.dump();
  length = text.size();
  write_bytes(folder / "model.safetensors", std::string(reinterpret_cast<const char*>(&length), sizeof length) + text);
  std::filesystem::resize_file(folder / "model.safetensors",
                               sizeof length + text.size() + static_cast<std::uint64_t>(end));
}

/// A value that is not finite, which reading the weights finds last.
void spoil_last_value(const std::filesystem::path& folder) {
  std::string bytes = read_bytes(folder / "model.safetensors");
  bytes.replace(bytes.size() - 4, 4, "\xff\xff\xff\xff");
  write_bytes(folder / "model.safetensors", bytes);
}

}  // namespace

class RefusedModelTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { fail_on_qt_warnings(); }

  void the_open_one_stays_as_it_was_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("said");
    QTest::newRow("broken in the middle") << "spoiled"
                                          << "not finite";
    QTest::newRow("cut off") << "cut"
                             << "model.safetensors";
    QTest::newRow("missing") << "missing"
                             << "does not exist";
    QTest::newRow("too large, bf16") << "BF16"
                                     << "with --dtype q8";
    QTest::newRow("too large, fp32") << "F32"
                                     << "with --dtype bf16";
  }
  void the_open_one_stays_as_it_was() {
    QFETCH(QString, kind);
    QFETCH(QString, said);
    const TempDir folder;
    const std::filesystem::path path = folder.path() / "other";
    const QString other = QString::fromStdString(path.string());
    if (kind != "missing") {
      QVERIFY(QDir().mkpath(other));
      copy_demo(other);
    }
    if (kind == "spoiled") spoil_last_value(path);
    if (kind == "cut") std::filesystem::resize_file(path / "model.safetensors", 400'000);
    if (kind == "BF16") write_large_model(path, "BF16", 2);
    if (kind == "F32") write_large_model(path, "F32", 4);

    Someone someone(QString::fromStdString(folder.path().string()));
    Lab& lab = someone.window.lab();
    someone.keeper.begin(false);
    QVERIFY(run_whole(someone, 600));
    lab.context.notebook().set_text("typed");
    SegmentConfig config = lab.context.config();
    config.carry_length += 3;
    lab.context.edit_config(config, "carry");
    const ModelInfo model = lab.loader.model()->info;
    const RunOptions options = lab.context.run_options();
    const auto run = told(lab.context.run());
    QSignalSpy failed(&lab, &Lab::failed);
    ModelRequest request;
    request.path = path.string();
    request.dtype = kind == "F32" ? DType::Float32 : DType::BFloat16;
    request.device = Device::Cpu;
    lab.open_model(request);
    QVERIFY(failed.wait(patience_ms));
    QVERIFY(wait_for([&] { return lab.runs.can_run(); }));
    const QString text = someone.window.message_bar().text();
    QVERIFY2(text.contains(said), qPrintable(text));
    QVERIFY2(kind != "BF16" || !text.contains("--dtype bf16"), qPrintable(text));
    QCOMPARE(lab.loader.model()->info.path, model.path);
    QCOMPARE(lab.loader.model()->info.weights_hash, model.weights_hash);
    QVERIFY(lab.loader.text() && lab.context.config() == config && lab.context.run_options() == options);
    QVERIFY(told(lab.context.run()) == run);
    QCOMPARE(lab.context.notebook().text(), QString("typed"));
    QCOMPARE(lab.context.undo_stack().count(), 1);
    QCOMPARE(lab.context.library().count(), 1);
    lab.runs.run();  // and it computes
    QVERIFY(wait_for([&] { return lab.runs.can_run() && lab.context.library().count() == 2; }));
    QCOMPARE(lab.context.run().request().config.carry_length, config.carry_length);
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::in_window<RefusedModelTest>};
#include "refused_model_test.moc"
