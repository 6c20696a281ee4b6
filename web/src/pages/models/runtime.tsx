import { Page } from "../../ui/page.tsx"

export const RuntimePage = () => <Page title="RuntimePage">…</Page>
