# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs of benches as scripts/bench/runs.py saves them, made up for bench_publish_test.py."""

import copy

import sections

LIMITS = {
    "before": {"flops_per_second": 2e11, "bytes_per_second": 3e10},
    "after": {"flops_per_second": 2.1e11, "bytes_per_second": 2.9e10},
}


def row(who, what, tokens, rate, share=0.8, **more):
    found = {
        "what": what,
        "who": who,
        "tokens": tokens,
        "tokens_per_s": rate,
        "median_s": tokens / rate,
        "seconds": [tokens / rate],
        "peak_bytes": 400 << 20,
        "memory": {"pool": 128 << 20},
        "deviation": 0.01,
    }
    found["bandwidth_share" if what == "decode" else "gemm_share"] = share
    return dict(found, **more)


def subject(who, dtype, weights="aaaa", ids="bbbb", program=None, training=None):
    return {
        "who": who,
        "program": program or ("carryover 1" if who in ("full", "segmented") else who + " 9"),
        "dtype": dtype,
        "training_dtype": training or dtype,
        "weights_hash": weights,
        "ids_hash": ids,
    }


def report(dtype, rows, subjects):
    limits = {"best_flops_per_second": 2e11, "bytes_per_second": 3e10, "products": []}
    return {
        "date": "2026-01-02T03:04:05Z",
        "machine": {"threads": 2},
        "dtype": dtype,
        "limits": limits,
        "limits_after": dict(limits, best_flops_per_second=2.1e11),
        "subjects": subjects,
        "measurements": rows,
        "config": {"segment_length": 1024, "carry_length": 128, "retrieval_length": 128, "truncation_depth": 1},
        "interrupted": False,
    }


def run_of(bench, reports=None, values=None, kind="amd-avx512-bf16"):
    return {
        "bench": bench,
        "command": sections.SECTIONS[bench][1],
        "date": "2026-01-02",
        "commit": "abc1234",
        "modified": False,
        "machine": {"kind": kind, "processor": "A processor", "cores": 2, "flags": ["avx2"]},
        "limits": copy.deepcopy(LIMITS),
        "reports": reports or {},
        "values": values or {},
    }


def prefill_run(kind="amd-avx512-bf16"):
    def of(dtype, rate):
        rows = [
            row(who, "prefill", tokens, rate * factor)
            for tokens in (512, 2048)
            for who, factor in (("full", 1.5), ("transformers", 1))
        ]
        return report(dtype, rows, [subject("full", dtype), subject("transformers", dtype)])

    return run_of("cpu-prefill", {"fp32": of("fp32", 500), "bf16": of("bf16", 1000)}, kind=kind)


def llama_run():
    def of(stored, dtype, rates):
        rows = [row(who, "prefill", tokens, rate) for (who, tokens), rate in rates.items()]
        theirs = dict(ids=None, program=f"llama.cpp abc, llama 1M {stored}")
        return report(
            dtype,
            rows,
            [
                subject("full", dtype),
                subject("segmented", dtype),
                subject("llama-bench", dtype, **theirs),
                subject("llama-bench -fa", dtype, **theirs),
            ],
        )

    short = {("full", 512): 900, ("llama-bench", 512): 400, ("llama-bench -fa", 512): 450}
    long = {("full", 32768): 60, ("segmented", 32768): 1200, ("llama-bench", 32768): 50, ("llama-bench -fa", 32768): 40}
    return run_of("cpu-llama", {"prefill BF16": of("BF16", "bf16", short), "long BF16 32768": of("BF16", "bf16", long)})
