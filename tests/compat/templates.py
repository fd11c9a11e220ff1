#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares how we render chat templates with how jinja2 does, in the environment that transformers sets up.

usage: templates.py RENDER_TEMPLATE FOLDER [--verbose]
       templates.py --record FOLDER

RENDER_TEMPLATE is the program of render_template.cpp; FOLDER has *.jinja files, such as llama.cpp's models/templates.
Needs jinja2 3.1. Exits with 1 where a template renders otherwise, or where one of the two alone refuses. With --record
it writes what jinja2 renders to FOLDER/recorded.json, which tests/templates/chat_template_test.cpp reads.
"""
import argparse
import collections
import datetime
import functools
import json
import subprocess
import sys
from pathlib import Path

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.sandbox

NOW = 1751328000  # 1 July 2025, UTC
SPECIALS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}

WEATHER = {"type": "function", "function": {
    "name": "get_weather", "description": "The weather \"now\" in a city – with units.",
    "parameters": {"type": "object", "required": ["city"], "properties": {
        "city": {"type": "string", "description": "Its name, e.g. Zürich"},
        "unit": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
        "days": {"type": "integer", "minimum": 1, "maximum": 10},
        "detail": {"type": ["string", "null"]},
        "places": {"type": "array", "items": {"type": "object", "properties": {
            "latitude": {"type": "number"}, "longitude": {"type": "number"}}}}}},
    "return": {"type": "string"}}}
CLOCK = {"type": "function", "function": {
    "name": "clock", "description": "The time.", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "call12345", "type": "function", "function": {
    "name": "get_weather", "arguments": {"city": "Zürich", "days": 2, "exact": True, "scale": 0.5, "note": None,
                                         "tags": ["a", "b"], "place": {"latitude": 47.4}}}}
TEXT_CALL = {"id": "call12345", "type": "function",
             "function": {"name": "get_weather", "arguments": json.dumps({"city": "Paris"})}}


def user(text):
    return {"role": "user", "content": text}


def system(text):
    return {"role": "system", "content": text}


def assistant(text, **more):
    return {"role": "assistant", "content": text, **more}


def tool(text, **more):
    return {"role": "tool", "content": text, **more}


ASKED = [user("What is the weather?"), assistant("", tool_calls=[CALL])]
ANSWERED = [*ASKED, tool("{\"sky\": \"clear\"}", name="get_weather", tool_call_id="call12345")]
CONVERSATIONS = {
    "one question": ([user("Hello, who are you?")], {}),
    "system": ([system("Be brief."), user("Hi.")], {}),
    "blanks": ([system("  Be brief.\n\n"), user("\n Hi. \t"), assistant(" Yes? \n"), user("  ")], {}),
    "turns": ([user("One?"), assistant("Two."), user("Three?"), assistant("Four."), user("Five?")], {}),
    "system and turns": ([system("Count."), user("One?"), assistant("Two."), user("Three?"), assistant("Four.")], {}),
    "empty": ([user("")], {}),
    "empty system": ([system(""), user("Hi.")], {}),
    "no messages": ([], {}),
    "wrong order": ([user("Hi."), user("Hi?"), assistant("Yes."), assistant("No.")], {}),
    "other role": ([{"role": "critic", "content": "Hm."}, user("Hi.")], {}),
    "beyond ASCII": ([system("Grüße, 世界 🙂"), user("«Ça va?» \u00a0 <|im_end|> & 'quoted' \"twice\"")], {}),
    "thought": ([user("1+1?"), assistant("<think>\nOne and one.\n</think>\n\n2"), user("And 2+2?")], {}),
    "reasoning": ([user("1+1?"), assistant("2", reasoning_content="One and one."), user("And 2+2?"),
                   assistant("4", reasoning_content="Two and two.")], {}),
    "parts": ([user([{"type": "text", "text": "One."}, {"type": "text", "text": "Two."}]), assistant("Yes.")], {}),
    "image": ([user([{"type": "image"}, {"type": "text", "text": "What is it?"}])], {}),
    "tools": ([user("What is the weather?")], {"tools": [WEATHER, CLOCK]}),
    "system and tools": ([system("Be brief."), user("What is the weather?")], {"tools": [WEATHER]}),
    "no tools": ([user("Hi.")], {"tools": []}),
    "call": (ASKED, {"tools": [WEATHER]}),
    "call without tools": (ANSWERED, {}),
    "answer": (ANSWERED, {"tools": [WEATHER, CLOCK]}),
    "answer used": ([*ANSWERED, assistant("It is clear."), user("Thanks.")], {"tools": [WEATHER, CLOCK]}),
    "two calls": ([system("S."), user("Where?"), assistant("Let me see.", tool_calls=[CALL, {**CALL, "id": "call67890"}]),
                   tool("clear", name="get_weather", tool_call_id="call12345"),
                   tool("rain", name="get_weather", tool_call_id="call67890")], {"tools": [WEATHER, CLOCK]}),
    "call as text": ([user("Where?"), assistant(None, tool_calls=[TEXT_CALL]),
                      tool("clear", name="get_weather", tool_call_id="call12345")], {"tools": [WEATHER]}),
    "no thinking": ([user("Hi.")], {"enable_thinking": False, "thinking": False, "reasoning_effort": "low"}),
    "thinking": ([system("S."), user("Hi.")], {"enable_thinking": True, "thinking": True, "reasoning_effort": "high"}),
    "documents": ([user("Who?")], {"documents": [{"title": "A", "text": "May.", "doc_id": 1}]}),
}


class Generation(jinja2.ext.Extension):
    """`{% generation %}` marks what an assistant wrote; it prints its body, with names of its own."""
    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        return jinja2.nodes.Scope(parser.parse_statements(["name:endgeneration"], drop_needle=True)).set_lineno(line)


def raise_exception(message):
    raise jinja2.TemplateError(message)


def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    made = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True,
                                                        extensions=[Generation, jinja2.ext.loopcontrols])
    made.filters["tojson"] = tojson
    now = datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc)
    made.globals.update(raise_exception=raise_exception, strftime_now=now.strftime)
    return made


@functools.lru_cache(maxsize=1)
def compiled(text):
    return environment().from_string(text)


def theirs(text, messages, prompt, extra):
    try:
        values = {**SPECIALS, "tools": None, "documents": None, **extra}
        return {"text": compiled(text).render(messages=messages, add_generation_prompt=prompt, **values)}
    except Exception as error:  # of any type: templates run into Python's own
        return {"error": f"{type(error).__name__}: {error}"}


def requests():
    for name, (messages, extra) in CONVERSATIONS.items():
        for prompt in (False, True):
            yield f"{name}, {'with' if prompt else 'without'} a prompt", messages, prompt, extra


def ours(program, path, asked):
    lines = [json.dumps({"messages": messages, "add_generation_prompt": prompt, "specials": SPECIALS,
                         "extra": {**extra, "strftime_now": NOW}}) for _, messages, prompt, extra in asked]
    run = subprocess.run([program, str(path)], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def compare(program, path, verbose):
    asked, counts = list(requests()), collections.Counter()
    text = path.read_text(encoding="utf-8")
    for (name, messages, prompt, extra), got in zip(asked, ours(program, path, asked), strict=True):
        want = theirs(text, messages, prompt, extra)
        kind = ("unsupported" if got.get("fault") == "unsupported" and "text" in want else
                "both refuse" if "error" in got and "error" in want else
                "equal" if got.get("text") == want.get("text") else "DIFFERENT")
        counts[kind] += 1
        if kind in ("unsupported", "DIFFERENT") or verbose and kind == "both refuse":
            print(f"{kind}: {path.name}: {name}\n  ours:   {json.dumps(got)[:2000]}\n  theirs: {json.dumps(want)[:2000]}")
    return counts


def record(folder):
    """Each conversation once, every other one with a prompt; null where jinja2 refuses."""
    cases = [{"name": name, "messages": messages, "prompt": i % 2 == 0, "extra": extra}
             for i, (name, (messages, extra)) in enumerate(CONVERSATIONS.items())]
    rendered = {path.stem: [theirs(path.read_text(encoding="utf-8"), case["messages"], case["prompt"],
                                   case["extra"]).get("text") for case in cases]
                for path in sorted(folder.glob("*.jinja"))}
    recorded = {"jinja2": jinja2.__version__, "now": NOW, "specials": SPECIALS, "cases": cases, "rendered": rendered}
    text = json.dumps(recorded, ensure_ascii=False, indent=1) + "\n"
    (folder / "recorded.json").write_text(text, encoding="utf-8")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", nargs="?")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--verbose", action="store_true", help="also show what both refuse")
    arguments.add_argument("--record", action="store_true")
    given = arguments.parse_args()
    if given.record:
        return record(given.folder)
    paths = sorted(given.folder.glob("*.jinja"))
    total, whole = collections.Counter(), 0
    for path in paths:
        counts = compare(given.program, path, given.verbose)
        total += counts
        whole += not counts["DIFFERENT"] and not counts["unsupported"]
    print(f"jinja2 {jinja2.__version__}: {whole} of {len(paths)} templates agree in every case; cases: {dict(total)}")
    sys.exit(whole != len(paths) or not paths)


if __name__ == "__main__":
    main()
