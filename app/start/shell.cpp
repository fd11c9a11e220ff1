// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/start/shell.h"

#include <QAction>
#include <QApplication>
#include <QCloseEvent>
#include <QDropEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStorageInfo>
#include <utility>

#include "app/saved_window/session_summary.h"
#include "app/start/guide.h"
#include "app/start/language.h"
#include "app/start/layouts.h"
#include "app/start/palette_commands.h"
#include "app/start/session_history.h"
#include "app/start/start_panel.h"
#include "app/start/startup.h"
#include "app/window/bench_dialog.h"
#include "app/window/message_bar.h"
#include "engine/base/error.h"
#include "widgets/campaigns/experiments_panel.h"
#include "widgets/controls/command_palette.h"
#include "widgets/look/icons.h"
#include "widgets/look/quantity_text.h"
#include "widgets/look/shown_name.h"
#include "widgets/runs/state/model_label.h"
#include "widgets/text/notes_panel.h"
#include "widgets/training/finetune_dialog.h"

namespace carryover {
namespace {

bool is_drag_of_files(const QEvent& event) {
  if (event.type() != QEvent::DragEnter && event.type() != QEvent::DragMove && event.type() != QEvent::Drop)
    return false;
  return static_cast<const QDropEvent&>(event).mimeData()->hasUrls();
}

}  // namespace

Shell::Shell(MainWindow& window, SettingsFile& settings, SessionKeeper& keeper, QObject* parent)
    : QObject(parent),
      window_(window),
      settings_(settings),
      keeper_(keeper),
      consent_(window, settings),
      start_(new StartPanel(window.lab(), window.docks().panel("text"), Startup::demo())) {
  connect(&window.lab().context, &LabContext::written, &window.message_bar(), &MessageBar::show_written);
  if (!settings.problem().isEmpty()) window.lab().context.add_note(settings.problem(), true);
  build_menus();
  remember_files();
  keep_run_limit();
  window.installEventFilter(this);
  take_drops();
  connect(&window, &MainWindow::session_wanted, &keeper, &SessionKeeper::open_session);
  keeper.set_ask_engine([this](const QString& command, const auto& answer) { consent_.ask(command, answer); });
  connect(&keeper, &SessionKeeper::engine_declined, this, &Shell::tell_of_declined_engine);
  for (const auto signal : {&SessionKeeper::session_opened, &SessionKeeper::session_saved})
    connect(&keeper, signal, this, [this] {
      update_title();
      window_.setWindowModified(keeper_.has_unsaved_work());
    });
  connect(&keeper, &SessionKeeper::kept, &window, &QWidget::setWindowModified);
  connect(&window.lab().loader, &ModelLoader::model_changed, this, &Shell::update_title);
  connect(&window.lab().loader, &ModelLoader::text_opened, this, &Shell::update_title);
  update_title();
  connect(&keeper, &SessionKeeper::failed, &window, &MainWindow::show_error);
  // A window that was to be saved and closed stays where the file can't be written: nobody would read why.
  connect(&keeper, &SessionKeeper::failed, this, [this] { closes_when_saved_ = false; });
  connect(&keeper, &SessionKeeper::session_saved, this, [this] {
    if (std::exchange(closes_when_saved_, false)) close_for_good();
  });
  connect(&keeper, &SessionKeeper::keeping_changed, this, &Shell::tell_of_keeping);
  // A save that works settles the message of an earlier one that did not.
  connect(&keeper, &SessionKeeper::session_saved, &window.message_bar(), &MessageBar::settle);
  connect(&keeper, &SessionKeeper::session_saved, &window.lab().context, &LabContext::add_written);
}

QAction* Shell::add(QMenu* menu, const QString& text, const QKeySequence& key, std::function<void()> slot) {
  QAction* action = menu->addAction(text);
  action->setShortcut(key);
  window_.addAction(action);  // so that its key works while the menu is closed
  connect(action, &QAction::triggered, this, std::move(slot));
  return action;
}

/// A menu that is filled when it is opened.
QMenu* Shell::add_filled_menu(QMenu* menu, const QString& title, std::function<void(QMenu&)> fill) {
  QMenu* sub = menu->addMenu(title);
  sub->setObjectName(no_commands_name);
  connect(sub, &QMenu::aboutToShow, this, [sub, fill = std::move(fill)] {
    sub->clear();
    fill(*sub);
    if (sub->isEmpty()) sub->addAction(tr("none"))->setEnabled(false);
  });
  return sub;
}

/// Adds to the window's menu bar what only somebody's own window has.
void Shell::build_menus() {
  LabMenus& menus = window_.menus();
  auto* sessions = new QMenu(menus.file());  // its entries move into the menu, before the last ones
  add_sessions(sessions);
  add_recent(sessions);
  menus.file()->insertSeparator(menus.end_of_file());
  menus.file()->insertActions(menus.end_of_file(), sessions->actions());
  menus.edit()->addSeparator();
  add(menus.edit(), tr("Bookmark the selection"), QKeySequence(tr("Ctrl+D")),
      [this] { window_.docks().find<NotesPanel>().add_bookmark(); });
  add(menus.edit(), tr("Command palette…"), QKeySequence(tr("Ctrl+Shift+P")), [this] { open_palette(); });
  add_layouts(menus.view());
  add_languages(menus.view());
  QMenu* help = menus.help();
  add(help, tr("Guide"), QKeySequence(QKeySequence::HelpContents), [this] {
    open_guide();
  })->setShortcutContext(Qt::ApplicationShortcut);
  add_questions(help);
  help->addSeparator();
  add(help, tr("About Carryover"), {}, [this] { window_.dialogs().show_about(); });
}

/// Model, text and session, and a mark where the session file lacks something.
void Shell::update_title() {
  const Lab& lab = window_.lab();
  QStringList parts;
  if (lab.loader.model()) parts += title_text(model_name(lab.loader.model()->info));
  if (lab.loader.text()) parts += title_text(QFileInfo(lab.loader.text()->name).fileName());
  const QString& session = keeper_.session_file();
  parts +=
      (session.isEmpty() ? tr("Carryover") : title_text(QFileInfo(session).completeBaseName())) + QStringLiteral("[*]");
  window_.setWindowTitle(parts.join(QStringLiteral(" — ")));
}

void Shell::add_sessions(QMenu* menu) {
  add(menu, tr("Open session…"), QKeySequence(tr("Ctrl+Shift+O")), [this] { open_session(); });
  add(menu, tr("Save session"), QKeySequence::Save, [this] { save_session(false); });
  add(menu, tr("Save session as…"), QKeySequence(tr("Ctrl+Shift+S")), [this] { save_session(true); });
  add(menu, tr("Session history…"), {}, [this] { open_history(); });
}

void Shell::open_history() {
  if (history_) return history_->raise();
  history_ = new SessionHistory(keeper_, &window_);
  history_->setAttribute(Qt::WA_DeleteOnClose);
  history_->open();
}

SessionHistory* Shell::history() const {
  return history_;
}

void Shell::offer_left_sessions() {
  constexpr std::int64_t much_of_a_disk = 5'000'000'000;
  QStringList crashed;
  std::int64_t bytes = 0;
  for (const QString& folder : keeper_.earlier().folders()) {
    const SessionSummary session = summary_of(folder);
    bytes += session.bytes;
    if (session.crashed) crashed += QStringLiteral("%1 (%2)").arg(session.name, session.contents);
  }
  const auto offer = [this](const QString& headline, const QString& details) {
    window_.message_bar().put_notice(QStringLiteral("sessions"), headline, details, tr("Show sessions"),
                                     [this] { open_history(); });
    window_.lab().context.add_note(headline);
  };
  if (!crashed.isEmpty())
    offer(tr("Windows that did not close by themselves left sessions: %1").arg(crashed.size()),
          crashed.mid(0, 5).join(u'\n'));
  else if (bytes >= much_of_a_disk)
    offer(tr("Earlier sessions take %1 on the disk").arg(bytes_text(bytes)), tr("Delete those that you don't need."));
}

void Shell::tell_of_keeping() {
  const auto& problem = keeper_.keeping_problem();
  const QString name = QStringLiteral("keeping");
  if (!problem) {
    window_.message_bar().withdraw_notice(name);
    return window_.lab().context.add_note(tr("The window's work is kept on the disk again"));
  }
  const QString headline = tr("The work in this window can't be kept: %1").arg(problem->problem);
  const QString folder = QFileInfo(problem->where).absolutePath();
  const QString free = bytes_text(std::max<qint64>(0, QStorageInfo(folder).bytesAvailable()));
  const QString details = tr("It stays on show, and the window tries again every few seconds. %1 In %2, %3 are free.")
                              .arg(problem->advice, folder, free);
  window_.message_bar().put_notice(name, headline, details, tr("Save session as…"), [this] { ask_session_name(); });
  window_.lab().context.add_note(headline, true);
}

/// Asks before the window closes, because work that could not be written goes with it.
void Shell::ask_whether_to_lose_work() {
  auto* box = new QMessageBox(QMessageBox::Warning, tr("The session can't be kept"),
                              tr("%1: %2. Closing the window now loses what could not be written.")
                                  .arg(keeper_.keeping_problem()->where, keeper_.keeping_problem()->problem),
                              QMessageBox::Cancel, &window_);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  QPushButton* elsewhere = box->addButton(tr("Save as…"), QMessageBox::AcceptRole);
  QPushButton* close = box->addButton(tr("Close anyway"), QMessageBox::DestructiveRole);
  box->setDefaultButton(QMessageBox::Cancel);
  connect(elsewhere, &QPushButton::clicked, this, &Shell::ask_session_name);
  connect(close, &QPushButton::clicked, this, &Shell::close_for_good);
  box->open();
}

void Shell::add_recent(QMenu* menu) {
  const auto recent = [this, menu](const QString& title, const QStringList Settings::*list) {
    add_filled_menu(menu, title, [this, list](QMenu& sub) {
      for (const QString& path : settings_.values.*list) {
        QAction* action = sub.addAction(action_text(path));
        action->setEnabled(QFileInfo::exists(path));
        connect(action, &QAction::triggered, this, [this, path] { window_.open_path(path); });
      }
    });
  };
  add_filled_menu(menu, tr("Recent models"), [this](QMenu& sub) {
    for (const RecentModel& model : settings_.values.models) {
      QAction* action = sub.addAction(action_text(model.text()));
      action->setEnabled(model.is_there());
      connect(action, &QAction::triggered, this, [this, model] { open_recent(model); });
    }
  });
  recent(tr("Recent texts"), &Settings::texts);
  recent(tr("Recent sessions"), &Settings::sessions);
}

void Shell::open_recent(const RecentModel& model) {
  window_.lab().loader.open_model(model.path, model.adapter);
  window_.lab().runs.run_when_ready();
}

void Shell::add_layouts(QMenu* menu) {
  QMenu* layouts = menu->addMenu(tr("Layout"));
  int key = Qt::Key_1;
  for (const LayoutPreset& preset : layout_presets())
    add(layouts, tr("Layout: %1").arg(preset.title), QKeySequence(Qt::CTRL | Qt::Key(key++)),
        [this, id = preset.id] { apply_layout(window_.docks(), id); });
  layouts->addSeparator();
  add(layouts, tr("Save layout…"), {}, [this] { ask_layout_name(); });
  add_filled_menu(layouts, tr("Custom layouts"), [this](QMenu& sub) {
    for (const auto& [name, state] : settings_.values.layouts)
      connect(sub.addAction(action_text(name)), &QAction::triggered, this,
              [this, name = name] { apply_own_layout(name); });
  });
}

void Shell::add_languages(QMenu* menu) {
  add_filled_menu(menu, tr("Language"), [this](QMenu& sub) {
    for (const Language& language : languages()) {
      QAction* action = sub.addAction(language.name);
      action->setCheckable(true);
      action->setChecked(settings_.values.language == language.id);
      connect(action, &QAction::triggered, this, [this, id = language.id] { set_language(id); });
    }
  });
}

void Shell::add_questions(QMenu* menu) {
  QAction* shown = menu->addAction(tr("Getting started"));
  shown->setCheckable(true);
  shown->setChecked(settings_.values.start_panel);
  start_->setVisible(settings_.values.start_panel);
  connect(start_, &StartPanel::panel_wanted, this, [this](const QString& id) { window_.docks().raise(id); });
  connect(start_, &StartPanel::dismissed, shown, [shown] { shown->setChecked(false); });
  connect(shown, &QAction::toggled, this, [this](bool on) {
    start_->setVisible(on);
    settings_.values.start_panel = on;
    save_settings();
  });
}

void Shell::set_language(const QString& language) {
  settings_.values.language = language;
  save_settings();
  const QString notice = QStringLiteral("language");
  if (language == started_in_) return window_.message_bar().withdraw_notice(notice);
  window_.message_bar().put_notice(notice, tr("The language changes when the program is next started"),
                                   tr("The session is kept and comes back."), tr("Quit now"),
                                   [this] { window_.close(); });
}

void Shell::save_settings() {
  try {
    settings_.save();
  } catch (const EngineError& error) {
    window_.lab().context.add_note(tr("The settings can't be saved: %1").arg(QString::fromUtf8(error.what())), true);
  }
}

void Shell::remember_files() {
  Lab& lab = window_.lab();
  const auto absolute = [](const QString& path) { return QFileInfo(path).absoluteFilePath(); };
  const auto remember = [this, absolute](QStringList& list, const QString& path) {
    remember_recent(list, absolute(path));
    save_settings();
  };
  connect(&lab.loader, &ModelLoader::model_changed, this, [this, absolute, &lab] {
    if (!lab.loader.model() || !lab.engine.command().isEmpty()) return;  // none, or one of another machine
    const ModelInfo& open = lab.loader.model()->info;
    const QString adapter = QString::fromStdString(open.adapter);
    remember_recent(settings_.values.models,
                    {absolute(QString::fromStdString(open.path)), adapter.isEmpty() ? adapter : absolute(adapter)});
    save_settings();
  });
  connect(&lab.loader, &ModelLoader::text_opened, this, [this, remember, &lab] {
    if (!lab.loader.text()->contents) remember(settings_.values.texts, lab.loader.text()->name);
  });
  auto* experiments = &window_.docks().find<ExperimentsPanel>();
  experiments->set_recent(settings_.values.experiments);
  connect(&lab.experiments, &ExperimentController::opened, this, [this, remember, experiments](const QString& folder) {
    remember(settings_.values.experiments, folder);
    experiments->set_recent(settings_.values.experiments);
  });
  for (const auto signal : {&SessionKeeper::session_opened, &SessionKeeper::session_saved})
    connect(&keeper_, signal, this, [this, remember](const QString& path) {
      if (!path.isEmpty()) remember(settings_.values.sessions, path);
    });
}

void Shell::keep_run_limit() {
  RunLibrary& library = window_.lab().context.library();
  library.set_limit(settings_.values.run_limit);
  connect(&library, &RunLibrary::limit_changed, this, [this, &library] {
    settings_.values.run_limit = library.limit();
    save_settings();
  });
}

void Shell::open_session() {
  const QString path =
      QFileDialog::getOpenFileName(&window_, tr("Open a session"), {}, tr("Sessions (*.%1)").arg(session_suffix));
  if (!path.isEmpty()) keeper_.open_session(path);
}

void Shell::save_session(bool ask_for_name) {
  const QString path = keeper_.session_file();
  if (path.isEmpty() || ask_for_name) return ask_session_name();
  if (keeper_.file_is_anothers()) return ask_whether_to_replace(path);
  keeper_.save_session(path);
}

void Shell::ask_session_name() {
  QStringList names{keeper_.session_file(), keeper_.former_file(), QStringLiteral("study.") + session_suffix};
  names.removeAll(QString());
  auto* dialog = new QFileDialog(&window_, tr("Save the session"), {}, tr("Sessions (*.%1)").arg(session_suffix));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(session_suffix);  // before it asks about a file that is there already
  dialog->selectFile(names.front());
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    if (QFileInfo(path).suffix() == session_suffix) return keeper_.save_session(path);
    const QString named = path + u'.' + session_suffix;
    QFileInfo::exists(named) ? ask_whether_to_replace(named) : keeper_.save_session(named);
  });
  dialog->open();
}

void Shell::ask_whether_to_replace(const QString& path) {
  auto* box = new QMessageBox(QMessageBox::Warning, tr("The file holds another session"),
                              tr("%1 has been saved by another session, or in another window. Overwriting it deletes "
                                 "the runs that only that session has.")
                                  .arg(path),
                              QMessageBox::Cancel, &window_);
  box->setAttribute(Qt::WA_DeleteOnClose);
  QPushButton* elsewhere = box->addButton(tr("Save as…"), QMessageBox::AcceptRole);
  QPushButton* replace = box->addButton(tr("Overwrite"), QMessageBox::DestructiveRole);
  box->setDefaultButton(elsewhere);
  connect(elsewhere, &QPushButton::clicked, this, &Shell::ask_session_name);
  connect(replace, &QPushButton::clicked, this, [this, path] { keeper_.save_session(path); });
  box->open();
}

void Shell::tell_of_declined_engine(const QString& command) {
  window_.show_error({Fault::Usage, tr("session"),
                      tr("its engine was not started: %1").arg(EngineConsent::shown(command)),
                      tr("Its model is on that engine's machine. Start the engine, or open a model on this machine.")});
  window_.message_bar().offer(tr("Look at the command"), [this, command] {
    consent_.ask_again(command, [this](bool start) {
      if (start) keeper_.start_declined_engine();
    });
  });
}

void Shell::ask_layout_name() {
  auto* dialog = new QInputDialog(&window_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Save layout"));
  dialog->setLabelText(tr("Name of the layout"));
  connect(dialog, &QInputDialog::textValueSelected, this, &Shell::save_layout);
  dialog->open();
}

void Shell::save_layout(const QString& name) {
  if (name.trimmed().isEmpty()) return;
  settings_.values.layouts[name.trimmed()] = window_.saveState();
  save_settings();
}

void Shell::apply_own_layout(const QString& name) {
  const auto found = settings_.values.layouts.find(name);
  if (found != settings_.values.layouts.end()) window_.restore_layout(found->second);
}

std::vector<Command> Shell::commands() {
  std::vector<Command> all = window_commands(window_);
  const auto open = [&](const QString& title, const QStringList& paths) {
    for (const QString& path : paths)
      if (QFileInfo::exists(path)) all.push_back({title.arg(path), {}, [this, path] { window_.open_path(path); }});
  };
  for (const RecentModel& model : settings_.values.models)
    if (model.is_there())
      all.push_back({tr("Open recent model: %1").arg(model.text()), {}, [this, model] { open_recent(model); }});
  open(tr("Open recent text: %1"), settings_.values.texts);
  open(tr("Open recent session: %1"), settings_.values.sessions);
  for (const auto& [name, state] : settings_.values.layouts)
    all.push_back({tr("Layout: %1").arg(name), {}, [this, name = name] { apply_own_layout(name); }});
  for (const Language& language : languages())
    all.push_back({tr("Language: %1").arg(language.name), {}, [this, id = language.id] { set_language(id); }});
  for (int i = 0; i < static_cast<int>(guide_sections().size()); ++i)
    all.push_back({tr("Guide: %1").arg(guide_sections()[static_cast<std::size_t>(i)].title), {}, [this, i] {
                     open_guide();
                     guide_->show_section(i);
                   }});
  return all;
}

void Shell::open_palette() {
  (new CommandPalette(
       commands(), [this](const QString& query) { return commands_of_query(window_.lab().context, query); }, &window_))
      ->open();
}

QString Shell::where_focus_is() const {
  for (QWidget* widget = QApplication::focusWidget(); widget != nullptr; widget = widget->parentWidget()) {
    if (qobject_cast<Panel*>(widget) != nullptr) return widget->objectName();
    if (qobject_cast<FinetuneDialog*>(widget) != nullptr) return QStringLiteral("training");
    if (qobject_cast<BenchDialog*>(widget) != nullptr) return QStringLiteral("Measuring in the window");
  }
  return {};
}

GuideWindow* Shell::guide() const {
  return guide_;
}

void Shell::open_guide() {
  const int section = guide_section_of(where_focus_is());
  if (!guide_) {
    guide_ = new GuideWindow(&window_);
    guide_->setAttribute(Qt::WA_DeleteOnClose);
  }
  guide_->show_section(section);
}

/// Returns true if no process of this window runs for `work`. Otherwise it asks whether to stop the process, because it
/// stops when the window closes.
template <typename Controller>
bool Shell::may_stop(Controller& work, const QString& title) {
  if (!work.process().running()) return true;
  if (stop_question_) {
    stop_question_->raise();
    return false;
  }
  auto* box = new QMessageBox(QMessageBox::Question, title,
                              tr("Closing the window stops it. What is done is kept, and Continue resumes it."),
                              QMessageBox::NoButton, &window_);
  stop_question_ = box;
  box->setAttribute(Qt::WA_DeleteOnClose);
  QPushButton* stop = box->addButton(tr("Stop and close"), QMessageBox::DestructiveRole);
  box->setDefaultButton(box->addButton(tr("Keep it running"), QMessageBox::RejectRole));
  connect(&work, &Controller::ended, box, &QObject::deleteLater);  // there is nothing to ask any more
  connect(stop, &QPushButton::clicked, this, [this, &work] {
    connect(&work, &Controller::ended, &window_, &QWidget::close,
            static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
    work.stop();
  });
  box->open();
  return false;
}

void Shell::close_for_good() {
  closing_ = true;
  window_.close();
}

// Returns true if the window may close. It asks only about changes that a session file would miss, and about processes;
// everything else is kept without asking.
bool Shell::may_close() {
  if (closes_when_saved_) return false;
  Lab& lab = window_.lab();
  if (!may_stop(lab.experiments, tr("An experiment is running")) ||
      !may_stop(lab.evaluations, tr("An evaluation is running")))
    return false;
  if (!closing_ && keeper_.has_unkept_work()) {
    ask_whether_to_lose_work();
    return false;
  }
  if (closing_ || !keeper_.has_unsaved_work()) return true;
  auto* box = new QMessageBox(QMessageBox::Question, tr("Unsaved session"),
                              tr("%1 has changes that are not saved.").arg(keeper_.session_file()),
                              QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, &window_);
  box->setAttribute(Qt::WA_DeleteOnClose);
  connect(box, &QMessageBox::finished, this, [this](int answer) {
    if (answer == QMessageBox::Cancel) return;
    if (answer == QMessageBox::Save && keeper_.file_is_anothers()) return save_session(false);  // asks what to do
    if (answer == QMessageBox::Discard) return close_for_good();
    closes_when_saved_ = true;
    keeper_.save_session(keeper_.session_file());
  });
  box->open();
  return false;
}

// Files are opened wherever they are dropped; a field that takes dropped text continues to take that.
void Shell::take_drops() {
  for (QWidget* widget : window_.findChildren<QWidget*>())
    if (widget->acceptDrops()) widget->installEventFilter(this);
}

bool Shell::eventFilter(QObject* watched, QEvent* event) {
  if (watched != &window_ && is_drag_of_files(*event))  // not by sendEvent, which would bring a drop back to its target
    return static_cast<QObject&>(window_).event(event);
  if (watched == &window_ && event->type() == QEvent::PaletteChange) {
    settings_.values.theme = current_theme().kind;
    save_settings();
  }
  if (watched != &window_ || event->type() != QEvent::Close) return QObject::eventFilter(watched, event);
  if (!may_close()) {
    event->ignore();
    return true;
  }
  keeper_.freeze();
  return false;
}

}  // namespace carryover
