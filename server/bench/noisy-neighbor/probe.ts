import { type Connection, createConnection } from "../proxy/connection.ts"
import { ProbeJob, type ProbeResult } from "./probe-job.ts"

/** Time to wait for the last responses. */
const timeoutMs = 5000

type Target = ProbeJob["targets"][number]

const measure = ({ port, key }: Target, { body, rate, seconds }: ProbeJob) => {
  const request = Buffer.from(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      `Authorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const times: number[] = []
  const connections: Connection[] = []
  const free: Connection[] = []
  let requested = 0
  let settled = 0
  const ask = (): void => {
    requested++
    let connection = free.pop()
    if (!connection) {
      connection = createConnection({
        port,
        request,
        done: (done, { sent, end, status }, ok) => {
          settled++
          free.push(done)
          if (ok && status === "200") times.push(end - sent)
        },
      })
      connections.push(connection)
    }
    connection.send()
  }
  const began = performance.now()
  const max = rate * seconds
  const due = (): number => began + ((requested + Math.random()) * 1000) / rate

  return new Promise<ProbeResult[number]>((resolve) => {
    const finish = (): void => {
      for (const connection of connections) connection.close()
      resolve({ times, failed: requested - times.length })
    }
    const wait = (): void => {
      const late = performance.now() > began + seconds * 1000 + timeoutMs
      if (settled === requested || late) finish()
      else setTimeout(wait, 10)
    }
    const next = (): void => {
      ask()
      if (requested < max) setTimeout(next, Math.max(0, due() - performance.now()))
      else wait()
    }
    next()
  })
}

process.on("message", (message) => {
  const job = ProbeJob.parse(message)
  void Promise.all(job.targets.map((target) => measure(target, job))).then((result) =>
    process.send?.(result),
  )
})
process.on("disconnect", () => process.exit(0))
