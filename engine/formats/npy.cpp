// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/formats/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/formats/json_file.h"

namespace carryover {

namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY\x01\x00", 8);
constexpr std::size_t kMagicBytes = 6;       // without the version
constexpr std::size_t kPrefix = 10;          // magic, version, length of the header
constexpr std::size_t kLongPrefix = 12;      // the same from version 2 on
constexpr std::size_t kAlignment = 64;       // alignment of the data, as in NumPy
constexpr std::size_t kGrowingHeader = 192;  // room for a count of any length

[[noreturn]] void refuse_npy(const std::string& where, const std::string& problem,
                             const std::string& advice = "Use a .npy file that this program or NumPy wrote.") {
  throw EngineError(Fault::BadInput, where, problem, advice);
}

/// Returns the bytes of a type such as "<f4", which are the number at its end, or 0 if the type can't be read here.
/// Only integers may be big-endian.
std::int64_t type_bytes(std::string_view type) {
  const auto is_one_of = [&](std::size_t place, std::string_view known) {
    return known.find(type[place]) != std::string_view::npos;
  };
  if (type.size() != 3 || !is_one_of(1, "fiu") || !is_one_of(0, type[1] == 'f' ? "<" : "<>|")) return 0;
  const int bytes = type[2] - '0';
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? bytes : 0;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string type_text(const NpyType& type) {
  if (type.size() == 1 && type[0].first.empty()) return "'" + type[0].second + "'";
  std::string text = "[";
  for (const auto& [name, kind] : type) text += (text.size() > 1 ? ", ('" : "('") + name + "', '" + kind + "')";
  return text + "]";
}

/// Returns everything before the data, at least `least` bytes.
std::string header_of(const NpyType& type, const std::vector<std::int64_t>& shape, std::size_t least) {
  std::string text = "{'descr': " + type_text(type) + ", 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  while ((kPrefix + text.size() + 1) % kAlignment != 0 || kPrefix + text.size() + 1 < least) text += ' ';
  text += '\n';
  CARRYOVER_CHECK(text.size() <= std::numeric_limits<std::uint16_t>::max());
  std::string bytes(kNpyMagic);
  bytes += static_cast<char>(text.size() & 0xFF);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

/// Reads the header, a Python literal of one known form.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  NpyArray read() {
    NpyArray array;
    expect('{');
    while (!accept('}')) {
      const std::string key = text();
      expect(':');
      if (key == "descr") {
        read_type(array);
      } else if (key == "fortran_order") {
        read_order();
      } else if (key == "shape") {
        read_shape(array);
      } else {
        refuse_npy(where_, "the header has a key '" + key.substr(0, 40) + "' that is not known");
      }
      accept(',');
    }
    if (array.type.empty()) refuse_npy(where_, "the header names no type");
    if (columns_first_)
      refuse_npy(where_, "columns come first (Fortran order) in an array of shape " + shape_text(array.shape),
                 "Save numpy.ascontiguousarray(array).");
    return array;
  }

 private:
  void skip_spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool accept(char wanted) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) refuse_npy(where_, "the header is broken: no '" + std::string(1, wanted) + "'");
  }
  std::string text() {
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) refuse_npy(where_, "the header is broken: an unterminated string");
    const std::string found(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return found;
  }
  void read_type(NpyArray& array) {
    if (!accept('[')) {
      array.type.emplace_back("", text());
    } else {
      while (!accept(']')) {
        expect('(');
        std::string name = text();
        expect(',');
        array.type.emplace_back(std::move(name), text());
        expect(')');
        accept(',');
      }
    }
    for (const auto& [name, type] : array.type)
      if (type_bytes(type) == 0)
        refuse_npy(where_, "holds '" + type.substr(0, 20) + "', which is not supported",
                   "Save plain numbers: array.astype(numpy.int32) for ids, numpy.float32 for values.");
  }
  void read_order() {
    skip_spaces();
    columns_first_ = rest_.starts_with("True");
    if (!columns_first_ && !rest_.starts_with("False"))
      refuse_npy(where_, "the header is broken: fortran_order is neither True nor False");
    rest_.remove_prefix(columns_first_ ? 4 : 5);
  }
  void read_shape(NpyArray& array) {
    expect('(');
    while (!accept(')')) {
      skip_spaces();
      std::int64_t size = 0;
      const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), size);
      if (code != std::errc() || size < 0) refuse_npy(where_, "the header is broken: a size that is not a number");
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      accept('L');  // Python 2 writes long numbers so
      array.shape.push_back(size);
      accept(',');
    }
  }

  std::string_view rest_;
  const std::string& where_;
  bool columns_first_ = false;
};

struct HeaderPlace {
  std::size_t begin, length;
};

/// Finds the header by the file's first bytes: at least kLongPrefix bytes if there are so many.
HeaderPlace find_header(std::string_view bytes, const std::string& where) {
  if (bytes.size() < kPrefix || !bytes.starts_with(kNpyMagic.substr(0, kMagicBytes)))
    refuse_npy(where, "is not a .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    refuse_npy(where, "is a .npy file of version " + std::to_string(version) + ", and 1 to 3 are read");
  if (version == 1) return {kPrefix, byte(8) | byte(9) << 8};
  if (bytes.size() < kLongPrefix) refuse_npy(where, "ends inside its header");
  return {kLongPrefix, byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24};
}

template <typename T>
NpyArray plain_array(const char* type, std::span<const T> values, std::vector<std::int64_t> shape) {
  NpyArray array{{{"", type}}, std::move(shape), {}};
  CARRYOVER_CHECK(array.elements() == std::ssize(values));
  array.bytes.assign(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  return array;
}

template <typename T>
std::vector<T> values_of(const NpyArray& array, const char* type, const std::string& where) {
  if (array.type.size() != 1 || array.type[0] != std::pair<std::string, std::string>("", type))
    refuse_npy(where, "holds " + type_text(array.type).substr(0, 60) + ", not '" + type + "'");
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), values.size() * sizeof(T));
  return values;
}

template <typename T>
std::vector<std::int64_t> widened(const NpyArray& array, const std::string& where) {
  const bool swapped = array.type[0].second[0] == '>';
  std::vector<std::int64_t> values;
  values.reserve(array.bytes.size() / sizeof(T));
  for (std::size_t at = 0; at + sizeof(T) <= array.bytes.size(); at += sizeof(T)) {
    std::array<char, sizeof(T)> bytes;
    std::copy_n(array.bytes.data() + at, sizeof(T), bytes.begin());
    if (swapped) std::ranges::reverse(bytes);
    const T value = std::bit_cast<T>(bytes);
    if (!std::in_range<std::int64_t>(value))
      refuse_npy(where,
                 "entry " + std::to_string(values.size()) + " is " + std::to_string(value) + ", which is too large");
    values.push_back(static_cast<std::int64_t>(value));
  }
  return values;
}

}  // namespace

std::int64_t NpyArray::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

std::int64_t NpyArray::element_bytes() const {
  std::int64_t sum = 0;
  for (const auto& [name, kind] : type) sum += type_bytes(kind);
  return sum;
}

std::vector<float> npy_floats(const NpyArray& array, const std::string& where) {
  return values_of<float>(array, "<f4", where);
}
std::vector<std::int32_t> npy_ints(const NpyArray& array, const std::string& where) {
  return values_of<std::int32_t>(array, "<i4", where);
}

std::vector<std::int64_t> npy_integers(const NpyArray& array, const std::string& where) {
  using Read = std::vector<std::int64_t> (*)(const NpyArray&, const std::string&);
  static const std::map<std::string_view, Read> kReaders{{"i1", widened<std::int8_t>},  {"u1", widened<std::uint8_t>},
                                                         {"i2", widened<std::int16_t>}, {"u2", widened<std::uint16_t>},
                                                         {"i4", widened<std::int32_t>}, {"u4", widened<std::uint32_t>},
                                                         {"i8", widened<std::int64_t>}, {"u8", widened<std::uint64_t>}};
  const bool plain = array.type.size() == 1 && array.type[0].first.empty();
  const auto reader = kReaders.find(plain ? std::string_view(array.type[0].second).substr(1) : std::string_view());
  if (reader == kReaders.end())
    refuse_npy(where, "holds " + type_text(array.type).substr(0, 60) + ", not whole numbers",
               "Save them as integers: array.astype(numpy.int32).");
  return reader->second(array, where);
}

NpyArray npy_array(std::span<const float> values, std::vector<std::int64_t> shape) {
  return plain_array("<f4", values, std::move(shape));
}
NpyArray npy_array(std::span<const double> values, std::vector<std::int64_t> shape) {
  return plain_array("<f8", values, std::move(shape));
}
NpyArray npy_array(std::span<const std::int32_t> values, std::vector<std::int64_t> shape) {
  return plain_array("<i4", values, std::move(shape));
}

std::string npy_bytes(const NpyArray& array) {
  CARRYOVER_CHECK(std::ssize(array.bytes) == array.elements() * array.element_bytes());
  return header_of(array.type, array.shape, 0) + array.bytes;
}

NpyArray npy_from_bytes(std::string_view bytes, const std::string& where) {
  const HeaderPlace header = find_header(bytes, where);
  if (bytes.size() < header.begin + header.length) refuse_npy(where, "ends inside its header");
  NpyArray array = HeaderReader(bytes.substr(header.begin, header.length), where).read();
  bytes.remove_prefix(header.begin + header.length);
  const std::int64_t left = std::ssize(bytes);
  const auto check = [&](bool fits) {
    if (!fits) refuse_npy(where, "ends before its last number");
  };
  const bool empty = std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end();
  std::int64_t wanted = empty ? 0 : array.element_bytes();
  for (const std::int64_t size : array.shape) {
    check(empty || wanted <= left / size);
    wanted *= size;
  }
  check(wanted <= left);
  array.bytes.assign(bytes.substr(0, static_cast<std::size_t>(wanted)));
  return array;
}

void write_npy(const std::string& path, const NpyArray& array, const nlohmann::json& description) {
  const std::string text = json_text(description, 2) + "\n";
  write_atomically(path, [&](OutputFile& file) { file.append(npy_bytes(array)); });
  write_atomically(path + ".json", [&](OutputFile& file) { file.append(text); });
}

NpyArray read_npy(const std::string& path) {
  return npy_from_bytes(read_whole_file(path), path);
}

NpyRows::NpyRows(const std::string& path) : file_(path) {
  const HeaderPlace header = find_header(file_.read_up_to(0, static_cast<std::int64_t>(kLongPrefix)), path);
  const auto begin = static_cast<std::int64_t>(header.begin), length = static_cast<std::int64_t>(header.length);
  if (length > file_.size() - begin) refuse_npy(path, "ends inside its header");
  const NpyArray array = HeaderReader(file_.read(begin, length), path).read();
  if (array.type.size() != 1 || array.type[0].second != "<f4" || array.shape.empty())
    refuse_npy(path, "holds " + type_text(array.type).substr(0, 60) + ", not rows of '<f4'");
  shape_ = array.shape;
  first_byte_ = begin + length;
  const std::int64_t left = (file_.size() - first_byte_) / static_cast<std::int64_t>(sizeof(float));
  const auto fits = [&](std::int64_t values, std::int64_t times) { return times == 0 || values <= left / times; };
  bool whole = true;
  for (std::size_t i = 1; i < shape_.size() && whole; ++i) {
    whole = fits(row_values_, shape_[i]);
    row_values_ *= whole ? shape_[i] : 1;
  }
  if (!whole || !fits(row_values_, shape_.front())) refuse_npy(path, "ends before its last number");
}

std::vector<float> NpyRows::row(std::int64_t index) const {
  CARRYOVER_CHECK(index >= 0 && index < shape_.front());
  const std::int64_t bytes = row_values_ * static_cast<std::int64_t>(sizeof(float));
  const std::string read = file_.read(first_byte_ + index * bytes, bytes);
  std::vector<float> values(static_cast<std::size_t>(row_values_));
  std::memcpy(values.data(), read.data(), read.size());
  return values;
}

NpyFile::NpyFile(const std::string& path, std::vector<std::int64_t> row) : file_(path), row_(std::move(row)) {
  file_.append(header(0));
}

std::string NpyFile::header(std::int64_t rows) const {
  std::vector<std::int64_t> shape{rows};
  shape.insert(shape.end(), row_.begin(), row_.end());
  return header_of({{"", "<f4"}}, shape, kGrowingHeader);
}

// Writes the new row first: a header that counts one row too few is still valid.
void NpyFile::append(std::span<const float> row) {
  file_.append({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
  file_.overwrite(0, header(++rows_));
}

NpyArray NpyRecords::take() {
  const std::int64_t row = array_.element_bytes();
  CARRYOVER_CHECK(row > 0 && std::ssize(array_.bytes) % row == 0);
  array_.shape = {std::ssize(array_.bytes) / row};
  return std::move(array_);
}

}  // namespace carryover
