/** The scenario cannot be played on this order, or its ending was not reached. The message is for whoever watches. */
export class CannotPlay extends Error {
  override readonly name = 'CannotPlay'
}
