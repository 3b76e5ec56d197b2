import { symbols } from './symbols.ts'

/** The icons and marks of a page, hidden, so that each is in it once. The first response has those that it shows (late-symbols.ts). */
export const SymbolSheet = ({ ids }: { ids: ReadonlySet<string> }) => (
  <svg class="hide" aria-hidden="true" id="symbols">
    {[...symbols].map(
      ([id, { viewBox, paths }]) =>
        ids.has(id) && (
          <symbol id={id} viewBox={viewBox}>
            {paths.map((path) => (
              <path {...path} />
            ))}
          </symbol>
        ),
    )}
  </svg>
)

/** Lists the symbols that HTML refers to. */
export const symbolsIn = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/<use href="#([^"]+)"/g)].map(([, id = '']) => id))
