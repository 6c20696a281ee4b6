import type { Connection } from "./connection.ts"

/** What one attempt asks for. */
export interface AttemptTarget {
  connection: Connection
  /** The connection's own name of the model that the request is for; null if it is for none. */
  model: string | null
  /** The provider's service tier; null for its default. */
  serviceTier: string | null
}
