import { t } from "../../i18n/translate.ts"

export interface ChosenImage {
  id: string
  name: string
  /** A data URL. */
  url: string
}

const readable = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
const maxBytes = 20 * 1024 * 1024
export const maxImages = 10

/** What goes to the model as a picture; SVG is a text that can be read. */
export const isImage = ({ type }: File): boolean =>
  type.startsWith("image/") && type !== "image/svg+xml"

const dataUrlOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve(String(reader.result)))
    reader.addEventListener("error", () => reject(reader.error))
    reader.readAsDataURL(blob)
  })

/** Reads chosen files; what cannot be shown to a model is said in words. */
export const readImages = async (
  files: readonly File[],
  room: number,
): Promise<{ images: ChosenImage[]; problem: string | null }> => {
  let problem: string | null = null
  const fit = files.filter(({ type, size, name }) => {
    if (!readable.has(type)) problem = t("attach.imageType", { name })
    else if (size > maxBytes) problem = t("chat.imageSize", { name })
    return readable.has(type) && size <= maxBytes
  })
  if (fit.length > room) problem = t("chat.imageMany")
  const images = await Promise.all(
    fit.slice(0, room).map(async (file) => ({
      id: crypto.getRandomValues(new Uint32Array(2)).join("-"),
      name: file.name || t("chat.image"),
      url: await dataUrlOf(file),
    })),
  )
  return { images, problem }
}

/** What a message that was sent shows, to be sent again with its other wording. */
export const fetchImage = async (url: string): Promise<string> =>
  dataUrlOf(await (await fetch(url)).blob())
