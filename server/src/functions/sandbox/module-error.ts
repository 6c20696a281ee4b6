const maxText = 2000

/**
 * Why a module was not loaded, as JSON. None of the author's code ran yet when it does not parse, or
 * imports what it may not: what is thrown is the engine's.
 */
export const moduleFault = (error: unknown): string => {
  const shown = error instanceof Error ? error : new Error(String(error))
  const denied = typeof error === "string" || shown.name === "Error"
  const fault = {
    name: denied ? "DeniedError" : shown.name,
    message: shown.message.slice(0, maxText),
    stack: denied ? "" : (shown.stack ?? "").slice(0, maxText),
  }
  return JSON.stringify({ fault })
}
