// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desk/session_state.h"

#include <QDir>
#include <QFileInfo>

#include "app/desk/versioned_json.h"
#include "engine/core/error.h"

namespace carryover {
namespace {

using nlohmann::json;

const VersionedFormat& session_format() {
  static const VersionedFormat format{"carryover session", {}};
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

SessionState state_of(const json& fields, const QString& folder) {
  SessionState state;
  state.model = absolute(text_of(fields, "model"), folder);
  state.adapter = absolute(text_of(fields, "adapter"), folder);
  state.text = absolute(text_of(fields, "text"), folder);
  state.text_name = text_of(fields, "text_name");
  state.options = options_of(fields.value("options", json::object()));
  state.config = fields.value("config", json());
  state.selection = selection_of(fields.value("selection", json::object()));
  state.notes = text_of(fields, "notes");
  state.bookmarks = bookmarks_of(fields.value("bookmarks", json::array()));
  state.run = absolute(text_of(fields, "run"), folder);
  for (const json& path : fields.value("trainings", json::array()))
    state.trainings += absolute(QString::fromStdString(path.get<std::string>()), folder);
  state.finetune = fields.value("finetune", json());
  state.geometry = bytes_of(fields, "geometry");
  state.layout = bytes_of(fields, "layout");
  state.file = text_of(fields, "file");
  state.closed = fields.value("closed", false);
  return state;
}

}  // namespace

bool SessionState::same_work(const SessionState& other) const {
  return model == other.model && adapter == other.adapter && text == other.text && options == other.options &&
         config == other.config && notes == other.notes && bookmarks == other.bookmarks && run == other.run &&
         trainings == other.trainings;
}

std::string session_text(const SessionState& state, const QString& folder) {
  json trainings = json::array();
  for (const QString& path : state.trainings) trainings.push_back(inside(path, folder).toStdString());
  return versioned_text(session_format(), {{"model", text_json(inside(state.model, folder))},
                                           {"adapter", text_json(inside(state.adapter, folder))},
                                           {"text", text_json(inside(state.text, folder))},
                                           {"text_name", text_json(state.text_name)},
                                           {"options", options_json(state.options)},
                                           {"config", state.config},
                                           {"selection", selection_json(state.selection)},
                                           {"notes", text_json(state.notes)},
                                           {"bookmarks", bookmarks_json(state.bookmarks)},
                                           {"run", text_json(inside(state.run, folder))},
                                           {"trainings", trainings},
                                           {"finetune", state.finetune},
                                           {"geometry", bytes_json(state.geometry)},
                                           {"layout", bytes_json(state.layout)},
                                           {"file", text_json(state.file)},
                                           {"closed", state.closed}});
}

SessionState read_session(const QString& path) {
  const json fields = read_versioned(path, session_format());
  try {
    return state_of(fields, QFileInfo(path).absolutePath());
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, path.toStdString(), std::string("has the wrong fields: ") + error.what(),
                      "Choose a session file that Carryover wrote.");
  }
}

json notes_json(const Notebook& notebook) {
  return {{"notes", notebook.text().toStdString()}, {"bookmarks", bookmarks_json(notebook.bookmarks())}};
}

}  // namespace carryover
