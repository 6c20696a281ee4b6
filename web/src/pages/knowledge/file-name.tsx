import { Link } from "@tanstack/react-router"
import { translateServerText } from "../../i18n/translate.ts"
import type { FileRecord } from "../../lib/knowledge-api.ts"
import { NameCell } from "../../ui/table.tsx"

type FileNameProps = Pick<FileRecord, "id" | "filename" | "meta" | "data">

/** A file's name and folder in a list, and why it could not be processed. */
export const FileName = ({ id, filename, meta, data }: FileNameProps) => {
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
    </div>
  )
}
