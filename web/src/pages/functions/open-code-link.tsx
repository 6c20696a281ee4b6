import { t } from "../../i18n/translate.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { useFunction } from "./use-function.ts"

/** Opens the function's code, for empty tabs that are filled from there. */
export const OpenCodeLink = () => (
  <ButtonLink to="/functions/$functionId" params={{ functionId: useFunction().id }}>
    {t("functions.openCode")}
  </ButtonLink>
)
