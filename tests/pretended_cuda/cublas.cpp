// SPDX-License-Identifier: GPL-3.0-or-later
// libcublas: products are counted, and their matrices have to be on the device. The functions are declared here,
// because cuBLAS's headers are not among what a compiler of CUDA needs.
#include <cstdint>
#include <cstdlib>

#include "tests/pretended_cuda/report.h"

namespace {

using Handle = void*;
using Status = int;
using Scalar = const void*;

constexpr Status success = 0;

/// The sizes of a cudaDataType that LibTorch multiplies.
std::int64_t bytes_of(int type) {
  constexpr int float64 = 1, half = 2, bfloat16 = 14;
  return type == float64 ? 8 : type == half || type == bfloat16 ? 2 : 4;
}

constexpr int float32_type = 0, float64_type = 1;

/// A matrix by columns, of each of `count` batches.
struct Matrix {
  const void* address;
  int type, rows, columns, leading;
  std::int64_t stride = 0;

  void check(const char* what, int count) const {
    if (rows == 0 || columns == 0 || count == 0) return;
    const std::int64_t last = (count - 1) * stride + std::int64_t{leading} * (columns - 1) + rows;
    pretended_cuda_check(what, address, last * bytes_of(type));
  }
};

struct Product {
  bool transposed_a, transposed_b;
  int m, n, k;

  Matrix a(const void* address, int type, int leading, std::int64_t stride = 0) const {
    return {address, type, transposed_a ? k : m, transposed_a ? m : k, leading, stride};
  }
  Matrix b(const void* address, int type, int leading, std::int64_t stride = 0) const {
    return {address, type, transposed_b ? n : k, transposed_b ? k : n, leading, stride};
  }
  Matrix c(const void* address, int type, int leading, std::int64_t stride = 0) const {
    return {address, type, m, n, leading, stride};
  }
};

Status multiply(const char* function, const Matrix& a, const Matrix& b, const Matrix& c, int count = 1) {
  pretended_cuda_launch(function);
  a.check("a product's first matrix", count);
  b.check("a product's second matrix", count);
  c.check("a product's result", count);
  return success;
}

}  // namespace

extern "C" {

Status cublasCreate_v2(Handle* handle) {
  *handle = std::malloc(1);
  return success;
}
Status cublasDestroy_v2(Handle handle) {
  std::free(handle);
  return success;
}
Status cublasGetMathMode(Handle, int* mode) {
  *mode = 0;
  return success;
}
Status cublasSetMathMode(Handle, int) {
  return success;
}
Status cublasGetPointerMode_v2(Handle, int* mode) {
  *mode = 0;
  return success;
}
Status cublasSetPointerMode_v2(Handle, int) {
  return success;
}
Status cublasSetStream_v2(Handle, void*) {
  return success;
}
Status cublasSetWorkspace_v2(Handle, void* workspace, std::size_t bytes) {
  if (bytes > 0) pretended_cuda_check("cuBLAS's workspace", workspace, static_cast<std::int64_t>(bytes));
  return success;
}

Status cublasGemmEx(Handle, int ta, int tb, int m, int n, int k, Scalar, const void* a, int a_type, int lda,
                    const void* b, int b_type, int ldb, Scalar, void* c, int c_type, int ldc, int, int) {
  const Product p{ta != 0, tb != 0, m, n, k};
  return multiply("cublasGemmEx", p.a(a, a_type, lda), p.b(b, b_type, ldb), p.c(c, c_type, ldc));
}

Status cublasGemmStridedBatchedEx(Handle, int ta, int tb, int m, int n, int k, Scalar, const void* a, int a_type,
                                  int lda, long long a_stride, const void* b, int b_type, int ldb, long long b_stride,
                                  Scalar, void* c, int c_type, int ldc, long long c_stride, int count, int, int) {
  const Product p{ta != 0, tb != 0, m, n, k};
  return multiply("cublasGemmStridedBatchedEx", p.a(a, a_type, lda, a_stride), p.b(b, b_type, ldb, b_stride),
                  p.c(c, c_type, ldc, c_stride), count);
}

Status cublasSgemm_v2(Handle, int ta, int tb, int m, int n, int k, Scalar, const float* a, int lda, const float* b,
                      int ldb, Scalar, float* c, int ldc) {
  const Product p{ta != 0, tb != 0, m, n, k};
  return multiply("cublasSgemm", p.a(a, float32_type, lda), p.b(b, float32_type, ldb), p.c(c, float32_type, ldc));
}

Status cublasDgemm_v2(Handle, int ta, int tb, int m, int n, int k, Scalar, const double* a, int lda, const double* b,
                      int ldb, Scalar, double* c, int ldc) {
  const Product p{ta != 0, tb != 0, m, n, k};
  return multiply("cublasDgemm", p.a(a, float64_type, lda), p.b(b, float64_type, ldb), p.c(c, float64_type, ldc));
}

Status cublasSgemv_v2(Handle, int transposed, int m, int n, Scalar, const float* a, int lda, const float* x, int x_step,
                      Scalar, float* y, int y_step) {
  const int x_count = transposed != 0 ? m : n, y_count = transposed != 0 ? n : m;
  return multiply("cublasSgemv", {a, float32_type, m, n, lda}, {x, float32_type, 1, x_count, x_step},
                  {y, float32_type, 1, y_count, y_step});
}

Status cublasSgemmStridedBatched(Handle, int ta, int tb, int m, int n, int k, Scalar, const float* a, int lda,
                                 long long a_stride, const float* b, int ldb, long long b_stride, Scalar, float* c,
                                 int ldc, long long c_stride, int count) {
  const Product p{ta != 0, tb != 0, m, n, k};
  return multiply("cublasSgemmStridedBatched", p.a(a, float32_type, lda, a_stride), p.b(b, float32_type, ldb, b_stride),
                  p.c(c, float32_type, ldc, c_stride), count);
}
}
