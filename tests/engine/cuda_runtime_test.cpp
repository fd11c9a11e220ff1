// SPDX-License-Identifier: GPL-3.0-or-later
// The search for LibTorch's CUDA library, on a machine that need not have a GPU.
#include "engine/runtime/cuda_runtime.h"

#include <torch/headeronly/version.h>

#include <QTest>
#include <filesystem>

#include "tests/support/temp_dir.h"
#include "tests/support/test_program.h"

using namespace carryover;
using carryover::test::TempDir;
namespace fs = std::filesystem;

namespace {

/// An empty file that is named as the library is.
std::string put_library(const fs::path& folder) {
  fs::create_directories(folder / "torch/lib");
  const fs::path library = folder / "torch/lib/libtorch_cuda.so";
  test::write_bytes(library, "");
  return fs::canonical(library).string();
}

}  // namespace

class CudaRuntimeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    qunsetenv("CARRYOVER_TORCH_DIR");
    qputenv("XDG_DATA_HOME", QByteArray::fromStdString(data_.path().string()));
  }

  /// A machine whose checkout has the CUDA libraries has them beside LibTorch, before any other place.
  void what_the_user_fetched_is_found_by_its_version() {
    const std::string before = ops::find_torch_cuda();
    put_library(data_.path() / "carryover/libtorch-cuda-1.0.0");
    QCOMPARE(ops::find_torch_cuda(), before);
    const std::string fetched = put_library(data_.path() / "carryover/libtorch-cuda-" TORCH_VERSION);
    QCOMPARE(ops::find_torch_cuda(), before.empty() ? fetched : before);
    if (!before.empty()) return;
    qunsetenv("XDG_DATA_HOME");
    const QByteArray home = qgetenv("HOME");
    qputenv("HOME", QByteArray::fromStdString(home_.path().string()));
    const std::string at_home = put_library(home_.path() / ".local/share/carryover/libtorch-cuda-" TORCH_VERSION);
    const std::string found = ops::find_torch_cuda();
    qputenv("HOME", home);
    QCOMPARE(found, at_home);
  }

  void a_chosen_folder_is_the_only_one() {
    const TempDir chosen;
    put_library(data_.path() / "carryover/libtorch-cuda-" TORCH_VERSION);
    qputenv("CARRYOVER_TORCH_DIR", QByteArray::fromStdString(chosen.path().string()));
    QCOMPARE(ops::find_torch_cuda(), std::string());
    const std::string library = put_library(chosen.path());
    QCOMPARE(ops::find_torch_cuda(), library);
  }

 private:
  TempDir data_, home_;
};

static const carryover::test::TestFile these_tests{__FILE__, carryover::test::without_application<CudaRuntimeTest>};
#include "cuda_runtime_test.moc"
