import { type ComponentType, lazy } from "react"
import { createValueStore } from "../browser/value-store.ts"
import { loadAdministrationTexts, t } from "../i18n/translate.ts"

/** A part of the page could not be downloaded. */
export class LazyLoadError extends Error {
  override name = "LazyLoadError"
  constructor(cause: unknown) {
    super(t("error.notLoaded"), { cause })
  }
}

/** Each makes a component that failed to load downloadable again. */
const retries = new Set<() => void>()

/** Call it before components are rendered again that failed to load. */
export const resetFailedLoads = (): void => {
  for (const retry of retries) retry()
  retries.clear()
}

const hasFailed = createValueStore(false)

/** Tells the user that something did not open, until something does. */
export const setLazyLoadFailed = hasFailed.set

export const useHasLazyLoadFailed = hasFailed.useValue

/** As React's `lazy`, which never tries a failed download again. */
export const lazyComponent = <P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> => {
  const create = (): ComponentType<P> =>
    lazy(async () => {
      try {
        const component = await load()
        if (hasFailed.get()) setLazyLoadFailed(false)
        return { default: component }
      } catch (error) {
        retries.add(() => {
          current = create()
        })
        throw new LazyLoadError(error)
      }
    })
  let current = create()
  return (props) => {
    const Current = current
    return <Current {...props} />
  }
}

/** As `lazyComponent`, for one that uses texts of the administration. */
export const lazyAdministrationComponent = <P extends object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> =>
  lazyComponent(async () => {
    const [component] = await Promise.all([load(), loadAdministrationTexts()])
    return component
  })
