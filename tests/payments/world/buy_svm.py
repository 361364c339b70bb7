"""PyPI x402 buys once on Solana: URL, body, and the node's address."""

import asyncio
import base64
import json
import sys

from solders.keypair import Keypair
from x402 import x402Client
from x402.http.clients import wrapHttpxWithPayment
from x402.mechanisms.svm.exact import ExactSvmScheme
from x402.mechanisms.svm.signers import KeypairSigner


async def main() -> None:
    url, body, rpc = sys.argv[1:]
    client = x402Client()
    client.register("solana:*", ExactSvmScheme(KeypairSigner(Keypair.from_seed(bytes([2]) * 32)), rpc_url=rpc))
    async with wrapHttpxWithPayment(client, timeout=120) as http:
        response = await http.post(url, content=body, headers={"content-type": "application/json"})
    paid = response.headers.get("payment-response")
    settlement = json.loads(base64.b64decode(paid)) if paid else None
    print(json.dumps({"status": response.status_code, "body": response.text, "settlement": settlement}))


asyncio.run(main())
