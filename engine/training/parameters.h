// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/decoder/decoder.h"

namespace carryover {

/// One tensor that training changes: a leaf of the forward. Gradients that backward sends to it are added to `gradient`
/// at once, in max(fp32, dtype).
struct Parameter {
  at::Tensor leaf;      ///< the decoder's own tensor, in the compute dtype; requires a gradient
  at::Tensor low;       ///< low half of a bf16 leaf: both are an fp32 weight, which the optimizer updates
                        ///< (ops/weight_halves)
  at::Tensor gradient;  ///< sum since clear_gradients(); undefined before make_gradients(). For a leaf that is its own
                        ///< master, autograd's own gradient
  bool decays = false;  ///< weight decay applies: matrices, not norms and gates
};

/// Rows of a parameter that a file knows under one name: a Hugging Face weight, or an adapter's A or B as PEFT calls
/// it.
struct NamedRows {
  std::string name;
  std::size_t parameter = 0;
  std::int64_t first_row = 0, rows = 0;
};

/// All tensors that training changes: the decoder's weights, or its adapter where it has one, and gates in both cases.
/// Owner: a training run or an audit; the destructor leaves the decoder's tensors without gradients. Thread: engine.
class TrainableParameters {
 public:
  explicit TrainableParameters(Decoder& decoder);
  ~TrainableParameters();
  TrainableParameters(const TrainableParameters&) = delete;
  TrainableParameters& operator=(const TrainableParameters&) = delete;

  std::vector<Parameter>& all() { return parameters_; }
  const std::vector<NamedRows>& names() const { return names_; }
  std::vector<at::Tensor> leaves() const;

  /// Returns the gradient of the output head; undefined where it is frozen.
  at::Tensor head_gradient();

  /// Makes zeros for the gradients that are not there, before backward begins: made in the middle of a graph, they
  /// would stay in memory that the next graph needs in one piece.
  void make_gradients();
  void clear_gradients();                    ///< keeps the memory
  std::vector<at::Tensor> take_gradients();  ///< the gradients in order, moved out
  void make_masters();                       ///< gives bf16 leaves their low halves, before the first optimizer step

  std::int64_t count() const;  ///< number of values
  std::int64_t gradient_bytes() const, low_bytes() const;

 private:
  void watch();
  std::vector<Parameter> parameters_;
  std::vector<NamedRows> names_;
  std::ptrdiff_t head_ = -1;
};

}  // namespace carryover
