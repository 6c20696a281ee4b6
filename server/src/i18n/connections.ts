import type { Values } from "./values.ts"

/** Connections to providers, and their tests. */
export const connections = {
  connection_from_environment: ({ variable }: Values<"variable">) =>
    `This connection is configured by the environment variable ${variable} and cannot be changed here.`,
  address_scheme_invalid: "Enter an address that starts with http:// or https://.",
  address_has_credentials:
    "Remove the user name and password from the address, and enter an API key instead.",
  address_has_query: "Remove the ? or # and everything after it from the address.",
  header_name_invalid: "Enter a valid header name.",
  header_reserved: "This header is set by the gateway.",
  api_key_characters_invalid: "Use only unaccented letters, digits, and symbols, without spaces.",
  model_prefix_invalid: "Use 1 to 50 letters, digits, dots, underscores, or hyphens.",
  connected_without_models: "Connected, but no models are available yet.",
  connected_with_one_model: "Connected; 1 model available.",
  connected_with_models: ({ count }: Values<"count">) => `Connected; ${count} models available.`,
  endpoint_key_rejected: ({ address, status }: Values<"address" | "status">) =>
    `${address} rejected the API key (status ${status}). Check the key.`,
  endpoint_model_refused: ({ address, model, status }: Values<"address" | "model" | "status">) =>
    `${address} refused the model ${model} (status ${status}). Check the model and the key's permissions.`,
  endpoint_has_no_model_list: ({ address, hint }: Values<"address" | "hint">) =>
    `${address} has no model list at this path (404). ${hint}`,
  endpoint_has_other_api: ({ address, api }: Values<"address" | "api">) =>
    `${address} did not respond like ${api}.`,
  endpoint_error: ({ address, status, reason }: Values<"address" | "status" | "reason">) =>
    `${address} responded with status ${status}: ${reason}`,
  endpoint_error_without_reason: ({ address, status }: Values<"address" | "status">) =>
    `${address} responded with status ${status}.`,
  endpoint_not_responding: ({ address, seconds }: Values<"address" | "seconds">) =>
    `${address} did not respond within ${seconds} seconds.`,
  endpoint_timeout: ({ address }: Values<"address">) => `${address} did not respond in time.`,
  endpoint_unreachable: ({ address, reason }: Values<"address" | "reason">) =>
    `Can't reach ${address}: ${reason}. Check the address and that the server is running.`,
  endpoint_connection_failed: ({ address, reason }: Values<"address" | "reason">) =>
    `The connection to ${address} failed: ${reason}`,
  connection_refused: "connection refused",
  host_unknown: "unknown host",
  dns_lookup_failed: "the DNS lookup failed temporarily",
  no_route_to_host: "no route to host",
  network_unreachable: "network unreachable",
  base_url_ends_in_v1: "The base URL usually ends in /v1.",
  base_url_without_path: "Use the base URL without a path.",
  base_url_without_v1: "Use the base URL without /v1.",
  ollama: "Ollama",
  anthropic: "Anthropic",
  openai_compatible: "OpenAI-compatible",
  openai_style_api: "an OpenAI-style API",
  anthropic_api: "the Anthropic API",
}
