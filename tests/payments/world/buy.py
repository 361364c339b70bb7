"""PyPI x402 with httpx buys once: URL, body. The payer's key is in PAYER_KEY."""

import asyncio
import base64
import json
import os
import sys

from eth_account import Account
from x402 import x402Client
from x402.http.clients import wrapHttpxWithPayment
from x402.mechanisms.evm.exact import ExactEvmScheme
from x402.mechanisms.evm.signers import EthAccountSigner


async def main() -> None:
    url, body = sys.argv[1:]
    client = x402Client()
    client.register("eip155:*", ExactEvmScheme(EthAccountSigner(Account.from_key(os.environ["PAYER_KEY"]))))
    async with wrapHttpxWithPayment(client, timeout=120) as http:
        response = await http.post(url, content=body, headers={"content-type": "application/json"})
    paid = response.headers.get("payment-response")
    settlement = json.loads(base64.b64decode(paid)) if paid else None
    print(json.dumps({"status": response.status_code, "body": response.text, "settlement": settlement}))


asyncio.run(main())
