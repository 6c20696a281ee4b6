import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** A separate file system of a few megabytes. */
export interface SmallDisk {
  folder: string
  freeBytes(): number
  /** Fills the disk until at most `bytes` are free. */
  fill(bytes?: number): void
  /** Frees the space that `fill` occupied. */
  removeBallast(): void
  resize(bytes: number): void
  makeReadOnly(): void
  remove(): void
}

const mount = (...args: string[]): void => void execFileSync("mount", args, { stdio: "pipe" })

/** Mounts a small disk, which requires root. @throws if mounting is not permitted */
export const createSmallDisk = (bytes: number): SmallDisk => {
  const folder = mkdtempSync(join(tmpdir(), "portico-disk-"))
  mount("-t", "tmpfs", "-o", `size=${bytes}`, "portico-test", folder)
  const ballast = join(folder, "ballast")
  const freeBytes = (): number => {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  }
  return {
    folder,
    freeBytes,
    fill: (targetFreeBytes = 0) => {
      for (let n = 0; freeBytes() > targetFreeBytes; n++) {
        const size = Math.min(freeBytes() - targetFreeBytes, 1024 * 1024)
        try {
          writeFileSync(ballast, Buffer.alloc(size, 1), { flag: "a" })
        } catch {
          if (n > 1000) throw new Error("The disk cannot be filled")
        }
      }
    },
    removeBallast: () => rmSync(ballast, { force: true }),
    resize: (size) => mount("-o", `remount,size=${size}`, folder),
    makeReadOnly: () => mount("-o", "remount,ro", folder),
    remove: () => {
      execFileSync("umount", ["-l", folder], { stdio: "pipe" })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Whether this machine permits mounting one. */
export const hasSmallDisks = ((): boolean => {
  try {
    createSmallDisk(1024 * 1024).remove()
    return true
  } catch {
    return false
  }
})()
