// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_argument.h"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <filesystem>

#include "app/cli/interrupt_watch.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/base/byte_size.h"
#include "engine/base/duration_text.h"
#include "engine/base/error.h"
#include "engine/base/run_control.h"
#include "engine/hub/hub_cache.h"
#include "engine/hub/model_fetch.h"

namespace carryover {

namespace {

std::string size_of(std::int64_t bytes) {
  return size_text(static_cast<double>(bytes));
}

/// Restores the signals that this thread blocks: what comes after a fetch has an InterruptWatch of its own, or none.
class SignalMask {
 public:
  SignalMask() { pthread_sigmask(SIG_BLOCK, nullptr, &before_); }
  ~SignalMask() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalMask(const SignalMask&) = delete;
  SignalMask& operator=(const SignalMask&) = delete;

 private:
  sigset_t before_{};
};

/// "1.2 GB of 1.5 GB, 35 MB/s, 9 s left".
class FetchRate {
 public:
  std::string text(const FetchProgress& progress) {
    if (start_ == Clock::time_point{}) {
      start_ = Clock::now();
      first_ = progress.done;
    }
    const std::string text = size_of(progress.done) + " of " + size_of(progress.total);
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double rate = static_cast<double>(progress.done - first_) / seconds;
    if (seconds < 1 || rate < 1) return text;
    const double left = static_cast<double>(progress.total - progress.done) / rate;
    return text + ", " + size_text(rate) + "/s, " + human_duration(left) + " left";
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_{};
  std::int64_t first_ = 0;  ///< bytes that were here when it began
};

std::string list_of(const FetchPlan& plan) {
  std::string text = plan.model.name.text() + " at commit " + plan.model.commit + "\n";
  for (const HubFile& file : plan.files) {
    const std::string size = size_of(file.bytes);
    text += std::string(size.size() < 10 ? 10 - size.size() : 0, ' ') + size + "  " + file.path + "\n";
  }
  return text + "in all " + size_of(plan.bytes) + ", of which " + size_of(plan.to_come) + " are not here yet\n";
}

}  // namespace

std::string fetch_named(const HubName& name, const std::vector<std::string>& patterns, bool dry_run, bool quiet) {
  const SignalMask restored;
  RunControl control;
  const InterruptWatch interrupt(control);
  const HubSettings settings = hub_settings();
  ProgressLine line(quiet);
  FetchRate rate;
  const FetchEvents events{
      [&](const FetchProgress& progress) { line.status("fetching " + progress.file + "  " + rate.text(progress)); },
      [&](const std::string& note) { line.note(note); }};
  try {
    const FetchPlan plan = plan_fetch(name, patterns, settings, events, control);
    if (dry_run) {
      print(list_of(plan));
      return {};
    }
    if (plan.to_come > 0)
      line.note("fetching " + name.text() + " from " + settings.endpoint + ": " + size_of(plan.to_come));
    return run_fetch(plan, settings, events, control);
  } catch (const EngineError& error) {
    if (error.fault() != Fault::Cancelled) throw;
    throw EngineError(Fault::Cancelled, name.text(), "was not fetched to the end, on request",
                      "What has come is kept: `carryover fetch " + name.text() + "` continues.");
  }
}

std::string path_of_model(const std::string& text, bool quiet) {
  std::error_code failed;
  const auto status = std::filesystem::symlink_status(text, failed);
  const auto name = parse_hub_name(text);
  if (!name || status.type() != std::filesystem::file_type::not_found) return text;
  RunControl control;
  const std::string here = cached_model(hub_settings().cache, *name, control);
  return here.empty() ? fetch_named(*name, {}, /*dry_run=*/false, quiet) : here;
}

CLI::Option* add_model(CLI::App& app, std::string& model) {
  app.final_callback([&app, &model] {
    const CLI::Option* quiet = app.get_option_no_throw("--quiet");
    model = path_of_model(model, quiet != nullptr && quiet->count() > 0);
  });
  return app.add_option("MODEL", model, "Hugging Face folder, GGUF file, or name on the Hugging Face Hub")
      ->type_name("");
}

}  // namespace carryover
