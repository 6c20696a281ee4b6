import { type ComponentType, lazy } from "react"
import { createValueStore } from "../browser/value-store.ts"
import { t } from "../i18n/translate.ts"

/** A part of the page could not be downloaded. */
export class DownloadError extends Error {
  override name = "DownloadError"
  constructor(cause: unknown) {
    super(t("error.notLoaded"), { cause })
  }
}

/** Each makes a component that failed to load downloadable again. */
const retries = new Set<() => void>()

/** Call it before components are rendered again that failed to load. */
export const prepareRetry = (): void => {
  for (const retry of retries) retry()
  retries.clear()
}

const isMissing = createValueStore(false)

/** Tells the user that something did not open, until something does. */
export const setDownloadMissing = isMissing.set

export const useIsDownloadMissing = isMissing.useValue

/** As React's `lazy`, which never tries a failed download again. */
export const lazyComponent = <P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> => {
  const create = (): ComponentType<P> =>
    lazy(async () => {
      try {
        const component = await load()
        if (isMissing.get()) setDownloadMissing(false)
        return { default: component }
      } catch (error) {
        retries.add(() => {
          current = create()
        })
        throw new DownloadError(error)
      }
    })
  let current = create()
  return (props) => {
    const Current = current
    return <Current {...props} />
  }
}
