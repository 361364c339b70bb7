// The validator of npm @x402/extensions: a Payment-Required field on standard input.
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from "@x402/extensions/bazaar";
import { decodePaymentRequiredHeader } from "@x402/core/http";

let field = "";
for await (const part of process.stdin) field += part;
const required = decodePaymentRequiredHeader(field.trim());
const { bazaar } = required.extensions;
const results = [validateDiscoveryExtension(bazaar), validateDiscoveryExtensionSpec(bazaar)];
console.log(JSON.stringify(results));
process.exit(results.every((it) => it.valid) ? 0 : 1);
