// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/support/fuzz.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "engine/base/error.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace carryover::fuzz {

namespace fs = std::filesystem;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: this must hold: %s\n", what);
  std::abort();
}

bool accepts(const std::function<void()>& action) {
  try {
    action();
    return true;
  } catch (const EngineError& error) {
    if (error.fault() == Fault::Internal) std::fprintf(stderr, "fuzz: %s\n", error.what());
    require(error.fault() != Fault::Internal, "no input breaks an invariant of the program");
    return false;
  }
}

const std::string& scratch_folder() {
  struct Folder {
    Folder() : path("/dev/shm/carryover-fuzz-" + std::to_string(::getpid())) { fs::create_directories(path); }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    std::string path;
  };
  static const Folder folder;
  return folder.path;
}

void write_file(const std::string& path, std::string_view bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  require(file != nullptr, "a file of the scratch folder can be written");
  require(std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size(), "the scratch folder has room");
  std::fclose(file);
}

std::string mutate_bytes(std::string bytes, std::size_t most) {
  const std::size_t size = std::min(bytes.size(), most);
  bytes.resize(std::max<std::size_t>(most, 1));
  bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), size, bytes.size()));
  return bytes;
}

std::size_t deliver(std::string_view bytes, std::uint8_t* data, std::size_t most) {
  const std::size_t size = std::min(bytes.size(), most);
  if (size > 0) std::memcpy(data, bytes.data(), size);
  return size;
}

}  // namespace carryover::fuzz
