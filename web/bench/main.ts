// `npm run bench:web [-- loading streaming scrolling]`: performance of the pages in a browser.
import { cpus } from "node:os"
import { setup } from "../e2e/setup/build.ts"
import { measureLoading } from "./loading.ts"
import { formatMarks, type Mark, passes } from "./marks.ts"
import { measureScrolling } from "./scrolling.ts"
import { openSite, type Site } from "./site.ts"
import { measureStreaming } from "./streaming.ts"

const tokens = 4000

const parts: Record<string, (site: Site) => Promise<Mark[]>> = {
  loading: measureLoading,
  streaming: (site) => measureStreaming(site, tokens),
  scrolling: measureScrolling,
}

setup()
const wanted = process.argv.slice(2)
const site = await openSite({ tokens, tokensPerSecond: 100 })
const marks: Mark[] = []
try {
  for (const [name, measure] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    process.stderr.write(`measuring ${name} …\n`)
    marks.push(...(await measure(site)))
  }
} finally {
  await site.close()
}
console.log(
  `Chromium ${site.browser.version()}, Node ${process.version}, ${cpus()[0]?.model}, ${cpus().length} cores\n`,
)
console.log(formatMarks(marks))
process.exitCode = marks.every(passes) ? 0 : 1
