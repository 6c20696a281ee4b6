import { expect, it } from "vitest"
import { currentUser, runAs } from "../concurrency/current-user.ts"
import { createBackgroundTasks } from "./background-tasks.ts"

const minuteMs = 60_000

const start = () => {
  const logged: object[] = []
  let time = 0
  const background = createBackgroundTasks({
    log: { error: (fields, message) => logged.push({ ...fields, message }) },
    steadyMs: () => time,
  })
  const pass = (ms: number): void => {
    time += ms
  }
  return { ...background, logged, pass }
}

const unreachable = new Error("The database is unreachable")
const failing = async (): Promise<void> => {
  throw unreachable
}

it("logs a failing task once a minute, and counts every failure", async () => {
  const { runInBackground, failureCounts, logged, pass } = start()
  for (let second = 0; second < 60; second++) {
    expect(await runInBackground("write records", failing)).toBe(false)
    pass(1000)
  }
  const line = { task: "write records", err: unreachable, message: "a background task failed" }
  expect(logged).toEqual([{ ...line, failures: 1 }])
  await runInBackground("write records", failing)
  expect(logged).toEqual([
    { ...line, failures: 1 },
    { ...line, failures: 60 },
  ])
  expect([...failureCounts()]).toEqual([["write records", 61]])
})

it("logs failures of other tasks on their own, also those thrown before any promise", async () => {
  const { runInBackground, logged } = start()
  await runInBackground("write records", failing)
  await runInBackground("delete records", () => {
    throw new Error("no")
  })
  expect(logged).toMatchObject([{ task: "write records" }, { task: "delete records" }])
})

it("reports the last error of a task until it succeeds", async () => {
  const { runInBackground, lastError } = start()
  expect(lastError("reload settings")).toBeNull()
  await runInBackground("reload settings", failing)
  expect(lastError("reload settings")).toBe(unreachable)
  expect(await runInBackground("reload settings", async () => {})).toBe(true)
  expect(lastError("reload settings")).toBeNull()
})

it("runs repeated work again after a failure, never twice at a time", async () => {
  const { every, failureCounts, close } = start()
  let [running, most, runs] = [0, 0, 0]
  every(2, "sweep", async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running--
    runs++
    throw unreachable
  })
  await expect.poll(() => runs).toBeGreaterThan(3)
  expect(most).toBe(1)
  expect(failureCounts().get("sweep")).toBeGreaterThan(2)
  await close()
})

it("runs repeated work for the first time after the given delay", async () => {
  const { every, close } = start()
  let runs = 0
  every(60 * minuteMs, "sweep", () => runs++, { firstAfterMs: 0 })
  await expect.poll(() => runs).toBe(1)
  await close()
})

it("runs work on nobody's behalf", async () => {
  const { runInBackground } = start()
  let user: string | undefined = "unknown"
  await runAs("ada", () =>
    runInBackground("write records", () => {
      user = currentUser()
    }),
  )
  expect(user).toBeUndefined()
})

it("waits at shutdown for work in progress, which it aborts, and starts no further run", async () => {
  const { every, runInBackground, signal, close, logged, failureCounts } = start()
  let runs = 0
  every(1, "sweep", () => runs++)
  const ended: string[] = []
  void runInBackground("write records", async () => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve))
    ended.push("write records")
  })
  void runInBackground("send records", async () => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve))
    signal.throwIfAborted()
  })
  await expect.poll(() => runs).toBeGreaterThan(0)
  await close()
  expect(ended).toEqual(["write records"])
  // What the shutdown interrupts has not failed.
  expect([logged, failureCounts().size]).toEqual([[], 0])
  const runsBefore = runs
  let controlRuns = 0
  const control = start()
  control.every(1, "sweep", () => controlRuns++)
  // What is still in memory is written afterwards.
  expect(await runInBackground("write records", failing)).toBe(false)
  expect(logged).toMatchObject([{ task: "write records" }])
  await expect.poll(() => controlRuns).toBeGreaterThan(2)
  expect(runs).toBe(runsBefore)
  await control.close()
})
