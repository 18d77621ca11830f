"""Holds requests against the types of the providers' own SDKs.

Reads JSON lines `{"name", "protocol", "body"}` from standard input, prints a line for every fault and, last, how many
requests were read. The SDKs of Anthropic and OpenAI describe requests as TypedDicts, which are walked here: a missing
field, a value of another type and a field that nobody knows are faults. The SDK of Gemini has pydantic models, which
refuse the same. What the types do not say (how a name may look, that each call has its result, what the chat templates of
local models take) is checked besides.
"""

import collections.abc
import functools
import json
import re
import sys
import types
import typing

import typing_extensions

import templates

NOT_CHECKED = (typing.Any, object)
# What a message says of itself: it decides which member of a union is meant.
MARKS = ("type", "role")


def faults(value, kind, path):
    """Returns what is wrong with a value, as lines that begin with its path."""
    if isinstance(kind, typing.TypeVar) or kind in NOT_CHECKED:
        return []
    origin = typing_extensions.get_origin(kind)
    arguments = typing_extensions.get_args(kind)
    if origin in (typing_extensions.Annotated, typing_extensions.Required, typing_extensions.NotRequired):
        return faults(value, arguments[0], path)
    if hasattr(kind, "__value__"):
        return faults(value, kind.__value__, path)
    if kind is None or kind is type(None):
        return [] if value is None else [f"{path}: not null"]
    if typing_extensions.is_typeddict(kind):
        return faults_of_object(value, kind, path)
    if origin is typing_extensions.Literal:
        return [] if value in arguments else [f"{path}: {value!r} is none of {arguments}"]
    if origin in (typing.Union, types.UnionType):
        return faults_of_union(value, arguments, path)
    if isinstance(origin, type) and issubclass(origin, collections.abc.Mapping):
        if not isinstance(value, dict):
            return [f"{path}: no object"]
        return [line for key, item in value.items() for line in faults(item, arguments[1], f"{path}.{key}")]
    is_list = isinstance(origin, type) and issubclass(origin, collections.abc.Iterable)
    if is_list or getattr(origin, "__name__", "") == "SequenceNotStr":
        if not isinstance(value, list):
            return [f"{path}: no array"]
        return [line for place, item in enumerate(value) for line in faults(item, arguments[0], f"{path}[{place}]")]
    if kind is float:
        return [] if isinstance(value, (int, float)) and not isinstance(value, bool) else [f"{path}: no number"]
    if kind is int:
        return [] if isinstance(value, int) and not isinstance(value, bool) else [f"{path}: no integer"]
    if isinstance(kind, type):
        return [] if isinstance(value, kind) else [f"{path}: {type(value).__name__} is no {kind.__name__}"]
    raise TypeError(f"{path}: no rule for {kind!r}")


# Members of a reply that servers add to the protocol of OpenAI Chat, and that go back with it.
SENT_BACK = {"reasoning_content", "reasoning"}


def faults_of_object(value, kind, path):
    if not isinstance(value, dict):
        return [f"{path}: no object"]
    hints = hints_of(kind)
    found = [f"{path}: `{key}` is missing" for key in required_keys(kind) if key not in value]
    for key, item in value.items():
        if key in hints:
            found += faults(item, hints[key], f"{path}.{key}")
        elif key in SENT_BACK and kind.__name__ == "ChatCompletionAssistantMessageParam":
            found += [] if isinstance(item, str) else [f"{path}.{key}: no string"]
        else:
            found.append(f"{path}: nobody knows `{key}`")
    return found


@functools.cache
def required_keys(kind):
    """The keys that an object needs. The classes' own lists do not see through annotations written as strings."""
    inherited, required = set(), set()
    for base in typing_extensions.get_original_bases(kind):
        if typing_extensions.is_typeddict(base):
            inherited |= hints_of(base).keys()
            required |= required_keys(base)
    for key, hint in hints_of(kind).items():
        if key not in inherited:
            origin = typing_extensions.get_origin(hint)
            is_required = kind.__total__ and origin is not typing_extensions.NotRequired
            if is_required or origin is typing_extensions.Required:
                required.add(key)
    return frozenset(required)


@functools.cache
def hints_of(kind):
    return typing_extensions.get_type_hints(kind, include_extras=True)


def faults_of_union(value, members, path):
    """The faults of the member that fits best: first by what the value says that it is."""
    best = None
    for member in members:
        found = faults(value, member, path)
        if not found:
            return []
        is_other = any(line.startswith(f"{path}.{mark}: ") for line in found for mark in MARKS)
        is_of_another_shape = any(re.match(re.escape(path) + ": (no |not |\\w+ is no)", line) for line in found)
        rank = (is_of_another_shape, is_other, len(found))
        if best is None or rank < best[0]:
            best = (rank, found)
    return best[1]


def faults_of_gemini(body):
    from google.genai import types as gemini

    models = {
        "contents": [gemini.Content],
        "systemInstruction": gemini.Content,
        "tools": [gemini.Tool],
        "generationConfig": gemini.GenerationConfig,
    }
    found = []
    for key, value in body.items():
        model = models.get(key)
        if model is None:
            found.append(f"nobody knows `{key}`")
            continue
        pairs = [(model, value)] if not isinstance(model, list) else [(model[0], item) for item in value]
        for model, item in pairs:
            try:
                model.model_validate(item)
            except ValueError as error:
                found.append(f"{key}: {error}")
    return found


def calls_and_results(protocol, body):
    """Returns the calls as (id, name) and the ids of the results, in their order."""
    calls, results = [], []
    if protocol == "openai-chat":
        for message in body["messages"]:
            calls += [(call["id"], call["function"]["name"]) for call in message.get("tool_calls", [])]
            results += [message["tool_call_id"]] if message["role"] == "tool" else []
    elif protocol == "openai-responses":
        for item in body["input"]:
            if item["type"] == "function_call":
                calls.append((item["call_id"], item["name"]))
            elif item["type"] == "function_call_output":
                results.append(item["call_id"])
    elif protocol == "anthropic":
        for block in (block for message in body["messages"] for block in message["content"]):
            if block["type"] == "tool_use":
                calls.append((block["id"], block["name"]))
            elif block["type"] == "tool_result":
                results.append(block["tool_use_id"])
    else:
        for part in (part for content in body["contents"] for part in content["parts"]):
            if "functionCall" in part:
                calls.append((part["functionCall"].get("id"), part["functionCall"]["name"]))
            elif "functionResponse" in part:
                results.append(part["functionResponse"].get("id"))
    return calls, results


IDS = {
    "openai-chat": r".{1,40}",
    "openai-responses": r"[a-zA-Z0-9_-]{1,40}",
    "anthropic": r"[a-zA-Z0-9_-]{1,64}",
    "gemini": r".{1,64}",
}


def faults_of_calls(protocol, body):
    calls, results = calls_and_results(protocol, body)
    ids = [call for call, _ in calls]
    found = [f"the name {name!r}" for _, name in calls if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", name)]
    given = [call for call in ids if call is not None or protocol != "gemini"]
    found += [f"the id {call!r}" for call in given if not re.fullmatch(IDS[protocol], call)]
    if len(set(given)) != len(given):
        found.append(f"an id stands twice: {ids}")
    if ids != results:
        found.append(f"calls {ids} have the results {results}")
    return found


def validator(protocol):
    if protocol == "gemini":
        return faults_of_gemini
    if protocol == "anthropic":
        from anthropic.types.message_create_params import MessageCreateParamsStreaming as kind
    elif protocol == "openai-chat":
        from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming as kind
    else:
        from openai.types.responses.response_create_params import ResponseCreateParamsStreaming as kind
    return lambda body: faults(body, kind, protocol)


def main():
    validators = {}
    count = 0
    for line in sys.stdin:
        request = json.loads(line)
        protocol, body = request["protocol"], request["body"]
        validators.setdefault(protocol, validator(protocol))
        found = validators[protocol](body) + faults_of_calls(protocol, body)
        if protocol == "openai-chat":
            found += templates.faults_of_templates(body)
        for fault in found:
            print(f"{request['name']} ({protocol}): {fault}")
        count += 1
    print(f"{count} requests")


if __name__ == "__main__":
    main()
