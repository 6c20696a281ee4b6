import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import { buildWebPage } from "../../../web/e2e/setup/build.ts"
import { type FakeOpenAI, startFakeOpenAI } from "../fakes/openai.ts"
import { killAllGateways } from "../harness/gateway-process.ts"
import { isLongForm } from "../harness/short-and-long-form.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"

const root = join(import.meta.dirname, "../../..")
const key = "sk-start-test-0123456789abcdef"
const Line = z.object({ msg: z.literal("listening"), url: z.url() })

/** The environment of a user's shell, without the variables that npm and Vitest set. */
const shellEnvironment = (): NodeJS.ProcessEnv => {
  const path = (process.env.PATH ?? "").split(delimiter)
  const { HOME, LANG } = process.env
  const own = Object.entries(process.env).filter(([name]) =>
    /^(npm_config_(cafile|userconfig|registry|cache)|NODE_EXTRA_CA_CERTS|.*_proxy)$/i.test(name),
  )
  const PATH = path.filter((folder) => !folder.includes("node_modules")).join(delimiter)
  return { ...Object.fromEntries(own), HOME, LANG, PATH }
}

/** Copies the working tree's files to a folder, as a clone of a commit of all of them. */
const copyWorkingTree = (folder: string): void => {
  const args = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others"]
  const listed = execFileSync("git", [...args, "--exclude-standard"], { cwd: root })
  for (const file of new Set(listed.toString().split("\0"))) {
    const from = join(root, file)
    if (file !== "" && existsSync(from)) cpSync(from, join(folder, file))
  }
}

type StartedGateway = {
  npm: ChildProcess
  url: string
  /** Milliseconds from the start of npm to the log line with the URL. */
  listeningAfter: number
  output: string[]
  ended: Promise<unknown[]>
}

const isGroupRunning = (group: number): boolean => {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

describe("npm start", () => {
  // In the long form, a fresh clone, whose installation takes minutes; otherwise, this checkout.
  let checkout = root
  let folder = ""
  let fake: FakeOpenAI
  const running = new Set<ChildProcess>()

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "portico-start-"))
    if (isLongForm) {
      checkout = join(folder, "portico")
      copyWorkingTree(checkout)
    } else {
      buildWebPage()
    }
    fake = await startFakeOpenAI()
  }, 120_000)
  afterAll(async () => {
    killAllGateways()
    for (const npm of running) if (npm.exitCode === null) process.kill(-(npm.pid ?? 0), "SIGKILL")
    await fake.close()
    rmSync(folder, { recursive: true, force: true })
  }, 120_000)

  const start = async (): Promise<StartedGateway> => {
    const startedAt = performance.now()
    const npm = spawn("npm", ["start"], {
      cwd: checkout,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...shellEnvironment(),
        PORT: "0",
        DATA_DIR: join(folder, "data"),
        OPENAI_API_BASE_URLS: fake.url,
        OPENAI_API_KEYS: "sk-upstream",
        ADMIN_EMAIL: "admin@example.com",
        ADMIN_PASSWORD: "correct horse battery staple",
        ADMIN_API_KEY: key,
      },
    })
    running.add(npm)
    const output: string[] = []
    const ended = once(npm, "exit")
    const url = new Promise<string>((resolve, reject) => {
      void ended.then(() => reject(new Error(`npm start exited:\n${output.join("\n")}`)))
      for (const input of [npm.stdout, npm.stderr]) {
        createInterface({ input }).on("line", (line) => {
          output.push(line)
          const listening = Line.safeParse(line.startsWith("{") ? JSON.parse(line) : undefined)
          if (listening.success) resolve(listening.data.url)
        })
      }
    })
    return { npm, url: await url, listeningAfter: performance.now() - startedAt, output, ended }
  }

  /** Resolves when no process of `npm start`'s process group is running. */
  const waitForGroupExit = (group: number | undefined): Promise<void> =>
    expect.poll(() => isGroupRunning(group ?? 0)).toBe(false)

  it.runIf(isLongForm)(
    "installs, serves and exits on SIGTERM in a fresh clone, with the system's Node",
    async () => {
      const { npm, url, output, ended } = await start()
      expect(output).toContain("portico: installing the dependencies (once)")
      expect(await fetch(`${url}/health`)).toMatchObject({ status: 200 })
      npm.kill("SIGTERM")
      expect(await ended).toEqual([0, null])
      await waitForGroupExit(npm.pid)
      await expect(fetch(`${url}/health`)).rejects.toThrow()
    },
    180_000,
  )

  it("starts quickly once installed, and lets a stream finish when npm is terminated", async () => {
    const controlBegun = performance.now()
    const control = await startTestGatewayProcess({ DATA_DIR: join(folder, "control") })
    const controlMs = performance.now() - controlBegun
    control.child.kill("SIGTERM")
    await control.exited
    const { npm, url, output, listeningAfter, ended } = await start()
    expect(output.filter((line) => line.startsWith("portico: "))).toEqual([])
    // A plain start that creates its database takes about as long; installing and building, 20
    // times.
    expect(listeningAfter).toBeLessThan(5 * controlMs)

    await expect.poll(async () => (await chat(url)).text()).toContain("[DONE]")
    fake.pace.chunks = 20
    fake.pace.delayMs = 50
    const reply = await chat(url)
    npm.kill("SIGTERM")
    expect(await reply.text()).toMatch(/data: \[DONE\]\s*$/)
    expect(await ended).toEqual([0, null])
    await waitForGroupExit(npm.pid)
  })

  it("exits when its whole process group is terminated", async () => {
    const { npm, ended } = await start()
    process.kill(-(npm.pid ?? 0), "SIGTERM")
    await ended
    await waitForGroupExit(npm.pid)
  })
})

const chat = (url: string): Promise<Response> =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "gpt-fake",
      stream: true,
      messages: [{ role: "user", content: "Count to twenty" }],
    }),
  })
