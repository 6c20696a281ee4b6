import type { ConnectionRegistry, Endpoint } from "../connections/connection-registry.ts"

/** Ollama ignores the case of names, and these parts are its defaults. */
const normalizeName = (name: string): string => {
  const short = name
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/^registry\.ollama\.ai\//, "")
    .replace(/^library\//, "")
  return short.lastIndexOf(":") > short.lastIndexOf("/") ? short : `${short}:latest`
}

const matches = ({ connection, model }: Endpoint, written: string): boolean => {
  const { kind, id_prefix } = connection.config
  if (kind !== "ollama") return false
  const prefix = id_prefix === null ? "" : `${id_prefix}.`
  if (!written.startsWith(prefix)) return false
  return normalizeName(written.slice(prefix.length)) === normalizeName(model.name)
}

/**
 * The id of the runtime's model that Ollama would use for a name, such as `LLAMA3` or
 * `library/llama3` for `llama3:latest`. The name itself if no model or more than one matches: access
 * is checked by the id, so it must be certain.
 */
export const findOllamaModel = (
  registry: Pick<ConnectionRegistry, "endpoints">,
  written: string,
): string => {
  const endpointsById = registry.endpoints()
  if (endpointsById.has(written) || endpointsById.has(`${written}:latest`)) return written
  const ids = [...endpointsById]
    .filter(([, endpoints]) => endpoints.some((endpoint) => matches(endpoint, written)))
    .map(([id]) => id)
  return ids.length === 1 && ids[0] !== undefined ? ids[0] : written
}
