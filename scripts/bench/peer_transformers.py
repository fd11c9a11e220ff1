#!/usr/bin/python3 -I
# SPDX-License-Identifier: GPL-3.0-or-later
"""The peer that `carryover bench --peer PYTHON` measures: the transformers library, full attention by torch's sdpa.

Reads JSON objects from standard input, a line each, and answers each with one. The first one says what to load:
{"model": a GGUF file (its weights are dequantised, then cast) or a Hugging Face folder, or "config": a config.json for
random weights, "dtype": "fp32", "threads": 2, "device": "cpu"}; the answer names the versions. Then one measurement
each:
{"what": "prefill", "decode" or "train", "ids": [...], "new_tokens": 32, "checkpointing": false, "compiled": false,
"measure_memory": true} is answered by {"seconds": ..., "peak_bytes": ...}: what weights take and what was added to it,
null where it is not measured, so that the allocator keeps its memory. {"error": ...} says what went wrong.

Prefill: a cache and the logits of the last token. Decode: seconds of a token, greedily, behind the ids, with a dynamic
cache, or "compiled": with a static one and torch.compile. Train: the second
step on the ids, with fp32 weights, gradients and fused AdamW, and the peak of both; bf16 is autocast over the weights.
"""
import copy
import ctypes
import json
import sys
import time
from pathlib import Path

ANSWERS = sys.stdout  # what libraries print must not get among the answers
sys.stdout = sys.stderr


def resident(key):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(key + ":"))


class Peak:
    """What a piece of work adds to what is resident, or to what the GPU has handed out."""

    def __init__(self, torch, cuda):
        self.torch, self.cuda = torch, cuda
        if cuda:
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()
            return
        ctypes.CDLL(None).malloc_trim(0)
        try:
            Path("/proc/self/clear_refs").write_text("5")
            self.before = resident("VmRSS")
        except OSError:
            self.before = None

    def bytes(self, weights):
        if self.cuda:
            return self.torch.cuda.max_memory_allocated()
        return None if self.before is None else weights + max(0, resident("VmHWM") - self.before)


class Peer:
    def __init__(self, setup):
        import torch
        import transformers

        self.torch, self.transformers, self.setup = torch, transformers, setup
        torch.set_num_threads(setup["threads"])
        transformers.utils.logging.disable_progress_bar()
        self.cuda, self.code_loaded = setup["device"] == "cuda", False
        self.compiled, self.compiled_shapes, self.written = None, set(), []
        self.dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp64": torch.float64}[setup["dtype"]]
        self.model = self.load(self.dtype).eval()

    def load(self, dtype):
        library = self.transformers
        if "config" in self.setup:
            config = library.LlamaConfig(**copy.deepcopy(self.setup["config"]))
            model = library.AutoModelForCausalLM.from_config(config, dtype=dtype, attn_implementation="sdpa")
        else:
            path = Path(self.setup["model"])
            where, extra = (path, {}) if path.is_dir() else (path.parent, {"gguf_file": path.name})
            model = library.AutoModelForCausalLM.from_pretrained(
                where, dtype=dtype, attn_implementation="sdpa", local_files_only=True, **extra
            )
        return model.to(self.setup["device"])

    def wait(self):
        if self.cuda:
            self.torch.cuda.synchronize()

    def seconds(self, job):
        start = time.perf_counter()
        job()
        self.wait()
        return time.perf_counter() - start

    def weight_bytes(self, model):
        return sum(p.numel() * p.element_size() for p in model.parameters())

    def prefill(self, ids, request):
        with self.torch.inference_mode():
            return self.seconds(lambda: self.model(ids, logits_to_keep=1, use_cache=True).logits.cpu())

    def decode(self, ids, request):
        """Of one token. Compiled: the first call of a shape is made twice, as it is the one that compiles."""
        shape = (ids.shape[1], request["new_tokens"])
        if request.get("compiled") and shape not in self.compiled_shapes:
            self.compiled_shapes.add(shape)
            self.decode(ids, request)
        torch, new_tokens = self.torch, request["new_tokens"]
        model, cache = self.model, None
        if request.get("compiled"):
            if self.compiled is None:
                self.compiled = torch.compile(self.model)
            model = self.compiled
            cache = self.transformers.StaticCache(config=self.model.config, max_cache_len=ids.shape[1] + new_tokens)

        def steps():
            past, token = result.past_key_values, result.logits[:, -1:].argmax(-1)
            for place in range(ids.shape[1], ids.shape[1] + new_tokens):
                position = torch.full_like(token, place)
                step = model(token, past_key_values=past, position_ids=position, use_cache=True)
                past, token = step.past_key_values, step.logits[:, -1:].argmax(-1)
                written.append(token)

        written = []
        with torch.no_grad():  # torch.compile does not keep what it made in inference mode
            result = self.model(ids, past_key_values=cache, logits_to_keep=1, use_cache=True)
            self.wait()
            seconds = self.seconds(steps) / new_tokens
        self.written = [int(token) for token in written]
        return seconds

    def trained_model(self, request):
        model = self.load(self.torch.float32).train()
        model.config.use_cache = False
        if request["checkpointing"]:
            model.gradient_checkpointing_enable({"use_reentrant": False})
        return model

    def train(self, ids, model):
        torch = self.torch
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.0, weight_decay=0.0, fused=True)

        def step():
            optimizer.zero_grad()
            with torch.autocast(self.setup["device"], torch.bfloat16, enabled=self.dtype == torch.bfloat16):
                loss = model(ids, labels=ids).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()

        step()
        return self.seconds(step)

    def answer(self, request):
        ids = self.torch.tensor([request["ids"]], device=self.setup["device"])
        model = self.trained_model(request) if request["what"] == "train" else self.model
        measures = request["measure_memory"] and request["what"] != "decode"
        if measures and not self.code_loaded:  # what the first work of a process makes resident is nobody's memory
            self.prefill(ids[:, :64], request)
            self.code_loaded = True
        peak = Peak(self.torch, self.cuda) if measures else None
        if request["what"] == "train":
            seconds = self.train(ids, model)
        else:
            seconds = (self.prefill if request["what"] == "prefill" else self.decode)(ids, request)
        return {"seconds": seconds, "peak_bytes": peak.bytes(self.weight_bytes(model)) if peak else None}


def main():
    peer = None
    for line in sys.stdin:
        try:
            request = json.loads(line)
            if peer is None:
                peer = Peer(request)
                reply = {"program": f"transformers {peer.transformers.__version__}, torch {peer.torch.__version__}"}
            else:
                reply = peer.answer(request)
        except Exception as error:  # whatever a library throws: the one who asked decides
            reply = {"error": f"{type(error).__name__}: {error}"[:500]}
        print(json.dumps(reply), file=ANSWERS, flush=True)


if __name__ == "__main__":
    main()
