import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { Pool } from "undici"
import { listenOnLoopback } from "../../test/harness/ports.ts"

/**
 * Separate process that requests `/health` of the gateway and of a bare server alternately. The
 * difference cancels out the load of the machine.
 */
const everyMs = 25

const control = createServer((_, response) => response.end("ok"))
const port = await listenOnLoopback(control)
const pools = [new Pool(process.argv[2] ?? ""), new Pool(`http://127.0.0.1:${port}`)]
const samples: [gateway: number[], control: number[]] = [[], []]

const ask = async (which: 0 | 1): Promise<void> => {
  const begun = performance.now()
  const reply = await pools[which]?.request({ path: "/health", method: "GET" })
  await reply?.body.dump()
  samples[which].push(performance.now() - begun)
}

const p99 = (values: number[]): number =>
  values.sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0

process.once("message", () => {
  process.send?.({ count: samples[0].length, gateway: p99(samples[0]), control: p99(samples[1]) })
  process.disconnect()
  process.exit(0)
})

for (;;) {
  await Promise.all([ask(0).catch(() => samples[0].push(1e6)), ask(1), sleep(everyMs)])
}
