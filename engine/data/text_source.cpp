// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/data/text_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json_integer.h"
#include "engine/data/text_encoding.h"
#include "engine/formats/json_file.h"
#include "engine/formats/npy.h"
#include "engine/formats/regular_file.h"

namespace carryover {

namespace {

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

[[noreturn]] void refuse_file(const std::string& path, const std::string& problem) {
  throw EngineError(Fault::Io, display_name(path), problem, "Check the path and its permissions.");
}

/// Reads everything from a descriptor. It is not mapped, because standard input may be a pipe.
std::string read_all(int descriptor, const std::string& path) {
  std::string contents;
  char block[1 << 16];
  while (true) {
    const ssize_t count = ::read(descriptor, block, sizeof block);
    if (count == 0) return contents;
    if (count > 0) contents.append(block, static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) refuse_file(path, std::string("cannot be read: ") + std::strerror(errno));
  }
}

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

void refuse_unending(const std::string& path) {
  try {
    require_regular_file(path);
  } catch (const EngineError& error) {
    throw EngineError(error.fault(), path, error.problem(), "Give a file on disk, or - and pipe it to standard input.");
  }
}

std::string read_file(const std::string& path) {
  if (path == "-") return read_all(STDIN_FILENO, path);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw EngineError(Fault::Io, path, "is a folder, not a file", "Name a file inside it.");
  }
  refuse_unending(path);
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.number < 0) refuse_file(path, std::string("cannot be opened: ") + std::strerror(errno));
  return read_all(file.number, path);
}

/// Returns one text's ids from a .npy file, [tokens] or [1, tokens]. Several rows are several texts, which are never
/// run as one.
std::vector<std::int64_t> npy_ids(const std::string& contents, const std::string& where) {
  const NpyArray array = npy_from_bytes(contents, where);
  const bool one_row = array.shape.size() == 2 && array.shape.front() == 1;
  if (array.shape.size() == 1 || one_row) return npy_integers(array, where);
  std::string shape;
  for (const std::int64_t size : array.shape) shape += (shape.empty() ? "" : " × ") + std::to_string(size);
  throw EngineError(Fault::BadInput, where,
                    array.shape.empty() ? "is one number, not a list of ids"
                                        : "is a batch of " + shape + " numbers, and one text is read at a time",
                    "Save one text's ids, an array of one dimension.");
}

}  // namespace

std::string read_text(const std::string& path) {
  const std::string where = display_name(path);
  std::string text = text_of_bytes(read_file(path), where);
  if (text.empty()) throw EngineError(Fault::BadInput, where, "is empty", "Give a text of at least one character.");
  return text;
}

std::vector<std::int32_t> read_ids(const std::string& path, std::int64_t vocabulary) {
  const std::string where = display_name(path);
  const std::string contents = read_file(path);
  if (contents.starts_with("PK\x03\x04"))
    throw EngineError(Fault::BadInput, where, "is an archive (.npz?)", "Save one text's ids with numpy.save, as .npy.");
  const bool npy = contents.starts_with("\x93NUMPY");
  const nlohmann::json json =
      npy ? nlohmann::json(npy_ids(contents, where)) : parse_json(contents, where, JsonKind::Numbers);
  const auto refuse = [&where](const std::string& problem, const std::string& advice) {
    throw EngineError(Fault::BadInput, where, problem, advice);
  };
  if (!json.is_array()) refuse("is not a JSON array", "Give ids as [12, 7, 4000].");
  if (json.empty()) refuse("holds no ids", "Give at least one.");
  std::vector<std::int32_t> ids;
  ids.reserve(json.size());
  for (const nlohmann::json& value : json) {
    if (value.is_array())
      refuse("entry " + std::to_string(ids.size()) + " is a list: a batch, and one text is read at a time",
             "Give one text's ids as [12, 7, 4000].");
    const auto id = find_integer(value);
    if (!id || *id < 0 || *id >= vocabulary) {
      refuse("entry " + std::to_string(ids.size()) + " is " + value.dump().substr(0, 40) + ", not an id",
             "Ids are whole numbers from 0 to " + std::to_string(vocabulary - 1) + " for this model.");
    }
    ids.push_back(static_cast<std::int32_t>(*id));
  }
  return ids;
}

}  // namespace carryover
