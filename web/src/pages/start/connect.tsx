import { Page } from "../../ui/page.tsx"

export const ConnectPage = () => <Page title="ConnectPage">…</Page>
