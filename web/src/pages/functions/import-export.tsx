import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import type { BodyFor } from "../../lib/api-types.ts"
import { deriveFunctionId } from "../../lib/derive-id.ts"
import { ImportExportMenu, parseExport } from "../../ui/import-export-menu.tsx"

type FunctionImport = BodyFor<"/api/v1/functions/import">

/** A source file as an import of one function named after it. */
const fromSource = (name: string, content: string): FunctionImport => {
  const title = name.replace(/\.[^.]+$/, "")
  return { functions: [{ id: deriveFunctionId(title), name: title, content, is_active: false }] }
}

const parseFile = async (file: File): Promise<FunctionImport> => {
  const text = await file.text()
  if (/\.[mc]?[jt]s$/.test(file.name)) return fromSource(file.name, text)
  const wrap = (functions: FunctionImport["functions"]) => ({ functions })
  return parseExport(text, wrap, t("functions.importWrong"))
}

/** Exports functions to a file and imports them; secrets are not exported. */
export const FunctionImportExport = () => (
  <ImportExportMenu
    fileName="functions.json"
    exportAll={() => api.get("/api/v1/functions/export")}
    accept="application/json,.json,.ts,.js,.mjs"
    parseFile={parseFile}
    importAll={(body) => api.post("/api/v1/functions/import", { body })}
    invalidates={[["functions"], ["models"]]}
  />
)
