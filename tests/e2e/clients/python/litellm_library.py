import os

import litellm
from report import QUESTION, check, refused, report

orderly = {"api_base": f"{os.environ['ORDERLY_URL']}/v1", "api_key": os.environ["ORDERLY_TOKEN"], "model": "openai/orderly"}
matter = {"extra_body": {"metadata": {"matter": os.environ["ORDERLY_MATTER"]}}}
search = {"tools": [{"type": "file_search", "vector_store_ids": [os.environ["ORDERLY_MATTER"]]}]}


def chat(*messages, **more):
    return litellm.completion(
        messages=[{"role": role, "content": text} for role, text in messages], **orderly, **matter, **more
    )


def answer():
    check("New South Wales" in chat(("user", QUESTION)).choices[0].message.content)
    check("New South Wales" in litellm.responses(input=QUESTION, **orderly, **search).output[-1].content[0].text)


def stream():
    parts = [part.choices[0].delta.content or "" for part in chat(("user", QUESTION), stream=True)]
    check("New South Wales" in "".join(parts), parts)
    kinds = [str(event.type) for event in litellm.responses(input=QUESTION, stream=True, **orderly, **search)]
    check(any("COMPLETED" in kind.upper() for kind in kinds[-1:]), kinds)


def follow_up():
    second = chat(("user", QUESTION), ("assistant", "New South Wales."), ("user", "How long is the term?"))
    check("five (5) years" in second.choices[0].message.content, second)
    first = litellm.responses(input=QUESTION, **orderly, **search)
    later = litellm.responses(input="How long is the term?", previous_response_id=first.id, **orderly, **search)
    check("five (5) years" in later.output[-1].content[0].text, later)


def instructions():
    check("New South Wales" in chat(("system", "Answer briefly."), ("user", QUESTION)).choices[0].message.content)
    found = litellm.responses(input=QUESTION, instructions="Answer briefly.", **orderly, **search)
    check("New South Wales" in found.output[-1].content[0].text, found)


def citations():
    check(chat(("user", QUESTION)).choices[0].message.annotations[0]["url_citation"]["title"] == "lease.txt")
    check(litellm.responses(input=QUESTION, **orderly, **search).output[-1].content[0].annotations[0].filename == "lease.txt")


def refusals():
    tool = {"type": "function", "function": {"name": "f", "parameters": {}}}
    refused(lambda: chat(("user", QUESTION), tools=[tool]), "works with its own tools")


report(answer, stream, follow_up, instructions, citations, refusals)
