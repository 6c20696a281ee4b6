import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createLogStream } from "./log-stream.ts"

describe("the log stream", () => {
  let folder = ""
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "portico-log-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const toFile = async (write: (stream: ReturnType<typeof createLogStream>) => void) => {
    const path = join(folder, "log")
    const fd = openSync(path, "w")
    const stream = createLogStream(fd)
    write(stream)
    await new Promise<void>((resolve) => stream.flush(resolve))
    closeSync(fd)
    return readFileSync(path, "utf8")
  }

  it("writes every line in order, whatever its characters and length", async () => {
    const lines = Array.from(
      { length: 5000 },
      (_, index) => `${index} ${"ä漢🙂".repeat(index % 40)}\n`,
    )
    lines.splice(2500, 0, `${"long ".repeat(50_000)}\n`)
    const written = await toFile((stream) => {
      for (const line of lines) stream.write(line)
    })
    expect(written).toBe(lines.join(""))
  })

  it("calls back when there is nothing to flush", async () => {
    expect(await toFile(() => {})).toBe("")
  })

  it("writes the rest synchronously at exit", () => {
    const path = join(folder, "log")
    const fd = openSync(path, "w")
    const stream = createLogStream(fd)
    stream.write("last words\n")
    stream.flushSync()
    closeSync(fd)
    expect(readFileSync(path, "utf8")).toBe("last words\n")
  })

  it("waits for a slow reader without losing lines", async () => {
    const pipe = join(folder, "pipe")
    execFileSync("sh", ["-c", `mkfifo ${pipe}`])
    const fd = openSync(pipe, "r+")
    const stream = createLogStream(fd)
    const line = `${"x".repeat(999)}\n`
    for (let index = 0; index < 1000; index++) stream.write(line)
    const done = new Promise<void>((resolve) => stream.flush(resolve))
    // The pipe holds a tenth of it, and is read only now.
    const reader = spawn("sh", ["-c", `wc -c < ${pipe}`], { stdio: ["ignore", "pipe", "inherit"] })
    let counted = ""
    reader.stdout.on("data", (chunk) => {
      counted += chunk
    })
    await done
    closeSync(fd)
    await once(reader, "close")
    expect(Number(counted)).toBe(1_000_000)
  })

  it("reports dropped lines once the log is read again", async () => {
    const pipe = join(folder, "pipe")
    execFileSync("sh", ["-c", `mkfifo ${pipe}`])
    const fd = openSync(pipe, "r+")
    const stream = createLogStream(fd)
    const line = `${"x".repeat(65_535)}\n`
    for (let index = 0; index < 600; index++) stream.write(line)
    const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "inherit"] })
    const chunks: Buffer[] = []
    reader.stdout.on("data", (chunk) => chunks.push(chunk))
    await new Promise<void>((resolve) => stream.flush(resolve))
    closeSync(fd)
    await once(reader, "close")
    const lines = Buffer.concat(chunks).toString("utf8").trimEnd().split("\n")
    const reported = JSON.parse(lines.at(-1) ?? "")
    expect(reported).toMatchObject({ level: 40, msg: "log lines dropped: the reader was too slow" })
    expect(lines.length - 1 + reported.kilobytes / 64).toBe(600)
  })
})
