/** A transaction in the head block has one confirmation. */
export const finalBlock = ({ confirmations }: { readonly confirmations: number }, head: number): number => head - confirmations + 1

export const confirmationsAt = (height: number, head: number): number => Math.max(0, head - height + 1)
