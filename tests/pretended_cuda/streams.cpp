// SPDX-License-Identifier: GPL-3.0-or-later
// Streams and events. What is launched is done at once; each wait of the host is counted.
#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "tests/pretended_cuda/report.h"

namespace carryover::pretended {

namespace {

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double& time_of(cudaEvent_t event) {
  return *reinterpret_cast<double*>(event);
}

cudaError_t wait() {
  count(Count::Waits);
  return cudaSuccess;
}

}  // namespace

}  // namespace carryover::pretended

using namespace carryover::pretended;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  static std::atomic<std::uintptr_t> last{0x1000};  // a number above those of CUDA's own streams
  *stream = reinterpret_cast<cudaStream_t>(last += 0x1000);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t*, const cudaGraphNode_t**, const cudaGraphEdgeData**, size_t*) {
  *status = cudaStreamCaptureStatusNone;
  if (id != nullptr) *id = 0;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) {
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return wait();
}
cudaError_t cudaDeviceSynchronize() {
  return wait();
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return wait();
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = reinterpret_cast<cudaEvent_t>(new double(0));
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, 0);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete &time_of(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  time_of(event) = now_ms();
  return cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  *ms = static_cast<float>(time_of(to) - time_of(from));
  return cudaSuccess;
}
}
