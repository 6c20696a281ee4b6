import type { TestGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"

/** Creates a connection and waits until its models are listed. @returns its id */
export const addConnection = async (gateway: TestGateway, fields: object): Promise<string> => {
  const { body } = await gateway.call("POST", "/api/v1/connections/create", fields)
  await waitUntilListed(gateway)
  return body.id
}

/** Waits until the gateway has listed the models of all connections. */
export const waitUntilListed = ({ gateway }: TestGateway) =>
  waitFor(() => gateway.registry.connections().every((connection) => connection.hasListed()))

/** Waits until the gateway uses all connections, including those that failed. */
export const waitUntilNoneRests = ({ gateway }: TestGateway) =>
  waitFor(() => gateway.registry.connections().every((connection) => !connection.isResting()))
