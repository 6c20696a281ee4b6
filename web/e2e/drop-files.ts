import type { Page } from "playwright-core"

export interface DroppedFile {
  name: string
  text: string
  type?: string
}

/** Drops files on an element, as a user would. */
export const dropFiles = async (
  page: Page,
  target: string,
  files: readonly DroppedFile[],
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
  const element = page.locator(target).first()
  await element.dispatchEvent("dragover", { dataTransfer })
  await element.dispatchEvent("drop", { dataTransfer })
}
