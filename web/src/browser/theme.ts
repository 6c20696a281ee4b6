import { useSyncExternalStore } from "react"
import { readLocalStorage, useLocalStorage, writeLocalStorage } from "./local-storage.ts"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const parseTheme = (text: string | null): Theme =>
  themes.find((theme) => theme === text) ?? "system"

const applyTheme = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === "system") delete dataset.theme
  else dataset.theme = theme
}

export const chooseTheme = (theme: Theme): void => {
  writeLocalStorage("theme", theme === "system" ? null : theme)
  applyTheme(theme)
}

export const useTheme = (): Theme => parseTheme(useLocalStorage("theme"))

/** The theme in effect, whether chosen by the user or the system. */
export const currentTheme = (): "light" | "dark" => {
  const theme = parseTheme(readLocalStorage("theme"))
  if (theme !== "system") return theme
  return matchMedia(darkScheme).matches ? "dark" : "light"
}

const darkScheme = "(prefers-color-scheme: dark)"

const subscribeToSystemTheme = (listener: () => void): (() => void) => {
  const query = matchMedia(darkScheme)
  query.addEventListener("change", listener)
  return () => query.removeEventListener("change", listener)
}

/** Like `currentTheme`; re-renders the component when it changes. */
export const useCurrentTheme = (): "light" | "dark" => {
  useTheme()
  return useSyncExternalStore(subscribeToSystemTheme, currentTheme)
}

/** Switches between light and dark and stores the choice. */
export const switchTheme = (): void => chooseTheme(currentTheme() === "dark" ? "light" : "dark")

/** Applies a theme chosen in another window. */
export const syncThemeAcrossWindows = (): void =>
  window.addEventListener("storage", () => applyTheme(parseTheme(readLocalStorage("theme"))))
