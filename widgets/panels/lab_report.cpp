// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panels/lab_report.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QPageSize>
#include <QPdfWriter>
#include <QTemporaryDir>
#include <QTextDocument>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/output_file.h"
#include "engine/policies/minference/minference_settings.h"
#include "engine/runs/records/run_command.h"
#include "widgets/compare/state/comparison_rows.h"
#include "widgets/heads/state/pattern_text.h"
#include "widgets/lab/notebook.h"
#include "widgets/lab/shown.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/quantity_text.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/state/provenance.h"
#include "widgets/text/state/text_units.h"
#include "widgets/what_if/state/what_ifs.h"

namespace carryover {
namespace {

constexpr std::size_t most_listed = 50;  ///< of segments, and of hits
const QSizeF picture_mm(160, 90);

QString tr(const char* text) {
  return QCoreApplication::translate("Report", text);
}

QString row(const QStringList& cells, const char* tag = "td") {
  QString text;
  for (const QString& cell : cells)
    text += QStringLiteral("<%1>%2</%1>")
                .arg(QLatin1String(tag), cell.toHtmlEscaped().replace(QLatin1String("\n"), QLatin1String("<br>")));
  return QStringLiteral("<tr>%1</tr>\n").arg(text);
}

QString table(const QString& rows) {
  return QStringLiteral("<table border=\"1\" cellspacing=\"0\" cellpadding=\"3\">\n%1</table>\n").arg(rows);
}

QString heading(const QString& text) {
  return QStringLiteral("<h2>%1</h2>\n").arg(text.toHtmlEscaped());
}

/// "name: value" lines as a table.
QString origin(const RunModel& run) {
  QString rows;
  for (const QString& line : run_provenance(run).split(QLatin1Char('\n'))) {
    const qsizetype colon = line.indexOf(QLatin1String(": "));
    if (!line.startsWith(QLatin1String("config: "))) rows += row({line.left(colon), line.mid(colon + 2)});
  }
  return table(rows);
}

QString settings(const RunModel& run) {
  const nlohmann::json config = run.request().config;
  QString rows;
  for (const auto& [field, value] : config.items()) {
    const bool counted = field == "head_patterns" && !value.empty();  // all of them fill pages
    rows += row({QString::fromStdString(field),
                 counted ? patterns_text(run.request().config.of<MinferenceSettings>().head_patterns)
                         : QString::fromStdString(value.dump())});
  }
  return heading(tr("Settings")) + table(rows);
}

QString numbers(const RunModel& run) {
  const RunSummary& summary = run.summary();
  QString rows = row({tr("tokens"), count_text(summary.tokens)}) + row({tr("targets"), count_text(summary.targets)}) +
                 row({tr("segments"), count_text(summary.segments)});
  if (summary.ppl())
    rows += row({tr("mean loss, nats a target"), decimal_text(*summary.nll_mean(), 6)}) +
            row({tr("perplexity"), decimal_text(*summary.ppl(), 4)});
  rows += row({tr("seconds"), decimal_text(summary.seconds, 2)}) +
          row({tr("near-ties at the top-k cutoff"), count_text(summary.near_ties)}) +
          row({tr("peak memory, MB"), decimal_text(megabytes(summary.peak_memory_bytes), 1)}) +
          row({tr("stopped early"), summary.cancelled ? tr("yes") : tr("no")});
  return heading(tr("Summary")) + table(rows);
}

QString segments(const RunModel& run) {
  QString rows = row({tr("segment"), tr("first token"), tr("tokens"), tr("loss, nats"), tr("seconds"), tr("anchors"),
                      tr("pool, tokens"), tr("carry, MB"), tr("attention-visible KV, MB")},
                     "th");
  const int shown = std::min(run.segment_count(), static_cast<int>(most_listed));
  for (int i = 0; i < shown; ++i) {
    const SegmentRecord& record = run.record(i);
    rows += row({QString::number(i), QString::number(record.first_token), QString::number(record.length),
                 record.targets > 0 ? decimal_text(record.nll_sum / static_cast<double>(record.targets), 4) : QString(),
                 decimal_text(record.seconds, 3), QString::number(run.digest(i).anchors),
                 QString::number(record.pool_entries), decimal_text(megabytes(record.memory.carry), 1),
                 decimal_text(megabytes(record.memory.attention_kv), 1)});
  }
  const QString rest =
      shown < run.segment_count() ? filled(tr("<p>The first %1 of %2.</p>\n"), shown, run.segment_count()) : QString();
  return heading(tr("Segments")) + table(rows) + rest;
}

/// The best-scoring anchors of the segment that is selected; scores compare within a head, so each head gives its best.
QString hits(LabContext& context) {
  const RunModel& run = context.run();
  const int segment = shown_segment(context);
  if (segment < 0 || run.snapshot(segment).hits.empty()) return {};
  QString rows = row({tr("layer"), tr("head"), tr("position"), tr("distance"), tr("score"), tr("text")}, "th");
  std::size_t shown = 0;
  for (const HeadHits& head : run.snapshot(segment).hits) {
    const Hit* best = nullptr;
    for (const Hit& hit : head.hits)
      if (hit.kind == HitKind::Anchor && (!best || hit.score > best->score)) best = &hit;
    if (!best || ++shown > most_listed) continue;
    rows += row({QString::number(head.layer), QString::number(head.head), QString::number(best->position),
                 QString::number(run.record(segment).first_token - best->position),
                 decimal_text(static_cast<double>(best->score), 3), text_around(run, best->position, 8, 8)});
  }
  if (shown == 0) return {};
  return heading(tr("The best anchor of each head, as segment %1 reads it").arg(segment)) + table(rows);
}

/// Returns the what-ifs of this run as their list shows them, as HTML.
QString what_ifs(LabContext& context) {
  const WhatIfs& all = context.what_ifs();
  QString rows;
  for (std::size_t i = 0; i < all.results().size(); ++i) {
    const WhatIfResult& result = all.results()[i];
    if (!all.in_run(static_cast<int>(i))) continue;
    rows += row({result.name, QString::number(result.segment), edit_text(result.edit, result.run_config),
                 signed_text(result.change.mean, 4), bound_texts(result).first, bound_texts(result).second,
                 result.prediction ? prediction_text(*result.prediction) : QString(),
                 count_text(std::ssize(result.changes)), result.tags.join(QStringLiteral(", "))});
  }
  if (rows.isEmpty()) return {};
  return heading(tr("What-ifs: change of the segment's mean loss, nats, with its 95 % interval")) +
         table(row({tr("name"), tr("segment"), tr("edit"), tr("mean Δ"), tr("CI low"), tr("CI high"),
                    tr("selected token"), tr("hits changed"), tr("tags")},
                   "th") +
               rows);
}

QString settings_text(const Question& question) {
  QStringList parts{QString::fromStdString(question.policy)};
  const nlohmann::json config = question.config;
  for (const auto& [field, value] : config.items())
    if (value.is_number() || value.is_string() || value.is_boolean())
      parts += QString::fromStdString(field + " " + (value.is_string() ? value.get<std::string>() : value.dump()));
  return parts.join(QStringLiteral(", "));
}

QString probabilities_text(const Question& question) {
  if (question.probability < 0) return {};
  const QString with = tr("“%1”: %2").arg(question.scored, probability_text(question.probability));
  return question.probability_without < 0
             ? with
             : tr("%1, without retrieval %2").arg(with, probability_text(question.probability_without));
}

/// Returns a table of the passages, with what is known of the answer without each passage.
QString passages_table(const Question& question) {
  QString rows;
  for (const AskedPassage& passage : question.passages) {
    const auto without = std::ranges::find_if(question.what_ifs, [&](const Question::WhatIf& each) {
      return std::ranges::all_of(each.without, [&](const TokenRange& range) {
        return range.first >= passage.first && range.last <= passage.end;
      });
    });
    rows +=
        row({QString::number(passage.segment), filled(QStringLiteral("%1–%2"), passage.first, passage.end - 1),
             decimal_text(static_cast<double>(passage.score), 3),
             without == question.what_ifs.end() ? QString() : probability_text(without->probability), passage.text});
  }
  if (rows.isEmpty()) return {};
  return table(row({tr("segment"), tr("positions"), tr("score"), tr("probability without it"), tr("text")}, "th") +
               rows);
}

/// All of the session's, with the run that each was asked about where it is another one.
QString questions(LabContext& context) {
  const QString shown = run_provenance(context.run());
  QString text;
  for (const Question& question : context.questions().all()) {
    QString rows = row({tr("question"), question.text}) + row({tr("answer"), question.answer});
    if (question.retrieves) rows += row({tr("answer without retrieval"), question.without_retrieval});
    if (const QString known = probabilities_text(question); !known.isEmpty()) rows += row({tr("probability"), known});
    if (question.provenance != shown) rows += row({tr("asked about"), question.run});
    rows += row({tr("settings"), settings_text(question)});
    text += table(rows) + passages_table(question);
  }
  return text.isEmpty() ? text : heading(tr("Questions")) + text;
}

QString comparison(LabContext& context) {
  const RunComparison* compared = context.comparison();
  if (compared == nullptr) return {};
  QString rows = row({tr("quantity, or setting that differs"), tr("A: this run"), tr("B: pinned"), tr("A − B")}, "th");
  for (const ComparisonRow& each : comparison_rows(*compared, {}))
    rows += row({each.name, each.a, each.b, each.change});
  return heading(tr("Comparison with run %1").arg(QString::fromStdString(compared->b().origin().id))) +
         QStringLiteral("<p>%1</p>\n").arg(text_note(*compared).toHtmlEscaped()) + table(rows);
}

/// "segment 3, layer 8, head 2, token 4097", as far as it is said.
QString place_text(const Selection& place) {
  QStringList parts;
  if (place.segment >= 0) parts += tr("segment %1").arg(place.segment);
  if (place.layer >= 0) parts += tr("layer %1").arg(place.layer);
  if (place.head >= 0) parts += tr("head %1").arg(place.head);
  if (place.token >= 0) parts += tr("token %1").arg(place.token);
  return parts.join(QStringLiteral(", "));
}

QString notes(LabContext& context) {
  const Notebook& notebook = context.notebook();
  if (notebook.is_empty()) return {};
  QString text = heading(tr("Notes"));
  for (const QString& line : notebook.text().split(u'\n', Qt::SkipEmptyParts))
    text += QStringLiteral("<p>%1</p>\n").arg(line.toHtmlEscaped());
  QString rows;
  for (const Bookmark& bookmark : notebook.bookmarks()) rows += row({bookmark.name, place_text(bookmark.place)});
  return rows.isEmpty() ? text : text + table(row({tr("bookmark"), tr("place")}, "th") + rows);
}

/// Says which run a plot is of if it is not this one; else empty.
QString source_of(const PlotView& plot, const RunModel& run) {
  constexpr qsizetype longest = 300;
  const QString& source = plot.provenance();
  if (source.isEmpty() || source.contains(run_provenance(run))) return {};
  const QString other = run_name_in(source);
  return other.isEmpty() ? source.section(u'\n', 0, 0).left(longest) : tr("Of another run: %1").arg(other);
}

QString pictures(const std::vector<PlotView*>& plots, const RunModel& run) {
  const QTemporaryDir folder;
  QString text = heading(tr("Plots"));
  for (PlotView* plot : plots) {
    const QString path = folder.filePath(plot->id() + QStringLiteral(".png"));
    plot->export_to(path, PlotView::Format::Png, picture_mm, 200);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
      throw EngineError(Fault::Io, path.toStdString(), file.errorString().toStdString(), "Free some space.");
    text += QStringLiteral("<p><img alt=\"%1\" width=\"605\" src=\"data:image/png;base64,%2\"></p>\n")
                .arg(plot->accessibleName().toHtmlEscaped(), QString::fromLatin1(file.readAll().toBase64()));
    if (const QString source = source_of(*plot, run); !source.isEmpty())
      text += QStringLiteral("<p>%1</p>\n").arg(source.toHtmlEscaped());
  }
  return text;
}

QString html(LabContext& context, const std::vector<PlotView*>& plots) {
  const RunModel& run = context.run();
  const QString title = tr("Run %1").arg(QString::fromStdString(run.origin().id));
  return QStringLiteral(
             "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>%1</title>\n<style>"
             "body { font-family: sans-serif; font-size: 10pt; color: #1c2430; max-width: 62em; margin: auto; }"
             "table { border-collapse: collapse; } td, th { border: 1px solid #dde1e7; text-align: left; }"
             "</style></head><body>\n<h1>%1</h1>\n")
             .arg(title.toHtmlEscaped()) +
         origin(run) + notes(context) + numbers(run) + comparison(context) + what_ifs(context) + questions(context) +
         pictures(plots, run) + hits(context) + segments(run) + settings(run) + QStringLiteral("</body></html>\n");
}

QByteArray pdf_bytes(const QString& html, const QString& title) {
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  {
    QPdfWriter writer(&buffer);
    writer.setTitle(title);
    writer.setCreator(QStringLiteral("Carryover"));
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(15, 15, 15, 15), QPageLayout::Millimeter);
    QTextDocument document;
    document.setHtml(html);
    document.print(&writer);
  }
  return buffer.data();
}

}  // namespace

void write_lab_report(LabContext& context, const std::vector<PlotView*>& plots, const QString& path) {
  if (context.run().segment_count() == 0)
    throw EngineError(Fault::Usage, path.toStdString(), tr("there is no run to report").toStdString(),
                      tr("Run a text, or open a run.").toStdString());
  const QString suffix = QFileInfo(path).suffix().toLower();
  if (suffix != QStringLiteral("html") && suffix != QStringLiteral("pdf"))
    throw EngineError(Fault::Usage, path.toStdString(), tr("has a suffix that is not supported").toStdString(),
                      tr("Use .html or .pdf.").toStdString());
  const QString text = html(context, plots);
  const QByteArray bytes = suffix == QStringLiteral("html")
                               ? text.toUtf8()
                               : pdf_bytes(text, tr("Run %1").arg(QString::fromStdString(context.run().origin().id)));
  write_file_atomically(path.toStdString(), {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

}  // namespace carryover
