import { Link, Outlet, useRouterState } from "@tanstack/react-router"
import { ChevronsUpDown } from "lucide-react"
import { Fragment } from "react"
import { t } from "../../i18n/translate.ts"
import { useGoToPage } from "../../lib/use-go-to-page.ts"
import { Button } from "../../ui/button.tsx"
import { Menu, MenuItem, MenuSeparator } from "../../ui/menu.tsx"
import { type AdminPage, adminPageGroups, overviewPage } from "./admin-navigation.ts"

/** The pages of the administration, with their navigation on the left, or above if space is scarce. */
export const AdminLayout = () => (
  <div className="mx-auto flex w-full max-w-[92rem] min-[1100px]:items-start">
    <nav
      aria-label={t("admin.title")}
      className="sticky top-0 flex w-50 shrink-0 flex-col gap-4 self-start py-7 pl-6 max-[1099px]:hidden"
    >
      <ul>
        <NavigationEntry {...overviewPage} exact />
      </ul>
      {adminPageGroups.map(({ label, pages }) => (
        <div key={label}>
          <p id={label} className="px-2.5 pb-1 text-xs font-medium text-muted">
            {t(label)}
          </p>
          <ul aria-labelledby={label}>
            {pages.map((page) => (
              <NavigationEntry key={page.to} {...page} />
            ))}
          </ul>
        </div>
      ))}
    </nav>
    <div data-area className="min-w-0 flex-1">
      <nav
        aria-label={t("admin.title")}
        className="sticky top-0 z-20 border-b border-line bg-bg px-4 py-2 wide:px-8 min-[1100px]:hidden"
      >
        <NavigationMenu />
      </nav>
      <Outlet />
    </div>
  </div>
)

const NavigationEntry = ({ to, label, exact = false }: AdminPage & { exact?: boolean }) => (
  <li>
    <Link
      to={to}
      activeOptions={{ exact, includeSearch: false }}
      className="flex h-8 items-center rounded px-2.5 text-sm text-muted hover:bg-hover hover:text-text data-[status=active]:bg-hover data-[status=active]:font-medium data-[status=active]:text-text"
    >
      {t(label)}
    </Link>
  </li>
)

/** A button that names the current page and lists the others. */
const NavigationMenu = () => {
  const go = useGoToPage()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const current = adminPageGroups
    .flatMap(({ pages }) => pages)
    .find(({ to }) => path === to || path.startsWith(`${to}/`))
  return (
    <Menu
      align="start"
      trigger={<Button icon={ChevronsUpDown}>{t((current ?? overviewPage).label)}</Button>}
    >
      <MenuItem onClick={() => go(overviewPage.to)}>{t(overviewPage.label)}</MenuItem>
      {adminPageGroups.map(({ label, pages }) => (
        <Fragment key={label}>
          <MenuSeparator />
          {pages.map((page) => (
            <MenuItem key={page.to} onClick={() => go(page.to)}>
              {t(page.label)}
            </MenuItem>
          ))}
        </Fragment>
      ))}
    </Menu>
  )
}
