// Asks `gleaner mcp` with the SDK of the Model Context Protocol, and prints what it answered as JSON.
//
//   node client.mjs PROGRAM CALLS BUNDLE...      CALLS is a JSON list of [tool, arguments]

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [program, calls, ...bundles] = process.argv.slice(2);
const transport = new StdioClientTransport({ command: program, args: ["mcp", ...bundles], stderr: "ignore" });
const client = new Client({ name: "gleaner-tests", version: "1.0.0" });
await client.connect(transport);
const answers = [];
for (const [name, asked] of JSON.parse(calls)) {
  const result = await client.callTool({ name, arguments: asked });
  answers.push([name, Boolean(result.isError), result.content.map((part) => part.text).join("")]);
}
const prompt = await client.getPrompt({ name: "diagnose", arguments: {} });
console.log(
  JSON.stringify({
    tools: (await client.listTools()).tools.map((tool) => tool.name),
    templates: (await client.listResourceTemplates()).resourceTemplates.map((template) => template.uriTemplate),
    prompt: prompt.messages.map((message) => message.content.text).join("\n"),
    answers,
  }),
);
await client.close();
