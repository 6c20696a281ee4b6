import { type ProviderKind, providerKinds, providers } from "../providers/registry.ts"
import { splitAtSemicolons, Urls, type Variables } from "./config-values.ts"

/** A connection that environment variables configure. */
export interface ConfiguredConnection {
  kind: ProviderKind
  url: string
  key: string
}

interface ProviderConnections {
  connections: ConfiguredConnection[]
  /** All invalid variables. */
  wrong: string[]
}

export const providerVariableNames: readonly string[] = providerKinds.flatMap((kind) => [
  ...providers[kind].variables.urls,
  ...providers[kind].variables.keys,
])

/** The first of several variables that is set. */
const findSet = (
  env: Variables,
  names: readonly string[],
): [name: string, value: string] | null => {
  for (const name of names) if (env[name] !== undefined) return [name, env[name]]
  return null
}

const readConnections = (env: Variables, kind: ProviderKind): ProviderConnections => {
  const { variables, defaultUrl } = providers[kind]
  const keys = splitAtSemicolons(findSet(env, variables.keys)?.[1] ?? "")
  const hasKey = keys.some(Boolean)
  const usesDefaultUrl = variables.usesDefaultUrl === "always" || hasKey
  const [name, value] = findSet(env, variables.urls) ?? ["", usesDefaultUrl ? defaultUrl : ""]
  const urls = Urls.safeParse(value)
  if (!urls.success) {
    return { connections: [], wrong: urls.error.issues.map(({ message }) => `${name} ${message}`) }
  }
  const { length } = urls.data
  const surplus = `${variables.keys[0]} has ${keys.length} keys for ${length} URLs in ${variables.urls[0]}`
  return {
    connections: urls.data.map((url, index) => ({ kind, url, key: keys[index] ?? "" })),
    wrong: hasKey && keys.length > length ? [surplus] : [],
  }
}

/** Reads the connections in the environment. */
export const readProviderConnections = (env: Variables): ProviderConnections => {
  const found = providerKinds.map((kind) => readConnections(env, kind))
  return {
    connections: found.flatMap(({ connections }) => connections),
    wrong: found.flatMap(({ wrong }) => wrong),
  }
}
