import { readLocalStorage, writeLocalStorage } from "../browser/local-storage.ts"

const reloadPauseMs = 10_000

const isReplaced = async (): Promise<boolean> => {
  const own = document.querySelector<HTMLScriptElement>("script[type=module][src]")?.src
  if (own === undefined) return false
  const response = await fetch("/", { cache: "no-store" })
  return response.ok && !(await response.text()).includes(new URL(own).pathname)
}

/**
 * Reloads the page if the gateway serves a newer build, which has replaced the files of this one.
 * Without a connection, a reload would only lose the page.
 */
export const reloadNewerBuild = async (): Promise<void> => {
  const last = Number(readLocalStorage("reloaded"))
  if (Date.now() - last < reloadPauseMs || !(await isReplaced())) return
  writeLocalStorage("reloaded", String(Date.now()))
  window.location.reload()
}
