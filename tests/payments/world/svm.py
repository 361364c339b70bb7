"""A chain with the mint of USDC (LiteSVM) behind the JSON-RPC that clients and facilitators ask, and
the facilitator of PyPI x402 for it. Both on free ports of this machine; they end when standard input
does. The first line of output says where they are."""

import base64
import json
import os
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from solders.account import Account
from solders.keypair import Keypair
from solders.litesvm import LiteSVM
from solders.pubkey import Pubkey
from solders.transaction import VersionedTransaction
from solders.transaction_metadata import FailedTransactionMetadata
from x402 import x402FacilitatorSync
from x402.mechanisms.svm.exact.facilitator import ExactSvmScheme
from x402.mechanisms.svm.signers import FacilitatorKeypairSigner
from x402.schemas import PaymentPayload, PaymentRequirements

NETWORK = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
MINT = Pubkey.from_string("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
TOKEN_PROGRAM = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
ACCOUNT_PROGRAM = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
RENT = 10**9

# Who pays fees, who buys, who sells.
FEES, PAYER, PAY_TO = (Keypair.from_seed(bytes([number]) * 32) for number in (1, 2, 3))

chain = LiteSVM()
lock = threading.RLock()
accepted: dict[str, bool] = {}


def token_account(owner: Pubkey) -> Pubkey:
    seeds = [bytes(owner), bytes(TOKEN_PROGRAM), bytes(MINT)]
    return Pubkey.find_program_address(seeds, ACCOUNT_PROGRAM)[0]


def fund(owner: Pubkey, amount: int) -> None:
    # SPL Token: mint, owner, amount, no delegate, initialised, not native, none delegated, no close.
    data = bytes(MINT) + bytes(owner) + struct.pack("<Q", amount)
    data += bytes(36) + b"\x01" + bytes(12) + bytes(8) + bytes(36)
    chain.set_account(token_account(owner), Account(RENT, data, TOKEN_PROGRAM))


def balance(owner: Pubkey) -> int:
    return struct.unpack_from("<Q", bytes(chain.get_account(token_account(owner)).data), 64)[0]


def start_chain() -> None:
    chain.airdrop(FEES.pubkey(), 10**10)
    mint = struct.pack("<I32sQBBI32s", 1, bytes(FEES.pubkey()), 10**12, 6, 1, 0, bytes(32))
    chain.set_account(MINT, Account(RENT, mint, TOKEN_PROGRAM))
    fund(PAYER.pubkey(), 1_000_000)
    fund(PAY_TO.pubkey(), 0)


def at_slot(value):
    return {"context": {"slot": 1, "apiVersion": "2.0.0"}, "value": value}


def account(address: str):
    found = chain.get_account(Pubkey.from_string(address))
    if found is None:
        return None
    data = bytes(found.data)
    return {
        "lamports": found.lamports,
        "owner": str(found.owner),
        "data": [base64.b64encode(data).decode(), "base64"],
        "executable": found.executable,
        "rentEpoch": 0,
        "space": len(data),
    }


def simulate(transaction: str):
    result = chain.simulate_transaction(VersionedTransaction.from_bytes(base64.b64decode(transaction)))
    meta = result.meta()
    return at_slot({
        "err": "InvalidAccountForFee" if isinstance(result, FailedTransactionMetadata) else None,
        "logs": list(meta.logs()),
        "accounts": None,
        "unitsConsumed": meta.compute_units_consumed(),
        "returnData": None,
    })


def send(transaction: str) -> str:
    parsed = VersionedTransaction.from_bytes(base64.b64decode(transaction))
    result = chain.send_transaction(parsed)
    signature = str(parsed.signatures[0])
    accepted.setdefault(signature, not isinstance(result, FailedTransactionMetadata))
    return signature


def status(signature: str):
    if signature not in accepted:
        return None
    return {
        "slot": 1,
        "confirmations": None,
        "err": None if accepted[signature] else "InvalidAccountForFee",
        "status": {"Ok": None},
        "confirmationStatus": "finalized",
    }


METHODS = {
    "getLatestBlockhash": lambda *_: at_slot(
        {"blockhash": str(chain.latest_blockhash()), "lastValidBlockHeight": 1000}
    ),
    "getBlockHeight": lambda *_: 1,
    "getAccountInfo": lambda address, *_: at_slot(account(address)),
    "getMultipleAccounts": lambda addresses, *_: at_slot([account(it) for it in addresses]),
    "simulateTransaction": lambda transaction, *_: simulate(transaction),
    "sendTransaction": lambda transaction, *_: send(transaction),
    "getSignatureStatuses": lambda signatures, *_: at_slot([status(it) for it in signatures]),
}


class Json(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def read(self):
        return json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"null")

    def say(self, value) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Node(Json):
    def do_POST(self):
        question = self.read()
        answer = {"jsonrpc": "2.0", "id": question["id"]}
        try:
            with lock:
                answer["result"] = METHODS[question["method"]](*(question.get("params") or []))
        except Exception as error:  # noqa: BLE001 - whatever it is, the client is told
            answer["error"] = {"code": -32603, "message": repr(error)}
        self.say(answer)


class Facilitator(Json):
    def do_GET(self):
        self.say(as_json(facilitator.get_supported()))

    def do_POST(self):
        question = self.read()
        if self.path == "/balances":
            return self.say({"payer": balance(PAYER.pubkey()), "payTo": balance(PAY_TO.pubkey())})
        ask = facilitator.verify if self.path == "/verify" else facilitator.settle
        payload = PaymentPayload.model_validate(question["paymentPayload"])
        requirements = PaymentRequirements.model_validate(question["paymentRequirements"])
        return self.say(as_json(ask(payload, requirements)))


def as_json(model):
    return json.loads(model.model_dump_json(by_alias=True, exclude_none=True))


def serve(handler) -> str:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


start_chain()
rpc = serve(Node)
facilitator = x402FacilitatorSync()
facilitator.register([NETWORK], ExactSvmScheme(FacilitatorKeypairSigner(FEES, rpc_url=rpc)))
print(json.dumps({"rpc": rpc, "facilitator": serve(Facilitator), "pay_to": str(PAY_TO.pubkey())}), flush=True)
sys.stdin.read()
os._exit(0)
