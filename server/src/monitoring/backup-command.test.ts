import { execFileSync } from "node:child_process"
import { expect, it } from "vitest"
import { backupCommand } from "./backup-command.ts"

it.each(["/var/lib/portico", '/srv/Ann\'s $(data) "folder"', "/srv/ä;b"])(
  "passes the data folder %s through a shell unchanged",
  (folder) => {
    const command = backupCommand(folder, new Date("2026-01-31T23:59:59Z"))
    expect(command).toMatch(/\/server\/src\/backup\.ts portico-2026-01-31\.db$/)
    const [assignment] = command.split(` ${process.execPath}`)
    const script = `${assignment} sh -c 'printf %s "$DATA_DIR"'`
    expect(execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" })).toBe(folder)
  },
)
