import { type ChildProcess, fork } from "node:child_process"
import { readFile } from "node:fs/promises"
import { getCompileCacheDir } from "node:module"
import { constants, setPriority } from "node:os"
import { join } from "node:path"
import type { DocumentProperties, ExtractionMessage, ExtractionTask } from "./extraction-process.ts"
import type { RecognitionLanguages } from "./ocr/recognition-languages.ts"
import type { UnreadableDetail, UnreadableReason } from "./unreadable.ts"

/** A document's text, its passages, and their index. */
export interface ExtractedText extends DocumentProperties {
  text: string
  passages: { starts: number; ends: number; location: string }[]
  /** As the indexer returned it; empty without one. */
  index: Uint8Array
}

/** Untrusted documents are reported as values, never thrown. */
export type ExtractionOutcome = { read: ExtractedText } | { unreadable: UnreadableReason }

interface ExtractorOptions {
  /** Timeout for one document, in seconds; for each page whose text is recognized, again. */
  seconds: number
  /** Resident memory limit of the child process, in bytes. */
  memory: number
  /**
   * A module that exports `indexPassages(texts: readonly string[]): Uint8Array`. The child process
   * calls it, so that indexing takes no time from the caller's event loop.
   */
  indexer?: URL
  /** Languages of pages without a text layer; null turns text recognition off. */
  recognition: RecognitionLanguages | null
}

/** Documents that one child process reads before it is replaced. */
const maxDocumentsPerChild = 50
const idleTimeoutMs = 5000
const memoryCheckMs = 100
const pageSize = 4096

interface Attempt {
  outcome: ExtractionOutcome
  /** Whether the text of pages was recognized, or that had begun. */
  hasRecognized: boolean
}

interface ExtractionProcess {
  process: ChildProcess
  documentsRead: number
  /** Ends it after a while without documents; undefined while it reads one. */
  idleTimer: NodeJS.Timeout | undefined
}

const residentBytes = async (pid: number | undefined): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "")
  return Number(stat.split(" ")[1] ?? 0) * pageSize
}

/** Below that of the parent process, if permitted. */
const lowerPriority = (pid: number | undefined): void => {
  if (pid === undefined) return
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not permitted, or the process has exited.
  }
}

const formatMegabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

/** Reads documents in child processes, which are killed if they exceed the time or memory limit. */
export interface Extractor {
  /** @throws when `signal` aborts, or when the process was lost through no fault of the document */
  read(task: Omit<ExtractionTask, "recognition">, signal: AbortSignal): Promise<ExtractionOutcome>
  close(): void
}

export const createExtractor = (limits: ExtractorOptions): Extractor => {
  const indexerArguments = limits.indexer ? [limits.indexer.href] : []
  const children = new Set<ExtractionProcess>()

  const start = (): ExtractionProcess => {
    const heapMb = Math.max(64, Math.round((limits.memory * 0.7) / 1e6))
    const process = fork(join(import.meta.dirname, "extraction-process.ts"), indexerArguments, {
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
    const child = { process, documentsRead: 0, idleTimer: undefined }
    children.add(child)
    process.once("exit", () => children.delete(child))
    // Without a listener, a process that cannot be started would end the gateway.
    process.on("error", () => children.delete(child))
    process.unref()
    process.channel?.unref()
    return child
  }

  const acquire = (): ExtractionProcess => {
    const child = [...children].find(({ idleTimer }) => idleTimer) ?? start()
    clearTimeout(child.idleTimer)
    child.idleTimer = undefined
    child.documentsRead++
    return child
  }

  const kill = ({ process }: ExtractionProcess): void => {
    process.kill("SIGKILL")
  }

  const release = (child: ExtractionProcess): void => {
    if (child.documentsRead >= maxDocumentsPerChild || !child.process.connected) {
      kill(child)
      return
    }
    child.idleTimer = setTimeout(() => {
      // At once: until the exit event arrives, the dying process could be reused.
      children.delete(child)
      kill(child)
    }, idleTimeoutMs).unref()
  }

  const readOnce = (task: ExtractionTask, signal: AbortSignal): Promise<Attempt> =>
    new Promise((resolve, reject) => {
      const child = acquire()
      const texts: string[] = []
      const passages: ExtractedText["passages"] = []
      let index: Uint8Array = new Uint8Array()
      let isDone = false
      let hasRecognized = false

      const finish = (settle: () => void, healthy: boolean): void => {
        if (isDone) return
        isDone = true
        clearTimeout(timer)
        clearInterval(memoryTimer)
        signal.removeEventListener("abort", onAbort)
        child.process.off("message", onMessage)
        child.process.off("exit", onExit)
        child.process.off("error", onError)
        // The memory that text recognition takes is not freed before the process ends.
        if (healthy && !hasRecognized) release(child)
        else kill(child)
        settle()
      }
      const resolveUnreadable = (unreadable: UnreadableReason, healthy = false): void =>
        finish(() => resolve({ outcome: { unreadable }, hasRecognized }), healthy)
      const resolveResourceLimit = (detail: UnreadableDetail): void =>
        resolveUnreadable({ code: "resource_limit", detail })
      const onAbort = (): void => finish(() => reject(new Error("stopped")), false)
      const onLost = (reason: string): void =>
        finish(() => reject(new Error(`The text extraction process ${reason}`)), false)
      const onExit = (_code: number | null, terminatedBy?: NodeJS.Signals | null): void => {
        // Not by us: the system is short of memory, or someone ended it. The document may be fine.
        if (terminatedBy === "SIGKILL") onLost("was killed")
        else resolveResourceLimit({ id: "document_reader_crashed" })
      }
      const onError = ({ message }: Error): void => onLost(`could not be started: ${message}`)

      const onMessage = (message: ExtractionMessage): void => {
        switch (message.type) {
          case "progress":
            hasRecognized = true
            timer.refresh()
            break
          case "text":
            texts.push(message.text)
            break
          case "passages":
            passages.push(...message.passages)
            break
          case "index":
            index = message.index
            break
          case "unreadable":
            resolveUnreadable(message.reason, true)
            break
          case "failed":
            resolveUnreadable({ code: "damaged", detail: { id: "document_damaged" } })
            break
          case "done": {
            const { type: _, ...properties } = message
            const read = { text: texts.join(""), passages, index, ...properties }
            finish(() => resolve({ outcome: { read }, hasRecognized }), true)
          }
        }
      }

      const { seconds } = limits
      const timer = setTimeout(
        () => resolveResourceLimit({ id: "document_reader_timeout", values: { seconds } }),
        seconds * 1000,
      )
      const memoryTimer = setInterval(() => {
        void residentBytes(child.process.pid).then((bytes) => {
          if (bytes <= limits.memory) return
          const max = formatMegabytes(limits.memory)
          resolveResourceLimit({ id: "document_reader_memory_exceeded", values: { max } })
        })
      }, memoryCheckMs)
      child.process.on("message", onMessage)
      child.process.once("exit", onExit)
      child.process.once("error", onError)
      signal.addEventListener("abort", onAbort)
      if (signal.aborted) return onAbort()
      // A failure to send means that the process has exited, or is about to be reported as lost.
      child.process.send(task, (error) => {
        if (error && child.process.exitCode !== null) onExit(child.process.exitCode)
      })
    })

  return {
    read: async (task, signal) => {
      const { recognition } = limits
      const { outcome, hasRecognized } = await readOnce({ ...task, recognition }, signal)
      const mayBeDueToImages =
        "unreadable" in outcome && /^(resource_limit|damaged)$/.test(outcome.unreadable.code)
      if (!mayBeDueToImages || !hasRecognized) return outcome
      // Without them, the rest of the document can still be read.
      return (await readOnce({ ...task, recognition: null }, signal)).outcome
    },
    close: () => {
      for (const child of children) kill(child)
    },
  }
}
