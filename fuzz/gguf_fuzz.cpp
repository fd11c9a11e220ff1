// SPDX-License-Identifier: GPL-3.0-or-later
// A GGUF file: its pairs, its directory, and the model and the vocabulary that they make (engine/formats/gguf.h).
#include "engine/checkpoints/gguf_source.h"
#include "engine/formats/gguf.h"
#include "fuzz/support/fuzz.h"
#include "fuzz/support/model_reading.h"

using namespace carryover;
using namespace carryover::fuzz;

namespace {

void read_pairs(const GgufFile& file) {
  accepts([&] { file.find_strings("tokenizer.ggml.tokens"); });
  accepts([&] { file.find_ints("tokenizer.ggml.token_type"); });
  accepts([&] { file.find_floats("tokenizer.ggml.scores"); });
  accepts([&] { file.find_bool("tokenizer.ggml.add_bos_token"); });
  accepts([&] { file.find_string("general.name"); });
  accepts([&] { file.find_int("llama.block_count"); });
  accepts([&] { file.find_float("llama.rope.freq_base"); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  std::optional<GgufFile> file;
  if (!accepts([&] { file = GgufFile::parse(bytes, "input.gguf"); })) return 0;
  for (const GgufTensor& tensor : file->tensors()) {
    require(file->find_tensor(tensor.name) == &tensor, "a tensor is found by its name");
    require(tensor.data.empty() || (tensor.data.data() >= bytes.data() &&
                                    tensor.data.data() + tensor.data.size() <= bytes.data() + bytes.size()),
            "a tensor lies in the file");
  }
  read_pairs(*file);
  std::unique_ptr<ModelSource> model;
  if (accepts([&] { model = gguf_model(*file, "input"); })) read_everything(*model);
  return 0;
}
