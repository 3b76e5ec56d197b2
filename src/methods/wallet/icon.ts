/** A wallet's picture of itself (EIP-6963): a data URI of an image, and none so large that a list of them would be felt. */
const most = 65_536

export const iconOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= most && /^data:image\/(png|webp|jpeg|gif|svg\+xml)[;,].{8}/s.test(value) ? value : undefined
