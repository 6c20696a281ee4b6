import { chatQuery, refreshLists } from "./chat-api.ts"
import { queryClient } from "./query-client.ts"
import { meQuery } from "./session.ts"

type News =
  | { name: "chats"; id: string | null }
  | { name: "files" | "collections"; id: string }
  | { name: "models" | "account" | "library" | "all" }

const againMs = 3000
/** Files move on in bursts; their lists are asked for once for all of them. */
const gatherMs = 300

let gathering = false

/** What is asked for the first time just now may be answered with how it was: it is asked again after. */
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

/** Hears the server until `signal`; begins again when it was cut off for good. */
const hear = (tell: (news: News) => void, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    // Its turn may come after it was stopped: it would never end, and keep the turn from others.
    if (signal.aborted) return resolve()
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let heard = false
    const open = (): void => {
      source = new EventSource("/api/v1/events")
      source.addEventListener("ready", () => {
        // What happened while nobody heard is not told again. Files move on at once, also while a page loads.
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
 * Keeps lists and open chats as the server has them. A browser opens few connections to a server:
 * of its windows one hears, and tells the others.
 * @returns how to stop
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
  // Without locks (plain http from another machine) each window hears for itself.
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
