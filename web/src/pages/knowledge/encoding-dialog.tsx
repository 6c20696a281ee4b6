import { textEncodings } from "@portico/extract/text-encodings"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { type FileRecord, fileApi, fileQuery } from "../../lib/knowledge-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx"
import { SelectField } from "../../ui/select.tsx"

/** Formats that are text files, whose encoding may be unknown. */
const textFormats = new Set([
  ...["text", "markdown", "code", "csv", "tsv"],
  ...["json", "jsonl", "ipynb", "html", "xml", "icalendar", "vcard"],
])

/** Whether another encoding may change a file's text. */
export const mayChooseEncoding = ({ meta, data }: FileRecord): boolean =>
  textFormats.has(meta.format ?? "") ||
  data.encoding !== null ||
  data.warnings.some(({ code }) => code === "encoding_uncertain")

const automatic = "auto"

const options = () => [
  { value: automatic, label: t("files.encodingAuto") },
  ...textEncodings.map((name): { value: string; label: string } => ({ value: name, label: name })),
]

interface EncodingDialogProps {
  file: FileRecord
  onClose: () => void
}

/** Reads a text file again with the encoding that the user chooses. */
export const EncodingDialog = ({ file, onClose }: EncodingDialogProps) => {
  const [chosen, setChosen] = useState<string>(file.data.encoding ?? automatic)
  const confirm = async (): Promise<void> => {
    const encoding = chosen === automatic ? null : chosen
    const record = await fileApi.reprocess(file.id, encoding)
    queryClient.setQueryData(
      fileQuery(file.id).queryKey,
      (before) => before && { ...before, ...record },
    )
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t("files.otherEncoding")}
      action={t("files.again")}
      onConfirm={confirm}
    >
      <div className="flex flex-col gap-3">
        <p>{t("files.encodingLead")}</p>
        <div className="text-text">
          <SelectField
            label={t("files.encoding")}
            value={chosen}
            options={options()}
            onValue={setChosen}
          />
        </div>
      </div>
    </ConfirmDialog>
  )
}
