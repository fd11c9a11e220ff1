// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/lab/linked_context.h"

namespace carryover {

void LinkedContext::set_linked(bool linked) {
  if (linked == linked_) return;
  own_ = lab_.selected();
  own_hover_ = {};
  linked_ = linked;
  changed_();
}

void LinkedContext::forget_run() {
  own_ = fitted({-1, own_.layer, own_.head, -1}, lab_.run());
  own_hover_ = {};
}

void LinkedContext::select(const Selection& selection) {
  if (linked_) return lab_.select(selection);
  if (selection == own_) return;
  own_ = selection;
  changed_();
}

void LinkedContext::select_head(int layer, int head) {
  Selection next = selected();
  next.layer = layer;
  next.head = head;
  select(next);
}

void LinkedContext::hover(const Selection& selection) {
  if (linked_) return lab_.hover(selection);
  own_hover_ = selection;
}

}  // namespace carryover
