// SPDX-License-Identifier: GPL-3.0-or-later
// A list of models is remembered by the stamps of their files: while these stay, no file is opened.
#include "engine/installed/header_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <QTest>

#include "engine/base/run_control.h"
#include "engine/installed/model_list.h"
#include "tests/support/expect_error.h"
#include "tests/support/model_caches.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

/// A folder with models, and the file that remembers them.
struct Listing {
  EmptyHome home;
  std::string cache = (home / "cache/models.json").string();

  std::vector<InstalledModel> models() {
    RunControl control;
    return list_models({{"test", (home / "models").string(), find_models_below}}, cache, control).models;
  }
  /// The context of the only model, which tells two versions of its file from each other.
  std::int64_t context() { return models().at(0).facts.context; }
};

std::string gguf_with_context(std::int64_t context) {
  ModelConfig config = small_config();
  config.context = context;
  GgufWriter writer;
  add_llama_keys(writer, config);
  add_llama_tensors(writer, config, random_weights(config, 1));
  return writer.bytes();
}

timespec time_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw std::runtime_error("no " + path);
  return status.st_mtim;
}

/// Sets the time of a file's last write, a nanosecond later for each of `later`.
void set_time(const std::string& path, timespec time, long later = 0) {
  time.tv_nsec = (time.tv_nsec + later) % 1'000'000'000;
  const timespec times[2] = {time, time};
  if (::utimensat(AT_FDCWD, path.c_str(), times, 0) != 0) throw std::runtime_error("no time of " + path);
}

}  // namespace

class HeaderCacheTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_file_is_read_again_once_its_stamp_changes() {
    Listing listing;
    const std::string file = write_below(listing.home / "models/a.gguf", gguf_with_context(1024));
    const timespec time = time_of(file);
    QCOMPARE(listing.context(), 1024);
    write_bytes(file, gguf_with_context(4096));  // of the same size, in the same inode
    set_time(file, time);
    QCOMPARE(listing.context(), 1024);
    set_time(file, time, 1);
    QCOMPARE(listing.context(), 4096);
    QCOMPARE(listing.context(), 4096);
    fs::remove(file);
    write_bytes(file, gguf_with_context(2048));  // another inode, or another time
    set_time(file, time, 2);
    QCOMPARE(listing.context(), 2048);
  }

  void every_file_of_a_model_counts() {
    Listing listing;
    const fs::path folder = listing.home / "models";
    write_tiny_model(folder, small_config(), 1, {.shards = 2});
    QVERIFY(listing.models().at(0).facts.opens());
    ModelConfig config = small_config();
    config.context = 512;
    write_bytes(folder / "config.json", hf_config_json(config).dump(1));
    QCOMPARE(listing.context(), 512);
    const fs::path shard = folder / "model-00002-of-00002.safetensors";
    const std::string bytes = read_bytes(shard);
    write_bytes(shard, bytes.substr(0, bytes.size() - 4));
    QVERIFY(!listing.models().at(0).facts.opens());
    write_bytes(shard, bytes);
    QVERIFY(listing.models().at(0).facts.opens());
    fs::remove(shard);
    QVERIFY(!listing.models().at(0).facts.opens());
  }

  /// Whatever happens to the file that remembers, the list is what the models' files say.
  void a_damaged_cache_counts_as_absent() {
    Listing listing;
    const std::string file = write_below(listing.home / "models/a.gguf", gguf_with_context(1024));
    QCOMPARE(listing.context(), 1024);
    const std::string whole = read_bytes(listing.cache);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1);
      write_bytes(listing.cache, damaged);
      QCOMPARE(listing.context(), 1024);
    }
    for (const std::string& other : {std::string(), whole.substr(0, whole.size() / 2), std::string("[]"),
                                     std::string("{}"), std::string(R"({"build": 1, "check": 2, "models": 3})")}) {
      write_bytes(listing.cache, other);
      QCOMPARE(listing.context(), 1024);
      QCOMPARE(read_bytes(listing.cache), whole);  // repaired
    }
    fs::remove(listing.cache);
    fs::create_directory(listing.cache);  // can't be written
    QCOMPARE(listing.context(), 1024);
  }

  /// Another build may open other models.
  void the_cache_of_another_build_counts_as_absent() {
    Listing listing;
    const std::string file = write_below(listing.home / "models/a.gguf", gguf_with_context(1024));
    const timespec time = time_of(file);
    QCOMPARE(listing.context(), 1024);
    nlohmann::json cache = nlohmann::json::parse(read_bytes(listing.cache));
    cache["build"][1] = "0.0.1";
    write_bytes(listing.cache, cache.dump());
    write_bytes(file, gguf_with_context(4096));
    set_time(file, time);
    QCOMPARE(listing.context(), 4096);
  }

  void models_that_are_gone_are_forgotten() {
    Listing listing;
    const std::string gone = write_below(listing.home / "models/a.gguf", small_gguf());
    listing.models();
    fs::remove(gone);
    write_below(listing.home / "models/b.gguf", small_gguf());
    QCOMPARE(listing.models().size(), std::size_t{1});
    QVERIFY(!QString::fromStdString(read_bytes(listing.cache)).contains("a.gguf"));
  }

  /// JSON has no other text than UTF-8: such a model is listed each time, and beside others.
  void a_name_that_is_not_utf8_is_not_remembered() {
    Listing listing;
    const std::string file = write_below(listing.home / "models/a-\xff.gguf", gguf_with_context(1024));
    write_below(listing.home / "models/a-\xfe.gguf", gguf_with_context(1024));
    write_below(listing.home / "models/b.gguf", gguf_with_context(1024));
    const timespec time = time_of(file);
    QCOMPARE(listing.models().size(), std::size_t{3});
    write_bytes(file, gguf_with_context(4096));
    set_time(file, time);
    const auto models = listing.models();
    QVERIFY(models.size() == 3 && models[1].facts.context == 4096);
    QVERIFY(QString::fromStdString(read_bytes(listing.cache)).contains("b.gguf"));
  }

  void a_listing_that_was_stopped_is_remembered() {
    Listing listing;
    const std::string file = write_below(listing.home / "models/a.gguf", gguf_with_context(1024));
    write_below(listing.home / "models/b.gguf", gguf_with_context(1024));
    const timespec time = time_of(file);
    RunControl control;
    const auto error = error_of([&] {
      list_models({{"test", (listing.home / "models").string(), find_models_below}}, listing.cache, control,
                  [&](const InstalledModel&) { control.request_stop(); });
    });
    QVERIFY(error && error->fault() == Fault::Cancelled);
    write_bytes(file, gguf_with_context(4096));
    set_time(file, time);
    QCOMPARE(listing.context(), 1024);
  }

  void hundreds_of_models_are_the_same_from_the_cache() {
    Listing listing;
    const std::string gguf = small_gguf();
    for (int i = 0; i < 500; ++i)
      write_below(listing.home / ("models/org/repo-" + std::to_string(i) + "/model.gguf"), gguf);
    const auto first = listing.models(), second = listing.models();
    QCOMPARE(first.size(), std::size_t{500});
    QCOMPARE(second.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      QVERIFY(first[i].name == second[i].name && first[i].path == second[i].path);
      QVERIFY(first[i].bytes == second[i].bytes && first[i].facts == second[i].facts && first[i].facts.opens());
    }
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HeaderCacheTest>};
#include "header_cache_test.moc"
