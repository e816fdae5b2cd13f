import os

from fastmcp import Client
from report import MATTER, check, report

client = Client(f"{os.environ['ORDERLY_URL']}/api/mcp", auth=os.environ["ORDERLY_TOKEN"])


async def answer():
    async with client:
        check("list_matters" in [tool.name for tool in await client.list_tools()])
        check(MATTER in str(await client.call_tool("list_matters", {})))
        found = await client.call_tool("isaacus_search", {"matter_id": MATTER, "query": "governing law"})
        check("New South Wales" in str(found), found)


async def refusals():
    async with client:
        said = await client.call_tool("isaacus_search", {"matter_id": "M-1999-001", "query": "law"}, raise_on_error=False)
        check("not found" in str(said), said)


report(answer, refusals)
