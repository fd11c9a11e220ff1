// SPDX-License-Identifier: GPL-3.0-or-later
// kernel_parity [--cases N] [--no-times]: runs random cases of tests/support/*_cases.h, 1000 or N, through each CUDA
// kernel and its CPU reference, prints what agrees, then times each kernel at the size of a 7B model. Exit: 0 all
// agree, 1 not, 2 wrong usage, 77 no GPU.
#include <cuda_runtime_api.h>

#include <charconv>
#include <cstdio>
#include <exception>
#include <string_view>

#include "examples/kernel_parity/layer_parity.h"
#include "examples/kernel_parity/list_parity.h"
#include "examples/kernel_parity/parity.h"
#include "tests/support/kernels/kernel_cases.h"

using namespace carryover;
using namespace carryover::kernels;
using parity::check;
using parity::compare;
using parity::cuda;
using parity::DeviceArray;
using parity::finish;
using parity::median_ms;

namespace {

struct DevicePoolTopk {
  explicit DevicePoolTopk(const kernel_cases::PoolTopkCase& c)
      : keys(c.keys),
        summaries(c.summaries),
        head_slot(c.head_slot),
        scores(c.results()),
        indices(c.results()),
        workspace(static_cast<std::size_t>(cuda().pool_topk_workspace_bytes(c.args))),
        args(c.args) {
    args.keys = keys.get(), args.summaries = summaries.get(), args.head_slot = head_slot.get();
    args.scores = scores.get(), args.indices = indices.get(), args.workspace = workspace.get();
  }
  DeviceArray<std::byte> keys;
  DeviceArray<float> summaries;
  DeviceArray<std::int32_t> head_slot;
  DeviceArray<float> scores;
  DeviceArray<std::int64_t> indices;
  DeviceArray<std::byte> workspace;
  PoolTopk args;
};

struct DeviceGatherPrefix {
  explicit DeviceGatherPrefix(const kernel_cases::GatherPrefixCase& c)
      : pool_keys(c.pool_keys),
        pool_values(c.pool_values),
        head_slot(c.head_slot),
        positions(c.positions),
        keys(c.result_bytes()),
        values(c.result_bytes()),
        args(c.args) {
    args.pool_keys = pool_keys.get(), args.pool_values = pool_values.get(), args.head_slot = head_slot.get();
    args.positions = positions.get(), args.keys = keys.get(), args.values = values.get();
  }
  DeviceArray<std::byte> pool_keys, pool_values;
  DeviceArray<std::int32_t> head_slot;
  DeviceArray<std::int64_t> positions;
  DeviceArray<std::byte> keys, values;
  GatherPrefix args;
};

/// Equal scores and indices, and nothing written behind them.
bool pool_topk_agrees(int n) {
  const auto c = kernel_cases::pool_topk_case(n);
  const DevicePoolTopk device(c);
  finish(cuda().pool_topk(device.args, nullptr));
  std::vector<float> scores(c.results());
  std::vector<std::int64_t> indices(c.results());
  PoolTopk args = c.args;
  args.keys = c.keys.data(), args.summaries = c.summaries.data(), args.head_slot = c.head_slot.data();
  args.scores = scores.data(), args.indices = indices.data();
  reference::pool_topk(args, nullptr);
  return device.scores.host() == scores && device.indices.host() == indices && device.scores.guard_intact() &&
         device.indices.guard_intact() && device.workspace.guard_intact();
}

bool gather_prefix_agrees(int n) {
  const auto c = kernel_cases::gather_prefix_case(n);
  const DeviceGatherPrefix device(c);
  finish(cuda().gather_prefix(device.args, nullptr));
  std::vector<std::byte> keys(c.result_bytes()), values(c.result_bytes());
  GatherPrefix args = c.args;
  args.pool_keys = c.pool_keys.data(), args.pool_values = c.pool_values.data();
  args.head_slot = c.head_slot.data(), args.positions = c.positions.data();
  args.keys = keys.data(), args.values = values.data();
  reference::gather_prefix(args, nullptr);
  return device.keys.host() == keys && device.values.host() == values && device.keys.guard_intact() &&
         device.values.guard_intact();
}

/// One layer of a 7B model at the default grouping: 16 long-range heads of 128, R = 512, L_q = 64.
void time_kernels() {
  constexpr std::int32_t heads = 16, head_dim = 128, prefix = 512;
  kernel_cases::Draw draw(1);
  for (const std::int64_t entries : {std::int64_t{16384}, std::int64_t{131072}}) {
    kernel_cases::PoolTopkCase pool;
    pool.args.key_type = Element::BFloat16, pool.args.entries = entries, pool.args.slot_stride = entries * head_dim;
    pool.args.heads = heads, pool.args.summary_count = 16, pool.args.head_dim = head_dim, pool.args.k = 16;
    pool.keys = kernel_cases::exact_elements(draw, Element::BFloat16, heads * entries * head_dim);
    for (int i = 0; i < heads * 16 * head_dim; ++i) pool.summaries.push_back(draw.eighth());
    for (std::int32_t head = 0; head < heads; ++head) pool.head_slot.push_back(head);
    const DevicePoolTopk topk(pool);
    const float ms = median_ms([&] { return cuda().pool_topk(topk.args, nullptr); });
    std::printf("pool_topk      %6lld entries, 16 heads, bf16   %8.3f ms   %7.1f GB/s of keys\n",
                static_cast<long long>(entries), ms, static_cast<double>(pool.keys.size()) / 1e6 / ms);

    kernel_cases::GatherPrefixCase chosen;
    chosen.args.type = Element::BFloat16, chosen.args.slot_stride = entries * head_dim;
    chosen.args.heads = heads, chosen.args.prefix_length = prefix, chosen.args.head_dim = head_dim;
    chosen.pool_keys = pool.keys, chosen.pool_values = pool.keys, chosen.head_slot = pool.head_slot;
    for (int i = 0; i < heads * prefix; ++i) chosen.positions.push_back(i % prefix * (entries / prefix));
    const DeviceGatherPrefix gather(chosen);
    std::printf("gather_prefix  %6lld entries, R = 512, bf16    %8.3f ms\n", static_cast<long long>(entries),
                median_ms([&] { return cuda().gather_prefix(gather.args, nullptr); }));
  }
}

}  // namespace

namespace {

struct Options {
  int cases = kernel_cases::case_count;
  bool times = true;
};

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--no-times") {
      options.times = false;
    } else if (word == "--cases" && i + 1 < argc) {
      const std::string_view number = argv[++i];
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), options.cases);
      if (error != std::errc() || end != number.data() + number.size() || options.cases < 1) return false;
    } else {
      return false;
    }
  }
  return options.cases <= kernel_cases::case_count;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: kernel_parity [--cases 1..%d] [--no-times]\n", kernel_cases::case_count);
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // a run that is killed leaves what it found
  parity::case_count = options.cases;
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("There is no CUDA device here, so nothing was compared.\n");
    return 77;
  }
  try {
    cudaDeviceProp device{};
    check(cudaGetDeviceProperties(&device, 0), "device");
    std::printf("%s, sm_%d%d\n", device.name, device.major, device.minor);
    bool agree = compare("pool_topk", pool_topk_agrees);
    agree = compare("gather_prefix", gather_prefix_agrees) && agree;
    agree = parity::layer_kernels_agree() && agree;
    agree = parity::list_attention_agrees() && agree;
    if (options.times) {
      time_kernels();
      parity::time_layer_kernels();
      parity::time_list_attention();
    }
    return agree ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernel_parity: %s\n", error.what());
    return 1;
  }
}
