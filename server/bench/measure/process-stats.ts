import { readdirSync, readFileSync } from "node:fs"

/** USER_HZ is 100 on every Linux platform that Node 24 supports. */
const microsecondsPerTick = 10_000

/** User and system CPU time of all threads of a process, in µs. */
export const readCpu = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick
}

/** Resident memory in MB (2^20 bytes). */
export const readRss = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, "latin1")
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** CPU time of the whole machine including interrupts, in µs. */
export const readMachineCpu = (): number => {
  const fields = readFileSync("/proc/stat", "latin1").split(/\s+/, 8).map(Number)
  const [, user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0] = fields
  return (user + nice + system + interrupts + soft) * microsecondsPerTick
}

/** Memory of a process in MB. */
export interface MemoryUse {
  rss: number
  /** Like `rss`, but memory that other processes use too is divided among them. */
  pss: number
  peakRss: number
}

export const readMemory = (pid: number): MemoryUse => {
  const status = readFileSync(`/proc/${pid}/status`, "latin1")
  const shares = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1")
  return {
    rss: readRss(pid),
    pss: Number(/^Pss:\s+(\d+)/m.exec(shares)?.[1] ?? 0) / 1024,
    peakRss: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
  }
}

/** The processes that any thread of a process started and that are still running. */
export const readChildren = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  )
