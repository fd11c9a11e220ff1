// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heads/state/head_score_files.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/data/text_source.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_folder.h"

namespace carryover {
namespace {

bool has_suffix(const QString& path, const char* suffix) {
  return QFileInfo(path).suffix().compare(QLatin1String(suffix), Qt::CaseInsensitive) == 0;
}

}  // namespace

bool is_head_score_file(const QString& path) {
  return has_suffix(path, "tsv") || has_suffix(path, "json");
}

HeadScores read_head_scores(const QString& path, const ModelConfig& model) {
  const std::string file = path.toStdString();
  return scores_from_text(read_text(file), model, file);
}

void write_head_scores(const HeadScores& scores, const ModelConfig& model, const QString& path) {
  if (!is_head_score_file(path))
    throw EngineError(
        Fault::Usage, path.toStdString(),
        QCoreApplication::translate("HeadScoreFiles", "has a suffix that is not supported").toStdString(),
        QCoreApplication::translate("HeadScoreFiles", "Use .tsv (DuoAttention) or .json (retrieval heads).")
            .toStdString());
  write_file_atomically(path.toStdString(),
                        has_suffix(path, "tsv") ? duo_tsv(scores, model) : head_score_json(scores).dump() + "\n");
}

}  // namespace carryover
