import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { FileText } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import type { ChatPassage } from "../../../../server/src/conversations/answers/source-schema.ts"
import { t } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import { fileTextQuery, locatedPassageQuery } from "../../lib/knowledge-api.ts"
import { Skeleton } from "../../ui/skeleton.tsx"
import { isPdf, PdfFile } from "../pdf/pdf-file.tsx"
import { stripMarkdown } from "./passage-text.ts"

/** UTF-16 code units shown before and after a passage. */
const contextLength = 900

interface Range {
  start: number
  end: number
}

/** The range of text to show for a passage. */
const pieceAround = (start: number, length: number): Range => ({
  start: Math.max(0, start - contextLength),
  end: start + length + contextLength,
})

/** Trims to a line break if one is near, or else to a space. */
const trimStart = (text: string, cut: boolean): string => {
  if (!cut) return text
  const line = text.indexOf("\n")
  const from = line >= 0 && line < text.length / 2 ? line : text.indexOf(" ")
  return `…${text.slice(from + 1)}`
}

const trimEnd = (text: string, cut: boolean): string => {
  if (!cut) return text
  const line = text.lastIndexOf("\n")
  const to = line > text.length / 2 ? line : text.lastIndexOf(" ")
  return `${text.slice(0, Math.max(to, 0))}…`
}

/** The text before and after a passage. */
const splitAround = (
  { content, length }: { content: string; length: number },
  piece: Range,
  { start, end }: Range,
) => ({
  before: trimStart(content.slice(0, start - piece.start), piece.start > 0),
  after: trimEnd(content.slice(end - piece.start), piece.end < length),
})

/**
 * The text around a passage in the present text of its file; null if the file is gone, not
 * accessible to the reader, or does not contain the passage any more.
 */
const useSurroundingText = (passage: ChatPassage) => {
  const { file_id, start, text } = passage
  const first = useQuery(fileTextQuery(file_id, pieceAround(start, text.length)))
  const offset = start - pieceAround(start, 0).start
  const isThere = first.data?.content.startsWith(text, offset)
  const isMoved = first.data !== undefined && !isThere
  const located = useQuery({
    ...locatedPassageQuery(file_id, { text, near: start }),
    enabled: isMoved,
  })
  const place = isMoved ? located.data : { start, end: start + text.length }
  const piece = pieceAround(place?.start ?? start, (place?.end ?? start) - (place?.start ?? start))
  const now = useQuery({ ...fileTextQuery(file_id, piece), enabled: Boolean(place) })
  const isRemoved = first.error instanceof ApiError && first.error.status === 404
  return {
    found: place && now.data ? splitAround(now.data, piece, place) : null,
    at: place?.start,
    removed: isRemoved,
    changed: isMoved && located.data === null,
    isPending:
      first.isPending || (isMoved && located.isPending) || (Boolean(place) && now.isPending),
  }
}

/** @param at offset to open the file at, in UTF-16 code units; its start if omitted */
const OpenFile = ({ fileId, at }: { fileId: string; at?: number | undefined }) => (
  <Link
    to="/knowledge/files/$fileId"
    params={{ fileId }}
    search={at === undefined ? {} : { at }}
    className="inline-flex items-center gap-1 self-start rounded-sm text-xs text-accent hover:underline"
  >
    <FileText aria-hidden className="size-3.5" />
    {t("sources.open")}
  </Link>
)

/** The passage highlighted in the surrounding text. */
const PassageInFile = ({ passage }: { passage: ChatPassage }) => {
  const { found, at, removed, changed, isPending } = useSurroundingText(passage)
  const mark = useRef<HTMLElement>(null)
  useEffect(() => {
    // Center the passage; the text before it is only context.
    if (!isPending) mark.current?.scrollIntoView({ block: "center" })
  }, [isPending])
  if (isPending) return <Skeleton rows={4} />
  const { name, text } = passage
  return (
    <div className="flex flex-col gap-2">
      {removed && <p className="text-xs text-muted">{t("sources.gone")}</p>}
      {changed && <p className="text-xs text-muted">{t("sources.changed")}</p>}
      <p className="text-sm break-words whitespace-pre-wrap text-muted">
        {found && stripMarkdown(found.before, name)}
        <mark ref={mark} className="rounded-sm bg-warn-soft text-text">
          {stripMarkdown(text, name)}
        </mark>
        {found && stripMarkdown(found.after, name)}
      </p>
      {!removed && <OpenFile fileId={passage.file_id} at={at} />}
    </div>
  )
}

/** A link to the present place of a passage in its file. */
const OpenFileAtPassage = ({ passage }: { passage: ChatPassage }) => {
  const { at } = useSurroundingText(passage)
  return <OpenFile fileId={passage.file_id} at={at} />
}

/** The page that contains the passage, or its text. */
const PassageOnPage = ({ passage }: { passage: ChatPassage }) => {
  const [asText, setAsText] = useState(false)
  return (
    <div className="flex flex-col gap-2">
      <button
        type="button"
        onClick={() => setAsText(!asText)}
        className="self-start rounded-sm text-xs text-accent hover:underline"
      >
        {t(asText ? "pdf.showPages" : "pdf.showText")}
      </button>
      {asText ? (
        <PassageInFile passage={passage} />
      ) : (
        <PdfFile
          id={passage.file_id}
          name={passage.name}
          page={passage.page ?? 1}
          passage={passage.text}
          isMarked={passage.reason !== "whole"}
          className="h-[70vh]"
          text={<PassageInFile passage={passage} />}
          link={<OpenFileAtPassage passage={passage} />}
        />
      )}
    </div>
  )
}

/** A source's passage and a link to its file. */
export const SourcePassage = ({ passage }: { passage: ChatPassage }) => {
  if (passage.reason !== "outline") {
    if (isPdf(passage.name)) return <PassageOnPage passage={passage} />
    return <PassageInFile passage={passage} />
  }
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm break-words whitespace-pre-wrap">{passage.text}</p>
      <OpenFile fileId={passage.file_id} />
    </div>
  )
}
