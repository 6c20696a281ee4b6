import { Page } from "../../ui/page.tsx"

export const NewKeyPage = () => <Page title="NewKeyPage">…</Page>
