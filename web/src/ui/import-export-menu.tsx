import { type QueryKey, useMutation } from "@tanstack/react-query"
import { ArrowLeftRight, Download, Upload } from "lucide-react"
import { useRef } from "react"
import { downloadTextFile } from "../browser/download.ts"
import { t } from "../i18n/translate.ts"
import { invalidateQueries } from "../lib/query-client.ts"
import { Button } from "./button.tsx"
import { errorText } from "./error-note.tsx"
import { Menu, MenuItem } from "./menu.tsx"

interface ImportExportProps<Body> {
  /** Of the exported file. */
  fileName: string
  exportAll: () => Promise<unknown>
  /** Types of files to choose from, as of `input`. */
  accept: string
  /** Throws an error for the user if the file cannot be imported. */
  parseFile: (file: File) => Promise<Body>
  importAll: (body: Body) => Promise<{ created: readonly unknown[]; updated: readonly unknown[] }>
  /** Queries that list what was imported. */
  invalidates: readonly QueryKey[]
}

/** A menu that exports a list to a JSON file and imports it, with the result below. */
export const ImportExportMenu = <Body,>(props: ImportExportProps<Body>) => {
  const input = useRef<HTMLInputElement>(null)
  const exported = useMutation({
    mutationFn: props.exportAll,
    onSuccess: (list) =>
      downloadTextFile(props.fileName, "application/json", JSON.stringify(list, null, 2)),
  })
  const imported = useMutation({
    mutationFn: async (file: File) => props.importAll(await props.parseFile(file)),
    onSettled: () => invalidateQueries(props.invalidates),
  })
  const error = imported.error ?? exported.error
  return (
    <div className="flex flex-col items-end gap-1">
      <Menu trigger={<Button icon={ArrowLeftRight}>{t("list.transfer")}</Button>}>
        <MenuItem icon={Upload} onClick={() => input.current?.click()}>
          {t("list.import")}
        </MenuItem>
        <MenuItem icon={Download} onClick={() => exported.mutate()}>
          {t("list.export")}
        </MenuItem>
      </Menu>
      <input
        ref={input}
        type="file"
        accept={props.accept}
        aria-label={t("list.import")}
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
          t("list.imported", {
            created: imported.data.created.length,
            updated: imported.data.updated.length,
          })}
      </p>
    </div>
  )
}

/**
 * Parses an exported file, whose content the API checks. A bare list is accepted too.
 * @param wrap makes the exported object of a list
 */
export const parseExport = <Body extends object, Item>(
  text: string,
  wrap: (items: Item[]) => Body,
  message: string,
): Body => {
  try {
    const value: Body | Item[] | null = JSON.parse(text)
    if (Array.isArray(value)) return wrap(value)
    if (typeof value === "object" && value !== null) return value
  } catch {
    // Reported by the throw below.
  }
  throw new Error(message)
}
