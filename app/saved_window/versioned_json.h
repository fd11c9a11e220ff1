// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

namespace carryover {

/// A kind of file that outlives the program that wrote it: a JSON object with "format", "version" and its fields.
/// `steps[i]` turns the fields of version i + 1 into those of version i + 2; so the newest version is steps + 1.
struct VersionedFormat {
  std::string name;
  std::vector<std::function<void(nlohmann::json& fields)>> steps;
  int version() const { return static_cast<int>(steps.size()) + 1; }
};

/// The fields, brought up to the newest version. Throws EngineError{Io}, {BadInput} for another kind of file,
/// {Unsupported} for a version that only a newer program knows.
nlohmann::json read_versioned(const QString& path, const VersionedFormat& format);
/// The file's whole contents.
std::string versioned_text(const VersionedFormat& format, nlohmann::json fields);

}  // namespace carryover
