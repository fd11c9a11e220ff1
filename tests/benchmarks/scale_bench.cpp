// SPDX-License-Identifier: GPL-3.0-or-later
// How fast the window follows its user over a long run, and what it holds of it.
//   scale_bench RUN_FOLDER STEPS        opens the folder in a window in its default layout, and scrubs
//   scale_bench --live MODEL TEXT       runs the text in the window, and says what it holds at the end
// A step is an input event, posted as the window system would; its time ends with the last paint that came of it, once
// the event loop has nothing left to do. The steps are always the same. JSON on standard output.
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTimer>
#include <QWheelEvent>
#include <algorithm>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "app/window/main_window.h"
#include "engine/api/engine_library.h"
#include "tests/benchmarks/process_use.h"
#include "widgets/lab/panel.h"
#include "widgets/look/theme.h"
#include "widgets/plot/plot_view.h"
#include "widgets/runs/context_ribbon.h"
#include "widgets/text/token_view.h"

using namespace carryover;

namespace {

constexpr int quiet_ms = 25;  ///< without an event: nothing more comes of a step

QElapsedTimer bench_clock;

double now_ms() {
  return static_cast<double>(bench_clock.nsecsElapsed()) / 1e6;
}

/// Notes when something was painted last.
class Application : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override {
    const QEvent::Type type = event->type();
    const bool handled = QApplication::notify(receiver, event);
    if (type != QEvent::UpdateRequest && type != QEvent::Paint && type != QEvent::Expose) return handled;
    painted_ms_ = now_ms();
    painted_cpu_ms_ = bench::own_cpu_ms();
    return handled;
  }
  double painted_ms() const { return painted_ms_; }
  double painted_cpu_ms() const { return painted_cpu_ms_; }  ///< of the processor, by then

 private:
  double painted_ms_ = 0, painted_cpu_ms_ = 0;
};

/// Runs the event loop until nothing has been painted for a while.
void settle(Application& application) {
  double last = -1;
  while (last != application.painted_ms()) {
    last = application.painted_ms();
    QEventLoop loop;
    QTimer::singleShot(quiet_ms, Qt::PreciseTimer, &loop, &QEventLoop::quit);
    loop.exec();
  }
}

void post_mouse(QWidget* widget, QEvent::Type type, QPointF at, Qt::MouseButton button, Qt::MouseButtons held) {
  QCoreApplication::postEvent(widget, new QMouseEvent(type, at, widget->mapToGlobal(at), button, held, Qt::NoModifier));
}
void post_click(QWidget* widget, QPointF at) {
  post_mouse(widget, QEvent::MouseButtonPress, at, Qt::LeftButton, Qt::LeftButton);
  post_mouse(widget, QEvent::MouseButtonRelease, at, Qt::LeftButton, Qt::NoButton);
}
void post_drag(QWidget* widget, QPointF from, QPointF to) {
  post_mouse(widget, QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
  post_mouse(widget, QEvent::MouseMove, (from + to) / 2, Qt::NoButton, Qt::LeftButton);
  post_mouse(widget, QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton);
  post_mouse(widget, QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
}
void post_key(QWidget* widget, int key) {
  QCoreApplication::postEvent(widget, new QKeyEvent(QEvent::KeyPress, key, Qt::NoModifier));
  QCoreApplication::postEvent(widget, new QKeyEvent(QEvent::KeyRelease, key, Qt::NoModifier));
}
void post_wheel(QWidget* widget, QPointF at, int turned) {
  QCoreApplication::postEvent(widget, new QWheelEvent(at, widget->mapToGlobal(at), {}, {0, turned}, Qt::NoButton,
                                                      Qt::NoModifier, Qt::NoScrollPhase, false));
}

/// The steps, by kind: each acts on what the ones before it left.
class Scrubbing {
 public:
  explicit Scrubbing(MainWindow& window)
      : window_(window),
        ribbon_(window.findChild<RibbonStrip*>()),
        text_(window.findChild<TokenView*>()),
        loss_(plot("loss")),
        map_(plot("retrieval_map")) {}

  std::string post(int step) {
    switch (step % 10) {
      case 0:
      case 5:
        return arrow(step % 20 == 0 ? Qt::Key_Left : Qt::Key_Right);
      case 1:
      case 6:
        return jump();
      case 2:
        return scroll_text(step);
      case 3:
        return step % 20 == 3 ? brush() : all_again();
      case 4:
      case 8:
        return step % 20 == 4 ? click_loss() : hover_loss();
      case 7:
        return text_end(step);
      default:
        return hover_or_click_map(step);
    }
  }
  /// Before a step: the tab it needs.
  void raise_for(int step) {
    window_.docks().raise(step % 10 == 9 ? QStringLiteral("retrieval_map") : QStringLiteral("text"));
  }

 private:
  PlotView* plot(const char* id) {
    for (PlotView* view : window_.findChildren<PlotView*>())
      if (view->id() == QLatin1String(id)) return view;
    return nullptr;
  }
  double share() { return std::uniform_real_distribution<>(0.05, 0.95)(random_); }
  QPointF in(QWidget* widget) { return {(0.2 + 0.7 * share()) * widget->width(), 0.5 * widget->height()}; }
  QWidget* canvas(PlotView* view) { return view->childAt(view->rect().center()); }

  std::string arrow(int key) {
    post_key(ribbon_, key);
    return "arrow key in the ribbon";
  }
  std::string jump() {  // the bar as a user drags it, then a click on a cell
    ribbon_->horizontalScrollBar()->setValue(static_cast<int>(share() * ribbon_->horizontalScrollBar()->maximum()));
    post_click(ribbon_->viewport(), {share() * ribbon_->viewport()->width(), RibbonStrip::arcs_height + 8.0});
    return "click in the ribbon, far away";
  }
  std::string brush() {
    const double y = RibbonStrip::arcs_height + 8.0, width = ribbon_->viewport()->width();
    post_drag(ribbon_->viewport(), {0.2 * width, y}, {0.8 * width, y});
    return "range dragged in the ribbon";
  }
  std::string all_again() {
    post_key(ribbon_, Qt::Key_Escape);
    return "range taken back";
  }
  std::string scroll_text(int step) {
    post_wheel(text_->viewport(), {80, 80}, step % 20 == 2 ? -240 : 240);
    return "text scrolled";
  }
  std::string text_end(int step) {
    text_->verticalScrollBar()->setValue(static_cast<int>(share() * text_->verticalScrollBar()->maximum()));
    post_key(text_, step % 20 == 7 ? Qt::Key_PageDown : Qt::Key_PageUp);
    return "text scrolled far";
  }
  std::string hover_loss() {
    post_mouse(canvas(loss_), QEvent::MouseMove, in(canvas(loss_)), Qt::NoButton, Qt::NoButton);
    return "loss hovered";
  }
  std::string click_loss() {
    post_click(canvas(loss_), in(canvas(loss_)));
    return "loss clicked";
  }
  std::string hover_or_click_map(int step) {
    if (step % 20 == 9) {
      post_mouse(canvas(map_), QEvent::MouseMove, in(canvas(map_)), Qt::NoButton, Qt::NoButton);
      return "map hovered";
    }
    post_click(canvas(map_), in(canvas(map_)));
    return "map clicked";
  }

  MainWindow& window_;
  RibbonStrip* ribbon_;
  TokenView* text_;
  PlotView *loss_, *map_;
  std::mt19937 random_{1};
};

/// The time from a step until it was painted.
struct Took {
  double ms, cpu_ms;
};

nlohmann::json spread(const std::vector<Took>& steps) {
  const auto at = [&](double share, double Took::*what) {
    std::vector<double> sorted;
    for (const Took& step : steps) sorted.push_back(step.*what);
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  return {{"steps", steps.size()},
          {"p50_ms", at(0.5, &Took::ms)},
          {"p95_ms", at(0.95, &Took::ms)},
          {"max_ms", at(1, &Took::ms)},
          {"p95_cpu_ms", at(0.95, &Took::cpu_ms)}};
}

nlohmann::json held(const RunModel& run) {
  return {{"rss_mib", bench::process_mib("VmRSS")},
          {"rss_peak_mib", bench::process_mib("VmHWM")},
          {"outline_mib", static_cast<double>(run.outline().bytes()) / (1 << 20)},
          {"cached_segments_mib", static_cast<double>(run.cached_bytes()) / (1 << 20)},
          {"tokens", run.token_count()},
          {"segments", run.segment_count()},
          {"segments_loaded", run.segments_loaded()}};
}

void stop_on_failure(RunController& controller) {
  QObject::connect(&controller, &RunController::failed, [](const ErrorReport& report) {
    std::cerr << "scale_bench: " << report.where.toStdString() << ": " << report.problem.toStdString() << '\n';
    std::_Exit(1);
  });
}

nlohmann::json scrub(Application& application, MainWindow& window, int steps) {
  Scrubbing scrubbing(window);
  std::vector<Took> all;
  std::map<std::string, std::vector<Took>> by_kind;
  for (int step = 0; step < steps; ++step) {
    scrubbing.raise_for(step);
    settle(application);
    const double begin = now_ms(), cpu_begin = bench::own_cpu_ms();
    const std::string kind = scrubbing.post(step);
    settle(application);
    const Took took{std::max(0.0, application.painted_ms() - begin),
                    std::max(0.0, application.painted_cpu_ms() - cpu_begin)};
    all.push_back(took);
    by_kind[kind].push_back(took);
  }
  nlohmann::json kinds;
  for (const auto& [kind, times] : by_kind) kinds[kind] = spread(times);
  return {{"all", spread(all)}, {"kinds", kinds}};
}

nlohmann::json open_and_scrub(Application& application, MainWindow& window, const QString& folder, int steps) {
  const nlohmann::json before = {{"rss_mib", bench::process_mib("VmRSS")}};
  QEventLoop opening;
  QObject::connect(&window.lab().runs, &RunController::run_opened, &opening, &QEventLoop::quit);
  const double begin = now_ms();
  window.lab().runs.open_run(folder);
  opening.exec();
  const double read = now_ms();
  settle(application);
  const double open_ms = application.painted_ms() - begin;
  const nlohmann::json opened = held(window.lab().context.run());
  window.lab().context.select({window.lab().context.run().segment_count() / 2, 3, 2, -1});
  settle(application);
  const nlohmann::json scrubbed = scrub(application, window, steps);
  return {{"window", before}, {"open_ms", open_ms},    {"open_read_ms", read - begin},
          {"opened", opened}, {"scrubbing", scrubbed}, {"after", held(window.lab().context.run())}};
}

nlohmann::json run_live(MainWindow& window, const QString& model, const QString& text) {
  RunController& controller = window.lab().runs;
  controller.loader().open_model(model);
  controller.loader().open_text(text);
  controller.run_when_ready();
  QEventLoop running;
  QObject::connect(&controller, &RunController::run_ended, &running, &QEventLoop::quit);
  running.exec();
  const RunModel& run = window.lab().context.run();
  nlohmann::json result = held(run);
  result["engine"] = run.record(run.segment_count() - 1).memory;
  result["tokens_per_s"] = static_cast<double>(run.summary().tokens) / run.summary().seconds;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  prepare_engine_environment(argv);
  Application application(argc, argv);
  const bool live = argc == 4 && std::string(argv[1]) == "--live";
  if (argc != 3 && !live) {
    std::cerr << "usage: scale_bench RUN_FOLDER STEPS | scale_bench --live MODEL TEXT\n";
    return 2;
  }
  bench_clock.start();
  apply_theme(application, ThemeKind::Light);
  MainWindow window;
  window.resize(1280, 800);
  window.show();
  stop_on_failure(window.lab().runs);
  settle(application);
  const nlohmann::json result =
      live ? run_live(window, QString::fromLocal8Bit(argv[2]), QString::fromLocal8Bit(argv[3]))
           : open_and_scrub(application, window, QString::fromLocal8Bit(argv[1]), std::stoi(argv[2]));
  std::cout << result.dump(1) << '\n';
  return 0;
}
