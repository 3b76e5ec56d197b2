/** What remembers an order: an element, or the function that was given to `Till.open`. */
export type OrderHolder = object

/** The key is the element's `order-key`. With another one the order is another. */
type Kept = readonly [key: string | null, id: string]

const kept = new WeakMap<OrderHolder, Kept>()

/** Only where the browser says which entry of the history this is. A page that is visited anew has another one, and so another order. */
const nameOf = (holder: OrderHolder, key: string | null): string | undefined => {
  const entry = (globalThis as { navigation?: { currentEntry?: { key: string } } }).navigation?.currentEntry?.key
  const at = [...document.querySelectorAll('till-button,till-checkout')].indexOf(holder as Element)
  return entry && at >= 0 ? `till ${entry} ${at} ${key}` : undefined
}

/**
 * The order that a function has given is kept until it ends, so that a payer who closes the checkout, goes back or reloads gets no second one.
 * The payer may already have sent money to the first.
 */
export const keptOrder = (holder: OrderHolder, key: string | null): string | undefined => {
  const [of, id] = kept.get(holder) ?? []
  if (id) return of === key ? id : undefined
  return storage(holder, key, (name) => sessionStorage.getItem(name)) ?? undefined
}

export const keepOrder = (holder: OrderHolder, key: string | null, id: string): void => {
  kept.set(holder, [key, id])
  storage(holder, key, (name) => sessionStorage.setItem(name, id))
}

export const forgetOrder = (holder: OrderHolder, key: string | null): void => {
  kept.delete(holder)
  storage(holder, key, (name) => sessionStorage.removeItem(name))
}

const storage = <T>(holder: OrderHolder, key: string | null, use: (name: string) => T): T | undefined => {
  try {
    const name = nameOf(holder, key)
    return name ? use(name) : undefined
  } catch {
    // Browsers may forbid storage.
    return undefined
  }
}
