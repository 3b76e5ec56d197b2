import type { JSX } from './react.js'

export type { JSX }
export { Fragment } from './react.js'
export declare const jsx: (type: unknown, props: unknown) => JSX.Element
export declare const jsxs: typeof jsx
