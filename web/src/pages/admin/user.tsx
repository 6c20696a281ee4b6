import { Page } from "../../ui/page.tsx"

export const UserPage = () => <Page title="UserPage">…</Page>
