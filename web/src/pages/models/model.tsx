import { Page } from "../../ui/page.tsx"

export const ModelPage = () => <Page title="ModelPage">…</Page>
