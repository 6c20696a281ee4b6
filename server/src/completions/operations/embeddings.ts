import { embeddingsProviderOperation } from "../../providers/provider.ts"
import { EmbeddingsBody, providerResponse } from "../schema.ts"
import { openaiStream } from "./openai-stream.ts"
import { type ApiOperation, relayedOperation } from "./operation.ts"

export const embeddingsOperation: ApiOperation = {
  ...relayedOperation,
  ...embeddingsProviderOperation,
  summary: "Create embeddings",
  body: EmbeddingsBody,
  response: providerResponse,
  metricName: "embeddings",
  requiredFields: ["input"],
  skipsFilters: true,
  stream: openaiStream,
}
