import { readOutlookItem } from "../mail/read-msg.ts"
import type { DocumentReader } from "../reading-context.ts"
import {
  failPasswordProtected,
  failUnreadable,
  type UnsupportedOleDocument,
} from "../unreadable.ts"
import { type CompoundFile, openCompoundFile } from "./compound-file.ts"

/** Streams and storages of the root, in lower case, that tell which application wrote it. */
const documentIdByPart: ReadonlyMap<string, UnsupportedOleDocument> = new Map<
  string,
  UnsupportedOleDocument
>([
  ["worddocument", "document_word_97"],
  ["workbook", "document_excel_97"],
  ["book", "document_excel_97"],
  ["powerpoint document", "document_powerpoint_97"],
  ["pp97_dualstorage", "document_powerpoint_97"],
  ["pp40", "document_powerpoint_97"],
  ["visiodocument", "document_visio"],
  ["quill", "document_publisher"],
  ["matost", "document_works"],
  ["mn0", "document_works"],
  ["wksssworkbook", "document_works"],
  ["bodytext", "document_hangul"],
  ["starwriterdocument", "document_staroffice"],
  ["starcalcdocument", "document_staroffice"],
  ["stardrawdocument", "document_staroffice"],
  ["stardrawdocument3", "document_staroffice"],
  ["starimpressdocument", "document_staroffice"],
])

const documentIdByClass: ReadonlyMap<string, UnsupportedOleDocument> = new Map<
  string,
  UnsupportedOleDocument
>([
  ["84100c0000000000c000000000000046", "document_windows_installer"],
  ["86100c0000000000c000000000000046", "document_windows_installer"],
  ["b25aa40e0a9ed111a40700c04fb932ba", "document_works"],
])

/** Microsoft Project names its storages by version, after a space. */
const isProject = (names: readonly string[]): boolean =>
  names.some((name) => /^ {3}\d{2,3}$/.test(name))

const identify = ({ root, classId }: CompoundFile): UnsupportedOleDocument => {
  const names = [...root.streamNames, ...root.storages.map(({ name }) => name.toLowerCase())]
  const byName = names.map((name) => documentIdByPart.get(name)).find(Boolean)
  if (byName) return byName
  if (isProject(names)) return "document_project"
  return documentIdByClass.get(classId) ?? "document_ole_unknown"
}

/** Documents in OLE compound files: Outlook items are read, others named as what they are. */
export const readOleDocument: DocumentReader = async ({ bytes }, context) => {
  const file = openCompoundFile(bytes)
  const { streamNames } = file.root
  if (streamNames.has("encryptedpackage")) failPasswordProtected()
  if (streamNames.has("\tdrmcontent"))
    failUnreadable("protected", { id: "document_copy_protected" })
  if (streamNames.has("__properties_version1.0"))
    return { format: "msg", blocks: await readOutlookItem(file.root, context) }
  return failUnreadable("unsupported", { id: identify(file) })
}
