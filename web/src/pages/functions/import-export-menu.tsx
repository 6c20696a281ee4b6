import { useMutation, useQueryClient } from "@tanstack/react-query"
import { ArrowLeftRight, Download, Upload } from "lucide-react"
import { useRef } from "react"
import { downloadTextFile } from "../../browser/download.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import type { BodyFor } from "../../lib/api-types.ts"
import { deriveFunctionId } from "../../lib/derive-id.ts"
import { Button } from "../../ui/button.tsx"
import { errorText } from "../../ui/error-note.tsx"
import { Menu, MenuItem } from "../../ui/menu.tsx"

type FunctionImport = BodyFor<"/api/v1/functions/import">

/** A source file as an import of one function named after it. */
const fromSource = (name: string, content: string): FunctionImport => {
  const title = name.replace(/\.[^.]+$/, "")
  return { functions: [{ id: deriveFunctionId(title), name: title, content, is_active: false }] }
}

const fromJson = (text: string): FunctionImport => {
  try {
    // The gateway checks the content. Also accept a bare array; the API expects an object.
    const value: FunctionImport | FunctionImport["functions"] = JSON.parse(text)
    if (Array.isArray(value)) return { functions: value }
    if (typeof value === "object" && value !== null) return value
  } catch {
    // Reported by the throw below.
  }
  throw new Error(t("functions.importWrong"))
}

const readImport = async (file: File): Promise<FunctionImport> => {
  const text = await file.text()
  return /\.[mc]?[jt]s$/.test(file.name) ? fromSource(file.name, text) : fromJson(text)
}

/** Exports functions to a file and imports them; secrets are not exported. */
export const ImportExportMenu = () => {
  const client = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const exported = useMutation({
    mutationFn: () => api.get("/api/v1/functions/export"),
    onSuccess: (file) =>
      downloadTextFile("functions.json", "application/json", JSON.stringify(file, null, 2)),
  })
  const imported = useMutation({
    mutationFn: async (file: File) =>
      api.post("/api/v1/functions/import", { body: await readImport(file) }),
    onSettled: async () => {
      await client.invalidateQueries({ queryKey: ["functions"] })
      await client.invalidateQueries({ queryKey: ["models"] })
    },
  })
  const error = imported.error ?? exported.error
  return (
    <div className="flex flex-col items-end gap-1">
      <Menu trigger={<Button icon={ArrowLeftRight}>{t("functions.transfer")}</Button>}>
        <MenuItem icon={Upload} onClick={() => input.current?.click()}>
          {t("functions.import")}
        </MenuItem>
        <MenuItem icon={Download} onClick={() => exported.mutate()}>
          {t("functions.export")}
        </MenuItem>
      </Menu>
      <input
        ref={input}
        type="file"
        accept="application/json,.json,.ts,.js,.mjs"
        aria-label={t("functions.import")}
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
