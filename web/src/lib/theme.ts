import { readStored, useStored, writeStored } from "./stored.ts"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const asTheme = (text: string | null): Theme => themes.find((theme) => theme === text) ?? "system"

const apply = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === "system") delete dataset.theme
  else dataset.theme = theme
}

export const chooseTheme = (theme: Theme): void => {
  writeStored("theme", theme === "system" ? null : theme)
  apply(theme)
}

export const useTheme = (): Theme => asTheme(useStored("theme"))

/** The theme in effect, whether chosen by the user or the system. */
export const shownTheme = (): "light" | "dark" => {
  const theme = asTheme(readStored("theme"))
  if (theme !== "system") return theme
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"
}

/** Switches between light and dark and stores the choice. */
export const switchTheme = (): void => chooseTheme(shownTheme() === "dark" ? "light" : "dark")

/** Applies a theme chosen in another window. */
export const followTheme = (): void =>
  window.addEventListener("storage", () => apply(asTheme(readStored("theme"))))
