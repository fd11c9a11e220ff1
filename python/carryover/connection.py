# SPDX-License-Identifier: GPL-3.0-or-later
"""An engine in a process of its own, and the messages to and from it: the other end is engine/remote of the sources."""

from __future__ import annotations

import json
import os
import queue
import select
import signal
import struct
import subprocess
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, NamedTuple, NoReturn, Optional

from .errors import CarryoverError, EngineError, EngineLost, WireError
from .wire import Codec, codec, pack, unpack

HEAD = struct.Struct("<IIQ")  # mark, kind, size of the body
GREETING = b"carryover engine "
MOST_NOISE = 64 << 10  # bytes that a shell may print at log-in before the engine speaks
MOST_SAID = 2000  # bytes of standard error that are kept
PIECE = 1 << 20  # read at a time, so that memory is taken for what came and not for what was announced
TICK_S = 5.0  # between two questions whether a silent engine is there
START_S = 60.0  # for its description


class Message(NamedTuple):
    name: str
    kind: int
    most_bytes: int
    body: Optional[list[Codec]]
    answer: Optional[list[Codec]]


class Protocol:
    """What `engine --describe` says."""

    def __init__(self, described: dict[str, Any]) -> None:
        if described["byte_order"] != "little":
            raise WireError("the engine's machine has another byte order")
        self.mark = int(described["mark"])
        self.greeting = str(described["greeting"]).encode()
        self.by_kind: list[Message] = []
        for message in described["messages"]:
            body, answer = message["body"], message.get("answer")
            self.by_kind.append(
                Message(
                    message["name"],
                    int(message["kind"]),
                    int(message["most_bytes"]),
                    None if body is None else [codec(each) for each in body],
                    None if answer is None else [codec(each) for each in answer],
                )
            )
        if [message.kind for message in self.by_kind] != list(range(len(self.by_kind))):
            raise WireError("the engine's messages are not in their order")
        self.by_name = {message.name: message for message in self.by_kind}


class Frame(NamedTuple):
    message: Message
    body: bytes


class Inbox:
    """Frames that a thread reads until the engine's output ends. `end` is why it ended, once frames are None."""

    def __init__(self, output: BinaryIO, protocol: Protocol) -> None:
        self._output, self._protocol = output, protocol
        self._frames: queue.Queue[Optional[Frame]] = queue.Queue(maxsize=64)  # a full one makes the engine wait
        self._closed = threading.Event()
        self.end = "it ended"
        threading.Thread(target=self._work, daemon=True).start()

    def close(self) -> None:
        self._closed.set()

    def get(self, seconds: float) -> Optional[Frame]:
        """Raises queue.Empty where nothing came in this time."""
        return self._frames.get(timeout=seconds)

    def _work(self) -> None:
        try:
            self._greet()
            while self._put(self._frame()):
                pass
        except EOFError:
            pass
        except (CarryoverError, OSError) as error:
            self.end = str(error)
        self._put(None)
        self._output.close()

    def _put(self, frame: Optional[Frame]) -> bool:
        while not self._closed.is_set():
            try:
                self._frames.put(frame, timeout=0.2)
                return True
            except queue.Full:
                continue
        return False

    def _greet(self) -> None:
        said = b""
        while GREETING not in said:
            if len(said) > MOST_NOISE:
                raise WireError(f"the program at the other end is not Carryover. It says {said[:100]!r}")
            said += self._output.read(1) or self._ended()
        rest = self._exactly(len(self._protocol.greeting) - len(GREETING))
        if GREETING + rest != self._protocol.greeting:
            raise WireError("the engine that answers is another version than the one that described itself")

    def _frame(self) -> Frame:
        head = self._output.read(HEAD.size)
        if not head:
            raise EOFError
        if len(head) < HEAD.size:
            raise WireError("it ended in the middle of a message")
        mark, kind, size = HEAD.unpack(head)
        if mark != self._protocol.mark or kind >= len(self._protocol.by_kind):
            raise WireError("received bytes that are not a message")
        message = self._protocol.by_kind[kind]
        if size > message.most_bytes:
            raise WireError(f"a message of {size >> 20} MB was announced")
        return Frame(message, self._exactly(size))

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            piece = self._output.read(min(PIECE, size - len(data)))
            if not piece:
                raise WireError("it ended in the middle of a message")
            data += piece
        return bytes(data)

    def _ended(self) -> NoReturn:
        raise EOFError


class Said:
    """The end of what a program says on standard error, which a thread reads."""

    def __init__(self, errors: BinaryIO) -> None:
        self._tail = b""
        self._thread = threading.Thread(target=self._work, args=(errors,), daemon=True)
        self._thread.start()

    def _work(self, errors: BinaryIO) -> None:
        try:
            while piece := errors.read1(PIECE):  # type: ignore[attr-defined]
                self._tail = (self._tail + piece)[-MOST_SAID:]
        except OSError:
            pass
        errors.close()

    def text(self) -> str:
        self._thread.join(0.3)
        return self._tail.decode("utf-8", "replace").strip()


def kill(child: subprocess.Popen[bytes], sign: int) -> None:
    """Sends it and all that it started a signal."""
    if child.poll() is None:
        try:
            os.killpg(child.pid, sign)  # it has a session of its own
        except ProcessLookupError:
            pass


def end_process(child: subprocess.Popen[bytes]) -> None:
    """Closes its input, which ends an engine; where it continues, ends it by signals. Leaves no zombie."""
    if child.stdin and not child.stdin.closed:
        try:
            child.stdin.close()
        except OSError:
            pass
    for sign in (None, signal.SIGTERM, signal.SIGKILL):
        if sign is not None:
            kill(child, sign)
        try:
            child.wait(2)
            break
        except subprocess.TimeoutExpired:
            continue


def describe(command: Sequence[str], seconds: float) -> Protocol:
    """Asks the program how it speaks. Raises EngineLost where none answers."""
    words = [*command, "--describe"]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EngineLost(f"no engine answers to `{' '.join(words)}`: {error}") from None
    lines = [line for line in done.stdout.splitlines() if line.startswith(b"{")]
    try:
        return Protocol(json.loads(lines[-1]))
    except (IndexError, KeyError, TypeError, ValueError, RecursionError):
        said = done.stderr[-MOST_SAID:].decode("utf-8", "replace").strip()
        raise EngineLost(
            f"no engine answers to `{' '.join(words)}`: exit code {done.returncode}. It said: {said}"
        ) from None


class Connection:
    """Asks one request at a time. Owner: one thread."""

    def __init__(self, command: Sequence[str], silence_s: float) -> None:
        self._silence_s = silence_s
        self._lost: Optional[EngineLost] = None
        self.protocol = describe(command, START_S)
        try:
            self._child = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # so that Ctrl-C reaches this program alone, which then stops the request
                bufsize=-1,
            )
        except OSError as error:
            raise EngineLost(f"no engine answers to `{' '.join(command)}`: {error}") from None
        assert self._child.stdin and self._child.stdout and self._child.stderr
        self._input = self._child.stdin.fileno()
        os.set_blocking(self._input, False)
        self._said = Said(self._child.stderr)  # type: ignore[arg-type]
        self._inbox = Inbox(self._child.stdout, self.protocol)  # type: ignore[arg-type]
        self._end = weakref.finalize(self, self._finish, self._inbox, self._child)
        self._write(self.protocol.greeting)
        place = self._next_frame(wishes=False)
        if place.message.name != "Place":
            self._lose("it does not say where it is")
        self.place: dict[str, Any] = self._unpack(place.message.body, place.body)[0]

    @staticmethod
    def _finish(inbox: Inbox, child: subprocess.Popen[bytes]) -> None:
        inbox.close()
        end_process(child)

    def close(self) -> None:
        if not self._lost:
            self._lost = EngineLost("the engine is closed")
        self._end()

    @property
    def process(self) -> int:
        return self._child.pid

    def ask(self, request: str, *values: Any, on_event: Optional[Callable[[str, list[Any]], None]] = None) -> list[Any]:
        """The values of the answer. `on_event` hears events meanwhile; where it raises, the request is stopped first.
        Raises EngineError for what the engine refuses, EngineLost where it goes away."""
        message = self.protocol.by_name[request]
        assert message.body is not None
        self._send(request, pack(message.body, values))
        raised: Optional[BaseException] = None
        while True:
            try:
                frame = self._next_frame()
                if on_event and not raised and frame.message.name not in ("Done", "Failed"):
                    on_event(frame.message.name, self._unpack(frame.message.body, frame.body))
            except (EngineLost, SystemExit):
                raise
            except BaseException as error:  # of on_event, and Ctrl-C
                if raised:  # the second Ctrl-C
                    self.close()
                    raise
                raised = error
                self._send("Stop", b"")
                continue
            if frame.message.name == "Done" and not raised:
                return self._unpack(message.answer, frame.body)
            if frame.message.name in ("Done", "Failed"):
                raise raised or self._failure(frame)

    def _failure(self, frame: Frame) -> EngineError:
        said = self._unpack(frame.message.body, frame.body)[0]
        return EngineError(said["fault"], said["where"], said["problem"], said["advice"])

    def _unpack(self, codecs: Optional[list[Codec]], body: bytes) -> list[Any]:
        try:
            return unpack(codecs or [], body)
        except WireError as error:
            self._lose(str(error))

    def _send(self, name: str, body: bytes) -> None:
        message = self.protocol.by_name[name]
        if len(body) > message.most_bytes:
            size, most = f"{len(body) / 1e6:.0f} MB", f"{message.most_bytes / 1e6:.0f} MB"
            raise WireError(f"a request of {size} is too long; the most is {most}")
        try:
            self._write(HEAD.pack(self.protocol.mark, message.kind, len(body)))
            self._write(body)
        except KeyboardInterrupt:  # in the middle of a message: the engine can't be spoken to any more
            self.close()
            raise

    def _write(self, data: bytes) -> None:
        if self._lost:
            raise self._lost
        view, waited = memoryview(data), 0.0
        while view:
            try:
                view = view[os.write(self._input, view) :]
            except BlockingIOError:
                if not select.select([], [self._input], [], 1.0)[1]:
                    waited += 1.0
                    if waited > self._silence_s:
                        self._lose("it takes nothing any more")
            except OSError:
                self._lose(self._last_words())

    def _last_words(self) -> str:
        """Why an engine that does not listen any more is lost: what it sent before says more."""
        try:
            while self._inbox.get(1.0) is not None:
                pass
        except queue.Empty:
            return "it does not listen any more"
        return self._inbox.end

    def _next_frame(self, wishes: bool = True) -> Frame:
        """Counts what this program has waited, so that a machine that sleeps is no lost engine."""
        if self._lost:
            raise self._lost
        silent = 0.0
        while True:
            tick = min(TICK_S, self._silence_s)
            try:
                frame = self._inbox.get(tick)
            except queue.Empty:
                silent += tick
                if silent >= self._silence_s:
                    self._lose(f"it has been silent for {self._silence_s:g} s")
                if wishes:
                    self._send("Ping", b"")
                continue
            if frame is None:
                self._lose(self._inbox.end)
            silent = 0.0
            if frame.message.name == "Failed" and not wishes:
                raise self._failure(frame)
            if frame.message.name != "Pong":
                return frame

    def _lose(self, why: str) -> NoReturn:
        try:
            code = self._child.wait(0.3)
            why += f" with exit code {code}" if code >= 0 else f" with signal {-code} ({signal.Signals(-code).name})"
        except subprocess.TimeoutExpired:
            pass
        kill(self._child, signal.SIGKILL)
        said = self._said.text()
        self._lost = EngineLost(f"the engine is lost: {why}." + (f" It said: {said}" if said else ""))
        self._end()
        raise self._lost
