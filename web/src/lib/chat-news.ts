import { chatQuery, refreshLists } from "./chat-api.ts"
import { queryClient } from "./query-client.ts"
import { meQuery } from "./session.ts"

type News =
  | { name: "chats"; id: string | null }
  | { name: "files" | "collections"; id: string }
  | { name: "models" | "account" | "library" | "all" }

const againMs = 3000
/** File events come in bursts; collect them into one refetch of the lists. */
const gatherMs = 300

let gathering = false

/**
 * The first fetch of a query may have read the state before the event, so it is refetched
 * afterwards.
 */
const renew = async (queryKey: readonly string[]): Promise<void> => {
  const first = queryClient.getQueryCache().findAll({ queryKey })
  const underWay = first.filter(({ state }) => state.data === undefined)
  await Promise.allSettled(underWay.map(({ promise }) => promise))
  await queryClient.invalidateQueries({ queryKey })
}

const libraryChanged = (fileId: string | null): void => {
  if (fileId) void renew(["files", "one", fileId])
  if (gathering) return
  gathering = true
  setTimeout(() => {
    gathering = false
    void queryClient.invalidateQueries({ queryKey: ["collections"] })
    void queryClient.invalidateQueries({ queryKey: ["files", "list"] })
  }, gatherMs)
}

const act = (news: News): void => {
  if (news.name === "chats") {
    refreshLists()
    if (news.id) void queryClient.invalidateQueries({ queryKey: chatQuery(news.id).queryKey })
  }
  if (news.name === "files") libraryChanged(news.id)
  if (news.name === "collections") libraryChanged(null)
  if (news.name === "models") void queryClient.invalidateQueries({ queryKey: ["models"] })
  if (news.name === "account") void queryClient.invalidateQueries({ queryKey: meQuery.queryKey })
  if (news.name === "all") {
    void queryClient.invalidateQueries({ queryKey: ["chats"] })
    void queryClient.invalidateQueries({ queryKey: ["models"] })
  }
  if (news.name === "all" || news.name === "library") {
    void renew(["files"])
    void renew(["collections"])
  }
}

/** Listens for server events until `signal` aborts; reconnects after the browser gives up. */
const hear = (tell: (news: News) => void, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    // The lock may be granted after the abort; without this check it would never be released.
    if (signal.aborted) return resolve()
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let heard = false
    const open = (): void => {
      source = new EventSource("/api/v1/events")
      source.addEventListener("ready", () => {
        // Events missed while disconnected are not replayed. Files change often, even while the
        // page loads, so they are refetched on the first connection too.
        tell({ name: heard ? "all" : "library" })
        heard = true
      })
      source.addEventListener("reset", () => tell({ name: "all" }))
      source.addEventListener("models", () => tell({ name: "models" }))
      source.addEventListener("account", () => tell({ name: "account" }))
      source.addEventListener("chats", (event) => {
        tell({ name: "chats", id: JSON.parse(event.data).id })
      })
      for (const name of ["files", "collections"] as const) {
        source.addEventListener(name, (event) => tell({ name, id: JSON.parse(event.data).id }))
      }
      source.addEventListener("error", () => {
        if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, againMs)
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
export const followNews = (): (() => void) => {
  const stopping = new AbortController()
  const channel = new BroadcastChannel("portico-news")
  channel.addEventListener("message", ({ data }) => act(data))
  const tell = (news: News): void => {
    act(news)
    channel.postMessage(news)
  }
  const { signal } = stopping
  // Without the Web Locks API (plain HTTP from another machine), every window listens on its own.
  if (navigator.locks) {
    navigator.locks.request("portico-news", { signal }, () => hear(tell, signal)).catch(() => {})
  } else {
    void hear(act, signal)
  }
  return () => {
    stopping.abort()
    channel.close()
  }
}
