// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <memory>
#include <string>

#include "engine/data/corpus.h"
#include "engine/remote/wire_values.h"
#include "engine/training/records/audit_report.h"
#include "engine/training/records/train_request.h"
#include "engine/training/records/training_plan.h"

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
  field("bos", value.bos, kCount);
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
  field("transition", value.transition, kCount);
  field("age", value.age, kCount);
  field("terms", value.terms, kCount);
  field("norm", value.norm, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, StepRecord>& value) {
  field("step", value.step, kCount);
  field("tokens", value.tokens, kCount);
  field("targets", value.targets, kCount);
  field("loss", value.loss, kAny);
  field("distillation_loss", value.distillation_loss, kAny);
  field("recall_loss", value.recall_loss, kAny);
  field("segment_loss", value.segment_loss);
  field("learning_rate", value.learning_rate, kReal);
  field("gradient_norm", value.gradient_norm, kAny);
  field("reach", value.reach);
  field("tokens_per_second", value.tokens_per_second, kPerSecond);
  field("seconds", value.seconds, kSeconds);
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
  field("length", value.length, kCount);
  field("targets", value.targets, kCount);
  field("nll_mean", value.nll_mean, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, ValidationRecord>& value) {
  field("step", value.step, kCount);
  field("lengths", value.lengths);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TrainingAlert>& value) {
  field("step", value.step, kCount);
  field("loss", value.loss, kAny);
  field("expected", value.expected, kAny);
  field("text", value.text);
  field("waits_for_room", value.waits_for_room);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, TrainingSummary>& value) {
  field("steps", value.steps, kCount);
  field("tokens", value.tokens, kCount);
  field("seconds", value.seconds, kSeconds);
  field("last_loss", value.last_loss, kAny);
  field("peak_memory_bytes", value.peak_memory_bytes, kByteCount);
  field("stopped", value.stopped);
  field("checkpoint", value.checkpoint);
  field("final_folder", value.final_folder);
}

/// `progress` is left out: it is called on the side that asked for the audit.
template <typename Fields>
void describe(Fields& field, Described<Fields, AuditRequest>& value) {
  field("ids", value.ids);
  field("policy", value.policy);
  field("config", value.config);
  field("lora_rank", value.lora_rank, kRequested);
  field("gradients_path", value.gradients_path);
  field("checks", value.checks);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, AuditCheck>& value) {
  field("name", value.name);
  field("measure", value.measure);
  field("difference", value.difference, kAny);
  field("bound", value.bound, kAny);
  field("margin", value.margin, kAny);
}

template <typename Fields>
void describe(Fields& field, Described<Fields, AuditReport>& value) {
  field("segments", value.segments, kCount);
  field("truncation_depth", value.truncation_depth, kCount);
  field("loss", value.loss, kAny);
  field("checks", value.checks);
}

}  // namespace carryover
