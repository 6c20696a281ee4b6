/** A request that makes an audited change. */
export interface RecipeRequest {
  path: string
  body?: unknown
  /** The credential to use instead of the administrator's key; null for none. */
  key?: string | null
  send?: () => Promise<{ status: number }>
  /** The actions recorded, if there is more than one event. */
  actions?: string[]
}

/** By method and path of the route. */
export type Recipes = Record<string, () => Promise<RecipeRequest> | RecipeRequest>
