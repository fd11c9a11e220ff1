// SPDX-License-Identifier: GPL-3.0-or-later
// The part of MainWindow that ties head discovery to the engine.
#include "app/window/main_window.h"
#include "widgets/forms/head_probe_form.h"
#include "widgets/panels/head_discovery_panel.h"

namespace carryover {

void MainWindow::connect_head_discovery() {
  auto* heads = static_cast<HeadDiscoveryPanel*>(panel(QStringLiteral("head_discovery")));
  HeadProbeForm* form = &heads->form();
  connect(form, &HeadProbeForm::profile_wanted, &head_profiles_, &HeadProfileController::start);
  connect(form, &HeadProbeForm::cancel_wanted, &head_profiles_, &HeadProfileController::cancel);
  connect(&head_profiles_, &HeadProfileController::started, heads, &HeadDiscoveryPanel::begin);
  connect(&head_profiles_, &HeadProfileController::progressed, form, &HeadProbeForm::set_progress);
  connect(&head_profiles_, &HeadProfileController::done, heads, &HeadDiscoveryPanel::show_profile);
  connect(&head_profiles_, &HeadProfileController::ended, heads, &HeadDiscoveryPanel::end);
  connect(&head_profiles_, &HeadProfileController::failed, this, &MainWindow::show_error);
  connect(heads, &HeadDiscoveryPanel::failed, this, [this](const EngineError& error) { show_error(report_of(error)); });
  const auto tell = [this, form] {
    const auto& text = loader_.text();
    form->set_text_tokens(text ? std::ssize(*text->ids) : 0);
    form->set_engine_busy(why_engine_is_busy());
  };
  connect(&controller_, &RunController::state_changed, form, tell);
  connect(&loader_, &ModelLoader::model_changed, form, tell);
  connect(&loader_, &ModelLoader::text_opened, form, tell);
  tell();
}

}  // namespace carryover
