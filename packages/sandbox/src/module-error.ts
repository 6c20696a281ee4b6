const maxText = 2000

/**
 * The reason why a module failed to load, as JSON. On a parse error or a rejected import none of
 * its code has run, so the error comes from the engine.
 */
export const moduleErrorJson = (error: unknown): string => {
  const shown = error instanceof Error ? error : new Error(String(error))
  const denied = typeof error === "string" || shown.name === "Error"
  const fault = {
    name: denied ? "DeniedError" : shown.name,
    message: shown.message.slice(0, maxText),
    stack: denied ? "" : (shown.stack ?? "").slice(0, maxText),
  }
  return JSON.stringify({ fault })
}
