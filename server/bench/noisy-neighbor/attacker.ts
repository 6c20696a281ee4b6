// Runs one attack of `attacks.ts` in a separate process.
import { lowerThreadPriority } from "../../src/concurrency/thread-priority.ts"
import { attacks } from "./attacks.ts"

// Stands in for another machine, so it must not take CPU time from the probe.
lowerThreadPriority(19)

const [name = "", port = "", key = "", ...names] = process.argv.slice(2)
const attack = attacks[name]
if (!attack) throw new Error(`unknown attack "${name}"`)

let answers = 0
attack({ port: Number(port), key, names }, () => {
  answers++
})
process.on("message", () => process.send?.({ answers }))
process.on("disconnect", () => process.exit(0))
