import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { startLanguage, useLanguage } from "./i18n/translate.ts"
import { queryClient } from "./lib/query-client.ts"
import { readStored, writeStored } from "./lib/stored.ts"
import { followTheme } from "./lib/theme.ts"
import { router } from "./router.tsx"
import "./styles.css"

const reloadPauseMs = 10_000

// A newer page was put in place while this one was open: its parts are there only after a reload.
window.addEventListener("vite:preloadError", () => {
  const last = Number(readStored("reloaded"))
  if (Date.now() - last < reloadPauseMs) return
  writeStored("reloaded", String(Date.now()))
  window.location.reload()
})

const Portico = () => (
  // Another language draws everything anew.
  <RouterProvider key={useLanguage()} router={router} />
)

followTheme()
await startLanguage()
const root = document.getElementById("root")
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <Portico />
      </QueryClientProvider>
    </StrictMode>,
  )
}
