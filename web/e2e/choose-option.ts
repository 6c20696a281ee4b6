import type { Locator } from "playwright-core"

/** Opens a select and chooses the option with this label. */
export const chooseOption = async (select: Locator, option: string): Promise<void> => {
  await select.click()
  await select.page().getByRole("option", { name: option, exact: true }).click()
}
