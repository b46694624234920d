"""One question to Claude, with the memory of this folder: python chat.py "What do you know of me?" """

import asyncio
import os
import sys

from anthropic import AsyncAnthropic
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from memory_tool import MdmemMemoryTool

MDMEM = StdioServerParameters(command="mdmem", args=["mcp"], env=dict(os.environ))


async def main(question: str) -> None:
    async with stdio_client(MDMEM) as streams, ClientSession(*streams) as session:
        await session.initialize()
        runner = AsyncAnthropic().beta.messages.tool_runner(
            model="claude-sonnet-5-5",
            max_tokens=2000,
            tools=[MdmemMemoryTool(session)],
            messages=[{"role": "user", "content": question}],
        )
        answer = await runner.until_done()
        print("".join(block.text for block in answer.content if block.type == "text"))


asyncio.run(main(" ".join(sys.argv[1:])))
