import type { TestGateway } from "../../server/test/harness/gateway.ts"

const tideFunction = `import type { ChatRequest, Context, Setting } from "portico"

export const settings: Record<string, Setting> = {
  port: { label: "Port", description: "Whose tides it tells.", default: "Brest" },
  key: { type: "secret", label: "API key", required: true },
  unit: { type: "choice", label: "Unit", choices: ["m", "ft"], default: "m" },
  exact: { type: "boolean", label: "To the minute", default: false },
}

export async function* reply({ messages }: ChatRequest, context: Context) {
  context.log("asked", messages.length)
  yield \`High water at \${context.settings.port} is at six.\`
}
`

/** A function with an earlier version and a run that failed because a setting was missing. */
export const seedFunctions = async ({ call }: TestGateway): Promise<void> => {
  const tide = { id: "tide", name: "Tide", content: tideFunction }
  await call("POST", "/api/v1/functions/create", tide)
  const content = tideFunction.replace("at six", "at seven")
  await call("POST", "/api/v1/functions/id/tide/update", { content })
  await call("POST", "/api/v1/functions/create", {
    id: "whisper",
    name: "Whisper",
    content: "export const before = (request) => request\n",
    filter_models: ["harbour-pilot"],
    is_active: false,
  })
  const messages = [{ role: "user", content: "When is high water?" }]
  await call("POST", "/api/v1/functions/id/tide/valves", { values: { key: "tide-key" } })
  await call("POST", "/v1/chat/completions", { model: "tide", messages })
}
