// SPDX-License-Identifier: GPL-3.0-or-later
// rope_prefix by its reference and by its device code. Include cuda_on_cpu.h or cuda_on_threads.h first.
#pragma once
#include "kernels/cuda/rope_prefix_device.h"
#include "tests/support/layer_cases.h"

namespace carryover::kernel_runs {

using namespace kernels;
using kernel_cases::Bytes;
using kernel_cases::RopePrefixCase;

inline RopePrefix with_addresses(const RopePrefixCase& c, const void* input, void* output) {
  RopePrefix args = c.args;
  args.input = input;
  args.inverse_frequency = c.inverse_frequency.data();
  args.output = output;
  return args;
}

inline Bytes run_reference(const RopePrefixCase& c) {
  Bytes output(c.input.size());
  reference::rope_prefix(with_addresses(c, c.input.data(), output.data()), nullptr);
  return output;
}

inline Bytes run_device_code(const RopePrefixCase& c) {
  Bytes output = c.input;  // in place
  const RopePrefix args = with_addresses(c, output.data(), output.data());
  const std::int64_t pairs = static_cast<std::int64_t>(args.rows) * args.length * (args.head_dim / 2);
  visit_element(args.type, [&](auto element) {
    cuda_on_cpu::launch({2, 1, 1}, rope_threads, [&] { rotate_pairs<decltype(element)>(args, pairs); });
  });
  return output;
}

inline bool runs_soon(const RopePrefixCase& c) {
  return !c.input.empty();
}

inline bool agrees(const RopePrefixCase& c, int) {
  return kernel_cases::agree(run_device_code(c), run_reference(c), c.args.type,
                             kernel_cases::rope_tolerance(c.args.type));
}

}  // namespace carryover::kernel_runs
