// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFileInfo>
#include <QFontDatabase>
#include <QIcon>
#include <QTemporaryDir>
#include <QTextDocumentFragment>
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "app/cli/standard_streams.h"
#include "app/script/figure_maker.h"
#include "app/script/run_report.h"
#include "app/script/script_runner.h"
#include "app/start/application.h"
#include "app/start/language.h"
#include "app/start/platform_notes.h"
#include "app/start/platform_watch.h"
#include "app/start/shell.h"
#include "app/start/signal_watch.h"
#include "app/start/start_panel.h"
#include "app/start/startup.h"
#include "app/window/script_selection.h"
#include "engine/api/engine_library.h"
#include "engine/base/terminal_text.h"
#include "widgets/look/filled_text.h"
#include "widgets/look/icons.h"
#include "widgets/look/qt_path.h"
#include "widgets/look/screen_size.h"
#include "widgets/look/shared_folder.h"

namespace carryover {
namespace {

/// Chooses a platform before QApplication is made, which aborts where no display answers: the second platform of the
/// list needs none.
void choose_platform(int argc, char** argv) {
  const bool headless =
      std::any_of(argv + 1, argv + argc, [](const char* word) { return std::strcmp(word, "--headless") == 0; });
  if (headless) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  } else if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    qputenv("QT_QPA_PLATFORM", "xcb;offscreen");
  }
}

void say(const QString& line) {
  print((line + QLatin1Char('\n')).toStdString());
}

void quit_failing(const ErrorReport& report) {
  print_error_line(
      QStringLiteral("carryover: %1: %2\n  %3").arg(report.where, report.problem, report.advice).toStdString());
  QCoreApplication::exit(exit_code(report.fault));
}

void quit_unwritten(const QString& path) {
  print_error_line(QObject::tr("carryover: %1 can't be written").arg(path).toStdString());
  QCoreApplication::exit(5);
}

/// Takes pictures after the run, and quits.
void take_pictures(MainWindow& window, const QString& directory, bool thorough) {
  auto* report = new RunReport(window, directory, thorough, &window);
  QObject::connect(report, &RunReport::failed, &window, &quit_unwritten);
  QObject::connect(report, &RunReport::done, &window, [directory](int files) {
    say(filled(QObject::tr("%1 pictures in %2"), files, QDir(directory).absolutePath()));
    QCoreApplication::exit(0);
  });
  report->start();
}

/// The main job without a display: everything that the window would show, as files.
void write_report(MainWindow& window, const QString& directory) {
  RunController& controller = window.lab().runs;
  if (window.lab().context.run().segment_count() == 0) {
    print_error_line(QObject::tr("carryover: nothing was run; see the error above").toStdString());
    QCoreApplication::exit(1);
    return;
  }
  QObject::connect(&controller, &RunController::failed, &window,
                   [](const ErrorReport& report) { quit_unwritten(report.where); });
  QObject::connect(&controller, &RunController::saved, &window, [&window, directory] {
    select_something(window.lab().context);
    window.exports().export_plots(QDir(directory).filePath(QStringLiteral("plots")));
    take_pictures(window, QDir(directory).filePath(QStringLiteral("pictures")), /*thorough=*/false);
  });
  controller.save_run(QDir(directory).absolutePath());
}

/// Reports events on standard output, where there is no window.
void report_progress(MainWindow& window) {
  LabContext& context = window.lab().context;
  QObject::connect(&context, &LabContext::noted, &window, &say);
  QObject::connect(&context.run(), &RunModel::segments_appended, &window, [&context](int, int last) {
    const SegmentRecord& record = context.run().record(last);
    const double loss = record.targets > 0 ? record.nll_sum / static_cast<double>(record.targets) : 0.0;
    say(filled(QObject::tr("segment %1 of %2: loss %3, %4 s"), last + 1, context.run().expected_segments(),
               QString::number(loss, 'f', 4), QString::number(record.seconds, 'f', 2)));
  });
}

/// Does what the command line asks for, once the text has run and the training run, if one was named, is read.
void conclude(MainWindow& window, const WindowOptions& options) {
  TrainingRuns& training = window.lab().context.training();
  const bool waits = !options.training.isEmpty() && training.count() == 0;
  if (waits) {
    QObject::connect(
        &training, &TrainingRuns::run_changed, &window, [&window, options] { conclude(window, options); },
        Qt::ConnectionType(Qt::QueuedConnection | Qt::SingleShotConnection));
  } else if (!options.screenshots.isEmpty()) {
    take_pictures(window, options.screenshots, /*thorough=*/true);
  } else if (options.headless) {
    write_report(window, options.out);
  } else if (options.exit_after_run) {
    QCoreApplication::exit(window.lab().context.run().segment_count() > 0 ? 0 : 1);
  }
}

/// The script in place of a start-up; the window closes when it ends.
void run_script(MainWindow& window, const QString& path) {
  ScriptRunner* runner = nullptr;
  const auto problem = attempt([&] { runner = new ScriptRunner(window, read_script(path), path, &window); });
  if (problem) {
    QMetaObject::invokeMethod(
        &window, [problem] { quit_failing(*problem); }, Qt::QueuedConnection);  // exec() comes first
    return;
  }
  QObject::connect(runner, &ScriptRunner::failed, &window, &quit_failing);
  QObject::connect(runner, &ScriptRunner::finished, &window, [] { QCoreApplication::exit(0); });
  runner->start();
}

/// Returns true if a session is restored or opened; else the window is to be filled as at a first start.
bool begin_session(SessionKeeper& keeper, const WindowOptions& options) {
  const bool opens_demo = options.model.isEmpty() && options.engine.isEmpty();
  if (options.session.isEmpty())
    return keeper.begin(opens_demo && !options.fresh, opens_demo ? Startup::demo_directory() : QString());
  keeper.begin(false);
  keeper.open_session(options.session);
  return true;
}

/// Applies the command line's window size over the one that a session restores.
void keep_wanted_size(MainWindow& window, const WindowOptions& options) {
  if (!options.size) return;
  window.setWindowState(window.windowState() & ~(Qt::WindowMaximized | Qt::WindowFullScreen));
  window.resize(*options.size);
}

/// Offers the default model, until it is open.
void offer_default_model(MainWindow& window, Startup& startup, const StoryModel& files) {
  const auto& open = window.lab().loader.model();
  if (open && open->info.path == files.model.toStdString()) return window.identity().offer({}, {}, {});
  const QString name = QFileInfo(files.model).fileName().section(u'.', 0, 0);
  window.identity().offer(QObject::tr("%1 is ready: switch").arg(name),
                          QObject::tr("Opens the default model and book instead of the open ones, and runs the text"),
                          [&startup, files] { startup.open(files); });
}

/// Stories know it where it is on this machine, also where nothing is to be fetched and none of it is offered; it may
/// have come since the last look.
void look_for_default_model(MainWindow& window, Stories& stories) {
  const auto look = [&stories] {
    if (!stories.default_model().model.isEmpty()) return;
    if (const StoryModel files = Startup::default_model(); !files.model.isEmpty()) stories.set_default_model(files);
  };
  QObject::connect(&window.lab().loader, &ModelLoader::model_changed, &stories, look);
  look();
}

void connect_default_model(MainWindow& window, Startup& startup, Stories& stories) {
  look_for_default_model(window, stories);
  QObject::connect(&startup, &Startup::default_model_ready, &stories, [&](const StoryModel& files) {
    stories.set_default_model(files);
    const auto offer = [&window, &startup, files] { offer_default_model(window, startup, files); };
    QObject::connect(&window.lab().loader, &ModelLoader::model_changed, &stories, offer);
    offer();
  });
}

/// A window that opens on the demo tells its first story.
void tell_of_demo(Startup& startup, Stories& stories) {
  QObject::connect(
      &startup, &Startup::finished, &stories, [&stories] { stories.tell(Story::Retrieval); }, Qt::SingleShotConnection);
}

/// Prints the story in plain text as soon as the window shows it, so that the time of the start can be measured, and
/// quits.
void quit_after_story(MainWindow& window, const Stories& stories) {
  QObject::connect(
      &stories, &Stories::said, &window,
      [&window](const QString& told, const QString& change) {
        if (change.isEmpty()) return;  // still under way
        window.repaint();
        say(QTextDocumentFragment::fromHtml(told).toPlainText());
        QCoreApplication::exit(0);
      },
      Qt::QueuedConnection);  // behind the panel's own, and its new layout
}

/// Loads the fonts that a portable archive has. Other installations use the system's.
void load_fonts_beside() {
  const QString fonts = shared_folder(QStringLiteral("fonts"));
  if (fonts.isEmpty()) return;  // else QDir would be the current folder
  const QDir folder(fonts);
  for (const QString& file : folder.entryList({QStringLiteral("*.ttf")}, QDir::Files))
    QFontDatabase::addApplicationFont(folder.filePath(file));
}

int run_window(int argc, char** argv) {
  const bool platform_given = qEnvironmentVariableIsSet("QT_QPA_PLATFORM");
  choose_platform(argc, argv);
  std::optional<PlatformWatch> platform(kExitBadInput);
  Application application(argc, argv);
  platform.reset();
  QApplication::setApplicationName(QStringLiteral("carryover"));
  QApplication::setDesktopFileName(QStringLiteral("carryover"));  // how a desktop knows whose window it is
  WindowOptions options = parse_window_options(QApplication::arguments());
  const bool no_display = !platform_given && QApplication::platformName() == QStringLiteral("offscreen");
  options.headless = options.headless || (no_display && options.screenshots.isEmpty());
  if (!options.interactive() && !options.session.isEmpty()) {
    print_error_line(QObject::tr("carryover: a session file opens in the window only").toStdString());
    return 2;
  }
  SettingsFile settings(options.interactive() ? SettingsFile::of_user() : QString());
  const QString language = options.interactive() ? settings.values.language : QStringLiteral("en");
  install_language(application, options.language.isEmpty() ? language : options.language);
  load_resources();
  load_fonts_beside();
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/carryover.svg")));
  apply_theme(application, options.theme.value_or(settings.values.theme));

  const QTemporaryDir script_home;
  MainWindow window;
  const QSize usual = WindowOptions::usual_size;
  window.resize(options.size.value_or(options.interactive() ? size_on_screen(window, usual) : usual));
  std::unique_ptr<SessionKeeper> keeper;
  std::unique_ptr<Shell> shell;
  application.set_reporter([&](const ErrorReport& report) {
    if (!options.interactive()) return quit_failing(report);
    window.show_error(report);
    if (keeper) keeper->keep_now();
  });
  Startup startup(window.lab(), options);
  QObject::connect(&startup, &Startup::fetching, &window.meters(), &StatusMeters::show_fetching);
  QObject::connect(&startup, &Startup::finished, &window, [&] {
    QObject::disconnect(&startup, &Startup::finished, &window, nullptr);
    conclude(window, options);
  });
  if (!options.training.isEmpty()) {
    QObject::connect(&window.lab().training, &TrainController::failed, &window,
                     [](const ErrorReport& report) { say(report.where + QStringLiteral(": ") + report.problem); });
    window.lab().training.open_folder(options.training);
  }
  if (options.headless && options.script.isEmpty()) report_progress(window);
  // A signal ends the program as closing the window does, but without a question that nobody may be there to answer.
  const SignalWatch watch;
  QObject::connect(&watch, &SignalWatch::ended, &window, [&](int number) {
    if (keeper) keeper->freeze();
    QCoreApplication::exit(128 + number);
  });
  window.show();
  bool brought_back = false;
  if (!options.script.isEmpty()) {  // it may save and open session files; nothing is left of it otherwise
    keeper = std::make_unique<SessionKeeper>(window, script_home.path());
    keeper->begin(false);
  }
  if (options.interactive()) {
    keeper = std::make_unique<SessionKeeper>(window, SessionKeeper::root_of_user());
    shell = std::make_unique<Shell>(window, settings, *keeper);
    connect_default_model(window, startup, shell->start_panel().stories());
    brought_back = begin_session(*keeper, options);
    shell->offer_left_sessions();
    if (brought_back) {
      keep_wanted_size(window, options);
      startup.fetch_default_model();
    }
  }
  if (!options.script.isEmpty()) {
    if (!options.engine.isEmpty()) window.lab().engine.use(options.engine);  // its statements open models there
    run_script(window, options.script);
  } else if (!brought_back) {
    if (shell && options.model.isEmpty() && options.engine.isEmpty())
      tell_of_demo(startup, shell->start_panel().stories());
    if (shell && options.exit_after_story) quit_after_story(window, shell->start_panel().stories());
    startup.start();
  }
  return QApplication::exec();
}

}  // namespace
}  // namespace carryover

int main(int argc, char** argv) {
  carryover::prepare_standard_streams();
  carryover::prepare_engine_environment(argv);
  carryover::drop_platform_notes();
  if (argc > 1 && carryover::is_command_verb(argv[1]))
    return carryover::run_command_line(argc, argv, carryover::make_figure);
  if (const auto refused = carryover::attempt([&] { carryover::require_qt_paths({argv + 1, argv + argc}); })) {
    carryover::print_error_line(
        ("carryover: " + refused->where + ": " + refused->problem + "\n  " + refused->advice).toStdString());
    return carryover::exit_code(refused->fault);
  }
  return carryover::run_window(argc, argv);
}
