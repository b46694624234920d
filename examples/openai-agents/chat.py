"""One question to an agent that has the memory of this folder: python chat.py "Which port does the server use?" """

import asyncio
import os
import subprocess
import sys

from agents import Agent, Runner
from agents.mcp import MCPServerStdio

MDMEM = {"command": "mdmem", "args": ["mcp"], "env": dict(os.environ)}


async def main(question: str) -> None:
    # What is remembered stands in the prompt; with the tools the agent reads more, and remembers.
    memory = subprocess.check_output(["mdmem", "render"], text=True)
    # A call may wait for a person to answer; the SDK gives up after 5 s otherwise.
    async with MCPServerStdio(MDMEM, cache_tools_list=True, client_session_timeout_seconds=60) as server:
        agent = Agent(name="Assistant", instructions=f"You remember across sessions.\n\n{memory}", mcp_servers=[server])
        result = await Runner.run(agent, question)
        print(result.final_output)


asyncio.run(main(" ".join(sys.argv[1:])))
