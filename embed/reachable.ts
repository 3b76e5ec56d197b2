const timeoutMs = 5_000

/**
 * Returns whether the service can be reached now. It loads this very file again, past every cache: whatever policy this page has, it has allowed
 * that before, which is true of no other request.
 */
export const isReachable = (): Promise<boolean> =>
  Promise.race([
    import(/* @vite-ignore */ `${import.meta.url}?${Math.random()}`).then(
      () => true,
      () => false,
    ),
    new Promise<boolean>((resolve) => setTimeout(resolve, timeoutMs, false)),
  ])
