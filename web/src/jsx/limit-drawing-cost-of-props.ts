import { type ElementType, Fragment, type ReactNode } from "react"
import { limitDrawingCost, mapTextChildren, removeExcessMarks } from "./limit-drawing-cost.ts"

export interface Props {
  children?: ReactNode
}

/** An element's texts can be drawn in time; a component gets a string for a string. */
export const limitDrawingCostOfProps = (type: ElementType, props: Props): Props => {
  const isElement = typeof type === "string" || type === Fragment
  const children = mapTextChildren(props.children, isElement ? limitDrawingCost : removeExcessMarks)
  return children === props.children ? props : { ...props, children }
}
