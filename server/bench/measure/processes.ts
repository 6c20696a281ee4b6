import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { availableParallelism } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import { z } from "zod"

const cores = availableParallelism()
const canPin = cores > 1 && spawnSync("taskset", ["-V"]).status === 0

/** The measured process has a core to itself; mock upstream and driver share the others. */
export type Place = "measured" | "upstream" | "driver" | "anywhere"
const coreByPlace: Partial<Record<Place, number>> = {
  measured: 1,
  upstream: 0,
  driver: cores > 2 ? 2 : 0,
}
export const placing = canPin
  ? `measured process on core ${coreByPlace.measured}, mock upstream on ${coreByPlace.upstream}, ` +
    `driver on ${coreByPlace.driver}, of ${cores}`
  : "not pinned (requires taskset and two cores)"

export type Start = {
  place: Place
  command: string
  args: readonly string[]
  channel?: boolean
}

const graceSeconds = 5
const Listening = z.object({ port: z.number() })

/** Command prefix that pins a process to the core of its role. */
export const pinnedTo = (place: Place): string[] => {
  const core = canPin ? coreByPlace[place] : undefined
  return core === undefined ? [] : ["taskset", "-c", `${core}`]
}

/** Starts child processes and stops those that it started. */
export const createProcesses = () => {
  const running = new Set<ChildProcess>()

  const adopt = (child: ChildProcess): void => {
    running.add(child)
    child.once("exit", () => running.delete(child))
  }

  const start = ({ place, command, args, channel = false }: Start) => {
    const [file = command, ...rest] = [...pinnedTo(place), command, ...args]
    const child = spawn(file, rest, {
      stdio: ["ignore", "ignore", "inherit", ...(channel ? (["ipc"] as const) : [])],
    })
    adopt(child)
    return child
  }

  /** Starts a file of `server/bench` with a message channel; `file` is relative to that folder. */
  const startNode = (place: Place, file: string, args: readonly string[] = []) => {
    const path = new URL(`../${file}`, import.meta.url).pathname
    return start({ place, command: process.execPath, args: [path, ...args], channel: true })
  }

  const stop = async (child: ChildProcess) => {
    if (!running.has(child)) return
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    child.kill("SIGTERM")
    const timeouts = new AbortController()
    const late = sleep(graceSeconds * 1000, undefined, { signal: timeouts.signal })
      .then(() => child.kill("SIGKILL"))
      .catch(() => {})
    await ended
    timeouts.abort()
    await late
  }

  return {
    start,
    stop,

    /** Registers a child process started elsewhere, to be stopped with the others. */
    adopt,

    startNode,

    /** Starts a file of `server/bench` that sends its port over the message channel. */
    startServer: async (place: Place, file: string, args: readonly string[] = []) => {
      const child = startNode(place, file, args)
      const { port } = Listening.parse(await nextMessage(child))
      return { child, pid: pidOf(child), port }
    },

    stopAll: async () => {
      await Promise.all([...running].map(stop))
    },

    /** For exit handlers, which cannot await. */
    killAll: () => {
      for (const child of running) child.kill("SIGKILL")
    },
  }
}
export type Processes = ReturnType<typeof createProcesses>

/** Resolves with the child's next message; rejects if it exits first. */
export const nextMessage = (child: ChildProcess) =>
  new Promise<unknown>((resolve, reject) => {
    const ended = () => reject(new Error(`${child.spawnargs.join(" ")} exited early`))
    child.once("exit", ended)
    child.once("message", (message) => {
      child.off("exit", ended)
      resolve(message)
    })
  })

export const pidOf = (child: ChildProcess): number => {
  if (child.pid === undefined) throw new Error(`${child.spawnfile} did not start`)
  return child.pid
}
