// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/api/session.h"
#include "engine/remote/child_process.h"
#include "engine/remote/protocol.h"
#include "engine/remote/temporary_folder.h"
#include "engine/remote/wire_values.h"

namespace carryover {

/// An engine in another process, most often on another machine: `ssh host carryover-cli engine`. Paths that it is
/// given are of that machine. Owner: the engine thread. Where the line breaks, the member that notices throws
/// EngineError{Io} that says why, the process is ended, and every later call throws the same.
class RemoteEngine : public std::enable_shared_from_this<RemoteEngine> {
 public:
  /// Starts the command line (command_words.h) and waits for the engine to answer, or for `control` to stop it. Throws
  /// EngineError{Usage, Io, Unsupported, Cancelled}.
  static std::shared_ptr<RemoteEngine> connect(const std::string& command, RunControl& control);
  /// Does the same over two descriptors, which the caller serves and closes.
  static std::shared_ptr<RemoteEngine> attach(int to_engine, int from_engine, RunControl& control);

  const std::string& command() const { return command_; }
  const EnginePlace& place() const { return place_; }
  std::optional<pid_t> process() const;

  /// Loads a model there. The session keeps this engine. Throws as open_session().
  std::unique_ptr<Session> open(const ModelRequest& request, const LoadProgress& progress);

  /// A folder here with the small files of a model there (model_files.h); it lasts until the next call. Throws what is
  /// wrong with the model.
  const std::string& model_files(const std::string& model, const std::string& adapter);

  /// Returns the error that broke the connection, if it is broken. It checks the connection, so that a loss is noticed
  /// between two requests too.
  const std::optional<EngineError>& loss();

  /// Told what the engine reads before a training starts. May be empty.
  void set_loading(LoadProgress loading) { loading_ = std::move(loading); }
  const LoadProgress& loading() const { return loading_; }

  /// One request: hears events until it is done and gives the body of Done. Wishes of `control` (may be null) go out
  /// meanwhile, and the engine's own pause comes in. What `hear` throws stops the request and is thrown at its end.
  std::string ask(MessageKind request, const std::string& body, RunControl* control,
                  const std::function<void(const Frame&)>& hear);
  void wish(MessageKind wish) { send(wish, {}); }
  std::int32_t new_session_number() { return ++sessions_; }

 private:
  RemoteEngine(std::string command, std::unique_ptr<ChildProcess> child, int to_engine, int from_engine);
  void greet(RunControl& control);
  void send(MessageKind kind, const std::string& body);
  std::optional<Frame> wait_for_frame();
  bool listen(int milliseconds);
  void count_silence();
  [[noreturn]] void lose(const std::string& why);
  std::string what_it_said() const;

  std::string command_;
  std::unique_ptr<ChildProcess> child_;  ///< null where somebody else serves
  int to_engine_, from_engine_;
  EnginePlace place_;
  bool greeted_ = false;
  FrameBuffer frames_;
  std::string errors_;  ///< the end of what it wrote to its standard error
  int silent_ticks_ = 0;
  std::int32_t sessions_ = 0;
  LoadProgress loading_;
  std::unique_ptr<TemporaryFolder> files_;
  std::optional<EngineError> loss_;
};

}  // namespace carryover
