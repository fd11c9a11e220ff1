// SPDX-License-Identifier: GPL-3.0-or-later
// The main function of each folder's tests.
#include "tests/support/test_program.h"

#include <cstdio>
#include <filesystem>
#include <map>
#include <string>

#include "engine/api/engine_library.h"

namespace carryover::test {
namespace {

std::map<std::string, TestFile::Main>& test_files() {
  static std::map<std::string, TestFile::Main> files;
  return files;
}

/// "core/mailbox_test.cpp" is "mailbox".
std::string short_name(const char* path) {
  const std::string name = std::filesystem::path(path).stem();
  return name.substr(0, name.rfind("_test"));
}

}  // namespace

TestFile::TestFile(const char* path, Main run) {
  test_files()[short_name(path)] = run;
}

}  // namespace carryover::test

int main(int argc, char** argv) {
  carryover::prepare_engine_environment(argv);
  const auto& files = carryover::test::test_files();
  const auto file = argc > 1 ? files.find(argv[1]) : files.end();
  if (file == files.end()) {
    std::fprintf(stderr, "usage: %s NAME [ARGUMENT...], where NAME is one of\n", argv[0]);
    for (const auto& [name, run] : files) std::fprintf(stderr, "  %s\n", name.c_str());
    return 2;
  }
  argv[1] = argv[0];
  return file->second(argc - 1, argv + 1);
}
