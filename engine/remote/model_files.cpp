// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/model_files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "engine/checkpoints/model_source.h"
#include "engine/formats/input_file.h"
#include "engine/formats/output_file.h"
#include "engine/remote/temporary_folder.h"
#include "engine/tokenizers/tokenizer_writer.h"

namespace carryover {
namespace {

namespace fs = std::filesystem;

void add_file(std::vector<ModelFile>& files, const fs::path& path) {
  std::error_code unreadable;  // then it is as if it were not there
  if (!fs::is_regular_file(path, unreadable)) return;
  files.push_back({path.filename().string(), read_whole_file(path.string())});
}

/// No path out of the folder, whatever the other end says.
bool is_plain_name(const std::string& name) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && name.size() < 100 && name.front() != '.' && std::all_of(name.begin(), name.end(), plain);
}

}  // namespace

std::vector<ModelFile> read_model_files(const std::string& model, const std::string& adapter) {
  ModelSource::open(model);
  const TemporaryFolder tokenizer;
  write_tokenizer(tokenizer.path(), model);
  std::vector<ModelFile> files;
  for (const auto& entry : fs::directory_iterator(tokenizer.path())) add_file(files, entry.path());
  add_file(files, fs::path(model) / "config.json");
  add_file(files, fs::path(adapter.empty() ? model : adapter) / "segment_config.json");
  return files;
}

void write_model_files(const std::string& directory, const std::vector<ModelFile>& files) {
  for (const ModelFile& file : files) {
    if (!is_plain_name(file.name)) refuse_message("a model's file has an unexpected name");
    write_file_atomically((fs::path(directory) / file.name).string(), file.contents);
  }
}

}  // namespace carryover
