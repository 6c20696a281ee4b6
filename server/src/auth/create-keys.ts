import { type ApiKeysDeps, createApiKeys } from "./api-keys.ts"
import { createKeyStore } from "./key-store.ts"
import { createKeyWriter, type KeyWriterDeps } from "./key-writer.ts"
import { createServiceKeys, type ServiceKeysDeps } from "./service-keys.ts"

type Created = "store" | "writer"
type Deps = Omit<KeyWriterDeps & ApiKeysDeps & ServiceKeysDeps, Created>

/** Creates the rules for the API keys of users and the service keys of groups. */
export const createKeyParts = (deps: Deps) => {
  const store = createKeyStore(deps.db)
  const writer = createKeyWriter({ ...deps, store })
  return {
    keys: createApiKeys({ ...deps, store, writer }),
    serviceKeys: createServiceKeys({ ...deps, store, writer }),
  }
}
