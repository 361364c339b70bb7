"""The MCP client of PyPI x402 buys one call of verify_schema: URL, arguments. The payer's key is in PAYER_KEY."""

import asyncio
import json
import os
import sys

from eth_account import Account
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client
from x402 import x402Client
from x402.mcp.client import x402MCPSession
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.mechanisms.evm.signers import EthAccountSigner


async def main() -> None:
    url, arguments = sys.argv[1:]
    client = x402Client()
    client.register("eip155:*", ExactEvmScheme(EthAccountSigner(Account.from_key(os.environ["PAYER_KEY"]))))
    async with streamablehttp_client(url) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            paying = x402MCPSession(session, client, True)
            await paying.initialize()
            result = await paying.call_tool("verify_schema", json.loads(arguments))
            text = result.content[0]
            text = text["text"] if isinstance(text, dict) else text.text
            print(json.dumps({"paid": bool(result.payment_made), "is_error": bool(result.is_error), "text": text}))


asyncio.run(main())
