import { Upload } from "lucide-react"
import { useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { readSelectedFiles } from "../../lib/file-selection.ts"
import { useUploads } from "../../lib/uploads.ts"
import { Button } from "../../ui/button.tsx"
import { Combobox } from "../../ui/combobox.tsx"
import { Field } from "../../ui/field.tsx"
import { AttachmentChips } from "../chat/attachment-chips.tsx"
import { useAttachmentSuggestions } from "../chat/attachment-picker.tsx"
import { type Attachment, useAttachmentStates } from "../chat/attachments.ts"
import { FileDropZone } from "../chat/file-drop-zone.tsx"

const keyOf = ({ type, id }: Attachment): string => `${type} ${id}`

interface ProjectFilesProps {
  /** Names the uploads, which continue while other pages are open. */
  destination: string
  files: readonly Attachment[]
  onAdd: (file: Attachment) => void
  onRemove: (file: Attachment) => void
  error: string | undefined
}

/** The files and collections of a project: uploads, and those in the knowledge base. */
export const ProjectFiles = ({ destination, files, onAdd, onRemove, error }: ProjectFilesProps) => {
  const [query, setQuery] = useState("")
  const box = useRef<HTMLDivElement>(null)
  const chosen = useRef<HTMLInputElement>(null)
  const { suggestions, loading } = useAttachmentSuggestions(query)
  const uploads = useUploads(destination, ({ id, filename }) =>
    onAdd({ type: "file", id, name: filename }),
  )
  const attached = useAttachmentStates(files)
  const known = new Set(files.map(keyOf))
  const choices = suggestions.filter(({ key }) => !known.has(key))
  return (
    <Field
      label={t("projects.files")}
      help={t("projects.filesHelp")}
      {...(error !== undefined && { error })}
    >
      {(controlProps) => (
        <div ref={box} className="flex flex-col gap-1.5">
          <FileDropZone
            onFiles={(dropped) => {
              uploads.add(dropped)
              box.current?.scrollIntoView({ block: "center" })
            }}
          />
          {attached.length + uploads.uploads.length > 0 && (
            <div className="-mx-3 -mt-2">
              <AttachmentChips attached={attached} uploads={uploads} onRemove={onRemove} />
            </div>
          )}
          <div className="flex flex-wrap gap-2">
            <div className="min-w-0 flex-1 basis-56">
              <Combobox
                {...controlProps}
                placeholder={t("projects.filesAdd")}
                choices={choices.map(({ key, label, note }) => ({ value: key, label, note }))}
                loading={loading}
                value={null}
                onQuery={setQuery}
                onValue={(key) => {
                  const choice = choices.find((one) => one.key === key)
                  if (choice) onAdd(choice.attachment)
                }}
              />
            </div>
            <Button icon={Upload} onClick={() => chosen.current?.click()}>
              {t("projects.upload")}
            </Button>
          </div>
          <input
            ref={chosen}
            name="project-files"
            type="file"
            hidden
            multiple
            onChange={({ target }) => {
              uploads.add(readSelectedFiles([...(target.files ?? [])]))
              target.value = ""
            }}
          />
        </div>
      )}
    </Field>
  )
}
