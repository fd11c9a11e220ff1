// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/window_options.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDateTime>
#include <cstdlib>
#include <utility>

#include "engine/base/terminal_text.h"

namespace carryover {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("carryover", text);
}

[[noreturn]] void refuse(const QString& problem) {
  print_error_line(("carryover: " + problem).toStdString() + "\nSee carryover --help.");
  std::exit(2);
}

QSize parse_size(const QString& text) {
  const QStringList parts = text.split(u'x');
  const QSize size = parts.size() == 2 ? QSize(parts[0].toInt(), parts[1].toInt()) : QSize();
  if (size.width() < 640 || size.height() < 480)
    refuse(tr("--size takes WIDTHxHEIGHT of at least 640x480, such as 1280x800"));
  return size;
}

std::int64_t parse_tokens(const QString& text) {
  bool ok = false;
  const std::int64_t tokens = text.toLongLong(&ok);
  if (!ok || tokens < 0) refuse(tr("--tokens takes a number of tokens; 0 runs the whole text"));
  return tokens;
}

void refuse_empty_paths(const QCommandLineParser& parser, std::initializer_list<const QCommandLineOption*> options) {
  for (const QCommandLineOption* option : options)
    if (parser.isSet(*option) && parser.value(*option).isEmpty())
      refuse(tr("--%1 names no file or folder").arg(option->names().constFirst()));
  if (parser.positionalArguments().contains(QString())) refuse(tr("an empty argument names no model or text"));
}

}  // namespace

WindowOptions parse_window_options(const QStringList& arguments) {
  QCommandLineParser parser;
  parser.addPositionalArgument(QStringLiteral("model"), tr("Model folder, GGUF file, or session file"),
                               QStringLiteral("[MODEL"));
  parser.addPositionalArgument(QStringLiteral("text"), tr("UTF-8 text"), QStringLiteral("[TEXT]]"));
  const QCommandLineOption no_fetch(QStringLiteral("no-fetch"),
                                    tr("Stay with the demo; fetch no default model or book"));
  const QCommandLineOption tokens(QStringLiteral("tokens"), tr("Run the first N tokens; 0: all"), QStringLiteral("N"));
  const QCommandLineOption theme(QStringLiteral("theme"), tr("light or dark"), QStringLiteral("THEME"));
  const QCommandLineOption language(QStringLiteral("language"), tr("system, en or de"), QStringLiteral("LANGUAGE"));
  const QCommandLineOption fresh(QStringLiteral("fresh"), tr("Do not bring back what the last window showed"));
  const QCommandLineOption size(QStringLiteral("size"), tr("Size of the window"), QStringLiteral("WxH"));
  const QCommandLineOption training(QStringLiteral("training"), tr("Also open the folder of a training run"),
                                    QStringLiteral("DIR"));
  const QCommandLineOption screenshots(QStringLiteral("screenshots"),
                                       tr("Run, save pictures of each view to DIR, quit"), QStringLiteral("DIR"));
  const QCommandLineOption exit_after_run(QStringLiteral("exit-after-run"), tr("Quit when the run ends"));
  const QCommandLineOption exit_after_story(QStringLiteral("exit-after-story"),
                                            tr("Open the demo; print its first story once it is painted, and quit"));
  const QCommandLineOption headless(QStringLiteral("headless"), tr("No window: run, write data and pictures, quit"));
  const QCommandLineOption adapter(QStringLiteral("adapter"), tr("PEFT adapter to merge into the model"),
                                   QStringLiteral("DIR"));
  const QCommandLineOption engine(QStringLiteral("engine"),
                                  tr("Command that starts a remote engine: \"ssh HOST carryover-cli engine\""),
                                  QStringLiteral("COMMAND"));
  const QCommandLineOption script(QStringLiteral("script"), tr("Run a script in the window, quit at its end"),
                                  QStringLiteral("FILE"));
  const QCommandLineOption out(QStringLiteral("out"), tr("Run folder of --headless"), QStringLiteral("DIR"));
  parser.addOptions({no_fetch, fresh, tokens, theme, language, size, training, screenshots, exit_after_run,
                     exit_after_story, headless, out, adapter, engine, script});
  if (!parser.parse(arguments)) refuse(parser.errorText());
  refuse_empty_paths(parser, {&training, &screenshots, &out, &adapter, &script});
  if (parser.positionalArguments().size() > 2) refuse(tr("at most a model and a text can be given"));
  if (parser.isSet(script) && !parser.positionalArguments().isEmpty())
    refuse(tr("--script opens what it needs itself: leave out the model and the text"));
  if (parser.isSet(exit_after_story) && (!parser.positionalArguments().isEmpty() || parser.isSet(script)))
    refuse(tr("--exit-after-story opens the demo: leave out model, text and script"));
  const QString theme_name = parser.value(theme);
  if (parser.isSet(theme) && theme_name != QStringLiteral("light") && theme_name != QStringLiteral("dark"))
    refuse(tr("--theme takes light or dark"));
  const QStringList language_ids = {QString(), QStringLiteral("system"), QStringLiteral("en"), QStringLiteral("de")};
  if (!language_ids.contains(parser.value(language))) refuse(tr("--language takes system, en or de"));

  WindowOptions options;
  options.model = parser.positionalArguments().value(0);
  options.text = parser.positionalArguments().value(1);
  if (options.model.endsWith(QStringLiteral(".carryover"))) options.session = std::exchange(options.model, QString());
  options.adapter = parser.value(adapter);
  options.engine = parser.value(engine);
  options.fetch =
      !parser.isSet(no_fetch) && options.model.isEmpty() && options.session.isEmpty() && options.engine.isEmpty();
  options.headless = parser.isSet(headless);
  options.exit_after_run = parser.isSet(exit_after_run);
  options.exit_after_story = parser.isSet(exit_after_story);
  if (parser.isSet(theme)) options.theme = theme_name == QStringLiteral("dark") ? ThemeKind::Dark : ThemeKind::Light;
  options.language = parser.value(language);
  options.fresh = parser.isSet(fresh) || options.exit_after_story;
  if (parser.isSet(size)) options.size = parse_size(parser.value(size));
  if (parser.isSet(tokens)) options.tokens = parse_tokens(parser.value(tokens));
  if (parser.isSet(engine) && options.engine.trimmed().isEmpty()) refuse(tr("--engine takes a command"));
  const bool unattended = options.headless || options.exit_after_run || parser.isSet(screenshots);
  if (parser.isSet(engine) && unattended && options.model.isEmpty())
    refuse(tr("with --engine, name the model by its path on the engine's machine"));
  options.script = parser.value(script);
  options.training = parser.value(training);
  options.screenshots = parser.value(screenshots);
  options.out = parser.isSet(out)
                    ? parser.value(out)
                    : QDateTime::currentDateTime().toString(QStringLiteral("'carryover-run-'yyyyMMdd-HHmmss"));
  return options;
}

}  // namespace carryover
