import type { SqlBoolean } from "./column-types.ts"

export interface FunctionRow {
  id: string
  user_id: string
  name: string
  version: number
  is_active: SqlBoolean
  /** JSON object. */
  meta: string
  /** JSON arrays. */
  hosts: string
  filter_models: string
  filter_order: number
  /** JSON object, sealed with SECRET_KEY: the settings entered by an administrator. */
  sealed_values: string | null
  created_at: number
  updated_at: number
}

export interface FunctionVersionRow {
  function_id: string
  version: number
  name: string
  /** Source code as written by its author. */
  content: string
  /** The executed code: `content` without types. */
  code: string
  /** JSON object: its exports. */
  manifest: string
  user_id: string
  restored_from: number | null
  created_at: number
}

export interface FunctionRunRow {
  id: string
  function_id: string
  version: number
  task: string
  user_id: string
  trial: SqlBoolean
  outcome: string
  message: string | null
  line: number | null
  column_number: number | null
  duration_ms: number
  first_output_ms: number | null
  cpu_ms: number
  memory_bytes: number
  output_bytes: number
  /** JSON array of lines. */
  log: string
  created_at: number
}

/** An item in a function's key-value store. */
export interface FunctionItemRow {
  function_id: string
  key: string
  /** JSON. */
  value: string
  updated_at: number
}

export interface FunctionTables {
  functions: FunctionRow
  function_versions: FunctionVersionRow
  function_runs: FunctionRunRow
  function_items: FunctionItemRow
}
