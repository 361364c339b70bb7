// npm @x402/fetch buys once: URL, key of the payer, body.
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { privateKeyToAccount } from "viem/accounts";

const [url, body] = process.argv.slice(2);
const account = privateKeyToAccount(`0x${process.env.PAYER_KEY}`);
const buy = wrapFetchWithPayment(fetch, new x402Client().register("eip155:*", new ExactEvmScheme(account)));
const response = await buy(url, { method: "POST", headers: { "content-type": "application/json" }, body });
const paid = response.headers.get("payment-response");
console.log(JSON.stringify({
  status: response.status,
  body: await response.text(),
  settlement: paid && decodePaymentResponseHeader(paid),
}));
process.exit(0);
