import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import type { SettingsStore } from "../settings/settings.ts"
import { createAccountMatcher } from "./account-matching.ts"
import { createSignOnFlows } from "./authorization-flow.ts"
import { createGroupSync, type GroupSyncDeps } from "./group-sync.ts"
import { createIdentities, type IdentitiesDeps } from "./identities.ts"
import { createProviderClient, type SignOnProviderClient } from "./provider-client.ts"
import type { SignOnProvider } from "./schema.ts"
import { createSignOn, type SignOnDeps } from "./sign-on.ts"
import { createSignOnStore } from "./store.ts"

interface Deps
  extends Omit<SignOnDeps, "store" | "flows" | "memberships" | "resolve">,
    Omit<IdentitiesDeps, "store" | "providers">,
    Omit<GroupSyncDeps, "store"> {
  background: BackgroundTasks
  config: Config
  settings: SettingsStore
  isClockTrusted: () => boolean
}

/** Builds single sign-on from the providers configured in the environment. */
export const createSingleSignOn = (deps: Deps) => {
  const { background, config, db, users, userStore, settings, secrets, now } = deps
  const store = createSignOnStore(db, deps.isClockTrusted)
  // PUBLIC_URL is required as soon as there is a provider; the default is never used.
  const publicUrl = config.PUBLIC_URL ?? "http://127.0.0.1"
  const providers = config.signOn.map((provider) =>
    createProviderClient({ background, settings: provider, publicUrl }),
  )
  const findProvider = (name: string): SignOnProviderClient | undefined =>
    providers.find((provider) => provider.settings.name === name)
  const flows = createSignOnFlows({ secrets, publicUrl, now })
  const memberships = createGroupSync({ ...deps, store })
  const signUpIsOpen = () => settings.current().enable_signup
  const resolve = createAccountMatcher({ store, users, userStore, signUpIsOpen })
  const signOn = createSignOn({ ...deps, store, flows, memberships, resolve })
  const identities = createIdentities({ ...deps, store, providers: config.signOn })

  /** Prevents administrators from locking themselves out. */
  settings.addCheck(async (actor, { password_sign_in: requested }, tx) => {
    if (requested === undefined || requested === "on") return
    if (providers.length === 0) {
      fail("conflict", "No single sign-on provider is configured, so password sign-in must stay on")
    }
    if (requested === "administrators") return
    const identityRows = actor.id === null ? [] : await store.identitiesOf(actor.id, tx)
    if (identityRows.some(({ provider }) => findProvider(provider))) return
    fail("conflict", "You would lock yourself out. Link your own account to a provider first.")
  })

  return {
    signOn,
    flows,
    identities,
    findProvider,
    publicHost: new URL(publicUrl).host,

    /** The buttons on the sign-in page. */
    buttons: config.signOn.map(({ name, label }) => ({ name, label })),

    list: async (): Promise<SignOnProvider[]> => {
      const summary = await store.summary()
      return providers.map((provider) => {
        const { client_secret, ...shown } = provider.settings
        const { redirectUri, postLogoutRedirectUri, backchannelLogoutUri } = provider
        const known = summary.get(shown.issuer)
        return {
          ...shown,
          variables: `OIDC_${shown.name.toUpperCase().replaceAll("-", "_")}_`,
          has_secret: client_secret !== null,
          redirect_uri: redirectUri,
          post_logout_redirect_uri: postLogoutRedirectUri,
          backchannel_logout_uri: backchannelLogoutUri,
          accounts: known?.accounts ?? 0,
          last_used_at: known?.last_used_at ?? null,
        }
      })
    },
  }
}

export type SingleSignOn = ReturnType<typeof createSingleSignOn>
