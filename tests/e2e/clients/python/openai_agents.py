import os

from agents import (
    Agent,
    FileSearchTool,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    SQLiteSession,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from report import MATTER, QUESTION, check, report

client = AsyncOpenAI(base_url=f"{os.environ['ORDERLY_URL']}/v1", api_key=os.environ["ORDERLY_TOKEN"])
search = FileSearchTool(vector_store_ids=[os.environ["ORDERLY_MATTER"]], include_search_results=True)
agent = Agent(name="Lawyer", model=OpenAIResponsesModel("orderly", client), tools=[search], instructions="Answer briefly.")

set_tracing_disabled(True)


async def answer():
    check("New South Wales" in (await Runner.run(agent, QUESTION)).final_output)
    chat = Agent(name="Lawyer", model=OpenAIChatCompletionsModel("orderly", client), instructions="Answer briefly.")
    check("New South Wales" in (await Runner.run(chat, f"{QUESTION} ({MATTER})")).final_output)


async def stream():
    running = Runner.run_streamed(agent, QUESTION)
    events = [event.type async for event in running.stream_events()]
    check("raw_response_event" in events and "New South Wales" in running.final_output, events)


async def follow_up():
    """By a session of the client, by the earlier response, and by messages that are sent again."""
    session = SQLiteSession("lease")
    first = await Runner.run(agent, QUESTION, session=session)
    again = [*first.to_input_list(), {"role": "user", "content": "How long is the term?"}]
    for second in (
        await Runner.run(agent, "How long is the term?", session=session),
        await Runner.run(agent, "How long is the term?", previous_response_id=first.last_response_id),
        await Runner.run(agent, again),
    ):
        check("five (5) years" in second.final_output, second.final_output)


async def instructions():
    check(agent.instructions and "New South Wales" in (await Runner.run(agent, QUESTION)).final_output)


async def citations():
    result = await Runner.run(agent, QUESTION)
    parts = [part for item in result.raw_responses[0].output if item.type == "message" for part in item.content]
    check(parts[0].annotations[0].filename == "lease.txt", parts)


async def refusals():
    @function_tool
    def clock() -> str:
        return "noon"

    for own in (
        Agent(name="Clock", model=agent.model, tools=[clock]),
        Agent(name="Desk", model=agent.model, handoffs=[agent]),
    ):
        try:
            await Runner.run(own, QUESTION)
        except Exception as error:  # noqa: BLE001
            check("Orderly works with its own tools: leave out the tools of type function." in str(error), error)
        else:
            check(False)


report(answer, stream, follow_up, instructions, citations, refusals)
