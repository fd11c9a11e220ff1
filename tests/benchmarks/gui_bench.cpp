// SPDX-License-Identifier: GPL-3.0-or-later
// Measures what the window and the engine cost each other.
//   gui_bench MODEL TEXT SECONDS
// How late the window's event loop is while the engine runs beside it, against the same window with the engine idle: a
// precise timer beats every 5 ms, and what is measured is how much later than that each beat comes.
//   gui_bench --speed MODEL TEXT TOKENS
// The engine's speed in a window in its default layout, and the share of a core that the window's thread takes.
//   gui_bench --sources MODEL TEXT TOKENS
// How long a click on a token takes until the text is coloured by its sources: where the segment has to be run again
// for it, and where the answer is kept.
//   gui_bench --headless MODEL TEXT TOKENS
// The same without a window. Model, dtype and threads are those that the window takes. JSON on standard output.
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QTimer>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/window/main_window.h"
#include "engine/api/engine_library.h"
#include "engine/checkpoints/trained_under.h"
#include "engine/data/text_source.h"
#include "tests/benchmarks/process_use.h"
#include "tests/support/find_parts.h"
#include "widgets/look/theme.h"
#include "widgets/text/token_view.h"

using namespace carryover;

namespace {

constexpr int kBeatMs = 5;

/// Lateness of every beat over `seconds`, ms.
nlohmann::json measure(int seconds, const std::function<void()>& each_beat) {
  std::vector<double> late;
  double worst_at = 0, worst = -1;  // when the latest beat came
  QEventLoop loop;
  QElapsedTimer since_beat, total;
  QTimer beat;
  beat.setTimerType(Qt::PreciseTimer);
  QObject::connect(&beat, &QTimer::timeout, [&] {
    late.push_back(std::max(0.0, static_cast<double>(since_beat.nsecsElapsed()) / 1e6 - kBeatMs));
    since_beat.restart();
    if (late.back() > worst) {
      worst = late.back();
      worst_at = static_cast<double>(total.elapsed()) / 1000;
    }
    each_beat();
    if (total.elapsed() > seconds * 1000) loop.quit();
  });
  total.start();
  since_beat.start();
  beat.start(kBeatMs);
  loop.exec();
  std::sort(late.begin(), late.end());
  const auto at = [&](double share) {
    return late[static_cast<std::size_t>(share * static_cast<double>(late.size() - 1))];
  };
  return {{"beats", late.size()},
          {"p50_ms", at(0.5)},
          {"p99_ms", at(0.99)},
          {"max_ms", late.back()},
          {"max_at_s", worst_at}};
}

void stop_on_failure(RunController& controller) {
  QObject::connect(&controller, &RunController::failed, [](const ErrorReport& report) {
    std::cerr << "gui_bench: " << report.problem.toStdString() << '\n';
    std::_Exit(1);
  });
}

/// Opens both and waits for them.
void load(RunController& controller, const char* model, const char* text) {
  controller.loader().open_model(QString::fromLocal8Bit(model));
  controller.loader().open_text(QString::fromLocal8Bit(text));
  QEventLoop loading;
  QTimer poll;
  QObject::connect(&poll, &QTimer::timeout, [&] {
    if (controller.can_run() && !controller.loader().loading()) loading.quit();
  });
  poll.start(50);
  loading.exec();
}

nlohmann::json lateness(MainWindow& window, int seconds) {
  RunController& controller = window.lab().runs;
  const nlohmann::json idle = measure(seconds, [] {});
  controller.run();
  int segments = 0;
  const nlohmann::json running = measure(seconds, [&] {
    segments = std::max(segments, window.lab().context.run().segment_count());
    if (controller.state() == RunController::State::Idle) controller.run();  // a short text is read again
  });
  return {{"seconds", seconds}, {"idle", idle}, {"running", running}, {"segments", segments}};
}

nlohmann::json speed_in_window(MainWindow& window, std::int64_t tokens) {
  RunOptions options = window.lab().context.run_options();
  options.token_limit = tokens;
  window.lab().context.set_run_options(options);
  QEventLoop running;
  QObject::connect(&window.lab().runs, &RunController::run_ended, &running, &QEventLoop::quit);
  window.lab().runs.run();
  const double before = bench::thread_seconds(getpid());
  running.exec();
  const RunSummary& summary = window.lab().context.run().summary();
  return {{"tokens", summary.tokens},
          {"tokens_per_s", static_cast<double>(summary.tokens) / summary.seconds},
          {"gui_cpu_share", (bench::thread_seconds(getpid()) - before) / summary.seconds}};
}

nlohmann::json sources_of_tokens(MainWindow& window, std::int64_t tokens) {
  constexpr int kClicks = 9;  // fewer than the answers that are kept
  const nlohmann::json speed = speed_in_window(window, tokens);
  LabContext& context = window.lab().context;
  const QString colour = "Colour: sources by attention";
  const Panel& text = *window.docks().panel("text");
  QComboBox* colours = test::box_with(text, colour);
  QLabel* legend = test::label_named(text, "What the colours mean");
  auto* view = text.findChild<TokenView*>();
  if (colours == nullptr || legend == nullptr || view == nullptr) throw std::runtime_error("the text shows no sources");
  colours->setCurrentText(colour);
  const auto click = [&](int segment) {
    const SegmentRecord& record = context.run().record(segment);
    legend->clear();
    QElapsedTimer since;
    since.start();
    context.select_token(record.first_token + record.length / 2);
    while (!legend->text().contains("Full colour"))
      QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
    view->viewport()->repaint();
    return static_cast<double>(since.nsecsElapsed()) / 1e6;
  };
  const int segments = context.run().segment_count();
  if (segments <= 2 * kClicks) throw std::runtime_error("the text has too few segments to click into");
  std::vector<double> replayed, kept;
  for (std::vector<double>* times : {&replayed, &kept})
    for (int i = 1; i <= kClicks; ++i) times->push_back(click(i * (segments - 1) / kClicks));
  return {{"tokens", speed.at("tokens")},
          {"segment_ms", 1000 * context.run().summary().seconds / segments},
          {"replayed_ms", replayed},
          {"kept_ms", kept}};
}

nlohmann::json speed_headless(const std::string& path, const std::string& text, std::size_t tokens) {
  struct Quiet : RunObserver {
    void segment_done(std::shared_ptr<const SegmentSnapshot>) override {}
  } observer;
  ModelRequest model;
  model.path = path;
  const auto session = load_session(model, {});
  RunRequest request;
  request.config = initial_config(session->model().config, path, {});
  std::vector<std::int32_t> ids = Tokenizer::load(path)->encode(read_text(text));
  ids.resize(std::min(tokens, ids.size()));
  request.ids = std::make_shared<const std::vector<std::int32_t>>(std::move(ids));
  RunControl control;
  const RunSummary summary = session->run(request, observer, control);
  return {{"tokens", summary.tokens}, {"tokens_per_s", static_cast<double>(summary.tokens) / summary.seconds}};
}

nlohmann::json in_window(QApplication& application, int argc, char** argv) {
  apply_theme(application, ThemeKind::Light);
  MainWindow window;
  window.resize(1280, 800);
  window.show();
  stop_on_failure(window.lab().runs);
  load(window.lab().runs, argv[argc - 3], argv[argc - 2]);
  if (argc == 4) return lateness(window, std::stoi(argv[3]));
  const std::int64_t tokens = std::stoll(argv[4]);
  return std::string(argv[1]) == "--sources" ? sources_of_tokens(window, tokens) : speed_in_window(window, tokens);
}

}  // namespace

int main(int argc, char** argv) {
  prepare_engine_environment(argv);
  const std::string mode = argc == 5 ? argv[1] : "";
  if (argc != 4 && mode != "--speed" && mode != "--sources" && mode != "--headless") {
    std::cerr << "usage: gui_bench [--speed | --sources | --headless] MODEL TEXT SECONDS|TOKENS\n";
    return 2;
  }
  try {
    nlohmann::json result;
    if (mode == "--headless") {
      result = speed_headless(argv[2], argv[3], std::stoull(argv[4]));
    } else {
      QApplication application(argc, argv);
      result = in_window(application, argc, argv);
    }
    std::cout << result.dump(1) << '\n';
  } catch (const std::exception& error) {
    std::cerr << "gui_bench: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
