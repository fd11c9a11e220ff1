#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: clients.py PROGRAMS MODEL

OpenAI's Python client against `carryover serve`: texts, chats where MODEL has a template, streams, several answers,
log-probabilities, stops, seeds, documents that were read once, each name of the model, and each field of the table in
docs/guide.md. A request has all fields of its endpoint, at temperature 0 and 1, with and without a stream, and a value
that the server can't follow is refused by the field's name. Run it with the Python of a virtual environment that has
`openai` (tests/compat/requirements-clients.txt). Prints a line for each check, and returns 1 where one fails.
"""
import inspect
import json
import re
import sys
import tempfile
from pathlib import Path

import openai

sys.path.insert(0, str(Path(__file__).resolve().parent))  # python -I has no folder of the script
from served import Server  # noqa: E402

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide.md"
TEXT = "Once upon a time"
CONVERSATION = [{"role": "system", "content": "You are kind."},
                {"role": "user", "content": [{"type": "text", "text": "Say"}, {"type": "text", "text": " something."}]},
                {"role": "assistant", "content": None, "refusal": None, "tool_calls": None},
                {"role": "user", "content": "Go on.", "name": "Ann"}]
BEGUN = [CONVERSATION[0], CONVERSATION[-1], {"role": "assistant", "content": "Well,"}]
# The fields that an endpoint can't do without; the path tells the endpoint.
LEAST = {"completions": {"prompt": TEXT}, "chat/completions": {"messages": CONVERSATION}, "generate": {"prompt": TEXT},
         "tokenize": {"prompt": TEXT}, "detokenize": {"tokens": [65, 66]}, "states": {"name": "tale", "prompt": TEXT}}
# A value with an effect for each field that has one. `state` and `question` exclude each other.
VALUES = {"max_tokens": 4, "max_completion_tokens": 3, "min_tokens": 2, "top_p": 0.9, "seed": 5, "n": 16, "best_of": 16,
          "stop": ["zz"], "stop_token_ids": [7], "ignore_eos": True, "top_logprobs": 2, "echo": True,
          "question": " Who?", "state": None, "add_special_tokens": False, "add_generation_prompt": True,
          "continue_final_message": False, "chat_template_kwargs": {"style": "plain"}}
failures = 0


def check(what, holds, seen=""):
    global failures
    failures += not holds
    print(f"{'ok' if holds else 'FAILS':6} {what}{'' if holds else f': {seen}'}", flush=True)


def table():
    """(name, endpoints, "implemented" or "accepted" or "refused", values that change nothing) of the guide's table."""
    mark = "<!-- fields of requests: {} -->"
    text = GUIDE.read_text().split(mark.format("begin"))[1].split(mark.format("end"))[0]
    for row in re.findall(r"^\| `(\w+)` \| (.*) \| (.*) \|$", text, re.MULTILINE):
        name, where, use = row
        neutral = [json.loads(value) for value in re.findall(r"`([^`]+)`", use)]
        yield name, re.findall(r"`([\w/]+)`", where), use.split(",")[0], neutral


def other_than(neutral):
    """A value of the same type that the server would have to follow."""
    if not neutral:
        return {"a": 1}
    value = neutral[0]
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return {str: "other", list: ["other"], dict: {"type": "json_object"}}[type(value)]


class Client:
    """The two endpoints of OpenAI's client by their names, and those beside its protocol."""

    def __init__(self, address):
        self.openai = openai.OpenAI(base_url=address + "/v1", api_key="none", max_retries=0, timeout=600)
        self.root = self.openai.with_options(base_url=address)
        self.models = [model.id for model in self.openai.models.list().data]
        self.template = self.root.get("/tokenizer_info", cast_to=object)["chat_template"]

    def ask(self, endpoint, **body):
        """A request with these fields: as arguments of the client where it knows them, else in its extra_body."""
        body = {**LEAST[endpoint], **body}
        if endpoint in ("completions", "chat/completions"):
            create = (self.openai.completions if endpoint == "completions" else self.openai.chat.completions).create
            known = set(inspect.signature(create).parameters)
            more = {name: value for name, value in body.items() if name not in known}
            body = {name: value for name, value in body.items() if name in known}
            return create(**{"model": self.models[0], **body}, extra_body=more or None)
        if endpoint == "generate":
            return self.root.put("/generate", body=body, cast_to=object)
        path = "/v1/states" if endpoint == "states" else f"/{endpoint}"
        return self.root.post(path, body=body, cast_to=object)

    def refused(self, endpoint, **body):
        """The field that the request is refused for, or None."""
        try:
            answer = self.ask(endpoint, **body)
        except openai.BadRequestError as error:
            return error.param
        if body.get("stream") and endpoint in ("completions", "chat/completions"):
            list(answer)
        return None

    def tokens(self, text):
        return self.ask("tokenize", prompt=text, add_special_tokens=False)["tokens"]


def text_of(choice):
    return choice.text if hasattr(choice, "text") else choice.message.content


def texts_of(answer):
    return [text_of(choice) for choice in answer.choices]


def spelled(choice):
    """(token, log-probability) of each token of a choice, of either endpoint."""
    if not choice.logprobs:
        return []
    if hasattr(choice.logprobs, "content"):
        return [(token.token, token.logprob) for token in choice.logprobs.content or []]
    return list(zip(choice.logprobs.tokens, choice.logprobs.token_logprobs, strict=True))


def gathered(stream, count):
    """The texts, tokens with log-probabilities, and reasons of a stream's answers, and its usage."""
    texts, tokens, reasons, usage = [""] * count, [[] for _ in range(count)], [None] * count, None
    for event in stream:
        for choice in event.choices:
            texts[choice.index] += choice.text if hasattr(choice, "text") else choice.delta.content or ""
            tokens[choice.index] += spelled(choice)
            reasons[choice.index] = choice.finish_reason or reasons[choice.index]
        usage = event.usage or usage
    return (texts, tokens, reasons), usage


def check_answers(client, endpoint, logprobs):
    """What both endpoints promise. `logprobs`: the fields that ask for two likeliest tokens in each place."""
    def ask(**more):
        return client.ask(endpoint, **{"max_tokens": 8, **more})

    def said(what, *rest):
        check(f"{endpoint}: {what}", *rest)

    texts = {text_of(ask(temperature=1).choices[0]) for _ in range(3)}
    said("three requests at temperature 1 without a seed differ", len(texts) == 3, texts)
    texts = {text_of(ask(temperature=1, seed=11).choices[0]) for _ in range(3)}
    said("three requests with a seed are the same", len(texts) == 1, texts)
    texts = set(texts_of(ask(temperature=0, n=3)) + texts_of(ask(temperature=0)))
    said("all answers at temperature 0 are the same", len(texts) == 1, texts)
    many = ask(n=16, seed=11)
    said("sixteen answers", [choice.index for choice in many.choices] == list(range(16)), many)
    said("they differ", len(set(texts_of(many))) > 8, texts_of(many))
    said("the first is that of a single answer", texts_of(many)[0] == texts_of(ask(seed=11))[0], many)
    refused = client.refused(endpoint, n=17)
    said("seventeen answers are refused", refused == "n", refused)

    greedy = ask(temperature=0, max_tokens=12, ignore_eos=True, **logprobs).choices[0]
    tokens = spelled(greedy)
    said("twelve tokens have log-probabilities", len(tokens) == 12 and all(p <= 0 for _, p in tokens), tokens)
    said("they spell the answer", "".join(token for token, _ in tokens).strip() == text_of(greedy).strip(), greedy)
    stop = text_of(greedy).strip()[3:7]
    ended = ask(temperature=0, max_tokens=12, ignore_eos=True, stop=[stop, "never in a text"]).choices[0]
    said("a stop text ends an answer", (text_of(ended), ended.finish_reason) ==
         (text_of(greedy)[:text_of(greedy).index(stop)], "stop"), (stop, greedy, ended))
    place, ids = next((i, ids) for i, (token, _) in enumerate(tokens) if i > 0
                      for ids in [client.tokens(token)] if len(ids) == 1)
    ended = ask(temperature=0, max_tokens=12, ignore_eos=True, stop_token_ids=ids)
    first = [token for token, _ in tokens].index(tokens[place][0])
    said("a stop token ends an answer", ended.usage.completion_tokens == first + 1 and
         ended.choices[0].finish_reason == "stop", (tokens[place], ended))

    settings = {"n": 3, "seed": 11, "stop": ["e"], **logprobs}
    streamed, usage = gathered(ask(stream=True, stream_options={"include_usage": True}, **settings), 3)
    whole = ask(**settings)
    said("a stream of three answers with stops and log-probabilities is the whole answers", streamed == (
        texts_of(whole), [spelled(choice) for choice in whole.choices],
        [choice.finish_reason for choice in whole.choices]), (streamed, whole))
    said("it has the same usage", usage == whole.usage, usage)
    streamed, _ = gathered(ask(n=16, seed=11, stream=True), 16)
    said("a stream of sixteen answers", streamed[0] == texts_of(many), streamed)
    least = ask(max_tokens=40, min_tokens=20)
    said("min_tokens answers at least so much", least.usage.completion_tokens >= 20, least.usage)


def check_completions(client):
    def ask(**more):
        return client.ask("completions", **{"max_tokens": 8, **more})

    check_answers(client, "completions", {"logprobs": 2})
    several = ask(n=16, seed=11, prompt=[TEXT, "The cat"], logprobs=2, best_of=16)
    check("sixteen answers to two prompts", [choice.index for choice in several.choices] == list(range(32)))
    tokens = sum(len(choice.logprobs.tokens) for choice in several.choices)
    check("their tokens are counted", several.usage.completion_tokens == tokens, several.usage)
    check("the first answer is that to one prompt", texts_of(several)[0] == texts_of(ask(seed=11))[0], several)
    greedy = ask(temperature=0, logprobs=3).choices[0].logprobs
    check("a greedy token is the likeliest of three", all(
        p == max(top.values()) and len(top) == 3
        for p, top in zip(greedy.token_logprobs, greedy.top_logprobs, strict=True)), greedy)
    check("text_offset counts characters", greedy.text_offset ==
          [len("".join(greedy.tokens[:i])) for i in range(len(greedy.tokens))], greedy)
    ids = client.tokens(TEXT)
    echoes = [ask(prompt=prompt, echo=True, logprobs=1, max_tokens=count, temperature=temperature).choices[0]
              for prompt, count, temperature in ((TEXT, 0, 1), (TEXT, 1, 0), (ids, 1, 1))]
    scores = [echo.logprobs.token_logprobs[:len(ids)] for echo in echoes]
    check("a prompt is scored the same as a text and as ids, at each temperature",
          scores[0] == scores[1] == scores[2] and scores[0][0] is None and None not in scores[0][1:], scores)
    check("an echo begins with the prompt", all(echo.text.startswith(TEXT) for echo in echoes), echoes)
    for model in client.models:
        answer = ask(model=model, max_tokens=2, temperature=0)
        check(f"{model} answers", answer.model == model and client.openai.models.retrieve(model).id == model, answer)


def check_chat(client):
    def ask(**more):
        return client.ask("chat/completions", **{"max_tokens": 8, **more})

    check_answers(client, "chat/completions", {"logprobs": True, "top_logprobs": 2})
    whole = ask(n=3, seed=3, logprobs=True, top_logprobs=3)
    check("each place has its three likeliest tokens",
          all(len(token.top_logprobs) == 3 for choice in whole.choices for token in choice.logprobs.content), whole)
    check("bytes of the tokens are the message", all(
        bytes(byte for token in choice.logprobs.content for byte in token.bytes).decode() == choice.message.content
        for choice in whole.choices if "\ufffd" not in choice.message.content), whole)
    roles = [choice.delta.role for event in ask(n=3, seed=3, stream=True) for choice in event.choices]
    check("each answer of a stream has its role once", roles.count("assistant") == 3, roles)
    back = ask(messages=[*CONVERSATION, whole.choices[0].message.model_dump(), CONVERSATION[-1]], max_tokens=2)
    check("an answer that is sent back", back.choices[0].finish_reason in ("length", "stop"), back)
    more = ask(messages=BEGUN, max_tokens=4, continue_final_message=True, add_generation_prompt=False)
    check("a message that goes on", more.usage.completion_tokens > 0, more)


def check_states(client):
    document = "Here comes May Snow. It rained. The tide went out."
    state = client.ask("states", name="tale", prompt=document)
    check("a document that is read once", (state["name"], state["object"]) == ("tale", "state"), state)
    answer = client.ask("completions", state="tale", prompt=" Who is May", max_tokens=6, temperature=0)
    again = client.ask("completions", prompt=document, question=" Who is May", max_tokens=6, temperature=0)
    check("it is asked by its name, as if it was read again", texts_of(answer) == texts_of(again), (answer, again))


def kinds_of(names):
    """(temperature, whether it streams) of the requests that an endpoint with these fields gets."""
    return [(temperature, stream) for temperature in ((0, 1) if "temperature" in names else (None,))
            for stream in ((False, True) if "stream_options" in names else (False,))]


def whole_bodies(endpoint, rows):
    """(what sets it apart, body) of requests with each field of the table. Values that change nothing take turns."""
    for turn, (temperature, stream) in enumerate(kinds_of([name for name, _, _ in rows])):
        body = dict(LEAST[endpoint])
        for name, use, neutral in rows:
            if neutral:
                body[name] = neutral[turn % len(neutral)]
            elif name not in body:
                body[name] = {"implemented": VALUES.get(name), "accepted": f"value {turn}", "refused": None}[use]
        if temperature is not None:
            # At temperature 1 there is no other value of top_k than one that changes nothing.
            body.update(temperature=temperature, top_k=-1 if temperature else 1)
        if "stream_options" in body:
            body.update(stream=stream, stream_options={"include_usage": True} if stream else None)
        if "logprobs" in body:
            body.update(logprobs=True if "top_logprobs" in body else 2)
        body.pop("model", None)  # The client adds the name.
        kind = f", temperature {temperature}{', a stream' if stream else ''}" if temperature is not None else ""
        yield kind, body
        if endpoint == "completions":
            yield kind + ", a state", {**body, "state": "tale", "question": None, "echo": None}
        if endpoint == "chat/completions":
            yield kind + ", its last message goes on", {**body, "messages": BEGUN, "continue_final_message": True,
                                                        "add_generation_prompt": False}


def check_fields(client, endpoint, fields):
    rows = [(name, use, neutral) for name, where, use, neutral in fields if endpoint in where]
    least = {"max_tokens": 2} if any(name == "max_tokens" for name, _, _ in rows) else {}
    for name, use, neutral in rows:
        if use == "refused":
            refused = client.refused(endpoint, **least, **{name: other_than(neutral)})
            check(f"{endpoint}: {name} is refused by name", refused == name, refused)
    unknown = client.refused(endpoint, **least, max_token=1)
    check(f"{endpoint}: an unknown field is refused by name", unknown == "max_token", unknown)
    for what, body in whole_bodies(endpoint, rows):
        names = {"model", *body} if any(name == "model" for name, _, _ in rows) else set(body)
        answer = client.ask(endpoint, **body)
        if endpoint == "generate":
            good = len(answer["text"]) == 16
        elif "logprobs" not in body:
            good = bool(answer)
        elif body["stream"]:
            (texts, tokens, reasons), usage = gathered(answer, 16)
            good = all(tokens) and None not in reasons and usage.total_tokens > 0
            answer = texts, tokens, reasons, usage
        else:
            good = len(answer.choices) == 16 and all(map(spelled, answer.choices))
        good &= names == {name for name, _, _ in rows}
        check(f"{endpoint}: a request with all {len(names)} fields{what}", good, (names, answer))


def main():
    fields = list(table())
    check("the table has fields", len(fields) > 80, len(fields))
    with tempfile.TemporaryDirectory() as states, Server(sys.argv[1], sys.argv[2], "--states", states) as server:
        client = Client(server.address)
        check_completions(client)
        if client.template:
            check_chat(client)
        check_states(client)
        for endpoint in LEAST:
            if client.template or endpoint != "chat/completions":
                check_fields(client, endpoint, fields)
    print(f"{failures} checks failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
