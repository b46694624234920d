"""One question to an agent that has the memory of this folder: python chat.py "Which port does the server use?" """

import asyncio
import os
import subprocess
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

MDMEM = {"transport": "stdio", "command": "mdmem", "args": ["mcp"], "env": dict(os.environ)}


async def main(question: str) -> None:
    # What is remembered stands in the prompt; with the tools the agent reads more, and remembers.
    memory = subprocess.check_output(["mdmem", "render"], text=True)
    async with MultiServerMCPClient({"mdmem": MDMEM}).session("mdmem") as session:
        tools = await load_mcp_tools(session)
        agent = create_agent("openai:gpt-5.5", tools, system_prompt=f"You remember across sessions.\n\n{memory}")
        result = await agent.ainvoke({"messages": [("user", question)]})
        print(result["messages"][-1].text)


asyncio.run(main(" ".join(sys.argv[1:])))
