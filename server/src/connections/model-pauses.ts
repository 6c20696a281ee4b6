const firstPauseMs = 1000
const maxPauseMs = 30_000

interface Pause {
  until: number
  lengthMs: number
}

/**
 * Models of one connection that it refused although it lists them. After a pause, one request at a
 * time may test whether it serves the model again; each further refusal doubles the pause.
 */
export const createModelPauses = () => {
  const pauseByModel = new Map<string, Pause>()

  return {
    /** Whether other connections should be tried first. */
    isPaused: (model: string): boolean => (pauseByModel.get(model)?.until ?? 0) > performance.now(),
    /** Whether some model was refused and has not answered since. */
    hasRefusals: (): boolean => pauseByModel.size > 0,

    /** Call before sending a request for the model: others wait for its result. */
    beginAttempt: (model: string): void => {
      const pause = pauseByModel.get(model)
      if (pause && pause.until <= performance.now())
        pause.until = performance.now() + pause.lengthMs
    },

    recordRefusal: (model: string): void => {
      const known = pauseByModel.get(model)
      const lengthMs = known ? Math.min(known.lengthMs * 2, maxPauseMs) : firstPauseMs
      pauseByModel.set(model, { until: performance.now() + lengthMs, lengthMs })
    },

    recordSuccess: (model: string): void => void pauseByModel.delete(model),

    /** Forgets models that the connection no longer lists. */
    keepOnly: (isListed: (model: string) => boolean): void => {
      for (const model of pauseByModel.keys()) if (!isListed(model)) pauseByModel.delete(model)
    },
  }
}
