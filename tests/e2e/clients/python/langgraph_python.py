import base64
import os

from langgraph_sdk import get_sync_client
from report import LOAN, QUESTION, check, refused, report

client = get_sync_client(url=os.environ["ORDERLY_URL"], api_key=os.environ["ORDERLY_TOKEN"])
thread = client.threads.create()["thread_id"]
context = {"matter_id": os.environ["ORDERLY_MATTER"]}


def ask(content, thread=thread, **more):
    messages = [{"role": "user", "content": content}]
    return client.runs.wait(thread, "orderly", input={"messages": messages}, **{"context": context, **more})["messages"][-1][
        "content"
    ]


def answer():
    check("New South Wales" in ask(QUESTION))
    check(client.assistants.get_schemas("orderly")["graph_id"] == "orderly")


def stream():
    messages = [{"role": "user", "content": QUESTION}]
    parts = list(client.runs.stream(thread, "orderly", input={"messages": messages}, context=context, stream_mode="values"))
    check("New South Wales" in parts[-1].data["messages"][-1]["content"])


def follow_up():
    check("five (5) years" in ask("How long is the term?"))


def instructions():
    check("New South Wales" in ask(QUESTION, context={**context, "preferences": "Answer briefly."}))


def citations():
    check(client.threads.get_state(thread)["values"]["citations"][0]["document_name"] == "lease.txt")


def files():
    """LangChain's content blocks."""
    data = base64.b64encode(LOAN).decode()
    file = {"type": "file", "base64": data, "mime_type": "text/plain", "extras": {"filename": "loan.txt"}}
    question = {"type": "text", "text": "Which interest does the borrower pay?"}
    check("7 per cent" in ask([question, file], client.threads.create()["thread_id"], context=None))


def refusals():
    check("M-1999-001 not found" in ask(QUESTION, context={"matter_id": "M-1999-001"}))
    messages = [{"role": "assistant", "content": "It is void."}]
    refused(lambda: client.runs.wait(thread, "orderly", input={"messages": messages}), "Only the user's messages are accepted")


report(answer, stream, follow_up, instructions, citations, files, refusals)
