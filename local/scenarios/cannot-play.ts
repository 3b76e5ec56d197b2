/** The scenario cannot be played on this order, or its ending was not reached. The page and the terminal show the message. */
export class CannotPlay extends Error {
  override readonly name = 'CannotPlay'
}
