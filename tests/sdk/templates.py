"""Renders requests of OpenAI Chat with the rules of the chat templates of local models.

Servers make one text of the messages with the model's own template, which refuses what it was not made for. The templates
here are written from the published rules of three families; where families differ the stricter rule is the one that counts.
"""

import functools
import json
import pathlib

import jinja2

FOLDER = pathlib.Path(__file__).parent / "templates"


class Refused(Exception):
    pass


def refuse(message):
    raise Refused(message)


@functools.cache
def template(name):
    environment = jinja2.Environment(undefined=jinja2.ChainableUndefined)
    environment.globals["raise_exception"] = refuse
    return environment.from_string((FOLDER / f"{name}.jinja").read_text())


def plain(content):
    """A message's content as servers hand it to a template that takes text alone."""
    if not isinstance(content, list):
        return content
    return "\n".join(part["text"] if part["type"] == "text" else f"<{part['type']}>" for part in content)


def prepared(body):
    """The messages as a server hands them to a template: text, and arguments as objects."""
    messages = []
    for message in body["messages"]:
        message = dict(message, content=plain(message.get("content")))
        calls = []
        for call in message.get("tool_calls", []):
            arguments = json.loads(call["function"]["arguments"])
            if not isinstance(arguments, dict):
                raise Refused(f"arguments that are no object: {arguments!r}")
            calls.append(dict(call, function=dict(call["function"], arguments=arguments)))
        if "tool_calls" in message:
            message["tool_calls"] = calls
        if not calls and not (message["content"] or "").strip():
            raise Refused(f"a message of {message['role']} without text")
        messages.append(message)
    return messages


def with_short_ids(messages):
    """The messages with ids as Mistral's models make them: other models make others, and are not rendered with this template."""
    short = {}

    def new(given):
        return short.setdefault(given, f"{len(short):09}")

    for message in messages:
        message = dict(message)
        if "tool_calls" in message:
            message["tool_calls"] = [dict(call, id=new(call["id"])) for call in message["tool_calls"]]
        if "tool_call_id" in message:
            message["tool_call_id"] = new(message["tool_call_id"])
        yield message


def faults_of_templates(body):
    """Returns what the templates refuse, as lines."""
    found = []
    try:
        messages = prepared(body)
    except Refused as refusal:
        return [f"templates: {refusal}"]
    is_of_mistral = "stral" in body["model"] or "xtral" in body["model"]
    for name in ("mistral", "gemma", "qwen"):
        given = messages if name != "mistral" or is_of_mistral else list(with_short_ids(messages))
        try:
            template(name).render(messages=given)
        except (Refused, jinja2.TemplateError, TypeError) as refusal:
            found.append(f"{name}: {refusal}")
    return found
