import {
  completion,
  embeddings,
  modelDetails,
  modelList,
  native,
  readCompletion,
  readStream,
  stream,
} from "./api-consumers.ts"
import { createConnection } from "./client.ts"
import type { Consumer } from "./consumer.ts"
import { conversation, extraction, queryVector, rerank, title } from "./page-consumers.ts"
import { type ChaosProvider, startChaosProvider } from "./provider.ts"

/** One provider, and the consumers of its replies, which run one after another. */
export interface TestSetup {
  provider: ChaosProvider
  consumers: readonly Consumer[]
  close: () => Promise<void>
}

export type EngineName = "tika" | "docling"

const askWhole = (model: string): string => `export const name = "Whole"
export const reply = async ({ messages }, context) => {
  const { choices } = await context.chat({ model: "${model}", messages })
  const content = choices?.[0]?.message?.content
  if (typeof content !== "string") throw new Error("the model gave no answer")
  return content
}`
const askStream = (model: string): string => `export const name = "Streamed"
export async function* reply({ messages }, context) {
  const pieces = context.chat({ model: "${model}", messages, stream: true })
  for await (const { content } of pieces) yield content ?? ""
}`
const changeWhole = "export const after = (reply) => reply"
const changePieces = "export const chunk = (delta) => delta"

/** Saves a function, or a filter for `filter_models`, in the gateway. */
type SaveFunction = (id: string, content: string, filter_models?: string[]) => Promise<void>

interface Deps {
  url: string
  key: string
  engine: EngineName
  saveFunction: SaveFunction
  /** Creates a collection with a searchable file. @returns its id */
  makeCollection: () => Promise<string>
}

const openaiModels = [
  ...["chaos-completion", "chaos-stream", "chaos-embeddings", "chaos-conversation"],
  ...["chaos-asked", "chaos-asked-stream", "chaos-filtered", "chaos-filtered-stream"],
  ...["chaos-openai-proxy", "chaos-openai-list"],
] as const
const ollamaModels = [
  ...["chaos-native", "chaos-native-whole", "chaos-title", "chaos-list", "chaos-details"],
] as const

const ollamaId = (model: (typeof ollamaModels)[number]): string =>
  `env-ollama-${ollamaModels.indexOf(model)}`

type ModelName = (typeof openaiModels)[number] | (typeof ollamaModels)[number]

const embeddingModel = "chaos-search"

/** Starts the providers. @returns them and the environment variables that configure a gateway */
export const startProviders = async (engine: EngineName) => {
  const start = (names: readonly string[]) => Promise.all(names.map(startChaosProvider))
  const [openai, ollama, [search, reader]] = await Promise.all([
    start(openaiModels),
    start(ollamaModels),
    start([embeddingModel, "chaos-reader"]),
  ])
  if (!search || !reader) throw new Error("the search and extraction providers did not start")
  const bases = (providers: readonly ChaosProvider[]): string =>
    providers.map(({ origin }) => `${origin}/v1`).join(";")
  return {
    byModel: new Map([...openai, ...ollama].map((provider) => [provider.model, provider])),
    search,
    reader,
    env: {
      OPENAI_API_BASE_URLS: bases([...openai, search]),
      OLLAMA_BASE_URLS: ollama.map(({ origin }) => origin).join(";"),
      EMBEDDING_MODEL: embeddingModel,
      RERANK_URL: `${search.origin}/v1`,
      EXTRACTION_URL: reader.origin,
      EXTRACTION_ENGINE: engine,
    },
    close: (): Promise<unknown> =>
      Promise.all([...openai, ...ollama, search, reader].map((provider) => provider.close())),
  }
}

type Providers = Awaited<ReturnType<typeof startProviders>>

export const models: readonly string[] = [...openaiModels, ...ollamaModels, embeddingModel]

export const createLanes = async (providers: Providers, deps: Deps): Promise<TestSetup[]> => {
  const { url, key, saveFunction } = deps
  const setup = (
    provider: ChaosProvider,
    make: (connection: ReturnType<typeof createConnection>) => Consumer[],
  ): TestSetup => {
    const connection = createConnection(url, key)
    return { provider, consumers: make(connection), close: () => connection.close() }
  }
  const of = (
    model: ModelName,
    make: (connection: ReturnType<typeof createConnection>, provider: ChaosProvider) => Consumer,
  ): TestSetup => {
    const provider = providers.byModel.get(model)
    if (!provider) throw new Error(`no provider has the model ${model}`)
    return setup(provider, (connection) => [make(connection, provider)])
  }

  await saveFunction("asks", askWhole("chaos-asked"))
  await saveFunction("asks_stream", askStream("chaos-asked-stream"))
  await saveFunction("changes", changeWhole, ["chaos-filtered"])
  await saveFunction("changes_pieces", changePieces, ["chaos-filtered-stream"])
  const collection = await deps.makeCollection()

  return [
    of("chaos-completion", (connection) => completion(connection, "chaos-completion")),
    of("chaos-stream", (connection) => stream(connection, "chaos-stream")),
    of("chaos-embeddings", (connection) => embeddings(connection, "chaos-embeddings")),
    of("chaos-conversation", (connection) => conversation(connection, "chaos-conversation")),
    of("chaos-title", (connection, provider) => title(connection, provider)),
    of("chaos-asked", (connection) => readCompletion("function's call", connection, "asks")),
    of("chaos-asked-stream", (connection) =>
      readStream("function's streamed call", connection, "asks_stream"),
    ),
    of("chaos-filtered", (connection) => readCompletion("filter", connection, "chaos-filtered")),
    of("chaos-filtered-stream", (connection) =>
      readStream("filter of a stream", connection, "chaos-filtered-stream"),
    ),
    of("chaos-native", (connection) => {
      const requested = { path: "/ollama/api/chat", model: "chaos-native", isStream: true }
      return native("native proxy", connection, requested)
    }),
    of("chaos-native-whole", (connection) => {
      const requested = { path: "/ollama/api/chat", model: "chaos-native-whole", isStream: false }
      return native("native proxy, not streamed", connection, requested)
    }),
    of("chaos-openai-proxy", (connection) => {
      const requested = {
        path: "/openai/chat/completions",
        model: "chaos-openai-proxy",
        isStream: true,
      }
      return native("provider's proxy", connection, requested)
    }),
    of("chaos-openai-list", (connection) => {
      const id = `env-openai-${openaiModels.indexOf("chaos-openai-list")}`
      return modelList("provider's list", connection, { id, model: "chaos-openai-list" })
    }),
    of("chaos-list", (connection) => {
      const requested = { id: ollamaId("chaos-list"), model: "chaos-list" }
      return modelList("runtime's list", connection, requested)
    }),
    of("chaos-details", (connection) => {
      const requested = { id: ollamaId("chaos-details"), model: "chaos-details" }
      return modelDetails("runtime's details", connection, requested)
    }),
    setup(providers.search, (connection) => [
      rerank(connection, collection),
      queryVector(connection, collection),
    ]),
    setup(providers.reader, (connection) => [extraction(connection, deps.engine)]),
  ]
}
