/** Keeps texts of this tab across reloads. Session storage may be forbidden or full, so a copy in memory lasts until the page is reloaded. */
const inMemory = new Map<string, string>()

const attempt = <T>(access: () => T): T | undefined => {
  try {
    return access()
  } catch {
    return undefined
  }
}

export const tabStorage = {
  get: (key: string): string | undefined => inMemory.get(key) ?? attempt(() => sessionStorage.getItem(key)) ?? undefined,
  set: (key: string, text: string): void => {
    inMemory.set(key, text)
    attempt(() => sessionStorage.setItem(key, text))
  },
  remove: (key: string): void => {
    inMemory.delete(key)
    attempt(() => sessionStorage.removeItem(key))
  },
}
