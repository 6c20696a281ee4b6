import { anthropic } from "./anthropic.ts"
import { ollama } from "./ollama.ts"
import { openai } from "./openai.ts"
import type { Provider } from "./provider.ts"

/** All kinds of providers. To add one, write its file and add it here. */
const registered = { ollama, openai, anthropic }

export type ProviderKind = keyof typeof registered

export const providers: Readonly<Record<ProviderKind, Provider>> = registered

/** In the order in which connections from the environment are listed. */
export const providerKinds = Object.keys(registered) as ProviderKind[]
