import { chatOperation } from "./chat.ts"
import { compactionOperation } from "./compaction.ts"
import { countTokensOperation } from "./count-tokens.ts"
import { embeddingsOperation } from "./embeddings.ts"
import { messagesOperation } from "./messages.ts"
import type { ApiOperation } from "./operation.ts"
import { responsesOperation } from "./responses.ts"
import { textCompletionsOperation } from "./text-completions.ts"

/** All operations of the inbound APIs. */
export const apiOperations: readonly ApiOperation[] = [
  chatOperation,
  textCompletionsOperation,
  embeddingsOperation,
  responsesOperation,
  compactionOperation,
  messagesOperation,
  countTokensOperation,
]

const operationByName = new Map(apiOperations.map((operation) => [operation.name, operation]))

/** For messages between threads, which cannot contain functions. */
export const operationNamed = (name: string): ApiOperation => {
  const operation = operationByName.get(name)
  if (!operation) throw new Error(`There is no operation "${name}".`)
  return operation
}

/** The names of operations in metrics. */
export const metricNames: ReadonlyMap<string, string> = new Map(
  apiOperations.map(({ name, metricName }) => [name, metricName]),
)
