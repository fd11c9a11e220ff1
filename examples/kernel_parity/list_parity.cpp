// SPDX-License-Identifier: GPL-3.0-or-later
#include "examples/kernel_parity/list_parity.h"

#include <algorithm>

#include "examples/kernel_parity/device_kv.h"
#include "examples/kernel_parity/parity.h"
#include "tests/support/kernels/list_cases.h"

namespace carryover::parity {

using namespace kernels;
using kernel_cases::Bytes;
using kernel_cases::ListAttentionCase;

namespace {

struct DeviceListAttention {
  explicit DeviceListAttention(const ListAttentionCase& c)
      : queries(c.queries),
        apart_queries(c.apart_queries),
        prefix(c.prefix),
        segment(c.segment),
        tiles(c.tiles),
        lists(c.lists),
        runs(c.runs),
        output(c.result_bytes()),
        workspace(static_cast<std::size_t>(cuda().list_attention_workspace_bytes(c.args))),
        log_sums(static_cast<std::size_t>(c.results())),
        args(c.args) {
    args.queries.data = queries.get(), args.apart_queries.data = apart_queries.get();
    args.prefix = prefix.args, args.segment = segment.args;
    if (!c.lists.empty()) args.tiles = tiles.get(), args.lists = lists.get(), args.runs = runs.get();
    args.output = output.get(), args.workspace = workspace.get(), args.log_sums = log_sums.get();
  }
  DeviceArray<std::byte> queries, apart_queries;
  DeviceKv prefix, segment;
  DeviceArray<QueryTile> tiles;
  DeviceArray<KeyList> lists;
  DeviceArray<KeyRun> runs;
  DeviceArray<std::byte> output, workspace;
  DeviceArray<float> log_sums;
  ListAttention args;
};

bool agrees(int n) {
  const ListAttentionCase c = kernel_cases::list_attention_case(n);
  const DeviceListAttention device(c);
  finish(cuda().list_attention(device.args, nullptr));
  Bytes expected(c.result_bytes());
  std::vector<float> log_sums(static_cast<std::size_t>(c.results()));
  ListAttention args = c.args;
  args.queries.data = c.queries.data(), args.apart_queries.data = c.apart_queries.data();
  args.prefix = on_host(c.prefix), args.segment = on_host(c.segment);
  if (!c.lists.empty()) args.tiles = c.tiles.data(), args.lists = c.lists.data(), args.runs = c.runs.data();
  args.output = expected.data(), args.log_sums = log_sums.data();
  reference::list_attention(args, nullptr);
  return device.output.guard_intact() && device.workspace.guard_intact() && device.log_sums.guard_intact() &&
         kernel_cases::agree(device.output.host(), expected, c.args.type, c.tolerance()) &&
         kernel_cases::log_sums_agree(device.log_sums.host(), log_sums, 1e-3);
}

/// `queries` of 32 heads, the last of so many tokens.
ListAttentionCase filled_case(std::int32_t queries, std::int32_t tokens) {
  constexpr std::int32_t heads = 32, d = 128;
  ListAttentionCase c;
  c.args.type = Element::BFloat16, c.args.heads = heads, c.args.head_dim = d, c.args.scale = 0.01f;
  c.args.query_count = queries, c.args.length = tokens, c.args.heads_together = 1;
  c.args.most_together = std::min(queries, list_attention_max_lanes);
  c.args.tile_count = (queries + list_attention_max_lanes - 1) / list_attention_max_lanes;
  c.args.queries = {nullptr, std::int64_t{queries} * d, d};
  c.queries = filled(std::int64_t{heads} * queries * d);
  c.segment = filled_kv(heads, tokens, d);
  return c;
}

void print(const char* what, const ListAttentionCase& c, double pairs) {
  const DeviceListAttention device(c);
  const float ms = median_ms([&] { return cuda().list_attention(device.args, nullptr); });
  std::printf("%-46s %8.3f ms   %7.1f TFLOP/s\n", what, ms, pairs * 4 * c.args.head_dim / 1e9 / ms);
}

void see_window(ListAttentionCase& c, std::int32_t length) {
  c.args.bands[0] = {0, c.args.length, 0, length, false};
  c.args.band_count = 1;
}

/// Every tile of 64 sees each `step`-th block of 64 keys before it, and its own.
double see_blocks(ListAttentionCase& c, std::int32_t step) {
  std::int64_t keys = 0;
  c.args.bands[0] = {0, c.args.length, 0, unlimited_reach, false};
  c.args.band_count = 1;
  c.args.row_lists = c.args.tile_count;
  for (std::int32_t head = 0; head < c.args.heads; ++head)
    for (std::int32_t tile = 0; tile < c.args.tile_count; ++tile) {
      if (head == 0) c.tiles.push_back({64 * tile, 64, tile});
      KeyList list{static_cast<std::int32_t>(c.runs.size()), 0, 0};
      for (std::int32_t block = tile % step; block <= tile; block += step) {
        c.runs.push_back({64 * block, list.keys});
        ++list.runs, list.keys += 64;
      }
      keys += list.keys;
      c.lists.push_back(list);
    }
  return 64.0 * static_cast<double>(keys);
}

}  // namespace

bool list_attention_agrees() {
  return compare("list_attention", agrees);
}

void time_list_attention() {
  ListAttentionCase blocks = filled_case(4096, 4096), window = filled_case(4096, 4096), token = filled_case(1, 4096);
  const double pairs = see_blocks(blocks, 8);
  print("list_attention 32 heads, 4096, an eighth, bf16", blocks, pairs);
  see_window(window, 512);
  print("list_attention 32 heads, 4096, window 512, bf16", window, 32.0 * 4096 * 512);
  see_window(token, 4096);
  print("list_attention 32 heads, a token of 4096, bf16", token, 32.0 * 4096);
}

}  // namespace carryover::parity
