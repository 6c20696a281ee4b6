import type { ElementType, Key, ReactElement } from "react"
import { jsxDEV as createElement, Fragment, type JSX, type JSXSource } from "react/jsx-dev-runtime"
import { limitDrawingCostOfProps, type Props } from "./limit-drawing-cost-of-props.ts"

/** As `jsx` and `jsxs`, for the development server. */
export const jsxDEV = (
  type: ElementType,
  props: Props,
  key: Key | undefined,
  isStatic: boolean,
  source?: JSXSource,
  self?: unknown,
): ReactElement =>
  createElement(type, limitDrawingCostOfProps(type, props), key, isStatic, source, self)

export { Fragment, type JSX }
