// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <map>
#include <memory>

#include "engine/base/error.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/output_file.h"
#include "engine/runs/records/run_folder.h"
#include "engine/runs/records/run_reader.h"
#include "engine/training/records/training_folder.h"
#include "tests/support/cli_process.h"
#include "tests/support/temp_dir.h"

namespace carryover::test {

/// A small use of carryover-cli on the demo model, and what must hold of the folder that it worked in, however it
/// ended. Paths are relative to that folder.
class FaultCase {
 public:
  explicit FaultCase(QStringList arguments) : arguments_(std::move(arguments)) {}
  virtual ~FaultCase() = default;

  const QStringList& arguments() const { return arguments_; }
  /// Fills an empty folder with what the command starts from.
  virtual void prepare(const std::string& /*folder*/) {}
  /// Keeps what an undisturbed run left.
  virtual void remember(const std::string& folder) = 0;
  /// Returns what is wrong with the results of a run that ended well; empty if nothing is.
  virtual std::string fault_of_whole(const std::string& folder) = 0;
  /// Returns what is wrong with the files of a failed run: shorter than they say, or useless to go on from. `aborted`:
  /// it had no chance to tidy up.
  virtual std::string fault_of_rest(const std::string& folder, bool aborted) = 0;

 private:
  QStringList arguments_;
};

/// Runs to its end in `folder`, undisturbed.
inline void run_in(const std::string& folder, const QStringList& arguments) {
  QProcess process;
  prepare_cli(process, arguments);
  process.setWorkingDirectory(text(folder));
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("CARRYOVER_CACHE", "cache");
  process.setProcessEnvironment(environment);
  process.start();
  const CliResult result = finish_cli(process);
  if (result.code != 0) throw std::runtime_error("undisturbed: " + result.err.toStdString());
}

inline QStringList small_run(const char* output) {
  return {"run", demo_model(),         demo_text(), "--dtype",          "fp32",  "--threads",
          "1",   "--tokens",           "160",       "--segment-length", "48",    "--carry-length",
          "12",  "--retrieval-length", "12",        "--quiet",          "--out", output};
}

inline QStringList small_training(int steps) {
  return {"train",
          demo_model(),
          "--data",
          "data.txt",
          "--output",
          "out",
          "--dtype",
          "fp32",
          "--threads",
          "1",
          "--segment-length",
          "32",
          "--carry-length",
          "8",
          "--retrieval-length",
          "8",
          "--save-steps",
          "1",
          "--gradient-accumulation-steps",
          "1",
          "--learning-rate",
          "1e-3",
          "--warmup-steps",
          "1",
          "--quiet",
          "--max-steps",
          QString::number(steps)};
}

class RunCase : public FaultCase {
 public:
  RunCase() : FaultCase(small_run("out")) {}
  void remember(const std::string& folder) override { whole_ = read_run_folder(folder + "/out"); }
  std::string fault_of_whole(const std::string& folder) override {
    const StoredRun run = read_run_folder(folder + "/out");
    if (run.summary == nullptr) return "there is no summary";
    if (run.hits != whole_.hits || run.target_nll != whole_.target_nll || run.segments.size() != whole_.segments.size())
      return "the record differs";
    reopen_run(folder + "/out");
    return {};
  }
  std::string fault_of_rest(const std::string& folder, bool /*aborted*/) override {
    const std::string out = folder + "/out";
    if (!std::filesystem::exists(out)) return {};
    try {
      reopen_run(out);
    } catch (const EngineError&) {
      return {};  // refused, in words
    }
    const StoredRun run = read_run_folder(out);
    if (run.summary != nullptr) return fault_of_whole(folder);  // it failed after that
    const bool is_beginning = begins_with(whole_.hits, run.hits) && begins_with(whole_.target_nll, run.target_nll) &&
                              run.segments.size() <= whole_.segments.size();
    return is_beginning ? "" : "what is there is not the beginning of the record";
  }

 private:
  template <typename List>
  static bool begins_with(const List& whole, const List& part) {
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
  }
  StoredRun whole_;
};

class TrainCase : public FaultCase {
 public:
  TrainCase() : FaultCase(small_training(2)) {}
  void prepare(const std::string& folder) override {
    constexpr std::size_t some_samples = 1500;  // bytes: each word of the text is some allocations
    write_file_atomically(folder + "/data.txt", read_bytes(demo_text().toStdString()).substr(0, some_samples));
  }
  void remember(const std::string& folder) override { whole_ = outcome(folder); }
  std::string fault_of_whole(const std::string& folder) override {
    return outcome(folder) == whole_ ? "" : "the weights or losses differ";
  }
  /// Going on gives what an undisturbed training gives. Many faults leave the same folder, which is tried once.
  std::string fault_of_rest(const std::string& folder, bool /*aborted*/) override {
    const auto [known, is_new] = verdicts_.try_emplace(state_of(folder + "/out"));
    if (is_new) known->second = go_on(folder);
    return known->second;
  }

 protected:
  explicit TrainCase(const QStringList& arguments) : FaultCase(arguments) {}

 private:
  using Outcome = std::pair<std::string, std::vector<double>>;

  static Outcome outcome(const std::string& folder) {
    Outcome outcome{read_bytes(folder + "/out/final/model.safetensors"), {}};
    for (const StepRecord& record : read_training_folder(folder + "/out").steps) outcome.second.push_back(record.loss);
    return outcome;
  }

  std::string go_on(const std::string& folder) {
    const bool begun = std::filesystem::exists(folder + "/out/config.json");
    try {
      run_in(folder, begun ? QStringList{"train", "--resume", "out", "--threads", "1", "--quiet"} : small_training(2));
      return fault_of_whole(folder);
    } catch (const std::exception& error) {
      return std::string("it does not go on: ") + error.what();
    }
  }

  /// Names and contents of its files, without TensorBoard's.
  static std::uint64_t state_of(const std::string& folder) {
    std::map<std::string, std::string> files;
    if (std::filesystem::exists(folder)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
        const bool counts = entry.is_regular_file() && !entry.path().filename().string().starts_with("events.");
        files[entry.path().lexically_relative(folder)] = counts ? read_bytes(entry.path()) : std::string();
      }
    }
    std::uint64_t state = files.size();
    for (const auto& [name, contents] : files)
      for (const std::string* part : {&name, &contents})
        state = join_hashes(state, content_hash(std::as_bytes(std::span(*part))));
    return state;
  }

  Outcome whole_;
  std::map<std::uint64_t, std::string> verdicts_;
};

class ResumeCase : public TrainCase {
 public:
  ResumeCase() : TrainCase({"train", "--resume", "out", "--max-steps", "2", "--threads", "1", "--quiet"}) {}
  void prepare(const std::string& folder) override {
    TrainCase::prepare(folder);
    run_in(folder, small_training(2));  // killed after its first step: its plan has two
    std::filesystem::remove_all(folder + "/out/final");
    std::filesystem::remove_all(folder + "/out/checkpoints/step-2");
  }
};

/// A command whose results are written at once: whole, or not there.
class ExportCase : public FaultCase {
 public:
  explicit ExportCase(QStringList arguments, QStringList before = {})
      : FaultCase(std::move(arguments)), before_(std::move(before)) {}
  void prepare(const std::string& folder) override {
    if (!before_.isEmpty()) run_in(folder, before_);
    given_ = files_in(folder);
  }
  void remember(const std::string& folder) override { whole_ = made_in(folder); }
  std::string fault_of_whole(const std::string& folder) override {
    return made_in(folder) == whole_ ? "" : "the files differ";
  }
  std::string fault_of_rest(const std::string& folder, bool aborted) override {
    auto left = made_in(folder);
    if (aborted) std::erase_if(left, [](const auto& file) { return is_temporary(file.first); });
    return left.empty() || left == whole_ ? "" : "it failed, and left something else than the whole";
  }

 private:
  static bool is_temporary(const std::string& name) {
    return name.find(".unfinished") != std::string::npos || name.find(kAtomicSuffix) != std::string::npos;
  }
  static std::map<std::string, std::string> files_in(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
      if (const std::string name = entry.path().lexically_relative(folder); !name.starts_with("cache"))
        files[name] = entry.is_regular_file() ? read_bytes(entry.path()) : std::string();
    return files;
  }
  /// Returns the files without those that were there before, which a command that only reads them cannot change unseen.
  std::map<std::string, std::string> made_in(const std::string& folder) const {
    auto files = files_in(folder);
    for (const auto& [name, contents] : given_) {
      if (files[name] != contents) throw std::runtime_error(name + " has changed");
      files.erase(name);
    }
    return files;
  }
  QStringList before_;
  std::map<std::string, std::string> given_, whole_;
};

inline std::unique_ptr<FaultCase> make_fault_case(const QString& name) {
  if (name == "run") return std::make_unique<RunCase>();
  if (name == "train") return std::make_unique<TrainCase>();
  if (name == "resume") return std::make_unique<ResumeCase>();
  if (name == "export of a model")
    return std::make_unique<ExportCase>(QStringList{"export", demo_model(), "--output", "model", "--quiet"});
  if (name == "export of data")
    return std::make_unique<ExportCase>(QStringList{"export", "run", "--data", "hits", "-o", "hits.csv", "--quiet"},
                                        small_run("run"));
  throw std::logic_error("no such case");
}

inline const char* const kFaultCases[] = {"run", "train", "resume", "export of a model", "export of data"};

}  // namespace carryover::test
