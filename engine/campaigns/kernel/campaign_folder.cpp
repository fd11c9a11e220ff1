// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/campaigns/kernel/campaign_folder.h"

#include "engine/base/error.h"
#include "engine/formats/folder_path.h"
#include "engine/formats/make_folder.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace {

const std::string& made(const std::string& path, bool ours, std::initializer_list<const char*> names) {
  if (!ours) require_free_names(path, names);
  make_folder(path, "Choose another folder (--out).");
  return path;
}

}  // namespace

CampaignFolder::CampaignFolder(const std::string& path, bool ours, std::initializer_list<const char*> names)
    : path_(path), lock_(made(path, ours, names)) {}

std::string CampaignFolder::file(std::string_view name) const {
  return path_in(path_, name);
}

void CampaignFolder::write(std::string_view name, std::string_view contents) const {
  replace_own_file(file(name), contents);
}

void CampaignFolder::write_tables(const std::function<std::string(TableFormat format)>& table) const {
  write("table.md", table(TableFormat::Markdown));
  write("table.csv", table(TableFormat::Csv));
  write("table.tex", table(TableFormat::Latex));
}

void require_watched_size(const std::string& path, std::int64_t size, const char* what) {
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;  // 400 000 cells
  if (size > kMostBytes)
    throw EngineError(Fault::BadInput, path, "has " + std::to_string(size) + " bytes, which no " + what + " has",
                      std::string("Choose the folder of an ") + what + ".");
}

}  // namespace carryover
