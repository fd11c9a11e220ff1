// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <QTest>

namespace carryover::test {

inline at::Tensor noise(at::IntArrayRef shape, at::ScalarType type = at::kDouble) {
  return at::randn(shape, at::kDouble).to(type).requires_grad_(type == at::kDouble);
}

inline double error(const at::Tensor& a, const at::Tensor& b) {
  return (a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).abs().max().item<double>();
}

inline double mean_error(const at::Tensor& a, const at::Tensor& b) {
  return (a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).square().mean().sqrt().item<double>();
}

/// Values and gradients of two ways to compute the same, in fp64.
inline void same(const at::Tensor& fast, const at::Tensor& plain, const std::vector<at::Tensor>& inputs) {
  QVERIFY(error(fast, plain) < 1e-12);
  const at::Tensor seed = at::randn(fast.sizes(), at::kDouble);
  const auto a = torch::autograd::grad({fast}, inputs, {seed}), b = torch::autograd::grad({plain}, inputs, {seed});
  for (std::size_t i = 0; i < inputs.size(); ++i) QVERIFY2(error(a[i], b[i]) < 1e-11, qPrintable(QString::number(i)));
}

}  // namespace carryover::test
