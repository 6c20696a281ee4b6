import type { Bus } from "../bus/bus.ts"

/** Polling interval in addition to the bus, which may lose messages. */
const lookAgainMs = 1000

interface Wait<File> {
  read: (ids: readonly string[]) => Promise<File[]>
  done: (file: File) => boolean
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
  { read, done, ms, signal }: Wait<File>,
): Promise<Map<string, File>> =>
  new Promise((resolve, reject) => {
    const open = new Set(ids)
    const known = new Map<string, File>()

    const end = (): void => {
      stop()
      clearInterval(again)
      clearTimeout(timer)
      signal?.removeEventListener("abort", finish)
    }
    const finish = (): void => {
      end()
      resolve(known)
    }

    const look = async (asked: readonly string[]): Promise<void> => {
      const files = await read(asked)
      for (const id of asked) known.delete(id)
      for (const file of files) known.set(file.id, file)
      const over = (file: File | undefined) => !file || done(file)
      for (const id of asked.filter((one) => over(known.get(one)))) open.delete(id)
      if (open.size === 0) finish()
    }
    // Errors are ignored: the next poll retries after a short database outage.
    const lookOnce = (asked: readonly string[]): void => void look(asked).catch(() => {})

    const stop = bus.subscribe((message) => {
      if (message.topic === "files" && open.has(message.id)) lookOnce([message.id])
    })
    const again = setInterval(() => lookOnce([...open]), lookAgainMs)
    const timer = setTimeout(finish, ms)
    signal?.addEventListener("abort", finish)
    const first = async (): Promise<void> => {
      await look(ids)
      if (signal?.aborted) finish()
    }
    first().catch((error) => {
      end()
      reject(error)
    })
  })
