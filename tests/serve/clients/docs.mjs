// Opens /docs in a headless browser, sends a request from it, and takes a picture:
// docs.mjs PUPPETEER BROWSER BASE-URL PICTURE
import { createRequire } from "node:module";

const [puppeteerPath, executablePath, base, picture] = process.argv.slice(2);
const puppeteer = createRequire(import.meta.url)(puppeteerPath);
const browser = await puppeteer.launch({
  executablePath,
  headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"],
});
try {
  const page = await browser.newPage();
  await page.setViewport({ width: 1400, height: 1000 });
  const elsewhere = [];
  const problems = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(base) && !request.url().startsWith("data:")) elsewhere.push(request.url());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(`${base}/docs`, { waitUntil: "networkidle0" });
  // The page lives in shadow roots, which the selectors look through.
  const operation = await page.waitForSelector(">>> .nav-bar-path[id*='verify/schema']", { timeout: 60000 });
  await operation.evaluate((element) => element.click());
  const button = await page.waitForSelector(">>> .btn-execute", { timeout: 60000 });
  const answered = page.waitForResponse(
    (response) => response.url().startsWith(base) && response.request().method() === "POST",
    { timeout: 60000 },
  );
  await button.evaluate((element) => element.click());
  const answer = await answered;
  if (answer.status() !== 200) throw new Error(`status ${answer.status()}: ${await answer.text()}`);
  const body = await answer.json();
  if (!body.attestation) throw new Error("not signed");
  await page.waitForSelector(">>> .tab-buttons", { timeout: 60000 });
  await page.waitForNetworkIdle();
  await button.evaluate((element) => element.scrollIntoView());
  await page.screenshot({ path: picture });
  if (elsewhere.length) throw new Error(`asked elsewhere: ${elsewhere}`);
  if (problems.length) throw new Error(`problems: ${problems.join("\n")}`);
} finally {
  await browser.close();
}
