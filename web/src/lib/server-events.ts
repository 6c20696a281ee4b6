import { chatQuery, refreshChatLists } from "./chat-api.ts"
import { projectsQuery } from "./project-api.ts"
import { invalidateQueries, queryClient } from "./query-client.ts"
import { sessionQuery, waitUntilSignedIn } from "./session.ts"

type ServerEvent =
  | { name: "chats"; id: string | null }
  | { name: "files" | "collections"; id: string }
  | { name: "models" | "account" | "library" | "all" }

const reconnectMs = 3000
/** File events come in bursts; collect them into one refetch of the lists. */
const batchMs = 300

let isBatching = false

/**
 * The first fetch of a query may have read the state before the event, so it is refetched
 * afterwards.
 */
const refetchQueries = async (queryKey: readonly string[]): Promise<void> => {
  const queries = queryClient.getQueryCache().findAll({ queryKey })
  const initialFetches = queries.filter(({ state }) => state.data === undefined)
  await Promise.allSettled(initialFetches.map(({ promise }) => promise))
  await invalidateQueries([queryKey])
}

const refetchKnowledge = (fileId: string | null): void => {
  if (fileId) void refetchQueries(["files", "one", fileId])
  if (isBatching) return
  isBatching = true
  setTimeout(() => {
    isBatching = false
    void invalidateQueries([["collections"], ["files", "list"]])
  }, batchMs)
}

const applyEvent = (event: ServerEvent): void => {
  if (event.name === "chats") {
    void refreshChatLists()
    if (event.id === null) void invalidateQueries([projectsQuery.queryKey])
    if (event.id) void invalidateQueries([chatQuery(event.id).queryKey])
  }
  if (event.name === "files") refetchKnowledge(event.id)
  if (event.name === "collections") refetchKnowledge(null)
  if (event.name === "models") void invalidateQueries([["models"]])
  if (event.name === "account") void invalidateQueries([sessionQuery.queryKey])
  if (event.name === "all") void invalidateQueries([["chats"], ["models"]])
  if (event.name === "all" || event.name === "library") {
    void refetchQueries(["files"])
    void refetchQueries(["collections"])
  }
}

/** Listens for server events until `signal` aborts; reconnects after errors. */
const listenForEvents = (
  dispatch: (event: ServerEvent) => void,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve) => {
    // The lock may be granted after the abort; without this check it would never be released.
    if (signal.aborted) return resolve()
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let hasConnected = false
    const open = (): void => {
      source = new EventSource("/api/v1/events")
      source.addEventListener("ready", () => {
        // Events missed while disconnected are not replayed. Files change often, even while the
        // page loads, so they are refetched on the first connection too.
        dispatch({ name: hasConnected ? "all" : "library" })
        hasConnected = true
      })
      source.addEventListener("reset", () => dispatch({ name: "all" }))
      for (const name of ["models", "account"] as const) {
        source.addEventListener(name, () => dispatch({ name }))
      }
      for (const name of ["chats", "files", "collections"] as const) {
        source.addEventListener(name, (event) => dispatch({ name, id: JSON.parse(event.data).id }))
      }
      source.addEventListener("error", () => {
        // Otherwise the browser would keep asking without a session.
        source?.close()
        void waitUntilSignedIn().then(() => {
          if (!signal.aborted) timer = setTimeout(open, reconnectMs)
        })
      })
    }
    open()
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      source?.close()
      resolve()
    })
  })

/**
 * Keeps lists and open chats in sync with the server. Browsers limit the connections per server, so
 * one window listens and broadcasts to the others.
 * @returns a function that stops it
 */
export const subscribeToServerEvents = (): (() => void) => {
  const stopping = new AbortController()
  const channel = new BroadcastChannel("portico-news")
  channel.addEventListener("message", ({ data }) => applyEvent(data))
  const dispatch = (event: ServerEvent): void => {
    applyEvent(event)
    channel.postMessage(event)
  }
  const { signal } = stopping
  // Without the Web Locks API (plain HTTP from another machine), every window listens on its own.
  if (navigator.locks) {
    navigator.locks
      .request("portico-news", { signal }, () => listenForEvents(dispatch, signal))
      .catch(() => {})
  } else {
    void listenForEvents(applyEvent, signal)
  }
  return () => {
    stopping.abort()
    channel.close()
  }
}
