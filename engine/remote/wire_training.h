// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/core/analysis/audit_report.h"
#include "engine/core/run/train_request.h"
#include "engine/data/corpus.h"
#include "engine/records/training_plan.h"
#include "engine/remote/wire_values.h"

/// The fields of what travels for training and the audit.
namespace carryover {

/// TrainRequest, and whether its first step's segments are wanted. Without a corpus the engine reads plan.data itself.
struct TrainOrder {
  TrainRequest request;
  bool wants_segments = false;
};

std::string text_of_plan(const std::shared_ptr<const TrainingPlan>& plan);
std::shared_ptr<const TrainingPlan> plan_of(const std::string& text);

template <typename Fields>
void describe(Fields& field, Described<Fields, Document>& value) {
  field("source", value.source);
  field("ids", value.ids);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, Corpus>& value) {
  field("train", value.train);
  field("held_out", value.held_out);
  field("hash", value.hash);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TrainRequest>& value) {
  field.as_text("plan", value.plan, &text_of_plan, &plan_of);
  field("corpus", value.corpus);
  field("resume", value.resume);
  field("dry_run", value.dry_run);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TrainOrder>& value) {
  field("request", value.request);
  field("wants_segments", value.wants_segments);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, GradientReach>& value) {
  field("transition", value.transition);
  field("age", value.age);
  field("terms", value.terms);
  field("norm", value.norm);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, StepRecord>& value) {
  field("step", value.step);
  field("tokens", value.tokens);
  field("targets", value.targets);
  field("loss", value.loss);
  field("distillation_loss", value.distillation_loss);
  field("recall_loss", value.recall_loss);
  field("segment_loss", value.segment_loss);
  field("learning_rate", value.learning_rate);
  field("gradient_norm", value.gradient_norm);
  field("reach", value.reach);
  field("tokens_per_second", value.tokens_per_second);
  field("seconds", value.seconds);
  field("skipped", value.skipped);
  field("memory", value.memory);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, StepSnapshot>& value) {
  field("record", value.record);
  field("segments", value.segments);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ValidationRecord::Length>& value) {
  field("length", value.length);
  field("targets", value.targets);
  field("nll_mean", value.nll_mean);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ValidationRecord>& value) {
  field("step", value.step);
  field("lengths", value.lengths);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TrainingAlert>& value) {
  field("step", value.step);
  field("loss", value.loss);
  field("expected", value.expected);
  field("text", value.text);
  field("waits_for_room", value.waits_for_room);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TrainingSummary>& value) {
  field("steps", value.steps);
  field("tokens", value.tokens);
  field("seconds", value.seconds);
  field("last_loss", value.last_loss);
  field("peak_memory_bytes", value.peak_memory_bytes);
  field("stopped", value.stopped);
  field("checkpoint", value.checkpoint);
  field("final_folder", value.final_folder);
}

/// Without `progress`, which is called where the audit was asked for.
template <typename Fields>
void describe(Fields& field, Described<Fields, AuditRequest>& value) {
  field("ids", value.ids);
  field("policy", value.policy);
  field("config", value.config);
  field("lora_rank", value.lora_rank);
  field("gradients_path", value.gradients_path);
  field("checks", value.checks);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, AuditCheck>& value) {
  field("name", value.name);
  field("measure", value.measure);
  field("difference", value.difference);
  field("bound", value.bound);
  field("margin", value.margin);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, AuditReport>& value) {
  field("segments", value.segments);
  field("truncation_depth", value.truncation_depth);
  field("loss", value.loss);
  field("checks", value.checks);
}

}  // namespace carryover
