// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/cost/dtype_choice.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace carryover {

namespace {

#ifdef __x86_64__
/// Returns true if the system lets a process use AMX's tile data. Linux 5.16 and later say which extended states a
/// process may ask for.
[[maybe_unused]] bool system_allows_tiles() {
  constexpr int get_supported = 0x1021, tile_data = 18;  // ARCH_GET_XCOMP_SUPP, XFEATURE_XTILEDATA
  unsigned long states = 0;
  return syscall(SYS_arch_prctl, get_supported, &states) == 0 && (states >> tile_data & 1) != 0;
}
#endif

struct Row {
  const char* processor;
  bool (*matches)(const CpuFeatures& cpu);
  DType prefill;
  const char* why_prefill;
  DType decode;
  const char* why_decode;
};

constexpr const char* kLessToRead = "decoding is bound by reading the weights, and bf16 halves them";

/// The first row that matches decides. The comments give tokens/s of SmolLM2 on 2 cores, bf16 : fp32, for a prefill of
/// 512 tokens under full attention and for decoding after 512 tokens, measured on 2026-11-22 and 23 at commits 9a49daf
/// to 3f38ce3. docs/benchmarks.md measures them by kind of processor in "Prefill on the CPU", "Decoding on the CPU" and
/// "Decoding against llama.cpp": if figures that are published there contradict a row, the row has to change.
constexpr Row kRows[] = {
    // Xeon with AMX: prefill 3899 : 1036, decoding 67.1 : 39.2.
    {"AMX-BF16", [](const CpuFeatures& cpu) { return cpu.amx_bf16; }, DType::BFloat16,
     "its bf16 matmuls are several times as fast as fp32", DType::BFloat16, kLessToRead},
    // Prefill: issue 22 reports that bf16 is slower on a Xeon of this kind, and the page has no figures for it yet.
    // Decoding: it uses the same row kernel as all other rows, which upcasts bf16 as it reads, and which was faster in
    // bf16 on each of them.
    {"AVX512-BF16 by Intel, without AMX", [](const CpuFeatures& cpu) { return cpu.avx512_bf16 && cpu.intel; },
     DType::Float32, "its bf16 matmuls are slower than fp32", DType::BFloat16, kLessToRead},
    // EPYC with AVX512-BF16: prefill 1331 : 755, decoding 94 : 54.
    {"AVX512-BF16", [](const CpuFeatures& cpu) { return cpu.avx512_bf16; }, DType::BFloat16,
     "its bf16 matmuls are faster than fp32", DType::BFloat16, kLessToRead},
    // EPYC without AVX-512: prefill 478 : 614, decoding 62 to 71 : 52.7.
    {"AVX2 and no bf16 matmuls", [](const CpuFeatures& cpu) { return cpu.avx2; }, DType::Float32,
     "bf16 would be upcast to fp32 for each matmul", DType::BFloat16, kLessToRead},
    {"neither AVX2 nor bf16 matmuls", [](const CpuFeatures&) { return true; }, DType::Float32,
     "bf16 would be upcast to fp32 for each matmul", DType::Float32, "nothing was measured on such a processor"},
};

}  // namespace

CpuFeatures this_cpu() {
  CpuFeatures cpu;
#ifdef __x86_64__
  cpu.avx2 = __builtin_cpu_supports("avx2");
  cpu.avx512_bf16 = __builtin_cpu_supports("avx512bf16");
#ifndef __clang__  // clang 14 can't be asked; it builds the fuzz targets alone, which compute nothing
  cpu.amx_bf16 = __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-bf16") && system_allows_tiles();
#endif
  cpu.intel = __builtin_cpu_is("intel");
#endif
  return cpu;
}

bool is_small_model(const ModelConfig& model) {
  constexpr std::int64_t worth_sharing = 1 << 16;  // weights of one matrix
  return model.hidden * model.intermediate < worth_sharing;
}

DTypeChoice choose_dtype(DType asked, Device device, const CpuFeatures& cpu, const ModelConfig& model, Phase phase) {
  if (asked != DType::Auto) return {asked, "asked for"};
  if (device == Device::Cuda) return {DType::BFloat16, "a GPU"};
  // There are no figures: its matrices stay in a core's own cache, so that bf16 saves no memory traffic but loses
  // digits.
  if (is_small_model(model)) return {DType::Float32, "a small model, whose weights stay in the processor's cache"};
  for (const Row& row : kRows) {
    if (!row.matches(cpu)) continue;
    const std::string processor = std::string("a processor with ") + row.processor + ": ";
    return phase == Phase::Prefill ? DTypeChoice{row.prefill, processor + row.why_prefill}
                                   : DTypeChoice{row.decode, processor + row.why_decode};
  }
  return {};
}

}  // namespace carryover
