// SPDX-License-Identifier: GPL-3.0-or-later
// libcublasLt: as cublas.cpp. Descriptors hold what a product's check needs of them.
#include <cstdint>
#include <cstring>

#include "tests/pretended_cuda/report.h"

namespace {

using Status = int;

constexpr Status success = 0;

struct Layout {
  std::int64_t rows, columns, leading;
  int type;
};

/// The layout of cublasLtMatmulHeuristicResult_t.
struct Heuristic {
  std::uint64_t algorithm[8];
  std::size_t workspace_bytes;
  Status state;
  float waves;
  int reserved[4];
};

void check(const char* what, const void* address, const Layout& layout) {
  constexpr int float32 = 0, float64 = 1;
  const std::int64_t bytes = layout.type == float64 ? 8 : layout.type == float32 ? 4 : 2;
  pretended_cuda_check(what, address, (layout.leading * (layout.columns - 1) + layout.rows) * bytes);
}

}  // namespace

extern "C" {

std::size_t cublasLtGetVersion() {
  return 130100;
}

Status cublasLtMatmulDescCreate(int** descriptor, int, int) {
  *descriptor = new int(0);
  return success;
}
Status cublasLtMatmulDescDestroy(int* descriptor) {
  delete descriptor;
  return success;
}
Status cublasLtMatmulDescSetAttribute(int*, int, const void*, std::size_t) {
  return success;
}
Status cublasLtMatmulPreferenceCreate(int** preference) {
  *preference = new int(0);
  return success;
}
Status cublasLtMatmulPreferenceDestroy(int* preference) {
  delete preference;
  return success;
}
Status cublasLtMatmulPreferenceSetAttribute(int*, int, const void*, std::size_t) {
  return success;
}
Status cublasLtMatrixLayoutCreate(Layout** layout, int type, std::uint64_t rows, std::uint64_t columns,
                                  std::int64_t leading) {
  *layout = new Layout{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading, type};
  return success;
}
Status cublasLtMatrixLayoutDestroy(Layout* layout) {
  delete layout;
  return success;
}
Status cublasLtMatrixLayoutSetAttribute(Layout*, int, const void*, std::size_t) {
  return success;
}

Status cublasLtMatmulAlgoGetHeuristic(void*, int*, Layout*, Layout*, Layout*, Layout*, int*, int, Heuristic* found,
                                      int* count) {
  *found = {};
  *count = 1;
  return success;
}

Status cublasLtMatmul(void*, int*, const void*, const void* a, Layout* a_layout, const void* b, Layout* b_layout,
                      const void*, const void* c, Layout* c_layout, void* d, Layout* d_layout, const void*,
                      void* workspace, std::size_t workspace_bytes, void*) {
  pretended_cuda_launch("cublasLtMatmul");
  check("a product's first matrix", a, *a_layout);
  check("a product's second matrix", b, *b_layout);
  check("what a product is added to", c, *c_layout);
  check("a product's result", d, *d_layout);
  if (workspace_bytes > 0)
    pretended_cuda_check("cuBLASLt's workspace", workspace, static_cast<std::int64_t>(workspace_bytes));
  return success;
}
}
