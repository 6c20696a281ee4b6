import type { MessageKey } from "../../i18n/translate.ts"
import type { PagePath } from "../../lib/use-go-to-page.ts"

export interface AdminPage {
  to: PagePath
  label: MessageKey
}

interface AdminPageGroup {
  label: MessageKey
  pages: readonly AdminPage[]
}

export const overviewPage: AdminPage = { to: "/admin", label: "overview.title" }

/** Every page of the administration, as its navigation groups them. */
export const adminPageGroups: readonly AdminPageGroup[] = [
  {
    label: "admin.people",
    pages: [
      { to: "/admin/users", label: "label.users" },
      { to: "/admin/groups", label: "label.groups" },
      { to: "/admin/invitations", label: "invitations.title" },
    ],
  },
  {
    label: "label.models",
    pages: [
      { to: "/admin/connections", label: "label.connections" },
      { to: "/admin/prices", label: "label.prices" },
      { to: "/admin/limits", label: "label.limits" },
      { to: "/admin/usage", label: "usage.title" },
      { to: "/admin/ratings", label: "ratings.title" },
    ],
  },
  {
    label: "admin.security",
    pages: [
      { to: "/admin/sign-on", label: "signOn.title" },
      { to: "/admin/provisioning", label: "label.provisioning" },
      { to: "/admin/keys", label: "label.apiKeys" },
      { to: "/admin/audit", label: "label.auditLog" },
    ],
  },
  {
    label: "admin.system",
    pages: [{ to: "/admin/settings", label: "label.settings" }],
  },
]
