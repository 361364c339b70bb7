// A chain with the id of Base and a dollar at the address of USDC, and a facilitator of npm @x402 for
// it. Both on free ports of this machine; they end when standard input does. The first line of
// output says where they are.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createSocket } from "node:net";
import solc from "solc";
import { createTestClient, createWalletClient, defineChain, http, publicActions, walletActions } from "viem";
import { mnemonicToAccount, nonceManager } from "viem/accounts";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
// The public test mnemonic: 0 pays for gas, 1 buys, 2 sells.
const account = (index, more = {}) =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: index, ...more });

const freePort = () =>
  new Promise((resolve) => {
    const socket = createSocket();
    socket.listen(0, "127.0.0.1", () => {
      const { port } = socket.address();
      socket.close(() => resolve(port));
    });
  });

const compile = () => {
  const input = {
    language: "Solidity",
    sources: { "Dollar.sol": { content: readFileSync(process.argv[2], "utf8") } },
    settings: {
      optimizer: { enabled: true, runs: 200 },
      viaIR: true,
      evmVersion: "paris",
      outputSelection: { "*": { "*": ["abi", "evm.deployedBytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const wrong = (output.errors ?? []).filter((it) => it.severity === "error");
  if (wrong.length) throw new Error(wrong[0].formattedMessage);
  const { abi, evm } = output.contracts["Dollar.sol"].Dollar;
  return { abi, code: `0x${evm.deployedBytecode.object}` };
};

const port = await freePort();
const rpc = `http://127.0.0.1:${port}`;
const anvil = spawn(
  "node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil",
  ["--host", "127.0.0.1", "--port", String(port), "--chain-id", "8453", "--silent"],
  { stdio: "ignore" },
);
const end = () => {
  anvil.kill();
  process.exit(0);
};
process.stdin.resume().on("end", end).on("error", end);
anvil.on("exit", () => process.exit(1));

const chain = defineChain({
  id: 8453,
  name: "test",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [rpc] } },
});
const test = createTestClient({ mode: "anvil", chain, transport: http(rpc), account: account(0) })
  .extend(publicActions)
  .extend(walletActions);
for (let tries = 0; ; tries++) {
  try {
    await test.getChainId();
    break;
  } catch (error) {
    if (tries > 100) throw error;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
const { abi, code } = compile();
await test.setCode({ address: USDC, bytecode: code });
const minted = await test.writeContract({
  address: USDC, abi, functionName: "mint", args: [account(1).address, 1_000_000n],
});
await test.waitForTransactionReceipt({ hash: minted });

const wallet = createWalletClient({
  account: account(0, { nonceManager }), chain, transport: http(rpc), pollingInterval: 50,
}).extend(publicActions);
const signer = toFacilitatorEvmSigner({
  address: account(0).address,
  readContract: (it) => wallet.readContract({ ...it, args: it.args ?? [] }),
  verifyTypedData: (it) => wallet.verifyTypedData(it),
  writeContract: (it) => wallet.writeContract({ ...it, args: it.args ?? [] }),
  sendTransaction: (it) => wallet.sendTransaction(it),
  waitForTransactionReceipt: (it) => wallet.waitForTransactionReceipt(it),
  getCode: (it) => wallet.getCode(it),
  getTransactionReceipt: (it) => wallet.getTransactionReceipt(it),
});
const facilitator = new x402Facilitator().register("eip155:8453", new ExactEvmScheme(signer));

// How the next questions are answered: { verify | settle: "500" | "html" | "false" | "lost", times }.
let fault = {};
// The last payment that was to be settled.
let sent = {};
const answer = async (path, body, response) => {
  const say = (status, text, type = "application/json") =>
    response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) }).end(text);
  if (path === "supported") return say(200, JSON.stringify(facilitator.getSupported()));
  if (path === "fault") return (fault = body), say(200, "{}");
  if (path === "sent") return say(200, JSON.stringify(sent));
  if (path === "balances") {
    const of = (index) =>
      test.readContract({ address: USDC, abi, functionName: "balanceOf", args: [account(index).address] });
    return say(200, JSON.stringify({ payer: Number(await of(1)), payTo: Number(await of(2)) }));
  }
  if (path === "settle") sent = body.paymentPayload;
  const wrong = fault.times === 0 ? undefined : fault[path];
  if (wrong && fault.times) fault.times--;
  switch (wrong) {
    case "500": return say(500, '{"error":"boom"}');
    case "html": return say(200, "<html>oops</html>", "text/html");
    case "false":
      return say(200, JSON.stringify(path === "verify"
        ? { isValid: false, invalidReason: "insufficient_funds" }
        : { success: false, errorReason: "insufficient_funds", transaction: "", network: "eip155:8453" }));
  }
  try {
    const done = await facilitator[path](body.paymentPayload, body.paymentRequirements);
    if (wrong === "lost") return response.destroy();
    say(200, JSON.stringify(done));
  } catch (error) {
    if (wrong === "lost") return response.destroy();
    say(500, JSON.stringify({ error: String(error) }));
  }
};
const server = createServer((request, response) => {
  let text = "";
  request.on("data", (it) => (text += it)).on("end", () =>
    answer(request.url.slice(1), text ? JSON.parse(text) : undefined, response));
});
server.listen(0, "127.0.0.1", () =>
  console.log(JSON.stringify({
    rpc,
    facilitator: `http://127.0.0.1:${server.address().port}`,
    pay_to: account(2).address,
    payer_key: Buffer.from(account(1).getHdKey().privateKey).toString("hex"),
  })));
