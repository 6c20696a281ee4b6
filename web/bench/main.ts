// `npm run bench:web [-- loading streaming scrolling large]`: performance of the pages in a browser.
import { cpus } from "node:os"
import { setup } from "../e2e/setup/build.ts"
import { type BenchSite, startBenchSite } from "./bench-site.ts"
import { measureLargeChats } from "./large-chats.ts"
import { measureLoading } from "./loading.ts"
import { formatMeasurements, isWithinLimits, type Measurement } from "./measurements.ts"
import { measureScrolling } from "./scrolling.ts"
import { measureStreaming } from "./streaming.ts"

const tokens = 4000

const parts: Record<string, (site: BenchSite) => Promise<Measurement[]>> = {
  loading: measureLoading,
  streaming: (site) => measureStreaming(site, tokens),
  scrolling: measureScrolling,
  large: measureLargeChats,
}

setup()
const requestedParts = process.argv.slice(2)
const site = await startBenchSite({ tokens, tokensPerSecond: 100 })
const measurements: Measurement[] = []
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (requestedParts.length > 0 && !requestedParts.includes(name)) continue
    process.stderr.write(`measuring ${name} …\n`)
    measurements.push(...(await measure(site)))
  }
} finally {
  await site.close()
}
console.log(
  `Chromium ${site.browser.version()}, Node ${process.version}, ${cpus()[0]?.model}, ${cpus().length} cores\n`,
)
console.log(formatMeasurements(measurements))
process.exitCode = measurements.every(isWithinLimits) ? 0 : 1
