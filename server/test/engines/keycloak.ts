import { existsSync, mkdirSync, rmSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { z } from "zod"
import { findFreePort } from "../harness/ports.ts"
import { waitFor } from "../harness/usage-records.ts"
import { cacheFolder, type Engine, runInstaller, startEngine } from "./install.ts"

export const keycloakVersion = "26.7.3"
const admin = { username: "admin", password: "keycloak-admin" }
export const clientSecret = "the-secret-of-the-client-in-keycloak"
export const password = "a password in Keycloak"

const installKeycloak = async (): Promise<string> => {
  const folder = join(cacheFolder, `keycloak-${keycloakVersion}`)
  if (!existsSync(join(folder, "bin/kc.sh"))) {
    const path = `org/keycloak/keycloak-quarkus-dist/${keycloakVersion}`
    const artifact = `org.keycloak:keycloak-quarkus-dist:${keycloakVersion}:zip`
    await runInstaller("mvn", [
      "-q",
      "dependency:get",
      `-Dartifact=${artifact}`,
      "-Dtransitive=false",
    ])
    const zip = join(
      homedir(),
      ".m2/repository",
      path,
      `keycloak-quarkus-dist-${keycloakVersion}.zip`,
    )
    mkdirSync(cacheFolder, { recursive: true })
    await runInstaller("python3", ["-m", "zipfile", "-e", zip, cacheFolder])
    await runInstaller("chmod", ["-R", "u+x", join(folder, "bin")])
  }
  return folder
}

const createKeycloakUser = (username: string, groups: string[] = []) => ({
  username,
  email: `${username}@example.com`,
  emailVerified: true,
  firstName: username,
  lastName: "Example",
  enabled: true,
  groups,
  credentials: [{ type: "password", value: password, temporary: false }],
})

/** A realm with a client for the gateway at `url`, a few users and a group. */
const createRealm = (url: string) => ({
  realm: "harbour",
  enabled: true,
  sslRequired: "none",
  groups: [{ name: "engineers" }],
  users: [
    createKeycloakUser("grace", ["/engineers"]),
    createKeycloakUser("linked"),
    createKeycloakUser("leaver"),
    createKeycloakUser("ended"),
    createKeycloakUser("rotated"),
    createKeycloakUser("late"),
  ],
  clients: [
    {
      clientId: "portico",
      secret: clientSecret,
      protocol: "openid-connect",
      publicClient: false,
      standardFlowEnabled: true,
      redirectUris: [`${url}/api/v1/sso/keycloak/callback`],
      attributes: {
        "post.logout.redirect.uris": `${url}/sign-in`,
        "backchannel.logout.url": `${url}/api/v1/sso/keycloak/backchannel-logout`,
        "backchannel.logout.session.required": "true",
        "pkce.code.challenge.method": "S256",
      },
      protocolMappers: [
        {
          name: "groups",
          protocol: "openid-connect",
          protocolMapper: "oidc-group-membership-mapper",
          config: {
            "claim.name": "groups",
            "full.path": "false",
            "id.token.claim": "true",
            "access.token.claim": "true",
            "userinfo.token.claim": "true",
          },
        },
      ],
    },
  ],
})

/** Starts Keycloak with a realm for the gateway at `url`. */
export const startKeycloak = async (url: string) => {
  const folder = await installKeycloak()
  // Data of earlier runs contains another URL and another realm.
  rmSync(join(folder, "data"), { recursive: true, force: true })
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const start = async (): Promise<Engine> => {
    const address = ["--http-host=127.0.0.1", `--http-port=${port}`, `--hostname=${origin}`]
    const engine = startEngine(join(folder, "bin/kc.sh"), ["start-dev", ...address], {
      env: {
        JAVA_OPTS_KC_HEAP: "-Xms64m -Xmx512m",
        KC_BOOTSTRAP_ADMIN_USERNAME: admin.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: admin.password,
      },
    })
    await waitFor(
      () =>
        fetch(`${origin}/realms/master`).then(
          ({ ok }) => ok,
          () => false,
        ),
      900_000,
    )
    return engine
  }

  const engine = await start()

  const call = async (method: string, path: string, body?: unknown) => {
    const grant = { client_id: "admin-cli", grant_type: "password", ...admin }
    const tokenResponse = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
      method: "POST",
      body: new URLSearchParams(grant),
    })
    const { access_token } = z
      .object({ access_token: z.string() })
      .parse(await tokenResponse.json())
    const response = await fetch(`${origin}/admin/realms${path}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`Keycloak responded with ${response.status}: ${text}`)
    return text ? JSON.parse(text) : undefined
  }
  await call("POST", "", createRealm(url))

  return {
    issuer: `${origin}/realms/harbour`,
    call,
    idOf: async (username: string): Promise<string> =>
      (await call("GET", `/harbour/users?exact=true&username=${username}`))[0].id,
    stop: () => engine.kill("SIGKILL"),
  }
}
