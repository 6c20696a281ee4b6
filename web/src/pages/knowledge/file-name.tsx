import { Link } from "@tanstack/react-router"
import { translateServerText } from "../../i18n/translate.ts"
import type { FileRecord } from "../../lib/knowledge-api.ts"
import { NameCell } from "../../ui/table.tsx"
import { summarizeWarnings, WarningText } from "./file-warnings.tsx"

type FileNameProps = Pick<FileRecord, "id" | "filename" | "meta" | "data">

/** A file's name and folder in a list, and what could not be read of it. */
export const FileName = ({ id, filename, meta, data }: FileNameProps) => {
  const warning = summarizeWarnings(data.warnings)
  const path = typeof meta.data.path === "string" ? meta.data.path : undefined
  return (
    <div className="min-w-0">
      <NameCell detail={path}>
        <Link to="/knowledge/files/$fileId" params={{ fileId: id }}>
          {filename}
        </Link>
      </NameCell>
      {data.error && (
        <p className="text-xs break-words text-danger">
          {translateServerText(data.error, data.error_reference)}
        </p>
      )}
      {warning && <WarningText text={warning} className="text-xs text-muted" />}
    </div>
  )
}
