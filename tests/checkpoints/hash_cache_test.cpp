// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/checkpoints/hash_cache.h"

#include <QTest>

#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"
#include "tests/support/tiny_model.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

std::unique_ptr<ModelSource> tiny(const TempDir& temp, unsigned seed = 1, int shards = 1) {
  return ModelSource::open(
      write_tiny_model(temp.path() / "model", tiny_config(1, 2, 1, 8, 32), seed, {.shards = shards}));
}

}  // namespace

class HashCacheTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void what_was_stored_is_found() {
    for (const int shards : {1, 2}) {
      const TempDir temp;
      const auto source = tiny(temp, 1, shards);
      const HashCache cache(temp.file("cache/weights"), *source, 0);
      QVERIFY(!cache.find());
      cache.store(source->hash());
      QVERIFY(cache.find() == source->hash());
      QVERIFY(HashCache(temp.file("cache/weights"), *tiny(temp, 1, shards), 0).find() ==
              std::nullopt);  // written again
    }
  }

  void another_file_in_its_place_is_not_it() {
    const TempDir temp;
    const auto source = tiny(temp);
    const HashCache before(temp.file("cache"), *source, 0);
    before.store(source->hash());
    const std::string file = temp.file("model/model.safetensors");
    const auto time = fs::last_write_time(file);
    fs::rename(file, temp.file("old"));
    fs::copy_file(temp.file("old"), file);
    fs::last_write_time(file, time);  // path, size and time are as they were: the inode tells
    const HashCache after(temp.file("cache"), *ModelSource::open(temp.file("model")), 0);
    QVERIFY(!after.find());
    before.store("0123456789abcdef");  // the files are others than when it looked: nothing is stored
    fs::remove(file);
    fs::rename(temp.file("old"), file);
    QVERIFY(HashCache(temp.file("cache"), *ModelSource::open(temp.file("model")), 0).find() == source->hash());
  }

  void a_damaged_entry_counts_as_absent() {
    const TempDir temp;
    const auto source = tiny(temp);
    const HashCache cache(temp.file("cache"), *source, 0);
    cache.store(source->hash());
    const fs::path entry = fs::directory_iterator(temp.file("cache"))->path();
    const std::string whole = read_bytes(entry);
    for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
      write_bytes(entry, whole.substr(0, size));
      QVERIFY(!cache.find());
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] ^= 1;
      write_bytes(entry, damaged);
      const auto found = cache.find();
      QVERIFY(!found || *found == source->hash());
    }
    write_bytes(entry, whole);
    QVERIFY(cache.find() == source->hash());
  }

  void small_models_and_made_ones_are_not_kept() {
    const TempDir temp;
    const auto source = tiny(temp);
    const HashCache cache(temp.file("cache"), *source);
    cache.store(source->hash());
    const auto random = ModelSource::open("random:tiny");
    HashCache(temp.file("cache"), *random, 0).store(random->hash());
    QVERIFY(!cache.find() && !fs::exists(temp.file("cache")));
  }

  void a_folder_that_cannot_be_written_is_passed_over() {
    const TempDir temp;
    const auto source = tiny(temp);
    write_bytes(temp.file("cache"), "a file");
    const HashCache cache(temp.file("cache"), *source, 0);
    cache.store(source->hash());
    QVERIFY(!cache.find());
  }
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<HashCacheTest>};
#include "hash_cache_test.moc"
