import { type Declarations, parameterTypes, readDeclarations } from "./declarations.ts"
import type { Given } from "./infer.ts"

/** What the editor knows of the names in a module. */
export interface Known {
  declarations: Declarations
  given: Given
}

/** What the exports of a module are given, as the declarations have it. */
const givenBy = (declarations: Declarations): Given =>
  Object.fromEntries(
    (declarations.get("Exports")?.members ?? []).map((member) => [
      member.name,
      parameterTypes(member),
    ]),
  )

/** Reads the text of `portico.d.ts`. */
export const knownFrom = (source: string): Known => {
  const declarations = readDeclarations(source)
  return { declarations, given: givenBy(declarations) }
}
