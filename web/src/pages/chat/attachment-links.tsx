import { Link } from "@tanstack/react-router"
import { FileText, Library } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import type { Attachment } from "./attachments.ts"

const chip =
  "flex max-w-full min-w-0 items-center gap-1.5 rounded border border-line px-2 py-1 text-xs hover:border-line-strong hover:bg-surface [&_svg]:size-3.5 [&_svg]:shrink-0 [&_svg]:text-muted"

/** The files and collections attached to a sent message, as links. */
export const AttachmentLinks = ({ files }: { files: readonly Attachment[] }) => (
  <ul aria-label={t("attach.about")} className="mt-1.5 flex flex-wrap gap-1.5">
    {files.map(({ type, id, name }) => (
      <li key={`${type} ${id}`} className="max-w-full min-w-0">
        {type === "file" ? (
          <Link to="/knowledge/files/$fileId" params={{ fileId: id }} className={chip}>
            <FileText aria-hidden />
            <span className="truncate">{name}</span>
          </Link>
        ) : (
          <Link to="/knowledge/$collectionId" params={{ collectionId: id }} className={chip}>
            <Library aria-hidden />
            <span className="truncate">{name}</span>
          </Link>
        )}
      </li>
    ))}
  </ul>
)
