export { applyPatchOperation } from "./apply-patch-operation.ts"
export {
  type AttributeValues,
  type ComplexValue,
  parseResource,
  parseValue,
  type SimpleValue,
} from "./attribute-values.ts"
export { ChunkedReferences, type ReferenceIds } from "./chunked-references.ts"
export { resourceTypeJson, schemaJson } from "./discovery.ts"
export { failScim, ScimError } from "./errors.ts"
export { createFilterCompiler } from "./filter-compiler.ts"
export { matchesFilter } from "./filter-evaluator.ts"
export { type Filter, parseFilter } from "./filter-parser.ts"
export { IgnoredAttributes } from "./ignored-attributes.ts"
export type { ScimJson } from "./json-values.ts"
export { listResponse } from "./list-response.ts"
export { createOrderBy } from "./order-by.ts"
export { type PatchOperation, parsePatch } from "./patch-request.ts"
export {
  createProjector,
  includesAttribute,
  type Projection,
  requestsSubAttribute,
} from "./projection.ts"
export {
  defineAttribute,
  defineResourceType,
  type ResourceType,
  type ScimAttribute,
  schemaUrns,
} from "./resource-type.ts"
export {
  maxPageSize,
  parseProjectionQuery,
  parseSearchBody,
  parseSearchQuery,
  type SearchRequest,
} from "./search-request.ts"
