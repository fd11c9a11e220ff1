// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/versioned_json.h"

#include "engine/base/error.h"
#include "engine/formats/json_file.h"

namespace carryover {

nlohmann::json read_versioned(const QString& path, const VersionedFormat& format) {
  const std::string where = path.toStdString();
  nlohmann::json fields = read_json_file(where, JsonKind::Results);
  const auto refuse = [&](Fault fault, const std::string& problem, const std::string& advice) {
    throw EngineError(fault, where, problem, advice);
  };
  if (!fields.is_object() || fields.value("format", nlohmann::json()) != format.name)
    refuse(Fault::BadInput, "is not a file of the kind “" + format.name + "”", "Choose a file that Carryover wrote.");
  const nlohmann::json version = fields.value("version", nlohmann::json());
  if (!version.is_number_integer() || version < 1) refuse(Fault::BadInput, "has no version", "Choose another file.");
  if (version > format.version())
    refuse(Fault::Unsupported, "was written by a newer Carryover (version " + version.dump() + " of its format)",
           "Open it with that one; it stays as it is.");
  for (auto step = version.get<std::size_t>(); step <= format.steps.size(); ++step) format.steps[step - 1](fields);
  fields["version"] = format.version();
  return fields;
}

std::string versioned_text(const VersionedFormat& format, nlohmann::json fields) {
  fields["format"] = format.name;
  fields["version"] = format.version();
  return json_text(fields, 2) + "\n";
}

}  // namespace carryover
