// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <ATen/core/Tensor.h>

#include <string>

#include "engine/formats/safetensors.h"
#include "engine/formats/safetensors_writer.h"

namespace carryover {

/// A tensor to be written under `name`. It is copied to the host, dense, when its turn comes, and kept alive until
/// then. If it has a value that is not finite, writing throws EngineError{BadInput} naming it, because nobody could
/// read the file again.
OutgoingTensor outgoing(const std::string& name, const at::Tensor& tensor);
/// One that is made when its turn comes.
OutgoingTensor outgoing(const std::string& name, at::ScalarType type, at::IntArrayRef shape,
                        std::function<at::Tensor()> make);

/// Copies a stored tensor into one of the same shape, converting its dtype. Throws EngineError{BadInput} naming file
/// and tensor where it is missing, has another shape, a dtype that is none of ours, or a value that is not finite.
void read_tensor(const SafetensorsFile& file, const std::string& name, at::Tensor into,
                 const char* advice = "Resume from another checkpoint, or train again.");

}  // namespace carryover
