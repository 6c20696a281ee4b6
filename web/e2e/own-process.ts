import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"

const main = join(import.meta.dirname, "../../server/src/main.ts")

/** A gateway in a process of its own, that can be killed. */
export const startOwnProcess = async (
  env: Record<string, string>,
): Promise<{ url: string; kill: () => Promise<void> }> => {
  const child = spawn(process.execPath, [main], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env.PATH, ...env },
  })
  const exited = once(child, "exit")
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL")
    await exited
  }
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, url } = JSON.parse(line)
    if (msg !== "listening") continue
    child.stdout.resume()
    return { url, kill }
  }
  throw new Error("the gateway did not start")
}
