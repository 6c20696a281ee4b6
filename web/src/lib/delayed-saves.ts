/** @param keepalive whether the request must outlive the page */
type Save = (keepalive: boolean) => Promise<void>

interface DelayedSave {
  save: Save
  /** Unset after a failure; then the next request that depends on the object tries again. */
  timer: ReturnType<typeof setTimeout> | undefined
}

const delayMs = 600
const waiting = new Map<string, DelayedSave>()
/** The last save of each object, which the next one waits for, as an earlier one must not win. */
const running = new Map<string, Promise<void>>()

/** Who shows why an object was not saved. */
const watchers = new Map<string, (error: unknown) => void>()

export const watchSaveErrors = (key: string, onError: (error: unknown) => void): (() => void) => {
  watchers.set(key, onError)
  return () => watchers.delete(key)
}

const start = (key: string, keepalive = false): Promise<void> => {
  const next = waiting.get(key)
  const last = running.get(key) ?? Promise.resolve()
  if (!next) return last
  clearTimeout(next.timer)
  waiting.delete(key)
  const saving = keepalive ? next.save(true) : last.catch(() => {}).then(() => next.save(false))
  running.set(key, saving)
  const forget = (): void => {
    if (running.get(key) === saving) running.delete(key)
  }
  void saving.then(forget, (error) => {
    forget()
    if (!waiting.has(key)) waiting.set(key, { save: next.save, timer: undefined })
    watchers.get(key)?.(error)
  })
  return saving
}

/** Saves an object shortly after its last change. */
export const saveSoon = (key: string, save: Save): void => {
  clearTimeout(waiting.get(key)?.timer)
  waiting.set(key, { save, timer: setTimeout(() => void start(key).catch(() => {}), delayMs) })
}

/** Why an object can't be used as the user has typed it, by key. */
const problems = new Map<string, string>()

export const setSaveProblem = (key: string, problem: string | null): void => {
  if (problem === null) problems.delete(key)
  else problems.set(key, problem)
}

/**
 * Saves an object's changes now. Await it before a request that depends on them.
 * @throws what the save throws, or if the object has a problem
 */
export const saveNow = async (key: string): Promise<void> => {
  const problem = problems.get(key)
  if (problem !== undefined) throw new Error(problem)
  await start(key)
}

// The page is closed or left, and may never run again.
globalThis.window?.addEventListener("pagehide", () => {
  for (const key of waiting.keys()) void start(key, true).catch(() => {})
})
