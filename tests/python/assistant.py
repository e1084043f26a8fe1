"""Asks `gleaner mcp` with the SDK of the Model Context Protocol, and prints what it answered as JSON.

    python assistant.py MODE PROGRAM CALLS BUNDLE...
        MODE is auto (probes for the stateless revision of 2026) or legacy (initialize), CALLS a JSON list of [tool, arguments]
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def main(mode, program, calls, *bundles):
    server = StdioServerParameters(command=program, args=["mcp", *bundles])
    async with Client(server, mode=mode) as client:
        answers = []
        for name, asked in json.loads(calls):
            result = await client.call_tool(name, asked)
            answers.append([name, bool(result.is_error), "".join(part.text for part in result.content)])
        prompt = await client.get_prompt("diagnose", {})
        print(json.dumps({
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "templates": [template.uri_template for template in (await client.list_resource_templates()).resource_templates],
            "prompt": "\n".join(message.content.text for message in prompt.messages),
            "answers": answers,
        }))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
