#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: clients.py PROGRAMS MODEL

OpenAI's Python client against `carryover serve`: texts, chats where MODEL has a template, streams, several answers,
log-probabilities, seeds, and each field of the table in docs/guide.md, once with a value that the server takes and once
with one that it has to refuse by name. Run it with the Python of a virtual environment that has `openai`
(tests/compat/requirements-clients.txt). Prints a line for each check, and returns 1 where one fails.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

import openai

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide.md"
CONVERSATION = [{"role": "system", "content": "You are kind."},
                {"role": "user", "content": [{"type": "text", "text": "Say"}, {"type": "text", "text": " something."}]},
                {"role": "assistant", "content": None, "refusal": None, "tool_calls": None},
                {"role": "user", "content": "Go on.", "name": "Ann"}]
# A value with an effect for each field that has one, where the endpoint is asked alone.
VALUES = {"max_tokens": 3, "max_completion_tokens": 3, "min_tokens": 2, "temperature": 0.5, "top_p": 0.9, "top_k": 1,
          "seed": 5, "n": 2, "best_of": 1, "stop": ["zz"], "stop_token_ids": [7], "ignore_eos": True, "stream": False,
          "stream_options": None, "logprobs": None, "top_logprobs": None, "echo": True, "question": "Who?",
          "state": None, "add_generation_prompt": False, "continue_final_message": False,
          "chat_template_kwargs": {"style": "plain"},
          "model": None, "prompt": "Once upon a time", "messages": CONVERSATION[:2]}
failures = 0


def check(what, holds, seen=""):
    global failures
    failures += not holds
    print(f"{'ok' if holds else 'FAILS':6} {what}{'' if holds else f': {seen}'}", flush=True)


def fields():
    """(name, endpoints, "implemented" or "accepted" or "refused", values that change nothing) of the guide's table."""
    mark = "<!-- fields of requests: {} -->"
    table = GUIDE.read_text().split(mark.format("begin"))[1].split(mark.format("end"))[0]
    for row in re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \|$", table, re.MULTILINE):
        name, where, use = row
        neutral = [json.loads(value) for value in re.findall(r"`([^`]+)`", use)]
        yield name, re.findall(r"`([\w/]+)`", where), use.split(",")[0], neutral


class Server:
    def __init__(self, programs, model):
        self.process = subprocess.Popen([Path(programs) / "carryover-cli", "serve", model, "--port", "0", "--quiet"],
                                        stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().split()[-1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def check_completions(client, model):
    def ask(**more):
        return client.completions.create(model=model, **{"prompt": "Once upon a time", "max_tokens": 8, **more})

    texts = {ask(temperature=1).choices[0].text for _ in range(3)}
    check("three requests without a seed differ", len(texts) == 3, texts)
    texts = {ask(temperature=1, seed=11).choices[0].text for _ in range(3)}
    check("three requests with a seed are the same", len(texts) == 1, texts)
    several = ask(n=16, seed=11, prompt=["Once upon a time", "The cat"], logprobs=2, extra_body={"best_of": 16})
    check("sixteen answers to two prompts", [c.index for c in several.choices] == list(range(32)))
    check("they differ", len({c.text for c in several.choices[:16]}) > 8, [c.text for c in several.choices])
    tokens = sum(len(choice.logprobs.tokens) for choice in several.choices)
    check("their tokens are counted", several.usage.completion_tokens == tokens, several.usage)
    check("the first is that of a single answer", several.choices[0].text == ask(seed=11).choices[0].text)
    streamed, usage = [""] * 3, None
    for event in ask(n=3, seed=11, stream=True, stream_options={"include_usage": True}):
        for choice in event.choices:
            streamed[choice.index] += choice.text
        usage = event.usage or usage
    whole = ask(n=3, seed=11)
    check("a stream of three answers", streamed == [c.text for c in whole.choices], streamed)
    check("a stream has the same usage", usage == whole.usage, usage)
    long = ask(max_tokens=60, extra_body={"ignore_eos": True})
    reason = long.choices[0].finish_reason
    check("ignore_eos answers in full", long.usage.completion_tokens == 60 and reason == "length", long)
    least = ask(max_tokens=60, extra_body={"min_tokens": 40})
    check("min_tokens answers at least so much", least.usage.completion_tokens >= 40, least.usage)


def check_chat(client, model):
    def ask(**more):
        return client.chat.completions.create(model=model, messages=CONVERSATION, **{"max_tokens": 8, **more})

    whole = ask(n=3, seed=3, logprobs=True, top_logprobs=2)
    check("a chat of parts and of an empty answer", [c.index for c in whole.choices] == [0, 1, 2], whole)
    streamed, roles = [""] * 3, [0] * 3
    for event in ask(n=3, seed=3, stream=True):
        for choice in event.choices:
            streamed[choice.index] += choice.delta.content or ""
            roles[choice.index] += choice.delta.role == "assistant"
    check("its stream", streamed == [c.message.content for c in whole.choices] and roles == [1, 1, 1], streamed)
    back = client.chat.completions.create(
        model=model, messages=[*CONVERSATION, whole.choices[0].message.model_dump(), CONVERSATION[-1]], max_tokens=2)
    check("an answer that is sent back", back.choices[0].finish_reason in ("length", "stop"), back)
    begun = [CONVERSATION[0], CONVERSATION[-1], {"role": "assistant", "content": "Well,"}]
    more = client.chat.completions.create(model=model, messages=begun, max_tokens=4, extra_body={
        "continue_final_message": True, "add_generation_prompt": False, "chat_template_kwargs": {"style": "plain"}})
    check("a message that goes on", more.usage.completion_tokens > 0, more)


def check_fields(client, model, endpoints):
    def ask(endpoint, body):
        least = {"prompt": "Once"} if endpoint == "completions" else {"messages": CONVERSATION[:2]}
        path = f"/{endpoint}"
        return client.post(path, body={"model": model, "max_tokens": 2, **least, **body}, cast_to=object)

    def refused_for(endpoint, body):
        try:
            ask(endpoint, body)
        except openai.BadRequestError as error:
            return error.param
        return None

    count, everything = 0, {endpoint: {} for endpoint in endpoints}
    for name, where, use, neutral in fields():
        for endpoint in set(where) & set(endpoints):
            count += 1
            good = neutral[0] if neutral else (VALUES.get(name) if use == "implemented" else None)
            if use == "accepted":
                good = "anything"
            if name not in ("model", "prompt", "messages"):
                everything[endpoint][name] = good
            if use == "refused":
                check(f"{endpoint}: {name} is refused by name", refused_for(endpoint, {name: {"a": 1}}) == name)
    check("the table has fields", count > 60, count)
    for endpoint, body in everything.items():
        if endpoint == "completions":
            body.update(n=1, best_of=1)
        check(f"{endpoint}: a request with all {len(body)} fields", refused_for(endpoint, body) is None,
              refused_for(endpoint, body))
        unknown = refused_for(endpoint, {"max_token": 1})
        check(f"{endpoint}: an unknown field is refused by name", unknown == "max_token", unknown)


def main():
    with Server(sys.argv[1], sys.argv[2]) as server:
        client = openai.OpenAI(base_url=server.address, api_key="none", max_retries=0)
        model = client.models.list().data[0].id
        has_template = bool(client.with_options(base_url=server.address.removesuffix("/v1")).get(
            "/tokenizer_info", cast_to=object)["chat_template"])
        check_completions(client, model)
        if has_template:
            check_chat(client, model)
        check_fields(client, model, ["completions", "chat/completions"] if has_template else ["completions"])
    print(f"{failures} checks failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
