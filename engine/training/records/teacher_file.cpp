// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/training/records/teacher_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "engine/base/error.h"
#include "engine/formats/content_hash.h"
#include "engine/formats/json_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

namespace {

using nlohmann::json;

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr const char* kTeacherFormat = "carryover teacher 1";
constexpr std::int64_t kHashBytes = sizeof(std::uint64_t);
constexpr std::int64_t kSampleHeadBytes = 2 * kHashBytes;  ///< order and hash
constexpr std::int64_t kEntryBytes = sizeof(std::int32_t) + sizeof(float);
constexpr std::int64_t kMostHeaderBytes = 4096;

[[noreturn]] void refuse_teacher(const std::string& path, const std::string& problem) {
  throw EngineError(Fault::BadInput, path, problem,
                    "Put back the file that this training wrote. Without it: where an adapter is trained, delete this "
                    "one, and it is made again; where every parameter is, start the training again.");
}

std::string_view hash_bytes(const std::uint64_t& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::uint64_t hash_at(std::string_view bytes, std::int64_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string teacher_header(const TeacherKey& key) {
  std::int64_t targets = 0;
  for (const TeacherSample& sample : key.samples) targets += sample.targets;
  std::string text = json_text({{"format", kTeacherFormat},
                                {"weights", key.weights},
                                {"vocabulary", key.vocabulary},
                                {"k", key.k},
                                {"samples", key.samples.size()},
                                {"targets", targets}});
  text.append((8 - text.size() % 8) % 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(hash_bytes(length)) + text;
}

std::string sample_record(const TeacherSample& sample, const TeacherRows& rows) {
  const auto ids = std::as_bytes(std::span(rows.ids)), logits = std::as_bytes(std::span(rows.logits));
  std::string bytes(static_cast<std::size_t>(kSampleHeadBytes), '\0');
  bytes.append(reinterpret_cast<const char*>(ids.data()), ids.size());
  bytes.append(reinterpret_cast<const char*>(logits.data()), logits.size());
  const std::uint64_t hash = content_hash(std::as_bytes(std::span(bytes)).subspan(kSampleHeadBytes));
  bytes.replace(0, kHashBytes, hash_bytes(sample.order));
  bytes.replace(kHashBytes, kHashBytes, hash_bytes(hash));
  return bytes;
}

/// The header's contents, checked against the file's size before anything else is read.
struct TeacherHeader {
  std::int64_t begin = 0;  ///< of the first sample
  std::int64_t samples = 0;
};

TeacherHeader read_teacher_header(const InputFile& file, const TeacherKey& key) {
  const std::string& path = file.path();
  const std::int64_t size = file.size();
  const std::uint64_t length = size > kHashBytes ? hash_at(file.read(0, kHashBytes), 0) : 0;
  if (length == 0 || length > kMostHeaderBytes || static_cast<std::int64_t>(length) > size - kHashBytes)
    refuse_teacher(path, "is not a teacher's file, or is truncated");
  const json object = parse_json(file.read(kHashBytes, static_cast<std::int64_t>(length)), path);
  const JsonFields fields(object, path);
  if (fields.find_text("format") != kTeacherFormat) refuse_teacher(path, "is not a teacher's file of this version");
  const std::string weights = fields.find_text("weights").value_or("");
  if (weights != key.weights)
    refuse_teacher(path, "is of the weights " + weights.substr(0, 80) + ", and the teacher's are " + key.weights);
  if (fields.integer("vocabulary") != key.vocabulary || fields.integer("k") != key.k)
    refuse_teacher(path, "is of another vocabulary, or keeps another number of logits");
  const TeacherHeader header{kHashBytes + static_cast<std::int64_t>(length), fields.integer("samples")};
  const std::int64_t targets = fields.integer("targets"), rest = size - header.begin;
  const bool in_range = header.samples > 0 && header.samples <= rest / kSampleHeadBytes && targets >= header.samples &&
                        targets <= rest / (kEntryBytes * key.k);
  if (!in_range || header.samples * kSampleHeadBytes + targets * kEntryBytes * key.k != rest)
    refuse_teacher(path, "has another size than its header says: it is truncated or damaged");
  return header;
}

}  // namespace

void write_teacher(const std::string& path, const TeacherKey& key,
                   const std::function<TeacherRows(std::int64_t sample)>& rows_of, const Keeping& keep) {
  write_atomically(path, [&](OutputFile& file) {
    keep([&] { file.append(teacher_header(key)); });
    for (std::int64_t n = 0; n < std::ssize(key.samples); ++n) {
      const TeacherSample& sample = key.samples[static_cast<std::size_t>(n)];
      const TeacherRows rows = rows_of(n);
      CARRYOVER_CHECK(std::ssize(rows.ids) == sample.targets * key.k && rows.logits.size() == rows.ids.size());
      const std::string record = sample_record(sample, rows);
      keep([&] { file.append(record); });
    }
  });
}

TeacherFile::TeacherFile(const std::string& path, const TeacherKey& key)
    : file_(path), vocabulary_(key.vocabulary), k_(key.k), samples_(key.samples) {
  CARRYOVER_CHECK(k_ > 0 && k_ <= vocabulary_ && !samples_.empty());
  const TeacherHeader header = read_teacher_header(file_, key);
  place_samples(header.begin, header.samples);
}

/// `order` is of all samples so far: the last one's says whether all are those of the key.
void TeacherFile::place_samples(std::int64_t begin, std::int64_t stored) {
  const std::int64_t size = file_.size(), wanted = std::min(stored, std::ssize(samples_));
  for (std::int64_t n = 0; n < wanted; ++n) {
    const std::int64_t record = kSampleHeadBytes + samples_[static_cast<std::size_t>(n)].targets * k_ * kEntryBytes;
    if (record > size - begin)
      refuse_teacher(file_.path(), "is of other samples: of another text, another seed or other lengths");
    begins_.push_back(begin);
    begin += record;
  }
  const bool whole = stored > wanted || begin == size;
  const std::uint64_t order = hash_at(file_.read(begins_.back(), kHashBytes), 0);
  if (!whole || order != samples_[begins_.size() - 1].order)
    refuse_teacher(file_.path(), "is of other samples: of another text, another seed or other lengths");
}

TeacherRows TeacherFile::read(std::int64_t sample) const {
  const auto n = static_cast<std::size_t>(sample);
  CARRYOVER_CHECK(sample >= 0 && n < begins_.size());
  TeacherRows rows{samples_[n].targets, k_, {}, {}};
  const auto entries = static_cast<std::size_t>(rows.targets * k_);
  const std::string bytes = file_.read(begins_[n], kSampleHeadBytes + static_cast<std::int64_t>(entries) * kEntryBytes);
  const auto payload = std::as_bytes(std::span(bytes)).subspan(kSampleHeadBytes);
  const std::string where = "sample " + std::to_string(sample);
  if (hash_at(bytes, 0) != samples_[n].order || hash_at(bytes, kHashBytes) != content_hash(payload))
    refuse_teacher(file_.path(), where + " is damaged");
  rows.ids.resize(entries);
  rows.logits.resize(entries);
  std::memcpy(rows.ids.data(), payload.data(), entries * sizeof(std::int32_t));
  std::memcpy(rows.logits.data(), payload.data() + entries * sizeof(std::int32_t), entries * sizeof(float));
  for (std::size_t i = 0; i < entries; ++i) {
    const bool first = i % static_cast<std::size_t>(k_) == 0;
    if (rows.ids[i] < 0 || rows.ids[i] >= vocabulary_)
      refuse_teacher(file_.path(),
                     where + " names a token that is not in the vocabulary: " + std::to_string(rows.ids[i]));
    if (!std::isfinite(rows.logits[i]) || (!first && rows.logits[i] > rows.logits[i - 1]))
      refuse_teacher(file_.path(), where + " has logits that are not finite, or do not descend");
  }
  return rows;
}

double teacher_bytes(const TeacherKey& key) {
  double bytes = 0;
  for (const TeacherSample& sample : key.samples)
    bytes += static_cast<double>(kSampleHeadBytes) +
             static_cast<double>(sample.targets) * static_cast<double>(key.k * kEntryBytes);
  return bytes;
}

double teacher_bytes(const TrainingPlan& plan, std::int64_t vocabulary) {
  const double samples =
      static_cast<double>(plan.training.max_steps) * static_cast<double>(plan.training.samples_per_step());
  const std::int64_t k = std::min(teacher_logits, vocabulary);
  return samples * (static_cast<double>(kSampleHeadBytes) +
                    static_cast<double>(plan.tokens_per_sample() - 1) * static_cast<double>(k * kEntryBytes));
}

}  // namespace carryover
