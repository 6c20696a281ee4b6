import type { SelectedFile } from "./upload-file.ts"

const maxFiles = 5000

/** Files that operating systems and tools leave in folders. */
const isHidden = (name: string): boolean => name.startsWith(".") || name === "Thumbs.db"

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject))

/** A reader returns entries in batches; an empty batch marks the end. */
const entriesOf = async (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0) return all
    all.push(...batch)
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const collectFiles = async (entry: FileSystemEntry, into: SelectedFile[]): Promise<void> => {
  if (into.length >= maxFiles || isHidden(entry.name)) return
  if (isFile(entry)) {
    into.push({ file: await fileOf(entry), path: entry.fullPath.replace(/^\//, "") })
  } else if (isFolder(entry)) {
    for (const one of await entriesOf(entry)) await collectFiles(one, into)
  }
}

/**
 * The dropped files, including those in dropped folders. Call it synchronously in the drop handler,
 * before the browser clears the data.
 */
export const readDroppedFiles = async (data: DataTransfer): Promise<SelectedFile[]> => {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const plain = readSelectedFiles([...data.files])
  if (!entries.some(isFolder)) return plain
  const found: SelectedFile[] = []
  for (const entry of entries) await collectFiles(entry, found)
  return found
}

/** The files chosen in a file or folder dialog. */
export const readSelectedFiles = (files: readonly File[]): SelectedFile[] =>
  files
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ path }) => path.split("/").length === 1 || !path.split("/").some(isHidden))
