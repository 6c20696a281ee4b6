import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import type { BodyFor } from "../../lib/api-types.ts"
import { ImportExportMenu, parseExport } from "../../ui/import-export-menu.tsx"

type ModelImport = BodyFor<"/api/v1/models/import">

const parseFile = async (file: File): Promise<ModelImport> =>
  parseExport(
    await file.text(),
    (models: ModelImport["models"]) => ({ models }),
    t("models.importWrong"),
  )

/** Exports models to a file and imports them. */
export const ModelImportExport = () => (
  <ImportExportMenu
    fileName="models.json"
    exportAll={() => api.get("/api/v1/models/export")}
    accept="application/json,.json"
    parseFile={parseFile}
    importAll={(body) => api.post("/api/v1/models/import", { body })}
    invalidates={[["models"]]}
  />
)
