import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { chooseDatabases } from "../harness/databases.ts"
import { startGatewayOnDatabase, type TestGateway } from "../harness/gateway.ts"
import { exchangeOf, message, storedResponsesOf } from "./responses.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

describe.each(chooseDatabases())(
  "the routes of stored responses on $name",
  ({ createDatabase }) => {
    let gateway: TestGateway
    let responses: ReturnType<typeof storedResponsesOf>
    let bob: { id: string; key: string }
    let eve: { id: string; key: string }

    beforeAll(async () => {
      gateway = await startGatewayOnDatabase(createDatabase)
      responses = storedResponsesOf(gateway)
      bob = await gateway.createUser("Bob")
      eve = await gateway.createUser("Eve")
    })
    afterAll(() => gateway.stop())

    const call = (method: string, path: string, key = bob.key) =>
      gateway.call(method, path, undefined, { key })

    const expectNotFound = ({ status, body }: { status: number; body: unknown }): void =>
      expect({ status, body }).toMatchObject({
        status: 404,
        body: { error: { code: "not_found", type: "invalid_request_error" } },
      })

    it("return the response as it was stored, under every prefix", async () => {
      const exchange = exchangeOf("resp_get")
      await responses.save(bob.id, exchange)
      for (const prefix of ["/v1", "/api", "/api/v1"]) {
        const { status, body } = await call("GET", `${prefix}/responses/resp_get`)
        expect([status, JSON.stringify(body)]).toEqual([200, JSON.stringify(exchange.response)])
      }
    })

    it("reject streaming", async () => {
      await responses.save(bob.id, exchangeOf("resp_stream"))
      const { status, body } = await call("GET", "/v1/responses/resp_stream?stream=true")
      expect([status, body.error.code]).toEqual([501, "not_implemented"])
      expect((await call("GET", "/v1/responses/resp_stream?stream=false")).status).toBe(200)
    })

    it("delete a response with its items", async () => {
      await responses.save(bob.id, exchangeOf("resp_delete"))
      const deleted = await call("DELETE", "/v1/responses/resp_delete")
      expect(deleted).toMatchObject({
        status: 200,
        body: { id: "resp_delete", object: "response", deleted: true },
      })
      expectNotFound(await call("GET", "/v1/responses/resp_delete"))
      expectNotFound(await call("DELETE", "/v1/responses/resp_delete"))
      expectNotFound(await call("GET", "/v1/responses/resp_delete/input_items"))
      expect(await responses.readItems(bob.id, ["in_resp_delete"])).toEqual(new Map())
    })

    it("treat other users' responses as unknown, even those of administrators' users", async () => {
      await responses.save(bob.id, exchangeOf("resp_bobs"))
      for (const key of [eve.key, gateway.key]) {
        for (const id of ["resp_bobs", "resp_unknown"]) {
          expectNotFound(await call("GET", `/v1/responses/${id}`, key))
          expectNotFound(await call("GET", `/v1/responses/${id}/input_items`, key))
          expectNotFound(await call("POST", `/v1/responses/${id}/cancel`, key))
          expectNotFound(await call("DELETE", `/v1/responses/${id}`, key))
        }
      }
      expect((await call("GET", "/v1/responses/resp_bobs")).status).toBe(200)
    })

    it("keep responses of two users apart that have the same id", async () => {
      await responses.save(bob.id, exchangeOf("resp_same", { text: "of bob" }))
      await responses.save(eve.id, exchangeOf("resp_same", { text: "of eve" }))
      const textOf = async (key: string) =>
        (await call("GET", "/v1/responses/resp_same", key)).body.output[0].content[0].text
      expect([await textOf(bob.key), await textOf(eve.key)]).toEqual(["OF BOB", "OF EVE"])
      expect((await call("DELETE", "/v1/responses/resp_same", eve.key)).status).toBe(200)
      expect(await textOf(bob.key)).toBe("OF BOB")
      expect(await responses.readHistory(bob.id, "resp_same")).toHaveLength(2)
    })

    it("cancel only background responses", async () => {
      await responses.save(bob.id, exchangeOf("resp_front"))
      const front = await call("POST", "/v1/responses/resp_front/cancel")
      expect([front.status, front.body.error.code]).toEqual([400, "bad_request"])
      expect(front.body.error.message).toContain("background")
      const { response, input } = exchangeOf("resp_back")
      await responses.save(bob.id, { response: { ...response, background: true }, input })
      const back = await call("POST", "/v1/responses/resp_back/cancel")
      expect(back).toMatchObject({ status: 200, body: { id: "resp_back", status: "completed" } })
    })

    describe("list input items", () => {
      const path = "/v1/responses/resp_items/input_items"
      const list = async (query: string) => (await call("GET", path + query)).body
      const idsOf = (body: { data: { id: string }[] }): string[] => body.data.map(({ id }) => id)
      const all = Array.from({ length: 25 }, (_, n) => `in_${n}`)

      beforeAll(async () => {
        const input = all.map((id) => message(`text of ${id}`, id))
        await responses.save(bob.id, { ...exchangeOf("resp_items"), input })
      })

      it("newest first, 20 at a time by default, without output", async () => {
        const first = await list("")
        expect(first).toMatchObject({ object: "list", first_id: "in_24", last_id: "in_5" })
        expect(first).toMatchObject({ has_more: true })
        expect(first.data[0]).toEqual(message("text of in_24", "in_24"))
        const rest = await list("?after=in_5")
        expect(idsOf(first).concat(idsOf(rest))).toEqual(all.toReversed())
        expect(rest.has_more).toBe(false)
      })

      it("oldest first on request", async () => {
        expect(idsOf(await list("?order=asc&limit=3"))).toEqual(["in_0", "in_1", "in_2"])
        const next = await list("?order=asc&limit=100&after=in_2")
        expect([idsOf(next), next.has_more]).toEqual([all.slice(3), false])
        expect(await list("?after=in_0")).toEqual({
          ...{ object: "list", data: [], first_id: null, last_id: null, has_more: false },
        })
      })

      it("to the end even if an id occurs twice", async () => {
        const input = ["a", "b", "a", "c"].map((id) => message(id, id))
        await responses.save(bob.id, { ...exchangeOf("resp_twice"), input })
        for (const [order, expected] of [
          ["asc", ["a", "c"]],
          ["desc", ["c", "a"]],
        ]) {
          const ids: string[] = []
          let query = `?limit=1&order=${order}`
          for (let page = 0; page < 5; page++) {
            const { body } = await call("GET", `/v1/responses/resp_twice/input_items${query}`)
            ids.push(...idsOf(body))
            if (!body.has_more) break
            query = `?limit=1&order=${order}&after=${body.last_id}`
          }
          expect(ids).toEqual(expected)
        }
      })

      it.each([
        ["?limit=0", 422],
        ["?limit=101", 422],
        ["?order=up", 422],
        ["?after=in_unknown", 400],
        ["?after=msg_of_resp_items", 400],
      ])("reject %s", async (query, status) => {
        expect((await call("GET", path + query)).status).toBe(status)
      })
    })

    it("are open to keys limited to models, but not to keys limited to other routes", async () => {
      await responses.save(bob.id, exchangeOf("resp_limited"))
      const statusFor = async (limits: object): Promise<number> => {
        const options = { key: bob.key }
        const { body } = await gateway.call("POST", "/api/v1/auths/api_keys", limits, options)
        return (await call("GET", "/v1/responses/resp_limited", body.api_key)).status
      }
      // As with chats, such a key is limited in the models that it can call.
      expect(await statusFor({ name: "model", allowed_models: ["gpt-other"] })).toBe(200)
      expect(await statusFor({ name: "create", allowed_routes: ["/v1/responses"] })).toBe(403)
      expect(await statusFor({ name: "all", allowed_routes: ["/api/responses/*"] })).toBe(200)
    })

    it("find nothing under ids that cannot be stored", async () => {
      for (const id of ["%00", "a%20b", "%F0%9F%90%9D", "x".repeat(501)]) {
        expectNotFound(await call("GET", `/v1/responses/${id}`))
      }
    })
  },
)
