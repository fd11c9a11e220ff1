// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/engine_consent.h"

#include "app/saved_window/engine_question.h"
#include "engine/base/error.h"
#include "engine/remote/command_words.h"

namespace carryover {
namespace {

/// Returns the command's words; empty where the line is no command that could be started.
EngineCommand words_of(const QString& command) {
  try {
    return command_words(command.toStdString());
  } catch (const EngineError&) {
    return {};
  }
}

}  // namespace

EngineConsent::EngineConsent(MainWindow& window, SettingsFile& settings, QObject* parent)
    : QObject(parent), window_(window), settings_(settings) {
  connect(&window.lab().engine, &EngineConnection::changed, this,
          [this] { remember(words_of(window_.lab().engine.command()), true); });
}

QString EngineConsent::shown(const QString& command) {
  const EngineCommand words = words_of(command);
  return visible_command(words.empty() ? EngineCommand{command.toStdString()} : words);
}

void EngineConsent::ask(const QString& command, const std::function<void(bool)>& answer) {
  const auto known = settings_.values.engines.find(words_of(command));
  if (known != settings_.values.engines.end()) return answer(known->second);
  ask_again(command, answer);
}

void EngineConsent::ask_again(const QString& command, const std::function<void(bool)>& answer) {
  const EngineCommand words = words_of(command);
  if (words.empty()) return answer(false);
  auto* question = new EngineQuestion(words, &window_);
  question->setAttribute(Qt::WA_DeleteOnClose);
  connect(question, &QDialog::finished, this, [this, question, words, answer] {
    if (const auto said = question->answer()) remember(words, *said);
    answer(question->answer().value_or(false));
  });
  question->open();
}

void EngineConsent::remember(const EngineCommand& words, bool start) {
  if (words.empty()) return;
  settings_.values.engines[words] = start;
  if (const auto problem = attempt([this] { settings_.save(); })) window_.show_error(*problem);
}

}  // namespace carryover
