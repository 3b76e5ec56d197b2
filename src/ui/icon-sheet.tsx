import { iconPaths } from './icon-paths.ts'

/** The icons of a page, hidden, so that each path is in it once. The first response has those that it shows (late-icons.ts). */
export const IconSheet = ({ names }: { names: ReadonlySet<string> }) => (
  <svg class="hide" aria-hidden="true" id="icons">
    {Object.entries(iconPaths).map(
      ([name, path]) =>
        names.has(name) && (
          <symbol id={`i-${name}`} viewBox="0 0 20 20">
            <path d={path} />
          </symbol>
        ),
    )}
  </svg>
)

/** Lists the icons that HTML refers to. */
export const iconsIn = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/href="#i-([a-z]+)"/g)].map(([, name = '']) => name))
