import base64
import os

import openai
from report import LOAN, QUESTION, check, refused, report

client = openai.OpenAI(base_url=f"{os.environ['ORDERLY_URL']}/v1", api_key=os.environ["ORDERLY_TOKEN"])
search = {"type": "file_search", "vector_store_ids": [os.environ["ORDERLY_MATTER"]]}


def ask(question, **more):
    return client.responses.create(**{"model": "orderly", "input": question, "tools": [search], **more})


def answer():
    check("New South Wales" in ask(QUESTION).output_text)
    chat = client.chat.completions.create(
        model="orderly", messages=[{"role": "user", "content": QUESTION}], metadata={"matter": os.environ["ORDERLY_MATTER"]}
    )
    check("New South Wales" in chat.choices[0].message.content and chat.usage is not None, chat)


def stream():
    with client.responses.stream(model="orderly", input=QUESTION, tools=[search]) as events:
        check("".join(e.delta for e in events if e.type == "response.output_text.delta"))


def follow_up():
    first = ask(QUESTION)
    check("five (5) years" in ask("How long is the term?", previous_response_id=first.id).output_text)


def instructions():
    check("New South Wales" in ask(QUESTION, instructions="Answer briefly.").output_text)


def citations():
    found = ask(QUESTION, include=["file_search_call.results"])
    check(found.output[-1].content[0].annotations[0].filename == "lease.txt", found.output)
    check("New South Wales" in found.output[0].results[0].text)


def files():
    data = f"data:text/plain;base64,{base64.b64encode(LOAN).decode()}"
    content = [
        {"type": "input_file", "filename": "loan.txt", "file_data": data},
        {"type": "input_text", "text": "Which interest does the borrower pay?"},
    ]
    check("7 per cent" in ask([{"role": "user", "content": content}], tools=[]).output_text)


def refusals():
    refused(lambda: ask("x", tools=[{"type": "function", "name": "f", "parameters": {}}]), "works with its own tools")
    refused(
        lambda: ask("x", tools=[{**search, "filters": {"type": "eq", "key": "a", "value": 1}}]), "no attribute 'a' to filter by"
    )


report(answer, stream, follow_up, instructions, citations, files, refusals)
