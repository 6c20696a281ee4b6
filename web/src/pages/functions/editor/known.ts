import { type Declarations, parameterTypes, readDeclarations } from "./declarations.ts"
import type { Given } from "./infer.ts"

/** Types available in a module. */
export interface Known {
  declarations: Declarations
  given: Given
}

/** Parameter types of a module's exports, from the declaration of `Exports`. */
const givenBy = (declarations: Declarations): Given =>
  Object.fromEntries(
    (declarations.get("Exports")?.members ?? []).map((member) => [
      member.name,
      parameterTypes(member),
    ]),
  )

/** Parses the text of `portico.d.ts`. */
export const knownFrom = (source: string): Known => {
  const declarations = readDeclarations(source)
  return { declarations, given: givenBy(declarations) }
}
