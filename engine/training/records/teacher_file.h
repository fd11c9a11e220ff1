// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/formats/input_file.h"
#include "engine/training/records/training_plan.h"

namespace carryover {

/// The file in a training's folder that keeps the teacher's logits for its samples.
inline constexpr const char* kTeacherFile = "teacher.bin";
/// The number of logits that are kept for a target, the largest ones; a smaller vocabulary keeps all.
inline constexpr std::int64_t teacher_logits = 64;

/// The k largest logits of each target of a sample, in descending order. Row t belongs to the target behind token t.
struct TeacherRows {
  std::int64_t targets = 0, k = 0;
  std::vector<std::int32_t> ids;  ///< [targets, k]
  std::vector<float> logits;      ///< [targets, k]
};

/// A sample as a training draws it.
struct TeacherSample {
  std::int64_t targets = 0;
  std::uint64_t order = 0;  ///< hash of this sample and all before it, which identifies them
};

/// The key that a teacher's file must have; if one of these differs, the file belongs to another training.
struct TeacherKey {
  std::string weights;  ///< ModelInfo::weights_hash of the teacher
  std::int64_t vocabulary = 0, k = 0;
  std::vector<TeacherSample> samples;  ///< all that the training draws, in order
};

/// A function that does a write, and decides whether to try again where it fails.
using Keeping = std::function<void(const std::function<void()>& write)>;

/// Writes the file whole or not at all, a sample at a time: `rows_of` is called for each of the key's samples in order,
/// and may throw to give up. Each write goes through `keep`. Eight bytes of length and a JSON header; then, for each
/// sample, its `order`, the hash of what follows, its ids (int32) and logits (fp32). Throws EngineError{Io}.
void write_teacher(
    const std::string& path, const TeacherKey& key, const std::function<TeacherRows(std::int64_t sample)>& rows_of,
    const Keeping& keep = [](const std::function<void()>& write) { write(); });

/// Reads such a file, which may come from anybody, a sample at a time. Owner: one thread.
class TeacherFile {
 public:
  /// Throws EngineError{BadInput, Io} naming the file where it is cut off, damaged, or made by another teacher or for
  /// other samples.
  TeacherFile(const std::string& path, const TeacherKey& key);

  /// Returns how many of the key's samples the file has: fewer where it was written for fewer steps.
  std::int64_t samples() const { return static_cast<std::int64_t>(begins_.size()); }
  /// Returns a sample's rows; ids are in the vocabulary, and logits finite and descending. Throws EngineError{BadInput,
  /// Io} naming the file.
  TeacherRows read(std::int64_t sample) const;

 private:
  void place_samples(std::int64_t begin, std::int64_t stored);

  InputFile file_;
  std::int64_t vocabulary_, k_;
  std::vector<TeacherSample> samples_;
  std::vector<std::int64_t> begins_;  ///< places of the file's samples, in bytes
};

/// Return the bytes of the file: for the key's samples, or, for a plan whose texts have not been read yet, at most.
double teacher_bytes(const TeacherKey& key);
double teacher_bytes(const TrainingPlan& plan, std::int64_t vocabulary);

}  // namespace carryover
