// One attack of `attacks.ts` in a process of its own.
import { lowerThreadPriority } from "../../src/limits/thread-priority.ts"
import { attacks } from "./attacks.ts"

// The attacker is another machine in truth: here it must not take the core from who measures.
lowerThreadPriority(19)

const [name = "", port = "", key = "", ...names] = process.argv.slice(2)
const attack = attacks[name]
if (!attack) throw new Error(`no attack ${name}`)

let answers = 0
attack({ port: Number(port), key, names }, () => {
  answers++
})
process.on("message", () => process.send?.({ answers }))
process.on("disconnect", () => process.exit(0))
