import { type ProviderKind, providerKinds, providers } from "../providers/registry.ts"
import { splitList, Urls, type Variables } from "./config-values.ts"

/** A connection that environment variables configure. */
export interface ConfiguredConnection {
  kind: ProviderKind
  url: string
  key: string
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

const readUrls = (env: Variables, kind: ProviderKind, hasKey: boolean, wrong: string[]) => {
  const { variables, defaultUrl } = providers[kind]
  const found = findSet(env, variables.urls)
  if (!found) return variables.usesDefaultUrl === "always" || hasKey ? [defaultUrl] : []
  const [name, value] = found
  const urls = Urls.safeParse(value)
  wrong.push(...(urls.error?.issues ?? []).map(({ message }) => `${name} ${message}`))
  return urls.data ?? []
}

/** Reads the connections in the environment; `wrong` lists all invalid variables. */
export const readProviderConnections = (
  env: Variables,
): { connections: ConfiguredConnection[]; wrong: string[] } => {
  const wrong: string[] = []
  const connections = providerKinds.flatMap((kind) => {
    const { urls: urlNames, keys: keyNames } = providers[kind].variables
    const keys = splitList(findSet(env, keyNames)?.[1] ?? "")
    const invalid: string[] = []
    const urls = readUrls(env, kind, keys.some(Boolean), invalid)
    if (invalid.length === 0 && keys.some(Boolean) && keys.length > urls.length) {
      invalid.push(
        `${keyNames[0]} has ${keys.length} keys for ${urls.length} URLs in ${urlNames[0]}`,
      )
    }
    wrong.push(...invalid)
    return urls.map((url, index) => ({ kind, url, key: keys[index] ?? "" }))
  })
  return { connections, wrong }
}
