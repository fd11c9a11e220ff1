// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "tests/support/faults/fault_cases.h"
#include "tests/support/faults/fault_pass.h"

namespace carryover::test {

/// Libraries that end the process when a call of theirs fails, or go on with other rounding.
struct KnownEnd {
  const char* kind;
  const char* function;  ///< among the frames of the call that failed
  const char* reason;
};

inline constexpr KnownEnd kKnownEnds[] = {
    {"malloc", "json_value::destroy(",
     "nlohmann-json 3.11: the destructor of an array or object takes memory for a list of what to destroy"},
    {"malloc", "CLI::App::get_option_no_throw(", "CLI11 2.3: is noexcept and copies names"},
    {"malloc", "torch::autograd::deleteNode",
     "LibTorch: deletes a graph, in a destructor, by a list that takes memory"},
    {"malloc", "c10::SmallVectorBase", "LibTorch: a short list that grows throws in functions that are noexcept"},
    {"malloc", "mkl_serv_allocate",
     "MKL, in LibTorch: multiplies without the buffer, and rounds otherwise (4e-6 nats)"},
    {"malloc", "directory_iterator", "libstdc++ 12: _Dir::advance is noexcept and makes a path"},
    {"malloc", "omp_set_num_threads", "libgomp: says so and exits with 1"},
    {"malloc", "__tls_get_addr", "glibc: says so and exits with 127 where a thread's data of a library get no memory"},
    {"malloc", "__cxa_thread_atexit",
     "glibc: ends a process that can't register the destructor of a thread_local object"},
    {"read", "cpuinfo_initialize",
     "cpuinfo, a part of LibTorch, takes an unread list of /sys/devices/system/cpu for one"},
};

inline const KnownEnd* known_end(const std::string& kind, const std::string& trace) {
  const std::string failed = trace.substr(0, trace.find("\nAborted"));
  const std::string call = failed.substr(0, failed.find("\nSegmentation"));
  for (const KnownEnd& known : kKnownEnds)
    if (known.kind == kind && call.find(known.function) != std::string::npos) return &known;
  return nullptr;
}

/// Returns what is wrong with this end; empty if nothing is. `known` counts the ends of kKnownEnds.
inline std::string fault_of(const FaultOutcome& outcome, const std::string& kind, FaultCase& use,
                            std::map<std::string, int>& known) {
  if (!WIFEXITED(outcome.status)) {
    const std::string trace = named_trace(outcome.trace);
    const KnownEnd* const end = known_end(kind, trace);
    if (end == nullptr) return "ended by signal " + std::to_string(WTERMSIG(outcome.status)) + "\n" + trace;
    ++known[end->function];
    return use.fault_of_rest(outcome.folder, true);
  }
  const int code = WEXITSTATUS(outcome.status);
  if (code == 0) {
    const std::string fault = use.fault_of_whole(outcome.folder);
    const KnownEnd* const known_rounding = fault.empty() ? nullptr : known_end(kind, outcome.trace);
    if (known_rounding != nullptr) ++known[known_rounding->function];
    return known_rounding == nullptr && !fault.empty() ? fault + "\n" + named_trace(outcome.trace) : std::string();
  }
  const std::string said = "code " + std::to_string(code) + ", " + outcome.err + "\n";
  const std::size_t begin = outcome.err.find("carryover: ");
  if (begin == std::string::npos) {
    const KnownEnd* const end = known_end(kind, outcome.trace);
    if (end == nullptr || outcome.err.empty()) return said + "names no error\n" + outcome.trace;
    ++known[end->function];
    return use.fault_of_rest(outcome.folder, true);
  }
  const bool blames_us = outcome.err.find("bug in Carryover") != std::string::npos;
  const bool fits = kind == "malloc" ? code == 6 || outcome.err.find("memory") != std::string::npos : code == 5;
  if (blames_us || !fits) return said + "is not what happened\n" + named_trace(outcome.trace);
  const std::string rest = use.fault_of_rest(outcome.folder, false);
  return rest.empty() ? rest : said + rest;
}

/// A pass over a use of the program: each stride-th call of a class fails, from the first on.
class FaultTrial {
 public:
  FaultTrial(const QString& name, std::string kind, const QStringList& more = {})
      : use_(make_fault_case(name)),
        arguments_(use_->arguments() + more),
        kind_(std::move(kind)),
        work_(home_.file("work")) {
    fresh_folder();
    end_ = run_with_faults(arguments_, work_, {kind_, kNever, 1}, {});
    if (end_.code != 0) throw std::runtime_error("undisturbed: " + contents_or_nothing(work_ + ".err"));
    use_->remember(work_);
  }

  long calls() const { return end_.calls; }

  /// Each fault in a branch of one process.
  void run(long first, long stride) {
    fresh_folder();
    run_with_faults(arguments_, work_, {kind_, first, stride}, [this](const FaultOutcome& outcome) {
      ++done_;
      note(outcome);
    });
  }

  /// Lets `call` fail in a process of its own.
  void run_plainly(long call) { outcome_of(call); }

  /// Does the same, and returns how the process ended.
  FaultOutcome outcome_of(long call) {
    fresh_folder();
    const PassEnd end = run_with_faults(arguments_, work_, {kind_, call, 0}, {});
    FaultOutcome outcome{call,
                         end.code < 0 ? SIGABRT : end.code << 8,
                         work_,
                         contents_or_nothing(work_ + ".out"),
                         contents_or_nothing(work_ + ".err"),
                         contents_or_nothing(work_ + ".branch.trace")};
    note(outcome);
    return outcome;
  }

  long done() const { return done_; }
  const std::map<std::string, int>& known() const { return known_; }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  static constexpr long kNever = 1'000'000'000'000;

  void fresh_folder() {
    std::filesystem::remove_all(work_);
    std::filesystem::create_directories(work_);
    use_->prepare(work_);
  }

  void note(const FaultOutcome& outcome) {
    std::string fault;
    try {
      fault = fault_of(outcome, kind_, *use_, known_);
    } catch (const std::exception& error) {
      fault = std::string("can't be checked: ") + error.what();
    }
    if (!fault.empty()) faults_.push_back(kind_ + " " + std::to_string(outcome.call) + ": " + fault);
  }

  TempDir home_{fast_parent()};
  std::unique_ptr<FaultCase> use_;
  QStringList arguments_;
  std::string kind_, work_;
  PassEnd end_;
  long done_ = 0;
  std::map<std::string, int> known_;
  std::vector<std::string> faults_;
};

}  // namespace carryover::test
