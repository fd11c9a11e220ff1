// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/remote/remote_engine.h"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "engine/remote/command_words.h"
#include "engine/remote/model_files.h"
#include "engine/remote/pipe_io.h"
#include "engine/remote/remote_session.h"

namespace carryover {
namespace {

constexpr std::size_t kMostNoise = std::size_t{64} << 10;  ///< bytes that a log-in may print before the engine's
                                                           ///< greeting
constexpr std::size_t kErrorsKept = 2000;
/// Counted in ticks that this thread has waited, so that a machine that sleeps is no broken line.
constexpr int kPingTicks = 5'000 / kPipeTickMs;
constexpr int kLostTicks = 60'000 / kPipeTickMs;

/// Tells the engine a control's stops and pauses, and remembers which it has been told.
class Wishes {
 public:
  void pass_on(RemoteEngine& engine, const RunControl* control) {
    if (control == nullptr) return;
    if (control->stop_requested()) say_stop(engine);
    if (control->paused() == paused_) return;
    paused_ = !paused_;
    engine.wish(paused_ ? MessageKind::Pause : MessageKind::Resume);
  }
  void say_stop(RemoteEngine& engine) {
    if (!std::exchange(stopped_, true)) engine.wish(MessageKind::Stop);
  }
  void take_pause(RunControl* control) {
    paused_ = true;
    if (control != nullptr) control->pause();
  }

 private:
  bool stopped_ = false, paused_ = false;
};

[[noreturn]] void throw_failure(const std::string& body) {
  const auto failure = unpack_as<Failure>(body);
  throw EngineError(failure.fault, failure.where, failure.problem, failure.advice);
}

}  // namespace

RemoteEngine::RemoteEngine(std::string command, std::unique_ptr<ChildProcess> child, int to_engine, int from_engine)
    : command_(std::move(command)), child_(std::move(child)), to_engine_(to_engine), from_engine_(from_engine) {
  set_non_blocking(to_engine_);
  set_non_blocking(from_engine_);
}

std::shared_ptr<RemoteEngine> RemoteEngine::connect(const std::string& command, RunControl& control) {
  auto child = std::make_unique<ChildProcess>(command_words(command));
  const int to = child->input(), from = child->output();
  std::shared_ptr<RemoteEngine> engine(new RemoteEngine(command, std::move(child), to, from));
  try {
    engine->greet(control);
  } catch (const EngineError&) {
    engine->child_->kill();
    throw;
  }
  return engine;
}

std::shared_ptr<RemoteEngine> RemoteEngine::attach(int to_engine, int from_engine, RunControl& control) {
  std::shared_ptr<RemoteEngine> engine(new RemoteEngine("attached", nullptr, to_engine, from_engine));
  engine->greet(control);
  return engine;
}

std::optional<pid_t> RemoteEngine::process() const {
  return child_ ? std::optional(child_->id()) : std::nullopt;
}

void RemoteEngine::greet(RunControl& control) {
  const auto stopped = [&control] { return control.stop_requested(); };
  write_all(to_engine_, greeting(), stopped);  // where nobody reads it, the end of the output says so
  while (!frames_.take_greeting(kMostNoise)) {
    control.checkpoint();
    if (!listen(kPipeTickMs)) count_silence();
  }
  greeted_ = true;
  while (true) {
    control.checkpoint();
    const auto frame = wait_for_frame();
    if (!frame) continue;
    if (frame->kind == MessageKind::Failed) throw_failure(frame->body);
    if (frame->kind != MessageKind::Place) refuse_message("the engine does not say where it is");
    unpack(frame->body, place_);
    return;
  }
}

std::string RemoteEngine::ask(MessageKind request, const std::string& body, RunControl* control,
                              const std::function<void(const Frame&)>& hear) {
  send(request, body);
  Wishes wishes;
  std::exception_ptr thrown;
  while (true) {
    wishes.pass_on(*this, control);
    const auto frame = wait_for_frame();
    if (!frame || frame->kind == MessageKind::Pong) continue;
    if (frame->kind == MessageKind::Paused) {
      wishes.take_pause(control);
    } else if (frame->kind == MessageKind::Done || frame->kind == MessageKind::Failed) {
      if (thrown) std::rethrow_exception(thrown);
      if (frame->kind == MessageKind::Failed) throw_failure(frame->body);
      return frame->body;
    } else if (!thrown) {
      try {
        hear(*frame);
      } catch (...) {
        thrown = std::current_exception();
        wishes.say_stop(*this);
      }
    }
  }
}

std::unique_ptr<Session> RemoteEngine::open(const ModelRequest& request, const LoadProgress& progress) {
  return open_remote_session(shared_from_this(), request, progress);
}

const std::string& RemoteEngine::model_files(const std::string& model, const std::string& adapter) {
  const auto files =
      unpack_as<std::vector<ModelFile>>(ask(MessageKind::Files, pack(model, adapter), nullptr, [](const Frame&) {}));
  files_ = std::make_unique<TemporaryFolder>();
  write_model_files(files_->path(), files);
  return files_->path();
}

const std::optional<EngineError>& RemoteEngine::loss() {
  try {
    if (!loss_) listen(0);
  } catch (const EngineError&) {  // which loss_ is now
  }
  return loss_;
}

void RemoteEngine::send(MessageKind kind, const std::string& body) {
  if (loss_) throw *loss_;
  const std::string head = frame_head(kind, body.size());
  int ticks = 0;
  const auto give_up = [&ticks] { return ++ticks > kLostTicks; };
  if (write_all(to_engine_, head, give_up) && write_all(to_engine_, body, give_up)) return;
  while (listen(0)) continue;  // it may have said why it ended
  lose(ticks > kLostTicks ? "it takes nothing any more" : "it does not listen any more");
}

/// Returns the next frame, or nothing where none arrived within a tick.
std::optional<Frame> RemoteEngine::wait_for_frame() {
  if (loss_) throw *loss_;
  try {
    if (auto frame = frames_.next()) return frame;
    if (!listen(kPipeTickMs)) count_silence();
    return frames_.next();
  } catch (const EngineError& error) {
    if (loss_) throw;
    lose(error.problem());
  }
}

/// Takes in what comes within the time. True where something did.
bool RemoteEngine::listen(int milliseconds) {
  pollfd sources[] = {{from_engine_, POLLIN, 0}, {child_ ? child_->errors() : -1, POLLIN, 0}};
  ::poll(sources, 2, milliseconds);
  if (child_ && sources[1].revents != 0) {
    if (read_some(child_->errors(), errors_) == ReadResult::End && sources[0].revents == 0)
      ::poll(sources, 1, milliseconds);  // a closed error output is always ready
    if (errors_.size() > kErrorsKept) errors_.erase(0, errors_.size() - kErrorsKept);
  }
  std::string bytes;
  const ReadResult result = read_some(from_engine_, bytes);
  if (result == ReadResult::End) lose(frames_.empty() ? "it ended" : "it ended in the middle of a message");
  if (result == ReadResult::Nothing) return false;
  frames_.feed(bytes);
  silent_ticks_ = 0;
  return true;
}

void RemoteEngine::count_silence() {
  ++silent_ticks_;
  if (silent_ticks_ > kLostTicks) lose("it has been silent for a minute");
  if (greeted_ && silent_ticks_ % kPingTicks == 0) wish(MessageKind::Ping);
}

void RemoteEngine::lose(const std::string& why) {
  std::string problem = greeted_ ? "the connection to the engine is lost: " + why : "no engine answers: " + why;
  if (child_) {
    if (const auto end = child_->wait(300)) problem += " with " + *end;
    read_some(child_->errors(), errors_);
    child_->kill();
  }
  problem += what_it_said();
  const std::string advice =
      greeted_
          ? "Reconnect: the command is started again and the model is loaded."
          : "Try it in a terminal: a line that begins with \"carryover engine\" must come from `" + command_ + "`.";
  loss_.emplace(Fault::Io, place_.host.empty() ? "remote engine" : place_.host, problem, advice);
  throw *loss_;
}

std::string RemoteEngine::what_it_said() const {
  std::string said = errors_;
  if (!greeted_ && said.empty()) said = frames_.first_line();
  while (!said.empty() && said.back() == '\n') said.pop_back();
  const std::size_t line = said.rfind('\n', said.size() > 300 ? said.size() - 300 : 0);
  if (said.size() > 300 && line != std::string::npos) said.erase(0, line + 1);
  std::replace(said.begin(), said.end(), '\n', ' ');
  return said.empty() ? std::string() : ". It said: " + said;
}

}  // namespace carryover
