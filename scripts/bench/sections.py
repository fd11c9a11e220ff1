# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of a bench (runs.py) as a section of docs/benchmarks.md. Pure: the same run gives the same text."""
import statistics
import textwrap

MB = 1 << 20
DTYPES = ("fp32", "bf16")
KINDS = {"amd-avx512-bf16": "AMD with AVX512-BF16", "intel-amx": "Intel with AMX", "amd-avx2": "AMD with AVX2 alone"}


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def wrapped(text):
    """Paragraphs in lines of at most 120 columns; tables, headings and marks as they are."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(each if each.lstrip().startswith(("|", "#", "<")) else
                       textwrap.fill(each, 120, break_long_words=False, break_on_hyphens=False) for each in paragraphs)


def rows_of(report):
    return {(row["who"], row["what"], row["tokens"], row.get("checkpointing", False)): row
            for row in report["measurements"]}


def find(report, who, what, tokens, checkpointing=False):
    return rows_of(report).get((who, what, tokens, checkpointing))


def faster(report, whos, what, tokens):
    """The faster of several ways to run a peer; None where none was measured."""
    found = [row for row in (find(report, who, what, tokens) for who in whos) if row]
    return max(found, key=lambda row: row["tokens_per_s"], default=None)


def speed(row):
    if not row:
        return "–"
    rate = row["tokens_per_s"]
    return f"{rate:.0f}" if rate >= 100 else f"{rate:.1f}"


def ratio(ours, peer):
    return f"{ours['tokens_per_s'] / peer['tokens_per_s']:.2f}×" if ours and peer else "–"


def subject(report, who):
    return next((each for each in report["subjects"] if each["who"] == who), None)


def peer_name(reports, who):
    names = {each["program"].split(", llama ")[0] for report in reports for each in report["subjects"] if each["who"] == who}
    return ", ".join(sorted(names)) or "none"


def alike(pairs, key="dtype"):
    """What both sides of a table share, from what each side recorded. `pairs`: (our subject, their subject) of each row;
    `key`: "dtype", or "training_dtype"."""
    pairs = [(ours, theirs) for ours, theirs in pairs if ours and theirs]
    if not pairs:
        return "No peer was measured."

    def both(field):
        return all(ours[field] and ours[field] == theirs[field] for ours, theirs in pairs)

    def hashes(field):
        return ", ".join(sorted({ours[field] for ours, _ in pairs}))

    same, differ = [], []
    if both("weights_hash"):
        same.append(f"weights ({hashes('weights_hash')})")
    else:
        differ.append("the weights are not the same")
    if both("ids_hash"):
        same.append(f"token ids ({hashes('ids_hash')})")
    else:
        differ.append("the peer draws as many token ids of its own")
    if both(key):
        same.append("number type")
    else:
        types = sorted({f"{ours[key]} beside {theirs[key]}" for ours, theirs in pairs if ours[key] != theirs[key]})
        differ.append("the number types differ: " + "; ".join(types))
    said = ["Same " + ", ".join(same) + " on both sides."] if same else []
    if differ:
        said.append(("But " if same else "Not alike: ") + "; ".join(differ) + ".")
    return " ".join(said)


def pairs_of(reports, ours, theirs):
    return [(subject(report, our), subject(report, their)) for report in reports for our in ours for their in theirs]


def by_dtype(run):
    return [(dtype, run["reports"][dtype]) for dtype in DTYPES if dtype in run["reports"]]


TRANSFORMERS = ("transformers", "transformers compiled")
LLAMA = ("llama-bench", "llama-bench -fa")
HOW = {"transformers": "dynamic cache", "transformers compiled": "static cache, compiled", "llama-bench": "without",
       "llama-bench -fa": "with"}


def prefill(run):
    lines, reports = [], [report for _, report in by_dtype(run)]
    for dtype, report in by_dtype(run):
        for tokens in (512, 2048):
            ours, theirs = (find(report, who, "prefill", tokens) for who in ("full", "transformers"))
            lines.append([dtype, str(tokens), speed(ours), f"{ours['gemm_share']:.2f}", speed(theirs), ratio(ours, theirs)])
    return (f"Logits of the last token, full attention on both sides, {threads(run)}; medians of rounds that take turns. "
            f"{alike(pairs_of(reports, ['full'], ['transformers']))} Share: of the best products that the same run "
            f"measured. Peer: {peer_name(reports, 'transformers')}.\n\n"
            + table(["dtype", "tokens", "ours, tokens/s", "share", "transformers, tokens/s", "ours / peer"], lines))


def decode(run):
    lines, reports = [], [report for _, report in by_dtype(run)]
    for dtype, report in by_dtype(run):
        theirs = faster(report, TRANSFORMERS, "decode", 512)
        for policy in ("segmented", "full"):
            ours = find(report, policy, "decode", 512)
            lines.append([dtype, policy, speed(ours), f"{ours['bandwidth_share']:.2f}", speed(theirs),
                          HOW[theirs["who"]] if theirs else "–", ratio(ours, theirs)])
    return (f"32 tokens behind a prompt of 512, {threads(run)}; medians of rounds that take turns. "
            f"{alike(pairs_of(reports, ['full'], ['transformers']))} Share: of reading the weights and what is seen at "
            f"the rate that the same run measured. Peer: {peer_name(reports, 'transformers')}, decoding with its dynamic "
            "cache and with a static cache and torch.compile; the faster one counts.\n\n"
            + table(["dtype", "our policy", "ours, tokens/s", "share", "transformers, tokens/s", "its way", "ours / peer"],
                    lines))


def threads(run):
    counts = sorted({report["machine"]["threads"] for report in run["reports"].values()})
    return ", ".join(map(str, counts)) + " threads"


def llama_rows(run, what):
    lines = []
    for name in ("F32", "BF16", "Q8_0"):
        report = run["reports"].get(f"{what} {name}")
        if not report:
            continue
        ours, theirs = find(report, "full", what, 512), faster(report, LLAMA, what, 512)
        lines.append([name, report["dtype"], speed(ours), speed(theirs), HOW[theirs["who"]] if theirs else "–",
                      ratio(ours, theirs)])
    return table(["its weights", "ours", "ours, tokens/s", "llama.cpp, tokens/s", "-fa", "ours / peer"], lines)


def short_reports(run, what):
    return [report for name, report in sorted(run["reports"].items()) if name.startswith(what + " ")]


def llama(run):
    reports = short_reports(run, "prefill")
    text = (f"Peer: {peer_name(reports, 'llama-bench')}, {threads(run)}, without and with `-fa`; the faster one counts. "
            f"Prefill of 512 tokens, full attention on both sides; medians of rounds that take turns. "
            f"{alike(pairs_of(reports, ['full'], ['llama-bench']))}\n\n{llama_rows(run, 'prefill')}")
    lines, used = [], []
    for name, report in sorted(run["reports"].items(), key=lambda each: run_length(each[1])):
        if not name.startswith("long "):
            continue
        tokens, stored = run_length(report), name.split()[1]
        bounded, full = (find(report, who, "prefill", tokens) for who in ("segmented", "full"))
        theirs = faster(report, LLAMA, "prefill", tokens)
        used.append(report)
        lines.append([str(tokens), speed(full), f"{stored}: {speed(theirs)}", HOW[theirs["who"]] if theirs else "–",
                      ratio(full, theirs), speed(bounded), ratio(bounded, theirs)])
    if not lines:
        return text
    config = used[0]["config"]
    return (text + "\n\nLonger texts, beside its faster format of F32 and BF16. The first ratio compares equal work, full "
            "attention on both sides. The second one does not: our segmented run has a bounded context (S = "
            f"{config['segment_length']}, M = {config['carry_length']}, R = {config['retrieval_length']}), so that its work "
            "grows with the text's length and not with its square, and its logits are not those of full attention. "
            f"{alike(pairs_of(used, ['full'], ['llama-bench']))}\n\n"
            + table(["tokens", "our full attention, tokens/s", "llama.cpp's, tokens/s", "-fa", "equal work: ours / peer",
                     "our bounded context, tokens/s", "less work: ours / peer"], lines))


def run_length(report):
    return max((row["tokens"] for row in report["measurements"]), default=0)


def llama_decode(run):
    reports = short_reports(run, "decode")
    return (f"Peer: {peer_name(reports, 'llama-bench')}, without and with `-fa`; the faster one counts. 32 tokens behind a "
            f"prompt of 512, full attention on both sides, {threads(run)}; medians of rounds that take turns. "
            f"{alike(pairs_of(reports, ['full'], ['llama-bench']))}\n\n{llama_rows(run, 'decode')}")


def full(run):
    lines = []
    for dtype, report in by_dtype(run):
        tokens = run_length(report)
        segmented, whole = (find(report, who, "prefill", tokens) for who in ("segmented", "full"))
        lines.append([dtype, str(tokens), speed(segmented), speed(whole), ratio(segmented, whole)])
    return (f"The same program on the same text, {threads(run)}. The ratio does not compare equal work: a segmented run has "
            "a bounded context, full attention sees the whole text.\n\n"
            + table(["dtype", "tokens", "bounded context, tokens/s", "full attention, tokens/s", "ratio"], lines))


def growth(run):
    lines = []
    for dtype, report in by_dtype(run):
        short, long = (find(report, "segmented", "prefill", tokens) for tokens in (8192, 131072))
        lines.append([dtype, speed(short), speed(long), f"{long['tokens_per_s'] / short['tokens_per_s']:.3f}",
                      f"{short['peak_bytes'] / MB:.0f}", f"{long['peak_bytes'] / MB:.0f}",
                      f"{(long['peak_bytes'] - short['peak_bytes']) / MB:.0f}", f"{long['memory']['pool'] / MB:.0f}",
                      f"{100 * long['deviation']:+.0f} %"])
    return (f"Segmented, {threads(run)}; memory in MiB: the peak of weights and what a run adds to the process. Last: the "
            "peak at 128K against its prediction.\n\n"
            + table(["dtype", "8K, tokens/s", "128K, tokens/s", "ratio", "peak at 8K", "peak at 128K", "more", "of it pool",
                     "predicted"], lines))


def train(run):
    lines, across, growth_lines, pairs = [], [], [], []
    for dtype, report in by_dtype(run):
        tokens = run_length(report)
        pairs += pairs_of([report], ["segmented"], ["transformers"])
        for checkpointing in (False, True):
            ours, theirs = (find(report, who, "train", tokens, checkpointing) for who in ("segmented", "transformers"))
            peaks = [row["peak_bytes"] / MB if row and row["peak_bytes"] else None for row in (ours, theirs)]
            lines.append([dtype, "on" if checkpointing else "off", speed(ours), speed(theirs), ratio(ours, theirs),
                          *(f"{peak:.0f}" if peak else "–" for peak in peaks),
                          f"{peaks[0] / peaks[1]:.2f}×" if all(peaks) else "–"])
        ours, theirs = (find(report, who, "train", tokens, who == "segmented") for who in ("segmented", "transformers"))
        if theirs and theirs["peak_bytes"] and ours["peak_bytes"]:
            across.append(f"{dtype} {ratio(ours, theirs)} the speed in {ours['peak_bytes'] / theirs['peak_bytes']:.2f}× "
                          "the memory")
    for dtype, (short, long) in sorted(run["values"].get("peaks", {}).items(), reverse=True):
        growth_lines.append([dtype, f"{short / MB:.0f}", f"{long / MB:.0f}", f"{long / short:.3f}"])
    reports = [report for _, report in by_dtype(run)]
    text = (f"Every parameter, a step of one sample of {tokens} tokens, {threads(run)}: the second of two steps, medians; "
            f"peaks of weights and what both steps add, in MiB. {alike(pairs, 'training_dtype')} Peer: "
            f"{peer_name(reports, 'transformers')}, full attention, sdpa, fused AdamW; ours is segmented, K = "
            f"{reports[0]['config']['truncation_depth']}.\n\n"
            + table(["dtype", "checkpointing", "ours, tokens/s", "peer, tokens/s", "ours / peer", "ours, MiB", "peer, MiB",
                     "ours / peer"], lines))
    if across:
        text += f"\n\nOurs with checkpointing beside the peer without: {', '.join(across)}."
    if growth_lines:
        text += ("\n\nPeaks of a step of one sample, by its length: more segments, not more graphs.\n\n"
                 + table(["dtype", "peak at 2·1024", "peak at 8·1024", "ratio"], growth_lines))
    return text


def pool(run):
    values, lines = run["values"], []
    for keys in ("model", "bf16", "int8"):
        v = values["keys"][keys]
        lines.append([keys, f"{v['bytes_per_token']:.0f}", f"{100 * v['anchors_found']:.2f} %",
                      f"{100 * v['hits_found']:.2f} %", f"{v['nll_mean']:.5f}", f"{1000 * v['retrieval_s']:.1f}"])
    return (f"SmolLM2 in fp32 with its default settings over {values['tokens']} tokens of a novel, 2 threads, one run each. "
            "Found again: the share of the exact run's positions, by segment, layer and head, that the run with these keys "
            "retrieved too; anchors alone, then all but padding. The runs go their own ways: a prefix that differs changes "
            "all queries after it. Retrieval: all that passes on from segment to segment, mean.\n\n"
            + table(["keys", "pool, bytes a token", "anchors found again", "hits found again", "loss, nats a token",
                     "retrieval, ms a segment"], lines))


def start(run):
    whole, segment = (statistics.median(run["values"][key]) for key in ("whole_s", "segment_s"))
    return (f"`carryover run` of one segment of 1024 tokens, from the process's start to its end: {whole:.2f} s, of them "
            f"{segment:.2f} s in the segment; medians of {len(run['values']['whole_s'])} after one that fills the page cache.")


def gui(run):
    late, speeds, lines = run["values"]["late"], run["values"]["speed"], []
    states = (("engine idle", late["idle"]), ("engine running", late["running"]))
    rows = [[state, str(r["beats"]), f"{r['p50_ms']:.2f}", f"{r['p99_ms']:.2f}", f"{r['max_ms']:.1f}"] for state, r in states]
    text = (table(["window with the", "beats", "p50, ms late", "p99", "max"], rows)
            + f"\n\nA 5 ms heartbeat of the event loop over {late['seconds']} s each; {late['segments']} segments ran beside "
            f"it. Bounds (p99 ≤ 16 ms, max ≤ idle's + 50 ms): {'kept' if lateness_kept(run) else 'MISSED'}.\n\n")
    for name, title in (("default", "the default model"), ("demo", "the demo")):
        alone, beside, share = gui_medians(speeds[name])
        lines.append([title, str(speeds[name]["headless"][0]["tokens"]), f"{alone:.0f}", f"{beside:.0f}",
                      f"{beside / alone:.3f}", f"{100 * share:.1f} %", "kept" if beside >= 0.95 * alone else "MISSED"])
    return (text + table(["", "tokens", "tokens/s headless", "tokens/s with the window", "ratio",
                          "the window's thread, share of a core", "ratio ≥ 0.95"], lines)
            + f"\n\nA window in its default layout; medians of {len(speeds['default']['headless'])} alternating pairs.")


def gui_medians(speeds):
    headless, window = speeds["headless"], speeds["window"]
    return (statistics.median(r["tokens_per_s"] for r in headless), statistics.median(r["tokens_per_s"] for r in window),
            statistics.median(r["gui_cpu_share"] for r in window))


def lateness_kept(run):
    late = run["values"]["late"]
    return late["running"]["p99_ms"] <= 16 and late["running"]["max_ms"] <= late["idle"]["max_ms"] + 50


def gui_kept(run):
    medians = [gui_medians(speeds) for speeds in run["values"]["speed"].values()]
    return lateness_kept(run) and all(beside >= 0.95 * alone for alone, beside, _ in medians)


def scale_kept(run):
    values = run["values"]
    return values["scrubbing"]["all"]["p95_ms"] <= 33 and values["after"]["rss_peak_mib"] * 1.048576 < 500


def scale(run):
    result = run["values"]
    steps, held = result["scrubbing"], result["after"]
    rows = [[kind, str(r["steps"]), f"{r['p50_ms']:.1f}", f"{r['p95_ms']:.1f}", f"{r['max_ms']:.1f}",
             f"{r['p95_cpu_ms']:.1f}"] for kind, r in [*sorted(steps["kinds"].items()), ("all", steps["all"])]]
    return (table(["step", "steps", "p50, ms to painted", "p95", "max", "p95 of its processor time, ms"], rows)
            + f"\n\nA run of {held['tokens']} tokens in {held['segments']} segments, in a window of 1280 × 800 in its default"
            f" layout. It opened in {result['open_ms'] / 1000:.2f} s, painted; {held['segments_loaded']} segments were read"
            " from disk in all."
            f"\n\nResident memory of the process: {result['window']['rss_mib']:.0f} MiB without a run,"
            f" {result['opened']['rss_mib']:.0f} MiB with it open, {held['rss_mib']:.0f} MiB after the steps,"
            f" {held['rss_peak_mib']:.0f} MiB at most. Of it {held['outline_mib']:.1f} MiB are the run's outline and"
            f" {held['cached_segments_mib']:.1f} MiB whole segments."
            f"\n\nBounds (p95 ≤ 33 ms, memory < 500 MB): {'kept' if scale_kept(run) else 'MISSED'}.")


def gpu(run):
    report = run["reports"]["bf16"]
    claims = [[claim["what"], *("–" if claim[key] is None else f"{claim[key]:.2f}" for key in ("value", "bound")),
               claim["verdict"]] for claim in report["claims"]]
    return f"{report['machine']['gpu']}. What is claimed, and what was measured:\n\n" + table(
        ["what", "value", "bound", "verdict"], claims)


# By bench: its title, its command, its text. The order is the page's.
SECTIONS = {
    "cpu-llama": ("Against llama.cpp", "./lab bench cpu llama", llama),
    "cpu-llama-decode": ("Decoding against llama.cpp", "./lab bench cpu llama-decode", llama_decode),
    "cpu-prefill": ("Prefill on the CPU", "./lab bench cpu prefill", prefill),
    "cpu-decode": ("Decoding on the CPU", "./lab bench cpu decode", decode),
    "cpu-train": ("Training on the CPU", "./lab bench cpu train", train),
    "cpu-full": ("Segmented against full attention on the CPU", "./lab bench cpu full", full),
    "cpu-growth": ("From 8K to 128K tokens on the CPU", "./lab bench cpu growth", growth),
    "cpu-pool": ("Keys of the pool in fewer bits", "./lab bench cpu pool", pool),
    "cpu-start": ("Start on the CPU", "./lab bench cpu start", start),
    "gui": ("The window's event loop, and the engine's speed beside it", "./lab bench gui", gui),
    "scale": ("A million tokens in the window", "./lab bench scale", scale),
    "gpu": ("On a GPU", "./lab bench --gpu", gpu),
}


def where(run):
    """The line that each figure stands under."""
    machine = run["machine"]
    return (f"`{run['command']}`, {run['date']}, {machine['processor']}, {machine['cores']} cores, "
            f"{' '.join(machine['flags'])}, commit {run['commit']}{' with local changes' if run.get('modified') else ''}")


def section(runs):
    """Of one bench's runs, one for each kind of machine."""
    title = SECTIONS[runs[0]["bench"]][0]
    parts = [f"## {title}"]
    for run in runs:
        if len(runs) > 1:
            parts.append(f"### {KINDS.get(run['machine']['kind'], run['machine']['kind'])}")
        parts += [where(run), SECTIONS[run["bench"]][2](run)]
    return wrapped("\n\n".join(parts)) + "\n"
