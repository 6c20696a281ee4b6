import { Page } from "../../ui/page.tsx"

export const GroupPage = () => <Page title="GroupPage">…</Page>
