// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/api/engine_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "engine/base/byte_size.h"
#include "engine/base/error.h"

namespace carryover {

namespace {

using OpenSession = Session* (*)(const ModelRequest&, const LoadProgress&);
using MeasureLimits = void (*)(const ModelInfo&, std::int64_t, MachineLimits&);
using GiveBackMemory = void (*)();

/// The functions that are called in the engine library.
struct EngineSymbols {
  OpenSession open_session = nullptr;
  MeasureLimits measure_limits = nullptr;
  GiveBackMemory give_back_memory = nullptr;
};

void* symbol_of(void* library, const std::string& path, const char* name) {
  void* symbol = dlsym(library, name);
  if (symbol != nullptr) return symbol;
  throw EngineError(Fault::Io, path, std::string("is not an engine of this program: it has no ") + name,
                    "Install the package again; in a checkout, `./lab build` builds both.");
}

/// Throws if there is no address space for the engine. LibTorch builds tables while it is opened, and an allocation
/// that fails then ends the process, so the room is checked first: the sizes of the library files, which are about what
/// they take when they are mapped, plus these tables.
void require_room_for_engine(const std::string& path) {
  constexpr std::uintmax_t kTables = std::uintmax_t{64} << 20;
  std::uintmax_t bytes = kTables;
  for (const std::string& library : {path, library_folder() + "/torch/lib/libtorch_cpu.so"}) {
    std::error_code absent;
    const std::uintmax_t size = std::filesystem::file_size(library, absent);
    if (!absent) bytes += size;
  }
  void* room = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    throw EngineError(
        Fault::OutOfMemory, path,
        "the engine can't be opened: the process gets no " + size_text(static_cast<double>(bytes)) + " of memory",
        "Raise the limit (`ulimit -v`), or close other programs.");
  munmap(room, bytes);
}

/// Opens the engine library. Its symbols are global, because LibTorch's own plug-ins (CUDA) look theirs up in the
/// process.
EngineSymbols open_library() {
  const std::string path = library_folder() + "/libcarryover_engine.so";
  require_room_for_engine(path);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    throw EngineError(Fault::Io, path, std::string("the engine can't be opened: ") + dlerror(),
                      "Install the package again; in a checkout, `./lab build` builds it.");
  }
  return {reinterpret_cast<OpenSession>(symbol_of(library, path, "carryover_open_session")),
          reinterpret_cast<MeasureLimits>(symbol_of(library, path, "carryover_measure_limits")),
          reinterpret_cast<GiveBackMemory>(symbol_of(library, path, "carryover_give_back_memory"))};
}

/// Returns the engine's functions. The first call that succeeds opens the library.
const EngineSymbols& engine() {
  static std::mutex mutex;
  static EngineSymbols symbols;
  const std::lock_guard lock(mutex);
  if (symbols.open_session == nullptr) symbols = open_library();
  return symbols;
}

/// The number of times that a thread spins for the next loop before it sleeps. Long waits take the processor from other
/// threads; short ones make a thread sleep between the matmuls of one token.
constexpr char kSpins[] = "5000";
/// glibc asks for huge pages and keeps freed memory for the next activation, in one heap. Otherwise the kernel clears
/// every page that it hands out, which took a fifth of a training step. Sessions give free memory back at the end of a
/// run.
constexpr char kHeap[] =
    "glibc.malloc.hugetlb=1:glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1099511627776:glibc.malloc.arena_max=1";

}  // namespace

void prepare_engine_environment(char** arguments) {
  if (std::getenv("GOMP_SPINCOUNT") != nullptr) return;  // set by the user, or by the next line before the restart
  setenv("GOMP_SPINCOUNT", kSpins, /*overwrite=*/1);
  setenv("GLIBC_TUNABLES", kHeap, /*overwrite=*/0);
  char program[PATH_MAX + 1] = {};  // the program's own path; the process would else be named "exe"
  if (readlink("/proc/self/exe", program, PATH_MAX) > 0)
    execv(program, arguments);  // if this fails, the program runs, but slower
}

std::string library_folder() {
  Dl_info info{};
  CARRYOVER_CHECK(dladdr(reinterpret_cast<const void*>(&load_session), &info) != 0 && info.dli_fname != nullptr);
  return std::filesystem::absolute(info.dli_fname).parent_path().string();  // dlopen would search for a relative path
}

std::unique_ptr<Session> load_session(const ModelRequest& request, const LoadProgress& progress) {
  return std::unique_ptr<Session>(engine().open_session(request, progress));
}

MachineLimits measure_limits(const ModelInfo& model, std::int64_t rows) {
  MachineLimits limits;
  engine().measure_limits(model, rows, limits);
  return limits;
}

void give_back_memory() {
  engine().give_back_memory();
}

}  // namespace carryover
