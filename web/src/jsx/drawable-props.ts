import { type ElementType, Fragment, type ReactNode } from "react"
import { drawableText, mapTexts, withoutExcessMarks } from "./drawable-text.ts"

export interface Props {
  children?: ReactNode
}

/** An element's texts can be drawn in time; a component gets a string for a string. */
export const drawableProps = (type: ElementType, props: Props): Props => {
  const isElement = typeof type === "string" || type === Fragment
  const children = mapTexts(props.children, isElement ? drawableText : withoutExcessMarks)
  return children === props.children ? props : { ...props, children }
}
