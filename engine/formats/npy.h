// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/formats/input_file.h"
#include "engine/formats/output_file.h"

namespace carryover {

static_assert(std::endian::native == std::endian::little, ".npy files are written as the numbers lie in memory");

/// The type of an array's elements, by NumPy's names ("<f4", ">i8", "|u1"): a single entry without a name for a plain
/// array, or the fields of a record, in order.
using NpyType = std::vector<std::pair<std::string, std::string>>;

/// An array of a .npy file (NumPy's format; versions 1 to 3 are read, 1.0 is written), in C order, with its bytes as in
/// the file. A plain value.
struct NpyArray {
  NpyType type;
  std::vector<std::int64_t> shape;
  std::string bytes;

  std::int64_t elements() const;
  std::int64_t element_bytes() const;
};

/// Return the array's values if it is a plain one of this type; otherwise throw EngineError{BadInput}, which names
/// `where`.
std::vector<float> npy_floats(const NpyArray& array, const std::string& where);
std::vector<std::int32_t> npy_ints(const NpyArray& array, const std::string& where);
/// Returns the values of an array of integers of any width and byte order, signed or not; unsigned 64-bit values must
/// fit.
std::vector<std::int64_t> npy_integers(const NpyArray& array, const std::string& where);

NpyArray npy_array(std::span<const float> values, std::vector<std::int64_t> shape);
NpyArray npy_array(std::span<const double> values, std::vector<std::int64_t> shape);
NpyArray npy_array(std::span<const std::int32_t> values, std::vector<std::int64_t> shape);

/// Returns the file's contents. Any thread.
std::string npy_bytes(const NpyArray& array);
/// Parses a file's contents. Throws EngineError{BadInput}, which names `where`: a broken header, Fortran order, too few
/// bytes.
NpyArray npy_from_bytes(std::string_view bytes, const std::string& where);
/// Writes the array, and `description` as a .json file beside it (its name with ".json" added). Throws EngineError{Io}.
void write_npy(const std::string& path, const NpyArray& array, const nlohmann::json& description);
/// Reads a .npy file. Throws EngineError{Io, BadInput}, which names the file.
NpyArray read_npy(const std::string& path);

/// A .npy file of fp32 that is read row by row along its first axis. Any thread. Throws EngineError{Io, BadInput},
/// which names the file.
class NpyRows {
 public:
  explicit NpyRows(const std::string& path);
  const std::vector<std::int64_t>& shape() const { return shape_; }  ///< when the file was opened
  std::vector<float> row(std::int64_t index) const;                  ///< `index` < shape()[0]

 private:
  InputFile file_;
  std::vector<std::int64_t> shape_;
  std::int64_t first_byte_ = 0, row_values_ = 1;
};

/// A .npy file of fp32 that grows along its first axis and is whole after each append. Owner: one thread. Throws
/// EngineError{Io}, which names the file.
class NpyFile {
 public:
  /// `row`: the shape of each row that is appended.
  NpyFile(const std::string& path, std::vector<std::int64_t> row);
  void append(std::span<const float> row);
  void finish() { file_.finish(); }

 private:
  std::string header(std::int64_t rows) const;

  OutputFile file_;
  std::vector<std::int64_t> row_;
  std::int64_t rows_ = 0;
};

/// Collects rows of a record array, value by value, in the order of its fields.
class NpyRecords {
 public:
  explicit NpyRecords(NpyType fields) : array_{std::move(fields), {}, {}} {}
  template <typename T>
  void add(T value) {
    array_.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  /// Returns the array with its shape: as many rows as were added. CARRYOVER_CHECKs that the last row is whole.
  NpyArray take();

 private:
  NpyArray array_;
};

}  // namespace carryover
