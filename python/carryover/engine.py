# SPDX-License-Identifier: GPL-3.0-or-later
"""An engine from Python: opens models, runs texts, runs segments again with something changed, looks inside.

    with carryover.Engine() as engine:
        model = engine.open("resources/demo")
        run = model.run("Once upon a time …")
        print(run.ppl, model.what_if(run, segment=3, no_carry=True).mean_change)

The engine is `carryover-cli engine` in a process of its own, which a window uses in the same way; all numbers are its.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Optional, TypeVar, Union

import numpy as np

from .connection import Connection
from .errors import EngineLost, WireError
from .numbers import place, plain, token_ids
from .program import command as wheel_command
from .run import HeadHits, Run, segment_table, slot_table

Progress = Callable[[float, str], None]  # how far, 0 to 1, and with what
Text = Union[str, os.PathLike, Sequence[int], np.ndarray]
Made = TypeVar("Made")

PROGRAMS = ("carryover-cli", "carryover")
MOST_POSITIONS = 1 << 48


@dataclass(frozen=True)
class Edit:
    """What is changed for one segment; all that came before it stays as it was."""

    no_carry: bool = False  #: local heads see their segment alone
    no_sinks: bool = False  #: no head reads the sinks
    prefix: str = "search"  #: or off, random, recent, constant, sinks, oracle
    seed: int = 1  #: of a random prefix
    dropped: Sequence[tuple[int, int, int]] = ()  #: slots (layer, head, position) that are taken out
    added: Sequence[tuple[int, int, int]] = ()  #: slots that are read in place of padding
    banned: Sequence[tuple[int, int]] = ()  #: positions [first, last) that no search may choose
    config: Mapping[str, Any] = field(default_factory=dict)  #: settings of this segment, by field
    zeroed_heads: Sequence[tuple[int, int]] = ()  #: heads (layer, head) whose outputs are zero at every token
    unread: Sequence[tuple[int, int, str]] = ()  #: (layer, head, part): a head does not read sinks, retrieved or carry
    patch: Mapping[str, Any] = field(default_factory=dict)  #: values of points ("5.resid_pre", as activations() names
    #: them) by (tokens, width) arrays, or (first token, array): what the forward pass has there is replaced

    def message(self, run: Run) -> dict[str, Any]:
        slots = {name: [_slot(*slot) for slot in getattr(self, name)] for name in ("dropped", "added")}
        banned = [
            {"first": place(first, "position", MOST_POSITIONS), "last": place(last, "position", MOST_POSITIONS)}
            for first, last in self.banned
        ]
        config = {**run.config, **self.config} if self.config else None
        return {
            "no_carry": self.no_carry,
            "no_sinks": self.no_sinks,
            "prefix": self.prefix,
            "seed": self.seed,
            "banned": banned,
            "config": config,
            "zeroed_heads": [_head(run, head) for head in self.zeroed_heads],
            "unread": [{"head": _head(run, (layer, head)), "part": part} for layer, head, part in self.unread],
            "point_patches": [_patch(name, values) for name, values in self.patch.items()],
            **slots,
        }


@dataclass(frozen=True)
class WhatIf:
    """A segment as it was and as it is under an edit. Losses: float32 [targets] in nats, entry j of the token that
    follows token first_token + j."""

    segment: int
    first_token: int
    before: np.ndarray
    after: np.ndarray
    hits_before: np.ndarray  #: array of SLOT [slots], what the segment read
    hits_after: np.ndarray
    segments_run: int  #: to get there

    @property
    def change(self) -> np.ndarray:
        """float32 [targets]: positive where the edit made the loss larger."""
        return self.after - self.before

    @property
    def mean_change(self) -> float:
        """Nats a target."""
        return float(np.mean(self.change, dtype=np.float64)) if len(self.before) else 0.0

    @property
    def lost(self) -> np.ndarray:
        """The slots that the edit took away: array of SLOT."""
        return _missing(self.hits_before, self.hits_after)

    @property
    def gained(self) -> np.ndarray:
        """The slots that it brought: array of SLOT."""
        return _missing(self.hits_after, self.hits_before)


@dataclass(frozen=True)
class Sweep:
    """A heatmap of activation patching or ablation: float64 [layers, columns] each."""

    segment: int
    site: str
    source: str
    columns: np.ndarray  #: int64 [columns]: heads, or tokens of the text
    logit: np.ndarray  #: of the target, with the cell's value replaced
    foil_logit: Optional[np.ndarray]  #: None without a foil
    logprob: np.ndarray  #: of the target, nats
    nll_sum: Optional[np.ndarray]  #: of the segment, nats; None if it was not asked for
    as_it_was: dict[str, float]  #: the same four values of the segment as it was

    @property
    def change(self) -> np.ndarray:
        """float64 [layers, columns]: how much each cell changes the target's logit, or its difference to the foil's."""
        before = self.as_it_was["logit"] - self.as_it_was["foil_logit"]
        return self.logit - (0.0 if self.foil_logit is None else self.foil_logit) - before


@dataclass(frozen=True)
class Attention:
    """A head's attention, pooled to at most map_rows × map_columns. Columns are the prefix's, then the segment's."""

    head: tuple[int, int]  #: layer, head
    prefix_length: int
    segment_length: int
    query_step: int  #: tokens a row holds
    key_step: int  #: tokens a column holds
    prefix_columns: int
    mean: np.ndarray  #: float32 [rows, columns]: mean over a row's queries of a column's mass
    prefix_positions: np.ndarray  #: int64 [prefix_length]


@dataclass(frozen=True)
class SlotMass:
    """Mean share of a head's attention on each of its slots: float32 [slots]."""

    head: tuple[int, int]
    mass: np.ndarray


@dataclass(frozen=True)
class Search:
    """How a head came by its prefix: query summaries → scores → top-k."""

    head: tuple[int, int]
    summaries: np.ndarray  #: structured [summaries]: first, last; absolute positions [first, last)
    position_step: int  #: positions a column of `scores` holds
    scores: np.ndarray  #: float32 [summaries, columns]
    ranked: np.ndarray  #: structured: summary, position, score, anchor; the best of each summary first


@dataclass(frozen=True)
class Recall:
    """What a head retrieved against its attention over the whole pool."""

    head: tuple[int, int]
    recall: float  #: of the R positions with most attention, the share that was retrieved
    mass: float  #: share of attention on what was retrieved
    oracle_mass: float  #: share of attention on those R positions
    oracle: np.ndarray  #: int64 [R], those positions


@dataclass(frozen=True)
class Prediction:
    """How a prediction came out: logit and probability of its target, and of the foil where there is one."""

    token: int
    target: int
    logit: float
    probability: float
    foil: Optional[int]
    foil_logit: float  #: 0 without a foil, as its probability
    foil_probability: float
    top: list[tuple[int, float]]  #: the likeliest tokens, best first, then the target: (id, ln p)


@dataclass(frozen=True)
class Neuron:
    """What one neuron of a feed-forward layer adds to a logit."""

    layer: int
    neuron: int
    activation: float
    logit: float


@dataclass(frozen=True)
class Lens:
    """The logit lens: what the final norm and the head make of the residual stream after the embedding and after each
    layer, and of what attention read from the carry and wrote, after each layer from `first_carry_layer` on. Structured
    arrays of id (the likeliest token), logprob, rank (tokens likelier than the target), target_logprob and foil_logprob
    (0 without a foil)."""

    token: int
    target: int
    residual: np.ndarray  #: [1 + layers]
    carry: np.ndarray
    first_carry_layer: int


@dataclass(frozen=True)
class Ablations:
    """A prediction as it was, and without each part of the prefixes: sinks, retrieved, carry."""

    as_it_was: Prediction
    without: dict[str, Prediction]
    logprobs: dict[str, np.ndarray]  #: by part: ln p of as_it_was.top's tokens without it


@dataclass(frozen=True)
class Attribution:
    """Direct contributions to a target's logit, or to its difference from a foil's; their sum is `logit`."""

    prediction: Prediction
    logit: float
    embedding: float
    biases: float  #: of attention's output projections and of the final norm
    feed_forward: np.ndarray  #: float32 [layers]
    sinks: np.ndarray  #: float32 [layers, heads]; retrieved, carry and segment likewise
    retrieved: np.ndarray
    carry: np.ndarray
    segment: np.ndarray
    neurons: list[Neuron]  #: those that move the logit most, the largest first


@dataclass(frozen=True)
class Sources:
    """Where the query that predicts a token looks."""

    token: int
    positions: np.ndarray  #: int64 [positions], ascending
    attention: np.ndarray  #: float32 [layers · heads, positions]; a row sums to 1
    logit: np.ndarray  #: float32 [positions]: what each adds to the target's logit


@dataclass(frozen=True)
class Inspection:
    """What was asked for of one segment; the rest is None or empty."""

    segment: int
    hits: np.ndarray  #: array of SLOT [slots]
    attention: Optional[Attention]
    prefix_mass: np.ndarray  #: float32 [layers, heads]: mean attention on the prefix
    slot_masses: list[SlotMass]
    search: Optional[Search]
    recall: list[Recall]
    attribution: Optional[Attribution]
    sources: Optional[Sources]
    lens: Optional[Lens]
    ablations: Optional[Ablations]
    pair_mass: np.ndarray  #: float32 [layers, heads]: mean attention over the pairs
    pair_top: np.ndarray  #: float32 [layers, heads]: share of pairs whose key has the query's most attention


class EngineRun(Run):
    """A run that an engine made for this program; nothing of it is on disk."""

    carry_maps = None

    def __init__(
        self, tokens: np.ndarray, policy: str, config: dict[str, Any], model: dict[str, Any], layers: int, heads: int
    ) -> None:
        self.tokens, self.policy, self.config, self.model = tokens, policy, config, model
        self.layers, self.heads = layers, heads
        self.summary = None
        self.lists: list[HeadHits] = []
        self._records: list[dict[str, Any]] = []
        self._nll: list[np.ndarray] = []
        self._sinks: list[np.ndarray] = []

    def take(self, snapshot: dict[str, Any]) -> None:
        """The next segment, as it arrives."""
        record, last = snapshot["record"], self._records[-1] if self._records else None
        index, first = (last["index"] + 1, last["first_token"] + last["length"]) if last else (0, 0)
        here = self.tokens[first : first + record["length"]]
        if (record["index"], record["first_token"]) != (index, first) or not np.array_equal(snapshot["ids"], here):
            raise WireError("received a segment that is not the next one of the text")
        if len(snapshot["target_nll"]) not in (0, record["targets"]):
            raise WireError("received a segment with more or fewer losses than targets")
        self._records.append(record)
        self._nll.append(snapshot["target_nll"])
        self._sinks.append(snapshot["sinks"])
        self.lists += _lists(snapshot["hits"])

    def finish(self, summary: dict[str, Any]) -> None:
        self.summary = summary
        self.segments = segment_table(self._records)
        self.nll = np.concatenate(self._nll) if self._nll else np.empty(0, np.float32)
        self.sinks = np.stack(self._sinks) if self._sinks and self._sinks[0].size else None
        self.slots = slot_table(self.lists)


class Model:
    """A model that is open in an engine. Made by Engine.open()."""

    def __init__(self, connection: Connection, number: int, info: dict[str, Any]) -> None:
        self._connection, self._number = connection, number
        info["config"] = {**info["config"]["shape"], "name": info["config"]["name"]}
        self.info: dict[str, Any] = info  #: config (layers, heads, …), weights_hash, dtype, device, threads, …
        #: the settings that runs start from, by field: those of the model's training, or of the paper
        self.config: dict[str, Any] = connection.ask("Settings", number)[0]

    def encode(self, text: str, bos: bool = False) -> np.ndarray:
        """int32 [tokens]: ids of a text. No token is added but BOS, where it is asked for."""
        return self._connection.ask("Encode", self._number, {"text": text, "bos": bos})[0]

    def token_texts(self, ids: Union[Sequence[int], np.ndarray]) -> list[str]:
        """The text of each id; a part of a character is U+FFFD."""
        return list(self._connection.ask("TokenTexts", self._number, token_ids(ids))[0])

    def run(
        self,
        text: Text,
        *,
        policy: str = "segmented",
        tokens: Optional[int] = None,
        progress: Optional[Progress] = None,
        **config: Any,
    ) -> EngineRun:
        """Runs a text (a str), a text file (a path) or ids, as they are: (tokens,) or (1, tokens), whole numbers of any
        type. `tokens`: its first tokens alone. `config`: fields of the settings over those that the model starts from
        (segment_length=64, …)."""
        settings = {**self.config, **plain(config)}
        if tokens is not None:
            tokens = place(tokens, "tokens", 1 << 62)
        if isinstance(text, os.PathLike):
            text = Path(text).read_text("utf-8")
        if isinstance(text, str):
            limit = None if tokens is None else tokens + bool(settings["bos"])
            ids = self.encode(text, bool(settings["bos"]))[:limit]
        else:
            ids = token_ids(text)[:tokens]
        model = {
            "name": self.info["config"]["name"],
            "path": self.info["path"],
            "weights_hash": self.info["weights_hash"],
            "dtype": self.info["dtype"],
            "adapter": self.info["adapter"],
        }
        run = EngineRun(ids, policy, settings, model, self.info["config"]["layers"], self.info["config"]["heads"])

        def hear(event: str, values: list[Any]) -> None:
            if event == "Segment":
                run.take(values[0])
            elif event == "Progress" and progress and values[1] > 0:
                progress(values[0] / values[1], "tokens")

        request = {**_request(run), "capture": {"states": True, "carry_maps": False}}
        run.finish(self._connection.ask("Run", self._number, request, on_event=hear)[0])
        return run

    def what_if(self, run: Run, segment: int, **edit: Any) -> WhatIf:
        """The segment again under one edit, whose parts are those of Edit: what_if(run, 3, no_carry=True)."""
        return self.what_ifs(run, segment, [Edit(**edit)])[0]

    def what_ifs(self, run: Run, segment: int, edits: Sequence[Edit]) -> list[WhatIf]:
        """The segment again under each of `edits`. `run` is any run of this model, of this engine or of a folder: what
        its record says is compared with what comes out unedited, and EngineError raised where they differ."""
        outcomes: dict[int, dict[str, Any]] = {}

        def hear(event: str, values: list[Any]) -> None:
            if event == "Outcome":
                outcomes[values[0]] = values[1]

        messages = [edit.message(run) for edit in edits]
        request = {**self._replay(run, segment), "edits": messages}
        base = self._connection.ask("WhatIf", self._number, request, on_event=hear)[0]
        if sorted(outcomes) != list(range(len(messages))):
            raise WireError("received outcomes of other edits than requested")
        before = base["as_it_was"]
        if any(len(one["target_nll"]) != len(before["target_nll"]) for one in outcomes.values()):
            raise WireError("received an outcome with more or fewer losses than the segment has")
        return [
            WhatIf(
                segment,
                base["first_token"],
                before["target_nll"],
                outcomes[edit]["target_nll"],
                slot_table(_lists(before["hits"])),
                slot_table(_lists(outcomes[edit]["hits"])),
                base["segments_run"],
            )
            for edit in range(len(messages))
        ]

    def sweep(
        self,
        run: Run,
        segment: int,
        token: int,
        *,
        site: str = "heads",
        source: Optional[str] = None,
        patch: Optional[Run] = None,
        foil: Optional[int] = None,
        tokens: Optional[tuple[int, int]] = None,
        losses: bool = False,
        progress: Optional[Callable[[int], None]] = None,
    ) -> Sweep:
        """The segment again for each layer and head, or layer and token, with one value replaced. `token`: whose
        prediction each cell gives, counted from the segment's start. `site`: heads, attention, feed-forward, residual,
        or what a head no longer reads: sinks, retrieved, carry. `source`: zero, mean, or run, which takes the values of
        the run `patch`. `foil`: the id of a token that the target is compared with. `tokens`: [first, last) of the
        segment. `progress` gets the number of cells that are done."""
        if source is None:
            source = "zero" if patch is None else "run"
        cells: list[dict[str, Any]] = []
        bases: list[dict[str, Any]] = []

        def hear(event: str, values: list[Any]) -> None:
            if event == "SweepBegun":
                bases.append(values[0])
            if event == "SweepCellDone":
                cells.append(values[0])
                if progress:
                    progress(len(cells))

        request = {
            **self._replay(run, segment),
            "site": site,
            "source": source,
            "question": {"token": operator.index(token), "foil": foil, "top": 0},
            "losses": losses,
            "tokens": None if tokens is None else {"first": operator.index(tokens[0]), "last": operator.index(tokens[1])},
            "patch_source": None,
        }
        if patch is not None:
            other = self._replay(patch, segment)
            request["patch_source"] = {"run": other["run"], "record": other["record"]}
        self._connection.ask("Sweep", self._number, request, on_event=hear)
        columns = sorted({cell["place"]["column"] for cell in cells})
        layers = 1 + max(cell["place"]["layer"] for cell in cells)
        if len(bases) != 1 or len(cells) != layers * len(columns):
            raise WireError("received a sweep with more or fewer cells than its heatmap has")
        maps = {name: np.full((layers, len(columns)), np.nan) for name in ("logit", "foil_logit", "logprob", "nll_sum")}
        for cell in cells:
            for name, values in maps.items():
                values[cell["place"]["layer"], columns.index(cell["place"]["column"])] = cell[name]
        by_token = site in ("attention", "feed-forward", "residual")
        return Sweep(
            segment,
            site,
            source,
            np.array(columns, dtype=np.int64) + (segment * run.config["segment_length"] if by_token else 0),
            maps["logit"],
            None if foil is None else maps["foil_logit"],
            maps["logprob"],
            maps["nll_sum"] if losses else None,
            {name: bases[0]["as_it_was"][name] for name in maps},
        )

    def inspect(
        self,
        run: Run,
        segment: int,
        *,
        attention: Optional[tuple[int, int]] = None,
        map_rows: int = 256,
        map_columns: int = 512,
        masses: bool = False,
        search: Optional[tuple[int, int]] = None,
        recall: bool = False,
        attribution: Optional[int] = None,
        neurons: int = 0,
        sources: Optional[int] = None,
        lens: Optional[int] = None,
        ablations: Optional[int] = None,
        top: int = 0,
        foil: Optional[int] = None,
        pairs: Sequence[tuple[int, int]] = (),
    ) -> Inspection:
        """Looks inside a segment, which is run again from what was kept. Heads are (layer, head); `attribution`,
        `sources`, `lens`, `ablations` and the (query, key) `pairs` count tokens from the segment's start. `neurons`:
        how many an attribution lists. `top`: how many likeliest tokens a prediction lists. `foil`: the id of a token
        whose logit is taken off the target's in attribution and sources."""
        parts = {
            "attention": _head(run, attention),
            "map_rows": map_rows,
            "map_columns": map_columns,
            "masses": masses,
            "search": _head(run, search),
            "recall": recall,
            "attribution": attribution,
            "neurons": neurons,
            "sources": sources,
            "lens": lens,
            "ablations": ablations,
            "top": top,
            "foil": foil,
            "pairs": [{"query": operator.index(query), "key": operator.index(key)} for query, key in pairs],
        }
        request = {**self._replay(run, segment), "parts": parts}
        found = self._connection.ask("Inspect", self._number, request)[0]
        return Inspection(
            found["segment"],
            slot_table(_lists(found["hits"])),
            _made(Attention, found["attention"]),
            found["prefix_mass"],
            [_made(SlotMass, one) for one in found["slot_masses"]],
            _made(Search, found["search"]),
            [_made(Recall, one) for one in found["recall"]],
            _attribution(found["attribution"]),
            _made(Sources, found["sources"]),
            _lens(found["lens"]),
            _ablations(found["ablations"]),
            found["pair_mass"],
            found["pair_top"],
        )

    def activations(self, run: Run, segment: int, points: Sequence[str]) -> dict[str, np.ndarray]:
        """The values of points of the forward pass in a segment, which is run again: float32 (tokens, width), or
        (tokens, heads, head_dim) for q, k, v and z. A point is a layer and a name, "5.resid_pre"; names are
        TransformerLens's: resid_pre, q, k, v (before RoPE), z, attn_out, resid_mid, post, mlp_out, resid_post."""
        places = [_place(name) for name in points]
        request = {**self._replay(run, segment), "parts": {"points": places}}
        found = self._connection.ask("Inspect", self._number, request)[0]["points"]
        dimension = self.info["config"]["head_dim"]
        by_head = ("q", "k", "v", "z")
        return {
            name: seen["values"].reshape(len(seen["values"]), -1, dimension)
            if seen["place"]["point"] in by_head
            else seen["values"]
            for name, seen in zip(points, found)
        }

    def close(self) -> None:
        """Frees the model's memory in the engine."""
        self._connection.ask("Close", self._number)

    def _replay(self, run: Run, segment: int) -> dict[str, Any]:
        segment = place(segment, "segment", len(run.segments))
        record = {
            "weights_hash": run.model["weights_hash"],
            "dtype": run.model["dtype"],
            "target_nll": run.segment_nll(segment) if len(run.nll) else (),
            "hits": [_message(one) for one in run.lists if one.segment == segment],
        }
        return {"run": _request(run), "segment": segment, "record": record}


class Engine:
    """An engine in a process of its own, for as long as the `with` block lasts, or until close().

    program   carryover-cli or carryover; by default the one of the wheel, or else the one that PATH finds
    command   instead of it the words that start a remote engine: ("ssh", "host", "carryover-cli", "engine"); paths
              of models are then the other machine's. No shell here reads it; ssh's shell there reads these words alone,
              and every path travels over the engine's own line.
    timeout   seconds; an engine that is silent for longer counts as lost. One that computes answers.
    """

    def __init__(
        self,
        program: Optional[Union[str, os.PathLike]] = None,
        *,
        command: Optional[Sequence[str]] = None,
        timeout: float = 60.0,
    ) -> None:
        started = [str(program)] if program else None
        words = list(command) if command else [*(started or _find_program()), "engine"]
        self._connection = Connection(words, timeout)
        self._opened = 0
        self.place: dict[str, Any] = self._connection.place  #: host, version, cores, memory_bytes

    def open(
        self,
        model: Union[str, os.PathLike],
        adapter: Optional[Union[str, os.PathLike]] = None,
        *,
        dtype: str = "auto",
        device: str = "auto",
        threads: int = 0,
        progress: Optional[Progress] = None,
    ) -> Model:
        """Loads a Hugging Face folder or GGUF file. dtype: auto, fp32, bf16, fp64, q8; device: auto, cpu, cuda."""

        def hear(event: str, values: list[Any]) -> None:
            if event == "Loading" and progress:
                progress(values[0], values[1])

        request = {
            "path": os.fspath(model),
            "adapter": os.fspath(adapter) if adapter else "",
            "dtype": dtype,
            "device": device,
            "threads": threads,
        }
        self._opened += 1
        number = self._opened
        info = self._connection.ask("Open", number, request, on_event=hear)[0]
        return Model(self._connection, number, info)

    @property
    def process(self) -> int:
        """The process's id."""
        return self._connection.process

    def close(self) -> None:
        """Ends the engine."""
        self._connection.close()

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()


def _find_program() -> list[str]:
    """The words that start the program of the wheel that this package came with. Without one, the program that the
    absolute folders of PATH have: never what lies in the current folder."""
    if words := wheel_command():
        return words
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        for name in PROGRAMS:
            path = os.path.join(folder, name)
            if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
                return [path]
    raise EngineLost(f"PATH has none of {', '.join(PROGRAMS)}. Install Carryover, or name the program: Engine(program)")


def _request(run: Run) -> dict[str, Any]:
    forced = [_message(one) for one in run.lists] if run.forced else []
    return {"ids": run.tokens, "policy": run.policy, "config": run.config, "forced_hits": forced}


def _message(one: HeadHits) -> dict[str, Any]:
    return {"segment": one.segment, "layer": one.layer, "head": one.head, "hits": one.hits, "shared": one.shared}


def _lists(hits: list[dict[str, Any]]) -> list[HeadHits]:
    return [HeadHits(one["segment"], one["layer"], one["head"], one["hits"], one["shared"]) for one in hits]


def _place(name: str) -> dict[str, Any]:
    layer, _, point = name.partition(".")
    if not layer.isdecimal() or not point:
        raise ValueError(f"{name!r} is no point of the forward pass: write a layer and a name, such as 5.resid_pre")
    return {"layer": int(layer), "point": point}


def _patch(name: str, values: Any) -> dict[str, Any]:
    first, rows = values if isinstance(values, tuple) else (0, values)
    array = np.asarray(rows, np.float32)
    return {"place": _place(name), "first": operator.index(first), "values": array.reshape(len(array), -1)}


def _slot(layer: int, head: int, position: int) -> dict[str, int]:
    return {"layer": operator.index(layer), "head": operator.index(head), "position": operator.index(position)}


def _head(run: Run, head: Optional[tuple[int, int]]) -> Optional[dict[str, int]]:
    if head is None:
        return None
    layer, number = head
    return {"layer": place(layer, "layer", run.layers), "head": place(number, "head", run.heads)}


def _made(kind: Callable[..., Made], record: Optional[dict[str, Any]]) -> Any:
    """The dataclass of a record's fields of the same names; a head becomes (layer, head)."""
    if record is None:
        return None
    values = {one.name: record[one.name] for one in fields(kind)}  # type: ignore[arg-type]
    if "head" in values:
        values["head"] = (values["head"]["layer"], values["head"]["head"])
    return kind(**values)


def _attribution(record: Optional[dict[str, Any]]) -> Optional[Attribution]:
    if record is None:
        return None
    neurons = [_made(Neuron, one) for one in record["neurons"]]
    return _made(Attribution, {**record, "prediction": _prediction(record["prediction"]), "neurons": neurons})


def _prediction(record: dict[str, Any]) -> Prediction:
    return _made(Prediction, {**record, "top": [(int(one["id"]), float(one["logprob"])) for one in record["top"]]})


def _lens(record: Optional[dict[str, Any]]) -> Optional[Lens]:
    return _made(Lens, record and {**record, **{path: _readings(record[path]) for path in ("residual", "carry")}})


READING = np.dtype(
    [("id", "i4"), ("logprob", "f4"), ("rank", "i8"), ("target_logprob", "f4"), ("foil_logprob", "f4")]
)


def _readings(records: Sequence[dict[str, Any]]) -> np.ndarray:
    rows = [
        (one["top"]["id"], one["top"]["logprob"], one["rank"], one["target_logprob"], one["foil_logprob"])
        for one in records
    ]
    return np.array(rows, READING)


def _ablations(record: Optional[dict[str, Any]]) -> Optional[Ablations]:
    if record is None:
        return None
    without = {one["part"]: _prediction(one["prediction"]) for one in record["without"]}
    logprobs = {one["part"]: np.asarray(one["logprobs"], np.float32) for one in record["without"]}
    return Ablations(_prediction(record["as_it_was"]), without, logprobs)


def _missing(have: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Slots of `have` whose head and position are not in `other`."""
    there = {(slot["layer"], slot["head"], slot["position"]) for slot in other[["layer", "head", "position"]]}
    keep = [(slot["layer"], slot["head"], slot["position"]) not in there for slot in have]
    return have[np.array(keep, bool)]
