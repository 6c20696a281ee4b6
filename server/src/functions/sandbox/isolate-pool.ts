import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parentPort, workerData } from "node:worker_threads"
import { Machine } from "./isolate.ts"
import { createOutbox } from "./message-batch.ts"
import { type Asked, clockOf, flagsOf, type Told, type WorkerData } from "./protocol.ts"
import { Guest, type GuestDeps } from "./run.ts"
import { ownThread } from "./thread-cpu.ts"

const { wasm, shared, memory }: WorkerData = workerData
const sourceOf = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8")

const deps: GuestDeps = {
  wasm,
  memory,
  sources: { prelude: sourceOf("prelude.js"), globals: sourceOf("web-globals.js") },
  clock: clockOf(shared),
  flags: flagsOf(shared),
  outbox: createOutbox<Told>((all) => parentPort?.postMessage(all)),
}

Atomics.store(deps.clock, 2, ownThread())

/** Milliseconds after the start of a run at which the next isolate is created at the latest. */
const quietMs = 15
/** Number of reset isolates kept for reuse; creating one takes far longer than resetting one. */
const maxSpare = 32

const image = Machine.image(deps)
const spare: Machine[] = []

/** Keeps one isolate ready, so that a run does not have to wait for its creation. */
const refill = (): void => {
  if (spare.length === 0) spare.push(Machine.copy(wasm, image))
}

/**
 * The replacement is created once the run has ended or after `quietMs`: creating it immediately
 * would delay the run.
 */
const takeSpare = (): Machine => {
  const machine = spare.pop() ?? Machine.copy(wasm, image)
  if (spare.length === 0) setTimeout(refill, quietMs)
  return machine
}

const giveBack = (machine: Machine): void => {
  if (spare.length < maxSpare && machine.reset(image)) spare.push(machine)
  else refill()
}

const guestByRun = new Map<number, Guest>()

const begin = (asked: Extract<Asked, { type: "begin" }>): void => {
  const { run } = asked
  let isOver = false
  const over = (machine: Machine): void => {
    isOver = true
    guestByRun.delete(run)
    // Deferred until the run's last messages have been sent.
    setImmediate(() => giveBack(machine))
  }
  const guest = new Guest(deps, takeSpare(), { begin: asked, over })
  // Loading the module may already have ended the run.
  if (!isOver) guestByRun.set(run, guest)
}

const hear = (asked: Asked): void => {
  const guest = guestByRun.get(asked.run)
  if (asked.type === "begin") begin(asked)
  else if (asked.type === "invoke") guest?.invoke(asked.id, asked.json)
  else if (asked.type === "settle") guest?.settle(asked.json)
  else if (asked.type === "room") guest?.room()
  else guest?.end(asked.why)
}

parentPort?.on("message", (all: Asked[]) => {
  for (const asked of all) hear(asked)
})
refill()
