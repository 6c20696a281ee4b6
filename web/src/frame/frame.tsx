import { useQuery } from "@tanstack/react-query"
import { Outlet, useRouterState } from "@tanstack/react-router"
import { Menu as MenuIcon, Search, SquarePen, X } from "lucide-react"
import { Suspense, useEffect, useRef, useState } from "react"
import { switchTheme } from "../browser/theme.ts"
import { t } from "../i18n/translate.ts"
import { lazyComponent, setLazyLoadFailed, useHasLazyLoadFailed } from "../lib/lazy-component.tsx"
import { useIsReachable } from "../lib/reachability.ts"
import { sessionQuery } from "../lib/session.ts"
import { useShortcut } from "../lib/shortcuts.ts"
import { useGoToPage } from "../lib/use-go-to-page.ts"
import { UndoBar } from "../pages/chat/undo-bar.tsx"
import { IconButton } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { LazyLoadBoundary } from "../ui/lazy-load-boundary.tsx"
import { LazyPopup } from "../ui/lazy-popup.tsx"
import { Logo } from "../ui/logo.tsx"
import { PageBarSlotContext } from "../ui/page-bar.tsx"
import { Banner } from "./banner.tsx"
import { Sidebar } from "./sidebar.tsx"

const CommandPalette = lazyComponent(
  async () => (await import("./command-palette.tsx")).CommandPalette,
)
const SignInAgain = lazyComponent(async () => (await import("./sign-in-again.tsx")).SignInAgain)
const KeyboardHelp = lazyComponent(async () => (await import("./keyboard-help.tsx")).KeyboardHelp)

type OpenDialog = "palette" | "keys" | null

/** Shown while the gateway is unreachable. */
const ConnectionLostBar = () => {
  const isReachable = useIsReachable()
  return (
    <div role="status">
      {!isReachable && (
        <p className="bg-warn-soft px-4 py-1.5 text-center text-xs text-warn">{t("error.away")}</p>
      )}
    </div>
  )
}

/** Shown after a menu or dialog could not be loaded. */
const LazyLoadFailedBar = () => {
  if (!useHasLazyLoadFailed()) return null
  return (
    <div role="alert" className="flex items-center gap-2 bg-danger-soft py-1 pr-2 pl-4 text-sm">
      <p className="min-w-0 flex-1">{t("error.notLoaded")}</p>
      <IconButton icon={X} label={t("banner.dismiss")} onClick={() => setLazyLoadFailed(false)} />
    </div>
  )
}

/** The sidebar, the page, and the dialogs on top of both. */
export const Frame = () => {
  const [open, setOpen] = useState(false)
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null)
  const go = useGoToPage()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const [pageBarSlot, setPageBarSlot] = useState<HTMLElement | null>(null)
  const close = (): void => setOpenDialog(null)
  const hasSessionEnded = useQuery(sessionQuery).data === null

  useShortcut("mod+k", () => setOpenDialog(openDialog === "palette" ? null : "palette"))
  useShortcut("mod+/", () => setOpenDialog(openDialog === "keys" ? null : "keys"))
  useShortcut("mod+shift+l", switchTheme)
  // Browsers reserve ⌘N unless the page is installed as an app; ⌘⇧O is the common alternative.
  useShortcut("mod+n", () => go("/"))
  useShortcut("mod+shift+o", () => go("/"))
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the sidebar
  useEffect(() => setOpen(false), [path])
  useShortcut("escape", open ? () => setOpen(false) : undefined)
  const opener = useRef<HTMLButtonElement>(null)
  const sidebar = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!open) return
    const { current: button } = opener
    sidebar.current?.querySelector<HTMLElement>("a, button")?.focus()
    return () => button?.focus()
  }, [open])

  return (
    <div className="flex h-dvh overflow-hidden">
      <a
        href="#page"
        className="sr-only rounded bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50"
      >
        {t("frame.skip")}
      </a>
      {open && (
        <button
          type="button"
          aria-label={t("frame.closeSidebar")}
          onClick={() => setOpen(false)}
          className="fixed inset-0 z-20 bg-shade wide:hidden"
        />
      )}
      <aside
        ref={sidebar}
        id="sidebar"
        className={classes(
          "w-66 shrink-0 border-r border-line bg-surface",
          "max-wide:fixed max-wide:inset-y-0 max-wide:left-0 max-wide:z-30 max-wide:w-[min(16.5rem,85vw)]",
          !open && "max-wide:hidden",
        )}
      >
        <Sidebar
          isOverPage={open}
          openPalette={() => setOpenDialog("palette")}
          openKeys={() => setOpenDialog("keys")}
        />
      </aside>
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="flex h-12 shrink-0 items-center gap-1 border-b border-line px-2 wide:hidden">
          <IconButton
            ref={opener}
            icon={MenuIcon}
            label={t("frame.openSidebar")}
            aria-expanded={open}
            aria-controls="sidebar"
            onClick={() => setOpen(true)}
          />
          <div
            ref={setPageBarSlot}
            className="peer flex min-w-0 flex-1 items-center justify-between gap-1 empty:hidden"
          />
          <span className="flex flex-1 items-center gap-2 text-sm font-semibold peer-not-empty:hidden">
            <Logo /> Portico
          </span>
          <span className="peer-not-empty:hidden">
            <IconButton
              icon={Search}
              label={t("list.search")}
              onClick={() => setOpenDialog("palette")}
            />
          </span>
          <IconButton icon={SquarePen} label={t("chat.new")} onClick={() => go("/")} />
        </header>
        <ConnectionLostBar />
        <LazyLoadFailedBar />
        <Banner />
        <main
          id="page"
          tabIndex={-1}
          className="relative min-h-0 flex-1 scroll-pt-14 scroll-pb-20 overflow-y-auto outline-none"
        >
          <PageBarSlotContext value={pageBarSlot}>
            <Outlet />
          </PageBarSlotContext>
        </main>
        {/* The sidebar shows it too; when that is closed, nobody would see it. */}
        {!open && (
          <div className="p-2 has-[[role=status]:empty]:p-0 wide:hidden">
            <UndoBar />
          </div>
        )}
      </div>
      <LazyPopup onCancel={close}>
        {openDialog === "palette" && (
          <CommandPalette onClose={close} openKeys={() => setOpenDialog("keys")} />
        )}
        {openDialog === "keys" && <KeyboardHelp onClose={close} />}
      </LazyPopup>
      <LazyLoadBoundary>
        <Suspense>{hasSessionEnded && <SignInAgain />}</Suspense>
      </LazyLoadBoundary>
    </div>
  )
}
