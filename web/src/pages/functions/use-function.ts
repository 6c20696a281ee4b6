import { useSuspenseQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import type { FunctionRecord } from "../../../../server/src/functions/schema.ts"
import { functionQuery } from "./function-queries.ts"

/** The function of the current page, which has already been loaded. */
export const useFunction = (): FunctionRecord => {
  const { functionId } = useParams({ from: "/inside/functions/$functionId" })
  return useSuspenseQuery(functionQuery(functionId)).data
}
