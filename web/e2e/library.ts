import type { Page } from "playwright-core"

export interface Dropped {
  name: string
  text: string
  type?: string
}

/** Drops files on an element, as a user would. */
export const drop = async (
  page: Page,
  target: string,
  files: readonly Dropped[],
): Promise<void> => {
  const dataTransfer = await page.evaluateHandle(
    (all) => {
      const data = new DataTransfer()
      for (const { name, text, type = "text/plain" } of all) {
        const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
        data.items.add(new File([bytes], name, { type }))
      }
      return data
    },
    files.map((file) => ({ ...file, text: Buffer.from(file.text).toString("base64") })),
  )
  const place = page.locator(target).first()
  await place.dispatchEvent("dragover", { dataTransfer })
  await place.dispatchEvent("drop", { dataTransfer })
}
