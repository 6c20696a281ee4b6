// `npm run fuzz:http`: compares the gateway's HTTP/1.1 parsers with llhttp on random messages.
import { parseArgs } from "node:util"
import { fuzz, partNames } from "./cases.ts"

const usage = `npm run fuzz:http -- [options]
  --cases 1000000   number of cases per kind of message
  --seed 1          seed of the first case, incremented for each case (default: from the clock)
  --only replies    kinds of messages: ${partNames.join(", ")} (all)`

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "1000000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    only: { type: "string", default: partNames.join(",") },
  },
})
const cases = Number(values.cases)
const seed = Number(values.seed)
const only = values.only.split(",")
if (
  !(cases > 0) ||
  !Number.isInteger(seed) ||
  !only.every((name) => partNames.some((part) => part === name))
) {
  console.error(usage)
  process.exit(2)
}

const { node, llhttp } = process.versions
console.log(`Node ${node}, llhttp ${llhttp}, ${cases} cases of each kind from seed ${seed}`)
for (const part of partNames.filter((name) => only.includes(name))) {
  const started = performance.now()
  const { countByVerdict, differences } = await fuzz(part, cases, seed)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const counts = Object.entries(countByVerdict).map(([verdict, count]) => `${count} ${verdict}`)
  console.log(`${part}: ${counts.join(", ")}; ${differences.length} differences (${seconds} s)`)
  for (const difference of differences) console.log(difference.message, difference.cause)
  if (differences.length > 0) process.exitCode = 1
}
