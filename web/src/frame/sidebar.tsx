import { Link } from "@tanstack/react-router"
import {
  Boxes,
  CircleUserRound,
  Keyboard,
  KeyRound,
  Library,
  LogOut,
  type LucideIcon,
  Moon,
  Search,
  Shield,
  SquareFunction,
  SquarePen,
  Sun,
  TextQuote,
} from "lucide-react"
import { currentTheme, switchTheme, useTheme } from "../browser/theme.ts"
import { t } from "../i18n/translate.ts"
import { signOut, useCurrentUser } from "../lib/session.ts"
import { type PagePath, useGoToPage } from "../lib/use-go-to-page.ts"
import { SidebarChats } from "../pages/chat/sidebar-chats.tsx"
import { UndoBar } from "../pages/chat/undo-bar.tsx"
import { IconButton } from "../ui/button.tsx"
import { classes } from "../ui/classes.ts"
import { KeyCombination } from "../ui/key-combination.tsx"
import { Logo } from "../ui/logo.tsx"
import { Menu, MenuItem, MenuSeparator } from "../ui/menu.tsx"

const rowClass =
  "flex h-8.5 w-full items-center gap-2.5 rounded px-2.5 text-sm text-text hover:bg-hover data-[status=active]:bg-hover data-[status=active]:font-medium [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted"

const SidebarLink = ({
  to,
  icon: Icon,
  label,
}: {
  to: PagePath
  icon: LucideIcon
  label: string
}) => (
  <Link to={to} className={rowClass}>
    <Icon aria-hidden />
    {label}
  </Link>
)

interface SidebarProps {
  /** The sidebar is open over the page, on a narrow screen. */
  isOverPage: boolean
  openPalette: () => void
  openKeys: () => void
}

export const Sidebar = ({ isOverPage, openPalette, openKeys }: SidebarProps) => (
  <div className="flex h-full flex-col gap-1 p-2">
    <div className="flex h-10 items-center gap-2 px-2 font-semibold">
      <Logo /> Portico
    </div>
    <Link
      to="/"
      activeOptions={{ exact: true }}
      className={classes(rowClass, "border border-line bg-bg font-medium")}
    >
      <SquarePen aria-hidden />
      {t("chat.new")}
    </Link>
    <button type="button" onClick={openPalette} className={rowClass}>
      <Search aria-hidden />
      <span className="flex-1 text-left">{t("list.search")}</span>
      <KeyCombination of="mod+k" />
    </button>
    <div className="min-h-0 flex-1 overflow-y-auto py-1">
      <SidebarChats isOverPage={isOverPage} />
    </div>
    <UndoBar />
    <SidebarFooter openKeys={openKeys} />
  </div>
)

const SidebarFooter = ({ openKeys }: { openKeys: () => void }) => {
  const me = useCurrentUser()
  useTheme()
  const go = useGoToPage()
  return (
    <div className="flex flex-col gap-0.5 border-t border-line pt-2">
      <nav aria-label={t("frame.places")}>
        <SidebarLink to="/models" icon={Boxes} label={t("label.models")} />
        <SidebarLink to="/knowledge" icon={Library} label={t("label.knowledge")} />
        <SidebarLink to="/prompts" icon={TextQuote} label={t("label.prompts")} />
        {me.role === "admin" && (
          <SidebarLink to="/functions" icon={SquareFunction} label={t("label.functions")} />
        )}
        {me.role === "admin" && <SidebarLink to="/admin" icon={Shield} label={t("admin.title")} />}
      </nav>
      <div className="flex items-center gap-1">
        <Menu
          align="start"
          side="top"
          trigger={
            <button type="button" className={classes(rowClass, "min-w-0 flex-1")}>
              <span
                aria-hidden
                className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent"
              >
                {[...me.name][0]?.toUpperCase()}
              </span>
              <span className="truncate">{me.name}</span>
            </button>
          }
        >
          <MenuItem icon={CircleUserRound} onClick={() => go("/account")}>
            {t("label.account")}
          </MenuItem>
          <MenuItem icon={KeyRound} onClick={() => go("/account/keys")}>
            {t("label.apiKeys")}
          </MenuItem>
          <MenuItem icon={Keyboard} onClick={openKeys}>
            {t("keyboard.title")}
          </MenuItem>
          <MenuSeparator />
          <MenuItem icon={LogOut} onClick={() => void signOut()}>
            {t("session.signOut")}
          </MenuItem>
        </Menu>
        <IconButton
          icon={currentTheme() === "dark" ? Sun : Moon}
          label={t("theme.switch")}
          keys="mod+shift+l"
          onClick={switchTheme}
        />
      </div>
    </div>
  )
}
