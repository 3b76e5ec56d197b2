/** The React 19 types that `till/react` uses, under their real names, for compiling only. */
export type Key = string | number | bigint
export interface Attributes {
  key?: Key | null | undefined
}
export interface ClassAttributes<T> extends Attributes {
  ref?: ((instance: T | null) => void) | undefined
}
export interface SyntheticEvent<T> {
  readonly currentTarget: T
}
export interface DOMAttributes<T> {
  children?: unknown
  onClick?: ((event: SyntheticEvent<T>) => void) | undefined
  onError?: ((event: SyntheticEvent<T>) => void) | undefined
}
export interface HTMLAttributes<T> extends DOMAttributes<T> {
  className?: string | undefined
  id?: string | undefined
}
export type DetailedHTMLProps<E extends HTMLAttributes<T>, T> = ClassAttributes<T> & E

export declare const Fragment: unique symbol

export namespace JSX {
  type Element = object
  interface ElementChildrenAttribute {
    children: object
  }
  interface IntrinsicAttributes extends Attributes {}
  interface IntrinsicElements {
    div: DetailedHTMLProps<HTMLAttributes<HTMLDivElement>, HTMLDivElement>
  }
}
