import { type ChildProcess, fork } from "node:child_process"
import { readFile } from "node:fs/promises"
import { getCompileCacheDir } from "node:module"
import { join } from "node:path"
import { lowerPriority } from "../limits/thread-priority.ts"
import type { Task, Told } from "./extract/child.ts"

/** A document's text, its passages, and their index segment. */
export interface Reading {
  text: string
  passages: { starts: number; ends: number; place: string }[]
  words: Uint8Array
  format: string
  pages: number | null
}

/**
 * `unreadable` is a message for the uploader. Untrusted documents are reported as values, never
 * thrown.
 */
export type Outcome = { read: Reading } | { unreadable: string }

interface Caps {
  /** Timeout for one document, in seconds. */
  seconds: number
  /** Resident memory limit of the child process, in bytes. */
  memory: number
}

/** Documents that one child process reads before it is replaced. */
const documentsPerChild = 50
const idleMs = 5000
const watchMs = 100
const pageSize = 4096

interface Child {
  process: ChildProcess
  used: number
  idle?: NodeJS.Timeout
}

const residentBytes = async (pid: number | undefined): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "")
  return Number(stat.split(" ")[1] ?? 0) * pageSize
}

const inWords = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

/**
 * Reads documents in child processes, which are killed when they exceed the time or memory limit.
 */
export const createExtractor = (caps: Caps) => {
  const spare: Child[] = []
  const all = new Set<Child>()

  /** Removes the process from the idle list. */
  const retire = (child: Child): void => {
    const at = spare.indexOf(child)
    if (at >= 0) spare.splice(at, 1)
  }

  const start = (): Child => {
    const heapMb = Math.max(64, Math.round((caps.memory * 0.7) / 1e6))
    const process = fork(join(import.meta.dirname, "extract/child.ts"), {
      // A single thread: parallel garbage collection and compilation would take a core from
      // requests.
      execArgv: [
        `--max-old-space-size=${heapMb}`,
        "--single-threaded",
        "--disable-warning=ExperimentalWarning",
      ],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      // No environment: a process that parses untrusted documents must not have secrets.
      env: { NODE_COMPILE_CACHE: getCompileCacheDir() ?? "" },
    })
    lowerPriority(process.pid)
    const child = { process, used: 0 }
    all.add(child)
    process.once("exit", () => {
      all.delete(child)
      retire(child)
    })
    process.unref()
    process.channel?.unref()
    return child
  }

  const take = (): Child => {
    const child = spare.pop() ?? start()
    clearTimeout(child.idle)
    child.used++
    return child
  }

  const kill = ({ process }: Child): void => {
    process.kill("SIGKILL")
  }

  const giveBack = (child: Child): void => {
    if (child.used >= documentsPerChild || !child.process.connected) {
      kill(child)
      return
    }
    child.idle = setTimeout(() => {
      // Retired synchronously: the exit event arrives later, and until then the dying process could
      // be reused.
      retire(child)
      kill(child)
    }, idleMs).unref()
    spare.push(child)
  }

  const read = (task: Task, signal: AbortSignal): Promise<Outcome> =>
    new Promise((resolve, reject) => {
      const child = take()
      const texts: string[] = []
      const passages: Reading["passages"] = []
      let words: Uint8Array = new Uint8Array()
      let over = false

      const finish = (settle: () => void, healthy: boolean): void => {
        if (over) return
        over = true
        clearTimeout(timer)
        clearInterval(watch)
        signal.removeEventListener("abort", aborted)
        child.process.off("message", heard)
        child.process.off("exit", exited)
        if (healthy) giveBack(child)
        else kill(child)
        settle()
      }
      const refuse = (unreadable: string, healthy = false): void =>
        finish(() => resolve({ unreadable }), healthy)
      const aborted = (): void => finish(() => reject(new Error("stopped")), false)
      const exited = (): void =>
        refuse("Text extraction ran out of memory or crashed. Split this file into smaller ones.")

      const heard = (told: Told): void => {
        switch (told.type) {
          case "text":
            texts.push(told.text)
            break
          case "passages":
            passages.push(...told.passages)
            break
          case "words":
            words = told.words
            break
          case "unreadable":
            refuse(told.message, true)
            break
          case "broke":
            refuse("This file is damaged and can't be read.")
            break
          case "done": {
            const { format, pages } = told
            const read = { text: texts.join(""), passages, words, format, pages }
            finish(() => resolve({ read }), true)
          }
        }
      }

      const timer = setTimeout(
        () =>
          refuse(
            `Text extraction took longer than ${caps.seconds} seconds. Split this file into smaller ones.`,
          ),
        caps.seconds * 1000,
      )
      const tooBig = `Text extraction needed more than ${inWords(caps.memory)} of memory. Split this file into smaller ones.`
      const watch = setInterval(() => {
        void residentBytes(child.process.pid).then((bytes) => {
          if (bytes > caps.memory) refuse(tooBig)
        })
      }, watchMs)
      child.process.on("message", heard)
      child.process.once("exit", exited)
      signal.addEventListener("abort", aborted)
      if (signal.aborted) return aborted()
      child.process.send(task, (error) => {
        if (error) exited()
      })
    })

  return {
    /** @throws only when `signal` aborts */
    read,
    close: (): void => {
      for (const child of all) kill(child)
    },
  }
}

export type Extractor = ReturnType<typeof createExtractor>
