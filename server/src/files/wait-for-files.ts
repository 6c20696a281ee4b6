import type { Bus } from "../bus/bus.ts"

/** Polling interval in addition to the bus, which may lose messages. */
const pollIntervalMs = 1000

interface WaitOptions<File> {
  read: (ids: readonly string[]) => Promise<File[]>
  isDone: (file: File) => boolean
  ms: number
  signal?: AbortSignal | undefined
}

/**
 * Waits until `isDone` holds for all files, they are deleted, or the time is up.
 * @returns the last state of each file by id, without deleted files
 * @throws if the first read fails
 */
export const waitForFiles = <File extends { id: string }>(
  bus: Bus,
  ids: readonly string[],
  { read, isDone, ms, signal }: WaitOptions<File>,
): Promise<Map<string, File>> =>
  new Promise((resolve, reject) => {
    const pending = new Set(ids)
    const fileById = new Map<string, File>()

    const end = (): void => {
      stop()
      clearInterval(pollTimer)
      clearTimeout(timer)
      signal?.removeEventListener("abort", finish)
    }
    const finish = (): void => {
      end()
      resolve(fileById)
    }

    const refresh = async (requested: readonly string[]): Promise<void> => {
      const files = await read(requested)
      for (const id of requested) fileById.delete(id)
      for (const file of files) fileById.set(file.id, file)
      const isFinished = (file: File | undefined) => !file || isDone(file)
      for (const id of requested.filter((one) => isFinished(fileById.get(one)))) pending.delete(id)
      if (pending.size === 0) finish()
    }
    // Errors are ignored: the next poll retries after a short database outage.
    const tryRefresh = (requested: readonly string[]): void =>
      void refresh(requested).catch(() => {})

    const stop = bus.subscribe("wait for files", (message) => {
      if (message.topic === "files" && pending.has(message.id)) tryRefresh([message.id])
    })
    const pollTimer = setInterval(() => tryRefresh([...pending]), pollIntervalMs)
    const timer = setTimeout(finish, ms)
    signal?.addEventListener("abort", finish)
    const first = async (): Promise<void> => {
      await refresh(ids)
      if (signal?.aborted) finish()
    }
    first().catch((error) => {
      end()
      reject(error)
    })
  })
