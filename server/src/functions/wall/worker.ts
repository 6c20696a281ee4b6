import { readFileSync } from "node:fs"
import { setPriority } from "node:os"
import { join } from "node:path"
import { parentPort, workerData } from "node:worker_threads"
import { Guest, type GuestNeeds } from "./guest.ts"
import { Machine } from "./machine.ts"
import { type Asked, clockOf, flagsOf, type Told, type WorkerData } from "./protocol.ts"

const { wasm, shared, memory }: WorkerData = workerData
const sourceOf = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8")

/** Requests come before functions' computing; on Linux this is of the calling thread alone. */
const lowerPriority = 10
try {
  setPriority(0, lowerPriority)
} catch {
  // Where it is not allowed they share alike.
}

const tell = (told: Told): void => parentPort?.postMessage(told)
const needs: GuestNeeds = {
  wasm,
  memory,
  sources: { prelude: sourceOf("prelude.js"), globals: sourceOf("web-globals.js") },
  clock: clockOf(shared),
  flags: flagsOf(shared),
  tell,
}

/** How long after a run began the next machine is made at the latest. */
const quietMs = 15

const guestByRun = new Map<number, Guest>()
/** Ended before their machine stood ready. */
const gone = new Set<number>()
/** One machine stands ready, so that a run need not wait for it. */
let spare: Promise<Machine> | null = null
let sparing: NodeJS.Timeout | undefined

const prepare = (): Promise<Machine> => {
  clearTimeout(sparing)
  sparing = undefined
  spare ??= Machine.create(needs)
  return spare
}

/** The next one is made when the run that took it is over or has spoken: made at once, it would hold it up. */
const takeSpare = (): Promise<Machine> => {
  const machine = prepare()
  spare = null
  sparing = setTimeout(prepare, quietMs)
  return machine
}

const begin = async (asked: Extract<Asked, { type: "begin" }>): Promise<void> => {
  const { run } = asked
  const machine = await takeSpare()
  let isOver = false
  const over = (): void => {
    isOver = true
    guestByRun.delete(run)
    void prepare()
  }
  const guest = new Guest(needs, machine, { begin: asked, over })
  // A module may have ended its run by being loaded.
  if (!isOver) guestByRun.set(run, guest)
  if (gone.delete(run)) guest.end("cancelled")
}

const end = (run: number, why: "finished" | "cancelled"): void => {
  const guest = guestByRun.get(run)
  if (guest) guest.end(why)
  else gone.add(run)
}

parentPort?.on("message", (asked: Asked) => {
  if (asked.type === "begin") return void begin(asked)
  if (asked.type === "end") return end(asked.run, asked.why)
  const guest = guestByRun.get(asked.run)
  if (asked.type === "invoke") guest?.invoke(asked.json)
  else if (asked.type === "settle") guest?.settle(asked.json)
  else guest?.room()
})

await prepare()
tell({ type: "ready" })
