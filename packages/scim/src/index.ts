export { findAttribute } from "./attribute-paths.ts"
export {
  type AttributeValues,
  type ComplexValue,
  createIgnoredNames,
  type IgnoredNames,
  parseResource,
  parseValue,
  type SimpleValue,
} from "./attribute-values.ts"
export { resourceTypeJson, schemaJson } from "./discovery.ts"
export { failScim, ScimError } from "./errors.ts"
export { type Filter, parseFilter } from "./filter.ts"
export { matchesFilter } from "./filter-evaluator.ts"
export { createFilterCompiler } from "./filter-sql.ts"
export type { ScimJson } from "./json-values.ts"
export { listResponse } from "./list-response.ts"
export { applyOperation } from "./patch-operation.ts"
export { type PatchOperation, parsePatch } from "./patch-request.ts"
export {
  createProjector,
  includesAttribute,
  type Projection,
  requestsSubAttribute,
} from "./projection.ts"
export { type ReferenceIds, ReferenceList } from "./reference-list.ts"
export {
  defineAttribute,
  defineResourceType,
  type ResourceType,
  type ScimAttribute,
  schemaUrns,
} from "./resource-type.ts"
export {
  maxCount,
  parseProjectionQuery,
  parseSearchBody,
  parseSearchQuery,
  type SearchRequest,
} from "./search-query.ts"
export { createOrderBy } from "./sorting.ts"
