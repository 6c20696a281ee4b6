import { FolderUp, Upload } from "lucide-react"
import { type ReactNode, useRef, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { readDroppedFiles, readSelectedFiles } from "../../lib/file-selection.ts"
import type { SelectedFile } from "../../lib/upload-file.ts"
import { Button } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"

interface FilePickerButtonProps {
  folder?: boolean
  onFiles: (files: SelectedFile[]) => void
}

const FilePickerButton = ({ folder = false, onFiles }: FilePickerButtonProps) => {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button icon={folder ? FolderUp : Upload} onClick={() => input.current?.click()}>
        {t(folder ? "upload.folder" : "upload.files")}
      </Button>
      <input
        ref={input}
        type="file"
        name={folder ? "folder" : "files"}
        hidden
        multiple
        {...(folder && { webkitdirectory: "" })}
        onChange={({ target }) => {
          onFiles(readSelectedFiles([...(target.files ?? [])]))
          target.value = ""
        }}
      />
    </>
  )
}

interface DropZoneProps {
  onFiles: (files: SelectedFile[]) => void
  children?: ReactNode
}

/** An area to drop files and folders on, with buttons to choose them. */
export const DropZone = ({ onFiles, children }: DropZoneProps) => {
  const [isDragOver, setDragOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons inside are the accessible alternative
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setDragOver(true)
      }}
      onDragLeave={() => setDragOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setDragOver(false)
        void readDroppedFiles(event.dataTransfer).then(onFiles)
      }}
      className={classes(
        "flex flex-col items-center gap-3 rounded border border-dashed px-4 py-6 text-center",
        isDragOver ? "border-accent bg-accent-soft" : "border-line-strong",
      )}
    >
      {children}
      <p className="text-sm text-muted max-wide:hidden">{t("upload.drop")}</p>
      <div className="flex flex-wrap justify-center gap-2">
        <FilePickerButton onFiles={onFiles} />
        <FilePickerButton folder onFiles={onFiles} />
      </div>
    </div>
  )
}
