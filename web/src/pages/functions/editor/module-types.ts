import { type Declarations, parameterTypes, readDeclarations } from "./declarations.ts"
import type { ExportParameterTypes } from "./type-inference.ts"

/** Types available in a module. */
export interface ModuleTypes {
  declarations: Declarations
  exportParameterTypes: ExportParameterTypes
}

/** Parameter types of a module's exports, from the declaration of `Exports`. */
const readExportParameters = (declarations: Declarations): ExportParameterTypes =>
  Object.fromEntries(
    (declarations.get("Exports")?.members ?? []).map((member) => [
      member.name,
      parameterTypes(member),
    ]),
  )

/** Parses the text of `portico.d.ts`. */
export const readModuleTypes = (source: string): ModuleTypes => {
  const declarations = readDeclarations(source)
  return { declarations, exportParameterTypes: readExportParameters(declarations) }
}
