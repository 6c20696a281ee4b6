import { readFileSync } from "node:fs"
import { join } from "node:path"
import { parentPort, workerData } from "node:worker_threads"
import { Isolate } from "./isolate.ts"
import { createMessageBatch } from "./message-batch.ts"
import { type RunDeps, SandboxRun, type StartCommand } from "./sandbox-run.ts"
import { currentThreadId } from "./thread-cpu.ts"
import {
  cancelFlagsView,
  clockView,
  type WorkerCommand,
  type WorkerData,
  type WorkerEvent,
} from "./worker-protocol.ts"

const { wasm, shared, memory, environment }: WorkerData = workerData
const sourceOf = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8")

const deps: RunDeps = {
  wasm,
  memoryLimit: memory,
  sources: {
    prelude: sourceOf("prelude.js"),
    globals: sourceOf("web-globals.js"),
    environment: readFileSync(new URL(environment), "utf8"),
  },
  clock: clockView(shared),
  flags: cancelFlagsView(shared),
  outbox: createMessageBatch<WorkerEvent>((all) => parentPort?.postMessage(all)),
}

Atomics.store(deps.clock, 2, currentThreadId())

/** Milliseconds after the start of a run at which the next isolate is created at the latest. */
const refillDelayMs = 15
/** Number of reset isolates kept for reuse; creating one takes far longer than resetting one. */
const maxSpareIsolates = 32

const image = Isolate.createImage(deps)
const spareIsolates: Isolate[] = []

/** Keeps one isolate ready, so that a run does not have to wait for its creation. */
const refill = (): void => {
  if (spareIsolates.length === 0) spareIsolates.push(new Isolate(wasm, image))
}

/** The replacement is created after the run or `refillDelayMs`, to not delay the run. */
const takeIsolate = (): Isolate => {
  const isolate = spareIsolates.pop() ?? new Isolate(wasm, image)
  if (spareIsolates.length === 0) setTimeout(refill, refillDelayMs)
  return isolate
}

const recycle = (isolate: Isolate): void => {
  if (spareIsolates.length < maxSpareIsolates && isolate.reset(image)) spareIsolates.push(isolate)
  else refill()
}

const runById = new Map<number, SandboxRun>()

const startRun = (command: StartCommand): void => {
  const { run } = command
  let hasEnded = false
  const onEnd = (isolate: Isolate): void => {
    hasEnded = true
    runById.delete(run)
    // Deferred until the run's last messages have been sent.
    setImmediate(() => recycle(isolate))
  }
  const sandboxRun = new SandboxRun(deps, takeIsolate(), { command, onEnd })
  // Loading the module may already have ended the run.
  if (!hasEnded) runById.set(run, sandboxRun)
}

const handleCommand = (command: WorkerCommand): void => {
  const run = runById.get(command.run)
  if (command.type === "start") startRun(command)
  else if (command.type === "invoke") run?.invoke(command.id, command.json)
  else if (command.type === "settle") run?.settle(command.json)
  else if (command.type === "outputConsumed") run?.resumeOutput()
  else run?.end(command.reason)
}

parentPort?.on("message", (all: WorkerCommand[]) => {
  for (const command of all) handleCommand(command)
})
refill()
