/** The providers' own hosts. A host below one of them, such as a region's, belongs to it too. */
const providerByHost: Readonly<Record<string, string>> = {
  "api.openai.com": "openai",
  "api.anthropic.com": "anthropic",
  "generativelanguage.googleapis.com": "google",
  "api.mistral.ai": "mistral",
  "codestral.mistral.ai": "mistral",
  "api.deepseek.com": "deepseek",
  "api.x.ai": "xai",
  "api.cohere.com": "cohere",
  "api.cohere.ai": "cohere",
  "api.groq.com": "groq",
  "api.perplexity.ai": "perplexity",
  "api.together.xyz": "together",
  "api.together.ai": "together",
  "api.fireworks.ai": "fireworks",
  "openrouter.ai": "openrouter",
  "openai.azure.com": "azure",
  "cognitiveservices.azure.com": "azure",
  "services.ai.azure.com": "azure",
}

/** Providers whose hosts start with the region or the customer's own name. */
const subdomains =
  /^[a-z0-9-]+\.(?=(?:api\.openai\.com|api\.x\.ai|openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$)/

/**
 * The provider that a connection belongs to: shipped prices apply only to hosts of the provider
 * itself, because a local server that offers the same model has other costs.
 * @param host in lower case, without the port
 * @returns null if the host is none of a known provider
 */
export const providerOfHost = (host: string): string | null => {
  const own = host.replace(subdomains, "")
  return Object.hasOwn(providerByHost, own) ? (providerByHost[own] ?? null) : null
}
