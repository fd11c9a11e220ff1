// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench/bench_folder.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/bench/bench_report.h"
#include "engine/base/error.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"

namespace carryover {

BenchFolder::BenchFolder(const std::string& directory, bool overwrite) : directory_(directory) {
  namespace fs = std::filesystem;
  if (directory.empty()) return;
  std::error_code code;
  if (fs::exists(fs::path(directory) / "bench.json", code) && !overwrite)
    throw EngineError(Fault::Usage, directory, "already holds a bench", "Choose another folder, or add --overwrite.");
  make_folder(directory);
}

void BenchFolder::write(const nlohmann::json& bench) const {
  if (directory_.empty()) return;
  write_file_atomically(directory_ + "/bench.json", bench.dump(1) + "\n");
  write_file_atomically(directory_ + "/bench.csv", bench_csv(read_bench(bench, "bench")));
}

}  // namespace carryover
