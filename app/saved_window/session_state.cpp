// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/saved_window/session_state.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <limits>

#include "app/saved_window/kept_runs.h"
#include "app/saved_window/session_fields.h"
#include "app/saved_window/versioned_json.h"
#include "engine/base/config_fields.h"
#include "engine/base/error.h"
#include "engine/cost/policy_table.h"
#include "engine/runs/values/edit_json.h"
#include "widgets/training/state/plan_values.h"

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

/// Version 3 had no list of runs, but those that were on show and the folders that were open.
void add_what_version_4_knows(json& fields) {
  json runs = json::array();
  const auto add = [&](const char* kind, const json& place) {
    if (place.is_string() && !place.get<std::string>().empty()) runs.push_back({{"kind", kind}, {"place", place}});
  };
  const json run = fields.value("run", json());
  add("run", run.is_string() ? run : fields.value("run_folder", json()));
  add("run", fields.value("pinned_run", json()));
  if (const json trainings = fields.value("trainings", json()); trainings.is_array())
    for (const json& folder : trainings) add("training", folder);
  add("experiment", fields.value("experiment", json()));
  fields["runs"] = std::move(runs);
}

/// Version 4 knew no evaluation and no document's state.
void add_what_version_5_knows(json& fields) {
  fields.update({{"evaluation", nullptr}, {"document", nullptr}});
}

/// Version 5 knew no prompt set, and of no number of tokens that somebody had chosen it.
void add_what_version_6_knows(json& fields) {
  fields.update({{"prompts", nullptr}, {"prompt_order", json::object()}});
}

const VersionedFormat& session_format() {
  static const VersionedFormat format{"carryover session",
                                      {add_what_version_2_knows, add_what_version_3_knows, add_what_version_4_knows,
                                       add_what_version_5_knows, add_what_version_6_knows}};
  return format;
}

json text_json(const QString& text) {
  return text.isEmpty() ? json() : json(text.toStdString());
}

json bytes_json(const QByteArray& bytes) {
  return text_json(QString::fromLatin1(bytes.toBase64()));
}

json selection_json(const Selection& selection) {
  return {
      {"segment", selection.segment}, {"layer", selection.layer}, {"head", selection.head}, {"token", selection.token}};
}

Selection selection_of(const SessionFields& fields) {
  return {fields.index("segment", -1), fields.index("layer", -1), fields.index("head", -1),
          fields.integer("token", -1, -1)};
}

json range_json(const SegmentRange& range) {
  return range.is_set() ? json{range.first, range.last} : json::array();
}

SegmentRange range_of(const SessionFields& fields) {
  const json& ends = fields.list("range");
  if (ends.empty()) return {};
  if (ends.size() != 2) fields.refuse("range", "is not a first and a last segment");
  const std::int64_t first = read_integer(ends[0], fields.where(), "range");
  const std::int64_t last = read_integer(ends[1], fields.where(), "range");
  if (first < 0 || last < first || last > std::numeric_limits<int>::max())
    fields.refuse("range", "goes from " + std::to_string(first) + " to " + std::to_string(last));
  return {static_cast<int>(first), static_cast<int>(last)};
}

json options_json(const RunOptions& options) {
  return {{"policy", options.policy},
          {"dtype", dtype_name(options.dtype)},
          {"device", device_name(options.device)},
          {"tokens", options.token_limit},
          {"tokens_chosen", options.tokens_chosen}};
}

DType dtype_of(const SessionFields& fields) {
  const QString name = fields.text("dtype");
  return name.isEmpty() ? DType::Auto : parse_dtype(name.toStdString());
}

RunOptions options_of(const SessionFields& fields) {
  RunOptions options;
  const auto name = [&](const char* key, std::string_view missing) {
    const QString text = fields.text(key);
    return text.isEmpty() ? std::string(missing) : text.toStdString();
  };
  options.policy = name("policy", options.policy);
  if (find_policy(options.policy) == nullptr)
    fields.refuse("policy", "is '" + options.policy.substr(0, 60) + "', which is not one of the choices");
  options.dtype = dtype_of(fields);
  options.device = parse_device(name("device", "auto"));
  options.token_limit = fields.integer("tokens", options.token_limit, 0);
  options.tokens_chosen = fields.flag("tokens_chosen");
  return options;
}

json bookmarks_json(const std::vector<Bookmark>& bookmarks) {
  json list = json::array();
  for (const Bookmark& bookmark : bookmarks)
    list.push_back({{"name", bookmark.name.toStdString()},
                    {"place", selection_json(bookmark.place)},
                    {"run", bookmark.run.toStdString()}});
  return list;
}

std::vector<Bookmark> bookmarks_of(const SessionFields& fields) {
  std::vector<Bookmark> bookmarks;
  for (const json& entry : fields.list("bookmarks")) {
    const SessionFields bookmark(entry, fields.where(), "bookmarks");
    bookmarks.push_back({bookmark.text("name"), selection_of(bookmark.object("place")), bookmark.text("run")});
  }
  return bookmarks;
}

json value_json(const QVariant& value) {
  if (value.typeId() == QMetaType::Bool) return value.toBool();
  if (value.typeId() == QMetaType::QVariantList) {
    json list = json::array();
    for (const QVariant& each : value.toList()) list.push_back(value_json(each));
    return list;
  }
  if (value.typeId() == QMetaType::QString || !value.canConvert<double>()) return value.toString().toStdString();
  return value.toDouble();
}

json typed_json(const TypedForms& forms) {
  json all = json::object();
  for (auto form = forms.cbegin(); form != forms.cend(); ++form) {
    json& fields = all[form.key().toStdString()] = json::object();
    for (auto field = form.value().cbegin(); field != form.value().cend(); ++field)
      fields[field.key().toStdString()] = value_json(field.value());
  }
  return all;
}

/// Nothing for what no field holds: it is left out.
QVariant field_value(const json& value, bool in_list = false) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return QString::fromStdString(value.get<std::string>());
  QVariantList list;
  if (value.is_array() && !in_list)
    for (const json& each : value) list += field_value(each, true);
  return list.isEmpty() ? QVariant() : list;
}

TypedForms typed_of(const SessionFields& fields) {
  TypedForms forms;
  for (const auto& [name, form] : fields.object_or_null("typed").items()) {
    if (!form.is_object()) fields.refuse("typed", "has a dialog that is not a JSON object");
    for (const auto& [field, value] : form.items())
      if (const QVariant read = field_value(value); read.isValid())
        forms[QString::fromStdString(name)][QString::fromStdString(field)] = read;
  }
  return forms;
}

/// Cleaned, so that a path does not lie in the session's folder by its beginning and elsewhere by its `..`.
QString absolute(const QString& path, const QString& folder) {
  return path.isEmpty() ? path : QDir::cleanPath(QDir(folder).absoluteFilePath(path));
}

/// Relative where it lies in the folder, but for a name there that would be read as something else: Qt takes one that
/// begins with a colon for a resource of the program.
QString inside(const QString& path, const QString& folder) {
  if (!path.startsWith(folder + u'/')) return path;
  const QString relative = path.mid(folder.size() + 1);
  return absolute(relative, folder) == path ? relative : path;
}

void read_runs(SessionState& state, const SessionFields& fields, const QString& folder) {
  state.run = absolute(fields.text("run"), folder);
  state.run_folder = absolute(fields.text("run_folder"), folder);
  state.pinned_run = absolute(fields.text("pinned_run"), folder);
  state.pinned_segments = fields.index("pinned_segments", 0, 0);
  state.what_ifs = absolute(fields.text("what_ifs"), folder);
  state.shown_what_if = fields.index("shown_what_if", -1);
  state.questions = absolute(fields.text("questions"), folder);
}

void read_prompts(SessionState& state, const SessionFields& fields, const QString& folder) {
  state.prompts = absolute(fields.text("prompts"), folder);
  const SessionFields order = fields.object("prompt_order");
  state.prompt_order = {absolute(order.text("prompts"), folder), order.text("against"),
                        absolute(order.text("out"), folder)};
}

void read_trainings(SessionState& state, const SessionFields& fields, const QString& folder) {
  for (const json& training : fields.list("trainings"))
    state.trainings += absolute(QString::fromStdString(read_string(training, fields.where(), "trainings")), folder);
  state.finetune = fields.object_or_null("finetune");
  check_plan_values(state.finetune, fields.where() + ": finetune");
  state.typed = typed_of(fields);
}

/// `path`: of the file.
SessionState state_of(const SessionFields& fields, const QString& path) {
  const QString folder = QFileInfo(path).absolutePath();
  SessionState state;
  state.engine = fields.text("engine");
  const auto engine_path = [&](const char* key) {  // one of another machine is taken as it is
    return state.engine.isEmpty() ? absolute(fields.text(key), folder) : fields.text(key);
  };
  state.model = engine_path("model");
  state.adapter = engine_path("adapter");
  state.weights = fields.text("weights").toStdString();
  state.dtype = dtype_of(fields);
  state.text = absolute(fields.text("text"), folder);
  state.text_name = fields.text("text_name");
  state.options = options_of(fields.object("options"));
  state.config = fields.object_or_null("config");
  state.selection = selection_of(fields.object("selection"));
  state.pinned = selection_of(fields.object("pinned"));
  state.range = range_of(fields);
  state.draft = edit_from_json(fields.any("draft"), path.toStdString());
  state.foil = fields.text("foil");
  state.notes = fields.text("notes");
  state.bookmarks = bookmarks_of(fields);
  read_runs(state, fields, folder);
  state.runs = runs_of(fields, [&](const QString& place) { return absolute(place, folder); });
  read_trainings(state, fields, folder);
  state.experiment = absolute(fields.text("experiment"), folder);
  state.evaluation = absolute(fields.text("evaluation"), folder);
  read_prompts(state, fields, folder);
  state.document = engine_path("document");
  state.geometry = fields.bytes("geometry");
  state.layout = fields.bytes("layout");
  state.file = fields.text("file");
  state.file_version = fields.text("file_version");
  state.unsaved = fields.flag("unsaved");
  state.closed = fields.flag("closed");
  state.untouched = fields.flag("untouched");
  state.foreign = fields.texts("foreign");
  return state;
}

}  // namespace

bool SessionState::same_work(const SessionState& other) const {
  return model == other.model && adapter == other.adapter && weights == other.weights && text == other.text &&
         options == other.options && config == other.config && notes == other.notes && bookmarks == other.bookmarks &&
         run == other.run && run_folder == other.run_folder && pinned_run == other.pinned_run &&
         what_ifs == other.what_ifs && questions == other.questions && engine == other.engine &&
         trainings == other.trainings && experiment == other.experiment && evaluation == other.evaluation &&
         prompts == other.prompts && document == other.document && same_list(runs, other.runs);
}

bool SessionState::same_drafts(const SessionState& other) const {
  return draft == other.draft && foil == other.foil && finetune == other.finetune && typed == other.typed &&
         prompt_order.prompts == other.prompt_order.prompts && prompt_order.against == other.prompt_order.against &&
         prompt_order.out == other.prompt_order.out;
}

std::vector<SessionState::TakenFile> SessionState::files_taken_along() {
  std::vector<TakenFile> files;
  for (ListedRun& run : runs)  // the one on show and the pinned one are among them
    if (is_journal(run)) files.push_back({&run.place, QFileInfo(run.place).fileName(), true});
  files.push_back({&what_ifs, QStringLiteral("what-ifs.json")});
  files.push_back({&questions, QStringLiteral("questions.json")});
  if (!text_name.isEmpty()) files.push_back({&text, QStringLiteral("text.txt")});
  std::erase_if(files, [](const TakenFile& file) { return file.path->isEmpty(); });
  return files;
}

void note_foreign_files(SessionState& state, const QString& session_file) {
  const QFileInfo session(session_file);
  const QString own = QDir::cleanPath(session.absolutePath() + u'/' + session.completeBaseName() + ".files");
  const QString place = QFileInfo(own).canonicalFilePath();
  const auto is_own = [&](const QString& file) {
    const QFileInfo info(file);
    if (QFileInfo(own).isSymLink() || info.absolutePath() != own) return false;
    return !info.exists() || (info.isFile() && !info.isSymLink() && info.canonicalPath() == place);
  };
  state.foreign.clear();
  for (const SessionState::TakenFile& file : state.files_taken_along())
    if (!is_own(*file.path)) state.foreign += *file.path;
  // It goes by its own name then, as a text that the user opens.
  if (state.foreign.contains(state.text)) state.text_name.clear();
}

std::string session_text(const SessionState& state, const QString& folder) {
  const auto path_json = [&](const QString& path) { return text_json(inside(path, folder)); };
  json trainings = json::array();
  for (const QString& path : state.trainings) trainings.push_back(inside(path, folder).toStdString());
  json foreign = json::array();
  for (const QString& path : state.foreign) foreign.push_back(path.toStdString());
  // A path on another machine is not written relative to a folder of this one.
  const auto engine_json = [&](const QString& path) {
    return state.engine.isEmpty() ? path_json(path) : text_json(path);
  };
  return versioned_text(session_format(), {{"engine", text_json(state.engine)},
                                           {"model", engine_json(state.model)},
                                           {"adapter", engine_json(state.adapter)},
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
                                           {"questions", path_json(state.questions)},
                                           {"draft", edit_json(state.draft)},
                                           {"runs", runs_json(state.runs, path_json)},
                                           {"foil", text_json(state.foil)},
                                           {"trainings", trainings},
                                           {"experiment", path_json(state.experiment)},
                                           {"evaluation", path_json(state.evaluation)},
                                           {"prompts", path_json(state.prompts)},
                                           {"prompt_order",
                                            {{"prompts", path_json(state.prompt_order.prompts)},
                                             {"against", text_json(state.prompt_order.against)},
                                             {"out", path_json(state.prompt_order.out)}}},
                                           {"document", engine_json(state.document)},
                                           {"finetune", state.finetune},
                                           {"typed", typed_json(state.typed)},
                                           {"geometry", bytes_json(state.geometry)},
                                           {"layout", bytes_json(state.layout)},
                                           {"file", text_json(state.file)},
                                           {"file_version", text_json(state.file_version)},
                                           {"unsaved", state.unsaved},
                                           {"closed", state.closed},
                                           {"untouched", state.untouched},
                                           {"foreign", foreign}});
}

SessionState read_session(const QString& path) {
  const json fields = read_versioned(path, session_format());
  try {
    return state_of({fields, path.toStdString()}, path);
  } catch (const json::exception& error) {
    throw EngineError(Fault::BadInput, path.toStdString(), std::string("has the wrong fields: ") + error.what(),
                      "Choose a session file that Carryover wrote.");
  }
}

json notes_json(const Notebook& notebook) {
  return {{"notes", notebook.text().toStdString()}, {"bookmarks", bookmarks_json(notebook.bookmarks())}};
}

}  // namespace carryover
