"""The client of PyPI mcp: lists the tools, calls them, and prints what came as one JSON object.

python_client.py MODE (http URL | stdio PROGRAM)
"""

import asyncio
import json
import sys

from mcp import Client
from mcp.client.stdio import StdioServerParameters

CALL = {"task_id": "t", "expected_schema": {"type": "string"}, "submitted_output": "x"}


async def main(mode: str, transport: str, where: str) -> None:
    server = where if transport == "http" else StdioServerParameters(command=where, args=["mcp"])
    async with Client(server, mode=mode) as client:
        tools = await client.list_tools()
        passed = await client.call_tool("verify_schema", CALL)
        failed = await client.call_tool("verify_schema", {**CALL, "submitted_output": 1})
        refused = await client.call_tool("verify_schema", {"task_id": 5})
        print(json.dumps({
            "tools": [tool.name for tool in tools.tools],
            "passed": passed.structured_content["result"],
            "failed": failed.structured_content["result"],
            "failed_is_error": bool(failed.is_error),
            "refused_is_error": bool(refused.is_error),
        }))


asyncio.run(main(*sys.argv[1:]))
