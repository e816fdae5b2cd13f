"""A graph without agents, middleware and citation gate that makes the same number of model and tool calls per run."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph

from orderly.agent.tools import list_matter_documents
from orderly.settings import load_settings

settings = load_settings()
model = ChatOpenAI(model=settings.model, api_key=settings.openai_api_key, base_url=settings.openai_base_url, streaming=True)
with_tool = model.bind_tools([list_matter_documents])


async def plan(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await model.ainvoke(state["messages"])]}


async def call(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await with_tool.ainvoke([HumanMessage("Look.")])]}


async def look(state: MessagesState, config: Any = None) -> dict[str, Any]:
    last = state["messages"][-1]
    assert isinstance(last, AIMessage)
    [asked] = last.tool_calls
    answer: ToolMessage = await list_matter_documents.ainvoke({"type": "tool_call", **asked}, config)
    return {"messages": [answer.model_copy(update={"artifact": None})]}


async def report(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await with_tool.ainvoke([HumanMessage("Look."), *state["messages"][-2:]])]}


async def answer(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await model.ainvoke([HumanMessage("Answer.")])]}


builder = StateGraph(MessagesState)
for before, node in ((START, plan), ("plan", call), ("call", look), ("look", report), ("report", answer)):
    builder.add_node(node.__name__, node)  # type: ignore[type-var]
    builder.add_edge(before, node.__name__)
builder.add_edge("answer", END)
graph = builder.compile(name="bare")
