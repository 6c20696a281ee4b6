import { useMutation, useQueryClient } from "@tanstack/react-query"
import { ArrowLeftRight, Download, Upload } from "lucide-react"
import { useRef } from "react"
import { downloadTextFile } from "../../browser/download.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import type { BodyFor } from "../../lib/api-types.ts"
import { Button } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-note.tsx"
import { Menu, MenuItem } from "../../ui/menu.tsx"

type ModelImport = BodyFor<"/api/v1/models/import">

const parseImport = (text: string): ModelImport => {
  try {
    // The gateway checks the content. Also accept a bare array; the API expects an object.
    const value: ModelImport | ModelImport["models"] = JSON.parse(text)
    if (Array.isArray(value)) return { models: value }
    if (typeof value === "object" && value !== null) return value
  } catch {
    // Reported by the throw below.
  }
  throw new Error(t("models.importWrong"))
}

/** Exports models to a file and imports them. */
export const ImportExportMenu = () => {
  const client = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const exported = useMutation({
    mutationFn: () => api.get("/api/v1/models/export"),
    onSuccess: (file) =>
      downloadTextFile("models.json", "application/json", JSON.stringify(file, null, 2)),
  })
  const imported = useMutation({
    mutationFn: async (file: File) =>
      api.post("/api/v1/models/import", { body: parseImport(await file.text()) }),
    onSettled: () => client.invalidateQueries({ queryKey: ["models"] }),
  })
  const error = imported.error ?? exported.error
  return (
    <div className="flex flex-col items-end gap-1">
      <Menu trigger={<Button icon={ArrowLeftRight}>{t("models.transfer")}</Button>}>
        <MenuItem icon={Upload} onClick={() => input.current?.click()}>
          {t("models.import")}
        </MenuItem>
        <MenuItem icon={Download} onClick={() => exported.mutate()}>
          {t("models.export")}
        </MenuItem>
      </Menu>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label={t("models.import")}
        hidden
        onChange={({ target }) => {
          const [file] = target.files ?? []
          target.value = ""
          if (file) imported.mutate(file)
        }}
      />
      <p role="status" className="max-w-72 text-right text-xs text-muted">
        {error && <span className="text-danger">{errorText(error)}</span>}
        {imported.data &&
          t("models.imported", {
            created: imported.data.created.length,
            updated: imported.data.updated.length,
          })}
      </p>
    </div>
  )
}
