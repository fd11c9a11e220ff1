// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the logits of every token of a text as a NumPy file, for comparisons with other programs:
//   logits MODEL IDS.json OUT.npy [--policy full] [--config FILE.json] [--adapter FOLDER]
// IDS.json is a JSON array of ids; OUT.npy is float32 [tokens, vocabulary]. Runs in fp32 on the CPU.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/api/engine_library.h"
#include "engine/base/error.h"
#include "engine/data/text_source.h"
#include "engine/formats/json_file.h"

namespace {

/// NumPy's format 1.0: a magic word, the header's length, and a header padded to 64 bytes.
void write_npy(const std::string& path, const std::vector<float>& values, std::size_t rows, std::size_t columns) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                       std::to_string(columns) + "), }";
  header.append(64 - (header.size() + 11) % 64, ' ');
  header += '\n';
  std::ofstream out(path, std::ios::binary);
  const auto length = static_cast<std::uint16_t>(header.size());
  out << "\x93NUMPY\x01" << '\0' << static_cast<char>(length & 0xff) << static_cast<char>(length >> 8) << header;
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  if (!out.flush())
    throw carryover::EngineError(carryover::Fault::Io, path, "can't be written",
                                 "Free some space or choose another file.");
}

int run(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: logits MODEL IDS.json OUT.npy [--policy NAME] [--config FILE.json] [--adapter FOLDER]\n";
    return 2;
  }
  carryover::ModelRequest model;
  model.path = argv[1];
  model.dtype = carryover::DType::Float32;
  model.device = carryover::Device::Cpu;
  for (int i = 4; i + 1 < argc; i += 2)
    if (std::string(argv[i]) == "--adapter") model.adapter = argv[i + 1];
  const auto session = carryover::load_session(model, {});
  const carryover::ModelConfig& shape = session->model().config;

  carryover::RunRequest request;
  request.ids = std::make_shared<const std::vector<std::int32_t>>(carryover::read_ids(argv[2], shape.vocabulary));
  request.config = carryover::SegmentConfig::defaults_for(shape);
  for (int i = 4; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--policy") request.policy = argv[i + 1];
    if (std::string(argv[i]) == "--config")
      carryover::update_from_json(request.config, carryover::read_json_file(argv[i + 1], carryover::JsonKind::Settings),
                                  argv[i + 1]);
  }
  std::vector<std::int64_t> positions(request.ids->size());
  std::iota(positions.begin(), positions.end(), 0);
  carryover::RunControl control;
  const std::vector<float> logits = session->logits(request, positions, control);
  write_npy(argv[3], logits, positions.size(), static_cast<std::size_t>(shape.vocabulary));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  carryover::prepare_engine_environment(argv);
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "logits: " << error.what() << '\n';
    return 1;
  }
}
