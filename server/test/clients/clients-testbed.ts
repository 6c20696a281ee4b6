import type { FakeUpstream } from "../fakes/upstream.ts"
import { startGateway } from "../harness/gateway.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import {
  startChatProvider,
  startMessagesProvider,
  startResponsesProvider,
} from "./scripted-providers/scripted-providers.ts"

export interface TestedProvider {
  /** As in the table of `docs/clients.md`. */
  name: string
  model: string
  /** Where requests of each API arrive at the provider. */
  paths: Record<ClientApi, string>
}

/** The API that a client calls. */
export type ClientApi = "messages" | "responses"

const chatPath = "/v1/chat/completions"

/** The formats of providers; each provider offers one model. */
export const testedProviders = [
  {
    name: "Chat Completions",
    model: "scripted-chat",
    paths: { messages: chatPath, responses: chatPath },
  },
  {
    name: "Messages",
    model: "scripted-messages",
    paths: { messages: "/v1/messages", responses: "/v1/messages" },
  },
  {
    name: "Responses and Chat Completions",
    model: "scripted-responses",
    paths: { messages: chatPath, responses: "/v1/responses" },
  },
] as const satisfies TestedProvider[]

/** Starts a gateway in front of a provider of each format. */
export const startClientsTestbed = async () => {
  const [chat, messages, responses] = testedProviders
  const upstreamByModel = new Map<string, FakeUpstream>([
    [chat.model, await startChatProvider(chat.model)],
    [messages.model, await startMessagesProvider(messages.model)],
    [responses.model, await startResponsesProvider(responses.model)],
  ])
  const originOf = ({ model }: TestedProvider): string => upstreamByModel.get(model)?.origin ?? ""
  const gateway = await startGateway({
    OPENAI_API_BASE_URLS: `${originOf(chat)}/v1;${originOf(responses)}/v1`,
    OPENAI_API_KEYS: "first-key;second-key",
    ANTHROPIC_BASE_URL: originOf(messages),
    ANTHROPIC_API_KEY: "third-key",
  })
  await waitForModels(gateway, [...upstreamByModel.keys()])
  return {
    gateway,
    /** The paths of the requests that the provider of a model has answered. */
    answeredPaths: (model: string): string[] => {
      const requests = upstreamByModel.get(model)?.requests ?? []
      const answered = requests.filter(
        ({ method, sent }) => method === "POST" && sent.status === 200,
      )
      return [...new Set(answered.map(({ path }) => path))]
    },
    stop: async () => {
      await gateway.stop()
      for (const upstream of upstreamByModel.values()) await upstream.close()
    },
  }
}
