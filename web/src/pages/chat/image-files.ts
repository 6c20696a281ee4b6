import { t } from "../../i18n/translate.ts"

export interface ChosenImage {
  id: string
  name: string
  /** A data URL. */
  url: string
}

const supportedTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
const maxBytes = 20 * 1024 * 1024
export const maxImages = 10

/** Whether the file is sent as an image; SVG is treated as a text file. */
export const isImageFile = ({ type }: File): boolean =>
  type.startsWith("image/") && type !== "image/svg+xml"

const dataUrlOf = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener("load", () => resolve(String(reader.result)))
    reader.addEventListener("error", () => reject(reader.error))
    reader.readAsDataURL(blob)
  })

/** Reads image files up to the limits; `problem` is the message for the last rejected file. */
export const readImageFiles = async (
  files: readonly File[],
  maxCount: number,
): Promise<{ images: ChosenImage[]; problem: string | null }> => {
  let problem: string | null = null
  const accepted = files.filter(({ type, size, name }) => {
    if (!supportedTypes.has(type)) problem = t("attach.imageType", { name })
    else if (size > maxBytes) problem = t("chat.imageSize", { name })
    return supportedTypes.has(type) && size <= maxBytes
  })
  if (accepted.length > maxCount) problem = t("chat.imageMany")
  const images = await Promise.all(
    accepted.slice(0, maxCount).map(async (file) => ({
      id: crypto.getRandomValues(new Uint32Array(2)).join("-"),
      name: file.name || t("chat.image"),
      url: await dataUrlOf(file),
    })),
  )
  return { images, problem }
}

/** Fetches an image of a sent message, to resend it with the edited message. */
export const fetchAsDataUrl = async (url: string): Promise<string> =>
  dataUrlOf(await (await fetch(url)).blob())
