import { Page } from "../../ui/page.tsx"

export const GroupsPage = () => <Page title="GroupsPage">…</Page>
