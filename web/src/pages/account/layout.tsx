import { useQuery } from "@tanstack/react-query"
import { Outlet } from "@tanstack/react-router"
import { t } from "../../i18n/translate.ts"
import { ownGroupsQuery } from "../../lib/queries.ts"
import { LinkTabs } from "../../ui/link-tabs.tsx"
import { TabbedArea } from "../../ui/page.tsx"

/** The user's groups have a tab only if there is something to do there. */
const useManagesGroups = (): boolean =>
  useQuery(ownGroupsQuery).data?.some(({ role }) => role === "manager") ?? false

export const AccountLayout = () => {
  const managesGroups = useManagesGroups()
  return (
    <TabbedArea
      tabs={
        <LinkTabs
          label={t("label.account")}
          tabs={[
            { to: "/account", label: t("account.profile"), exact: true },
            { to: "/account/instructions", label: t("label.instructions") },
            { to: "/account/keys", label: t("label.apiKeys") },
            { to: "/account/programs", label: t("programs.title") },
            { to: "/account/usage", label: t("usage.title") },
            ...(managesGroups
              ? [{ to: "/account/groups" as const, label: t("label.groups") }]
              : []),
            { to: "/account/sessions", label: t("label.sessions") },
          ]}
        />
      }
    >
      <Outlet />
    </TabbedArea>
  )
}
