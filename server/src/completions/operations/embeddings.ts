import { embeddingsProviderOperation } from "../../providers/provider.ts"
import { EmbeddingsBody } from "../schema.ts"
import { openaiOperation } from "./openai-operation.ts"
import type { ApiOperation } from "./operation.ts"

export const embeddingsOperation: ApiOperation = {
  ...openaiOperation,
  ...embeddingsProviderOperation,
  summary: "Create embeddings",
  body: EmbeddingsBody,
  metricName: "embeddings",
  requiredFields: ["input"],
  skipsFilters: true,
  outputFields: [],
}
