// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/policies/registry.h"

#include <map>

#include "engine/base/error.h"
#include "engine/cost/policy_table.h"

namespace carryover {

namespace {

// The map is made by the first static object that registers, in whichever file that is.
std::map<std::string, PolicyFactory::Make>& factories() {
  static std::map<std::string, PolicyFactory::Make> all;
  return all;
}

}  // namespace

PolicyFactory::PolicyFactory(const char* name, Make make) {
  factories().emplace(name, make);
}

std::unique_ptr<AttentionPolicy> make_policy(const std::string& name, const PolicyRequest& request) {
  const auto found = factories().find(policy_row(name).name);
  CARRYOVER_CHECK(found != factories().end());
  return found->second(request);
}

}  // namespace carryover
