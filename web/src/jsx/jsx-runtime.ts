import type { ElementType, Key, ReactElement } from "react"
import { jsx as createElement, jsxs as createParent, Fragment, type JSX } from "react/jsx-runtime"
import { limitDrawingCostOfProps, type Props } from "./limit-drawing-cost-of-props.ts"

/** JSX of the page: React's, where every text can be drawn in time. */
export const jsx = (type: ElementType, props: Props, key?: Key): ReactElement =>
  createElement(type, limitDrawingCostOfProps(type, props), key)

export const jsxs = (type: ElementType, props: Props, key?: Key): ReactElement =>
  createParent(type, limitDrawingCostOfProps(type, props), key)

export { Fragment, type JSX }
