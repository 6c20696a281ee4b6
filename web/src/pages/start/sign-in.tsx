import { Page } from "../../ui/page.tsx"

export const SignInPage = () => <Page title="SignInPage">…</Page>
