import { fork } from "node:child_process"
import { join } from "node:path"
import { z } from "zod"

const Latency = z.object({ count: z.number(), gateway: z.number(), control: z.number() })

/** p99 latency of `/health` and of a bare server as control, in ms. */
export type Latency = z.infer<typeof Latency>

export const watchLatency = (url: string) => {
  const child = fork(join(import.meta.dirname, "prober.ts"), [url])
  return {
    stop: () =>
      new Promise<Latency>((resolve, reject) => {
        child.once("message", (message) => resolve(Latency.parse(message)))
        child.once("exit", () => reject(new Error("the prober exited")))
        child.send("stop")
      }),
    kill: (): void => void child.kill("SIGKILL"),
  }
}
