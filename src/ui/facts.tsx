import type { ComponentChildren } from 'preact'

export type Fact = readonly [label: ComponentChildren, value: ComponentChildren]

/** Callers write optional facts as `condition && [label, value]`, so false and undefined are left out. */
export const Facts = ({ of, card }: { of: readonly (Fact | false | undefined)[]; card?: boolean }) =>
  of.some(Boolean) ? (
    <dl class={card ? 'card facts' : 'facts'}>
      {of.map(
        (fact) =>
          fact && (
            <div>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  ) : null
