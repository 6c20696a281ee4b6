import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { syncThemeAcrossWindows } from "./browser/theme.ts"
import { initLanguage, useLanguage } from "./i18n/translate.ts"
import { removeLegacyModelChoices } from "./lib/account-storage.ts"
import { removeLegacyDrafts } from "./lib/drafts.ts"
import { preventDropNavigation } from "./lib/drop-guard.ts"
import { queryClient } from "./lib/query-client.ts"
import { reloadNewerBuild } from "./lib/reload-newer-build.ts"
import { router } from "./router.tsx"
import "./styles.css"

window.addEventListener("vite:preloadError", () => void reloadNewerBuild().catch(() => {}))

const Portico = () => (
  // A language change re-renders everything.
  <RouterProvider key={useLanguage()} router={router} />
)

syncThemeAcrossWindows()
preventDropNavigation()
removeLegacyDrafts()
removeLegacyModelChoices()
await initLanguage()
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
