import type { JSX } from './index.js'

export type { JSX }
export { Fragment } from './index.js'
export declare const jsx: (type: unknown, props: unknown) => JSX.Element
export declare const jsxs: typeof jsx
