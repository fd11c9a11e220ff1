# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares our logits with stored ones: full attention, and segmented with one segment under random groupings.

  python3 check_oracle.py PROGRAM FOLDER [...]    PROGRAM is build/release/bin/logits; each FOLDER holds an HF model and
  oracle.safetensors with `ids` [n] and `logits` [n, V] fp32, made by another program. Needs numpy and safetensors.
"""
import json
import random
import subprocess
import sys
import tempfile

import numpy
from safetensors.numpy import load_file


def run(program, folder, ids, config):
    with tempfile.TemporaryDirectory() as scratch:
        with open(f"{scratch}/ids.json", "w") as out:
            json.dump(ids, out)
        command = [program, folder, f"{scratch}/ids.json", f"{scratch}/out.npy"]
        if config is None:
            command += ["--policy", "full"]
        else:
            with open(f"{scratch}/config.json", "w") as out:
                json.dump(config, out)
            command += ["--config", f"{scratch}/config.json"]
        subprocess.run(command, check=True)
        return numpy.load(f"{scratch}/out.npy")


def main():
    program, worst = sys.argv[1], 0.0
    random.seed(1)
    for folder in sys.argv[2:]:
        oracle = load_file(f"{folder}/oracle.safetensors")
        ids = [int(i) for i in oracle["ids"]]
        with open(f"{folder}/config.json") as source:
            shape = json.load(source)
        heads, layers = shape["num_attention_heads"], shape["num_hidden_layers"]
        configs = [None]
        for _ in range(3):
            configs.append({"segment_length": len(ids), "carry_length": 16, "retrieval_length": 16,
                            "long_range_heads": sorted(random.sample(range(heads), heads // 2)),
                            "long_range_layers": sorted(random.sample(range(layers), layers // 2))})
        differences = [float(numpy.abs(run(program, folder, ids, c) - oracle["logits"]).max()) for c in configs]
        worst = max(worst, *differences)
        print(f"{folder}: full {differences[0]:.2e}, segmented in one segment {max(differences[1:]):.2e}")
    print(f"largest difference {worst:.2e}: {'passed' if worst <= 1e-4 else 'failed'} (bound 1e-4)")
    return worst > 1e-4


sys.exit(main())
