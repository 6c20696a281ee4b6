/**
 * The longest that something prompt may take: a hundred times what an idle machine needs, and less
 * than the gateway's own time limits, one of which would end the wait if nothing else did.
 */
export const promptMs = 4_000

/** The shortest of three runs: a busy machine delays some of them, a wait in the product all of them. */
export const minMs = async (work: () => Promise<unknown>): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < 3; round++) {
    const startedAt = performance.now()
    await work()
    times.push(performance.now() - startedAt)
  }
  return Math.min(...times)
}

/** The CPU time of this thread until `work` is done; other processes on the machine do not add to it. */
export const measureCpuMs = async (work: () => unknown): Promise<number> => {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
