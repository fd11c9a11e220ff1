// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/script/figure_maker.h"

#include <QApplication>
#include <QFileInfo>
#include <optional>
#include <set>

#include "app/script/script_runner.h"
#include "app/window/bench_figure.h"
#include "app/window/experiment_figure.h"
#include "engine/base/error.h"
#include "engine/runs/records/run_reader.h"
#include "widgets/look/qstring.h"
#include "widgets/look/qt_path.h"
#include "widgets/look/theme.h"

namespace carryover {
namespace {

/// "SWITCH=VALUE" as the two words of `choose`.
QStringList choice(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw EngineError(Fault::Usage, "--choose", "'" + word + "' is not SWITCH=VALUE", "Such as \"Padding=off\".");
  return {qstring(word.substr(0, equals)), qstring(word.substr(equals + 1))};
}

/// Returns the folder's kind, as the script's `open` names it.
QString kind_of(const std::string& folder) {
  const auto has = [&](const char* file) { return QFileInfo::exists(qstring(folder) + QLatin1String(file)); };
  return has("/metrics.jsonl")     ? QStringLiteral("training")
         : has("/evaluation.json") ? QStringLiteral("evaluation")
                                   : QStringLiteral("run");
}

/// Returns true for plots whose data a run does not keep, or not always: its model computes them.
bool needs_model(const std::string& figure) {
  static const std::set<std::string> computed{"attention",  "attribution", "attribution_layers", "carry",
                                              "logit_lens", "prefix",      "prefix_scores",      "prefix_slots"};
  return computed.contains(figure);
}

/// Adds the statements that open the model as the run's model was opened.
template <typename Say>
void open_model(const ModelInfo& model, const Say& say) {
  say(QStringList{QStringLiteral("set"), QStringLiteral("dtype"), QString::fromUtf8(dtype_name(model.dtype).data())});
  QStringList words{QStringLiteral("open"), QStringLiteral("model"), qstring(model.path)};
  if (!model.adapter.empty()) words += qstring(model.adapter);
  say(words);
}

}  // namespace

std::vector<Statement> figure_script(const FigureRequest& request) {
  std::vector<Statement> script;
  const auto say = [&](const QStringList& words) { script.push_back({0, words}); };
  const QString kind = kind_of(request.folder);
  const bool is_run = kind == QStringLiteral("run");
  bool computed = false;
  if (is_run && (needs_model(request.figure) || !request.foil.empty())) {
    const ModelInfo model = reopen_run(request.folder).description.model;
    computed = !request.foil.empty() || QFileInfo::exists(qstring(model.path));  // else what the run keeps may do
    if (computed) open_model(model, say);
  }
  say({QStringLiteral("open"), kind, qstring(request.folder)});
  QStringList selection{QStringLiteral("select")};
  for (const auto& [what, value] : {std::pair("segment", request.segment),
                                    {"layer", request.layer},
                                    {"head", request.head},
                                    {"token", request.token}})
    if (value) selection += {QLatin1String(what), QString::number(*value)};
  if (is_run) say(selection);  // without more, something that has hits
  if (request.figure.empty() && kind == QStringLiteral("evaluation"))
    throw EngineError(Fault::Usage, "--report", "is of a run, and this is an evaluation",
                      "`carryover eval --render` has its table.");
  if (request.figure.empty()) {
    say({QStringLiteral("export"), QStringLiteral("report"), qstring(request.output)});
    return script;
  }
  if (!request.foil.empty()) say({QStringLiteral("foil"), qstring(request.foil)});
  const QString figure = qstring(request.figure);
  say({QStringLiteral("show"), figure});  // its cells are made for the pixels that it has
  for (const std::string& word : request.choices) say(QStringList{QStringLiteral("choose"), figure} + choice(word));
  if (computed) say({QStringLiteral("wait")});  // for the engine's answer
  if (!request.view.empty()) {
    QStringList words{QStringLiteral("zoom"), figure};
    for (const double edge : request.view) words += QString::number(edge, 'g', 12);
    say(words);
  }
  say({QStringLiteral("export"), QStringLiteral("figure"), figure, qstring(request.output), QStringLiteral("size"),
       qstring(request.size), QStringLiteral("style"), qstring(request.style), QStringLiteral("dpi"),
       QString::number(request.dpi)});
  return script;
}

void make_figure(const FigureRequest& request) {
  require_qt_paths({request.folder, request.output});
  qputenv("QT_QPA_PLATFORM", "offscreen");
  static char name[] = "carryover";
  char* arguments[] = {name, nullptr};
  int count = 1;
  QApplication application(count, arguments);
  apply_theme(application, ThemeKind::Light);
  if (is_bench_folder(request.folder)) return make_bench_figure(request);
  if (is_experiment(request.folder)) return make_experiment_figure(request);
  MainWindow window;
  window.resize(1280, 800);
  window.show();
  std::optional<ErrorReport> problem;
  ScriptRunner runner(window, figure_script(request), {});
  QObject::connect(&runner, &ScriptRunner::finished, &application, &QCoreApplication::quit);
  QObject::connect(&runner, &ScriptRunner::failed, &application, [&](const ErrorReport& report) {
    problem = report;
    QCoreApplication::quit();
  });
  runner.start();
  QApplication::exec();
  if (problem)
    throw EngineError(problem->fault, problem->where.toStdString(), problem->problem.toStdString(),
                      problem->advice.toStdString());
}

}  // namespace carryover
