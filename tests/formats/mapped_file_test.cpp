// SPDX-License-Identifier: GPL-3.0-or-later
// A model that somebody cuts while it is being read: an error that names the file, where there was a SIGBUS.
#include "engine/formats/mapped_file.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <csignal>
#include <thread>

#include "engine/checkpoints/model_source.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using namespace carryover::test;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBytes = 1 << 20;

int sum_of(const MappedFile& file) {
  int sum = 0;
  for (const std::byte byte : file.bytes()) sum += std::to_integer<int>(byte);
  return sum;
}

std::vector<float> first_rows(const ModelSource& model, const StoredTensor& tensor) {
  const std::int64_t rows = tensor.shape.size() == 1 ? 1 : tensor.shape[0];
  std::vector<float> values(static_cast<std::size_t>(rows * tensor.shape.back()));
  model.read_rows(tensor, 0, rows, values.data());
  return values;
}

}  // namespace

class MappedFileTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { std::signal(SIGBUS, SIG_DFL); }  // instead of Qt Test's, which asks a debugger
  void init() { write_bytes(path_, std::string(kBytes, 1)); }

  void a_whole_file_is_whole() {
    const auto file = MappedFile::open(path_);
    QCOMPARE(sum_of(*file), static_cast<int>(kBytes));
    file->require_whole();
    file->release(file->bytes());
    QCOMPARE(sum_of(*file), static_cast<int>(kBytes));
    file->require_whole();
  }

  void what_was_cut_off_is_told_data() {
    QTest::addColumn<int>("left");
    QTest::newRow("everything") << 0;
    QTest::newRow("within a page") << 300'000;
    QTest::newRow("at a page") << 40'960;
    QTest::newRow("the last byte, without a signal") << static_cast<int>(kBytes) - 1;
  }
  void what_was_cut_off_is_told() {
    QFETCH(int, left);
    const auto file = MappedFile::open(path_);
    fs::resize_file(path_, static_cast<std::uintmax_t>(left));
    QCOMPARE(sum_of(*file), left);
    QCOMPARE(unlike(Fault::Io, path_ + ": was truncated", [&] { file->require_whole(); }), "");
    fs::resize_file(path_, kBytes);
    if (left < 1'000'000)  // zeros were read, whatever is there now
      QCOMPARE(unlike(Fault::Io, path_ + ": ", [&] { file->require_whole(); }), "");
    const auto again = MappedFile::open(path_);
    again->require_whole();
  }

  void threads_that_read_it_all_live() {
    const auto file = MappedFile::open(path_);
    fs::resize_file(path_, 8192);
    std::vector<std::thread> threads;
    std::atomic<int> right = 0;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { right += sum_of(*file) == 8192; });
    for (std::thread& thread : threads) thread.join();
    QCOMPARE(right, 4);
  }

  void another_mapping_still_ends_the_process() {
    MappedFile::open(path_);  // the handler is there
    const pid_t child = fork();
    if (child == 0) {
      std::FILE* other = std::fopen(path_.c_str(), "rb");
      const auto* bytes =
          static_cast<const volatile char*>(mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, fileno(other), 0));
      if (truncate(path_.c_str(), 0) == 0) static_cast<void>(bytes[0]);
      _exit(0);
    }
    int status = 0;
    QCOMPARE(waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
  }

  void a_model_that_is_cut_while_it_loads_is_refused() {
    const std::string folder = temp_.file("model"), weights = folder + "/model.safetensors";
    fs::copy(CARRYOVER_SOURCE_DIR "/resources/demo", folder);
    const auto model = ModelSource::open(folder);
    fs::resize_file(weights, 100'000);
    int refused = 0;
    for (const StoredTensor& tensor : model->tensors())
      refused += unlike(Fault::Io, weights + ": was truncated", [&] { first_rows(*model, tensor); }).empty();
    QCOMPARE(static_cast<std::size_t>(refused), model->tensors().size());
    QCOMPARE(unlike(Fault::Io, weights + ": was truncated", [&] { model->hash(); }), "");
  }

 private:
  TempDir temp_;
  const std::string path_ = temp_.file("file");
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::with_event_loop<MappedFileTest>};
#include "mapped_file_test.moc"
