import { walkXml } from "../markup.ts"
import { resolveArchivePath, type Zip } from "../zip/zip.ts"

/** Relationships of a part, by id. */
export const readRelationships = (
  zip: Zip,
  part: string,
): Map<string, { type: string; target: string }> => {
  const folderEnd = part.lastIndexOf("/") + 1
  const name = `${part.slice(0, folderEnd)}_rels/${part.slice(folderEnd)}.rels`
  const relationships = new Map<string, { type: string; target: string }>()
  walkXml(zip.readText(name), {
    open: (tag, { Id = "", Type = "", Target = "" }) => {
      if (tag === "Relationship") {
        relationships.set(Id, {
          type: Type.split("/").at(-1) ?? "",
          target: resolveArchivePath(part, Target),
        })
      }
    },
  })
  return relationships
}

/** The relationship that an element refers to; producers choose the prefix of the attribute. */
export const relationshipId = (attributes: Readonly<Record<string, string>>): string => {
  const key = Object.keys(attributes).find((name) => name.endsWith(":id"))
  return (key && attributes[key]) ?? ""
}
