import { fork } from "node:child_process"
import { join } from "node:path"
import { z } from "zod"

const Latency = z.object({ count: z.number(), gateway: z.number(), control: z.number() })

/** p99 of `/health` and of a bare server beside it, in ms. */
export type Latency = z.infer<typeof Latency>

export const watchLatency = (url: string) => {
  const child = fork(join(import.meta.dirname, "prober.ts"), [url])
  return {
    stop: () =>
      new Promise<Latency>((resolve, reject) => {
        child.once("message", (message) => resolve(Latency.parse(message)))
        child.once("exit", () => reject(new Error("the prober ended")))
        child.send("stop")
      }),
    kill: (): void => void child.kill("SIGKILL"),
  }
}
