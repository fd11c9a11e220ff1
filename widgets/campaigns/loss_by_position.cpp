// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/campaigns/loss_by_position.h"

#include <QCoreApplication>

#include "engine/base/error.h"
#include "engine/campaigns/experiments/position_losses.h"
#include "widgets/look/qstring.h"
#include "widgets/look/quantity_text.h"
#include "widgets/plot/plot_view.h"

namespace carryover {
namespace {

struct LossByPosition {
  Q_DECLARE_TR_FUNCTIONS(LossByPosition)
};

const ResultsView::Book& book_of(const ResultsView& results, const std::string& text) {
  std::string known;
  for (const ResultsView::Book& book : results.books) {
    if (text.empty() || text == book.title || text == book.file) return book;
    known += (known.empty() ? "" : ", ") + book.title;
  }
  throw EngineError(Fault::Usage, "Text", "'" + text + "' is not a string of the experiment",
                    known.empty() ? "It has none." : "Use one of " + known + ".");
}

/// "streaming, 23.6 MB".
QString curve_name(const ResultsView& results, const PositionLosses& losses) {
  const auto& [recipe, evaluation] = losses.condition;
  const QString name = qstring(results.recipes.size() > 1 ? recipe + ": " + evaluation : evaluation);
  return LossByPosition::tr("%1, %2").arg(name, bytes_text(static_cast<std::int64_t>(losses.attention_kv_bytes)));
}

}  // namespace

void draw_loss_by_position(PlotView& plot, const ResultsView& results, const QString& text) {
  const std::string chosen = text.toStdString();
  const ResultsView::Book& book = book_of(results, chosen);
  plot.set_title(LossByPosition::tr("Loss by position: %1").arg(qstring(book.title)));
  plot.set_axes(LossByPosition::tr("Position (tokens)"), LossByPosition::tr("Loss (nats)"));
  plot.set_empty_text(LossByPosition::tr("No run of this text is finished: run the other cells of the experiment"));
  const std::size_t colours = current_theme().series.size();
  const std::string model = results.models.empty() ? "" : results.models.front().name;
  std::size_t drawn = 0;
  for (const PositionLosses& losses : position_losses(results, model, book.file)) {
    const int curve = plot.add_curve(curve_name(results, losses), {series_colour(drawn), drawn >= colours});
    for (const auto& [position, loss] : losses.points) plot.append(curve, position, loss);
    ++drawn;
  }
}

}  // namespace carryover
