// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/bench/bench_peers.h"

#include <poll.h>

#include <filesystem>
#include <sstream>

#include "app/cli/bench/bench_peer_script.h"
#include "engine/base/error.h"
#include "engine/checkpoints/hf_config.h"
#include "engine/checkpoints/random_model.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"
#include "engine/remote/child_process.h"
#include "engine/remote/command_words.h"
#include "engine/remote/pipe_io.h"
#include "engine/remote/temporary_folder.h"
#include "engine/runs/records/forced_hits.h"
#include "engine/runs/records/run_command.h"

namespace carryover {

namespace {

using nlohmann::json;

std::string last_line(const std::string& text) {
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return last.substr(0, 300);
}

/// A peer's process. A stop request ends it: it has a session of its own and hears no Ctrl-C. The number of times that
/// LibTorch's threads spin is ours to choose for us alone, not for the peer.
class PeerProcess {
 public:
  PeerProcess(std::string name, const std::string& command)
      : name_(std::move(name)), child_(command_words(command), {"GOMP_SPINCOUNT", "GLIBC_TUNABLES"}) {}

  void send(const std::string& line, RunControl& control) {
    if (write_all(child_.input(), line + "\n", [&] { return stops(control); })) return;
    if (stops(control)) cancel();
    fail();
  }

  std::string receive_line(RunControl& control) {
    for (std::size_t end; (end = out_.find('\n')) == std::string::npos;)
      if (!receive(control)) fail();
    const std::string line = out_.substr(0, out_.find('\n'));
    out_.erase(0, line.size() + 1);
    return line;
  }

  std::string receive_all(RunControl& control) {
    while (receive(control)) continue;
    if (const auto end = child_.wait(10000); !end || *end != "exit code 0") fail();
    return out_;
  }

 private:
  static bool stops(RunControl& control) { return control.stop_requested(); }

  /// False once it has closed its output.
  bool receive(RunControl& control) {
    pollfd sources[] = {{child_.output(), POLLIN, 0}, {child_.errors(), POLLIN, 0}};
    ::poll(sources, errors_open_ ? 2 : 1, 10 * kPipeTickMs);
    if (stops(control)) cancel();
    if (errors_open_ && read_some(child_.errors(), errors_) == ReadResult::End) errors_open_ = false;
    return read_some(child_.output(), out_) != ReadResult::End;
  }

  [[noreturn]] void cancel() {
    child_.kill();
    throw EngineError(Fault::Cancelled, name_, "was stopped");
  }

  [[noreturn]] void fail() {
    const std::string end = child_.wait(2000).value_or("closed its output");
    while (read_some(child_.errors(), errors_) == ReadResult::Some) continue;
    const std::string said = last_line(errors_);
    throw EngineError(Fault::Io, name_, end + (said.empty() ? "" : ": " + said),
                      "Run it by hand to see more, or measure without it.");
  }

  std::string name_;
  ChildProcess child_;
  std::string out_, errors_;
  bool errors_open_ = true;
};

/// transformers in a Python of its own, which both of its subjects ask.
class TransformersPeer {
 public:
  TransformersPeer(const std::string& python, const BenchInput& input, RunControl& control) : input_(input) {
    const std::string script = folder_.path() + "/peer_transformers.py";
    write_file_atomically(script, bench_peer_script);
    const bool by_path = python.find('/') != std::string::npos;
    const std::string program = by_path ? std::filesystem::absolute(python).string() : python;
    process_ = std::make_unique<PeerProcess>("transformers", shell_word(program) + " -u " + shell_word(script));
    const ModelInfo& model = input.model;
    json setup{{"dtype", dtype_name(dtype())}, {"threads", model.threads}, {"device", device_name(model.device)}};
    if (has_our_weights())
      setup["model"] = model.path;
    else
      setup["config"] = hf_config_to_json(model.config, dtype() == DType::BFloat16 ? "bfloat16" : "float32");
    program_ = ask(setup, control).at("program").get<std::string>();
  }

  const BenchInput& input() const { return input_; }
  const std::string& program() const { return program_; }
  bool has_our_weights() const { return !names_random_model(input_.model.path); }
  DType dtype() const {  // the nearest that it has
    return input_.model.dtype == DType::Q8 ? DType::BFloat16 : input_.model.dtype;
  }

  json ask(const json& question, RunControl& control) {
    process_->send(question.dump(), control);
    const std::string line = process_->receive_line(control);
    json answer = find_json(line).value_or(nullptr);
    if (!answer.is_object() || answer.contains("error"))
      throw EngineError(Fault::Io, "transformers",
                        answer.is_object() ? answer["error"].dump() : "said " + line.substr(0, 200),
                        "Check that this Python has transformers and torch.");
    return answer;
  }

 private:
  const BenchInput& input_;
  TemporaryFolder folder_;
  std::unique_ptr<PeerProcess> process_;
  std::string program_;
};

/// Decodes with transformers' default cache, or with a cache of fixed size and torch.compile: which of the two is
/// faster depends on the machine.
class TransformersSubject final : public BenchSubject {
 public:
  TransformersSubject(std::shared_ptr<TransformersPeer> peer, bool compiled)
      : peer_(std::move(peer)), compiled_(compiled) {}

  std::string name() const override { return compiled_ ? "transformers compiled" : "transformers"; }
  std::string program() const override { return peer_->program(); }
  std::string cannot(BenchKind kind) const override {
    return compiled_ && kind != BenchKind::Decode ? "decoding alone is compiled" : "";
  }
  BenchSource source() const override {
    const BenchInput& input = peer_->input();
    const std::string dtype(dtype_name(peer_->dtype()));
    const bool autocast = peer_->dtype() == DType::BFloat16;
    return {name(),
            program(),
            dtype,
            autocast ? "fp32 with bf16 autocast" : dtype,
            peer_->has_our_weights() ? input.model.weights_hash : "",
            text_hash(input.ids)};
  }

  BenchSample measure(const BenchCase& bench_case, BenchPurpose purpose, RunControl& control) override {
    const json answer = peer_->ask({{"what", bench_kind_name(bench_case.kind)},
                                    {"ids", *peer_->input().first_ids(bench_case.tokens)},
                                    {"new_tokens", peer_->input().new_tokens},
                                    {"checkpointing", bench_case.checkpointing},
                                    {"compiled", compiled_},
                                    {"measure_memory", purpose != BenchPurpose::Time}},
                                   control);
    BenchSample sample{answer.at("seconds").get<double>(), {}, {}};
    if (!answer.at("peak_bytes").is_null()) sample.peak_bytes = answer.at("peak_bytes").get<std::int64_t>();
    return sample;
  }

 private:
  std::shared_ptr<TransformersPeer> peer_;
  bool compiled_;
};

constexpr std::int64_t kWarmUpTokens = 8192;  ///< of a longer text the first moments do not matter

/// llama-bench's last word on a model is how its weights are stored: "llama 135M BF16".
std::string llama_dtype(const std::string& model_type) {
  const std::string stored = model_type.substr(model_type.find_last_of(' ') + 1);
  const std::pair<const char*, const char*> names[] = {
      {"F32", "fp32"}, {"F16", "fp16"}, {"BF16", "bf16"}, {"Q8_0", "q8"}};
  for (const auto& [theirs, ours] : names)
    if (stored == theirs) return ours;
  return stored;
}

/// Runs llama-bench with or without its flash attention (-fa): which of the two is faster depends on the machine and
/// the length.
class LlamaBenchSubject final : public BenchSubject {
 public:
  LlamaBenchSubject(const BenchInput& input, std::string program, bool flash_attention)
      : input_(input), program_(std::move(program)), flash_attention_(flash_attention) {}

  std::string name() const override { return flash_attention_ ? "llama-bench -fa" : "llama-bench"; }
  std::string program() const override { return described_.empty() ? program_ : described_; }
  std::string cannot(BenchKind kind) const override {
    return kind == BenchKind::Train ? "llama-bench measures no training" : "";
  }
  bool warms_up_by_itself() const override { return true; }
  BenchSource source() const override {  // it draws its own tokens
    return {name(), program(), llama_dtype(model_type_), {}, input_.model.weights_hash, {}};
  }

  BenchSample measure(const BenchCase& bench_case, BenchPurpose, RunControl& control) override {
    const std::string tokens = std::to_string(bench_case.tokens), made = std::to_string(input_.new_tokens);
    const bool decoding = bench_case.kind == BenchKind::Decode;
    PeerProcess process(name(), shell_word(program_) + " -m " + shell_word(input_.model.path) + " -r 1 -o json -t " +
                                    std::to_string(input_.model.threads) + " -fa " + (flash_attention_ ? "1" : "0") +
                                    (input_.model.device == Device::Cuda ? " -ngl 99" : " -ngl 0") +
                                    (decoding ? " -p 0 -n " + made + " -d " + tokens : " -n 0 -p " + tokens) +
                                    (bench_case.tokens > kWarmUpTokens ? " --no-warmup" : ""));
    const std::string said = process.receive_all(control);
    const json tests = find_json(said).value_or(nullptr);
    if (!tests.is_array() || tests.empty() || !tests[0].contains("avg_ns"))
      throw EngineError(Fault::Io, name(), "printed no results", "Use a llama-bench that knows -o json, -d and -fa.");
    const json& test = tests[0];
    model_type_ = test.value("model_type", "");
    described_ = "llama.cpp " + test.value("build_commit", "") + ", " + model_type_;
    const double seconds = test.at("avg_ns").get<double>() * 1e-9;
    return {decoding ? seconds / static_cast<double>(input_.new_tokens) : seconds, {}, {}};
  }

 private:
  const BenchInput& input_;
  std::string program_, described_, model_type_;
  bool flash_attention_;
};

}  // namespace

std::vector<std::unique_ptr<BenchSubject>> transformers_subjects(const std::string& python, const BenchInput& input,
                                                                 bool decoding, RunControl& control) {
  const auto peer = std::make_shared<TransformersPeer>(python, input, control);
  std::vector<std::unique_ptr<BenchSubject>> subjects;
  subjects.push_back(std::make_unique<TransformersSubject>(peer, false));
  if (decoding) subjects.push_back(std::make_unique<TransformersSubject>(peer, true));
  return subjects;
}

std::vector<std::unique_ptr<BenchSubject>> llama_bench_subjects(const BenchInput& input, std::string& why_not) {
  std::vector<std::unique_ptr<BenchSubject>> subjects;
  const std::string program = find_program("llama-bench");
  if (program.empty())
    why_not = "there is no llama-bench on PATH";
  else if (!input.model.path.ends_with(".gguf"))
    why_not = "llama-bench reads GGUF files only";
  else
    for (const bool flash_attention : {false, true})
      subjects.push_back(std::make_unique<LlamaBenchSubject>(input, program, flash_attention));
  return subjects;
}

}  // namespace carryover
