import type { Chosen } from "./uploading.ts"

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
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (some.length === 0) return all
    all.push(...some)
  }
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const gather = async (entry: FileSystemEntry, into: Chosen[]): Promise<void> => {
  if (into.length >= maxFiles || isHidden(entry.name)) return
  if (isFile(entry)) {
    into.push({ file: await fileOf(entry), path: entry.fullPath.replace(/^\//, "") })
  } else if (isFolder(entry)) {
    for (const one of await entriesOf(entry)) await gather(one, into)
  }
}

/**
 * The dropped files, including those in dropped folders. Call it synchronously in the drop handler,
 * before the browser clears the data.
 */
export const droppedFiles = async (data: DataTransfer): Promise<Chosen[]> => {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const plain = chosenFiles([...data.files])
  if (!entries.some(isFolder)) return plain
  const found: Chosen[] = []
  for (const entry of entries) await gather(entry, found)
  return found
}

/** The files chosen in a file or folder dialog. */
export const chosenFiles = (files: readonly File[]): Chosen[] =>
  files
    .map((file) => ({ file, path: file.webkitRelativePath || file.name }))
    .filter(({ path }) => path.split("/").length === 1 || !path.split("/").some(isHidden))
