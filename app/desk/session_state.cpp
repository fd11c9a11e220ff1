// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desk/session_state.h"

#include <QDir>
#include <QFileInfo>

#include "app/desk/versioned_json.h"
#include "engine/core/edit_json.h"
#include "engine/core/error.h"

namespace carryover {
namespace {

using nlohmann::json;

/// Version 1 knew one engine, one run that lay in a journal, one selection and no what-ifs.
void add_what_version_2_knows(json& fields) {
  fields.update({{"engine", nullptr},
                 {"pinned", json::object()},
                 {"range", json::array()},
                 {"run_folder", nullptr},
                 {"pinned_run", nullptr},
                 {"pinned_segments", 0},
                 {"what_ifs", nullptr},
                 {"shown_what_if", -1},
                 {"draft", edit_json({})},
                 {"unsaved", false}});
}

/// Version 2 named the model's files, but not what was in them.
void add_what_version_3_knows(json& fields) {
  fields.update({{"weights", ""}, {"dtype", "auto"}});
}

const VersionedFormat& session_format() {
  static const VersionedFormat format{"carryover session", {add_what_version_2_knows, add_what_version_3_knows}};
  return format;
}

json text_json(const QString& text) {
  return text.isEmpty() ? json() : json(text.toStdString());
}

QString text_of(const json& fields, const char* key) {
  const auto found = fields.find(key);
  return found == fields.end() || found->is_null() ? QString() : QString::fromStdString(found->get<std::string>());
}

json bytes_json(const QByteArray& bytes) {
  return text_json(QString::fromLatin1(bytes.toBase64()));
}

QByteArray bytes_of(const json& fields, const char* key) {
  return QByteArray::fromBase64(text_of(fields, key).toLatin1());
}

json selection_json(const Selection& selection) {
  return {
      {"segment", selection.segment}, {"layer", selection.layer}, {"head", selection.head}, {"token", selection.token}};
}

Selection selection_of(const json& fields) {
  Selection selection;
  selection.segment = fields.value("segment", -1);
  selection.layer = fields.value("layer", -1);
  selection.head = fields.value("head", -1);
  selection.token = fields.value("token", std::int64_t{-1});
  return selection;
}

json range_json(const SegmentRange& range) {
  return range.is_set() ? json{range.first, range.last} : json::array();
}

SegmentRange range_of(const json& fields) {
  return fields.empty() ? SegmentRange{} : SegmentRange{fields.at(0), fields.at(1)};
}

json options_json(const RunOptions& options) {
  return {{"policy", options.policy},
          {"dtype", dtype_name(options.dtype)},
          {"device", device_name(options.device)},
          {"tokens", options.token_limit}};
}

RunOptions options_of(const json& fields) {
  RunOptions options;
  options.policy = fields.value("policy", options.policy);
  options.dtype = parse_dtype(fields.value("dtype", std::string("auto")));
  options.device = parse_device(fields.value("device", std::string("auto")));
  options.token_limit = fields.value("tokens", options.token_limit);
  return options;
}

json bookmarks_json(const std::vector<Bookmark>& bookmarks) {
  json list = json::array();
  for (const Bookmark& bookmark : bookmarks)
    list.push_back({{"name", bookmark.name.toStdString()}, {"place", selection_json(bookmark.place)}});
  return list;
}

std::vector<Bookmark> bookmarks_of(const json& list) {
  std::vector<Bookmark> bookmarks;
  for (const json& entry : list) bookmarks.push_back({text_of(entry, "name"), selection_of(entry.at("place"))});
  return bookmarks;
}

QString inside(const QString& path, const QString& folder) {
  return path.startsWith(folder + u'/') ? path.mid(folder.size() + 1) : path;
}

QString absolute(const QString& path, const QString& folder) {
  return path.isEmpty() ? path : QDir(folder).absoluteFilePath(path);
}

void read_runs(SessionState& state, const json& fields, const QString& folder) {
  state.run = absolute(text_of(fields, "run"), folder);
  state.run_folder = absolute(text_of(fields, "run_folder"), folder);
  state.pinned_run = absolute(text_of(fields, "pinned_run"), folder);
  fields.at("pinned_segments").get_to(state.pinned_segments);
  state.what_ifs = absolute(text_of(fields, "what_ifs"), folder);
  fields.at("shown_what_if").get_to(state.shown_what_if);
}

/// `path`: of the file.
SessionState state_of(const json& fields, const QString& path) {
  const QString folder = QFileInfo(path).absolutePath();
  SessionState state;
  state.engine = text_of(fields, "engine");
  const auto model_path = [&](const char* key) {  // one of another machine is taken as it is
    return state.engine.isEmpty() ? absolute(text_of(fields, key), folder) : text_of(fields, key);
  };
  state.model = model_path("model");
  state.adapter = model_path("adapter");
  fields.at("weights").get_to(state.weights);
  state.dtype = parse_dtype(fields.at("dtype").get<std::string>());
  state.text = absolute(text_of(fields, "text"), folder);
  state.text_name = text_of(fields, "text_name");
  state.options = options_of(fields.value("options", json::object()));
  state.config = fields.value("config", json());
  state.selection = selection_of(fields.value("selection", json::object()));
  state.pinned = selection_of(fields.at("pinned"));
  state.range = range_of(fields.at("range"));
  state.draft = edit_from_json(fields.at("draft"), path.toStdString());
  state.notes = text_of(fields, "notes");
  state.bookmarks = bookmarks_of(fields.value("bookmarks", json::array()));
  read_runs(state, fields, folder);
  for (const json& training : fields.value("trainings", json::array()))
    state.trainings += absolute(QString::fromStdString(training.get<std::string>()), folder);
  state.finetune = fields.value("finetune", json());
  state.geometry = bytes_of(fields, "geometry");
  state.layout = bytes_of(fields, "layout");
  state.file = text_of(fields, "file");
  fields.at("unsaved").get_to(state.unsaved);
  state.closed = fields.value("closed", false);
  return state;
}

}  // namespace

bool SessionState::same_work(const SessionState& other) const {
  return model == other.model && adapter == other.adapter && weights == other.weights && text == other.text &&
         options == other.options && config == other.config && notes == other.notes && bookmarks == other.bookmarks &&
         run == other.run && run_folder == other.run_folder && pinned_run == other.pinned_run &&
         what_ifs == other.what_ifs && engine == other.engine && trainings == other.trainings;
}

std::string session_text(const SessionState& state, const QString& folder) {
  const auto path_json = [&](const QString& path) { return text_json(inside(path, folder)); };
  json trainings = json::array();
  for (const QString& path : state.trainings) trainings.push_back(inside(path, folder).toStdString());
  // A model on another machine has no place in a folder of this one.
  const auto model_json = [&](const QString& path) {
    return state.engine.isEmpty() ? path_json(path) : text_json(path);
  };
  return versioned_text(session_format(), {{"engine", text_json(state.engine)},
                                           {"model", model_json(state.model)},
                                           {"adapter", model_json(state.adapter)},
                                           {"weights", state.weights},
                                           {"dtype", dtype_name(state.dtype)},
                                           {"text", path_json(state.text)},
                                           {"text_name", text_json(state.text_name)},
                                           {"options", options_json(state.options)},
                                           {"config", state.config},
                                           {"selection", selection_json(state.selection)},
                                           {"pinned", selection_json(state.pinned)},
                                           {"range", range_json(state.range)},
                                           {"notes", text_json(state.notes)},
                                           {"bookmarks", bookmarks_json(state.bookmarks)},
                                           {"run", path_json(state.run)},
                                           {"run_folder", path_json(state.run_folder)},
                                           {"pinned_run", path_json(state.pinned_run)},
                                           {"pinned_segments", state.pinned_segments},
                                           {"what_ifs", path_json(state.what_ifs)},
                                           {"shown_what_if", state.shown_what_if},
                                           {"draft", edit_json(state.draft)},
                                           {"trainings", trainings},
                                           {"finetune", state.finetune},
                                           {"geometry", bytes_json(state.geometry)},
                                           {"layout", bytes_json(state.layout)},
                                           {"file", text_json(state.file)},
                                           {"unsaved", state.unsaved},
                                           {"closed", state.closed}});
}

SessionState read_session(const QString& path) {
  const json fields = read_versioned(path, session_format());
  try {
    return state_of(fields, path);
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, path.toStdString(), std::string("has the wrong fields: ") + error.what(),
                      "Choose a session file that Carryover wrote.");
  }
}

json notes_json(const Notebook& notebook) {
  return {{"notes", notebook.text().toStdString()}, {"bookmarks", bookmarks_json(notebook.bookmarks())}};
}

}  // namespace carryover
