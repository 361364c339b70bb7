// A client of npm: lists the tools, calls them, and prints what came as one JSON object.
//
// node_client.mjs (sdk | client) (default | auto | VERSION) (http URL | stdio PROGRAM)
// Run in the folder where the packages are installed.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const [library, mode, transport, where] = process.argv.slice(2);
const sdk = library === "sdk";
const { Client } = await load(sdk ? "@modelcontextprotocol/sdk/client/index.js" : "@modelcontextprotocol/client");

async function connection() {
  if (transport === "http") {
    const { StreamableHTTPClientTransport } = await load(
      sdk ? "@modelcontextprotocol/sdk/client/streamableHttp.js" : "@modelcontextprotocol/client",
    );
    return new StreamableHTTPClientTransport(new URL(where));
  }
  const { StdioClientTransport } = await load(
    sdk ? "@modelcontextprotocol/sdk/client/stdio.js" : "@modelcontextprotocol/client/stdio",
  );
  return new StdioClientTransport({ command: where, args: ["mcp"] });
}

const options = {};
if (mode === "auto") options.versionNegotiation = { mode: "auto" };
else if (mode !== "default") options.versionNegotiation = { mode: { pin: mode } };

const client = new Client({ name: "test", version: "1" }, options);
await client.connect(await connection());
const { tools } = await client.listTools();
const call = (args) => client.callTool({ name: "verify_schema", arguments: args });
const good = { task_id: "t", expected_schema: { type: "string" }, submitted_output: "x" };
const passed = await call(good);
const failed = await call({ ...good, submitted_output: 1 });
const refused = await call({ task_id: 5 });
console.log(JSON.stringify({
  tools: tools.map((tool) => tool.name),
  passed: passed.structuredContent.result,
  failed: failed.structuredContent.result,
  failed_is_error: Boolean(failed.isError),
  refused_is_error: Boolean(refused.isError),
}));
await client.close();
