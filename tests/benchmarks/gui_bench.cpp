// SPDX-License-Identifier: GPL-3.0-or-later
// How late the window's event loop is while the engine runs beside it, against the same window with the engine idle.
//   gui_bench MODEL TEXT SECONDS
// A precise timer beats every 5 ms; what is measured is how much later than that each beat comes. JSON on standard
// output.
#include <QApplication>
#include <QElapsedTimer>
#include <QTimer>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/main_window.h"
#include "engine/engine_library.h"
#include "widgets/theme.h"

using namespace carryover;

namespace {

constexpr int kBeatMs = 5;

/// Lateness of every beat over `seconds`, ms.
nlohmann::json measure(int seconds, const std::function<void()>& each_beat) {
  std::vector<double> late;
  QEventLoop loop;
  QElapsedTimer since_beat, total;
  QTimer beat;
  beat.setTimerType(Qt::PreciseTimer);
  QObject::connect(&beat, &QTimer::timeout, [&] {
    late.push_back(std::max(0.0, static_cast<double>(since_beat.nsecsElapsed()) / 1e6 - kBeatMs));
    since_beat.restart();
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
  return {{"beats", late.size()}, {"p50_ms", at(0.5)}, {"p99_ms", at(0.99)}, {"max_ms", late.back()}};
}

}  // namespace

int main(int argc, char** argv) {
  prepare_engine_environment();
  QApplication application(argc, argv);
  if (argc != 4) {
    std::cerr << "usage: gui_bench MODEL TEXT SECONDS\n";
    return 2;
  }
  apply_theme(application, ThemeKind::Light);
  const int seconds = std::stoi(argv[3]);
  MainWindow window;
  window.resize(1280, 800);
  window.show();
  RunController& controller = window.controller();
  QObject::connect(&controller, &RunController::failed, [](const ErrorReport& report) {
    std::cerr << "gui_bench: " << report.problem.toStdString() << '\n';
    QCoreApplication::exit(1);
    std::exit(1);
  });
  controller.open_model(QString::fromLocal8Bit(argv[1]));
  controller.open_text(QString::fromLocal8Bit(argv[2]));
  QEventLoop loading;
  QTimer poll;
  QObject::connect(&poll, &QTimer::timeout, [&] {
    if (controller.can_run() && !controller.loading()) loading.quit();
  });
  poll.start(50);
  loading.exec();

  const nlohmann::json idle = measure(seconds, [] {});
  controller.run();
  int segments = 0;
  const nlohmann::json running = measure(seconds, [&] {
    segments = std::max(segments, window.context().run().segment_count());
    if (controller.state() == RunController::State::Idle) controller.run();  // a short text is read again
  });
  std::cout << nlohmann::json{{"seconds", seconds}, {"idle", idle}, {"running", running}, {"segments", segments}}.dump(
                   1)
            << '\n';
  return 0;
}
