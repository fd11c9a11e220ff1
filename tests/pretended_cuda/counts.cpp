// SPDX-License-Identifier: GPL-3.0-or-later
// pretended_cuda_counts MODEL: reads random tokens in segments under `segmented` and under `full`, and decodes some in
// the middle of a segment, with a mark after each segment and token (counts.py).
#include <dlfcn.h>

#include <exception>
#include <iostream>

#include "engine/api/engine_library.h"
#include "engine/config/segment_config.h"

namespace {

using namespace carryover;

constexpr std::int64_t segments = 5, tokens_decoded = 8;

/// The preloaded runtime's.
void mark(const std::string& name) {
  static const auto place = reinterpret_cast<void (*)(const char*)>(dlsym(RTLD_DEFAULT, "pretended_cuda_mark"));
  place(name.c_str());
}

struct Marks final : RunObserver {
  explicit Marks(std::string name) : policy(std::move(name)) {}
  void segment_done(std::shared_ptr<const SegmentSnapshot>) override { mark(policy); }
  std::string policy;
};

std::vector<std::int32_t> tokens(std::int64_t count, std::int64_t vocabulary) {
  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(static_cast<std::int32_t>(i * 7919 % vocabulary));
  return ids;
}

void read(Session& session, const SegmentConfig& config, const std::string& policy) {
  RunRequest request;
  request.ids = std::make_shared<std::vector<std::int32_t>>(
      tokens(segments * config.segment_length, session.model().config.vocabulary));
  request.policy = policy;
  request.config = config;
  request.loss = false;
  request.capture = CaptureOptions::nothing();
  Marks marks(policy);
  RunControl control;
  session.run(request, marks, control);
}

/// Behind two segments and a half.
void decode(Session& session, const SegmentConfig& config, const std::string& policy) {
  GenerateRequest request;
  request.prompt = tokens(config.segment_length * 5 / 2, session.model().config.vocabulary);
  request.policy = policy;
  request.config = config;
  request.max_new_tokens = tokens_decoded;
  RunControl control;
  session.generate(
      request,
      [&](const GeneratedToken&) {
        mark("decode " + policy);
        return true;
      },
      control);
}

void count(const std::string& model) {
  ModelRequest request;
  request.path = model;
  request.dtype = DType::BFloat16;
  request.device = Device::Cuda;
  const auto session = load_session(request, [](double, const std::string&) {});
  const SegmentConfig config = SegmentConfig::defaults_for(session->model().config);
  for (const std::string policy : {"segmented", "full"}) {
    read(*session, config, policy);
    decode(*session, config, policy);
  }
}

}  // namespace

int main(int count_of_arguments, char** arguments) {
  try {
    if (count_of_arguments != 2) throw std::runtime_error("usage: pretended_cuda_counts MODEL");
    count(arguments[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
