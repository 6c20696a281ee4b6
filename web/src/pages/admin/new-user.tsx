import { Page } from "../../ui/page.tsx"

export const NewUserPage = () => <Page title="NewUserPage">…</Page>
