import { randomUUID } from "node:crypto"
import { adminEmail, adminPassword, type TestGateway } from "../harness/gateway.ts"
import { upload } from "../knowledge/collections.ts"
import { createFixtures, type Fixtures, functionSource, password, prompt } from "./fixtures.ts"
import { invitationRecipes } from "./invitation-requests.ts"
import { limitRecipes } from "./limit-requests.ts"
import { managerRecipes } from "./manager-requests.ts"
import { ownershipRecipes } from "./ownership-requests.ts"
import { priceRecipes } from "./price-requests.ts"
import { projectRecipes } from "./project-requests.ts"
import { promptRecipes } from "./prompt-requests.ts"
import { questionRecipes } from "./question-requests.ts"
import type { Recipes } from "./recipes.ts"
import { responseRecipes } from "./response-requests.ts"
import { scimRecipes } from "./scim-requests.ts"
import { webhookRecipes } from "./webhook-requests.ts"

const accountRecipes = (gateway: TestGateway, makers: Fixtures, secrets: string[]): Recipes => {
  const { post, newUser, newSession, newGroup, connectionBody, newConnection, newIdentity } = makers
  return {
    "POST /api/v1/auths/signup": () => ({
      path: "/api/v1/auths/signup",
      body: { name: "S", email: `${randomUUID()}@example.com`, password },
      key: null,
      actions: ["user.created", "session.created"],
    }),
    "POST /api/v1/auths/signin": () => ({
      path: "/api/v1/auths/signin",
      body: { email: adminEmail, password: adminPassword },
      key: null,
    }),
    "POST /api/v1/auths/signout": async () => ({
      path: "/api/v1/auths/signout",
      key: (await newSession()).token,
    }),
    "POST /api/v1/sso/signout": async () => ({
      path: "/api/v1/sso/signout",
      key: (await newSession()).token,
    }),
    "POST /api/v1/auths/update/profile": async () => ({
      path: "/api/v1/auths/update/profile",
      body: { name: "Renamed" },
      key: (await newSession()).token,
    }),
    "POST /api/v1/auths/update/password": async () => ({
      path: "/api/v1/auths/update/password",
      body: { password, new_password: `${password} anew` },
      key: (await newSession()).token,
      actions: ["user.updated", "session.created"],
    }),
    "POST /api/v1/auths/add": () => ({
      path: "/api/v1/auths/add",
      body: { name: "A", email: `${randomUUID()}@example.com`, password },
    }),
    "DELETE /api/v1/auths/sessions/:id": async () => {
      const { token } = await newSession()
      const { body } = await gateway.call("GET", "/api/v1/auths/sessions", undefined, {
        key: token,
      })
      return { path: `/api/v1/auths/sessions/${body[0].id}`, key: token }
    },
    "POST /api/v1/auths/api_keys": () => ({
      path: "/api/v1/auths/api_keys",
      body: { name: "made" },
    }),
    "DELETE /api/v1/auths/api_keys/:id": async () => {
      const { id, api_key } = await post("/api/v1/auths/api_keys", { name: "gone" })
      secrets.push(api_key)
      return { path: `/api/v1/auths/api_keys/${id}` }
    },
    "POST /api/v1/auths/api_key": async () => ({
      path: "/api/v1/auths/api_key",
      key: (await newSession()).token,
    }),
    "DELETE /api/v1/auths/api_key": async () => {
      const { token } = await newSession()
      await post("/api/v1/auths/api_key", undefined, token)
      return { path: "/api/v1/auths/api_key", key: token }
    },
    "DELETE /api/v1/sso/identities/:id": async () => {
      const { id, token } = await newSession()
      return { path: `/api/v1/sso/identities/${await newIdentity(id)}`, key: token }
    },
    "DELETE /api/v1/sso/users/:id/identities/:identity": async () => {
      const { id } = await newUser()
      return { path: `/api/v1/sso/users/${id}/identities/${await newIdentity(id)}` }
    },
    "POST /api/v1/users/:id/update": async () => ({
      path: `/api/v1/users/${(await newUser()).id}/update`,
      body: { role: "pending", active: false, name: "Other" },
    }),
    "POST /api/v1/users/:id/release": async () => {
      const { id } = await newUser()
      await post(`/api/v1/users/${id}/update`, { active: false })
      return { path: `/api/v1/users/${id}/release` }
    },
    "DELETE /api/v1/users/:id": async () => ({ path: `/api/v1/users/${(await newUser()).id}` }),
    "POST /api/v1/groups/create": () => ({
      path: "/api/v1/groups/create",
      body: { name: randomUUID() },
    }),
    "POST /api/v1/groups/:id/update": async () => ({
      path: `/api/v1/groups/${(await newGroup()).id}/update`,
      body: { description: "other" },
    }),
    "DELETE /api/v1/groups/:id": async () => ({ path: `/api/v1/groups/${(await newGroup()).id}` }),
    "POST /api/v1/groups/:id/members/add": async () => ({
      path: `/api/v1/groups/${(await newGroup()).id}/members/add`,
      body: { user_ids: [(await newUser()).id, (await newUser()).id] },
    }),
    "POST /api/v1/groups/:id/members/remove": async () => {
      const { id } = await newGroup()
      const user_ids = [(await newUser()).id]
      await post(`/api/v1/groups/${id}/members/add`, { user_ids })
      return { path: `/api/v1/groups/${id}/members/remove`, body: { user_ids } }
    },
    "POST /api/v1/connections/create": () => ({
      path: "/api/v1/connections/create",
      body: connectionBody(),
    }),
    "POST /api/v1/connections/:id/update": async () => ({
      path: `/api/v1/connections/${(await newConnection()).id}/update`,
      body: { enabled: false, api_key: "sk-another-one-0123456789" },
    }),
    "DELETE /api/v1/connections/:id": async () => ({
      path: `/api/v1/connections/${(await newConnection()).id}`,
    }),
  }
}

const contentRecipes = (gateway: TestGateway, makers: Fixtures): Recipes => {
  const {
    post,
    modelBody,
    newModel,
    functionBody,
    newFunction,
    newFile,
    newCollection,
    filledCollection,
  } = makers
  return {
    "POST /api/v1/models/create": () => ({ path: "/api/v1/models/create", body: modelBody() }),
    "POST /api/v1/models/model/update": async () => ({
      path: `/api/v1/models/model/update?id=${(await newModel()).id}`,
      body: { name: "Other", params: { system: `${prompt} and more` } },
    }),
    "POST /api/v1/models/model/toggle": async () => ({
      path: `/api/v1/models/model/toggle?id=${(await newModel()).id}`,
    }),
    "POST /api/v1/models/model/delete": async () => ({
      path: "/api/v1/models/model/delete",
      body: { id: (await newModel()).id },
    }),
    "POST /api/v1/models/import": () => ({
      path: "/api/v1/models/import",
      body: { models: [modelBody()] },
    }),
    "POST /api/v1/files": () => ({
      path: "/api/v1/files/",
      send: () => upload(gateway, "sent.md", "# Sent\n\nWords."),
    }),
    "POST /api/v1/files/:id/process": async () => ({
      path: `/api/v1/files/${(await newFile()).id}/process`,
    }),
    "DELETE /api/v1/files/:id": async () => ({ path: `/api/v1/files/${(await newFile()).id}` }),
    "POST /api/v1/knowledge/create": () => ({
      path: "/api/v1/knowledge/create",
      body: { name: randomUUID() },
    }),
    "POST /api/v1/knowledge/:id/update": async () => ({
      path: `/api/v1/knowledge/${(await newCollection()).id}/update`,
      body: { name: randomUUID(), description: "other" },
    }),
    "DELETE /api/v1/knowledge/:id/delete": async () => ({
      path: `/api/v1/knowledge/${(await filledCollection()).id}/delete`,
    }),
    "POST /api/v1/knowledge/:id/file/add": async () => ({
      path: `/api/v1/knowledge/${(await newCollection()).id}/file/add`,
      body: { file_id: (await newFile()).id },
    }),
    "POST /api/v1/knowledge/:id/files/batch/add": async () => ({
      path: `/api/v1/knowledge/${(await newCollection()).id}/files/batch/add`,
      body: [{ file_id: (await newFile()).id }, { file_id: (await newFile()).id }],
    }),
    "POST /api/v1/knowledge/:id/file/remove": async () => {
      const { id, file_id } = await filledCollection()
      return { path: `/api/v1/knowledge/${id}/file/remove`, body: { file_id } }
    },
    "POST /api/v1/knowledge/:id/reset": async () => ({
      path: `/api/v1/knowledge/${(await filledCollection()).id}/reset`,
    }),
    "POST /api/v1/functions/create": () => ({
      path: "/api/v1/functions/create",
      body: functionBody(),
    }),
    "POST /api/v1/functions/import": () => ({
      path: "/api/v1/functions/import",
      body: { functions: [functionBody()] },
    }),
    "POST /api/v1/functions/id/:id/update": async () => ({
      path: `/api/v1/functions/id/${(await newFunction()).id}/update`,
      body: { name: "Other" },
    }),
    "POST /api/v1/functions/id/:id/toggle": async () => ({
      path: `/api/v1/functions/id/${(await newFunction()).id}/toggle`,
    }),
    "DELETE /api/v1/functions/id/:id/delete": async () => ({
      path: `/api/v1/functions/id/${(await newFunction()).id}/delete`,
    }),
    "POST /api/v1/functions/id/:id/valves": async () => ({
      path: `/api/v1/functions/id/${(await newFunction()).id}/valves`,
      body: { values: { secret: password } },
    }),
    "POST /api/v1/functions/id/:id/versions/:version/restore": async () => {
      const { id } = await newFunction()
      const content = `${functionSource}\n// again`
      await post(`/api/v1/functions/id/${id}/update`, { content })
      return { path: `/api/v1/functions/id/${id}/versions/1/restore` }
    },
    "DELETE /api/v1/chats/:id": async () => ({
      path: `/api/v1/chats/${(await post("/api/v1/chats/new", { title: prompt })).id}`,
    }),
    "POST /api/v1/embedding-model/installations/:name": () => ({
      path: "/api/v1/embedding-model/installations/multilingual-e5-small",
    }),
    "DELETE /api/v1/embedding-model/installations/:name": () => ({
      path: "/api/v1/embedding-model/installations/multilingual-e5-small",
    }),
    "POST /api/v1/settings": () => ({
      path: "/api/v1/settings",
      body: { enable_openai_proxy: true, chat_titles: "words" },
    }),
  }
}

/** For each route, a request that succeeds. A new route needs an entry here. */
export const createRecipes = (gateway: TestGateway, secrets: string[]): Recipes => {
  const makers = createFixtures(gateway)
  return {
    ...accountRecipes(gateway, makers, secrets),
    ...contentRecipes(gateway, makers),
    ...questionRecipes(gateway, makers),
    ...managerRecipes(makers),
    ...priceRecipes(gateway),
    ...limitRecipes(gateway),
    ...webhookRecipes(gateway, secrets),
    ...promptRecipes(makers),
    ...invitationRecipes(makers, secrets),
    ...scimRecipes(makers),
    ...ownershipRecipes(makers),
    ...projectRecipes(makers),
    ...responseRecipes(gateway),
  }
}
