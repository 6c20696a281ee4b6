import type { Values } from "./values.ts"

/** Functions. */
export const functions = {
  function_exists: ({ id }: Values<"id">) => `A function with the ID "${id}" already exists.`,
  function_changed: ({ version }: Values<"version">) =>
    `Version ${version} was saved in the meantime. Reload the function and apply your changes again.`,
  function_id_invalid: "Start with a lowercase letter and use only a-z, 0-9 and _.",
  function_source_required: "Enter the source code.",
  function_host_invalid: "Enter a host such as api.example.com, *.example.com or host:8443.",
  function_cancelled: ({ name }: Values<"name">) => `The function "${name}" was cancelled.`,
  function_failed: ({ name, reason }: Values<"name" | "reason">) =>
    `The function "${name}" failed: ${reason}`,
  function_internal_error: "An internal error occurred.",
}
