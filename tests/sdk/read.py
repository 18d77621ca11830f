"""Reads streams of replies as the providers' own SDKs do.

Reads JSON lines `{"name", "protocol", "stream"}` from standard input; prints for each a line `{"name", "text", "calls",
"input", "output", "stop"}`, or `{"name", "error"}` where the SDK refuses the stream. The SDKs speak to a server of our
own on this machine, which answers with the stream.
"""

import functools
import http.server
import json
import sys
import threading


class Server(http.server.BaseHTTPRequestHandler):
    stream = b""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.wfile.write(Server.stream)

    def log_message(self, *_):
        pass


@functools.cache
def anthropic_client(address):
    from anthropic import Anthropic

    return Anthropic(api_key="k", max_retries=0, base_url=address)


def anthropic(address):
    asked = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hello."}]}
    with anthropic_client(address).messages.stream(**asked) as reading:
        reply = reading.get_final_message()
    usage = reply.usage
    return {
        "text": "".join(block.text for block in reply.content if block.type == "text"),
        "calls": [[block.name, block.input] for block in reply.content if block.type == "tool_use"],
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "stop": reply.stop_reason,
    }


@functools.cache
def openai_client(address):
    from openai import OpenAI

    return OpenAI(api_key="k", max_retries=0, base_url=address)


def openai_chat(address):
    asked = {"model": "m", "messages": [{"role": "user", "content": "Hello."}], "stream": True}
    text, calls, usage, stop = "", {}, None, None
    for chunk in openai_client(address).chat.completions.create(**asked):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            stop = choice.finish_reason or stop
            for piece in choice.delta.tool_calls or []:
                call = calls.setdefault(piece.index, ["", ""])
                call[0] += piece.function.name or ""
                call[1] += piece.function.arguments or ""
    return {
        "text": text,
        "calls": [[name, json.loads(arguments)] for name, arguments in calls.values()],
        "input": usage and usage.prompt_tokens,
        "output": usage and usage.completion_tokens,
        "stop": stop,
    }


def openai_responses(address):
    reply = None
    for event in openai_client(address).responses.create(model="m", input="Hello.", stream=True):
        if event.type in ("response.completed", "response.incomplete", "response.failed"):
            reply = event.response
        elif event.type == "error":
            raise ValueError(event.message)
    if reply is None:
        raise ValueError("the stream has no end")
    if reply.status == "failed":
        raise ValueError(reply.error.message)
    calls = [item for item in reply.output if item.type == "function_call"]
    return {
        "text": reply.output_text,
        "calls": [[call.name, json.loads(call.arguments)] for call in calls],
        "input": reply.usage.input_tokens,
        "output": reply.usage.output_tokens,
        "stop": reply.status,
    }


@functools.cache
def gemini_client(address):
    from google import genai
    from google.genai import types

    return genai.Client(api_key="k", http_options=types.HttpOptions(base_url=address))


def gemini(address):
    text, calls, usage, stop = "", [], None, None
    for chunk in gemini_client(address).models.generate_content_stream(model="m", contents="Hello."):
        usage = chunk.usage_metadata or usage
        for candidate in chunk.candidates or []:
            stop = candidate.finish_reason or stop
            for part in (candidate.content and candidate.content.parts) or []:
                if part.function_call:
                    calls.append([part.function_call.name, part.function_call.args or {}])
                elif part.text and not part.thought:
                    text += part.text
    return {
        "text": text,
        "calls": calls,
        "input": usage and usage.prompt_token_count,
        "output": usage and (usage.candidates_token_count or 0) + (usage.thoughts_token_count or 0),
        "stop": stop and stop.value,
    }


READERS = {
    "anthropic": anthropic,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "gemini": gemini,
}


def joined(value):
    """Returns the value with halves of characters joined, which Python keeps apart, and with marks for single ones."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [joined(item) for item in value]
    if isinstance(value, dict):
        return {key: joined(item) for key, item in value.items()}
    return value


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    for line in sys.stdin:
        given = json.loads(line)
        Server.stream = given["stream"].encode()
        try:
            read = READERS[given["protocol"]](address)
        except Exception as error:  # Each SDK has errors of its own, and refuses some streams by an assertion.
            read = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(joined({"name": given["name"], **read})), flush=True)


main()
